//! The items that show why an assertion holds, or what was asked for where it does not.

use cupel::{ContextKind, ExcludedItem, IncludedItem, SelectionReport};
use indexmap::IndexMap;

use super::ContextAssertion as Saw;
use super::argument::{Matching, MatchingWithReason};
use super::candidates::{Candidate, closest, shown as shown_predicate};
use super::predicate::holds;
use super::reason::Reason;
use super::telling::{ITEMS_POINTED_AT, pointing_to_all, shown};
use crate::document::nearest;
use crate::spec::lang::Expression;
use crate::verdict::{Failure, Part, Pointed, Verdict};
use crate::vocabulary::Context;

impl Saw {
    /// The verdict with the items that explain it, as far as finding them takes more than judging did.
    pub(super) fn explained(
        &self,
        verdict: Verdict,
        report: &SelectionReport,
        context: &Context<'_>,
    ) -> Verdict {
        let Verdict::Fail(failure) = verdict else { return Verdict::Pass };
        let kind_is_in =
            |kind: &ContextKind| report.included.iter().any(|included| included.item.kind() == kind);
        match self {
            Saw::IncludeItemWithKind(of) => of_that_kind_left_out(*failure, report, &of.kind.0),
            Saw::IncludeItemMatching(Matching { predicate }) => {
                let failure = failure
                    .expected(format!("at least 1 included item where {}", shown_predicate(predicate)));
                none_included(failure, report, predicate, context)
            }
            Saw::PlaceItemAtEdge(Matching { predicate }) => {
                let expected =
                    format!("the first or last included item to satisfy {}", shown_predicate(predicate));
                let failure = failure.expected(expected);
                let matches = |included: &IncludedItem| is_true(predicate, included, context);
                if report.included.iter().any(matches) {
                    failure
                } else {
                    none_included(failure, report, predicate, context)
                }
            }
            Saw::ExcludeItemMatchingWithReason(MatchingWithReason { predicate, reason }) => {
                let (shown, excluded) = (shown_predicate(predicate), "at least 1 excluded item");
                let failure = failure.expected(format!("{excluded} with reason {reason} where {shown}"));
                none_excluded(failure, report, predicate, context)
            }
            Saw::ExcludeItemWithBudgetDetails(details) => {
                let expected = format!("{} where {}", failure.expected, shown_predicate(&details.predicate));
                none_excluded(failure.expected(expected), report, &details.predicate, context)
            }
            Saw::IncludeExactlyNItemsWithKind(asked) => {
                let kind = &asked.kind.0;
                let found: Vec<_> = included(report, |included| included.item.kind() == kind).collect();
                let too_few = (found.len() as u64) < asked.n.0;
                let note = format!("Kind={}", shown(kind));
                let failure = pointing_to_all(*failure, found.into_iter().map(|part| (part, note.clone())));
                if too_few { of_that_kind_left_out(failure, report, kind) } else { failure }
            }
            Saw::KindsInOrder(order) => match order.0.iter().find(|kind| !kind_is_in(kind)) {
                Some(missing) => of_that_kind_left_out(*failure, report, missing),
                None => *failure,
            },
            _ => *failure,
        }
        .into()
    }

    /// The items that show that the assertion holds, where some do.
    pub(super) fn shown_by(&self, report: &SelectionReport) -> Vec<Pointed> {
        let context = Context::default();
        let parts: Vec<Part> = match self {
            Saw::IncludeItemWithKind(of) => {
                included(report, |included| *included.item.kind() == of.kind.0).collect()
            }
            Saw::IncludeExactlyNItemsWithKind(asked) => {
                included(report, |included| *included.item.kind() == asked.kind.0).collect()
            }
            Saw::IncludeItemMatching(matching) => {
                included(report, |included| is_true(&matching.predicate, included, &context)).collect()
            }
            Saw::PlaceItemAtEdge(matching) => {
                let last = report.included.len().saturating_sub(1);
                let at_edge = |part: &Part| *part == Part::Included(0) || *part == Part::Included(last);
                let matching = included(report, |included| is_true(&matching.predicate, included, &context));
                matching.filter(at_edge).collect()
            }
            Saw::ExcludeItemWithReason(asked) | Saw::EveryExcludedHasReason(asked) => {
                excluded(report, |excluded| Reason::from(&excluded.reason) == asked.reason).collect()
            }
            Saw::ExcludeItemMatchingWithReason(asked) => {
                let is_so = |excluded: &ExcludedItem| {
                    Reason::from(&excluded.reason) == asked.reason
                        && is_true(&asked.predicate, &excluded.item, &context)
                };
                excluded(report, is_so).collect()
            }
            _ => Vec::new(),
        };
        let first = parts.into_iter().take(ITEMS_POINTED_AT);
        first.map(|part| Pointed { part, note: "this item".to_owned() }).collect()
    }
}

fn included(
    report: &SelectionReport,
    is_meant: impl Fn(&IncludedItem) -> bool,
) -> impl Iterator<Item = Part> {
    let meant = report.included.iter().enumerate().filter(move |(_, included)| is_meant(included));
    meant.map(|(index, _)| Part::Included(index))
}

fn excluded(
    report: &SelectionReport,
    is_meant: impl Fn(&ExcludedItem) -> bool,
) -> impl Iterator<Item = Part> {
    let meant = report.excluded.iter().enumerate().filter(move |(_, excluded)| is_meant(excluded));
    meant.map(|(index, _)| Part::Excluded(index))
}

/// What cannot be asked of an item is not shown by it.
fn is_true(predicate: &Expression, item: &impl serde::Serialize, context: &Context<'_>) -> bool {
    holds(predicate, item, context).unwrap_or(false)
}

/// Adds what explains that no included item satisfies a predicate: the excluded items that do, or else those included ones that
/// come closest.
fn none_included(
    failure: Failure,
    report: &SelectionReport,
    predicate: &Expression,
    context: &Context<'_>,
) -> Failure {
    let count = report.included.len();
    let found = none_of(count, "included");
    let matches = |excluded: &ExcludedItem| is_true(predicate, excluded, context);
    let matching: Vec<Part> = excluded(report, matches).collect();
    if !matching.is_empty() {
        let found = format!("{found}, but {}", listed_parts(&matching, "excluded"));
        return left_out(failure.actual(found), report, matches);
    }
    let items = report.included.iter().enumerate();
    let items = items.map(|(index, included)| (Part::Included(index), included, &included.item));
    closest_to(failure, found, count, &closest(predicate, items, context))
}

/// The same where no excluded item satisfies a predicate, of the item alone.
fn none_excluded(
    failure: Failure,
    report: &SelectionReport,
    predicate: &Expression,
    context: &Context<'_>,
) -> Failure {
    if report.excluded.iter().any(|excluded| is_true(predicate, &excluded.item, context)) {
        return failure;
    }
    let count = report.excluded.len();
    let found = none_of(count, "excluded");
    let matching: Vec<Part> =
        included(report, |included| is_true(predicate, &included.item, context)).collect();
    if !matching.is_empty() {
        let found = format!("{found}, but {}", listed_parts(&matching, "included"));
        let parts = matching.into_iter().map(|part| (part, "matches, but was included".to_owned()));
        return pointing_to_all(failure.actual(found), parts);
    }
    let items = report.excluded.iter().enumerate();
    let items = items.map(|(index, excluded)| (Part::Excluded(index), &excluded.item, &excluded.item));
    closest_to(failure, found, count, &closest(predicate, items, context))
}

/// That no item of a list satisfies a predicate.
fn none_of(count: usize, list: &str) -> String {
    match count {
        0 => format!("no {list} items"),
        1 => format!("the only {list} item doesn't match"),
        count => format!("none of {count} {list} items"),
    }
}

/// Adds the items of a list that come closest. Where these are all of them, there is no need to point.
fn closest_to(failure: Failure, found: String, count: usize, candidates: &[Candidate]) -> Failure {
    if candidates.is_empty() {
        return failure.actual(found);
    }
    let shown = candidates.iter().map(|candidate| &*candidate.shown).collect::<Vec<_>>().join("; ");
    if candidates.len() == count {
        return failure.actual(format!("{found}: {shown}"));
    }
    let failure = failure.actual(format!("{found}; closest: {shown}"));
    let note = |number: usize| if number == 0 { "closest match" } else { "close match" };
    let parts = candidates.iter().enumerate();
    pointing_to_all(failure, parts.map(|(number, candidate)| (candidate.part, note(number).to_owned())))
}

/// The items that satisfy a predicate elsewhere: `excluded[3] and 2 more excluded items match`.
fn listed_parts(parts: &[Part], list: &str) -> String {
    match parts {
        [] => String::new(),
        [only] => format!("{only} matches"),
        [first, more @ ..] => format!("{first} and {} more {list} items match", more.len()),
    }
}

/// Points at the items of a kind that were left out. Where no item at all is of the kind, one whose kind is written almost the
/// same may have been meant.
fn of_that_kind_left_out(failure: Failure, report: &SelectionReport, kind: &ContextKind) -> Failure {
    /// How many kinds are compared.
    const COMPARED: usize = 100;
    let included = report.included.iter().enumerate();
    let included = included.map(|(index, included)| (Part::Included(index), included.item.kind()));
    let excluded = report.excluded.iter().enumerate();
    let excluded = excluded.map(|(index, excluded)| (Part::Excluded(index), excluded.item.kind()));
    let mut kinds: IndexMap<&ContextKind, Part> = IndexMap::new();
    for (part, kind) in included.chain(excluded) {
        kinds.entry(kind).or_insert(part);
    }
    if kinds.contains_key(kind) {
        return left_out(failure, report, |excluded| excluded.item.kind() == kind);
    }
    let known = kinds.keys().take(COMPARED).map(|kind| kind.as_str());
    let close =
        nearest(kind.as_str(), known).and_then(|close| kinds.iter().find(|(kind, _)| kind.as_str() == close));
    match close {
        Some((close, part)) => {
            failure.pointing_to(*part, format!("Kind={}, expected {}", shown(close), shown(kind)))
        }
        None => failure,
    }
}

/// Points at the items that were asked for but left out.
fn left_out(failure: Failure, report: &SelectionReport, is_meant: impl Fn(&ExcludedItem) -> bool) -> Failure {
    let meant = report.excluded.iter().enumerate().filter(|(_, excluded)| is_meant(excluded));
    let parts = meant.map(|(index, excluded)| {
        (Part::Excluded(index), format!("matches, but was excluded: {}", Reason::from(&excluded.reason)))
    });
    pointing_to_all(failure, parts)
}
