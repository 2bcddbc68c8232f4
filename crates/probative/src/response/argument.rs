//! What the assertions take: the shapes of their arguments, checked as they are read.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error};

use super::ResponseAssertion;
use crate::argument::{Brief, JustNumber, brief, in_order, present, schema_as_written};
use crate::question::Expect;
use crate::value::{DateBound, Number, Path, Pattern, Value};

/// At least one `expect` object.
#[derive(Debug, Clone)]
pub struct Branches(pub Vec<Expect<ResponseAssertion>>);

/// A field, and optionally the value that it must have.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldIs {
    /// Path to the field.
    pub name: Path,
    /// Value that it must equal. `Some(Null)` requires null.
    pub value: Option<Value>,
}

/// A range of dates, inclusive.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(try_from = "WrittenDatesBetween")]
pub struct DatesBetween {
    /// Path to the dates.
    pub path: Path,
    /// Earliest date.
    pub start: DateBound,
    /// Latest date; without a time, it covers its whole day.
    pub end: DateBound,
}

/// A range of numbers, inclusive; one bound may be left out.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(try_from = "WrittenBounds")]
pub struct Bounds {
    /// Path to the numbers.
    pub path: Path,
    /// Minimum.
    pub min: Option<Number>,
    /// Maximum.
    pub max: Option<Number>,
}

/// An array and what it must contain.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(try_from = "WrittenArrayContains")]
pub struct ArrayContains {
    /// Path to the array.
    pub path: Path,
    /// Required contents.
    pub wanted: Wanted,
}

/// Required values, or a pattern that some string must match.
#[derive(Debug, Clone)]
pub enum Wanted {
    /// All of these values.
    Values(Vec<Value>),
    /// A string that matches.
    Pattern(Pattern),
}

#[derive(serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WrittenDatesBetween {
    path: Path,
    start: DateBound,
    end: DateBound,
}

impl TryFrom<WrittenDatesBetween> for DatesBetween {
    type Error = String;
    fn try_from(WrittenDatesBetween { path, start, end }: WrittenDatesBetween) -> Result<Self, String> {
        if start.is_after(&end) {
            return Err(format!("start {} is after end {}", start.as_str(), end.as_str()));
        }
        Ok(DatesBetween { path, start, end })
    }
}

#[derive(serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WrittenBounds {
    path: Path,
    #[serde(default)]
    #[schemars(with = "JustNumber")]
    min: Option<JustNumber>,
    #[serde(default)]
    #[schemars(with = "JustNumber")]
    max: Option<JustNumber>,
}

impl TryFrom<WrittenBounds> for Bounds {
    type Error = String;
    fn try_from(WrittenBounds { path, min, max }: WrittenBounds) -> Result<Self, String> {
        if min.is_none() && max.is_none() {
            return Err("expected 'min', 'max' or both".to_owned());
        }
        let (min, max) = in_order(min, max)?;
        Ok(Bounds { path, min, max })
    }
}

#[derive(serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WrittenArrayContains {
    path: Path,
    #[serde(default)]
    #[schemars(with = "Vec<Value>")]
    values: Option<Vec<Value>>,
    #[serde(default)]
    #[schemars(with = "Pattern")]
    pattern: Option<Pattern>,
}

impl TryFrom<WrittenArrayContains> for ArrayContains {
    type Error = String;
    fn try_from(
        WrittenArrayContains { path, values, pattern }: WrittenArrayContains,
    ) -> Result<Self, String> {
        let wanted = match (values, pattern) {
            (Some(values), None) => Wanted::Values(values),
            (None, Some(pattern)) => Wanted::Pattern(pattern),
            (None, None) => return Err("expected 'values' or 'pattern'".to_owned()),
            (Some(_), Some(_)) => return Err("give either 'values' or 'pattern', not both".to_owned()),
        };
        Ok(ArrayContains { path, wanted })
    }
}

#[derive(serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenFieldIs {
    name: Path,
    #[serde(default, deserialize_with = "present")]
    value: Option<Value>,
}

schema_as_written! {
    DatesBetween => WrittenDatesBetween, {};
    Bounds => WrittenBounds, {"anyOf": [{"required": ["min"]}, {"required": ["max"]}]};
    ArrayContains => WrittenArrayContains, {"oneOf": [{"required": ["values"]}, {"required": ["pattern"]}]};
}

impl Brief for FieldIs {
    const WHAT: &'static str = "a path, or an object with 'name' and 'value'";
    type Short = Path;
    type Long = WrittenFieldIs;

    fn from_short(name: Path) -> Result<Self, String> {
        Ok(FieldIs { name, value: None })
    }

    fn from_long(WrittenFieldIs { name, value }: WrittenFieldIs) -> Result<Self, String> {
        Ok(FieldIs { name, value })
    }
}

brief!(FieldIs);

impl<'de> Deserialize<'de> for Branches {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let branches = Vec::deserialize(reader)?;
        if branches.is_empty() {
            Err(D::Error::custom("expected at least one branch"))
        } else {
            Ok(Branches(branches))
        }
    }
}

impl JsonSchema for Branches {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Branches".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "array", "items": generator.subschema_for::<Expect<ResponseAssertion>>(), "minItems": 1})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_are_written_into_the_schema_where_they_stand() {
        let schema = crate::question::schema::<ResponseAssertion>();
        assert!(schema["$defs"]["expect"].is_object());
        assert_eq!(schema["$defs"].get("Branches"), None);
    }
}
