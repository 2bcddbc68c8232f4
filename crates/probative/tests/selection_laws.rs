//! Laws of the vocabulary about selection reports: each assertion against a second, naive definition of it, over reports
//! that no pipeline would make.
#![cfg(feature = "cupel")]

mod reports;

use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cupel::{ContextBudget, ContextKind, ExclusionReason, SelectionReport};
use probative::context::{How, Reason, SelectionReportAssertions, SelectionReportCheck};
use probative::exhibit::{Exhibit, Extent, Marks, Showing};
use probative::vocabulary::{NoSetting, Read};
use probative::{ContextAssertion, Vocabulary};
use proptest::prelude::*;
use reports::{Item, reasons, report};
use serde_json::{Value, json};

const KINDS: [&str; 5] = ["Message", "message", "Document", "ToolOutput", "Tool\u{1b}"];
const SCORES: [f64; 8] = [0.0, -0.0, 0.5, 0.75, 1.0, -1.0, f64::INFINITY, f64::NAN];

fn items(reason: impl Strategy<Value = Value> + Clone + 'static) -> impl Strategy<Value = Vec<Item>> {
    let content = prop::sample::select(vec!["a", "b", "c", "d", "e", "f"]);
    let kind = prop::sample::select(KINDS.to_vec());
    let score = prop::sample::select(SCORES.to_vec());
    let item = (content, kind, score, -5i64..50, reason)
        .prop_map(|(content, kind, score, tokens, reason)| Item::new(content, kind, score, tokens, reason));
    prop::collection::vec(item, 0..12)
}

fn any_report() -> impl Strategy<Value = SelectionReport> {
    let included = prop::sample::select(vec!["Scored", "Pinned", "ZeroToken"]);
    let included = items(included.prop_map(|reason| json!({"reason": reason})));
    let numbers = (0i64..3, 0i64..3).prop_map(
        |(item, left)| json!({"reason": "BudgetExceeded", "item_tokens": item, "available_tokens": left}),
    );
    let excluded = items(prop_oneof![prop::sample::select(reasons()), numbers]);
    (included, excluded).prop_map(|(included, excluded)| report(&included, &excluded))
}

fn kind(name: &str) -> ContextKind {
    ContextKind::new(name).unwrap()
}

fn same(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b)
}

/// The names of those that are distinct, in the order of their first.
fn first_of_each(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in names {
        if !found.iter().any(|known| same(known, &name)) {
            found.push(name);
        }
    }
    found
}

fn kinds_of(report: &SelectionReport) -> Vec<String> {
    first_of_each(report.included.iter().map(|item| item.item.kind().as_str().replace('\u{1b}', "\\u001b")))
}

/// The variant's name, as Rust prints it.
fn name_of(reason: &ExclusionReason) -> String {
    format!("{reason:?}")
        .chars()
        .take_while(|character| character.is_alphanumeric() || *character == '_')
        .collect()
}

/// What the chain that answers says: nothing, or the message. The chain that panics must say the same.
fn told(
    report: &SelectionReport,
    ask: impl Fn(SelectionReportCheck<'_>) -> Option<String>,
    assert: impl Fn(),
) -> Option<String> {
    let answered = ask(report.check());
    let panicked = catch_unwind(AssertUnwindSafe(assert)).err();
    let panicked = panicked.map(|payload| payload.downcast_ref::<String>().unwrap().clone());
    assert_eq!(answered, panicked, "both faces say the same");
    answered
}

/// Asks both faces the same thing.
macro_rules! ask {
    ($report:expr, $name:ident($($argument:expr),*)) => {{
        let report: &SelectionReport = $report;
        told(
            report,
            |check| check.$name($($argument),*).err().map(|error| error.message),
            || { report.should().$name($($argument),*); },
        )
    }};
}

/// The first `n` of a full sort by score, those at the edges first where scores are equal; and the edges themselves.
fn naive_top(report: &SelectionReport, n: usize) -> (Vec<usize>, Vec<usize>) {
    let count = report.included.len();
    let mut edges = Vec::new();
    let (mut low, mut high) = (0, count);
    while edges.len() < n {
        edges.push(low);
        low += 1;
        if edges.len() < n {
            high -= 1;
            edges.push(high);
        }
    }
    let score = |index: &usize| report.included[*index].score;
    let mut ranked: Vec<usize> = (0..count).collect();
    ranked.sort_by(|a, b| {
        let by_score = match (score(a).is_nan(), score(b).is_nan()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => score(b).partial_cmp(&score(a)).unwrap(),
        };
        by_score.then_with(|| edges.contains(b).cmp(&edges.contains(a))).then_with(|| a.cmp(b))
    });
    ranked.truncate(n);
    (ranked, edges)
}

proptest! {
    #[test]
    fn inclusion_is_what_it_says(report in any_report(), asked in prop::sample::select(KINDS[..4].to_vec()), n in 0usize..4) {
        let (count, kinds) = (report.included.len(), kinds_of(&report).join(", "));
        let found = report.included.iter().filter(|item| same(item.item.kind().as_str(), asked)).count();
        let expected = (found == 0).then(|| format!(
            "IncludeItemWithKind({asked}) failed: Included contained 0 items with Kind={asked}. Included had {count} items with kinds: [{kinds}]."
        ));
        prop_assert_eq!(ask!(&report, include_item_with_kind(kind(asked))), expected);
        let expected = (found != n).then(|| format!(
            "IncludeExactlyNItemsWithKind({asked}, {n}) failed: expected {n} items with Kind={asked} in Included, but found {found}. Included had {count} items total."
        ));
        prop_assert_eq!(ask!(&report, include_exactly_n_items_with_kind(kind(asked), n)), expected);
        let matches = report.included.iter().any(|item| item.item.content() == "a" && item.score > 0.0);
        let answer = ask!(&report, include_item_matching(|item| item.item.content() == "a" && item.score > 0.0));
        let base = format!("IncludeItemMatching failed: no item in Included matched the predicate. Included had {count} items.");
        prop_assert_eq!(answer.is_none(), matches);
        prop_assert!(answer.is_none_or(|message| message.starts_with(&base) && (message == base) == (count == 0)));
    }

    #[test]
    fn exclusion_is_what_it_says(report in any_report(), asked in 0usize..11, kind_asked in prop::sample::select(KINDS[..4].to_vec()), item_tokens in 0i64..3, available in 0i64..3) {
        let exemplar: ExclusionReason = serde_json::from_value(reasons()[asked].clone()).unwrap();
        let reason = name_of(&exemplar);
        let names = |matching: &dyn Fn(&str) -> bool| {
            let matching = report.excluded.iter().filter(|item| matching(item.item.content()));
            first_of_each(matching.map(|item| name_of(&item.reason))).join(", ")
        };
        let count = report.excluded.len();
        let any = report.excluded.iter().any(|item| name_of(&item.reason) == reason);
        let expected = (!any).then(|| format!(
            "ExcludeItemWithReason({reason}) failed: no excluded item had reason {reason}. Excluded had {count} items with reasons: [{}].",
            names(&|_| true)
        ));
        prop_assert_eq!(ask!(&report, exclude_item_with_reason(exemplar.clone())), expected);

        let early = |content: &str| content < "c";
        let matched: Vec<_> = report.excluded.iter().filter(|item| early(item.item.content())).collect();
        let any = matched.iter().any(|item| name_of(&item.reason) == reason);
        let expected = (!any).then(|| format!(
            "ExcludeItemMatchingWithReason(reason={reason}) failed: predicate matched {} excluded item(s) but none had reason {reason}. Matched items had reasons: [{}].",
            matched.len(), names(&early)
        ));
        prop_assert_eq!(ask!(&report, exclude_item_matching_with_reason(|item| early(item.content()), exemplar.clone())), expected);

        let numbers: Vec<(i64, i64)> = matched.iter().filter_map(|item| match item.reason {
            ExclusionReason::BudgetExceeded { item_tokens, available_tokens } => Some((item_tokens, available_tokens)),
            _ => None,
        }).collect();
        let asked = format!("ExcludeItemWithBudgetDetails failed: expected BudgetExceeded with item_tokens={item_tokens}, available_tokens={available}, but");
        let expected = match numbers.first() {
            _ if numbers.contains(&(item_tokens, available)) => None,
            Some((item, left)) => Some(format!("{asked} found item_tokens={item}, available_tokens={left}.")),
            None => Some(format!(
                "{asked} no matching item had reason BudgetExceeded. Predicate matched {} excluded item(s) with reasons: [{}].",
                matched.len(), names(&early)
            )),
        };
        prop_assert_eq!(ask!(&report, exclude_item_with_budget_details(|item| early(item.content()), item_tokens, available)), expected);

        let of_kind: Vec<_> = report.excluded.iter().filter(|item| same(item.item.kind().as_str(), kind_asked)).collect();
        let expected = of_kind.first().map(|first| format!(
            "HaveNoExclusionsForKind({kind_asked}) failed: found {} excluded item(s) with Kind={kind_asked}. First: score={}, reason={}.",
            of_kind.len(), first.score, name_of(&first.reason)
        ));
        prop_assert_eq!(ask!(&report, have_no_exclusions_for_kind(kind(kind_asked))), expected);

        let every = report.excluded.iter().all(|item| name_of(&item.reason) == reason);
        prop_assert_eq!(ask!(&report, every_excluded_has_reason(Reason::from(&exemplar))).is_none(), every);
    }

    #[test]
    fn aggregates_budget_and_coverage_are_what_they_say(report in any_report(), n in 0usize..14, threshold in prop::sample::select(vec![-0.5, 0.0, 0.1, 0.5, 1.0, 2.5]), max in 1i64..200) {
        let excluded = report.excluded.len();
        let expected = (excluded < n).then(|| format!(
            "HaveAtLeastNExclusions({n}) failed: expected at least {n} excluded items, but Excluded had {excluded}."
        ));
        prop_assert_eq!(ask!(&report, have_at_least_n_exclusions(n)), expected);

        let scores: Vec<f64> = report.excluded.iter().map(|item| item.score).collect();
        let mut expected = None;
        for i in 0..scores.len().saturating_sub(1) {
            let sorted = scores[i].partial_cmp(&scores[i + 1]).is_some_and(Ordering::is_ge);
            if !sorted && expected.is_none() {
                expected = Some(format!(
                    "ExcludedItemsAreSortedByScoreDescending failed: item at index {} (score={}) is higher than item at index {i} (score={}). Expected non-increasing scores.",
                    i + 1, scores[i + 1], scores[i]
                ));
            }
        }
        prop_assert_eq!(ask!(&report, excluded_items_are_sorted_by_score_descending()), expected);

        let budget = ContextBudget::new(max, 1, 0, [].into(), 0.0).unwrap();
        let tokens: i64 = report.included.iter().map(|item| item.item.tokens()).sum();
        let double = |number: i64| f64::from(i32::try_from(number).unwrap());
        let used = double(tokens) / double(max);
        let message = |side: &str| format!(
            "HaveBudgetUtilization{side}({threshold}) failed: computed utilization was {used:.6} (includedTokens={tokens}, budget.MaxTokens={max})."
        );
        let above = (used < threshold).then(|| message("Above"));
        prop_assert_eq!(ask!(&report, have_budget_utilization_above(threshold, &budget)), above);
        let below = (used > threshold).then(|| message("Below"));
        prop_assert_eq!(ask!(&report, have_budget_utilization_below(threshold, &budget)), below);

        let kinds = kinds_of(&report);
        let expected = (kinds.len() < n).then(|| format!(
            "HaveKindCoverageCount({n}) failed: expected at least {n} distinct ContextKind values in Included, but found {}: [{}].",
            kinds.len(), kinds.join(", ")
        ));
        prop_assert_eq!(ask!(&report, have_kind_coverage_count(n)), expected);
    }

    #[test]
    fn ordering_is_what_it_says(report in any_report(), n in 0usize..14) {
        let count = report.included.len();
        let matches: Vec<usize> = (0..count).filter(|index| report.included[*index].item.content() < "c").collect();
        let at_edge = count > 0 && (matches.contains(&0) || matches.contains(&(count - 1)));
        let expected = match matches.first() {
            _ if at_edge => None,
            None => Some("PlaceItemAtEdge failed: no item in Included matched the predicate.".to_owned()),
            Some(first) => Some(format!(
                "PlaceItemAtEdge failed: item matching predicate was at index {first} (not at edge). Edge positions: 0 and {}. Included had {count} items.",
                count - 1
            )),
        };
        prop_assert_eq!(ask!(&report, place_item_at_edge(|item| item.item.content() < "c")), expected);

        let answer = ask!(&report, place_top_n_scored_at_edges(n));
        if n > count {
            let start = format!("PlaceTopNScoredAtEdges({n}) failed: n={n} exceeds Included count={count}.");
            prop_assert!(answer.unwrap().starts_with(&start));
        } else {
            let (top, edges) = naive_top(&report, n);
            let off = top.iter().filter(|index| !edges.contains(index)).count();
            let shown: Vec<String> = top.iter().map(|index| {
                let item = &report.included[*index];
                format!("(kind={}, score={}, idx={index})", item.item.kind().as_str().replace('\u{1b}', "\\u001b"), item.score)
            }).collect();
            let positions: Vec<String> = edges.iter().map(ToString::to_string).collect();
            let expected = (off > 0).then(|| format!(
                "PlaceTopNScoredAtEdges({n}) failed: {off} of the top-{n} scored items were not at expected edge positions. Top-{n} items (by score): [{}]. Expected edge positions: [{}].",
                shown.join(", "), positions.join(", ")
            ));
            prop_assert_eq!(answer, expected);
        }

        let asked = [kind("ToolOutput"), kind("Message"), kind("Document")];
        let ranks: Vec<usize> = report.included.iter().filter_map(|item| asked.iter().position(|kind| kind == item.item.kind())).collect();
        let sorted = ranks.windows(2).all(|pair| pair[0] <= pair[1]);
        let complete = (0..3).all(|rank| ranks.contains(&rank));
        prop_assert_eq!(ask!(&report, kinds_in_order(&asked)).is_none(), sorted && complete);
    }

    #[test]
    fn a_diff_turns_one_selection_into_the_other(report in any_report(), earlier in any_report()) {
        let diff = report.diff(&earlier);
        let names = |report: &SelectionReport| -> Vec<(String, String)> {
            let name = |item: &cupel::ContextItem| (item.content().to_owned(), item.kind().as_str().to_ascii_lowercase());
            report.included.iter().map(|included| name(&included.item)).collect()
        };
        let (mut before, after) = (names(&earlier), names(&report));
        // What left and what moved is taken out, from the last on; what moved or entered is put in, from the first on.
        let mut gone: Vec<usize> = diff.changes.iter().filter_map(|change| change.from).collect();
        gone.sort_unstable();
        for from in gone.into_iter().rev() {
            before.remove(from);
        }
        let mut come: Vec<usize> = diff.changes.iter().filter_map(|change| change.to).collect();
        come.sort_unstable();
        for to in come {
            before.insert(to, after[to].clone());
        }
        prop_assert_eq!(before, after);
        prop_assert!(report.diff(&report).is_empty());
        for (how, from, to) in [(How::Entered, false, true), (How::Left, true, false), (How::Moved, true, true)] {
            prop_assert!(diff.of(how).all(|change| change.how() == how && change.from.is_some() == from && change.to.is_some() == to));
        }
        let counted = diff.of(How::Entered).count() + diff.of(How::Left).count() + diff.of(How::Moved).count();
        prop_assert_eq!(counted, diff.changes.len());
        // The other way round, what entered has left.
        let back = earlier.diff(&report);
        prop_assert_eq!(diff.of(How::Entered).count(), back.of(How::Left).count());
        prop_assert_eq!(diff.of(How::Moved).count(), back.of(How::Moved).count());
        prop_assert_eq!(ask!(&report, selection_changed(&earlier, |_| false)).is_none(), diff.is_empty());
        prop_assert_eq!(ask!(&report, selection_changed(&earlier, |_| true)), None);
    }

    #[test]
    fn a_report_is_read_as_it_was_written(report in any_report()) {
        let json = serde_json::to_vec(&report).unwrap();
        let Read { subject, .. } = ContextAssertion::read(&json, &NoSetting).unwrap();
        // Where JSON cannot write a score, it is read as not a number.
        let score = |score: f64| if score.is_finite() { score } else { f64::NAN };
        let same = |a: f64, b: f64| a.to_bits() == score(b).to_bits() || (a.is_nan() && score(b).is_nan());
        prop_assert_eq!(subject.included.len(), report.included.len());
        prop_assert!(subject.included.iter().zip(&report.included).all(|(a, b)| a.item == b.item && a.reason == b.reason && same(a.score, b.score)));
        prop_assert!(subject.excluded.iter().zip(&report.excluded).all(|(a, b)| a.item == b.item && same(a.score, b.score)));
    }

    #[test]
    fn what_is_shown_obeys_no_terminal(report in any_report(), budget in prop::option::of(0u64..200)) {
        let shown = ContextAssertion::show(&report, &Showing { extent: Extent::Whole, budget });
        let obeyed = shown.contains('\u{1b}');
        prop_assert!(!obeyed);
        prop_assert_eq!(report.lines(&Marks::default()).len(), 2 + report.included.len() + report.excluded.len());
    }
}
