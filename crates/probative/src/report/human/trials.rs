//! The trials of a case, for people: a strip of marks, what it says, and the ways in which trials failed.

use std::fmt::Write as _;

use super::{BAD, CaseResult, DIM, GOOD, Human, NAME, Outcome};
use crate::trials::{Mode, Trials};
use crate::value::excerpt::cut;
use crate::value::visible;

/// How many trials have a mark of their own.
const MARKS: usize = 100;
/// How many ways to fail are told.
const MODES: usize = 5;
/// How many of the trials that failed alike are named.
const NUMBERS: usize = 10;
/// What stands before all lines but the first, so that they begin under the strip.
const INDENT: &str = "          ";

/// The mark of a trial.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Passed,
    Failed,
    NotRun,
}

/// Whether a case that has nothing else to tell tells of its trials: it passes, but not all of them did.
pub(super) fn is_told(result: &CaseResult<'_>) -> bool {
    let has_failures = |trials: &Trials| trials.passed() < trials.ran.len();
    matches!(result.outcome, Outcome::Judged(_)) && result.trials.as_ref().is_some_and(has_failures)
}

/// Names the trial whose output is shown: `trial 2 of 5`, or `trial 2 of 5 (recorded/mug-2.json)`.
pub(super) fn shown(trials: &Trials) -> Option<String> {
    let number = trials.shown?;
    let recording = trials.ran.get(number - 1).and_then(|trial| trial.recording.as_deref());
    let recording = recording.map(|name| format!(" ({})", visible(name))).unwrap_or_default();
    Some(format!("trial {number} of {}{recording}", trials.planned))
}

impl Human {
    /// The trials, with an empty line behind them. A case without any tells nothing.
    pub(super) fn trials(&self, result: &CaseResult<'_>, told: &mut String) {
        let Some(trials) = &result.trials else { return };
        let _ = writeln!(told, "  {}  {}  {}", self.paint(NAME, "trials"), self.strip(trials), sum(trials));
        if !trials.ran.is_empty() {
            let _ = writeln!(told, "{INDENT}{}", self.paint(DIM, estimates(trials)));
        }
        let modes = trials.modes_for_people();
        for mode in modes.iter().take(MODES) {
            let count = self.paint(BAD, format_args!("{}×", mode.trials.len()));
            let numbers = self.paint(DIM, numbers(mode));
            let _ = writeln!(told, "{INDENT}{count}  {}  {numbers}", cut(mode.message));
        }
        let others = modes.len().saturating_sub(MODES);
        if others > 0 {
            let _ = writeln!(
                told,
                "{INDENT}… and {} other failure message{}",
                others,
                if others == 1 { "" } else { "s" }
            );
        }
        told.push('\n');
    }

    /// A mark for each trial, those that were not run among them: `✓✓✗✓·`.
    fn strip(&self, trials: &Trials) -> String {
        let ran = trials.ran.iter().map(|trial| if trial.passed() { Mark::Passed } else { Mark::Failed });
        let not_run = trials.planned.saturating_sub(trials.ran.len());
        let all = ran.chain(std::iter::repeat_n(Mark::NotRun, not_run));
        let marks: Vec<Mark> = all.clone().take(MARKS).collect();
        let mut strip = String::new();
        for alike in marks.chunk_by(Mark::eq) {
            let (mark, paint) = match alike[0] {
                Mark::Passed => ("✓", GOOD),
                Mark::Failed => ("✗", BAD),
                Mark::NotRun => ("·", DIM),
            };
            strip.push_str(&self.paint(paint, mark.repeat(alike.len())));
        }
        match all.count() - marks.len() {
            0 => strip,
            more => format!("{strip} … and {more} more"),
        }
    }
}

/// `8 of 10 passed (pass: all), 95% interval 49–94%`.
fn sum(trials: &Trials) -> String {
    let Trials { planned, rule, ran, .. } = trials;
    if ran.is_empty() {
        return format!("none of {planned} ran (pass: {rule})");
    }
    let not_run = match planned.saturating_sub(ran.len()) {
        0 => String::new(),
        count => format!(", {count} not run"),
    };
    let (low, high) = trials.wilson();
    // An interval so narrow would look like a point.
    let digits = usize::from(high - low < 0.1);
    let (low, high) = (low * 100.0, high * 100.0);
    let passed = trials.passed();
    format!(
        "{passed} of {} passed (pass: {rule}){not_run}, 95% interval {low:.digits$}–{high:.digits$}%",
        ran.len()
    )
}

/// `pass@1 80%, pass@3 100%, pass^3 47%`: for few ks, and none that only repeats whether all passed.
fn estimates(trials: &Trials) -> String {
    let ks: &[usize] = match trials.ran.len() {
        0..=2 => &[],
        3 => &[2],
        4..=10 => &[3],
        _ => &[3, 10],
    };
    let mut told = format!("pass@1 {}", percent(trials.rate()));
    for (k, any, all) in ks.iter().filter_map(|&k| Some((k, trials.pass_at(k)?, trials.pass_hat(k)?))) {
        let _ = write!(told, ", pass@{k} {}, pass^{k} {}", percent(any), percent(all));
    }
    told
}

/// `80%`. What is not quite none or not quite all does not look like it.
fn percent(part: f64) -> String {
    match part {
        _ if part > 0.0 && part < 0.01 => "under 1%".to_owned(),
        _ if part > 0.99 && part < 1.0 => "over 99%".to_owned(),
        _ => format!("{:.0}%", part * 100.0),
    }
}

/// `(trials 3, 8)`.
fn numbers(Mode { trials, .. }: &Mode<'_>) -> String {
    let shown: Vec<String> = trials.iter().take(NUMBERS).map(usize::to_string).collect();
    let plural = if trials.len() == 1 { "" } else { "s" };
    let more = match trials.len() - shown.len() {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    format!("(trial{plural} {}{more})", shown.join(", "))
}
