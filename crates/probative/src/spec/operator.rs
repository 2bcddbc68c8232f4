//! The operators of a leaf, each of which is an expression of spec-lang.

mod example;

use schemars::{Schema, SchemaGenerator, json_schema};
use serde::Deserialize as _;
use serde_json::json;

use super::lang::Expression;
use super::types::{Form, Target};
use crate::document::{Content, Mistake, Node};
use crate::value::{Pattern, Value, excerpt, visible};
use crate::verdict::Error;

/// The types that `json_type` asks for.
const JSON_TYPES: [&str; 2] = ["dict", "list"];

/// What a leaf asks of its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `contain`
    Contain,
    /// `regex`
    Regex,
    /// `json_type`
    JsonType,
    /// `exists`
    Exists,
    /// `evaluate`
    Evaluate,
}

impl Operator {
    /// All of them.
    pub const ALL: [Operator; 5] =
        [Operator::Contain, Operator::Regex, Operator::JsonType, Operator::Exists, Operator::Evaluate];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Operator::Contain => "contain",
            Operator::Regex => "regex",
            Operator::JsonType => "json_type",
            Operator::Exists => "exists",
            Operator::Evaluate => "evaluate",
        }
    }

    /// When it holds, in words.
    pub fn about(self) -> &'static str {
        match self {
            Operator::Contain => "The target contains each of the strings.",
            Operator::Regex => "Each Python regex matches somewhere in the target.",
            Operator::JsonType => "The target is JSON of this type: `dict` or `list`.",
            Operator::Exists => "The file or directory that the target names exists. Only for `stdout_path`.",
            Operator::Evaluate => "The target satisfies each expression.",
        }
    }

    /// A case that asks it, and passes.
    pub fn example(self) -> &'static str {
        match self {
            Operator::Contain => example::CONTAIN,
            Operator::Regex => example::REGEX,
            Operator::JsonType => example::JSON_TYPE,
            Operator::Exists => example::EXISTS,
            Operator::Evaluate => example::EVALUATE,
        }
    }

    /// The JSON Schema of one of its values.
    pub(super) fn schema(self, generator: &mut SchemaGenerator) -> Schema {
        match self {
            Operator::Contain => json_schema!({"type": "string"}),
            Operator::Regex => generator.subschema_for::<Pattern>(),
            Operator::JsonType => json_schema!({"enum": JSON_TYPES}),
            Operator::Exists => json_schema!({"enum": [true, null]}),
            Operator::Evaluate => {
                let expression = generator.subschema_for::<Expression>();
                json_schema!({"type": "array", "allOf": [expression]})
            }
        }
    }

    pub(super) fn named(name: &str) -> Option<Operator> {
        Operator::ALL.into_iter().find(|operator| operator.name() == name)
    }

    /// Returns true if the part of a stream that was kept doesn't decide the verdict: what holds for the start needn't hold for
    /// the whole. Only a string that was found stays found.
    pub(super) fn is_open(self, holds: bool) -> bool {
        match self {
            Operator::Contain => !holds,
            Operator::Regex | Operator::JsonType | Operator::Evaluate => true,
            Operator::Exists => false,
        }
    }

    /// Whether a target can be asked this.
    pub(super) fn suits(self, target: &Target) -> bool {
        match target.form {
            Form::Path => self == Operator::Exists,
            Form::Words(_) => self == Operator::Evaluate,
            Form::Text | Form::Json => self != Operator::Exists,
        }
    }

    /// The expression that a value of this operator stands for.
    pub(super) fn compile(self, target: &Target, value: &Node) -> Result<Expression, Mistake> {
        let text = || {
            value.as_str().ok_or_else(|| {
                let message = format!("'{}' takes strings, not {}", self.name(), value.kind_name());
                Mistake::at(message, value.span.clone())
            })
        };
        let subject = || json!(["subject"]);
        let compiled = |expression: Result<Expression, Error>| {
            expression.map_err(|error| Mistake::at(error.to_string(), value.span.clone()))
        };
        let written = match self {
            Operator::Contain => return Ok(Expression::contains(text()?)),
            Operator::Regex => return compiled(Expression::matches(text()?)),
            Operator::JsonType => {
                let name = text()?;
                if !JSON_TYPES.contains(&name) {
                    let message =
                        format!("unsupported json_type: '{}'; expected 'dict' or 'list'", visible(name));
                    return Err(Mistake::at(message, value.span.clone()));
                }
                let subject = match target.form {
                    Form::Json | Form::Words(_) => subject(),
                    Form::Text | Form::Path => json!(["json_parse", subject()]),
                };
                json!(["json_type", subject, name])
            }
            Operator::Exists => match value.to_value() {
                Value::Bool(true) | Value::Null => json!(["path_exists", subject()]),
                other => {
                    let message =
                        format!("{}.exists only accepts true, not {}", target.name, excerpt(&other));
                    return Err(Mistake::at(message, value.span.clone()));
                }
            },
            Operator::Evaluate => {
                return match &value.content {
                    Content::List(_) | Content::Deep(_) => Expression::deserialize(value),
                    _ => Err(Mistake::at(
                        format!(
                            "'evaluate' takes expressions, each written as a list-based s-expr, not {}",
                            value.kind_name()
                        ),
                        value.span.clone(),
                    )),
                };
            }
        };
        compiled(Expression::compile(&written))
    }
}
