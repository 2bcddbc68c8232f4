//! How many kinds were selected.

use cupel::SelectionReport;

use super::telling::Kinds;
use crate::verdict::Verdict;

/// At least `n` distinct kinds are among the selected items. With 0, this holds of every report.
pub fn have_kind_coverage_count(report: &SelectionReport, n: u64) -> Verdict {
    let enough = usize::try_from(n).unwrap_or(usize::MAX);
    let kinds = Kinds::of(&report.included, enough);
    let actual = kinds.len();
    if actual >= enough {
        return Verdict::Pass;
    }
    let kinds = kinds.listed();
    Verdict::fail(format!(
        "HaveKindCoverageCount({n}) failed: expected at least {n} distinct ContextKind values in Included, \
         but found {actual}: [{kinds}]."
    ))
    .expected(format!("at least {n} distinct kinds"))
    .actual(format!("{actual}: [{kinds}]"))
    .at("included")
    .into()
}
