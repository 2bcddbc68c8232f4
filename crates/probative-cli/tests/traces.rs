//! Traces of other programs, as the command line reads them.

mod place;
mod traces_at_hand;

use probative::trajectory::readers::TraceFormat;
use serde_json::{Value, json};
use traces_at_hand::{LOOKED_UP, archive, ended, gzip, place, vector, vectors, zstd};

#[test]
fn every_vector_converts_to_a_run_that_is_read_back() {
    let mut converted = 0;
    for format in TraceFormat::ALL.iter().filter(|format| **format != TraceFormat::Native) {
        for entry in std::fs::read_dir(vectors().join(format.name())).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name.ends_with(".expected.json") {
                continue;
            }
            let stem = path.file_stem().unwrap().to_string_lossy();
            let expected: Value = serde_json::from_slice(
                &std::fs::read(path.with_file_name(format!("{stem}.expected.json"))).unwrap(),
            )
            .unwrap();
            let place = place(LOOKED_UP, &[(&name, &std::fs::read(&path).unwrap())]);
            let ended = place.run(&["convert", &name, "--trace-format", format.name()]);
            let Some(runs) = expected["runs"].as_array() else {
                assert_eq!(ended.code, 2, "{format}/{name}: {ended:#?}");
                continue;
            };
            assert_eq!(ended.code, 0, "{format}/{name}: {ended:#?}");
            for run in runs {
                let id = run["id"].as_str().unwrap();
                assert!(
                    ended.stderr.contains(&format!("{name}{id}: read as {format}\n")),
                    "{format}/{name}: {ended:#?}"
                );
            }
            let lines: Vec<&str> =
                if runs.len() == 1 { vec![&ended.stdout] } else { ended.stdout.lines().collect() };
            assert_eq!(lines.len(), runs.len(), "{format}/{name}");
            place.write("runs.jsonl", ended.stdout.as_bytes());
            let again = place.run(&[
                "convert",
                "runs.jsonl",
                "--input",
                if runs.len() == 1 { "json" } else { "jsonl" },
            ]);
            assert_eq!((again.code, &again.stdout), (0, &ended.stdout), "{format}/{name}");
            converted += runs.len();
        }
    }
    assert!(converted > 100, "only {converted} runs");
}

#[test]
fn convert_tells_what_the_trace_could_not() {
    let place = place(LOOKED_UP, &[("chat.json", &vector("openai-chat/plain.json"))]);
    let ended = place.run(&["convert", "chat.json", "--to", "native"]);
    let told = "\
chat.json: read as openai-chat
  not recorded: the success or failure of 1 of 1 calls (tool_errors)
  not recorded: the tokens used by the run (tokens)
  not recorded: the cost of the run (cost)
  not recorded: the duration of the run (duration)
";
    assert_eq!((ended.code, &*ended.stderr), (0, told));
    let run: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(run["source"], "openai-chat");
    assert_eq!(run["steps"][1]["unknown"], json!(["tool_error"]));
}

#[test]
fn what_a_trace_does_not_tell_is_not_evaluable_and_in_the_report() {
    let question = "tool_succeeded: lookup_order\ncost_under: 1\nsucceeded: true\n";
    let place = place(question, &[("chat.json", &vector("openai-chat/plain.json"))]);
    let ended = place.run(&["check", "q.yaml", "chat.json", "--no-timings"]);
    ended.with(
        1,
        &[
            "error: not evaluable: the run doesn't record whether 'lookup_order' at step 2 failed (trace format: openai-chat)",
            "error: not evaluable: the run doesn't record the cost (trace format: openai-chat)",
        ],
        &[],
    );
    let results = place.results(&["check", "q.yaml", "chat.json"]);
    assert_eq!(results[0]["losses"], json!(["tool_errors", "tokens", "cost", "duration"]));
    assert_eq!(results[0]["category"], "runtime");
    place.run(&["convert", "chat.json"]);
    let converted = place.run(&["convert", "chat.json"]).stdout;
    place.write("run.json", converted.as_bytes());
    let results = place.results(&["check", "q.yaml", "run.json"]);
    assert_eq!((&results[0]["losses"][0], &results[0]["status"]), (&json!("tool_errors"), &json!("error")));
}

#[test]
fn a_pattern_may_tell_which_tools_failed() {
    let chat = r#"[{"role": "user", "content": "hi"},
        {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "look", "arguments": "{}"}},
            {"id": "b", "function": {"name": "find", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "a", "content": "Error: no such order"},
        {"role": "tool", "tool_call_id": "b", "content": "here"},
        {"role": "assistant", "content": "Sorry."}]"#;
    let place = place("tool_errored: look\ntool_succeeded: find\n", &[("chat.json", chat.as_bytes())]);
    assert_eq!(place.run(&["check", "q.yaml", "chat.json"]).code, 1);
    assert_eq!(place.run(&["check", "q.yaml", "chat.json", "--tool-error", "^Error"]).code, 0);
    place.run(&["check", "q.yaml", "chat.json", "--tool-error", "("]).with(2, &[], &["--tool-error"]);
}

#[test]
fn several_runs_have_stable_ids() {
    let place = place(
        LOOKED_UP,
        &[
            ("list.json", &vector("openai-chat/list.json")),
            ("lines.jsonl", &vector("openai-chat/lines.jsonl")),
            ("two.jsonl", &vector("claude-code/two-sessions.jsonl")),
            ("log.json", &vector("inspect/samples.json")),
        ],
    );
    let ids = |file: &str| -> Vec<String> {
        let results = place.results(&["check", "q.yaml", file]);
        results.iter().map(|result| result["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids("list.json"), ["list.json#1", "list.json#2"]);
    assert_eq!(ids("lines.jsonl"), ["lines.jsonl:1", "lines.jsonl:3", "lines.jsonl:4"]);
    assert_eq!(ids("two.jsonl").len(), 2);
    assert!(ids("two.jsonl").iter().all(|id| id.starts_with("two.jsonl#5b0c1f0e-")));
    assert!(ids("log.json").iter().all(|id| id.contains('@')), "{:?}", ids("log.json"));
    let twice = [1, 2].map(|_| {
        place.run(&["check", "q.yaml", "list.json", "log.json", "--no-timings", "--report", "json"])
    });
    assert_eq!(twice[0].stdout, twice[1].stdout);
}

#[test]
fn packed_files_are_known_by_their_first_bytes() {
    let (chat, lines) = (vector("openai-chat/plain.json"), vector("openai-chat/lines.jsonl"));
    let session = vector("claude-code/stream.jsonl");
    let place = place(
        "llm_calls_under: 100\n",
        &[
            ("chat.gz", &gzip(&chat)),
            ("chat.json", &zstd(&chat)),
            ("lines.jsonl.zst", &[zstd(&lines), zstd(b"\n")].concat()),
            ("session.jsonl", &gzip(&session)),
            ("ours.json", &gzip(br#"{"steps": []}"#)),
            ("ours.jsonl.gz", &gzip(b"{\"steps\": []}\n{\"steps\": []}\n")),
        ],
    );
    let results = place.results(&["check", "q.yaml", ".", "-r"]);
    let expected = [
        ("./chat.gz", "pass"),
        ("./chat.json", "pass"),
        ("./lines.jsonl.zst:1", "pass"),
        ("./lines.jsonl.zst:3", "pass"),
        ("./lines.jsonl.zst:4", "pass"),
        ("./ours.json", "pass"),
        ("./ours.jsonl.gz:1", "pass"),
        ("./ours.jsonl.gz:2", "pass"),
        ("./session.jsonl", "pass"),
    ];
    assert_eq!(ended(&results), expected);
    let through = place.run_with_input(&["check", "q.yaml", "-", "--no-timings"], &gzip(&session));
    assert_eq!((through.code, &*through.stdout), (0, "1 subject: 1 passed\n"));
}

#[test]
fn a_file_that_an_inspect_archive_has_twice_is_told() {
    let log: Value = serde_json::from_slice(&vector("inspect/samples.json")).unwrap();
    let sample = log["samples"][0].to_string().into_bytes();
    let mut other = log["samples"][0].clone();
    other["events"] = serde_json::json!([]);
    let (one, two) = ("samples/1_epoch_1.json", "samples/1_epoch_2.json");
    // The writer refuses a name that is taken, so the second is renamed afterwards.
    let with = |second: Vec<u8>| {
        let mut packed = archive(&[(one, sample.clone()), (two, second)]);
        while let Some(at) = packed.windows(two.len()).position(|name| name == two.as_bytes()) {
            packed[at..at + one.len()].copy_from_slice(one.as_bytes());
        }
        packed
    };
    let place = place(
        "llm_calls_under: 100\n",
        &[("same.eval", &with(sample.clone())), ("other.eval", &with(other.to_string().into_bytes()))],
    );
    let same = place.run(&["check", "q.yaml", "same.eval"]);
    same.with(0, &["a repeated part was ignored (a file of the archive)"], &[]);
    let other = place.run(&["check", "q.yaml", "other.eval"]);
    other.with(2, &["the archive contains it twice, with different content"], &[]);
}

#[test]
fn an_inspect_archive_gives_its_samples() {
    let log: Value = serde_json::from_slice(&vector("inspect/samples.json")).unwrap();
    let samples = log["samples"].as_array().unwrap();
    let mut files = vec![("header.json".to_owned(), b"{}".to_vec())];
    for sample in samples {
        files.push((
            format!("samples/{}_epoch_{}.json", sample["id"], sample["epoch"]),
            sample.to_string().into_bytes(),
        ));
    }
    let files: Vec<(&str, Vec<u8>)> =
        files.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    let packed = archive(&files);
    let place = place(
        "llm_calls_under: 100\n",
        &[("log.eval", &packed), ("log.json", &vector("inspect/samples.json"))],
    );
    let results = place.results(&["check", "q.yaml", "log.eval", "log.json"]);
    let (packed_results, plain) = results.split_at(results.len() / 2);
    let ids = |results: &[Value]| -> Vec<String> {
        let mut ids: Vec<String> = results
            .iter()
            .map(|result| result["id"].as_str().unwrap().split('#').nth(1).unwrap().to_owned())
            .collect();
        ids.sort();
        ids
    };
    assert_eq!(ids(packed_results), ids(plain));
    let through = place.run_with_input(&["check", "q.yaml", "-", "--no-timings"], &packed);
    assert_eq!(through.code, place.run(&["check", "q.yaml", "log.eval"]).code);
}

#[test]
fn sub_agents_files_belong_to_their_session() {
    let record = |kind: &str, side: bool, agent: &str, message: Value| {
        let mut record =
            json!({"type": kind, "sessionId": "s-1", "uuid": "u", "isSidechain": side, "message": message});
        if !agent.is_empty() {
            record["agentId"] = agent.into();
        }
        format!("{record}\n")
    };
    let call = json!([{"type": "tool_use", "id": "t1", "name": "Task", "input": {"prompt": "Look", "subagent_type": "finder"}}]);
    let mut returned = json!({"type": "user", "sessionId": "s-1", "uuid": "v", "isSidechain": false, "message":
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "found"}]}});
    returned["toolUseResult"] = json!({"agentId": "a9"});
    let main = [
        record("user", false, "", json!({"role": "user", "content": "Find it"})),
        record("assistant", false, "", json!({"role": "assistant", "id": "m1", "content": call})),
        format!("{returned}\n"),
        record(
            "assistant",
            false,
            "",
            json!({"role": "assistant", "id": "m2", "content": [{"type": "text", "text": "Found."}]}),
        ),
    ];
    let grep = json!([{"type": "tool_use", "id": "t2", "name": "Grep", "input": {"pattern": "x"}}]);
    let agent = [
        record("user", true, "a9", json!({"role": "user", "content": "Look"})),
        record("assistant", true, "a9", json!({"role": "assistant", "id": "m3", "content": grep})),
    ];
    let question = "scope: {agent: finder}\ntool_was_called: Grep\n";
    let place = place(
        question,
        &[
            ("s-1.jsonl", main.concat().as_bytes()),
            ("s-1/subagents/agent-a9.jsonl", agent.concat().as_bytes()),
        ],
    );
    assert_eq!(
        place.run(&["check", "q.yaml", "s-1.jsonl"]).code,
        0,
        "{:#?}",
        place.run(&["convert", "s-1.jsonl"])
    );
    place.write("own.yaml", b"tool_not_called: Grep\ntool_was_called: Task\noutput_equals: Found.\n");
    assert_eq!(place.run(&["check", "own.yaml", "s-1.jsonl"]).code, 0);
    let alone = place.run(&["convert", "s-1/subagents/agent-a9.jsonl"]);
    let run: Value = serde_json::from_str(&alone.stdout).unwrap();
    assert_eq!(
        (&run["run_id"], &run["steps"][1]["tool_name"], &run["steps"][1]["depth"]),
        (&json!("a9"), &json!("Grep"), &Value::Null)
    );
}

#[test]
fn show_prints_traces_and_other_subjects_alike() {
    let place = place(
        LOOKED_UP,
        &[
            ("chat.json", &vector("openai-chat/plain.json")),
            ("answer.json", br#"{"status": "success", "messages": "none"}"#),
            ("answers.jsonl", b"{\"status\": \"success\"}\n{\"status\": \"failed\"}\n"),
        ],
    );
    let shown = place.run(&["show", "chat.json", "answer.json", "answers.jsonl"]);
    shown.with(
        0,
        &[
            "source    openai-chat",
            "[tool]  lookup_order({\"order\":4711})",
            "answer.json\n",
            "answers.jsonl:2",
        ],
        &[],
    );
}

#[test]
fn a_case_may_name_a_trace_and_an_agent_may_print_one() {
    let spec = "\
# Traces

```yaml spec-test
id: T-1
type: agent.trajectory
file: chat.json
assert:
  - must: [{tool_was_called: [lookup_order]}]
```

```yaml spec-test
id: T-2
type: agent.trajectory
file: session.jsonl.gz
assert:
  - must: [{succeeded: [true]}]
```

```yaml spec-test
id: T-3
type: agent.run
harness: {entrypoint: cat HERE/stream.jsonl}
assert:
  - target: trajectory
    must: [{llm_calls_under: [100]}]
  - target: response
    must: [{has_field: ['$']}]
```

```yaml spec-test
id: T-4
type: agent.trajectory
file: list.json
assert:
  - must: [{tool_was_called: [lookup_order]}]
```
";
    let place = place(
        LOOKED_UP,
        &[
            ("chat.json", &vector("openai-chat/plain.json")),
            ("session.jsonl.gz", &gzip(&vector("claude-code/stream.jsonl"))),
            ("stream.jsonl", &vector("claude-code/stream.jsonl")),
            ("list.json", &vector("openai-chat/list.json")),
        ],
    );
    let here = place.path("").display().to_string();
    place.write("t.spec.md", spec.replace("HERE/", &here).as_bytes());
    let results = place.results(&["run", "t.spec.md"]);
    assert_eq!(
        ended(&results),
        [("T-1", "pass"), ("T-2", "pass"), ("T-3", "pass"), ("T-4", "error")],
        "{results:#?}"
    );
    assert_eq!(results[0]["losses"][0], "tool_errors");
    assert!(results[3].to_string().contains("contains 2 runs (#1, #2"), "{}", results[3]);
}
