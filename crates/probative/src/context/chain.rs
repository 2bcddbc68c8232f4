//! The faces of the vocabulary in Rust: `report.should()` panics, `report.check()` answers.

use std::borrow::Borrow;
use std::convert::Infallible;
use std::fmt;

use cupel::{ContextBudget, ContextItem, ContextKind, IncludedItem, SelectionReport};

use super::argument::{all_different, specific};
use super::diff::{self, Change, SelectionDiff};
use super::reason::Reason;
use super::{aggregate, budget, coverage, exclusion, inclusion, ordering};
use crate::verdict::{Failure, Verdict};

/// Assertions on a [`SelectionReport`].
///
/// ```
/// use cupel::{ContextKind, SelectionReport};
/// use probative::context::{Reason, SelectionReportAssertions as _};
///
/// fn the_prompt_is_there(report: &SelectionReport) {
///     report
///         .should()
///         .include_item_with_kind(ContextKind::system_prompt())
///         .place_item_at_edge(|included| included.item.pinned())
///         .every_excluded_has_reason(Reason::BudgetExceeded);
/// }
/// ```
pub trait SelectionReportAssertions {
    /// Starts a chain of assertions, each of which panics at the caller's line unless it holds.
    fn should(&self) -> SelectionReportAssertionChain<'_>;

    /// Starts a chain of assertions, each of which answers with an error unless it holds.
    fn check(&self) -> SelectionReportCheck<'_>;

    /// What changed in this selection since an earlier one.
    fn diff<'r>(&'r self, earlier: &'r Self) -> SelectionDiff<'r>;
}

impl SelectionReportAssertions for SelectionReport {
    fn should(&self) -> SelectionReportAssertionChain<'_> {
        SelectionReportAssertionChain { report: self }
    }

    fn check(&self) -> SelectionReportCheck<'_> {
        SelectionReportCheck { report: self }
    }

    fn diff<'r>(&'r self, earlier: &'r Self) -> SelectionDiff<'r> {
        diff::diff(self, earlier)
    }
}

/// Assertions that panic at the caller's line, with the message of the one that does not hold.
#[derive(Debug, Clone, Copy)]
pub struct SelectionReportAssertionChain<'r> {
    report: &'r SelectionReport,
}

/// Assertions that answer, to be chained with `?`.
///
/// ```
/// use cupel::SelectionReport;
/// use probative::context::{SelectionReportAssertionError, SelectionReportAssertions as _};
///
/// fn is_as_it_should(report: &SelectionReport) -> Result<(), SelectionReportAssertionError> {
///     report.check().have_kind_coverage_count(2)?.have_at_least_n_exclusions(1)?;
///     Ok(())
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct SelectionReportCheck<'r> {
    report: &'r SelectionReport,
}

/// Why an assertion on a selection does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectionReportAssertionError {
    /// One sentence that stands alone and begins with the assertion's name.
    pub message: String,
    /// The assertion: `IncludeItemWithKind`.
    pub assertion: String,
    /// What was asked for.
    pub expected: String,
    /// What was found.
    pub actual: String,
}

impl fmt::Display for SelectionReportAssertionError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for SelectionReportAssertionError {}

impl SelectionReportAssertionError {
    /// The error of the method with a name.
    fn of(method: &str, Failure { message, expected, actual, .. }: Failure) -> Self {
        SelectionReportAssertionError { message, assertion: in_camel_case(method), expected, actual }
    }
}

/// `include_item_with_kind` as `IncludeItemWithKind`.
fn in_camel_case(method: &str) -> String {
    let capitalized = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    };
    method.split('_').map(capitalized).collect()
}

/// Writes both faces of every assertion: the function that judges stands behind the `=`.
macro_rules! faces {
    ($($(#[$doc:meta])* $name:ident($report:ident $(, $argument:ident: $type:ty)*) = $judge:expr;)*) => {
        impl SelectionReportAssertionChain<'_> {
            $(
                $(#[$doc])*
                #[track_caller]
                pub fn $name(self $(, $argument: $type)*) -> Self {
                    let $report = self.report;
                    match $judge {
                        Verdict::Pass => self,
                        Verdict::Fail(failure) => fail(failure),
                    }
                }
            )*
        }

        impl SelectionReportCheck<'_> {
            $(
                $(#[$doc])*
                pub fn $name(self $(, $argument: $type)*) -> Result<Self, SelectionReportAssertionError> {
                    let $report = self.report;
                    match $judge {
                        Verdict::Pass => Ok(self),
                        Verdict::Fail(failure) => {
                            Err(SelectionReportAssertionError::of(stringify!($name), *failure))
                        }
                    }
                }
            )*
        }
    };
}

faces! {
    /// At least one selected item is of the kind.
    include_item_with_kind(report, kind: impl Borrow<ContextKind>) =
        of_kind("IncludeItemWithKind", kind.borrow(), |kind| inclusion::include_item_with_kind(report, kind));

    /// At least one selected item satisfies the predicate.
    include_item_matching(report, predicate: impl Fn(&IncludedItem) -> bool) =
        certain(inclusion::include_item_matching(report, |included| Ok(predicate(included))));

    /// Exactly `n` selected items are of the kind. With 0, none is.
    include_exactly_n_items_with_kind(report, kind: impl Borrow<ContextKind>, n: usize) =
        of_kind("IncludeExactlyNItemsWithKind", kind.borrow(), |kind| {
            inclusion::include_exactly_n_items_with_kind(report, kind, n as u64)
        });

    /// At least one item was left out for the reason; what the reason carries plays no part.
    exclude_item_with_reason(report, reason: impl Into<Reason>) =
        exclusion::exclude_item_with_reason(report, reason.into());

    /// At least one item that satisfies the predicate was left out for the reason.
    exclude_item_matching_with_reason(
        report, predicate: impl Fn(&ContextItem) -> bool, reason: impl Into<Reason>
    ) = certain(exclusion::exclude_item_matching_with_reason(report, |item| Ok(predicate(item)), reason.into()));

    /// Some item that satisfies the predicate did not fit the budget, with exactly these numbers.
    exclude_item_with_budget_details(
        report,
        predicate: impl Fn(&ContextItem) -> bool,
        expected_item_tokens: i64,
        expected_available_tokens: i64
    ) = certain(exclusion::exclude_item_with_budget_details(
        report,
        |item| Ok(predicate(item)),
        expected_item_tokens,
        expected_available_tokens,
    ));

    /// No item of the kind was left out.
    have_no_exclusions_for_kind(report, kind: impl Borrow<ContextKind>) =
        of_kind("HaveNoExclusionsForKind", kind.borrow(), |kind| {
            exclusion::have_no_exclusions_for_kind(report, kind)
        });

    /// At least `n` items were left out. With 0, this always holds.
    have_at_least_n_exclusions(report, n: usize) = aggregate::have_at_least_n_exclusions(report, n as u64);

    /// The items that were left out stand in the order of their scores, the highest first.
    excluded_items_are_sorted_by_score_descending(report) =
        aggregate::excluded_items_are_sorted_by_score_descending(report);

    /// The tokens of the selected items are at least this share of the budget's `max_tokens`.
    have_budget_utilization_above(report, threshold: f64, budget: &ContextBudget) =
        budget::have_budget_utilization_above(report, threshold, budget);

    /// The tokens of the selected items are at most this share of the budget's `max_tokens`.
    have_budget_utilization_below(report, threshold: f64, budget: &ContextBudget) =
        budget::have_budget_utilization_below(report, threshold, budget);

    /// At least `n` distinct kinds are among the selected items.
    have_kind_coverage_count(report, n: usize) = coverage::have_kind_coverage_count(report, n as u64);

    /// The first or the last selected item satisfies the predicate.
    place_item_at_edge(report, predicate: impl Fn(&IncludedItem) -> bool) =
        certain(ordering::place_item_at_edge(report, |included| Ok(predicate(included))));

    /// The `n` selected items with the highest scores stand on the `n` outermost positions.
    place_top_n_scored_at_edges(report, n: usize) = ordering::place_top_n_scored_at_edges(report, n as u64);

    /// Every item of a kind that is named stands before every item of the kinds named after it.
    kinds_in_order(report, kinds: &[ContextKind]) =
        match kinds.iter().try_for_each(|kind| specific(kind).map(|_| ())).and_then(|()| all_different(kinds)) {
            Ok(()) => ordering::kinds_in_order(report, kinds),
            Err(reason) => cannot_be_asked("KindsInOrder", &reason),
        };

    /// Every item that was left out was left out for the reason.
    every_excluded_has_reason(report, reason: impl Into<Reason>) =
        exclusion::every_excluded_has_reason(report, reason.into());

    /// Nothing changed since an earlier selection but what is allowed.
    selection_changed(report, earlier: &SelectionReport, allowed: impl Fn(&Change<'_>) -> bool) =
        certain(diff::selection_changed(report, earlier, "an earlier report", |change| Ok(allowed(change))));
}

/// Panics with the message alone. Nothing is left to be dropped on the way up.
#[inline(always)]
#[expect(clippy::inline_always, reason = "each frame makes a panic slower")]
#[track_caller]
fn fail(mut failure: Box<Failure>) -> ! {
    let message = std::mem::take(&mut failure.message);
    drop(failure);
    std::panic::panic_any(message)
}

/// The verdict of an assertion whose predicate always answers.
fn certain(judged: Result<Verdict, Infallible>) -> Verdict {
    match judged {
        Ok(verdict) => verdict,
        Err(never) => match never {},
    }
}

/// The verdict on a kind, unless it is the one that nobody can ask for.
fn of_kind(assertion: &str, kind: &ContextKind, judge: impl FnOnce(&ContextKind) -> Verdict) -> Verdict {
    match specific(kind) {
        Ok(kind) => judge(kind),
        Err(reason) => cannot_be_asked(assertion, &reason),
    }
}

fn cannot_be_asked(assertion: &str, reason: &str) -> Verdict {
    let failure = Verdict::fail(format!("{assertion} failed: {reason}"));
    failure.expected("a valid argument").actual(reason).into()
}
