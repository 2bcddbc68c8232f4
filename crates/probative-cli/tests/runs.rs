//! `probative check` and `probative show` over runs, as a stranger meets them.

mod place;

use std::fmt::Write as _;

use place::Place;
use serde_json::{Value, json};

const RUN: &str = r#"{"run_id": "r-1", "input": "Refund 7", "total_cost": 0.25, "steps": [
  {"step_type": "llm_call", "model": "gpt-4o", "prompt_tokens": 300, "completion_tokens": 12, "cost": 0.0041},
  {"step_type": "tool_call", "tool_name": "refund", "tool_args": {"id": 7}, "tool_result": {"ok": true}},
  {"step_type": "state_change", "key": "stage", "old_value": null, "new_value": "done"},
  {"step_type": "tool_call", "tool_name": "check", "tool_args": {"id": 7}, "tool_error": {"type": "TimeoutError", "message": "slow"}}
], "final_output": "Done."}"#;

fn tool(name: &str) -> Value {
    json!({"step_type": "tool_call", "tool_name": name})
}

#[test]
fn a_failure_shows_the_run_with_arrows() {
    let place =
        Place::with(&[("q.yaml", "tool_called_before: {first: check, second: refund}\n"), ("run.json", RUN)]);
    let ended = place.run(&["check", "q.yaml", "run.json", "--no-timings"]);
    let expected = r#"FAIL run.json
  Test FAILS (1 of 1 assertion failed)

  tool_called_before  q.yaml:1:1
    'check' was not called before 'refund'
    expected  'check' called before 'refund'
    found     called in the opposite order
    at        step 2

  Actual trajectory (4 steps):
      1. [llm]   gpt-4o (312 tokens, $0.0041)
      2. [tool]  refund({"id":7}) → {"ok":true}  ← called first
      3. [state] stage: null → "done"
      4. [tool]  check({"id":7}) ✗ TimeoutError: slow  ← called second

  rerun: probative check q.yaml run.json

1 subject: 1 failed
"#;
    assert_eq!((ended.code, &*ended.stdout, &*ended.stderr), (1, expected, ""));
}

#[test]
fn a_coloured_report_has_the_same_words() {
    let place = Place::with(&[("q.yaml", "tool_not_called: refund"), ("run.json", RUN)]);
    let plain = place.run(&["check", "q.yaml", "run.json", "--no-timings"]).stdout;
    let coloured =
        place.command(&["check", "q.yaml", "run.json", "--no-timings"]).env("CLICOLOR_FORCE", "1").output();
    let coloured = String::from_utf8(coloured.unwrap().stdout).unwrap();
    assert!(coloured.contains("\u{1b}["));
    let mut parts = coloured.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    let stripped = parts.fold(first, |text, part| text + part.split_once('m').map_or("", |(_, rest)| rest));
    assert_eq!(stripped, plain);
}

#[test]
fn the_json_report_points_at_steps() {
    let place = Place::with(&[("q.yaml", "tool_not_called: refund\nsucceeded: true\n"), ("run.json", RUN)]);
    let result = place.results(&["check", "q.yaml", "run.json"]).remove(0);
    assert_eq!(result["type"], "agent.trajectory");
    assert_eq!(result["assertions"][0]["steps"], json!([{"index": 1, "note": "forbidden"}]));
    assert_eq!(result["assertions"][0]["place"], "step 2");
    assert!(result["assertions"][1].get("steps").is_none());
}

#[test]
fn a_run_a_line_is_judged_as_a_stream_and_a_bad_line_hides_nothing() {
    let good = json!({"steps": [tool("search")]}).to_string();
    let bad = json!({"steps": [tool("search"), {"step_type": "tol_call"}]}).to_string();
    let place = Place::with(&[
        ("q.yaml", "tool_was_called: search"),
        ("runs.jsonl", &format!("{good}\n{bad}\n{{\"steps\": [}}\n\n{}\n{good}", json!({"steps": []}))),
    ]);
    let results = place.results(&["check", "q.yaml", "runs.jsonl"]);
    let told: Vec<(&str, &str)> = results
        .iter()
        .map(|result| (result["id"].as_str().unwrap(), result["status"].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            ("runs.jsonl:1", "pass"),
            ("runs.jsonl:2", "error"),
            ("runs.jsonl:3", "error"),
            ("runs.jsonl:5", "fail"),
            ("runs.jsonl:6", "pass")
        ]
    );
    let ended = place.run(&["check", "q.yaml", "runs.jsonl"]);
    let unknown =
        "runs.jsonl:2:71: steps[1].step_type: unknown step_type 'tol_call'; did you mean 'tool_call'?";
    ended.with(
        2,
        &[unknown, "runs.jsonl:3:12: not JSON: expected value", "5 subjects: 2 passed, 1 failed, 2 errors"],
        &[],
    );
}

#[test]
fn the_words_tell_what_a_question_is_about() {
    let place = Place::with(&[
        ("run.json", RUN),
        ("mixed.yaml", "tool_was_called: refund\nstatus: success\n"),
        ("tree.yaml", "must:\n- tool_was_called: [refund]\n- cannot:\n  - contains: [x]\n"),
        ("unknown.yaml", "tool_was_caled: refund\n"),
        ("target.yaml", "target: trajectory\nmust:\n- tool_was_called: [refund]\n"),
    ]);
    let mixing = "'status' judges a response, but 'tool_was_called' judges a trajectory";
    place.run(&["check", "mixed.yaml", "run.json"]).with(2, &[], &[mixing, "mixed.yaml:2:1"]);
    place.run(&["check", "tree.yaml", "run.json"]).with(
        2,
        &[],
        &["'contains' judges a response", "tree.yaml:4:5"],
    );
    let unknown = "unknown assertion 'tool_was_caled'; did you mean 'tool_was_called'?";
    place.run(&["check", "unknown.yaml", "run.json"]).with(2, &[], &[unknown]);
    place.run(&["check", "target.yaml", "run.json"]).with(0, &["1 passed"], &[]);
}

#[test]
fn the_scope_is_part_of_the_question() {
    let deep =
        json!({"steps": [{"step_type": "tool_call", "tool_name": "dig", "depth": 2, "parent": "helper"}]});
    let place = Place::with(&[
        ("run.json", &deep.to_string()),
        ("itself.yaml", "tool_was_called: dig"),
        ("all.yaml", "scope: all\ntool_was_called: dig"),
        ("agent.yaml", "- scope: {agent: helper}\n- tool_was_called: dig\n"),
        ("tree.yaml", "scope: all\nmust: [{tool_was_called: [dig]}]\n"),
        ("bad.yaml", "scope: deep\ntool_was_called: dig\n"),
        ("slip.yaml", "scope: {agent: helpr}\ntool_not_called: dig\n"),
    ]);
    let warning = "warning: run.json: no step belongs to agent 'helpr'; did you mean 'helper'?";
    place.run(&["check", "slip.yaml", "run.json"]).with(0, &[warning], &[]);
    place.run(&["check", "itself.yaml", "run.json"]).with(
        1,
        &[
            "'dig' was never called by the agent itself, only by a sub-agent",
            "      1.     [tool]  dig({})  ← out of scope; set `scope: all` to include it",
        ],
        &[],
    );
    for question in ["all.yaml", "agent.yaml", "tree.yaml"] {
        place.run(&["check", question, "run.json"]).with(0, &["1 passed"], &[]);
    }
    place.run(&["check", "bad.yaml", "run.json"]).with(
        2,
        &[],
        &["scope: unknown value 'deep'", "bad.yaml:1:8"],
    );
}

#[test]
fn what_is_not_recorded_is_no_pass() {
    let place = Place::with(&[
        ("run.json", r#"{"steps": [{"step_type": "llm_call", "cost": 1}, {"step_type": "llm_call"}]}"#),
        ("q.yaml", "must: [{cannot: [{cost_under: [5]}]}, {llm_calls_under: [3]}]"),
    ]);
    let ended = place.run(&["check", "q.yaml", "run.json"]);
    ended.with(
        1,
        &[
            "not evaluable: the run doesn't record the cost for every one of its 2 model calls (step 2 has none)",
            "1 error",
        ],
        &[],
    );
}

#[test]
fn a_run_is_shown_whole_or_in_brief() {
    let mut steps = vec![tool("first")];
    steps.extend(vec![tool("middle"); 28]);
    steps.push(tool("last"));
    let place = Place::with(&[("run.json", RUN), ("long.json", &json!({"steps": steps}).to_string())]);
    let expected = r#"run.json
  run       r-1
  input     "Refund 7"

Actual trajectory (4 steps):
    1. [llm]   gpt-4o (312 tokens, $0.0041)
    2. [tool]  refund({"id":7}) → {"ok":true}
    3. [state] stage: null → "done"
    4. [tool]  check({"id":7}) ✗ TimeoutError: slow

  output    'Done.'
  totals    312 tokens, $0.2500, 1 model call; duration not recorded
"#;
    let ended = place.run(&["show", "run.json"]);
    assert_eq!((ended.code, &*ended.stdout, &*ended.stderr), (0, expected, ""));
    let long = place.run(&["show", "long.json"]);
    assert_eq!(long.stdout.matches("middle({})").count(), 28);
    let brief = place.run(&["show", "long.json", "run.json", "--brief"]);
    brief.with(
        0,
        &[
            "    1. [tool]  first({})\n    ... (28 more steps) ...\n    30. [tool]  last({})\n",
            "\n\nrun.json\n",
        ],
        &[],
    );
    place.run_with_input(&["show", "-"], RUN.as_bytes()).with(0, &["-\n  run       r-1"], &[]);
}

#[test]
fn what_cannot_be_shown_is_told_and_the_rest_is_shown() {
    let bad_step = r#"{"steps": [{}]}"#;
    let place = Place::with(&[("run.json", RUN), ("bad.json", bad_step), ("broken.json", "[")]);
    let ended = place.run(&["show", "bad.json", "broken.json", "missing.json", "run.json"]);
    let complaints = [
        "bad.json:1:12: steps[0]: ",
        "'step_type' is missing",
        "broken.json:1:1: not JSON",
        "missing.json: ",
    ];
    ended.with(2, &["run.json\n  run       r-1"], &complaints);
    place.run(&["show", "missing.json", "run.json"]).with(2, &["r-1"], &["missing.json: "]);
}

#[test]
fn a_slip_in_a_key_is_warned_of() {
    let run = json!({"step": 1, "steps": [{"step_type": "tool_call", "tool_name": "a", "args": {}, "tool_arg": {}, "id": 5}]});
    let place = Place::with(&[("q.yaml", "tool_was_called: a"), ("run.json", &run.to_string())]);
    let warnings = [
        "warning: run.json: unknown key 'step' is ignored; did you mean 'steps'?",
        "warning: run.json: unknown key 'steps[0].args' is ignored; did you mean 'tool_args'?",
        "warning: run.json: unknown key 'steps[0].tool_arg' is ignored; did you mean 'tool_args'?",
    ];
    let ended = place.run(&["check", "q.yaml", "run.json"]);
    ended.with(0, &warnings, &[]);
    assert!(!ended.stdout.contains("'id'") && !ended.stdout.contains(".id"), "{}", ended.stdout);
}

#[test]
fn a_key_given_twice_is_warned_of_and_the_last_counts() {
    let run = r#"{"steps": [{"step_type": "tool_call", "tool_name": "a", "tool_name": "b", "tool_args": {"q": 1, "\u0071": 2}}]}"#;
    let place = Place::with(&[
        ("q.yaml", "tool_not_called: a\ntool_called_with: {name: b, args: {q: 2}}\n"),
        ("run.json", run),
    ]);
    let told = [
        "'steps[0].tool_name' appears twice; the last value is used",
        "'steps[0].tool_args.q' appears twice",
    ];
    place.run(&["check", "q.yaml", "run.json"]).with(0, &told, &[]);
    let others = "\u{feff}{\"steps\": [{\"step_type\": \"llm_call\", \"x\": 1, \"x\": 2}], \"steps\": [{\"step_type\": \"tool_call\", \"tool_name\": \"a\", \"x\": 1, \"x\": 2}], \"y\": 1, \"y\": 2}";
    place.write("others.json", others.as_bytes());
    place.write("any.yaml", b"llm_calls_under: 1");
    let told = ["'steps' appears twice", "'steps[0].x' appears twice", "'y' appears twice"];
    place.run(&["check", "any.yaml", "others.json"]).with(0, &told, &[]);
    place.run(&["show", "run.json"]).with(0, &["b({\"q\":2})"], &["'steps[0].tool_name' appears twice"]);
}

#[test]
fn a_value_too_large_to_be_decoded_is_refused() {
    let run = format!(
        r#"{{"steps": [{{"step_type": "tool_call", "tool_name": "a", "tool_result": [{}1]}}]}}"#,
        "1,".repeat(10_000_050)
    );
    let place =
        Place::with(&[("q.yaml", "tool_was_called: a"), ("run.json", &run), ("line.jsonl", "not json\n")]);
    place.run(&["check", "q.yaml", "run.json"]).with(2, &["more than ten million values"], &[]);
    place.run(&["check", "q.yaml", "line.jsonl"]).with(2, &["not JSON: line 1 begins \"not json\""], &[]);
}

#[test]
fn hostile_runs_end_in_an_error_or_a_verdict() {
    let nested = |deep: usize| {
        let args = format!("{{\"a\":{}{}}}", "[".repeat(deep), "]".repeat(deep));
        format!(r#"{{"steps": [{{"step_type": "tool_call", "tool_name": "a", "tool_args": {args}}}]}}"#)
    };
    let mut many = r#"{"steps": ["#.to_owned();
    for index in 0..200_000 {
        let _ = write!(
            many,
            r#"{}{{"step_type":"tool_call","tool_name":"t{}"}}"#,
            if index == 0 { "" } else { "," },
            index % 70_000
        );
    }
    many.push_str("]}");
    let place = Place::with(&[
        ("q.yaml", "tool_was_called: a\n"),
        ("args.json", r#"{"steps": [{"step_type": "tool_call", "tool_name": "a", "tool_args": [1]}]}"#),
        ("name.json", r#"{"steps": [{"step_type": "tool_call", "tool_args": {}}]}"#),
        ("deep.json", &nested(10_000)),
        ("deeper.json", &nested(1_000_000)),
        (
            "surrogate.json",
            r#"{"steps": [{"step_type": "tool_call", "tool_name": "a", "tool_result": "\ud800"}]}"#,
        ),
        ("huge.json", r#"{"steps": [{"step_type": "llm_call", "cost": 1e400}]}"#),
        ("many.json", &many),
        ("note.txt", "not a run"),
    ]);
    let refused =
        |file: &str, complaint: &str| place.run(&["check", "q.yaml", file]).with(2, &[complaint], &[]);
    refused("args.json", "args.json:1:70: steps[0].tool_args: expected an object");
    refused("name.json", "name.json:1:12: steps[0]: 'tool_name' is missing");
    refused("deep.json", "nested more than 127 levels deep");
    refused("deeper.json", "nested more than 127 levels deep");
    refused("surrogate.json", "not JSON: an incomplete escape, or half of a surrogate pair");
    refused("huge.json", "not JSON: number out of range");
    refused("note.txt", "expected a trajectory as JSON, found plain text");
    place.run(&["check", "q.yaml", "many.json"]).with(
        1,
        &["'a' was never called", "called: t0 ×3, t1 ×3", "… 69990 more tools"],
        &[],
    );
}

#[test]
fn what_a_terminal_obeys_is_shown() {
    let hostile = "\u{1b}[31m\u{202e}\n\u{7}";
    let run = json!({
        "run_id": hostile, "input": hostile, "final_output": hostile, "error": {"type": hostile, "message": hostile},
        "steps": [
            {"step_type": "tool_call", "tool_name": hostile, "tool_args": {hostile: hostile}, "tool_result": hostile, "tool_error": hostile},
            {"step_type": "llm_call", "model": hostile},
            {"step_type": "state_change", "key": hostile, "old_value": hostile, "new_value": hostile},
        ],
    });
    let place = Place::with(&[
        ("q.yaml", "tool_was_called: x\nsucceeded: true\noutput_contains: x\ntools_only: []\nerror_is: x\n"),
        ("run.json", &run.to_string()),
    ]);
    for arguments in [&["check", "q.yaml", "run.json"][..], &["show", "run.json"]] {
        let ended = place.run(arguments);
        assert!(!ended.stdout.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{}", ended.stdout);
        assert!(ended.stdout.contains(r"\u001b[31m\u202e\n\u0007"), "{}", ended.stdout);
    }
}

#[test]
fn the_reports_are_the_same_on_any_number_of_threads() {
    let mut runs = String::new();
    for run in 0..500 {
        let steps: Vec<Value> = (0..run % 40).map(|step| tool(["a", "b", "c"][(run + step) % 3])).collect();
        let _ = writeln!(runs, "{}", json!({"steps": steps}));
    }
    let place = Place::with(&[
        ("q.yaml", "tool_called_before: {first: a, second: b}\ntool_call_count: {name: c, max: 9}\n"),
        ("runs.jsonl", &runs),
    ]);
    let run = |jobs: &str| {
        place.run(&["check", "q.yaml", "runs.jsonl", "--no-timings", "--report", "json", "-j", jobs]).stdout
    };
    assert_eq!(run("1"), run("2"));
    assert_eq!(run("1"), run("16"));
}

/// A run of more than a mebibyte, which is read piece by piece where it passes.
fn long_run(last: &Value, more: &str) -> String {
    let step = |number: usize| {
        let mut step = tool(if number.is_multiple_of(3) { "look" } else { "ask…" });
        step["tool_args"] = json!({"number": number, "text": "né".repeat(20)});
        step["step_index"] = json!(number);
        step.to_string()
    };
    let steps: Vec<String> = (0..8_000).map(step).chain([last.to_string()]).collect();
    format!("{{\"run_id\": \"long\", \"steps\": [{}], \"final_output\": \"Done.\"{more}}}", steps.join(", "))
}

#[test]
fn a_long_run_is_told_like_any_other() {
    let question = "tool_called_immediately_before: {first: look, second: ask…}\n\
                    tool_call_count: {name: refund, max: 1}\n\
                    tool_not_called: delete\n\
                    output_contains: Done\n";
    for (last, more, code) in [
        (tool("refund"), "", 0),
        (tool("refund"), r#", "tools": ["delete"]"#, 0),
        (tool("delete"), "", 1),
        (tool("refund"), r#", "total_tokns": 1"#, 0),
        (tool("refund"), r#", "steps": [{"step_type": "tool_call", "tool_name": "delete"}]"#, 1),
        (tool("refund"), r#", "error": 5"#, 2),
        (json!({"step_type": "tool_call"}), "", 2),
        (json!({"step_type": "tool_call", "tool_name": "refund", "tool_arg": {}}), "", 0),
        (json!({"step_type": "tool_call", "tool_name": "refund", "depth": 1}), "", 0),
    ] {
        let run = long_run(&last, more);
        assert!(run.len() > 1 << 20);
        let place = Place::with(&[("q.yaml", question), ("run.json", &run), ("run.jsonl", &run)]);
        for file in ["run.json", "run.jsonl"] {
            let told = |whole: &[&str]| {
                let asked =
                    ["check", "q.yaml", file, "--no-timings", "--report=human", "--report=jsonl=told.jsonl"];
                let ended = place.run(&[&asked, whole].concat());
                (ended.code, ended.stdout, ended.stderr, place.read("told.jsonl"))
            };
            let (brief, whole) = (told(&[]), told(&["--report=html=told.html"]));
            assert_eq!(brief.0, code, "{last} {more} {}", brief.1);
            // Who wants to see what passes has all of it read.
            assert!(brief == whole, "{last} {more}");
        }
    }
}

#[test]
fn show_prints_every_part_of_an_envelope() {
    let envelope = format!(
        r#"{{"usage": 1, "trajectory": {RUN}, "response": {{"id": "RF-7"}}, "report_file": "none.json"}}"#
    );
    let place = Place::with(&[("e.json", &envelope), ("empty.json", r#"{"response": null}"#)]);
    let ended = place.run(&["show", "e.json"]);
    let head = "e.json: response\n  {\n    \"id\": \"RF-7\"\n  }\n\ne.json: trajectory\n";
    ended.with(1, &[head, "[tool]  refund({\"id\":7})"], &["cannot read none.json", "'usage'"]);
    assert_eq!(ended.stderr.matches("'usage'").count(), 1, "{}", ended.stderr);
    place.run(&["show", "empty.json"]).with(
        1,
        &[],
        &["there is no response: empty.json contains response (null)"],
    );
    let lines = envelope.replace('\n', "") + "\n" + RUN.replace('\n', "").as_str();
    let ended = place.run_with_input(&["show", "-"], lines.as_bytes());
    ended.with(1, &["-:1: response\n", "-:1: trajectory\n", "\n-:2\n"], &[]);
}

#[test]
fn the_run_of_an_envelope_is_converted() {
    let place = Place::with(&[
        ("e.json", &format!(r#"{{"response": 1, "trajectory": {RUN}}}"#)),
        ("r.json", r#"{"response": 1}"#),
    ]);
    let ended = place.run(&["convert", "e.json"]);
    let run: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((ended.code, &run["run_id"]), (0, &"r-1".into()));
    place.run(&["convert", "r.json"]).with(1, &[], &["there is no trajectory: r.json contains response"]);
}
