//! `probative run`, `lint` and `conformance` as a stranger meets them: a second witness for exit codes and report files.

mod cases;
mod place;

use std::time::{Duration, Instant};

use cases::{PASSES, each, exit_code, fence, shell, signal};
use place::Place;
use serde_json::{Value, json};

const FAILS: &str = "id: BAD\ntype: text.file\nassert: [{target: text, must: [{regex: ['^never$']}]}]\n";
const MALFORMED: &str = "id: WRONG\ntype: text.file\ntilte: x\n";
const MISSING: &str = "id: LOST\ntype: text.file\npath: none.txt\n";
const SKIPPED: &str =
    "id: LATER\ntype: text.file\nrequires: {capabilities: [time.travel], when_missing: skip}\n";

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn exit_codes_tell_what_kind_of_thing_went_wrong() {
    let place = Place::with(&[
        ("good.spec.md", &fence(PASSES)),
        ("bad.spec.md", &fence(FAILS)),
        ("wrong.spec.md", &fence(MALFORMED)),
        ("lost.spec.md", &fence(MISSING)),
        ("later.spec.md", &fence(SKIPPED)),
        ("unknown.spec.md", &fence("id: U\ntype: text.fiel\n")),
        ("prose.spec.md", "Nothing to see.\n"),
        ("empty/readme.md", ""),
    ]);
    let code = |arguments: &[&str]| place.run(&[&["run"], arguments].concat()).code;
    assert_eq!(code(&["good.spec.md"]), 0);
    assert_eq!(code(&["good.spec.md", "later.spec.md"]), 0);
    assert_eq!(code(&["good.spec.md", "bad.spec.md"]), 1);
    assert_eq!(code(&["good.spec.md", "lost.spec.md"]), 1);
    assert_eq!(code(&["unknown.spec.md"]), 1);
    assert_eq!(code(&["good.spec.md", "wrong.spec.md"]), 2);
    assert_eq!(code(&["bad.spec.md", "lost.spec.md", "wrong.spec.md"]), 2);
    assert_eq!(code(&["."]), 2);
    assert_eq!(code(&["prose.spec.md"]), 2);
    assert_eq!(code(&["empty"]), 2);
    assert_eq!(code(&["good.spec.md", "nowhere"]), 2);
    assert_eq!(code(&["good.spec.md", "--filter", "other"]), 2);
    assert_eq!(code(&["good.spec.md", "--filter", "/(/"]), 2);
    assert_eq!(code(&["good.spec.md", "--type", "cli.run"]), 2);
    assert_eq!(code(&["good.spec.md", "--shard", "3/2"]), 2);
    assert_eq!(code(&["good.spec.md", "--formats", "toml"]), 2);
    assert_eq!(code(&["good.spec.md", "--report", "xml"]), 2);
    assert_eq!(code(&["good.spec.md", "--report", "json=no/where.json"]), 2);
    assert_eq!(code(&["good.spec.md", "--journal", "no/where.jsonl"]), 2);
    assert_eq!(code(&["good.spec.md", "-j", "0"]), 2);
    assert_eq!(code(&["good.spec.md", "--list"]), 0);
    assert_eq!(code(&["empty", "--list"]), 2);
    assert_eq!(code(&["good.spec.md", "--list", "--filter", "other"]), 2);
    let health = |mode: &str| {
        let mut command = place.command(&["run", "good.spec.md"]);
        command.env("SPEC_RUNNER_ASSERT_HEALTH", mode).output().unwrap().status.code()
    };
    // Its own fence holds the text that it looks for.
    assert_eq!((health("warn"), health("error"), health("loud")), (Some(0), Some(1), Some(2)));
}

#[test]
fn lint_tells_by_its_exit_code_what_must_be_mended() {
    let weak = |mode: &str| {
        let path = "path: t.txt\nassert: [{target: text, must: [{contain: ['']}]}]";
        fence(&format!("id: W\ntype: text.file\nassert_health: {{mode: {mode}}}\n{path}\n"))
    };
    let sound = "id: S\ntype: text.file\npath: none.txt\nassert: [{target: text, must: [{contain: [x]}]}]\n";
    let place = Place::with(&[
        ("sound.spec.md", &fence(sound)),
        ("warn.spec.md", &weak("warn")),
        ("error.spec.md", &weak("error")),
        ("ignore.spec.md", &weak("ignore")),
        ("wrong.spec.md", &fence(MALFORMED)),
        ("prose.spec.md", ""),
    ]);
    let lint = |file: &str| place.run(&["lint", file]);
    lint("sound.spec.md").with(0, &["1 case: 0 errors, 0 findings"], &[]);
    lint("warn.spec.md").with(0, &["AH001", "1 case: 0 errors, 1 finding"], &[]);
    lint("error.spec.md").with(1, &["AH001", "1 case: 0 errors, 1 finding"], &[]);
    lint("ignore.spec.md").with(0, &["1 case: 0 errors, 0 findings"], &[]);
    lint("wrong.spec.md").with(2, &["did you mean 'title'?", "1 case: 1 error, 0 findings"], &[]);
    lint("prose.spec.md").with(2, &["no cases in this file", "0 cases: 1 error, 0 findings"], &[]);
    lint("nowhere").with(2, &["nowhere: "], &[]);
}

#[test]
fn the_json_report_has_every_promised_field() {
    let flaky = shell("FLAKY", "test -e tried || { touch tried; exit 3; }");
    let place = Place::with(&[
        ("a.spec.md", &(fence(PASSES) + "\n" + &fence(FAILS) + &fence(SKIPPED))),
        ("b.spec.json", &flaky.to_string()),
        ("c.spec.md", &(fence(MISSING) + &fence(MALFORMED))),
    ]);
    let documents = ["run", "a.spec.md", "b.spec.json", "c.spec.md", "--retries", "1", "--no-timings"];
    let reports = ["--report", "json", "--report", "jsonl=out.jsonl"];
    let ended = place.run(&[&documents[..], &reports].concat());
    assert_eq!(ended.code, 2);
    let row = |name: &str, path: &str, target: &str| json!({"name": name, "path": path, "target": target, "status": "pass", "expected": null, "actual": null, "place": null, "message": null});
    let said = "[case_id=BAD assert_path=assert[0].must[0] target=text op=regex] expected text to match '^never$', found ";
    let start: String = place.read("a.spec.md").chars().take(100).collect();
    let found = format!("'{}...'", start.replace('\n', "\\n"));
    let expected = json!({
        "version": 1,
        "summary": {"total": 6, "passed": 2, "failed": 1, "errors": 2, "skipped": 1, "flaky": 1},
        "results": [
            {"id": "GOOD", "type": "text.file", "file": "a.spec.md", "line": 2, "status": "pass", "category": null,
             "message": null, "assertions": [row("contain", "assert[0].must[0].contain[0]", "text")]},
            {"id": "BAD", "type": "text.file", "file": "a.spec.md", "line": 8, "status": "fail", "category": "assertion",
             "message": format!("{said}{found}"),
             "assertions": [{"name": "regex", "path": "assert[0].must[0].regex[0]", "target": "text", "status": "fail", "expected": "text to match '^never$'",
                             "actual": found, "place": null, "message": format!("{said}{found}")}]},
            {"id": "LATER", "type": "text.file", "file": "a.spec.md", "line": 13, "status": "skip", "category": null,
             "message": "missing required capabilities: time.travel", "assertions": []},
            {"id": "FLAKY", "type": "cli.run", "file": "b.spec.json", "line": 1, "status": "pass", "category": null, "message": null,
             "assertions": [row("exit_code", "exit_code", "exit_code")], "flaky": true,
             "warnings": ["flaky: passed on attempt 2; first attempt: exit_code expected=0 actual=3"]},
            {"id": "LOST", "type": "text.file", "file": "c.spec.md", "line": 2, "status": "error", "category": "runtime",
             "message": "c.spec.md:4:7: cannot read none.txt: no such file or directory", "assertions": []},
            {"id": "WRONG", "type": "text.file", "file": "c.spec.md", "line": 7, "status": "error", "category": "schema",
             "message": "c.spec.md:9:1: unknown key 'tilte'; did you mean 'title'?", "assertions": []},
        ],
    });
    let report = parsed(&ended.stdout);
    assert_eq!(report, expected, "{report:#}");
    let lines: Vec<Value> = place.read("out.jsonl").lines().map(parsed).collect();
    assert_eq!(Value::from(lines), report["results"]);
    assert_eq!(place.files(), ["a.spec.md", "b.spec.json", "c.spec.md", "out.jsonl", "tried"]);
}

#[test]
fn timings_are_told_unless_they_are_not_wanted() {
    let place = Place::with(&[("a.spec.md", &(fence(PASSES) + &fence(SKIPPED)))]);
    let report = parsed(&place.run(&["run", "--report", "json"]).stdout);
    let keys = |object: &Value| object.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(keys(&report), "version summary results");
    assert_eq!(keys(&report["summary"]), "total passed failed errors skipped flaky duration_ms");
    for result in report["results"].as_array().unwrap() {
        assert_eq!(keys(result), "id type file line status category message duration_ms assertions");
        assert!(result["duration_ms"].as_f64().unwrap() >= 0.0);
    }
    assert!(report["summary"]["duration_ms"].as_f64().unwrap() > 0.0);
    assert!(!place.run(&["run", "--report", "json", "--no-timings"]).stdout.contains("duration"));
}

#[test]
fn reports_of_cases_go_to_files_whole_or_not_at_all() {
    let documents = [("a.spec.md", &*fence(PASSES)), ("b.spec.md", &fence(FAILS)), ("old.json", "old")];
    let place = Place::with(&documents);
    let reports = ["--report", "human", "--report", "json=old.json", "--report", "human=told.txt"];
    place.run(&[&["run"], &reports[..]].concat()).with(
        1,
        &["FAIL BAD  b.spec.md:2", "2 cases: 1 passed, 1 failed"],
        &[],
    );
    assert_eq!(parsed(&place.read("old.json"))["summary"]["total"], 2);
    assert!(place.read("told.txt").contains("FAIL BAD"));
    let refused = |command: &str, arguments: &[&str], complaint: &str| {
        place.run(&[&[command], arguments].concat()).with(2, &[], &[complaint]);
    };
    let overwrites = "would overwrite an input";
    refused("run", &["--report", "json=a.spec.md"], overwrites);
    refused("run", &["--report", "json", "--report", "jsonl"], "two outputs go to standard output");
    refused("run", &["--journal", "b.spec.md"], overwrites);
    refused("conformance", &["--report", "json=./a.spec.md"], overwrites);
    refused("conformance", &["--out", "a.spec.md"], overwrites);
    refused("conformance", &["--out", "x.json", "--report", "json=./x.json"], "two outputs go to");
    refused("conformance", &["--out", "-"], "two outputs go to standard output");
    refused(
        "conformance",
        &["--out", "no/where.json"],
        "cannot write the report no/where.json: no such file or directory",
    );
    assert_eq!(place.files(), ["a.spec.md", "b.spec.md", "old.json", "told.txt"]);
    for (name, text) in &documents[..2] {
        assert_eq!(place.read(name), *text);
    }
}

/// Cases of every outcome, some of which take longer than those behind them.
fn mixed() -> String {
    let case = |number: usize| match number % 5 {
        0 => shell(&format!("C{number:02}"), "sleep 0.05; echo slow"),
        1 => shell(&format!("C{number:02}"), "echo out; echo err >&2; exit 3"),
        2 => {
            json!({"id": format!("C{number:02}"), "type": "text.file", "assert": [{"target": "text", "must": [{"contain": ["C"]}]}]})
        }
        3 => json!({"id": format!("C{number:02}"), "type": "text.file", "path": "none"}),
        _ => json!({"id": format!("C{number:02}"), "type": "none.such"}),
    };
    Value::from((0..30).map(case).collect::<Vec<_>>()).to_string()
}

#[test]
fn without_timings_every_number_of_jobs_gives_the_same_bytes() {
    let place = Place::with(&[
        ("m.spec.json", &mixed()),
        ("w.spec.md", &fence(MALFORMED)),
        ("g.spec.md", &fence(PASSES)),
    ]);
    for format in ["json", "jsonl", "human"] {
        let run =
            |jobs| place.run(&["run", "m.spec.json", ".", "--no-timings", "--report", format, "-j", jobs]);
        let one = run("1");
        assert_eq!(one.code, 2);
        assert_eq!(one.stdout, run("2").stdout);
        assert_eq!(one.stdout, run("16").stdout);
        assert_eq!(one.stdout, run("1").stdout);
    }
}

#[test]
fn results_are_told_in_order_although_the_first_case_is_slow() {
    // The first case waits for the last, so it passes only if they run at the same time.
    let waits = "for i in $(seq 200); do test -e last && exit 0; sleep 0.02; done; exit 1";
    let cases =
        json!([shell("FIRST", waits), shell("B", "true"), shell("C", "true"), shell("LAST", "touch last")]);
    let place = Place::with(&[("z.spec.json", &cases.to_string()), ("a.spec.md", &fence(PASSES))]);
    let ended = place.run(&[
        "run",
        "z.spec.json",
        "a.spec.md",
        "-j",
        "2",
        "--report",
        "jsonl",
        "--journal",
        "j.jsonl",
    ]);
    assert_eq!(ended.code, 0, "{ended:#?}");
    assert_eq!(each(&ended.json_lines(), "id"), ["FIRST", "B", "C", "LAST", "GOOD"]);
    // The journal tells them as they end: those beside the first one before it.
    let journal: Vec<Value> = place.read("j.jsonl").lines().map(parsed).collect();
    let ids = each(&journal, "id");
    assert!(ids.iter().position(|id| id == "C") < ids.iter().position(|id| id == "FIRST"), "{ids:?}");
    let without_order = |results: &[Value]| {
        let mut results = results.to_vec();
        results.sort_by_key(|result| result["id"].to_string());
        results
    };
    assert_eq!(without_order(&journal), without_order(&ended.json_lines()));
    // It is appended to.
    assert_eq!(place.run(&["run", "a.spec.md", "--journal", "j.jsonl"]).code, 0);
    assert_eq!(place.read("j.jsonl").lines().count(), 6);
}

#[test]
fn failing_fast_tells_the_same_whatever_runs_beside() {
    // The second to fail does so before the first.
    let cases: Vec<Value> = (0..12)
        .map(|number| {
            let script = match number {
                3 => "sleep 0.15; exit 1",
                4 | 5 => "exit 1",
                _ => "true",
            };
            shell(&format!("C{number:02}"), script)
        })
        .collect();
    let place = Place::with(&[("a.spec.json", &Value::from(cases).to_string())]);
    let run = |jobs| {
        let report = ["--report", "json", "--no-timings"];
        place.run(&[&["run", "a.spec.json", "--fail-fast", "-j", jobs], &report[..]].concat())
    };
    let one = run("1");
    assert_eq!(one.code, 1);
    let report = parsed(&one.stdout);
    assert_eq!(each(report["results"].as_array().unwrap(), "id"), ["C00", "C01", "C02", "C03"]);
    assert_eq!((&report["summary"]["total"], &report["summary"]["failed"]), (&4.into(), &1.into()));
    for jobs in ["4", "4", "16"] {
        assert_eq!(run(jobs).stdout, one.stdout);
    }
    // What runs beside the first failure is not waited for.
    let cases = json!([shell("FIRST", "sleep 0.1; exit 1"), shell("SECOND", "sleep 600")]);
    let place = Place::with(&[("a.spec.json", &cases.to_string())]);
    let begun = Instant::now();
    place.run(&["run", "a.spec.json", "--fail-fast", "-j", "2"]).with(1, &["1 case: 1 failed"], &[]);
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
}

#[test]
fn a_case_that_passes_when_tried_again_is_flaky() {
    let cases = json!([
        shell("THIRD", "echo x >> tries; test $(wc -l < tries) -ge 3"),
        shell("NEVER", "echo x >> never; exit 1"),
        {"id": "WRONG", "type": "cli.run", "hraness": {}},
    ]);
    let place = Place::with(&[("a.spec.json", &cases.to_string())]);
    let run = |retries: &str, filter: &str| {
        for file in ["tries", "never"] {
            let _ = std::fs::remove_file(place.path(file));
        }
        place.run(&["run", "a.spec.json", "--retries", retries, "--filter", filter])
    };
    run("1", "THIRD").with(1, &["1 case: 1 failed"], &[]);
    run("2", "THIRD").with(
        0,
        &["warning: THIRD: flaky: passed on attempt 3; first attempt: ", "1 case: 1 passed, 1 flaky"],
        &[],
    );
    run("9", "THIRD").with(0, &["passed on attempt 3"], &[]);
    run("4", "NEVER").with(1, &["1 case: 1 failed"], &[]);
    assert_eq!(place.read("never").lines().count(), 5);
    run("4", "WRONG").with(2, &["did you mean 'harness'?"], &[]);
}

#[test]
fn conformance_is_judged_by_what_a_case_expects() {
    let case = |id: &str, asserts: &str, expect: &str| {
        format!("- id: {id}\n  type: text.file\n  {asserts}\n  expect: {expect}\n")
    };
    let (holds, fails) = (
        "assert: [{target: text, must: [{contain: [id]}]}]",
        "assert: [{target: text, must: [{regex: ['^never']}]}]",
    );
    let cases = case("PASS", holds, "{portable: {status: pass, category: null}}")
        + &case(
            "FAIL",
            fails,
            "{portable: {status: fail, category: assertion, message_tokens: ['^never', FAIL]}}",
        )
        + &case("RUNTIME", "path: none.txt", "{portable: {status: fail, category: runtime}}")
        + &case(
            "SCHEMA",
            "tilte: x",
            "{portable: {status: fail, category: schema, message_tokens: [title]}}",
        )
        + &case("SKIP", "requires: {capabilities: [x], when_missing: skip}", "{portable: {status: skip}}")
        + &case(
            "OURS",
            fails,
            "{portable: {status: pass}, impl: {rust: {status: fail, category: assertion}}}",
        );
    let place = Place::with(&[("a.spec.md", &fence(&cases))]);
    let ended = place.run(&["conformance", "a.spec.md", "--out", "out.json", "--no-timings"]);
    assert_eq!((ended.code, &*ended.stdout, &*ended.stderr), (0, "6 cases: 6 passed\n", ""));
    let report = parsed(&place.read("out.json"));
    assert_eq!(report["version"], 1);
    assert_eq!(report.as_object().unwrap().keys().collect::<Vec<_>>(), ["version", "results"]);
    let results = report["results"].as_array().unwrap();
    for result in results {
        assert_eq!(
            result.as_object().unwrap().keys().collect::<Vec<_>>(),
            ["id", "status", "category", "message"]
        );
        let is_null = |key: &str| result[key].is_null();
        assert_eq!(is_null("category"), result["status"] != "fail");
        assert_eq!(is_null("message"), result["status"] != "fail");
    }
    assert_eq!(each(results, "id"), ["PASS", "FAIL", "RUNTIME", "SCHEMA", "SKIP", "OURS"]);
    assert_eq!(each(results, "status"), ["pass", "fail", "fail", "fail", "skip", "fail"]);
    assert_eq!(each(results, "category"), ["null", "assertion", "runtime", "schema", "null", "assertion"]);
    // As `run` judges them, the same cases are no success.
    assert_eq!(place.run(&["run", "a.spec.md"]).code, 2);
    // Another runner is held to what all are.
    let other =
        place.run(&["conformance", "a.spec.md", "--impl", "python", "--out", "out.json", "--no-timings"]);
    other.with(1, &["expected status pass, found fail", "6 cases: 5 passed, 1 failed"], &[]);
    assert_eq!(parsed(&place.read("out.json")), report);
}

#[test]
fn a_failure_is_told_in_the_row_of_its_assertion() {
    let mut case = shell("ROWS", "echo hi");
    case["assert"] = json!([{"target": "stdout", "must": [{"contain": ["hi", "bye"]}]}]);
    let place = Place::with(&[("a.spec.json", &case.to_string())]);
    let ended = place.run(&["run", "a.spec.json", "--report", "json", "--no-timings"]);
    let rows = parsed(&ended.stdout)["results"][0]["assertions"].clone();
    assert_eq!(each(rows.as_array().unwrap(), "name"), ["exit_code", "contain", "contain"]);
    assert_eq!(each(rows.as_array().unwrap(), "status"), ["pass", "pass", "fail"]);
}

#[test]
fn a_journal_that_cannot_be_written_is_no_success() {
    let place = Place::with(&[("a.spec.md", &fence(PASSES))]);
    let ended = place.run(&["run", "a.spec.md", "--journal", "/dev/full"]);
    ended.with(2, &["1 case: 1 passed"], &["cannot write the journal"]);
}

#[test]
fn what_is_written_wrongly_is_not_tried_again_nor_flaky() {
    let place = Place::with(&[("a.spec.md", &fence("id: OUT\ntype: text.file\npath: ../../out.txt\n"))]);
    let ended = place.run(&["run", "a.spec.md", "--retries", "3", "--no-timings"]);
    ended.with(2, &["escapes contract root", "1 case: 1 error"], &[]);
    assert!(!ended.stdout.contains("flaky"), "{}", ended.stdout);
}

#[test]
fn an_interrupt_of_a_run_that_fails_fast_is_an_interrupt() {
    let cases = json!([shell("SLOW", "touch begun; sleep 600"), shell("OTHER", "sleep 600")]);
    let place = Place::with(&[("a.spec.json", &cases.to_string())]);
    let mut child = place.command(&["run", "a.spec.json", "-j", "2", "--fail-fast"]).spawn().unwrap();
    while !place.path("begun").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    signal("INT", child.id());
    assert_eq!(exit_code(&mut child), Some(130));
}

#[test]
fn what_a_program_writes_is_seen_by_the_next_case_about_that_file() {
    let about = |id: &str, word: &str| json!({"id": id, "type": "text.file", "path": "state.txt", "assert": [{"target": "text", "must": [{"contain": [word]}]}]});
    let place = Place::with(&[("state.txt", "before\n")]);
    let write = format!("echo after > {}", place.path("state.txt").display());
    let cases = json!([about("A", "before"), shell("W", &write), about("B", "after")]);
    place.write("a.spec.json", cases.to_string().as_bytes());
    place.run(&["run", "a.spec.json", "-j1"]).with(0, &["3 passed"], &[]);
    place.write("b.spec.json", json!([about("A", "after"), about("B", "after")]).to_string().as_bytes());
    place.run(&["run", "b.spec.json"]).with(0, &["2 passed"], &[]);
}

const NAMED: &str = r"
id: NAMED
type: agent.trajectory
trajectory:
  steps:
    - {step_type: tool_call, tool_name: search, tool_args: {q: tea}}
    - {step_type: tool_call, tool_name: write_file, tool_args: {path: /etc/passwd}}
assert:
  - cannot:
      - tool_called_with_partial: [{name: write_file, args: {path: /etc/passwd}}]
  - name: Refund policy
    must:
      - tool_called_before: [{first: write_file, second: search}]
      - name: Approval comes first
        tool_was_called: [approve]
  - cannot:
      - name: Never search
        tool_was_called: [search]
";

#[test]
fn the_name_of_a_group_or_assertion_is_the_headline() {
    let place = Place::with(&[("a.spec.yaml", NAMED)]);
    let run = ["run", "a.spec.yaml", "--formats", "yaml"];
    let told = [
        "  cannot tool_called_with_partial  a.spec.yaml:9:5\n",
        "    write_file({\"path\":\"/etc/passwd\"}) was called at step 2, but must not be\n",
        "  Refund policy  tool_called_before  a.spec.yaml:13:9\n",
        "  Approval comes first  tool_was_called  a.spec.yaml:15:9\n",
        "  Never search  a.spec.yaml:16:5\n",
        "    search({\"q\":\"tea\"}) was called at step 1, but must not be\n",
    ];
    place.run(&run).with(1, &told, &[]);
    let rows = &place.results(&run)[0]["assertions"];
    let of = |row: usize, key: &str| rows[row][key].as_str().unwrap_or("-").to_owned();
    assert_eq!([of(0, "name"), of(0, "label")], ["cannot", "-"]);
    assert_eq!(of(0, "headline"), "cannot tool_called_with_partial");
    assert_eq!(
        of(0, "summary"),
        "write_file({\"path\":\"/etc/passwd\"}) was called at step 2, but must not be"
    );
    assert_eq!([of(0, "place"), of(0, "actual")], ["step 2", "write_file({\"path\":\"/etc/passwd\"})"]);
    assert_eq!(of(0, "expected"), "'write_file' never called with {\"path\":\"/etc/passwd\"}");
    assert!(of(0, "message").contains("'cannot' failed: 1 branch(es) passed"), "{rows:#?}");
    assert_eq!([of(1, "name"), of(1, "label")], ["tool_called_before", "Refund policy"]);
    assert_eq!([of(2, "name"), of(2, "label")], ["tool_was_called", "Approval comes first"]);
    assert_eq!([of(3, "name"), of(3, "headline")], ["cannot", "Never search"]);
}

#[test]
fn a_name_in_a_question_is_the_headline() {
    let tree = "target: response\nname: All of it\nmust:\n  - {name: It succeeds, status: [success]}\n";
    let list = "- {status: success, name: It succeeds}\n";
    for question in [tree, list] {
        let place = Place::with(&[("q.yaml", question), ("r.json", r#"{"status": "error"}"#)]);
        place.run(&["check", "q.yaml", "r.json"]).with(1, &["  It succeeds  status  q.yaml:"], &[]);
    }
    let place = Place::with(&[("q.yaml", "status: success\nname: X\n"), ("r.json", "{}")]);
    place.run(&["check", "q.yaml", "r.json"]).with(
        2,
        &[],
        &["'name' belongs next to a group, or next to one assertion"],
    );
}
