//! The JSON Schemas against everything that there is, held to them by a validator that knows nothing of this program.
//!
//! What the parser accepts every schema must accept. What it refuses a schema cannot always see, but often: counts and
//! slips of the pen, one by one, keep it from accepting everything.

#[path = "schema/gathered.rs"]
mod gathered;
#[path = "schema/mutated.rs"]
mod mutated;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};

use gathered::{Gathered, WHATS, is_accepted, root, schema};
use mutated::Mutations;
use serde_json::{Value, json};

/// What the validator says of each document: nothing, if it is valid.
fn validated(schemas: &BTreeMap<String, Value>, documents: &[(&str, &Value)]) -> Vec<Option<String>> {
    let python = root().join("target/python-tools/bin/python");
    assert!(python.exists(), "{} is not there: run scripts/tools", python.display());
    let documents: Vec<Value> =
        documents.iter().map(|(schema, value)| json!({"schema": schema, "value": value})).collect();
    let asked = json!({"schemas": schemas, "documents": documents}).to_string();
    let mut validator = Command::new(python)
        .arg(root().join("crates/probative-cli/tests/schema/validate.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    validator.stdin.take().unwrap().write_all(asked.as_bytes()).unwrap();
    let ended = validator.wait_with_output().unwrap();
    assert!(ended.status.success(), "the validator gave up");
    serde_json::from_slice(&ended.stdout).unwrap()
}

fn schemas() -> BTreeMap<String, Value> {
    let mut schemas: BTreeMap<String, Value> =
        WHATS.iter().map(|what| ((*what).to_owned(), schema(what))).collect();
    let results = &schemas["results"];
    let line = json!({"$ref": "#/$defs/result", "$defs": results["$defs"]});
    schemas.insert("a line of results".to_owned(), line);
    schemas
}

/// How many documents there are at least that a schema must accept, so that none is left out unnoticed.
const FEWEST: [(&str, usize); 9] = [
    ("expect", 800),
    ("trajectory", 1200),
    ("report", 1100),
    ("spec", 550),
    ("suite", 2),
    ("run", 1500),
    ("results", 8),
    ("a line of results", 50),
    ("config", 5),
];

/// What is refused whatever else is so, by schema.
fn slips() -> Vec<(&'static str, Value)> {
    let case = |more: Value| {
        let mut case = json!({"id": "X", "type": "cli.run"});
        case.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        case
    };
    let asks = |kind: &str, assert: Value| json!({"id": "X", "type": kind, "assert": assert});
    vec![
        ("expect", json!({"statu": "success"})),
        ("expect", json!({"results_min": "1"})),
        ("expect", json!({"must": [{"status": "success"}]})),
        ("trajectory", json!({"tool_was_caled": "search"})),
        ("trajectory", json!({"tool_was_called": {"nam": "search"}})),
        ("trajectory", json!([{"succeeded": true, "failed": true}])),
        ("report", json!({"include_item_with_kinds": "Message"})),
        ("report", json!({"include_item_matching": ["no_such_symbol"]})),
        ("report", json!({"include_item_matching": ["eq", 1]})),
        ("spec", json!({"id": "X"})),
        ("spec", json!([])),
        ("spec", case(json!({"type": "cli.rum"}))),
        ("spec", json!({"id": "X", "type": "api.http", "request": {"method": "GET"}})),
        ("spec", case(json!({"argvs": []}))),
        ("spec", case(json!({"stdin_text": "x"}))),
        ("spec", case(json!({"exit_code": "0"}))),
        ("spec", case(json!({"harness": {"timeout": 1}}))),
        ("spec", case(json!({"harness": {"timeout_ms": 0}}))),
        ("spec", case(json!({"trials": {"n": 0}}))),
        ("spec", case(json!({"trials": {"pass": "most"}}))),
        ("spec", case(json!({"assert_health": {"mode": "loud"}}))),
        ("spec", case(json!({"expect": {"portable": {"status": "passes"}}}))),
        ("spec", asks("cli.run", json!([{"must": [{"contain": ["x"]}]}]))),
        ("spec", asks("cli.run", json!([{"target": "stdin", "must": [{"contain": ["x"]}]}]))),
        ("spec", asks("cli.run", json!([{"target": "stdout", "must": [{"contains": ["x"]}]}]))),
        ("spec", asks("cli.run", json!([{"target": "stdout", "must": [{"contain": "x"}]}]))),
        ("spec", asks("cli.run", json!([{"target": "stdout", "must": []}]))),
        ("spec", asks("cli.run", json!([{"target": "stdout", "must": [{"contain": ["x"]}], "can": []}]))),
        ("spec", asks("cli.run", json!([{"target": "stdout_path", "must": [{"contain": ["x"]}]}]))),
        ("spec", asks("cli.run", json!({"target": "stdout", "must": [{"evaluate": [["eq", 1]]}]}))),
        ("spec", asks("agent.response", json!([{"must": [{"succeeded": [true]}]}]))),
        ("spec", asks("agent.run", json!([{"target": "response", "must": [{"succeeded": [true]}]}]))),
        ("spec", json!({"id": "X", "type": "agent.response", "trajectory": {"steps": []}})),
        ("spec", json!({"id": "X", "type": "agent.run", "trajectory": {"steps": [{"step_type": "tool"}]}})),
        ("spec", json!({"id": "X", "type": "agent.run", "claims": [{"when": {"path": "a"}}]})),
        (
            "spec",
            json!({"id": "X", "type": "agent.run", "claims": [
                {"when": {"pth": "a"}, "then": {"target": "response", "must": [{"status": ["x"]}]}},
            ]}),
        ),
        (
            "spec",
            json!({"id": "X", "type": "agent.run", "claims": [
                {"when": {"path": "a"}, "then": {"target": "response", "must": [{"statu": ["$value"]}]}},
            ]}),
        ),
        ("suite", json!({"test_suites": {"a": {"tests": [{"id": "X", "expects": {}}]}}})),
        ("suite", json!({"test_suites": {"a": {"tests": [{"id": "X", "expect": {"statu": 1}}]}}})),
        ("suite", json!({"test_suites": {"a": {"tests": [{"id": "X", "expect": {}, "multi_step": [{}]}]}}})),
        ("suite", json!({"suites": {}})),
        ("run", json!({})),
        ("run", json!({"steps": [{"step_type": "tool_call"}]})),
        ("run", json!({"steps": [{"step_type": "thought"}]})),
        ("run", json!({"steps": [], "total_cost": -1})),
        ("run", json!({"steps": [], "unknown": ["cost"]})),
        ("results", json!({"version": 2, "summary": {}, "results": []})),
        ("results", json!({"version": 1, "results": []})),
        ("a line of results", json!({"id": "X", "status": "passed"})),
        ("config", json!({"agent": {}})),
        ("config", json!({"agents": {"a": {}}})),
        ("config", json!({"agents": {"a": {"command": "a", "url": "b"}}})),
        ("config", json!({"agents": {"a": {"comand": "a"}}})),
        ("config", json!({"recursive": "yes"})),
    ]
}

/// Of all documents with one part changed, every so many are tried: there are half a million. A prime, so that all kinds of
/// changes are among them.
const EVERY: usize = 53;

#[test]
fn what_the_parser_accepts_no_schema_refuses() {
    let (mut accepted, mut tried) = (Vec::new(), 0);
    for document in &Gathered::written().documents {
        let mutations = Mutations::of(&document.value);
        // Which ones are tried depends on the document alone, so that a new one changes nothing for the others.
        let first = document.name.bytes().map(usize::from).sum::<usize>() % EVERY;
        for at in (first..mutations.len()).step_by(EVERY) {
            tried += 1;
            let mutation = mutations.get(at);
            if is_accepted(document.what, &mutation) {
                accepted.push((document.what, mutation));
            }
        }
    }
    let documents: Vec<(&str, &Value)> = accepted.iter().map(|(what, value)| (*what, value)).collect();
    let told = validated(&schemas(), &documents);
    let refused = documents
        .iter()
        .zip(&told)
        .filter_map(|((what, value), told)| Some(format!("'{what}' refuses {value}: {}", told.as_ref()?)));
    let refused: Vec<String> = refused.collect();
    assert!(refused.is_empty(), "{} of {tried}:\n{}", refused.len(), refused.join("\n"));
    assert!(accepted.len() > 1500, "of {tried} only {} are accepted by the parser", accepted.len());
}

/// The page about editors names every schema, and no other.
#[test]
fn the_page_about_editors_names_every_schema() {
    let page = std::fs::read_to_string(root().join("docs/how-to/editors.md")).unwrap();
    for what in WHATS {
        assert!(page.contains(&format!("`{what}`")), "docs/how-to/editors.md does not name {what}");
        let schema = schema(what);
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert!(schema["title"].is_string() && schema.get("$id").is_none(), "{what}");
    }
    let asked = page.split("probative schema ").skip(1).filter_map(|rest| rest.split([' ', '`']).next());
    for what in asked.filter(|what| !["WHAT", "$what"].contains(what)) {
        assert!(WHATS.contains(&what), "docs/how-to/editors.md asks for {what}");
    }
}

#[test]
fn everything_that_is_written_is_held_to_its_schema() {
    let Gathered { documents, .. } = Gathered::everything();
    let slips = slips();
    let asked: Vec<(&str, &Value)> = documents
        .iter()
        .map(|document| (document.what, &document.value))
        .chain(slips.iter().map(|(what, value)| (*what, value)))
        .collect();
    let told = validated(&schemas(), &asked);
    let mut wrong = Vec::new();
    let mut accepted: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut malformed, mut unseen) = (0, 0);
    for (document, told) in documents.iter().zip(&told) {
        match (document.is_right, told) {
            (true, None) => *accepted.entry(document.what).or_default() += 1,
            (true, Some(error)) => {
                wrong.push(format!("{} is refused by '{}': {error}", document.name, document.what));
            }
            (false, told) => {
                malformed += 1;
                unseen += usize::from(told.is_none());
            }
        }
    }
    for ((what, value), told) in slips.iter().zip(&told[documents.len()..]) {
        if told.is_none() {
            wrong.push(format!("'{what}' accepts {value}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    for (what, fewest) in FEWEST {
        assert!(accepted[what] >= fewest, "'{what}' was asked of too few: {accepted:?}");
    }
    assert!(
        malformed > 900 && unseen * 5 < malformed,
        "of {malformed} malformed ones {unseen} were not seen"
    );
}
