//! What has changed since an earlier run, for people.

use std::fmt::Write as _;

use anstyle::Style as Paint;

use super::{BAD, DIM, GOOD, Human, WARN, short};
use crate::baseline::{Change, Comparison, Costlier, Counts, CountsChange, Slower};
use crate::report::Status;
use crate::value::visible;

/// How many changes of a kind are told.
const TOLD: usize = 20;

impl Human {
    /// What got worse, slower, costlier, better; what is new, and what is gone.
    pub(super) fn comparison(&self, comparison: &Comparison, told: &mut String) {
        if comparison.is_empty() {
            told.push_str("no changes since the baseline\n");
            return;
        }
        let Comparison { worse, better, slower, costlier, new, new_failing, gone } = comparison;
        told.push_str("changes since the baseline:\n");
        self.changes("worse", BAD, worse, |change| line(&change.id, &how_it_ended(change)), told);
        self.changes("slower", WARN, slower, |slower| line(&slower.id, &how_long(slower)), told);
        self.changes("costlier", WARN, costlier, |costlier| line(&costlier.id, &how_dear(costlier)), told);
        self.changes("better", GOOD, better, |change| line(&change.id, &how_it_ended(change)), told);
        let ending = |id: &String| if new_failing.contains(id) { "  fails" } else { "" };
        self.changes("new", DIM, new, |id| format!("{}{}", visible(id), ending(id)), told);
        self.changes("gone", DIM, gone, |id| visible(id).into_owned(), told);
        told.push('\n');
    }

    fn changes<T>(
        &self,
        kind: &str,
        paint: Paint,
        changes: &[T],
        line: impl Fn(&T) -> String,
        told: &mut String,
    ) {
        let kind = self.paint(paint, format_args!("{kind:<8}"));
        for change in changes.iter().take(TOLD) {
            let _ = writeln!(told, "  {kind}  {}", line(change));
        }
        if changes.len() > TOLD {
            let _ = writeln!(told, "  {kind}  … and {} more", changes.len() - TOLD);
        }
    }
}

fn line(id: &str, change: &str) -> String {
    format!("{}  {change}", visible(id))
}

/// `pass → fail`, `8 of 10 → 5 of 10`, or both.
fn how_it_ended(change: &Change) -> String {
    let statuses = format!("{} → {}", word(change.before), word(change.now));
    let counts = |Counts { passed, ran }| format!("{passed} of {ran}");
    let trials =
        change.trials.map(|CountsChange { before, now }| format!("{} → {}", counts(before), counts(now)));
    match trials {
        None => statuses,
        Some(trials) if change.before == change.now => trials,
        Some(trials) => format!("{statuses} ({trials})"),
    }
}

/// `120 ms → 480 ms (4.0×)`.
fn how_long(Slower { before, now, .. }: &Slower) -> String {
    let times = times(now.as_secs_f64(), before.as_secs_f64());
    format!("{} → {}{times}", short(*before), short(*now))
}

/// `$0.0120 → $0.0480 (4.0×)`.
fn how_dear(Costlier { before, now, .. }: &Costlier) -> String {
    format!("${before:.4} → ${now:.4}{}", times(*now, *before))
}

/// How many times as much; nothing is no measure.
fn times(now: f64, before: f64) -> String {
    if before > 0.0 { format!(" ({:.1}×)", now / before) } else { String::new() }
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Pass => "pass",
        Status::Fail => "fail",
        Status::Error => "error",
        Status::Skip => "skip",
    }
}
