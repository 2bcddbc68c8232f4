//! A selection report of many items, as a pipeline with a U-shaped placer might give it.

use cupel::{
    ContextItem, ContextItemBuilder, ContextKind, CupelError, DiagnosticTraceCollector, ExclusionReason,
    InclusionReason, SelectionReport, TraceCollector as _, TraceDetailLevel,
};

use crate::numbers::Numbers;

const KINDS: [&str; 4] = ["Message", "Document", "ToolOutput", "Memory"];

/// The kind of the last item in each list, and of no other.
pub(crate) const RARE: &str = "SystemPrompt";

/// So many items selected, the highest scores outermost, and so many left out, by score.
///
/// The last of those left out is the only one that did not fit.
pub(crate) fn report(items: usize) -> Result<SelectionReport, CupelError> {
    let mut numbers = Numbers::seeded(0x5EED_CA11);
    let mut collector = DiagnosticTraceCollector::new(TraceDetailLevel::Item);
    let mut scores: Vec<f64> = (0..items).map(|_| score(&mut numbers)).collect();
    scores.sort_by(|a, b| b.total_cmp(a));
    let mut placed = vec![0.0; items];
    for (rank, score) in scores.into_iter().enumerate() {
        placed[if rank % 2 == 0 { rank / 2 } else { items - 1 - rank / 2 }] = score;
    }
    for (index, score) in placed.into_iter().enumerate() {
        let item = item(&mut numbers, index, items)?;
        collector.record_included(item, score, InclusionReason::Scored);
    }
    for index in 0..items {
        let item = item(&mut numbers, index, items)?;
        let reason = if index + 1 == items {
            ExclusionReason::BudgetExceeded { item_tokens: 9, available_tokens: 4 }
        } else {
            ExclusionReason::Deduplicated { deduplicated_against: format!("item {index}") }
        };
        let score = if index + 1 == items { 0.0 } else { score(&mut numbers) };
        collector.record_excluded(item, score, reason);
    }
    collector.set_candidates(2 * items, 0);
    Ok(collector.into_report())
}

fn item(numbers: &mut Numbers, index: usize, items: usize) -> Result<ContextItem, CupelError> {
    let kind = if index + 1 == items { RARE } else { numbers.one_of(&KINDS) };
    let tokens = 1 + i64::try_from(numbers.below(100)).unwrap_or_default();
    ContextItemBuilder::new(format!("item {index}"), tokens).kind(ContextKind::new(kind)?).build()
}

/// Above 0 and below 1; no two of a million are likely to be the same.
#[expect(clippy::cast_precision_loss, reason = "below 2^53")]
fn score(numbers: &mut Numbers) -> f64 {
    (1 + numbers.below(1 << 40)) as f64 / (1_u64 << 41) as f64
}

/// The thirteen patterns, of a report with so many items.
pub(crate) fn question(items: usize) -> String {
    let rare = format!(r#"[eq, [get, [get, [subject], item], kind], "{RARE}"]"#);
    format!(
        r"must:
  - include_item_with_kind: [{RARE}]
  - include_item_matching: [{rare}]
  - include_exactly_n_items_with_kind: [{{kind: {RARE}, n: 1}}]
  - exclude_item_with_reason: [BudgetExceeded]
  - exclude_item_matching_with_reason: [{{predicate: [eq, [get, [subject], kind], {RARE}], reason: BudgetExceeded}}]
  - exclude_item_with_budget_details: [{{predicate: [eq, [get, [subject], kind], {RARE}], item_tokens: 9, available_tokens: 4}}]
  - have_no_exclusions_for_kind: [Other]
  - have_at_least_n_exclusions: [{items}]
  - excluded_items_are_sorted_by_score_descending: [true]
  - have_budget_utilization_above: [{{threshold: 0.1, budget: {}}}]
  - have_kind_coverage_count: [5]
  - place_item_at_edge: [{rare}]
  - place_top_n_scored_at_edges: [10]
",
        items * 100
    )
}
