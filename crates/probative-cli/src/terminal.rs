//! The terminal: whether it wants colour, what is told while it waits.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use probative::report::Summary;
use probative::value::visible;

/// Whether a stream is to be coloured: `NO_COLOR` says no, `CLICOLOR_FORCE` says yes, otherwise a terminal that can.
pub(crate) fn wants_colour(stream: &impl IsTerminal) -> bool {
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
    let _ = writeln!(io::stderr(), "probative: {}", visible(&message.to_string()));
}

/// How far a long check is, on a terminal and nowhere else.
#[derive(Clone)]
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Progress through so many bytes; without a number, only what was done is told.
    pub(crate) fn through(bytes: Option<u64>) -> Progress {
        let bar = match bytes {
            _ if !io::stderr().is_terminal() => ProgressBar::hidden(),
            Some(bytes) => ProgressBar::new(bytes).with_style(style("{wide_bar} {percent:>3} %  {msg}")),
            None => ProgressBar::no_length().with_style(style("{spinner} {msg}")),
        };
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Progress(bar)
    }

    /// Tells how far it is.
    pub(crate) fn tell(&self, summary: &Summary, bytes: u64) {
        if self.0.is_hidden() {
            return;
        }
        self.0.set_position(bytes);
        let bad = summary.failed + summary.errors;
        self.0.set_message(if bad == 0 {
            format!("{} judged", summary.total)
        } else {
            format!("{} judged, {bad} bad", summary.total)
        });
    }

    /// Takes it off the screen.
    pub(crate) fn end(&self) {
        self.0.finish_and_clear();
    }

    /// Standard output, before which the progress steps aside where both are on the screen.
    pub(crate) fn stdout(&self) -> impl Write + Send + 'static {
        BesideProgress(self.clone())
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

struct BesideProgress(Progress);

impl Write for BesideProgress {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.0.suspend(|| io::stdout().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}
