//! What a value must be: itself, or anything that a matcher lets through.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Map;

use crate::argument::{JsonType, JustNumber, Yes};
use crate::document::nearest;
use crate::json::{Kind, Shape, View};
use crate::value::excerpt::cut;
use crate::value::mismatch::{Mismatches, part_of};
use crate::value::{Number, Pattern, Value, compare_numbers, equal, member, visible};
use crate::verdict;

/// What a value must be: a literal, which it must equal, or an object with one key that starts with `$`.
#[derive(Debug, Clone)]
pub enum Matcher {
    /// Equal to this.
    Equals(Value),
    /// `{"$eq": …}`: equal to this, which would not stand for itself.
    Literally(Value),
    /// `{"$regex": …}`: a text in which the pattern is found.
    Regex(Pattern),
    /// `{"$gt": …}` and its like: a number that compares so.
    Compares(Comparison, Number),
    /// `{"$type": …}`: of this type.
    Type(JsonType),
    /// `{"$any": true}`: anything at all, null included.
    Any,
    /// `{"$contains": …}`: a text with this part, an array with an equal item, an object with this key.
    Contains(Value),
    /// `{"$partial": {…}}`: an object with these keys, each of which is as its matcher says.
    Partial(Members),
}

/// Keys that must be there, and what their values must be.
pub type Members = IndexMap<String, Matcher>;

/// How two numbers may compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `$gt`
    Above,
    /// `$gte`
    AtLeast,
    /// `$lt`
    Below,
    /// `$lte`
    AtMost,
}

/// How the matchers are written.
const WORDS: [&str; 10] =
    ["$eq", "$regex", "$gt", "$gte", "$lt", "$lte", "$type", "$any", "$contains", "$partial"];

impl Matcher {
    /// Whether a value is what it must be. Only a pattern that gives up is an error.
    pub fn matches<'v>(&self, value: impl View<'v>) -> Result<bool, verdict::Error> {
        Ok(match self {
            Matcher::Equals(literal) | Matcher::Literally(literal) => equal(literal, value),
            Matcher::Regex(pattern) => match value.shape() {
                Shape::String(text) => pattern.found_in(&text, "a value")?,
                _ => false,
            },
            Matcher::Compares(comparison, limit) => match value.shape() {
                Shape::Number(number) => comparison.holds(compare_numbers(&number, limit)),
                _ => false,
            },
            Matcher::Type(r#type) => r#type.includes(value),
            Matcher::Any => true,
            Matcher::Contains(part) => contains(value, part),
            Matcher::Partial(members) => {
                value.kind() == Kind::Object && differing(members, value).next().transpose()?.is_none()
            }
        })
    }

    /// Returns the parts in which a value isn't what it must be; none where the value differs as a whole.
    pub(super) fn mismatches(&self, value: &Value) -> Result<Mismatches, verdict::Error> {
        Ok(match (self, value) {
            (Matcher::Equals(literal) | Matcher::Literally(literal), value) => {
                Mismatches::between(literal, value)
            }
            (Matcher::Partial(members), Value::Object(object)) => {
                let mut mismatches = Mismatches::default();
                compare_members(members, object, "", &mut mismatches)?;
                mismatches
            }
            _ => Mismatches::default(),
        })
    }

    /// Adds the parts in which the value at a path isn't what it must be.
    fn compare(&self, value: &Value, path: &str, mismatches: &mut Mismatches) -> Result<(), verdict::Error> {
        match (self, value) {
            (Matcher::Equals(literal), value) => mismatches.compare(literal, value, path, 0),
            (Matcher::Literally(literal @ Value::Object(_)), Value::Object(_)) => {
                mismatches.compare(literal, value, path, 0);
            }
            (Matcher::Partial(members), Value::Object(object)) => {
                compare_members(members, object, path, mismatches)?;
            }
            (matcher, value) if !matcher.matches(value)? => mismatches.add_value(path, matcher, value),
            _ => {}
        }
        Ok(())
    }
}

/// The keys of an object whose values are missing or not what they must be.
pub(super) fn differing<'m, 'v>(
    members: &'m Members,
    object: impl View<'v>,
) -> impl Iterator<Item = Result<&'m str, verdict::Error>> {
    let differs = move |(key, matcher): (&'m String, &'m Matcher)| match object.get(key) {
        None => Some(Ok(key.as_str())),
        Some(value) => match matcher.matches(value) {
            Ok(true) => None,
            Ok(false) => Some(Ok(key.as_str())),
            Err(error) => Some(Err(error)),
        },
    };
    members.iter().filter_map(differs)
}

/// Adds the members of an object that are missing or not what they must be, each by its path.
pub(super) fn compare_members(
    members: &Members,
    object: &Map<String, Value>,
    path: &str,
    mismatches: &mut Mismatches,
) -> Result<(), verdict::Error> {
    for (key, matcher) in members {
        let inner = part_of(path, key);
        match member(object, key) {
            None => mismatches.add_missing(&inner),
            Some(value) => matcher.compare(value, &inner, mismatches)?,
        }
    }
    Ok(())
}

fn contains<'v>(value: impl View<'v>, part: &Value) -> bool {
    match (value.shape(), part) {
        (Shape::String(text), Value::String(part)) => text.contains(part.as_str()),
        (Shape::Array, part) => value.items().any(|item| equal(item, part)),
        (Shape::Object, Value::String(key)) => value.get(key).is_some(),
        _ => false,
    }
}

impl Comparison {
    fn holds(self, ordering: Ordering) -> bool {
        match self {
            Comparison::Above => ordering.is_gt(),
            Comparison::AtLeast => ordering.is_ge(),
            Comparison::Below => ordering.is_lt(),
            Comparison::AtMost => ordering.is_le(),
        }
    }

    fn word(self) -> &'static str {
        match self {
            Comparison::Above => "$gt",
            Comparison::AtLeast => "$gte",
            Comparison::Below => "$lt",
            Comparison::AtMost => "$lte",
        }
    }
}

/// As it is written.
impl fmt::Display for Matcher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Matcher::Equals(literal) => write!(formatter, "{literal}"),
            Matcher::Literally(literal) => write!(formatter, "{{\"$eq\":{literal}}}"),
            Matcher::Regex(pattern) => write!(formatter, "{{\"$regex\":{}}}", Value::from(pattern.as_str())),
            Matcher::Compares(comparison, limit) => {
                write!(formatter, "{{\"{}\":{limit}}}", comparison.word())
            }
            Matcher::Type(r#type) => write!(formatter, "{{\"$type\":\"{}\"}}", r#type.name()),
            Matcher::Any => formatter.write_str("{\"$any\":true}"),
            Matcher::Contains(part) => write!(formatter, "{{\"$contains\":{part}}}"),
            Matcher::Partial(members) => write!(formatter, "{{\"$partial\":{}}}", Shown(members)),
        }
    }
}

/// Members as an object.
pub(super) struct Shown<'m>(pub(super) &'m Members);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (key, matcher)) in self.0.iter().enumerate() {
            let before = if at == 0 { "{" } else { "," };
            write!(formatter, "{before}{}:{matcher}", Value::from(key.as_str()))?;
        }
        formatter.write_str(if self.0.is_empty() { "{}" } else { "}" })
    }
}

impl<'de> Deserialize<'de> for Matcher {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_any(Written)
    }
}

struct Written;

impl<'de> Visitor<'de> for Written {
    type Value = Matcher;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value or a matcher")
    }

    fn visit_unit<E>(self) -> Result<Matcher, E> {
        Ok(Matcher::Equals(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Matcher, E> {
        Ok(Matcher::Equals(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Matcher, E> {
        Ok(Matcher::Equals(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Matcher, E> {
        Ok(Matcher::Equals(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Matcher, E> {
        Ok(Matcher::Equals(value.into()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Matcher, E> {
        Ok(Matcher::Equals(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Matcher, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element()? {
            array.push(item);
        }
        literal(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Matcher, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if !key.starts_with('$') {
                let value = members.next_value()?;
                object.insert(key, value);
                continue;
            }
            let matcher = match key.as_str() {
                "$eq" => match members.next_value()? {
                    literal if needs_eq(&literal) => Matcher::Literally(literal),
                    literal => Matcher::Equals(literal),
                },
                "$regex" => Matcher::Regex(members.next_value()?),
                "$gt" => Matcher::Compares(Comparison::Above, members.next_value::<JustNumber>()?.0),
                "$gte" => Matcher::Compares(Comparison::AtLeast, members.next_value::<JustNumber>()?.0),
                "$lt" => Matcher::Compares(Comparison::Below, members.next_value::<JustNumber>()?.0),
                "$lte" => Matcher::Compares(Comparison::AtMost, members.next_value::<JustNumber>()?.0),
                "$type" => Matcher::Type(members.next_value()?),
                "$any" => members.next_value::<Yes>().map(|Yes| Matcher::Any)?,
                "$contains" => Matcher::Contains(members.next_value()?),
                "$partial" => Matcher::Partial(members.next_value::<Named>()?.0),
                unknown => {
                    let hint = nearest(unknown, WORDS.into_iter());
                    let hint = hint.map_or_else(
                        || format!("expected one of {}", WORDS.join(", ")),
                        |hint| format!("did you mean '{hint}'?"),
                    );
                    return Err(A::Error::custom(format_args!(
                        "unknown matcher '{}'; {hint}",
                        visible(unknown)
                    )));
                }
            };
            if !object.is_empty() || members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
                return Err(A::Error::custom(format_args!(
                    "'{key}' has other keys next to it; a matcher must be the only key of its object"
                )));
            }
            return Ok(matcher);
        }
        literal(Value::Object(object))
    }
}

/// A literal, in which nothing looks like a matcher: inside a plain object or array it would not be one, and a guard that
/// was written so could never fail.
fn literal<E: Error>(value: Value) -> Result<Matcher, E> {
    match word_inside(&value) {
        None => Ok(Matcher::Equals(value)),
        Some(word) => Err(E::custom(format_args!(
            "'{word}' isn't a matcher inside a plain object or list; use {{\"$partial\": {{…}}}} around the object to \
             match its values, or {{\"$eq\": …}} to compare literally"
        ))),
    }
}

/// The first key in a value that is the word of a matcher.
fn word_inside(value: &Value) -> Option<&str> {
    match value {
        Value::Array(items) => items.iter().find_map(word_inside),
        Value::Object(object) => object.iter().find_map(|(key, value)| {
            if WORDS.contains(&key.as_str()) { Some(key.as_str()) } else { word_inside(value) }
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// Returns true if a literal would not be read as itself without `$eq` around it.
fn needs_eq(literal: &Value) -> bool {
    let is_matcher =
        |value: &Value| value.as_object().is_some_and(|object| object.keys().any(|key| key.starts_with('$')));
    is_matcher(literal) || word_inside(literal).is_some()
}

/// Members that are given by name, as [`members`] reads them.
#[derive(serde::Deserialize)]
pub(super) struct Named(#[serde(deserialize_with = "members")] pub(super) Members);

/// Reads members by name, or `{"$eq": {…}}` for members that are taken literally. No other matcher stands for all of them.
pub(super) fn members<'de, D: Deserializer<'de>>(reader: D) -> Result<Members, D::Error> {
    match Arguments::deserialize(reader)? {
        Arguments::All(members) => Ok(members),
        Arguments::Some(_) => Err(for_all("$partial")),
    }
}

/// Members by name: these, or at least these.
pub(super) enum Arguments {
    /// By name, or `{"$eq": {…}}`.
    All(Members),
    /// `{"$partial": {…}}`
    Some(Members),
}

impl<'de> Deserialize<'de> for Arguments {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_map(WrittenArguments)
    }
}

struct WrittenArguments;

impl<'de> Visitor<'de> for WrittenArguments {
    type Value = Arguments;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of arguments")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut written: A) -> Result<Arguments, A::Error> {
        let (mut named, mut alone) = (Members::new(), None);
        while let Some(key) = written.next_key::<String>()? {
            match key.as_str() {
                "$eq" => {
                    let literal: IndexMap<String, Value> = written.next_value()?;
                    let members = literal.into_iter().map(|(key, value)| (key, Matcher::Equals(value)));
                    alone = Some((key, Arguments::All(members.collect())));
                }
                "$partial" => {
                    let members = written.next_value::<Named>()?.0;
                    alone = Some((key, Arguments::Some(members)));
                }
                word if WORDS.contains(&word) => return Err(for_all(word)),
                _ => {
                    let matcher = written.next_value()?;
                    named.insert(key, matcher);
                }
            }
            if let Some((word, _)) = alone.as_ref().filter(|_| !named.is_empty()) {
                return Err(A::Error::custom(format_args!(
                    "'{word}' has other keys next to it; a matcher must be the only key of its object"
                )));
            }
        }
        Ok(alone.map_or(Arguments::All(named), |(_, arguments)| arguments))
    }
}

fn for_all<E: Error>(word: &str) -> E {
    E::custom(format_args!("'{word}' can't match all arguments at once; give each argument its own matcher"))
}

impl JsonSchema for Matcher {
    fn schema_name() -> Cow<'static, str> {
        "Matcher".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let pattern = generator.subschema_for::<Pattern>();
        let r#type = generator.subschema_for::<JsonType>();
        let members = generator.subschema_for::<Members>();
        let alone = |word: &str, argument: Value| {
            serde_json::json!({
                "type": "object", "properties": {word: argument}, "required": [word], "additionalProperties": false,
            })
        };
        let number = serde_json::json!({"type": "number"});
        json_schema!({
            "description": "A literal that the value must equal, or a matcher.",
            "anyOf": [
                {"not": {"type": "object", "patternProperties": {"^\\$": true}, "minProperties": 1, "propertyNames": {"pattern": "^\\$"}}},
                alone("$eq", serde_json::json!(true)),
                alone("$regex", pattern.to_value()),
                alone("$gt", number.clone()),
                alone("$gte", number.clone()),
                alone("$lt", number.clone()),
                alone("$lte", number),
                alone("$type", r#type.to_value()),
                alone("$any", generator.subschema_for::<Yes>().to_value()),
                alone("$contains", serde_json::json!(true)),
                alone("$partial", members.to_value()),
            ],
        })
    }
}

/// A matcher in a message, cut.
pub(super) fn shown(matcher: &impl fmt::Display) -> String {
    cut(&matcher.to_string()).into_owned()
}

#[cfg(test)]
mod tests {
    use serde::de::value::BytesDeserializer;

    use super::*;

    #[test]
    fn what_json_has_not_is_neither_value_nor_matcher() {
        let bytes = BytesDeserializer::<serde::de::value::Error>::new(b"x");
        let error = Matcher::deserialize(bytes).unwrap_err();
        assert_eq!(error.to_string(), "invalid type: byte array, expected a value or a matcher");
    }
}
