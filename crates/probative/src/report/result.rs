//! One finished case.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Asked;
use super::asked::Gist;
use crate::document::Document;
use crate::exhibit::Exhibit;
use crate::question::{Fault, Judgement};
use crate::spec::{self, Ending, Finding, Input, Prose, Suite};
use crate::trajectory::Lost;
use crate::trials::Trials;
use crate::verdict::{Category, Error};

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
    /// What its document says about it.
    pub prose: Option<Prose>,
    /// What the agent or the command was given.
    pub inputs: Vec<Input<'a>>,
    /// Whether it passed only when it was tried again.
    pub flaky: bool,
    /// Findings about the health of its assertions. People read them elsewhere.
    pub health: &'a [Finding],
    /// True if these findings failed it before it was run, so that its failure lists them.
    pub refused: bool,
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

/// The outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "status")]
pub enum Status {
    /// Every assertion holds.
    Pass,
    /// An assertion doesn't hold.
    Fail,
    /// Something was not judged.
    Error,
    /// It was not run.
    Skip,
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

impl<'a> CaseResult<'a> {
    /// A result of which nothing is known but how it ended.
    pub fn bare(
        id: String,
        kind: &'a str,
        file: &'a str,
        asked: &'a Asked,
        outcome: Outcome,
    ) -> CaseResult<'a> {
        CaseResult {
            id,
            title: None,
            kind,
            suite: None,
            file,
            line: None,
            asked,
            outcome,
            exhibit: None,
            source: None,
            prose: None,
            inputs: Vec::new(),
            flaky: false,
            health: &[],
            refused: false,
            warnings: Vec::new(),
            losses: Vec::new(),
            duration: None,
            cost: None,
            trials: None,
        }
    }

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

    /// Returns what went wrong, if anything did, or why the case was not run, as machines read it: the message of an
    /// assertion begins with its origin.
    pub fn message(&self) -> Option<String> {
        self.message_with(Judgement::full_messages, Error::to_string)
    }

    /// Returns the same as people read it, without origins.
    pub fn plain_message(&self) -> Option<String> {
        let plain = |error: &Error| if error.crash().is_some() { error.summary() } else { error.to_string() };
        self.message_with(Judgement::messages, plain)
    }

    /// A message about the trial that is shown, with what all of them came to.
    pub(super) fn among_trials(&self, message: String) -> String {
        match &self.trials {
            Some(trials) if !trials.ran.is_empty() && self.status() == Status::Fail => {
                let (passed, ran, rule) = (trials.passed(), trials.ran.len(), &trials.rule);
                let shown = trials.shown.map(|shown| format!("trial {shown}: ")).unwrap_or_default();
                format!("{passed} of {ran} trials passed (pass: {rule}); {shown}{message}")
            }
            _ => message,
        }
    }

    fn message_with(
        &self,
        messages: impl FnOnce(&Judgement) -> String,
        error: impl Fn(&Error) -> String,
    ) -> Option<String> {
        let message = match &self.outcome {
            Outcome::Judged(judgement) if judgement.passed() => return None,
            Outcome::Judged(judgement) => match self.asked.gist {
                Gist::Counts => judgement.line(self.asked.rows().len()),
                Gist::Messages => messages(judgement),
            },
            Outcome::Errors(errors) => errors.iter().map(error).collect::<Vec<_>>().join("; "),
            Outcome::Skipped(reason) => reason.clone(),
        };
        Some(self.among_trials(message))
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

    pub(super) fn is_askers_mistake(&self) -> bool {
        match &self.outcome {
            Outcome::Judged(judgement) => judgement.faults().any(|(_, fault)| match fault {
                Fault::Failed(_) | Fault::NotJudged { .. } => false,
                Fault::Error(error) => error.is_askers_mistake(),
            }),
            Outcome::Errors(errors) => errors.iter().any(Error::is_askers_mistake),
            Outcome::Skipped(_) => false,
        }
    }
}
