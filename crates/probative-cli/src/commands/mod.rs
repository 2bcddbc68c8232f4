//! One file per command; each reads as a sentence.

mod again;
mod baseline;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod conformance;
pub(crate) mod convert;
pub(crate) mod explain;
mod happenings;
pub(crate) mod init;
pub(crate) mod lint;
pub(crate) mod man;
mod reports;
pub(crate) mod run;
pub(crate) mod schema;
mod session;
pub(crate) mod show;
mod watch;

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

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

/// How a command ends that wrote what it read: by its code, unless it could not write, nobody read on, or it was interrupted.
fn ended(written: io::Result<()>, code: u8, stop: &AtomicBool) -> Result<ExitCode, Refusal> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Refusal(format!("cannot write: {error}")))
        }
        Err(_) => Ok(ExitCode::from(2)),
        Ok(()) if stop.load(Ordering::Relaxed) => Ok(ExitCode::from(130)),
        Ok(()) => Ok(ExitCode::from(code)),
    }
}

/// Prints to standard output what another program may read. A reader that has gone away has read enough.
fn print(text: &str) -> Result<ExitCode, Refusal> {
    print_to(&mut io::stdout(), text)
}

/// Prints to standard output what people read, maybe as the log of a workflow, without secrets.
fn tell(text: &str) -> Result<ExitCode, Refusal> {
    print_to(&mut terminal::stdout(), &secrets::hidden(text))
}

fn print_to(stream: &mut dyn Write, text: &str) -> Result<ExitCode, Refusal> {
    match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Refusal(format!("cannot write: {error}")))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}
