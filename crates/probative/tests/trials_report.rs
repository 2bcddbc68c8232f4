//! How trials are told: a strip and the ways to fail for people, all numbers for machines.

use std::time::Duration;

use probative::question::Judgement;
use probative::report::{Asked, CaseResult, Format, Outcome, Status, Style, Telling, Verbosity};
use probative::trials::{PassRule, Trial, Trials};
use probative::verdict::{Error, ErrorKind, Place, Verdict};
use serde_json::{Value, json};

const MESSAGE: &str = "'refund' was called 2 times, expected at most once";

fn trial(message: Option<&str>) -> Trial {
    let status = if message.is_some() { Status::Fail } else { Status::Pass };
    Trial {
        status,
        message: message.map(str::to_owned),
        summary: None,
        recording: None,
        cost: None,
        duration: None,
    }
}

/// Trials by their marks: `✓` passes, any other letter fails with a message of its own.
fn trials(marks: &str, planned: usize, rule: PassRule) -> Trials {
    let ran = marks.chars().map(|mark| match mark {
        '✓' => trial(None),
        '✗' => trial(Some(MESSAGE)),
        other => trial(Some(&format!("{other}\n{}", "long ".repeat(30)))),
    });
    Trials { planned, rule, ran: ran.collect(), shown: None }
}

/// What becomes of a case that was asked one thing.
fn with_result<T>(passes: bool, trials: Option<Trials>, told: impl FnOnce(CaseResult<'_>) -> T) -> T {
    let asked = Asked::one("tool_call_count", Place { file: "refund.spec.md".into(), ..Place::default() });
    let mut judgement = Judgement::default();
    let verdict = if passes { Verdict::Pass } else { Verdict::fail(MESSAGE).into() };
    judgement.take(0, Ok(verdict));
    told(CaseResult {
        line: Some(3),
        trials,
        ..CaseResult::bare(
            "REFUND-2".to_owned(),
            "agent.run",
            "refund.spec.md",
            &asked,
            Outcome::Judged(judgement),
        )
    })
}

fn rendered(format: Format, colour: bool, result: &CaseResult<'_>) -> String {
    let mut out = Vec::new();
    format
        .renderer(Style { colour, noun: "case", rerun: None, verbosity: Verbosity::Normal })
        .result(result, &mut out);
    String::from_utf8(out).unwrap()
}

fn human(passes: bool, trials: Trials) -> (Telling, String) {
    with_result(passes, Some(trials), |result| {
        let renderer = Format::Human.renderer(Style {
            colour: false,
            noun: "case",
            rerun: None,
            verbosity: Verbosity::Normal,
        });
        (renderer.telling(&result), rendered(Format::Human, false, &result))
    })
}

const FAILURE: &str = "  Test FAILS (1 of 1 assertion failed)

  tool_call_count  refund.spec.md
    'refund' was called 2 times, expected at most once

";

#[test]
fn a_failing_case_tells_its_trials_before_what_went_wrong_in_one() {
    let (telling, told) = human(false, trials("✓✓✗✓✓✓✓✗✓✓", 10, PassRule::All));
    assert_eq!(telling, Telling::Full);
    let expected = "FAIL REFUND-2
  trials  ✓✓✗✓✓✓✓✗✓✓  8 of 10 passed (pass: all), 95% interval 49–94%
          pass@1 80%, pass@3 100%, pass^3 47%
          2×  'refund' was called 2 times, expected at most once  (trials 3, 8)

";
    assert_eq!(told, format!("{expected}{FAILURE}"));
}

#[test]
fn a_passing_case_tells_of_trials_only_if_some_failed() {
    let (telling, told) = human(true, trials("✓✗✓", 3, PassRule::Majority));
    assert_eq!(telling, Telling::Note);
    let expected = "PASS REFUND-2
  trials  ✓✗✓  2 of 3 passed (pass: majority), 95% interval 21–94%
          pass@1 67%, pass@2 100%, pass^2 33%
          1×  'refund' was called 2 times, expected at most once  (trial 2)

";
    assert_eq!(told, expected);
    assert_eq!(human(true, trials("✓✓✓", 3, PassRule::All)), (Telling::Silent, String::new()));
}

#[test]
fn without_trials_nothing_is_told_of_them() {
    let told = with_result(false, None, |result| rendered(Format::Human, false, &result));
    assert_eq!(told, format!("FAIL REFUND-2\n{FAILURE}"));
    assert_eq!(with_result(true, None, |result| rendered(Format::Human, false, &result)), "");
    let line = with_result(true, None, |result| rendered(Format::Jsonl, false, &result));
    assert!(!line.contains("trials") && !line.contains("cost"), "{line}");
}

#[test]
fn a_case_without_a_verdict_tells_what_was_run() {
    let told = with_result(true, Some(trials("✓✗", 5, PassRule::Share(0.5))), |result| {
        let error = Error::new(ErrorKind::Exhausted("3 of 5 trials would cost too much".to_owned()));
        let result = CaseResult { outcome: Outcome::Errors(vec![error]), ..result };
        rendered(Format::Human, false, &result)
    });
    let expected = "ERROR REFUND-2
  trials  ✓✗···  1 of 2 passed (pass: 0.5), 3 not run, 95% interval 9–91%
          pass@1 50%
          1×  'refund' was called 2 times, expected at most once  (trial 2)

  3 of 5 trials would cost too much
  1 assertion not judged: tool_call_count

";
    assert_eq!(told, expected);
    let (_, told) = human(false, trials("", 4, PassRule::Any));
    assert!(told.contains("\n  trials  ····  none of 4 ran (pass: any)\n\n"), "{told}");
}

#[test]
fn many_trials_and_many_messages_stay_readable() {
    let many = "✓".repeat(999) + "✗";
    let (_, told) = human(true, trials(&many, 1000, PassRule::Share(0.9)));
    let strip = "✓".repeat(100);
    let first = format!("  trials  {strip} … and 900 more  999 of 1000 passed (pass: 0.9), ");
    assert!(told.contains(&(first + "95% interval 99.4–100.0%\n")), "{told}");
    assert!(
        told.contains("pass@1 over 99%, pass@3 100%, pass^3 over 99%, pass@10 100%, pass^10 99%\n"),
        "{told}"
    );
    let (_, told) = human(false, trials(&("abcdefg".to_owned() + &"✗".repeat(12)), 19, PassRule::All));
    assert!(told.contains("12×  'refund'"), "{told}");
    assert!(told.contains("(trials 8, 9, 10, 11, 12, 13, 14, 15, 16, 17 and 2 more)\n"), "{told}");
    assert!(told.contains("1×  a\\nlong long "), "{told}");
    assert!(
        told.contains("...  (trial 1)\n") && told.contains("\n          … and 3 other failure messages\n"),
        "{told}"
    );
    assert!(told.lines().all(|line| line.chars().count() < 170), "{told}");
}

#[test]
fn colour_changes_nothing_but_the_colour() {
    let (plain, coloured) = with_result(false, Some(trials("✓✗✓", 4, PassRule::All)), |result| {
        (rendered(Format::Human, false, &result), rendered(Format::Human, true, &result))
    });
    let mut bare = String::new();
    for (at, piece) in coloured.split('\u{1b}').enumerate() {
        bare.push_str(if at == 0 { piece } else { piece.split_once('m').unwrap().1 });
    }
    assert!(coloured.len() > plain.len());
    assert_eq!(bare, plain);
}

#[test]
fn machines_are_told_every_number() {
    let mut three = trials("✓✗✓", 4, PassRule::Share(0.5));
    three.ran[0].cost = Some(0.1 + 0.2);
    three.ran[1].duration = Some(Duration::from_micros(1500));
    let line = with_result(true, Some(three), |result| {
        rendered(Format::Jsonl, false, &CaseResult { cost: Some(0.012_345_678_9), ..result })
    });
    let told: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(told["cost"], json!(0.012_346));
    let expected = json!({
        "n": 4, "ran": 3, "passed": 2, "pass": 0.5, "rate": 0.666_667, "interval": [0.207_66, 0.938_508],
        "pass_at": {"1": 0.666_667, "2": 1.0, "3": 1.0}, "pass_hat": {"1": 0.666_667, "2": 0.333_333, "3": 0.0},
        "modes": [{"message": MESSAGE, "count": 1, "trials": [2]}],
        "outcomes": [{"status": "pass", "cost": 0.3}, {"status": "fail", "duration_ms": 1.5, "message": MESSAGE}, {"status": "pass"}],
    });
    assert_eq!(told["trials"], expected);
    // In the order that is promised, which a comparison of objects does not see.
    assert_eq!(told["trials"].to_string(), expected.to_string());
    let named = with_result(true, Some(trials("✓", 1, PassRule::Majority)), |result| {
        rendered(Format::Jsonl, false, &result)
    });
    assert_eq!(serde_json::from_str::<Value>(&named).unwrap()["trials"]["pass"], "majority");
}
