//! Assertions that passed for lack of anything to say no to, as `probative check` tells of them.

mod place;

use place::Place;
use serde_json::{Value, json};

const QUESTION: &str = "\
status: success
all_match: {path: 'results[*].type', value: note}
if_results: {results_max: 5}
";
const FULL: &str = r#"{"status": "success", "results": [{"type": "note"}]}"#;
const EMPTY: &str = r#"{"status": "success", "results": []}"#;
const WRONG: &str = r#"{"status": "success", "results": [{"type": "draft"}]}"#;

const REFUND: &str = "tool_not_called: refund\n";
const SEARCHED: &str = r#"{"steps": [{"step_type": "tool_call", "tool_name": "search"}]}"#;

fn summary(place: &Place, arguments: &[&str]) -> Value {
    let ended = place.run(&[arguments, &["--report", "json", "--no-timings"]].concat());
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    report["summary"].clone()
}

#[test]
fn the_end_of_the_report_lists_them() {
    let place = Place::with(&[("q.yaml", QUESTION), ("r.json", EMPTY)]);
    let ended = place.run(&["check", "q.yaml", "r.json", "--no-timings"]);
    let expected = "\
2 assertions were never exercised:
  q.yaml:2:1 all_match: results is empty
  q.yaml:3:1 if_results: its condition was never met: there are no results

1 subject: 1 passed, 2 assertions never exercised
";
    assert_eq!((ended.code, &*ended.stdout, &*ended.stderr), (0, expected, ""));
}

#[test]
fn strict_makes_them_a_failure() {
    let place = Place::with(&[("q.yaml", QUESTION), ("r.json", EMPTY), ("full.json", FULL)]);
    assert_eq!(place.run(&["check", "q.yaml", "r.json"]).code, 0);
    assert_eq!(place.run(&["check", "q.yaml", "r.json", "--strict"]).code, 1);
    assert_eq!(place.run(&["check", "q.yaml", "full.json", "--strict"]).code, 0);
    assert_eq!(place.run(&["check", "q.yaml", "r.json", "full.json", "--strict"]).code, 0);
    let ended = place.run(&["check", "q.yaml", "r.json", "--strict", "--report", "jsonl"]);
    assert_eq!(ended.code, 1, "a report without a summary ends alike");
}

#[test]
fn the_json_summary_has_them_where_there_are_any() {
    let place = Place::with(&[("q.yaml", QUESTION), ("empty.json", EMPTY), ("full.json", FULL)]);
    let told = summary(&place, &["check", "q.yaml", "empty.json"]);
    let guard = "its condition was never met: there are no results";
    let expected = json!([
        {"case": null, "assertion": "all_match", "path": "all_match", "place": "q.yaml:2:1", "why": "results is empty"},
        {"case": null, "assertion": "if_results", "path": "if_results", "place": "q.yaml:3:1", "why": guard}]);
    assert_eq!(told["unexercised"], expected);
    assert_eq!((&told["passed"], &told["failed"]), (&json!(1), &json!(0)));
    let told = summary(&place, &["check", "q.yaml", "empty.json", "full.json"]);
    assert!(told.get("unexercised").is_none(), "{told}");
}

#[test]
fn a_failure_or_an_error_is_exercise_enough() {
    let place = Place::with(&[("q.yaml", QUESTION), ("empty.json", EMPTY), ("wrong.json", WRONG)]);
    place.write("odd.yaml", b"cost_under: 1\n");
    place.write("run.json", SEARCHED.as_bytes());
    assert!(summary(&place, &["check", "q.yaml", "empty.json", "wrong.json"]).get("unexercised").is_none());
    assert!(summary(&place, &["check", "odd.yaml", "run.json"]).get("unexercised").is_none());
    // Nobody mentions the tool, but that is what fails.
    place.write("called.yaml", b"tool_was_called: refund\n");
    assert!(summary(&place, &["check", "called.yaml", "run.json"]).get("unexercised").is_none());
}

#[test]
fn nothing_is_listed_after_an_interrupt() {
    use std::io::{BufRead as _, BufReader, Write as _};
    let place = Place::with(&[("q.yaml", QUESTION)]);
    let reports = ["--report", "jsonl", "--report", "json=out.json"];
    let mut child = place.start(&[&["check", "q.yaml", "-", "--input", "jsonl"], &reports[..]].concat());
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{EMPTY}").unwrap();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let report: Value = serde_json::from_str(&place.read("out.json")).unwrap();
    assert_eq!((&report["summary"]["passed"], report["summary"].get("unexercised")), (&json!(1), None));
}

#[test]
fn what_no_subject_was_asked_is_not_listed() {
    let place = Place::with(&[("q.yaml", QUESTION), ("broken.json", "{")]);
    let ended = place.run(&["check", "q.yaml", "broken.json", "--strict"]);
    assert_eq!(ended.code, 2);
    assert!(!ended.stdout.contains("exercised"), "{}", ended.stdout);
}

#[test]
fn a_tool_is_mentioned_by_any_run() {
    let listed = r#"{"tools": ["refund"], "steps": []}"#;
    let place = Place::with(&[("q.yaml", REFUND), ("a.json", SEARCHED), ("b.json", listed)]);
    let ended = place.run(&["check", "q.yaml", "a.json", "--strict", "--no-timings"]);
    let expected = "\
1 assertion was never exercised:
  q.yaml:1:1 tool_not_called: the tool 'refund' is neither called nor listed in 'tools'

1 subject: 1 passed, 1 assertion never exercised (fails the run: --strict)
";
    assert_eq!((ended.code, &*ended.stdout), (1, expected));
    assert_eq!(place.run(&["check", "q.yaml", "a.json", "b.json", "--strict"]).code, 0);
    // A guard that did not open stays closed, but nobody says that its tool is mentioned nowhere.
    place.write("q.yaml", b"if_called: {tool: refund, then: {succeeded: true}}\n");
    let told = summary(&place, &["check", "q.yaml", "a.json", "b.json"]);
    assert_eq!(told["unexercised"][0]["why"], "'refund' was not called");
}

#[test]
fn a_tool_without_a_name_is_a_warning() {
    let run = r#"{"tools": ["search", {"title": "refund"}], "steps": []}"#;
    let place = Place::with(&[("q.yaml", "succeeded: true\n"), ("run.json", run)]);
    let ended = place.run(&["check", "q.yaml", "run.json", "--no-timings"]);
    let expected = "\
warning: run.json: 'tools[1]' is ignored; expected a string, or an object with 'name'
1 subject: 1 passed
";
    assert_eq!((ended.code, &*ended.stdout), (0, expected));
}

#[test]
fn twenty_are_listed_and_the_rest_counted() {
    let rows = "- all_match: {path: 'a[*]', value: 1}\n".repeat(25);
    let place = Place::with(&[("q.yaml", &rows), ("r.json", r#"{"a": []}"#)]);
    let ended = place.run(&["check", "q.yaml", "r.json", "--no-timings"]);
    assert!(
        ended
            .stdout
            .starts_with("25 assertions were never exercised:\n  q.yaml:1:3  all_match: a is empty\n")
    );
    assert!(
        ended.stdout.ends_with("\n  … and 5 more\n\n1 subject: 1 passed, 25 assertions never exercised\n")
    );
    assert_eq!(ended.stdout.matches("a is empty").count(), 20);
}

#[test]
fn every_number_of_threads_tells_the_same() {
    // The reasons differ from subject to subject: that of the first is told, whoever judges first.
    let line = |number: usize| {
        let (padding, n) = ("x".repeat(number % 150), number + 2);
        format!(r#"{{"results": [{{"id": {number}}}], "n": {n}, "tags": [], "p": [{{"{padding}": []}}]}}"#)
            + "\n"
    };
    let lines: String = (0..4000).map(line).collect();
    let question = "\
- sorted_asc: {path: 'results[*].id'}
- all_match: {path: 'p[*][*][*]', value: 1}
- all_match: {path: 'tags[*]', value: 1}
- all_match: {path: 'results[?@.id == 3999].id', value: 3999}
- all_match: {path: 'results[?@.id > $.n].id', value: 1}
";
    let place = Place::with(&[("q.yaml", question), ("r.jsonl", &lines)]);
    for format in ["json", "human"] {
        let run = |jobs| {
            place.run(&[
                "check",
                "q.yaml",
                "r.jsonl",
                "--no-timings",
                "--strict",
                "--report",
                format,
                "-j",
                jobs,
            ])
        };
        let one = run("1");
        assert_eq!((one.code, one.stderr.as_str()), (1, ""));
        for jobs in ["2", "2", "16"] {
            assert_eq!(one.stdout, run(jobs).stdout);
        }
    }
    let told = summary(&place, &["check", "q.yaml", "r.jsonl", "-j2"]);
    let why = |row: &Value| row["why"].as_str().unwrap().to_owned();
    let told: Vec<String> = told["unexercised"].as_array().unwrap().iter().map(why).collect();
    let expected = [
        "results[*].id selects only one value",
        "p[0][''] is empty",
        "tags is empty",
        "results[?@.id > $.n].id selects nothing",
    ];
    assert_eq!(told, expected);
}
