//! How what changed since a baseline is told, and what it makes of the exit code.

use std::time::Duration;

use probative::baseline::{Baseline, Comparison, Entry, FailOn};
use probative::report::{Format, Status, Style, Summary, Verbosity};
use serde_json::{Value, json};

fn entry(id: &str, status: Status, trials: Option<(usize, usize)>, milliseconds: u64, cost: f64) -> Entry {
    Entry {
        id: id.to_owned(),
        status,
        passed: trials.map(|trials| trials.0),
        ran: trials.map(|trials| trials.1),
        duration: Some(Duration::from_millis(milliseconds)),
        cost: Some(cost),
    }
}

/// Something of everything.
fn comparison() -> Comparison {
    let before = vec![
        entry("gone\u{1b}[31m", Status::Pass, None, 1, 0.0),
        entry("R-1", Status::Pass, None, 120, 0.01),
        entry("R-2", Status::Pass, None, 1, 0.0),
        entry("R-3", Status::Pass, Some((80, 100)), 100, 0.0),
        entry("R-4", Status::Pass, Some((10, 10)), 10, 0.1),
        entry("R-5", Status::Error, None, 0, 0.0),
    ];
    let now = [
        entry("R-1", Status::Pass, None, 480, 0.02),
        entry("R-2", Status::Fail, None, 1, 0.0),
        entry("R-3", Status::Pass, Some((50, 100)), 100, 0.0),
        entry("R-4", Status::Fail, Some((9, 10)), 10, 0.1),
        entry("R-5", Status::Pass, None, 9_000, 0.25),
        entry("R-6", Status::Pass, None, 1, 0.0),
    ];
    Comparison::between(&Baseline::from(before), &now, |_| true)
}

fn summary(comparison: Option<Comparison>) -> Summary {
    Summary { total: 6, passed: 4, failed: 2, comparison, ..Summary::default() }
}

fn tail(summary: &Summary, colour: bool) -> String {
    Format::Human
        .renderer(Style { colour, noun: "case", rerun: None, verbosity: Verbosity::Normal })
        .frame(summary)
        .tail
}

#[test]
fn a_person_reads_what_got_worse_first() {
    let expected = "changes since the baseline:
  worse     R-2  pass → fail
  worse     R-3  80 of 100 → 50 of 100
  worse     R-4  pass → fail (10 of 10 → 9 of 10)
  slower    R-1  120 ms → 480 ms (4.0×)
  costlier  R-1  $0.0100 → $0.0200 (2.0×)
  costlier  R-5  $0.0000 → $0.2500
  better    R-5  error → pass
  new       R-6
  gone      gone\\u001b[31m

6 cases: 4 passed, 2 failed
";
    assert_eq!(tail(&summary(Some(comparison())), false), expected);
    let coloured = tail(&summary(Some(comparison())), true);
    assert!(coloured.contains("\u{1b}[31m") && coloured.contains("R-2  pass → fail\n"), "{coloured}");
}

#[test]
fn where_nothing_changed_or_nothing_is_compared() {
    let same = "no changes since the baseline\n6 cases: 4 passed, 2 failed\n";
    assert_eq!(tail(&summary(Some(Comparison::default())), false), same);
    assert_eq!(tail(&summary(None), false), "6 cases: 4 passed, 2 failed\n");
}

#[test]
fn a_machine_reads_every_list() {
    let told = serde_json::to_value(summary(Some(comparison()))).unwrap();
    let trials = |before: [usize; 2], now: [usize; 2]| -> Value {
        let counts = |[passed, ran]: [usize; 2]| json!({"passed": passed, "ran": ran});
        json!({"before": counts(before), "now": counts(now)})
    };
    let expected = json!({
        "worse": [
            {"id": "R-2", "before": "pass", "now": "fail"},
            {"id": "R-3", "before": "pass", "now": "pass", "trials": trials([80, 100], [50, 100])},
            {"id": "R-4", "before": "pass", "now": "fail", "trials": trials([10, 10], [9, 10])},
        ],
        "better": [{"id": "R-5", "before": "error", "now": "pass"}],
        "slower": [{"id": "R-1", "before_ms": 120.0, "now_ms": 480.0}],
        "costlier": [{"id": "R-1", "before": 0.01, "now": 0.02}, {"id": "R-5", "before": 0.0, "now": 0.25}],
        "new": ["R-6"],
        "gone": ["gone\u{1b}[31m"],
    });
    assert_eq!(told["baseline"], expected);
    assert_eq!(serde_json::to_value(summary(None)).unwrap().get("baseline"), None);
}

#[test]
fn only_a_regression_fails_where_only_regressions_do() {
    let mut fewer = comparison();
    fewer.worse.retain(|change| change.before == change.now);
    assert_eq!(fewer.worse.len(), 1);
    let on = |fail_on, comparison| Summary { fail_on, ..summary(comparison) };
    assert_eq!(on(FailOn::Regression, Some(comparison())).exit_code(), 1);
    assert_eq!(on(FailOn::Regression, Some(fewer.clone())).exit_code(), 0);
    assert_eq!(on(FailOn::Regression, None).exit_code(), 1);
    assert_eq!(on(FailOn::Failure, Some(fewer.clone())).exit_code(), 1);
    let regressed = on(FailOn::Regression, Some(comparison()));
    assert_eq!(Summary { interrupted: true, ..regressed.clone() }.exit_code(), 130);
    assert_eq!(Summary { askers_mistakes: 1, ..regressed }.exit_code(), 2);
    assert_eq!(Summary { askers_mistakes: 1, ..on(FailOn::Regression, Some(fewer.clone())) }.exit_code(), 2);
    assert_eq!(Summary { total: 0, ..on(FailOn::Regression, Some(fewer)) }.exit_code(), 2);
}
