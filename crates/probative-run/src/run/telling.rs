//! A result, rendered for every report.

use std::sync::Arc;

use probative::baseline::Entry;
use probative::clause::Judgement;
use probative::report::{Asked, CaseResult, Outcome, Summary, Unexercised};
use probative::spec::{Case, Finding, Plan};
use probative::trials::Trials;
use probative::verdict::{Error, ErrorKind};

use super::attempt::{Attempt, Judged, Runner};
use super::tally::{self, Idle};
use crate::sink::{Fragments, Shared};
use crate::suite::Item;

/// One result, rendered for every report.
pub(super) struct Told {
    pub(super) summary: Summary,
    pub(super) warnings: Vec<String>,
    /// How it ended, for a case: what is wrong with a file, or an id that another has, is none.
    pub(super) entry: Option<Entry>,
    pub(super) fragments: Vec<Fragments>,
    /// The rows that had nothing to say no to.
    pub(super) idle: Idle,
    /// The tools that its runs mention.
    pub(super) mentions: Vec<String>,
}

impl Runner<'_> {
    pub(super) fn tell(
        &self,
        item: Item<'_>,
        attempt: Attempt<'_>,
        flaky: bool,
        trials: Option<Trials>,
    ) -> Told {
        let (file, case) = (item.file(), item.case());
        let Attempt { outcome, seen, warnings, losses, cost, mentions, duration } = attempt;
        let asked = match (item, case.map(|case| (case, &case.plan))) {
            (Item::Case(..), Some((case, Plan::Run(run)))) if run.is_refused() => {
                Asked::one("assert_health", case.place.clone())
            }
            (Item::Case(..), Some((_, Plan::Run(run)))) => Asked::rows_of(run),
            _ => Asked::nothing(),
        };
        let findings: &[Finding] = match case.map(|case| &case.plan) {
            Some(Plan::Run(run)) => &run.health.findings,
            _ => &[],
        };
        let warning =
            |finding: &Finding| format!("ASSERT_HEALTH {finding} ({} {})", item.id(), finding.place);
        let is_refused = case.is_some_and(|case| matches!(&case.plan, Plan::Run(run) if run.is_refused()));
        let is_warned = case.is_some_and(|case| matches!(&case.plan, Plan::Run(run) if !run.is_refused()));
        let result = CaseResult {
            id: item.id().to_owned(),
            title: case.and_then(|case| case.title.as_deref()),
            kind: case.map_or("spec", |case| case.kind.as_str()),
            suite: case.and_then(|case| case.suite.as_deref()),
            file: &file.name,
            line: match item {
                Item::File(_, error) => error.place.as_ref().and_then(|place| place.line),
                Item::Repeated(_, case, _) | Item::Case(_, case) => case.place.line,
            },
            asked: &asked,
            outcome,
            exhibit: seen.as_ref().and_then(|seen| seen.exhibit()),
            source: file.spec.as_ref().ok().map(|spec| &spec.document),
            prose: file.spec.as_ref().ok().zip(case).and_then(|(spec, case)| case.prose(&spec.document)),
            inputs: case.map(Case::inputs).unwrap_or_default(),
            flaky,
            health: findings,
            refused: is_refused,
            warnings,
            losses,
            duration: self.running.timings.then_some(duration),
            cost,
            trials,
        };
        let mut told = self.rendered(&result, case);
        if let Some(journal) = self.running.journal.filter(|_| !self.is_halted()) {
            journal.keep(&result);
        }
        told.idle = tally::idle(item.id(), &asked, &result.outcome);
        if let (Some(Plan::Run(run)), Outcome::Judged(_)) = (case.map(|case| &case.plan), &result.outcome)
            && run.asserts_nothing()
            && let Some(case) = case
        {
            let nothing = Asked::one("assert", case.place.clone());
            let why = "the case asserts nothing".to_owned();
            told.idle.push((Unexercised::in_case(item.id(), &nothing.rows()[0], why), None));
        }
        told.mentions = mentions;
        told.entry = matches!(item, Item::Case(..)).then(|| Entry::of(&result));
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
            let message = "a conformance case needs expect.portable.status".to_owned();
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
            losses: Vec::new(),
            prose: None,
            inputs: Vec::new(),
            trials: None,
            refused: false,
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
        Told {
            summary,
            warnings: Vec::new(),
            entry: None,
            fragments: fragments.collect(),
            idle: Vec::new(),
            mentions: Vec::new(),
        }
    }
}
