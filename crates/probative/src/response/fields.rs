//! Which fields there are, and what they hold.

use std::ops::ControlFlow;

use indexmap::IndexMap;

use super::argument::FieldIs;
use super::content::text_contains;
use super::selection::{Answer, Failures, each, each_from, missing, wrong_type};
use crate::difference::Difference;
use crate::json::{Items, JsonNode, Kind, View};
use crate::value::mismatch::Mismatches;
use crate::value::path::Hit;
use crate::value::{Path, Trail, Value, equal, excerpt, with_article};
use crate::verdict::{Failure, Verdict};
use crate::vocabulary::Exercise;

/// How many missing fields one failure lists.
const MISSING_LISTED: usize = 20;

/// All the fields exist; an existing `null` does.
pub fn has_fields(response: JsonNode<'_>, paths: &[Path]) -> Verdict {
    let (mut absent, mut more) = (Vec::new(), 0_usize);
    for path in paths {
        let _ = path.walk(response, |hit, _| {
            match hit {
                Hit::Missing(gap) if absent.len() < MISSING_LISTED => absent.push(missing(&gap)),
                Hit::Missing(_) => more += 1,
                Hit::Value(_) => {}
            }
            ControlFlow::<()>::Continue(())
        });
    }
    if absent.len() < 2 {
        return absent.pop().map_or(Verdict::Pass, Verdict::from);
    }
    let beyond = if more == 0 { String::new() } else { format!(" and {more} more") };
    let places: Vec<&str> = absent.iter().filter_map(|failure| failure.place.as_deref()).collect();
    let reasons: Vec<&str> = absent.iter().map(|failure| failure.actual.as_str()).collect();
    let mut failure = Verdict::fail(format!("Missing fields: {}{beyond}", places.join(", ")))
        .expected(format!("{} to exist", places.join(", ")))
        .actual(reasons.join("; "))
        .at(places[0]);
    failure.evidence.elsewhere = places[1..].iter().map(|&place| place.to_owned()).collect();
    failure.into()
}

/// The field exists and, where a value is given, equals it.
pub fn has_field(response: JsonNode<'_>, field: &FieldIs) -> Verdict {
    has_field_from(response, &Trail::root(), field)
}

/// The same, asked of a value that stands at `trail` in the response.
pub(super) fn has_field_from(value: JsonNode<'_>, trail: &Trail<'_>, field: &FieldIs) -> Verdict {
    each_from(value, trail, &field.name, |found, trail| match &field.value {
        None => Ok(()),
        Some(value) => is_equal(found, value, trail),
    })
}

/// Each field equals its value.
pub fn field_equals(response: JsonNode<'_>, fields: &IndexMap<Path, Value>) -> Verdict {
    let mut unequal = Vec::new();
    for (path, value) in fields {
        if let Verdict::Fail(failure) = each(response, path, |found, trail| is_equal(found, value, trail)) {
            unequal.push(*failure);
        }
    }
    Failure::all_of(unequal)
}

/// The field is a text that contains the given one.
pub fn field_contains(response: JsonNode<'_>, path: &Path, text: &str) -> Verdict {
    each(response, path, |found, trail| text_contains(found, text, trail))
}

fn is_equal(found: JsonNode<'_>, value: &Value, trail: &Trail<'_>) -> Answer {
    if equal(found, value) {
        return Ok(());
    }
    let (expected, mut actual) = (excerpt(value), excerpt(found));
    let whole = found.to_value();
    let (difference, parts) = (Difference::of(value, &whole), Mismatches::between(value, &whole));
    // Long values are cut: where they are cut to the same, the message says where they differ.
    let message = if expected == actual && !parts.is_empty() {
        format!("{trail} {parts}")
    } else {
        format!("{trail}: expected {expected}, got {actual}")
    };
    if !parts.is_empty() {
        actual = format!("{actual}, which {parts}");
    }
    Err(Verdict::fail(message).expected(expected).actual(actual).at(trail).differing(difference).into())
}

/// The `results` array, or why there is none.
pub(super) fn results(response: JsonNode<'_>) -> Answer<Items<'_>> {
    let Some(found) = response.get("results") else { return Err(no_such_field(response, "results").into()) };
    found.as_array().ok_or_else(|| wrong_type("results", "array", found.kind().name()).into())
}

/// Asks `ask` of every result, with its place.
pub(super) fn each_result(
    response: JsonNode<'_>,
    mut ask: impl FnMut(usize, JsonNode<'_>, &Trail<'_>) -> Answer,
) -> Verdict {
    let results = match results(response) {
        Ok(results) => results,
        Err(failure) => return Verdict::Fail(failure),
    };
    let root = Trail::root();
    let trail = root.name("results");
    let mut failures = Failures::default();
    for (index, result) in results.enumerate() {
        if let Err(failure) = ask(index, result, &trail.index(index)) {
            failures.add(failure);
        }
    }
    failures.into()
}

/// Whether there is any result to ask something of.
pub(super) fn has_results(response: JsonNode<'_>) -> Exercise {
    match super::selection::has(response, "results") {
        Exercise::Yes => Exercise::unless(
            results(response).is_ok_and(|mut results| results.next().is_none()),
            "results is empty",
        ),
        missing => missing,
    }
}

/// The failure that the response itself has no such field.
pub(super) fn no_such_field(response: JsonNode<'_>, field: &str) -> Failure {
    let reason = match response.kind() {
        Kind::Object => format!("the document has no '{field}'"),
        kind => format!("the document is {}", with_article(kind.name())),
    };
    Verdict::fail(format!("Missing field: {field}"))
        .expected(format!("{field} to exist"))
        .actual(reason)
        .at(field)
}
