//! Agents that are run for real: commands and servers, by name or in a case.
#![cfg(unix)]

mod cases;
mod place;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use cases::each;
use place::Place;
use serde_json::{Value, json};

/// A server that answers every POST with what `answer` makes of its body and its head: status and body.
fn serve(answer: fn(&str, &str) -> (u16, String)) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            std::thread::spawn(move || respond(stream, answer));
        }
    });
    format!("http://{address}/ask")
}

fn respond(mut stream: TcpStream, answer: fn(&str, &str) -> (u16, String)) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
    }
    let length = head.lines().find_map(|line| {
        line.to_ascii_lowercase().strip_prefix("content-length:").map(|length| length.trim().parse().unwrap())
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    let (status, text) = answer(&String::from_utf8_lossy(&body), &head);
    if status == 0 {
        // Never answers.
        std::thread::sleep(std::time::Duration::from_secs(20));
    }
    write!(stream, "HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}", text.len())
}

/// An agent that says what it was given, and does one thing.
fn echo(body: &str, head: &str) -> (u16, String) {
    let input: Value = serde_json::from_str(body).unwrap();
    match input["do"].as_str().unwrap_or("answer") {
        "crash" => (500, "\n\nout of order\nstack".to_owned()),
        "hang" => (0, String::new()),
        "flood" => (200, "tea ".repeat(5 << 20)),
        "half" => (200, r#"{"status": "#.to_owned()),
        "file" => (200, r#"{"trajectory_file": "t.json"}"#.to_owned()),
        "text" => (200, "just words".to_owned()),
        _ => {
            let is_json = head.to_ascii_lowercase().contains("content-type: application/json");
            let token = head
                .lines()
                .find_map(|line| line.to_ascii_lowercase().strip_prefix("x-token: ").map(str::to_owned))
                .unwrap_or_default();
            let steps = json!([{"step_type": "tool_call", "tool_name": "look", "tool_args": input}]);
            let response = json!({"got": input, "json": is_json, "token": token, "post": head.starts_with("POST /ask ")});
            (200, json!({"response": response, "trajectory": {"steps": steps}}).to_string())
        }
    }
}

#[test]
fn a_server_is_asked_with_the_input_and_its_body_is_the_answer() {
    let url = serve(echo);
    let case = |id: &str, input: Value, target: &str, must: Value| {
        json!({"id": id, "type": "agent.run", "input": input, "harness": {"url": url, "timeout_ms": 700},
            "assert": [{"target": target, "must": [must]}]})
    };
    let asked = json!({"evaluate": [["and", ["get", ["subject"], "json"], ["get", ["subject"], "post"]]],
        "field_equals": [{"got.n": 1}]});
    let cases = json!([
        case("ANSWERS", json!({"n": 1}), "response", asked),
        case(
            "DID",
            json!({"n": 2}),
            "trajectory",
            json!({"tool_called_with": [{"name": "look", "args": {"n": 2}}]})
        ),
        case("STDOUT", json!({"do": "text"}), "stdout", json!({"contain": ["just words"]})),
        case("TEXT", json!({"do": "text"}), "response", json!({"contains": ["words"]})),
        case("CRASHES", json!({"do": "crash"}), "response", json!({"contains": ["x"]})),
        case("HANGS", json!({"do": "hang"}), "response", json!({"contains": ["x"]})),
        case("HALF", json!({"do": "half"}), "response", json!({"contains": ["x"]})),
        case("FILE", json!({"do": "file"}), "trajectory", json!({"tool_was_called": ["x"]})),
        case("FLOOD", json!({"do": "flood"}), "response", json!({"contains": ["tea"]})),
        case("STDERR", json!({"do": "text"}), "stderr", json!({"contain": ["x"]})),
    ]);
    let place = Place::with(&[("a.spec.json", &cases.to_string())]);
    let results = place.results(&["run", "a.spec.json"]);
    let (passed, failed) = results.split_at(4);
    assert_eq!(each(passed, "status"), ["pass"; 4], "{passed:#?}");
    assert_eq!(each(failed, "category"), ["runtime"; 6]);
    for (told, expected) in each(failed, "message").iter().zip([
        "status 500: out of order",
        "timed out",
        "the response body:1:10: not JSON",
        "the response names a file, 't.json', but a server can't provide files",
        "not evaluable: the response body was cut off after 16777216 bytes",
        "not evaluable: there is no stderr: a server has none",
    ]) {
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn agents_are_configured_once_and_a_case_has_the_last_word() {
    let url = serve(echo);
    let config = format!(
        "[agents.server]\nurl = \"{url}\"\nheaders = {{ X-Token = \"configured\" }}\n\
         [agents.shell]\ncommand = \"sh agent.sh\"\ncwd = \"root\"\nenv = {{ WHO = \"configured\", KEPT = \"yes\" }}\n\
         [agents.slow]\ncommand = \"sleep 20\"\ntimeout_ms = 300\n"
    );
    let agent = "read input\necho \"{\\\"who\\\": \\\"$WHO\\\", \\\"kept\\\": \\\"$KEPT\\\", \\\"input\\\": $input}\"\n";
    let case = |id: &str, harness: Value, expected: Value| {
        json!({"id": id, "type": "agent.response", "input": {"a": [1, "é"]}, "harness": harness,
            "assert": [{"must": [{"field_equals": [expected]}]}]})
    };
    let cases = json!([
        case("SERVER", json!({"agent": "server"}), json!({"token": "configured"})),
        case("HEADER", json!({"agent": "server", "headers": {"X-Token": 5}}), json!({"token": "5"})),
        case("SHELL", json!({"agent": "shell"}), json!({"who": "configured", "input": {"a": [1, "é"]}})),
        case("ENV", json!({"agent": "shell", "env": {"WHO": "case"}}), json!({"who": "case", "kept": "yes"})),
        case("SLOW", json!({"agent": "slow"}), json!({"a": 1})),
        case("UNKNOWN", json!({"agent": "shel"}), json!({"a": 1})),
    ]);
    let place =
        Place::with(&[("a.spec.json", &cases.to_string()), ("probative.toml", &config), ("agent.sh", agent)]);
    let results = place.results(&["run", "a.spec.json"]);
    assert_eq!(each(&results[..4], "status"), ["pass"; 4], "{results:#?}");
    assert_eq!(each(&results[4..], "category"), ["runtime", "schema"]);
    assert!(each(&results, "message")[4].contains("timed out after 300 ms"));
    assert!(
        each(&results, "message")[5].contains("no [agents.shel] in probative.toml; did you mean 'shell'?")
    );

    place.write("probative.toml", b"[agents.shell]\ncomand = \"x\"\n");
    let told = each(&place.results(&["run", "a.spec.json", "--filter", "SHELL"]), "message");
    assert_eq!(told, ["probative.toml:2:1: agents.shell: unknown key 'comand'; did you mean 'command'?"]);
}

/// A suite whose agent answers with its input.
fn suite() -> Place {
    let suite = json!({"agent": "echo", "version": "1", "description": "", "test_suites": {
        "first": {"name": "The first", "priority": "high", "tests": [
            {"id": "ONE", "name": "one", "input": {"status": "ok"}, "expect": {"status": "ok"}},
            {"id": "TWO", "input": {"status": "bad"}, "expect": {"status": "ok", "contains": "bad"}},
            {"id": "NIGHT", "input": {}, "skip_if": "offline", "expect": {"status": "ok"}},
        ]},
        "second": {"name": "The second", "priority": 2, "x-owner": "us", "tests": [
            {"id": "STEPS", "multi_step": [
                {"step": 1, "input": {"results": [{"id": 1}]}, "store": "first", "expect": {"results_count": 1}},
                {"step": "b", "input": {"results": [{"id": 1}, {"id": 2}]},
                    "expect": {"no_overlap": {"path": "results[*].id", "with": "first"}, "results_min": 1}},
            ]},
            {"id": "NEVER", "input": {}, "skip_if": true, "expect": {"status": "ok"}},
        ]},
    }});
    Place::with(&[
        ("a.tests.json", &suite.to_string()),
        (
            "probative.toml",
            "[agents.echo]\ncommand = \"cat\"\n[agents.fails]\ncommand = \"sh -c 'echo no >&2; exit 4'\"\n",
        ),
    ])
}

#[test]
fn a_suite_asks_its_agent_step_by_step() {
    let place = suite();
    let results = place.results(&["run"]);
    assert_eq!(each(&results, "id"), ["ONE", "TWO", "NIGHT", "STEPS", "NEVER"]);
    assert_eq!(each(&results, "status"), ["pass", "fail", "fail", "fail", "skip"]);
    assert_eq!(each(&results, "suite"), ["first", "first", "first", "second", "second"]);
    assert_eq!(each(&results, "priority"), ["high", "high", "high", "2", "2"]);
    let rows = results[3]["assertions"].as_array().unwrap();
    assert_eq!(
        each(rows, "path"),
        [
            "multi_step[0].expect.results_count",
            "multi_step[1].expect.no_overlap",
            "multi_step[1].expect.results_min"
        ]
    );
    assert_eq!(each(rows, "status"), ["pass", "fail", "pass"]);
    let told = place.run(&["run", "--no-timings"]);
    assert!(told.stdout.contains("FAIL TWO  [The first, high]  a.tests.json:1"), "{}", told.stdout);
    assert!(told.stdout.contains("5 cases: 1 passed, 3 failed, 1 skipped"), "{}", told.stdout);
}

#[test]
fn tests_are_chosen_by_suite_priority_and_condition() {
    let place = suite();
    let ids = |more: &[&str]| each(&place.results(&[&["run"], more].concat()), "id");
    assert_eq!(ids(&["--suite", "second"]), ["STEPS", "NEVER"]);
    assert_eq!(ids(&["--priority", "high"]), ["ONE", "TWO", "NIGHT"]);
    assert_eq!(ids(&["--priority", "2", "--filter", "STEPS"]), ["STEPS"]);
    assert_eq!(ids(&["--type", "agent.response", "--suite", "first", "--filter", "one"]), ["ONE"]);
    let results = place.results(&["run", "--condition", "offline", "--filter", "NIGHT"]);
    assert_eq!(each(&results, "message"), ["skip_if: offline"]);
    assert_eq!(place.run(&["run", "--suite", "third"]).code, 2);
    let list = place.run(&["run", "--list", "--filter", "ONE"]).stdout;
    assert_eq!(list, "ONE\tagent.response\ta.tests.json:1\tfirst\thigh\n");
}

#[test]
fn a_suite_is_judged_by_what_was_recorded() {
    let place = suite();
    place.write("seen/ONE.json", br#"{"status": "ok"}"#);
    place.write("seen/TWO.txt", b"not bad");
    place.write("seen/STEPS.1.json", br#"{"results": [1]}"#);
    let results = place.results(&["run", "--responses", "seen"]);
    assert_eq!(each(&results, "status"), ["pass", "fail", "error", "error", "skip"]);
    let told = each(&results, "message");
    assert!(told[2].contains("no recorded response: seen has no NIGHT.json or NIGHT.txt"), "{}", told[2]);
    assert!(told[3].contains("step b: no recorded response"), "{}", told[3]);
    assert_eq!(place.run(&["run", "--responses", "seen", "--agent", "x"]).code, 2);
}

#[test]
fn another_agent_can_be_asked() {
    let place = suite();
    let told = each(&place.results(&["run", "--agent", "fails", "--filter", "ONE"]), "message");
    assert!(told[0].contains("the agent exited with code 4; stderr ends with: no"), "{}", told[0]);
    let told = each(&place.results(&["run", "--agent", "ech", "--filter", "ONE"]), "message");
    assert!(told[0].contains("no [agents.ech] in probative.toml; did you mean 'echo'?"), "{}", told[0]);
}

#[test]
fn what_is_wrong_in_a_suite_is_told_where_it_stands() {
    for (suite, told) in [
        ("{}", "'test_suites' is missing"),
        (r#"{"test_suites": {}, "agnet": "x"}"#, "unknown key 'agnet'; did you mean 'agent'?"),
        (
            r#"{"test_suites": {"a": {"test": []}}}"#,
            "test_suites.a: unknown key 'test'; did you mean 'tests'?",
        ),
        (r#"{"test_suites": {"a": {"tests": [{"name": "x"}]}}}"#, "'id' is missing"),
        (
            r#"{"test_suites": {"a": {"tests": [{"id": "x", "multi_step": []}]}}}"#,
            "'multi_step' must not be empty",
        ),
        (
            r#"{"test_suites": {"a": {"tests": [{"id": "x", "expect": {}, "multi_step": [{}]}]}}}"#,
            "a test takes 'expect' or 'multi_step', not both",
        ),
        ("{", "unexpected end of input in an object"),
    ] {
        let place = Place::with(&[("a.tests.json", suite), ("b.spec.md", &cases::fence(cases::PASSES))]);
        let results = place.results(&["run"]);
        assert_eq!(each(&results, "status"), ["error", "pass"], "{suite}");
        assert!(each(&results, "message")[0].contains(told), "{results:#?}");
        assert_eq!(place.run(&["run"]).code, 2);
    }
}

#[test]
fn what_is_read_is_not_written_over() {
    let case = json!({"id": "A", "type": "agent.response", "file": "seen/*.json", "assert": [{"must": [{"status": ["ok"]}]}]});
    let place = Place::with(&[
        ("a.spec.json", &case.to_string()),
        ("probative.toml", ""),
        ("seen/r.json", r#"{"status": "ok"}"#),
    ]);
    for file in ["probative.toml", "seen/r.json", "a.spec.json"] {
        for option in [["--save-baseline", file], ["--journal", file]] {
            let ended = place.run(&["run", "a.spec.json", option[0], option[1]]);
            assert_eq!(ended.code, 2, "{option:?}");
        }
        assert_eq!(place.run(&["run", "a.spec.json", "--report", &format!("json={file}")]).code, 2);
    }
    assert_eq!(place.read("probative.toml"), "");
    assert_eq!(place.run(&["run", "a.spec.json"]).code, 0);
}

#[test]
fn lint_knows_the_agents() {
    let case = json!({"id": "A", "type": "agent.response", "harness": {"agent": "ech"}, "assert": [{"must": [{"status": ["ok"]}]}]});
    let place = suite();
    assert_eq!(place.run(&["lint"]).code, 0);
    place.write("b.spec.json", case.to_string().as_bytes());
    let ended = place.run(&["lint", "b.spec.json"]);
    assert_eq!(ended.code, 2);
    assert!(
        ended.stdout.contains("no [agents.ech] in probative.toml; did you mean 'echo'?"),
        "{}",
        ended.stdout
    );
}

#[test]
fn a_file_of_an_earlier_run_says_nothing_about_this_one() {
    let agent =
        "test -e old || echo '{\"steps\": []}' > t.json; touch old; echo '{\"trajectory_file\": \"t.json\"}'";
    let case = json!({"id": "A", "type": "agent.trajectory", "harness": {"entrypoint": "sh agent.sh", "cwd": "root"},
        "assert": [{"must": [{"evaluate": [["has_key", "steps"]]}]}]});
    let place = Place::with(&[("a.spec.json", &case.to_string()), ("agent.sh", agent)]);
    assert_eq!(place.run(&["run", "a.spec.json"]).code, 0);
    std::thread::sleep(std::time::Duration::from_millis(50));
    let results = place.results(&["run", "a.spec.json"]);
    assert!(each(&results, "message")[0].contains("this run did not write it"), "{results:#?}");
}

#[test]
fn an_agent_may_be_a_python_function_with_hooks_around_it() {
    let agent = "import json, os, sys\n\n\ndef main(argv):\n    given = json.load(sys.stdin)\n    \
                 there = os.path.exists(os.path.join(os.environ['SPEC_RUNNER_TMP'], 'prepared'))\n    \
                 print(json.dumps({'response': {'given': given, 'argv': argv, 'there': there}}))\n";
    let case = json!({"id": "A", "type": "agent.response", "input": {"n": 1},
        "harness": {"entrypoint": "agent:main", "argv": ["x"], "hook_before": "sh -c 'touch \"$SPEC_RUNNER_TMP/prepared\"'",
            "hook_after": "sh -c 'cat > after.json'", "cwd": "root"},
        "assert": [{"must": [{"field_equals": [{"given.n": 1, "argv[0]": "x", "there": true}]}]}]});
    let place = Place::with(&[("a.spec.json", &case.to_string()), ("agent.py", agent)]);
    let results = place.results(&["run", "a.spec.json"]);
    assert_eq!(each(&results, "status"), ["pass"], "{results:#?}");
    let after: Value = serde_json::from_str(&place.read("after.json")).unwrap();
    assert_eq!(after["result"]["exit_code"], 0);
    assert_eq!(after["case"]["assert"], case["assert"]);
}

/// The case before wrote it a moment ago, or somebody gave it a date in the future.
#[test]
fn a_file_that_an_agent_names_is_one_that_it_wrote_in_this_case() {
    let names = r#"echo '{"response": "done", "trajectory_file": "run.json"}'"#;
    let writes = format!("echo '{{\"steps\": []}}' > run.json; {names}");
    let case = |id: &str, script: &str| {
        json!({"id": id, "type": "agent.run", "harness": {"entrypoint": "sh", "cwd": "root", "argv": ["-c", script]},
            "assert": [{"target": "trajectory", "must": [{"llm_calls_under": [5]}]}]})
    };
    let cases = [
        case("FRESH", &writes),
        case("STALE", names),
        case("AGAIN", &writes),
        case("RENAMED", &format!("mv run.json other.json; mv other.json run.json; {names}")),
        case("DATED", &format!("{writes}; touch -d 2099-01-01 run.json")),
        case("FUTURE", names),
    ];
    let place =
        Place::with(&[("probative.toml", ""), ("a.spec.json", &Value::from(cases.to_vec()).to_string())]);
    let results = place.results(&["run", "a.spec.json", "-j", "1"]);
    assert_eq!(each(&results, "status"), ["pass", "error", "pass", "error", "pass", "error"], "{results:#?}");
    for stale in [&results[1], &results[3], &results[5]] {
        assert_eq!(stale["category"], "runtime");
        assert!(stale["message"].as_str().unwrap().contains("this run did not write it"), "{stale}");
    }
}

/// One error with the traceback; what it left nothing to judge for is counted, and what can be judged is.
#[test]
fn a_crashed_agent_is_one_error() {
    let script = "import sys\nprint('start', file=sys.stderr)\nraise KeyError(\"order hunter2-secret\")\n";
    let case = |id: &str, exit: &str| {
        let assert = json!([
            {"target": "response", "must": [{"status": ["success"], "contains": ["refund"]}]},
            {"target": "trajectory", "must": [{"tool_was_called": ["refund"]}], },
            {"target": "trajectory", "cannot": [{"tool_was_called": ["delete"]}]},
            {"target": "stderr", "must": [{"contain": ["KeyError"]}]},
        ]);
        let claims = json!([{"when": {"path": "id"}, "then": {"target": "trajectory", "must": [{"succeeded": [true]}]}}]);
        json!({"id": id, "type": "agent.run", "harness": {"agent": exit}, "assert": assert, "claims": claims})
    };
    let config = "[agents.crashes]\ncommand = \"python3 agent.py\"\nenv = {API_TOKEN = \"hunter2-secret\"}\n\
                  [agents.empty]\ncommand = \"sh -c 'echo KeyError >&2'\"\n\
                  [agents.speaks]\ncommand = \"sh -c 'echo KeyError >&2; echo {}; exit 3'\"\n\
                  [agents.logs]\ncommand = \"sh -c 'echo Loading the model; echo KeyError >&2; exit 3'\"\n";
    let ids = [("CRASH", "crashes"), ("EMPTY", "empty"), ("SPEAKS", "speaks"), ("LOGS", "logs")];
    let cases = Value::from(ids.map(|(id, exit)| case(id, exit)).to_vec());
    let place =
        Place::with(&[("a.spec.json", &cases.to_string()), ("probative.toml", config), ("agent.py", script)]);
    let results = place.results(&["run", "a.spec.json"]);
    let rows = |at: usize, key: &str| each(results[at]["assertions"].as_array().unwrap(), key);
    assert_eq!(each(&results, "category"), ["runtime"; 4]);
    // The exit code is the error, and everything but standard error waits for it.
    assert_eq!(rows(0, "name")[..2], ["exit_code", "status"]);
    assert_eq!(rows(0, "status"), ["error", "error", "error", "error", "error", "pass", "error"]);
    assert_eq!(rows(0, "because_of"), ["null", "0", "0", "0", "0", "null", "0"]);
    assert_eq!(rows(0, "message")[1], "not judged: see 'exit_code'");
    let message = results[0]["message"].as_str().unwrap();
    assert_eq!(message.matches("KeyError: ").count(), 1, "{message}");
    assert!(message.contains("exit_code expected=0 actual=1"), "{message}");
    // An agent that ends well and puts nothing out is one error, too.
    assert_eq!(rows(1, "because_of"), ["null", "null", "1", "1", "1", "null", "1"]);
    let silent = "the agent printed nothing on stdout (exit code 0); stderr ends with: KeyError";
    assert!(results[1]["message"].as_str().unwrap().ends_with(silent), "{}", results[1]);
    assert_eq!(rows(1, "status"), ["pass", "error", "error", "error", "error", "pass", "error"]);
    // What it did put out is judged, whatever its exit code.
    assert_eq!(rows(2, "status"), ["error", "fail", "fail", "error", "error", "pass", "unexercised"]);
    // What isn't JSON is a log of its way to the crash, not an answer.
    assert_eq!(rows(3, "because_of"), rows(0, "because_of"));
    let told = place.run(&["run", "a.spec.json", "--case=CRASH"]).stdout;
    assert_eq!(told.matches("5 assertions not judged").count(), 1, "{told}");
    for format in ["human", "json", "jsonl", "junit", "tap", "markdown", "github", "html"] {
        let told = place.run(&["run", "a.spec.json", "--report", format]).stdout;
        assert!(told.contains("KeyError") && !told.contains("hunter2"), "{format}: {told}");
    }
}

#[test]
fn a_crash_is_printed_once_with_its_traceback_first() {
    let script = "import sys\nsys.stdin.read()\nraise KeyError('order')\n";
    let response: Vec<Value> = (0..6).map(|n| json!({"contains": [format!("word {n}")]})).collect();
    let trajectory: Vec<Value> = (0..5).map(|n| json!({"tool_was_called": [format!("tool_{n}")]})).collect();
    let case = json!({"id": "CRASH", "type": "agent.run", "harness": {"agent": "a"}, "assert": [
        {"target": "response", "must": response}, {"target": "trajectory", "must": trajectory}]});
    let place = Place::with(&[
        ("a.spec.json", &case.to_string()),
        ("agent.py", script),
        ("probative.toml", "[agents.a]\ncommand = \"python3 agent.py\"\n"),
    ]);
    let expected = format!(
        "ERROR CRASH  a.spec.json:1
  Test has ERRORS (11 of 12 assertions not judged)

  error: the agent crashed
    │ Traceback (most recent call last):
    │   File \"{}\", line 3, in <module>
    │     raise KeyError('order')
    │ KeyError: 'order'
    exit code 1 from `python3 agent.py`
  11 assertions not judged: contains ×6, tool_was_called ×5

  rerun: probative run a.spec.json --case=CRASH

1 case: 1 error
",
        place.path("agent.py").canonicalize().unwrap().display()
    );
    let ended = place.run(&["run", "a.spec.json", "--no-timings"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (1, expected.as_str()), "{}", ended.stdout);
}

#[test]
fn an_agent_that_prints_nothing_is_one_error() {
    let case = |id: &str, command: &str, response: &Value| {
        json!({"id": id, "type": "agent.run", "harness": {"entrypoint": command}, "assert": [
            {"target": "response", "must": response}, {"target": "trajectory", "must": [{"tool_was_called": ["x"]}]}]})
    };
    let one = json!({"id": "ONE", "type": "agent.response", "harness": {"entrypoint": "true"},
        "assert": [{"must": [{"status": ["ok"]}]}]});
    let cases = json!([
        case("TWO", "sh -c 'echo no key >&2'", &json!([{"status": ["ok"]}, {"contains": ["x"]}])),
        one
    ]);
    let place = Place::with(&[("a.spec.json", &cases.to_string())]);
    let told = |id: &str| {
        let ended = place.run(&["run", "a.spec.json", "--no-timings", &format!("--case={id}")]);
        ended.stdout.split_once("\n\n").unwrap().1.to_owned()
    };
    let end = |id: &str| format!("  rerun: probative run a.spec.json --case={id}\n\n1 case: 1 error\n");
    let two = "  error: the agent printed nothing on stdout (exit code 0)
    │ no key
  3 assertions not judged: status, contains, tool_was_called

";
    assert_eq!(told("TWO"), format!("{two}{}", end("TWO")));
    let one = "  error: the agent printed nothing on stdout (exit code 0)
  1 assertion not judged: status

";
    assert_eq!(told("ONE"), format!("{one}{}", end("ONE")));
}

#[test]
fn the_target_is_named_where_a_case_has_several() {
    let case = |id: &str, more: &Value| {
        let response = json!({"target": "response", "must": [{"status": ["ok"]}]});
        json!({"id": id, "type": "agent.run", "response": {"status": "no"}, "trajectory": {"steps": []},
            "assert": [response, more]})
    };
    let trajectory = json!({"target": "trajectory", "must": [{"tool_was_called": ["refund"]}]});
    let one = json!({"target": "response", "must": [{"contains": ["x"]}]});
    let cases = json!([case("TWO", &trajectory), case("ONE", &one)]);
    let place = Place::with(&[("a.spec.json", &cases.to_string())]);
    let told = |id: &str| place.run(&["run", "a.spec.json", &format!("--case={id}")]).stdout;
    let (two, one) = (told("TWO"), told("ONE"));
    assert!(two.contains("\n  status (response)  a.spec.json:1:"), "{two}");
    assert!(two.contains("\n  tool_was_called (trajectory)  a.spec.json:1:"), "{two}");
    assert!(one.contains("\n  status  a.spec.json:1:"), "{one}");
    // People see where it is; programs get the head of the message and the facts.
    assert!(!two.contains("case_id="), "{two}");
    let results = place.results(&["run", "a.spec.json"]);
    let row = &results[0]["assertions"][0];
    assert_eq!(row["target"], "response");
    let head = "[case_id=TWO assert_path=assert[0].must[0] target=response op=status] ";
    assert!(row["message"].as_str().unwrap().starts_with(head), "{row}");
    for format in ["junit", "tap", "markdown", "github", "html"] {
        let told = place.run(&["run", "a.spec.json", "--report", format]).stdout;
        assert!(!told.contains("case_id="), "{format}: {told}");
    }
}

#[test]
fn a_command_that_misses_a_file_of_the_root_is_told_of_cwd() {
    let case = |id: &str, entrypoint: &str, cwd: &str| {
        json!({"id": id, "type": "agent.response", "harness": {"entrypoint": entrypoint, "cwd": cwd},
            "assert": [{"must": [{"status": ["ok"]}]}]})
    };
    let cases = json!([
        case("TEMP", "python3 agent.py", "temp"),
        case("ROOT", "python3 agent.py", "root"),
        case("NONE", "python3 none.py", "temp"),
        case("ATTRIBUTE", "agent:mian", "temp"),
    ]);
    let place = Place::with(&[
        ("a.spec.json", &cases.to_string()),
        ("probative.toml", ""),
        ("agent.py", "def main(argv):\n    pass\n\n\nprint('{\"status\": \"ok\"}')\n"),
    ]);
    let results = place.results(&["run", "a.spec.json"]);
    assert_eq!(each(&results, "status"), ["error", "pass", "error", "error"]);
    let hint = "'agent.py' is in the project root, but the command ran in a temporary directory; add 'cwd: root' to 'harness'";
    assert_eq!(each(&results, "warnings"), [&json!([hint]).to_string(), "null", "null", "null"]);
    let told = &each(&results, "message")[3];
    assert!(told.contains("'agent' has no attribute 'mian'; did you mean 'main'?"), "{told}");
}
