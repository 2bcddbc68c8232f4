//! What every item is.

use super::selection::{each, listed, text, try_each};
use crate::json::JsonNode;
use crate::value::{Path, Pattern, Trail, Value, equal, excerpt};
use crate::verdict::{Error, Failure, Verdict};

/// Every value at the path equals the given one.
pub fn all_match(response: JsonNode<'_>, path: &Path, value: &Value) -> Verdict {
    each(response, path, |found, trail| {
        if equal(found, value) {
            return Ok(());
        }
        Err(non_matching(found, trail).expected(format!("every {path} to be {}", excerpt(value))).into())
    })
}

/// Every value at the path equals one of the given ones.
pub fn all_match_one_of(response: JsonNode<'_>, path: &Path, values: &[Value]) -> Verdict {
    each(response, path, |found, trail| {
        if values.iter().any(|value| equal(found, value)) {
            return Ok(());
        }
        Err(non_matching(found, trail)
            .expected(format!("every {path} to be one of {}", listed(values)))
            .into())
    })
}

/// Every value at the path is a text in which the pattern is found.
pub fn all_match_pattern(response: JsonNode<'_>, path: &Path, pattern: &Pattern) -> Result<Verdict, Error> {
    try_each(response, path, |found, trail| {
        if pattern.found_in(&text(found, trail)?, trail)? {
            return Ok(());
        }
        let (what, found, pattern) = (label(path), excerpt(found), pattern.as_str());
        let failure = Verdict::fail(format!("{what} {found} at {trail} doesn't match pattern '{pattern}'"))
            .expected(format!("every {path} to match '{pattern}'"))
            .actual(found)
            .at(trail);
        Err(failure.into())
    })
}

/// Every value at the path is a text in which the pattern is not found.
pub fn none_match_pattern(response: JsonNode<'_>, path: &Path, pattern: &Pattern) -> Result<Verdict, Error> {
    try_each(response, path, |found, trail| {
        if !pattern.found_in(&text(found, trail)?, trail)? {
            return Ok(());
        }
        let (what, found, pattern) = (label(path), excerpt(found), pattern.as_str());
        let failure =
            Verdict::fail(format!("{what} {found} at {trail} matches forbidden pattern '{pattern}'"))
                .expected(format!("no {path} to match '{pattern}'"))
                .actual(found)
                .at(trail);
        Err(failure.into())
    })
}

fn non_matching(found: JsonNode<'_>, trail: &Trail<'_>) -> Failure {
    let found = excerpt(found);
    Verdict::fail(format!("Found non-matching item: {found} at {trail}")).actual(found).at(trail)
}

/// What the path is about, as the first word of a sentence: `File` for `results[*].file`.
fn label(path: &Path) -> String {
    let name = path.last_name().unwrap_or("value");
    let mut characters = name.chars();
    characters.next().map_or(String::new(), |first| first.to_uppercase().chain(characters).collect())
}
