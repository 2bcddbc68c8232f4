//! Runs that judged nothing, and assertions that cannot fail, are not reported as success.

mod cases;
mod place;

use cases::{fence, shell};
use place::Place;
use serde_json::{Value, json};

const PASSES: &str = "id: OK\ntype: cli.run\nexit_code: 0\nharness: {entrypoint: 'true'}\n";

fn skipped(id: &str) -> Value {
    json!({"id": id, "type": "text.file", "requires": {"capabilities": ["time.travel"], "when_missing": "skip"}})
}

/// Returns the lines at the end of a report, each `file:line:column name: why`.
fn listed(stdout: &str) -> Vec<&str> {
    let lines =
        stdout.lines().skip_while(|line| !line.ends_with("never exercised:") && !line.ends_with(" ignored:"));
    lines.skip(1).take_while(|line| !line.is_empty()).map(str::trim).collect()
}

#[test]
fn a_file_whose_only_fence_is_nearly_a_case_names_the_fence() {
    let place = Place::with(&[("a.spec.md", "# A\n\n```yaml spec_test\nid: X\n```\n")]);
    let shown = "a.spec.md:3:1: no cases in this file; this fence isn't a case; to make it one, start it with ```yaml";
    place.run(&["run", "a.spec.md"]).with(2, &[shown], &[]);
    place.run(&["run", "."]).with(
        2,
        &["1 code block ignored:\n  a.spec.md:3:1 this fence isn't a case"],
        &[],
    );
}

#[test]
fn cases_that_are_all_skipped_are_no_success() {
    let cases = json!([skipped("A"), skipped("B"), shell("C", "true")]).to_string();
    let place = Place::with(&[("a.spec.json", &cases)]);
    place.run(&["run", "a.spec.json", "--no-timings"]).with(0, &["3 cases: 1 passed, 2 skipped\n"], &[]);
    let filter = ["run", "a.spec.json", "--filter", "/A|B/", "--no-timings"];
    place.run(&filter).with(2, &["2 cases: 2 skipped, nothing was judged\n"], &[]);
    let markdown = place.run(&[&filter[..], &["--report", "markdown"]].concat());
    markdown.with(2, &["❌ probative: nothing was judged"], &[]);
    let suite =
        r#"{"test_suites": {"s": {"tests": [{"id": "T", "expect": {"status": "ok"}, "skip_if": true}]}}}"#;
    place.write("s.tests.json", suite.as_bytes());
    place.run(&["run", "s.tests.json"]).with(2, &["1 skipped, nothing was judged"], &[]);
}

#[test]
fn a_capability_that_nobody_has_is_a_finding() {
    let yaml = "id: TYPO\ntype: text.file\nrequires: {capabilities: [text.flie], when_missing: skip}\n";
    let place = Place::with(&[("a.spec.md", &format!("{}\n{}", fence(yaml), fence(PASSES)))]);
    let message = "unknown capability 'text.flie'; did you mean 'text.file'?";
    place.run(&["lint", "a.spec.md"]).with(
        0,
        &[message, "--> a.spec.md:4:27", "2 cases: 0 errors, 1 finding"],
        &[],
    );
    place.run(&["run", "a.spec.md"]).with(0, &[message], &[]);
    assert_eq!(place.run(&["run", "a.spec.md", "--strict"]).code, 1);
    place.write("b.spec.json", skipped("A").to_string().as_bytes());
    let foreign = "this runner lacks the capability 'time.travel', so A is skipped";
    place.run(&["lint", "b.spec.json"]).with(0, &[foreign, "1 case: 0 errors, 1 finding"], &[]);
}

#[test]
fn strict_fails_what_asserts_nothing() {
    let place = Place::with(&[
        ("r.json", r#"{"a": {"b": "c"}}"#),
        ("run.json", r#"{"steps": [], "final_output": "x"}"#),
    ]);
    let questions = [
        ("{}", "r.json", "the question asserts nothing"),
        ("contains: ''", "r.json", "every string contains ''"),
        ("output_matches: ''", "run.json", "every string matches ''"),
        ("cannot: [{field_equals: [{a.x: c}]}]", "r.json", "there is no a.x"),
        ("{scope: {agent: nobody}, succeeded: true}", "run.json", "no step belongs to agent 'nobody'"),
    ];
    for (question, subject, why) in questions {
        place.write("q.yaml", question.as_bytes());
        place.run(&["check", "q.yaml", subject]).with(
            0,
            &[why, "1 passed, 1 assertion never exercised"],
            &[],
        );
        place.run(&["check", "q.yaml", subject, "--strict"]).with(1, &[why], &[]);
    }
    let cases = [
        ("type: text.file\n", "the case asserts nothing"),
        ("type: api.http\nrequest: {method: GET, url: r.json}\n", "the case asserts nothing"),
        ("type: cli.run\nharness: {entrypoint: 'true'}\n", "the case asserts nothing"),
        ("type: text.file\nassert: [{target: text, must: [{contain: ['']}]}]\n", "every string contains ''"),
        ("type: text.file\nassert: [{target: text, must: [{regex: ['.*']}]}]\n", "every string matches '.*'"),
        (
            "type: text.file\nassert: [{target: text, must: [{evaluate: [[eq, 1, 1]]}]}]\n",
            "the expression never uses the subject",
        ),
        (
            "type: text.file\nassert: [{target: text, cannot: [{evaluate: [[eq, 1, 2]]}]}]\n",
            "the expression never uses the subject",
        ),
        (
            "type: text.file\nassert: [{target: text, cannot: [{regex: ['(?!)']}]}]\n",
            "no string matches '(?!)'",
        ),
        (
            "type: text.file\nassert: [{target: text, must: [{evaluate: [[eq, [subject], [subject]]]}]}]\n",
            "the expression is true for every subject",
        ),
        (
            "type: text.file\nassert: [{target: text, must: [{evaluate: [[let, [[a, [subject]]], true]]}]}]\n",
            "the expression is true for every subject",
        ),
        (
            "type: text.file\nassert: [{target: text, cannot: [{evaluate: [[if, true, false, [subject]]]}]}]\n",
            "the expression is false for every subject",
        ),
        (
            "type: text.file\npath: r.json\nassert: [{target: text, cannot: [{evaluate: [[eq, [get, [json_parse, [subject]], x], c]]}]}]\n",
            "the subject has no value at json_parse(subject).x",
        ),
        (
            "type: text.file\npath: r.json\nassert: [{target: text, must: [{evaluate: [[neq, [get, [json_parse, [subject]], x], c]]}]}]\n",
            "the subject has no value at json_parse(subject).x",
        ),
    ];
    for (case, why) in cases {
        place.write("x.spec.md", fence(&format!("id: X\n{case}")).as_bytes());
        place.run(&["run", "x.spec.md"]).with(0, &[why, "1 passed, 1 assertion never exercised"], &[]);
        place.run(&["run", "x.spec.md", "--strict"]).with(1, &[why], &[]);
    }
    place.write("x.spec.md", fence(PASSES).as_bytes());
    assert_eq!(place.run(&["run", "x.spec.md", "--strict"]).code, 0);
}

#[test]
fn every_branch_of_a_cannot_is_exercised_by_some_subject() {
    let called = |tool: &str| {
        format!(r#"{{"steps": [{{"step_type": "tool_call", "tool_name": "{tool}"}}], "tools": ["x{tool}"]}}"#)
    };
    let place = Place::with(&[("a.json", &called("a")), ("b.json", &called("b"))]);
    place.write("q.yaml", b"cannot: [{tool_was_called: [xa]}, {tool_was_called: [xb]}]");
    place.run(&["check", "q.yaml", "a.json", "--strict"]).with(
        1,
        &["cannot tool_was_called: the tool 'xb' is neither called"],
        &[],
    );
    assert_eq!(place.run(&["check", "q.yaml", "a.json", "b.json", "--strict"]).code, 0);
}

#[test]
fn what_is_almost_a_case_is_told_and_fails_strictly() {
    let place = Place::with(&[]);
    let ok = fence(PASSES);
    let almost = [
        "```yaml spec_test\nid: X\n```\n",
        "```json spec-test\n{}\n```\n",
        "```yml spectest\nid: X\n```\n",
        "```yaml spec test\nid: X\n```\n",
        "    ```yaml spec-test\n    id: X\n    ```\n",
        "``yaml spec-test\nid: X\n\n",
        "x``yaml spec-test\nid: X\n\n",
        "<details>\n```yaml spec-test\nid: X\n```\n</details>\n",
        "```text\nan example\n\n```yaml spec-test\nid: X\n```\n",
        "prose\u{2028}```yaml spec-test\u{2028}id: X\u{2028}```\u{2028}\n",
    ];
    for written in almost {
        place.write("a.spec.md", format!("{ok}\n{written}").as_bytes());
        let ended = place.run(&["run", "a.spec.md", "--no-timings"]);
        assert_eq!((ended.code, listed(&ended.stdout).len()), (0, 1), "{written} {ended:?}");
        assert_eq!(place.run(&["run", "a.spec.md", "--strict"]).code, 1, "{written}");
        place.run(&["lint", "a.spec.md"]).with(0, &["1 case: 0 errors, 1 finding"], &[]);
        for command in ["run", "lint"] {
            let mut command = place.command(&[command, "a.spec.md"]);
            let code = command.env("SPEC_RUNNER_ASSERT_HEALTH", "error").output().unwrap().status.code();
            assert_eq!(code, Some(2), "{written}");
        }
    }
    for plain in [
        "<!--\n```yaml spec-test\nid: X\n```\n-->\n",
        "````text\n```yaml spec-test\nid: X\n```\n````\n",
        "Use `yaml spec-test`.\n",
    ] {
        place.write("a.spec.md", format!("{ok}\n{plain}").as_bytes());
        let ended = place.run(&["run", "a.spec.md", "--strict"]);
        assert_eq!((ended.code, listed(&ended.stdout).len()), (0, 0), "{plain} {ended:?}");
    }
}

#[test]
fn documents_without_a_case_are_told_where_somebody_named_them() {
    let place = Place::with(&[
        ("prose/a.spec.md", "# Prose\n"),
        ("ok/a.spec.md", &fence(PASSES)),
        ("ok/prose.spec.md", "# Prose\n"),
    ]);
    let message = "no spec file in this directory has a case";
    place.run(&["run", "prose"]).with(2, &["ERROR prose\n", message], &[]);
    place.run(&["run", "prose", "ok"]).with(2, &["ERROR prose\n", message, "1 passed, 1 error"], &[]);
    place.run(&["lint", "prose", "ok"]).with(2, &[message], &[]);
    assert_eq!(place.run(&["run", "ok"]).code, 0);
    assert_eq!(place.run(&["run", "ok/a.spec.md", "ok"]).code, 0, "its documents are named before");
    place.run(&["run", "ok/prose.spec.md", "ok"]).with(2, &["no cases in this file"], &[]);
    place.write("ok/s.tests.json", br#"{"test_suites": {}}"#);
    place.run(&["run", "ok"]).with(0, &["no tests in this suite"], &[]);
    assert_eq!(place.run(&["run", "ok", "--strict"]).code, 1);
}

#[test]
fn whatever_ends_its_lines_a_document_is_read_or_refused() {
    let text = fence(PASSES);
    let place = Place::with(&[]);
    for read in [text.replace('\n', "\r"), text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
        place.write("a.spec.md", read.as_bytes());
        place.run(&["run", "a.spec.md"]).with(0, &["1 case: 1 passed"], &[]);
    }
    let bytes = |of: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(of).collect::<Vec<u8>>();
    let marked = [&b"\xff\xfe"[..], &bytes(u16::to_le_bytes)].concat();
    for refused in
        [marked, bytes(u16::to_le_bytes), bytes(u16::to_be_bytes), format!("{text}\0").into_bytes()]
    {
        place.write("a.spec.md", &refused);
        place.run(&["run", "."]).with(2, &["ERROR a.spec.md", "save it as UTF-8"], &[]);
    }
    place.write("a.spec.md", b"caf\xe9\n");
    place.run(&["run", "."]).with(2, &["a.spec.md:1: not UTF-8"], &[]);
}

#[test]
fn every_broken_fence_is_an_error() {
    let broken = [fence("id: [\n"), fence("id: {\n"), fence(PASSES)].join("\n");
    let place = Place::with(&[("a.spec.md", &broken)]);
    place.run(&["run", "a.spec.md", "--no-timings"]).with(2, &["3 cases: 1 passed, 2 errors\n"], &[]);
    place.run(&["lint", "a.spec.md"]).with(2, &["1 case: 2 errors, 0 findings"], &[]);
    let results = place.results(&["run", "a.spec.md"]);
    let lines: Vec<&Value> = results.iter().map(|result| &result["line"]).collect();
    assert_eq!(lines, [&json!(2), &json!(6), &json!(10)]);
}

#[test]
fn init_writes_a_strict_project() {
    let place = Place::with(&[]);
    place.run(&["init"]).with(0, &[], &[]);
    assert!(place.read("probative.toml").contains("strict = true"));
    assert_eq!(place.run(&["run"]).code, 0);
    place.write("specs/b.spec.md", fence("id: B\ntype: text.file\n").as_bytes());
    assert_eq!(place.run(&["run"]).code, 1);
}
