//! The terminal: whether it wants colour, what is told while it waits.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
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

/// How far a check is that takes long enough to be waited for, on a terminal and nowhere else.
#[derive(Clone)]
pub(crate) struct Progress {
    bar: ProgressBar,
    started: Instant,
    on_terminal: bool,
}

/// What is over sooner is not worth a look.
const WORTH_WAITING: Duration = Duration::from_millis(300);

impl Progress {
    /// Progress through so many bytes; without a number, only what was done is told.
    pub(crate) fn through(bytes: Option<u64>) -> Progress {
        let bar = match bytes {
            Some(bytes) => ProgressBar::new(bytes).with_style(style("{bar:40} {percent:>3} %  {msg}")),
            None => ProgressBar::no_length().with_style(style("{spinner} {msg}")),
        };
        bar.set_draw_target(ProgressDrawTarget::hidden());
        Progress { bar, started: Instant::now(), on_terminal: io::stderr().is_terminal() }
    }

    /// Tells how far it is.
    pub(crate) fn tell(&self, summary: &Summary, bytes: u64) {
        if !self.on_terminal || self.started.elapsed() < WORTH_WAITING {
            return;
        }
        if self.bar.is_hidden() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.bar.enable_steady_tick(Duration::from_millis(200));
        }
        let bad = summary.failed + summary.errors;
        let bad = if bad == 0 { String::new() } else { format!(", {bad} did not pass") };
        self.bar.set_message(format!("{} judged{bad}", summary.total));
        self.bar.set_position(bytes);
    }

    /// Takes it off the screen.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
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
        self.0.bar.suspend(|| io::stdout().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}
