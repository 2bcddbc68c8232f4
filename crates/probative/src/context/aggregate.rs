//! What was left out, as a whole.

use cupel::SelectionReport;

use crate::verdict::{Part, Verdict};

/// At least `n` items were left out. With 0, this holds of every report.
pub fn have_at_least_n_exclusions(report: &SelectionReport, n: u64) -> Verdict {
    let actual = report.excluded.len();
    if actual as u64 >= n {
        return Verdict::Pass;
    }
    Verdict::fail(format!(
        "HaveAtLeastNExclusions({n}) failed: expected at least {n} excluded items, but Excluded had {actual}."
    ))
    .expected(format!("at least {n} excluded items"))
    .actual(actual.to_string())
    .at("excluded")
    .into()
}

/// The items that were left out stand in the order of their scores, none higher than the one before it.
///
/// Equal scores may stand in any order. A score that isn't a number is out of order beside any other.
pub fn excluded_items_are_sorted_by_score_descending(report: &SelectionReport) -> Verdict {
    let is_in_order = |pair: &[cupel::ExcludedItem]| pair[0].score >= pair[1].score;
    let Some(index) = report.excluded.windows(2).position(|pair| !is_in_order(pair)) else {
        return Verdict::Pass;
    };
    let next = index + 1;
    let (score, higher) = (report.excluded[index].score, report.excluded[next].score);
    Verdict::fail(format!(
        "ExcludedItemsAreSortedByScoreDescending failed: item at index {next} (score={higher}) is higher than \
         item at index {index} (score={score}). Expected non-increasing scores."
    ))
    .expected("non-increasing scores")
    .actual(format!("{score} before {higher}"))
    .at(Part::Excluded(next))
    .pointing_to(Part::Excluded(index), format!("score={score}"))
    .pointing_to(Part::Excluded(next), format!("score={higher}, higher than the one before"))
    .into()
}
