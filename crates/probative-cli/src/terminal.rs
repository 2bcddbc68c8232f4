//! The terminal: whether it wants colour, and what is said on it when nothing can be done.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use probative::value::visible;

use crate::color::Color;
use crate::secrets;
use crate::workflow::{self, Inert};

/// True if only what did not pass is to be printed.
static QUIET: AtomicBool = AtomicBool::new(false);

/// From now on, progress, notes and hints are not printed.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Returns true if progress, notes and hints are not printed.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Prints a hint on standard error: what else could be done.
pub(crate) fn hint(hint: &str) {
    if !is_quiet() {
        let _ = writeln!(stderr(), "hint: {}", visible(hint));
    }
}

/// Returns true if a stream is to be colored: `--color` decides, then `NO_COLOR`, then `CLICOLOR_FORCE`, then whether the
/// stream is a terminal that can.
pub(crate) fn wants_colour(stream: &impl IsTerminal) -> bool {
    match Color::asked() {
        Color::Always => return true,
        Color::Never => return false,
        Color::Auto => {}
    }
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
    if std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) {
        return false;
    }
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    is_set("CLICOLOR_FORCE")
        || (stream.is_terminal() && !dumb && std::env::var_os("CLICOLOR").is_none_or(|value| value != "0"))
}

/// Says on standard error why nothing can be done. A closed standard error is no reason to panic.
pub(crate) fn complain(message: &dyn std::fmt::Display) {
    let _ = writeln!(stderr(), "probative: {}", visible(&message.to_string()));
}

/// Standard error, for whole lines. What is written to it comes out when it is dropped, without secrets.
pub(crate) fn stderr() -> impl Write {
    Complaint(Vec::new())
}

/// What is to be said on standard error: kept until it is whole, for a secret may be written in pieces.
struct Complaint(Vec<u8>);

impl Write for Complaint {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let text = secrets::hidden(&String::from_utf8_lossy(&self.0));
        self.0.clear();
        for_people(io::stderr()).write_all(text.as_bytes())
    }
}

impl Drop for Complaint {
    fn drop(&mut self) {
        // A closed standard error is no reason to panic.
        let _ = self.flush();
    }
}

/// Standard output, for people.
pub(crate) fn stdout() -> Box<dyn Write + Send> {
    for_people(io::stdout())
}

/// A stream that people read, maybe as the log of a workflow.
pub(crate) fn for_people(stream: impl Write + Send + 'static) -> Box<dyn Write + Send> {
    if workflow::reads_the_log() { Box::new(Inert::new(stream)) } else { Box::new(stream) }
}

/// Whether what is written to a file comes out at standard output: `/dev/stdout`, or the file that it is redirected to.
///
/// A device that swallows all it is given may be both.
#[cfg(unix)]
pub(crate) fn is_standard_output(path: &Path) -> bool {
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
    let stdout = io::stdout().as_fd().try_clone_to_owned().and_then(|fd| std::fs::File::from(fd).metadata());
    let (Ok(stdout), Ok(file)) = (stdout, std::fs::metadata(path)) else { return false };
    let swallows = file.file_type().is_char_device() && !io::stdout().is_terminal();
    (stdout.dev(), stdout.ino()) == (file.dev(), file.ino()) && !swallows
}

#[cfg(not(unix))]
pub(crate) fn is_standard_output(_: &Path) -> bool {
    false
}
