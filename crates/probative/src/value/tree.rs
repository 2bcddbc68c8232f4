//! Bytes to a JSON tree, with what the bytes did twice.

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

use super::path::Trail;

/// How many repeated keys of one document are told; a hostile document may have millions.
const REPEATED_KEYS_TOLD: usize = 8;

/// How many values a document may hold. Each takes up to 72 bytes, however short it is written.
const MOST_VALUES: usize = 10_000_000;

/// How much a document may weigh, in values: what holds others takes more than they do. A tree takes a gigabyte and a half at most.
pub(crate) const HEAVIEST: usize = 2 * MOST_VALUES;

/// What a list with anything in it weighs beside its items: room is made for four at once.
const LIST: usize = 3;
/// The same for an object.
const OBJECT: usize = 4;
/// What the name of a member weighs.
const NAME: usize = 1;

/// Shorter text cannot hold too much: a list in a list, the heaviest for its length, weighs four and takes two bytes.
pub(crate) const SURELY_FEW_ENOUGH: usize = HEAVIEST * 2 / (1 + LIST);

/// A JSON document as read.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// The document. Of a key given twice, the last value.
    pub value: Value,
    /// The places of keys that were given twice (the first few), in the order they were met.
    pub repeated_keys: Vec<String>,
    /// How much room it takes, in values: a list with anything in it counts as four, an object as five, and a name as one.
    pub weight: usize,
}

/// Why bytes are not a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// What is wrong, as a lower-case fragment.
    pub message: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1; 0 at the start of a line that should have gone on.
    pub column: usize,
    /// What kind of thing is wrong.
    pub cause: Cause,
}

/// What keeps bytes from being a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// They are not JSON.
    Syntax,
    /// They may be JSON, but larger or deeper than can be held.
    Limit,
    /// They are JSON, but not of the shape that the subject has.
    Model,
}

impl Tree {
    /// Reads one JSON document (RFC 8259); a byte order mark before it is tolerated.
    ///
    /// Integers of up to 64 bits are kept exactly, larger ones become the nearest double. Numbers beyond the doubles,
    /// lone surrogates and invalid UTF-8 are malformed; so is nesting deeper than 127, more than ten million values,
    /// and more lists and objects than can be held.
    pub fn read(bytes: &[u8]) -> Result<Tree, Malformed> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let (repeated_keys, values, weight) = (RefCell::new(Vec::new()), Cell::new(0), Cell::new(0));
        let mut reader = serde_json::Deserializer::from_slice(bytes);
        let root = Trail::root();
        let value = Node { trail: &root, repeated_keys: &repeated_keys, values: &values, weight: &weight }
            .deserialize(&mut reader);
        let value =
            value.and_then(|value| reader.end().map(|()| value)).map_err(|error| Malformed::from(&error))?;
        Ok(Tree { value, repeated_keys: repeated_keys.into_inner(), weight: weight.get() })
    }

    /// What the reader of a report should know: the keys that were given twice.
    pub fn warnings(&self) -> Vec<String> {
        let warning = |place| format!("'{place}' appears twice; the last value is used");
        self.repeated_keys.iter().map(warning).collect()
    }
}

/// How much room a value takes, as [`Tree::weight`] tells of one that is read.
pub(crate) fn weight(value: &Value) -> usize {
    match value {
        Value::Array(items) if !items.is_empty() => 1 + LIST + items.iter().map(weight).sum::<usize>(),
        Value::Object(members) if !members.is_empty() => {
            1 + OBJECT + members.values().map(|value| NAME + weight(value)).sum::<usize>()
        }
        _ => 1,
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Malformed { message, line, column, cause } = self;
        let what = if *cause == Cause::Syntax { "not JSON: " } else { "" };
        write!(formatter, "{what}{message} (line {line}, column {column})")
    }
}

impl std::error::Error for Malformed {}

impl From<&serde_json::Error> for Malformed {
    fn from(error: &serde_json::Error) -> Self {
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        let (message, cause) = match message {
            "expected ident" => ("expected true, false or null", Cause::Syntax),
            "EOF while parsing a value" if error.line() <= 1 && error.column() == 0 => {
                ("the input is empty", Cause::Syntax)
            }
            "EOF while parsing a value" => ("unexpected end of input", Cause::Syntax),
            "EOF while parsing an object" => ("unexpected end of input in an object", Cause::Syntax),
            "EOF while parsing a list" => ("unexpected end of input in an array", Cause::Syntax),
            "EOF while parsing a string" => ("unexpected end of input in a string", Cause::Syntax),
            "unexpected end of hex escape" => {
                ("an incomplete escape, or half of a surrogate pair", Cause::Syntax)
            }
            "recursion limit exceeded" => ("nested more than 127 levels deep", Cause::Limit),
            message if message.starts_with(TOO_MANY) || message.starts_with(TOO_HEAVY) => {
                (message, Cause::Limit)
            }
            message => (message, Cause::Syntax),
        };
        Malformed { message: message.to_owned(), line: error.line(), column: error.column(), cause }
    }
}

const TOO_MANY: &str = "more than ten million values";
pub(crate) const TOO_HEAVY: &str = "too many arrays, objects and keys";

#[derive(Clone, Copy)]
struct Node<'t> {
    trail: &'t Trail<'t>,
    repeated_keys: &'t RefCell<Vec<String>>,
    values: &'t Cell<usize>,
    weight: &'t Cell<usize>,
}

impl Node<'_> {
    /// Takes room for something, if there is any left.
    fn weigh<E: serde::de::Error>(&self, weight: usize) -> Result<(), E> {
        self.weight.set(self.weight.get() + weight);
        if self.weight.get() > HEAVIEST { Err(E::custom(TOO_HEAVY)) } else { Ok(()) }
    }

    fn tell_repeated(&self, key: &str) {
        let mut told = self.repeated_keys.borrow_mut();
        if told.len() < REPEATED_KEYS_TOLD {
            told.push(self.trail.name(key).to_string());
        }
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        self.values.set(self.values.get() + 1);
        if self.values.get() > MOST_VALUES {
            return Err(D::Error::custom(TOO_MANY));
        }
        self.weigh(1)?;
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        loop {
            let trail = self.trail.index(array.len());
            match items.next_element_seed(Node { trail: &trail, ..self })? {
                Some(item) => {
                    self.weigh(if array.is_empty() { LIST } else { 0 })?;
                    array.push(item);
                }
                None => return Ok(Value::Array(array)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            self.weigh(if object.is_empty() { OBJECT + NAME } else { NAME })?;
            let trail = self.trail.name(&key);
            let value = members.next_value_seed(Node { trail: &trail, ..self })?;
            match object.entry(key) {
                Entry::Vacant(place) => {
                    place.insert(value);
                }
                Entry::Occupied(mut place) => {
                    self.tell_repeated(place.key());
                    place.insert(value);
                }
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn malformed(text: &str) -> String {
        let Malformed { message, line, column, .. } = Tree::read(text.as_bytes()).unwrap_err();
        format!("{line}:{column}: {message}")
    }

    #[test]
    fn the_last_of_a_repeated_key_counts_and_is_told() {
        let tree = Tree::read(br#"{"a": 1, "b": [{"c": 1, "c": 2}], "a": 3}"#).unwrap();
        assert_eq!(tree.value, json!({"a": 3, "b": [{"c": 2}]}));
        assert_eq!(tree.repeated_keys, ["b[0].c", "a"]);
    }

    #[test]
    fn numbers_are_exact_up_to_64_bits() {
        let tree =
            Tree::read(b"[18446744073709551615, -9223372036854775808, 18446744073709551616, 0.1]").unwrap();
        assert_eq!(
            tree.value.to_string(),
            "[18446744073709551615,-9223372036854775808,1.8446744073709552e+19,0.1]"
        );
    }

    #[test]
    fn what_is_malformed_has_a_place() {
        assert_eq!(malformed("{\"a\": 1e400}"), "1:11: number out of range");
        assert_eq!(malformed("{\n  \"a\": nope}"), "2:9: expected true, false or null");
        assert_eq!(malformed("[1] 2"), "1:5: trailing characters");
        assert_eq!(malformed(""), "1:0: the input is empty");
        assert!(malformed(&"[".repeat(100_000)).ends_with("nested more than 127 levels deep"));
        assert!(Tree::read(format!("{}{}", "[".repeat(127), "]".repeat(127)).as_bytes()).is_ok());
        assert!(malformed("\"\\ud800\"").contains("escape"));
        assert!(Tree::read(b"\"\xff\"").unwrap_err().message.contains("unicode"));
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let ones = |count: usize| format!("[{}1]", "1,".repeat(count - 1));
        let refused = Tree::read(ones(MOST_VALUES).as_bytes()).unwrap_err();
        assert!(refused.cause == Cause::Limit && refused.message == TOO_MANY);
        let objects = format!("[{}1]", "{\"a\":1},".repeat(HEAVIEST / 7 + 1));
        let refused = Tree::read(objects.as_bytes()).unwrap_err();
        assert!(refused.cause == Cause::Limit && refused.message == TOO_HEAVY);
    }

    #[test]
    fn what_holds_others_weighs_more_than_they_do() {
        let weight = |text: &str| {
            let tree = Tree::read(text.as_bytes()).unwrap();
            assert_eq!(weight(&tree.value), tree.weight, "{text}");
            tree.weight
        };
        assert_eq!(["1", "\"\"", "[]", "{}"].map(weight), [1; 4]);
        assert_eq!(["[1]", "[1, 2]", "[[1]]"].map(weight), [5, 6, 9]);
        assert_eq!([r#"{"a": 1}"#, r#"{"a": 1, "b": {}}"#].map(weight), [7, 9]);
    }

    #[test]
    fn the_first_few_repeated_keys_are_told() {
        let repeated = format!("{{{}\"a\":0}}", "\"a\":0,".repeat(100));
        assert_eq!(Tree::read(repeated.as_bytes()).unwrap().repeated_keys.len(), REPEATED_KEYS_TOLD);
    }

    #[test]
    fn a_byte_order_mark_is_tolerated() {
        assert_eq!(Tree::read(b"\xef\xbb\xbf{}").unwrap().value, json!({}));
    }
}
