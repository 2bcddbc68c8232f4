//! Every case begins in a new directory of its own.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::cases::{each, shell};
use super::place::Place;
use super::{left_behind, place_with, run};

/// Tells what the case's directory is, and fails unless it is empty.
const LOOK: &str = "cd \"$SPEC_RUNNER_TMP\"; pwd >> \"$OLDPWD/names\"; \
                    stat -c '%a %u' . >> \"$OLDPWD/modes\"; test -z \"$(ls -A)\"";

fn run_all(scripts: &[String]) -> Place {
    let cases: Vec<Value> =
        scripts.iter().enumerate().map(|(number, script)| shell(&format!("C-{number}"), script)).collect();
    let place = place_with(&cases.into());
    let results = run(&place, &["-j", "1", "--report", "jsonl"]).json_lines();
    assert_eq!(each(&results, "status"), vec!["pass"; scripts.len()], "{results:#?}");
    assert_eq!(left_behind(&place), [""; 0]);
    place
}

/// How many different lines a file has.
fn different(place: &Place, file: &str) -> usize {
    let text = std::fs::read_to_string(place.path(file)).unwrap();
    text.lines().collect::<BTreeSet<_>>().len()
}

#[test]
fn every_case_gets_an_empty_directory_of_its_own() {
    let place = run_all(&[LOOK, LOOK, LOOK, LOOK].map(str::to_owned));
    assert_eq!((different(&place, "names"), different(&place, "modes")), (4, 1));
}

#[test]
fn changes_to_a_directory_never_reach_the_next_case() {
    let changes =
        ["touch file", "mkdir .hidden", "ln -s / link", "chmod 500 .", "rmdir \"$PWD\"", "mkfifo fifo"];
    let scripts = changes.map(|change| format!("{LOOK} && {change}"));
    let place = run_all(&[&scripts[..], &[LOOK.to_owned()]].concat());
    assert_eq!((different(&place, "names"), different(&place, "modes")), (7, 1));
}

#[test]
fn a_process_left_in_a_directory_is_not_in_the_next_one() {
    let stays = "cd \"$SPEC_RUNNER_TMP\"; env -i setsid sleep 600 & echo $! > \"$OLDPWD/pid\"; sleep 0.2";
    let is_away = format!("readlink /proc/$(cat pid)/cwd | grep -q deleted && {LOOK}");
    let place = place_with(&json!([shell("STAYS", stays), shell("NEXT", &is_away), shell("LAST", LOOK)]));
    let results = run(&place, &["-j", "1", "--report", "jsonl"]).json_lines();
    assert_eq!(each(&results, "status"), ["pass"; 3], "{results:#?}");
}

#[test]
fn names_that_a_case_has_taken_are_nobody_elses() {
    let takes = "cd \"$SPEC_RUNNER_TMP/..\"; touch 2 mine; mkdir 3; touch 3/file; ln -s / 4";
    let place = run_all(&[takes, LOOK, LOOK].map(str::to_owned));
    let names = std::fs::read_to_string(place.path("names")).unwrap();
    let names: Vec<_> = names.lines().map(|line| line.rsplit('/').next().unwrap()).collect();
    assert_eq!(names, ["5", "6"]);
}

#[test]
fn what_cannot_be_removed_is_told() {
    let replaced = "run=$(dirname \"$SPEC_RUNNER_TMP\"); rm -r \"$run\" && touch \"$run\"";
    let place = place_with(&json!([shell("C", replaced)]));
    let ended = run(&place, &[]);
    let left = left_behind(&place);
    assert_eq!(left.len(), 1, "{left:?}");
    let left = place.path("tmp").join(&left[0]);
    let told = format!("WARN: cannot remove {}: not a directory\n", left.display());
    assert!(ended.stderr.ends_with(&told), "{}", ended.stderr);
}
