//! Reports for other programs, read by other programs.

mod place;
mod readers;

use place::{Ended, Place};
use probative::report::Format;
use serde_json::{Value, json};

/// Cases that end in every way, with texts that want to be more than texts.
const SPEC: &str = r##"# Hostile

```yaml spec-test
- id: PASSES
  title: a plain pass
  type: text.file
  path: plain.txt
  assert: [{target: text, must: [{contain: [plain]}]}]
- id: FAILS
  title: 'says ]]> & <b> # SKIP | @all `x` ::error::'
  type: text.file
  path: hostile.txt
  assert: [{target: text, must: [{contain: ["]]></failure><x>&\e[31m|\uFFFE"]}]}]
- id: ABSENT
  type: text.file
  path: absent.txt
  assert: [{target: text, must: [{contain: [x]}]}]
- id: LATER
  type: text.file
  requires: {capabilities: ["# TODO <time>"], when_missing: skip}
- id: FLAKY
  type: cli.run
  harness: {entrypoint: sh -c, cwd: root}
  argv: ['test -e tried || { touch tried; exit 3; }']
  exit_code: 0
```
"##;

const HOSTILE: &str =
    "::error::pwned\n##[set-output name=a]b\n]]> </failure> \u{1b}[31mred\u{7} \u{fffe}\n```\n";

const RUN: [&str; 5] = ["run", "a.spec.md", "--no-timings", "--retries", "1"];

fn place() -> Place {
    Place::with(&[("a.spec.md", SPEC), ("plain.txt", "plain"), ("hostile.txt", HOSTILE)])
}

fn run(place: &Place, arguments: &[&str]) -> Ended {
    let _ = std::fs::remove_file(place.path("tried"));
    let ended = place.run(&[&RUN, arguments].concat());
    assert_eq!(ended.code, 1, "{ended:#?}");
    ended
}

fn report(format: &str) -> String {
    run(&place(), &["--report", format]).stdout
}

fn cases(report: &Value) -> Vec<&Value> {
    let children = report["children"][0]["children"].as_array().unwrap();
    children.iter().filter(|child| child["tag"] == "testcase").collect()
}

#[test]
fn junit_is_as_its_schema_says_and_tells_all() {
    let report = readers::junit(&report("junit"));
    let suite = &report["children"][0];
    for (key, count) in [("tests", "5"), ("failures", "1"), ("errors", "1")] {
        assert_eq!((&report[key], &suite[key]), (&count.into(), &count.into()), "{key}");
    }
    assert_eq!(suite["skipped"], "1");
    let cases = cases(&report);
    let names: Vec<&Value> = cases.iter().map(|case| &case["name"]).collect();
    assert_eq!(
        names,
        [
            "PASSES: a plain pass",
            "FAILS: says ]]> & <b> # SKIP | @all `x` ::error::",
            "ABSENT",
            "LATER",
            "FLAKY"
        ]
    );
    assert!(cases.iter().all(|case| case["classname"] == "a.spec.md" && case["time"].is_null()));
    let inside = |at: usize| &cases[at]["children"][0];
    assert_eq!(cases[0]["children"], Value::Array(Vec::new()));
    assert_eq!((&inside(1)["tag"], &inside(1)["type"]), (&"failure".into(), &"assertion".into()));
    let message = inside(1)["message"].as_str().unwrap();
    assert!(message.contains(r"expected text to contain ']]></failure><x>&\u001b[31m|\ufffe'"), "{message}");
    let text = inside(1)["text"].as_str().unwrap();
    for told in [
        "FAIL FAILS  says ]]> & <b> # SKIP | @all `x` ::error::  a.spec.md:9\n",
        message,
        "probative run a.spec.md --case=FAILS",
    ] {
        assert!(text.contains(told), "{told:?} is not in {text}");
    }
    assert_eq!((&inside(2)["tag"], &inside(2)["type"]), (&"error".into(), &"runtime".into()));
    assert_eq!(inside(2)["message"], "a.spec.md:16:9: cannot read absent.txt: no such file or directory");
    assert_eq!(inside(3)["tag"], "skipped");
    assert_eq!(inside(3)["message"], "missing required capabilities: # TODO <time>");
    assert_eq!(inside(4)["tag"], "system-out");
    assert!(inside(4)["text"].as_str().unwrap().contains("flaky: passed on attempt 2"));
}

#[test]
fn the_junit_that_is_kept_to_compare_with_is_as_its_schema_says() {
    let report = readers::junit(include_str!("../../probative/tests/snapshots/junit.xml"));
    assert_eq!(cases(&report).len(), 7);
}

#[test]
fn junit_has_seconds_unless_there_are_to_be_no_timings() {
    let place = place();
    let ended = place.run(&["run", "a.spec.md", "--report", "junit"]);
    let report = readers::junit(&ended.stdout);
    let seconds = |element: &Value| element["time"].as_str().unwrap().parse::<f64>().unwrap();
    assert!(seconds(&report) < 60.0 && seconds(&report["children"][0]) < 60.0);
    assert!(cases(&report).iter().all(|case| seconds(case) < 60.0));
}

#[test]
fn junit_of_subjects_and_of_nothing_is_as_its_schema_says() {
    let question = r#"{"status": "success", "statuss": 1}"#;
    let place = Place::with(&[("q.json", question), ("r.jsonl", "{\"status\": \"error\"}\n{\"status\"\n")]);
    let ended = place.run(&["check", "q.json", "r.jsonl", "--report", "junit"]);
    let report = readers::junit(&ended.stdout);
    let cases = cases(&report);
    assert_eq!((&cases[0]["name"], &cases[1]["name"]), (&"r.jsonl:1".into(), &"r.jsonl:2".into()));
    let message = "Expected status 'success', got 'error'; q.json:1:23: unknown assertion 'statuss'; did you mean 'status'?";
    assert_eq!(cases[0]["children"][0]["message"], message);
    let text = cases[0]["children"][0]["text"].as_str().unwrap();
    assert!(text.contains("Expected status 'success', got 'error'"), "{text}");
    assert!(text.contains("unknown assertion 'statuss'; did you mean 'status'?"), "{text}");
    let ended = place.run(&["check", "r.jsonl", "r.jsonl", "--report", "junit"]);
    assert_eq!(readers::junit(&ended.stdout)["errors"], "1");
    place.write("a.spec.md", SPEC.as_bytes());
    let ended = place.run(&["run", "a.spec.md", "--filter", "other", "--report", "junit"]);
    assert_eq!((ended.code, &readers::junit(&ended.stdout)["tests"]), (2, &"0".into()), "{ended:#?}");
}

#[test]
fn tap_is_read_back_as_it_was_told() {
    let report = report("tap");
    assert!(
        report.starts_with("TAP version 14\nok - PASSES - a plain pass\nnot ok - FAILS - says ]]>"),
        "{report}"
    );
    assert!(report.ends_with("\n1..5\n"), "{report}");
    let lines = readers::tap(&report);
    let points: Vec<&Value> =
        lines.as_array().unwrap().iter().filter(|line| line["category"] == "test").collect();
    let told = |key: &str| points.iter().map(|point| point[key].as_bool().unwrap()).collect::<Vec<_>>();
    assert_eq!(told("ok"), [true, false, false, true, true]);
    assert_eq!(told("skip"), [false, false, false, true, false]);
    assert_eq!(told("todo"), [false; 5]);
    assert!(lines.as_array().unwrap().iter().all(|line| line["category"] != "unknown"), "{lines}");
    let failed = &points[1]["yaml"];
    assert_eq!(
        (&failed["severity"], &failed["file"], &failed["line"]),
        (&"fail".into(), &"a.spec.md".into(), &13.into())
    );
    assert_eq!(failed["expected"], r"text to contain ']]></failure><x>&\u001b[31m|\ufffe'");
    assert!(failed["found"].as_str().unwrap().starts_with(r"'::error::pwned\n##[set-output name=a]b\n"));
    assert_eq!(failed["rerun"], "probative run a.spec.md --case=FAILS");
    let evidence = failed["evidence"].as_str().unwrap();
    assert!(evidence.starts_with("FAIL FAILS  says ]]> & <b> # SKIP |"), "{evidence}");
    assert!(evidence.contains("\n\n  contain  a.spec.md:13:35\n"), "{evidence}");
    assert_eq!(points[2]["yaml"]["severity"], "error");
    assert_eq!(points[4]["yaml"]["severity"], "comment");
}

#[test]
fn tap_of_nothing_is_no_success() {
    let ended = place().run(&["run", "a.spec.md", "--filter", "other", "--report", "tap"]);
    assert!(ended.stdout.ends_with("\nBail out! nothing was judged\n"), "{ended:#?}");
}

#[test]
fn annotations_are_one_line_each_with_file_and_line() {
    let told = report("github");
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), 3, "{told}");
    assert!(
        lines[0].starts_with("::error file=a.spec.md,line=13,title=FAILS%3A says ]]> & <b> # SKIP | @all `x` %3A%3Aerror%3A%3A::FAIL FAILS  says ]]>"),
        "{told}"
    );
    assert!(lines[0].contains("%0A%0A  rerun: probative run a.spec.md --case=FAILS"), "{told}");
    assert!(lines[1].starts_with("::error file=a.spec.md,line=16,title=ABSENT::ERROR ABSENT"), "{told}");
    assert!(
        lines[2].starts_with("::warning file=a.spec.md,line=21,title=FLAKY::warning: FLAKY: flaky: "),
        "{told}"
    );
}

#[test]
fn of_many_annotations_ten_are_told_and_the_rest_is_counted() {
    let bad = "{\"status\": \"error\"}\n".repeat(25);
    let place = Place::with(&[("q.json", r#"{"status": "success"}"#), ("sub/r,:.jsonl", &bad)]);
    let mut command = place.command(&["check", "../q.json", "r,:.jsonl", "--report", "github"]);
    command.current_dir(place.path("sub")).env("GITHUB_WORKSPACE", place.path(""));
    let ended = Ended::from(command.output().unwrap());
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(lines.len(), 11, "{ended:#?}");
    let first = "::error file=sub/r%2C%3A.jsonl,line=1,title=r%2C%3A.jsonl%3A1::FAIL r,:.jsonl:1%0A";
    assert!(lines[0].starts_with(first), "{ended:#?}");
    assert_eq!(lines[10], "::notice title=probative::… and 15 more did not pass");
}

#[test]
fn assertions_that_say_too_little_are_warnings() {
    let case = |at| {
        format!(
            "- {{id: W{at}, type: text.file, path: plain.txt, assert: [{{target: text, must: [{{contain: ['']}}]}}]}}\n"
        )
    };
    let spec = format!("```yaml spec-test\n{}```\n", (1..=12).map(case).collect::<String>());
    let place = Place::with(&[("a.spec.md", &spec), ("plain.txt", "plain")]);
    let mut command = place.command(&["run", "a.spec.md", "--report", "github"]);
    let ended = Ended::from(command.env("SPEC_RUNNER_ASSERT_HEALTH", "warn").output().unwrap());
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!((ended.code, lines.len()), (0, 12), "{ended:#?}");
    assert!(
        lines[11].starts_with("::notice title=probative::12 assertions were never exercised:"),
        "{ended:#?}"
    );
    assert!(
        lines[9].starts_with("::warning file=a.spec.md,line=11,title=W10::AH001 at assert[0]"),
        "{ended:#?}"
    );
    assert_eq!(lines[10], "::notice title=probative::… and 2 more have warnings");
}

#[test]
fn a_step_summary_is_appended_and_only_where_annotations_are_asked_for() {
    let place = place();
    place.write("summary.md", b"before");
    let with_summary = |arguments: &[&str], summary: &str| {
        let mut command = place.command(&[&RUN, arguments].concat());
        Ended::from(command.env("GITHUB_STEP_SUMMARY", place.path(summary)).output().unwrap())
    };
    with_summary(&["--report", "human"], "summary.md").with(1, &["1 failed"], &[]);
    assert_eq!(place.read("summary.md"), "before");
    let ended = with_summary(&["--report", "human", "--report", "github"], "summary.md");
    ended.with(1, &["FAIL FAILS", "\n::error file=a.spec.md,line=13", "5 cases: "], &[]);
    let summary = place.read("summary.md");
    assert!(summary.starts_with("before\n## ❌ probative: 2 of 5 cases did not pass\n"), "{summary}");
    let refused = "cannot write the step summary";
    std::fs::remove_file(place.path("tried")).unwrap();
    with_summary(&["--report", "github"], "no/where.md").with(2, &[], &[refused]);
    with_summary(&["--report", "github", "--report", "json=summary.md"], "summary.md").with(
        2,
        &[],
        &["two outputs go to"],
    );
    assert!(!place.path("tried").exists(), "nothing is run");
    place.write("q.json", b"{");
    let mut command =
        place.command(&["check", "q.json", "plain.txt", "--report", "human", "--report", "github"]);
    command.env("GITHUB_STEP_SUMMARY", place.path("other.md")).output().unwrap();
    assert!(place.read("other.md").contains("1 of 1 subject did not pass"), "{}", place.read("other.md"));
}

#[test]
fn a_log_for_people_has_no_commands_in_it() {
    let question = r#"{"summary_contains": "x"}"#;
    let name = "\u{3000}::error::##[group]x.json";
    let place = Place::with(&[("q.json", question), (name, r#"{"summary": "::error::a ##[error]b"}"#)]);
    let mut command = place.command(&["check", "q.json", name]);
    let ended = Ended::from(command.env("GITHUB_ACTIONS", "true").output().unwrap());
    ended.with(1, &["FAIL \u{3000}::error::##\\u005bgroup]x.json", "##\\u005berror]b"], &[]);
    let is_command = |line: &&str| line.trim_start().starts_with("::") || line.contains("##[");
    assert_eq!(ended.stdout.lines().find(is_command), None);
    let mut command = place.command(&["show", name]);
    let shown = Ended::from(command.env("GITHUB_ACTIONS", "true").output().unwrap());
    shown.with(0, &["##\\u005berror]b"], &[]);
    assert_eq!(shown.stdout.lines().find(is_command), None);
    let ended = place.run(&["check", "q.json", name]);
    assert!(ended.stdout.contains("##[error]b"), "elsewhere it is told as it is: {ended:#?}");
}

#[test]
fn markdown_shows_what_did_not_pass_and_nothing_breaks_out() {
    let told = report("markdown");
    let head = "## ❌ probative: 2 of 5 cases did not pass\n\n2 passed, 1 failed, 1 error, 1 skipped, 1 flaky\n\n|  | case |";
    assert!(told.starts_with(head), "{told}");
    let rows: Vec<&str> = told.lines().filter(|line| line.starts_with("| ")).collect();
    assert_eq!(rows.len(), 5, "two lines of a head and three rows: {told}");
    assert!(rows.iter().all(|row| row.matches('|').count() == 5), "{told}");
    assert!(rows[2].contains("❌ fail | <code>FAILS&#58; says &#93;&#93;&#62; &#38; &#60;b&#62; &#35; SKIP &#124; &#64;all &#96;x&#96; &#58;&#58;error&#58;&#58;</code> | <code>expected text to contain "), "{told}");
    assert!(rows[2].ends_with("| <code>a.spec.md&#58;13</code> |"), "{told}");
    assert!(
        rows[4].contains("⚠️ flaky | <code>FLAKY</code> | <code>flaky&#58; passed on attempt 2"),
        "{told}"
    );
    assert_eq!(told.matches("<details>").count(), 2, "{told}");
    assert!(told.contains("\n````text\nFAIL FAILS  says ]]> & <b> # SKIP | @all `x` ::error::"), "{told}");
}

#[test]
fn markdown_stays_below_what_a_comment_may_have() {
    let bad = (0..300).map(|at| format!("{{\"summary\": \"{at}{}\"}}\n", "|@`<é".repeat(2000)));
    let question: Vec<Value> = (0..10).map(|at| json!({"summary_contains": format!("none {at}")})).collect();
    let place =
        Place::with(&[("q.json", &Value::from(question).to_string()), ("r.jsonl", &bad.collect::<String>())]);
    let ended = place.run(&["check", "q.json", "r.jsonl", "--report", "markdown"]);
    assert!((20_000..60_000).contains(&ended.stdout.len()), "{} bytes", ended.stdout.len());
    let left_out = ["… and 275 more did not pass\n", "more are listed only in the table\n"];
    ended.with(1, &["300 of 300 subjects did not pass", left_out[0], left_out[1]], &[]);
}

#[test]
fn every_format_is_in_the_help_and_in_what_is_said_of_one_that_is_not() {
    let place = Place::with(&[]);
    let formats = Format::ALL.map(Format::name).join(", ");
    let page = include_str!("../../../docs/reference/reports.md");
    for format in Format::ALL {
        assert!(
            page.contains(&format!("[`{}`](#", format.name())),
            "docs/reference/reports.md has {}",
            format.name()
        );
    }
    for command in ["check", "run", "conformance"] {
        let help = place.run(&[command, "--help"]).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains(&formats), "{help}");
    }
    place.run(&["run", "--report", "tapp"]).with(
        2,
        &[],
        &[&format!("unknown report format 'tapp'; expected one of {formats}")],
    );
}

#[test]
fn the_same_inputs_give_the_same_bytes() {
    let bad = "{\"status\": \"error\"}\n".repeat(2000);
    let place = Place::with(&[("q.json", r#"{"status": "success"}"#), ("r.jsonl", &bad)]);
    for format in ["junit", "github", "markdown", "tap"] {
        let told = |jobs| {
            place.run(&["check", "q.json", "r.jsonl", "--no-timings", "--report", format, "-j", jobs]).stdout
        };
        assert_eq!(told("1"), told("8"), "{format}");
    }
}

#[test]
fn a_json_report_carries_the_subjects_where_that_is_asked_for() {
    let agent = "import json\nprint(json.dumps({'response': {'status': 'ok', 'token': 'hunter2-secret'},\n\
                 'trajectory': {'steps': []}}))\nimport sys\nprint('note', file=sys.stderr)\n";
    let case = |id: &str, status: &str| {
        let assert = json!([{"target": "response", "must": [{"status": [status]}]}]);
        json!({"id": id, "title": "a title", "type": "agent.run", "harness": {"agent": "a"}, "assert": assert})
    };
    let config = "[agents.a]\ncommand = \"python3 agent.py\"\nenv = {API_TOKEN = \"hunter2-secret\"}\n";
    let place = Place::with(&[
        ("a.spec.json", &json!([case("PASS", "ok"), case("FAIL", "no")]).to_string()),
        ("agent.py", agent),
        ("probative.toml", config),
    ]);
    let run = ["run", "a.spec.json", "--no-timings", "--with-subjects"];
    let json = place.run(&[&run[..], &["--report", "json", "--report", "jsonl=out.jsonl"]].concat());
    let report: Value = serde_json::from_str(&json.stdout).unwrap();
    let lines: Vec<Value> =
        place.read("out.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(report["results"], Value::from(lines));
    for result in report["results"].as_array().unwrap() {
        assert_eq!(result["title"], "a title");
        let subject = &result["subject"];
        assert_eq!(subject["response"], json!({"status": "ok", "token": "**************"}), "{subject}");
        assert_eq!(subject["trajectory"]["steps"], json!([]));
        assert_eq!(subject["stderr"], "note\n");
    }
    let schema: Value = serde_json::from_str(&place.run(&["schema", "results"]).stdout).unwrap();
    assert!(schema["$defs"]["result"]["properties"]["subject"].is_object());
    let plain = place.results(&["run", "a.spec.json"]);
    assert!(plain.iter().all(|result| result.get("subject").is_none()));
    let hint = "--with-subjects needs a JSON report; add --report json=FILE or --report jsonl=FILE";
    place.run(&run).with(2, &[], &[hint]);
}

#[test]
fn a_json_report_carries_recorded_subjects_on_one_line_each() {
    // Without this flag, later subjects that pass are not even read.
    let subjects = "{\"status\": \"ok\"}\n".repeat(3) + "{\"status\": \"no\"}\n";
    let run = "{\"steps\": [\n  {\"step_type\": \"tool_call\", \"tool_name\": \"a\", \"tool_args\": {\"n\":\n 1}}]}";
    let place = Place::with(&[
        ("q.json", r#"{"status": "ok"}"#),
        ("r.jsonl", &subjects),
        ("t.json", r#"{"tool_was_called": "a"}"#),
        ("run.json", run),
    ]);
    let told =
        |question: &str, subject: &str| place.results(&["check", question, subject, "--with-subjects"]);
    let results = told("q.json", "r.jsonl");
    for (result, status) in results.iter().zip(["ok", "ok", "ok", "no"]) {
        assert_eq!(result["subject"], json!({"response": {"status": status}}));
    }
    let results = told("t.json", "run.json");
    assert_eq!(results[0]["subject"]["trajectory"]["steps"][0]["tool_args"], json!({"n": 1}), "{results:?}");
}
