//! Judging a subject that passes allocates nothing, but for what is decoded when it is looked at.

use counting_allocator::counted;
use probative::document::Document;
use probative::{Context, Question, ResponseAssertion, TrajectoryAssertion, Vocabulary};

#[test]
fn a_response_that_passes_allocates_nothing() {
    let question = r#"{"status": "success", "contains": "note", "results_min": 1, "has_fields": ["results[*].file"],
        "has_field": "results", "field_equals": {"n": 1.0}, "field_contains": {"path": "summary", "text": "two"},
        "all_match": {"path": "results[*].n", "value": 1}, "all_match_pattern": {"path": "results[*].file", "regex": "^j"},
        "all_have_tags": ["work"], "none_have_tags": ["draft"], "all_in_range": {"path": "results[*].n", "min": 0},
        "all_dates_between": {"path": "results[*].at", "start": "2026-01-01", "end": "2026-12-31"},
        "sorted_desc": {"path": "results[*].file"}, "array_contains": {"path": "results[0].metadata.tags", "values": ["work"]},
        "results_schema": {"file": "string"}, "if_results": {"results_max": 2}}"#;
    let response = r#"{"status": "success", "n": 1, "summary": "two notes", "results": [
        {"file": "jb", "n": 1, "at": "2026-02-01", "metadata": {"tags": ["work"]}},
        {"file": "ja", "n": 1.0, "at": "2026-03-01T00:00:00Z", "metadata": {"tags": ["work", "x"]}}]}"#;
    judging_allocates_nothing::<ResponseAssertion>(question, response);
}

#[test]
fn a_run_that_passes_allocates_only_for_arguments_that_are_compared() {
    let question = r#"{"tool_was_called": "search", "tool_not_called": "delete", "tool_call_count": {"name": "search", "count": 2},
        "tool_called_with": {"name": "search", "args": {"q": "tea", "limit": 5}},
        "tool_called_with_partial": {"name": "search", "args": {"limit": {"$any": true}, "q": "milk"}},
        "tool_called_before": {"first": "search", "second": "refund"},
        "tool_called_immediately_before": {"first": "search", "second": "refund"},
        "call_order_contains": ["search", "search", "refund"], "call_order_equals": ["search", "search", "refund"],
        "tools_only": ["refund", "search"], "tool_errored": "refund", "tool_succeeded": {"name": "search", "nth": 1},
        "tool_result": {"name": "search"}, "if_called": {"tool": "search", "then": {"tool_was_called": "refund"}},
        "output_equals": "Done RF-1.", "output_contains": "RF-", "output_not_contains": "sorry", "output_matches": "RF-\\d",
        "cost_under": 1, "tokens_under": 400, "duration_under": 3, "llm_calls_under": 2, "failed": true, "error_is": "TimeoutError"}"#;
    let run = r#"{"steps": [
        {"step_type": "llm_call", "prompt_tokens": 300, "completion_tokens": 12, "cost": 0.5},
        {"step_type": "tool_call", "tool_name": "search", "tool_args": {"limit": 5.0, "q": "tea"}, "tool_result": [1]},
        {"step_type": "tool_call", "tool_name": "search", "tool_args": {"q": "milk", "limit": 5}},
        {"step_type": "tool_call", "tool_name": "refund", "tool_error": "no"}],
        "final_output": "Done RF-1.", "duration_seconds": 2.5, "error": {"type": "TimeoutError", "message": "", "module": null}}"#;
    // Two for each of the three calls whose arguments are compared: they stay text until then.
    judging_allocates::<TrajectoryAssertion>(question, run, 6);
}

fn judging_allocates_nothing<A: Vocabulary>(question: &str, subject: &str) {
    judging_allocates::<A>(question, subject, 0);
}

fn judging_allocates<A: Vocabulary>(question: &str, subject: &str, most: usize) {
    let question = Question::<A>::compile(Document::new("q.json", question)).unwrap();
    let subject = A::read(subject.as_bytes(), question.setting()).unwrap().subject;
    // The first search of a pattern makes room for the later ones.
    let judgement = question.judge(&subject, &Context::default());
    assert!(judgement.passed(), "{judgement:?}");
    let before = counted().allocations;
    let judgement = question.judge(&subject, &Context::default());
    let allocations = counted().allocations - before;
    assert!(judgement.passed());
    assert!(allocations <= most, "{allocations}");
}

#[cfg(feature = "cupel")]
mod reports {
    use counting_allocator::counted;
    use cupel::{ContextBudget, ContextKind, SelectionReport};
    use probative::ContextAssertion;
    use probative::context::{Reason, SelectionReportAssertions as _};

    use super::judging_allocates_nothing;

    #[test]
    fn a_report_that_passes_allocates_nothing() {
        let question = r#"{"include_item_with_kind": "document", "include_exactly_n_items_with_kind": {"kind": "Message", "n": 2},
            "exclude_item_with_reason": "Deduplicated", "have_no_exclusions_for_kind": "ToolOutput", "have_at_least_n_exclusions": 2,
            "excluded_items_are_sorted_by_score_descending": true, "have_budget_utilization_above": {"threshold": 0.1, "budget": 100},
            "have_budget_utilization_below": {"threshold": 0.9, "budget": {"max_tokens": 100}}, "have_kind_coverage_count": 2,
            "place_top_n_scored_at_edges": 2, "kinds_in_order": ["Document", "Message"]}"#;
        judging_allocates_nothing::<ContextAssertion>(question, REPORT);
    }

    #[test]
    fn a_chain_that_passes_allocates_nothing() {
        let report: SelectionReport = serde_json::from_str(REPORT).unwrap();
        let (document, message, output) =
            (ContextKind::document(), ContextKind::message(), ContextKind::tool_output());
        let budget = ContextBudget::new(100, 100, 0, [].into(), 0.0).unwrap();
        let before = counted().allocations;
        report
            .should()
            .include_item_with_kind(&document)
            .include_item_matching(|included| included.item.content() == "c")
            .include_exactly_n_items_with_kind(&message, 2)
            .exclude_item_with_reason(Reason::Deduplicated)
            .exclude_item_matching_with_reason(|item| item.tokens() == 40, Reason::BudgetExceeded)
            .exclude_item_with_budget_details(|item| item.tokens() == 40, 40, 3)
            .have_no_exclusions_for_kind(&output)
            .have_at_least_n_exclusions(2)
            .excluded_items_are_sorted_by_score_descending()
            .have_budget_utilization_above(0.1, &budget)
            .have_budget_utilization_below(0.9, &budget)
            .have_kind_coverage_count(2)
            .place_item_at_edge(|included| included.item.content() == "c")
            .place_top_n_scored_at_edges(3);
        assert_eq!(counted().allocations - before, 0);
    }

    const REPORT: &str = r#"{"events": [], "included": [
    {"item": {"content": "a", "tokens": 10, "kind": "Document"}, "score": 0.9, "reason": {"reason": "Scored"}},
    {"item": {"content": "b", "tokens": 10}, "score": 0.5, "reason": {"reason": "Scored"}},
    {"item": {"content": "c", "tokens": 10}, "score": 0.8, "reason": {"reason": "Scored"}}], "excluded": [
    {"item": {"content": "d", "tokens": 40, "kind": "Document"}, "score": 0.7, "reason": {"reason": "BudgetExceeded", "item_tokens": 40, "available_tokens": 3}},
    {"item": {"content": "c", "tokens": 10}, "score": 0.7, "reason": {"reason": "Deduplicated", "deduplicated_against": "c"}}],
    "total_candidates": 5, "total_tokens_considered": 80}"#;
}
