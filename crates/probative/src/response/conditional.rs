//! Assertions that hold other assertions.

use super::ResponseAssertion;
use super::fields::{each_result, has_field_from};
use super::selection::selects;
use crate::json::{JsonDocument, JsonNode, View};
use crate::question::Expect;
use crate::value::Trail;
use crate::verdict::{Error, Failure, Verdict};
use crate::vocabulary::{Context, Exercise, Vocabulary};

/// At least one branch holds whole. Every branch is judged: an error in any of them surfaces.
pub fn one_of(
    response: &JsonDocument<'_>,
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

/// Returns true if some branch that holds had anything to say no to; inside `cannot`, where none holds, whether every branch could have held.
pub(super) fn one_of_exercise(
    response: &JsonDocument<'_>,
    branches: &[Expect<ResponseAssertion>],
    context: &Context<'_>,
) -> Exercise {
    let holding = branches.iter().filter(|branch| branch.judge(response, context) == Ok(Verdict::Pass));
    Exercise::any(holding.map(|branch| branch.exercise(response, context))).unwrap_or_else(|| {
        let fails = |part: &&ResponseAssertion| part.judge(response, context) != Ok(Verdict::Pass);
        let failing = branches.iter().flat_map(|branch| branch.assertions().iter().filter(fails));
        Exercise::every(failing.map(|part| part.exercise(response, context)))
    })
}

/// Where there are results, the assertions hold. No `results`, null or empty ones, pass.
pub fn if_results(
    response: &JsonDocument<'_>,
    then: &Expect<ResponseAssertion>,
    context: &Context<'_>,
) -> Result<Verdict, Error> {
    if has_results(response) { then.judge(response, context) } else { Ok(Verdict::Pass) }
}

/// Whether the guard opened, and what it guards had anything to say no to.
pub(super) fn if_results_exercise(
    response: &JsonDocument<'_>,
    then: &Expect<ResponseAssertion>,
    context: &Context<'_>,
) -> Exercise {
    if has_results(response) { then.exercise(response, context) } else { closed("there are no results") }
}

fn has_results(response: &JsonDocument<'_>) -> bool {
    // What is there but isn't an array counts: the assertions will say so.
    let is_empty = |results: JsonNode<'_>| results.is_null() || (results.is_array() && results.is_empty());
    response.root().get("results").is_some_and(|results| !is_empty(results))
}

/// Where `history_results` exists and is not null, the assertions hold.
pub fn if_has_history(
    response: &JsonDocument<'_>,
    then: &Expect<ResponseAssertion>,
    context: &Context<'_>,
) -> Result<Verdict, Error> {
    if has_history(response) { then.judge(response, context) } else { Ok(Verdict::Pass) }
}

/// Whether the guard opened, and what it guards had anything to say no to.
pub(super) fn if_has_history_exercise(
    response: &JsonDocument<'_>,
    then: &Expect<ResponseAssertion>,
    context: &Context<'_>,
) -> Exercise {
    if has_history(response) { then.exercise(response, context) } else { closed("there is no history") }
}

fn has_history(response: &JsonDocument<'_>) -> bool {
    response.root().get("history_results").is_some_and(|history| !history.is_null())
}

/// Where some result's `file` starts with `people/` or `documents/`, the assertions hold: `has_field` of every such
/// result, all others of the response.
pub fn if_sensitive_results(
    response: &JsonDocument<'_>,
    then: &Expect<ResponseAssertion>,
    context: &Context<'_>,
) -> Result<Verdict, Error> {
    if sensitive_results(response).next().is_none() {
        return Ok(Verdict::Pass);
    }
    then.judge_each(|assertion| match assertion {
        ResponseAssertion::HasField(field) => {
            sensitive_results(response).try_for_each(|result| field.name.check_cost(result))?;
            Ok(each_result(response.root(), |_, result, trail: &Trail<'_>| {
                match has_field_from(result, trail, field) {
                    Verdict::Fail(failure) if is_sensitive(result) => Err(failure),
                    Verdict::Fail(_) | Verdict::Pass => Ok(()),
                }
            }))
        }
        other => other.judge(response, context),
    })
}

/// Whether the guard opened, and what it guards had anything to say no to.
pub(super) fn if_sensitive_results_exercise(
    response: &JsonDocument<'_>,
    then: &Expect<ResponseAssertion>,
    context: &Context<'_>,
) -> Exercise {
    if sensitive_results(response).next().is_none() {
        return closed("no result's 'file' starts with 'people/' or 'documents/'");
    }
    then.exercise_each(|assertion| match assertion {
        ResponseAssertion::HasField(field) => {
            let each = sensitive_results(response).map(|result| selects(result, &field.name));
            Exercise::any(each).unwrap_or(Exercise::Yes)
        }
        other => other.exercise(response, context),
    })
}

fn sensitive_results<'d>(response: &'d JsonDocument<'_>) -> impl Iterator<Item = JsonNode<'d>> {
    let results = response.root().get("results").and_then(JsonNode::as_array);
    results.into_iter().flatten().filter(|result| is_sensitive(*result))
}

fn closed(why: &str) -> Exercise {
    Exercise::No(format!("its condition was never met: {why}"))
}

fn is_sensitive(result: JsonNode<'_>) -> bool {
    let file = result.get("file").and_then(JsonNode::as_str).unwrap_or_default();
    file.starts_with("people/") || file.starts_with("documents/")
}

/// `(1) …; (2) …`
fn numbered<'t>(texts: impl Iterator<Item = &'t String>) -> String {
    texts.enumerate().map(|(at, text)| format!("({}) {text}", at + 1)).collect::<Vec<_>>().join("; ")
}
