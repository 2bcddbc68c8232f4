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
    /// A tool: its name alone, or `{name}`.
    Tool { /** The tool. */ name: String } as WrittenTool, Text, "the name of a tool, or an object with 'name'";
}

/// A tool, and which of its calls is meant: `{name, nth}`, or the name alone for any of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolAndCall {
    /// The tool.
    pub name: String,
    /// Which of its calls, counted from 0; without it, any.
    pub nth: Option<u64>,
}

/// How often a tool is called: `{name, count}`, or `{name, min, max}` with one of the two or both.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "WrittenCallCount")]
pub struct CallCount {
    /// The tool.
    pub name: String,
    /// The least.
    pub min: u64,
    /// The most; without it, there is no limit.
    pub max: Option<u64>,
}

/// A tool and the arguments of a call.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExactCall {
    /// The tool.
    pub name: String,
    /// All the arguments, literally.
    #[serde(deserialize_with = "literals")]
    #[schemars(with = "IndexMap<String, Value>")]
    pub args: Members,
}

/// A tool and some arguments of a call.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartialCall {
    /// The tool.
    pub name: String,
    /// The arguments that must be there, each with its value or a matcher.
    #[serde(deserialize_with = "members")]
    pub args: Members,
}

/// Two tools in the order of their calls.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TwoTools {
    /// The one called first.
    pub first: String,
    /// The one called second.
    pub second: String,
}

/// A tool, which of its calls, and what that returned; or the name alone for any call and any result.
#[derive(Debug, Clone)]
pub struct ToolReturned {
    /// The tool.
    pub name: String,
    /// Which of its calls, counted from 0; without it, any.
    pub nth: Option<u64>,
    /// The result, or a matcher for it; without it, any result but null.
    pub value: Option<Matcher>,
    /// Whether the call must have ended without an error, or with one; without it, either will do.
    pub succeeded: Option<bool>,
}

/// Expected calls, and how they are held against the actual ones.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedCalls {
    /// How.
    pub mode: MatchMode,
    /// The expected calls.
    pub calls: Vec<ExpectedCall>,
}

/// How expected calls are held against the actual ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatchMode {
    /// The same calls in the same order, none missing and none more.
    Exact,
    /// All expected calls in their order; others may stand between.
    InOrder,
    /// The same calls in any order, none missing and none more.
    AnyOrder,
    /// No calls but expected ones; some may be missing.
    Subset,
    /// All expected calls in any order; there may be more.
    Superset,
}

/// A call that is expected.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedCall {
    /// The tool.
    pub name: String,
    /// All its arguments, each a value or a matcher; or `{"$partial": {…}}` for some of them, or `{"$eq": {…}}`
    /// for all of them literally. Without it, any.
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

/// How often calls may be repeated: `{max, same_args}`, or `true` for once with the same arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repetition {
    /// How often at most.
    pub max: u64,
    /// Whether only calls with equal arguments count as the same.
    pub same_args: bool,
}

/// Assertions that hold where a tool was called.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IfCalled {
    /// The tool.
    pub tool: String,
    /// What then holds.
    pub then: Expect<TrajectoryAssertion>,
}

/// What a total must stay under.
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
            (Some(_), ..) => Err("either 'count', or 'min' and 'max'".to_owned()),
            (None, None, None) => Err("'count', 'min' or 'max' is missing".to_owned()),
            (None, Some(Count(min)), Some(Count(max))) if min > max => {
                Err(format!("min {min} is above max {max}"))
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
                    Repetition { max: 0, .. } => {
                        Err(A::Error::custom("'max' is at least 1; 'tools_only: []' forbids all calls"))
                    }
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
