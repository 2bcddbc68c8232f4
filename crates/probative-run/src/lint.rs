//! What is wrong with the cases of a suite, without running them.

use std::fmt::Write as _;

use probative::document::Document;
use probative::report::diagnostic;
use probative::spec::{Mode, Plan};
use probative::value::visible;
use probative::verdict::{Error, ErrorKind};

use crate::suite::{Item, Suite};

/// What was found, told.
#[derive(Debug, Default)]
pub struct Lint {
    /// What was found, with the lines it is in, and a line that counts it.
    pub text: String,
    cases: usize,
    /// What somebody must mend before it makes sense to run the cases.
    errors: usize,
    /// Files that could not be read.
    unreadable: usize,
    /// Assertions that say less than they seem to.
    findings: usize,
    /// Those of cases that fail for it.
    refused: usize,
}

impl Lint {
    /// Looks at every case.
    pub fn of(suite: &Suite, colour: bool) -> Lint {
        let mut lint = Lint::default();
        for spec in suite.specs() {
            for warning in &spec.warnings {
                lint.findings += 1;
                lint.text.push_str(&diagnostic::caution(&spec.document, warning, colour));
                lint.text.push('\n');
            }
        }
        for item in suite.items() {
            lint.item(item, colour);
        }
        lint.count();
        lint
    }

    /// 2: something is written wrongly, or nothing was found; 1: a finding fails its case, or a file could not be read; 0.
    pub fn exit_code(&self) -> u8 {
        match self {
            Lint { errors: 1.., .. } => 2,
            Lint { refused: 1.., .. } | Lint { unreadable: 1.., .. } => 1,
            Lint { cases: 0, .. } => 2,
            _ => 0,
        }
    }

    fn item(&mut self, item: Item<'_>, colour: bool) {
        let document = item.file().spec.as_ref().ok().map(|spec| &spec.document);
        self.cases += usize::from(item.case().is_some());
        match item {
            Item::File(file) => match &file.spec {
                Ok(spec) => self.errors(&spec.errors, document, colour),
                Err(error) => self.errors(std::slice::from_ref(error), document, colour),
            },
            Item::Repeated(_, _, error) => self.errors(std::slice::from_ref(error), document, colour),
            Item::Case(_, case) => match &case.plan {
                Plan::Malformed(errors) => self.errors(errors, document, colour),
                Plan::UnknownType => {
                    self.findings += 1;
                    self.warn(document, &case.unknown_type(), &case.place, colour);
                }
                Plan::Missing(_) | Plan::Skipped(_) => {}
                Plan::Run(run) => {
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
            Some(document) => self.text.push_str(&diagnostic::render(document, error, colour)),
            None => {
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
