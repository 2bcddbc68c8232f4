//! Help fits a screen and shows an example; shells and `man` are told the same as people.

mod place;

use std::process::{Command, Stdio};

use place::{Ended, Place};

fn probative(arguments: &[&str]) -> Ended {
    Place::with(&[]).run(arguments)
}

/// The commands, as the help lists them.
fn commands() -> Vec<String> {
    let help = probative(&["--help"]).stdout;
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    list.lines().map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

#[test]
fn help_fits_a_screen_and_shows_an_example() {
    let commands = commands();
    assert!(commands.len() >= 10, "{commands:?}");
    let short = commands.iter().map(|command| vec![command.as_str(), "-h"]);
    for arguments in short.chain([vec!["-h"], vec!["--help"]]) {
        let ended = probative(&arguments);
        ended.with(0, &["Usage: probative", "Example"], &[]);
        let lines: Vec<&str> = ended.stdout.lines().collect();
        assert!(lines.len() <= 24, "{} lines:\n{}", lines.len(), ended.stdout);
        let wide = lines.iter().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "{arguments:?}");
    }
}

#[test]
fn every_example_is_a_command_line() {
    let mut tried = 0;
    for command in commands() {
        for line in probative(&[&command, "--help"]).stdout.lines() {
            let Some(example) = line.strip_prefix("  probative ") else { continue };
            let words = example.split(['>', '|']).next().unwrap().split("  ").next().unwrap();
            let words: Vec<&str> = words.split_whitespace().map(|word| word.trim_matches('\'')).collect();
            // Help is only shown where all before it is understood.
            let ended = probative(&[&words[..], &["--help"]].concat());
            ended.with(0, &["Usage: probative"], &[]);
            tried += 1;
        }
    }
    assert!(tried >= 15, "only {tried} examples");
}

#[test]
fn the_long_help_has_every_flag_and_depends_on_nothing() {
    let run = |variables: &[(&str, &str)]| -> Ended {
        let place = Place::with(&[("probative.toml", "jobs = 7\nformats = [\"yaml\"]\n")]);
        place.command(&["run", "--help"]).envs(variables.iter().copied()).output().unwrap().into()
    };
    let plain = run(&[]);
    for text in [
        "Case selection:",
        "--shard <K/N>",
        "--max-cost <COST>",
        "[default: md,tests]",
        "SPEC_RUNNER_SAFE_MODE",
    ] {
        plain.with(0, &[text], &[]);
    }
    let elsewhere = run(&[("COLUMNS", "50"), ("PROBATIVE_JOBS", "3"), ("LANG", "de_DE.UTF-8")]);
    assert_eq!(plain.stdout, elsewhere.stdout);
}

/// What bash would complete a command line to.
fn completed(script: &str, line: &str) -> Vec<String> {
    let ask = format!(
        "{script}\nCOMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n\
         _probative probative \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    let output = Command::new("bash").args(["--norc", "-c", &ask]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_and_flags() {
    let script = probative(&["completions", "bash"]).stdout;
    let read = Command::new("bash").args(["-n", "-c", &script]).status().unwrap();
    assert!(read.success());
    assert_eq!(completed(&script, "probative con"), ["conformance", "convert"]);
    assert_eq!(completed(&script, "probative run --max"), ["--max-cost"]);
    assert_eq!(completed(&script, "probative run --fail-on reg"), ["regression"]);
    let all = completed(&script, "probative ''");
    for command in commands() {
        assert!(all.contains(&command), "{command} is not in {all:?}");
    }
}

#[test]
fn every_shell_has_its_script() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ended = probative(&["completions", shell]);
        ended.with(0, &["probative", "conformance", "save-baseline"], &[]);
    }
    probative(&["completions", "tcsh"]).with(2, &[], &["invalid value 'tcsh'", "zsh"]);
}

#[test]
fn a_reader_that_goes_away_has_read_enough() {
    for arguments in [&["completions", "zsh"][..], &["man", "run"]] {
        let mut child = Place::with(&[])
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let ended: Ended = child.wait_with_output().unwrap().into();
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    }
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let page = probative(&["man"]);
    page.with(0, &[".TH PROBATIVE 1 ", "probative\\-run(1)", "Exit codes"], &[]);
    for command in commands() {
        let page = probative(&["man", &command]);
        let title = format!(
            ".TH PROBATIVE-{} 1  \"probative {}\"",
            command.to_uppercase(),
            env!("CARGO_PKG_VERSION")
        );
        page.with(0, &[&title, ".SH EXAMPLE", ".SH DESCRIPTION"], &[]);
        assert!(!page.stdout.contains(".SH EXTRA"), "{command}");
        assert!(!page.stdout.contains('\u{1b}'), "{command}");
    }
    let run = probative(&["man", "run"]);
    run.with(
        0,
        &[
            "\\-\\-max\\-cost",
            ".SH \"CASE SELECTION\"",
            "Keep the temporary",
            ".SH ENVIRONMENT",
            "SPEC_RUNNER_SAFE_MODE",
        ],
        &[],
    );
    probative(&["man", "rnu"]).with(2, &[], &["unknown command 'rnu'; did you mean 'run'?"]);
    probative(&["man", "zzz\u{1b}"]).with(2, &[], &["'zzz\\u001b'; expected one of init, run"]);
}

#[test]
fn help_names_no_file_that_only_a_clone_has() {
    for command in commands() {
        let help = probative(&[&command, "--help"]).stdout;
        assert!(!help.contains("docs/"), "{command}: {help}");
    }
    let topics = probative(&["explain"]).stdout;
    assert!(!topics.contains("docs/"), "{topics}");
}
