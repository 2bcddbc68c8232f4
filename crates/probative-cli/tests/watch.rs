//! `run --watch`: at a terminal, and without one.
#![cfg(target_os = "linux")]

mod cases;
mod place;
mod vigil;

use std::io::{BufRead as _, BufReader};
use std::process::Command;
use std::time::Duration;

use cases::{exit_code, fence, shell, signal, written};
use place::Place;
use serde_json::{Value, json};
use vigil::Vigil;

/// A document with a case that passes if a file holds `yes`.
fn reads(id: &str, file: &str) -> String {
    fence(&format!(
        "id: {id}\ntype: text.file\npath: {file}\nassert: [{{target: text, must: [{{contain: ['yes']}}]}}]"
    ))
}

/// A document with a case that runs a script, which must say hello.
fn runs(id: &str) -> String {
    let asked = "assert: [{target: stdout, must: [{contain: [hello]}]}]";
    fence(&format!("id: {id}\ntype: cli.run\nharness: {{entrypoint: ./agent.sh, cwd: root}}\n{asked}"))
}

/// A project with an agent that is run, and a text that is read.
fn place() -> Place {
    let place = Place::with(&[
        ("runs.spec.md", &runs("RUNS")),
        ("reads.spec.md", &reads("READS", "data/text.txt")),
        ("data/text.txt", "yes"),
        ("agent.sh", "#!/bin/sh\necho hello\n"),
        (".gitignore", "*.log\n"),
    ]);
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(place.path("agent.sh"), executable).unwrap();
    std::fs::create_dir(place.path(".git")).unwrap();
    place
}

#[test]
fn a_change_runs_again_what_it_affects() {
    let place = place();
    let mut vigil = Vigil::start(&place, &[]);
    vigil.until("2 cases: 2 passed");
    vigil.until("watching for changes; keys: a = run all, f = run failed, q = quit\n");
    place.write("reads.spec.md", format!("More words.\n\n{}", reads("READS", "data/text.txt")).as_bytes());
    vigil.until("changed: reads.spec.md → 1 case\n1 case: 1 passed");
    assert!(!vigil.until_it_waits().contains("changed"));
    place.write("agent.sh", b"#!/bin/sh\necho goodbye\n");
    vigil.until("changed: agent.sh → 1 case\n");
    vigil.until("FAIL RUNS");
    vigil.until_it_waits();
    // What is read may be a program, too.
    place.write("data/text.txt", b"no");
    vigil.until("changed: data/text.txt → 2 cases\n");
    vigil.until("2 cases: 2 failed");
    vigil.until_it_waits();
    place.write("probative.toml", b"");
    vigil.until("changed: probative.toml → 2 cases\n");
    vigil.until("watching for changes");
    std::fs::remove_file(place.path("agent.sh")).unwrap();
    vigil.until("changed: agent.sh → 1 case\n");
    vigil.until_it_waits();
    // What appears in a directory that has just appeared may go unnoticed; what changes there later does not.
    place.write("lib/part.py", b"1");
    vigil.until("changed: lib");
    vigil.until_it_waits();
    place.write("lib/part.py", b"2");
    vigil.until("changed: lib/part.py → 1 case\n");
}

#[test]
fn documents_may_appear_and_vanish() {
    let place = place();
    let mut vigil = Vigil::start(&place, &["-r"]);
    vigil.until_it_waits();
    // In a directory that was not there.
    place.write("new/deep/third.spec.md", reads("THIRD", "text.txt").as_bytes());
    vigil.until("changed: new");
    vigil.until("ERROR THIRD");
    vigil.until_it_waits();
    place.write("new/deep/text.txt", b"yes");
    vigil.until("changed: new/deep/text.txt → ");
    assert!(!vigil.until_it_waits().contains("THIRD"));
    std::fs::remove_dir_all(place.path("new")).unwrap();
    std::fs::rename(place.path("reads.spec.md"), place.path("moved.spec.md")).unwrap();
    vigil.until("moved.spec.md");
    vigil.until_it_waits();
    vigil.press("a");
    vigil.until("all → 2 cases\n2 cases: 2 passed");
}

#[test]
fn what_is_ignored_runs_nothing() {
    let place = place();
    let mut vigil =
        Vigil::start(&place, &["--report", "human", "--report", "json=out.json", "--journal", "j.jsonl"]);
    vigil.until_it_waits();
    place.write("some.log", b"x");
    place.write(".git/index", b"x");
    place.write(".agent.sh.swp", b"x");
    place.write("gone.spec.md", b"no case");
    vigil.press("x");
    // The key comes behind the changes: had they run anything, it would have been told before.
    vigil.press("a");
    assert_eq!(vigil.until("all → 2 cases\n"), "");
    vigil.until_it_waits();
    place.write("reads.spec.md", reads("READS-2", "data/text.txt").as_bytes());
    assert_eq!(vigil.until("changed: reads.spec.md → 1 case\n"), "");
    vigil.until_it_waits();
    // The report is written anew, about the cases that ran; the journal goes on.
    let report: Value = serde_json::from_str(&place.read("out.json")).unwrap();
    assert_eq!(
        (report["summary"]["total"].as_u64(), &report["results"][0]["id"]),
        (Some(1), &json!("READS-2"))
    );
    assert_eq!(place.read("j.jsonl").lines().count(), 5);
    vigil.press("q");
    assert_eq!((vigil.exit_code(), vigil.until("").as_str()), (Some(0), ""));
}

#[test]
fn the_directories_of_cases_run_nothing_even_below_the_root() {
    let place = place();
    place.write("tmp/keep", b"");
    place.write("agent.sh", b"#!/bin/sh\necho hello; echo x > \"$SPEC_RUNNER_TMP/x\"\n");
    let temporary = place.path("tmp");
    let mut vigil = Vigil::start_with(&place, &[], &[("TMPDIR", temporary.to_str().unwrap())]);
    vigil.until("2 cases: 2 passed");
    vigil.until_it_waits();
    vigil.press("a");
    assert_eq!(vigil.until("all → 2 cases\n"), "");
    vigil.until_it_waits();
    place.write("tmp/own.txt", b"");
    assert_eq!(vigil.until("changed: tmp/own.txt → 1 case\n"), "");
}

#[test]
fn what_is_written_wrongly_is_told_and_watched_on() {
    let place = place();
    let mut vigil = Vigil::start(&place, &["--case", "READS"]);
    vigil.until("1 case: 1 passed");
    vigil.until_it_waits();
    place.write("reads.spec.md", b"```yaml spec-test\nid: [\n```\n");
    vigil.until("changed: reads.spec.md\nERROR");
    vigil.until_it_waits();
    place.write("reads.spec.md", reads("REEDS", "data/text.txt").as_bytes());
    vigil.until("no case has the id 'READS'; did you mean 'REEDS'?");
    vigil.until_it_waits();
    place.write("reads.spec.md", reads("READS", "data/text.txt").as_bytes());
    vigil.until("changed: reads.spec.md → 1 case\n1 case: 1 passed");
}

#[test]
fn a_burst_of_changes_is_one() {
    let place = place();
    let mut vigil = Vigil::start(&place, &[]);
    vigil.until_it_waits();
    for number in 0..50 {
        place.write("reads.spec.md", format!("{number}\n\n{}", reads("READS", "data/text.txt")).as_bytes());
    }
    vigil.until("changed: reads.spec.md → 1 case\n");
    vigil.until_it_waits();
    vigil.press("\n");
    assert_eq!(vigil.until("all → 2 cases\n"), "");
}

#[test]
fn keys_run_all_or_what_failed_and_quit() {
    let place = place();
    let mut vigil = Vigil::start(&place, &[]);
    vigil.until_it_waits();
    vigil.press("f");
    vigil.until("probative: no case failed last time\n");
    vigil.until_it_waits();
    vigil.press("z");
    place.write("data/text.txt", b"no");
    vigil.until("1 passed, 1 failed");
    vigil.until_it_waits();
    vigil.press("f");
    vigil.until("failed → 1 case\nFAIL READS");
    vigil.until("1 case: 1 failed");
    vigil.until_it_waits();
    vigil.press("a");
    vigil.until("all → 2 cases\n");
    vigil.until("2 cases: 1 passed, 1 failed");
    vigil.until_it_waits();
    vigil.press("q");
    assert_eq!(vigil.exit_code(), Some(1));
}

#[test]
fn what_changes_while_cases_run_is_run_afterwards() {
    let place = place();
    let waits = shell("WAITS", "echo > started; while [ ! -e go ]; do sleep 0.02; done");
    place.write("slow.spec.json", waits.to_string().as_bytes());
    place.write(".gitignore", b"started\ngo\n");
    let mut vigil = Vigil::start(&place, &["--formats", "md,json"]);
    written(&place.path("started"));
    place.write("reads.spec.md", reads("READS-2", "data/text.txt").as_bytes());
    place.write("go", b"");
    vigil.until("3 cases: 3 passed");
    vigil.until("changed: reads.spec.md → 1 case\n1 case: 1 passed");
}

#[test]
fn what_the_cases_write_does_not_run_them_for_ever() {
    let place = place();
    place.write("agent.sh", b"#!/bin/sh\necho hello | tee -a trace.txt\n");
    let mut vigil = Vigil::start(&place, &["runs.spec.md"]);
    let before = vigil.until("trace.txt changes whenever cases run");
    assert_eq!(before.matches("changed: trace.txt → 1 case\n").count(), 2, "{before}");
    vigil.press("a");
    vigil.until("all → 1 case\n");
    vigil.until_it_waits();
    vigil.press("q");
    assert_eq!(vigil.exit_code(), Some(0));
    assert_eq!(place.read("trace.txt").lines().count(), 4);
    assert!(!vigil.until("").contains("changed"));
}

#[test]
fn a_run_that_fails_fast_is_not_the_last() {
    let place = place();
    place.write("data/text.txt", b"no");
    let mut vigil = Vigil::start(&place, &["--fail-fast", "-j", "1"]);
    vigil.until("FAIL READS");
    vigil.until_it_waits();
    place.write("data/text.txt", b"yes");
    vigil.until("2 cases: 2 passed");
}

#[test]
fn the_terminal_is_what_it_was_however_it_ends() {
    let place = place();
    let quits = |end: &dyn Fn(&mut Vigil)| {
        let mut vigil = Vigil::start(&place, &["reads.spec.md"]);
        vigil.until_it_waits();
        assert_ne!(vigil.settings(), vigil.before);
        end(&mut vigil);
        let code = vigil.exit_code();
        assert_eq!(vigil.settings(), vigil.before);
        code
    };
    assert_eq!(quits(&|vigil| vigil.press("q")), Some(0));
    assert_eq!(quits(&|vigil| vigil.press("\u{4}")), Some(0));
    assert_eq!(quits(&|vigil| signal("INT", vigil.child.id())), Some(130));
    assert_eq!(quits(&|vigil| signal("TERM", vigil.child.id())), Some(130));
    assert_eq!(quits(&|vigil| signal("HUP", vigil.child.id())), Some(130));
}

#[test]
fn an_interrupted_run_is_the_last() {
    let place = Place::with(&[("a.spec.json", &shell("LONG", "echo > started; sleep 600").to_string())]);
    let mut vigil = Vigil::start(&place, &["a.spec.json"]);
    written(&place.path("started"));
    signal("INT", vigil.child.id());
    vigil.until("the command was interrupted");
    assert_eq!(vigil.exit_code(), Some(130));
    assert_eq!(vigil.settings(), vigil.before);
}

#[test]
fn who_is_stuck_is_ended_and_leaves_the_terminal_as_it_was() {
    let place = place();
    assert!(Command::new("mkfifo").arg(place.path("pipe")).status().unwrap().success());
    // Whoever opens a pipe that nobody reads waits.
    let mut vigil = Vigil::start(&place, &["--journal", "pipe"]);
    vigil.until_it_listens();
    for _ in 0..3 {
        signal("INT", vigil.child.id());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(vigil.exit_code(), Some(130));
    assert_eq!(vigil.settings(), vigil.before);
}

#[test]
fn without_a_terminal_it_watches_and_ends_when_told() {
    let place = place();
    let mut child = place.start(&["run", "--watch"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.next().unwrap().starts_with("2 cases: 2 passed"));
    assert_eq!(lines.next().unwrap(), "watching for changes");
    place.write("data/text.txt", b"yes, yes");
    assert_eq!(lines.next().unwrap(), "changed: data/text.txt → 2 cases");
    assert!(lines.next().unwrap().starts_with("2 cases: 2 passed"));
    assert_eq!(lines.next().unwrap(), "watching for changes");
    signal("TERM", child.id());
    assert_eq!(exit_code(&mut child), Some(130));
    assert_eq!(lines.next(), None);
}

#[test]
fn what_makes_no_sense_again_and_again_is_refused() {
    let place = place();
    place.run(&["run", "--watch", "--list"]).with(2, &[], &["cannot be used with"]);
    place.run(&["run", "--watch", "--save-baseline", "b.json"]).with(2, &[], &["cannot be used with"]);
    let told = "--watch prints only the human report to standard output; use --report json=FILE";
    place.run(&["run", "--watch", "--report", "json"]).with(2, &[], &[told]);
    place.run(&["run", "--watch", "--case", "REEDS"]).with(2, &[], &["did you mean 'READS'?"]);
    place.run(&["run", "--watch", "--failed"]).with(2, &[], &["nothing has run in"]);
}
