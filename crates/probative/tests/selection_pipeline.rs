//! A real pipeline of cupel, from candidates to the report, and every assertion on what it reports.
#![cfg(feature = "cupel")]

use std::panic::{AssertUnwindSafe, catch_unwind};

use chrono::{TimeZone as _, Utc};
use cupel::{
    CompositeScorer, ContextBudget, ContextItem, ContextItemBuilder, ContextKind, DiagnosticTraceCollector,
    GreedySlice, KindScorer, Pipeline, RecencyScorer, SelectionReport, TraceDetailLevel, UShapedPlacer,
};
use probative::context::{
    How, Reason, SelectionReportAssertionError, SelectionReportAssertions as _, SelectionReportCheck,
};

fn kind(name: &str) -> ContextKind {
    ContextKind::new(name).unwrap()
}

fn candidates() -> Vec<ContextItem> {
    let item = |content: &str, tokens, kind_of: &str, minute| {
        let time = Utc.with_ymd_and_hms(2026, 11, 15, 12, minute, 0).unwrap();
        ContextItemBuilder::new(content, tokens).kind(kind(kind_of)).timestamp(time)
    };
    [
        item("You answer for the shop.", 10, "SystemPrompt", 0).pinned(true),
        item("My teapot arrived broken.", 12, "Message", 5),
        item("Refunds within 30 days.", 40, "Document", 4),
        item("order 4711: one teapot", 20, "ToolOutput", 3),
        item("My teapot arrived broken.", 12, "Message", 1),
        item("The history of the shop.", 500, "Document", 2),
    ]
    .map(|item| item.build().unwrap())
    .into()
}

fn budget() -> ContextBudget {
    ContextBudget::new(120, 100, 0, [].into(), 0.0).unwrap()
}

/// Scores, slices and places the candidates, traced.
fn run(items: &[ContextItem]) -> SelectionReport {
    let scorer = CompositeScorer::new(vec![
        (Box::new(RecencyScorer), 2.0),
        (Box::new(KindScorer::with_default_weights()), 1.0),
    ]);
    let pipeline = Pipeline::builder()
        .scorer(Box::new(scorer.unwrap()))
        .slicer(Box::new(GreedySlice))
        .placer(Box::new(UShapedPlacer))
        .build()
        .unwrap();
    let mut collector = DiagnosticTraceCollector::new(TraceDetailLevel::Item);
    let selected = pipeline.run_traced(items, &budget(), &mut collector).unwrap();
    let report = collector.into_report();
    let reported: Vec<&ContextItem> = report.included.iter().map(|included| &included.item).collect();
    assert_eq!(reported, selected.iter().collect::<Vec<_>>());
    report
}

#[test]
fn every_assertion_holds_of_what_the_pipeline_reports() {
    let report = run(&candidates());
    let long = |item: &ContextItem| item.tokens() > 100;
    report
        .should()
        .include_item_with_kind(kind("systemprompt"))
        .include_item_matching(|included| included.score > 0.5 && included.item.content().contains("30 days"))
        .include_exactly_n_items_with_kind(kind("Document"), 1)
        .exclude_item_with_reason(Reason::Deduplicated)
        .exclude_item_matching_with_reason(long, Reason::BudgetExceeded)
        .exclude_item_with_budget_details(long, 500, 18)
        .have_no_exclusions_for_kind(ContextKind::tool_output())
        .have_at_least_n_exclusions(2)
        .excluded_items_are_sorted_by_score_descending()
        .have_budget_utilization_above(0.6, &budget())
        .have_budget_utilization_below(0.9, &budget())
        .have_kind_coverage_count(4)
        .place_item_at_edge(|included| included.item.pinned())
        .place_top_n_scored_at_edges(2)
        .kinds_in_order(&[kind("SystemPrompt"), kind("Document")])
        .selection_changed(&report, |_| false);
}

#[test]
fn every_assertion_fails_of_what_the_pipeline_does_not_report() {
    type Ask<'a> = &'a dyn Fn(SelectionReportCheck<'_>) -> Option<SelectionReportAssertionError>;
    let report = run(&candidates());
    let nothing = |_: &ContextItem| false;
    let long = |item: &ContextItem| item.tokens() > 100;
    let asks: [(&str, Ask<'_>); 17] = [
        ("IncludeItemWithKind", &|check| check.include_item_with_kind(kind("Memory")).err()),
        ("IncludeItemMatching", &|check| check.include_item_matching(|included| included.score > 9.0).err()),
        ("IncludeExactlyNItemsWithKind", &|check| {
            check.include_exactly_n_items_with_kind(kind("Message"), 2).err()
        }),
        ("ExcludeItemWithReason", &|check| check.exclude_item_with_reason(Reason::Filtered).err()),
        ("ExcludeItemMatchingWithReason", &|check| {
            check.exclude_item_matching_with_reason(nothing, Reason::BudgetExceeded).err()
        }),
        ("ExcludeItemWithBudgetDetails", &|check| {
            check.exclude_item_with_budget_details(long, 500, 19).err()
        }),
        ("HaveNoExclusionsForKind", &|check| check.have_no_exclusions_for_kind(kind("Document")).err()),
        ("HaveAtLeastNExclusions", &|check| check.have_at_least_n_exclusions(3).err()),
        ("ExcludedItemsAreSortedByScoreDescending", &|_| {
            let mut report = run(&candidates());
            report.excluded.reverse();
            report.check().excluded_items_are_sorted_by_score_descending().err()
        }),
        ("HaveBudgetUtilizationAbove", &|check| check.have_budget_utilization_above(0.9, &budget()).err()),
        ("HaveBudgetUtilizationBelow", &|check| check.have_budget_utilization_below(0.6, &budget()).err()),
        ("HaveKindCoverageCount", &|check| check.have_kind_coverage_count(5).err()),
        ("PlaceItemAtEdge", &|check| {
            check.place_item_at_edge(|included| included.item.kind() == &kind("ToolOutput")).err()
        }),
        ("PlaceTopNScoredAtEdges", &|check| check.place_top_n_scored_at_edges(9).err()),
        ("KindsInOrder", &|check| check.kinds_in_order(&[kind("Document"), kind("SystemPrompt")]).err()),
        ("EveryExcludedHasReason", &|check| check.every_excluded_has_reason(Reason::Deduplicated).err()),
        ("SelectionChanged", &|check| {
            let earlier = run(&candidates()[..3]);
            check.selection_changed(&earlier, |change| change.how() == How::Moved).err()
        }),
    ];
    for (name, ask) in asks {
        let error = ask(report.check()).unwrap_or_else(|| panic!("{name} holds"));
        assert_eq!(error.assertion, name);
        assert!(error.message.starts_with(name) && error.to_string() == error.message, "{}", error.message);
        assert!(!error.expected.is_empty() && !error.actual.is_empty(), "{error:?}");
    }
}

#[test]
fn a_chain_stops_at_the_first_that_does_not_hold() -> Result<(), SelectionReportAssertionError> {
    let report = run(&candidates());
    report.check().have_kind_coverage_count(4)?.have_at_least_n_exclusions(1)?;
    let stopped =
        report.check().have_at_least_n_exclusions(7).and_then(|check| check.have_kind_coverage_count(9));
    assert_eq!(
        stopped.unwrap_err().message,
        "HaveAtLeastNExclusions(7) failed: expected at least 7 excluded items, but Excluded had 2."
    );
    Ok(())
}

#[test]
fn a_panic_is_at_the_line_of_the_caller_and_says_the_message() {
    let report = run(&candidates());
    let place = std::sync::Mutex::new(None);
    let place = std::sync::Arc::new(place);
    let seen = std::sync::Arc::clone(&place);
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let at = panic.location().map(|at| (at.file().to_owned(), at.line()));
        *seen.lock().unwrap() = at;
    }));
    let line = line!() + 1;
    let ended = catch_unwind(AssertUnwindSafe(|| report.should().have_at_least_n_exclusions(7)));
    std::panic::set_hook(hook);
    let message = ended.unwrap_err().downcast_ref::<String>().unwrap().clone();
    assert_eq!(
        message,
        "HaveAtLeastNExclusions(7) failed: expected at least 7 excluded items, but Excluded had 2."
    );
    let place = place.lock().unwrap().clone();
    assert_eq!(place, Some((file!().to_owned(), line)));
}

#[test]
fn the_kind_that_stands_for_all_cannot_be_asked_for() {
    let report = run(&candidates());
    let twice = [kind("Message"), kind("message")];
    assert!(
        report.check().kinds_in_order(&twice).unwrap_err().message.ends_with("'message' is listed twice")
    );
    assert!(report.check().kinds_in_order(&[kind("ANY")]).is_err());
    let error = report.check().include_item_with_kind(kind("any")).unwrap_err();
    assert_eq!(
        error.message,
        "IncludeItemWithKind failed: 'Any' isn't the kind of any item; name a specific kind"
    );
}

#[test]
fn a_diff_tells_what_entered_left_and_moved_and_why() {
    let items = candidates();
    let (now, before) = (run(&items), run(&items[..4]));
    assert!(now.diff(&before).is_empty(), "what was left out before and after changed nothing");
    let fewer = run(&[items[0].clone(), items[1].clone()]);
    let told = now.diff(&fewer).to_string();
    assert_eq!(
        told,
        "entered at index 1 (kind=Document, 'Refunds within 30 days.', not a candidate before)\n\
         entered at index 2 (kind=ToolOutput, 'order 4711: one teapot', not a candidate before)\n"
    );
}
