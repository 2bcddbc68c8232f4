//! Cases run on all cores and told in order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use probative::document::nearest;
use probative::report::{Asked, CaseResult, Outcome, Summary};
use probative::spec::types::TYPES;
use probative::spec::{Finding, Plan, Run};
use probative::value::visible;
use probative::verdict::{Error, ErrorKind};

use crate::environment::Environment;
use crate::harness::{Hands, Job, Seen};
use crate::ordered::in_order;
use crate::process::Stop;
use crate::selection::Selection;
use crate::sink::{Fragments, Shared, Sink};
use crate::suite::{Item, Suite};

/// How the cases of a suite are run.
pub struct Running<'a> {
    /// Which of them.
    pub selection: &'a Selection,
    /// What the environment says about it.
    pub environment: &'a Environment,
    /// How many at a time.
    pub jobs: usize,
    /// How often a case is tried again that does not pass.
    pub retries: u32,
    /// Whether nothing is told behind the first case that does not pass.
    pub fail_fast: bool,
    /// Whether the directories that cases ran in are kept.
    pub keep_temp: bool,
    /// Whether results tell how long they took.
    pub timings: bool,
    /// Tripped from outside to break off: what runs is ended, and told as such.
    pub stop: &'a Stop,
    /// Called as results are told, with the counts so far.
    pub progress: &'a (dyn Fn(&Summary) + Sync),
    /// Called, in order, with what is the matter with assertions: `ASSERT_HEALTH AH001 at …`.
    pub warn: &'a (dyn Fn(&str) + Sync),
}

/// Runs the cases of a suite and tells every report, in the order of the cases.
///
/// The reports are not finished yet: whoever gave them finishes them with the summary.
pub fn run(suite: &Suite, running: &Running<'_>, sinks: &mut [Sink]) -> Summary {
    let started = Instant::now();
    let mut items = suite.items().filter(|item| running.selection.takes(*item));
    let runner = Runner {
        running,
        hands: Hands::new(running.environment, running.stop, running.keep_temp),
        reports: sinks.iter().map(Sink::shared).collect(),
    };
    let mut summary = Summary::default();
    // Set when nothing more is to be started: told to stop, failed fast, or nobody listens.
    let halted = AtomicBool::new(false);
    let ends = || halted.load(Ordering::Relaxed) || running.stop.is_tripped();
    in_order(
        running.jobs,
        usize::MAX / running.jobs.max(1),
        || if ends() { None } else { items.next() },
        |item| runner.item(item),
        |told: Told| {
            if halted.load(Ordering::Relaxed) {
                return;
            }
            summary.add(&told.summary);
            for warning in &told.warnings {
                (running.warn)(warning);
            }
            for (sink, fragments) in sinks.iter_mut().zip(told.fragments) {
                sink.tell(&fragments);
            }
            let fails = running.fail_fast && told.summary.failed + told.summary.errors > 0;
            if fails || sinks.iter().all(Sink::is_broken) {
                halted.store(true, Ordering::Relaxed);
            }
            (running.progress)(&summary);
        },
    );
    summary.duration = running.timings.then(|| started.elapsed());
    summary.interrupted = running.stop.is_tripped();
    summary
}

/// The cases that are selected, one a line: id, type, place. What is wrong with a file stands in its place.
pub fn list(suite: &Suite, selection: &Selection) -> String {
    let mut list = String::new();
    for item in suite.items().filter(|item| selection.takes(*item)) {
        let (kind, place) = match item.case() {
            Some(case) => {
                (case.kind.as_str(), format!("{}:{}", item.file().name, case.place.line.unwrap_or(1)))
            }
            None => ("error", item.file().name.clone()),
        };
        list.push_str(&[item.id(), kind, &place].map(visible).join("\t"));
        list.push('\n');
    }
    list
}

struct Runner<'a> {
    running: &'a Running<'a>,
    hands: Hands<'a>,
    reports: Vec<Arc<Shared>>,
}

/// One result, rendered for every report.
struct Told {
    summary: Summary,
    warnings: Vec<String>,
    fragments: Vec<Fragments>,
}

/// How one attempt at a case ended.
struct Attempt<'a> {
    outcome: Outcome,
    seen: Option<Box<dyn Seen + 'a>>,
    warnings: Vec<String>,
}

impl<'a> Attempt<'a> {
    fn of(outcome: Outcome) -> Attempt<'a> {
        Attempt { outcome, seen: None, warnings: Vec::new() }
    }

    fn error(error: Error) -> Attempt<'a> {
        Attempt::of(Outcome::Errors(vec![error]))
    }
}

impl Runner<'_> {
    fn item(&self, item: Item<'_>) -> Told {
        let started = Instant::now();
        match item {
            Item::File(file) => {
                let errors = match &file.spec {
                    Ok(spec) => spec.errors.clone(),
                    Err(error) => vec![error.clone()],
                };
                self.tell(item, &Asked::nothing(), Attempt::of(Outcome::Errors(errors)), false, started)
            }
            Item::Repeated(_, _, error) => {
                self.tell(item, &Asked::nothing(), Attempt::error(error.clone()), false, started)
            }
            Item::Case(file, case) => {
                let asked = match &case.plan {
                    Plan::Run(run) if run.is_refused() => Asked::one("assert_health", case.place.clone()),
                    Plan::Run(run) => Asked::rows_of(run),
                    Plan::Missing(_) | Plan::UnknownType | Plan::Malformed(_) => Asked::nothing(),
                };
                let (attempt, flaky) = self.attempts(Job { file, case });
                self.tell(item, &asked, attempt, flaky, started)
            }
        }
    }

    /// Tries a case until it passes, as often as is allowed. Answers whether it passed only when it was tried again.
    fn attempts<'j>(&'j self, job: Job<'j>) -> (Attempt<'j>, bool) {
        let mut first: Option<String> = None;
        for tried in 0.. {
            let attempt = self.attempt(job);
            let failed = match &attempt.outcome {
                Outcome::Judged(judgement) if judgement.passed() => None,
                Outcome::Judged(judgement) => Some(judgement.messages()),
                Outcome::Errors(errors) if errors.iter().any(Error::is_askers_mistake) => None,
                Outcome::Errors(errors) => errors.first().map(Error::to_string),
                Outcome::Skipped(_) => None,
            };
            match failed {
                Some(message) if tried < self.running.retries && !self.running.stop.is_tripped() => {
                    first.get_or_insert(message);
                }
                Some(_) => return (attempt, false),
                None => {
                    let mut attempt = attempt;
                    if let Some(first) = &first {
                        attempt
                            .warnings
                            .push(format!("flaky: passed at attempt {}; at first: {first}", tried + 1));
                    }
                    return (attempt, first.is_some());
                }
            }
        }
        (Attempt::of(Outcome::Skipped(String::new())), false)
    }

    fn attempt<'j>(&'j self, job: Job<'j>) -> Attempt<'j> {
        let Job { case, .. } = job;
        match &case.plan {
            Plan::Run(run) => self.run(job, run),
            Plan::Malformed(errors) => Attempt::of(Outcome::Errors(errors.clone())),
            Plan::UnknownType => {
                let known = nearest(&case.kind, TYPES.iter().map(|known| known.name));
                let hint = known.map(|known| format!("; did you mean '{known}'?")).unwrap_or_default();
                let message = format!("unknown spec-test type: {}{hint}", case.kind);
                Attempt::error(Error::at(ErrorKind::Unobtainable(message), case.place.clone()))
            }
            Plan::Missing(missing) => {
                let message = format!("missing required capabilities: {}", missing.capabilities.join(", "));
                if missing.skips {
                    return Attempt::of(Outcome::Skipped(message));
                }
                Attempt::error(Error::at(ErrorKind::Unobtainable(message), case.place.clone()))
            }
        }
    }

    fn run<'j>(&'j self, job: Job<'j>, run: &'j Run) -> Attempt<'j> {
        let Job { case, .. } = job;
        if run.is_refused() {
            return Attempt::of(Outcome::Judged(run.refusal()));
        }
        match self.hands.work(job, run) {
            Ok(seen) => {
                let (judgement, warnings) = (run.judge(&case.id, &*seen), seen.warnings());
                Attempt { outcome: Outcome::Judged(judgement), seen: Some(seen), warnings }
            }
            Err(error) => Attempt::error(error.within(&case.place)),
        }
    }

    fn tell(
        &self,
        item: Item<'_>,
        asked: &Asked,
        attempt: Attempt<'_>,
        flaky: bool,
        started: Instant,
    ) -> Told {
        let (file, case) = (item.file(), item.case());
        let Attempt { outcome, seen, warnings } = attempt;
        let findings: &[Finding] = match case.map(|case| &case.plan) {
            Some(Plan::Run(run)) => &run.health.findings,
            _ => &[],
        };
        let told = |finding: &Finding| format!("ASSERT_HEALTH {finding} ({} {})", item.id(), finding.place);
        let is_warned = case.is_some_and(|case| matches!(&case.plan, Plan::Run(run) if !run.is_refused()));
        let result = CaseResult {
            id: item.id().to_owned(),
            title: case.and_then(|case| case.title.as_deref()),
            kind: case.map_or("spec", |case| case.kind.as_str()),
            file: &file.name,
            line: case.and_then(|case| case.place.line),
            asked,
            outcome,
            exhibit: seen.as_ref().and_then(|seen| seen.exhibit()),
            source: file.spec.as_ref().ok().map(|spec| &spec.document),
            flaky,
            health: findings,
            warnings,
            duration: self.running.timings.then(|| started.elapsed()),
        };
        let mut summary = Summary::default();
        summary.count(&result);
        let fragments = self.reports.iter().map(|report| {
            let mut fragments = Fragments::within(Vec::new());
            fragments.push(report, &result);
            fragments
        });
        Told {
            summary,
            warnings: findings.iter().filter(|_| is_warned).map(told).collect(),
            fragments: fragments.collect(),
        }
    }
}
