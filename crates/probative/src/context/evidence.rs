//! The items that show why an assertion holds, or what was asked for where it does not.

use cupel::{ContextKind, ExcludedItem, IncludedItem, SelectionReport};
use indexmap::IndexMap;

use super::ContextAssertion as Saw;
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
            Saw::IncludeItemMatching(matching) => {
                left_out(*failure, report, |excluded| is_true(&matching.predicate, excluded, context))
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
            failure.pointing_to(*part, format!("Kind={}, not {}", shown(close), shown(kind)))
        }
        None => failure,
    }
}

/// Points at the items that were asked for but left out.
fn left_out(failure: Failure, report: &SelectionReport, is_meant: impl Fn(&ExcludedItem) -> bool) -> Failure {
    let meant = report.excluded.iter().enumerate().filter(|(_, excluded)| is_meant(excluded));
    let parts = meant.map(|(index, excluded)| {
        (Part::Excluded(index), format!("asked for, but left out: {}", Reason::from(&excluded.reason)))
    });
    pointing_to_all(failure, parts)
}
