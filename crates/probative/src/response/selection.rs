//! Asking something of every value that a path selects.

use std::borrow::Cow;
use std::convert::Infallible;
use std::ops::ControlFlow;

use crate::json::{JsonNode, Kind, View};
use crate::value::path::{Gap, Hit};
use crate::value::{Path, Trail, Value, excerpt, with_article};
use crate::verdict::{Error, Failure, Verdict};
use crate::vocabulary::Exercise;

/// How many further places a failure names.
const PLACES_NAMED: usize = 5;

/// The answer to a question about one value.
pub(super) type Answer<T = ()> = Result<T, Box<Failure>>;

/// Why a value does not pass, where asking may itself go wrong.
pub(super) enum Trouble<E> {
    Failed(Box<Failure>),
    Error(E),
}

impl<E> From<Box<Failure>> for Trouble<E> {
    fn from(failure: Box<Failure>) -> Self {
        Trouble::Failed(failure)
    }
}

impl<E> From<Failure> for Trouble<E> {
    fn from(failure: Failure) -> Self {
        Trouble::Failed(Box::new(failure))
    }
}

impl From<Error> for Trouble<Error> {
    fn from(error: Error) -> Self {
        Trouble::Error(error)
    }
}

/// Asks `ask` of every value that `path` selects. What is missing fails.
pub(super) fn each<'v>(
    response: JsonNode<'v>,
    path: &Path,
    ask: impl FnMut(JsonNode<'v>, &Trail<'_>) -> Answer,
) -> Verdict {
    each_from(response, &Trail::root(), path, ask)
}

/// The same, from a value that stands at `trail` in the response.
pub(super) fn each_from<'v>(
    value: JsonNode<'v>,
    trail: &Trail<'_>,
    path: &Path,
    mut ask: impl FnMut(JsonNode<'v>, &Trail<'_>) -> Answer,
) -> Verdict {
    match try_each_from(value, trail, path, |value, trail| Ok::<_, Trouble<Infallible>>(ask(value, trail)?)) {
        Ok(verdict) => verdict,
    }
}

/// Asks `ask`, which may end in an error, of every value that `path` selects.
pub(super) fn try_each<'v, E>(
    response: JsonNode<'v>,
    path: &Path,
    ask: impl FnMut(JsonNode<'v>, &Trail<'_>) -> Result<(), Trouble<E>>,
) -> Result<Verdict, E> {
    try_each_from(response, &Trail::root(), path, ask)
}

/// The same, from a value that stands at `trail` in the response.
pub(super) fn try_each_from<'v, E>(
    value: JsonNode<'v>,
    trail: &Trail<'_>,
    path: &Path,
    mut ask: impl FnMut(JsonNode<'v>, &Trail<'_>) -> Result<(), Trouble<E>>,
) -> Result<Verdict, E> {
    let mut failures = Failures::default();
    let walked = path.walk_from(value, trail, |hit, trail| {
        let answer = match hit {
            Hit::Value(value) => ask(value, trail),
            Hit::Missing(gap) => Err(missing(&gap).into()),
        };
        match answer {
            Ok(()) => {}
            Err(Trouble::Failed(failure)) => failures.add(failure),
            Err(Trouble::Error(error)) => return ControlFlow::Break(error),
        }
        ControlFlow::Continue(())
    });
    match walked {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(failures.into()),
    }
}

/// Returns true if a path selects anything. A wildcard over something empty does not.
pub(super) fn selects(response: JsonNode<'_>, path: &Path) -> Exercise {
    any_selects(response, [path])
}

/// Returns true if any of some paths does, and all exist.
///
/// What is missing fails, so this is asked of a missing path only where the assertion must not hold.
pub(super) fn any_selects<'p>(response: JsonNode<'_>, paths: impl IntoIterator<Item = &'p Path>) -> Exercise {
    met(response, paths, false)
}

/// The same for assertions that a path exists: its last part may be missing, if what should hold it is there.
pub(super) fn could_exist<'p>(response: JsonNode<'_>, paths: impl IntoIterator<Item = &'p Path>) -> Exercise {
    met(response, paths, true)
}

fn met<'p>(
    response: JsonNode<'_>,
    paths: impl IntoIterator<Item = &'p Path>,
    may_miss_last: bool,
) -> Exercise {
    let mut exercises = Vec::new();
    for path in paths {
        let mut missing = None;
        let walked = path.walk(response, |hit, _| match hit {
            Hit::Missing(gap) if !(may_miss_last && gap.is_last()) => {
                missing.get_or_insert_with(|| gap.place());
                ControlFlow::Continue(())
            }
            Hit::Missing(_) | Hit::Value(_) => ControlFlow::Break(()),
        });
        exercises.push(match (walked, missing) {
            (ControlFlow::Break(()), _) => Exercise::Yes,
            (ControlFlow::Continue(()), Some(place)) => return Exercise::No(format!("there is no {place}")),
            (ControlFlow::Continue(()), None) => {
                path.why_nothing(response).map_or(Exercise::Yes, Exercise::No)
            }
        });
    }
    Exercise::any(exercises).unwrap_or_else(Exercise::nothing_asked)
}

/// Returns true if a field of the response is there, for an assertion that must not hold.
pub(super) fn has(response: JsonNode<'_>, name: &str) -> Exercise {
    let is_missing = response.get(name).is_none();
    if is_missing { Exercise::No(format!("there is no {name}")) } else { Exercise::Yes }
}

/// Whether a path meets two values, which can be out of order.
pub(super) fn selects_two(response: JsonNode<'_>, path: &Path) -> Exercise {
    let mut met = 0;
    let _ = path.walk(response, |_, _| {
        met += 1;
        if met == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if met == 1 { Exercise::No(format!("{path} selects only one value")) } else { selects(response, path) }
}

/// The first failure of many, and where the others are.
#[derive(Default)]
pub(super) struct Failures {
    first: Option<Box<Failure>>,
    others: Vec<String>,
    more: usize,
}

impl Failures {
    /// Takes one more.
    pub(super) fn add(&mut self, failure: Box<Failure>) {
        if self.first.is_none() {
            self.first = Some(failure);
        } else if self.others.len() < PLACES_NAMED {
            self.others.extend(failure.place);
        } else {
            self.more += 1;
        }
    }
}

impl From<Failures> for Verdict {
    fn from(Failures { first, others, more }: Failures) -> Self {
        let Some(mut failure) = first else { return Verdict::Pass };
        if !others.is_empty() {
            let beyond = if more == 0 { String::new() } else { format!(" and {more} more") };
            failure.actual = format!("{}; also at {}{beyond}", failure.actual, others.join(", "));
            failure.evidence.elsewhere = others;
        }
        Verdict::Fail(failure)
    }
}

/// The failure that something does not exist, or cannot because of what stands in its place.
pub(super) fn missing(gap: &Gap<'_, JsonNode<'_>>) -> Failure {
    if let Some((place, found)) = gap.not_an_array() {
        return wrong_type(&place, "array", found);
    }
    let place = gap.place();
    Verdict::fail(format!("Missing field: {place}"))
        .expected(format!("{place} to exist"))
        .actual(gap.reason())
        .at(place)
}

/// The failure that a value has another type than the assertion is about.
pub(super) fn wrong_type(place: &str, expected: &str, found: &str) -> Failure {
    Verdict::fail(format!("{place}: expected {}, found {}", with_article(expected), with_article(found)))
        .expected(with_article(expected))
        .actual(with_article(found))
        .at(place)
}

/// A value as text, or why it is none.
pub(super) fn text<'v>(value: JsonNode<'v>, trail: &Trail<'_>) -> Answer<Cow<'v, str>> {
    value.as_str().ok_or_else(|| not_a("string", value, trail).into())
}

/// The failure that a value is not of a type, with what it is instead.
pub(super) fn not_a(expected: &str, value: JsonNode<'_>, trail: &Trail<'_>) -> Failure {
    wrong_type(&trail.to_string(), expected, value.kind().name()).actual(match value.kind() {
        Kind::Null => "null".to_owned(),
        kind => format!("the {} {}", kind.name(), excerpt(value)),
    })
}

/// Several values in a message: `'a', 'b'`.
pub(super) fn listed<'v>(values: impl IntoIterator<Item = &'v Value>) -> String {
    values.into_iter().map(excerpt).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::json::JsonDocument;

    #[test]
    fn the_first_failure_is_told_and_the_others_are_counted() {
        let response = JsonDocument::from(&json!((0..10).collect::<Vec<_>>()));
        let path = Path::parse("[*]").unwrap();
        let fails =
            |_: JsonNode<'_>, trail: &Trail<'_>| Err(Verdict::fail("no").actual("it").at(trail).into());
        let Verdict::Fail(failure) = each(response.root(), &path, fails) else { panic!("it fails") };
        assert_eq!(failure.place.as_deref(), Some("[0]"));
        assert_eq!(failure.actual, "it; also at [1], [2], [3], [4], [5] and 4 more");
    }
}
