//! Reports for tests, written as the items that they hold.

use cupel::SelectionReport;
use serde_json::{Value, json};

/// An item of a report: kind, score, tokens; what stands in `content` tells which it is.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) content: String,
    pub(crate) kind: String,
    pub(crate) score: f64,
    pub(crate) tokens: i64,
    /// The reason, as cupel writes it.
    pub(crate) reason: Value,
}

impl Item {
    pub(crate) fn new(content: &str, kind: &str, score: f64, tokens: i64, reason: Value) -> Item {
        Item { content: content.to_owned(), kind: kind.to_owned(), score, tokens, reason }
    }

    fn written(&self) -> Value {
        let item = json!({"content": self.content, "kind": self.kind, "tokens": self.tokens});
        json!({"item": item, "score": 0, "reason": self.reason})
    }
}

/// The report of what was selected and what was not.
pub(crate) fn report(included: &[Item], excluded: &[Item]) -> SelectionReport {
    let written = |items: &[Item]| -> Vec<Value> { items.iter().map(Item::written).collect() };
    let tokens: i64 = included.iter().chain(excluded).map(|item| item.tokens).sum();
    let json = json!({"events": [], "included": written(included), "excluded": written(excluded),
        "total_candidates": included.len() + excluded.len(), "total_tokens_considered": tokens});
    let mut report: SelectionReport = serde_json::from_value(json).unwrap();
    // JSON cannot write every score.
    for (item, given) in report.included.iter_mut().zip(included) {
        item.score = given.score;
    }
    for (item, given) in report.excluded.iter_mut().zip(excluded) {
        item.score = given.score;
    }
    report
}

/// Every reason that cupel has, with what it carries.
pub(crate) fn reasons() -> Vec<Value> {
    vec![
        json!({"reason": "BudgetExceeded", "item_tokens": 9, "available_tokens": 4}),
        json!({"reason": "ScoredTooLow", "score": 0.1, "threshold": 0.2}),
        json!({"reason": "Deduplicated", "deduplicated_against": "a"}),
        json!({"reason": "QuotaCapExceeded", "kind": "Message", "cap": 1, "actual": 2}),
        json!({"reason": "QuotaRequireDisplaced", "displaced_by_kind": "Message"}),
        json!({"reason": "NegativeTokens", "tokens": -1}),
        json!({"reason": "PinnedOverride", "displaced_by": "a"}),
        json!({"reason": "Filtered", "filter_name": "f"}),
        json!({"reason": "CountCapExceeded", "kind": "Message", "cap": 1, "count": 1}),
        json!({"reason": "CountRequireCandidatesExhausted", "kind": "Message"}),
        json!({"reason": "_Unknown"}),
    ]
}
