//! What is wrong with the cases of a suite, without running them.

use std::fmt::Write as _;
use std::path::Path;

use probative::document::Document;
use probative::report::diagnostic;
use probative::spec::types::{Agent, Source};
use probative::spec::{Case, Mode, Plan, Run, Work};
use probative::value::visible;
use probative::verdict::{Error, ErrorKind};

use crate::harness::{check_recordings, recording};
use crate::suite::{Item, SpecFile, Suite};

/// What was found, told.
#[derive(Debug, Default)]
pub struct Lint {
    /// What was found, with the lines it is in, and a line that counts it.
    pub text: String,
    cases: usize,
    /// What somebody must mend before it makes sense to run the cases.
    errors: usize,
    /// Files that are too large to be read.
    unreadable: usize,
    /// Assertions that say less than they seem to.
    findings: usize,
    /// Those of cases that fail for it.
    refused: usize,
}

impl Lint {
    /// Looks at every case. With a directory of recorded responses, tests of suites that have none there are findings.
    pub fn of(suite: &Suite, responses: Option<&Path>, colour: bool) -> Lint {
        let mut lint = Lint::default();
        for spec in suite.specs() {
            for warning in &spec.warnings {
                lint.findings += 1;
                lint.text.push_str(&diagnostic::caution(&spec.document, warning, colour));
                lint.text.push('\n');
            }
        }
        for item in suite.items() {
            lint.item(item, responses, colour);
        }
        lint.count();
        lint
    }

    /// 2: something is written wrongly, or nothing was found; 1: a finding fails its case, or a file is too large; 0.
    pub fn exit_code(&self) -> u8 {
        match self {
            Lint { errors: 1.., .. } => 2,
            Lint { refused: 1.., .. } | Lint { unreadable: 1.., .. } => 1,
            Lint { cases: 0, .. } => 2,
            _ => 0,
        }
    }

    fn item(&mut self, item: Item<'_>, responses: Option<&Path>, colour: bool) {
        let document = item.file().spec.as_ref().ok().map(|spec| &spec.document);
        self.cases += usize::from(item.case().is_some());
        match item {
            Item::File(_, error) | Item::Repeated(_, _, error) => {
                self.errors(std::slice::from_ref(error), document, colour);
            }
            Item::Case(file, case) => match &case.plan {
                Plan::Malformed(errors) => self.errors(errors, document, colour),
                Plan::UnknownType(place) => {
                    self.findings += 1;
                    self.warn(document, &case.unknown_type(), place, colour);
                }
                Plan::Missing(missing) => {
                    for (capability, place) in missing.foreign() {
                        self.findings += 1;
                        let ends = if missing.skips { "is skipped" } else { "fails" };
                        let capability = visible(capability);
                        let title =
                            format!("this runner lacks the capability '{capability}', so {} {ends}", case.id);
                        self.warn(document, &title, place, colour);
                    }
                }
                Plan::Skipped(_) => {}
                Plan::Run(run) => {
                    if let Err(error) = check_names(file, case, run) {
                        self.errors(&[error], document, colour);
                    }
                    for missing in unrecorded(case, run, responses) {
                        self.findings += 1;
                        self.warn(document, &format!("{missing} ({})", case.id), &case.place, colour);
                    }
                    for finding in &run.health.findings {
                        self.findings += 1;
                        let title = format!("{finding} ({})", case.id);
                        if run.health.mode == Mode::Error {
                            self.refused += 1;
                            let kind = ErrorKind::MalformedQuestion(title);
                            self.show(&Error::at(kind, finding.place.clone()), document, colour);
                        } else {
                            self.warn(document, &title, &finding.place, colour);
                        }
                    }
                }
            },
        }
    }

    fn errors(&mut self, errors: &[Error], document: Option<&Document>, colour: bool) {
        for error in errors {
            let counted = if error.is_askers_mistake() { &mut self.errors } else { &mut self.unreadable };
            *counted += 1;
            self.show(error, document, colour);
        }
    }

    fn show(&mut self, error: &Error, document: Option<&Document>, colour: bool) {
        match document {
            Some(document) if error.is_in(document) || error.place.is_none() => {
                self.text.push_str(&diagnostic::render(document, error, colour));
            }
            _ => {
                let _ = writeln!(self.text, "error: {}", visible(&error.to_string()));
            }
        }
        self.text.push('\n');
    }

    fn warn(
        &mut self,
        document: Option<&Document>,
        title: &str,
        place: &probative::verdict::Place,
        colour: bool,
    ) {
        if let Some(document) = document {
            self.text.push_str(&diagnostic::warning(document, title, place, colour));
            self.text.push('\n');
        }
    }

    fn count(&mut self) {
        let counted = |count: usize, word: &str| match count {
            1 => format!("1 {word}"),
            count => format!("{count} {word}s"),
        };
        let errors = self.errors + self.unreadable;
        let (cases, errors, findings) =
            (counted(self.cases, "case"), counted(errors, "error"), counted(self.findings, "finding"));
        let _ = writeln!(self.text, "{cases}: {errors}, {findings}");
    }
}

/// The turns of a test of a suite for which no response is recorded.
fn unrecorded(case: &Case, run: &Run, responses: Option<&Path>) -> Vec<Error> {
    let (Work::Conversation(conversation), Some(directory)) = (&run.work, responses) else {
        return Vec::new();
    };
    let turns = conversation.turns.iter();
    turns.filter_map(|turn| recording(directory, &case.id, turn.step.as_deref()).err()).collect()
}

/// Checks that the agent that a case of a spec names is configured, and that its recordings are there. The agent of a suite
/// is a matter of running it.
fn check_names(file: &SpecFile, case: &Case, run: &Run) -> Result<(), Error> {
    let place = |keys: &[&str]| match &file.spec {
        Ok(spec) => case.place_of(&spec.document, keys),
        Err(_) => case.place.clone(),
    };
    let (name, keys): (&str, &[&str]) = match &run.work {
        Work::Agent(agent) => match agent.source() {
            Source::Run(Agent::Named(name)) => (name, &["harness", "agent"]),
            Source::Recorded(path) => {
                return check_recordings(path, file).map_err(|error| error.within(&place(&["file"])));
            }
            _ => return Ok(()),
        },
        Work::Conversation(_) | Work::TextFile(_) | Work::CliRun(_) | Work::ApiHttp(_) => return Ok(()),
    };
    let config = file.config.as_ref().as_ref().map_err(Error::clone)?;
    config.agent(name).map(|_| ()).map_err(|error| error.within(&place(keys)))
}
