//! `probative explain`: everything that has a name is explained, and every example is so.

mod place;

use std::path::{Path, PathBuf};
use std::process::Command;

use place::Place;
use probative::report::Format;
use probative::spec::lang::{Budget, Expression, SYMBOLS, World};
use probative::spec::types::TYPES;
use probative::spec::{Code, Operator};
use probative::trajectory::readers::TraceFormat;
use probative::value::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A page, which must hold an example as it is shown: further to the right.
#[track_caller]
fn page(name: &str, shown: &str) -> String {
    let page = Place::with(&[]).run(&["explain", name]);
    page.with(0, &[], &[]);
    for line in shown.lines() {
        assert!(page.stdout.contains(&format!("    {line}\n")), "{line:?} is not on {}", page.stdout);
    }
    page.stdout
}

/// A place with the files that examples name.
fn place(case: &str) -> Place {
    Place::with(&[
        ("a.spec.yaml", case),
        ("README.md", "Licensed under MIT.\n"),
        ("orders/4711.json", "{\"id\": 4711}\n"),
    ])
}

#[test]
fn the_list_names_everything() {
    let list = Place::with(&[]).run(&["explain"]);
    let pages = topics();
    list.with(0, &["exit-codes"], &[]);
    let types = TYPES.iter().map(|kind| kind.name);
    let codes = Code::ALL.map(Code::name).into_iter().chain(Operator::ALL.map(Operator::name));
    let symbols = SYMBOLS.iter().map(|symbol| symbol.name);
    let formats = TraceFormat::ALL.iter().map(|format| format.name()).chain(Format::ALL.map(Format::name));
    let topics = pages.iter().map(|(name, _)| name.as_str());
    for name in types.chain(codes).chain(symbols).chain(formats).chain(topics) {
        let is_listed = list.stdout.split_whitespace().any(|word| word == name);
        assert!(is_listed, "{name} is not listed");
        Place::with(&[]).run(&["explain", name]).with(0, &[name], &[]);
    }
    let longest = list.stdout.lines().count();
    assert!(longest < 160, "{longest} lines are too many to read");
}

#[test]
fn what_is_unknown_is_told_with_the_nearest_of_all() {
    for (name, told) in [
        ("cli.rum", "unknown case type 'cli.rum'; did you mean 'cli.run'?"),
        ("AH01", "unknown finding 'AH01'; did you mean 'AH001'?"),
        ("regex_mach", "unknown expression symbol 'regex_mach'; did you mean 'regex_match'?"),
        ("claude_code", "unknown trace format 'claude_code'; did you mean 'claude-code'?"),
        ("jsonll", "unknown report format 'jsonll'; did you mean 'jsonl'?"),
        ("tool_was_caled", "unknown assertion 'tool_was_caled'; did you mean 'tool_was_called'?"),
        ("basline", "unknown topic 'basline'; did you mean 'baselines'?"),
        ("\u{1b}[2J", "unknown topic '"),
    ] {
        let ended = Place::with(&[]).run(&["explain", name]);
        ended.with(2, &[], &[told]);
        assert!(!ended.stderr.contains('\u{1b}'), "{ended:?}");
    }
    Place::with(&[]).run(&["explain", "ah001"]).with(0, &["AH001"], &[]);
}

#[test]
fn a_word_with_two_meanings_is_explained_twice() {
    let told = ["contains (assertion about a response)", "contains (expression symbol)"];
    Place::with(&[]).run(&["explain", "contains"]).with(0, &told, &[]);
}

#[test]
fn the_case_of_every_type_passes() {
    for kind in TYPES {
        let page = page(kind.name, kind.example);
        for key in (kind.harness_keys)() {
            assert!(page.contains(&format!("\n    {key} ")), "{} has no '{key}': {page}", kind.name);
        }
        assert!(page.contains("can have a `name`"), "{} has no 'name': {page}", kind.name);
        let ran = place(kind.example).run(&["run", "a.spec.yaml", "--strict"]);
        ran.with(0, &["1 passed"], &[]);
    }
}

#[test]
fn the_case_of_every_operator_passes_and_asks_it() {
    for operator in Operator::ALL {
        page(operator.name(), operator.example());
        assert!(operator.example().contains(&format!("- {}:", operator.name())));
        place(operator.example()).run(&["run", "a.spec.yaml", "--strict"]).with(0, &["1 passed"], &[]);
    }
}

#[test]
fn every_finding_is_found_in_its_example_and_not_in_the_mended_one() {
    for code in Code::ALL {
        let example = code.example();
        page(code.name(), &format!("{}{}", example.found, example.mended));
        let lint = |case: &str| {
            let place = Place::with(&[("README.md", "MIT license\n")]);
            place.write("a.spec.md", format!("```yaml spec-test\n{case}```\n").as_bytes());
            let ended = place.run(&["lint", "a.spec.md"]);
            format!("{}{}", ended.stdout, ended.stderr)
        };
        let (found, mended) = (lint(example.found), lint(example.mended));
        assert!(found.contains(code.name()), "{}: {found}", code.name());
        assert!(mended.contains("1 case: 0 errors, 0 findings"), "{}: {mended}", code.name());
        let mended = Place::with(&[("a.spec.yaml", example.mended), ("README.md", "MIT license\n")]);
        mended.run(&["run", "a.spec.yaml"]).with(0, &["1 passed"], &[]);
    }
}

/// A world in which no file is.
#[derive(Debug)]
struct Empty;

impl World for Empty {
    fn path_exists(&self, _: &str) -> Option<bool> {
        Some(false)
    }
}

#[test]
fn every_symbol_gives_what_its_example_says() {
    for symbol in &SYMBOLS {
        page(symbol.name, symbol.example);
        let (asked, expected) = symbol.example.split_once(" → ").unwrap();
        let (form, subject) = asked.split_once(" with subject ").unwrap_or((asked, "null"));
        let read = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
        let expression = Expression::compile(&read(form)).unwrap();
        let given = expression.evaluate(&read(subject), &Budget::STANDARD, &Empty).unwrap();
        assert_eq!(given, read(expected), "{}", symbol.example);
        assert!(form.contains(&format!("[\"{}\"", symbol.name)), "{}", symbol.example);
    }
}

/// Errors about traces send people here.
#[test]
fn the_topic_about_traces_lists_every_format() {
    let page = Place::with(&[]).run(&["explain", "traces"]);
    for format in TraceFormat::ALL {
        let is_listed = page.stdout.split([' ', ',', '.', '\n']).any(|word| word == format.name());
        assert!(is_listed, "{format} is not listed in {}", page.stdout);
    }
}

#[test]
fn the_commands_about_every_trace_format_work() {
    for format in TraceFormat::ALL {
        let page = page(format.name(), &format!("probative show TRACE --trace-format {format}"));
        let mut commands = page.lines().filter_map(|line| line.strip_prefix("    "));
        let question =
            commands.clone().find(|line| line.starts_with("no_repeated_calls:")).expect("a question");
        let trace = match format {
            TraceFormat::Native => root().join("examples/refund/hasty.json"),
            _ => trace(*format),
        };
        let place = Place::with(&[("question.yaml", question)]);
        std::fs::copy(&trace, place.path(trace.file_name().unwrap().to_str().unwrap())).unwrap();
        let name = trace.file_name().unwrap().to_string_lossy().into_owned();
        let shown: Vec<&str> = commands.by_ref().filter(|line| line.starts_with("probative ")).collect();
        assert_eq!(shown.len(), 3);
        for command in shown {
            let words = command.split(" > ").next().unwrap().split(' ').skip(1);
            let words: Vec<&str> = words.map(|word| if word == "TRACE" { &name } else { word }).collect();
            let ended = place.run(&words);
            // What such a trace cannot tell cannot be judged.
            assert!(matches!(ended.code, 0 | 1) && !ended.stdout.is_empty(), "{words:?}: {ended:?}");
        }
    }
}

/// A plain trace of a format.
fn trace(format: TraceFormat) -> PathBuf {
    let files = std::fs::read_dir(root().join(format!("vectors/traces/{format}"))).unwrap();
    let mut files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file() && !path.to_string_lossy().ends_with(".expected.json"));
    files.sort();
    let is_plain = |path: &&PathBuf| path.to_string_lossy().contains("plain");
    files.iter().find(is_plain).unwrap_or(&files[0]).clone()
}

#[test]
fn every_report_is_written_as_its_page_says() {
    let place = Place::with(&[]);
    place.run(&["init"]).with(0, &[], &[]);
    // Some formats tell nothing where all passes.
    let agent = place.read("agent.sh").replace("refund RF-1 is", "refund RF-2 is");
    std::fs::write(place.path("agent.sh"), agent).unwrap();
    for format in Format::ALL {
        let name = format.name();
        page(name, &format!("probative run --report {name}\nprobative run --report {name}=FILE"));
        let told = place.run(&["run", "--report", name]);
        assert!(told.code == 1 && !told.stdout.is_empty(), "{told:?}");
        place.run(&["run", "--report", &format!("{name}=FILE")]).with(1, &[], &[]);
        assert!(!place.read("FILE").is_empty());
        std::fs::remove_file(place.path("FILE")).unwrap();
    }
}

/// The hand-written pages: each with its name and its text.
fn topics() -> Vec<(String, String)> {
    let pages = std::fs::read_dir(root().join("crates/probative-cli/src/commands/explain/topics")).unwrap();
    let page = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).unwrap())
    };
    pages.map(|entry| page(entry.unwrap().path())).collect()
}

/// The fences of a page, each with the words behind its backticks.
fn fences(page: &str) -> Vec<(&str, &str)> {
    let fences = page.split("```").skip(1).step_by(2);
    fences.map(|fence| fence.split_once('\n').unwrap()).collect()
}

#[test]
fn the_examples_of_every_topic_are_right() {
    let topics = topics();
    assert!(topics.len() >= 13, "{topics:?}");
    for (name, text) in topics {
        assert!(text.lines().all(|line| line.chars().count() <= 90), "{name} has long lines");
        let fences = fences(&text);
        assert!(!fences.is_empty(), "{name} has no example");
        for (words, example) in fences {
            page(&name, example);
            match words {
                "yaml case" => {
                    let arguments = ["run", "a.spec.yaml", "--strict", "--now", "2026-03-01"];
                    place(example).run(&arguments).with(0, &["1 passed"], &[]);
                }
                "yaml never" => {
                    place(example).run(&["run", "a.spec.yaml"]).with(0, &["never exercised"], &[]);
                    place(example).run(&["run", "a.spec.yaml", "--strict"]).with(1, &[], &[]);
                }
                "yaml question" => {
                    let place = Place::with(&[("q.yaml", example), ("run.json", r#"{"steps": []}"#)]);
                    place.run(&["check", "q.yaml", "run.json"]).with(
                        1,
                        &["'lookup_order' was never called"],
                        &[],
                    );
                }
                "sh agent" => {
                    let case = "id: A\ntype: agent.run\nharness: {entrypoint: sh agent.sh, cwd: root}\nassert:\n  \
                                - {target: trajectory, must: [{tool_was_called: [refund]}]}\n  \
                                - {target: response, must: [{status: [success]}]}\n";
                    let place = Place::with(&[("a.spec.yaml", case), ("agent.sh", example)]);
                    place.run(&["run", "a.spec.yaml", "--strict"]).with(0, &["1 passed"], &[]);
                }
                "json suite" => {
                    let config = "[agents.support]\ncommand = \"cat\"\n";
                    let place = Place::with(&[("a.tests.json", example), ("probative.toml", config)]);
                    place.run(&["run", "--strict"]).with(0, &["2 passed"], &[]);
                }
                "toml" => {
                    let place = Place::with(&[("probative.toml", example)]);
                    place.write(
                        "a.spec.md",
                        format!("```yaml spec-test\n{}```\n", TYPES[0].example).as_bytes(),
                    );
                    place.run(&["lint"]).with(0, &[], &[]);
                }
                "sh" => {
                    for command in example.lines() {
                        let words = command.split(" > ").next().unwrap().split(' ').skip(1);
                        let words: Vec<&str> = words.chain(["--help"]).collect();
                        Place::with(&[]).run(&words).with(0, &["Usage: probative"], &[]);
                    }
                }
                other => panic!("{name}: no test for a fence of {other}"),
            }
        }
    }
}

#[test]
fn the_exit_codes_are_those_of_the_documentation() {
    let page = page("exit-codes", "");
    let documented = std::fs::read_to_string(root().join("docs/reference/check.md")).unwrap();
    let table = documented.split("## Exit codes").nth(1).unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| ")?.split(' ').next());
    let codes: Vec<&str> = rows.filter(|code| code.parse::<u8>().is_ok()).collect();
    assert_eq!(codes.len(), 4);
    for code in codes {
        assert!(page.contains(&format!("\n  {code:>3}  ")), "{code} is not on {page}");
    }
    let script = page.lines().find(|line| line.contains("case $?")).unwrap();
    let place = Place::with(&[]);
    place.run(&["init"]).with(0, &[], &[]);
    let said = || {
        let binary = assert_cmd::cargo::cargo_bin!("probative");
        let path = format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap());
        let mut shell = Command::new("sh");
        let ran = shell.args(["-c", script]).env("PATH", path).current_dir(place.path(".")).output().unwrap();
        String::from_utf8(ran.stdout).unwrap().lines().last().unwrap_or_default().to_owned()
    };
    assert_eq!(said(), "passed");
    place.write("agent.sh", b"read -r input; echo '{\"status\": \"success\"}'\n");
    assert_eq!(said(), "failed");
    place.write("specs/agent.spec.md", b"```yaml spec-test\nid: X\ntype: cli.run\nasert: []\n```\n");
    assert_eq!(said(), "invalid");
}
