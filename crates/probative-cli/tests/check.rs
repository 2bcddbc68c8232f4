//! `probative check` as a stranger meets it: a second witness in plain Rust for outputs and exit codes.

mod place;

use place::Place;
use serde_json::{Value, json};

const QUESTION: &str = r#"{"status": "success", "results_max": 5,
 "all_match_pattern": {"path": "results[*].file", "regex": "^journal/"}}"#;
const GOOD: &str = r#"{"status": "success", "results": [{"file": "journal/a.md"}]}"#;
const BAD: &str = r#"{"status": "success", "results": [{"file": "journal/a.md"}, {"file": "work/doc.md"}]}"#;

#[test]
fn a_pass_is_one_quiet_line() {
    let place = Place::with(&[("q.json", QUESTION), ("r.json", GOOD)]);
    let ended = place.run(&["check", "q.json", "r.json", "--no-timings"]);
    assert_eq!((ended.code, &*ended.stdout, &*ended.stderr), (0, "1 subject: 1 passed\n", ""));
}

#[test]
fn a_failure_names_assertion_expected_found_and_place() {
    let place = Place::with(&[("q.json", QUESTION), ("r.json", BAD)]);
    let ended = place.run(&["check", "q.json", "r.json", "--no-timings"]);
    let expected = "\
FAIL r.json
  Test FAILS (1 of 3 assertions failed)

  all_match_pattern  q.json:2:2
    File 'work/doc.md' at results[1].file doesn't match pattern '^journal/'
    expected  every results[*].file to match '^journal/'
    found     'work/doc.md'
    at        results[1].file

  response:
    │ {
    │   \"status\": \"success\",
    │   \"results\": [
    │     {\"file\":\"journal/a.md\"},
    │     {
    │       \"file\": \"work/doc.md\"  ← all_match_pattern
    │     }
    │   ]
    │ }

  rerun: probative check q.json r.json

1 subject: 1 failed
";
    assert_eq!((ended.code, &*ended.stdout, &*ended.stderr), (1, expected, ""));
}

#[test]
fn long_values_that_differ_are_compared_line_by_line() {
    let question = r#"{"field_equals": {"plan": {"steps": ["read", "weigh", "answer"], "limit": 10}}}"#;
    let response = r#"{"plan": {"steps": ["read", "answer"], "limit": 10}}"#;
    let place = Place::with(&[("q.json", question), ("r.json", response)]);
    place.run(&["check", "q.json", "r.json"]).with(
        1,
        &[
            "diff      - expected  + found\n",
            "\n      │       \"read\",\n      │ -     \"weigh\",\n      │       \"answer\"\n",
            "\"plan\": {\"steps\":[\"read\",\"answer\"],\"limit\":10}  ← field_equals",
        ],
        &[],
    );
    let row = &place.results(&["check", "q.json", "r.json"])[0]["assertions"][0];
    let differences: Vec<&str> =
        row["diff"].as_str().unwrap().lines().filter(|line| line.starts_with('-')).collect();
    assert_eq!(differences, ["-    \"weigh\","]);
}

#[test]
fn all_places_that_are_named_are_marked() {
    let response = r#"{"results": [{"file": "a"}, {"file": "journal/b"}, {"file": "c"}]}"#;
    let question = r#"{"all_match_pattern": {"path": "results[*].file", "regex": "^journal/"}, "has_fields": ["x", "y"]}"#;
    let place = Place::with(&[("q.json", question), ("r.json", response)]);
    let told = place.run(&["check", "q.json", "r.json"]);
    let marks = ["\"a\"  ← all_match_pattern\n", "\"c\"  ← all_match_pattern\n"];
    told.with(1, &marks, &[]);
    told.with(1, &["{  ← has_fields: the document has no 'x'; has_fields: the document has no 'y'\n"], &[]);
    let rows = &place.results(&["check", "q.json", "r.json"])[0]["assertions"];
    assert_eq!(
        (&rows[0]["place"], &rows[0]["also_at"]),
        (&"results[0].file".into(), &serde_json::json!(["results[2].file"]))
    );
    assert_eq!(rows[1]["also_at"], serde_json::json!(["y"]));
}

#[test]
fn one_line_of_many_is_judged_again_by_the_command_that_is_told() {
    let place = Place::with(&[("q.json", QUESTION), ("my r.jsonl", &format!("{GOOD}\n{BAD}\n"))]);
    let told = place.run(&["check", "q.json", "my r.jsonl"]).stdout;
    let command = told.lines().find_map(|line| line.strip_prefix("  rerun: ")).unwrap();
    assert_eq!(command, "sed -n 2p 'my r.jsonl' | probative check q.json -");
}

#[test]
fn the_json_report_has_the_promised_shape() {
    let place = Place::with(&[("q.json", QUESTION), ("r.jsonl", &format!("{GOOD}\n{BAD}\n"))]);
    let ended = place.run(&["check", "q.json", "r.jsonl", "--report", "json"]);
    assert_eq!(ended.code, 1);
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    let keys = |object: &Value| object.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(keys(&report), "version summary results");
    assert_eq!(report["version"], 1);
    assert_eq!(keys(&report["summary"]), "total passed failed errors skipped flaky duration_ms");
    assert_eq!(report["summary"]["total"], 2);
    let failed = &report["results"][1];
    assert_eq!(keys(failed), "id type file line status category message duration_ms assertions");
    assert_eq!(failed["id"], "r.jsonl:2");
    assert_eq!((&failed["file"], &failed["line"]), (&"r.jsonl".into(), &2.into()));
    assert_eq!((&failed["status"], &failed["category"]), (&"fail".into(), &"assertion".into()));
    assert_eq!(failed["message"], "Test FAILS (1 of 3 assertions failed)");
    let row = &failed["assertions"][2];
    assert_eq!(keys(row), "name path status expected actual place message");
    assert_eq!((&row["name"], &row["place"]), (&"all_match_pattern".into(), &"results[1].file".into()));
    assert_eq!(report["results"][0]["assertions"][0]["status"], "pass");
    assert_eq!(report["results"][0]["category"], Value::Null);
}

#[test]
fn without_timings_every_number_of_threads_gives_the_same_bytes() {
    let line = |number: usize| {
        let status = if number.is_multiple_of(7) { "error" } else { "success" };
        format!(r#"{{"status": "{status}", "results": [], "pad": "{}"}}"#, "x".repeat(number % 200)) + "\n"
    };
    let lines: String = (0..3000).map(line).collect();
    let place = Place::with(&[("q.json", QUESTION), ("r.jsonl", &lines)]);
    for format in ["jsonl", "json", "human"] {
        let run =
            |jobs| place.run(&["check", "q.json", "r.jsonl", "--no-timings", "--report", format, "-j", jobs]);
        let one = run("1");
        assert_eq!(one.code, 1);
        assert_eq!(one.stdout, run("2").stdout);
        assert_eq!(one.stdout, run("16").stdout);
        assert!(!one.stdout.contains("duration"));
    }
    let results = place.results(&["check", "q.json", "r.jsonl", "-j", "4"]);
    let lines: Vec<Value> = results.iter().map(|result| result["line"].clone()).collect();
    assert_eq!(lines, (1..=3000).map(Value::from).collect::<Vec<_>>());
}

#[test]
fn the_human_report_tells_twenty_and_counts_the_rest() {
    let place = Place::with(&[("q.json", QUESTION), ("r.jsonl", &format!("{BAD}\n").repeat(57))]);
    let ended = place.run(&["check", "q.json", "r.jsonl", "--no-timings"]);
    let rest = "… and 37 more that did not pass; use --verbose to see all";
    ended.with(1, &["FAIL r.jsonl:20\n", rest, "57 subjects: 57 failed"], &[]);
    assert_eq!(ended.stdout.matches("FAIL r.jsonl:").count(), 20);
}

#[test]
fn the_human_report_counts_the_warnings_that_it_does_not_show() {
    let case = |number: usize, exit_code: usize| {
        format!(
            "```yaml spec-test\nid: W-{number}\ntype: cli.run\nexit_code: {exit_code}\n\
             harness: {{entrypoint: printf}}\nargv: ['\\377']\n```\n\n"
        )
    };
    let told = |exit_codes: &[usize]| {
        let cases = exit_codes.iter().enumerate().map(|(number, exit_code)| case(number, *exit_code));
        let place = Place::with(&[("w.spec.md", &cases.collect::<String>())]);
        place.run(&["run", "w.spec.md", "--no-timings"])
    };
    let ended = told(&[0; 23]);
    ended.with(0, &["… and 3 more with warnings; use --verbose to see all", "23 cases: 23 passed"], &[]);
    assert_eq!(ended.stdout.matches("stdout isn't valid UTF-8").count(), 20);
    assert!(!told(&[0; 20]).stdout.contains(" more with"));
    let both = [[0; 22], [1; 22]].concat();
    told(&both).with(
        1,
        &["… and 2 more that did not pass and 2 more with warnings; use --verbose to see all"],
        &[],
    );
}

#[test]
fn standard_input_may_be_json_lines_or_text() {
    let place = Place::with(&[("q.json", QUESTION), ("text.yaml", "contains: 'hello \"you\"'")]);
    let check = |input: &str, more: &[&str]| {
        let arguments = [&["check", "q.json", "-", "--report", "jsonl", "--no-timings"], more].concat();
        let ended = place.run_with_input(&arguments, input.as_bytes());
        let ids: Vec<String> =
            ended.json_lines().iter().map(|result| result["id"].as_str().unwrap().to_owned()).collect();
        (ended.code, ids.join(" "))
    };
    let pretty = format!("{:#}", serde_json::from_str::<Value>(GOOD).unwrap());
    assert_eq!(check(&pretty, &[]), (0, "-".to_owned()));
    assert_eq!(check(GOOD, &[]), (0, "-".to_owned()));
    assert_eq!(check(&format!("{GOOD}\n"), &[]), (0, "-".to_owned()));
    assert_eq!(check(&format!("\n{GOOD}\n{GOOD}"), &[]), (0, "-:2 -:3".to_owned()));
    assert_eq!(check(&format!("{GOOD}\n{BAD}\n"), &["--input", "json"]), (2, "-".to_owned()));
    assert_eq!(check(GOOD, &["--input", "jsonl"]), (0, "-:1".to_owned()));
    assert_eq!(check("", &[]), (2, "-".to_owned()));
    let text = place.run_with_input(&["check", "text.yaml", "-", "--input", "text"], b"oh hello \"you\"\n");
    assert_eq!(text.code, 0, "{text:?}");
}

#[test]
fn a_text_file_is_judged_as_a_text() {
    let place = Place::with(&[("q.yaml", "contains: fine"), ("a.txt", "all is fine\n")]);
    assert_eq!(place.run(&["check", "q.yaml", "a.txt"]).code, 0);
    place.write("b.txt", b"ok\n\xff");
    place.run(&["check", "q.yaml", "b.txt"]).with(2, &["b.txt:2: not UTF-8"], &[]);
}

#[test]
fn the_time_can_be_told() {
    let question = r#"{"dates_within_days": {"path": "at", "days": 7}}"#;
    let place = Place::with(&[("q.json", question), ("r.json", r#"{"at": "2026-01-08"}"#)]);
    assert_eq!(place.run(&["check", "q.json", "r.json", "--now", "2026-01-15"]).code, 0);
    let ended = place.run(&["check", "q.json", "r.json", "--now", "2026-01-16T00:00:00Z"]);
    ended.with(1, &["Date 2026-01-08 is 8 days from 2026-01-16, more than 7"], &[]);
}

#[test]
fn reports_go_to_files_whole_or_not_at_all() {
    let place = Place::with(&[("q.json", QUESTION), ("r.json", BAD), ("old.json", "old")]);
    let reports = ["--report", "human", "--report", "json=old.json", "--report", "jsonl=new.jsonl"];
    place.run(&[&["check", "q.json", "r.json"], &reports[..]].concat()).with(1, &["FAIL r.json"], &[]);
    let json: Value = serde_json::from_str(&place.read("old.json")).unwrap();
    assert_eq!(json["summary"]["failed"], 1);
    assert_eq!(serde_json::from_str::<Value>(&place.read("new.jsonl")).unwrap()["id"], "r.json");
    assert_eq!(place.files(), ["new.jsonl", "old.json", "q.json", "r.json"]);

    let refused = |reports: &[&str], complaint: &str| {
        place.run(&[&["check", "q.json", "r.json"], reports].concat()).with(2, &[], &[complaint]);
    };
    let nowhere = "cannot write the report nowhere/x.json: no such file or directory\n";
    refused(&["--report", "json=nowhere/x.json"], nowhere);
    refused(&["--report", "json", "--report", "human"], "two outputs go to standard output");
    refused(&["--report", "json", "--report", "human=-"], "two outputs go to standard output");
    refused(&["--report", "json=a", "--report", "jsonl=./a"], "two outputs go to ./a");
    refused(&["--report", "json=q.json"], "the report q.json would overwrite an input");
    refused(&["--report", "json=./r.json"], "the report ./r.json would overwrite an input");
    refused(&["--report", "xml"], "unknown report format 'xml'; expected one of human, json, jsonl");
    assert_eq!(place.files(), ["new.jsonl", "old.json", "q.json", "r.json"]);
    assert_eq!(place.read("q.json"), QUESTION);
}

#[cfg(unix)]
#[test]
fn a_report_follows_links_and_respects_permissions() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::with(&[("q.json", QUESTION), ("r.json", GOOD), ("real.json", "old")]);
    let mode = |name: &str| std::fs::metadata(place.path(name)).unwrap().permissions().mode() & 0o777;
    std::fs::set_permissions(place.path("real.json"), std::fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink("real.json", place.path("link.json")).unwrap();
    std::os::unix::fs::symlink("/dev/null", place.path("null.json")).unwrap();
    std::os::unix::fs::symlink("later.json", place.path("dangling.json")).unwrap();
    std::os::unix::fs::symlink("loop.json", place.path("loop.json")).unwrap();
    for report in ["json=link.json", "json=null.json", "json=new.json", "json=dangling.json"] {
        assert_eq!(place.run(&["check", "q.json", "r.json", "--report", report]).code, 0);
    }
    let looping = "cannot write the report loop.json: too many symbolic links";
    place.run(&["check", "q.json", "r.json", "--report", "json=loop.json"]).with(2, &[], &[looping]);
    assert!(std::fs::symlink_metadata(place.path("dangling.json")).unwrap().is_symlink());
    assert!(place.read("later.json").starts_with("{\"version\":1"));
    assert!(std::fs::symlink_metadata(place.path("link.json")).unwrap().is_symlink());
    assert!(std::fs::symlink_metadata(place.path("null.json")).unwrap().is_symlink());
    assert!(place.read("real.json").starts_with("{\"version\":1"));
    assert_eq!(mode("real.json"), 0o600);
    assert_ne!(mode("new.json") & 0o400, 0);
}

#[test]
fn colour_is_for_those_who_want_it() {
    let place = Place::with(&[("q.json", QUESTION), ("r.json", BAD)]);
    let colours = |variables: &[(&str, &str)]| {
        let mut command = place.command(&["check", "q.json", "r.json"]);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        output.stdout.contains(&0x1b)
    };
    assert!(!colours(&[("TERM", "xterm-256color")]));
    assert!(colours(&[("CLICOLOR_FORCE", "1")]));
    assert!(!colours(&[("CLICOLOR_FORCE", "0")]));
    assert!(!colours(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
}

#[test]
fn a_tree_of_groups_is_a_question_too() {
    let question = "
target: response
must:
  - status: [success]
  - can:
      - results_min: [5]
      - all_match_pattern: [{path: 'results[*].file', regex: ^journal/}]
  - cannot:
      - contains: [secret]
";
    let secret = r#"{"status": "success", "results": [], "note": "secret"}"#;
    let place =
        Place::with(&[("q.yaml", question), ("good.json", GOOD), ("bad.json", BAD), ("secret.json", secret)]);
    assert_eq!(place.run(&["check", "q.yaml", "good.json"]).code, 0);
    // People read each branch on a line of its own; the message is fixed by the spec format.
    let each = "  can results_min, all_match_pattern  q.yaml:5:5
    no branch passed (of 2)
    - results_min: Expected at least 5 results, got 2
    - all_match_pattern: File 'work/doc.md' at results[1].file doesn't match pattern '^journal/'
";
    place.run(&["check", "q.yaml", "bad.json"]).with(1, &[each], &[]);
    let seen = "  cannot contains  q.yaml:8:5
    the response contains 'secret', but must not
    expected  a response without 'secret'
    found     '{\"status\":\"success\",\"results\":[],\"note\":\"secret\"}'
";
    place.run(&["check", "q.yaml", "secret.json"]).with(1, &[seen], &[]);
    let messages = |subject: &str| place.results(&["check", "q.yaml", subject])[0]["assertions"].to_string();
    let failed = "all 'can' branches failed: (1) Expected at least 5 results, got 2; (2) File 'work/doc.md'";
    assert!(messages("bad.json").contains(failed));
    let failed = "'cannot' failed: 1 branch(es) passed: must[2].cannot[0].contains[0] (the response contains";
    assert!(messages("secret.json").contains(failed));
}

#[test]
fn an_interrupt_while_waiting_ends_with_130_and_finishes_the_reports() {
    use std::io::{BufRead as _, BufReader, Write as _};
    let place = Place::with(&[("q.json", QUESTION)]);
    let reports = ["--report", "jsonl", "--report", "json=out.json"];
    let mut child = place.start(&[&["check", "q.json", "-", "--input", "jsonl"], &reports[..]].concat());
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{GOOD}").unwrap();
    let mut told = String::new();
    // What was sent is told at once, though more may come.
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut told).unwrap();
    assert!(told.contains("\"id\":\"-:1\""), "{told}");
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(stdin);
    let report: Value = serde_json::from_str(&place.read("out.json")).unwrap();
    assert_eq!((&report["summary"]["interrupted"], &report["summary"]["total"]), (&true.into(), &1.into()));
    assert_eq!(place.files(), ["out.json", "q.json"]);
}

#[test]
fn an_interrupted_run_finishes_its_reports_and_says_so() {
    use std::io::{BufRead as _, BufReader, Write as _};
    let place = Place::with(&[("q.json", QUESTION)]);
    let reports = ["--report", "jsonl", "--report", "json=out.json"];
    let mut child =
        place.start(&[&["check", "q.json", "-", "--input", "jsonl", "-j", "2"], &reports[..]].concat());
    let mut stdin = child.stdin.take().unwrap();
    let sender = std::thread::spawn(move || while writeln!(stdin, "{GOOD}").is_ok() {});
    let mut told = BufReader::new(child.stdout.take().unwrap()).lines();
    // It is at work.
    assert!(told.next().unwrap().unwrap().contains("\"id\":\"-:1\""));
    interrupt(&child);
    let told = told.count() + 1;
    assert_eq!(child.wait().unwrap().code(), Some(130));
    sender.join().unwrap();
    let report: Value = serde_json::from_str(&place.read("out.json")).unwrap();
    assert_eq!(report["summary"]["interrupted"], true);
    assert_eq!(report["summary"]["total"], told);
    assert_eq!(report["results"].as_array().unwrap().len(), told);
    assert_eq!(place.files(), ["out.json", "q.json"]);
}

fn interrupt(child: &std::process::Child) {
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn a_reader_that_goes_away_is_no_reason_to_panic_or_to_lose_another_report() {
    let place = Place::with(&[("q.json", QUESTION), ("r.jsonl", &format!("{BAD}\n").repeat(5000))]);
    let mut child =
        place.start(&["check", "q.json", "r.jsonl", "--report", "jsonl", "--report", "json=out.json"]);
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    let report: Value = serde_json::from_str(&place.read("out.json")).unwrap();
    assert_eq!(report["summary"]["failed"], 5000);
}

#[test]
fn an_error_in_the_question_outweighs_one_in_the_judging() {
    let question = r#"{"all_match_pattern": {"path": "t", "regex": "(a+)+(?<!x)c$"}, "statuss": 1}"#;
    let response = format!(r#"{{"t": "{}b"}}"#, "a".repeat(60));
    let place = Place::with(&[("q.json", question), ("r.json", &response)]);
    let result = &place.results(&["check", "q.json", "r.json"])[0];
    assert_eq!(result["category"], "schema");
    assert_eq!(result["message"], "Test has ERRORS (2 of 2 assertions not judged)");
}

#[test]
fn a_message_lists_five_of_many_failed_branches() {
    let branches: Vec<String> = (1..=7).map(|count| format!("- results_min: [{count}]")).collect();
    let question = format!("can:\n{}", branches.join("\n"));
    let place = Place::with(&[("q.yaml", &question), ("r.json", r#"{"results": []}"#)]);
    let row = &place.results(&["check", "q.yaml", "r.json"])[0]["assertions"][0];
    assert_eq!(row["expected"], "at least one branch to pass (of 7)");
    let message = row["message"].as_str().unwrap();
    assert!(message.ends_with("(5) Expected at least 5 results, got 0"), "{message}");
    // People read them all.
    place.run(&["check", "q.yaml", "r.json"]).with(
        1,
        &["    no branch passed (of 7)\n", "    - results_min: Expected at least 7 results, got 0\n"],
        &[],
    );
}

/// What `run` makes of a recording, and what `check` makes of the same file, as a line, and from standard input.
fn verdicts(document: &str, kind: &str, word: &Value) -> [String; 4] {
    let (name, argument) = word.as_object().unwrap().iter().next().unwrap();
    let case = json!({"id": "A", "type": kind, "file": "r.json", "assert": [{"must": [{name: [argument]}]}]});
    let place = Place::with(&[
        ("a.spec.json", &case.to_string()),
        ("q.json", &word.to_string()),
        ("r.json", document),
        ("lines.jsonl", &format!("{document}\n{document}\n")),
        ("parts/run.json", r#"{"steps": [{"step_type": "tool_call", "tool_name": "refund"}]}"#),
        ("parts/said.txt", "the refund is done"),
    ]);
    let status = |results: Vec<Value>| {
        let statuses: Vec<String> = results.iter().map(|told| told["status"].to_string()).collect();
        assert!(statuses.windows(2).all(|two| two[0] == two[1]), "{results:#?}");
        statuses[0].clone()
    };
    let piped = place.run_with_input(&["check", "q.json", "-", "--report", "jsonl"], document.as_bytes());
    [
        status(place.results(&["run", "a.spec.json"])),
        status(place.results(&["check", "q.json", "r.json"])),
        status(place.results(&["check", "q.json", "lines.jsonl"])),
        status(piped.json_lines()),
    ]
}

#[test]
fn envelopes_are_opened_as_run_opens_them() {
    let run = r#"{"steps": [{"step_type": "tool_call", "tool_name": "refund"}]}"#;
    let messages = r#"{"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "tool_calls": [{"id": "1", "type": "function",
        "function": {"name": "refund", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "1", "content": "ok"},
        {"role": "assistant", "content": "the refund is done"}]}"#
        .replace('\n', "");
    // Longer than what is read only as far as the question needs, in lines and in files.
    let padded = |steps: usize| {
        let others =
            r#"{"step_type": "tool_call", "tool_name": "look", "tool_result": "nothing"}, "#.repeat(steps);
        let refund = &run[11..run.len() - 2];
        format!(r#"{{"steps": [{others}{refund}], "response": {{"a": 1}}, "trajectory": {{"steps": []}}}}"#)
    };
    let said = json!({"contains": "refund"});
    let did = json!({"tool_was_called": "refund"});
    for (document, of_response, of_run) in [
        (format!(r#"{{"response": "the refund is done", "trajectory": {run}}}"#), "pass", "pass"),
        (format!(r#"{{"response": {{"id": "RF"}}, "trajectory": {run}, "report": null}}"#), "fail", "pass"),
        (format!(r#"{{"trajectory": {run}}}"#), "error", "pass"),
        (format!(r#"{{"trajectory": {messages}}}"#), "pass", "pass"),
        (format!(r#"{{"response": "no", "trajectory": {messages}}}"#), "fail", "pass"),
        (r#"{"response": {"text": "refund"}}"#.to_owned(), "pass", "error"),
        (r#"{"response": "refund", "trajectory": {"steps": 1}}"#.to_owned(), "pass", "error"),
        (r#"{"response": null, "trajectory": null}"#.to_owned(), "error", "error"),
        (
            r#"{"response_file": "parts/said.txt", "trajectory_file": "parts/run.json"}"#.to_owned(),
            "pass",
            "pass",
        ),
        (
            r#"{"response_file": "parts/none.txt", "trajectory_file": "parts/run.json"}"#.to_owned(),
            "error",
            "pass",
        ),
        (
            r#"{"response_file": "../../../../etc/hostname", "trajectory_file": 1}"#.to_owned(),
            "error",
            "error",
        ),
        (format!(r#"{{"usage": "refund", "response": {{}}, "trajectory": {run}}}"#), "fail", "pass"),
        // These are no envelopes: each is the one thing that it looks like.
        (r#"{"response": "a", "note": "refund"}"#.to_owned(), "pass", "error"),
        (r#"{"note": "b", "response": {"refund": 1}}"#.to_owned(), "pass", "error"),
        (
            format!(
                r#"{{"input": {{"response": {{"trajectory": 1}}}}, "steps": {}}}"#,
                &run[10..run.len() - 1]
            ),
            "pass",
            "pass",
        ),
        // Not the run at the top, but the one in the envelope.
        (padded(0), "fail", "fail"),
        (padded(100), "fail", "fail"),
        (padded(20_000), "fail", "fail"),
    ] {
        let shown = &document[..document.len().min(200)];
        for (kind, word, expected) in
            [("agent.response", &said, of_response), ("agent.trajectory", &did, of_run)]
        {
            let expected = format!("\"{expected}\"");
            assert_eq!(verdicts(&document, kind, word), [&*expected; 4], "{kind} of {shown}");
        }
    }
}

#[test]
fn a_part_that_an_envelope_lacks_is_an_error_that_lists_the_others() {
    let place = Place::with(&[
        ("q.yaml", "status: success"),
        ("r.json", "{\n \"trajectory\": {\"steps\": []},\n \"report\": null}"),
        ("r.jsonl", "{\"response\": {\"status\": \"success\"}}\n{\"trajectory\": {\"steps\": []}}\n"),
        ("bad.yaml", "tool_was_called: x"),
        ("bad.json", "{\n \"response\": 1,\n \"trajectory\": {\"steps\": [{}]}}"),
    ]);
    place.run(&["check", "q.yaml", "r.json"]).with(
        1,
        &["there is no response: r.json contains trajectory, report (null)"],
        &[],
    );
    place.run_with_input(&["check", "q.yaml", "-"], b"{\"report\": 1}").with(
        1,
        &["standard input contains report"],
        &[],
    );
    place.run(&["check", "q.yaml", "r.jsonl"]).with(
        1,
        &["r.jsonl:2: there is no response: r.jsonl contains trajectory", "1 passed, 1 error"],
        &[],
    );
    // The place is that in the whole file.
    place.run(&["check", "bad.yaml", "bad.json"]).with(2, &["bad.json:3:"], &[]);
    let told = place.run(&["check", "bad.yaml", "r.jsonl", "--report", "jsonl"]);
    assert_eq!(
        told.json_lines()[0]["message"],
        "r.jsonl:1: there is no trajectory: r.jsonl contains response"
    );
}

#[test]
fn text_that_is_asked_for_is_no_envelope() {
    let place = Place::with(&[("q.yaml", "contains: '{'"), ("r.txt", "{\"response\": \"x\"}")]);
    assert_eq!(place.run(&["check", "q.yaml", "r.txt"]).code, 1);
    assert_eq!(place.run(&["check", "q.yaml", "r.txt", "--input", "text"]).code, 0);
}

#[test]
fn the_failures_of_recorded_tools_count_in_envelopes_too() {
    let messages = json!({"trajectory": {"messages": [
        {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "refund", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "error: no such order"}]}});
    let place =
        Place::with(&[("q.yaml", "tool_succeeded: {name: refund}"), ("r.json", &messages.to_string())]);
    let status =
        |more: &[&str]| place.results(&[&["check", "q.yaml", "r.json"], more].concat())[0]["status"].clone();
    assert_eq!(status(&[]), "error");
    assert_eq!(status(&["--tool-error", "^error"]), "fail");
    assert_eq!(status(&["--tool-error", "^never"]), "pass");
    assert_eq!(status(&["--trace-format", "openai-chat", "--tool-error", "^never"]), "pass");
    assert_eq!(status(&["--trace-format", "langchain"]), "error");
}

/// Checks that each odd subject is reported after many ordinary ones as it is alone.
#[track_caller]
fn earlier_lines_change_nothing(question: &str, ordinary: &[&str], odd: &[&str]) {
    for odd in odd {
        let many = format!("{}{odd}\n", format!("{}\n", ordinary.join("\n")).repeat(300));
        let line = many.lines().count();
        let place = Place::with(&[("q.json", question), ("one.jsonl", odd), ("many.jsonl", &many)]);
        let report = |file: &str| {
            let ended = place.run(&["check", "q.json", file, "-j", "1", "--report", "jsonl", "--no-timings"]);
            let mut results = ended.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            let mut last = results.rfind(|result| result["line"].is_u64()).unwrap();
            assert_eq!(last["line"].take(), if file == "one.jsonl" { 1 } else { line });
            for key in ["id", "case_id", "file", "rerun"] {
                last.as_object_mut().unwrap().remove(key);
            }
            (ended.code, last.to_string().replace(&format!("{file}:{line}"), "one.jsonl:1"))
        };
        assert_eq!(report("many.jsonl"), report("one.jsonl"), "{odd}");
    }
}

#[test]
fn a_response_is_reported_the_same_whatever_lines_come_before_it() {
    let question = r#"{"status": "success", "has_fields": ["page.total"], "contains": "note"}"#;
    let ordinary = [
        r#"{"status": "success", "page": {"total": 1}, "kind": "note"}"#,
        r#"{"kind": "note", "page": {"total": 1}, "status": "success"}"#,
    ];
    let odd = [
        r#"{"status": "success", "page": {"total": 1}, "kind": "note", "status": "error"}"#,
        r#"{"kind": "note", "page": {"total": 1}, "status": "success", "kind": "x"}"#,
        r#"{"status": "success", "page": {"total": 1, "total": 2}, "kind": "note"}"#,
        r#"{"status": "success", "page": {"total": 1}, "kind": "note", "k\u0069nd": 1}"#,
        r#"{"status": "success", "page": {"total": 1}, "kind": "\u006eote"}"#,
        r#"{"status": "success", "page": {"total": 1}, "kind": "\note"}"#,
        r#"{"status": "success", "page": {"total": 1}, "kind": "note""#,
        r#"{"status": "success", "page": {"total": 1},, "kind": "note"}"#,
        r#"{"status": "success", "page": {"total": 1}, "kind": "note"}}"#,
        r#"{"status": "success", "page": {}, "kind": "note"}"#,
    ];
    earlier_lines_change_nothing(question, &ordinary, &odd);
}

#[test]
fn a_run_is_reported_the_same_whatever_lines_come_before_it() {
    let question = r#"{"tool_was_called": "search", "tool_not_called": "refund"}"#;
    let run = |steps: &str| format!(r#"{{"steps": [{steps}]}}"#);
    let step = r#"{"step_type": "tool_call", "tool_name": "search", "tool_args": {"q": "tea", "n": 1}}"#;
    let shuffled = r#"{"tool_args": {"n": 1, "q": "tea"}, "tool_name": "search", "step_type": "tool_call"}"#;
    let ordinary = [run(step), run(shuffled), run(&format!("{step}, {shuffled}"))];
    let odd = [
        run(&step.replace(r#""tool_args""#, r#""tool_name": "refund", "tool_args""#)),
        run(&shuffled.replace(r#""step_type""#, r#""tool_name": "refund", "step_type""#)),
        run(&step.replace(r#""n": 1"#, r#""n": 1, "q": "milk""#)),
        run(&step.replace(r#""n": 1"#, r#""n": 01"#)),
        run(&step.replace("tool_args", "tool_arg")),
        run(&step.replace("search", "refund")),
        run(&step.replace("}}", "},}")),
        run(&format!("{step},")),
        format!(r#"{{"steps": [{step}], "steps": []}}"#),
        format!(r#"{{"steps": [{step}]"#),
    ];
    earlier_lines_change_nothing(
        question,
        &ordinary.each_ref().map(|run| &**run),
        &odd.each_ref().map(|run| &**run),
    );
}
