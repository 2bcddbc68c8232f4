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
use crate::verdict::Error;

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
}

#[derive(Serialize)]
struct Diagnostic {
    /// The row that it is about, if it is about one.
    row: Option<usize>,
    text: String,
}

#[derive(Serialize)]
struct Evidence {
    panels: Vec<Panel>,
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
            lost: result.losses.iter().map(|lost| lost.loss.meaning()).collect(),
        };
        page::line(&record, out);
    }

    fn evidence(&self, result: &CaseResult<'_>, out: &mut Vec<u8>) {
        let mut panels = result.exhibit.map(crate::exhibit::Exhibit::panels).unwrap_or_default();
        if panels.iter().any(|panel| matches!(panel, Panel::Oversized { .. })) {
            panels.extend(in_lines(result));
        }
        if panels.is_empty() {
            return;
        }
        let start = out.len();
        page::line(&Evidence { panels }, out);
        if result.status() == Status::Pass && out.len() - start > LARGEST_PASSED {
            out.truncate(start);
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
    let lines = exhibit.lines(&judgement.marks(|row| &rows[row].name));
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    (!judgement.passed()).then(|| Panel::text("in lines", &lines.join("\n")))
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
        error.is_in(document).then(|| Diagnostic { row, text: diagnostic::render(document, error, false) })
    };
    match &result.outcome {
        Outcome::Judged(judgement) => {
            let told = judgement.faults().filter_map(|(row, fault)| match fault {
                Fault::Error(error) => told(Some(row), error),
                Fault::Failed(_) | Fault::NotJudged { .. } => None,
            });
            told.collect()
        }
        Outcome::Errors(errors) => errors.iter().filter_map(|error| told(None, error)).collect(),
        Outcome::Skipped(_) => Vec::new(),
    }
}
