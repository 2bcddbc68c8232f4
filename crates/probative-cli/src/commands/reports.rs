//! The reports of a command: opened before anything is done, finished whatever happens.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use probative::report::{Renderer, Rerun, Style, Summary};
use probative_run::out::place_of;
use probative_run::sink::Sink;
use probative_run::subjects::reason;

use super::Refusal;
use crate::args::Report;
use crate::progress::Progress;
use crate::terminal::wants_colour;

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
        let place = file.map(place_of);
        if self.taken.contains(&place) {
            return Err(Refusal(format!(
                "two reports to {}; give one of them another FILE: {hint}",
                shown(file)
            )));
        }
        if place.as_ref().is_some_and(|place| is_input(place, self.inputs)) {
            return Err(Refusal(format!("the {what} {} would overwrite what is to be judged", shown(file))));
        }
        self.taken.push(place);
        Ok(())
    }
}

/// The reports that were asked for, each ready to be written.
pub(super) fn open(
    reports: &[Report],
    noun: &'static str,
    rerun: &Rerun,
    places: &mut Places<'_>,
    progress: &Progress,
) -> Result<Vec<Sink>, Refusal> {
    let mut sinks = Vec::new();
    for Report { format, file } in reports {
        let file = file.as_deref();
        places.take("report", file, &format!("--report {}=FILE", format.name()))?;
        let colour = file.is_none() && wants_colour(&io::stdout());
        sinks.push(sink(
            format.renderer(Style { colour, noun, rerun: Some(rerun.clone()) }),
            file,
            progress,
        )?);
    }
    Ok(sinks)
}

/// A report to a file, or to standard output.
pub(super) fn sink(
    renderer: Box<dyn Renderer>,
    file: Option<&Path>,
    progress: &Progress,
) -> Result<Sink, Refusal> {
    match file {
        None => Ok(Sink::stream(renderer, progress.stdout())),
        Some(path) => Sink::file(renderer, path)
            .map_err(|error| Refusal(format!("cannot write the report {}: {}", shown(file), reason(&error)))),
    }
}

fn shown(file: Option<&Path>) -> String {
    file.map_or_else(|| "standard output".to_owned(), |file| file.display().to_string())
}

/// Whether a place is that of a plain file that is read.
fn is_input(place: &Path, inputs: &[PathBuf]) -> bool {
    place.is_file() && inputs.iter().any(|input| place_of(input) == place)
}

/// Finishes every report, whatever happens to another, and answers with the exit code.
pub(super) fn finish(sinks: Vec<Sink>, summary: &Summary) -> Result<ExitCode, Refusal> {
    let finished: Vec<io::Result<()>> = sinks.into_iter().map(|sink| sink.finish(summary)).collect();
    match finished.into_iter().find_map(Result::err) {
        None => Ok(ExitCode::from(summary.exit_code())),
        // A reader that has gone away has read enough, but nobody has seen whether all passed.
        Some(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::from(2)),
        Some(error) => Err(Refusal(format!("cannot write the report: {}", reason(&error)))),
    }
}
