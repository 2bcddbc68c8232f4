//! One page for a browser: every result with what was judged, in a file that needs nothing but itself.
//!
//! The page carries data, not markup: results stand in it as lines of JSON, and its script lays them out. Whatever a
//! text from outside holds, it is put on the page as text.

mod page;

use serde::Serialize;

use super::json::{self, JsonResult};
use super::{CaseResult, EvidenceRoom, Frame, Outcome, Renderer, Status, Style, Summary, diagnostic};
use crate::exhibit::Panel;
use crate::question::Fault;
use crate::spec::{Input, Prose};
use crate::value::excerpt::cut;
use crate::verdict::{Crash, Error};

/// What was judged is shown for all that did not pass, as far as it fits into a page that still opens at once.
const ROOM: EvidenceRoom = EvidenceRoom { passed: 4 << 20, others: 24 << 20 };

/// Of a result that passed, what is larger than this is left out, so that many have room.
const LARGEST_PASSED: usize = 64 << 10;

/// Renders a page.
pub struct Html {
    style: Style,
}

impl Html {
    /// A renderer of results that `style` has a noun for.
    pub fn new(style: Style) -> Html {
        Html { style }
    }
}

/// A result as the page reads it: what machines are told, and what is told to people beside it.
#[derive(Serialize)]
struct Record<'a> {
    result: JsonResult<'a>,
    /// What people call its suite.
    #[serde(skip_serializing_if = "Option::is_none")]
    suite: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rerun: Option<String>,
    /// Where each row is written; none where all passed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    written: Vec<String>,
    /// Errors with the lines that they are in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<Diagnostic>,
    /// How many tokens there were for a selection, where an assertion says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    budget: Option<u64>,
    /// Whether something was judged that can be shown, be there room for it or not.
    exhibited: bool,
    /// What the source could not say, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lost: Vec<&'static str>,
    /// Why it was not judged, in a line that other results may share.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<String>,
    /// The crashes of the agent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    crashes: Vec<CrashRecord<'a>>,
}

/// How an agent crashed.
#[derive(Serialize)]
struct CrashRecord<'a> {
    /// The row with the error, if it is that of a row.
    row: Option<usize>,
    command: &'a str,
    exit_code: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<&'a str>,
    stderr: &'a [String],
}

#[derive(Serialize)]
struct Diagnostic {
    /// The row that it is about, if it is about one.
    row: Option<usize>,
    text: String,
}

/// What was judged, and what the case says about it. The script knows the line by its first key.
#[derive(Serialize)]
struct Evidence<'a> {
    /// Null where the page has no room for them.
    panels: Option<Vec<Panel>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prose: Option<&'a Prose>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inputs: Vec<Panel>,
}

impl Renderer for Html {
    fn result(&self, result: &CaseResult<'_>, out: &mut Vec<u8>) {
        let record = Record {
            result: json::for_people(result),
            suite: result.suite.and_then(|suite| suite.name.as_deref()),
            rerun: self.style.rerun.as_ref().and_then(|rerun| rerun.command(result)),
            written: written(result),
            diagnostics: diagnostics(result),
            budget: result.asked.budget(),
            exhibited: result.exhibit.is_some(),
            lost: result.losses.iter().map(|lost| lost.loss.meaning_of_all()).collect(),
            cause: cause(result),
            crashes: errors(result)
                .filter_map(|(row, error)| {
                    let Crash { command, exit_code, signal, stderr, .. } = error.crash()?;
                    Some(CrashRecord {
                        row,
                        command,
                        exit_code: *exit_code,
                        signal: signal.as_deref(),
                        stderr,
                    })
                })
                .collect(),
        };
        page::line(&record, out);
    }

    fn evidence(&self, result: &CaseResult<'_>, out: &mut Vec<u8>) {
        let mut panels = result.exhibit.map(crate::exhibit::Exhibit::panels).unwrap_or_default();
        if panels.iter().any(|panel| matches!(panel, Panel::Oversized { .. })) {
            panels.extend(in_lines(result));
        }
        let prose = result.prose.as_ref();
        let inputs: Vec<Panel> = result.inputs.iter().map(input_panel).collect();
        let says_more = prose.is_some() || !inputs.is_empty();
        if panels.is_empty() && !says_more {
            return;
        }
        let start = out.len();
        page::line(&Evidence { panels: Some(panels), prose, inputs: inputs.clone() }, out);
        let is_too_large =
            |out: &Vec<u8>| result.status() == Status::Pass && out.len() - start > LARGEST_PASSED;
        if is_too_large(out) {
            out.truncate(start);
            if says_more {
                page::line(&Evidence { panels: None, prose, inputs }, out);
            }
            if is_too_large(out) {
                out.truncate(start);
            }
        }
    }

    fn evidence_room(&self) -> EvidenceRoom {
        ROOM
    }

    fn frame(&self, summary: &Summary) -> Frame {
        page::frame(summary, self.style.noun)
    }

    fn streams(&self) -> bool {
        false
    }
}

/// What was judged as people see it in lines, with marks at what explains a failure: for what is too large to be laid out.
fn in_lines(result: &CaseResult<'_>) -> Option<Panel> {
    let (exhibit, Outcome::Judged(judgement)) = (result.exhibit?, &result.outcome) else { return None };
    let rows = result.asked.rows();
    let lines = exhibit.lines(&judgement.marks(|row| &rows[row].headline));
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    (!judgement.passed()).then(|| Panel::text("in lines", &lines.join("\n")))
}

/// What an agent was given, as data.
fn input_panel(Input { step, value }: &Input<'_>) -> Panel {
    let panel = match value.as_str() {
        Some(text) => Panel::text("input", text),
        None => Panel::json("input", value),
    };
    match step {
        Some(step) => panel.headed(&format!("step {step}: ")),
        None => panel,
    }
}

/// The errors, with the rows that they are of.
fn errors<'r>(result: &'r CaseResult<'_>) -> Box<dyn Iterator<Item = (Option<usize>, &'r Error)> + 'r> {
    match &result.outcome {
        Outcome::Judged(judgement) => Box::new(judgement.faults().filter_map(|(row, fault)| match fault {
            Fault::Error(error) => Some((Some(row), &**error)),
            Fault::Failed(_) | Fault::NotJudged { .. } => None,
        })),
        Outcome::Errors(errors) => Box::new(errors.iter().map(|error| (None, error))),
        Outcome::Skipped(_) => Box::new(std::iter::empty()),
    }
}

/// Why a case was not judged: what the first error says.
fn cause(result: &CaseResult<'_>) -> Option<String> {
    let (_, error) = errors(result).next()?;
    Some(cut(&error.summary()).into_owned())
}

fn written(result: &CaseResult<'_>) -> Vec<String> {
    match &result.outcome {
        Outcome::Judged(judgement) if judgement.passed() && judgement.idle().next().is_none() => Vec::new(),
        Outcome::Judged(_) => result.asked.rows().iter().map(|row| row.place.to_string()).collect(),
        Outcome::Errors(_) | Outcome::Skipped(_) => Vec::new(),
    }
}

/// The errors whose lines can be shown.
fn diagnostics(result: &CaseResult<'_>) -> Vec<Diagnostic> {
    let Some(document) = result.source else { return Vec::new() };
    let told = |row: Option<usize>, error: &Error| {
        // A crash has a card of its own.
        let has_lines = error.is_in(document) && error.crash().is_none();
        has_lines.then(|| Diagnostic { row, text: diagnostic::render(document, error, false) })
    };
    errors(result).filter_map(|(row, error)| told(row, error)).collect()
}
