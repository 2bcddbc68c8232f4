//! Traces that are broken, mixed, cut off or hostile: told with their place, and nothing else is hidden.

mod place;
mod traces_at_hand;

use serde_json::{Value, json};
use traces_at_hand::{LOOKED_UP, archive, ended, gzip, place, vector, vectors};

#[test]
fn what_is_no_run_among_runs_is_an_error_of_its_own() {
    let run = r#"{"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho", "tool_calls": [{"id": "1", "function": {"name": "lookup_order", "arguments": "{}"}}]}]}"#;
    let lines = format!("{run}\nnot json\n{run}\n{{\"other\": 1}}\n{run}\n{{\"messages\": [");
    let place = place(LOOKED_UP, &[("runs.jsonl", lines.as_bytes())]);
    let results = place.results(&["check", "q.yaml", "runs.jsonl"]);
    let expected = [
        ("runs.jsonl:1", "pass"),
        ("runs.jsonl:2", "error"),
        ("runs.jsonl:3", "pass"),
        ("runs.jsonl:4", "error"),
        ("runs.jsonl:5", "pass"),
        ("runs.jsonl:6", "error"),
    ];
    assert_eq!(ended(&results), expected);
    assert_eq!(
        results[1]["message"],
        "runs.jsonl:2:2: not JSON: expected true, false or null, near `not json`"
    );
    let list = format!("[{run}, {{\"other\": 1}}, {run}]");
    place.write("runs.json", list.as_bytes());
    let results = place.results(&["check", "q.yaml", "runs.json"]);
    assert_eq!(ended(&results), [("runs.json#1", "pass"), ("runs.json#2", "error"), ("runs.json#3", "pass")]);
}

/// A log is one error, however many lines it has and whatever it is judged as; one line among others is its own.
#[test]
fn a_file_without_json_is_one_error() {
    let log = "INFO start\n\nDEBUG calling refund\nINFO end\n";
    let place = place(LOOKED_UP, &[("agent.jsonl", log.as_bytes()), ("agent.log", log.as_bytes())]);
    place.write("r.yaml", b"status: ok\n");
    place.write("blank.jsonl", b"\n\nnope\n");
    place.write("late.jsonl", format!("{log}{{\"status\": \"ok\"}}\n").as_bytes());
    let why = "not JSON: line 1 begins \"INFO start\"";
    for question in ["q.yaml", "r.yaml"] {
        let results = place.results(&["check", question, "agent.jsonl"]);
        assert_eq!(ended(&results), [("agent.jsonl", "error")]);
        assert_eq!(results[0]["message"], format!("agent.jsonl: {why}"));
    }
    for input in [&["show", "agent.jsonl"][..], &["convert", "agent.log"], &["check", "q.yaml", "agent.log"]]
    {
        let ran = place.run(input);
        let told = format!("{}{}", ran.stdout, ran.stderr);
        assert_eq!((ran.code, told.matches("not JSON").count()), (2, 1), "{told}");
        assert!(told.contains(why), "{told}");
    }
    let piped = place.run_with_input(&["check", "r.yaml", "-", "--input", "jsonl"], log.as_bytes());
    piped.with(2, &[why, "1 subject: 1 error"], &[]);
    let results = place.results(&["check", "r.yaml", "blank.jsonl", "late.jsonl"]);
    let expected = [
        ("blank.jsonl:3", "error"),
        ("late.jsonl:1", "error"),
        ("late.jsonl:3", "error"),
        ("late.jsonl:4", "error"),
        ("late.jsonl:5", "pass"),
    ];
    assert_eq!(ended(&results), expected);
}

#[test]
fn a_misspelt_key_that_a_run_needs_is_named() {
    let place = place(LOOKED_UP, &[]);
    let cases = [
        (
            r#"{"steps": [{"type": "tool_call", "tool_name": "a"}]}"#,
            "steps[0]: 'step_type' is missing; found 'type', did you mean 'step_type'?",
        ),
        (
            r#"{"steps": [{"step_type": "tool_call", "name": "a"}]}"#,
            "steps[0]: 'tool_name' is missing; found 'name', did you mean 'tool_name'?",
        ),
        (r#"{"steps": [{"step_type": "tool_call", "id": 5}]}"#, "steps[0]: 'tool_name' is missing\n"),
        (r#"{"steps": [{"type": "user_input"}]}"#, "steps[0]: 'step_type' is missing\n"),
        (r#"{"stats": {}}"#, "unrecognized trace format (an object with 'stats')"),
        (r#"{"stepz": []}"#, "'steps' is missing; found 'stepz', did you mean 'steps'?"),
        (r#"{"id": 5}"#, "unrecognized trace format (an object with 'id'); native runs need 'steps'"),
    ];
    for (run, complaint) in cases {
        place.write("run.json", run.as_bytes());
        place.run(&["check", "q.yaml", "run.json"]).with(2, &[complaint], &[]);
    }
}

/// In an envelope, too, a trace is refused with the format that it comes closest to.
#[test]
fn a_trace_in_an_envelope_is_refused_with_its_closest_format() {
    let envelope = br#"{"response":"ok","trajectory":{"messages":[{"rol":"user"}]}}"#;
    let slip = br#"{"response":"ok","trajectry":{"messages":[{"role":"user","content":"x"}]}}"#;
    let place = place("tool_not_called: refund\n", &[("a.json", envelope), ("b.json", slip)]);
    let why = "a.json:1:31: unrecognized trace format; closest: openai-chat (message 1: no 'role'); \
               native runs need 'steps'";
    place.run(&["check", "q.yaml", "a.json"]).with(2, &[why], &[]);
    let slip = "'trajectry' isn't a key of an envelope; did you mean 'trajectory'?";
    place.run(&["check", "q.yaml", "b.json"]).with(2, &[slip], &[]);
    place.run(&["show", "b.json"]).with(2, &[], &[slip]);
}

#[test]
fn swapped_arguments_are_named() {
    let chat = vector("openai-chat/plain.json");
    let place = place(LOOKED_UP, &[("chat.json", &chat)]);
    place.write("run.json", br#"{"steps": []}"#);
    place.write("q.json", br#"{"tool_was_called": "lookup_order"}"#);
    let swapped =
        "this is a trace (openai-chat), not a question; did you mean `probative check q.yaml chat.json`?";
    place.run(&["check", "chat.json", "q.yaml"]).with(2, &[], &[swapped]);
    let alone =
        "this is a run, not a question; the question comes first: probative check QUESTION SUBJECT...";
    place.run(&["check", "run.json", "chat.json"]).with(2, &[], &[alone]);
    let among = place.results(&["check", "q.yaml", "q.yaml", "chat.json"]);
    assert_eq!(ended(&among), [("q.yaml", "error"), ("chat.json", "pass")]);
    assert_eq!(
        among[0]["message"],
        "q.yaml: this is a question, not a recording; a check takes one question, and it comes first"
    );
    assert_eq!(place.run(&["check", "q.json", "chat.json"]).code, 0);
}

#[test]
fn lines_that_cannot_be_used_are_warned_of() {
    let session = String::from_utf8(vector("claude-code/stream.jsonl")).unwrap().replace('\n', "\r\n");
    let broken = format!("starting up\r\n\r\n{session}{{\"type\": \"assi");
    let place = place("succeeded: true\n", &[("s.jsonl", broken.as_bytes())]);
    place.write("few.yaml", b"llm_calls_under: 100\n");
    let results = place.results(&["check", "few.yaml", "s.jsonl"]);
    let message = results[0]["assertions"][0]["message"].as_str().unwrap();
    assert_eq!(message, "not evaluable: the run doesn't record all of its steps (trace format: claude-code)");
    let results = place.results(&["check", "q.yaml", "s.jsonl"]);
    // What breaks off may have been an error.
    assert_eq!(ended(&results), [("s.jsonl", "error")]);
    let lines = broken.lines().count();
    assert_eq!(
        results[0]["warnings"],
        json!([
            "part of the trace was not understood (line 1: not JSON: expected value)",
            format!("the trace is cut off (line {lines})")
        ])
    );
}

#[test]
fn a_file_of_another_format_and_a_mix_of_two_say_so() {
    let codex = String::from_utf8(vector("codex-exec/plain.jsonl")).unwrap();
    let claude = String::from_utf8(vector("claude-code/stream.jsonl")).unwrap();
    let few: Vec<&str> = codex.lines().take(2).chain(claude.lines().take(2)).collect();
    let plain = r#"[{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]"#;
    let place = place(
        LOOKED_UP,
        &[
            ("codex.jsonl", codex.as_bytes()),
            ("mixed.jsonl", few.join("\n").as_bytes()),
            ("plain.json", plain.as_bytes()),
            ("good.json", &vector("openai-chat/plain.json")),
        ],
    );
    let wrong =
        place.run(&["check", "q.yaml", "codex.jsonl", "--trace-format", "claude-code", "--no-timings"]);
    wrong.with(2, &["read as claude-code, but 7 records look like codex-exec"], &[]);
    let results = place.results(&["check", "q.yaml", "mixed.jsonl", "plain.json", "good.json"]);
    // A talk without tools is the same run in several formats.
    assert_eq!(ended(&results), [("mixed.jsonl", "error"), ("plain.json", "fail"), ("good.json", "pass")]);
    let message = results[0]["message"].as_str().unwrap();
    assert_eq!(
        message,
        "mixed.jsonl: unrecognized trace format; closest: claude-code (2 of 4 records don't fit; line 1: \
         unknown 'type' \"thread.started\"), codex-exec (2 of 4 records don't fit; line 3: unknown 'type' \"control_response\"); \
         native runs need 'steps'; force a format with --trace-format NAME (`probative explain traces` lists them)"
    );
    let decided =
        place.run(&["check", "q.yaml", "plain.json", "--trace-format", "anthropic", "--report", "jsonl"]);
    assert_eq!(decided.json_lines()[0]["status"], "fail");
    place.run(&["check", "q.yaml", "plain.json", "--trace-format", "chat"]).with(2, &[], &["openai-chat"]);
}

/// `tool_not_called` holds for an empty run, so a file of another program must not become one.
#[test]
fn files_of_other_formats_pass_nothing() {
    let mut files: Vec<(String, Vec<u8>)> = std::fs::read_dir(vectors().with_file_name("traces-refused"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap()))
        .filter(|(name, _)| !name.ends_with(".expected.json"))
        .collect();
    files.sort();
    assert!(files.len() >= 20, "only {} files", files.len());
    let place = place("tool_not_called: refund\n", &[]);
    for (name, bytes) in &files {
        place.write(name, bytes);
    }
    let names = files.iter().map(|(name, _)| name.as_str());
    let arguments: Vec<&str> = ["check", "q.yaml"].into_iter().chain(names.clone()).collect();
    let results = place.results(&arguments);
    let expected: Vec<(&str, &str)> = names.map(|name| (name, "error")).collect();
    assert_eq!(ended(&results), expected);
}

#[test]
fn what_is_broken_hides_nothing_else() {
    let long = [&b"{\"a\": \""[..], &vec![b'x'; 130 << 20], b"\"}"].concat();
    let random: Vec<u8> =
        (0..5000_u32).map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes()[1]).collect();
    let packed = gzip(&vector("openai-chat/plain.json"));
    let bomb = gzip(&vec![b' '; 200 << 20]);
    let place = place(
        LOOKED_UP,
        &[
            ("a-random.json", &random),
            ("b-long.jsonl", &long),
            ("c-cut.gz", &packed[..packed.len() / 2]),
            ("d-bomb.gz", &bomb),
            ("e-archive.eval", &archive(&[("readme.txt", b"hi".to_vec())])),
            ("f-broken.eval", b"PK\x03\x04 and no more"),
            ("g-good.json", &vector("openai-chat/plain.json")),
        ],
    );
    let results = place.results(&["check", "q.yaml", ".", "-r"]);
    let statuses: Vec<&str> = results.iter().map(|result| result["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["error", "error", "error", "error", "error", "error", "pass"]);
    let told: Vec<&str> =
        results.iter().map(|result| result["message"].as_str().unwrap_or_default()).collect();
    for (message, words) in told.iter().zip([
        "not JSON",
        "longer than 128 MiB",
        "can't be unpacked",
        "longer than 128 MiB",
        "isn't an Inspect log",
        "ZIP archive that can't be read",
        "",
    ]) {
        assert!(message.contains(words), "'{message}' lacks '{words}'");
    }
    let all = place.run(&["check", "q.yaml", ".", "-r"]);
    assert_eq!(all.code, 2);
}

#[test]
fn what_a_terminal_might_obey_is_written_as_an_escape() {
    let chat = "[{\"role\": \"user\", \"content\": \"a\u{9b}31m\u{202e}b\"}, {\"role\": \"assistant\", \"content\": \"ho\", \"refusal\": null}]";
    let place = place(LOOKED_UP, &[("chat.json", chat.as_bytes())]);
    let ended = place.run(&["convert", "chat.json", "--trace-format", "openai-chat"]);
    assert!(ended.stdout.contains(r#""input": "a\u009b31m\u202eb""#), "{}", ended.stdout);
    let run: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(run["input"], "a\u{9b}31m\u{202e}b");
}

#[test]
fn a_record_of_the_end_alone_tells_of_no_steps() {
    let end = r#"{"type": "result", "subtype": "success", "is_error": false, "duration_ms": 900, "num_turns": 5, "result": "Done.",
        "session_id": "s-1", "total_cost_usd": 0.02, "usage": {"input_tokens": 4, "output_tokens": 9}}"#;
    let place = place("tool_not_called: Bash\n", &[("end.json", end.as_bytes())]);
    place.write("cost.yaml", b"cost_under: 1\nsucceeded: true\noutput_equals: Done.\n");
    assert_eq!(place.run(&["check", "cost.yaml", "end.json"]).code, 0);
    let results = place.results(&["check", "q.yaml", "end.json"]);
    assert_eq!(results[0]["losses"], json!(["steps", "llm_calls"]));
    assert_eq!(results[0]["status"], "error");
}

#[test]
fn a_list_in_a_file_that_is_named_like_lines_is_a_list() {
    let chat = String::from_utf8(vector("openai-chat/plain.json")).unwrap();
    let line = serde_json::from_str::<Value>(&chat).unwrap().to_string();
    let place = place(
        LOOKED_UP,
        &[
            ("pretty.jsonl", chat.as_bytes()),
            ("line.jsonl", line.as_bytes()),
            ("odd.jsonl", &[b"x\n", &vector("claude-code/stream.jsonl")[..]].concat()),
        ],
    );
    let results = place.results(&["check", "q.yaml", "pretty.jsonl", "line.jsonl", "odd.jsonl"]);
    assert_eq!(ended(&results)[..2], [("pretty.jsonl", "pass"), ("line.jsonl", "pass")]);
    assert_eq!(
        ended(&results)[2..],
        [("odd.jsonl", "fail")],
        "its first line is no record, and it looks nothing up"
    );
}

#[test]
fn many_blank_lines_take_no_time() {
    let blank = [&vec![b'\n'; 8 << 20][..], &vector("claude-code/stream.jsonl")].concat();
    let place = place("succeeded: true\n", &[("blank.jsonl", &blank)]);
    let results = place.results(&["check", "q.yaml", "blank.jsonl"]);
    assert_eq!(ended(&results), [("blank.jsonl", "pass")]);
}

/// A session of Claude Code that started a sub-agent, beside which something is in the place of that agent's file.
fn session_with(agent_file: &str) -> place::Place {
    let record = |kind: &str, message: Value, result: Value| {
        let record = json!({"type": kind, "sessionId": "s", "message": message, "toolUseResult": result});
        format!("{record}\n")
    };
    let call = json!([{"type": "tool_use", "id": "t1", "name": "Task", "input": {"prompt": "Look"}}]);
    let result = json!([{"type": "tool_result", "tool_use_id": "t1", "content": "found"}]);
    let session = [
        record("user", json!({"role": "user", "content": "Find it"}), Value::Null),
        record("assistant", json!({"role": "assistant", "id": "m1", "content": call}), Value::Null),
        record("user", json!({"role": "user", "content": result}), json!({"agentId": "a9"})),
        record(
            "assistant",
            json!({"role": "assistant", "id": "m2", "content": [{"type": "text", "text": "Found."}]}),
            Value::Null,
        ),
    ];
    let grep = json!([{"type": "tool_use", "id": "t2", "name": "Grep", "input": {"pattern": "x"}}]);
    let agent = json!({"type": "assistant", "sessionId": "s", "isSidechain": true, "agentId": "a9",
        "message": {"role": "assistant", "id": "m3", "content": grep}});
    let agent = format!("{agent}\n");
    let files = [
        ("s.jsonl", session.concat().into_bytes()),
        ("s/subagents/inside.txt", agent.clone().into_bytes()),
        ("outside/agent-a9.jsonl", agent.into_bytes()),
    ];
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect();
    let place = place("scope: all\ntool_not_called: Grep\n", &files);
    let mut shell = std::process::Command::new("sh");
    let made = shell.args(["-c", agent_file]).current_dir(place.path("s")).status().unwrap();
    assert!(made.success(), "{agent_file}");
    place
}

#[test]
fn a_sub_agents_file_that_cannot_be_read_makes_steps_unknown() {
    let nowhere = "broken symbolic link";
    let out = "symbolic link leads outside the session's directory; not followed";
    let cases = [
        ("mkfifo subagents/agent-a9.jsonl", "s/subagents/agent-a9.jsonl: not a regular file"),
        ("mkdir subagents/agent-a9.jsonl", "s/subagents/agent-a9.jsonl: not a regular file"),
        ("ln -s gone subagents/agent-a9.jsonl", nowhere),
        ("ln -s ../../outside/agent-a9.jsonl subagents/agent-a9.jsonl", out),
        ("rm -r subagents; ln -s ../outside subagents", out),
        ("rm -r subagents; ln -s gone subagents", nowhere),
        ("cd ..; rm -r s; mkdir t; ln -s ../outside t/subagents; ln -s t s", out),
    ];
    for (agent_file, why) in cases {
        let place = session_with(agent_file);
        let results = place.results(&["check", "q.yaml", "s.jsonl"]);
        assert_eq!(ended(&results), [("s.jsonl", "error")], "{agent_file}");
        let warnings = results[0]["warnings"].to_string();
        assert!(
            warnings.contains("a file of the trace could not be read") && warnings.contains(why),
            "{warnings}"
        );
        assert!(warnings.contains("agent-a9.jsonl"), "{warnings}");
        let message = results[0]["assertions"][0]["message"].as_str().unwrap();
        assert!(message.contains("doesn't record all of its steps"), "{message}");
    }
}

#[test]
fn a_sub_agents_file_that_is_missing_or_empty_makes_steps_unknown() {
    for agent_file in
        ["true", "rm -r subagents", ": > subagents/agent-a9.jsonl", ": > subagents/agent-b1.jsonl"]
    {
        let place = session_with(agent_file);
        let results = place.results(&["check", "q.yaml", "s.jsonl"]);
        assert_eq!(ended(&results), [("s.jsonl", "error")], "{agent_file}");
        let warnings = results[0]["warnings"].to_string();
        assert!(warnings.contains("a sub-agent's steps are not recorded"), "{warnings}");
        assert!(warnings.contains("agent-a9.jsonl"), "{warnings}");
    }
}

#[test]
fn a_link_to_a_sub_agents_file_in_the_sessions_directory_is_followed() {
    let place = session_with("ln -s inside.txt subagents/agent-a9.jsonl");
    let results = place.results(&["check", "q.yaml", "s.jsonl"]);
    assert_eq!(ended(&results), [("s.jsonl", "fail")]);
}
