//! Every command that a page gives is one that the program takes: in pipelines, and in the middle of sentences.

mod pages;

use std::process::Command;

use pages::Page;
use pages::taken::is_taken;
use probative::document::{Content, Document, Node};

/// What variables of pipelines hold, for the one who reads the commands.
const VARIABLES: &[(&str, &str)] =
    &[("${{ matrix.shard }}", "1"), ("$CI_NODE_INDEX", "1"), ("$CI_NODE_TOTAL", "4")];

#[test]
fn pipelines_are_yaml_and_their_commands_are_taken() {
    let mut told = 0;
    for fence in Page::at("docs/how-to/ci.md").fences() {
        let commands: Vec<String> = if fence.is("yaml") {
            let pipeline = Document::new("pipeline.yaml", fence.text).read();
            let pipeline = pipeline.unwrap_or_else(|error| panic!("{}: {error}", fence.place));
            texts(&pipeline).into_iter().flat_map(commands).collect()
        } else {
            commands(&fence.text)
        };
        assert!(!commands.is_empty(), "{}: a block without a command", fence.place);
        for command in &commands {
            assert_taken(command, &fence.place);
        }
        told += commands.len();
    }
    assert!(told >= 9, "only {told} commands");
}

#[test]
fn commands_in_sentences_are_taken() {
    let mut told = 0;
    for page in Page::all_of_the_book() {
        for (code, place) in page.code_in_sentences() {
            if code.starts_with("probative ") {
                assert_taken(&code, &place);
                told += 1;
            }
        }
    }
    assert!(told >= 30, "only {told} commands");
}

#[test]
fn every_command_has_its_exit_codes_told() {
    let help = Command::new(assert_cmd::cargo::cargo_bin!("probative")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let commands = help.split("Commands:\n").nth(1).unwrap().lines().take_while(|line| !line.is_empty());
    let table = Page::at("docs/reference/exit-codes.md");
    let told: Vec<String> = table.code_in_sentences().into_iter().map(|(code, _)| code).collect();
    let mut count = 0;
    for name in commands.filter_map(|line| line.split_whitespace().next()) {
        assert!(
            told.iter().any(|code| code == name),
            "docs/reference/exit-codes.md does not tell how '{name}' ends"
        );
        count += 1;
    }
    assert!(count >= 8, "only {count} commands:\n{help}");
}

#[test]
fn a_command_that_is_not_taken_is_noticed() {
    for slip in
        ["run --report juint=a.xml", "run --fail-on worse", "run --shard 5/4", "chek", "run --retrys 2"]
    {
        let arguments: Vec<&str> = slip.split(' ').collect();
        assert!(!is_taken(&arguments), "{slip}");
    }
}

#[track_caller]
fn assert_taken(command: &str, place: &str) {
    let arguments = shlex::split(command).unwrap_or_else(|| panic!("{place}: {command}"));
    assert!(is_taken(&arguments[1..]), "{place}: the program does not take this: {command}");
}

/// The commands in a script, put on one line each, with the variables in them filled in.
fn commands(script: &str) -> Vec<String> {
    let mut script = script.replace("\\\n", " ");
    for (name, value) in VARIABLES {
        script = script.replace(name, value);
    }
    let lines = script.lines().map(str::trim).filter(|line| line.starts_with("probative "));
    lines.map(str::to_owned).collect()
}

/// Every text in a tree.
fn texts(node: &Node) -> Vec<&str> {
    match &node.content {
        Content::Scalar(_) => node.as_str().into_iter().collect(),
        Content::List(items) => items.iter().flat_map(texts).collect(),
        Content::Map(members) => members.iter().flat_map(|member| texts(&member.value)).collect(),
        // Only expressions are nested so deep.
        Content::Deep(_) => Vec::new(),
    }
}
