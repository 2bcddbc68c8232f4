//! What each target begins with: the vectors, the specs, the examples and the documentation, cut to its inputs.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use probative::About;
use probative::spec::lang::SYMBOLS;
use probative::spec::{Operator, capabilities, common};
use probative::trajectory::readers::TraceFormat;
use serde_json::{Value, json};

/// Where there are more than a thousand vectors, one in so many is a seed: what is fuzzed begins sooner, and misses little.
const ENOUGH: usize = 3;

/// The root of the repository.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The seeds of a target, in a settled order.
#[must_use]
pub fn of(target: &str) -> Vec<Vec<u8>> {
    match target {
        "answers" => answers(),
        "baselines" => baselines(),
        "cases" => cases(),
        "formatter" => formatter(),
        "json" => json_texts(),
        "lang" => lang(),
        "paths" => paths(),
        "patterns" => patterns(),
        "questions" => questions(),
        "reports" => (0..64_u32).map(noise).collect(),
        "responses" => judged("said"),
        "runs" => judged("did"),
        "selections" => judged("saw"),
        "traces" => traces(),
        unknown => panic!("there is no target '{unknown}'"),
    }
}

/// The words that inputs are made of, as a dictionary of libFuzzer's.
#[must_use]
pub fn dictionary() -> String {
    let mut words: BTreeSet<String> = About::ALL.iter().flat_map(|about| about.names()).map(quoted).collect();
    words.extend(SYMBOLS.iter().map(|symbol| quoted(&symbol.name)));
    words.extend(common().iter().chain(&["must", "can", "cannot", "target", "value", "scope"]).map(quoted));
    words.extend(
        [Operator::Contain, Operator::Regex, Operator::JsonType].map(|operator| quoted(&operator.name())),
    );
    words.extend(capabilities().map(|capability| quoted(&capability)));
    let syntax = [
        "```yaml spec-test\\x0a",
        "```\\x0a",
        "\\x00",
        "\\x0a",
        "- ",
        ": ",
        "[*]",
        "$..",
        "[?@.",
        "['",
        "']",
        "[0:2]",
        "(?i)",
        "(?<=",
        "(?!",
        "(?P<a>",
        "(?P=a)",
        "\\\\1",
        "{2,}",
        "*+",
        "\\\\Z",
        "[^",
        "\\\\u001b",
        "\\\\ud800",
        "1e999",
        "&a ",
        "*a",
        "<<: ",
        "|2-\\x0a",
        "data: ",
        "event: ",
        "null",
        "true",
        "\\\"\\\"",
        "{}",
        "[]",
    ];
    let lines = words.iter().cloned().chain(syntax.map(|word| format!("\"{word}\"")));
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

fn quoted(word: &impl ToString) -> String {
    format!("\"{}\"", word.to_string())
}

/// The files below a directory, sorted.
fn files(directory: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root().join(directory)];
    while let Some(directory) = open.pop() {
        for entry in
            fs::read_dir(&directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()))
        {
            let path = entry.expect("an entry can be read").path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The cases of the vectors in a directory.
fn vectors(directory: &str) -> Vec<Value> {
    let documents = files(&format!("vectors/{directory}")).into_iter().map(|path| {
        let document: Value = serde_json::from_slice(&read(&path)).expect("a vector is JSON");
        document["cases"].as_array().expect("a vector has cases").clone()
    });
    documents.flatten().collect()
}

/// Parts, with a zero byte between them.
fn joined(parts: &[&[u8]]) -> Vec<u8> {
    parts.join(&0)
}

fn choosing(choice: usize, rest: &[u8]) -> Vec<u8> {
    let choice = u8::try_from(choice).expect("few can be chosen from");
    [&[choice], rest].concat()
}

/// What stands in a fence of YAML in a Markdown document.
fn fences(markdown: &str) -> impl Iterator<Item = &str> {
    markdown.split("\n```yaml").skip(1).filter_map(|rest| {
        let (_, body) = rest.split_once('\n')?;
        Some(body.split("\n```").next().unwrap_or(body))
    })
}

/// All Markdown of the repository that has fences.
fn documents() -> Vec<String> {
    let all = ["specs", "docs", "examples"].into_iter().flat_map(files);
    let markdown = all.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    markdown.map(|path| String::from_utf8(read(&path)).expect("documents are UTF-8")).collect()
}

fn cases() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for document in documents() {
        for fence in fences(&document) {
            seeds.push(choosing(0, format!("```yaml spec-test\n{fence}\n```\n").as_bytes()));
            seeds.push(choosing(1, fence.as_bytes()));
        }
    }
    for path in files("examples") {
        if path.to_string_lossy().ends_with(".tests.json") {
            seeds.push(choosing(3, &read(&path)));
        }
    }
    seeds.push(choosing(2, br#"[{"id": "A", "type": "text.file", "assert": [{"target": "text", "must": [{"contain": ["a"]}]}]}]"#));
    seeds
}

fn answers() -> Vec<Vec<u8>> {
    let outputs: Vec<Vec<u8>> = files("examples")
        .iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "json" || ending == "jsonl"))
        .map(|path| read(path))
        .chain([
            b"done".to_vec(),
            br#"{"response": {"status": "success"}, "trajectory": {"steps": []}}"#.to_vec(),
        ])
        .collect();
    let mut seeds = Vec::new();
    for document in documents() {
        for fence in fences(&document).filter(|fence| fence.contains("agent.") || fence.contains("context."))
        {
            for (at, output) in outputs.iter().enumerate() {
                seeds.push(choosing((seeds.len() + at) % 24, &joined(&[fence.as_bytes(), output])));
            }
        }
    }
    // All that is said with all that came is more than a beginning.
    seeds.into_iter().step_by(7).collect()
}

fn questions() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for directory in ["said", "did", "saw"] {
        for case in vectors(directory).into_iter().step_by(ENOUGH) {
            seeds.push(choosing(1, case["question"].to_string().as_bytes()));
        }
    }
    let expects = files("examples").into_iter().filter(|path| path.ends_with("expect.yaml"));
    seeds.extend(expects.map(|path| choosing(0, &read(&path))));
    seeds.push(choosing(
        2,
        b"status = \"success\"\nresults_min = 1\n[field_equals]\npath = \"a\"\nvalue = 1\n",
    ));
    seeds
}

fn judged(directory: &str) -> Vec<Vec<u8>> {
    let seed = |question: &Value, subject: &Value| {
        joined(&[question.to_string().as_bytes(), subject.to_string().as_bytes()])
    };
    let mut seeds = Vec::new();
    for case in vectors(directory).iter().step_by(ENOUGH) {
        seeds.push(seed(&case["question"], &case["subject"]));
        if seeds.len() % 5 == 0 {
            seeds.push(seed(&case["question"], &hostile(&case["subject"])));
        }
    }
    seeds
}

/// The same subject with something in every text that a terminal obeys, but for words that say what it is.
fn hostile(subject: &Value) -> Value {
    match subject {
        Value::String(text) => format!("{text}\u{1b}[31m\u{202e}\n").into(),
        Value::Array(items) => items.iter().map(hostile).collect(),
        Value::Object(members) => {
            let is_word = |key: &str| ["step_type", "reason", "status"].contains(&key);
            let members = members.iter().map(|(key, value)| {
                (key.clone(), if is_word(key) && value.is_string() { value.clone() } else { hostile(value) })
            });
            members.collect()
        }
        plain => plain.clone(),
    }
}

fn lang() -> Vec<Vec<u8>> {
    let seed = |case: Value| {
        joined(&[case["expression"].to_string().as_bytes(), case["subject"].to_string().as_bytes()])
    };
    vectors("lang").into_iter().map(seed).collect()
}

fn paths() -> Vec<Vec<u8>> {
    let json = json!({"results": [{"file": "a", "tags": ["x"]}, {"file": "b"}], "page": {"total": 2}, "a.b": {"it's": [1, [2]]}, "": null});
    let paths = [
        "results[*].file",
        "$.results[-1].file",
        "$..file",
        "page['total','none']",
        "results[0:1]",
        "results[?@.file=='b'].file",
        "$.results[?@.file == $.results[1].file]",
        "['a.b']['it\\'s'][1][0]",
        "$['']",
        "results[?match(@.file, 'a.*')]",
        "$..[?count(@.*) > 1]",
        "results[?length(@.file) >= 1 && !@.tags]",
        "$.*",
        "page.total.none",
        "[0].id",
    ];
    paths.iter().map(|path| joined(&[path.as_bytes(), json.to_string().as_bytes()])).collect()
}

fn patterns() -> Vec<Vec<u8>> {
    let vectors: Value = serde_json::from_slice(&read(&root().join("vectors/regex.json"))).expect("JSON");
    let text = |case: &Value, key: &str| case[key].as_str().unwrap_or_default().to_owned();
    let seed = |case: &Value| joined(&[text(case, "pattern").as_bytes(), text(case, "text").as_bytes()]);
    vectors.as_array().expect("a list").iter().map(seed).collect()
}

fn traces() -> Vec<Vec<u8>> {
    let (native, formats) = (vectors("did"), TraceFormat::ALL.len() + 1);
    let mut seeds: Vec<Vec<u8>> =
        native.iter().step_by(9).map(|case| choosing(0, case["subject"].to_string().as_bytes())).collect();
    for path in files("vectors/traces") {
        let is_expected = path.to_string_lossy().ends_with(".expected.json");
        let folder = path.parent().and_then(Path::file_name).expect("a folder");
        let format = TraceFormat::ALL.iter().position(|format| format.name() == folder);
        if let Some(format) = format.filter(|_| !is_expected) {
            let are_lines = path.extension().is_some_and(|ending| ending == "jsonl");
            let lines = if are_lines { formats } else { 0 };
            seeds.push(choosing(format + lines, &read(&path)));
            seeds.push(choosing(formats - 1 + lines, &read(&path)));
        }
    }
    seeds
}

fn formatter() -> Vec<Vec<u8>> {
    let (runs, responses) = (vectors("did"), vectors("said"));
    let mut seeds = Vec::new();
    for (at, (run, response)) in runs.iter().zip(&responses).enumerate().step_by(ENOUGH) {
        let (run, response) = (hostile(&run["subject"]).to_string(), response["subject"].to_string());
        let parts = joined(&[run.as_bytes(), response.as_bytes(), b"steps[1].tool_name"]);
        seeds.push(choosing(at % 5, &parts));
        let parts = joined(&[response.as_bytes(), run.as_bytes(), b"results[0]"]);
        seeds.push(choosing(at % 5, &parts));
    }
    seeds
}

fn json_texts() -> Vec<Vec<u8>> {
    let odd = [
        r#"{"a": 1, "\u0061": 2, "b": [{"c": 1, "c": 2}], "a": 3}"#,
        "[18446744073709551615, -9223372036854775808, 1e400, -0, 0.1e-7, 12345678901234567890123]",
        r#"["\ud83d\ude00\u00e9\/\"", "\ud800", ""]"#,
        "[[[[[[[[{}]]]]]]]]",
        "\u{feff} null ",
    ];
    let subjects = ["said", "did", "saw"].into_iter().flat_map(vectors).step_by(ENOUGH);
    let written = subjects.map(|vector| vector["subject"].to_string().into_bytes());
    odd.iter().map(|text| text.as_bytes().to_vec()).chain(written).collect()
}

fn baselines() -> Vec<Vec<u8>> {
    let before = json!({"version": 1, "cases": [
        {"id": "A", "status": "pass", "duration_ms": 1.5, "cost": 0.1},
        {"id": "B", "status": "fail", "passed": 1, "ran": 3},
        {"id": "C", "status": "error"},
        {"id": "D", "status": "skip"},
    ]});
    let now = json!({"version": 1, "cases": [
        {"id": "A", "status": "fail", "duration_ms": 900, "cost": 3},
        {"id": "B", "status": "pass", "passed": 3, "ran": 3},
        {"id": "E", "status": "pass"},
    ]});
    let [before, now] = [before.to_string(), now.to_string()];
    vec![joined(&[before.as_bytes(), now.as_bytes()]), joined(&[now.as_bytes(), before.as_bytes()])]
}

/// Bytes that are different for every number, and always the same.
fn noise(number: u32) -> Vec<u8> {
    let mut state = u64::from(number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    std::iter::repeat_with(next).take(64 + 24 * number as usize).collect()
}
