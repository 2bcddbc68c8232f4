//! One file per command; each reads as a sentence.

mod again;
mod baseline;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod conformance;
pub(crate) mod convert;
pub(crate) mod explain;
mod happenings;
mod hints;
pub(crate) mod init;
pub(crate) mod lint;
pub(crate) mod man;
mod reports;
pub(crate) mod run;
pub(crate) mod schema;
mod session;
pub(crate) mod show;
mod swapped;
mod watch;

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use probative_run::subjects::reason;

use crate::{secrets, terminal};

/// Why a command could not be carried out.
#[derive(Debug)]
pub(crate) struct Refusal(String);

impl Refusal {
    pub(crate) fn new(reason: String) -> Refusal {
        Refusal(reason)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// How a command ends that wrote what it read: by its code, unless nobody read on or it was interrupted. Where it could not
/// write, its code is no success.
fn ended(written: io::Result<()>, code: u8, stop: &AtomicBool) -> ExitCode {
    ExitCode::from(match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => unwritten(&error, code),
        Err(_) => 2,
        Ok(()) if stop.load(Ordering::Relaxed) => 130,
        Ok(()) => code,
    })
}

/// Stops a command whose output nobody reads any more. Where only room is lacking, its exit code still counts.
fn stop_unless_read(written: &io::Result<()>, stop: &AtomicBool) {
    if written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
        stop.store(true, Ordering::Relaxed);
    }
}

/// Reports that standard output cannot be written, and returns the exit code for it: the command's own unless that is 0.
fn unwritten(error: &io::Error, code: u8) -> u8 {
    terminal::complain(&format_args!("cannot write: {}", reason(error)));
    if code == 0 { 2 } else { code }
}

/// Prints to standard output what another program may read. A reader that has gone away has read enough.
fn print(text: &str) -> ExitCode {
    print_to(&mut io::stdout(), text, 0)
}

/// Prints to standard output what people read, maybe as the log of a workflow, without secrets; and ends with a code.
fn tell(text: &str, code: u8) -> ExitCode {
    print_to(&mut terminal::stdout(), &secrets::hidden(text), code)
}

fn print_to(stream: &mut dyn Write, text: &str, code: u8) -> ExitCode {
    ExitCode::from(match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => unwritten(&error, code),
        _ => code,
    })
}
