//! What the assertions take: the shapes of their arguments, checked as they are read.

use std::borrow::Cow;
use std::fmt;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::{BoolDeserializer, MapAccessDeserializer};
use serde::de::{Deserializer, Error, MapAccess, Visitor};

use super::TrajectoryAssertion;
use super::matcher::{Arguments, Matcher, Members, members};
use crate::argument::{Brief, Count, JustNumber, Yes, brief, one_key, present, schema_as_written};
use crate::question::Expect;
use crate::value::{Number, Value};

one_key! {
    /// The name of a tool, alone or as `{name}`.
    Tool { /** Name of the tool. */ name: String } as WrittenTool, Text, "the name of a tool, or an object with 'name'";
}

/// One call of a tool as `{name, nth}`, or the name alone for any call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolAndCall {
    /// Name of the tool.
    pub name: String,
    /// Number of the call, counting from 0. By default, any call counts.
    pub nth: Option<u64>,
}

/// The number of calls of a tool: `{name, count}`, or `{name, min, max}` with one or both bounds.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "WrittenCallCount")]
pub struct CallCount {
    /// Name of the tool.
    pub name: String,
    /// Minimum.
    pub min: u64,
    /// Maximum. Unlimited by default.
    pub max: Option<u64>,
}

/// A tool and all arguments of a call.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExactCall {
    /// Name of the tool.
    pub name: String,
    /// All arguments, as literal values.
    #[serde(deserialize_with = "literals")]
    #[schemars(with = "IndexMap<String, Value>")]
    pub args: Members,
}

/// A tool and some arguments of a call.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartialCall {
    /// Name of the tool.
    pub name: String,
    /// Required arguments, each with a value or a matcher.
    #[serde(deserialize_with = "members")]
    pub args: Members,
}

/// Two tools, in call order.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TwoTools {
    /// Tool that is called first.
    pub first: String,
    /// Tool that is called second.
    pub second: String,
}

/// The result of a tool call as `{name, nth, value, succeeded}`, or the name alone for any call and any result but null.
#[derive(Debug, Clone)]
pub struct ToolReturned {
    /// Name of the tool.
    pub name: String,
    /// Number of the call, counting from 0. By default, any call counts.
    pub nth: Option<u64>,
    /// The result, or a matcher for it. By default, any result except null.
    pub value: Option<Matcher>,
    /// Requires a call that ended without an error (true) or with one (false). By default, either.
    pub succeeded: Option<bool>,
}

/// Expected calls, and how to compare them with the actual ones.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedCalls {
    /// How to compare the calls.
    pub mode: MatchMode,
    /// Expected calls.
    pub calls: Vec<ExpectedCall>,
}

/// How to compare expected calls with the actual ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatchMode {
    /// The same calls in the same order.
    Exact,
    /// All expected calls in this order, with or without others in between.
    InOrder,
    /// The same calls in any order.
    AnyOrder,
    /// Only expected calls, not necessarily all of them.
    Subset,
    /// All expected calls in any order, with or without others.
    Superset,
}

/// An expected call.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedCall {
    /// Name of the tool.
    pub name: String,
    /// All arguments, each a value or a matcher; or `{"$partial": {…}}` for some of them, or `{"$eq": {…}}`
    /// for all of them literally. Any arguments by default.
    #[serde(default)]
    pub args: Option<ExpectedArgs>,
}

/// The arguments of an expected call.
#[derive(Debug, Clone)]
pub enum ExpectedArgs {
    /// These and no others.
    All(Members),
    /// These, and any others.
    Some(Members),
}

/// Allowed repetitions of calls: `{max, same_args}`, or `true` for the defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repetition {
    /// Maximum number of calls. 1 by default.
    pub max: u64,
    /// Counts only calls with the same arguments. True by default.
    pub same_args: bool,
}

/// Assertions that apply if a tool was called.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IfCalled {
    /// Name of the tool.
    pub tool: String,
    /// Assertions that must pass if the tool was called.
    pub then: Expect<TrajectoryAssertion>,
}

/// A limit that a total must stay below.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "JustNumber")]
pub struct Limit(pub Number);

impl From<JustNumber> for Limit {
    fn from(number: JustNumber) -> Self {
        Limit(number.0)
    }
}

/// Members whose values stand for themselves.
fn literals<'de, D: Deserializer<'de>>(reader: D) -> Result<Members, D::Error> {
    let values = IndexMap::<String, Value>::deserialize(reader)?;
    Ok(values.into_iter().map(|(key, value)| (key, Matcher::Equals(value))).collect())
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenToolAndCall {
    name: String,
    #[serde(default)]
    nth: Option<Count>,
}

impl Brief for ToolAndCall {
    const WHAT: &'static str = "the name of a tool, or an object with 'name' and 'nth'";
    type Short = String;
    type Long = WrittenToolAndCall;

    fn from_short(name: String) -> Result<Self, String> {
        Ok(ToolAndCall { name, nth: None })
    }

    fn from_long(WrittenToolAndCall { name, nth }: WrittenToolAndCall) -> Result<Self, String> {
        Ok(ToolAndCall { name, nth: nth.map(|nth| nth.0) })
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenToolReturned {
    name: String,
    #[serde(default)]
    nth: Option<Count>,
    #[serde(default, deserialize_with = "present")]
    value: Option<Matcher>,
    succeeded: Option<bool>,
}

impl Brief for ToolReturned {
    const WHAT: &'static str = "the name of a tool, or an object with 'name', 'nth', 'value' and 'succeeded'";
    type Short = String;
    type Long = WrittenToolReturned;

    fn from_short(name: String) -> Result<Self, String> {
        Ok(ToolReturned { name, nth: None, value: None, succeeded: None })
    }

    fn from_long(written: WrittenToolReturned) -> Result<Self, String> {
        let WrittenToolReturned { name, nth, value, succeeded } = written;
        Ok(ToolReturned { name, nth: nth.map(|nth| nth.0), value, succeeded })
    }
}

brief!(ToolAndCall, ToolReturned);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WrittenCallCount {
    name: String,
    #[serde(default)]
    #[schemars(with = "Count")]
    count: Option<Count>,
    #[serde(default)]
    #[schemars(with = "Count")]
    min: Option<Count>,
    #[serde(default)]
    #[schemars(with = "Count")]
    max: Option<Count>,
}

impl TryFrom<WrittenCallCount> for CallCount {
    type Error = String;
    fn try_from(WrittenCallCount { name, count, min, max }: WrittenCallCount) -> Result<Self, String> {
        match (count, min, max) {
            (Some(Count(count)), None, None) => Ok(CallCount { name, min: count, max: Some(count) }),
            (Some(_), ..) => Err("'count' can't be combined with 'min' or 'max'".to_owned()),
            (None, None, None) => Err("expected 'count', 'min' or 'max'".to_owned()),
            (None, Some(Count(min)), Some(Count(max))) if min > max => {
                Err(format!("min {min} is greater than max {max}"))
            }
            (None, min, max) => {
                Ok(CallCount { name, min: min.map_or(0, |min| min.0), max: max.map(|max| max.0) })
            }
        }
    }
}

impl<'de> Deserialize<'de> for ExpectedArgs {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        Ok(match Arguments::deserialize(reader)? {
            Arguments::All(members) => ExpectedArgs::All(members),
            Arguments::Some(members) => ExpectedArgs::Some(members),
        })
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenRepetition {
    #[serde(default)]
    #[schemars(with = "Count")]
    max: Option<Count>,
    #[serde(default)]
    #[schemars(with = "bool")]
    same_args: Option<bool>,
}

schema_as_written! {
    CallCount => WrittenCallCount, {"oneOf": [{"required": ["count"]}, {"anyOf": [{"required": ["min"]}, {"required": ["max"]}]}]};
    ExpectedArgs => Members, {};
    Limit => JustNumber, {};
}

impl From<WrittenRepetition> for Repetition {
    fn from(WrittenRepetition { max, same_args }: WrittenRepetition) -> Self {
        Repetition { max: max.map_or(1, |max| max.0), same_args: same_args.unwrap_or(true) }
    }
}

impl<'de> Deserialize<'de> for Repetition {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Limits;
        impl<'de> Visitor<'de> for Limits {
            type Value = Repetition;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("true, or an object with 'max' and 'same_args'")
            }

            fn visit_bool<E: Error>(self, yes: bool) -> Result<Repetition, E> {
                Yes::deserialize(BoolDeserializer::new(yes)).map(|Yes| Repetition { max: 1, same_args: true })
            }

            fn visit_unit<E: Error>(self) -> Result<Repetition, E> {
                self.visit_bool(true)
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Repetition, A::Error> {
                let written = WrittenRepetition::deserialize(MapAccessDeserializer::new(members))?;
                match Repetition::from(written) {
                    Repetition { max: 0, .. } => Err(A::Error::custom(
                        "'max' must be at least 1; use 'tools_only: []' to forbid all calls",
                    )),
                    repetition => Ok(repetition),
                }
            }
        }
        reader.deserialize_any(Limits)
    }
}

impl JsonSchema for Repetition {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Repetition".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let written = WrittenRepetition::json_schema(generator);
        json_schema!({"anyOf": [{"enum": [true, null]}, written]})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_of_a_repetition_stands_where_it_is_used() {
        let schema = SchemaGenerator::default().subschema_for::<Repetition>();
        assert!(schema.get("anyOf").is_some() && schema.get("$ref").is_none());
    }
}
