//! The formats' own files, as others write them, and what is named but cannot be read.

mod cases;
mod place;

use place::Place;
use serde_json::{Value, json};

fn each(results: &[Value], key: &str) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    results.iter().map(|result| text(&result[key])).collect()
}

/// A suite as one is published: with `$schema` and `metadata` at the top.
fn published(tests: &Value) -> String {
    json!({
        "$schema": "./agent-tests.schema.json",
        "agent": "search",
        "version": "1.0.0",
        "description": "Tests of the search agent",
        "metadata": {"author": "someone", "created": "2026-01-15", "tags": ["search"]},
        "test_suites": {"basics": {"name": "Basics", "priority": "high", "tests": tests}},
    })
    .to_string()
}

#[test]
fn a_published_suite_is_read() {
    let tests = json!([
        {"id": "OK", "input": {}, "expect": {"status": "success"}},
        {"id": "BAD", "input": {}, "expect": {"status": "error"}},
    ]);
    let place = Place::with(&[
        ("a.tests.json", &published(&tests)),
        ("seen/OK.json", r#"{"status": "success"}"#),
        ("seen/BAD.json", r#"{"status": "success"}"#),
    ]);
    let results = place.results(&["run", "--responses", "seen"]);
    assert_eq!(each(&results, "id"), ["OK", "BAD"]);
    assert_eq!(each(&results, "status"), ["pass", "fail"]);
}

#[test]
fn one_wrong_test_of_a_suite_does_not_hide_the_others() {
    let good = json!({"id": "OK", "input": {}, "expect": {"status": "success"}});
    for (wrong, id, told) in [
        (json!({"id": "X", "expcet": {"status": "no"}}), "X", "unknown key 'expcet'; did you mean 'expect'?"),
        (json!({"id": "X", "expect": [["status"]]}), "X", "expect"),
        (
            json!({"id": "X", "expect": {"statsu": "x"}}),
            "X",
            "unknown assertion 'statsu'; did you mean 'status'?",
        ),
        (json!({"id": "X", "expect": {"results_min": "one"}}), "X", "results_min"),
        (json!({"id": "X", "skip_if": 5}), "X", "skip_if"),
        (json!({"id": "X", "multi_step": [{"inptu": 1}]}), "X", "unknown key 'inptu'"),
        (json!({"id": 5}), "a.tests.json", "'id' must be a string"),
        (json!({"input": {}}), "a.tests.json", "'id' is missing"),
        (json!("OK"), "a.tests.json", "found a string"),
    ] {
        let place = Place::with(&[
            ("a.tests.json", &published(&json!([wrong, good, good]))),
            ("seen/OK.json", r#"{"status": "success"}"#),
        ]);
        let results = place.results(&["run", "--responses", "seen"]);
        assert_eq!(each(&results, "id"), [id, "OK", "OK"], "{wrong}");
        assert_eq!(each(&results, "status"), ["error", "pass", "error"], "{wrong}");
        assert_eq!(each(&results, "category")[0], "schema");
        assert!(each(&results, "message")[0].contains(told), "{results:#?}");
        assert!(each(&results, "message")[2].contains("duplicate id 'OK'"), "{results:#?}");
        assert_eq!(place.run(&["run", "--responses", "seen"]).code, 2);
    }
}

#[test]
fn a_mistake_around_the_tests_of_a_suite_does_not_hide_them() {
    let tests = json!([{"id": "OK", "expect": {"status": "success"}}]);
    for (suite, told) in [
        (
            json!({"metdata": {}, "test_suites": {"a": {"tests": tests}}}),
            "unknown key 'metdata'; did you mean 'metadata'?",
        ),
        (json!({"$schema": 5, "test_suites": {"a": {"tests": tests}}}), "unknown key '$schema'"),
        (json!({"agent": 5, "test_suites": {"a": {"tests": tests}}}), "agent: expected a string, found 5"),
        (
            json!({"test_suites": {"a": {"nmae": "A", "tests": tests}}}),
            "test_suites.a: unknown key 'nmae'; did you mean 'name'?",
        ),
        (json!({"test_suites": {"b": {"tests": 5}, "a": {"tests": tests}}}), "test_suites.b.tests"),
        (json!({"test_suites": {"b": [], "a": {"tests": tests}}}), "test_suites.b"),
    ] {
        let place = Place::with(&[
            ("a.tests.json", &suite.to_string()),
            ("seen/OK.json", r#"{"status": "success"}"#),
        ]);
        let results = place.results(&["run", "--responses", "seen"]);
        assert_eq!(each(&results, "status"), ["error", "pass"], "{suite}");
        assert!(each(&results, "message")[0].contains(told), "{results:#?}");
        assert_eq!(place.run(&["run", "--responses", "seen"]).code, 2);
    }
}

#[test]
fn every_document_may_name_its_schema() {
    let place = Place::with(&[
        ("q.json", r#"{"$schema": "./expect.json", "status": "success"}"#),
        ("q.yaml", "$schema: ./expect.json\nmust:\n  - status: [success]\n"),
        ("r.yaml", "$schema: ./trajectory.json\nscope: all\ntool_was_called: a\n"),
        ("s.json", r#"{"status": "success"}"#),
        ("run.json", r#"{"$schema": "./run.json", "steps": [{"step_type": "tool_call", "tool_name": "a"}]}"#),
        (
            "a.spec.json",
            r#"{"$schema": "./spec.json", "id": "A", "type": "cli.run", "harness": {"entrypoint": "true"}}"#,
        ),
        ("b.spec.yaml", "$schema: ./spec.json\nid: B\ntype: cli.run\nharness: {entrypoint: 'true'}\n"),
        (
            "before.json",
            r#"{"$schema": "./baseline.json", "version": 1, "cases": [{"id": "A", "status": "pass"}]}"#,
        ),
        ("probative.toml", "\"$schema\" = \"./config.json\"\njobs = 1\n"),
    ]);
    for arguments in [
        &["check", "q.json", "s.json"][..],
        &["check", "q.yaml", "s.json"],
        &["check", "r.yaml", "run.json"],
        &["run", "a.spec.json", "b.spec.yaml", "--baseline", "before.json"],
        &["lint", "a.spec.json", "b.spec.yaml"],
    ] {
        place.run(arguments).with(0, &[], &[]);
    }
    place.write("bad.json", br#"{"$schema": "x", "statsu": "success"}"#);
    place.run(&["check", "bad.json", "s.json"]).with(2, &[], &["did you mean 'status'?"]);
}

#[test]
fn lint_needs_no_agent_for_a_suite() {
    let tests = json!([
        {"id": "OK", "input": {}, "expect": {"status": "success"}},
        {"id": "STEPS", "multi_step": [{"input": 1, "expect": {"status": "success"}}, {"step": "b", "expect": {"status": "success"}}]},
    ]);
    let place = Place::with(&[
        ("a.tests.json", &published(&tests)),
        ("seen/OK.json", r#"{"status": "success"}"#),
        ("seen/STEPS.1.json", "{}"),
    ]);
    place.run(&["lint"]).with(0, &["2 cases: 0 errors, 0 findings"], &[]);
    place.run(&["lint", "--responses", "seen"]).with(
        0,
        &["no recorded response: seen has no STEPS.b.json or STEPS.b.txt", "2 cases: 0 errors, 1 finding"],
        &[],
    );
    place.write("probative.toml", b"responses = \"seen\"\n");
    place.run(&["lint"]).with(0, &["2 cases: 0 errors, 1 finding"], &[]);
    place.write("seen/STEPS.b.txt", b"");
    place.run(&["lint"]).with(0, &["2 cases: 0 errors, 0 findings"], &[]);
}

#[test]
fn what_is_named_and_cannot_be_read_is_a_mistake_and_hides_nothing() {
    let place = Place::with(&[
        ("q.yaml", "status: success\n"),
        ("ok.json", r#"{"status": "success"}"#),
        ("run.json", r#"{"steps": []}"#),
        ("a.spec.md", &cases::fence(cases::PASSES)),
    ]);
    std::os::unix::fs::symlink("nowhere", place.path("dangling.json")).unwrap();
    std::os::unix::fs::symlink("loop.spec.md", place.path("loop.spec.md")).unwrap();
    for (arguments, judged) in [
        (&["check", "q.yaml", "gone.json", "ok.json"][..], "1 passed, 1 error"),
        (&["check", "q.yaml", "dangling.json", "ok.json"], "1 passed, 1 error"),
        (&["check", "gone.yaml", "ok.json"], ""),
        (&["show", "gone.json", "ok.json"], "\"success\""),
        (&["convert", "gone.json", "run.json"], "\"steps\""),
        (&["run", "gone.spec.md", "a.spec.md"], "1 passed, 1 error"),
        (&["run", "loop.spec.md", "a.spec.md"], "1 passed, 1 error"),
        (&["run", "gone.tests.json", "a.spec.md"], "1 passed, 1 error"),
        (&["lint", "gone.spec.md", "a.spec.md"], "1 case: 1 error"),
        (&["lint", "loop.spec.md", "a.spec.md"], "1 case: 1 error"),
    ] {
        let ended = place.run(arguments);
        assert_eq!(ended.code, 2, "{arguments:?} {ended:#?}");
        assert!(ended.stdout.contains(judged), "{arguments:?} {ended:#?}");
    }
}

#[test]
fn all_steps_that_explain_a_failure_are_marked() {
    let run = |calls: usize| {
        let step = |tool: &str| json!({"step_type": "tool_call", "tool_name": tool});
        let steps: Vec<Value> =
            (0..calls).flat_map(|_| [step("a"), step("b"), step("b"), step("b")]).collect();
        json!({ "steps": steps }).to_string()
    };
    let place =
        Place::with(&[("q.yaml", "tool_not_called: a\n"), ("25.json", &run(25)), ("203.json", &run(203))]);
    // A comment on a pull request has little room, and shows as much of this as fits.
    for (file, report, marked, more) in
        [("25.json", "human", 25, 0), ("25.json", "markdown", 25, 0), ("203.json", "human", 200, 3)]
    {
        let told = place.run(&["check", "q.yaml", file, "--report", report]).stdout;
        assert_eq!(told.matches('←').count(), marked, "{report} {told}");
        let counted = told.contains(&format!("... and {more} more marked steps"));
        assert_eq!(counted, more > 0, "{report} {told}");
    }
    let results = place.results(&["check", "q.yaml", "203.json"]);
    let steps = results[0]["assertions"][0]["steps"].as_array().unwrap();
    let all: Vec<String> = (0..203).map(|call| (4 * call).to_string()).collect();
    assert_eq!(each(steps, "index"), all);
}

#[test]
fn messages_hold_the_tokens_of_the_format() {
    let case = |id: &str, rest: Value| {
        let mut case = json!({"id": id, "type": "cli.run"});
        case.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        case
    };
    let echo = json!({"entrypoint": "echo"});
    let asks = |assert: Value| json!({"harness": echo, "assert": [assert]});
    let specs = json!([
        case("ENTRYPOINT", json!({})),
        case("TYPE", asks(json!({"target": "stdout", "must": [{"json_type": ["object"]}]}))),
        case(
            "EXPRESSION",
            asks(json!({"target": "stdout", "must": [{"evaluate": [["json_type", "object"]]}]}))
        ),
        case("LEAF", asks(json!({"must": [{"target": "stdout", "contain": ["x"]}]}))),
        case("TOP", asks(json!({"target": "stdout", "contain": ["x"]}))),
    ]);
    let place = Place::with(&[("a.spec.json", &specs.to_string())]);
    let mut command = place.command(&["run", "a.spec.json", "--report", "jsonl"]);
    let ended: place::Ended = command.env_remove("SPEC_RUNNER_ENTRYPOINT").output().unwrap().into();
    let messages = each(&ended.json_lines(), "message");
    for (message, token) in messages.iter().zip([
        "requires harness.entrypoint or SPEC_RUNNER_ENTRYPOINT",
        "unsupported json_type",
        "unsupported json_type",
        "leaf assertion must not include key: target",
        "leaf assertion must not include key: target",
    ]) {
        assert!(message.contains(token), "{message}");
    }
    let mut command = place.command(&["run", "a.spec.json", "--report", "jsonl", "--filter", "ENTRYPOINT"]);
    command.env("SPEC_RUNNER_ENTRYPOINT", "true").env("SPEC_RUNNER_SAFE_MODE", "1");
    let ended: place::Ended = command.output().unwrap().into();
    let message = &each(&ended.json_lines(), "message")[0];
    assert!(message.contains("requires harness.entrypoint"), "{message}");
}
