//! The trials of a case, gathered until they can be told as one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use probative::report::{Outcome, Status};
use probative::trials::{Decision, PassRule, Trial, Trials};
use probative::verdict::{Error, ErrorKind};
use probative::vocabulary::Exercise;

use super::attempt::{Attempt, sum};
use super::course::Course;
use crate::suite::Item;

/// What came of one trial.
pub(super) enum Tried<'a> {
    /// It was run.
    Ran(Attempt<'a>),
    /// It was not: the case had ended already, or the money was spent.
    NotRun,
}

/// The trials of one case so far.
pub(super) struct Gathering<'a> {
    pub(super) item: Item<'a>,
    course: Arc<Course>,
    ran: Vec<Trial>,
    /// The first that did not pass, with its number, which counts from 1.
    failed: Option<(usize, Attempt<'a>)>,
    /// The first that passed.
    passed: Option<(usize, Attempt<'a>)>,
    /// Rows that had nothing to say no to, with how many of the trials that were so.
    idle: BTreeMap<(usize, String), (Exercise, usize)>,
    mentions: Vec<String>,
    is_mistaken: bool,
}

/// What all trials together come to.
pub(super) struct Gathered<'a> {
    pub(super) attempt: Attempt<'a>,
    pub(super) trials: Option<Trials>,
    pub(super) duration: Duration,
}

impl<'a> Gathering<'a> {
    pub(super) fn of(item: Item<'a>, course: Arc<Course>) -> Gathering<'a> {
        Gathering {
            item,
            course,
            ran: Vec::new(),
            failed: None,
            passed: None,
            idle: BTreeMap::new(),
            mentions: Vec::new(),
            is_mistaken: false,
        }
    }

    /// Takes one more.
    pub(super) fn take(&mut self, tried: Tried<'a>, tells_time: bool) {
        let Tried::Ran(mut attempt) = tried else { return };
        if self.is_mistaken {
            return;
        }
        self.mentions.append(&mut attempt.mentions);
        let (status, message) = attempt.told();
        let summary = attempt.summary().filter(|summary| message.as_ref() != Some(summary));
        self.ran.push(Trial {
            status,
            message,
            summary,
            recording: self.course.recording(self.ran.len()).map(str::to_owned),
            cost: attempt.cost,
            duration: tells_time.then_some(attempt.duration),
        });
        if let Outcome::Judged(judgement) = &attempt.outcome {
            let mut counted = BTreeSet::new();
            for (row, exercise) in judgement.idle() {
                // Trials may give a row different reasons, but name the same tools.
                let part = match exercise {
                    Exercise::Unmentioned(tool) => tool.clone(),
                    Exercise::No(_) | Exercise::Yes => String::new(),
                };
                if counted.insert((row, part.clone())) {
                    self.idle.entry((row, part)).or_insert_with(|| (exercise.clone(), 0)).1 += 1;
                }
            }
        }
        let number = self.ran.len();
        if attempt.is_mistaken() {
            self.is_mistaken = true;
            self.failed = Some((number, attempt));
        } else if status == Status::Pass {
            self.passed.get_or_insert((number, attempt));
        } else {
            self.failed.get_or_insert((number, attempt));
        }
    }

    /// Whether that were all.
    pub(super) fn is_complete(&self, trial: usize) -> bool {
        trial + 1 == self.course.planned
    }

    /// What they come to. `ceiling` is what they might cost at most, if that ended them early; else somebody did.
    pub(super) fn conclude(self, ceiling: Option<f64>) -> Gathered<'a> {
        let cost = self.ran.iter().map(|trial| trial.cost).fold(None, sum);
        let duration = self.ran.iter().filter_map(|trial| trial.duration).sum();
        let rule: PassRule = self.course.rule.unwrap_or_default();
        let count = self.ran.len();
        let mut trials = Trials { planned: self.course.planned, rule, ran: self.ran, shown: None };
        let decision = trials.decision();
        let shown = match (self.is_mistaken, decision) {
            (true, _) | (false, Decision::Fails) => self.failed,
            (false, Decision::Passes) => self.passed,
            (false, Decision::Open) => None,
        };
        let (shown, mut attempt) = shown.map_or_else(
            || {
                let why = match ceiling {
                    Some(ceiling) => format!("the cost limit of {ceiling} was reached"),
                    None => "interrupted".to_owned(),
                };
                let message = match count {
                    0 => format!("{why} before it ran"),
                    _ => format!("{why} after {count} of {} trials, too few for a verdict", trials.planned),
                };
                (None, Attempt::error(Error::new(ErrorKind::Exhausted(message))))
            },
            |(number, attempt)| (Some(number), attempt),
        );
        trials.shown = shown;
        if let Outcome::Judged(judgement) = &mut attempt.outcome {
            let always = self.idle.into_iter().filter(|(_, (_, times))| *times == count);
            judgement.idle_are(always.map(|((row, _), (exercise, _))| (row, exercise)).collect());
        }
        attempt.cost = cost;
        attempt.mentions = self.mentions;
        let trials = (!self.is_mistaken).then_some(trials);
        Gathered { attempt, trials, duration }
    }
}
