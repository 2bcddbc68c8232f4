//! What is large is judged or refused within a stated bound of memory, and what is told of it stays small.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::symlink;

use probative::report::Format;
use serde_json::{Value, json};

use crate::cases::shell;
use crate::guard::{is_error, of, passed, results_within, run, run_reading, run_within};
use crate::place::Place;
use crate::tables::{VOCABULARIES, around};

const LARGE: usize = 50_000_000;
/// Where no bound depends on it: more than any report may become.
const ENOUGH: usize = 6_000_000;

/// MiB for a subject of [`LARGE`] bytes: itself, the text that is decoded from it, and what is told of both.
const FOR_TEXT: u64 = 1024;
/// MiB for the heaviest tree that is held, as docs/explanation/reliability.md has it.
const FOR_TREES: u64 = 2048;

/// A file of a beginning, many times the same, and an end.
fn write(place: &Place, name: &str, parts: [&str; 3], times: usize) {
    let mut file = std::io::BufWriter::new(File::create(place.path(name)).unwrap());
    file.write_all(parts[0].as_bytes()).unwrap();
    let block = parts[1].repeat(1 << 12);
    for _ in 0..times >> 12 {
        file.write_all(block.as_bytes()).unwrap();
    }
    file.write_all(parts[2].as_bytes()).unwrap();
}

/// A report in every format, each to a file that is named like it.
fn everywhere() -> Vec<&'static str> {
    let report = |format: Format| {
        [Box::leak(format!("--report={0}=told.{0}", format.name()).into_boxed_str()) as &str]
    };
    Format::ALL.into_iter().flat_map(report).collect()
}

/// None of these reports has become as large as what it is about.
#[track_caller]
fn are_small(place: &Place) {
    for format in Format::ALL {
        let length = place.read(&format!("told.{}", format.name())).len();
        assert!((1..3_000_000).contains(&length), "{}: {length} bytes", format.name());
    }
}

#[test]
fn a_text_is_judged_and_told_in_brief_in_every_format() {
    let place = Place::with(&[("q.yaml", "summary_contains: needle\nstatus: success\n")]);
    write(&place, "pass.json", [r#"{"status": "success", "summary": "needle"#, "x", "\"}"], ENOUGH);
    write(&place, "fail.json", [r#"{"status": "error", "summary": ""#, "y", "\"}"], ENOUGH);
    let ended = run_within(
        &place,
        &[&["check", "q.yaml", "pass.json", "fail.json"], &everywhere()[..]].concat(),
        FOR_TEXT,
    );
    assert_eq!(ended.code, 1, "{ended:#?}");
    are_small(&place);
    let shown = run_within(&place, &["show", "fail.json"], FOR_TEXT);
    assert_eq!(shown.code, 0);
}

#[test]
fn a_text_in_a_run_a_selection_a_key_or_a_line() {
    for (at, (question, good)) in VOCABULARIES.into_iter().enumerate() {
        let place = Place::with(&[("q.yaml", question), ("good.json", good)]);
        // Selections are read as responses are.
        let times = if at < 2 { LARGE } else { ENOUGH };
        let with = around("\"MARK\"")[at].clone();
        let (before, after) = with.split_once("MARK").unwrap();
        write(&place, "large.json", [before, "z", after], times);
        write(&place, "line.jsonl", [&format!("{good}\n{before}"), "z", after], times);
        let key = around("{\"MARK\": 1}")[at].clone();
        let (before, after) = key.split_once("MARK").unwrap();
        write(&place, "key.json", [before, "k", after], times);
        let files = ["large.json", "line.jsonl", "key.json", "good.json"];
        let results = results_within(&place, &[&["check", "q.yaml"], &files[..]].concat(), FOR_TEXT);
        for id in ["large.json", "line.jsonl:1", "line.jsonl:2", "key.json", "good.json"] {
            passed(&results, id);
        }
    }
}

/// MiB for a run of [`LARGE`] bytes whose steps are short: a step takes several times its text.
const FOR_STEPS: u64 = 640;

#[test]
fn a_long_run_takes_a_few_times_its_size() {
    let place =
        Place::with(&[("q.yaml", "tool_was_called: look\ntool_called_before: {first: look, second: ask}\n")]);
    let step = r#"{"step_type": "tool_call", "tool_name": "look", "tool_args": {"number": 1}}, "#;
    let last = r#"{"step_type": "tool_call", "tool_name": "ask"}]}"#;
    write(&place, "long.json", [r#"{"steps": ["#, step, last], LARGE / step.len());
    let results = results_within(&place, &["check", "q.yaml", "long.json"], FOR_STEPS);
    passed(&results, "long.json");
}

#[test]
fn many_tiny_values_become_no_more_than_can_be_held() {
    let place = Place::with(&[("q.yaml", VOCABULARIES[0].0), ("good.json", VOCABULARIES[0].1)]);
    write(&place, "lists.json", ["[", "[1],", "1]"], 10_100_000);
    write(&place, "open.json", ["", "[", ""], ENOUGH);
    write(&place, "space.json", ["", " ", ""], ENOUGH);
    let files = ["lists.json", "open.json", "space.json", "good.json"];
    let results = results_within(&place, &[&["check", "q.yaml"], &files[..]].concat(), FOR_TREES);
    is_error(&results, "lists.json", "lists.json:1:39999999: more than twenty million values and keys");
    is_error(&results, "open.json", "open.json:1:128: nested more than 127 levels deep");
    is_error(&results, "space.json", "space.json: file is empty");
    passed(&results, "good.json");
}

#[test]
fn what_has_no_end_is_read_up_to_a_limit() {
    for (at, (question, good)) in VOCABULARIES.into_iter().enumerate() {
        let place = Place::with(&[("q.yaml", question), ("good.json", good)]);
        for name in ["zero.json", "zero.jsonl", "zero.txt"] {
            symlink("/dev/zero", place.path(name)).unwrap();
        }
        // Lines that are no traces are given on standard input below.
        let lines = if at == 1 { &["zero.jsonl"][..] } else { &[] };
        let rest = ["zero.json", "zero.txt", "good.json"];
        let results = results_within(&place, &[&["check", "q.yaml"], lines, &rest].concat(), FOR_TEXT);
        is_error(&results, "zero.json", "subject is larger than 128 MiB");
        is_error(&results, "zero.txt", "subject is larger than 128 MiB");
        passed(&results, "good.json");
        for name in lines {
            is_error(&results, name, "line 1 is longer than 1 GiB");
        }
    }
    let place = Place::with(&[("q.yaml", VOCABULARIES[0].0), ("good.json", VOCABULARIES[0].1)]);
    for input in ["json", "jsonl", "text", "auto"] {
        let zero = File::open("/dev/zero").unwrap().into();
        let ended = run_reading(&place, &["check", "q.yaml", "-", "--input", input], zero);
        let limit = if input == "jsonl" { "line 1 is longer than 1 GiB" } else { "" };
        ended.with(1, &["ERROR -\n", "1 subject: 1 error", limit], &[]);
    }
    run(&place, &["check", "/dev/zero", "good.json"]).with(
        2,
        &[],
        &["/dev/zero: question is larger than 16 MiB"],
    );
    run(&place, &["show", "/dev/zero"]).with(1, &[], &["/dev/zero: line 1 is longer than 1 GiB"]);
}

#[test]
fn a_question_or_document_that_is_too_large_is_refused() {
    let place = Place::with(&[("good.json", VOCABULARIES[0].1)]);
    for name in ["q.yaml", "q.json", "q.toml"] {
        write(&place, name, ["\"status\"", " ", ": 1"], ENOUGH * 4);
        let ended = run(&place, &["check", name, "good.json"]);
        ended.with(2, &[], &[&format!("{name}: question is larger than 16 MiB")]);
    }
    for name in ["a.spec.md", "a.spec.json", "a.spec.yaml"] {
        write(&place, name, ["", "x", ""], ENOUGH * 4);
        for command in ["run", "lint", "conformance"] {
            let ended = run(&place, &[command, name, "--formats", "md,yaml,json"]);
            ended.with(1, &["larger than 16 MiB"], &[]);
        }
    }
}

#[test]
fn what_a_command_prints_is_kept_up_to_a_limit_and_that_is_said() {
    let print = "head -c 50000000 /dev/zero | tr '\\0' x";
    let check = json!([{"target": "stdout", "must": [{"contain": ["never"]}]}]);
    let mut large = shell("LARGE", &format!("{print}; {print} >&2"));
    large["assert"] = check;
    let place = Place::with(&[("a.spec.json", &json!([large, shell("GOOD", "true")]).to_string())]);
    run_within(&place, &[&["run", "a.spec.json", "--no-timings"], &everywhere()[..]].concat(), FOR_TEXT);
    are_small(&place);
    let results: Vec<Value> =
        place.read("told.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    passed(&results, "GOOD");
    let large = of(&results, "LARGE");
    assert!(
        large["status"] != "pass" && large.to_string().contains("cut off after 16777216 bytes"),
        "{:.2000}",
        large.to_string()
    );
}

#[test]
fn aliases_stand_for_no_more_than_is_allowed() {
    let level = |level: usize| match level {
        0 => "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned(),
        _ => format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 10].join(", ")),
    };
    let laughs: String = (0..10).map(level).collect();
    let merged = (1..30).fold("m0: &m0 {x: 1}\n".to_owned(), |text, at| {
        text + &format!("m{at}: &m{at} {{<<: [*m{0}, *m{0}], y{at}: *m{0}}}\n", at - 1)
    });
    let selves = ["a: &a [*a]\n", "a: &a {b: *a}\n", "&a [*a]\n", "a: &a {<<: *a}\n", "*none\n"];
    let place = Place::with(&[("good.json", VOCABULARIES[0].1)]);
    for question in [&laughs[..], &merged].into_iter().chain(selves) {
        place.write("q.yaml", question.as_bytes());
        run(&place, &["check", "q.yaml", "good.json"]).with(2, &[], &["q.yaml:"]);
        let document = format!("```yaml spec-test\nid: A\n{question}```\n");
        place.write("a.spec.md", document.as_bytes());
        for command in ["run", "lint"] {
            run(&place, &[command, "a.spec.md"]).with(2, &["a.spec.md:"], &[]);
        }
    }
}
