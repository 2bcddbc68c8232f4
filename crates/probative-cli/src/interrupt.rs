//! Ctrl-C, and being told to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// How long what is being judged may take after an interrupt, before the process ends without it.
const GRACE: Duration = Duration::from_secs(2);

/// Whether somebody has interrupted.
///
/// Whoever watches `stop` breaks off, finishes the reports and ends with 130. Whoever waits for input that never comes,
/// or is interrupted twice, is ended with 130 all the same, and leaves no incomplete report behind.
pub(crate) struct Interrupt {
    pub(crate) stop: Arc<AtomicBool>,
    finishing: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens from now on.
    pub(crate) fn listen() -> std::io::Result<Interrupt> {
        let interrupt = Interrupt { stop: Arc::default(), finishing: Arc::default() };
        let (stop, finishing) = (Arc::clone(&interrupt.stop), Arc::clone(&interrupt.finishing));
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        std::thread::spawn(move || {
            for _ in signals.forever() {
                if stop.swap(true, Ordering::Relaxed) {
                    end();
                }
                let finishing = Arc::clone(&finishing);
                std::thread::spawn(move || {
                    std::thread::sleep(GRACE);
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
