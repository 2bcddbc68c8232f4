//! Numbers as arguments.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error};

use crate::value::{Number, Value, compare_numbers};

/// An integer, 0 or more; `5.0` is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count(pub u64);

/// A 64-bit integer; `5.0` is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Integer(pub i64);

/// A number and nothing else, not even null.
pub(crate) struct JustNumber(pub(crate) Number);

pub(crate) fn in_order(
    min: Option<JustNumber>,
    max: Option<JustNumber>,
) -> Result<(Option<Number>, Option<Number>), String> {
    let (min, max) = (min.map(|min| min.0), max.map(|max| max.0));
    match (&min, &max) {
        (Some(min), Some(max)) if compare_numbers(min, max).is_gt() => {
            Err(format!("min {min} is greater than max {max}"))
        }
        _ => Ok((min, max)),
    }
}

impl<'de> Deserialize<'de> for JustNumber {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        match Value::deserialize(reader)? {
            Value::Number(number) => Ok(JustNumber(number)),
            other => Err(D::Error::custom(format_args!(
                "expected a number, found {}",
                crate::value::excerpt(&other)
            ))),
        }
    }
}

impl JsonSchema for JustNumber {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Number".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "number"})
    }
}

/// Reads a whole number, 1 or more.
pub(crate) fn at_least_one<'de, D: Deserializer<'de>>(reader: D) -> Result<u64, D::Error> {
    match Count::deserialize(reader)?.0 {
        0 => Err(D::Error::custom("expected a positive integer, found 0")),
        count => Ok(count),
    }
}

impl Count {
    /// The whole number that a number is by value, if it is one.
    pub fn of(number: &Number) -> Option<Count> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and below 2^53")]
        let whole =
            |float: f64| (float.fract() == 0.0 && (0.0..9e15).contains(&float)).then_some(float as u64);
        number.as_u64().or_else(|| number.as_f64().and_then(whole)).map(Count)
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(reader)?;
        let whole = match &value {
            Value::Number(number) => Count::of(number),
            _ => None,
        };
        whole.ok_or_else(|| {
            D::Error::custom(format_args!(
                "expected a non-negative integer, found {}",
                crate::value::excerpt(&value)
            ))
        })
    }
}

impl JsonSchema for Count {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Count".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": 0, "maximum": u64::MAX})
    }
}

impl<'de> Deserialize<'de> for Integer {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
        let whole = |float: f64| (float.fract() == 0.0 && float.abs() < 9e15).then_some(float as i64);
        let value = Value::deserialize(reader)?;
        let number = match &value {
            Value::Number(number) if number.is_u64() || number.is_i64() => number.as_i64(),
            Value::Number(number) => number.as_f64().and_then(whole),
            _ => None,
        };
        number.map(Integer).ok_or_else(|| {
            let found = crate::value::excerpt(&value);
            D::Error::custom(format_args!("expected a 64-bit integer, found {found}"))
        })
    }
}

impl JsonSchema for Integer {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Integer".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": i64::MIN, "maximum": i64::MAX})
    }
}
