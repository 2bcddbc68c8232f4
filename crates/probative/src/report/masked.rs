//! A report in which secrets are hidden: whatever its format, it is given results, exhibits and a summary without them.

use std::borrow::Cow;
use std::sync::Arc;

use super::{
    CaseResult, EvidenceRoom, Frame, LeftOut, Outcome, Renderer, Row, Summary, Telling, Unexercised,
};
use crate::baseline::Comparison;
use crate::clause::{Fault, Judgement};
use crate::document::Document;
use crate::exhibit::{Exhibit, ExhibitLine, Marks, Panel};
use crate::mask::Mask;
use crate::spec::{Finding, Input, Prose, Suite};
use crate::verdict::{Cause, Error, ErrorKind, Explanation, Failure, Origin, Place};

/// A renderer that hands another what it is to tell, with stars over every secret.
///
/// How a result is told, and whether it passed, is known before: a mask changes no verdict. What is a part of the format
/// (keys, tags, the words for how a case ended) is nobody's secret and stays.
pub struct Masked {
    told: Box<dyn Renderer>,
    mask: Arc<Mask>,
}

impl Masked {
    /// The renderer itself, where there is nothing to hide.
    pub fn by(mask: &Arc<Mask>, told: Box<dyn Renderer>) -> Box<dyn Renderer> {
        if mask.is_empty() { told } else { Box::new(Masked { told, mask: Arc::clone(mask) }) }
    }

    /// Has a result told without its secrets.
    ///
    /// What only evidence shows is left out elsewhere: nobody is told whose secret is in it.
    fn tell(&self, result: &CaseResult<'_>, is_evidence: bool, tell: impl FnOnce(&CaseResult<'_>)) {
        let mask = &*self.mask;
        let exhibit = result.exhibit.map(|exhibit| Hidden { exhibit, result, mask });
        let asked = result.asked.hidden(mask);
        let suite = result.suite.map(|suite| hidden_suite(suite, mask));
        let health: Vec<Finding> =
            result.health.iter().map(|finding| hidden_finding(finding, mask)).collect();
        let source = result.source.filter(|source| shows(result, source)).map(|source| {
            // All of it is hidden, but whose value that was is told only of what is shown.
            shown_lines(result, source).for_each(|lines| drop(mask.hide(lines)));
            let text = mask.hide_silently(&source.text).into_owned();
            Document::new(&*mask.hide(&source.name), text)
        });
        let title = result.title.map(|title| mask.hide(title));
        let (kind, file) = (mask.hide(result.kind), mask.hide(result.file));
        let inputs = if is_evidence { &result.inputs[..] } else { &[] };
        let mut trials = result.trials.clone();
        for trial in trials.iter_mut().flat_map(|trials| &mut trials.ran) {
            let texts = trial.message.iter_mut().chain(&mut trial.summary).chain(&mut trial.recording);
            texts.for_each(|text| mask.hide_in(text));
        }
        tell(&CaseResult {
            id: mask.hide(&result.id).into_owned(),
            title: title.as_deref(),
            kind: &kind,
            suite: suite.as_ref(),
            file: &file,
            line: result.line,
            asked,
            outcome: hidden_outcome(&result.outcome, mask),
            exhibit: exhibit.as_ref().map(|exhibit| exhibit as &dyn Exhibit),
            source: source.as_ref().or(result.source),
            prose: result.prose.clone().filter(|_| is_evidence).map(|prose| hidden_prose(prose, mask)),
            inputs: inputs.iter().map(|input| hidden_input(input, mask)).collect(),
            flaky: result.flaky,
            health: &health,
            refused: result.refused,
            warnings: result.warnings.iter().map(|warning| mask.hide(warning).into_owned()).collect(),
            losses: result.losses.clone(),
            duration: result.duration,
            cost: result.cost,
            trials,
        });
    }
}

impl Renderer for Masked {
    fn telling(&self, result: &CaseResult<'_>) -> Telling {
        self.told.telling(result)
    }

    fn result(&self, result: &CaseResult<'_>, out: &mut Vec<u8>) {
        self.tell(result, false, |result| self.told.result(result, out));
    }

    fn frame(&self, summary: &Summary) -> Frame {
        self.told.frame(&hidden_summary(summary, &self.mask))
    }

    fn opening(&self) -> &'static str {
        self.told.opening()
    }

    fn evidence(&self, result: &CaseResult<'_>, out: &mut Vec<u8>) {
        if self.told.evidence_room() != EvidenceRoom::default() {
            self.tell(result, true, |result| self.told.evidence(result, out));
        }
    }

    fn evidence_room(&self) -> EvidenceRoom {
        self.told.evidence_room()
    }

    fn evidence_stands_apart(&self) -> bool {
        self.told.evidence_stands_apart()
    }

    fn remainder(&self, left_out: &LeftOut) -> String {
        self.told.remainder(left_out)
    }

    fn separator(&self) -> &'static str {
        self.told.separator()
    }

    fn streams(&self) -> bool {
        self.told.streams()
    }

    fn tells_at_most(&self) -> usize {
        self.told.tells_at_most()
    }
}

/// What was judged, without its secrets.
struct Hidden<'a> {
    exhibit: &'a dyn Exhibit,
    /// As it is: marks are found by names that may hold a secret.
    result: &'a CaseResult<'a>,
    mask: &'a Mask,
}

impl Exhibit for Hidden<'_> {
    fn lines(&self, marks: &Marks) -> Vec<ExhibitLine> {
        let rows = self.result.asked.rows();
        let lines = match &self.result.outcome {
            Outcome::Judged(judgement) => self.exhibit.lines(&judgement.marks(|row| &rows[row].headline)),
            Outcome::Errors(_) | Outcome::Skipped(_) => self.exhibit.lines(marks),
        };
        // A secret may stand on several lines.
        let text = lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
        let mut rest = &*self.mask.hide(&text);
        let mut next = |length: usize| {
            let line = rest[..length].to_owned();
            rest = rest.get(length + 1..).unwrap_or_default();
            line
        };
        let hidden = lines.iter().map(|line| ExhibitLine {
            text: next(line.text.len()),
            note: line.note.as_ref().map(|note| self.mask.hide(note).into_owned()),
        });
        hidden.collect()
    }

    fn panels(&self) -> Vec<Panel> {
        self.exhibit.panels().into_iter().map(|panel| panel.hidden(self.mask)).collect()
    }
}

/// Whether lines of its document are told with a result.
fn shows(result: &CaseResult<'_>, document: &Document) -> bool {
    shown_lines(result, document).next().is_some()
}

/// The lines of its document that are told with a result: those that its errors stand on.
fn shown_lines<'d>(result: &CaseResult<'_>, document: &'d Document) -> impl Iterator<Item = &'d str> {
    let errors: Vec<&Error> = match &result.outcome {
        Outcome::Judged(judgement) => {
            let faults = judgement.faults().filter_map(|(_, fault)| match fault {
                Fault::Error(error) => Some(&**error),
                Fault::Failed(_) | Fault::NotJudged { .. } => None,
            });
            faults.collect()
        }
        Outcome::Errors(errors) => errors.iter().collect(),
        Outcome::Skipped(_) => Vec::new(),
    };
    let lines = errors.into_iter().filter(|error| error.is_in(document)).map(|error| {
        let span = error.place.as_ref().and_then(|place| place.span.clone()).unwrap_or_default();
        document.lines_of(span)
    });
    lines.collect::<Vec<_>>().into_iter()
}

fn hidden_outcome(outcome: &Outcome, mask: &Mask) -> Outcome {
    match outcome {
        Outcome::Judged(judgement) => Outcome::Judged(hidden_judgement(judgement, mask)),
        Outcome::Errors(errors) => {
            Outcome::Errors(errors.iter().map(|error| hidden_error(error, mask)).collect())
        }
        Outcome::Skipped(reason) => Outcome::Skipped(mask.hide(reason).into_owned()),
    }
}

fn hidden_judgement(judgement: &Judgement, mask: &Mask) -> Judgement {
    judgement.clone().retold(
        |fault| match fault {
            Fault::Failed(failure) => Fault::Failed(Box::new(hidden_failure(*failure, mask))),
            Fault::Error(error) => Fault::Error(Box::new(hidden_error(&error, mask))),
            Fault::NotJudged { because_of } => Fault::NotJudged { because_of },
        },
        |words| mask.hide(words).into_owned(),
    )
}

fn hidden_failure(mut failure: Failure, mask: &Mask) -> Failure {
    let evidence = &mut failure.evidence;
    let texts = [&mut failure.message, &mut failure.expected, &mut failure.actual].into_iter();
    let notes = evidence.pointed.iter_mut().map(|pointed| &mut pointed.note);
    let places = failure.place.iter_mut().chain(&mut evidence.elsewhere);
    failure.origin.iter_mut().for_each(|origin| hide_origin(origin, mask));
    let explained = failure.explanation.iter_mut().flat_map(|explanation| {
        let Explanation { headline, summary, details } = &mut **explanation;
        headline.iter_mut().chain([summary]).chain(details)
    });
    texts.chain(notes).chain(places).chain(explained).for_each(|text| mask.hide_in(text));
    if let Some(difference) = evidence.difference.take() {
        evidence.difference = Some(Box::new(difference.hidden(mask)));
    }
    failure
}

fn hidden_error(error: &Error, mask: &Mask) -> Error {
    let hide = |text: &String| mask.hide(text).into_owned();
    let kind = match &error.kind {
        ErrorKind::UnknownAssertion { name, nearest } => {
            ErrorKind::UnknownAssertion { name: hide(name), nearest: nearest.clone() }
        }
        ErrorKind::MalformedQuestion(text) => ErrorKind::MalformedQuestion(hide(text)),
        ErrorKind::MalformedSubject(text) => ErrorKind::MalformedSubject(hide(text)),
        ErrorKind::Unobtainable(text) => ErrorKind::Unobtainable(hide(text)),
        ErrorKind::Usage(text) => ErrorKind::Usage(hide(text)),
        ErrorKind::NotEvaluable(text) => ErrorKind::NotEvaluable(hide(text)),
        ErrorKind::Exhausted(text) => ErrorKind::Exhausted(hide(text)),
    };
    let place = error.place.as_ref().map(|place| Box::new(hidden_place(place, mask)));
    let cause = error.cause.as_deref().map(|cause| Box::new(hidden_cause(cause, mask)));
    let mut origin = error.origin.clone();
    if let Some(origin) = &mut origin {
        hide_origin(origin, mask);
    }
    Error { kind, place, cause, origin }
}

fn hidden_cause(cause: &Cause, mask: &Mask) -> Cause {
    let mut cause = cause.clone();
    if let Cause::Crash(crash) | Cause::Silent(crash) = &mut cause {
        mask.hide_in(&mut crash.command);
        // A secret may span several lines.
        let stderr = mask.hide(&crash.stderr.join("\n")).into_owned();
        crash.stderr = stderr.lines().map(str::to_owned).collect();
    }
    cause
}

fn hide_origin(origin: &mut Origin, mask: &Mask) {
    let Origin { case, path, target, operator } = origin;
    for text in [case, path, target, operator] {
        mask.hide_in(text);
    }
}

fn hidden_place(place: &Place, mask: &Mask) -> Place {
    Place { file: mask.hide(&place.file).into(), ..place.clone() }
}

fn hidden_finding(finding: &Finding, mask: &Mask) -> Finding {
    let mut finding = finding.clone();
    mask.hide_in(&mut finding.path);
    mask.hide_in(&mut finding.message);
    Finding { place: hidden_place(&finding.place, mask), ..finding }
}

fn hidden_prose(mut prose: Prose, mask: &Mask) -> Prose {
    prose.each_text(|text| mask.hide_in(text));
    prose
}

fn hidden_input<'r>(Input { step, value }: &'r Input<'_>, mask: &Mask) -> Input<'r> {
    let step = step.as_deref().map(|step| mask.hide(step));
    let value = match mask.hide_json(&value.to_string()) {
        Cow::Borrowed(_) => Cow::Borrowed(&**value),
        // What was JSON still is.
        Cow::Owned(hidden) => Cow::Owned(serde_json::from_str(&hidden).unwrap_or_default()),
    };
    Input { step, value }
}

fn hidden_suite(suite: &Suite, mask: &Mask) -> Suite {
    let mut suite = suite.clone();
    let told = std::iter::once(&mut suite.key).chain(&mut suite.name).chain(&mut suite.priority);
    told.for_each(|text| mask.hide_in(text));
    suite
}

fn hidden_summary(summary: &Summary, mask: &Mask) -> Summary {
    let mut summary = summary.clone();
    for Unexercised { case, name, headline, path, place, why, is_near_case: _ } in &mut summary.unexercised {
        [name, path, place, why].into_iter().chain(case).chain(headline).for_each(|text| mask.hide_in(text));
    }
    if let Some(Comparison { worse, better, slower, costlier, new, new_failing, gone }) =
        &mut summary.comparison
    {
        let changed = worse.iter_mut().chain(better).map(|change| &mut change.id);
        let slower = slower.iter_mut().map(|slower| &mut slower.id);
        let costlier = costlier.iter_mut().map(|costlier| &mut costlier.id);
        let known = new.iter_mut().chain(new_failing).chain(gone);
        changed.chain(slower).chain(costlier).chain(known).for_each(|id| mask.hide_in(id));
    }
    summary
}

/// A row of a question, without its secrets.
pub(super) fn hidden_row(row: &Row, mask: &Mask) -> Row {
    let mut row = row.clone();
    let Row { name, label, headline, path, .. } = &mut row;
    [name, headline, path].into_iter().chain(label).for_each(|text| mask.hide_in(text));
    Row { place: hidden_place(&row.place, mask), ..row }
}
