//! What is wrong is said with its place, ends with the right code, and hides nothing else.

mod place;

use place::Place;
use serde_json::Value;

const QUESTION: &str = r#"{"status": "success", "results_max": 5}"#;
const GOOD: &str = r#"{"status": "success", "results": []}"#;
const BAD: &str = r#"{"status": "error", "results": []}"#;

#[test]
fn what_is_wrong_in_a_question_is_shown_and_the_rest_is_judged() {
    let question = "\
status: success
statuss: x
results_max: many
all_match: {path: 'a[', value: 1}
all_match_pattern: {path: a, regex: '('}
sorted_desc: {pth: a}
one_of: [{contians: x}]
value: 5
";
    let place = Place::with(&[("q.yaml", question), ("r.json", r#"{"status": "error"}"#)]);
    let ended = place.run(&["check", "q.yaml", "r.json", "--no-timings"]);
    let told = [
        "ERROR r.json\n  Test has ERRORS (1 of 8 assertions failed, 7 not judged)\n",
        "Expected status 'success', got 'error'",
        "1 subject: 1 error",
    ];
    let complaints = [
        "error: unknown assertion 'statuss'; did you mean 'status'?",
        "--> q.yaml:2:1",
        "2 | statuss: x\n  | ^^^^^^^",
        "results_max: expected a non-negative integer, found 'many'",
        "--> q.yaml:3:14",
        "all_match.path: invalid path 'a[': unclosed `[` (character 2)",
        "--> q.yaml:4:19",
        "all_match_pattern.regex: invalid regex '(': missing ), unterminated subpattern (character 1)",
        "--> q.yaml:5:37",
        "sorted_desc: unknown key 'pth'; did you mean 'path'?",
        "--> q.yaml:6:15",
        "unknown assertion 'contians'; did you mean 'contains'?",
        "--> q.yaml:7:11",
        "'value' is only valid next to 'has_field'",
        "--> q.yaml:8:1",
    ];
    ended.with(2, &told, &complaints);
    let results = place.results(&["check", "q.yaml", "r.json"]);
    assert_eq!((&results[0]["status"], &results[0]["category"]), (&"error".into(), &"schema".into()));
    let rows = results[0]["assertions"].as_array().unwrap();
    assert_eq!(rows.iter().map(|row| &row["status"]).filter(|status| **status == "error").count(), 7);
    assert_eq!(rows[0]["status"], "fail");
}

#[test]
fn a_question_that_cannot_be_asked_ends_with_2() {
    let place = Place::with(&[
        ("r.json", GOOD),
        ("empty.json", ""),
        ("empty.yaml", "# nothing\n"),
        ("text.json", "\"status\""),
        ("twice.json", "{\"status\": 1,\n \"status\": 2}"),
        ("broken.json", "{\"status\": }"),
        ("tab.yaml", "a:\n\tb: 1"),
        ("bom.json", "\u{feff}{\"status\": }"),
    ]);
    place.write("latin.yaml", b"status: ok\nsummary_contains: \xe9\n");
    let refused = |question: &str, complaints: &[&str]| {
        place.run(&["check", question, "r.json"]).with(2, &[], complaints);
    };
    refused("empty.json", &["the question is empty", "empty.json:1:1"]);
    refused("empty.yaml", &["the question is empty", "empty.yaml:2:1"]);
    refused(
        "text.json",
        &["expected an object of assertions, a list of one-key objects, or a must/can/cannot tree"],
    );
    refused("twice.json", &["duplicate key 'status'", "twice.json:2:2"]);
    refused("broken.json", &["expected value", "broken.json:1:12"]);
    refused("bom.json", &["expected value", "bom.json:1:12"]);
    refused("tab.yaml", &["tab.yaml:2:"]);
    refused("latin.yaml", &["latin.yaml:2: the question is not UTF-8"]);
    refused("missing.json", &["missing.json: cannot read the question: no such file or directory"]);
    refused("-", &["-: the question must be a file"]);
    refused(".", &[".: cannot read the question: is a directory"]);
}

#[test]
fn a_question_that_cannot_be_asked_is_in_the_reports_too() {
    let place = Place::with(&[("r.json", GOOD), ("q.json", "{"), ("old.json", "old")]);
    let reports = ["--report", "json=old.json", "--report", "human=told.txt", "--report", "jsonl"];
    let ended = place.run(&[&["check", "q.json", "r.json"], &reports[..]].concat());
    ended.with(
        2,
        &[r#""id":"q.json""#, r#""status":"error","category":"schema""#],
        &["unexpected end of input in an object"],
    );
    let report: Value = serde_json::from_str(&place.read("old.json")).unwrap();
    assert_eq!((&report["summary"]["errors"], &report["results"][0]["id"]), (&1.into(), &"q.json".into()));
    assert!(place.read("told.txt").contains("unexpected end of input in an object"));
}

#[test]
fn a_report_for_people_in_a_file_tells_what_is_wrong_in_the_question() {
    let place = Place::with(&[("r.json", GOOD), ("q.json", r#"{"statuss": 1}"#)]);
    place.run(&["check", "q.json", "r.json", "--report", "human=told.txt"]).with(
        2,
        &[],
        &["did you mean 'status'?"],
    );
    assert!(place.read("told.txt").contains("did you mean 'status'?"));
}

#[test]
fn mistakes_in_arguments_and_trees_are_named() {
    let place = Place::with(&[("r.json", GOOD)]);
    let refused = |question: &str, complaint: &str| {
        place.write("q.json", question.as_bytes());
        place.run(&["check", "q.json", "r.json"]).with(2, &["1 error"], &[complaint]);
    };
    refused(r#"{"sorted_desc": ["a", "b"]}"#, "sorted_desc: expected an object, found a list");
    refused(r#"{"field_contains": ["a", "x"]}"#, "field_contains: expected an object, found a list");
    let typo = "results_schema.id.type: unknown value 'strng'; did you mean 'string'?";
    refused(r#"{"results_schema": {"id": {"type": "strng"}}}"#, typo);
    refused(
        r#"{"target": "stdout", "must": [{"status": [1]}]}"#,
        "these assertions have one target: 'response'",
    );
    refused(
        r#"{"must": [{"status": [1], "target": "response"}]}"#,
        "leaf assertion must not include key: target; put it on the group around the leaf",
    );
    refused(r#"{"must": [{"contains": []}]}"#, "'contains' needs at least one value");
    refused(r#"{"must": [{"contains": "x"}]}"#, "'contains' takes a list of values here, not a string");
    refused(r#"{"must": [], "target": "response"}"#, "'must' must not be empty");
    refused(r#"{"must": [{}]}"#, "empty assertion: expected an operator with a list of values");
    refused(r#"{"must": [{"status": [1]}], "can": []}"#, "a group takes exactly one of must, can and cannot");
    refused(r#"{"must": [{"status": [1]}], "tarjet": 1}"#, "unknown key 'tarjet'; did you mean 'target'?");
    refused("[{}]", "[0]: expected an object with one assertion, found an empty object");
    refused(
        r#"[{"status": 1, "contains": "x"}]"#,
        "[0]: expected an object with one assertion, found 2 assertions",
    );
    refused(r#"{"expect": {"status": 1}}"#, "remove the 'expect' key: the question is the object below it");
    refused("{\n\t\"statuss\": 1}", "q.json:2:2: unknown assertion 'statuss'");
}

#[test]
fn an_empty_object_passes_and_is_told_to_assert_nothing() {
    let place = Place::with(&[("q.json", "{}"), ("r.json", GOOD)]);
    place.run(&["check", "q.json", "r.json"]).with(0, &["1 passed"], &["warning: q.json asserts nothing"]);
}

#[test]
fn one_bad_subject_never_hides_the_rest() {
    let twice = format!("{GOOD}\n{GOOD}\n");
    let place = Place::with(&[
        ("q.json", QUESTION),
        ("good.json", GOOD),
        ("dir/x.json", GOOD),
        ("list.json", &twice),
    ]);
    let mixed = format!("{GOOD}\n\n{{\"status\": nope}}\r\n\u{feff}{GOOD}\r\n{{\"status\"");
    place.write("mixed.jsonl", mixed.as_bytes());
    place.write("latin.jsonl", b"{\"status\": \"\xe9\"}\n");
    place.write("deep.json", "[".repeat(100_000).as_bytes());
    place.write("empty.jsonl", b"\n  \n");
    place.write("surrogate.json", br#""\ud800""#);
    place.write("huge.json", b"[1e400]");
    let subjects = [
        "mixed.jsonl",
        "latin.jsonl",
        "deep.json",
        "empty.jsonl",
        "missing.json",
        "dir",
        "*.xml",
        "list.json",
        "surrogate.json",
        "huge.json",
        "good.json",
    ];
    let results = place.results(&[&["check", "q.json"], &subjects[..]].concat());
    let told = |result: &Value| {
        let text = |key: &str| result[key].as_str().unwrap_or("-").to_owned();
        format!("{} {} {} {}", text("id"), text("status"), text("category"), text("message"))
    };
    let told: Vec<String> = results.iter().map(told).collect();
    let expected = [
        "mixed.jsonl:1 pass - -",
        "mixed.jsonl:3 error schema mixed.jsonl:3:13: not JSON: expected true, false or null, near `{\"status\": nope}`",
        "mixed.jsonl:4 pass - -",
        "mixed.jsonl:5 error schema mixed.jsonl:5:9: not JSON: unexpected end of input in an object, near `{\"status\"`",
        "latin.jsonl:1 error schema latin.jsonl:1:13: not UTF-8, near",
        "deep.json error schema deep.json:1:128: nested more than 127 levels deep",
        "empty.jsonl error runtime empty.jsonl: contains no subjects",
        "missing.json error runtime missing.json: no such file or directory",
        "dir error runtime dir: is a directory; use -r to read the files in it",
        "*.xml error runtime *.xml: matches no file",
        "list.json error schema list.json:2:1: not JSON: trailing characters",
        "surrogate.json error schema surrogate.json:1:",
        "huge.json error schema huge.json:1:6: not JSON: number out of range, near `[1e400]`",
        "good.json pass - -",
    ];
    assert_eq!(told.len(), expected.len(), "{told:#?}");
    for (told, expected) in told.iter().zip(expected) {
        assert!(told.starts_with(expected), "{told}\n{expected}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_be_read_to_its_end_is_told_once() {
    let place = Place::with(&[("q.json", QUESTION), ("good.json", GOOD)]);
    let results = place.results(&["check", "q.json", "/proc/self/mem", "good.json", "--input", "jsonl"]);
    assert_eq!(results.len(), 2);
    assert_eq!((&results[0]["status"], &results[0]["category"]), (&"error".into(), &"runtime".into()));
    assert_eq!(results[0]["message"], "/proc/self/mem: input/output error");
    assert_eq!(results[1]["status"], "pass");
}

#[test]
fn exit_codes_tell_what_kind_of_thing_went_wrong() {
    let place = Place::with(&[
        ("q.json", QUESTION),
        ("good.json", GOOD),
        ("bad.json", BAD),
        ("dir/x.json", GOOD),
        ("broken.json", "{"),
    ]);
    let code = |subjects: &[&str]| place.run(&[&["check", "q.json"], subjects].concat()).code;
    assert_eq!(code(&["good.json"]), 0);
    assert_eq!(code(&["good.json", "bad.json"]), 1);
    assert_eq!(code(&["good.json", "missing.json"]), 2);
    assert_eq!(code(&["bad.json", "broken.json"]), 2);
    assert_eq!(code(&["good.json", "dir"]), 2);
    assert_eq!(code(&["good.json", "*.xml"]), 2);
    assert_eq!(code(&["-r", "dir"]), 0);
    assert_eq!(code(&["*.json"]), 2);
    assert_eq!(code(&["g*.json"]), 0);
    assert_eq!(code(&[]), 2);
    assert_eq!(code(&["good.json", "--now", "soon"]), 2);
    assert_eq!(code(&["good.json", "--report", "xml"]), 2);
    assert_eq!(place.run(&["chekc"]).code, 2);
}

#[test]
fn warnings_do_not_crowd_out_failures() {
    let repeated = r#"{"status": 1, "status": "success", "results": []}"#;
    let place = Place::with(&[
        ("q.json", QUESTION),
        ("r.jsonl", &format!("{}{BAD}\n", format!("{repeated}\n").repeat(25))),
    ]);
    let ended = place.run(&["check", "q.json", "r.jsonl"]);
    ended.with(1, &["FAIL r.jsonl:26", "26 subjects: 25 passed, 1 failed"], &[]);
    assert_eq!(ended.stdout.matches("warning: ").count(), 20);
}

#[test]
fn a_key_given_twice_is_warned_of() {
    let response = r#"{"status": "error", "status": "success"}"#;
    let place = Place::with(&[("q.json", r#"{"status": "success"}"#), ("r.json", response)]);
    let warning = "'status' appears twice; the last value is used";
    place.run(&["check", "q.json", "r.json"]).with(0, &[&format!("warning: r.json: {warning}")], &[]);
    assert_eq!(place.results(&["check", "q.json", "r.json"])[0]["warnings"][0], warning);
}

#[test]
fn a_catastrophic_pattern_is_an_error_and_not_a_hang() {
    let question = r#"{"all_match_pattern": {"path": "t", "regex": "(a+)+(?<!x)c$"}, "status": "error"}"#;
    let response = format!(r#"{{"status": "success", "t": "{}b"}}"#, "a".repeat(60));
    let place = Place::with(&[("q.json", question), ("r.json", &response)]);
    let gave_up = "t: pattern '(a+)+(?<!x)c$' gave up after 48000 backtracking steps";
    place.run(&["check", "q.json", "r.json"]).with(
        1,
        &[gave_up, "Expected status 'error', got 'success'"],
        &[],
    );
    let result = &place.results(&["check", "q.json", "r.json"])[0];
    assert_eq!((&result["status"], &result["category"]), (&"error".into(), &"runtime".into()));
}

#[test]
fn what_a_terminal_obeys_is_shown_and_never_sent() {
    let question = r#"{"status": "\u001b[31m", "all_have_tags": ["\u0007"], "x\u001b[2J": 1}"#;
    let response =
        r#"{"status": "\u001b]0;owned\u0007", "results": [{"metadata": {"tags": ["\u009b31m\u202e"]}}]}"#;
    let place = Place::with(&[("q.json", question), ("r.json", response)]);
    place.write("broken\u{1b}[31m.json", b"\x1b[31m");
    let ended = place.run(&["check", "q.json", "r.json", "broken\u{1b}[31m.json"]);
    ended.with(2, &[r"'\u001b[31m'", r"\u001b]0;owned\u0007", r"\u202e"], &[r"x\u001b[2J"]);
    let obeyed = |text: &str| text.chars().any(|c| c != '\n' && (c.is_control() || c == '\u{202e}'));
    assert!(!obeyed(&ended.stdout) && !obeyed(&ended.stderr), "{ended:?}");
}

#[test]
fn text_that_is_not_json_says_where_json_starts() {
    let place = Place::with(&[
        ("q.yaml", "status: ok"),
        ("empty.json", " \n"),
        ("logs.json", "INFO up\n[INFO] on\n{\"status\": \"ok\"}\n"),
        ("lines.json", "{\"status\": \"ok\"}\n{\"status\": \"ok\"}\n"),
        ("half.json", "{\"status\": \n"),
    ]);
    let message =
        |file: &str| place.results(&["check", "q.yaml", file])[0]["message"].as_str().unwrap().to_owned();
    assert_eq!(message("empty.json"), "empty.json: file is empty");
    assert!(
        message("logs.json").ends_with("(JSON starts on line 3); remove the lines above it"),
        "{}",
        message("logs.json")
    );
    assert!(
        message("lines.json").ends_with("; use --input jsonl if every line is a subject"),
        "{}",
        message("lines.json")
    );
    assert!(!message("half.json").contains(';'), "{}", message("half.json"));
    place.run(&["check", "q.yaml", "-"]).with(2, &["standard input is empty"], &[]);
    let piped = place.run_with_input(&["check", "q.yaml", "-"], b"INFO up\n{\"status\": \"ok\"}\n");
    piped.with(2, &["(JSON starts on line 2); send logs to stderr"], &[]);
}

#[test]
fn a_named_file_that_cannot_be_read_is_bad_input_to_every_command() {
    let case = |id: &str, file: &str| {
        let assert = serde_json::json!([{"must": [{"status": ["ok"]}]}]);
        serde_json::json!({"id": id, "type": "agent.response", "file": file, "assert": assert}).to_string()
    };
    let place = Place::with(&[
        ("q.yaml", "status: ok"),
        ("good.json", r#"{"status": "ok"}"#),
        ("run.json", r#"{"steps": []}"#),
        ("good.spec.json", &case("GOOD", "good.json")),
        ("bad.spec.json", &case("BAD", "none.json")),
        ("glob.spec.json", &case("GLOB", "none-*.json")),
    ]);
    for (arguments, still) in [
        (&["check", "q.yaml", "none.json", "good.json"][..], "1 passed, 1 error"),
        (&["check", "none.yaml", "good.json"], ""),
        (&["show", "none.json", "good.json"], "\"ok\""),
        (&["convert", "none.json", "run.json"], "\"steps\""),
        (&["lint", "none.spec.json", "good.spec.json"], "1 case: 1 error"),
        (&["lint", "bad.spec.json", "good.spec.json"], "2 cases: 1 error"),
        (&["lint", "glob.spec.json", "good.spec.json"], "2 cases: 1 error"),
        (&["run", "none.spec.json", "good.spec.json"], "1 passed, 1 error"),
        (&["run", "bad.spec.json", "good.spec.json"], "1 passed, 1 error"),
        (&["run", "glob.spec.json", "good.spec.json"], "1 passed, 1 error"),
    ] {
        place.run(arguments).with(2, &[still], &[]);
    }
    // An envelope's own mistake is the envelope's.
    place.write("good.json", br#"{"response_file": "none.json"}"#);
    assert_eq!(place.run(&["run", "good.spec.json"]).code, 1);
    assert_eq!(place.run(&["check", "q.yaml", "good.json"]).code, 1);
}
