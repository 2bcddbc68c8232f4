//! The same inputs give the same bytes: however many jobs, in whatever order files are listed, in every locale, time zone, path and environment.
#![cfg(unix)]

mod worlds;

use std::collections::BTreeSet;

use probative::report::Format;
use worlds::project::{self, NAMES};
use worlds::{Left, Made, World};

/// Dates are judged by it, wherever that is.
const NOW: [&str; 3] = ["--no-timings", "--now", "2026-01-15T12:00:00Z"];

/// A report in every format to a file in `out`, and one for people on standard output.
fn every_report() -> Vec<String> {
    let mut arguments = vec!["--report".to_owned(), "human".to_owned()];
    for format in Format::ALL {
        arguments.extend(["--report".to_owned(), format!("{0}=out/{0}", format.name())]);
    }
    arguments
}

/// Runs a command with every report.
fn reported(made: &Made, command: &[&str]) -> Left {
    let reports = every_report();
    let reports: Vec<&str> = reports.iter().map(String::as_str).collect();
    made.run(&[command, &NOW, &reports].concat())
}

/// Everything is the same as in the first world.
#[track_caller]
fn are_the_same(left: &[Left]) {
    for other in &left[1..] {
        left[0].is_the_same_as(other);
    }
}

const RUN: [&str; 12] = [
    "run",
    "-r",
    "--formats",
    "md,yaml,json,tests",
    "--retries",
    "1",
    "--baseline",
    "base.json",
    "--save-baseline",
    "out/saved",
    "--journal",
    "out/journal",
];

#[test]
fn a_run_is_told_in_the_same_bytes_everywhere() {
    let files = project::documents();
    let mut orders = BTreeSet::new();
    let mut left = Vec::new();
    for world in World::all() {
        let made = world.make(&files);
        orders.insert(made.listed("names"));
        // The journal is written as cases end, so only its order may differ.
        left.push(reported(&made, &RUN).sorting("journal"));
    }
    // One order everywhere would still show something, if it is not that of the names: the next test asks for that one.
    let tells = orders.len() > 1 || orders.iter().any(|order| !order.is_sorted());
    assert!(tells, "the file systems here list names in one order only: {orders:?}");
    are_the_same(&left);
    let first = &left[0];
    assert_eq!(first.left.len(), 3 + Format::ALL.len() + 2, "{:?}", first.left.keys());
    let told = first.text("standard output");
    for text in ["passed", "failed", "errors", "skipped", "flaky", "exercised", "worse", "better", "trials"] {
        assert!(told.contains(text), "{text} is not in\n{told}");
    }
    assert!(first.text("standard error").contains("AH001"), "{}", first.text("standard error"));
    assert!(first.text("json").contains(r#""gone""#), "{}", first.text("json"));
}

#[test]
fn a_run_that_stops_early_is_told_in_the_same_bytes_everywhere() {
    let files = project::documents();
    let stopped = |world: World| reported(&world.make(&files), &["run", "-r", "names", "--fail-fast"]);
    let left: Vec<Left> = World::some().into_iter().map(stopped).collect();
    are_the_same(&left);
}

#[test]
fn documents_and_suites_are_found_in_the_order_of_their_names() {
    let files = project::documents();
    let left: Vec<Left> =
        World::some().iter().map(|world| world.make(&files).run(&["run", "-r", "--list"])).collect();
    are_the_same(&left);
    let told = left[0].text("standard output");
    let name = |line: &'_ str| Some(line.split_once("names/")?.1.split_once(':')?.0.to_owned());
    let names: Vec<String> = told.lines().filter_map(name).collect();
    assert!(names.len() == NAMES.len() && names.is_sorted(), "{told}");
}

#[test]
fn ten_thousand_subjects_are_judged_in_the_same_bytes_everywhere() {
    let files = project::responses(10_000);
    let judge = |world: World| {
        let made = world.make(&files);
        reported(&made, &["check", "q.yaml", "many.jsonl", "globbed/*.json", "below", "-r"])
    };
    let left: Vec<Left> = World::some().into_iter().map(judge).collect();
    are_the_same(&left);
    let told = left[0].text("standard output");
    assert!(told.contains("\n10003 subjects: "), "{}", &told[told.len() - 500..]);
}

#[test]
fn conformance_is_told_in_the_same_bytes_everywhere() {
    let files = project::conformance();
    // Some of its commands say where they are, so that is the same place.
    let made = World::some()[0].make(&files);
    let told = |world: World| {
        reported(&made.seen_from(world), &["conformance", "specs/conformance", "--out", "out/conformance"])
    };
    let left: Vec<Left> = World::some().into_iter().map(told).collect();
    are_the_same(&left);
    assert!(left[0].text("conformance").len() > 10_000);
}

#[test]
fn what_only_reads_says_the_same_everywhere() {
    let mut files = project::documents();
    files.extend(project::traces());
    files.extend(project::conformance().split_off(1));
    let made: Vec<Made> = World::some().iter().map(|world| world.make(&files)).collect();
    for (command, says) in [
        (&["lint", "-r", "--formats", "md,yaml,json,tests"][..], "AH001"),
        (&["show", "vectors/traces", "recorded", "-r"], "refund"),
        (&["show", "specs/conformance/fixtures/agents/*.json", "--budget", "100"], "Be kind."),
        (&["convert", "vectors/traces", "-r"], "\"steps\""),
    ] {
        let left: Vec<Left> = made.iter().map(|made| made.run(command)).collect();
        are_the_same(&left);
        assert!(
            left[0].text("standard output").contains(says),
            "{command:?}: {}",
            left[0].text("standard error")
        );
    }
}
