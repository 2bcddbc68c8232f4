//! How far a command is that takes long enough to be waited for, on a terminal and nowhere else.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use probative::report::Summary;
use probative::value::excerpt::cut;
use probative_run::Event;

use crate::secrets;
use crate::terminal::{for_people, is_quiet};

/// What is over sooner is not worth a look.
const WORTH_WAITING: Duration = Duration::from_millis(300);

/// How often what is shown is looked over.
const BEAT: Duration = Duration::from_millis(100);

/// What runs longer than this is shown with its time.
const LONG: Duration = Duration::from_secs(2);

/// How many of those that run are named.
const NAMED: usize = 4;

/// A line at the bottom of the screen, updated in place and gone at the end.
#[derive(Clone)]
pub(crate) struct Progress {
    bar: ProgressBar,
    state: Arc<Mutex<State>>,
    ended: Arc<AtomicBool>,
    on_terminal: bool,
}

/// What there is to show.
#[derive(Default)]
struct State {
    judged: usize,
    /// How many did not pass: of those that have ended, and of those whose turn to be told has come.
    failed: usize,
    bad: usize,
    /// What runs now, in the order in which it started.
    running: Vec<(String, Instant)>,
}

impl Progress {
    /// Progress through so many bytes; without a number, only what was done is told.
    pub(crate) fn through_bytes(bytes: Option<u64>) -> Progress {
        Progress::new(match bytes {
            Some(bytes) => ProgressBar::new(bytes).with_style(style("{bar:30} {percent:>3}%  {wide_msg}")),
            None => ProgressBar::no_length().with_style(style("{spinner} {wide_msg}")),
        })
    }

    /// Progress through cases, of which it is told how many there are.
    pub(crate) fn through_cases() -> Progress {
        Progress::new(ProgressBar::no_length().with_style(style("{bar:30} {pos}/{len}  {wide_msg}")))
    }

    fn new(bar: ProgressBar) -> Progress {
        bar.set_draw_target(ProgressDrawTarget::hidden());
        let on_terminal = io::stderr().is_terminal();
        Progress { bar, state: Arc::default(), ended: Arc::default(), on_terminal }
    }

    /// Begins to show it. Whoever begins must end it.
    pub(crate) fn begin(&self) {
        if self.is_seen() {
            let shown = self.clone();
            let _ = std::thread::Builder::new().spawn(move || shown.keep_up());
        }
    }

    /// Shows what there is to show, from when it is worth it until the end.
    fn keep_up(&self) {
        std::thread::sleep(WORTH_WAITING);
        // Held while it is drawn, so that nothing is drawn behind the end.
        let mut is_shown = false;
        loop {
            let state = self.state();
            if self.ended.load(Ordering::Relaxed) {
                return;
            }
            if !is_shown {
                self.bar.set_draw_target(ProgressDrawTarget::stderr());
                is_shown = true;
            }
            self.bar.set_message(state.told());
            self.bar.tick();
            drop(state);
            std::thread::sleep(BEAT);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if anybody sees it. Whether it is to be quiet may be settled after it is made.
    pub(crate) fn is_seen(&self) -> bool {
        self.on_terminal && !is_quiet()
    }

    /// Takes what happens while cases run.
    pub(crate) fn take(&self, event: Event<'_>) {
        match event {
            Event::Planned(count) => self.bar.set_length(count as u64),
            Event::Started(id) => self.state().running.push((id.to_owned(), Instant::now())),
            Event::Ended(id) => {
                let mut state = self.state();
                if let Some(at) = state.running.iter().position(|(running, _)| running == id) {
                    state.running.remove(at);
                }
            }
            Event::Finished { failed } => {
                self.bar.inc(1);
                self.state().failed += usize::from(failed);
            }
            Event::Told(summary) => self.count(summary),
        }
    }

    fn count(&self, summary: &Summary) {
        let mut state = self.state();
        (state.judged, state.bad) = (summary.total, summary.failed + summary.errors);
    }

    /// Tells how far it is.
    pub(crate) fn tell(&self, summary: &Summary, position: u64) {
        if self.is_seen() {
            self.count(summary);
            self.bar.set_position(position);
        }
    }

    /// Takes it off the screen.
    pub(crate) fn end(&self) {
        let _state = self.state();
        self.ended.store(true, Ordering::Relaxed);
        self.bar.finish_and_clear();
    }

    /// Standard output, before which the progress steps aside where both are on the screen.
    pub(crate) fn stdout(&self) -> impl Write + Send + 'static {
        BesideProgress(self.clone())
    }

    /// The same for people.
    pub(crate) fn log(&self) -> Box<dyn Write + Send> {
        for_people(self.stdout())
    }
}

impl State {
    /// `3 failed  running REF-1 (12 s), REF-7`, or how many were judged.
    fn told(&self) -> String {
        let bad = match self.bad.max(self.failed) {
            0 => String::new(),
            bad => format!("{bad} failed  "),
        };
        if self.running.is_empty() {
            return format!("{bad}{} judged", self.judged);
        }
        let mask = secrets::mask();
        let named = self.running.iter().take(NAMED).map(|(id, since)| {
            let elapsed = since.elapsed();
            let time = if elapsed < LONG { String::new() } else { format!(" ({} s)", elapsed.as_secs()) };
            format!("{}{time}", cut(&mask.hide_silently(id)))
        });
        let more = match self.running.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("{bad}running {}{more}", named.collect::<Vec<_>>().join(", "))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_is_named_and_the_rest_counted() {
        let now = Instant::now();
        let running = |count: usize| (0..count).map(|n| (format!("A-{n}\u{1b}"), now)).collect();
        let state = State { judged: 7, running: running(0), ..State::default() };
        assert_eq!(state.told(), "7 judged");
        let state = State { judged: 7, bad: 2, running: running(6), ..State::default() };
        let ids = r"A-0\u001b, A-1\u001b, A-2\u001b, A-3\u001b";
        assert_eq!(state.told(), format!("2 failed  running {ids} and 2 more"));
    }

    #[test]
    fn a_bar_that_was_made_before_quiet_was_asked_for_is_not_seen() {
        let progress = Progress { on_terminal: true, ..Progress::through_cases() };
        assert!(progress.is_seen());
        crate::terminal::be_quiet();
        assert!(!progress.is_seen());
    }

    /// The results of cases that end behind a slow one are printed later, but counted at once.
    #[test]
    fn the_bar_moves_as_cases_end() {
        let progress = Progress::through_cases();
        progress.take(Event::Planned(3));
        progress.take(Event::Started("SLOW"));
        for failed in [true, false] {
            progress.take(Event::Finished { failed });
        }
        assert_eq!(progress.bar.position(), 2);
        assert!(progress.state().told().starts_with("1 failed  running SLOW"));
        let summary = Summary { total: 1, failed: 1, ..Summary::default() };
        progress.take(Event::Told(&summary));
        assert_eq!((progress.bar.position(), progress.state().bad), (2, 1));
    }
}
