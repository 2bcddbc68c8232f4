//! Results and their reports: one file per format, each of which renders and never opens a file.

mod account;
mod asked;
pub mod diagnostic;
mod github;
mod html;
mod human;
mod json;
mod junit;
mod markdown;
mod masked;
mod rerun;
mod result;
mod summary;
mod tap;
mod unexercised;

use schemars::JsonSchema;

pub use asked::{Asked, Row};
pub use github::Github;
pub use html::Html;
pub use human::Human;
pub use json::{Conformance, Json, Jsonl, schema as results_schema};
pub(crate) use json::{in_milliseconds, milliseconds, rounded, rounded_if_any};
pub use junit::Junit;
pub use markdown::Markdown;
pub use masked::Masked;
pub use rerun::Rerun;
pub use result::{CaseResult, Outcome, Status};
pub use summary::Summary;
pub use tap::Tap;
pub use unexercised::Unexercised;

/// The formats a report can have. Everything that names or lists them reads this table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "lowercase")]
pub enum Format {
    /// Readable text, for the terminal.
    Human,
    /// A single JSON document.
    Json,
    /// One JSON object per line, as results come in.
    Jsonl,
    /// `JUnit` XML, for CI systems.
    Junit,
    /// Annotations for GitHub Actions.
    Github,
    /// Markdown, for a comment on a pull request.
    Markdown,
    /// TAP version 14.
    Tap,
    /// A single HTML page.
    Html,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 8] = [
        Format::Human,
        Format::Json,
        Format::Jsonl,
        Format::Junit,
        Format::Github,
        Format::Markdown,
        Format::Tap,
        Format::Html,
    ];

    /// The name that asks for it.
    pub fn name(self) -> &'static str {
        match self {
            Format::Human => "human",
            Format::Json => "json",
            Format::Jsonl => "jsonl",
            Format::Junit => "junit",
            Format::Github => "github",
            Format::Markdown => "markdown",
            Format::Tap => "tap",
            Format::Html => "html",
        }
    }

    /// The renderer of this format.
    pub fn renderer(self, style: Style) -> Box<dyn Renderer> {
        match self {
            Format::Human => Box::new(Human::new(style)),
            Format::Json => Box::new(Json::default()),
            Format::Jsonl => Box::new(Jsonl::default()),
            Format::Junit => Box::new(Junit::new(style)),
            Format::Github => Box::new(Github::new(style)),
            Format::Markdown => Box::new(Markdown::new(style)),
            Format::Tap => Box::new(Tap::new(style)),
            Format::Html => Box::new(Html::new(style)),
        }
    }
}

/// How a report for people looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Style {
    /// Whether to colour.
    pub colour: bool,
    /// What the results are results of: `subject`, `case`.
    pub noun: &'static str,
    /// How a single result is come by again, where that is known.
    pub rerun: Option<Rerun>,
    /// How much the report for people says.
    pub verbosity: Verbosity,
}

/// How much the report for people says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verbosity {
    /// Results that did not pass, and the summary unless all is well.
    Quiet,
    /// What did not pass, what there is to note, and the summary.
    #[default]
    Normal,
    /// A line for each result that passed or was skipped as well, and no limit on what is printed in full.
    Verbose,
}

/// Renders results one by one, and what stands around them.
///
/// Results may be rendered on many threads at once; they are put together in order.
pub trait Renderer: Send + Sync {
    /// How a result is told.
    fn telling(&self, _result: &CaseResult<'_>) -> Telling {
        Telling::Full
    }

    /// Appends one result. Not asked of those that are silent.
    fn result(&self, result: &CaseResult<'_>, out: &mut Vec<u8>);

    /// What stands before the first result and after the last, known when all are.
    fn frame(&self, summary: &Summary) -> Frame;

    /// What stands before the first result of a report that streams.
    fn opening(&self) -> &'static str {
        ""
    }

    /// Appends what was judged, to stand behind the result where [`Renderer::evidence_room`] allows.
    fn evidence(&self, _result: &CaseResult<'_>, _out: &mut Vec<u8>) {}

    /// How many bytes of evidence there is room for in the whole report. Results take of it in order; what does not fit
    /// is left out.
    fn evidence_room(&self) -> EvidenceRoom {
        EvidenceRoom::default()
    }

    /// Whether evidence stands behind all results, not behind its own. It is kept in memory until then.
    fn evidence_stands_apart(&self) -> bool {
        false
    }

    /// What stands behind the results and their evidence, where the limits left something out.
    fn remainder(&self, _left_out: &LeftOut) -> String {
        String::new()
    }

    /// What stands between two results.
    fn separator(&self) -> &'static str {
        ""
    }

    /// Whether nothing stands before the first result, so that results can be told as they come.
    fn streams(&self) -> bool {
        true
    }

    /// How many results are told in full at most, and how many notes. A format with a limit has no separator.
    fn tells_at_most(&self) -> usize {
        usize::MAX
    }
}

/// How many bytes of a report may be evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EvidenceRoom {
    /// For results that passed, and those that were not run.
    pub passed: usize,
    /// For all others.
    pub others: usize,
}

/// How much the limits of a report left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// Results that would have been told in full.
    pub results: usize,
    /// Results that would have been told in a few lines.
    pub notes: usize,
    /// Results that are told, but without their evidence.
    pub evidence: usize,
}

/// How a result is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Telling {
    /// Not at all.
    Silent,
    /// In a few lines, which take no room from what is told in full.
    Note,
    /// In full.
    Full,
}

/// What stands around the results of a report.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frame {
    /// Before the first result.
    pub head: String,
    /// After the last.
    pub tail: String,
}
