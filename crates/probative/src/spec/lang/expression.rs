//! A compiled expression.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::{Error as Reason, StrDeserializer};
use serde::de::{Deserialize, Deserializer, IntoDeserializer};

use crate::value::{Pattern, Value};
use crate::verdict::Error;
use crate::vocabulary::Constant;

use super::budget::{Budget, exceeded};
use super::builtins::{Tools, matches};
use super::code::Program;
use super::compile::compile;
use super::datum::Datum;
use super::fault::malformed;
use super::machine::Machine;
use super::read::{Reading, read, read_value};
use super::schema;
use super::symbol::Two;
use super::world::{Nowhere, World};

/// An expression of spec-lang, compiled once. A copy shares what was compiled.
#[derive(Clone)]
pub struct Expression(Arc<Compiled>);

enum Compiled {
    Program {
        program: Program,
        nodes: u64,
        literal_bytes: u64,
        written: String,
        /// True if it mentions the subject, or asks which files there are.
        looks_outside: bool,
        /// What its outermost forms give for every subject.
        constant: Option<bool>,
    },
    /// `["contains", ["subject"], part]`, which needs no machine.
    Contains(Value),
    /// `["regex_match", ["subject"], pattern]`, which needs none either.
    Matches(Pattern),
}

impl Expression {
    /// Compiles an expression, or says what is wrong with it.
    ///
    /// ```
    /// use probative::spec::lang::Expression;
    /// use serde_json::json;
    ///
    /// let error = Expression::compile(&json!(["contain", "x"])).unwrap_err();
    /// assert_eq!(error.to_string(), "unsupported spec_lang symbol: contain; did you mean 'contains'?");
    /// ```
    pub fn compile(written: &Value) -> Result<Expression, Error> {
        read_value(written).map(Expression::of).map_err(malformed)
    }

    fn of(reading: Reading) -> Expression {
        let Reading { tree, nodes, literal_bytes, written, looks_outside } = reading;
        let (program, constant) = (compile(&tree), tree.constant());
        let compiled = Compiled::Program { program, nodes, literal_bytes, written, looks_outside, constant };
        Expression(Arc::new(compiled))
    }

    /// `["contains", ["subject"], part]`, for an operator: it costs no steps.
    pub(in crate::spec) fn contains(part: &str) -> Expression {
        Expression(Arc::new(Compiled::Contains(part.into())))
    }

    /// `["regex_match", ["subject"], pattern]`, for an operator: it costs no steps.
    pub(in crate::spec) fn matches(pattern: &str) -> Result<Expression, Error> {
        let reader: StrDeserializer<'_, Reason> = pattern.into_deserializer();
        let pattern = Pattern::deserialize(reader).map_err(|reason| malformed(reason.to_string()))?;
        Ok(Expression(Arc::new(Compiled::Matches(pattern))))
    }

    /// What the expression gives for a subject. A function is no answer: it is an error.
    pub fn evaluate(&self, subject: &Value, budget: &Budget, world: &dyn World) -> Result<Value, Error> {
        let result = self.run(subject, budget, world)?;
        result.value().map(Cow::into_owned).ok_or_else(no_answer)
    }

    /// Whether what it gives is true: anything but null, false, 0 and what is empty.
    pub fn holds(&self, subject: &Value, budget: &Budget, world: &dyn World) -> Result<bool, Error> {
        match self.run(subject, budget, world)? {
            Datum::Function(..) => Err(no_answer()),
            result => Ok(result.is_true()),
        }
    }

    /// The answer that it gives whatever the subject is.
    pub fn constant(&self) -> Option<Constant> {
        match &*self.0 {
            Compiled::Contains(part) => Constant::of_text(part.as_str()?),
            Compiled::Matches(pattern) => Constant::of_pattern(pattern),
            Compiled::Program { looks_outside: false, .. } => {
                let holds = self.holds(&Value::Null, &Budget::default(), &Nowhere).ok()?;
                Some(Constant { holds, why: "the expression never uses the subject".to_owned() })
            }
            Compiled::Program { constant, .. } => {
                let holds = (*constant)?;
                let why = format!("the expression is {holds} for every subject");
                Some(Constant { holds, why })
            }
        }
    }

    fn run<'e>(
        &'e self,
        subject: &'e Value,
        budget: &Budget,
        world: &'e dyn World,
    ) -> Result<Datum<'e>, Error> {
        let (program, nodes, literal_bytes) = match &*self.0 {
            Compiled::Program { program, nodes, literal_bytes, .. } => (program, nodes, literal_bytes),
            Compiled::Contains(part) => {
                let mut tools = Tools { world, pattern: None };
                return tools.two(Two::Contains, &Datum::borrowed(subject), &Datum::borrowed(part));
            }
            Compiled::Matches(pattern) => {
                return matches(&Datum::borrowed(subject), pattern).map(Datum::Bool);
            }
        };
        if *nodes > budget.max_nodes {
            return Err(exceeded("nodes"));
        }
        if *literal_bytes > budget.max_literal_bytes {
            return Err(exceeded("literal_size"));
        }
        Machine::new(program, subject, budget, world).run().map_err(|fault| *fault)
    }
}

fn no_answer() -> Error {
    malformed("the expression returns a function; call it")
}

/// As it is written, as compact JSON.
impl fmt::Display for Expression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut about_subject =
            |symbol: &str, text: &Value| write!(formatter, "[\"{symbol}\",[\"subject\"],{text}]");
        match &*self.0 {
            Compiled::Program { written, .. } => formatter.write_str(written),
            Compiled::Contains(part) => about_subject("contains", part),
            Compiled::Matches(pattern) => about_subject("regex_match", &pattern.as_str().into()),
        }
    }
}

impl fmt::Debug for Expression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Expression({self})")
    }
}

impl<'de> Deserialize<'de> for Expression {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        read(reader).map(Expression::of)
    }
}

impl JsonSchema for Expression {
    fn schema_name() -> Cow<'static, str> {
        "Expression".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        schema::expression(generator)
    }
}
