//! What is nested a hundred thousand deep is refused where it becomes too deep, and nothing runs out of stack.

use serde_json::{Value, json};

use crate::cases::{PASSES, fence};
use crate::guard::{is_error, of, passed, results, run};
use crate::place::Place;
use crate::tables::{VOCABULARIES, around, formats, traces};

const DEEP: usize = 100_000;

fn lists() -> String {
    "[".repeat(DEEP) + &"]".repeat(DEEP)
}

fn objects() -> String {
    "{\"a\":".repeat(DEEP) + "1" + &"}".repeat(DEEP)
}

#[test]
fn subjects_of_every_vocabulary() {
    for (at, (question, good)) in VOCABULARIES.into_iter().enumerate() {
        let place = Place::with(&[
            ("q.yaml", question),
            ("lists.json", &lists()),
            ("objects.json", &objects()),
            ("open.json", &"[".repeat(DEEP)),
            ("inside.json", &around(&lists())[at]),
            ("inside-objects.json", &around(&objects())[at]),
            ("lines.jsonl", &format!("{}\n{}\n{good}\n", around(&lists())[at], objects())),
            ("good.json", good),
        ]);
        let files =
            ["lists", "objects", "open", "inside", "inside-objects"].map(|name| format!("{name}.json"));
        let subjects: Vec<&str> =
            files.iter().map(String::as_str).chain(["lines.jsonl", "good.json"]).collect();
        let results = results(&place, &[&["check", "q.yaml"], &subjects[..]].concat());
        for id in files.iter().map(String::as_str).chain(["lines.jsonl:1", "lines.jsonl:2"]) {
            is_error(&results, id, "nested more than 127 levels deep");
            is_error(
                &results,
                id,
                &format!("{}:", id.strip_suffix(":1").or(id.strip_suffix(":2")).unwrap_or(id)),
            );
        }
        passed(&results, "lines.jsonl:3");
        passed(&results, "good.json");
        let shown = run(&place, &[&["show"], &subjects[..]].concat());
        assert_eq!(shown.stderr.matches("nested more than 127 levels deep").count(), 7, "{shown:#?}");
        assert!(shown.code == 2 && shown.stdout.contains("good.json"), "{shown:#?}");
        // Only runs are converted; whatever else it is given, it says so.
        assert_eq!(run(&place, &[&["convert"], &subjects[..]].concat()).code, 2);
    }
}

#[test]
fn traces_of_every_format() {
    for format in formats() {
        let place = Place::with(&[("q.yaml", "tool_not_called: nothing-calls-this\n")]);
        let mut names = Vec::new();
        for file in traces(format) {
            let name = file.file_name().unwrap().to_str().unwrap();
            let text = std::fs::read_to_string(&file).unwrap();
            let deep = text.replacen('{', &format!("{{\"deep\":{},", lists()), 1);
            place.write(&format!("deep-{name}"), deep.as_bytes());
            place.write(&format!("sound-{name}"), text.as_bytes());
            names.extend([format!("deep-{name}"), format!("sound-{name}")]);
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let format = format.name();
        let told = results(&place, &[&["check", "q.yaml", "--trace-format", format], &names[..]].concat());
        for name in &names {
            let of_file: Vec<_> =
                told.iter().filter(|result| result["id"].as_str().unwrap().starts_with(name)).collect();
            // Only the first of several records that were not understood is shown.
            let whys = [
                "nested more than 127 levels deep",
                "parts of the trace were not understood (first: line 1:",
            ];
            let is_told =
                of_file.iter().any(|result| whys.iter().any(|why| result.to_string().contains(why)));
            assert!(is_told || (name.starts_with("sound-") && !of_file.is_empty()), "{name}: {of_file:#?}");
        }
        let alone = results(&place, &["check", "q.yaml", "--trace-format", format, names[1]]);
        assert_eq!(of(&told, alone[0]["id"].as_str().unwrap()), &alone[0], "the sound one is judged as ever");
        // They read traces as `check` does, so a few are enough.
        for command in ["show", "convert"] {
            run(&place, &[&[command, "--trace-format", format], &names[..4]].concat());
        }
    }
}

#[test]
fn questions_in_every_notation() {
    let steps: String = (0..2000).map(|deep| " ".repeat(deep) + "a:\n").collect();
    let questions = [
        ("flow.yaml", "[".repeat(DEEP), "nested more than 1064 levels deep"),
        ("flow-maps.yaml", "{a: ".repeat(DEEP), "nested more than 64 levels deep"),
        ("dashes.yaml", "- ".repeat(DEEP), "nested more than 1064 levels deep"),
        ("block.yaml", steps, "nested more than 64 levels deep"),
        ("keys.yaml", "? ".repeat(DEEP), "a key must be a string"),
        ("tags.yaml", "!".repeat(DEEP), "tag"),
        ("anchors.yaml", "&a ".repeat(DEEP), "anchors.yaml:1:"),
        ("quotes.yaml", "\"".repeat(DEEP), "quotes.yaml:1:"),
        ("lists.json", lists(), "nested more than 1064 levels deep"),
        ("objects.json", objects(), "nested more than 64 levels deep"),
        ("open.json", "[".repeat(DEEP), "open.json:1:"),
        ("lists.toml", format!("a = {}", lists()), "recurs"),
        ("tables.toml", format!("a = {}", "{a = ".repeat(DEEP)), "recurs"),
        ("dotted.toml", format!("a{} = 1", ".a".repeat(DEEP)), "recursion limit"),
        ("header.toml", format!("[a{}]", ".a".repeat(DEEP)), "recursion limit"),
        ("trees.json", "{\"must\":[".repeat(DEEP) + &"]}".repeat(DEEP), "nested more than 64 levels deep"),
        ("groups.json", "{\"one_of\":[".repeat(DEEP) + &"]}".repeat(DEEP), "nested more than 64 levels deep"),
    ];
    let place = Place::with(&[("good.json", VOCABULARIES[0].1)]);
    for (name, text, message) in questions {
        place.write(name, text.as_bytes());
        let ended = run(&place, &["check", name, "good.json"]);
        ended.with(2, &[], &[message]);
        assert!(ended.stderr.len() < 2000, "the line is not shown whole: {}", ended.stderr.len());
    }
}

#[test]
fn documents_of_cases_in_every_notation() {
    let place = Place::with(&[("z-good.spec.md", &fence(PASSES))]);
    let inside = |text: &str| fence(&format!("id: DEEP\ntype: text.file\nassert: {text}"));
    let documents = [
        ("flow.spec.md", inside(&"[".repeat(DEEP))),
        ("dashes.spec.md", inside(&format!("\n  {}", "- ".repeat(DEEP)))),
        ("maps.spec.md", inside(&"{must: ".repeat(DEEP))),
        ("lists.spec.json", lists()),
        ("objects.spec.json", objects()),
        ("lists.spec.yaml", "[".repeat(DEEP)),
    ];
    for (name, text) in &documents {
        place.write(name, text.as_bytes());
    }
    for command in ["run", "lint", "conformance"] {
        let ended = run(&place, &[command, ".", "--formats", "md,yaml,json"]);
        assert_eq!(ended.code, 2, "{ended:#?}");
        for (name, _) in &documents {
            let told = ended.stdout.contains(name) || ended.stderr.contains(name);
            assert!(told, "{command} does not tell of {name}: {ended:#?}");
        }
    }
    let told = results(&place, &["run", ".", "--formats", "md,yaml,json"]);
    passed(&told, "GOOD");
    place.write("suite.tests.json", format!("{{\"tests\": {}}}", lists()).as_bytes());
    run(&place, &["run", "suite.tests.json"]).with(2, &["suite.tests.json", "nested more than"], &[]);
}

#[test]
fn markdown_around_a_fence() {
    let good = |id: &str| format!("\n\n{}", fence(&PASSES.replace("GOOD", id)));
    let shapes = [
        ("quotes", "> ".repeat(DEEP) + "x"),
        ("bullets", "- ".repeat(DEEP) + "x"),
        ("numbers", "1. ".repeat(DEEP) + "x"),
        ("mixed", "> - ".repeat(DEEP / 2) + "x"),
        ("brackets", "[".repeat(DEEP)),
        ("links", "[a](".repeat(DEEP / 2)),
        ("images", "![".repeat(DEEP / 2)),
        ("stars", "*a".repeat(DEEP / 2)),
        ("strong", "**a_".repeat(DEEP / 4)),
        ("ticks", format!("a {} b", "`".repeat(DEEP))),
        ("uneven", (1..400).map(|count| "`".repeat(count) + " ").collect()),
        ("angles", "<a ".repeat(DEEP / 2)),
        ("comments", "<!--".repeat(DEEP / 2) + "-->"),
        ("entities", "&#".repeat(DEEP / 2)),
        ("references", "[a]: <b\n".repeat(DEEP / 10)),
        ("table", format!("|{}\n|{}\n", "a|".repeat(1000), "-|".repeat(1000)).repeat(10)),
        ("underlines", "a\n=\n".repeat(DEEP / 10)),
        ("tildes", "~".repeat(DEEP) + "\nx\n" + &"~".repeat(DEEP)),
    ];
    let place = Place::with(&[]);
    for (name, text) in &shapes {
        place.write(&format!("{name}.spec.md"), format!("{text}{}", good(&name.to_uppercase())).as_bytes());
    }
    let results = results(&place, &["run", "."]);
    for (name, _) in &shapes {
        passed(&results, &name.to_uppercase());
    }
}

#[test]
fn paths_of_every_shape() {
    let shapes = [
        format!("a{}", ".a".repeat(DEEP)),
        format!("a{}", "[0]".repeat(DEEP)),
        format!("a{}", "[*]".repeat(DEEP)),
        format!("${}", "..a".repeat(DEEP)),
        format!("$[?{}@.a{}]", "(".repeat(DEEP), ")".repeat(DEEP)),
        format!("$[?{}@.a]", "!".repeat(DEEP)),
        "$[?@.a".repeat(DEEP),
        "[".repeat(DEEP),
        format!("a[\"{}", "x".repeat(DEEP)),
        format!("$[?{}]", vec!["@.a"; 700].join(" && ")) + &"[?@]".repeat(DEEP),
    ];
    let place = Place::with(&[("good.json", VOCABULARIES[0].1)]);
    for path in shapes {
        let question = json!({"all_match": {"path": path, "value": 1}, "status": "success"});
        place.write("q.json", question.to_string().as_bytes());
        let ended = run(&place, &["check", "q.json", "good.json"]);
        ended.with(2, &["1 error"], &["all_match.path: invalid path", "q.json:1:"]);
        assert!(ended.stderr.len() < 5000, "the path is not shown whole: {}", ended.stderr.len());
    }
    // What fits into a path is evaluated, however often it branches.
    let place = Place::with(&[
        (
            "q.json",
            &json!({"all_match": {"path": format!("$..*{}", "[*]".repeat(100)), "value": 1}}).to_string(),
        ),
        ("r.json", &format!("{}1{}", "[".repeat(126), "]".repeat(126))),
    ]);
    assert!(run(&place, &["check", "q.json", "r.json"]).code < 2);
}

#[test]
fn expressions_that_call_themselves_end_at_their_budget() {
    let call = json!(["call", ["var", "f"]]);
    let nested = |deep: usize| (0..deep).fold(json!(true), |inner, _| json!(["not", inner]));
    let cases: Vec<_> = [
        ("CALLS", json!(["let", [["f", ["fn", [], call]]], call])),
        ("GROWS", json!(["let", [["f", ["fn", [], ["and", call, call]]]], call])),
        ("ADDS", json!(["let", [["f", ["fn", [], ["add", 1, call]]]], ["eq", call, 1]])),
        ("NESTED", nested(20)),
        ("DEEP", nested(1000)),
        ("TOO-DEEP", nested(1001)),
    ]
    .into_iter()
    .map(|(id, expression)| {
        json!({"id": id, "type": "text.file", "assert": [{"target": "text", "must": [{"evaluate": [expression]}]}]})
    })
    .collect();
    // The same in every notation: JSON is YAML, too.
    let others = Value::from(cases).to_string();
    let far = "[\"not\", ".repeat(10_000) + "true" + &"]".repeat(10_000);
    let last = format!(
        r#"{{"id": "FAR", "type": "text.file", "assert": [{{"target": "text", "must": [{{"evaluate": [{far}]}}]}}]}}"#
    );
    for (format, others, last) in [
        ("json", others.clone(), last.clone()),
        ("yaml", others.clone(), last.clone()),
        ("md", fence(&others), fence(&last)),
    ] {
        let (name, far) = (format!("a.spec.{format}"), format!("b.spec.{format}"));
        let place = Place::with(&[(&name, &others), (&far, &last)]);
        let told = results(&place, &["run", ".", "--formats", format]);
        for id in ["CALLS", "GROWS", "ADDS"] {
            is_error(&told, id, "budget exceeded");
        }
        passed(&told, "NESTED");
        passed(&told, "DEEP");
        is_error(&told, "TOO-DEEP", "nested more than 1000 levels deep");
        is_error(&told, &far, "nested more than 1064 levels deep");
        run(&place, &["lint", "--formats", format]).with(2, &["nested more than 1000 levels deep"], &[]);
        for report in probative::report::Format::ALL {
            run(&place, &["run", &name, "--report", report.name()]);
        }
    }
}

#[test]
fn a_deep_subject_is_told_in_every_format() {
    let deep = format!(r#"{{"status": "error", "x": {}1{}}}"#, "[".repeat(125), "]".repeat(125));
    let place =
        Place::with(&[("q.yaml", VOCABULARIES[0].0), ("deep.json", &deep), ("good.json", VOCABULARIES[0].1)]);
    for format in probative::report::Format::ALL {
        let ended = run(&place, &["check", "q.yaml", "deep.json", "good.json", "--report", format.name()]);
        assert_eq!(ended.code, 1);
        assert!(ended.stdout.contains("deep.json") && ended.stdout.len() < 500_000, "{}", ended.stdout.len());
    }
}
