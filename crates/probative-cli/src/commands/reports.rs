//! The reports of a command: opened before anything is done, finished whatever happens.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use probative::report::{Style, Summary};
use probative_run::sink::{Sink, place_of};
use probative_run::subjects::reason;

use super::Refusal;
use crate::args::Report;
use crate::terminal::{Progress, wants_colour};

/// The reports that were asked for, each ready to be written. None may overwrite what is read.
pub(super) fn open(
    reports: &[Report],
    noun: &'static str,
    inputs: &[PathBuf],
    progress: &Progress,
) -> Result<Vec<Sink>, Refusal> {
    let mut taken: Vec<Option<PathBuf>> = Vec::new();
    let mut sinks = Vec::new();
    for Report { format, file } in reports {
        let place = file.as_deref().map(place_of);
        let shown = || file.as_ref().map_or("standard output".to_owned(), |file| file.display().to_string());
        if taken.contains(&place) {
            let other = format!("give one of them another FILE: --report {}=FILE", format.name());
            return Err(Refusal(format!("two reports to {}; {other}", shown())));
        }
        if place.as_ref().is_some_and(|place| is_input(place, inputs)) {
            return Err(Refusal(format!("the report {} would overwrite what is to be judged", shown())));
        }
        taken.push(place);
        let colour = file.is_none() && wants_colour(&io::stdout());
        let renderer = format.renderer(Style { colour, noun });
        sinks.push(match file {
            None => Sink::stream(renderer, progress.stdout()),
            Some(file) => Sink::file(renderer, file).map_err(|error| {
                Refusal(format!("cannot write the report {}: {}", shown(), reason(&error)))
            })?,
        });
    }
    Ok(sinks)
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
