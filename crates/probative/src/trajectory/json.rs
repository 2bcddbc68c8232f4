//! A JSON value inside a run: decoded when somebody looks, shown without being decoded.

use std::borrow::Cow;
use std::str::Chars;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::exhibit::Extent;
use crate::value::excerpt::{SHOWN_CHARACTERS, compact, cut};
use crate::value::scan::{Kind, Scanner, Stop};
use crate::value::{Tree, Value, compare_numbers, equal, member, visible};

/// Longer strings are shown as they are, so that showing one costs little.
const DECODED_BYTES: usize = 64 * 1024;

/// A JSON value: as a value, or still as the text that it was read from.
///
/// Most arguments and results of a long run are never looked at, so they are checked when the run is read and decoded
/// when a question asks for them.
#[derive(Debug, Clone)]
pub struct Json<'t>(Form<'t>);

#[derive(Debug, Clone)]
enum Form<'t> {
    /// Text that has been checked to be one JSON value in which no object has a key twice.
    Text(&'t str),
    Value(Box<Value>),
}

impl<'t> Json<'t> {
    /// A value that stays as text. The caller has checked that it is JSON, and that no object in it has a key twice.
    pub(super) fn checked(text: &'t str) -> Json<'t> {
        Json(Form::Text(text))
    }

    /// The value.
    pub fn value(&self) -> Cow<'_, Value> {
        match &self.0 {
            // What was checked can be read; a text that could not would be shown as it is.
            Form::Text(text) => {
                Cow::Owned(Tree::read(text.as_bytes()).map_or_else(|_| Value::from(*text), |tree| tree.value))
            }
            Form::Value(value) => Cow::Borrowed(value),
        }
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        match &self.0 {
            Form::Text(text) => *text == "null",
            Form::Value(value) => value.is_null(),
        }
    }

    /// Whether it is an object.
    pub(super) fn is_object(&self) -> bool {
        match &self.0 {
            Form::Text(text) => text.starts_with('{'),
            Form::Value(value) => value.is_object(),
        }
    }

    /// Hands over the members of an object until one is refused; `false` if one was, or if this is no object. Whoever does not refuse
    /// a member has read all of it, or nothing.
    pub(super) fn members<E>(
        &self,
        mut each: impl FnMut(&str, Part<'_, '_>) -> Result<bool, E>,
    ) -> Result<bool, E> {
        match &self.0 {
            Form::Text(text) => {
                let mut scanner = Scanner::new(text);
                if scanner.open_object().is_err() {
                    return Ok(false);
                }
                while let Ok(Some(key)) = scanner.next_key() {
                    let before = scanner.at();
                    if !each(&key, Part::Text(&mut scanner))? {
                        return Ok(false);
                    }
                    if scanner.at() == before && scanner.pass().is_err() {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Form::Value(value) => {
                let Value::Object(object) = &**value else { return Ok(false) };
                for (key, value) in object {
                    if !each(key, Part::Value(value))? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    /// The compact JSON, cut after [`SHOWN_CHARACTERS`] characters.
    pub fn excerpt(&self) -> String {
        match &self.0 {
            Form::Text(text) => cut(&beginning_of(text)).into_owned(),
            Form::Value(value) => cut(&compact(&**value)).into_owned(),
        }
    }

    /// The compact JSON: cut, unless every value is shown whole.
    pub(super) fn shown(&self, extent: Extent) -> String {
        match extent {
            Extent::Full => visible(&self.value().to_string()).into_owned(),
            Extent::Whole | Extent::Brief => self.excerpt(),
        }
    }

    /// A tool's result as people read it: of a string that holds a JSON object or array, as chat messages carry them, what it holds.
    pub(super) fn shown_as_result(&self, extent: Extent) -> String {
        let is_short = match &self.0 {
            Form::Text(text) => text.len() <= DECODED_BYTES,
            Form::Value(value) => value.as_str().is_some_and(|text| text.len() <= DECODED_BYTES),
        };
        let held = is_short.then(|| held_in(&self.value())).flatten();
        held.map_or_else(|| self.shown(extent), |held| Json(Form::Value(Box::new(held))).shown(extent))
    }

    /// The same value, which borrows nothing.
    pub fn into_owned(self) -> Json<'static> {
        Json(Form::Value(match self.0 {
            Form::Text(_) => Box::new(self.value().into_owned()),
            Form::Value(value) => value,
        }))
    }
}

/// A part of a JSON value, in the form in which the whole is held.
pub(super) enum Part<'p, 't> {
    /// What comes next in a text.
    Text(&'p mut Scanner<'t>),
    Value(&'p Value),
}

impl<'p> Part<'p, '_> {
    /// The value.
    pub(super) fn value(self) -> Cow<'p, Value> {
        match self {
            Part::Text(scanner) => {
                Cow::Owned(Json::checked(scanner.skip().unwrap_or_default()).value().into_owned())
            }
            Part::Value(value) => Cow::Borrowed(value),
        }
    }

    /// Whether it is equal to a value. A text is compared as it is written.
    pub(super) fn equals(self, other: &Value) -> bool {
        match self {
            Part::Value(value) => equal(value, other),
            // What was checked can be read.
            Part::Text(scanner) => equals(scanner, other).unwrap_or(false),
        }
    }
}

/// Whether the next value of a text, in which no object has a key twice, is equal to a value.
fn equals(text: &mut Scanner<'_>, other: &Value) -> Result<bool, Stop> {
    match (text.peek()?, other) {
        (Kind::Null, Value::Null) => text.null().map(|()| true),
        (Kind::Bool, Value::Bool(other)) => Ok(text.bool()? == *other),
        (Kind::Number, Value::Number(other)) => Ok(compare_numbers(&text.number()?, other).is_eq()),
        (Kind::String, Value::String(other)) => Ok(text.string()? == *other),
        (Kind::Array, Value::Array(other)) => {
            let mut others = other.iter();
            text.open_array()?;
            while text.next_item()? {
                let Some(other) = others.next() else { return Ok(false) };
                if !equals(text, other)? {
                    return Ok(false);
                }
            }
            Ok(others.next().is_none())
        }
        (Kind::Object, Value::Object(other)) => {
            let mut found = 0;
            text.open_object()?;
            while let Some(key) = text.next_key()? {
                let Some(other) = member(other, &key) else { return Ok(false) };
                if !equals(text, other)? {
                    return Ok(false);
                }
                found += 1;
            }
            Ok(found == other.len())
        }
        _ => Ok(false),
    }
}

impl From<Value> for Json<'_> {
    fn from(value: Value) -> Self {
        Json(Form::Value(Box::new(value)))
    }
}

/// By value: how it is held or written makes no difference.
impl PartialEq for Json<'_> {
    fn eq(&self, other: &Self) -> bool {
        equal(&*self.value(), &*other.value())
    }
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Form::Text(text) => match serde_json::from_str::<&RawValue>(text) {
                Ok(raw) => raw.serialize(serializer),
                Err(_) => self.value().serialize(serializer),
            },
            Form::Value(value) => value.serialize(serializer),
        }
    }
}

/// The beginning of a JSON text without blanks and with its characters unescaped, one character longer than is shown.
fn beginning_of(text: &str) -> String {
    let mut shown = String::new();
    let mut in_string = false;
    let mut rest = text.chars();
    for _ in 0..=SHOWN_CHARACTERS {
        let next =
            if in_string { rest.next() } else { rest.find(|character| !character.is_ascii_whitespace()) };
        match next {
            None => break,
            Some('\\') => push_unescaped(&mut rest, &mut shown),
            Some(character) => {
                in_string ^= character == '"';
                shown.push(character);
            }
        }
    }
    shown
}

/// Adds what stands behind a backslash of a checked JSON text: the character itself, or the shortest escape that it needs.
fn push_unescaped(rest: &mut Chars<'_>, shown: &mut String) {
    match rest.next() {
        Some('/') => shown.push('/'),
        Some('u') => {
            let mut units = vec![code_unit(rest)];
            if (0xd800..0xdc00).contains(&units[0]) {
                rest.nth(1);
                units.push(code_unit(rest));
            }
            let written = Value::from(String::from_utf16_lossy(&units)).to_string();
            shown.push_str(&written[1..written.len() - 1]);
        }
        Some(other) => shown.extend(['\\', other]),
        None => {}
    }
}

fn code_unit(rest: &mut Chars<'_>) -> u16 {
    let digits: String = rest.by_ref().take(4).collect();
    u16::from_str_radix(&digits, 16).unwrap_or_default()
}

/// The JSON object or array that a string holds.
pub(super) fn held_in(value: &Value) -> Option<Value> {
    let text = value.as_str().filter(|text| text.trim_start().starts_with(['{', '[']))?;
    Tree::read(text.as_bytes()).ok().map(|tree| tree.value)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::value::equality::tests::any_value;

    fn equals(text: &str, other: &Value) -> bool {
        Part::Text(&mut Scanner::new(text)).equals(other)
    }

    #[test]
    fn text_is_shown_as_its_value_would_be() {
        let shown = |text| Json::checked(text).excerpt();
        assert_eq!(
            shown("{ \"a b\" : [ 1 , \"x \\u00e9\\ud83d\\ude00\\n\\u0007\\/\\u0022\" ] }"),
            r#"{"a b":[1,"x é😀\n\u0007/\""]}"#
        );
        assert_eq!(shown("\"\""), "\"\"");
        assert_eq!(shown("\"\\udc00 alone\""), "\"\u{fffd} alone\"");
        let long = format!("[{}1]", "1 , ".repeat(1000));
        assert_eq!(shown(&long).chars().count(), SHOWN_CHARACTERS + 3);
    }

    #[test]
    fn a_value_is_the_same_in_either_form() {
        assert_eq!(Json::checked("{\"a\": 5, \"b\": null}"), Json::from(json!({"b": null, "a": 5.0})));
        assert_ne!(Json::checked("5"), Json::from(json!(6)));
        assert!(Json::checked("null").is_null() && Json::from(Value::Null).is_null());
        let written = serde_json::to_string(&[Json::checked("{\"a\": 5}"), Json::from(json!([1]))]).unwrap();
        assert_eq!(written, "[{\"a\": 5},[1]]");
    }

    #[test]
    fn what_is_no_object_has_no_members() {
        let has_members = |json: Json<'_>| json.members(|_, _| Ok::<bool, ()>(true)).unwrap();
        assert!(has_members(Json::checked("{\"a\": 1}")) && has_members(Json::from(json!({"a": 1}))));
        assert!(!has_members(Json::checked("[1]")) && !has_members(Json::from(json!([1]))));
        assert!(!has_members(Json::checked("{\"a\": ")));
    }

    #[test]
    fn what_cannot_be_read_equals_nothing() {
        assert!(!equals("[1", &json!([1])));
    }

    proptest! {
        #[test]
        fn text_equals_what_its_value_equals(a in any_value(), b in any_value()) {
            let (text, pretty) = (a.to_string(), serde_json::to_string_pretty(&a).unwrap());
            prop_assert!(equals(&text, &a) && equals(&pretty, &a));
            prop_assert_eq!(equals(&text, &b), equal(&a, &b));
        }

        #[test]
        fn every_text_is_shown_like_its_value(text in any::<String>(), number in any::<i64>()) {
            let value = json!({"key": [text, number], "other": {"x": null}});
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            let mut ascii = String::new();
            for unit in value.to_string().encode_utf16() {
                match u8::try_from(unit) {
                    Ok(byte) if byte.is_ascii() => ascii.push(byte.into()),
                    _ => write!(ascii, "\\u{unit:04x}").unwrap(),
                }
            }
            let expected = Json::from(value).excerpt();
            prop_assert_eq!(Json::checked(&pretty).excerpt(), &*expected);
            prop_assert_eq!(Json::checked(&ascii).excerpt(), &*expected);
        }
    }
}
