//! The processes of cases: none outlives its case, and an interrupt loses nothing.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::cases::{each, exit_code, is_gone, shell, shell_within, signal, written};
use super::place::Place;
use super::{command, left_behind, place_with, run};

fn pid(place: &Place, file: &str) -> String {
    written(&place.path(file))
}

#[test]
fn a_time_limit_ends_the_whole_tree() {
    // A shell, its child, and that one's child.
    let tree = "sh -c 'sleep 600 & echo $! > grandchild; wait' & echo $! > child; echo half done; echo still at it >&2; wait";
    let place = place_with(&json!([shell_within("TREE", tree, 300), shell("NEXT", "true")]));
    let begun = Instant::now();
    let ended = run(&place, &["--report", "jsonl", "--no-timings"]);
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    assert_eq!(ended.code, 1);
    let results = ended.json_lines();
    assert_eq!((&results[0]["status"], &results[0]["category"]), (&"error".into(), &"runtime".into()));
    let told = "a.spec.json:1:224: the command timed out after 300 ms; stderr ends with: still at it; stdout ends with: half done";
    assert_eq!(results[0]["message"], told);
    assert_eq!(results[1]["status"], "pass");
    assert!(is_gone(&pid(&place, "child")) && is_gone(&pid(&place, "grandchild")));
    assert_eq!(left_behind(&place), [""; 0]);
}

#[test]
fn who_does_not_end_when_asked_is_made_to() {
    let stubborn = "trap '' TERM; sleep 600 & echo $! > child; echo $$ > leader; while :; do sleep 60; done";
    let place = place_with(&shell_within("STUBBORN", stubborn, 100));
    let begun = Instant::now();
    run(&place, &[]).with(1, &["the command timed out after 100 ms"], &[]);
    assert!((2.0..4.5).contains(&begun.elapsed().as_secs_f64()), "{:?}", begun.elapsed());
    assert!(is_gone(&pid(&place, "leader")) && is_gone(&pid(&place, "child")));
}

#[test]
fn who_is_asked_to_end_may_tidy_up() {
    let tidy = "trap 'echo tidied > tidied; exit 0' TERM; echo $$ > leader; while :; do sleep 0.02; done";
    let place = place_with(&shell_within("TIDY", tidy, 300));
    run(&place, &[]).with(1, &["the command timed out after 300 ms"], &[]);
    assert_eq!(pid(&place, "tidied"), "tidied");
}

#[test]
fn who_keeps_the_output_open_holds_nobody_up() {
    let place = place_with(&json!([
        shell("CHILD", "sleep 600 & echo $! > child; echo done"),
        shell("ESCAPED", "setsid sleep 4 & echo done"),
    ]));
    let begun = Instant::now();
    assert_eq!(run(&place, &[]).code, 0);
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    assert!(is_gone(&pid(&place, "child")));
}

#[test]
fn output_is_kept_up_to_a_limit_and_that_is_said() {
    let much = "head -c 17000000 /dev/zero | tr '\\0' x; echo the end >&2";
    let mut cases = json!([shell("MUCH", much), shell_within("ENDLESS", "yes", 200)]);
    cases[0]["assert"] = json!([
        {"target": "stdout", "must": [{"contain": ["xxx"]}]},
        {"target": "stderr", "must": [{"contain": ["the end"]}]},
    ]);
    let place = place_with(&cases);
    let begun = Instant::now();
    let results = run(&place, &["--report", "jsonl", "--no-timings"]).json_lines();
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!(each(&results, "status"), ["pass", "error"], "{results:#?}");
    assert_eq!(
        results[0]["warnings"],
        json!(["stdout was cut off after 16777216 bytes; 222784 more were dropped"])
    );
    assert!(results[1]["message"].as_str().unwrap().contains("timed out after 200 ms"));
}

#[test]
fn nothing_is_left_behind_unless_it_is_to_be_kept() {
    let mut cases = json!([
        shell("PASSES", "mkdir -p \"$SPEC_RUNNER_TMP/a/b\"; touch \"$SPEC_RUNNER_TMP/a/b/c\""),
        shell("FAILS", "touch \"$SPEC_RUNNER_TMP/x\"; exit 1"),
        shell_within("LATE", "touch \"$SPEC_RUNNER_TMP/x\"; sleep 600", 100),
        shell("LOCKED", "mkdir \"$SPEC_RUNNER_TMP/d\"; touch \"$SPEC_RUNNER_TMP/d/f\"; chmod 500 \"$SPEC_RUNNER_TMP/d\""),
        shell("HOOKED", "true"),
        // Not even beside those that run later.
        shell("ALONE", "test $(ls \"$SPEC_RUNNER_TMP/..\" | wc -l) -eq 1"),
        {"id": "PYTHON", "type": "cli.run", "harness": {"entrypoint": "os:getcwd"}},
    ]);
    cases[0]["harness"]["setup_files"] = json!([{"path": "deep/er/file.txt", "text": "here"}]);
    cases[4]["harness"]["hook_before"] = "false".into();
    let place = place_with(&cases);
    let results = run(&place, &["-j", "1", "--report", "jsonl"]).json_lines();
    assert_eq!(
        each(&results, "status"),
        ["pass", "fail", "error", "pass", "error", "pass", "fail"],
        "{results:#?}"
    );
    assert_eq!(left_behind(&place), [""; 0]);
    let kept = run(&place, &["--keep-temp", "--filter", "PASSES", "--report", "jsonl"]).json_lines();
    let warning = kept[0]["warnings"][0].as_str().unwrap();
    let directory = std::path::Path::new(warning.strip_prefix("kept ").unwrap());
    assert!(directory.starts_with(place.path("tmp").canonicalize().unwrap()), "{warning}");
    assert_eq!(std::fs::read_to_string(directory.join("deep/er/file.txt")).unwrap(), "here");
    assert!(directory.join("a/b/c").exists());
}

/// A run that is broken off by a signal while its second case runs: its report, and how long it took to end.
fn broken_off(with: &str, script: &str) -> (Place, Value, Duration) {
    let cases = json!([shell("DONE", "true"), shell("CUT", script), shell("NEVER", "touch never")]);
    let place = place_with(&cases);
    let reports =
        ["--report", "json=out.json", "--report", "human=told.txt", "--journal", "j.jsonl", "-j", "1"];
    let mut child = command(&place, &reports).spawn().unwrap();
    written(&place.path("ready"));
    let begun = Instant::now();
    signal(with, child.id());
    assert_eq!(exit_code(&mut child), Some(130), "{with}");
    let took = begun.elapsed();
    let report: Value = serde_json::from_str(&place.read("out.json")).unwrap();
    (place, report, took)
}

#[test]
fn an_interrupt_ends_everything_and_still_tells_the_reports() {
    let tree =
        "sleep 600 & echo $! > child; touch \"$SPEC_RUNNER_TMP/x\"; echo $$ > leader; echo 1 > ready; wait";
    for with in ["INT", "TERM", "HUP"] {
        let (place, report, took) = broken_off(with, tree);
        assert!(took < Duration::from_millis(1500), "{with}: {took:?}");
        assert!(is_gone(&pid(&place, "leader")) && is_gone(&pid(&place, "child")), "{with}");
        assert_eq!(left_behind(&place), [""; 0], "{with}");
        assert_eq!(
            place.files(),
            ["a.spec.json", "child", "j.jsonl", "leader", "out.json", "ready", "tmp", "told.txt"]
        );
        let summary = &report["summary"];
        assert_eq!(
            (&summary["interrupted"], &summary["total"], &summary["passed"]),
            (&true.into(), &2.into(), &1.into())
        );
        let results = report["results"].as_array().unwrap();
        assert_eq!(each(results, "id"), ["DONE", "CUT"]);
        assert_eq!(each(results, "category"), ["null", "runtime"]);
        assert!(results[1]["message"].as_str().unwrap().ends_with("the command was interrupted"));
        let told = place.read("told.txt");
        assert!(
            told.contains("ERROR CUT  a.spec.json:1")
                && told.contains("interrupted after 2 cases: 1 passed, 1 error"),
            "{told}"
        );
        let journal: Vec<Value> =
            place.read("j.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(each(&journal, "id"), ["DONE", "CUT"]);
    }
}

#[test]
fn many_cases_at_once_are_all_ended_and_told() {
    let cases: Vec<Value> = (0..6)
        .map(|number| shell(&format!("C{number}"), &format!("echo $$ > pid{number}; sleep 600")))
        .collect();
    let place = place_with(&cases.into());
    let mut child = command(&place, &["-j", "4", "--report", "json=out.json"]).spawn().unwrap();
    let pids: Vec<String> = (0..4).map(|number| pid(&place, &format!("pid{number}"))).collect();
    signal("INT", child.id());
    assert_eq!(exit_code(&mut child), Some(130));
    assert!(pids.iter().all(|pid| is_gone(pid)));
    let report: Value = serde_json::from_str(&place.read("out.json")).unwrap();
    assert_eq!(each(report["results"].as_array().unwrap(), "id"), ["C0", "C1", "C2", "C3"]);
    assert!(!place.path("pid4").exists());
    assert_eq!(left_behind(&place), [""; 0]);
}

#[test]
fn a_second_interrupt_asks_nobody() {
    let stubborn = "trap '' TERM; echo $$ > leader; echo 1 > ready; while :; do sleep 60; done";
    let place = place_with(&shell("STUBBORN", stubborn));
    let mut child = command(&place, &["--report", "json=out.json"]).spawn().unwrap();
    let leader = pid(&place, "leader");
    written(&place.path("ready"));
    let begun = Instant::now();
    signal("INT", child.id());
    std::thread::sleep(Duration::from_millis(100));
    signal("INT", child.id());
    assert_eq!(exit_code(&mut child), Some(130));
    assert!(begun.elapsed() < Duration::from_millis(1500), "{:?}", begun.elapsed());
    assert!(is_gone(&leader));
    let report: Value = serde_json::from_str(&place.read("out.json")).unwrap();
    assert_eq!(report["summary"]["interrupted"], true);
    assert_eq!(left_behind(&place), [""; 0]);
}

#[test]
fn a_run_that_is_killed_has_kept_what_had_finished_and_breaks_no_report() {
    let mut cases: Vec<Value> = (0..5).map(|number| shell(&format!("C{number}"), "true")).collect();
    cases.push(shell("CUT", "trap '' TERM HUP; sleep 600 & echo $! > child; echo $$ > leader; wait"));
    let place = place_with(&cases.into());
    place.write("out.json", b"old");
    let reports =
        ["-j", "1", "--report", "json=out.json", "--report", "jsonl=new.jsonl", "--journal", "j.jsonl"];
    let mut child = command(&place, &reports).spawn().unwrap();
    let leader = pid(&place, "leader");
    // The watchdog is told of a group right after it was started.
    std::thread::sleep(Duration::from_millis(200));
    signal("KILL", child.id());
    assert_eq!(exit_code(&mut child), None);
    let journal: Vec<Value> =
        place.read("j.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(each(&journal, "id"), ["C0", "C1", "C2", "C3", "C4"]);
    assert_eq!(each(&journal, "status"), ["pass"; 5]);
    assert_eq!(place.read("out.json"), "old");
    assert!(!place.path("new.jsonl").exists());
    assert!(is_gone(&leader) && is_gone(&pid(&place, "child")), "what it ran has outlived it");
    let begun = Instant::now();
    while !left_behind(&place).is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", left_behind(&place));
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_signal_that_was_ignored_from_the_start_stays_ignored() {
    let case = r#"{"id": "SLOW", "type": "cli.run", "harness": {"entrypoint": "sleep 1"}, "exit_code": 0}"#;
    let place = Place::with(&[("a.spec.json", case)]);
    let probative = assert_cmd::cargo::cargo_bin!("probative").display().to_string();
    let script = format!(
        "trap '' HUP\n{probative} run a.spec.json --no-timings & p=$!\nsleep 0.4\nkill -HUP $p\nwait $p"
    );
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).current_dir(place.path(".")).env("XDG_CACHE_HOME", place.cache());
    let ended = shell.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&ended.stdout), "1 case: 1 passed\n");
    assert_eq!(ended.status.code(), Some(0));
}
