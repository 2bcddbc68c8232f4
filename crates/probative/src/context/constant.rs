//! Arguments that leave an assertion no choice.

use super::ContextAssertion;
use super::argument::{Allowance, Changes, HowMany, Matching, Utilization};
use super::diff::How;
use crate::vocabulary::Constant;

/// The answer that an assertion gives whatever the report holds.
pub(super) fn of(assertion: &ContextAssertion) -> Option<Constant> {
    use ContextAssertion as Saw;
    match assertion {
        Saw::IncludeItemMatching(Matching { predicate }) | Saw::PlaceItemAtEdge(Matching { predicate }) => {
            predicate.constant()
        }
        Saw::ExcludeItemMatchingWithReason(matching) => never(matching.predicate.constant()),
        Saw::ExcludeItemWithBudgetDetails(details) => never(details.predicate.constant()),
        Saw::HaveAtLeastNExclusions(HowMany { n })
        | Saw::HaveKindCoverageCount(HowMany { n })
        | Saw::PlaceTopNScoredAtEdges(HowMany { n }) => Constant::if_empty(n.0 == 0),
        Saw::KindsInOrder(order) => Constant::if_empty(order.0.is_empty()),
        Saw::HaveBudgetUtilizationAbove(Utilization { threshold, .. }) => {
            (threshold.0 <= 0.0).then(|| Constant::always("every utilization is at least 0"))
        }
        Saw::HaveBudgetUtilizationBelow(Utilization { threshold, .. }) => {
            (threshold.0 < 0.0).then(|| Constant::never("no utilization is below 0"))
        }
        Saw::SelectionChanged(changes) => {
            allows_everything(changes).then(|| Constant::always("every change is allowed"))
        }
        Saw::IncludeItemWithKind(_)
        | Saw::IncludeExactlyNItemsWithKind(_)
        | Saw::ExcludeItemWithReason(_)
        | Saw::HaveNoExclusionsForKind(_)
        | Saw::ExcludedItemsAreSortedByScoreDescending(_)
        | Saw::EveryExcludedHasReason(_) => None,
    }
}

/// A predicate that never holds decides alone; beside one that always does, more is asked.
fn never(predicate: Option<Constant>) -> Option<Constant> {
    predicate.filter(|constant| !constant.holds)
}

fn allows_everything(changes: &Changes) -> bool {
    let allows = |how: How| {
        changes.allow.iter().any(|Allowance { change, kind, predicate }| {
            let is_any =
                predicate.as_ref().is_none_or(|predicate| predicate.constant().is_some_and(|is| is.holds));
            kind.is_none() && is_any && change.is_none_or(|change| change == how)
        })
    };
    [How::Entered, How::Left, How::Moved].into_iter().all(allows)
}
