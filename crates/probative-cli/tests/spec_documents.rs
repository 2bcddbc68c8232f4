//! Cases mean the same whatever they are written in, and are told at the place where they stand.

mod cases;
mod place;

use cases::{PASSES, each, fence, shell};
use place::Place;
use serde_json::{Value, json};

/// Cases that end in every way.
fn of_every_kind() -> Value {
    json!([
        {"id": "TEXT", "type": "text.file", "path": "t.txt", "title": "é and “quotes”", "x-note": [1, 2.5, null, true],
         "assert": [{"target": "text", "must": [{"contain": ["plain", "\u{e9}\n"]}, {"can": [{"regex": ["^nope$"]}, {"evaluate": [["contains", "text"]]}]}]}]},
        {"id": "FAILS", "type": "text.file", "path": "t.txt",
         "assert": [{"target": "text", "must": [{"contain": ["absent"]}]}, {"target": "text", "cannot": [{"contain": ["plain"]}]}]},
        {"id": "RUNS", "type": "cli.run", "argv": ["-c", "cat; echo \"$WHO\" >&2; exit 3"], "exit_code": 3,
         "harness": {"entrypoint": "sh", "stdin_text": "a: b\n# c\n", "env": {"WHO": "yes"}},
         "assert": [{"target": "stdout", "must": [{"contain": ["# c\n"]}]}, {"target": "stderr", "must": [{"regex": ["^yes$"]}]}]},
        {"id": "EXITS", "type": "cli.run", "argv": ["exit 4"], "harness": {"entrypoint": "sh -c"}},
        {"id": "MISSING", "type": "text.file", "path": "none.txt"},
        {"id": "UNKNOWN", "type": "text.fil"},
        {"id": "SKIPPED", "type": "text.file", "requires": {"capabilities": ["x.y"], "when_missing": "skip"}},
        {"id": "WRONG", "type": "text.file", "tilte": "x"},
    ])
}

/// The results of a document, without what must differ: its name, and where things stand in it.
fn results(place: &Place, file: &str) -> Vec<Value> {
    let mut results = place.results(&["run", file]);
    for result in &mut results {
        assert_eq!(result["file"], file);
        let fields = result.as_object_mut().unwrap();
        fields.remove("file");
        fields.remove("line");
        if let Some(Value::String(message)) = fields.get_mut("message")
            && let Some((_, said)) = message.strip_prefix(file).and_then(|rest| rest.split_once(": "))
        {
            *message = said.to_owned();
        }
    }
    results
}

#[test]
fn all_formats_give_the_same_results() {
    let cases = of_every_kind();
    let one_by_one: Vec<String> =
        cases.as_array().unwrap().iter().map(|case| fence(&format!("{case:#}"))).collect();
    let place = Place::with(&[
        ("t.txt", "plain text é\n"),
        ("a.spec.json", &cases.to_string()),
        ("a.spec.yaml", &format!("# as YAML\n{cases:#}\n")),
        ("a.spec.yml", &cases.to_string()),
        ("list.spec.md", &fence(&cases.to_string())),
        ("a.spec.md", &one_by_one.join("\nProse.\n\n")),
    ]);
    let expected = results(&place, "a.spec.json");
    let (statuses, categories) = (each(&expected, "status"), each(&expected, "category"));
    assert_eq!(statuses, ["pass", "fail", "pass", "fail", "error", "error", "skip", "error"]);
    assert_eq!(
        categories,
        ["null", "assertion", "null", "assertion", "runtime", "runtime", "null", "schema"]
    );
    for file in ["a.spec.yaml", "a.spec.yml", "list.spec.md", "a.spec.md"] {
        assert_eq!(results(&place, file), expected, "{file}");
    }
    // A directory is searched for what is asked for.
    let found = |formats: &str| place.run(&["run", ".", "--list", "--formats", formats]).stdout;
    assert!(!found("md").contains("a.spec.y") && !found("md").contains("json"));
    assert!(found("yaml").contains("\ta.spec.yaml:") && found("yaml").contains("\ta.spec.yml:"));
    assert!(found("json").contains("\ta.spec.json:1\n") && !found("json").contains(".md"));
}

#[test]
fn a_case_written_in_yaml_means_the_same_as_in_json() {
    let yaml = "\
- id: ONE
  type: cli.run
  argv:
    - -c
    - |
      printf '%s\\n' \"a: b\" \\
        'c'
  harness: {entrypoint: sh, timeout_ms: 0x2710}
  assert:
    - target: stdout
      must:
        - contain:
            - 'it''s'
            - >-
              folded
              text
";
    let cases = json!([{
        "id": "ONE", "type": "cli.run", "argv": ["-c", "printf '%s\\n' \"a: b\" \\\n  'c'\n"],
        "harness": {"entrypoint": "sh", "timeout_ms": 10_000},
        "assert": [{"target": "stdout", "must": [{"contain": ["it's", "folded text"]}]}],
    }]);
    let place = Place::with(&[("a.spec.yaml", yaml), ("a.spec.json", &cases.to_string())]);
    let expected = results(&place, "a.spec.json");
    assert_eq!(each(&expected, "status"), ["fail"]);
    assert!(expected[0]["message"].as_str().unwrap().contains(r"found 'a: b\nc\n'"), "{expected:?}");
    assert_eq!(results(&place, "a.spec.yaml"), expected);
}

/// The line of the case, and the place that its error is told at.
fn place_of_error(place: &Place, file: &str) -> (Value, String) {
    let results = place.results(&["run", file]);
    let wrong = results.iter().find(|result| result["category"] == "schema").unwrap();
    let message = wrong["message"].as_str().unwrap();
    let (at, said) = message.split_once(": ").unwrap();
    assert_eq!(said, "unknown key 'tilte'; did you mean 'title'?");
    (wrong["line"].clone(), at.to_owned())
}

#[test]
fn places_are_right_in_every_format_and_around_every_fence() {
    let documents = [
        ("plain.spec.md", "# T\n\n```yaml spec-test\nid: A\ntype: text.file\ntilte: x\n```\n", 4, "6:1"),
        (
            "second.spec.md",
            "```yaml spec-test\n- id: A\n  type: text.file\n- id: B\n  type: text.file\n  tilte: x\n```\n",
            4,
            "6:3",
        ),
        (
            "list.spec.md",
            "1. one\n\n   - two\n\n     ~~~ spec-test yml\n     id: A\n     type: text.file\n     tilte: x\n     ~~~\n",
            6,
            "8:6",
        ),
        (
            "quote.spec.md",
            "> said\n>\n> ```yaml spec-test\n> id: A\n> type: text.file\n> tilte: x\n> ```\n",
            4,
            "6:3",
        ),
        (
            "both.spec.md",
            "> - x\n>   ```yaml spec-test\n>   id: A\n>   type: text.file\n>   tilte: x\n>   ```\n",
            3,
            "5:5",
        ),
        (
            "indented.spec.md",
            "   ```yaml spec-test\n   id: A\n   type: text.file\n   tilte: x\n   ```\n",
            2,
            "4:4",
        ),
        (
            "crlf.spec.md",
            "# T\r\n\r\n```yaml spec-test\r\nid: A\r\ntype: text.file\r\ntilte: x\r\n```\r\n",
            4,
            "6:1",
        ),
        ("bom.spec.md", "\u{feff}```yaml spec-test\nid: A\ntype: text.file\ntilte: x\n```\n", 2, "4:1"),
        (
            "words.spec.md",
            "# Ünïcödé 漢字\n\n```yaml spec-test\n{id: Äß漢, type: text.file, tilte: x}\n```\n",
            4,
            "4:28",
        ),
        ("crlf.spec.yaml", "# é\r\nid: A\r\ntype: text.file\r\ntilte: x\r\n", 2, "4:1"),
        ("bom.spec.yaml", "\u{feff}{id: é, type: text.file, tilte: x}\n", 1, "1:26"),
        (
            "pretty.spec.json",
            "[\n  {\n    \"id\": \"é\",\n    \"type\": \"text.file\",\n    \"tilte\": 1\n  }\n]\n",
            2,
            "5:5",
        ),
        ("bom.spec.json", "\u{feff}{\"id\": \"é\", \"type\": \"text.file\", \"tilte\": 1}", 1, "1:34"),
        ("crlf.spec.json", "{\"id\": \"A\",\r\n\"type\": \"text.file\",\r\n \"tilte\": 1}", 1, "3:2"),
    ];
    let place = Place::with(&documents.map(|(name, text, ..)| (name, text)));
    for (file, _, line, at) in documents {
        assert_eq!(place_of_error(&place, file), (line.into(), format!("{file}:{at}")), "{file}");
        place.run(&["lint", file]).with(2, &[&format!("--> {file}:{at}\n")], &[]);
    }
}

#[test]
fn what_an_assertion_fails_at_is_told_with_its_place() {
    let fails = "id: A\ntype: text.file\nassert:\n  - target: text\n    must:\n      - regex: ['^é$']\n";
    let quoted = format!("> {}\n", fence(fails).trim_end().replace('\n', "\n> "));
    let place = Place::with(&[("plain.spec.md", &fence(fails)), ("quoted.spec.md", &quoted)]);
    place.run(&["run", "plain.spec.md"]).with(
        1,
        &["FAIL A  plain.spec.md:2\n", "  regex  plain.spec.md:7:9\n"],
        &[],
    );
    place.run(&["run", "quoted.spec.md"]).with(
        1,
        &["FAIL A  quoted.spec.md:2\n", "  regex  quoted.spec.md:7:11\n"],
        &[],
    );
}

#[test]
fn fences_that_hold_nothing_or_never_end_are_shown() {
    let told = |text: &str, shown: &str| {
        let place = Place::with(&[("t.spec.md", text), ("u.spec.md", &fence(PASSES))]);
        let ended = place.run(&["run", "--no-timings"]);
        // Below the title of a case, the lines are indented.
        let indented = format!("  {}", shown.trim_end().replace('\n', "\n  "));
        ended.with(2, &[&indented, "2 cases: 1 passed, 1 error\n"], &[]);
        place.run(&["lint"]).with(2, &[shown], &[]);
    };
    told(
        "x\n\n```yaml spec-test\nid: A\n",
        "error: this spec-test fence is never closed\n --> t.spec.md:3:1\n  |\n3 | ```yaml spec-test\n  | ^^^^^^^^^^^^^^^^^\n",
    );
    told(
        "~~~text\nx\n```yaml spec-test\nid: A\n```\n",
        "error: this fence is never closed and hides '```yaml spec-test'\n --> t.spec.md:1:1\n  |\n1 | ~~~text\n  | ^^^^^^^\n",
    );
    told("```yaml spec-test\n```\n", "error: expected a case, found nothing\n --> t.spec.md:");
    told("```yaml spec-test\n# later\n```\n", "error: expected a case, found nothing\n --> t.spec.md:");
}

#[test]
fn ids_are_unique_in_a_run_and_the_first_one_counts() {
    let twice = json!([shell("A", "true"), shell("B", "true")]).to_string();
    let place =
        Place::with(&[("a.spec.json", &twice), ("b.spec.json", &shell("A", "touch ran").to_string())]);
    let results = place.results(&["run", "a.spec.json", "b.spec.json"]);
    assert_eq!(each(&results, "status"), ["pass", "pass", "error"]);
    let message = results[2]["message"].as_str().unwrap();
    assert!(
        message.starts_with("b.spec.json:1:")
            && message.ends_with("duplicate id 'A'; first used at a.spec.json:1:2"),
        "{message}"
    );
    assert!(!place.path("ran").exists());
    // The same document named twice is one document.
    assert_eq!(place.results(&["run", "a.spec.json", "a.spec.json"]).len(), 2);
}
