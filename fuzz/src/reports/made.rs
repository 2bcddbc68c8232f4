//! Results of any kind, made of bytes.

use std::time::Duration;

use arbitrary::{Result, Unstructured};
use probative::baseline::{Baseline, Change, Comparison, Entry};
use probative::difference::Difference;
use probative::document::Document;
use probative::exhibit::{Exhibit, ExhibitLine, Marks, Panel, beginning, outline};
use probative::question::Judgement;
use probative::report::{Asked, CaseResult, Outcome, Rerun, Status, Style, Summary, Unexercised};
use probative::spec::{Code, Finding, Suite};
use probative::trajectory::{Loss, Lost};
use probative::trials::{PassRule, Trial, Trials};
use probative::value::Value;
use probative::verdict::{Error, ErrorKind, Failure, Part, Place, Verdict};
use probative::vocabulary::Exercise;

/// What others have taken for more than text.
const HOSTILE: [&str; 32] = [
    "\u{1b}[31m",
    "\u{1b}]0;x\u{7}",
    "\n::error::x",
    "\r\n",
    "##[group]",
    "%0A",
    "</script>",
    "<!--",
    "<script>",
    "]]>",
    "</failure>",
    "&amp;",
    "\0",
    "\u{fffe}",
    "\u{202e}",
    "\u{2028}",
    "\u{85}",
    "```",
    "~~~~",
    "|",
    "@all",
    "https://x.y",
    "www.x.y",
    " # SKIP ",
    "\nnot ok - ",
    "\n  ...",
    "---",
    "Bail out!",
    "\"",
    "\\",
    "[case_id=x op=y] ",
    "é\u{301}",
];

/// All that results borrow from.
pub(super) struct World {
    made: Vec<Made>,
    rerun: Option<Rerun>,
    unexercised: Vec<Unexercised>,
    comparison: Option<Comparison>,
    interrupted: bool,
    duration: Option<Duration>,
}

/// One result before it is one.
struct Made {
    id: String,
    title: Option<String>,
    kind: String,
    suite: Option<Suite>,
    file: String,
    line: Option<usize>,
    asked: Asked,
    ended: Ended,
    shown: Option<Shown>,
    source: Option<Document>,
    flaky: bool,
    health: Vec<Finding>,
    warnings: Vec<String>,
    losses: Vec<Lost>,
    duration: Option<Duration>,
    cost: Option<f64>,
    trials: Option<Trials>,
}

#[derive(Clone)]
enum Ended {
    Judged(Judgement),
    Errors(Vec<Error>),
    Skipped(String),
}

/// A subject that is a text, and JSON beside it.
struct Shown(String);

impl Exhibit for Shown {
    fn lines(&self, marks: &Marks) -> Vec<ExhibitLine> {
        let mut lines = beginning("stdout", &self.0);
        lines.extend(outline(&Value::from(self.0.as_str()), marks.places.iter()));
        lines
    }

    fn panels(&self) -> Vec<Panel> {
        vec![Panel::text("stdout", &self.0), Panel::json("response", &self.0)]
    }
}

pub(super) fn world(u: &mut Unstructured<'_>) -> Result<World> {
    // More than any format tells in full, now and then.
    let count = if u.ratio(1, 16)? { 40 } else { u.int_in_range(0..=5)? };
    let mut made = Vec::new();
    for _ in 0..count {
        if u.is_empty() {
            break;
        }
        made.push(one(u)?);
    }
    let rerun = match u.int_in_range(0..=2)? {
        0 => None,
        1 => Some(Rerun::Run { command: "run", with: "--trials=5".to_owned() }),
        _ => Some(Rerun::Check { question: text(u)?, with: String::new() }),
    };
    let unexercised = several(u, |u| {
        let [case, name, path, place, why] = [text(u)?, text(u)?, text(u)?, text(u)?, text(u)?];
        let (headline, is_near_case) = (optional(u, text)?, u.ratio(1, 8)?);
        Ok(Unexercised { case: Some(case), name, headline, path, place, why, is_near_case })
    })?;
    Ok(World {
        made,
        rerun,
        unexercised,
        comparison: optional(u, comparison)?,
        interrupted: u.ratio(1, 8)?,
        duration: optional(u, |u| Ok(Duration::from_micros(u.arbitrary()?)))?,
    })
}

impl World {
    pub(super) fn results(&self) -> Vec<CaseResult<'_>> {
        self.made.iter().map(Made::result).collect()
    }

    pub(super) fn summary(&self, results: &[CaseResult<'_>]) -> Summary {
        let mut summary = Summary {
            duration: self.duration,
            interrupted: self.interrupted,
            unexercised: self.unexercised.clone(),
            comparison: self.comparison.clone(),
            ..Summary::default()
        };
        for result in results {
            summary.count(result);
        }
        summary
    }

    pub(super) fn style(&self, colour: bool) -> Style {
        super::style(colour, self.rerun.clone())
    }
}

impl Made {
    fn result(&self) -> CaseResult<'_> {
        let outcome = match self.ended.clone() {
            Ended::Judged(judgement) => Outcome::Judged(judgement),
            Ended::Errors(errors) => Outcome::Errors(errors),
            Ended::Skipped(why) => Outcome::Skipped(why),
        };
        CaseResult {
            title: self.title.as_deref(),
            suite: self.suite.as_ref(),
            line: self.line,
            exhibit: self.shown.as_ref().map(|shown| shown as &dyn Exhibit),
            source: self.source.as_ref(),
            flaky: self.flaky,
            health: &self.health,
            warnings: self.warnings.clone(),
            losses: self.losses.clone(),
            duration: self.duration,
            cost: self.cost,
            trials: self.trials.clone(),
            ..CaseResult::bare(self.id.clone(), &self.kind, &self.file, &self.asked, outcome)
        }
    }
}

fn one(u: &mut Unstructured<'_>) -> Result<Made> {
    let file = text(u)?;
    let source = optional(u, |u| Ok(Document::new(file.as_str(), text(u)?)))?;
    let ended = match u.int_in_range(0..=9)? {
        0 => Ended::Skipped(text(u)?),
        1 | 2 => {
            let first = error(u, source.as_ref())?;
            let more = several(u, |u| error(u, source.as_ref()))?;
            Ended::Errors([vec![first], more].concat())
        }
        _ => Ended::Judged(judgement(u, source.as_ref())?),
    };
    let place = Place { file: file.as_str().into(), line: Some(1), ..Place::default() };
    Ok(Made {
        id: text(u)?,
        title: optional(u, text)?,
        kind: text(u)?,
        suite: optional(u, |u| {
            Ok(Suite { key: text(u)?, name: optional(u, text)?, priority: optional(u, text)? })
        })?,
        line: u.arbitrary()?,
        asked: Asked::one(&text(u)?, place.clone()),
        ended,
        shown: optional(u, |u| text(u).map(Shown))?,
        source,
        flaky: u.ratio(1, 4)?,
        health: several(u, |u| {
            let (path, message) = (text(u)?, text(u)?);
            Ok(Finding { code: *u.choose(&Code::ALL)?, path, message, place: place.clone() })
        })?,
        warnings: several(u, text)?,
        losses: several(u, |_| Ok(Lost { loss: Loss::Arguments, calls: Some((1, 2)) }))?,
        duration: optional(u, |u| Ok(Duration::from_nanos(u.arbitrary()?)))?,
        cost: u.arbitrary()?,
        trials: optional(u, trials)?,
        file,
    })
}

fn judgement(u: &mut Unstructured<'_>, source: Option<&Document>) -> Result<Judgement> {
    let mut judgement = Judgement::default();
    match u.int_in_range(0..=3)? {
        0 => judgement.take(0, Ok(Verdict::Pass)),
        1 => judgement.take(0, Err(error(u, source)?)),
        _ => judgement.take(0, Ok(failure(u)?.into())),
    }
    if judgement.passed() && u.ratio(1, 2)? {
        judgement.take_idle(0, Exercise::No(text(u)?));
    }
    Ok(judgement)
}

fn failure(u: &mut Unstructured<'_>) -> Result<Failure> {
    let mut failure = Verdict::fail(text(u)?).expected(text(u)?).actual(text(u)?);
    if u.arbitrary()? {
        failure = failure.at(text(u)?);
    }
    if u.arbitrary()? {
        failure = failure.differing(Difference::of_texts(&text(u)?, &text(u)?));
    }
    for _ in 0..u.int_in_range(0..=2)? {
        let note = text(u)?;
        failure = failure.pointing_to(*u.choose(&[Part::Step(0), Part::Included(7)])?, note);
    }
    failure.evidence.elsewhere = several(u, text)?;
    Ok(failure)
}

fn error(u: &mut Unstructured<'_>, source: Option<&Document>) -> Result<Error> {
    let make = *u.choose(&[
        ErrorKind::MalformedQuestion as fn(String) -> ErrorKind,
        ErrorKind::MalformedSubject,
        ErrorKind::Unobtainable,
        ErrorKind::NotEvaluable,
        ErrorKind::Exhausted,
    ])?;
    let kind = make(text(u)?);
    Ok(match (source, u.int_in_range(0..=2)?) {
        (_, 0) => Error::new(kind),
        (Some(document), 1) => {
            let length = document.text.len();
            let (start, end) = (u.int_in_range(0..=length)?, u.int_in_range(0..=length)?);
            Error::at(kind, document.place(Some(start.min(end)..start.max(end))))
        }
        _ => Error::in_file(kind, text(u)?),
    })
}

fn trials(u: &mut Unstructured<'_>) -> Result<Trials> {
    let ran = several(u, |u| {
        let status = *u.choose(&[Status::Pass, Status::Fail, Status::Error, Status::Skip])?;
        Ok(Trial {
            status,
            message: optional(u, text)?,
            summary: None,
            recording: None,
            cost: u.arbitrary()?,
            duration: None,
        })
    })?;
    let rule = *u.choose(&[PassRule::All, PassRule::Any, PassRule::Majority, PassRule::Share(0.5)])?;
    let shown = optional(u, |u| u.int_in_range(1..=ran.len().max(1)))?;
    Ok(Trials { planned: ran.len() + u.int_in_range(0..=2)?, rule, ran, shown })
}

fn comparison(u: &mut Unstructured<'_>) -> Result<Comparison> {
    let statuses = [Status::Pass, Status::Fail, Status::Error, Status::Skip];
    let entries = |u: &mut Unstructured<'_>| {
        several(u, |u| {
            let (passed, ran) = (u.int_in_range(0..=3)?, u.int_in_range(3..=5)?);
            let is_tried: bool = u.arbitrary()?;
            Ok(Entry {
                id: text(u)?,
                status: *u.choose(&statuses)?,
                passed: is_tried.then_some(passed),
                ran: is_tried.then_some(ran),
                duration: optional(u, |u| Ok(Duration::from_micros(u.arbitrary()?)))?,
                cost: u.arbitrary()?,
            })
        })
    };
    let mut compared = Comparison::between(&Baseline::from(entries(u)?), &entries(u)?, |_| true);
    compared.worse.extend(several(u, |u| {
        Ok(Change { id: text(u)?, before: Status::Pass, now: Status::Fail, trials: None })
    })?);
    Ok(compared)
}

/// A text of a few pieces: what is hostile, and what the bytes are.
fn text(u: &mut Unstructured<'_>) -> Result<String> {
    let mut text = String::new();
    for _ in 0..u.int_in_range(0..=4)? {
        match u.int_in_range(0..=3)? {
            0 => text.push_str(u.arbitrary::<&str>()?),
            1 => text.push_str(&"x\n".repeat(u.int_in_range(0..=100)?)),
            _ => text.push_str(u.choose(&HOSTILE)?),
        }
    }
    Ok(text)
}

fn optional<T>(
    u: &mut Unstructured<'_>,
    make: impl FnOnce(&mut Unstructured<'_>) -> Result<T>,
) -> Result<Option<T>> {
    if u.arbitrary()? { make(u).map(Some) } else { Ok(None) }
}

fn several<T>(u: &mut Unstructured<'_>, make: impl Fn(&mut Unstructured<'_>) -> Result<T>) -> Result<Vec<T>> {
    let count = u.int_in_range(0..=2)?;
    (0..count).map(|_| make(u)).collect()
}
