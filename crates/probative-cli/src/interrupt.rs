//! Ctrl-C, and being told to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use probative_run::process::{self, Stop};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::commands::Refusal;

/// How long what is being done may take after an interrupt, before the process ends without it.
const GRACE: Duration = Duration::from_secs(2);

/// Whether somebody has interrupted.
///
/// Whoever watches `stop` or `processes` breaks off, finishes the reports and ends with 130. Whoever waits for input that
/// never comes, or is interrupted once too often, is ended with 130 all the same, and leaves no incomplete report behind.
pub(crate) struct Interrupt {
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) processes: Arc<Stop>,
    finishing: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens from now on: the second interrupt ends everything.
    pub(crate) fn listen() -> Result<Interrupt, Refusal> {
        Interrupt::listen_with(GRACE, 2)
    }

    /// The same for a command that runs processes, which are asked to end before they are made to: the second interrupt
    /// makes them, the third ends everything.
    pub(crate) fn listen_for_processes() -> Result<Interrupt, Refusal> {
        Interrupt::listen_with(process::GRACE + GRACE, 3)
    }

    fn listen_with(grace: Duration, last: usize) -> Result<Interrupt, Refusal> {
        let refused = |error| Refusal::new(format!("cannot listen for interrupts: {error}"));
        let processes = Arc::new(Stop::new().map_err(refused)?);
        let interrupt = Interrupt { stop: Arc::default(), processes, finishing: Arc::default() };
        let (stop, processes, finishing) =
            (Arc::clone(&interrupt.stop), Arc::clone(&interrupt.processes), Arc::clone(&interrupt.finishing));
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).map_err(refused)?;
        std::thread::spawn(move || {
            for (at, _) in signals.forever().enumerate() {
                stop.store(true, Ordering::Relaxed);
                processes.trip();
                if at + 1 == last {
                    end();
                }
                let finishing = Arc::clone(&finishing);
                std::thread::spawn(move || {
                    std::thread::sleep(grace);
                    if !finishing.load(Ordering::Relaxed) {
                        end();
                    }
                });
            }
        });
        Ok(interrupt)
    }

    /// Says that the reports are being finished, which may take its time.
    pub(crate) fn finishing(&self) {
        self.finishing.store(true, Ordering::Relaxed);
    }
}

fn end() -> ! {
    probative_run::abandon();
    std::process::exit(130);
}
