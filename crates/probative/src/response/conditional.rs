//! Assertions that hold other assertions.

use super::ResponseAssertion;
use super::fields::{each_result, has_field_from};
use crate::question::Expect;
use crate::value::{Trail, Value, field};
use crate::verdict::{Error, Failure, Verdict};
use crate::vocabulary::{Context, Vocabulary};

/// At least one branch holds whole. Every branch is judged: an error in any of them surfaces.
pub fn one_of(
    response: &Value,
    branches: &[Expect<ResponseAssertion>],
    context: &Context<'_>,
) -> Result<Verdict, Error> {
    let judged = branches.iter().map(|branch| branch.judge(response, context));
    let judged = Error::or_all(judged)?;
    if judged.iter().any(Verdict::passed) {
        return Ok(Verdict::Pass);
    }
    let failures = judged.into_iter().filter_map(|verdict| match verdict {
        Verdict::Fail(failure) => Some(*failure),
        Verdict::Pass => None,
    });
    let failures: Vec<Failure> = failures.collect();
    Ok(Verdict::fail(format!(
        "No branch passed: {}",
        numbered(failures.iter().map(|failure| &failure.message))
    ))
    .expected(format!("at least one of: {}", numbered(failures.iter().map(|failure| &failure.expected))))
    .actual(numbered(failures.iter().map(|failure| &failure.actual)))
    .into())
}

/// Where there are results, the assertions hold. No `results`, null or empty ones, pass.
pub fn if_results(
    response: &Value,
    then: &Expect<ResponseAssertion>,
    context: &Context<'_>,
) -> Result<Verdict, Error> {
    let is_empty = match field(response, "results") {
        None | Some(Value::Null) => true,
        Some(Value::Array(results)) => results.is_empty(),
        // Something is there, though not an array: the assertions will say so.
        Some(_) => false,
    };
    if is_empty { Ok(Verdict::Pass) } else { then.judge(response, context) }
}

/// Where `history_results` exists and is not null, the assertions hold.
pub fn if_has_history(
    response: &Value,
    then: &Expect<ResponseAssertion>,
    context: &Context<'_>,
) -> Result<Verdict, Error> {
    match field(response, "history_results") {
        None | Some(Value::Null) => Ok(Verdict::Pass),
        Some(_) => then.judge(response, context),
    }
}

/// Where some result's `file` starts with `people/` or `documents/`, the assertions hold: `has_field` of every such
/// result, all others of the response.
pub fn if_sensitive_results(
    response: &Value,
    then: &Expect<ResponseAssertion>,
    context: &Context<'_>,
) -> Result<Verdict, Error> {
    let results = field(response, "results").and_then(Value::as_array);
    if !results.is_some_and(|results| results.iter().any(is_sensitive)) {
        return Ok(Verdict::Pass);
    }
    then.judge_each(|assertion| match assertion {
        ResponseAssertion::HasField(field) => Ok(each_result(response, |_, result, trail: &Trail<'_>| {
            match has_field_from(result, trail, field) {
                Verdict::Fail(failure) if is_sensitive(result) => Err(failure),
                Verdict::Fail(_) | Verdict::Pass => Ok(()),
            }
        })),
        other => other.judge(response, context),
    })
}

fn is_sensitive(result: &Value) -> bool {
    let file = field(result, "file").and_then(Value::as_str).unwrap_or_default();
    file.starts_with("people/") || file.starts_with("documents/")
}

/// `(1) …; (2) …`
fn numbered<'t>(texts: impl Iterator<Item = &'t String>) -> String {
    texts.enumerate().map(|(at, text)| format!("({}) {text}", at + 1)).collect::<Vec<_>>().join("; ")
}
