//! Standard input that can be given up while nothing comes.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};

/// Standard input until it ends, or until it is stopped.
pub(crate) struct Stdin<'s> {
    pub(crate) stop: &'s AtomicBool,
}

#[cfg(unix)]
impl Read for Stdin<'_> {
    /// Looks up from waiting ten times a second. Nothing is buffered here: what waits in a buffer would not be waited for.
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let stdin = rustix::stdio::stdin();
        let patience = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
        while !self.stop.load(Ordering::Relaxed) {
            let ready = poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&patience));
            if ready.is_ok_and(|ready| ready > 0) {
                return Ok(rustix::io::read(stdin, into)?);
            }
        }
        Ok(0)
    }
}

#[cfg(not(unix))]
impl Read for Stdin<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.stop.load(Ordering::Relaxed) { Ok(0) } else { io::stdin().read(into) }
    }
}
