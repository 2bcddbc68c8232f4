//! `--save-baseline`, `--baseline` and `--fail-on`: what changed since an earlier run, and what that run must not lose.

mod cases;
mod place;

use std::os::unix::fs::PermissionsExt as _;

use cases::{exit_code, fence, shell, signal};
use place::{Ended, Place};
use serde_json::{Value, json};

/// A document with a case for each file: it passes as long as the file is there.
fn document(ids: &[&str]) -> String {
    let cases: Value = ids.iter().map(|id| shell(id, &format!("test -e {id}"))).collect();
    cases.to_string()
}

/// Cases A, B and C, of which only B does not pass.
fn three() -> Place {
    Place::with(&[("a.spec.json", &document(&["A", "B", "C"])), ("A", ""), ("C", "")])
}

fn run(place: &Place, arguments: &[&str]) -> Ended {
    place.run(&[&["run", "a.spec.json", "--no-timings"], arguments].concat())
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

const SAVED: &str = "{\"version\":1,\"cases\":[
{\"id\":\"A\",\"status\":\"pass\"},
{\"id\":\"B\",\"status\":\"fail\"},
{\"id\":\"C\",\"status\":\"pass\"}
]}
";

/// The same three cases, but now B passes and A does not.
fn changed() -> Place {
    let place = three();
    place.write("main.json", SAVED.as_bytes());
    place.write("B", b"");
    std::fs::remove_file(place.path("A")).unwrap();
    place
}

#[test]
fn what_is_saved_is_what_ended_and_changes_nothing_else() {
    let place = three();
    let plain = run(&place, &[]);
    let saving = run(&place, &["--save-baseline", "main.json"]);
    assert_eq!((saving.code, &saving.stdout, &saving.stderr), (1, &plain.stdout, &plain.stderr));
    assert_eq!(place.read("main.json"), SAVED);
    let again = run(&place, &["--baseline", "main.json", "--save-baseline", "main.json"]);
    again.with(1, &["no changes since the baseline\n3 cases: 2 passed, 1 failed\n"], &[]);
    assert_eq!(place.read("main.json"), SAVED);
    assert_eq!(place.files(), ["A", "C", "a.spec.json", "main.json"]);
}

#[test]
fn a_person_is_told_what_changed_before_the_last_line() {
    let place = changed();
    place.write("a.spec.json", document(&["A", "B", "N"]).as_bytes());
    place.write("N", b"");
    let ended = run(&place, &["--baseline", "main.json"]);
    let told = "changes since the baseline:
  worse     A  pass → fail
  better    B  fail → pass
  new       N
  gone      C

3 cases: 2 passed, 1 failed
";
    assert_eq!(ended.code, 1);
    assert!(ended.stdout.ends_with(&format!("\n\n{told}")), "{}", ended.stdout);
    // What is only read stays as it is.
    assert_eq!(place.read("main.json"), SAVED);
}

#[test]
fn a_machine_is_told_in_the_summary() {
    let place = changed();
    let ended = run(&place, &["--baseline", "main.json", "--report", "json"]);
    let report = parsed(&ended.stdout);
    let expected = json!({
        "worse": [{"id": "A", "before": "pass", "now": "fail"}],
        "better": [{"id": "B", "before": "fail", "now": "pass"}],
        "slower": [], "costlier": [], "new": [], "gone": [],
    });
    assert_eq!(report["summary"]["baseline"], expected);
    assert_eq!(report["summary"]["baseline"].to_string(), expected.to_string());
    let plain = parsed(&run(&place, &["--report", "json"]).stdout);
    assert_eq!(
        plain["summary"],
        json!({"total": 3, "passed": 2, "failed": 1, "errors": 0, "skipped": 0, "flaky": 0})
    );
}

#[test]
fn at_most_twenty_of_a_kind_are_told() {
    let ids: Vec<String> = (10..35).map(|number| format!("N{number}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let place =
        Place::with(&[("a.spec.json", &document(&ids)), ("main.json", "{\"version\":1,\"cases\":[]}")]);
    let ended = run(&place, &["--baseline", "main.json"]);
    ended.with(
        1,
        &["  new       N10  fails\n", "  new       N29  fails\n  new       … and 5 more\n\n25 cases"],
        &[],
    );
    assert!(!ended.stdout.contains("new       N30"), "{}", ended.stdout);
}

#[test]
fn trials_and_times_of_the_baseline_are_compared() {
    let slow = shell("SLOW", "sleep 0.2");
    let saved = r#"{"version":1,"cases":[{"id":"SLOW","status":"pass","passed":3,"ran":3,"duration_ms":3.0,"cost":0.5}]}"#;
    let place = Place::with(&[("a.spec.json", &slow.to_string()), ("main.json", saved)]);
    let ended = place.run(&["run", "a.spec.json", "--baseline", "main.json"]);
    ended.with(0, &["changes since the baseline:\n  slower    SLOW  1 ms → ", "1 case: 1 passed"], &[]);
    let report = ["--baseline", "main.json", "--report", "json"];
    let told = parsed(&place.run(&[&["run", "a.spec.json"], &report[..]].concat()).stdout);
    let slower = &told["summary"]["baseline"]["slower"][0];
    assert_eq!((&slower["id"], &slower["before_ms"]), (&json!("SLOW"), &json!(1.0)));
    assert!(slower["now_ms"].as_f64().unwrap() >= 200.0, "{slower}");
    // Without timings nothing is slower, and none are kept.
    let ended = run(&place, &["--baseline", "main.json", "--save-baseline", "new.json"]);
    ended.with(0, &["no changes since the baseline"], &[]);
    assert_eq!(
        place.read("new.json"),
        "{\"version\":1,\"cases\":[\n{\"id\":\"SLOW\",\"status\":\"pass\"}\n]}\n"
    );
    place.run(&["run", "a.spec.json", "--save-baseline", "new.json"]).with(0, &[], &[]);
    assert!(parsed(&place.read("new.json"))["cases"][0]["duration_ms"].as_f64().unwrap() >= 200.0);
}

#[test]
fn only_what_passed_before_fails_a_run_that_fails_on_regressions() {
    let gate = ["--baseline", "main.json", "--fail-on", "regression"];
    let place = three();
    place.write("main.json", SAVED.as_bytes());
    // B failed before, and N is new.
    run(&place, &gate).with(0, &["3 cases: 2 passed, 1 failed"], &[]);
    place.write("a.spec.json", document(&["A", "B", "C", "N"]).as_bytes());
    run(&place, &gate).with(1, &["new       N  fails", "4 cases: 2 passed, 2 failed"], &[]);
    let lenient = [&gate[..], &["--allow-new-failures"]].concat();
    run(&place, &lenient).with(0, &["4 cases: 2 passed, 2 failed"], &[]);
    place.write("probative.toml", b"allow_new_failures = true\n");
    assert_eq!(run(&place, &gate).code, 0);
    std::fs::remove_file(place.path("probative.toml")).unwrap();
    assert_eq!(run(&place, &["--baseline", "main.json"]).code, 1);
    assert_eq!(run(&place, &["--baseline", "main.json", "--fail-on", "failure"]).code, 1);
    std::fs::remove_file(place.path("C")).unwrap();
    run(&place, &gate).with(1, &["worse     C  pass → fail"], &[]);
    run(&place, &lenient).with(1, &["worse     C  pass → fail"], &[]);
    // Neither what could not be judged nor what was skipped passes.
    let lost = json!([shell("A", "test -e A"), {"id": "C", "type": "text.file", "path": "none.txt"}]);
    place.write("a.spec.json", lost.to_string().as_bytes());
    run(&place, &gate).with(1, &["worse     C  pass → error", "gone      B"], &[]);
    let skipped = json!({"id": "C", "type": "text.file", "requires": {"capabilities": ["time.travel"], "when_missing": "skip"}});
    place.write("a.spec.json", json!([shell("A", "test -e A"), skipped]).to_string().as_bytes());
    run(&place, &gate).with(
        1,
        &["worse     C  pass → skip", "gone      B\n\n2 cases: 1 passed, 1 skipped"],
        &[],
    );
    // What is written wrongly, or selects nothing, is still to be mended.
    place.write(
        "a.spec.json",
        json!([shell("A", "test -e A"), {"id": "D", "type": "cli.run", "x": 1}]).to_string().as_bytes(),
    );
    assert_eq!(run(&place, &gate).code, 2);
    assert_eq!(run(&place, &[&gate[..], &["--filter", "other"]].concat()).code, 2);
}

#[test]
fn a_case_that_is_renamed_or_no_longer_skipped_is_a_new_failure() {
    let gate = ["--baseline", "main.json", "--fail-on", "regression"];
    let place = three();
    let before = SAVED.replace("\"A\",\"status\":\"pass\"", "\"A\",\"status\":\"skip\"");
    place.write("main.json", before.as_bytes());
    assert_eq!(run(&place, &gate).code, 0);
    std::fs::remove_file(place.path("A")).unwrap();
    run(&place, &gate).with(1, &["worse     A  skip → fail"], &[]);
    assert_eq!(run(&place, &[&gate[..], &["--allow-new-failures"]].concat()).code, 0);
    // B failed before; under another name nobody knows that.
    place.write("A", b"");
    place.write("a.spec.json", document(&["A", "B2", "C"]).as_bytes());
    run(&place, &gate).with(1, &["new       B2  fails", "gone      B\n"], &[]);
}

#[test]
fn failing_on_regressions_needs_a_baseline() {
    let place = three();
    run(&place, &["--fail-on", "regression"]).with(2, &[], &["--fail-on regression needs --baseline FILE"]);
    run(&place, &["--fail-on", "regression", "--save-baseline", "x.json"]).with(
        2,
        &[],
        &["needs --baseline"],
    );
    assert_eq!(run(&place, &["--fail-on", "sometimes"]).code, 2);
    assert_eq!(place.files(), ["A", "C", "a.spec.json"]);
}

#[test]
fn a_baseline_that_cannot_be_read_is_told_before_anything_is_run() {
    let place = Place::with(&[
        ("a.spec.json", &shell("A", "touch ran").to_string()),
        ("text.json", "no JSON"),
        ("newer.json", "{\"version\":\n 2}"),
        ("twice.json", r#"{"version":1,"cases":[{"id":"A","status":"pass"},{"id":"A","status":"fail"}]}"#),
        ("directory/file", ""),
    ]);
    place.write("bytes.json", b"\xff");
    let refused = |file: &str, why: &str| {
        let gate = ["--baseline", file, "--save-baseline", "new.json", "--journal", "j.jsonl"];
        let ended = run(&place, &gate);
        ended.with(2, &[], &["cannot read the baseline: ", why]);
        assert_eq!(ended.stdout, "");
    };
    refused("text.json", "text.json:1:");
    refused("newer.json", "newer.json:2:2: unsupported baseline version 2; this release reads version 1");
    refused("twice.json", "twice.json:1:56: duplicate case id 'A'");
    refused("bytes.json", "bytes.json: baseline isn't valid UTF-8");
    refused("directory", "directory: not a file");
    refused("nowhere.json", "nowhere.json: ");
    let left = ["a.spec.json", "bytes.json", "directory", "newer.json", "text.json", "twice.json"];
    assert_eq!(place.files(), left);
}

#[test]
fn a_place_that_cannot_be_written_is_told_before_anything_is_run() {
    let place = Place::with(&[("a.spec.json", &shell("A", "touch ran").to_string()), ("directory/file", "")]);
    let refused = |file: &str, why: &str| run(&place, &["--save-baseline", file]).with(2, &[], &[why]);
    refused("no/where.json", "cannot write the baseline no/where.json: ");
    refused("directory", "cannot write the baseline directory: ");
    refused("a.spec.json", "the baseline a.spec.json would overwrite an input");
    let both = ["--save-baseline", "x.json", "--report", "json=x.json"];
    run(&place, &both).with(2, &[], &["two outputs go to x.json"]);
    let over = ["--baseline", "main.json", "--report", "json=main.json"];
    place.write("main.json", SAVED.as_bytes());
    run(&place, &over).with(2, &[], &["the report main.json would overwrite"]);
    assert_eq!(place.read("main.json"), SAVED);
    assert!(!place.path("ran").exists());
    run(&place, &["--save-baseline", "/dev/full"]).with(
        2,
        &["1 case: 1 passed"],
        &["cannot write the baseline"],
    );
}

#[test]
fn what_is_replaced_keeps_who_may_read_it() {
    let place = three();
    place.write("main.json", b"");
    let mode =
        |mode| std::fs::set_permissions(place.path("main.json"), std::fs::Permissions::from_mode(mode));
    mode(0o640).unwrap();
    run(&place, &["--save-baseline", "main.json"]).with(1, &[], &[]);
    assert_eq!(place.read("main.json"), SAVED);
    assert_eq!(std::fs::metadata(place.path("main.json")).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn a_selection_neither_loses_nor_misses_what_it_leaves_out() {
    let both = ["--baseline", "main.json", "--save-baseline", "main.json"];
    let place = changed();
    run(&place, &[&both[..], &["--filter", "B"]].concat()).with(
        0,
        &["changes since the baseline:\n  better    B  fail → pass\n\n1 case"],
        &[],
    );
    assert_eq!(place.read("main.json"), SAVED.replace("fail", "pass"));
    // Of another type, or in another shard, is not gone either.
    for selection in [["--type", "cli.run"], ["--shard", "1/1"]] {
        let ended = run(&place, &[&both[..2], &selection].concat());
        ended.with(1, &["changes since the baseline:\n  worse     A  pass → fail\n\n3 cases"], &[]);
    }
    place.write("a.spec.json", document(&["B"]).as_bytes());
    for selection in [["--type", "cli.run"], ["--filter", "B"]] {
        run(&place, &[&both[..], &selection].concat()).with(0, &["no changes since the baseline"], &[]);
        assert_eq!(place.read("main.json"), SAVED.replace("fail", "pass"));
    }
    // Each that is gone is so in one shard.
    let gone =
        |shard| run(&place, &["--baseline", "main.json", "--shard", shard]).stdout.matches("gone").count();
    assert_eq!(gone("1/3") + gone("2/3") + gone("3/3"), 2);
    // Without a baseline, what was not selected is not known.
    run(&place, &["--save-baseline", "main.json", "--filter", "B"]).with(0, &[], &[]);
    assert_eq!(
        place.read("main.json"),
        "{\"version\":1,\"cases\":[\n{\"id\":\"B\",\"status\":\"pass\"}\n]}\n"
    );
}

#[test]
fn what_a_broken_document_hides_is_not_gone() {
    let place = changed();
    place.write("b.spec.md", b"```yaml spec-test\nid: X\n");
    let both = ["--baseline", "main.json", "--save-baseline", "main.json"];
    place.write("a.spec.json", document(&["B"]).as_bytes());
    let ended = run(&place, &[&both[..], &["b.spec.md"]].concat());
    ended.with(2, &["better    B"], &[]);
    assert!(!ended.stdout.contains("gone"), "{}", ended.stdout);
    assert_eq!(place.read("main.json"), SAVED.replace("fail", "pass"));
}

#[test]
fn an_id_that_two_cases_have_stands_once_in_a_baseline() {
    let place = Place::with(&[("a.spec.json", &document(&["A", "A"])), ("A", "")]);
    run(&place, &["--save-baseline", "main.json"]).with(2, &["duplicate id 'A'"], &[]);
    assert_eq!(parsed(&place.read("main.json"))["cases"], json!([{"id": "A", "status": "pass"}]));
    run(&place, &["--baseline", "main.json"]).with(2, &["no changes since the baseline"], &[]);
}

#[test]
fn a_run_that_is_broken_off_saves_nothing() {
    let place = three();
    place.write("main.json", b"before");
    let ended = run(&place, &["--save-baseline", "main.json", "--fail-fast"]);
    ended.with(1, &["2 cases"], &["baseline not saved: only 2 of 3 cases ran"]);
    assert_eq!(place.read("main.json"), "before");
    let ended = run(&place, &["--save-baseline", "main.json", "--filter", "other"]);
    ended.with(2, &[], &["baseline not saved: no case ran"]);
    assert_eq!(place.read("main.json"), "before");
}

#[test]
fn an_interrupted_run_saves_nothing_and_compares_nothing() {
    let cases = json!([shell("SLOW", "touch begun; sleep 600")]);
    let saved = r#"{"version":1,"cases":[{"id":"SLOW","status":"pass"}]}"#;
    let place = Place::with(&[("a.spec.json", &cases.to_string()), ("main.json", saved)]);
    let both = ["run", "a.spec.json", "--baseline", "main.json", "--save-baseline", "main.json"];
    let gate = ["--fail-on", "regression", "--report", "json=out.json"];
    let mut child = place.start(&[&both[..], &gate].concat());
    while !place.path("begun").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    signal("INT", child.id());
    assert_eq!(exit_code(&mut child), Some(130));
    let complaint = std::io::read_to_string(child.stderr.take().unwrap()).unwrap();
    assert!(complaint.contains("baseline not saved: the run was interrupted"), "{complaint}");
    assert_eq!(place.read("main.json"), saved);
    assert_eq!(parsed(&place.read("out.json"))["summary"].get("baseline"), None);
    assert_eq!(place.files(), ["a.spec.json", "begun", "main.json", "out.json"]);
}

#[test]
fn a_document_in_markdown_is_compared_alike() {
    let place = Place::with(&[
        ("a.spec.md", &fence(cases::PASSES)),
        ("main.json", "{\"version\":1,\"cases\":[{\"id\":\"GOOD\",\"status\":\"error\"}]}"),
    ]);
    let ended = place.run(&["run", "a.spec.md", "--baseline", "main.json", "--no-timings"]);
    assert_eq!(
        ended.stdout,
        "changes since the baseline:\n  better    GOOD  error → pass\n\n1 case: 1 passed\n"
    );
}
