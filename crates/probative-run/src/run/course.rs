//! How often a case is run.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use probative::spec::types::Source;
use probative::spec::{Case, Plan, Run, Work};
use probative::trials::PassRule;
use probative::verdict::{Error, ErrorKind};

use super::Running;
use crate::harness::{Job, recordings};
use crate::suite::{Item, SpecFile};

/// How often a case is run.
#[derive(Debug)]
pub(super) struct Course {
    /// How many times; at least once.
    pub(super) planned: usize,
    /// How many of these must pass, of a case that has trials.
    pub(super) rule: Option<PassRule>,
    /// Whether an agent is run, which may cost something.
    pub(super) is_live: bool,
    /// The files that its trials were recorded in.
    recordings: Vec<String>,
    /// Why it cannot be run at all.
    pub(super) obstacle: Option<Error>,
    /// Set when running an agent again makes no sense: something is written wrongly.
    ended: AtomicBool,
    /// How many trials have ended.
    tried: AtomicUsize,
}

impl Course {
    /// That of whatever is done once and costs nothing.
    pub(super) fn once() -> Course {
        Course {
            planned: 1,
            rule: None,
            is_live: false,
            recordings: Vec::new(),
            obstacle: None,
            ended: AtomicBool::new(false),
            tried: AtomicUsize::new(0),
        }
    }

    /// That of an item of a suite, unless it is done once.
    pub(super) fn of(item: Item<'_>, running: &Running<'_>) -> Option<Course> {
        let Item::Case(file, case) = item else { return None };
        let Plan::Run(run) = &case.plan else { return None };
        let is_plain = !matches!(run.work, Work::Agent(_) | Work::Conversation(_)) && run.trials.is_none();
        (!is_plain && !run.is_refused()).then(|| Course::of_case(file, case, run, running))
    }

    fn of_case(file: &SpecFile, case: &Case, run: &Run, running: &Running<'_>) -> Course {
        let job = Job { file, case };
        let (is_live, found) = match &run.work {
            Work::Agent(agent) => match agent.source() {
                Source::Run(_) => (true, None),
                Source::Recorded(path) => (false, Some(recordings(path, file))),
                Source::Written => (false, None),
            },
            Work::Conversation(_) => (running.suites.responses.is_none(), None),
            Work::TextFile(_) | Work::CliRun(_) | Work::ApiHttp(_) => (false, None),
        };
        let written = run.trials.as_ref();
        let (recordings, obstacle) = match found {
            None => (Vec::new(), None),
            Some(Ok(recordings)) => (recordings, None),
            Some(Err(error)) => (Vec::new(), Some(error.within(&job.place(&["file"])))),
        };
        let asked = written.and_then(|plan| plan.n);
        let wrong = asked.filter(|asked| !recordings.is_empty() && *asked != recordings.len() as u64);
        let obstacle = obstacle.or_else(|| {
            let found = recordings.len();
            let plural = if found == 1 { "" } else { "s" };
            let message = format!("trials.n is {}, but 'file' matches {found} recording{plural}", wrong?);
            Some(Error::new(ErrorKind::Unobtainable(message)).within(&job.place(&["trials", "n"])))
        });
        let told = running.trials.filter(|_| is_live);
        let planned = match recordings.len() {
            _ if obstacle.is_some() => 1,
            0 => told.or(asked).map_or(1, |count| usize::try_from(count).unwrap_or(usize::MAX)),
            found => found,
        };
        let has_trials = written.is_some() || told.is_some() || recordings.len() > 1;
        let rule = has_trials.then(|| written.map(|plan| plan.pass).unwrap_or_default());
        Course { planned, rule, is_live, recordings, obstacle, ..Course::once() }
    }

    /// The file that one trial was recorded in.
    pub(super) fn recording(&self, trial: usize) -> Option<&str> {
        self.recordings.get(trial).map(String::as_str)
    }

    /// Counts a trial that has ended, and returns true if it was the last.
    pub(super) fn is_last_tried(&self) -> bool {
        self.tried.fetch_add(1, Ordering::Relaxed) + 1 == self.planned
    }

    /// Whether trying again makes no sense.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Says so.
    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }
}
