//! Cases that are run several times, what that may cost, and assertions that had nothing to say no to.
#![cfg(unix)]

mod cases;
mod place;

use cases::each;
use place::{Ended, Place};
use serde_json::{Value, json};

/// An agent that counts how often it was run: each time a line in `runs`, and the words of `answers` in turn.
const AGENT: &str = "\
echo x >> runs
n=$(wc -l < runs)
word=$(sed -n \"${n}p\" answers)
test \"$word\" = crash && exit 3
echo \"{\\\"response\\\": {\\\"status\\\": \\\"$word\\\"}, \\\"trajectory\\\": {\\\"steps\\\": [], \\\"total_cost\\\": 0.25}}\"
";

/// A place where the agent answers with these words, one after the other.
fn place(answers: &str, cases: &Value) -> Place {
    let answers = answers.replace(' ', "\n") + "\n";
    Place::with(&[
        ("agent.sh", AGENT),
        ("answers", &answers),
        ("probative.toml", "[agents.count]\ncommand = \"sh agent.sh\"\n"),
        ("a.spec.json", &cases.to_string()),
    ])
}

fn case(id: &str, trials: &Value) -> Value {
    json!({"id": id, "type": "agent.run", "harness": {"agent": "count"}, "trials": trials,
        "assert": [{"target": "response", "must": [{"status": ["ok"]}]}]})
}

/// The one result of running one case, one at a time.
fn one(place: &Place, more: &[&str]) -> Value {
    let mut results = place.results(&[&["run", "a.spec.json", "-j", "1"], more].concat());
    assert_eq!(results.len(), 1, "{results:#?}");
    results.remove(0)
}

#[test]
fn every_trial_is_kept_with_what_all_of_them_say() {
    let result = one(&place("ok bad ok crash bad", &case("A", &json!({"n": 5, "pass": "any"}))), &[]);
    assert_eq!(result["status"], "pass");
    let trials = &result["trials"];
    assert_eq!([&trials["n"], &trials["ran"], &trials["passed"]], [5, 5, 2]);
    assert_eq!(
        each(trials["outcomes"].as_array().unwrap(), "status"),
        ["pass", "fail", "pass", "error", "fail"]
    );
    assert_eq!(trials["pass_at"]["2"], 0.7);
    assert_eq!(trials["pass_hat"]["2"], 0.1);
    assert_eq!(trials["modes"][0]["trials"], json!([2, 5]));
    assert_eq!(result["cost"], 1.0);
}

#[test]
fn how_many_must_pass_is_said_by_the_case() {
    for (pass, answers, status) in [
        (json!("all"), "ok ok ok ok", "pass"),
        (json!("all"), "ok ok ok bad", "fail"),
        (json!("any"), "bad bad bad ok", "pass"),
        (json!("any"), "bad bad bad bad", "fail"),
        (json!("majority"), "ok ok ok bad", "pass"),
        (json!("majority"), "ok ok bad bad", "fail"),
        (json!(0.5), "ok ok bad bad", "pass"),
        (json!(0.6), "ok ok bad bad", "fail"),
        (json!("all"), "crash crash crash crash", "error"),
    ] {
        let place = place(answers, &case("A", &json!({"n": 4, "pass": pass})));
        assert_eq!(one(&place, &[])["status"], status, "{pass} of {answers}");
        assert_eq!(place.read("runs").lines().count(), 4);
    }
}

#[test]
fn a_person_sees_a_strip_and_the_ways_to_fail() {
    let place = place("ok bad ok bad", &case("A", &json!({"n": 4})));
    let told = place.run(&["run", "a.spec.json", "-j", "1", "--no-timings"]);
    assert_eq!(told.code, 1);
    for line in [
        "\n  trial 2 of 4: Test FAILS (1 of 2 assertions failed)\n",
        "\n\n  response:\n",
        "trials  ✓✗✓✗  2 of 4 passed (pass: all), 95% interval 15–85%",
        "2×  ",
        "(trials 2, 4)",
        "Expected status 'ok', got 'bad'",
    ] {
        assert!(told.stdout.contains(line), "{line} is not in\n{}", told.stdout);
    }
    assert_eq!(told.stdout.matches("trial 2 of 4").count(), 1, "{}", told.stdout);
    let result = one(&self::place("ok bad ok bad", &case("A", &json!({"n": 4}))), &[]);
    assert_eq!(result["trials"]["shown"], 2);
    assert!(
        result["message"].as_str().unwrap().starts_with("2 of 4 trials passed (pass: all); trial 2: "),
        "{result}"
    );
}

#[test]
fn a_person_sees_which_trial_timed_out_and_how_agents_crashed() {
    let agent = |id: &str, command: &str, limit: u64| {
        json!({"id": id, "type": "agent.response", "trials": {"n": 3}, "assert": [{"must": [{"status": ["ok"]}]}],
            "harness": {"entrypoint": command, "timeout_ms": limit}})
    };
    let raise = "python3 -c 'if 1: raise RuntimeError(\"rate limited\")'";
    let cases = json!([agent("SLOW", "sleep 9", 300), agent("CRASH", raise, 20_000)]);
    let place = Place::with(&[("a.spec.json", &cases.to_string())]);
    let slow = place.run(&["run", "a.spec.json", "--case=SLOW", "-j", "1", "--no-timings"]).stdout;
    assert!(slow.contains("3×  the command timed out after 300 ms  (trials 1, 2, 3)\n"), "{slow}");
    assert_eq!(slow.matches("trial 1 of 3").count(), 1, "{slow}");
    let args = ["run", "a.spec.json", "--case=CRASH", "-j", "1", "--no-timings"];
    let headline = "the agent crashed: RuntimeError: rate limited";
    let crash = place.run(&args).stdout;
    assert!(crash.contains(&format!("3×  {headline}  (trials 1, 2, 3)\n")), "{crash}");
    for format in ["junit", "tap", "markdown", "html"] {
        let told = place.run(&[&args[..], &["--report", format]].concat()).stdout;
        let told = told.replace("&#58;", ":");
        assert!(told.contains(headline) && !told.contains("exit_code expected"), "{format}: {told}");
    }
    let json = place.run(&[&args[..], &["--report", "jsonl"]].concat()).json_lines().remove(0);
    for message in [&json["message"], &json["trials"]["modes"][0]["message"]] {
        assert!(
            message.as_str().unwrap().contains("exit_code expected=0 actual=1; stderr ends with: "),
            "{json}"
        );
    }
}

#[test]
fn the_command_line_asks_for_trials_of_what_runs_an_agent() {
    let recorded = json!({"id": "R", "type": "agent.response", "response": {"status": "ok"},
        "assert": [{"must": [{"status": ["ok"]}]}]});
    let mut plain = case("A", &json!(null));
    plain.as_object_mut().unwrap().remove("trials");
    let place =
        place("ok ok bad ok ok ok", &json!([plain, recorded, case("B", &json!({"n": 1, "pass": "any"}))]));
    let results = place.results(&["run", "a.spec.json", "-j", "1", "--trials", "3"]);
    assert_eq!(each(&results, "status"), ["fail", "pass", "pass"]);
    assert_eq!(results[0]["trials"]["ran"], 3);
    assert!(results[1].get("trials").is_none());
    assert_eq!(results[2]["trials"]["n"], 3);
    assert_eq!(place.run(&["run", "a.spec.json", "--trials", "0"]).code, 2);
    assert_eq!(place.run(&["run", "a.spec.json", "--trials", "10001"]).code, 2);
}

#[test]
fn trials_run_side_by_side_and_are_told_in_order() {
    let slow = json!({"id": "SLOW", "type": "agent.response", "trials": {"n": 4}, "input": 1,
        "harness": {"entrypoint": "sh -c 'sleep 0.4; cat'"}, "assert": [{"must": [{"evaluate": [["eq", ["subject"], 1]]}]}]});
    let quick = json!({"id": "QUICK", "type": "text.file", "assert": []});
    let place = Place::with(&[("a.spec.json", &json!([slow, quick]).to_string())]);
    let begun = std::time::Instant::now();
    let results = place.results(&["run", "a.spec.json", "-j", "4"]);
    assert!(begun.elapsed() < std::time::Duration::from_millis(1400), "{:?}", begun.elapsed());
    assert_eq!(each(&results, "id"), ["SLOW", "QUICK"]);
    assert_eq!(results[0]["trials"]["passed"], 4);
}

#[test]
fn what_is_written_wrongly_is_tried_once() {
    let mut wrong = case("A", &json!({"n": 5}));
    wrong["harness"]["agent"] = "counts".into();
    let result = one(&place("ok", &wrong), &[]);
    assert_eq!(result["category"], "schema");
    assert!(result.get("trials").is_none());
    for (trials, told) in [
        (json!({"n": 0}), "trials.n"),
        (json!({"n": 2, "pass": "most"}), "trials.pass"),
        (json!({"pas": "any"}), "did you mean 'pass'?"),
        (json!(3), "trials"),
    ] {
        let result = one(&place("ok", &case("A", &trials)), &[]);
        assert_eq!(result["category"], "schema");
        assert!(result["message"].as_str().unwrap().contains(told), "{result}");
    }
}

#[test]
fn recordings_are_trials_in_the_order_of_their_names() {
    let recorded = json!({"id": "R", "type": "agent.response", "file": "seen/r-*.json", "trials": {"pass": "majority"},
        "assert": [{"must": [{"status": ["ok"]}]}]});
    let place = place("ok", &recorded);
    for (name, word) in [("r-2", "bad"), ("r-1", "ok"), ("r-3", "ok"), ("other", "bad")] {
        place.write(&format!("seen/{name}.json"), json!({"status": word}).to_string().as_bytes());
    }
    let result = one(&place, &[]);
    assert_eq!(each(result["trials"]["outcomes"].as_array().unwrap(), "status"), ["pass", "fail", "pass"]);
    assert_eq!(result["status"], "pass");
    for (file, n, told) in [
        ("seen/x-*.json", json!(null), "no file matches seen/x-*.json"),
        ("seen/r-*.json", json!(2), "trials.n is 2, but 'file' matches 3 recordings"),
    ] {
        let mut case = recorded.clone();
        case["file"] = file.into();
        if !n.is_null() {
            case["trials"]["n"] = n;
        }
        place.write("a.spec.json", case.to_string().as_bytes());
        let result = one(&place, &[]);
        assert_eq!(result["category"], "runtime");
        assert!(result["message"].as_str().unwrap().contains(told), "{result}");
    }
}

#[test]
fn no_agent_is_started_once_the_money_is_spent() {
    let cases = json!([case("A", &json!({"n": 3})), case("B", &json!({"n": 3, "pass": "any"})), {
        "id": "C", "type": "agent.run", "harness": {"agent": "count"}, "assert": [{"target": "response", "must": [{"status": ["ok"]}]}]
    }]);
    let place = place("ok ok ok ok ok ok ok", &cases);
    // Each costs a quarter.
    let results = place.results(&["run", "a.spec.json", "-j", "1", "--max-cost", "1.0"]);
    assert_eq!(place.read("runs").lines().count(), 4);
    assert_eq!(each(&results, "status"), ["pass", "pass", "error"]);
    assert_eq!(results[1]["trials"]["ran"], 1);
    assert_eq!(results[2]["message"], "the cost limit of 1 was reached before it ran");

    let place = self::place("ok ok ok", &case("A", &json!({"n": 3})));
    let result = one(&place, &["--max-cost", "0.5"]);
    assert_eq!(result["category"], "runtime");
    let told = "the cost limit of 0.5 was reached after 2 of 3 trials, too few for a verdict";
    assert!(result["message"].as_str().unwrap().contains(told), "{result}");
    let place = self::place("ok bad ok", &case("A", &json!({"n": 3})));
    assert_eq!(one(&place, &["--max-cost", "0.5"])["status"], "fail");
    for cost in ["0", "-1", "nan", "much"] {
        assert_eq!(place.run(&["run", "a.spec.json", "--max-cost", cost]).code, 2, "{cost}");
    }
}

#[test]
fn an_interrupt_among_trials_tells_of_those_that_ended() {
    let slow = json!({"id": "SLOW", "type": "agent.response", "trials": {"n": 3},
        "harness": {"entrypoint": "sh -c 'echo x >> runs; test $(wc -l < runs) = 1 || sleep 20; echo 1'", "cwd": "root"},
        "assert": [{"must": [{"evaluate": [["eq", ["subject"], 1]]}]}]});
    let place = Place::with(&[("a.spec.json", &slow.to_string())]);
    let child = place.start(&["run", "a.spec.json", "-j", "1", "--report", "jsonl", "--no-timings"]);
    let begun = std::time::Instant::now();
    while std::fs::read_to_string(place.path("runs")).unwrap_or_default().lines().count() < 2 {
        assert!(begun.elapsed() < std::time::Duration::from_secs(20));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    cases::signal("INT", child.id());
    let ended: Ended = child.wait_with_output().unwrap().into();
    assert_eq!(ended.code, 130);
    let results = ended.json_lines();
    assert_eq!(results[0]["status"], "error");
    assert_eq!(results[0]["trials"]["passed"], 1);
}

/// A run that mentions one tool, and asks for another not to be called.
fn idle(id: &str, tools: &Value, asked: &str) -> Value {
    json!({"id": id, "type": "agent.trajectory", "trajectory": {"steps": [], "tools": tools},
        "assert": [{"must": [{"tool_not_called": [asked]}]}]})
}

#[test]
fn what_nothing_exercised_is_told_and_fails_a_strict_run() {
    let claim = json!({"id": "CLAIM", "type": "agent.run", "response": {"message": "no"}, "claims": [
        {"when": {"path": "message", "regex": "RF-\\d+"}, "then": {"target": "response", "must": [{"contains": ["x"]}]}}]});
    let empty = json!({"id": "EMPTY", "type": "agent.response", "response": {"results": []},
        "assert": [{"must": [{"all_match": [{"path": "results[*].a", "value": 1}]}, {"results_max": [3]}]}]});
    let cases = json!([
        idle("NEVER", &json!(["a"]), "delete"),
        idle("KNOWN", &json!(["a"]), "b"),
        idle("OTHER", &json!(["b"]), "a"),
        claim,
        empty
    ]);
    let place = Place::with(&[("a.spec.json", &cases.to_string())]);
    let run = |more: &[&str]| {
        place.run(&[&["run", "a.spec.json", "--report", "json", "--no-timings"], more].concat())
    };
    assert_eq!(run(&[]).code, 0);
    let ended = run(&["--strict"]);
    assert_eq!(ended.code, 1);
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    let unexercised = report["summary"]["unexercised"].as_array().unwrap();
    assert_eq!(each(unexercised, "case"), ["NEVER", "CLAIM", "EMPTY"]);
    assert_eq!(each(unexercised, "assertion"), ["tool_not_called", "claims[0]", "all_match"]);
    let rows = |case: usize| each(report["results"][case]["assertions"].as_array().unwrap(), "status");
    assert_eq!(rows(3), ["unexercised"]);
    assert_eq!(rows(4), ["unexercised", "pass"]);
    let told = place.run(&["run", "a.spec.json", "--no-timings"]).stdout;
    assert!(told.contains("3 assertions were never exercised:"), "{told}");
    assert!(told.contains("5 cases: 5 passed, 3 assertions never exercised"), "{told}");
}

#[test]
fn a_row_that_one_trial_exercised_is_exercised() {
    let recorded = json!({"id": "R", "type": "agent.response", "file": "r-*.json",
        "assert": [{"must": [{"all_match": [{"path": "results[*]", "value": 1}]}]}]});
    let place = Place::with(&[("a.spec.json", &recorded.to_string()), ("r-1.json", r#"{"results": []}"#)]);
    place.write("r-2.json", br#"{"results": [1]}"#);
    assert_eq!(place.run(&["run", "a.spec.json", "--strict"]).code, 0);
    place.write("r-2.json", br#"{"results": []}"#);
    assert_eq!(place.run(&["run", "a.spec.json", "--strict"]).code, 1);
}

#[test]
fn what_suites_and_retries_cost_counts() {
    let suite = json!({"agent": "count", "test_suites": {"s": {"tests": [
        {"id": "A", "multi_step": [{"input": 1}, {"input": 2, "expect": {"status": "ok"}}]}, {"id": "B", "expect": {"status": "ok"}}]}}});
    let place = place("ok ok ok ok", &json!([]));
    place.write("s.tests.json", suite.to_string().as_bytes());
    let results = place.results(&["run", "s.tests.json", "-j", "1", "--max-cost", "0.5"]);
    assert_eq!(each(&results, "status"), ["pass", "error"]);
    assert_eq!(results[0]["cost"], 0.5);

    let mut plain = case("A", &json!(null));
    plain.as_object_mut().unwrap().remove("trials");
    let place = self::place("bad bad ok", &plain);
    let result = one(&place, &["--retries", "5"]);
    assert_eq!((&result["status"], &result["cost"]), (&json!("pass"), &json!(0.75)));
    let place = self::place("bad bad bad ok", &plain);
    assert_eq!(one(&place, &["--retries", "5", "--max-cost", "0.5"])["status"], "fail");
    assert_eq!(place.read("runs").lines().count(), 2);
}

#[test]
fn a_bad_recording_ends_the_trials() {
    let recorded = json!({"id": "R", "type": "agent.response", "file": "r-*.json", "trials": {"pass": "any"},
        "assert": [{"must": [{"status": ["ok"]}]}]});
    let place = Place::with(&[
        ("a.spec.json", &recorded.to_string()),
        ("r-1.json", r#"{"status": "ok"}"#),
        ("r-2.json", "{\"st"),
    ]);
    let result = one(&place, &[]);
    assert_eq!(result["category"], "schema");
    assert_eq!(place.run(&["run", "a.spec.json"]).code, 2);
}

#[test]
fn what_stands_in_a_case_is_judged_once() {
    let written = json!({"id": "W", "type": "agent.response", "response": {}, "trials": {"n": 5}, "assert": [{"must": [{"results_max": [1]}]}]});
    let result = one(&Place::with(&[("a.spec.json", &written.to_string())]), &[]);
    assert!(
        result["message"]
            .as_str()
            .unwrap()
            .contains("needs an agent to run, or a recording per trial, but this case contains its subject"),
        "{result}"
    );
}

#[test]
fn a_case_about_an_agent_that_asserts_nothing_is_too_easy() {
    let empty = json!({"id": "E", "type": "agent.run", "harness": {"entrypoint": "true"}});
    let place = Place::with(&[("a.spec.json", &empty.to_string())]);
    assert_eq!(place.run(&["run", "a.spec.json"]).code, 0);
    let ended = place.run(&["run", "a.spec.json", "--strict"]);
    assert_eq!(ended.code, 1);
    assert!(ended.stdout.contains("E assert: the case asserts nothing"), "{}", ended.stdout);
}
