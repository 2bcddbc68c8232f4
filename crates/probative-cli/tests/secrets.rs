//! Values of variables that are named as secrets are in nothing that is written: no report, no journal, no terminal.
#![cfg(unix)]

mod cases;
mod place;
mod readers;

use std::path::Path;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use cases::shell;
use place::{Ended, Place};
use probative::report::Format;
use serde_json::{Value, json};

/// Of characters that every format escapes, with long parts of those that none does.
const KEY: &str = "Qz7vK2pXw9Hd-Lm4Tb8Rd5JkE\"nV6sYf0GcB<uA1&oñ3rWxZ9pLq";
/// That a case sets for its command.
const CASES_TOKEN: &str = "tR5yU8iO2pA4sD7fG9hJ";
/// That the configuration sets for an agent.
const AGENTS_PASSWORD: &str = "mN3bV6cX1zL8kJ5hG2fD";
/// That the project names.
const DATABASE: &str = "postgres://ann:xC4vB7nM1qW9eR2t@db/x";
/// With lines of their own.
const PEM: &str = "-----BEGIN KEY-----\nMIIEpAIBAAKCAQEA3Tz2mr7SZiAMfQyuvBjM9Oi\nBrZ4LHxkVnMjkTf8dNvWQvHPbkT1nYgR7uEwXcV\nqWtYp0\n-----END KEY-----";

const SECRETS: [&str; 5] = [KEY, CASES_TOKEN, AGENTS_PASSWORD, DATABASE, PEM];

const CONFIG: &str = r#"
[redact]
env = ["DATABASE_URL"]
except = ["PUBLIC_KEY"]
[agents.support]
command = "python3 agent.py"
env = { DB_PASSWORD = "mN3bV6cX1zL8kJ5hG2fD" }
"#;

/// An agent that answers with all it should not.
const AGENT: &str = r#"
import base64, json, os, sys, urllib.parse
key, password = os.environ["API_KEY"], os.environ["DB_PASSWORD"]
print("using", key, "and", password, file=sys.stderr)
steps = [
    {"step_type": "tool_call", "tool_name": "login-" + key, "tool_args": {"auth": "Bearer " + key, key: 1},
     "tool_result": {"url": "https://x/?k=" + urllib.parse.quote(key, safe="")}, "tool_error": None},
    {"step_type": "tool_call", "tool_name": "send", "tool_args": {"basic": base64.b64encode(("user:" + key).encode()).decode()}},
    {"step_type": "state_change", "key": "pem", "old_value": key[:25] + "\n" + key[25:], "new_value": os.environ["SIGNING_KEY"]},
]
response = {"status": "error", "summary": "x" * 80 + key, "results": [{"file": key, "nested": json.dumps({"k": json.dumps(key)})}], "p": password}
print(json.dumps({"response": response, "trajectory": {"steps": steps, "final_output": key + " " + password}}))
"#;

fn asked(id: &str, script: &str) -> Value {
    let mut case = shell(id, script);
    case["assert"] = json!([{"target": "stdout", "must": [{"contain": ["nothing of that"]}]}]);
    case
}

fn agent(id: &str, question: &Value) -> Value {
    json!({"id": id, "type": "agent.run", "input": {"say": KEY}, "harness": {"agent": "support"}, "assert": question})
}

/// Cases that end in every way, with secrets wherever there is room for one.
fn cases_of_all_kinds() -> Vec<Value> {
    let mut set = asked("SET", "echo $CASES_TOKEN; printf 'a%s' $CASES_TOKEN | base64");
    set["harness"]["env"] = json!({"CASES_TOKEN": CASES_TOKEN});
    let mut slow = shell("SLOW", "echo $API_KEY; echo $DATABASE_URL >&2; sleep 60");
    slow["harness"]["timeout_ms"] = 500.into();
    let mut passes = shell("PASSES", "echo \"$API_KEY\"; echo \"$SIGNING_KEY\"");
    passes["assert"] = json!([{"target": "stdout", "must": [{"contain": ["Qz7vK2"]}]}]);
    let mut forbids = shell("FORBIDS", "echo \"$API_KEY\"");
    forbids["assert"] = json!([{"target": "stdout", "cannot": [{"contain": [KEY]}, {"regex": ["xyz"]}]}]);
    let mut equal = shell("EQUAL", "echo a; printf %s \"$API_KEY\"; echo b");
    equal["assert"] = json!([{"target": "stdout", "must": [{"evaluate": [["equals", ["subject"], format!("a\n{}X{}", &KEY[..30], &KEY[30..])]]}]}]);
    let mut trials = agent(
        "TRIALS",
        &json!([{"target": "response", "must": [{"status": ["success"], "field_equals": [{"p": "x"}]}]}]),
    );
    trials["trials"] = json!({"n": 2});
    vec![
        asked("RAW", "echo \"$API_KEY\"; echo \"$SIGNING_KEY\"; echo $DATABASE_URL"),
        asked("LINES", "printf %s \"$API_KEY\" | fold -w 9; printf %s \"$SIGNING_KEY\" | fold -w 11"),
        asked("MANY", "for n in 1 2 3 4 5 6 7 8 9; do echo $n; done; printf %s \"$API_KEY\" | fold -w 4"),
        asked("LONG", "printf 'x%.0s' $(seq 190); echo \"$API_KEY\""),
        asked(
            "BASE64",
            "printf %s \"$API_KEY\" | base64 -w 0; echo; printf 'a%s' \"$API_KEY\" | base64 -w 20; printf 'ab%s' \"$API_KEY\" | base64 | tr '+/' '-_'",
        ),
        shell(
            "STDERR",
            "printf 'y%.0s' $(seq 280) >&2; echo \"$API_KEY\" >&2; echo \"$API_KEY\" >&2; exit 3",
        ),
        set,
        slow,
        passes,
        forbids,
        equal,
        json!({"id": format!("ID-{KEY}"), "title": format!("about {DATABASE}"), "type": "text.file", "path": format!("{}.txt", &CASES_TOKEN),
            "assert": [{"target": "text", "must": [{"contain": [KEY]}]}]}),
        json!({"id": "SKIPPED", "type": "text.file", "requires": {"capabilities": [KEY], "when_missing": "skip"}}),
        json!({"id": "URL", "type": "api.http", "request": {"method": "GET", "url": "http://127.0.0.1:1/?key=Qz7vK2pXw9Hd-Lm4Tb8Rd5JkE%22nV6sYf0GcB%3CuA1%26o%C3%B13rWxZ9pLq",
            "headers": {"Authorization": format!("Bearer {CASES_TOKEN}")}}, "assert": [{"target": "status", "must": [{"contain": ["200"]}]}]}),
        json!({"id": "UNKNOWN", "type": "text.file", "path": "a.txt", "patth": KEY}),
        json!({"id": "WEAK", "type": "text.file", "path": "a.txt", "assert": [{"target": "text", "must": [{"contain": [""]}]}, {"target": "text", "cannot": [{"contain": [KEY]}]}]}),
        agent(
            "SAID",
            &json!([{"target": "response", "must": [{"status": ["success"], "summary_contains": ["tea"], "field_equals": [{"results[0].file": "a"}], "all_match_pattern": [{"path": "results[*].file", "pattern": "^a"}]}]}]),
        ),
        agent(
            "DID",
            &json!([{"target": "trajectory", "must": [{"tool_was_called": ["refund"], "tool_called_with": [{"name": "send", "args": {"basic": "x"}}], "output_equals": ["done"]}]}]),
        ),
        agent("IDLE", &json!([{"target": "trajectory", "must": [{"tool_not_called": [DATABASE]}]}])),
        shell("FLAKY", "test -e tried || { touch tried; echo \"$API_KEY\" >&2; exit 3; }"),
        trials,
    ]
}

fn place(config: &str) -> Place {
    let cases = serde_json::to_string_pretty(&cases_of_all_kinds()).unwrap();
    let run = json!({"steps": [{"step_type": "tool_call", "tool_name": KEY, "tool_args": {"a": [KEY, DATABASE]}, "tool_result": PEM}], "final_output": KEY});
    let test = json!({"id": "T1", "name": CASES_TOKEN, "input": {}, "expect": {"status": "success"}});
    let suite = json!({"agent": "support", "test_suites": {KEY: {"name": DATABASE, "priority": CASES_TOKEN, "tests": [test]}}});
    Place::with(&[
        ("probative.toml", config),
        ("agent.py", AGENT),
        ("a.spec.json", &cases),
        ("a.txt", &format!("a\n{KEY}\n")),
        ("broken.spec.md", &format!("```yaml spec-test\nid: B\ntype: text.file\n{DATABASE}: [\n```\n")),
        ("q.json", &json!({"status": "success", "summary_contains": KEY, "statuss": KEY}).to_string()),
        ("t.json", &json!([{"tool_was_called": "refund"}, {"output_contains": "x"}]).to_string()),
        (
            "r.jsonl",
            &format!(
                "{}\n{}\n{{\"status\": \"{}\n",
                json!({"status": "error", "summary": KEY, KEY: PEM}),
                json!({"status": "success", "summary": KEY}),
                &DATABASE
            ),
        ),
        (&format!("{CASES_TOKEN}.json"), &json!({"status": DATABASE}).to_string()),
        ("run.json", &run.to_string()),
        ("s.tests.json", &suite.to_string()),
    ])
}

fn command(place: &Place, arguments: &[&str]) -> Command {
    let mut command = place.command(arguments);
    command
        .env("API_KEY", KEY)
        .env("DATABASE_URL", DATABASE)
        .env("SIGNING_KEY", PEM)
        .env("PUBLIC_KEY", "a.spec.json");
    command.env("SPEC_RUNNER_ASSERT_HEALTH", "warn");
    command
}

/// Runs it where also what a case sets is set.
fn run(place: &Place, arguments: &[&str]) -> Ended {
    command(place, arguments).env("X_TOKEN", CASES_TOKEN).output().unwrap().into()
}

/// Eight characters in a row of what is secret, or of its Base64, that stand in a text: whatever stands between them, but for
/// what would be letters.
fn leak(text: &str) -> Option<String> {
    let letters = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<Vec<char>>();
    let squeezed: String =
        letters(&text.replace("\\n", " ").replace("%0A", " ").replace("&#10;", " ")).into_iter().collect();
    let aligned = |secret: &str, before: usize| {
        let bytes = [&[0; 2][..before], secret.as_bytes()].concat();
        STANDARD_NO_PAD.encode(&bytes)[(before * 8).div_ceil(6)..bytes.len() * 8 / 6].to_owned()
    };
    let lines = SECRETS
        .iter()
        .flat_map(|secret| secret.lines())
        .filter(|line| !line.starts_with("-----") && line.len() > 8);
    let written =
        lines.flat_map(|line| (0..3).map(move |before| aligned(line, before)).chain([line.to_owned()]));
    let written: Vec<String> = written.collect();
    let pieces = written.iter().flat_map(|written| {
        letters(written).windows(8).map(|piece| piece.iter().collect::<String>()).collect::<Vec<_>>()
    });
    let found = pieces.into_iter().find(|piece| squeezed.contains(piece.as_str()));
    let whole = SECRETS
        .iter()
        .flat_map(|secret| secret.lines())
        .filter(|line| line.len() > 8 && !line.starts_with("-----"));
    found.or_else(|| {
        let mut pieces = whole
            .flat_map(|line| line.as_bytes().windows(6))
            .filter_map(|piece| std::str::from_utf8(piece).ok());
        pieces.find(|piece| text.contains(piece)).map(str::to_owned)
    })
}

#[track_caller]
fn holds_none(what: &str, text: &str) {
    if let Some(piece) = leak(text) {
        panic!("{piece:?} of a secret is in {what}:\n{text}");
    }
}

#[track_caller]
fn says_none(what: &str, ended: &Ended) {
    holds_none(&format!("what {what} prints"), &ended.stdout);
    holds_none(&format!("what {what} complains of"), &ended.stderr);
}

/// Every file below a directory.
fn files(directory: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            all.extend(files(&entry.path()));
        } else {
            all.push((entry.path().display().to_string(), std::fs::read_to_string(entry.path()).unwrap()));
        }
    }
    all
}

/// A report in every format there is, each in its file.
fn reports() -> Vec<String> {
    let reports = Format::ALL.map(|format| format!("--report={0}=out/{0}", format.name()));
    reports.into_iter().collect()
}

fn run_all(place: &Place) -> Ended {
    std::fs::create_dir_all(place.path("out")).unwrap();
    let reports = reports();
    let mut arguments =
        vec!["run", "a.spec.json", "broken.spec.md", "s.tests.json", "--retries=1", "--no-timings"];
    arguments.extend(reports.iter().map(String::as_str));
    arguments.extend(["--report=human", "--journal=out/journal", "--save-baseline=out/baseline"]);
    let mut command = command(place, &arguments);
    command.env("GITHUB_STEP_SUMMARY", place.path("out/summary"));
    command.output().unwrap().into()
}

#[test]
fn no_report_of_a_run_holds_a_secret() {
    let place = place(CONFIG);
    let ended = run_all(&place);
    says_none("run", &ended);
    let written = files(&place.path("out"));
    assert_eq!(written.len(), Format::ALL.len() + 3, "{ended:#?}");
    for (name, text) in written.iter().chain(&files(place.cache())) {
        holds_none(name, text);
    }
    // The verdicts are those of what was there.
    let report: Value = serde_json::from_str(&place.read("out/json")).unwrap();
    let status = |id: &str| {
        let found = report["results"].as_array().unwrap().iter().find(|result| result["id"] == id);
        found.unwrap_or_else(|| panic!("{id} is not in {report:#}"))["status"].as_str().unwrap().to_owned()
    };
    let ends = [
        ("PASSES", "pass"),
        ("FORBIDS", "fail"),
        ("RAW", "fail"),
        ("SLOW", "error"),
        ("SKIPPED", "skip"),
        ("DID", "fail"),
        ("FLAKY", "pass"),
        ("UNKNOWN", "error"),
    ];
    for (id, end) in ends {
        assert_eq!(status(id), end, "{id}");
    }
    assert!(ended.stdout.contains("  │ *****"), "{}", ended.stdout);
    // What is remembered is known again.
    let again = run(&place, &["run", "a.spec.json", "--failed", "--list"]);
    says_none("run --failed --list", &again);
    assert!(again.stdout.contains("ID-****") && !again.stdout.contains("PASSES"), "{again:#?}");
    let compared = run(&place, &["run", "a.spec.json", "--filter=ID-", "--baseline=out/baseline"]);
    says_none("run --baseline", &compared);
    assert!(compared.stdout.contains("no changes since the baseline"), "{compared:#?}");
}

#[test]
fn without_names_every_report_shows_what_these_tests_look_for() {
    let place = place(
        "[redact]\nexcept = [\"*\"]\n[agents.support]\ncommand = \"python3 agent.py\"\nenv = { DB_PASSWORD = \"mN3bV6cX1zL8kJ5hG2fD\" }\n",
    );
    let ended = run_all(&place);
    assert!(leak(&ended.stdout).is_some(), "{ended:#?}");
    for (name, text) in files(&place.path("out")).iter().chain(&files(place.cache())) {
        assert!(leak(text).is_some(), "{name}: {text}");
    }
}

#[test]
fn no_other_command_tells_a_secret() {
    let place = place(CONFIG);
    std::fs::create_dir_all(place.path("out")).unwrap();
    let reports = reports();
    let odd = format!("{CASES_TOKEN}.json");
    for question in ["q.json", "t.json"] {
        let mut arguments = vec![
            "check",
            question,
            "r.jsonl",
            "run.json",
            &odd,
            "absent-tR5yU8iO2pA4sD7fG9hJ",
            "--report=human",
        ];
        arguments.extend(reports.iter().map(String::as_str));
        says_none("check", &run(&place, &arguments));
        for (name, text) in files(&place.path("out")) {
            holds_none(&name, &text);
        }
    }
    for arguments in [
        &[
            "conformance",
            "a.spec.json",
            "--out=out/conformance",
            "--report=human",
            "--filter=/FORBIDS|RAW|ID/",
        ][..],
        &["conformance", "a.spec.json", "--out=-", "--report=json=out/json", "--filter=/FORBIDS|RAW|ID/"],
        &["lint", "a.spec.json", "broken.spec.md"],
        &["show", "run.json", "r.jsonl", &odd],
        &["convert", "run.json"],
        &["convert", "run.json", "run.json"],
        &["run", "a.spec.json", "--list"],
        &["run", DATABASE],
        &["run", "a.spec.json", "--type", DATABASE],
        &["run", "a.spec.json", DATABASE, "--no-such-flag"],
        &["run", &format!("--{CASES_TOKEN}")],
        &["check", "--report", CASES_TOKEN],
        &["explain", CASES_TOKEN],
        &["init", &format!("{CASES_TOKEN}/x")],
    ] {
        let ended = run(&place, arguments);
        assert!(!ended.stdout.is_empty() || !ended.stderr.is_empty());
        says_none(&format!("{arguments:?}"), &ended);
    }
    holds_none("the conformance report", &place.read("out/conformance"));
    let converted = run(&place, &["convert", "run.json"]);
    let read: Value = serde_json::from_str(&converted.stdout).unwrap();
    assert_eq!(read["steps"][0]["tool_name"], "*".repeat(KEY.len()), "{converted:#?}");
    assert_eq!(read["steps"][0]["step_type"], "tool_call");
}

#[test]
fn a_secret_that_is_a_word_of_a_format_breaks_no_report() {
    let place =
        Place::with(&[("a.spec.json", &json!([asked("RAW", "echo status results testcase")]).to_string())]);
    let told = |format: &str| {
        let mut command = place.command(&["run", "a.spec.json", "--no-timings", "--report", format]);
        let words = [
            "status",
            "results",
            "testcase",
            "version",
            "failure",
            "assertions",
            "TAP version 14",
            "severity",
        ];
        for (at, word) in words.iter().enumerate() {
            command.env(format!("WORD_{at}_KEY"), word);
        }
        Ended::from(command.output().unwrap()).stdout
    };
    let report: Value = serde_json::from_str(&told("json")).unwrap();
    assert_eq!(report["results"][0]["status"], "fail");
    assert!(
        report["results"][0]["message"].as_str().unwrap().contains("****** ******* ********"),
        "{report:#}"
    );
    assert_eq!(serde_json::from_str::<Value>(&told("jsonl")).unwrap(), report["results"][0]);
    assert_eq!(readers::junit(&told("junit"))["tests"], "1");
    let lines = readers::tap(&told("tap"));
    let points = lines.as_array().unwrap().iter().filter(|line| line["category"] == "test");
    assert_eq!(points.map(|point| &point["yaml"]["severity"]).collect::<Vec<_>>(), ["fail"]);
}

#[test]
fn what_is_excepted_or_not_named_is_told_and_the_file_is_checked() {
    let place = place(CONFIG);
    let ended = run(&place, &["run", "a.spec.json", "--filter=RAW"]);
    assert!(ended.stdout.contains("a.spec.json"), "{ended:#?}");
    let mut short = command(&place, &["check", "t.json", "run.json"]);
    let ended = Ended::from(short.env("DATABASE_URL", "abc").output().unwrap());
    assert!(ended.stderr.contains("warning: the value of DATABASE_URL has fewer than"), "{ended:#?}");
    place.write("probative.toml", b"[redact]\nenvs = []\n");
    run(&place, &["run", "a.spec.json"]).with(2, &[], &["unknown key 'envs'; did you mean 'env'?"]);
}

/// A place with one case that prints a variable and does not pass.
fn that_prints(variables: &[&str]) -> Place {
    let cases: Vec<Value> =
        variables.iter().map(|name| asked(&format!("SAYS-{name}"), &format!("echo got ${name}"))).collect();
    Place::with(&[("a.spec.json", &serde_json::to_string(&cases).unwrap())])
}

fn notes(ended: &Ended) -> Vec<&str> {
    ended.stderr.lines().filter(|line| line.starts_with("note: ")).collect()
}

#[test]
fn a_note_names_the_variables_whose_values_were_hidden() {
    let names = ["A_KEY", "B_KEY", "C_KEY", "D_KEY", "E_KEY", "F_KEY", "G_TOKEN"];
    let place = that_prints(&names);
    let run = |arguments: &[&str], shown: usize| {
        let mut command = place.command(&[&["run", "a.spec.json"], arguments].concat());
        command.env("UNUSED_KEY", "never-shown-anywhere");
        for name in &names[..shown] {
            command.env(name, format!("value-of-{name}"));
        }
        Ended::from(command.output().unwrap())
    };
    let note = |told: &str| format!("note: {told} hidden (*); see `probative explain secrets`");
    for (shown, told) in [
        (1, "the value of A_KEY is"),
        (2, "the values of A_KEY and B_KEY are"),
        (5, "the values of A_KEY, B_KEY, C_KEY, D_KEY and E_KEY are"),
        (7, "the values of A_KEY, B_KEY, C_KEY, D_KEY, E_KEY and 2 more are"),
    ] {
        for jobs in ["-j1", "-j4"] {
            let ended = run(&[jobs], shown);
            assert_eq!(notes(&ended), [note(told)], "{ended:#?}");
        }
    }
    // Where nothing is told of a value, nothing was hidden.
    let ended = run(&["--filter=SAYS-A", "--report=junit"], 1);
    assert_eq!(notes(&ended), [note("the value of A_KEY is")], "{ended:#?}");
    assert!(!ended.stdout.contains("note: "), "{ended:#?}");
    for ended in [run(&[], 0), run(&["--filter=SAYS-B"], 1), run(&["--list"], 2)] {
        assert!(notes(&ended).is_empty(), "{ended:#?}");
    }
    place.write("probative.toml", b"[redact]\nexcept = [\"A_KEY\"]\n");
    let ended = run(&["--filter=SAYS-A"], 1);
    assert!(notes(&ended).is_empty() && ended.stdout.contains("got value-of-A_KEY"), "{ended:#?}");
}

#[test]
fn every_command_that_hides_something_notes_it() {
    let place = place(CONFIG);
    for arguments in [
        &["check", "q.json", "r.jsonl"][..],
        &["show", "run.json"],
        &["convert", "run.json"],
        &["lint", "a.spec.json"],
        &["run", &format!("--{KEY}")],
    ] {
        let ended = run(&place, arguments);
        let [note] = notes(&ended)[..] else { panic!("{arguments:?}: {ended:#?}") };
        assert!(note.contains("API_KEY"), "{note}");
    }
    let ended = run(&place, &["explain", "redact"]);
    ended.with(0, &["*_KEY", "except", "standard error"], &[]);
    assert!(notes(&ended).is_empty(), "{ended:#?}");
}

#[test]
fn what_a_malformed_case_or_file_sets_is_hidden_where_it_is_shown() {
    const TOKEN: &str = "tok-in-the-case-77";
    let case = |harness: &str| format!("```yaml spec-test\nid: A\ntype: cli.run\nharness: {harness}\n```\n");
    let stars = "*".repeat(TOKEN.len());
    for harness in [
        "{entrypoint: echo, env: {MY_TOKEN: tok-in-the-case-77}, bogus: 1}",
        "{entrypoint: echo, env: {MY_TOKEN: [tok-in-the-case-77]}}",
        "{entrypoint: echo, env: {MY_TOKEN: tok-in-the-case-77}",
        "{entrypoint: [, env: {MY_TOKEN: \"tok-in-the-case-77\"}, bogus: 1}",
        "\n  env:\n    MY_TOKEN: [tok-in-the-case-77]",
        "\n  env:\n    MY_TOKEN: tok-in-the-case-77: [",
    ] {
        let place = Place::with(&[("a.spec.md", &case(harness))]);
        for command in ["run", "lint"] {
            let ended = place.run(&[command, "a.spec.md"]);
            let told = format!("{}{}", ended.stdout, ended.stderr);
            assert_eq!(ended.code, 2, "{harness}: {ended:#?}");
            assert!(told.contains(&stars) && !told.contains("the-case"), "{harness}: {ended:#?}");
        }
    }
    // What is set beside what is wrong, and not shown, is not noted.
    let beside = case("\n  bogus: 1\n  env:\n    MY_TOKEN: tok-in-the-case-77");
    let ended = Place::with(&[("a.spec.md", &beside)]).run(&["run", "a.spec.md"]);
    assert!(ended.stdout.contains("bogus: 1") && notes(&ended).is_empty(), "{ended:#?}");
    let agents = "[agents.a]\ncommand = \"x\"\n";
    for toml in [
        format!("{agents}env = {{ MY_TOKEN = \"{TOKEN}\" }}, 1\n"),
        format!("{agents}env.MY_TOKEN = \"{TOKEN}\n"),
        format!("jbos = {{ env = {{ MY_TOKEN = \"{TOKEN}\" }} }}\n"),
        format!("[redact]\nenv = [\"a b {TOKEN}\"]\n"),
        format!("[redact]\nenv = [\"MY_TOKEN={TOKEN}\"]\n"),
    ] {
        let place = Place::with(&[
            ("probative.toml", &toml),
            ("a.spec.md", &case("{agent: a}").replace("cli.run", "agent.run")),
        ]);
        let ended = place.run(&["run", "a.spec.md"]);
        let told = format!("{}{}", ended.stdout, ended.stderr);
        assert_eq!(ended.code, 2, "{toml}: {ended:#?}");
        assert!(told.contains(&stars) && !told.contains("the-case"), "{toml}: {ended:#?}");
    }
}

#[test]
fn cases_that_differ_only_in_secrets_are_warned_of() {
    let case = |id: &str| json!({"id": id, "type": "text.file"});
    let cases = json!([case("ID-first-secret"), case("ID-other-secret"), case("PLAIN")]).to_string();
    let place = Place::with(&[("a.spec.json", &cases)]);
    let run = |arguments: &[&str]| {
        let mut command =
            place.command(&[&["run", "a.spec.json", "--save-baseline=b.json"], arguments].concat());
        command.env("A_KEY", "first-secret").env("B_KEY", "other-secret");
        Ended::from(command.output().unwrap())
    };
    let told = "WARN: 2 cases have the id 'ID-************' once secrets are hidden, so --baseline and --failed cannot tell them";
    run(&[]).with(0, &[], &[told]);
    for one in ["--filter=ID-first", "--filter=PLAIN"] {
        let ended = run(&[one]);
        assert!(!ended.stderr.contains("WARN"), "{ended:#?}");
    }
}

#[test]
fn the_password_in_a_url_is_hidden_alone() {
    let place = that_prints(&["PASSED"]);
    place.write("probative.toml", b"[redact]\nenv = [\"DATABASE_URL\"]\n");
    let mut command = place.command(&["run", "a.spec.json"]);
    command.env("DATABASE_URL", "postgres://bob:hunter22@db/prod").env("PASSED", "bob with hunter22");
    let ended = Ended::from(command.output().unwrap());
    assert!(
        ended.stdout.contains("got bob with ********") && !ended.stdout.contains("hunter22"),
        "{ended:#?}"
    );
}

#[test]
fn names_that_hide_nothing_are_refused_or_warned_of() {
    let place = that_prints(&["HOME"]);
    for name in ["", "A=B", "$API_KEY"] {
        place.write("probative.toml", format!("[redact]\nenv = [\"{name}\"]\n").as_bytes());
        let told = "redact.env: expected the name of a variable, without `$` or a value";
        run(&place, &["run", "a.spec.json"]).with(2, &[], &[told, "probative.toml:2:8"]);
    }
    place.write("probative.toml", b"[redact]\nenv = [\"database_url\"]\n");
    run(&place, &["run", "a.spec.json"]).with(
        1,
        &[],
        &["warning: [redact] names database_url, which isn't set; DATABASE_URL is set but not hidden"],
    );
}
