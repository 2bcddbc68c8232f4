//! A case that is run several times: what came of each trial, and what all of them say together.

mod plan;
mod statistics;

use std::collections::BTreeMap;
use std::time::Duration;

pub use plan::{MOST_TRIALS, PassRule, Plan};
pub use statistics::{told_ks, wilson};

use crate::report::Status;

/// The trials of a case, in the order in which they were run.
#[derive(Debug, Clone, PartialEq)]
pub struct Trials {
    /// How many there were to be.
    pub planned: usize,
    /// How many of them must pass.
    pub rule: PassRule,
    /// Those that were run: fewer than planned, where something ended them early.
    pub ran: Vec<Trial>,
    /// The one whose verdict and output the report shows, counted from 1.
    pub shown: Option<usize>,
}

/// One trial.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// How it ended.
    pub status: Status,
    /// Why it did not pass.
    pub message: Option<String>,
    /// What people read instead of the message, if that differs.
    pub summary: Option<String>,
    /// The recording that it judged, as its path is shown; `None` if an agent was run.
    pub recording: Option<String>,
    /// What it cost, where that is recorded.
    pub cost: Option<f64>,
    /// How long it took, where timings are told.
    pub duration: Option<Duration>,
}

/// What trials say of their case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It passes, whatever the trials that are still to be run would give.
    Passes,
    /// It fails, whatever they would give.
    Fails,
    /// It depends on them.
    Open,
}

/// A way in which trials failed: all of them with the same words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mode<'t> {
    /// The words.
    pub message: &'t str,
    /// The trials that failed so, counted from 1.
    pub trials: Vec<usize>,
}

/// What a trial says that failed without a word.
const WORDLESS: &str = "no message";

impl Trials {
    /// How many of those that were run passed.
    pub fn passed(&self) -> usize {
        self.ran.iter().filter(|trial| trial.passed()).count()
    }

    /// What the trials so far say of the case.
    pub fn decision(&self) -> Decision {
        let (passed, needed) = (self.passed(), self.rule.needed(self.planned));
        let to_come = self.planned.saturating_sub(self.ran.len());
        match passed {
            _ if passed >= needed => Decision::Passes,
            _ if passed + to_come < needed => Decision::Fails,
            _ => Decision::Open,
        }
    }

    /// The share of those that were run that passed; 0 where none was.
    pub fn rate(&self) -> f64 {
        statistics::share(self.passed(), self.ran.len())
    }

    /// The 95 % Wilson interval of the rate.
    pub fn wilson(&self) -> (f64, f64) {
        wilson(self.passed(), self.ran.len())
    }

    /// How likely at least one of k trials passes, as an unbiased estimate; none for more than were run.
    pub fn pass_at(&self, k: usize) -> Option<f64> {
        let ran = self.ran.len();
        statistics::all_drawn_from(ran - self.passed(), ran, k).map(|all_fail| 1.0 - all_fail)
    }

    /// How likely all of k trials pass (pass^k), as an unbiased estimate; none for more than were run.
    pub fn pass_hat(&self, k: usize) -> Option<f64> {
        statistics::all_drawn_from(self.passed(), self.ran.len(), k)
    }

    /// The ways in which trials did not pass: the most frequent first, of two alike the one that came first.
    ///
    /// Messages are never thought alike: a message that tells how long something took is one of its own.
    pub fn modes(&self) -> Vec<Mode<'_>> {
        self.modes_by(|trial| trial.message.as_deref())
    }

    /// Returns the same in the words that people read.
    pub fn modes_for_people(&self) -> Vec<Mode<'_>> {
        self.modes_by(Trial::for_people)
    }

    fn modes_by<'t>(&'t self, words: impl Fn(&'t Trial) -> Option<&'t str>) -> Vec<Mode<'t>> {
        let mut modes: Vec<Mode<'_>> = Vec::new();
        let mut known = BTreeMap::new();
        for (at, trial) in self.ran.iter().enumerate().filter(|(_, trial)| !trial.passed()) {
            let message = words(trial).unwrap_or(WORDLESS);
            let mode = *known.entry(message).or_insert(modes.len());
            if mode == modes.len() {
                modes.push(Mode { message, trials: Vec::new() });
            }
            modes[mode].trials.push(at + 1);
        }
        modes.sort_by_key(|mode| std::cmp::Reverse(mode.trials.len()));
        modes
    }
}

impl Trial {
    /// Whether it passed.
    pub fn passed(&self) -> bool {
        self.status == Status::Pass
    }

    /// Returns why it did not pass, as people read it.
    pub fn for_people(&self) -> Option<&str> {
        self.summary.as_deref().or(self.message.as_deref())
    }
}

#[cfg(test)]
mod tests;
