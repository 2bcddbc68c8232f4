//! Commands that do what no command should.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::cases::{each, shell, shell_within};
use super::{left_behind, place_with, processes_of, run};

/// The results of cases that are run one after the other.
fn results(cases: &Value) -> Vec<Value> {
    let place = place_with(cases);
    let results = run(&place, &["-j", "1", "--report", "jsonl", "--no-timings"]).json_lines();
    assert_eq!((left_behind(&place), processes_of(&place)), (vec![], vec![]));
    results
}

fn message(result: &Value) -> &str {
    result["message"].as_str().unwrap_or_default()
}

#[test]
fn a_gigabyte_on_both_streams_takes_no_more_memory_than_is_kept() {
    let flood = "head -c 1000000000 /dev/zero & head -c 1000000000 /dev/zero >&2; wait";
    let measured = "grep VmHWM /proc/$PPID/status | tr -dc 0-9 > kilobytes";
    let place = place_with(&json!([shell("FLOOD", flood), shell("MEASURED", measured)]));
    let results = run(&place, &["-j", "1", "--report", "jsonl", "--no-timings"]).json_lines();
    assert_eq!(each(&results, "status"), ["pass", "pass"], "{}", message(&results[0]));
    let cut =
        |stream: &str| format!("{stream} was cut off after 16777216 bytes; 983222784 more were dropped");
    assert_eq!(results[0]["warnings"], json!([cut("stdout"), cut("stderr")]));
    let kilobytes: u64 = place.read("kilobytes").parse().unwrap();
    assert!(kilobytes < 256 << 10, "{kilobytes} kB");
}

#[test]
fn who_reads_for_ever_finds_the_end_or_the_time_limit() {
    let mut cases = json!([
        shell("NOTHING", "cat"),
        shell("TEXT", "cat; cat; cat"),
        shell("TERMINAL", "cat; cat; cat"),
        // The end is read again and again.
        shell_within("STUBBORN", "while :; do read line; done", 300),
    ]);
    cases[1]["harness"]["stdin_text"] = "text".into();
    cases[2]["harness"]["stdin_isatty"] = true.into();
    let begun = Instant::now();
    let results = results(&cases);
    assert_eq!(each(&results, "status"), ["pass", "pass", "pass", "error"], "{results:#?}");
    assert!(message(&results[3]).contains("timed out after 300 ms"));
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[test]
fn who_does_not_read_is_not_held_up() {
    let mut case = shell("DEAF", "exit 0");
    case["harness"]["stdin_text"] = "x".repeat(3 << 20).into();
    assert_eq!(each(&results(&case), "status"), ["pass"]);
}

#[test]
fn who_dies_by_a_signal_is_told_by_which() {
    let mut expected = shell("EXPECTED", "kill -TERM $$");
    expected["exit_code"] = 143.into();
    let cases = json!([
        shell("CRASHES", "echo half done >&2; kill -SEGV $$"),
        shell("KILLED", "kill -KILL $$"),
        shell("ONLY-SAYS-SO", "exit 139"),
        expected,
    ]);
    let results = results(&cases);
    assert_eq!(each(&results, "status"), ["fail", "fail", "fail", "pass"], "{results:#?}");
    let ends = "actual=139; killed by signal 11 (SEGV); stderr ends with: half done";
    assert!(message(&results[0]).contains(ends), "{}", message(&results[0]));
    assert!(
        message(&results[1]).contains("actual=137; killed by signal 9 (KILL)"),
        "{}",
        message(&results[1])
    );
    assert!(message(&results[2]).ends_with("actual=139"), "{}", message(&results[2]));
}

#[test]
fn who_closes_its_output_early_is_still_waited_for() {
    let cases = json!([
        shell("CLOSES", "echo said; exec >&- 2>&-; sleep 0.3; touch after"),
        shell("AFTER", "test -e after"),
        shell_within("NEVER-ENDS", "exec <&- >&- 2>&-; sleep 600", 200),
    ]);
    let results = results(&cases);
    assert_eq!(each(&results, "status"), ["pass", "pass", "error"], "{results:#?}");
    assert!(message(&results[2]).contains("timed out after 200 ms"));
}

#[test]
fn a_crowd_of_children_ends_with_its_case() {
    let crowd = "for i in 1 2 3 4 5 6 7 8 9 10; do (setsid sh -c 'for j in 1 2 3 4 5; do setsid sleep 600 & done; wait' &); sleep 600 & done; \
                 sleep 0.2; exit 0";
    let place = place_with(&json!([shell("CROWD", crowd)]));
    run(&place, &[]).with(0, &["1 passed"], &[]);
    assert_eq!(processes_of(&place), [""; 0]);
}
