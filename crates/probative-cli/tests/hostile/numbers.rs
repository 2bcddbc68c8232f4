//! Numbers that no machine holds: exact, rounded as documented, or refused with their place.

use serde_json::json;

use crate::guard::{is_error, of, passed, results, run};
use crate::place::Place;
use crate::tables::{VOCABULARIES, around};

const FORTY_DIGITS: &str = "1234567890123456789012345678901234567890";

/// What JSON has, and a program can hold, if not exactly.
const HELD: [&str; 9] = [
    "-0",
    "-0.0",
    "1e-400",
    "0e999999999",
    "1e308",
    "18446744073709551615",
    "-9223372036854775808",
    FORTY_DIGITS,
    "0.30000000000000004",
];

/// What is no JSON, or beyond the doubles.
const REFUSED: [&str; 12] = [
    "1e400",
    "-1e400",
    "1e999999999",
    "NaN",
    "Infinity",
    "-Infinity",
    "0x10",
    "1_000",
    "01",
    "+1",
    ".5",
    "1.",
];

#[test]
fn in_subjects_of_every_vocabulary() {
    for (at, (question, good)) in VOCABULARIES.into_iter().enumerate() {
        let place = Place::with(&[("q.yaml", question)]);
        let lines: Vec<String> =
            HELD.iter().chain(&REFUSED).map(|number| around(number)[at].clone()).collect();
        place.write("r.jsonl", format!("{}\n{good}\n", lines.join("\n")).as_bytes());
        let results = results(&place, &["check", "q.yaml", "r.jsonl"]);
        assert_eq!(results.len(), lines.len() + 1);
        for (number, line) in HELD.iter().chain(&REFUSED).zip(1..) {
            let id = format!("r.jsonl:{line}");
            if HELD.contains(number) {
                passed(&results, &id);
            } else {
                is_error(&results, &id, &format!("r.jsonl:{line}:"));
            }
        }
        passed(&results, &format!("r.jsonl:{}", lines.len() + 1));
    }
}

#[test]
fn where_they_are_counted_or_compared() {
    let place = Place::with(&[("q.json", r#"{"field_equals": {"path": "n", "value": 0.3}}"#)]);
    let questions = [
        (r#"{"value_in_range": {"path": "n", "min": 0, "max": 1e308}}"#, "1e-400", 0),
        (r#"{"results_max": 1e400}"#, "1", 2),
        (r#"{"results_max": -1}"#, "1", 2),
        (r#"{"results_max": 1e30}"#, "1", 2),
        (r#"{"results_max": 1234567890123456789012345678901234567890}"#, "1", 2),
        (r#"{"results_max": NaN}"#, "1", 2),
        (r#"{"results_max": 0.5}"#, "1", 2),
    ];
    for (question, number, code) in questions {
        place.write("q.json", question.as_bytes());
        place.write("r.json", format!(r#"{{"n": {number}, "results": []}}"#).as_bytes());
        let ended = run(&place, &["check", "q.json", "r.json"]);
        let known = !ended.stderr.contains("unknown assertion");
        assert!(ended.code == code || !known, "{question}: {ended:#?}");
        assert!(code == 0 || ended.stderr.contains("q.json:1:"), "{question}: {ended:#?}");
    }
    // In YAML such words are numbers, and no count is one of them.
    for word in [".inf", "-.inf", ".nan", "1_000", "0x10", "0o17", "1e400", FORTY_DIGITS, "~", "1e999999999"]
    {
        place.write("q.yaml", format!("results_max: {word}\n").as_bytes());
        let ended = run(&place, &["check", "q.yaml", "r.json"]);
        assert!(matches!(ended.code, 0 | 2), "{word}: {ended:#?}");
        assert!(ended.code == 0 || ended.stderr.contains("q.yaml:1:"), "{word}: {ended:#?}");
    }
}

#[test]
fn in_counts_of_runs_and_reports() {
    let run = |count: &str| {
        format!(
            r#"{{"steps": [{{"step_type": "llm_call", "prompt_tokens": {count}, "completion_tokens": {count}}}], "total_tokens": {count}, "duration_seconds": {count}, "total_cost": {count}}}"#
        )
    };
    let lines: Vec<String> =
        HELD.iter().chain(&["1e400", "-1", "1.5", "18446744073709551616"]).map(|count| run(count)).collect();
    let place = Place::with(&[
        ("q.json", &json!([{"llm_calls_under": 10}]).to_string()),
        ("r.jsonl", &(lines.join("\n") + "\n" + VOCABULARIES[1].1 + "\n")),
    ]);
    let results = results(&place, &["check", "q.json", "r.jsonl"]);
    assert_eq!(results.len(), lines.len() + 1);
    for (result, line) in results.iter().zip(1..) {
        let told = result["message"].as_str().unwrap_or_default();
        let ok = result["status"] == "pass" || told.starts_with(&format!("r.jsonl:{line}:"));
        assert!(ok, "{result:#}");
    }
    assert_eq!(of(&results, &format!("r.jsonl:{}", lines.len() + 1))["status"], "pass");
    crate::guard::run(&place, &["show", "r.jsonl"]);
    crate::guard::run(&place, &["convert", "r.jsonl"]);
}

#[test]
fn in_expressions() {
    let expressions = [
        (json!(["eq", ["add", 0.1, 0.2], 0.3]), "fail"),
        (json!(["eq", ["mul", 1e308, 10], 1]), "any"),
        (json!(["eq", ["div", 1, 0], 1]), "any"),
        (json!(["eq", ["add", i64::MAX, 1], 0]), "any"),
        (json!(["eq", ["sub", i64::MIN, 1], 0]), "any"),
        (json!(["eq", ["mod", i64::MIN, -1], 0]), "any"),
        (json!(["eq", ["div", i64::MIN, -1], 0]), "any"),
        (json!(["eq", -0.0, 0]), "pass"),
        (json!(["eq", ["json_parse", "1e400"], 0]), "any"),
        (json!(["eq", ["range", 0, 1e18], 0]), "any"),
    ];
    let cases: Vec<_> = (0..)
        .zip(&expressions)
        .map(|(at, (expression, _))| {
            json!({"id": format!("N-{at}"), "type": "text.file", "assert": [{"target": "text", "must": [{"evaluate": [expression]}]}]})
        })
        .collect();
    let place = Place::with(&[("a.spec.json", &json!(cases).to_string())]);
    let results = results(&place, &["run", "a.spec.json"]);
    for ((expression, ends), at) in expressions.iter().zip(0..) {
        let result = of(&results, &format!("N-{at}"));
        let is_so = *ends == "any" || result["status"] == *ends;
        assert!(is_so, "{expression}: {result:#}");
    }
}
