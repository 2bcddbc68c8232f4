//! How many results there are.

use super::fields::results;
use crate::json::JsonNode;
use crate::verdict::Verdict;

/// `response.results` has at least `least` items.
pub fn results_min(response: JsonNode<'_>, least: u64) -> Verdict {
    counted(response, "at least", least, |count| count >= least)
}

/// `response.results` has at most `most` items.
pub fn results_max(response: JsonNode<'_>, most: u64) -> Verdict {
    counted(response, "at most", most, |count| count <= most)
}

/// `response.results` has exactly `exactly` items.
pub fn results_count(response: JsonNode<'_>, exactly: u64) -> Verdict {
    counted(response, "exactly", exactly, |count| count == exactly)
}

fn counted(response: JsonNode<'_>, bound: &str, limit: u64, fits: impl Fn(u64) -> bool) -> Verdict {
    let count = match results(response) {
        Ok(results) => results.count() as u64,
        Err(failure) => return Verdict::Fail(failure),
    };
    if fits(count) {
        return Verdict::Pass;
    }
    let results = if limit == 1 { "result" } else { "results" };
    Verdict::fail(format!("Expected {bound} {limit} {results}, got {count}"))
        .expected(format!("{bound} {limit}"))
        .actual(count.to_string())
        .at("results")
        .into()
}
