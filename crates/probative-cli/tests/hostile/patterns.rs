//! Patterns that never end: given up after a number of steps, refused when they are compiled, or run in linear time.

use std::time::Instant;

use serde_json::json;

use crate::cases::{PASSES, fence};
use crate::guard::{of, passed, results_within, run, run_within};
use crate::place::Place;

/// MiB for compiling what is almost too large.
const FOR_PATTERNS: u64 = 1024;

/// Each with what becomes of it on a long text of one letter: `None` where it is refused before.
fn patterns() -> Vec<(String, Option<&'static str>)> {
    let deep = 100_000;
    let shapes = [
        // The engine that never goes back.
        ("(a+)+$".to_owned(), Some("fail")),
        ("(a|a)*c".to_owned(), Some("fail")),
        ("(.*)*c".to_owned(), Some("fail")),
        (".*".repeat(100) + "c", Some("fail")),
        // The engine that does.
        (r"(a+)+\1c$".to_owned(), Some("error")),
        ("(a+)+(?<!x)c$".to_owned(), Some("error")),
        (r"(?=(a+)+\1c)".to_owned(), Some("error")),
        (r"(a*)*\1c".to_owned(), Some("error")),
        // What is too much for both.
        ("a{1000000}".to_owned(), None),
        ("((a{1000}){1000}){1000}".to_owned(), None),
        ("(?<=a{1000000})b".to_owned(), None),
        ("(".repeat(deep), None),
        ("(".repeat(deep) + &")".repeat(deep), None),
        ("[".repeat(deep), None),
        ("a".to_owned() + &"*".repeat(deep), None),
        ("a|".repeat(deep), None),
        (r"\1".repeat(deep), None),
        ("(?P<a>a)".repeat(deep), None),
        ("(?:".repeat(deep), None),
        ("(?i)".to_owned() + &r"\w".repeat(20_000), None),
        ("(?i)".to_owned() + &r"[\W-]".repeat(9_000), None),
        ("(?i)".to_owned() + &r"[!-\uffff]".repeat(5_000), None),
    ];
    shapes.into()
}

#[test]
fn in_questions() {
    let text = "a".repeat(5000) + "b";
    let place = Place::with(&[("r.json", &json!({"status": "success", "t": text}).to_string())]);
    for (pattern, ends) in patterns() {
        let question = json!({"all_match_pattern": {"path": "t", "regex": pattern}, "status": "success"});
        place.write("q.json", question.to_string().as_bytes());
        let begun = Instant::now();
        let ended = run_within(
            &place,
            &["check", "q.json", "r.json", "--report", "jsonl", "--no-timings"],
            FOR_PATTERNS,
        );
        let shown: String = pattern.chars().take(40).collect();
        assert!(begun.elapsed().as_secs() < 60, "{shown} takes {:?}", begun.elapsed());
        let rows = ended.json_lines()[0]["assertions"].clone();
        match ends {
            Some(status) => {
                assert_eq!((ended.code, &rows[0]["status"]), (1, &status.into()), "{shown}: {rows:#}");
            }
            None => ended.with(2, &[], &["all_match_pattern.regex: invalid regex", "q.json:1:"]),
        }
        assert!(ends.is_none() || rows[1]["status"] == "pass", "the other one is judged: {rows:#}");
        let told = rows[0].to_string();
        let gave_up = told.contains("gave up after ") && told.contains("0 backtracking steps");
        assert_eq!(gave_up, ends == Some("error"), "{shown}: {rows:#}");
        assert!(ended.stderr.len() < 5000, "{} bytes are told", ended.stderr.len());
    }
}

#[test]
fn in_cases_and_expressions() {
    let place = Place::with(&[("t.txt", &("a".repeat(5000) + "b"))]);
    let case = |id: String, leaf: serde_json::Value| json!({"id": id, "type": "text.file", "path": "t.txt", "assert": [{"target": "text", "must": [leaf]}]});
    let mut cases = vec![case("GOOD".to_owned(), json!({"contain": ["b"]}))];
    for (at, (pattern, _)) in patterns().into_iter().enumerate() {
        cases.push(case(format!("LEAF-{at}"), json!({"regex": [pattern]})));
        let matched = json!({"evaluate": [["regex_match", ["subject"], pattern]]});
        cases.push(case(format!("LANG-{at}"), matched));
    }
    place.write("a.spec.json", json!(cases).to_string().as_bytes());
    let results = results_within(&place, &["run", "a.spec.json"], FOR_PATTERNS);
    passed(&results, "GOOD");
    for (at, (pattern, ends)) in patterns().into_iter().enumerate() {
        for kind in ["LEAF", "LANG"] {
            let result = of(&results, &format!("{kind}-{at}"));
            let shown: String = pattern.chars().take(40).collect();
            assert_eq!(
                result["status"],
                ends.unwrap_or("error"),
                "{kind} {shown}: {:.1000}",
                result.to_string()
            );
        }
    }
}

#[test]
fn in_what_is_chosen() {
    let place = Place::with(&[("a.spec.md", &fence(PASSES))]);
    for pattern in ["/(/", "/a{1000000}/", r"/(a+)+\1c$/"] {
        let ended = run(&place, &["run", "a.spec.md", "--filter", pattern]);
        assert_eq!(ended.code, 2, "{ended:#?}");
    }
}

#[test]
fn the_work_of_one_match_is_bounded() {
    let many = "(?:(?:(?:a?){50}){50}){50}b";
    let text = "a".repeat(10_000);
    let place = Place::with(&[("r.json", &json!({"t": text}).to_string()), ("t.txt", &text)]);
    let asked = [
        json!({"all_match_pattern": {"path": "t", "regex": many}}),
        json!({"none_match_pattern": {"path": "t", "regex": many}}),
    ];
    for question in asked {
        place.write("q.json", question.to_string().as_bytes());
        let ended = run_within(&place, &["check", "q.json", "r.json"], FOR_PATTERNS);
        ended.with(1, &["takes too long for 10000 bytes"], &[]);
    }
    let matched = json!({"evaluate": [["not", ["regex_match", ["subject"], many]]]});
    let case = json!({"id": "A", "type": "text.file", "path": "t.txt", "assert": [{"target": "text", "must": [matched]}]});
    place.write("a.spec.json", case.to_string().as_bytes());
    let results = results_within(&place, &["run", "a.spec.json"], FOR_PATTERNS);
    let result = of(&results, "A");
    assert_eq!((&result["status"], &result["category"]), (&"error".into(), &"runtime".into()), "{result:#}");
    assert!(result["message"].as_str().unwrap().contains("takes too long for 10000 bytes"), "{result:#}");
}

#[test]
fn the_work_of_one_path_is_bounded() {
    let items: Vec<serde_json::Value> = (0..5000).map(|n| json!({"id": n, "tags": ["x", "y"]})).collect();
    let results = json!({"results": [{"file": "people/ann.md", "a": items}]});
    let place =
        Place::with(&[("r.json", &json!({"a": items}).to_string()), ("results.json", &results.to_string())]);
    for path in
        ["$.a[?count($..*) > 5]", "$..*..*[?@ == $.a]", "$.a[?match(@.tags[0], '(((a?){50}){50}){20}b')]"]
    {
        for question in [json!({"all_match": {"path": path, "value": 1}}), json!({"has_fields": [path]})] {
            place.write("q.json", question.to_string().as_bytes());
            let ended = run(&place, &["check", "q.json", "r.json"]);
            ended.with(
                1,
                &[&format!("path '{path}' takes too long to evaluate: more than 10000000 node visits")],
                &[],
            );
        }
    }
    let path = "$.a[?count($..*) > 5]";
    for question in [
        json!({"results_schema": {path: {"optional": true}}}),
        json!({"if_sensitive_results": {"has_field": path}}),
    ] {
        place.write("q.json", question.to_string().as_bytes());
        let ended = run(&place, &["check", "q.json", "results.json"]);
        ended.with(
            1,
            &[&format!("path '{path}' takes too long to evaluate: more than 10000000 node visits")],
            &[],
        );
    }
    place.write(
        "q.json",
        json!({"all_match": {"path": "$.a[?@.id >= 0].tags[1]", "value": "y"}}).to_string().as_bytes(),
    );
    assert_eq!(run(&place, &["check", "q.json", "r.json"]).code, 0);
}
