//! Numbers that no machine holds: exact, rounded as documented, or refused with their place.

use serde_json::json;

use crate::guard::{is_error, of, passed, results, run, tells_of};
use crate::place::Place;
use crate::tables::{VOCABULARIES, around, formats, traces};

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
    let place = Place::with(&[("r.json", r#"{"n": [0], "results": []}"#)]);
    for number in ["1e-400", "-0", "-0.0", "0e999999999"] {
        place.write("q.json", br#"{"all_in_range": {"path": "n[*]", "min": 0, "max": 0}}"#);
        place.write("n.json", format!(r#"{{"n": [{number}]}}"#).as_bytes());
        run(&place, &["check", "q.json", "n.json"]).with(0, &["1 passed"], &[]);
    }
    let no_count = "expected a non-negative integer, found";
    let counts = [
        ("0", None),
        ("-0", None),
        ("18446744073709551615", None),
        ("1e400", Some("number out of range")),
        ("-1", Some(no_count)),
        ("0.5", Some(no_count)),
        ("1e30", Some(no_count)),
        ("18446744073709551616", Some(no_count)),
        (FORTY_DIGITS, Some(no_count)),
        ("NaN", Some("expected value")),
    ];
    let no_number = "isn't a number that JSON can represent";
    // In YAML such words are numbers, and no count is one of them.
    let words = [
        (".inf", Some(no_number)),
        ("-.inf", Some(no_number)),
        (".nan", Some(no_number)),
        ("1e400", Some(no_number)),
        ("1e999999999", Some(no_number)),
        ("1_000", Some(no_count)),
        (FORTY_DIGITS, Some(no_count)),
        ("~", Some(no_count)),
        ("0x10", None),
        ("0o17", None),
    ];
    for (name, written) in [("q.json", &counts), ("q.yaml", &words)] {
        for (word, refusal) in written {
            place.write(name, format!("{{\"results_max\": {word}}}\n").as_bytes());
            let ended = run(&place, &["check", name, "r.json"]);
            match refusal {
                None => ended.with(0, &["1 passed"], &[]),
                Some(message) => ended.with(2, &[], &[message, &format!("{name}:1:17")]),
            }
        }
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
        // Doubles that are whole numbers, beside the counts themselves; what is too small to be told from 0 is 0.
        if [1, 2, 3, 4, 6, lines.len() + 1].contains(&line) {
            assert_eq!(result["status"], "pass", "{result:#}");
        } else {
            let refusal = if line == HELD.len() + 1 {
                "number out of range"
            } else {
                "steps[0].prompt_tokens: expected a non-negative integer"
            };
            let told = result["message"].as_str().unwrap();
            assert!(told.starts_with(&format!("r.jsonl:{line}:")) && told.contains(refusal), "{result:#}");
        }
    }
    crate::guard::run(&place, &["show", "r.jsonl"]);
    crate::guard::run(&place, &["convert", "r.jsonl"]);
}

#[test]
fn in_expressions() {
    let expressions = [
        (json!(["eq", ["add", 0.1, 0.2], 0.3]), "fail", "is 0.30000000000000004"),
        (json!(["eq", ["add", 1e308, 1e308], 1]), "error", "add of 1e308 and 1e308 overflows a double"),
        (json!(["eq", ["sub", -1e308, 1e308], 1]), "error", "sub of -1e308 and 1e308 overflows a double"),
        (json!(["eq", ["add", i64::MAX, 1], 1_u64 << 63]), "pass", ""),
        (
            json!(["eq", ["add", u64::MAX, 1], 0]),
            "error",
            "add of 18446744073709551615 and 1 overflows 64 bits",
        ),
        (
            json!(["eq", ["sub", i64::MIN, 1], 0]),
            "error",
            "sub of -9223372036854775808 and 1 overflows 64 bits",
        ),
        (json!(["eq", -0.0, 0]), "pass", ""),
        (json!(["eq", ["json_parse", "1e-400"], 0]), "pass", ""),
        (json!(["eq", ["json_parse", "1e400"], 0]), "error", "number out of range"),
        (json!(["eq", ["json_parse", FORTY_DIGITS], 1.234_567_890_123_456_8e39]), "pass", ""),
    ];
    let cases: Vec<_> = (0..)
        .zip(&expressions)
        .map(|(at, (expression, ..))| {
            json!({"id": format!("N-{at}"), "type": "text.file", "assert": [{"target": "text", "must": [{"evaluate": [expression]}]}]})
        })
        .collect();
    let place = Place::with(&[("a.spec.json", &json!(cases).to_string())]);
    let results = results(&place, &["run", "a.spec.json"]);
    for ((expression, ends, message), at) in expressions.iter().zip(0..) {
        let result = of(&results, &format!("N-{at}"));
        let told = result["message"].as_str().unwrap_or_default();
        assert!(result["status"] == *ends && told.contains(message), "{expression}: {result:#}");
    }
}

#[test]
fn in_traces_of_every_format() {
    let held = ["1", FORTY_DIGITS, "1e-400", "-0.0", "1e308", "NaN", "-Infinity"];
    let refused = ["1e400", "-1e400"];
    for format in formats() {
        let file = traces(format).swap_remove(0);
        let sound = std::fs::read_to_string(&file).unwrap();
        let name = |at: usize| format!("t-{at}.{}", file.extension().unwrap().to_str().unwrap());
        let place = Place::with(&[("q.yaml", "tool_not_called: nothing-calls-this\n")]);
        for (at, number) in held.iter().chain(&refused).enumerate() {
            let odd = sound.replacen('{', &format!("{{\"odd\": {number}, "), 1);
            place.write(&name(at), odd.as_bytes());
        }
        let names: Vec<String> = (0..held.len() + refused.len()).map(name).collect();
        let arguments = ["check", "q.yaml", "--trace-format", format.name()];
        let told = results(
            &place,
            &arguments.into_iter().chain(names.iter().map(String::as_str)).collect::<Vec<_>>(),
        );
        // As if each were the first of them.
        let judged = |at: usize| -> Vec<String> {
            let of_file = told.iter().map(ToString::to_string).filter(|result| result.contains(&name(at)));
            of_file.map(|result| result.replace(&name(at), &name(0))).collect()
        };
        for (at, number) in held.iter().enumerate() {
            assert!(
                !judged(0).is_empty() && judged(at) == judged(0),
                "{format}: {number}: {:#?}",
                judged(at)
            );
        }
        let line = 1 + sound[..sound.find('{').unwrap()].matches('\n').count();
        for at in held.len()..names.len() {
            assert!(told.iter().any(|result| tells_of(result, &name(at), line)), "{format}: {told:#?}");
            assert_ne!(judged(at), judged(0), "{format}");
        }
    }
}
