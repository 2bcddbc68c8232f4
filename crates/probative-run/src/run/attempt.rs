//! One case: tried as often as is allowed, judged, and rendered for every report.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use probative::clause::Judgement;
use probative::report::{Asked, CaseResult, Outcome, Summary};
use probative::spec::{Case, Circumstances, Finding, Plan, Run};
use probative::verdict::{Error, ErrorKind};

use super::Running;
use crate::harness::{Hands, Job, Seen};
use crate::sink::{Fragments, Shared};
use crate::suite::Item;

/// What one thread needs to run any case.
pub(super) struct Runner<'a> {
    pub(super) running: &'a Running<'a>,
    pub(super) judged: Judged<'a>,
    pub(super) hands: Hands<'a>,
    pub(super) reports: Vec<Arc<Shared>>,
    /// Whether nothing more is told: a case did not pass where that ends the run, or nobody listens.
    pub(super) halted: AtomicBool,
}

/// What decides whether a case passes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Judged<'a> {
    /// Its own assertions.
    ByItself,
    /// Whether it ended as it expects of this runner. The last report tells how it ended.
    ByExpectation(&'a str),
}

/// One result, rendered for every report.
pub(super) struct Told {
    pub(super) summary: Summary,
    pub(super) warnings: Vec<String>,
    pub(super) fragments: Vec<Fragments>,
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

    /// What is wrong, where trying again may help: never with what is written wrongly.
    fn complaint(&self) -> Option<String> {
        match &self.outcome {
            Outcome::Judged(judgement) => (!judgement.passed()).then(|| judgement.messages()),
            Outcome::Errors(errors) if errors.iter().any(Error::is_askers_mistake) => None,
            Outcome::Errors(errors) => errors.first().map(Error::to_string),
            Outcome::Skipped(_) => None,
        }
    }

    fn error(error: Error) -> Attempt<'a> {
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

    /// Does and tells one item of a suite.
    pub(super) fn item(&self, item: Item<'_>) -> Told {
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
                    Plan::Missing(_) | Plan::Skipped(_) | Plan::UnknownType | Plan::Malformed(_) => {
                        Asked::nothing()
                    }
                };
                let (attempt, flaky) = self.attempts(Job { file, case, recording: None });
                self.tell(item, &asked, attempt, flaky, started)
            }
        }
    }

    /// Tries a case until it passes, as often as is allowed. Answers whether it passed only when it was tried again.
    fn attempts<'j>(&'j self, job: Job<'j>) -> (Attempt<'j>, bool) {
        let mut tried = 1;
        let mut first = None;
        loop {
            let mut attempt = self.attempt(job);
            let passed = matches!(&attempt.outcome, Outcome::Judged(judgement) if judgement.passed());
            let again = tried <= self.running.retries && !self.running.stop.is_tripped();
            match (attempt.complaint(), &first) {
                (Some(complaint), _) if again => {
                    first.get_or_insert(complaint);
                }
                (None, Some(first)) if passed => {
                    attempt.warnings.push(format!("flaky: passed at attempt {tried}; at first: {first}"));
                    return (attempt, true);
                }
                _ => return (attempt, false),
            }
            tried += 1;
        }
    }

    fn attempt<'j>(&'j self, job: Job<'j>) -> Attempt<'j> {
        let Job { case, .. } = job;
        match &case.plan {
            Plan::Run(run) => self.run(job, run),
            Plan::Malformed(errors) => Attempt::of(Outcome::Errors(errors.clone())),
            Plan::Skipped(reason) => Attempt::of(Outcome::Skipped(reason.clone())),
            Plan::UnknownType => {
                let kind = ErrorKind::Unobtainable(case.unknown_type());
                Attempt::error(Error::at(kind, case.place.clone()))
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
                let document = match &job.file.spec {
                    Ok(spec) => &spec.document,
                    Err(error) => return Attempt::error(error.clone()),
                };
                let circumstances = Circumstances { id: &case.id, document, now: self.running.now };
                let found = run.judge(&circumstances, &*seen);
                let warnings = seen.warnings().into_iter().chain(found.warnings).collect();
                Attempt { outcome: Outcome::Judged(found.judgement), seen: Some(seen), warnings }
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
        let warning =
            |finding: &Finding| format!("ASSERT_HEALTH {finding} ({} {})", item.id(), finding.place);
        let is_warned = case.is_some_and(|case| matches!(&case.plan, Plan::Run(run) if !run.is_refused()));
        let result = CaseResult {
            id: item.id().to_owned(),
            title: case.and_then(|case| case.title.as_deref()),
            kind: case.map_or("spec", |case| case.kind.as_str()),
            suite: case.and_then(|case| case.suite.as_deref()),
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
        let mut told = self.rendered(&result, case);
        if let Some(journal) = self.running.journal.filter(|_| !self.is_halted()) {
            journal.keep(&result);
        }
        told.warnings = findings.iter().filter(|_| is_warned).map(warning).collect();
        told
    }

    /// Renders a result for every report.
    fn rendered(&self, result: &CaseResult<'_>, case: Option<&Case>) -> Told {
        let (Judged::ByExpectation(runtime), Some(case)) = (self.judged, case) else {
            return Told::of(&self.reports, result, result);
        };
        let expected = case.expected.as_ref().filter(|expected| expected.is_portable());
        let is_malformed =
            matches!(&result.outcome, Outcome::Errors(errors) if errors.iter().any(Error::is_askers_mistake));
        if expected.is_none() && is_malformed {
            // What it expects may be what is written wrongly.
            return Told::of(&self.reports, result, result);
        }
        let answer = expected.map(|expected| expected.of(runtime).judge(&result.ending())).ok_or_else(|| {
            let message = "a conformance case must say how it ends: expect.portable.status".to_owned();
            Error::at(ErrorKind::MalformedQuestion(message), case.place.clone())
        });
        let mut judgement = Judgement::default();
        judgement.take(0, answer);
        let asked = Asked::one("expect", case.place.clone());
        let compared = CaseResult {
            id: result.id.clone(),
            asked: &asked,
            outcome: Outcome::Judged(judgement),
            warnings: Vec::new(),
            ..*result
        };
        Told::of(&self.reports, &compared, result)
    }
}

impl Told {
    /// A result for all reports but the last, which tells another.
    fn of(reports: &[Arc<Shared>], result: &CaseResult<'_>, last: &CaseResult<'_>) -> Told {
        let mut summary = Summary::default();
        summary.count(result);
        let fragments = reports.iter().enumerate().map(|(at, report)| {
            let mut fragments = Fragments::within(Vec::new());
            fragments.push(report, if at + 1 == reports.len() { last } else { result });
            fragments
        });
        Told { summary, warnings: Vec::new(), fragments: fragments.collect() }
    }
}
