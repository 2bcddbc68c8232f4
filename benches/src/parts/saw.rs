//! The thirteen patterns over a selection report, beside the crate that has the same ones.

use std::collections::HashMap;
use std::hint::black_box;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use cupel::{ContextBudget, ContextKind, ExclusionReason, SelectionReport};
use cupel_testing::SelectionReportAssertions as Theirs;
use probative::context::SelectionReportAssertions as Ours;

use crate::bench::Bench;
use crate::data::saw::{RARE, report};
use crate::measure::{Contender, compare};
use crate::rows::Row;
use crate::told::count;

pub(super) const ASKS: &str = "\
The thirteen patterns of the crate cupel-testing, over one report with equally many included and excluded items. Both \
run in one process and assert with a panic, which is caught. Each pattern is asked passing and failing, if possible so \
that all items must be looked at. Where it fails, Probative also gathers what its message shows.";

const ITEMS: usize = 100_000;

/// How long one measurement takes at least, so that short ones are repeated.
const LONG_ENOUGH: Duration = Duration::from_millis(4);

/// One pattern with its arguments, asked of both.
struct Case<'r> {
    pattern: &'static str,
    passes: bool,
    ours: Box<dyn Fn() + 'r>,
    theirs: Box<dyn Fn() + 'r>,
}

/// Writes cases: the pattern, whether it passes, then what each is asked.
macro_rules! cases {
    ($report:expr; $($pattern:literal $passes:ident, $ours:ident($($of_ours:expr),*), $theirs:ident($($of_theirs:expr),*);)*) => {
        vec![$(Case {
            pattern: $pattern,
            passes: stringify!($passes) == "passes",
            ours: Box::new(move || { black_box(Ours::should($report).$ours($($of_ours),*)); }),
            theirs: Box::new(move || { black_box(Theirs::should($report).$theirs($($of_theirs),*)); }),
        }),*]
    };
}

pub(super) fn measure(bench: &Bench) -> io::Result<Vec<Row>> {
    let items = bench.sized(ITEMS);
    let sorted = report(items).map_err(io::Error::other)?;
    let mut unsorted = sorted.clone();
    unsorted.excluded.swap(items - 2, items - 1);
    unsorted.included.swap(0, items / 2);
    let limit = i64::try_from(items * 100).map_err(io::Error::other)?;
    let budget = ContextBudget::new(limit, 1, 0, HashMap::new(), 0.0).map_err(io::Error::other)?;
    // Both fail with a panic, thousands of times; nothing else may panic unheard.
    let told = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let rows =
        cases(&sorted, &unsorted, &budget, items).iter().map(|case| beside(bench, case, items)).collect();
    std::panic::set_hook(told);
    let rows: io::Result<Vec<Vec<Row>>> = rows;
    Ok(rows?.concat())
}

fn beside(bench: &Bench, case: &Case<'_>, items: usize) -> io::Result<Vec<Row>> {
    let Case { pattern, passes, ours, theirs } = case;
    let word = if *passes { "passes" } else { "fails" };
    for (asked, whose) in [(ours, "probative"), (theirs, "cupel-testing")] {
        if catch_unwind(AssertUnwindSafe(asked)).is_ok() != *passes {
            return Err(io::Error::other(format!("{pattern}: {word}, but {whose} says otherwise")));
        }
    }
    let what = format!("{} items: {pattern}, {word}", count(items));
    let ours = Contender::function("probative", || Ok(time(ours)));
    let theirs = Contender::function("cupel-testing", || Ok(time(theirs)));
    compare(&what, bench.rounds(15), ours, vec![theirs])
}

/// The time that one takes, on average over as many as make it measurable.
fn time(asked: &dyn Fn()) -> Duration {
    let started = Instant::now();
    let mut times = 0;
    while started.elapsed() < LONG_ENOUGH {
        let _ = catch_unwind(AssertUnwindSafe(asked));
        times += 1;
    }
    started.elapsed() / times
}

fn kind(name: &str) -> ContextKind {
    ContextKind::new(name).unwrap_or_default()
}

fn no_fit() -> ExclusionReason {
    ExclusionReason::BudgetExceeded { item_tokens: 0, available_tokens: 0 }
}

fn filtered() -> ExclusionReason {
    ExclusionReason::Filtered { filter_name: String::new() }
}

fn cases<'r>(
    sorted: &'r SelectionReport,
    unsorted: &'r SelectionReport,
    budget: &'r ContextBudget,
    items: usize,
) -> Vec<Case<'r>> {
    let mut cases = cases! { sorted;
        "1 include item with kind" passes, include_item_with_kind(kind(RARE)), include_item_with_kind(kind(RARE));
        "1 include item with kind" fails, include_item_with_kind(kind("Other")), include_item_with_kind(kind("Other"));
        "2 include item matching" passes, include_item_matching(|i| i.item.kind().as_str() == RARE), include_item_matching(|i| i.item.kind().as_str() == RARE);
        "2 include item matching" fails, include_item_matching(|i| i.score > 2.0), include_item_matching(|i| i.score > 2.0);
        "3 include exactly n" passes, include_exactly_n_items_with_kind(kind(RARE), 1), include_exact_n_items_with_kind(kind(RARE), 1);
        "3 include exactly n" fails, include_exactly_n_items_with_kind(kind(RARE), 2), include_exact_n_items_with_kind(kind(RARE), 2);
        "4 exclude with reason" passes, exclude_item_with_reason(no_fit()), exclude_item_with_reason(no_fit());
        "4 exclude with reason" fails, exclude_item_with_reason(filtered()), exclude_item_with_reason(filtered());
        "5 exclude matching" passes, exclude_item_matching_with_reason(|i| i.tokens() > 0, no_fit()), exclude_item_matching_with_reason(|e| e.item.tokens() > 0, no_fit());
        "5 exclude matching" fails, exclude_item_matching_with_reason(|i| i.tokens() > 50, filtered()), exclude_item_matching_with_reason(|e| e.item.tokens() > 50, filtered());
        "6 budget details" passes, exclude_item_with_budget_details(|i| i.tokens() > 0, 9, 4), have_excluded_item_with_budget_details(|e| e.item.tokens() > 0, 9, 4);
        "6 budget details" fails, exclude_item_with_budget_details(|i| i.tokens() > 0, 9, 5), have_excluded_item_with_budget_details(|e| e.item.tokens() > 0, 9, 5);
        "7 no exclusions for kind" passes, have_no_exclusions_for_kind(kind("Other")), have_no_exclusions_for_kind(kind("Other"));
        "7 no exclusions for kind" fails, have_no_exclusions_for_kind(kind("Memory")), have_no_exclusions_for_kind(kind("Memory"));
        "8 at least n exclusions" passes, have_at_least_n_exclusions(items), have_at_least_n_exclusions(items);
        "8 at least n exclusions" fails, have_at_least_n_exclusions(items + 1), have_at_least_n_exclusions(items + 1);
        "9 sorted by score" passes, excluded_items_are_sorted_by_score_descending(), excluded_items_are_sorted_by_score_descending();
        "10 budget utilization" passes, have_budget_utilization_above(0.1, budget), have_budget_utilization_above(0.1, budget);
        "10 budget utilization" fails, have_budget_utilization_above(0.9, budget), have_budget_utilization_above(0.9, budget);
        "11 kind coverage" passes, have_kind_coverage_count(5), have_kind_coverage_count(5);
        "11 kind coverage" fails, have_kind_coverage_count(6), have_kind_coverage_count(6);
        "12 item at edge" passes, place_item_at_edge(|i| i.item.kind().as_str() == RARE), place_item_at_edge(|i| i.item.kind().as_str() == RARE);
        "12 item at edge" fails, place_item_at_edge(|i| i.score > 2.0), place_item_at_edge(|i| i.score > 2.0);
        "13 top 10 at edges" passes, place_top_n_scored_at_edges(10), place_top_n_scored_at_edges(10);
        "13 top 1,000 at edges" passes, place_top_n_scored_at_edges(1000.min(items)), place_top_n_scored_at_edges(1000.min(items));
        "13 top half at edges" passes, place_top_n_scored_at_edges(items / 2), place_top_n_scored_at_edges(items / 2);
    };
    cases.extend(cases! { unsorted;
        "9 sorted by score" fails, excluded_items_are_sorted_by_score_descending(), excluded_items_are_sorted_by_score_descending();
        "13 top 10 at edges" fails, place_top_n_scored_at_edges(10), place_top_n_scored_at_edges(10);
        "13 top 100 at edges" fails, place_top_n_scored_at_edges(100), place_top_n_scored_at_edges(100);
        "13 top half at edges" fails, place_top_n_scored_at_edges(items / 2), place_top_n_scored_at_edges(items / 2);
    });
    cases
}
