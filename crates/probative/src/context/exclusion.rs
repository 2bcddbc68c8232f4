//! What was left out, and why.

use cupel::{ContextItem, ContextKind, ExclusionReason, SelectionReport};

use super::reason::Reason;
use super::telling::{counted, pointing_to_all, position_of, reasons, shown};
use crate::verdict::{Part, Verdict};

/// At least one item was left out for the reason.
pub fn exclude_item_with_reason(report: &SelectionReport, reason: Reason) -> Verdict {
    if report.excluded.iter().any(|excluded| Reason::from(&excluded.reason) == reason) {
        return Verdict::Pass;
    }
    let count = report.excluded.len();
    let reasons = reasons(report.excluded.iter().map(|excluded| Reason::from(&excluded.reason)));
    Verdict::fail(format!(
        "ExcludeItemWithReason({reason}) failed: no excluded item had reason {reason}. \
         Excluded had {count} items with reasons: [{reasons}]."
    ))
    .expected(format!("at least 1 excluded item with reason {reason}"))
    .actual(format!("{} with reasons: [{reasons}]", counted(count as u64, "item")))
    .at("excluded")
    .into()
}

/// At least one item that satisfies the predicate was left out for the reason.
///
/// The failure tells a predicate that matched nothing from items that were left out for other reasons, and points at those.
pub fn exclude_item_matching_with_reason<E>(
    report: &SelectionReport,
    mut predicate: impl FnMut(&ContextItem) -> Result<bool, E>,
    reason: Reason,
) -> Result<Verdict, E> {
    for excluded in &report.excluded {
        if predicate(&excluded.item)? && Reason::from(&excluded.reason) == reason {
            return Ok(Verdict::Pass);
        }
    }
    let matched = matched(report, predicate)?;
    let (count, reasons) = (matched.len(), reasons(matched.iter().map(|(_, reason)| *reason)));
    let failure = Verdict::fail(format!(
        "ExcludeItemMatchingWithReason(reason={reason}) failed: predicate matched {count} excluded item(s) \
         but none had reason {reason}. Matched items had reasons: [{reasons}]."
    ))
    .expected(format!("at least 1 excluded item with reason {reason} that satisfies the predicate"))
    .actual(format!("{} with reasons: [{reasons}]", counted(count as u64, "matching item")))
    .at("excluded");
    Ok(pointing_to_all(failure, the_matched(&matched)).into())
}

/// Some item that satisfies the predicate did not fit the budget, with exactly these numbers.
///
/// The failure tells of the first matching item that did not fit; where none did, of the reasons of those that match.
pub fn exclude_item_with_budget_details<E>(
    report: &SelectionReport,
    mut predicate: impl FnMut(&ContextItem) -> Result<bool, E>,
    expected_item_tokens: i64,
    expected_available_tokens: i64,
) -> Result<Verdict, E> {
    let mut first = None;
    for excluded in &report.excluded {
        if predicate(&excluded.item)?
            && let ExclusionReason::BudgetExceeded { item_tokens, available_tokens } = excluded.reason
        {
            if (item_tokens, available_tokens) == (expected_item_tokens, expected_available_tokens) {
                return Ok(Verdict::Pass);
            }
            first = first.or(Some((excluded, item_tokens, available_tokens)));
        }
    }
    let expected = format!(
        "BudgetExceeded with item_tokens={expected_item_tokens}, available_tokens={expected_available_tokens}"
    );
    let failed = format!("ExcludeItemWithBudgetDetails failed: expected {expected}, but");
    if let Some((excluded, item_tokens, available_tokens)) = first {
        let index = position_of(excluded, &report.excluded);
        let actual = format!("item_tokens={item_tokens}, available_tokens={available_tokens}");
        let failure = Verdict::fail(format!("{failed} found {actual}.")).expected(expected);
        let part = Part::Excluded(index);
        return Ok(failure.at(part).pointing_to(part, &*actual).actual(actual).into());
    }
    let matched = matched(report, predicate)?;
    let reasons = reasons(matched.iter().map(|(_, reason)| *reason));
    let count = matched.len();
    let failure = Verdict::fail(format!(
        "{failed} no matching item had reason BudgetExceeded. \
         Predicate matched {count} excluded item(s) with reasons: [{reasons}]."
    ));
    let found = counted(count as u64, "excluded item");
    let actual = format!("the predicate matched {found} with reasons: [{reasons}]");
    let failure = failure.expected(expected).actual(actual).at("excluded");
    Ok(pointing_to_all(failure, the_matched(&matched)).into())
}

/// No item of the kind was left out. Says nothing about what was selected.
pub fn have_no_exclusions_for_kind(report: &SelectionReport, kind: &ContextKind) -> Verdict {
    let of_kind: Vec<_> = report.excluded.iter().filter(|excluded| excluded.item.kind() == kind).collect();
    let Some(first) = of_kind.first() else { return Verdict::Pass };
    let (asked, count) = (shown(kind), of_kind.len());
    let (score, reason) = (first.score, Reason::from(&first.reason));
    let failure = Verdict::fail(format!(
        "HaveNoExclusionsForKind({asked}) failed: found {count} excluded item(s) with Kind={asked}. \
         First: score={score}, reason={reason}."
    ))
    .expected(format!("no excluded item with Kind={asked}"))
    .actual(count.to_string())
    .at(Part::Excluded(position_of(*first, &report.excluded)));
    let parts = of_kind.into_iter().map(|excluded| {
        let note = format!("Kind={asked}, reason={}", Reason::from(&excluded.reason));
        (Part::Excluded(position_of(excluded, &report.excluded)), note)
    });
    pointing_to_all(failure, parts).into()
}

/// Every item that was left out was left out for the reason. Where none was left out, this holds.
pub fn every_excluded_has_reason(report: &SelectionReport, reason: Reason) -> Verdict {
    let others = || {
        let reasons = report.excluded.iter().map(|excluded| Reason::from(&excluded.reason)).enumerate();
        reasons.filter(|(_, other)| *other != reason)
    };
    let Some((index, other)) = others().next() else { return Verdict::Pass };
    let (count, total) = (others().count(), report.excluded.len());
    let (score, reasons) = (report.excluded[index].score, reasons(others().map(|(_, other)| other)));
    let failure = Verdict::fail(format!(
        "EveryExcludedHasReason({reason}) failed: {count} of {total} excluded item(s) had another reason: [{reasons}]. \
         First: index={index}, score={score}, reason={other}."
    ))
    .expected(format!("every excluded item with reason {reason}"))
    .actual(format!("{count} of {total} with reasons: [{reasons}]"))
    .at(Part::Excluded(index));
    let parts = others().map(|(index, other)| (Part::Excluded(index), format!("reason={other}")));
    pointing_to_all(failure, parts).into()
}

/// The items that match a predicate, by position, with their reasons.
fn matched<E>(
    report: &SelectionReport,
    mut predicate: impl FnMut(&ContextItem) -> Result<bool, E>,
) -> Result<Vec<(usize, Reason)>, E> {
    let mut matched = Vec::new();
    for (index, excluded) in report.excluded.iter().enumerate() {
        if predicate(&excluded.item)? {
            matched.push((index, Reason::from(&excluded.reason)));
        }
    }
    Ok(matched)
}

/// The items that a predicate matched, to be pointed at.
fn the_matched(matched: &[(usize, Reason)]) -> impl Iterator<Item = (Part, String)> {
    matched.iter().map(|(index, reason)| {
        (Part::Excluded(*index), format!("satisfies the predicate, but has reason={reason}"))
    })
}
