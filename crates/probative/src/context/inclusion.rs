//! What was selected.

use std::fmt::Write as _;

use cupel::{ContextKind, IncludedItem, SelectionReport};

use super::telling::{counted, kinds, listed, shown};
use crate::verdict::Verdict;

/// At least one selected item is of the kind. Kinds compare without regard to ASCII case.
pub fn include_item_with_kind(report: &SelectionReport, kind: &ContextKind) -> Verdict {
    if report.included.iter().any(|included| included.item.kind() == kind) {
        return Verdict::Pass;
    }
    let (asked, count, kinds) = (shown(kind), report.included.len(), kinds(&report.included));
    Verdict::fail(format!(
        "IncludeItemWithKind({asked}) failed: Included contained 0 items with Kind={asked}. \
         Included had {count} items with kinds: [{kinds}]."
    ))
    .expected(format!("at least 1 included item with Kind={asked}"))
    .actual(format!("{} with kinds: [{kinds}]", counted(count as u64, "item")))
    .at("included")
    .into()
}

/// At least one selected item satisfies the predicate.
pub fn include_item_matching<E>(
    report: &SelectionReport,
    mut predicate: impl FnMut(&IncludedItem) -> Result<bool, E>,
) -> Result<Verdict, E> {
    /// How many items the message tells of.
    const TOLD: usize = 5;
    for included in &report.included {
        if predicate(included)? {
            return Ok(Verdict::Pass);
        }
    }
    let count = report.included.len();
    let mut message = format!(
        "IncludeItemMatching failed: no item in Included matched the predicate. Included had {count} items."
    );
    if count > 0 {
        let told = |included: &IncludedItem| {
            let (kind, score) = (shown(included.item.kind()), included.score);
            format!("(kind={kind}, score={score}, reason={:?})", included.reason)
        };
        let first = &report.included[..count.min(TOLD)];
        let _ = write!(message, " First items: [{}].", listed(first.iter().map(told), first.len()));
    }
    let actual = if count == 0 { "no items".to_owned() } else { format!("none of {count} items") };
    let expected = "at least 1 included item that satisfies the predicate";
    Ok(Verdict::fail(message).expected(expected).actual(actual).at("included").into())
}

/// Exactly `n` selected items are of the kind. With 0, none is.
pub fn include_exactly_n_items_with_kind(report: &SelectionReport, kind: &ContextKind, n: u64) -> Verdict {
    let actual = report.included.iter().filter(|included| included.item.kind() == kind).count();
    if actual as u64 == n {
        return Verdict::Pass;
    }
    let (asked, count) = (shown(kind), report.included.len());
    Verdict::fail(format!(
        "IncludeExactlyNItemsWithKind({asked}, {n}) failed: expected {n} items with Kind={asked} in Included, \
         but found {actual}. Included had {count} items total."
    ))
    .expected(format!("{} with Kind={asked}", counted(n, "included item")))
    .actual(format!("{actual}"))
    .at("included")
    .into()
}
