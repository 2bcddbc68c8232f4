//! JSON for machines: one document, or one object per line.

mod schema;
mod subject;
mod trials;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

pub use self::schema::schema;
use self::subject::JsonSubject;
use self::trials::JsonTrials;
use super::{CaseResult, Frame, Outcome, Renderer, Row, Status, Summary};
use crate::question::{Fault, Judgement};
use crate::spec::Finding;
use crate::value::excerpt::visible_json;
use crate::verdict::{Category, Part, Pointed};

/// One document: `{"version":1,"summary":{…},"results":[…]}`.
#[derive(Debug, Default)]
pub struct Json {
    with_subjects: bool,
}

/// The result objects of [`Json`], one per line.
#[derive(Debug, Default)]
pub struct Jsonl {
    with_subjects: bool,
}

impl Json {
    /// A report in which every result carries what was judged.
    pub fn with_subjects() -> Json {
        Json { with_subjects: true }
    }
}

impl Jsonl {
    /// A report in which every result carries what was judged.
    pub fn with_subjects() -> Jsonl {
        Jsonl { with_subjects: true }
    }
}

/// The outcomes of cases, for testing a runner: `{"version":1,"results":[{"id","status","category","message"}]}`.
pub struct Conformance;

impl Renderer for Conformance {
    fn result(&self, result: &CaseResult<'_>, out: &mut Vec<u8>) {
        write_json(&result.ending(), out);
    }

    fn frame(&self, _: &Summary) -> Frame {
        Frame { head: "{\"version\":1,\"results\":[\n".to_owned(), tail: "\n]}\n".to_owned() }
    }

    fn separator(&self) -> &'static str {
        ",\n"
    }

    fn streams(&self) -> bool {
        false
    }
}

impl Renderer for Json {
    fn result(&self, result: &CaseResult<'_>, out: &mut Vec<u8>) {
        write_result(result, self.with_subjects, out);
    }

    fn frame(&self, summary: &Summary) -> Frame {
        let summary = serde_json::to_string(summary).unwrap_or_default();
        let summary = visible_json(&summary);
        Frame {
            head: format!("{{\"version\":1,\"summary\":{summary},\"results\":[\n"),
            tail: "\n]}\n".to_owned(),
        }
    }

    fn separator(&self) -> &'static str {
        ",\n"
    }

    fn streams(&self) -> bool {
        false
    }
}

impl Renderer for Jsonl {
    fn result(&self, result: &CaseResult<'_>, out: &mut Vec<u8>) {
        write_result(result, self.with_subjects, out);
        out.push(b'\n');
    }

    fn frame(&self, _: &Summary) -> Frame {
        Frame::default()
    }
}

/// One result. The order of the fields is the order in the report.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "result")]
pub(super) struct JsonResult<'a> {
    /// The id of the case, or `<file>` or `<file>:<line>` for a subject.
    id: &'a str,
    /// The title of the case.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    /// The type of the case.
    r#type: &'a str,
    /// The key of the suite, for a test of a suite.
    #[serde(skip_serializing_if = "Option::is_none")]
    suite: Option<&'a str>,
    /// The priority of the suite.
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<&'a str>,
    /// The file with the case or the subject.
    file: &'a str,
    /// The line; null for a file that is one subject.
    line: Option<usize>,
    /// The outcome.
    status: Status,
    /// The kind of problem; null for a case that passed or was skipped.
    category: Option<Category>,
    /// The reason for a failure, an error or a skip.
    message: Option<String>,
    /// The duration in milliseconds.
    #[serde(serialize_with = "milliseconds", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    duration_ms: Option<Duration>,
    /// The cost, where recorded.
    #[serde(serialize_with = "rounded_if_any", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    cost: Option<f64>,
    /// The result of each assertion.
    assertions: Vec<JsonRow<'a>>,
    /// The result of each trial, for a case with trials.
    #[serde(skip_serializing_if = "Option::is_none")]
    trials: Option<JsonTrials<'a>>,
    /// True if the case passed only after a retry.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    flaky: bool,
    /// Findings about the health of its assertions.
    #[serde(skip_serializing_if = "<[JsonFinding<'_>]>::is_empty")]
    health: Vec<JsonFinding<'a>>,
    /// Warnings.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'a [String],
    /// The parts of the subject that its source doesn't record.
    #[serde(skip_serializing_if = "<[&str]>::is_empty")]
    losses: Vec<&'static str>,
    /// The judged subject, by part: `response`, `trajectory`, `report`, `stdout`, `stderr`. Only with `--with-subjects`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    subject: Option<JsonSubject>,
    /// Parts of the subject that are omitted (over 512 KiB) or of which only the end is kept (text over 64 KiB).
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    subject_incomplete: Vec<String>,
}

/// The outcome of an assertion.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "assertion_status")]
enum RowStatus {
    /// The assertion holds.
    Pass,
    /// The assertion doesn't hold.
    Fail,
    /// The assertion was not judged.
    Error,
    /// The assertion passed, but nothing in the subject could have made it fail.
    Unexercised,
}

/// The result of one assertion.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "assertion")]
struct JsonRow<'a> {
    /// The name of the assertion, or `can` or `cannot`.
    name: &'a str,
    /// The `name` given to the assertion or to the group around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    /// The path of the assertion in the case or question.
    path: &'a str,
    /// The target of the assertion, in a case.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'a str>,
    /// The outcome.
    status: RowStatus,
    /// The expected value, if it failed.
    expected: Option<&'a str>,
    /// The value found, if it failed.
    actual: Option<&'a str>,
    /// The place in the subject.
    place: Option<&'a str>,
    /// Other places with the same problem.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    also_at: &'a [String],
    /// The reason.
    message: Option<String>,
    /// The index (0-based) of the assertion whose error prevented this one from being judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    because_of: Option<usize>,
    /// The headline in reports for people, if it's neither the name nor the label.
    #[serde(skip_serializing_if = "Option::is_none")]
    headline: Option<&'a str>,
    /// The message in reports for people, where the spec format fixes the wording of `message`.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'a str>,
    /// The parts of the failure that follow the summary, one per line.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    details: &'a [String],
    /// A line diff of two long values that should be equal: `-` expected, `+` found.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    /// The steps of a run that explain the failure.
    #[serde(skip_serializing_if = "<[JsonStep<'_>]>::is_empty")]
    steps: Vec<JsonStep<'a>>,
    /// The items of a selection that explain the failure.
    #[serde(skip_serializing_if = "<[JsonItem<'_>]>::is_empty")]
    items: Vec<JsonItem<'a>>,
}

/// A finding about the health of an assertion.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "finding")]
struct JsonFinding<'a> {
    /// The code: `AH001`.
    code: &'static str,
    /// The path in the case.
    path: &'a str,
    /// The description.
    message: &'a str,
}

impl<'a> JsonFinding<'a> {
    fn of(finding: &'a Finding) -> JsonFinding<'a> {
        JsonFinding { code: finding.code.name(), path: &finding.path, message: &finding.message }
    }
}

/// A step of a run that explains a failure; the index counts from 0.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "step")]
struct JsonStep<'a> {
    /// The index of the step, from 0.
    index: usize,
    /// The explanation.
    note: &'a str,
}

/// An item of a selection that explains a failure, by its place: `included[3]`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "item")]
struct JsonItem<'a> {
    /// The place of the item.
    place: String,
    /// The explanation.
    note: &'a str,
}

/// How a result begins: what tells it from others.
#[derive(Serialize)]
struct JsonHead<'a> {
    id: &'a str,
    r#type: &'a str,
    file: &'a str,
    line: Option<usize>,
}

fn write_result(result: &CaseResult<'_>, with_subject: bool, out: &mut Vec<u8>) {
    if with_subject && let Some(exhibit) = result.exhibit {
        let (subject, subject_incomplete) = JsonSubject::of(exhibit.panels());
        write_json(&JsonResult { subject: Some(subject), subject_incomplete, ..told(result) }, out);
        return;
    }
    if !merely_passed(result) {
        write_json(&told(result), out);
        return;
    }
    let CaseResult { id, kind, file, line, .. } = result;
    write_json(&JsonHead { id, r#type: kind, file, line: *line }, out);
    // The rest stands where the head would end.
    out.pop();
    let Passed { ended, rows } = result.asked.passed(|| Passed::told(result));
    out.extend_from_slice(ended.as_bytes());
    if let Some(duration) = &result.duration {
        out.extend_from_slice(br#","duration_ms":"#);
        let _ = in_milliseconds(duration, &mut serde_json::Serializer::new(&mut *out));
    }
    out.extend_from_slice(rows.as_bytes());
}

/// Appends a value as JSON, with escapes for what a terminal would obey and what hides or reorders other characters.
fn write_json(value: &impl Serialize, out: &mut Vec<u8>) {
    let start = out.len();
    // Writing texts and numbers to memory cannot fail.
    let _ = serde_json::to_writer(&mut *out, value);
    if let Ok(json) = std::str::from_utf8(&out[start..])
        && let Cow::Owned(visible) = visible_json(json)
    {
        out.truncate(start);
        out.extend_from_slice(visible.as_bytes());
    }
}

/// What stands behind the head of every result that merely passed, before and after how long it took.
#[derive(Debug)]
pub(super) struct Passed {
    ended: String,
    rows: String,
}

impl Passed {
    /// As one of them is told. No value before these keys holds what looks like one, for the quotes of values are escaped.
    fn told(result: &CaseResult<'_>) -> Passed {
        let told = JsonResult { duration_ms: None, ..told(result) };
        let whole = serde_json::to_string(&told).unwrap_or_default();
        let whole = visible_json(&whole);
        let key = |key: &str| whole.find(key).unwrap_or_default();
        let (head, rows) = (key(r#","status":"#), key(r#","assertions":"#));
        Passed { ended: whole[head..rows].to_owned(), rows: whole[rows..].to_owned() }
    }
}

/// Whether nothing is told of a result but that it passed, and perhaps how long that took, as of many others that were asked the same.
fn merely_passed(result: &CaseResult<'_>) -> bool {
    let CaseResult { outcome: Outcome::Judged(judgement), asked, .. } = result else { return false };
    judgement.passed()
        && judgement.idle().next().is_none()
        && asked.is_shared()
        && result.title.is_none()
        && result.suite.is_none()
        && result.cost.is_none()
        && result.trials.is_none()
        && !result.flaky
        && result.health.is_empty()
        && result.warnings.is_empty()
        && result.losses.is_empty()
}

/// A result, ready to be written. Messages begin with their origin.
fn told<'a>(result: &'a CaseResult<'_>) -> JsonResult<'a> {
    with_messages(result, result.message(), Fault::full_message)
}

/// A result for a report that people read: messages go without their origin, which the report lays out.
pub(super) fn for_people<'a>(result: &'a CaseResult<'_>) -> JsonResult<'a> {
    let trials = result.trials.as_ref().map(JsonTrials::for_people);
    JsonResult { trials, ..with_messages(result, result.plain_message(), Fault::message) }
}

fn with_messages<'a>(
    result: &'a CaseResult<'_>,
    message: Option<String>,
    row_message: impl Fn(&Fault) -> Option<String>,
) -> JsonResult<'a> {
    let assertions = match &result.outcome {
        Outcome::Judged(judgement) => rows(result.asked.rows(), judgement, row_message),
        Outcome::Errors(_) | Outcome::Skipped(_) => Vec::new(),
    };
    JsonResult {
        id: &result.id,
        title: result.title,
        r#type: result.kind,
        suite: result.suite.map(|suite| suite.key.as_str()),
        priority: result.suite.and_then(|suite| suite.priority.as_deref()),
        file: result.file,
        line: result.line,
        status: result.status(),
        category: result.category(),
        message,
        duration_ms: result.duration,
        cost: result.cost,
        assertions,
        trials: result.trials.as_ref().map(JsonTrials::of),
        flaky: result.flaky,
        health: result.health.iter().map(JsonFinding::of).collect(),
        warnings: &result.warnings,
        losses: result.losses.iter().map(|lost| lost.loss.name()).collect(),
        subject: None,
        subject_incomplete: Vec::new(),
    }
}

fn rows<'a>(
    rows: &'a [Row],
    judgement: &'a Judgement,
    message: impl Fn(&Fault) -> Option<String>,
) -> Vec<JsonRow<'a>> {
    let mut told: Vec<JsonRow<'a>> = rows.iter().map(passed).collect();
    for (row, exercise) in judgement.idle() {
        told[row] = JsonRow { status: RowStatus::Unexercised, message: exercise.why(), ..passed(&rows[row]) };
    }
    for (row, fault) in judgement.faults() {
        let passed = passed(&rows[row]);
        told[row] = match fault {
            Fault::Failed(failure) => JsonRow {
                status: RowStatus::Fail,
                expected: Some(&failure.expected),
                actual: Some(&failure.actual),
                place: failure.place.as_deref(),
                also_at: &failure.evidence.elsewhere,
                message: message(fault),
                headline: Some(rows[row].headline_of(failure)).filter(|headline| *headline != rows[row].name),
                summary: failure.explanation.as_ref().map(|explanation| explanation.summary.as_str()),
                details: failure.details(),
                diff: failure.evidence.difference.as_ref().map(|difference| difference.unified()),
                steps: failure.evidence.pointed.iter().filter_map(step).collect(),
                items: failure.evidence.pointed.iter().filter_map(item).collect(),
                ..passed
            },
            Fault::Error(_) => JsonRow { status: RowStatus::Error, message: message(fault), ..passed },
            Fault::NotJudged { because_of } => JsonRow {
                status: RowStatus::Error,
                message: Some(format!("not judged: see '{}'", rows[*because_of].headline)),
                because_of: Some(*because_of),
                ..passed
            },
        };
    }
    told
}

fn passed(row: &Row) -> JsonRow<'_> {
    let Row { name, label, headline, path, target, .. } = row;
    JsonRow {
        name,
        label: label.as_deref(),
        path,
        target: target.as_deref(),
        status: RowStatus::Pass,
        expected: None,
        actual: None,
        place: None,
        also_at: &[],
        message: None,
        because_of: None,
        headline: Some(headline.as_str()).filter(|headline| *headline != name && label.is_none()),
        summary: None,
        details: &[],
        diff: None,
        steps: Vec::new(),
        items: Vec::new(),
    }
}

fn step(Pointed { part, note }: &Pointed) -> Option<JsonStep<'_>> {
    match *part {
        Part::Step(index) => Some(JsonStep { index, note }),
        Part::Included(_) | Part::Excluded(_) => None,
    }
}

fn item(Pointed { part, note }: &Pointed) -> Option<JsonItem<'_>> {
    match part {
        Part::Step(_) => None,
        Part::Included(_) | Part::Excluded(_) => Some(JsonItem { place: part.to_string(), note }),
    }
}

/// A duration in milliseconds, to the microsecond.
pub(crate) fn in_milliseconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    #[expect(clippy::cast_precision_loss, reason = "no run takes 285 years")]
    let milliseconds = duration.as_micros() as f64 / 1000.0;
    serializer.serialize_f64(milliseconds)
}

#[expect(clippy::ref_option, reason = "as serde calls it")]
pub(crate) fn milliseconds<S: Serializer>(
    duration: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    in_milliseconds(&duration.unwrap_or_default(), serializer)
}

/// A number to six decimals, so that what was summed in another order has the same bytes.
pub(crate) fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

#[expect(clippy::ref_option, reason = "as serde calls it")]
pub(crate) fn rounded_if_any<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    number.map(rounded).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::super::Asked;
    use super::*;
    use crate::document::Document;
    use crate::{Question, ResponseAssertion};

    #[test]
    fn what_merely_passed_is_written_as_everything_else_is() {
        let document = Document::new("q.json", r#"{"status": "ok", "results_max": 3}"#.to_owned());
        let asked = Asked::of(&Question::<ResponseAssertion>::compile(document).unwrap());
        let took = Some(Duration::from_micros(4711));
        for (id, file, line, duration) in
            [("a", "a", None, None), (r#"x","status":"y:7"#, "\n,\"assertions\":", Some(7), took)]
        {
            let outcome = Outcome::Judged(Judgement::default());
            let bare = CaseResult::bare(id.to_owned(), "agent.response", file, &asked, outcome);
            let result = CaseResult { line, duration, ..bare };
            assert!(merely_passed(&result));
            let mut written = Vec::new();
            write_result(&result, false, &mut written);
            assert_eq!(String::from_utf8(written).unwrap(), serde_json::to_string(&told(&result)).unwrap());
        }
    }
}
