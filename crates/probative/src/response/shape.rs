//! The shape of every result.

use std::ops::ControlFlow;

use indexmap::IndexMap;
use schemars::JsonSchema;

use super::fields::{has_results, results};
use super::ranges::in_range;
use super::selection::{Failures, Trouble, listed, not_a, text, try_each_from};
use crate::argument::{Brief, JsonType, JustNumber, brief, in_order};
use crate::json::JsonNode;
use crate::value::path::Hit;
use crate::value::{Number, Path, Pattern, Trail, Value, equal, excerpt};
use crate::verdict::{Error, Verdict};
use crate::vocabulary::Exercise;

/// The type of a field, or an object that constrains it.
#[derive(Debug, Clone, Default)]
pub struct FieldShape {
    /// JSON type.
    pub r#type: Option<JsonType>,
    /// Minimum of a number.
    pub min: Option<Number>,
    /// Maximum of a number.
    pub max: Option<Number>,
    /// Allowed values.
    pub r#enum: Option<Vec<Value>>,
    /// Pattern that a string must match.
    pub pattern: Option<Pattern>,
    /// Allows the field to be missing.
    pub optional: bool,
}

impl FieldShape {
    /// Returns true if every result fits: the field may be anything, or be absent.
    pub(super) fn is_anything(&self) -> bool {
        let FieldShape { r#type, min, max, r#enum, pattern, optional } = self;
        let is_free = r#type.is_none() && min.is_none() && max.is_none() && r#enum.is_none();
        *optional && is_free && pattern.is_none()
    }
}

/// Every result has the fields, each of its shape.
pub fn results_schema(response: JsonNode<'_>, fields: &IndexMap<Path, FieldShape>) -> Result<Verdict, Error> {
    let results = match results(response) {
        Ok(results) => results,
        Err(failure) => return Ok(Verdict::Fail(failure)),
    };
    let (root, mut failures) = (Trail::root(), Failures::default());
    let trail = root.name("results");
    for (index, result) in results.enumerate() {
        let trail = trail.index(index);
        for (path, shape) in fields {
            path.check_cost(result)?;
            if shape.optional && is_absent(path, result) {
                continue;
            }
            let judged = try_each_from(result, &trail, path, |found, trail| has_shape(found, shape, trail))?;
            if let Verdict::Fail(failure) = judged {
                failures.add(failure);
            }
        }
    }
    Ok(failures.into())
}

/// Whether any result has any of the fields: one that is optional, or stands below something empty, may be in none.
pub(super) fn has_shaped_fields(response: JsonNode<'_>, fields: &IndexMap<Path, FieldShape>) -> Exercise {
    match results(response) {
        Ok(mut found) if found.clone().next().is_some() => {
            let has_none = |result: JsonNode<'_>| fields.keys().all(|path| is_absent(path, result));
            Exercise::unless(found.all(has_none), "no result has any of the fields")
        }
        _ => has_results(response),
    }
}

fn is_absent(path: &Path, result: JsonNode<'_>) -> bool {
    let walked = path.walk(result, |hit, _| match hit {
        Hit::Value(_) => ControlFlow::Break(()),
        Hit::Missing(_) => ControlFlow::Continue(()),
    });
    walked.is_continue()
}

fn has_shape(found: JsonNode<'_>, shape: &FieldShape, trail: &Trail<'_>) -> Result<(), Trouble<Error>> {
    if let Some(wanted) = shape.r#type.filter(|wanted| !wanted.includes(found)) {
        return Err(not_a(&wanted.name(), found, trail).into());
    }
    if shape.min.is_some() || shape.max.is_some() {
        in_range(found, shape.min.as_ref(), shape.max.as_ref(), trail)?;
    }
    if let Some(allowed) =
        shape.r#enum.as_ref().filter(|allowed| !allowed.iter().any(|allowed| equal(found, allowed)))
    {
        let (found, allowed) = (excerpt(found), listed(allowed));
        let failure = Verdict::fail(format!("{trail}: expected one of {allowed}, got {found}"));
        return Err(failure.expected(format!("one of {allowed}")).actual(found).at(trail).into());
    }
    match &shape.pattern {
        Some(pattern) if !pattern.found_in(&text(found, trail)?, trail)? => {
            let (found, pattern) = (excerpt(found), pattern.as_str());
            let failure = Verdict::fail(format!("{trail}: expected a match for '{pattern}', got {found}"));
            Err(failure.expected(format!("a string that matches '{pattern}'")).actual(found).at(trail).into())
        }
        _ => Ok(()),
    }
}

#[derive(serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenFieldShape {
    #[serde(default)]
    r#type: Option<JsonType>,
    #[serde(default)]
    #[schemars(with = "JustNumber")]
    min: Option<JustNumber>,
    #[serde(default)]
    #[schemars(with = "JustNumber")]
    max: Option<JustNumber>,
    #[serde(default)]
    r#enum: Option<Vec<Value>>,
    #[serde(default)]
    pattern: Option<Pattern>,
    #[serde(default)]
    optional: bool,
}

impl Brief for FieldShape {
    const WHAT: &'static str =
        "the name of a type, or an object such as {type, min, max, enum, pattern, optional}";
    type Short = JsonType;
    type Long = WrittenFieldShape;

    fn from_short(r#type: JsonType) -> Result<Self, String> {
        Ok(FieldShape { r#type: Some(r#type), ..FieldShape::default() })
    }

    fn from_long(written: WrittenFieldShape) -> Result<Self, String> {
        let WrittenFieldShape { r#type, min, max, r#enum, pattern, optional } = written;
        let (min, max) = in_order(min, max)?;
        Ok(FieldShape { r#type, min, max, r#enum, pattern, optional })
    }
}

brief!(FieldShape);
