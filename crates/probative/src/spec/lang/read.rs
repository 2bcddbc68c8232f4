//! What is written to a tree: every form is checked in its place while it is read.
//!
//! The reader works with any deserializer. One that knows places tells a mistake at the innermost part that has it. A document
//! gives its lists as tokens, so that nothing recurses however deep they are nested.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor};

use crate::document::{CLOSE, OPEN, TOKENS};
use crate::value::{Number, Value};

use super::parser::{Parser, Token};
use super::tree::Tree;

/// Other deserializers recurse, so from those lists may be nested only so deep.
const DEEPEST_RECURSION: usize = 127;

/// An expression as it was read, and how large it was.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) tree: Tree,
    /// Lists and scalars, symbols and names included.
    pub(super) nodes: u64,
    /// The bytes of all texts, symbols and names included.
    pub(super) literal_bytes: u64,
    /// The expression as compact JSON.
    pub(super) written: String,
    /// It mentions the subject, or asks which files there are.
    pub(super) looks_outside: bool,
}

pub(super) fn read<'de, D: Deserializer<'de>>(reader: D) -> Result<Reading, D::Error> {
    let mut parser = Parser::default();
    Feed { parser: &mut parser, depth: 0 }.deserialize(reader)?;
    parser.finish().map_err(D::Error::custom)
}

/// The same of a value, however deep.
pub(super) fn read_value(written: &Value) -> Result<Reading, String> {
    let mut parser = Parser::default();
    // The rest of each list that is open.
    let mut open = Vec::new();
    let mut next = Some(written);
    loop {
        match next {
            Some(Value::Array(items)) => {
                parser.take(Token::Open)?;
                open.push(items.iter());
            }
            Some(Value::Object(_)) => return Err(OBJECT.to_owned()),
            Some(scalar) => parser.take(Token::Scalar(scalar.clone()))?,
            None => {
                parser.take(Token::Close)?;
                open.pop();
            }
        }
        match open.last_mut() {
            Some(items) => next = items.next(),
            None => return parser.finish(),
        }
    }
}

const OBJECT: &str = "spec_lang expressions are written as a list-based s-expr, found an object";

/// Hands what a deserializer finds to the parser.
struct Feed<'p> {
    parser: &'p mut Parser,
    /// How many lists are around it for which the deserializer recursed.
    depth: usize,
}

impl Feed<'_> {
    fn take<E: Error>(self, token: Token) -> Result<(), E> {
        self.parser.take(token).map_err(E::custom)
    }
}

impl<'de> DeserializeSeed<'de> for Feed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_newtype_struct(TOKENS, self)
    }
}

impl<'de> Visitor<'de> for Feed<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an expression")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.take(Token::Scalar(Value::Null))
    }

    fn visit_none<E: Error>(self) -> Result<(), E> {
        self.take(Token::Scalar(Value::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        self.deserialize(reader)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.take(Token::Scalar(value.into()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.take(Token::Scalar(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.take(Token::Scalar(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("number out of range"))?;
        self.take(Token::Scalar(number.into()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.take(Token::Scalar(text.into()))
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<(), E> {
        match bytes {
            OPEN => self.take(Token::Open),
            CLOSE => self.take(Token::Close),
            _ => Err(E::invalid_type(Unexpected::Bytes(bytes), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Feed { parser, depth } = self;
        if depth == DEEPEST_RECURSION {
            return Err(A::Error::custom(format_args!("nested more than {DEEPEST_RECURSION} levels deep")));
        }
        parser.take(Token::Open).map_err(A::Error::custom)?;
        while items.next_element_seed(Feed { parser: &mut *parser, depth: depth + 1 })?.is_some() {}
        parser.take(Token::Close).map_err(A::Error::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        Err(A::Error::custom(OBJECT))
    }
}
