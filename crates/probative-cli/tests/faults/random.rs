//! A run that is killed or interrupted at some moment, whichever it is.

use std::time::Duration;

use serde_json::{Value, json};

use super::cases::{exit_code, shell, signal};
use super::place::Place;
use super::{command, left_behind, place_with, processes_of, run, soon};

/// How many moments each test tries.
const MOMENTS: usize = 12;

/// What is written beside the journal, and how each ends when it is whole.
const REPORTS: [(&str, &str); 3] =
    [("json=out.json", "}\n"), ("junit=out.xml", "</testsuites>\n"), ("html=out.html", "</html>\n")];

/// Cases of all kinds: quick ones, slow ones, one that would take far too long, some that leave their group.
fn cases() -> Value {
    let case = |number: usize| {
        let script = match number % 8 {
            0 => "sleep 0.05",
            1 => "setsid sleep 600 & sleep 0.01",
            2 => "(setsid sleep 600 &); trap '' TERM; sleep 0.02",
            3 => "head -c 100000 /dev/zero | tr '\\0' x",
            4 => "touch \"$SPEC_RUNNER_TMP/file\"; exit 1",
            _ => "true",
        };
        shell(&format!("C-{number}"), script)
    };
    let long = shell("LONG", "setsid sleep 600 & sleep 600");
    (0..40).map(case).chain([long]).chain([shell("QUICK", "true")]).collect()
}

/// Moments after the start of a run, in milliseconds: another sequence for every day, and always told.
fn moments(seed: u64, within: u64) -> impl Iterator<Item = Duration> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Duration::from_micros((state >> 33) % (within * 1000))
    })
}

fn seed() -> u64 {
    let given = std::env::var("FAULTS_SEED").ok().and_then(|seed| seed.parse().ok());
    let days = || std::time::UNIX_EPOCH.elapsed().unwrap().as_secs() / 86400;
    let seed = given.unwrap_or_else(days);
    println!("FAULTS_SEED={seed}");
    seed
}

fn arguments() -> Vec<&'static str> {
    let reports = REPORTS.iter().flat_map(|(report, _)| ["--report", report]);
    ["-j", "4", "--journal", "j.jsonl"].into_iter().chain(reports).collect()
}

/// Nothing that was written is there in part: a report is the old one, a new one, or absent.
fn assert_whole(place: &Place, when: &str) {
    for (report, end) in REPORTS {
        let name = report.split_once('=').unwrap().1;
        let text = std::fs::read_to_string(place.path(name)).unwrap_or_else(|_| "old".to_owned());
        assert!(text == "old" || text.ends_with(end), "{when}: {name} is there in part: {text}");
        if name == "out.json" && text != "old" {
            serde_json::from_str::<Value>(&text).unwrap();
        }
    }
}

/// Every line of the journal that is complete can be read, and the others are at most so many.
fn assert_readable(place: &Place, cut: usize, when: &str) {
    let journal = std::fs::read_to_string(place.path("j.jsonl")).unwrap_or_default();
    let is_result =
        |line: &&str| serde_json::from_str::<Value>(line).is_ok_and(|line| line["id"].is_string());
    let unread: Vec<&str> = journal.lines().filter(|line| !is_result(line)).collect();
    assert!(unread.len() <= cut, "{when}: {unread:?}");
}

/// The incomplete files in a place.
fn partials(place: &Place) -> Vec<String> {
    place.files().into_iter().filter(|name| name.ends_with(".partial")).collect()
}

#[test]
fn killed_at_any_moment_a_run_leaves_nothing_in_part_and_nobody_alive() {
    let place = place_with(&cases());
    let mut were_partial = 0;
    for (at, moment) in moments(seed(), 500).take(MOMENTS).enumerate() {
        let when = format!("killed after {moment:?}");
        place.write("out.json", b"old");
        let mut child = command(&place, &arguments()).spawn().unwrap();
        std::thread::sleep(moment);
        signal("KILL", child.id());
        assert_eq!(exit_code(&mut child), None, "{when}: it has ended before");
        assert!(soon(3, || processes_of(&place).is_empty()), "{when}: {:?}", processes_of(&place));
        assert_whole(&place, &when);
        assert_readable(&place, at + 1, &when);
        were_partial += partials(&place).len();
        // The next run finds all in order, and leaves it so.
        let next = run(&place, &[&arguments()[..], &["--filter", "QUICK"]].concat());
        next.with(0, &[], &["1 case: 1 passed"]);
        assert_eq!(partials(&place), [""; 0], "{when}");
        assert!(soon(3, || left_behind(&place).is_empty()), "{when}: {:?}", left_behind(&place));
        let journal = place.read("j.jsonl");
        let last: Value = serde_json::from_str(journal.lines().last().unwrap()).unwrap();
        assert_eq!((&last["id"], journal.ends_with('\n')), (&json!("QUICK"), true), "{when}");
    }
    assert!(were_partial > 0, "no run was killed while it wrote");
}

#[test]
fn interrupted_at_any_moment_a_run_tells_what_had_ended_and_leaves_nobody_alive() {
    let place = place_with(&cases());
    let mut heard = 0;
    for (at, moment) in moments(seed() + 1, 400).take(MOMENTS).enumerate() {
        let with = ["INT", "TERM"][at % 2];
        let when = format!("{with} after {moment:?}");
        let _ = std::fs::remove_file(place.path("j.jsonl"));
        for (report, _) in REPORTS {
            place.write(report.split_once('=').unwrap().1, b"old");
        }
        let mut child = command(&place, &arguments()).stderr(std::process::Stdio::null()).spawn().unwrap();
        std::thread::sleep(moment);
        signal(with, child.id());
        let code = exit_code(&mut child);
        assert_eq!(left_behind(&place), [""; 0], "{when}");
        assert_eq!(partials(&place), [""; 0], "{when}");
        assert!(processes_of(&place).is_empty(), "{when}: {:?}", processes_of(&place));
        assert_whole(&place, &when);
        assert_readable(&place, 0, &when);
        if code.is_none() {
            // Before anybody listened, and before anything was done.
            assert!(!place.path("j.jsonl").exists() && place.read("out.json") == "old", "{when}");
            continue;
        }
        assert_eq!(code, Some(130), "{when}");
        heard += 1;
        let report: Value = serde_json::from_str(&place.read("out.json")).unwrap();
        assert_eq!(report["summary"]["interrupted"], true, "{when}");
        let kept = place.read("j.jsonl").lines().count();
        assert_eq!(report["results"].as_array().unwrap().len(), kept, "{when}");
    }
    assert!(heard >= MOMENTS / 2, "{heard}");
}

#[test]
fn a_line_that_was_cut_stays_apart_from_the_next() {
    let place = place_with(&shell("QUICK", "true"));
    place.write("j.jsonl", b"{\"id\":\"A\",\"status\":\"pass\"}\n{\"id\":\"B\",\"sta");
    run(&place, &["--journal", "j.jsonl"]).with(0, &[], &[]);
    run(&place, &["--journal", "j.jsonl"]).with(0, &[], &[]);
    let journal = place.read("j.jsonl");
    let lines: Vec<&str> = journal.lines().collect();
    assert_eq!((lines.len(), lines[1]), (4, "{\"id\":\"B\",\"sta"));
    assert!(lines[2..].iter().all(|line| serde_json::from_str::<Value>(line).unwrap()["id"] == "QUICK"));
}
