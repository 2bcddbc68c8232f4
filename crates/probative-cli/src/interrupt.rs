//! Ctrl-C, and being told to end.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use probative_run::process::{self, Stop, shortage};
use probative_run::subjects::reason;
use signal_hook::consts::{SIGABRT, SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

use crate::commands::Refusal;

/// How long the program itself may take to finish after an interrupt while no process of a case is running. A search for a
/// pattern, which nothing can interrupt, takes less.
const GRACE: Duration = Duration::from_secs(1);

/// How long all of it may take, processes included: they are asked to end before they are killed.
const LONGEST: Duration = process::GRACE.saturating_add(Duration::from_secs(2));

/// How often the processes are looked at meanwhile.
const TICK: Duration = Duration::from_millis(50);

/// Makes the process end with 2 where it would abort: without memory it cannot answer, and the exit code has to say so.
pub(crate) fn end_orderly_without_memory() {
    // Where this cannot be had, it is ended by the signal.
    let _ = signal_hook::flag::register_conditional_shutdown(SIGABRT, 2, Arc::new(AtomicBool::new(true)));
}

/// Whether somebody has interrupted.
///
/// Whoever watches `stop`, or what [`Interrupt::begin`] gives, breaks off, finishes the reports and ends with 130. Whoever waits
/// for input that never comes, or is interrupted once too often, is ended with 130 all the same, and leaves no incomplete
/// report behind.
pub(crate) struct Interrupt {
    pub(crate) stop: Arc<AtomicBool>,
    finishing: Arc<AtomicBool>,
    told: Arc<Mutex<Told>>,
}

/// Who is told of an interrupt.
#[derive(Default)]
struct Told {
    /// What ends the processes of the run that is going on.
    processes: Option<Arc<Stop>>,
    /// Whoever waits for something else.
    waiting: Option<Box<dyn Fn() + Send>>,
}

/// Why nothing is begun that nobody could interrupt.
fn deaf(error: &io::Error) -> Refusal {
    let shortage = shortage(error).map_or_else(String::new, |why| format!(": {why}"));
    Refusal::new(format!("cannot listen for interrupts: {}{shortage}", reason(error)))
}

impl Interrupt {
    /// Listens from now on: the second interrupt ends everything.
    pub(crate) fn listen() -> Result<Interrupt, Refusal> {
        Interrupt::listen_until(2)
    }

    /// The same for a command that runs processes, which are asked to end before they are made to: the second interrupt
    /// makes them, the third ends everything.
    pub(crate) fn listen_for_processes() -> Result<Interrupt, Refusal> {
        Interrupt::listen_until(3)
    }

    /// `last` is the interrupt that ends everything at once.
    fn listen_until(last: usize) -> Result<Interrupt, Refusal> {
        let interrupt = Interrupt { stop: Arc::default(), finishing: Arc::default(), told: Arc::default() };
        let (stop, finishing, told) =
            (Arc::clone(&interrupt.stop), Arc::clone(&interrupt.finishing), Arc::clone(&interrupt.told));
        // A report that grows too large is an error to be told, not the end of the process.
        signal_hook::flag::register(SIGXFSZ, Arc::default()).map_err(|error| deaf(&error))?;
        let ignored = ignored();
        let heard = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
        let mut signals = Signals::new(heard).map_err(|error| deaf(&error))?;
        let listen = move || {
            for (at, _) in signals.forever().enumerate() {
                stop.store(true, Ordering::Relaxed);
                told.lock().unwrap_or_else(PoisonError::into_inner).tell();
                if at + 1 == last {
                    end();
                }
                let (finishing, told) = (Arc::clone(&finishing), Arc::clone(&told));
                let wait = move || {
                    wait_for_processes(&told);
                    if !finishing.load(Ordering::Relaxed) {
                        end();
                    }
                };
                // Without it, the next interrupt ends what this one does not.
                let _ = std::thread::Builder::new().spawn(wait);
            }
        };
        std::thread::Builder::new().spawn(listen).map_err(|error| deaf(&error))?;
        Ok(interrupt)
    }

    /// What an interrupt ends the processes of the next run with. Each run has its own, for a run may also end them itself.
    pub(crate) fn begin(&self) -> Result<Arc<Stop>, Refusal> {
        let processes = Arc::new(Stop::new().map_err(|error| deaf(&error))?);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.processes = Some(Arc::clone(&processes));
        self.finishing.store(false, Ordering::Relaxed);
        if self.stop.load(Ordering::Relaxed) {
            processes.trip();
        }
        Ok(processes)
    }

    /// Calls somebody who waits for something else, as soon as there is an interrupt.
    pub(crate) fn tell(&self, waiting: impl Fn() + Send + 'static) {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).waiting = Some(Box::new(waiting));
    }

    /// Says that the reports are being finished, which may take its time.
    pub(crate) fn finishing(&self) {
        self.finishing.store(true, Ordering::Relaxed);
    }
}

/// Returns when no process has been running for the [`GRACE`], or after the [`LONGEST`].
fn wait_for_processes(told: &Mutex<Told>) {
    let (mut idle, mut all) = (Duration::ZERO, Duration::ZERO);
    while idle < GRACE && all < LONGEST {
        std::thread::sleep(TICK);
        let is_busy = told.lock().unwrap_or_else(PoisonError::into_inner).has_processes();
        (idle, all) = (if is_busy { Duration::ZERO } else { idle + TICK }, all + TICK);
    }
}

impl Told {
    fn has_processes(&self) -> bool {
        self.processes.as_ref().is_some_and(|processes| processes.has_processes())
    }

    fn tell(&self) {
        self.processes.as_ref().inspect(|processes| processes.trip());
        self.waiting.as_ref().inspect(|waiting| waiting());
    }
}

/// The signals that were ignored when the process started, a bit each, and so stay ignored: `nohup` asks for that. None where
/// the system does not tell.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}

fn end() -> ! {
    crate::keys::restore();
    probative_run::abandon();
    std::process::exit(130);
}
