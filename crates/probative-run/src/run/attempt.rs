//! One case: run as often as it says, and judged.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use probative::clause::Fault;
use probative::report::{Outcome, Status};
use probative::spec::{Circumstances, Plan, Run, Work};
use probative::trajectory::Lost;
use probative::verdict::{Error, ErrorKind};

use super::course::Course;
use super::gathering::{Gathered, Gathering, Tried};
use super::telling::Told;
use super::{Event, Running};
use crate::harness::{Hands, Job, Seen};
use crate::process::TaskWatch;
use crate::sink::Shared;
use crate::suite::Item;

/// How often a case is tried alone where too few processes may be started to tell whether it fails: others on the machine may
/// have started some meanwhile, which are counted, too.
const TRIED_ALONE: u32 = 8;

/// Added to the wait before each rerun, so that the machine can quiet down.
const PAUSE: Duration = Duration::from_millis(50);

/// What one thread needs to run any case.
pub(super) struct Runner<'a> {
    pub(super) running: &'a Running<'a>,
    pub(super) judged: Judged<'a>,
    pub(super) hands: Hands<'a>,
    pub(super) reports: Vec<Arc<Shared>>,
    /// Whether nothing more is told: a case did not pass where that ends the run, or nobody listens.
    pub(super) halted: AtomicBool,
    /// What agents have cost so far.
    pub(super) spent: Mutex<f64>,
    /// How many processes there may be, where that is little.
    pub(super) tasks: Option<TaskWatch>,
    /// Held by every case that runs a command where that is little; by one that must run alone, for writing.
    pub(super) alone: RwLock<()>,
}

/// One run of a case, or what else there is to tell.
pub(super) struct Unit<'a> {
    pub(super) item: Item<'a>,
    pub(super) course: Arc<Course>,
    /// Which of its trials, counted from 0.
    pub(super) trial: usize,
}

/// What came of a unit.
pub(super) enum Done<'a> {
    /// A result.
    Told(Box<Told>),
    /// One of the trials of a case, to be told with the others.
    Tried(Unit<'a>, Box<Tried<'a>>),
}

/// What decides whether a case passes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Judged<'a> {
    /// Its own assertions.
    ByItself,
    /// Whether it ended as it expects of this runner. The last report tells how it ended.
    ByExpectation(&'a str),
}

/// How one attempt at a case ended.
pub(super) struct Attempt<'a> {
    pub(super) outcome: Outcome,
    pub(super) seen: Option<Box<dyn Seen + 'a>>,
    pub(super) warnings: Vec<String>,
    /// What the source of the run could not say.
    pub(super) losses: Vec<Lost>,
    /// What it cost, where that is recorded.
    pub(super) cost: Option<f64>,
    /// The tools that the run mentions.
    pub(super) mentions: Vec<String>,
    pub(super) duration: Duration,
}

impl<'a> Attempt<'a> {
    fn of(outcome: Outcome) -> Attempt<'a> {
        Attempt {
            outcome,
            seen: None,
            warnings: Vec::new(),
            losses: Vec::new(),
            cost: None,
            mentions: Vec::new(),
            duration: Duration::ZERO,
        }
    }

    /// Whether something is written wrongly, so that trying again makes no sense.
    pub(super) fn is_mistaken(&self) -> bool {
        match &self.outcome {
            Outcome::Errors(errors) => errors.iter().any(Error::is_askers_mistake),
            Outcome::Judged(judgement) => judgement.faults().any(|(_, fault)| match fault {
                Fault::Error(error) => error.is_askers_mistake(),
                _ => false,
            }),
            Outcome::Skipped(_) => false,
        }
    }

    /// How it ended, and what is wrong if anything is.
    pub(super) fn told(&self) -> (Status, Option<String>) {
        match &self.outcome {
            Outcome::Judged(judgement) if judgement.passed() => (Status::Pass, None),
            Outcome::Judged(judgement) => {
                (Status::of(judgement.category()), Some(judgement.fixed_messages()))
            }
            Outcome::Errors(errors) => (Status::Error, errors.first().map(Error::to_string)),
            Outcome::Skipped(reason) => (Status::Skip, Some(reason.clone())),
        }
    }

    /// Returns what people read instead of the message of [`Attempt::told`], if that differs: the place goes without saying,
    /// and a crash is its last line.
    pub(super) fn summary(&self) -> Option<String> {
        match &self.outcome {
            Outcome::Judged(judgement) if !judgement.passed() => Some(judgement.messages()),
            Outcome::Errors(errors) => errors.first().map(Error::summary),
            Outcome::Judged(_) | Outcome::Skipped(_) => None,
        }
    }

    /// What is wrong, where trying again may help: never with what is written wrongly.
    fn complaint(&self) -> Option<String> {
        match self.told() {
            (Status::Fail | Status::Error, message) if !self.is_mistaken() => self.summary().or(message),
            _ => None,
        }
    }

    pub(super) fn error(error: Error) -> Attempt<'a> {
        Attempt::of(Outcome::Errors(vec![error]))
    }
}

impl Runner<'_> {
    pub(super) fn is_halted(&self) -> bool {
        self.halted.load(Ordering::Relaxed)
    }

    /// Tells nothing more, and ends what runs: nobody will hear of it.
    pub(super) fn halt(&self) {
        if !self.halted.swap(true, Ordering::Relaxed) {
            self.running.stop.trip();
        }
    }

    /// Does one unit, and reports when all of its case has ended.
    pub(super) fn unit<'j>(&'j self, unit: Unit<'j>) -> Done<'j> {
        let done = self.done(unit);
        let failed = match &done {
            Done::Told(told) => Some(told.summary.failed + told.summary.errors > 0),
            Done::Tried(unit, _) => unit.course.is_last_tried().then_some(false),
        };
        if let Some(failed) = failed {
            self.running.tell(Event::Finished { failed });
        }
        done
    }

    /// Does one unit, and tells it unless it is one of several.
    fn done<'j>(&'j self, unit: Unit<'j>) -> Done<'j> {
        let Unit { item, course, .. } = &unit;
        let (item, started) = (*item, Instant::now());
        self.running.tell(Event::Started(item.id()));
        let mut flaky = false;
        let mut attempt = match (item, &course.obstacle) {
            (_, Some(obstacle)) => Attempt::error(obstacle.clone()),
            (Item::File(_, error) | Item::Repeated(_, _, error), None) => Attempt::error(error.clone()),
            (Item::Case(..), None) if course.is_live && (course.has_ended() || self.is_spent(None)) => {
                if course.rule.is_some() {
                    self.running.tell(Event::Ended(item.id()));
                    return Done::Tried(unit, Box::new(Tried::NotRun));
                }
                let gathering = Gathering::of(item, Arc::clone(course));
                gathering.conclude(self.ceiling()).attempt
            }
            (Item::Case(file, case), None) => {
                let job = Job { file, case };
                if course.rule.is_some() {
                    self.attempt(job, course, unit.trial)
                } else {
                    let (attempt, passed_later) = self.attempts(job, course);
                    flaky = passed_later;
                    attempt
                }
            }
        };
        attempt.duration = started.elapsed();
        self.running.tell(Event::Ended(item.id()));
        if course.is_live {
            *self.spent.lock().unwrap_or_else(PoisonError::into_inner) += attempt.cost.unwrap_or_default();
        }
        if course.rule.is_some() && course.obstacle.is_none() {
            if attempt.is_mistaken() {
                course.end();
            }
            let is_cut_short = self.running.stop.is_tripped() && attempt.told().0 == Status::Error;
            let tried = if is_cut_short { Tried::NotRun } else { Tried::Ran(attempt) };
            return Done::Tried(unit, Box::new(tried));
        }
        Done::Told(Box::new(self.tell(item, attempt, flaky, None)))
    }

    /// Tells what all trials of a case come to.
    pub(super) fn conclude(&self, gathering: Gathering<'_>) -> Told {
        let item = gathering.item;
        let Gathered { mut attempt, trials, duration } = gathering.conclude(self.ceiling());
        attempt.duration = duration;
        self.tell(item, attempt, false, trials)
    }

    /// What ended trials early, if they did: the ceiling of what they may cost, unless somebody broke them off.
    fn ceiling(&self) -> Option<f64> {
        self.running.max_cost.filter(|_| !self.running.stop.is_tripped())
    }

    /// Whether agents have cost as much as they may, with what is not counted yet.
    fn is_spent(&self, beside: Option<f64>) -> bool {
        let spent = *self.spent.lock().unwrap_or_else(PoisonError::into_inner) + beside.unwrap_or_default();
        self.running.max_cost.is_some_and(|ceiling| spent >= ceiling)
    }

    /// Tries a case until it passes, as often as is allowed. Answers whether it passed only when it was tried again.
    fn attempts<'j>(&'j self, job: Job<'j>, course: &Course) -> (Attempt<'j>, bool) {
        let mut tried = 1;
        let mut first = None;
        let mut cost = None;
        loop {
            let mut attempt = self.attempt(job, course, 0);
            cost = sum(cost, attempt.cost);
            attempt.cost = cost;
            let passed = matches!(&attempt.outcome, Outcome::Judged(judgement) if judgement.passed());
            let again =
                tried <= self.running.retries && !self.running.stop.is_tripped() && !self.is_spent(cost);
            match (attempt.complaint(), &first) {
                (Some(complaint), _) if again => {
                    first.get_or_insert(complaint);
                }
                (None, Some(first)) if passed => {
                    attempt
                        .warnings
                        .push(format!("flaky: passed on attempt {tried}; first attempt: {first}"));
                    return (attempt, true);
                }
                _ => return (attempt, false),
            }
            tried += 1;
        }
    }

    fn attempt<'j>(&'j self, job: Job<'j>, course: &Course, trial: usize) -> Attempt<'j> {
        let case = job.case;
        match &case.plan {
            Plan::Run(run) if course.is_live || matches!(run.work, Work::CliRun(_)) => {
                self.run_with_processes(job, run)
            }
            Plan::Run(run) => self.run(job, run, course.recording(trial)),
            Plan::Malformed(errors) => Attempt::of(Outcome::Errors(errors.clone())),
            Plan::Skipped(reason) => Attempt::of(Outcome::Skipped(reason.clone())),
            Plan::UnknownType(place) => {
                let kind = ErrorKind::Unobtainable(case.unknown_type());
                Attempt::error(Error::at(kind, place.clone()))
            }
            Plan::Missing(missing) => {
                let message = format!("missing required capabilities: {}", missing.capabilities.join(", "));
                if missing.skips {
                    return Attempt::of(Outcome::Skipped(message));
                }
                let place = missing.places.first().unwrap_or(&case.place);
                Attempt::error(Error::at(ErrorKind::Unobtainable(message), place.clone()))
            }
        }
    }

    /// Runs a command or an agent. Where few processes may be started, a result counts only if the child certainly could start
    /// its own. That includes passes, since a case may expect a failure. Otherwise the case is rerun alone, and is an error if
    /// that doesn't settle it.
    fn run_with_processes<'j>(&'j self, job: Job<'j>, run: &'j Run) -> Attempt<'j> {
        let Some(watch) = &self.tasks else { return self.run(job, run, None) };
        let mut cost = None;
        let mut attempt = || {
            let mark = watch.mark();
            let mut attempt = self.run(job, run, None);
            cost = sum(cost, attempt.cost);
            attempt.cost = cost;
            let is_sure = attempt.is_mistaken() || !watch.may_be_reached_since(mark);
            (attempt, is_sure || self.running.stop.is_tripped())
        };
        {
            let _others = self.alone.read().unwrap_or_else(PoisonError::into_inner);
            let (attempt, is_sure) = attempt();
            if is_sure {
                return attempt;
            }
        }
        let _alone = self.alone.write().unwrap_or_else(PoisonError::into_inner);
        let mut failed = None;
        for at in 0..TRIED_ALONE {
            std::thread::sleep(PAUSE * at);
            let (attempt, is_sure) = attempt();
            if is_sure {
                return attempt;
            }
            failed = attempt.told().1;
            if self.is_spent(attempt.cost) {
                break;
            }
        }
        let message = format!(
            "can't tell whether it passes: it may have run out of processes (ulimit -u allows {}){}",
            watch.limit.limit,
            failed.map_or_else(String::new, |why| format!(": {why}"))
        );
        let error = Error::at(ErrorKind::Unobtainable(message), job.case.place.clone());
        Attempt { cost, ..Attempt::error(error) }
    }

    fn run<'j>(&'j self, job: Job<'j>, run: &'j Run, recording: Option<&str>) -> Attempt<'j> {
        let case = job.case;
        if run.is_refused() {
            return Attempt::of(Outcome::Judged(run.refusal()));
        }
        match self.hands.work(job, run, recording) {
            Ok(seen) => {
                let document = match &job.file.spec {
                    Ok(spec) => &spec.document,
                    Err(error) => return Attempt::error(error.clone()),
                };
                let circumstances = Circumstances { id: &case.id, document, now: self.running.now };
                let found = run.judge(&circumstances, &*seen);
                let warnings = seen.warnings().into_iter().chain(found.warnings).collect();
                Attempt {
                    seen: Some(seen),
                    warnings,
                    cost: found.cost,
                    mentions: found.mentions,
                    losses: found.losses,
                    ..Attempt::of(Outcome::Judged(found.judgement))
                }
            }
            Err(error) => Attempt::error(error.within(&case.place)),
        }
    }
}

/// The sum of two costs, as far as they are known.
pub(super) fn sum(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (None, None) => None,
        (one, other) => Some(one.unwrap_or_default() + other.unwrap_or_default()),
    }
}
