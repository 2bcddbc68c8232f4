//! What assertions of every vocabulary take: the shapes of arguments, checked as they are read.

mod brief;
mod json_type;
mod number;

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};

pub(crate) use brief::{Brief, Short, brief, one_key, read as read_brief};
pub use json_type::JsonType;
pub use number::{Count, Integer};
pub(crate) use number::{JustNumber, at_least_one, in_order};

/// What stands behind an assertion that takes no argument: `succeeded: true`, or nothing at all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Yes;

impl<'de> Deserialize<'de> for Yes {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct True;
        impl Visitor<'_> for True {
            type Value = Yes;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("true")
            }

            fn visit_bool<E: Error>(self, yes: bool) -> Result<Yes, E> {
                if yes {
                    Ok(Yes)
                } else {
                    Err(E::custom(
                        "expected true; to require the opposite, move the assertion under 'cannot'",
                    ))
                }
            }

            fn visit_unit<E: Error>(self) -> Result<Yes, E> {
                Ok(Yes)
            }
        }
        reader.deserialize_any(True)
    }
}

impl JsonSchema for Yes {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Yes".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"enum": [true, null]})
    }
}

/// A key that is there holds a value, and be it null.
pub(crate) fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    reader: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(reader).map(Some)
}

/// What is checked after reading has the schema of what is written, and what the check adds.
macro_rules! schema_as_written {
    ($($checked:ty => $written:ty, $more:tt);* $(;)?) => {$(
        impl schemars::JsonSchema for $checked {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($checked).into()
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let mut schema = <$written>::json_schema(generator);
                let more = serde_json::json!($more);
                if let (Some(schema), serde_json::Value::Object(more)) = (schema.as_object_mut(), more) {
                    schema.extend(more);
                }
                schema
            }
        }
    )*};
}

pub(crate) use schema_as_written;
