//! The types of JSON by name.

use crate::json::{Kind, Shape, View};
use schemars::JsonSchema;

use crate::value::Number;

/// JSON types, and integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum JsonType {
    /// A string.
    String,
    /// A number.
    Number,
    /// An integer; `5.0` is accepted.
    Integer,
    /// A boolean.
    Boolean,
    /// An object.
    Object,
    /// An array.
    Array,
    /// Null.
    Null,
}

impl JsonType {
    /// The name as it is written: the variant's, in lower case.
    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// Whether a value is of the type.
    pub fn includes<'v>(self, value: impl View<'v>) -> bool {
        match (self, value.kind()) {
            (JsonType::Null, Kind::Null)
            | (JsonType::Boolean, Kind::Boolean)
            | (JsonType::Number, Kind::Number)
            | (JsonType::String, Kind::String)
            | (JsonType::Array, Kind::Array)
            | (JsonType::Object, Kind::Object) => true,
            (JsonType::Integer, Kind::Number) => {
                matches!(value.shape(), Shape::Number(number) if JsonType::is_whole(&number))
            }
            _ => false,
        }
    }

    /// Whether a number is whole, by value: `5.0` is.
    pub(crate) fn is_whole(number: &Number) -> bool {
        number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
    }
}
