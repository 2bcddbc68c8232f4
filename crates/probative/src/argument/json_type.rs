//! The types of JSON by name.

use schemars::JsonSchema;

use crate::value::{Number, Value};

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
    pub fn includes(self, value: &Value) -> bool {
        match (self, value) {
            (JsonType::Null, Value::Null)
            | (JsonType::Boolean, Value::Bool(_))
            | (JsonType::Number, Value::Number(_))
            | (JsonType::String, Value::String(_))
            | (JsonType::Array, Value::Array(_))
            | (JsonType::Object, Value::Object(_)) => true,
            (JsonType::Integer, Value::Number(number)) => JsonType::is_whole(number),
            _ => false,
        }
    }

    /// Whether a number is whole, by value: `5.0` is.
    pub(crate) fn is_whole(number: &Number) -> bool {
        number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
    }
}
