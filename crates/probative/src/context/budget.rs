//! How much of the budget was used.

use cupel::{ContextBudget, SelectionReport};

use crate::verdict::Verdict;

/// The tokens of the selected items are at least this share of the budget's `max_tokens`.
///
/// The comparison is exact; `target_tokens` plays no part.
pub fn have_budget_utilization_above(
    report: &SelectionReport,
    threshold: f64,
    budget: &ContextBudget,
) -> Verdict {
    let used = Used::of(report, budget);
    if used.share() >= threshold { Verdict::Pass } else { used.failure("Above", "at least", threshold) }
}

/// The tokens of the selected items are at most this share of the budget's `max_tokens`.
pub fn have_budget_utilization_below(
    report: &SelectionReport,
    threshold: f64,
    budget: &ContextBudget,
) -> Verdict {
    let used = Used::of(report, budget);
    if used.share() <= threshold { Verdict::Pass } else { used.failure("Below", "at most", threshold) }
}

/// What was used of what there was.
struct Used {
    tokens: i128,
    of: i64,
}

impl Used {
    fn of(report: &SelectionReport, budget: &ContextBudget) -> Used {
        Used { tokens: included_tokens(report), of: budget.max_tokens() }
    }

    #[expect(clippy::cast_precision_loss, reason = "a share is a double")]
    fn share(&self) -> f64 {
        self.tokens as f64 / self.of as f64
    }

    fn failure(&self, side: &str, bound: &str, threshold: f64) -> Verdict {
        let (tokens, of, actual) = (self.tokens, self.of, self.share());
        let used = format!("{actual:.6} (includedTokens={tokens}, budget.MaxTokens={of})");
        Verdict::fail(format!(
            "HaveBudgetUtilization{side}({threshold}) failed: computed utilization was {used}."
        ))
        .expected(format!("a utilization of {bound} {threshold}"))
        .actual(used)
        .at("included")
        .into()
    }
}

/// The tokens of all selected items, however many they are.
pub(super) fn included_tokens(report: &SelectionReport) -> i128 {
    let tokens = || report.included.iter().map(|included| included.item.tokens());
    // Of fewer than 2^32 numbers from 0 to 2^31 the sum fits, which is nearly always so and sooner seen than added up.
    let add = |(sum, bits): (i64, i64), tokens: i64| (sum.wrapping_add(tokens), bits | tokens);
    let (sum, bits) = tokens().fold((0, 0), add);
    let fits = (0..1 << 31).contains(&bits) && u32::try_from(report.included.len()).is_ok();
    if fits { i128::from(sum) } else { tokens().map(i128::from).sum() }
}
