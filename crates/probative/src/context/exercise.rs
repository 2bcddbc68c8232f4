//! Whether what is asked of a report had anything in it to say no to.

use cupel::{ContextKind, SelectionReport};

use super::argument::Changes;
use super::telling::shown;
use crate::vocabulary::Exercise;

/// Of what is said about a kind: whether any item is of it, selected or left out.
pub(super) fn of_kind(report: &SelectionReport, kind: &ContextKind) -> Exercise {
    let included = report.included.iter().map(|included| included.item.kind());
    let mut kinds = included.chain(report.excluded.iter().map(|excluded| excluded.item.kind()));
    if kinds.any(|other| other == kind) {
        return Exercise::Yes;
    }
    Exercise::No(format!("there is no item of kind {}", shown(kind)))
}

/// Of what is said about the items that were selected.
pub(super) fn of_included(report: &SelectionReport) -> Exercise {
    Exercise::unless(report.included.is_empty(), "nothing is included")
}

/// Of what is said about the items that were left out.
pub(super) fn of_excluded(report: &SelectionReport) -> Exercise {
    Exercise::unless(report.excluded.is_empty(), "nothing is excluded")
}

/// Of the order of the items that were left out: one alone is in order.
pub(super) fn of_excluded_order(report: &SelectionReport) -> Exercise {
    match report.excluded.len() {
        1 => Exercise::No("only one item is excluded".to_owned()),
        _ => of_excluded(report),
    }
}

/// Of what is said about several kinds.
pub(super) fn of_kinds(report: &SelectionReport, kinds: &[ContextKind]) -> Exercise {
    Exercise::every(kinds.iter().map(|kind| of_kind(report, kind)))
}

/// Of what may have changed: whether anything is selected, now or earlier.
pub(super) fn of_changes(report: &SelectionReport, changes: &Changes) -> Exercise {
    let nothing_earlier = changes.earlier.as_ref().is_some_and(|earlier| earlier.included.is_empty());
    Exercise::unless(report.included.is_empty() && nothing_earlier, "both selections are empty")
}
