//! `probative show SUBJECT…`

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use probative::TrajectoryAssertion;
use probative::trajectory::{Extent, Scope, show};
use probative::value::visible;
use probative::vocabulary::Read;
use probative_run::subjects;

use super::Refusal;
use crate::args::ShowArguments;
use crate::interrupt::Interrupt;
use crate::terminal::complain;

/// Prints every run, and complains of those that cannot be read.
pub(crate) fn run(arguments: &ShowArguments) -> Result<ExitCode, Refusal> {
    let interrupt =
        Interrupt::listen().map_err(|error| Refusal(format!("cannot listen for interrupts: {error}")))?;
    let subjects = subjects::find(&arguments.named.subjects, arguments.named.recursive);
    let extent = if arguments.brief { Extent::Brief } else { Extent::Whole };
    let mut out = io::BufWriter::new(io::stdout());
    let (mut code, mut written) = (0, Ok(()));
    let mut before = "";
    probative_run::each::<TrajectoryAssertion>(
        subjects,
        arguments.named.input.into(),
        &Scope::All,
        &interrupt.stop,
        |id, read| match read {
            Ok(Read { subject, warnings }) => {
                let told = write!(out, "{before}{}\n{}", visible(id), show(&subject, extent));
                before = "\n";
                for warning in warnings {
                    complain(&format_args!("warning: {id}: {warning}"));
                }
                if told.is_err() {
                    // Nobody reads on.
                    written = told;
                    interrupt.stop.store(true, Ordering::Relaxed);
                }
            }
            Err(error) => {
                let _ = out.flush();
                complain(&error);
                code = code.max(if error.is_askers_mistake() { 2 } else { 1 });
            }
        },
    );
    interrupt.finishing();
    match written.and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Refusal(format!("cannot write: {error}")))
        }
        Err(_) => Ok(ExitCode::from(2)),
        Ok(()) if interrupt.stop.load(Ordering::Relaxed) => Ok(ExitCode::from(130)),
        Ok(()) => Ok(ExitCode::from(code)),
    }
}
