//! A trait for reading a JSON value in whatever form it is held.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Number, Value};

/// The type of a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// A number, integer or not.
    Number,
    /// A string.
    String,
    /// `[…]`
    Array,
    /// `{…}`
    Object,
}

impl Kind {
    /// The name that messages use: `boolean`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Boolean => "boolean",
            Kind::Number => "number",
            Kind::String => "string",
            Kind::Array => "array",
            Kind::Object => "object",
        }
    }
}

/// A JSON value with its scalars decoded. Arrays and objects are read with [`View::items`] and [`View::members`].
#[derive(Debug, Clone, PartialEq)]
pub enum Shape<'v> {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// A number, integers of up to 64 bits exact.
    Number(Number),
    /// A string.
    String(Cow<'v, str>),
    /// `[…]`
    Array,
    /// `{…}`
    Object,
}

/// A JSON value that can be read, in whatever form it is held.
#[expect(clippy::len_without_is_empty, reason = "a node has its own, which doesn't count")]
pub trait View<'v>: Copy + Serialize {
    /// The type.
    fn kind(self) -> Kind;

    /// The type, with the value of a scalar.
    fn shape(self) -> Shape<'v>;

    /// The items of an array; none for anything else.
    fn items(self) -> impl Iterator<Item = Self>;

    /// The members of an object, each key once, in document order; none for anything else.
    fn members(self) -> impl Iterator<Item = (Cow<'v, str>, Self)>;

    /// Returns the number of items or members of an array or object; zero for anything else.
    fn len(self) -> usize;

    /// The member of an object with this key.
    fn get(self, key: &str) -> Option<Self>;

    /// The item of an array at an index.
    fn item(self, index: usize) -> Option<Self> {
        self.items().nth(index)
    }

    /// Converts to a tree of its own.
    fn to_value(self) -> Value {
        match self.shape() {
            Shape::Null => Value::Null,
            Shape::Boolean(boolean) => Value::Bool(boolean),
            Shape::Number(number) => Value::Number(number),
            Shape::String(string) => Value::String(string.into_owned()),
            Shape::Array => self.items().map(View::to_value).collect(),
            Shape::Object => {
                let members = self.members().map(|(key, value)| (key.into_owned(), value.to_value()));
                Value::Object(members.collect())
            }
        }
    }
}

impl<'v> View<'v> for &'v Value {
    fn kind(self) -> Kind {
        match self {
            Value::Null => Kind::Null,
            Value::Bool(_) => Kind::Boolean,
            Value::Number(_) => Kind::Number,
            Value::String(_) => Kind::String,
            Value::Array(_) => Kind::Array,
            Value::Object(_) => Kind::Object,
        }
    }

    fn shape(self) -> Shape<'v> {
        match self {
            Value::Null => Shape::Null,
            Value::Bool(boolean) => Shape::Boolean(*boolean),
            Value::Number(number) => Shape::Number(number.clone()),
            Value::String(string) => Shape::String(Cow::Borrowed(string)),
            Value::Array(_) => Shape::Array,
            Value::Object(_) => Shape::Object,
        }
    }

    fn items(self) -> impl Iterator<Item = &'v Value> {
        self.as_array().map(Vec::as_slice).unwrap_or_default().iter()
    }

    fn members(self) -> impl Iterator<Item = (Cow<'v, str>, &'v Value)> {
        let members = self.as_object().into_iter().flat_map(Map::iter);
        members.map(|(key, value)| (Cow::Borrowed(key.as_str()), value))
    }

    fn len(self) -> usize {
        match self {
            Value::Array(items) => items.len(),
            Value::Object(members) => members.len(),
            _ => 0,
        }
    }

    fn get(self, key: &str) -> Option<&'v Value> {
        self.as_object()?.get(key)
    }

    fn item(self, index: usize) -> Option<&'v Value> {
        self.as_array()?.get(index)
    }

    fn to_value(self) -> Value {
        self.clone()
    }
}
