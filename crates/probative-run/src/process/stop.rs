//! Ending processes from another thread.

use std::io::{self, PipeReader, PipeWriter, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::event::{PollFd, PollFlags};

/// What ends every process that is run with it, from any thread, and lets no other start.
///
/// Tripped once, it asks the processes to end; tripped again, it makes them end without any further grace.
#[derive(Debug)]
pub struct Stop {
    trips: AtomicUsize,
    /// Readable after the first trip, and hung up after the second: either is seen by all who wait.
    told: PipeReader,
    tell: Mutex<Option<PipeWriter>>,
}

impl Stop {
    /// Nothing is stopped yet.
    pub fn new() -> io::Result<Stop> {
        let (told, tell) = io::pipe()?;
        Ok(Stop { trips: AtomicUsize::new(0), told, tell: Mutex::new(Some(tell)) })
    }

    /// Stops what runs. Takes a lock, so it is for a thread that is told of signals and not for a signal handler.
    pub fn trip(&self) {
        let mut tell = self.tell.lock().unwrap_or_else(PoisonError::into_inner);
        if self.trips.fetch_add(1, Ordering::Release) == 0 {
            // One byte into an empty pipe that is open at both ends: there is nothing to fail.
            let _ = tell.as_ref().map(|mut tell| tell.write(b"!"));
        } else {
            *tell = None;
        }
    }

    /// Whether it was tripped at all.
    pub fn is_tripped(&self) -> bool {
        self.trips() > 0
    }

    pub(super) fn trips(&self) -> usize {
        self.trips.load(Ordering::Acquire)
    }

    /// Waits for the first trip, or only for the second if the first changes nothing any more.
    pub(super) fn watched(&self, first: bool) -> PollFd<'_> {
        PollFd::new(&self.told, if first { PollFlags::IN } else { PollFlags::empty() })
    }
}
