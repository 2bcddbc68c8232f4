//! `probative check QUESTION SUBJECT…`

use std::io::{self, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use probative::document::Document;
use probative::report::{Style, Summary, diagnostic};
use probative::value::visible;
use probative::verdict::Error;
use probative::{Context, Question, ResponseAssertion, Vocabulary};
use probative_run::sink::Sink;
use probative_run::subjects::{self, Subject};
use probative_run::{Check, clock, documents};

use super::Refusal;
use crate::args::{CheckArguments, Report};
use crate::interrupt;
use crate::terminal::{Progress, wants_colour};

type Asserting = Question<ResponseAssertion>;

/// Compiles the question, judges every subject by it, tells the reports, and answers with the exit code.
pub(crate) fn run(arguments: &CheckArguments) -> Result<ExitCode, Refusal> {
    let Some(question) = question(&arguments.question)? else { return Ok(ExitCode::from(2)) };
    let subjects = subjects::find(&arguments.subjects, arguments.recursive);
    let progress = Progress::through(subjects.iter().map(Subject::size).sum());
    let mut sinks = sinks(&arguments.report, &progress)?;
    let stop =
        interrupt::flag().map_err(|error| Refusal(format!("cannot listen for interrupts: {error}")))?;
    let check = Check {
        question: &question,
        context: Context { now: arguments.now.or_else(clock::now), stored: None },
        input: arguments.input.into(),
        threads: arguments.jobs.map_or_else(all_cores, usize::from),
        timings: !arguments.no_timings,
        stop: &stop,
        progress: &|summary: &Summary, bytes| progress.tell(summary, bytes),
    };
    let judged = probative_run::check(&check, subjects, &mut sinks);
    progress.end();
    match judged.and_then(|summary| finish(sinks, &summary).map(|()| summary)) {
        Ok(summary) => Ok(ExitCode::from(summary.exit_code())),
        // A reader that has gone away has read enough, but nobody has seen whether all passed.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::from(2)),
        Err(error) => Err(Refusal(format!("cannot write the report: {error}"))),
    }
}

/// The compiled question, with what is wrong in it told; `None` where nothing can be asked.
fn question(path: &Path) -> Result<Option<Asserting>, Refusal> {
    let document = documents::read(path).map_err(|error| Refusal(error.to_string()))?;
    let question = match Asserting::compile(document.clone()) {
        Ok(question) => question,
        Err(error) => {
            complain_about(&document, &[&error]);
            return Ok(None);
        }
    };
    complain_about(&document, &question.errors());
    if question.asserts_nothing() {
        let (name, subject) = (visible(&document.name), ResponseAssertion::SUBJECT);
        let _ = writeln!(io::stderr(), "warning: {name} asserts nothing: every {subject} passes");
    }
    Ok(Some(question))
}

fn complain_about(document: &Document, errors: &[&Error]) {
    let colour = wants_colour(&io::stderr());
    for error in errors {
        let _ = writeln!(io::stderr(), "{}", diagnostic::render(document, error, colour));
    }
}

/// The reports that were asked for, each ready to be written.
fn sinks(reports: &[Report], progress: &Progress) -> Result<Vec<Sink>, Refusal> {
    let mut taken: Vec<Option<PathBuf>> = Vec::new();
    let mut sinks = Vec::new();
    for Report { format, file } in reports {
        if taken.contains(file) {
            let place = file.as_ref().map_or("standard output".to_owned(), |file| file.display().to_string());
            return Err(Refusal(format!(
                "two reports to {place}; give one of them another FILE: --report {}=FILE",
                format.name()
            )));
        }
        taken.push(file.clone());
        let colour = file.is_none() && wants_colour(&io::stdout());
        let renderer = format.renderer(Style { colour, noun: "subject" });
        sinks.push(match file {
            None => Sink::stream(renderer, progress.stdout()),
            Some(file) => Sink::file(renderer, file)
                .map_err(|error| Refusal(format!("cannot write the report {}: {error}", file.display())))?,
        });
    }
    Ok(sinks)
}

fn finish(sinks: Vec<Sink>, summary: &Summary) -> io::Result<()> {
    sinks.into_iter().try_for_each(|sink| sink.finish(summary))
}

fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}
