//! What has changed between two runs.

use std::cmp::Ordering;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Baseline, Entry};
use crate::report::{Status, in_milliseconds, rounded};
use crate::trials::wilson;

/// What makes a run fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FailOn {
    /// A case that does not pass.
    #[default]
    Failure,
    /// A case that does not pass now, unless it did not pass before.
    Regression,
}

/// The changes since a baseline, each list in the order of the run.
///
/// A case skipped in the baseline counts as worse if it fails now, and otherwise as unchanged. A case skipped now counts as
/// worse if it passed in the baseline.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
#[schemars(rename = "comparison")]
pub struct Comparison {
    /// Cases that passed before and don't now, were skipped before and fail now, or whose pass rate fell.
    pub worse: Vec<Change>,
    /// Cases that didn't pass before and do now, or whose pass rate rose.
    pub better: Vec<Change>,
    /// Cases that still pass but take at least 1.5 times as long, and at least 100 ms longer.
    pub slower: Vec<Slower>,
    /// Cases that cost at least 1.2 times as much, and at least 0.0001 more.
    pub costlier: Vec<Costlier>,
    /// Cases that aren't in the baseline.
    pub new: Vec<String>,
    /// New cases that don't pass.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_failing: Vec<String>,
    /// Cases that are only in the baseline, in its order.
    pub gone: Vec<String>,
}

/// A case whose outcome changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "change")]
pub struct Change {
    /// The id of the case.
    pub id: String,
    /// The outcome in the baseline.
    pub before: Status,
    /// The outcome now.
    pub now: Status,
    /// The trials that passed, where both runs have trials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trials: Option<CountsChange>,
}

/// Trials that passed before and now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "counts_change")]
pub struct CountsChange {
    /// The counts in the baseline.
    pub before: Counts,
    /// The counts now.
    pub now: Counts,
}

/// The trials of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "counts")]
pub struct Counts {
    /// The number that passed.
    pub passed: usize,
    /// The number that ran.
    pub ran: usize,
}

/// A case that takes longer; with trials, on average.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "slower")]
pub struct Slower {
    /// The id of the case.
    pub id: String,
    /// The duration in the baseline, in milliseconds.
    #[serde(rename = "before_ms", serialize_with = "in_milliseconds")]
    #[schemars(with = "f64")]
    pub before: Duration,
    /// The duration now, in milliseconds.
    #[serde(rename = "now_ms", serialize_with = "in_milliseconds")]
    #[schemars(with = "f64")]
    pub now: Duration,
}

/// A case that costs more; with trials, on average.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "costlier")]
pub struct Costlier {
    /// The id of the case.
    pub id: String,
    /// The cost in the baseline.
    pub before: f64,
    /// The cost now.
    pub now: f64,
}

impl Comparison {
    /// What changed between a baseline and this run, whose ids are all different. A case of the baseline that was not run
    /// now is told as gone if it is.
    pub fn between(before: &Baseline, now: &[Entry], is_gone: impl Fn(&str) -> bool) -> Comparison {
        let mut not_run = before.by_id();
        let mut comparison = Comparison::default();
        for now in now {
            if let Some((_, before)) = not_run.remove(now.id.as_str()) {
                comparison.take(before, now);
                continue;
            }
            comparison.new.push(now.id.clone());
            if matches!(now.status, Status::Fail | Status::Error) {
                comparison.new_failing.push(now.id.clone());
            }
        }
        let gone = before.cases.iter().map(|entry| entry.id.as_str());
        let gone = gone.filter(|id| not_run.contains_key(id) && is_gone(id));
        comparison.gone = gone.map(str::to_owned).collect();
        comparison
    }

    /// Whether a case passed before and does not pass now.
    pub fn has_regressed(&self) -> bool {
        self.worse.iter().any(|change| change.before == Status::Pass && change.now != Status::Pass)
    }

    /// Returns true if a case does not pass that was not run before: it is new, or was skipped.
    pub fn has_new_failures(&self) -> bool {
        !self.new_failing.is_empty() || self.worse.iter().any(|change| change.before == Status::Skip)
    }

    /// Whether nothing is to be told.
    pub fn is_empty(&self) -> bool {
        *self == Comparison::default()
    }

    fn take(&mut self, before: &Entry, now: &Entry) {
        if [before.status, now.status].contains(&Status::Skip) {
            let is_lost = (before.status, now.status) == (Status::Pass, Status::Skip);
            if is_lost || matches!(now.status, Status::Fail | Status::Error) {
                let change =
                    Change { id: now.id.clone(), before: before.status, now: now.status, trials: None };
                self.worse.push(change);
            }
            return;
        }
        let passed = (before.status == Status::Pass, now.status == Status::Pass);
        let trials = before.counts().zip(now.counts()).map(|(before, now)| CountsChange { before, now });
        let change = || Change { id: now.id.clone(), before: before.status, now: now.status, trials };
        let of_trials = || trials.map_or(Ordering::Equal, CountsChange::tendency);
        match passed.1.cmp(&passed.0).then_with(of_trials) {
            Ordering::Less => self.worse.push(change()),
            Ordering::Greater => self.better.push(change()),
            Ordering::Equal => {}
        }
        let id = || now.id.clone();
        if let (Some(before), Some(now)) = (before.duration_each(), now.duration_each())
            && passed == (true, true)
            && now >= before.mul_f64(SLOWER)
            && now >= before + MUCH_LONGER
        {
            self.slower.push(Slower { id: id(), before, now });
        }
        if let (Some(before), Some(now)) = (before.cost_each(), now.cost_each())
            && now >= rounded(before * COSTLIER)
            && rounded(now - before) >= MUCH_MORE
        {
            self.costlier.push(Costlier { id: id(), before, now });
        }
    }
}

/// From when on a case is slower: so many times as long, and so much longer.
const SLOWER: f64 = 1.5;
const MUCH_LONGER: Duration = Duration::from_millis(100);

/// From when on a case is costlier: so many times as much, and so much more.
const COSTLIER: f64 = 1.2;
const MUCH_MORE: f64 = 0.0001;

impl Entry {
    /// How many of how many trials passed.
    fn counts(&self) -> Option<Counts> {
        Some(Counts { passed: self.passed?, ran: self.ran? })
    }

    /// How often the case was run, whether it has trials or not.
    fn times(&self) -> u32 {
        self.ran.and_then(|ran| u32::try_from(ran).ok()).unwrap_or(1).max(1)
    }

    fn duration_each(&self) -> Option<Duration> {
        self.duration.map(|duration| duration / self.times())
    }

    /// To the millionth, so that costs as they are saved and as they are summed compare alike.
    fn cost_each(&self) -> Option<f64> {
        self.cost.map(|cost| rounded(rounded(cost) / f64::from(self.times())))
    }
}

impl CountsChange {
    /// Whether fewer trials pass, or more: where the 95 % intervals of both rates overlap, it may be chance.
    fn tendency(self) -> Ordering {
        let [before, now] = [self.before, self.now].map(|counts| wilson(counts.passed, counts.ran));
        match () {
            () if now.1 < before.0 => Ordering::Less,
            () if now.0 > before.1 => Ordering::Greater,
            () => Ordering::Equal,
        }
    }
}
