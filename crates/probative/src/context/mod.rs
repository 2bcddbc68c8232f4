//! SAW: what an agent was given to see, judged on the report of the selection.
//!
//! The subject is the [`SelectionReport`] of the `cupel` crate, as a pipeline returned it or as it was written to JSON. Each
//! assertion is a function over a report. [`SelectionReportAssertions`] gives them to Rust tests as methods;
//! [`ContextAssertion`] is the same vocabulary for questions that are written down.

mod aggregate;
mod argument;
mod budget;
mod candidates;
mod chain;
mod changes;
mod constant;
mod coverage;
mod diff;
mod evidence;
mod exclusion;
mod exercise;
mod inclusion;
mod ordering;
mod predicate;
mod read;
mod reason;
mod show;
mod sighting;
mod telling;

use cupel::SelectionReport;
use schemars::JsonSchema;
use serde::Deserialize;

pub use aggregate::{excluded_items_are_sorted_by_score_descending, have_at_least_n_exclusions};
pub use argument::{
    Allowance, Budget, BudgetDetails, Changes, ForReason, HowMany, Kind, KindCount, KindOrder, Matching,
    MatchingWithReason, OfKind, Threshold, Utilization,
};
pub use budget::{have_budget_utilization_above, have_budget_utilization_below};
pub use chain::{
    SelectionReportAssertionChain, SelectionReportAssertionError, SelectionReportAssertions,
    SelectionReportCheck,
};
pub use coverage::have_kind_coverage_count;
pub use diff::{Change, How, SelectionDiff, diff, selection_changed};
pub use exclusion::{
    every_excluded_has_reason, exclude_item_matching_with_reason, exclude_item_with_budget_details,
    exclude_item_with_reason, have_no_exclusions_for_kind,
};
pub use inclusion::{include_exactly_n_items_with_kind, include_item_matching, include_item_with_kind};
pub use ordering::{kinds_in_order, place_item_at_edge, place_top_n_scored_at_edges};
pub use reason::Reason;
pub use show::show;

use crate::argument::Yes;
use crate::exhibit::{Exhibit, Showing};
use crate::value::Malformed;
use crate::verdict::{Error, Pointed, Verdict};
use crate::vocabulary::{Constant, Context, Exercise, FileReader, NoSetting, Read, Sighting, Vocabulary};
use predicate::{of_excluded, of_included};

/// Assertions about the selection of an agent's context.
///
/// The subject is a selection report, as the `cupel` crate serializes it. Failures name items by their position: `included[3]`,
/// `excluded[0]`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ContextAssertion {
    /// Passes if at least one included item has the kind.
    ///
    /// Kinds are compared ignoring ASCII case. The failure message points to excluded items of the kind.
    ///
    /// ```text
    /// expect: {"include_item_with_kind": "Document"}
    /// passes: {"events": [], "included": [{"item": {"content": "hi", "tokens": 5, "kind": "Message"}, "score": 0.5, "reason": {"reason": "Scored"}}, {"item": {"content": "a page", "tokens": 20, "kind": "Document"}, "score": 0.4, "reason": {"reason": "Scored"}}], "excluded": [], "total_candidates": 2, "total_tokens_considered": 25}
    /// fails:  {"events": [], "included": [{"item": {"content": "hi", "tokens": 5, "kind": "Message"}, "score": 0.5, "reason": {"reason": "Scored"}}], "excluded": [], "total_candidates": 1, "total_tokens_considered": 5}
    ///         IncludeItemWithKind(Document) failed: Included contained 0 items with Kind=Document. Included had 1 items with kinds: [Message].
    /// ```
    IncludeItemWithKind(OfKind),

    /// Passes if at least one included item satisfies the predicate.
    ///
    /// The predicate is an expression (see `probative explain evaluate`). Its subject is
    /// `{item, score, reason}`, as in the report. The failure message shows the closest items.
    ///
    /// ```text
    /// expect: {"include_item_matching": ["eq", ["get", ["get", ["subject"], "item"], "content"], "hi"]}
    /// passes: {"events": [], "included": [{"item": {"content": "a page", "tokens": 20, "kind": "Document"}, "score": 0.4, "reason": {"reason": "Scored"}}, {"item": {"content": "hi", "tokens": 5, "kind": "Message"}, "score": 0.5, "reason": {"reason": "Scored"}}], "excluded": [], "total_candidates": 2, "total_tokens_considered": 25}
    /// fails:  {"events": [], "included": [{"item": {"content": "a page", "tokens": 20, "kind": "Document"}, "score": 0.4, "reason": {"reason": "Scored"}}], "excluded": [], "total_candidates": 1, "total_tokens_considered": 20}
    ///         IncludeItemMatching failed: no item in Included matched the predicate. Included had 1 items. First items: [(kind=Document, score=0.4, reason=Scored)].
    /// ```
    IncludeItemMatching(Matching),

    /// Passes if exactly `n` included items have the kind.
    ///
    /// `n` may be 0.
    ///
    /// ```text
    /// expect: {"include_exactly_n_items_with_kind": {"kind": "Message", "n": 2}}
    /// passes: {"events": [], "included": [{"item": {"content": "hi", "tokens": 5, "kind": "Message"}, "score": 0.5, "reason": {"reason": "Scored"}}, {"item": {"content": "a page", "tokens": 20, "kind": "Document"}, "score": 0.4, "reason": {"reason": "Scored"}}, {"item": {"content": "ho", "tokens": 5, "kind": "Message"}, "score": 0.5, "reason": {"reason": "Scored"}}], "excluded": [], "total_candidates": 3, "total_tokens_considered": 30}
    /// fails:  {"events": [], "included": [{"item": {"content": "hi", "tokens": 5, "kind": "Message"}, "score": 0.5, "reason": {"reason": "Scored"}}, {"item": {"content": "a page", "tokens": 20, "kind": "Document"}, "score": 0.4, "reason": {"reason": "Scored"}}], "excluded": [], "total_candidates": 2, "total_tokens_considered": 25}
    ///         IncludeExactlyNItemsWithKind(Message, 2) failed: expected 2 items with Kind=Message in Included, but found 1. Included had 2 items total.
    /// ```
    IncludeExactlyNItemsWithKind(KindCount),

    /// Passes if at least one item was excluded for the reason.
    ///
    /// Reasons are the variants of `ExclusionReason` in cupel, the library that selects context, such as
    /// `BudgetExceeded`.
    ///
    /// ```text
    /// expect: {"exclude_item_with_reason": "BudgetExceeded"}
    /// passes: {"events": [], "included": [], "excluded": [{"item": {"content": "long", "tokens": 9, "kind": "Message"}, "score": 0.1, "reason": {"reason": "BudgetExceeded", "item_tokens": 9, "available_tokens": 4}}], "total_candidates": 1, "total_tokens_considered": 9}
    /// fails:  {"events": [], "included": [], "excluded": [{"item": {"content": "hi", "tokens": 9, "kind": "Message"}, "score": 0.1, "reason": {"reason": "Deduplicated", "deduplicated_against": "hi"}}], "total_candidates": 1, "total_tokens_considered": 9}
    ///         ExcludeItemWithReason(BudgetExceeded) failed: no excluded item had reason BudgetExceeded. Excluded had 1 items with reasons: [Deduplicated].
    /// ```
    ExcludeItemWithReason(ForReason),

    /// Passes if at least one item that satisfies the predicate was excluded for the reason.
    ///
    /// The subject of the predicate is the item alone. The failure message shows which items satisfy
    /// the predicate and why they were excluded.
    ///
    /// ```text
    /// expect: {"exclude_item_matching_with_reason": {"predicate": ["starts_with", ["get", ["subject"], "content"], "lo"], "reason": "BudgetExceeded"}}
    /// passes: {"events": [], "included": [], "excluded": [{"item": {"content": "long", "tokens": 9, "kind": "Message"}, "score": 0.1, "reason": {"reason": "BudgetExceeded", "item_tokens": 9, "available_tokens": 4}}], "total_candidates": 1, "total_tokens_considered": 9}
    /// fails:  {"events": [], "included": [], "excluded": [{"item": {"content": "long", "tokens": 9, "kind": "Message"}, "score": 0.1, "reason": {"reason": "Filtered", "filter_name": "f"}}], "total_candidates": 1, "total_tokens_considered": 9}
    ///         ExcludeItemMatchingWithReason(reason=BudgetExceeded) failed: predicate matched 1 excluded item(s) but none had reason BudgetExceeded. Matched items had reasons: [Filtered].
    /// ```
    ExcludeItemMatchingWithReason(MatchingWithReason),

    /// Passes if an item that satisfies the predicate was excluded with `BudgetExceeded` and exactly
    /// these token counts.
    ///
    /// The keys can be shortened to `item_tokens` and `available_tokens`. The failure message shows the
    /// counts of the first matching item.
    ///
    /// ```text
    /// expect: {"exclude_item_with_budget_details": {"predicate": ["eq", ["get", ["subject"], "kind"], "Document"], "expected_item_tokens": 9, "expected_available_tokens": 4}}
    /// passes: {"events": [], "included": [], "excluded": [{"item": {"content": "page", "tokens": 9, "kind": "Document"}, "score": 0.1, "reason": {"reason": "BudgetExceeded", "item_tokens": 9, "available_tokens": 4}}], "total_candidates": 1, "total_tokens_considered": 9}
    /// fails:  {"events": [], "included": [], "excluded": [{"item": {"content": "page", "tokens": 9, "kind": "Document"}, "score": 0.1, "reason": {"reason": "BudgetExceeded", "item_tokens": 9, "available_tokens": 3}}], "total_candidates": 1, "total_tokens_considered": 9}
    ///         ExcludeItemWithBudgetDetails failed: expected BudgetExceeded with item_tokens=9, available_tokens=4, but found item_tokens=9, available_tokens=3.
    /// fails:  {"events": [], "included": [], "excluded": [{"item": {"content": "page", "tokens": 9, "kind": "Document"}, "score": 0.1, "reason": {"reason": "Filtered", "filter_name": "f"}}], "total_candidates": 1, "total_tokens_considered": 9}
    ///         ExcludeItemWithBudgetDetails failed: expected BudgetExceeded with item_tokens=9, available_tokens=4, but no matching item had reason BudgetExceeded. Predicate matched 1 excluded item(s) with reasons: [Filtered].
    /// ```
    ExcludeItemWithBudgetDetails(BudgetDetails),

    /// Passes if no item of the kind was excluded.
    ///
    /// Doesn't check which items were included.
    ///
    /// ```text
    /// expect: {"have_no_exclusions_for_kind": "Message"}
    /// passes: {"events": [], "included": [], "excluded": [{"item": {"content": "page", "tokens": 9, "kind": "Document"}, "score": 0.1, "reason": {"reason": "BudgetExceeded", "item_tokens": 9, "available_tokens": 4}}], "total_candidates": 1, "total_tokens_considered": 9}
    /// fails:  {"events": [], "included": [], "excluded": [{"item": {"content": "long", "tokens": 9, "kind": "Message"}, "score": 0.1, "reason": {"reason": "BudgetExceeded", "item_tokens": 9, "available_tokens": 4}}], "total_candidates": 1, "total_tokens_considered": 9}
    ///         HaveNoExclusionsForKind(Message) failed: found 1 excluded item(s) with Kind=Message. First: score=0.1, reason=BudgetExceeded.
    /// ```
    HaveNoExclusionsForKind(OfKind),

    /// Passes if at least `n` items were excluded.
    ///
    /// With 0, every report passes.
    ///
    /// ```text
    /// expect: {"have_at_least_n_exclusions": 1}
    /// passes: {"events": [], "included": [{"item": {"content": "hi", "tokens": 5, "kind": "Message"}, "score": 0.5, "reason": {"reason": "Scored"}}], "excluded": [{"item": {"content": "long", "tokens": 9, "kind": "Message"}, "score": 0.1, "reason": {"reason": "BudgetExceeded", "item_tokens": 9, "available_tokens": 4}}], "total_candidates": 2, "total_tokens_considered": 14}
    /// fails:  {"events": [], "included": [{"item": {"content": "hi", "tokens": 5, "kind": "Message"}, "score": 0.5, "reason": {"reason": "Scored"}}], "excluded": [], "total_candidates": 1, "total_tokens_considered": 5}
    ///         HaveAtLeastNExclusions(1) failed: expected at least 1 excluded items, but Excluded had 0.
    /// ```
    HaveAtLeastNExclusions(HowMany),

    /// Passes if the excluded items are sorted by score in descending order.
    ///
    /// Equal neighbors count as sorted; a score that isn't a number (NaN) never does. Takes no argument:
    /// write `excluded_items_are_sorted_by_score_descending: true`.
    ///
    /// ```text
    /// expect: {"excluded_items_are_sorted_by_score_descending": true}
    /// passes: {"events": [], "included": [], "excluded": [{"item": {"content": "a", "tokens": 9, "kind": "Message"}, "score": 0.3, "reason": {"reason": "BudgetExceeded", "item_tokens": 9, "available_tokens": 4}}, {"item": {"content": "b", "tokens": 9, "kind": "Message"}, "score": 0.3, "reason": {"reason": "BudgetExceeded", "item_tokens": 9, "available_tokens": 4}}, {"item": {"content": "c", "tokens": 9, "kind": "Message"}, "score": 0.1, "reason": {"reason": "BudgetExceeded", "item_tokens": 9, "available_tokens": 4}}], "total_candidates": 3, "total_tokens_considered": 27}
    /// fails:  {"events": [], "included": [], "excluded": [{"item": {"content": "a", "tokens": 9, "kind": "Message"}, "score": 0.1, "reason": {"reason": "BudgetExceeded", "item_tokens": 9, "available_tokens": 4}}, {"item": {"content": "b", "tokens": 9, "kind": "Message"}, "score": 0.3, "reason": {"reason": "BudgetExceeded", "item_tokens": 9, "available_tokens": 4}}], "total_candidates": 2, "total_tokens_considered": 18}
    ///         ExcludedItemsAreSortedByScoreDescending failed: item at index 1 (score=0.3) is higher than item at index 0 (score=0.1). Expected non-increasing scores.
    /// ```
    ExcludedItemsAreSortedByScoreDescending(Yes),

    /// Passes if the included tokens are at least this share of the budget's `max_tokens`.
    ///
    /// The comparison is exact, without a tolerance. `budget` is an object with `max_tokens`, or just
    /// that number; other keys are ignored.
    ///
    /// ```text
    /// expect: {"have_budget_utilization_above": {"threshold": 0.5, "budget": {"max_tokens": 50}}}
    /// passes: {"events": [], "included": [{"item": {"content": "hi", "tokens": 5, "kind": "Message"}, "score": 0.5, "reason": {"reason": "Scored"}}, {"item": {"content": "a page", "tokens": 20, "kind": "Document"}, "score": 0.4, "reason": {"reason": "Scored"}}], "excluded": [], "total_candidates": 2, "total_tokens_considered": 25}
    /// fails:  {"events": [], "included": [{"item": {"content": "hi", "tokens": 5, "kind": "Message"}, "score": 0.5, "reason": {"reason": "Scored"}}], "excluded": [], "total_candidates": 1, "total_tokens_considered": 5}
    ///         HaveBudgetUtilizationAbove(0.5) failed: computed utilization was 0.100000 (includedTokens=5, budget.MaxTokens=50).
    /// ```
    HaveBudgetUtilizationAbove(Utilization),

    /// Passes if the included tokens are at most this share of the budget's `max_tokens`.
    ///
    /// ```text
    /// expect: {"have_budget_utilization_below": {"threshold": 0.5, "budget": 50}}
    /// passes: {"events": [], "included": [{"item": {"content": "a page", "tokens": 20, "kind": "Document"}, "score": 0.4, "reason": {"reason": "Scored"}}, {"item": {"content": "hi", "tokens": 5, "kind": "Message"}, "score": 0.5, "reason": {"reason": "Scored"}}], "excluded": [], "total_candidates": 2, "total_tokens_considered": 25}
    /// fails:  {"events": [], "included": [{"item": {"content": "a page", "tokens": 20, "kind": "Document"}, "score": 0.4, "reason": {"reason": "Scored"}}, {"item": {"content": "another page", "tokens": 20, "kind": "Document"}, "score": 0.3, "reason": {"reason": "Scored"}}], "excluded": [], "total_candidates": 2, "total_tokens_considered": 40}
    ///         HaveBudgetUtilizationBelow(0.5) failed: computed utilization was 0.800000 (includedTokens=40, budget.MaxTokens=50).
    /// ```
    HaveBudgetUtilizationBelow(Utilization),

    /// Passes if the included items have at least `n` distinct kinds.
    ///
    /// With 0, every report passes.
    ///
    /// ```text
    /// expect: {"have_kind_coverage_count": 2}
    /// passes: {"events": [], "included": [{"item": {"content": "hi", "tokens": 5, "kind": "Message"}, "score": 0.5, "reason": {"reason": "Scored"}}, {"item": {"content": "a page", "tokens": 20, "kind": "Document"}, "score": 0.4, "reason": {"reason": "Scored"}}], "excluded": [], "total_candidates": 2, "total_tokens_considered": 25}
    /// fails:  {"events": [], "included": [{"item": {"content": "hi", "tokens": 5, "kind": "Message"}, "score": 0.5, "reason": {"reason": "Scored"}}, {"item": {"content": "ho", "tokens": 5, "kind": "Message"}, "score": 0.5, "reason": {"reason": "Scored"}}], "excluded": [], "total_candidates": 2, "total_tokens_considered": 10}
    ///         HaveKindCoverageCount(2) failed: expected at least 2 distinct ContextKind values in Included, but found 1: [Message].
    /// ```
    HaveKindCoverageCount(HowMany),

    /// Passes if the first or the last included item satisfies the predicate.
    ///
    /// The subject of the predicate is `{item, score, reason}`. The meaning of a position depends on the
    /// placer (cupel's ordering step) that produced the report.
    ///
    /// ```text
    /// expect: {"place_item_at_edge": ["eq", ["get", ["get", ["subject"], "item"], "kind"], "SystemPrompt"]}
    /// passes: {"events": [], "included": [{"item": {"content": "hi", "tokens": 5, "kind": "Message"}, "score": 0.5, "reason": {"reason": "Scored"}}, {"item": {"content": "a page", "tokens": 20, "kind": "Document"}, "score": 0.4, "reason": {"reason": "Scored"}}, {"item": {"content": "be kind", "tokens": 4, "kind": "SystemPrompt"}, "score": 0, "reason": {"reason": "Pinned"}}], "excluded": [], "total_candidates": 3, "total_tokens_considered": 29}
    /// fails:  {"events": [], "included": [{"item": {"content": "hi", "tokens": 5, "kind": "Message"}, "score": 0.5, "reason": {"reason": "Scored"}}, {"item": {"content": "be kind", "tokens": 4, "kind": "SystemPrompt"}, "score": 0, "reason": {"reason": "Pinned"}}, {"item": {"content": "a page", "tokens": 20, "kind": "Document"}, "score": 0.4, "reason": {"reason": "Scored"}}], "excluded": [], "total_candidates": 3, "total_tokens_considered": 29}
    ///         PlaceItemAtEdge failed: item matching predicate was at index 1 (not at edge). Edge positions: 0 and 2. Included had 3 items.
    /// fails:  {"events": [], "included": [{"item": {"content": "hi", "tokens": 5, "kind": "Message"}, "score": 0.5, "reason": {"reason": "Scored"}}, {"item": {"content": "a page", "tokens": 20, "kind": "Document"}, "score": 0.4, "reason": {"reason": "Scored"}}], "excluded": [], "total_candidates": 2, "total_tokens_considered": 25}
    ///         PlaceItemAtEdge failed: no item in Included matched the predicate.
    /// ```
    PlaceItemAtEdge(Matching),

    /// Passes if the `n` included items with the highest scores are at the `n` outermost positions.
    ///
    /// These positions are first, last, second, second to last, and so on. Among equal scores, the
    /// items at these positions count as highest. With 0, every report passes. If `n` exceeds the
    /// number of included items, the assertion fails.
    ///
    /// ```text
    /// expect: {"place_top_n_scored_at_edges": 2}
    /// passes: {"events": [], "included": [{"item": {"content": "a", "tokens": 5, "kind": "Message"}, "score": 0.9, "reason": {"reason": "Scored"}}, {"item": {"content": "b", "tokens": 5, "kind": "Message"}, "score": 0.1, "reason": {"reason": "Scored"}}, {"item": {"content": "c", "tokens": 5, "kind": "Message"}, "score": 0.8, "reason": {"reason": "Scored"}}], "excluded": [], "total_candidates": 3, "total_tokens_considered": 15}
    /// fails:  {"events": [], "included": [{"item": {"content": "a", "tokens": 5, "kind": "Message"}, "score": 0.9, "reason": {"reason": "Scored"}}, {"item": {"content": "b", "tokens": 5, "kind": "Message"}, "score": 0.8, "reason": {"reason": "Scored"}}, {"item": {"content": "c", "tokens": 5, "kind": "Message"}, "score": 0.1, "reason": {"reason": "Scored"}}], "excluded": [], "total_candidates": 3, "total_tokens_considered": 15}
    ///         PlaceTopNScoredAtEdges(2) failed: 1 of the top-2 scored items were not at expected edge positions. Top-2 items (by score): [(kind=Message, score=0.9, idx=0), (kind=Message, score=0.8, idx=1)]. Expected edge positions: [0, 2].
    /// ```
    PlaceTopNScoredAtEdges(HowMany),

    /// Passes if all items of each listed kind come before all items of the kinds listed after it.
    ///
    /// Kinds that aren't listed may be anywhere. Fails if a listed kind has no included item.
    /// With `[]`, every report passes.
    ///
    /// ```text
    /// expect: {"kinds_in_order": ["SystemPrompt", "Document", "Message"]}
    /// passes: {"events": [], "included": [{"item": {"content": "be kind", "tokens": 4, "kind": "SystemPrompt"}, "score": 0, "reason": {"reason": "Pinned"}}, {"item": {"content": "a page", "tokens": 20, "kind": "Document"}, "score": 0.4, "reason": {"reason": "Scored"}}, {"item": {"content": "hi", "tokens": 5, "kind": "Message"}, "score": 0.5, "reason": {"reason": "Scored"}}, {"item": {"content": "ho", "tokens": 5, "kind": "Message"}, "score": 0.5, "reason": {"reason": "Scored"}}], "excluded": [], "total_candidates": 4, "total_tokens_considered": 34}
    /// fails:  {"events": [], "included": [{"item": {"content": "be kind", "tokens": 4, "kind": "SystemPrompt"}, "score": 0, "reason": {"reason": "Pinned"}}, {"item": {"content": "hi", "tokens": 5, "kind": "Message"}, "score": 0.5, "reason": {"reason": "Scored"}}, {"item": {"content": "a page", "tokens": 20, "kind": "Document"}, "score": 0.4, "reason": {"reason": "Scored"}}], "excluded": [], "total_candidates": 3, "total_tokens_considered": 29}
    ///         KindsInOrder([SystemPrompt, Document, Message]) failed: item at index 2 (Kind=Document) comes after item at index 1 (Kind=Message). Included had 3 items with kinds: [SystemPrompt, Message, Document].
    /// ```
    KindsInOrder(KindOrder),

    /// Passes if every excluded item was excluded for the reason.
    ///
    /// Also passes if nothing was excluded.
    ///
    /// ```text
    /// expect: {"every_excluded_has_reason": "BudgetExceeded"}
    /// passes: {"events": [], "included": [{"item": {"content": "hi", "tokens": 5, "kind": "Message"}, "score": 0.5, "reason": {"reason": "Scored"}}], "excluded": [{"item": {"content": "long", "tokens": 9, "kind": "Message"}, "score": 0.1, "reason": {"reason": "BudgetExceeded", "item_tokens": 9, "available_tokens": 4}}], "total_candidates": 2, "total_tokens_considered": 14}
    /// fails:  {"events": [], "included": [{"item": {"content": "hi", "tokens": 5, "kind": "Message"}, "score": 0.5, "reason": {"reason": "Scored"}}], "excluded": [{"item": {"content": "long", "tokens": 9, "kind": "Message"}, "score": 0.1, "reason": {"reason": "BudgetExceeded", "item_tokens": 9, "available_tokens": 4}}, {"item": {"content": "hi", "tokens": 9, "kind": "Message"}, "score": 0, "reason": {"reason": "Deduplicated", "deduplicated_against": "hi"}}], "total_candidates": 3, "total_tokens_considered": 23}
    ///         EveryExcludedHasReason(BudgetExceeded) failed: 1 of 2 excluded item(s) had another reason: [Deduplicated]. First: index=1, score=0, reason=Deduplicated.
    /// ```
    EveryExcludedHasReason(ForReason),

    /// Passes if only allowed changes were made since an earlier selection.
    ///
    /// `against` is the file of the earlier report, relative to the question file. `allow` lists the
    /// allowed changes; without it, none are allowed. A change is `entered`, `left` or `moved`, or an
    /// object with any of `change`, `kind` and `predicate`, where the subject of the predicate is the
    /// item.
    ///
    /// Items are identified by content and kind. An item hasn't moved if only the number of items
    /// before it changed.
    ///
    /// ```json
    /// {"selection_changed": {"against": "yesterday.json", "allow": ["moved", {"change": "entered", "kind": "Document"}]}}
    /// ```
    SelectionChanged(Changes),
}

impl Vocabulary for ContextAssertion {
    const SUBJECT: &'static str = "report";
    const NOUN: &'static str = "selection report";
    const ABOUT: &'static str = "the context selected for an agent";
    const TYPE: &'static str = "context.selection";
    const MARKS: &'static [&'static str] = &["included", "excluded"];
    type Subject<'s> = SelectionReport;
    type Setting = NoSetting;

    fn read(json: &[u8], _: &NoSetting) -> Result<Read<SelectionReport>, Malformed> {
        read::read(json)
    }

    fn supply(&mut self, file: &mut FileReader<'_>) -> Result<Vec<String>, Error> {
        match self {
            ContextAssertion::SelectionChanged(changes) => changes.supply(file),
            _ => Ok(Vec::new()),
        }
    }

    fn budget(&self) -> Option<u64> {
        match self {
            ContextAssertion::HaveBudgetUtilizationAbove(Utilization { budget, .. })
            | ContextAssertion::HaveBudgetUtilizationBelow(Utilization { budget, .. }) => {
                u64::try_from(budget.0.max_tokens()).ok()
            }
            _ => None,
        }
    }

    fn judge(&self, report: &SelectionReport, context: &Context<'_>) -> Result<Verdict, Error> {
        use ContextAssertion as Saw;
        let verdict = match self {
            Saw::IncludeItemWithKind(of) => include_item_with_kind(report, &of.kind.0),
            Saw::IncludeItemMatching(Matching { predicate }) => {
                include_item_matching(report, |included| of_included(predicate, report, included, context))?
            }
            Saw::IncludeExactlyNItemsWithKind(KindCount { kind, n }) => {
                include_exactly_n_items_with_kind(report, &kind.0, n.0)
            }
            Saw::ExcludeItemWithReason(ForReason { reason }) => exclude_item_with_reason(report, *reason),
            Saw::ExcludeItemMatchingWithReason(MatchingWithReason { predicate, reason }) => {
                let predicate = |item: &_| of_excluded(predicate, report, item, context);
                exclude_item_matching_with_reason(report, predicate, *reason)?
            }
            Saw::ExcludeItemWithBudgetDetails(details) => exclude_item_with_budget_details(
                report,
                |item| of_excluded(&details.predicate, report, item, context),
                details.expected_item_tokens.0,
                details.expected_available_tokens.0,
            )?,
            Saw::HaveNoExclusionsForKind(of) => have_no_exclusions_for_kind(report, &of.kind.0),
            Saw::HaveAtLeastNExclusions(HowMany { n }) => have_at_least_n_exclusions(report, n.0),
            Saw::ExcludedItemsAreSortedByScoreDescending(Yes) => {
                excluded_items_are_sorted_by_score_descending(report)
            }
            Saw::HaveBudgetUtilizationAbove(Utilization { threshold, budget }) => {
                have_budget_utilization_above(report, threshold.0, &budget.0)
            }
            Saw::HaveBudgetUtilizationBelow(Utilization { threshold, budget }) => {
                have_budget_utilization_below(report, threshold.0, &budget.0)
            }
            Saw::HaveKindCoverageCount(HowMany { n }) => have_kind_coverage_count(report, n.0),
            Saw::PlaceItemAtEdge(Matching { predicate }) => {
                place_item_at_edge(report, |included| of_included(predicate, report, included, context))?
            }
            Saw::PlaceTopNScoredAtEdges(HowMany { n }) => place_top_n_scored_at_edges(report, n.0),
            Saw::KindsInOrder(order) => kinds_in_order(report, &order.0),
            Saw::EveryExcludedHasReason(ForReason { reason }) => every_excluded_has_reason(report, *reason),
            Saw::SelectionChanged(changes) => changes.judge(report, context)?,
        };
        Ok(self.explained(verdict, report, context))
    }

    fn constant(&self) -> Option<Constant> {
        constant::of(self)
    }

    fn exercise(&self, report: &SelectionReport, _: &Context<'_>) -> Exercise {
        use ContextAssertion as Saw;
        match self {
            Saw::IncludeItemWithKind(OfKind { kind })
            | Saw::HaveNoExclusionsForKind(OfKind { kind })
            | Saw::IncludeExactlyNItemsWithKind(KindCount { kind, .. }) => exercise::of_kind(report, &kind.0),
            Saw::IncludeItemMatching(_)
            | Saw::PlaceItemAtEdge(_)
            | Saw::HaveBudgetUtilizationAbove(_)
            | Saw::HaveBudgetUtilizationBelow(_) => exercise::of_included(report),
            Saw::ExcludeItemWithReason(_)
            | Saw::ExcludeItemMatchingWithReason(_)
            | Saw::ExcludeItemWithBudgetDetails(_)
            | Saw::EveryExcludedHasReason(_) => exercise::of_excluded(report),
            Saw::ExcludedItemsAreSortedByScoreDescending(Yes) => exercise::of_excluded_order(report),
            Saw::HaveAtLeastNExclusions(_)
            | Saw::HaveKindCoverageCount(_)
            | Saw::PlaceTopNScoredAtEdges(_) => Exercise::Yes,
            Saw::KindsInOrder(order) => exercise::of_kinds(report, &order.0),
            Saw::SelectionChanged(changes) => exercise::of_changes(report, changes),
        }
    }

    fn witnesses(&self, report: &SelectionReport) -> Vec<Pointed> {
        self.shown_by(report)
    }

    fn sighting(&self, report: &SelectionReport) -> Option<Sighting> {
        sighting::of(self, report)
    }

    fn show(report: &SelectionReport, showing: &Showing) -> String {
        show(report, showing)
    }

    fn exhibit(report: &SelectionReport) -> Option<&dyn Exhibit> {
        Some(report)
    }
}
