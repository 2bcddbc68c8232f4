//! Results, and how they are told: one file per format, each of which renders and never opens a file.

mod account;
pub mod diagnostic;
mod github;
mod html;
mod human;
mod json;
mod junit;
mod markdown;
mod rerun;
mod tap;
mod unexercised;

use std::sync::OnceLock;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub use github::Github;
pub use html::Html;
pub use human::Human;
pub use json::{Conformance, Json, Jsonl, schema as results_schema};
pub(crate) use json::{in_milliseconds, milliseconds, rounded, rounded_if_any};
pub use junit::Junit;
pub use markdown::Markdown;
pub use rerun::Rerun;
pub use tap::Tap;
pub use unexercised::Unexercised;

use crate::baseline::{Comparison, FailOn};
use crate::document::Document;
use crate::exhibit::Exhibit;
use crate::question::{Clause, Fault, Judgement, Question};
use crate::spec::{self, Ending, Finding, Run, Suite};
use crate::trajectory::Lost;
use crate::trials::Trials;
use crate::verdict::{Category, Error, Place};
use crate::vocabulary::Vocabulary;

/// The formats a report can have. Everything that names or lists them reads this table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "lowercase")]
pub enum Format {
    /// For people.
    Human,
    /// One JSON document.
    Json,
    /// One JSON object a line, as the results come.
    Jsonl,
    /// `JUnit` XML, for CI systems.
    Junit,
    /// Annotations in a log of GitHub Actions.
    Github,
    /// Markdown, for a comment on a pull request.
    Markdown,
    /// TAP version 14, for harnesses that read it.
    Tap,
    /// One page for a browser.
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
            Format::Json => Box::new(Json),
            Format::Jsonl => Box::new(Jsonl),
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

    /// What stands before the first result and after the last, known when all are. `untold` results were left out.
    fn frame(&self, summary: &Summary, untold: usize) -> Frame;

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

/// What a case was asked: the rows of its question.
#[derive(Debug)]
pub struct Asked {
    rows: Vec<Row>,
    /// The rows of a case in which all passed, rendered once for all such cases, if anybody asks.
    all_passed: OnceLock<Box<RawValue>>,
    gist: Gist,
    /// How many tokens there are for a selection, where that is said.
    budget: Option<u64>,
}

/// What the one line says that tells why a case did not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gist {
    /// How many rows did not: what every subject of a question has in common.
    Counts,
    /// What the rows themselves say.
    Messages,
}

/// One row of a question, as reports name it.
#[derive(Debug, Clone)]
pub struct Row {
    /// The assertion's name, or `can` or `cannot`.
    pub name: String,
    /// Where it stands in the question.
    pub path: String,
    /// Where it stands in the file.
    pub place: Place,
    /// Whether it is malformed, which is told once, before any result.
    pub malformed: bool,
}

/// One finished case.
pub struct CaseResult<'a> {
    /// What identifies it: `<file>` or `<file>:<line>`.
    pub id: String,
    /// What it is about, in words.
    pub title: Option<&'a str>,
    /// The type of case: `agent.response`.
    pub kind: &'a str,
    /// The suite that it belongs to, if any.
    pub suite: Option<&'a Suite>,
    /// The file that the subject, or the case, stands in.
    pub file: &'a str,
    /// The line, where the file holds several.
    pub line: Option<usize>,
    /// What it was asked.
    pub asked: &'a Asked,
    /// What was found.
    pub outcome: Outcome,
    /// What was judged, where it can be shown.
    pub exhibit: Option<&'a dyn Exhibit>,
    /// The document that it is written in, where errors in it are told with the case.
    pub source: Option<&'a Document>,
    /// Whether it passed only when it was tried again.
    pub flaky: bool,
    /// What is the matter with its assertions. A person is told of it elsewhere.
    pub health: &'a [Finding],
    /// What the reader should know beside the outcome.
    pub warnings: Vec<String>,
    /// What the source of the subject could not say.
    pub losses: Vec<Lost>,
    /// How long it took, where timings are told.
    pub duration: Option<Duration>,
    /// What it cost, where that is recorded.
    pub cost: Option<f64>,
    /// What came of each of its trials, where it was run several times. The outcome is that of all of them.
    pub trials: Option<Trials>,
}

/// How a case ended.
#[derive(Debug)]
pub enum Outcome {
    /// It was judged.
    Judged(Judgement),
    /// It could not be, for at least one reason.
    Errors(Vec<Error>),
    /// It was not run, and this is why.
    Skipped(String),
}

/// The word for an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "status")]
pub enum Status {
    /// Everything holds.
    Pass,
    /// Something does not hold.
    Fail,
    /// Something could not be judged.
    Error,
    /// It was not run.
    Skip,
}

/// How many cases ended how.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
#[schemars(rename = "summary")]
pub struct Summary {
    /// All cases.
    pub total: usize,
    /// Those that passed.
    pub passed: usize,
    /// Those that failed.
    pub failed: usize,
    /// Those without a verdict.
    pub errors: usize,
    /// Those that were not run.
    pub skipped: usize,
    /// Those that passed only when tried again.
    pub flaky: usize,
    /// How long all took, where timings are told.
    #[serde(
        rename = "duration_ms",
        serialize_with = "json::milliseconds",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "f64")]
    pub duration: Option<Duration>,
    /// Cases with an error that the one who asked must mend.
    #[serde(skip)]
    pub askers_mistakes: usize,
    /// Whether the run was broken off, so that the counts are of a part only.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// Assertions that passed wherever they were asked, but never had anything to say no to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unexercised: Vec<Unexercised>,
    /// Whether such an assertion is as bad as one that failed.
    #[serde(skip)]
    pub strict: bool,
    /// What has changed since an earlier run, where one is given.
    #[serde(rename = "baseline", skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// What makes the run fail. Without a comparison nothing can have got worse, and what does not pass does.
    #[serde(skip)]
    pub fail_on: FailOn,
}

impl Asked {
    /// The rows of a question.
    pub fn of<A: Vocabulary>(question: &Question<A>) -> Asked {
        let row = |clause: &Clause<A>| Row {
            name: clause.name.clone(),
            path: clause.path.clone(),
            place: clause.place.clone(),
            malformed: clause.is_malformed(),
        };
        let clauses = question.clauses();
        let budget = clauses.iter().flat_map(Clause::leaves).find_map(Vocabulary::budget);
        Asked { budget, ..Asked::new(clauses.iter().map(row).collect(), Gist::Counts) }
    }

    /// The rows of a case of its own.
    pub fn rows_of(run: &Run) -> Asked {
        Asked { budget: run.budget(), ..Asked::new(run.rows(), Gist::Messages) }
    }

    /// One row for a case as a whole.
    pub fn one(name: &str, place: Place) -> Asked {
        let row = Row { name: name.to_owned(), path: name.to_owned(), place, malformed: false };
        Asked::new(vec![row], Gist::Messages)
    }

    /// A case that was never asked anything, because it could not be read.
    pub fn nothing() -> Asked {
        Asked::new(Vec::new(), Gist::Counts)
    }

    fn new(rows: Vec<Row>, gist: Gist) -> Asked {
        Asked { rows, all_passed: OnceLock::new(), gist, budget: None }
    }

    /// Whether other cases are asked the same.
    fn is_shared(&self) -> bool {
        self.gist == Gist::Counts
    }

    fn all_passed(&self) -> &RawValue {
        self.all_passed.get_or_init(|| json::all_passed(&self.rows))
    }

    /// How many tokens there are for a selection, where an assertion says so.
    pub fn budget(&self) -> Option<u64> {
        self.budget
    }

    /// The rows, in order.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }
}

impl Status {
    /// The word for what went wrong, if anything did.
    pub fn of(category: Option<Category>) -> Status {
        match category {
            None => Status::Pass,
            Some(Category::Assertion) => Status::Fail,
            Some(Category::Schema | Category::Runtime) => Status::Error,
        }
    }
}

impl CaseResult<'_> {
    /// The word for the outcome.
    pub fn status(&self) -> Status {
        match &self.outcome {
            Outcome::Skipped(_) => Status::Skip,
            Outcome::Judged(_) | Outcome::Errors(_) => Status::of(self.category()),
        }
    }

    /// What kind of thing went wrong, if anything did.
    pub fn category(&self) -> Option<Category> {
        match &self.outcome {
            Outcome::Judged(judgement) => judgement.category(),
            Outcome::Errors(errors) => Category::worst(errors.iter().map(Error::category)),
            Outcome::Skipped(_) => None,
        }
    }

    /// What went wrong, if anything did, or why it was not run.
    pub fn message(&self) -> Option<String> {
        let message = self.own_message()?;
        Some(match &self.trials {
            Some(trials) if !trials.ran.is_empty() && self.status() == Status::Fail => {
                let (passed, ran, rule) = (trials.passed(), trials.ran.len(), &trials.rule);
                format!("{passed} of {ran} trials passed (pass: {rule}); first: {message}")
            }
            _ => message,
        })
    }

    fn own_message(&self) -> Option<String> {
        match &self.outcome {
            Outcome::Judged(judgement) if judgement.passed() => None,
            Outcome::Judged(judgement) => Some(match self.asked.gist {
                Gist::Counts => judgement.line(self.asked.rows.len()),
                Gist::Messages => judgement.messages(),
            }),
            Outcome::Errors(errors) => {
                Some(errors.iter().map(Error::to_string).collect::<Vec<_>>().join("; "))
            }
            Outcome::Skipped(reason) => Some(reason.clone()),
        }
    }

    /// How it ended, in the words of a conformance report.
    pub fn ending(&self) -> spec::Outcome {
        let status = match self.status() {
            Status::Pass => Ending::Pass,
            Status::Fail | Status::Error => Ending::Fail,
            Status::Skip => Ending::Skip,
        };
        let message = if status == Ending::Fail { self.message() } else { None };
        spec::Outcome { id: self.id.clone(), status, category: self.category(), message }
    }

    fn is_askers_mistake(&self) -> bool {
        match &self.outcome {
            Outcome::Judged(judgement) => judgement.faults().any(|(_, fault)| match fault {
                Fault::Failed(_) => false,
                Fault::Error(error) => error.is_askers_mistake(),
            }),
            Outcome::Errors(errors) => errors.iter().any(Error::is_askers_mistake),
            Outcome::Skipped(_) => false,
        }
    }
}

impl Summary {
    /// Counts one more case.
    pub fn count(&mut self, result: &CaseResult<'_>) {
        self.total += 1;
        match result.status() {
            Status::Pass => self.passed += 1,
            Status::Fail => self.failed += 1,
            Status::Error => self.errors += 1,
            Status::Skip => self.skipped += 1,
        }
        self.flaky += usize::from(result.flaky);
        self.askers_mistakes += usize::from(result.is_askers_mistake());
    }

    /// Counts what another summary counted.
    pub fn add(&mut self, other: &Summary) {
        self.total += other.total;
        self.passed += other.passed;
        self.failed += other.failed;
        self.errors += other.errors;
        self.skipped += other.skipped;
        self.flaky += other.flaky;
        self.askers_mistakes += other.askers_mistakes;
        self.unexercised.extend_from_slice(&other.unexercised);
    }

    /// The exit code: 130 interrupted; 2 nothing judged, or a mistake of the asker's; 1 a failure or runtime error (or only
    /// what got worse), or something unexercised where that is as bad; 0.
    pub fn exit_code(&self) -> u8 {
        match self {
            Summary { interrupted: true, .. } => 130,
            Summary { total: 0, .. } | Summary { askers_mistakes: 1.., .. } => 2,
            _ => u8::from(self.fails() || self.is_too_easy()),
        }
    }

    /// Whether something unexercised fails what else would pass.
    fn is_too_easy(&self) -> bool {
        self.strict && !self.unexercised.is_empty()
    }

    fn fails(&self) -> bool {
        match (self.fail_on, &self.comparison) {
            (FailOn::Regression, Some(comparison)) => comparison.has_regressed(),
            _ => self.failed + self.errors > 0,
        }
    }
}
