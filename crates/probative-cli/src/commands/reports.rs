//! The reports of a command: opened before anything is done, finished whatever happens.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use probative::report::{Format, Github, Json, Jsonl, Markdown, Renderer, Rerun, Style, Summary, Verbosity};
use probative_run::out::place_of;
use probative_run::sink::Sink;
use probative_run::subjects::reason;

use super::Refusal;
use crate::args::{Report, TellingArguments};
use crate::progress::Progress;
use crate::secrets;
use crate::terminal::{self, is_standard_output, stderr, wants_colour};
use crate::workflow;

/// The places that a command writes to: none twice, and none that it reads.
pub(super) struct Places<'i> {
    inputs: &'i [PathBuf],
    taken: Vec<Option<PathBuf>>,
}

impl<'i> Places<'i> {
    /// Any but those that are read.
    pub(super) fn beside(inputs: &'i [PathBuf]) -> Places<'i> {
        Places { inputs, taken: Vec::new() }
    }

    /// Takes the place of a file, or standard output, for what is called `what`; `hint` says how to give it another.
    pub(super) fn take(&mut self, what: &str, file: Option<&Path>, hint: &str) -> Result<(), Refusal> {
        let place = file.filter(|file| !is_standard_output(file)).map(place_of);
        if self.taken.contains(&place) {
            return Err(Refusal(format!("two outputs go to {}; give one its own file: {hint}", shown(file))));
        }
        if place.as_ref().is_some_and(|place| is_input(place, self.inputs)) {
            return Err(Refusal(format!("the {what} {} would overwrite an input", shown(file))));
        }
        self.taken.push(place);
        Ok(())
    }
}

/// The reports that were asked for, each ready to be written; behind them the summary of a step of GitHub Actions, where
/// its annotations were asked for.
pub(super) fn open(
    arguments: &TellingArguments,
    noun: &'static str,
    rerun: &Rerun,
    places: &mut Places<'_>,
    progress: &Progress,
) -> Result<Vec<Sink>, Refusal> {
    let (mut sinks, reports) = (Vec::new(), &arguments.report);
    let is_json = |report: &Report| matches!(report.format, Format::Json | Format::Jsonl);
    if arguments.with_subjects && !reports.iter().any(is_json) {
        let hint = "add --report json=FILE or --report jsonl=FILE";
        return Err(Refusal(format!("--with-subjects needs a JSON report; {hint}")));
    }
    if arguments.quiet {
        terminal::be_quiet();
    }
    secrets::warn();
    let mask = secrets::mask();
    let style =
        |colour, verbosity| Style { colour, noun, rerun: Some(rerun.clone().hidden(&mask)), verbosity };
    let plain = || style(false, Verbosity::Normal);
    for report in reports {
        let file = report.file.as_deref();
        if !stands_in_the_log(report, reports) {
            places.take("report", file, &format!("--report {}=FILE", report.format.name()))?;
        }
        let colour = file.is_none() && wants_colour(&io::stdout());
        let verbosity = match report.format {
            Format::Human => arguments.verbosity(),
            _ => Verbosity::Normal,
        };
        sinks.push(match (report.format, file) {
            (Format::Human, None) => {
                Sink::stream(report.format.renderer(style(colour, verbosity)), &mask, progress.log())
            }
            (Format::Github, _) => {
                sink(Box::new(Github::below(plain(), &mask.hide(&workflow::directory()))), file, progress)?
            }
            (Format::Json, _) if arguments.with_subjects => {
                sink(Box::new(Json::with_subjects()), file, progress)?
            }
            (Format::Jsonl, _) if arguments.with_subjects => {
                sink(Box::new(Jsonl::with_subjects()), file, progress)?
            }
            (format, _) => sink(format.renderer(style(colour, verbosity)), file, progress)?,
        });
    }
    if reports.iter().any(|report| report.format == Format::Github) {
        sinks.extend(step_summary(plain(), places)?);
    }
    Ok(sinks)
}

/// Whether a report shares standard output with another: annotations are lines in the log that people read.
fn stands_in_the_log(report: &Report, reports: &[Report]) -> bool {
    let printed: Vec<Format> =
        reports.iter().filter(|report| report.file.is_none()).map(|report| report.format).collect();
    let is_pair = printed.len() == 2 && printed.contains(&Format::Human) && printed.contains(&Format::Github);
    is_pair && report.file.is_none() && report.format == Format::Github
}

/// The summary of a step, where a runner asks for one.
fn step_summary(style: Style, places: &mut Places<'_>) -> Result<Option<Sink>, Refusal> {
    let Some(path) = workflow::step_summary() else { return Ok(None) };
    places.take("step summary", Some(&path), "GITHUB_STEP_SUMMARY")?;
    let refused =
        |error| Refusal(format!("cannot write the step summary {}: {}", path.display(), reason(&error)));
    let mut sink =
        Sink::appended(Box::new(Markdown::new(style)), &secrets::mask(), &path).map_err(refused)?;
    // What another step's last line is must not become a part of it.
    sink.preface("\n");
    Ok(Some(sink))
}

/// A report to a file, or to standard output.
pub(super) fn sink(
    renderer: Box<dyn Renderer>,
    file: Option<&Path>,
    progress: &Progress,
) -> Result<Sink, Refusal> {
    match file {
        None => Ok(Sink::stream(renderer, &secrets::mask(), progress.stdout())),
        Some(path) => Sink::file(renderer, &secrets::mask(), path)
            .map_err(|error| unwritten(&path.display().to_string(), &error)),
    }
}

fn unwritten(destination: &str, error: &io::Error) -> Refusal {
    Refusal(format!("cannot write the report {destination}: {}", reason(error)))
}

fn shown(file: Option<&Path>) -> String {
    file.map_or_else(|| "standard output".to_owned(), |file| file.display().to_string())
}

/// Returns true if a place is that of a plain file that is read, be it by another of its names: a link or a hard link.
fn is_input(place: &Path, inputs: &[PathBuf]) -> bool {
    let Some(there) = fs::metadata(place).ok().filter(fs::Metadata::is_file) else { return false };
    let is_same = |found: fs::Metadata| (found.dev(), found.ino()) == (there.dev(), there.ino());
    inputs.iter().any(|input| fs::metadata(input).is_ok_and(is_same))
}

/// Finishes every report, whatever happens to another. Where all went to files, a line says what came of it.
pub(super) fn finish(sinks: Vec<Sink>, noun: &'static str, summary: &Summary) -> Written {
    let mut written = Written::default();
    let is_silent = terminal::is_quiet() && summary.exit_code() == 0;
    if sinks.iter().all(|sink| sink.destination().is_some()) && !is_silent {
        let style = Style { colour: false, noun, rerun: None, verbosity: Verbosity::Normal };
        let told = Format::Human.renderer(style).frame(summary).tail;
        let _ = writeln!(stderr(), "{}", told.lines().last().unwrap_or_default());
    }
    for sink in sinks {
        let destination = sink
            .destination()
            .map_or_else(|| "to standard output".to_owned(), |file| file.display().to_string());
        match sink.finish(summary) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => written.has_no_reader = true,
            finished => written.take(finished.map_err(|error| unwritten(&destination, &error))),
        }
    }
    written
}

/// Whether all that a command was to write is there.
#[derive(Default)]
pub(super) struct Written {
    is_incomplete: bool,
    has_no_reader: bool,
}

impl Written {
    /// Takes what became of something else. What is missing is told at once, so that nothing that follows is lost by it.
    pub(super) fn take(&mut self, written: Result<(), Refusal>) {
        if let Err(refusal) = written {
            terminal::complain(&refusal);
            self.is_incomplete = true;
        }
    }

    /// The exit code of the run itself; but it is no success if something is missing, or nobody has seen whether all
    /// passed.
    pub(super) fn exit_code(&self, summary: &Summary) -> ExitCode {
        ExitCode::from(match summary.exit_code() {
            _ if self.has_no_reader => 2,
            0 if self.is_incomplete => 2,
            code => code,
        })
    }
}
