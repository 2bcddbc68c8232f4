//! `probative check QUESTION SUBJECT…`

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use probative::document::{Document, Node};
use probative::question;
use probative::report::{Format, Summary, diagnostic};
use probative::value::visible;
use probative::verdict::Error;
use probative::vocabularies::Speaker;
use probative::{About, Context, Question, ResponseAssertion, TrajectoryAssertion, Vocabulary};
use probative_run::sink::Sink;
use probative_run::subjects::{self, Source, Subject};
use probative_run::{Check, Traces, clock, documents};

use super::reports::Places;
use super::{Refusal, again, reports, swapped};
use crate::args::{CheckArguments, Report};
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::terminal::wants_colour;

/// Compiles the question, judges every subject by it, tells the reports, and answers with the exit code.
pub(crate) fn run(arguments: &CheckArguments) -> Result<ExitCode, Refusal> {
    let (began, interrupt) = (Instant::now(), Interrupt::listen()?);
    let mut subjects = subjects::find(&arguments.named.subjects, arguments.named.recursive);
    let progress = Progress::through_bytes(subjects.iter().map(Subject::size).sum());
    let inputs = inputs(arguments, &subjects);
    let mut sinks = reports::open(
        &arguments.told,
        "subject",
        &again::check(arguments),
        &mut Places::beside(&inputs),
        &progress,
    )?;
    progress.begin();
    let asked = read(&arguments.question, &subjects).and_then(|(document, root, about)| {
        swapped::refuse_questions(&mut subjects);
        let sinks = &mut sinks;
        about.speak(Asking {
            document,
            root,
            arguments,
            subjects,
            sinks,
            progress: &progress,
            stop: &interrupt.stop,
            began,
        })
    });
    let mut summary = asked.unwrap_or_else(|error| {
        // A person at the terminal has been told already; whoever reads a report later has not.
        sinks = sinks_elsewhere(std::mem::take(&mut sinks), &arguments.told.report);
        let name = arguments.question.display().to_string();
        probative_run::refuse(ResponseAssertion::TYPE, &name, error, &mut sinks)
    });
    summary.strict = arguments.strict;
    interrupt.finishing();
    progress.end();
    Ok(reports::finish(sinks, "subject", &summary).exit_code(&summary))
}

/// The question as it is written, and what its words are about; or why nothing can be asked, which is told.
fn read(path: &Path, subjects: &[Subject]) -> Result<(Document, Node, About), Error> {
    let document = documents::read(path)
        .and_then(|document| swapped::recording_as_question(&document, subjects).map_or(Ok(document), Err));
    let document = document.inspect_err(|error| crate::terminal::complain(error))?;
    let read = question::read(&document).and_then(|root| Ok((About::told_by(&document, &root)?, root)));
    match read {
        Ok((about, root)) => Ok((document, root, about)),
        Err(error) => Err(told(&document, error)),
    }
}

/// An error in the question, told with the line it is in.
fn told(document: &Document, error: Error) -> Error {
    complain(&shown(document, &[&error], colour_of_stderr()));
    error
}

/// A question that is to be asked of the subjects in the vocabulary that it is written in.
struct Asking<'a> {
    document: Document,
    root: Node,
    arguments: &'a CheckArguments,
    subjects: Vec<Subject>,
    sinks: &'a mut [Sink],
    progress: &'a Progress,
    stop: &'a AtomicBool,
    began: Instant,
}

impl Speaker for Asking<'_> {
    type Answer = Result<Summary, Error>;

    fn speak<A: Vocabulary>(self) -> Result<Summary, Error> {
        let Asking { document, root, arguments, subjects, sinks, progress, stop, began } = self;
        let question = Question::<A>::compile_read(document.clone(), &root);
        let mut question = question.map_err(|error| told(&document, error))?;
        for warning in question.supply(&mut |name| documents::read_beside(&arguments.question, name)) {
            complain(&format!("warning: {}: {}\n", visible(&document.name), visible(&warning)));
        }
        let world = clock::Stopwatch::start();
        tell_mistakes(&question, &arguments.told.report, sinks);
        let check = Check {
            question: &question,
            context: Context { now: arguments.now.or_else(clock::now), stored: None, world: Some(&world) },
            how: arguments.named.how(match A::SUBJECT {
                TrajectoryAssertion::SUBJECT => Traces::Always,
                _ => Traces::Never,
            }),
            threads: arguments.told.threads(),
            timings: !arguments.told.no_timings,
            began,
            stop,
            progress: &|summary: &Summary, bytes| progress.tell(summary, bytes),
        };
        Ok(probative_run::check(&check, subjects, sinks))
    }
}

/// Tells what is wrong in a question: on standard error, and in reports for people that go to a file.
fn tell_mistakes<A: Vocabulary>(question: &Question<A>, reports: &[Report], sinks: &mut [Sink]) {
    let (document, errors) = (question.document(), question.errors());
    complain(&shown(document, &errors, colour_of_stderr()));
    for (sink, report) in sinks.iter_mut().zip(reports) {
        if report.format == Format::Human && report.file.is_some() {
            sink.preface(&shown(document, &errors, false));
        }
    }
    if question.asserts_nothing() {
        let name = visible(&document.name);
        complain(&format!("warning: {name} asserts nothing; every subject passes\n"));
    }
}

fn shown(document: &Document, errors: &[&Error], colour: bool) -> String {
    errors.iter().map(|error| diagnostic::render(document, error, colour) + "\n").collect()
}

fn colour_of_stderr() -> bool {
    wants_colour(&io::stderr())
}

fn complain(text: &str) {
    let _ = crate::terminal::stderr().write_all(text.as_bytes());
}

/// All but the report for people on standard output.
fn sinks_elsewhere(sinks: Vec<Sink>, reports: &[Report]) -> Vec<Sink> {
    let is_here = |report: &Report| report.format == Format::Human && report.file.is_none();
    let is_elsewhere = |at: usize| !reports.get(at).is_some_and(is_here);
    sinks.into_iter().enumerate().filter(|(at, _)| is_elsewhere(*at)).map(|(_, sink)| sink).collect()
}

/// The files that are read: the question, and the subjects that are plain files.
fn inputs(arguments: &CheckArguments, subjects: &[Subject]) -> Vec<PathBuf> {
    let files = subjects.iter().filter_map(|subject| match &subject.source {
        Ok(Source::File(path)) => Some(path),
        _ => None,
    });
    files.chain([&arguments.question]).cloned().collect()
}
