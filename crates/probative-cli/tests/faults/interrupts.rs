//! Interrupts are answered while the judge is at work.

use std::io::Write as _;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::cases::{exit_code, shell, signal, written};
use super::place::Place;

/// Starts the binary, which hears of interrupts even if these tests do not.
fn start(place: &Place, arguments: &[&str]) -> Child {
    let prepared = place.command(arguments);
    let mut command = Command::new("env");
    command.arg("--default-signal=INT,TERM").arg(prepared.get_program()).args(prepared.get_args());
    for (name, value) in prepared.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.current_dir(place.path(".")).stdin(Stdio::piped()).stdout(Stdio::null());
    command.stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn check_is_interrupted_while_it_searches_for_patterns() {
    // Each of these takes about as long as one search may.
    let text = "a".repeat(200);
    let texts: Vec<&str> = (0..1000).map(|_| text.as_str()).collect();
    let question = json!({"all_match_pattern": {"path": "t[*]", "regex": "(?:(?:(?:a?){50}){50}){50}b"}});
    let place = Place::with(&[("q.json", &question.to_string())]);
    let mut child = start(&place, &["check", "q.json", "-"]);
    // When all of it is taken, nothing is left to do but to judge it.
    let response = json!({"t": texts}).to_string();
    child.stdin.take().unwrap().write_all(response.as_bytes()).unwrap();
    signal("INT", child.id());
    assert_eq!(exit_code(&mut child), Some(130));
}

#[test]
fn check_is_interrupted_while_it_selects_by_paths() {
    let numbers: Vec<usize> = (0..2500).collect();
    // About as many visits as there may be, again and again.
    let question = json!({"has_fields": vec!["$.a[?count($.a[*]) > 5]"; 2000]});
    let place = Place::with(&[("q.json", &question.to_string())]);
    let mut child = start(&place, &["check", "q.json", "-"]);
    let padding = " ".repeat(1 << 20);
    let response = json!({"a": numbers}).to_string() + &padding;
    child.stdin.take().unwrap().write_all(response.as_bytes()).unwrap();
    signal("INT", child.id());
    assert_eq!(exit_code(&mut child), Some(130));
}

#[test]
fn run_is_interrupted_while_it_searches_for_patterns() {
    let searched = |at: usize| {
        let matched = json!(["regex_match", ["subject"], "(?:(?:(?:a?){50}){50}){50}b"]);
        let assert = json!([{"target": "text", "must": [{"evaluate": [matched]}]}]);
        json!({"id": format!("A-{at}"), "type": "text.file", "path": "t.txt", "assert": assert})
    };
    let cases: Vec<Value> =
        std::iter::once(shell("READY", "echo > ready")).chain((0..20).map(searched)).collect();
    let place = Place::with(&[("a.spec.json", &json!(cases).to_string()), ("t.txt", &"a".repeat(200))]);
    let mut child = start(&place, &["run", "a.spec.json", "-j", "1"]);
    written(&place.path("ready"));
    signal("INT", child.id());
    assert_eq!(exit_code(&mut child), Some(130));
}
