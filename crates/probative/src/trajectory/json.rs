//! A JSON value inside a run: decoded when somebody looks, shown without being decoded.

use std::borrow::Cow;
use std::str::Chars;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::exhibit::Extent;
use crate::json::JsonDocument;
use crate::value::excerpt::{SHOWN_CHARACTERS, compact, cut};
use crate::value::{Tree, Value, equal, visible};

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

    /// The value, decoded as far as it takes to look at it.
    pub(super) fn decoded(&self) -> Decoded<'_> {
        match &self.0 {
            // What was checked can be read.
            Form::Text(text) => Decoded::Document(JsonDocument::read_beginning(text.as_bytes())),
            Form::Value(value) => Decoded::Value(value),
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

/// A JSON value of a run, to be looked at.
pub(super) enum Decoded<'j> {
    Document(JsonDocument<'j>),
    Value(&'j Value),
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

    proptest! {
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
