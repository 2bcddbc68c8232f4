//! What the plain operations give for their values. Each says what it takes when it gets something else.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as Reason, StrDeserializer};

use crate::argument::Count;
use crate::document::nearest;
use crate::value::{Cause, Malformed, Pattern, Tree, Value, equal as json_equal, member, visible};
use crate::verdict::{Error, ErrorKind};

use super::datum::{Datum, Turn};
use super::fault::{exhausted, malformed};
use super::number;
use super::symbol::{One, Operation, Two};
use super::world::World;

/// The names of types, as `json_type` knows them.
const TYPES: [&str; 6] = ["null", "bool", "number", "string", "list", "dict"];

/// What operations need beside their values.
#[derive(Debug)]
pub(super) struct Tools<'e> {
    pub(super) world: &'e dyn World,
    /// The pattern that was made last: it is likely to be asked for again.
    pub(super) pattern: Option<Pattern>,
}

impl Tools<'_> {
    pub(super) fn one<'e>(&self, operation: One, a: &Datum<'e>) -> Result<Datum<'e>, Error> {
        let text = || text_form(Operation::One(operation), a);
        Ok(match operation {
            One::Len => return len(a),
            One::Trim => trim(a, &text()?),
            One::Lower => Datum::text(text()?.to_lowercase()),
            One::Upper => Datum::text(text()?.to_uppercase()),
            One::JsonParse => return parse(a)?.map_err(|reason| malformed(format!("json_parse: {reason}"))),
            One::PathExists => Datum::Bool(self.path_exists(a)?),
        })
    }

    pub(super) fn two<'e>(
        &mut self,
        operation: Two,
        a: &Datum<'e>,
        b: &Datum<'e>,
    ) -> Result<Datum<'e>, Error> {
        let name = Operation::Two(operation);
        let texts = || Ok::<_, Error>((text_form(name, a)?, text_form(name, b)?));
        let holds = match operation {
            Two::Contains => texts().map(|(text, part)| contains(&text, &part)),
            Two::StartsWith => texts().map(|(text, part)| text.starts_with(&*part)),
            Two::EndsWith => texts().map(|(text, part)| text.ends_with(&*part)),
            Two::Equal => equal(operation, a, b),
            Two::Unequal => equal(operation, a, b).map(|equal| !equal),
            Two::In => is_in(a, b),
            Two::JsonType => is_of_type(a, type_named(b)?),
            Two::JsonTypeOfText => {
                let r#type = type_named(b)?;
                parse(a)?.map_or(Ok(false), |value| is_of_type(&value, r#type))
            }
            Two::HasKey => has_key(a, b),
            Two::RegexMatch => matches(a, self.pattern(b)?),
            Two::Get => return get(a, b),
            Two::Add => return number::add(a, b),
            Two::Sub => return number::sub(a, b),
        };
        holds.map(Datum::Bool)
    }

    fn path_exists(&self, path: &Datum<'_>) -> Result<bool, Error> {
        let path = path.as_str().ok_or_else(|| takes(Operation::One(One::PathExists), "a string", path))?;
        self.world.path_exists(path).ok_or_else(|| {
            Error::new(ErrorKind::Unobtainable(
                "path_exists can't be used here: this expression has no access to files".into(),
            ))
        })
    }

    fn pattern(&mut self, written: &Datum<'_>) -> Result<&Pattern, Error> {
        let name = Operation::Two(Two::RegexMatch);
        let written = written.as_str().ok_or_else(|| takes(name, "a string as the pattern", written))?;
        if self.pattern.as_ref().is_none_or(|last| last.as_str() != written) {
            let reader: StrDeserializer<'_, Reason> = written.into_deserializer();
            let pattern = Pattern::deserialize(reader).map_err(|reason| malformed(reason.to_string()))?;
            self.pattern = Some(pattern);
        }
        self.pattern.as_ref().ok_or_else(|| takes(name, "a pattern", &Datum::Null))
    }
}

/// Whether two values are equal. Functions are not compared.
pub(super) fn equal(operation: Two, a: &Datum<'_>, b: &Datum<'_>) -> Result<bool, Error> {
    if let Some(function) = [a, b].into_iter().find(|datum| matches!(datum, Datum::Function(..))) {
        return Err(takes(Operation::Two(operation), "values", function));
    }
    Ok(match (a, b) {
        (Datum::Null, Datum::Null) => true,
        (Datum::Bool(a), Datum::Bool(b)) => a == b,
        _ => match (a.json(), b.json()) {
            (Some(a), Some(b)) => json_equal(a, b),
            _ => number::equal(a, b).unwrap_or(false),
        },
    })
}

/// Whether a text holds another. A long text is searched as fast as memory can be read.
fn contains(text: &str, part: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), part.as_bytes()).is_some()
}

/// Whether the pattern is found in the text of a value.
pub(super) fn matches(a: &Datum<'_>, pattern: &Pattern) -> Result<bool, Error> {
    pattern.found_in(&text_form(Operation::Two(Two::RegexMatch), a)?, "a value")
}

fn text_form<'d>(operation: Operation, datum: &'d Datum<'_>) -> Result<Cow<'d, str>, Error> {
    datum.text_form().ok_or_else(|| takes(operation, "values", datum))
}

fn len<'e>(a: &Datum<'e>) -> Result<Datum<'e>, Error> {
    let length = match a.json() {
        Some(Value::String(text)) => text.chars().count(),
        Some(Value::Array(items)) => items.len(),
        Some(Value::Object(members)) => members.len(),
        _ => return Err(takes(Operation::One(One::Len), "a string, a list or an object", a)),
    };
    Ok(i64::try_from(length).map_or(Datum::Null, Datum::Whole))
}

/// What has no white space around it is itself.
fn trim<'e>(a: &Datum<'e>, text: &str) -> Datum<'e> {
    match text.trim() {
        trimmed if trimmed.len() == text.len() && a.as_str().is_some() => a.clone(),
        trimmed => Datum::text(trimmed.to_owned()),
    }
}

/// The value of a JSON text, or why the text is not JSON.
fn parse<'e>(a: &Datum<'e>) -> Result<Result<Datum<'e>, Malformed>, Error> {
    let text = a.as_str().ok_or_else(|| takes(Operation::One(One::JsonParse), "a string", a))?;
    match Tree::read(text.as_bytes()) {
        Ok(tree) => Ok(Ok(Datum::owned(tree.value))),
        Err(malformed) if malformed.cause == Cause::Limit => {
            Err(exhausted(format!("json_parse: {malformed}")))
        }
        Err(malformed) => Ok(Err(malformed)),
    }
}

/// An item of a list, a key of a mapping, or a part of a text.
fn is_in(part: &Datum<'_>, whole: &Datum<'_>) -> Result<bool, Error> {
    let name = Operation::Two(Two::In);
    let wanted = part.value().ok_or_else(|| takes(name, "values", part))?;
    match whole.json() {
        Some(Value::Array(items)) => Ok(items.iter().any(|item| json_equal(item, &*wanted))),
        Some(Value::Object(members)) => Ok(wanted.as_str().is_some_and(|key| member(members, key).is_some())),
        Some(Value::String(text)) => match wanted.as_str() {
            Some(part) => Ok(contains(text, part)),
            None => Err(takes(name, "a string as the part if the whole is a string", part)),
        },
        _ => Err(takes(name, "a list, an object or a string as the whole", whole)),
    }
}

fn has_key(value: &Datum<'_>, key: &Datum<'_>) -> Result<bool, Error> {
    let asked = |datum: &Datum<'_>| matches!(datum, Datum::Function(..));
    if let Some(function) = [value, key].into_iter().find(|datum| asked(datum)) {
        return Err(takes(Operation::Two(Two::HasKey), "values", function));
    }
    let members = value.json().and_then(Value::as_object);
    Ok(members.zip(key.as_str()).is_some_and(|(members, key)| member(members, key).is_some()))
}

/// The member or item, or null. An index that no list has, also a negative one, gets null.
fn get<'e>(value: &Datum<'e>, key: &Datum<'e>) -> Result<Datum<'e>, Error> {
    let name = Operation::Two(Two::Get);
    let turn = match value.json() {
        Some(Value::Object(_)) => {
            Turn::Member(key.as_str().ok_or_else(|| takes(name, "a string as the key of an object", key))?)
        }
        Some(Value::Array(_)) => {
            Turn::Item(index(key).ok_or_else(|| takes(name, "an integer as the index of a list", key))?)
        }
        _ => return Err(takes(name, "an object or a list", value)),
    };
    Ok(value.inside(turn).unwrap_or_default())
}

/// The index that a number is, if it is whole. No list reaches the largest.
fn index(key: &Datum<'_>) -> Option<usize> {
    let number = key.number()?;
    let count = Count::of(&number).and_then(|count| usize::try_from(count.0).ok());
    let is_whole = || number.is_i64() || number.as_f64().is_some_and(|float| float.fract() == 0.0);
    count.or_else(|| is_whole().then_some(usize::MAX))
}

fn type_named<'d>(name: &'d Datum<'_>) -> Result<&'d str, Error> {
    let name =
        name.as_str().ok_or_else(|| takes(Operation::Two(Two::JsonType), "a string as the type", name))?;
    if TYPES.contains(&name) {
        return Ok(name);
    }
    let hint = nearest(name, TYPES.into_iter());
    let hint = hint.map_or_else(
        || format!("expected one of: {}", TYPES.join(", ")),
        |hint| format!("did you mean '{hint}'?"),
    );
    Err(malformed(format!("unsupported json_type: '{}'; {hint}", visible(name))))
}

fn is_of_type(a: &Datum<'_>, r#type: &str) -> Result<bool, Error> {
    let value = a.value().ok_or_else(|| takes(Operation::Two(Two::JsonType), "values", a))?;
    Ok(type_of(&value) == r#type)
}

/// The name that a value's type has here.
pub(in crate::spec) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "dict",
    }
}

/// `'add' takes numbers, got a string 'x'`
pub(super) fn takes(operation: Operation, what: &str, got: &Datum<'_>) -> Error {
    malformed(format!("'{}' takes {what}, got {}", operation.name(), got.told()))
}
