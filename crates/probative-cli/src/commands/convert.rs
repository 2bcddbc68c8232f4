//! `probative convert TRACE…`

use std::fmt::Write as _;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use probative::mask::Mask;
use probative::trajectory::{Lost, Trajectory, losses};
use probative::value::excerpt::visible_json;
use probative::value::visible;
use probative::verdict::Error;
use probative::{TrajectoryAssertion, Vocabulary as _};
use probative_run::{Record, Traces, subjects};

use super::{Refusal, ended, stop_unless_read};
use crate::args::ConvertArguments;
use crate::interrupt::Interrupt;
use crate::secrets;
use crate::terminal::complain;

/// Writes every run in the native format, without secrets, and tells on standard error what its trace could not say: one run as a
/// document, several as lines.
pub(crate) fn run(arguments: &ConvertArguments) -> Result<ExitCode, Refusal> {
    let interrupt = Interrupt::listen()?;
    let subjects = subjects::find(&arguments.named.subjects, arguments.named.recursive);
    let mut out =
        Out { stream: io::BufWriter::new(io::stdout()), mask: secrets::mask(), first: None, several: false };
    let (mut code, mut written) = (0, Ok(()));
    probative_run::each(
        subjects,
        arguments.named.how(Traces::Always),
        &interrupt.stop,
        |record| match taken(record) {
            Ok(run) => {
                tell(record, &run);
                if written.is_ok() {
                    written = out.put(&run);
                    stop_unless_read(&written, &interrupt.stop);
                }
            }
            Err(error) => {
                complain(&error);
                code = code.max(if error.is_askers_mistake() { 2 } else { 1 });
            }
        },
    );
    interrupt.finishing();
    Ok(ended(written.and_then(|()| out.end()), code, &interrupt.stop))
}

/// The run that a record is, from whatever format it comes.
fn taken(record: &Record<'_>) -> Result<Trajectory<'static>, Error> {
    if let Some(run) = record.take_run() {
        return Ok(run);
    }
    let read = record.read::<TrajectoryAssertion>(&TrajectoryAssertion::whole())?;
    Ok(read.subject.trajectory().clone().into_owned())
}

/// Tells what the source of a run could not say, and what in it could not be used.
fn tell(record: &Record<'_>, run: &Trajectory<'_>) {
    let source = run.source.as_deref().unwrap_or("native");
    let mut told = format!("{}: read as {source}\n", visible(&record.id()));
    for Lost { loss, calls } in losses(run) {
        let of = calls.map_or(String::new(), |(lacking, all)| format!(" of {lacking} of {all} calls"));
        let _ = writeln!(told, "  not recorded: {}{of} ({})", loss.meaning(), loss.name());
    }
    for note in record.notes() {
        let _ = writeln!(told, "  {}", visible(&note.to_string()));
    }
    let _ = crate::terminal::stderr().write_all(told.as_bytes());
}

/// Where runs are written.
struct Out<W: Write> {
    stream: W,
    /// What must not be written.
    mask: Arc<Mask>,
    /// The first run, until it is known whether another follows.
    first: Option<Trajectory<'static>>,
    several: bool,
}

impl<W: Write> Out<W> {
    fn put(&mut self, run: &Trajectory<'static>) -> io::Result<()> {
        if !self.several && self.first.is_none() {
            self.first = Some(run.clone());
            return Ok(());
        }
        self.several = true;
        if let Some(first) = self.first.take() {
            self.line(&first)?;
        }
        self.line(run)
    }

    fn line(&mut self, run: &Trajectory<'_>) -> io::Result<()> {
        let written = serde_json::to_string(run)?;
        self.stream.write_all(visible_json(&self.mask.hide_json(&written)).as_bytes())?;
        self.stream.write_all(b"\n")
    }

    fn end(mut self) -> io::Result<()> {
        if let Some(only) = self.first.take() {
            let written = serde_json::to_string_pretty(&only)?;
            self.stream.write_all(visible_json(&self.mask.hide_json(&written)).as_bytes())?;
            self.stream.write_all(b"\n")?;
        }
        self.stream.flush()
    }
}
