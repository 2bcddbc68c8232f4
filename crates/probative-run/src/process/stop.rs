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
    /// The number of processes that run with it.
    running: AtomicUsize,
}

/// Counts a process as running until it is dropped.
pub(super) struct Running<'s>(&'s Stop);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Release);
    }
}

impl Stop {
    /// Nothing is stopped yet.
    pub fn new() -> io::Result<Stop> {
        let (told, tell) = io::pipe()?;
        Ok(Stop {
            trips: AtomicUsize::new(0),
            told,
            tell: Mutex::new(Some(tell)),
            running: AtomicUsize::new(0),
        })
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

    /// Returns true while a process that it ends has not ended.
    pub fn has_processes(&self) -> bool {
        self.running.load(Ordering::Acquire) > 0
    }

    /// Counts one more process, from before it is started.
    pub(super) fn count_process(&self) -> Running<'_> {
        self.running.fetch_add(1, Ordering::AcqRel);
        Running(self)
    }

    pub(super) fn trips(&self) -> usize {
        self.trips.load(Ordering::Acquire)
    }

    /// Waits for the first trip, or only for the second if the first changes nothing any more.
    pub(super) fn watched(&self, first: bool) -> PollFd<'_> {
        PollFd::new(&self.told, if first { PollFlags::IN } else { PollFlags::empty() })
    }
}
