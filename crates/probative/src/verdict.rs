//! What the judge answers: a verdict, or why there is none.

use std::fmt;
use std::sync::Arc;

use crate::difference::Difference;
use crate::document::Document;
use crate::value::visible;
use crate::vocabularies::About;

/// Whether a subject is what an assertion says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is.
    Pass,
    /// It is not, and this is why.
    Fail(Box<Failure>),
}

/// Why an assertion does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failure {
    /// One sentence that stands alone.
    pub message: String,
    /// What was asked for.
    pub expected: String,
    /// What was found.
    pub actual: String,
    /// Where in the subject: `results[2].file`. `None` where the whole subject is meant.
    pub place: Option<String>,
    /// What to look at beside the message.
    pub evidence: Evidence,
    /// Where in a case it arose; `None` outside cases.
    pub origin: Option<Box<Origin>>,
    /// What people read in place of the message, where a format fixes that to the letter.
    pub explanation: Option<Box<Explanation>>,
}

/// A failure in words for people.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Explanation {
    /// The headline, where it says more than the name of the assertion: `cannot tool_was_called`.
    pub headline: Option<String>,
    /// One sentence: `search({"q":"tea"}) was called at step 4, but must not be`.
    pub summary: String,
    /// The parts of the failure, one line each; empty where the summary says it all.
    pub details: Vec<String>,
}

/// Where in a case a failure or an error arose.
///
/// Displayed as the head of a machine-readable message: `[case_id=A assert_path=assert[0] target=stdout op=regex]`.
/// Reports for people lay these facts out instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The id of the case.
    pub case: String,
    /// The path of the assertion in the case: `assert[0].must[0]`.
    pub path: String,
    /// The target of the assertion: `stdout`.
    pub target: String,
    /// The operator: `regex`.
    pub operator: String,
}

/// What a report may show beside a failure's message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// Parts of the subject to point at, each with a note.
    pub pointed: Vec<Pointed>,
    /// How what was found differs from what was expected, where both are long.
    pub difference: Option<Box<Difference>>,
    /// Other places in the subject where the same is wrong, as far as they are named.
    pub elsewhere: Vec<String>,
}

/// A part of a subject that explains a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointed {
    /// Which part.
    pub part: Part,
    /// What to see there: `called first`.
    pub note: String,
}

/// What of a subject can be pointed at. Positions count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A step of a run.
    Step(usize),
    /// An item that was selected.
    Included(usize),
    /// An item that was not.
    Excluded(usize),
}

/// The kind of problem.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// An assertion doesn't hold.
    Assertion,
    /// The question or a subject is invalid.
    Schema,
    /// Something could not be obtained or judged: a missing file, a limit, a total that isn't recorded.
    Runtime,
}

/// Why there is no verdict. Never a pass, whatever stands around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What went wrong.
    pub kind: ErrorKind,
    /// Where the cause is written, as far as it is known.
    pub place: Option<Box<Place>>,
    /// What kept a whole part of an output from being judged, for errors that several assertions share.
    pub cause: Option<Box<Cause>>,
    /// Where in a case it arose; `None` outside cases.
    pub origin: Option<Box<Origin>>,
}

/// A cause that several assertions share.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// A part of the output is missing or can't be read.
    Missing {
        /// The part.
        about: About,
        /// The turn of the conversation, counted from 0; 0 where there is only one.
        turn: usize,
    },
    /// The agent crashed.
    Crash(Crash),
    /// The agent ended as expected, but printed nothing on standard output.
    Silent(Crash),
}

/// How a command ended whose output is missing.
///
/// The error's kind says the same in one line; a report with more room shows the lines of `stderr` first, then the exit code
/// or the signal and the command.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Crash {
    /// The command, as it was written: `python3 agent.py`.
    pub command: String,
    /// The exit code; 128 and the number of the signal where one ended it.
    pub exit_code: i32,
    /// The signal that ended it: `signal 11 (SEGV)`.
    pub signal: Option<String>,
    /// The last lines of standard error, in order: at least a whole traceback of usual length. Empty if there are none.
    pub stderr: Vec<String>,
}

impl Crash {
    /// A crash with an exit code.
    pub fn new(command: impl Into<String>, exit_code: i32) -> Crash {
        Crash { command: command.into(), exit_code, signal: None, stderr: Vec::new() }
    }

    /// Describes a crash on one line: `the agent crashed: KeyError: 'order'`.
    pub fn headline(&self) -> String {
        let last = self.stderr.iter().rfind(|line| !line.trim().is_empty());
        match (&self.signal, last) {
            (Some(signal), _) => format!("the agent crashed: killed by {signal}"),
            (None, Some(line)) => format!("the agent crashed: {}", line.trim()),
            (None, None) => format!("the agent crashed: exit code {}", self.exit_code),
        }
    }

    /// Describes a command that printed nothing: `the agent printed nothing on stdout (exit code 0)`.
    pub fn silence(&self) -> String {
        format!("the agent printed nothing on stdout (exit code {})", self.exit_code)
    }
}

/// What can keep the judge from a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrorKind {
    /// The question uses a word that no vocabulary has.
    UnknownAssertion {
        /// The word.
        name: String,
        /// The known word closest to it.
        nearest: Option<String>,
    },
    /// The question is invalid.
    MalformedQuestion(String),
    /// The subject is not what its file says it is.
    MalformedSubject(String),
    /// The subject could not be had.
    Unobtainable(String),
    /// The way it was asked for cannot work: a directory without `-r`, a glob that matches nothing.
    Usage(String),
    /// The subject does not record what the assertion needs.
    NotEvaluable(String),
    /// A limit was reached before the answer.
    Exhausted(String),
}

/// A place in a written file. Line and column count from 1; the column counts characters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The file as it was named. All places of a document share the name.
    pub file: Arc<str>,
    /// The line.
    pub line: Option<usize>,
    /// The column.
    pub column: Option<usize>,
    /// The bytes of the file that are meant, for a report that shows them.
    pub span: Option<std::ops::Range<usize>>,
}

impl Category {
    /// The one category of several: a schema error outweighs a runtime error, and any error outweighs a failure.
    pub fn worst(categories: impl Iterator<Item = Category>) -> Option<Category> {
        categories.max_by_key(|category| match category {
            Category::Assertion => 0,
            Category::Runtime => 1,
            Category::Schema => 2,
        })
    }
}

impl Verdict {
    /// Whether the assertion holds.
    pub fn passed(&self) -> bool {
        matches!(self, Verdict::Pass)
    }

    /// Panics at the caller's line with the failure, unless the assertion holds.
    #[track_caller]
    pub fn assert(self) {
        if let Verdict::Fail(failure) = self {
            panic!("{failure}");
        }
    }

    /// A failure with one sentence that stands alone; the rest is added with the methods of [`Failure`].
    pub fn fail(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), ..Failure::default() }
    }
}

impl Failure {
    /// Says what was asked for.
    pub fn expected(self, expected: impl Into<String>) -> Self {
        Failure { expected: expected.into(), ..self }
    }

    /// Says what was found.
    pub fn actual(self, actual: impl Into<String>) -> Self {
        Failure { actual: actual.into(), ..self }
    }

    /// Says where.
    pub fn at(self, place: impl fmt::Display) -> Self {
        Failure { place: Some(place.to_string()), ..self }
    }

    /// One verdict for what must all hold: the failures in order, told as one, at the place of the first.
    pub fn all_of(mut failures: Vec<Failure>) -> Verdict {
        if failures.len() < 2 {
            return failures.pop().map_or(Verdict::Pass, Verdict::from);
        }
        let joined = |part: fn(&Failure) -> &str| {
            let mut parts: Vec<&str> = failures.iter().map(part).collect();
            parts.dedup();
            parts.join("; ")
        };
        let told = Verdict::fail(joined(|failure| &failure.message))
            .expected(joined(|failure| &failure.expected))
            .actual(joined(|failure| &failure.actual));
        let mut places =
            failures.iter().flat_map(|failure| failure.place.iter().chain(&failure.evidence.elsewhere));
        let place = places.next().cloned();
        let elsewhere = places.cloned().collect();
        let explanation = failures.iter().any(|failure| failure.explanation.is_some()).then(|| {
            let mut summaries: Vec<&str> = failures.iter().map(Failure::summary).collect();
            summaries.dedup();
            let details = failures.iter().flat_map(Failure::details).cloned().collect();
            Explanation { headline: None, summary: summaries.join("; "), details }
        });
        let difference = failures.iter_mut().find_map(|failure| failure.evidence.difference.take());
        let pointed = failures.into_iter().flat_map(|failure| failure.evidence.pointed).collect();
        let evidence = Evidence { pointed, difference, elsewhere };
        Failure { place, evidence, explanation: explanation.map(Box::new), ..told }.into()
    }

    /// Sets what people read in place of the message.
    pub fn explained(self, explanation: Explanation) -> Self {
        Failure { explanation: Some(Box::new(explanation)), ..self }
    }

    /// Returns what people read: the explanation's summary, or else the message.
    pub fn summary(&self) -> &str {
        self.explanation.as_ref().map_or(&self.message, |explanation| &explanation.summary)
    }

    /// Returns the parts of the failure, one line each; empty where the summary says it all.
    pub fn details(&self) -> &[String] {
        self.explanation.as_ref().map_or(&[], |explanation| &explanation.details)
    }

    /// Returns the summary and the details on one line.
    pub fn in_one_line(&self) -> String {
        match self.details() {
            [] => self.summary().to_owned(),
            details => format!("{}: {}", self.summary(), details.join("; ")),
        }
    }

    /// Keeps how what was found differs from what was expected.
    pub fn differing(mut self, difference: Option<Difference>) -> Self {
        self.evidence.difference = difference.map(Box::new);
        self
    }

    /// Names where in a case it arose.
    pub fn from_case(self, origin: Origin) -> Self {
        Failure { origin: Some(Box::new(origin)), ..self }
    }

    /// Returns the message that machines read, which begins with its origin.
    pub fn full_message(&self) -> String {
        self.origin
            .as_ref()
            .map_or_else(|| self.message.clone(), |origin| format!("{origin} {}", self.message))
    }

    /// Points at a step of a run.
    pub fn pointing_at(self, step: usize, note: impl Into<String>) -> Self {
        self.pointing_to(Part::Step(step), note)
    }

    /// Points at a part of the subject.
    pub fn pointing_to(mut self, part: Part, note: impl Into<String>) -> Self {
        self.evidence.pointed.push(Pointed { part, note: note.into() });
        self
    }
}

impl From<Failure> for Verdict {
    fn from(failure: Failure) -> Self {
        Verdict::Fail(Box::new(failure))
    }
}

impl Error {
    /// An error whose place is not known yet.
    pub fn new(kind: ErrorKind) -> Error {
        Error { kind, place: None, cause: None, origin: None }
    }

    /// An error at a place.
    pub fn at(kind: ErrorKind, place: Place) -> Error {
        Error { kind, place: Some(Box::new(place)), cause: None, origin: None }
    }

    /// An error in a file as a whole.
    pub fn in_file(kind: ErrorKind, file: impl Into<Arc<str>>) -> Error {
        Error::at(kind, Place { file: file.into(), ..Place::default() })
    }

    /// The same, told at another place: what it says of its own becomes a part of what it says.
    pub fn told_at(self, place: Place) -> Error {
        let told = self.to_string();
        Error::at(self.kind.saying(told), place)
    }

    /// The same, said of a part of the subject: `included[0]: …`.
    pub fn about(self, part: Part) -> Error {
        let told = format!("{part}: {}", self.kind);
        Error { kind: self.kind.saying(told), ..self }
    }

    /// All the answers; or, where there are errors among them, the worst: what is written wrongly outweighs what could not
    /// be judged, and of two alike the first counts.
    pub fn or_all<T>(answers: impl Iterator<Item = Result<T, Error>>) -> Result<Vec<T>, Error> {
        let (mut all, mut worst) = (Vec::new(), None::<Error>);
        for answer in answers {
            match answer {
                Ok(answer) => all.push(answer),
                Err(error) => {
                    let outweighs = |worst: &Error| {
                        error.category() == Category::Schema && worst.category() != Category::Schema
                    };
                    if worst.as_ref().is_none_or(outweighs) {
                        worst = Some(error);
                    }
                }
            }
        }
        worst.map_or(Ok(all), Err)
    }

    /// Where its cause stands in its file, in bytes; at the beginning, where that is not known.
    pub fn offset(&self) -> usize {
        self.place.as_ref().and_then(|place| place.span.as_ref()).map_or(0, |span| span.start)
    }

    /// Whether it is known which part of its file is meant.
    pub fn has_span(&self) -> bool {
        self.place.as_ref().is_some_and(|place| place.span.is_some())
    }

    /// Whether it is known where in a document it stands.
    pub fn is_in(&self, document: &Document) -> bool {
        self.has_span() && self.place.as_ref().is_some_and(|place| *place.file == *document.name)
    }

    /// The same, beginning with a few words more.
    pub fn headed(self, head: &str) -> Error {
        let told = format!("{head}{}", self.kind);
        let kind = match self.kind {
            // That it is not evaluable is said once, behind the head.
            ErrorKind::NotEvaluable(_) => ErrorKind::Unobtainable(told),
            kind => kind.saying(told),
        };
        Error { kind, ..self }
    }

    /// Names where in a case it arose.
    pub fn from_case(self, origin: Origin) -> Error {
        Error { origin: Some(Box::new(origin)), ..self }
    }

    /// Returns the message that machines read, which names its place and its origin first.
    pub fn full_message(&self) -> String {
        let place = self.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
        let origin = self.origin.as_ref().map(|origin| format!("{origin} ")).unwrap_or_default();
        format!("{place}{origin}{}", self.kind)
    }

    /// The same in other words.
    pub fn retold(self, retell: impl FnOnce(&str) -> String) -> Error {
        let told = match &self.kind {
            ErrorKind::NotEvaluable(reason) => retell(reason),
            kind => retell(&kind.to_string()),
        };
        Error { kind: self.kind.saying(told), ..self }
    }

    /// The same, with a cause that other errors may share.
    pub fn because_of(self, cause: Cause) -> Error {
        Error { cause: Some(Box::new(cause)), ..self }
    }

    /// How the agent crashed, where that is why there is no verdict.
    pub fn crash(&self) -> Option<&Crash> {
        match self.cause.as_deref() {
            Some(Cause::Crash(crash)) => Some(crash),
            Some(Cause::Missing { .. } | Cause::Silent(_)) | None => None,
        }
    }

    /// Returns how the agent ended, if there is no verdict because it printed nothing.
    pub fn silent(&self) -> Option<&Crash> {
        match self.cause.as_deref() {
            Some(Cause::Silent(ending)) => Some(ending),
            Some(Cause::Missing { .. } | Cause::Crash(_)) | None => None,
        }
    }

    /// Returns what people read on one line, without the place.
    pub fn summary(&self) -> String {
        match self.cause.as_deref() {
            Some(Cause::Crash(crash)) => crash.headline(),
            Some(Cause::Silent(ending)) => ending.silence(),
            Some(Cause::Missing { .. }) | None => self.kind.to_string(),
        }
    }

    /// Returns true if a part of the output is missing or can't be read.
    pub(crate) fn is_missing_output(&self) -> bool {
        matches!(self.cause.as_deref(), Some(Cause::Missing { .. } | Cause::Silent(_)))
    }

    /// Says of an error that it is about a part of the output as a whole, unless all output is missing.
    pub(crate) fn missing(self, about: About, turn: usize) -> Error {
        if self.silent().is_some() { self } else { self.because_of(Cause::Missing { about, turn }) }
    }

    /// The same, with a place unless it has one.
    pub fn within(self, place: &Place) -> Error {
        Error { place: self.place.or_else(|| Some(Box::new(place.clone()))), ..self }
    }

    /// Whether something is written wrongly, or could not be obtained or judged.
    pub fn category(&self) -> Category {
        match self.kind {
            ErrorKind::UnknownAssertion { .. }
            | ErrorKind::MalformedQuestion(_)
            | ErrorKind::MalformedSubject(_) => Category::Schema,
            ErrorKind::Unobtainable(_)
            | ErrorKind::Usage(_)
            | ErrorKind::NotEvaluable(_)
            | ErrorKind::Exhausted(_) => Category::Runtime,
        }
    }

    /// Whether what was asked must be fixed before a rerun makes sense.
    pub fn is_askers_mistake(&self) -> bool {
        self.category() == Category::Schema || matches!(self.kind, ErrorKind::Usage(_))
    }
}

impl ErrorKind {
    /// The same kind of thing in other words.
    fn saying(self, told: String) -> ErrorKind {
        match self {
            ErrorKind::UnknownAssertion { .. } | ErrorKind::MalformedQuestion(_) => {
                ErrorKind::MalformedQuestion(told)
            }
            ErrorKind::MalformedSubject(_) => ErrorKind::MalformedSubject(told),
            ErrorKind::Unobtainable(_) => ErrorKind::Unobtainable(told),
            ErrorKind::Usage(_) => ErrorKind::Usage(told),
            ErrorKind::NotEvaluable(_) => ErrorKind::NotEvaluable(told),
            ErrorKind::Exhausted(_) => ErrorKind::Exhausted(told),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.summary())?;
        self.details().iter().try_for_each(|detail| write!(formatter, "\n  - {detail}"))?;
        for (label, text) in [("expected", &self.expected), ("found", &self.actual)] {
            // Details name both, part by part.
            if !text.is_empty() && self.details().is_empty() {
                write!(formatter, "\n  {label:<8}  {text}")?;
            }
        }
        self.place.iter().try_for_each(|place| write!(formatter, "\n  {:<8}  {place}", "at"))
    }
}

/// The part's place: `step 4`, counted from 1 as a formatted run does, or `included[3]`.
impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Step(index) => write!(formatter, "step {}", index + 1),
            Part::Included(index) => write!(formatter, "included[{index}]"),
            Part::Excluded(index) => write!(formatter, "excluded[{index}]"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.file)?;
        self.line.iter().try_for_each(|line| write!(formatter, ":{line}"))?;
        self.column.iter().try_for_each(|column| write!(formatter, ":{column}"))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Origin { case, path, target, operator } = self;
        write!(formatter, "[case_id={} assert_path={path} target={target} op={operator}]", visible(case))
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::UnknownAssertion { name, nearest: Some(nearest) } => {
                write!(formatter, "unknown assertion '{name}'; did you mean '{nearest}'?")
            }
            ErrorKind::UnknownAssertion { name, nearest: None } => {
                write!(formatter, "unknown assertion '{name}'; `probative explain` lists all assertions")
            }
            ErrorKind::NotEvaluable(reason) => write!(formatter, "not evaluable: {reason}"),
            ErrorKind::MalformedQuestion(reason)
            | ErrorKind::MalformedSubject(reason)
            | ErrorKind::Unobtainable(reason)
            | ErrorKind::Usage(reason)
            | ErrorKind::Exhausted(reason) => formatter.write_str(reason),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.place.iter().try_for_each(|place| write!(formatter, "{place}: "))?;
        write!(formatter, "{}", self.kind)
    }
}

impl std::error::Error for Error {}
impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_prints_what_it_knows() {
        let failure = Verdict::fail("Expected 1, got 2").expected("1").actual("2").at("results[0]");
        assert_eq!(
            failure.to_string(),
            "Expected 1, got 2\n  expected  1\n  found     2\n  at        results[0]"
        );
        assert_eq!(Verdict::fail("No").to_string(), "No");
    }

    #[test]
    fn an_error_prints_its_place_first() {
        let kind = ErrorKind::UnknownAssertion { name: "statuss".into(), nearest: Some("status".into()) };
        let place = Place { file: "q.yaml".into(), line: Some(3), column: Some(1), span: None };
        let error = Error::at(kind, place);
        assert_eq!(error.to_string(), "q.yaml:3:1: unknown assertion 'statuss'; did you mean 'status'?");
        assert_eq!(error.category(), Category::Schema);
    }

    #[test]
    fn a_crash_is_described_by_the_last_line_of_stderr() {
        let mut crash = Crash::new("agent", 3);
        assert_eq!(crash.headline(), "the agent crashed: exit code 3");
        crash.stderr = ["Traceback", "KeyError: 1", " "].map(str::to_owned).to_vec();
        assert_eq!(crash.headline(), "the agent crashed: KeyError: 1");
        crash.signal = Some("signal 11 (SEGV)".to_owned());
        assert_eq!(crash.headline(), "the agent crashed: killed by signal 11 (SEGV)");
    }

    #[test]
    fn a_part_is_told_by_its_place() {
        let parts = [Part::Step(3), Part::Included(0), Part::Excluded(7)].map(|part| part.to_string());
        assert_eq!(parts, ["step 4", "included[0]", "excluded[7]"]);
    }

    #[test]
    fn an_error_keeps_its_category_in_other_words() {
        let runtime =
            Error::in_file(ErrorKind::Exhausted("too much".into()), "a.json").about(Part::Included(2));
        assert_eq!(runtime.to_string(), "a.json: included[2]: too much");
        let place = Place { file: "q.yaml".into(), ..Place::default() };
        let told = runtime.told_at(place);
        assert_eq!(told.to_string(), "q.yaml: a.json: included[2]: too much");
        assert_eq!(told.category(), Category::Runtime);
    }

    #[test]
    #[should_panic(expected = "not what was asked")]
    fn the_asserting_face_panics() {
        Verdict::from(Verdict::fail("not what was asked")).assert();
    }
}
