//! Selection reports as they are read and shown: what is wrong and where, what is odd, and the page for people.
#![cfg(feature = "cupel")]

use cupel::SelectionReport;
use probative::exhibit::{Exhibit, Extent, Marked, Marks, Showing};
use probative::value::Malformed;
use probative::verdict::{Part, Pointed};
use probative::vocabulary::NoSetting;
use probative::{ContextAssertion, Vocabulary as _};
use serde_json::{Value, json};

fn item(tokens: i64, score: &Value) -> Value {
    json!({"item": {"content": "x", "tokens": tokens, "kind": "Message"}, "score": score, "reason": {"reason": "Scored"}})
}

fn left_out(tokens: i64, score: f64) -> Value {
    let reason = json!({"reason": "BudgetExceeded", "item_tokens": tokens, "available_tokens": 5});
    json!({"item": {"content": "a page", "tokens": tokens, "kind": "Document"}, "score": score, "reason": reason})
}

fn written(included: &[Value], excluded: &[Value]) -> Value {
    let tokens = included.iter().chain(excluded).filter_map(|item| item["item"]["tokens"].as_i64());
    let count = included.len() + excluded.len();
    json!({"events": [], "included": included, "excluded": excluded, "total_candidates": count,
        "total_tokens_considered": tokens.sum::<i64>()})
}

fn report(included: &[Value], excluded: &[Value]) -> SelectionReport {
    let written = written(included, excluded).to_string();
    ContextAssertion::read(written.as_bytes(), &NoSetting).unwrap().subject
}

fn shown(report: &SelectionReport, budget: Option<u64>) -> String {
    ContextAssertion::show(report, &Showing { extent: Extent::Whole, budget })
}

#[test]
fn a_report_is_shown_with_all_that_was_taken_and_left_out() {
    let report = report(&[item(5, &json!(0.5))], &[left_out(9, 0.1)]);
    assert_eq!(
        shown(&report, Some(10)),
        "  included    [██████████░░░░░░░░░░░░░░░░░░░░] 5 of 14 tokens, 35.7% (1 of 2 items)
  budget      [███████████████░░░░░░░░░░░░░░░] 5 of 10 tokens, 50.0%

Included (1 item):
    [0]  Message   0.5000  5 tokens  Scored          'x'
Excluded (1 item):
    [0]  Document  0.1000  9 tokens  BudgetExceeded  'a page'  (needs 9 tokens, 5 left)
"
    );
    assert!(shown(&report, Some(4)).contains("] 5 of 4 tokens, 125.0%, over budget\n"));
}

#[test]
fn a_bar_is_as_full_as_what_was_taken() {
    let first = |report: &SelectionReport| shown(report, None).lines().next().unwrap().to_owned();
    let empty = "░".repeat(30);
    assert_eq!(first(&report(&[], &[])), format!("  included    [{empty}] 0 of 0 tokens (0 of 0 items)"));
    let nothing = report(&[item(0, &json!(1))], &[left_out(30, 0.1)]);
    assert_eq!(first(&nothing), format!("  included    [{empty}] 0 of 30 tokens, 0.0% (1 of 2 items)"));
}

#[test]
fn scores_have_few_digits() {
    let scores = [json!(0), json!(1e-4), json!(-0.5), json!(9e6), json!(1e7), json!(1e-5), json!(null)];
    let included: Vec<Value> = scores.iter().map(|score| item(1, score)).collect();
    let text = shown(&report(&included, &[]), None);
    let told: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().nth(2)).skip(1).collect();
    let expected = ["0.0000", "0.0001", "-0.5000", "9000000.0000", "1e7", "1e-5", "NaN"];
    assert!(told.windows(expected.len()).any(|told| told == expected), "{text}");
}

#[test]
fn positions_take_no_more_room_than_the_last_one_needs() {
    let ten = shown(&report(&vec![item(1, &json!(1)); 10], &[]), None);
    assert!(ten.contains("\n    [0]  Message") && ten.contains("\n    [9]  Message"), "{ten}");
    let eleven = shown(&report(&vec![item(1, &json!(1)); 11], &[]), None);
    assert!(eleven.contains("\n     [0]  Message") && eleven.contains("\n    [10]  Message"), "{eleven}");
}

#[test]
fn a_list_as_a_whole_is_marked_at_its_title_unless_items_are() {
    let report = report(&[item(5, &json!(0.5))], &[]);
    let exhibit: &dyn Exhibit = ContextAssertion::exhibit(&report).unwrap();
    let place = |place: &str| Marked { place: place.to_owned(), note: "too few".to_owned(), target: None };
    let notes = |marks: &Marks| -> Vec<(String, String)> {
        let lines = exhibit.lines(marks).into_iter();
        lines.filter_map(|line| Some((line.text.split(' ').next()?.to_owned(), line.note?))).collect()
    };
    let mut marks = Marks { parts: Vec::new(), places: vec![place("excluded"), place("elsewhere")] };
    assert_eq!(notes(&marks), [("Excluded:".to_owned(), "too few".to_owned())]);
    marks.places.push(place("excluded"));
    assert_eq!(notes(&marks), [("Excluded:".to_owned(), "too few; too few".to_owned())]);
    marks.parts.push(Pointed { part: Part::Included(0), note: "this item".to_owned() });
    assert_eq!(notes(&marks), [(String::new(), "this item".to_owned())]);
    assert_eq!(exhibit.panels().len(), 1);
}

#[test]
fn what_an_assertion_says_of_the_budget_is_known() {
    let budget = |question: Value| serde_json::from_value::<ContextAssertion>(question).unwrap().budget();
    assert_eq!(budget(json!({"have_budget_utilization_above": {"threshold": 0.5, "budget": 70}})), Some(70));
    assert_eq!(budget(json!({"have_budget_utilization_below": {"threshold": 0.5, "budget": 80}})), Some(80));
    assert_eq!(budget(json!({"have_at_least_n_exclusions": 1})), None);
}

#[test]
fn a_total_that_is_not_the_sum_is_warned_of() {
    let warnings =
        |report: &Value| ContextAssertion::read(report.to_string().as_bytes(), &NoSetting).unwrap().warnings;
    let mut report = written(&[item(5, &json!(0.5))], &[left_out(9, 0.1)]);
    assert_eq!(warnings(&report), [""; 0]);
    report["total_tokens_considered"] = json!(13);
    assert_eq!(warnings(&report), ["'total_tokens_considered' is 13, but the items add up to 14 tokens"]);
}

fn wrong(json: &str) -> Malformed {
    ContextAssertion::read(json.as_bytes(), &NoSetting).unwrap_err()
}

#[test]
fn what_is_wrong_is_told_with_its_line_and_column() {
    let several_lines = "{\"events\": [],\n \"included\": [\n  {\"item\": {\"content\": \"é\", \"tokens\": \"many\"},\n   \"score\": null, \"reason\": {\"reason\": \"Scored\"}}]}";
    let told = wrong(several_lines);
    assert_eq!((told.line, told.column), (3, 40), "{}", told.message);
    assert_eq!(
        told.message,
        "not a selection report: included[0].item.tokens: expected an integer, found 'many'"
    );
    let one_line = wrong("{\"events\": 1}");
    assert_eq!((one_line.line, one_line.column), (1, 12), "{}", one_line.message);
}

#[test]
fn what_is_missing_has_no_place_before_it() {
    let told = wrong("{}");
    assert_eq!(told.message, "not a selection report: 'events' is missing");
    assert_eq!((told.line, told.column), (1, 1));
}

#[test]
fn a_list_in_the_order_of_the_fields_is_no_report() {
    assert_eq!(wrong("[[], [], [], 0, 0]").cause, probative::value::Cause::Model);
}

#[test]
fn of_many_warnings_of_a_kind_the_first_are_told_and_the_others_counted() {
    let warnings = |count: usize| {
        let nulls: Vec<Value> = (0..count).map(|_| item(1, &Value::Null)).collect();
        ContextAssertion::read(written(&nulls, &[]).to_string().as_bytes(), &NoSetting).unwrap().warnings
    };
    assert_eq!(warnings(8).len(), 8);
    assert_eq!(warnings(8)[0], "'included[0].score' is null; read as NaN");
    assert_eq!((warnings(9).len(), warnings(9)[8].as_str()), (9, "… and 1 more like this"));
    assert_eq!(warnings(10)[8], "… and 2 more like this");
}

#[test]
fn what_is_wrong_with_a_report_that_nobody_could_read_is_told_at_its_beginning() {
    let line = |bytes: usize| {
        let start = "{\n\"events\": 5, \"padding\": \"";
        let malformed = wrong(&format!("{start}{}\"}}", "x".repeat(bytes - start.len() - 2)));
        (malformed.line, malformed.column)
    };
    assert_eq!(line(4 << 20), (2, 11));
    assert_eq!(line((4 << 20) + 1), (1, 1));
}

#[test]
fn an_entry_that_is_no_object_is_refused() {
    let mut report = written(&[], &[]);
    report["included"] = json!([[item(1, &json!(1))["item"], 0.5, {"reason": "Scored"}]]);
    let malformed = wrong(&report.to_string());
    assert_eq!(malformed.message, "not a selection report: included[0]: expected an object, found a list");
    for (list, entry) in [
        ("count_requirement_shortfalls", json!(["kind", 2, 1])),
        ("events", json!(["classify", 1.5, 3, null])),
    ] {
        let mut report = written(&[], &[]);
        report[list] = json!([entry]);
        let malformed = wrong(&report.to_string());
        let expected = format!("not a selection report: {list}[0]: expected an object, found a list");
        assert_eq!(malformed.message, expected);
    }
}

#[test]
fn the_edges_of_what_is_shown() {
    let order = |first, second| {
        let shown = shown(&report(&[], &[left_out(1, first), left_out(1, second)]), None);
        shown.lines().find(|line| line.starts_with("Excluded")).unwrap().to_owned()
    };
    assert_eq!(order(0.2, 0.1), "Excluded (2 items, by score):");
    assert_eq!(order(0.1, 0.2), "Excluded (2 items, not sorted by score):");
    let empty = "░".repeat(30);
    let nothing = shown(&report(&[], &[left_out(0, 0.1)]), None);
    assert!(
        nothing.starts_with(&format!("  included    [{empty}] 0 of 0 tokens (0 of 1 items)\n")),
        "{nothing}"
    );
    let full = "█".repeat(30);
    let one = shown(&report(&[item(1, &json!(1))], &[]), Some(1));
    assert!(one.contains(&format!("  budget      [{full}] 1 of 1 tokens, 100.0%\n")), "{one}");
}
