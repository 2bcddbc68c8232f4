//! What comes from one stream of a process.

use std::io::{self, PipeReader};
use std::process::Stdio;

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags};
use rustix::io::{Errno, ioctl_fionbio, ioctl_fionread, read, retry_on_intr};

use super::{CAP, Output};

/// As much as a pipe holds.
const CHUNK: usize = 64 << 10;

/// Reads one stream without ever waiting for it, and keeps the beginning.
pub(super) struct Capture {
    /// Nothing, once the stream has ended.
    from: Option<PipeReader>,
    output: Output,
}

impl Capture {
    /// The capture, and the end of the pipe that the process writes to.
    pub(super) fn new() -> io::Result<(Capture, Stdio)> {
        let (from, to) = io::pipe()?;
        ioctl_fionbio(&from, true)?;
        Ok((Capture { from: Some(from), output: Output::default() }, to.into()))
    }

    pub(super) fn watched(&self) -> Option<PollFd<'_>> {
        self.from.as_ref().map(|from| PollFd::new(from, PollFlags::IN))
    }

    /// Reads some of what is there, and says how much.
    pub(super) fn read(&mut self) -> io::Result<usize> {
        let Some(from) = &self.from else { return Ok(0) };
        let Output { bytes, dropped } = &mut self.output;
        bytes.reserve(CHUNK);
        match retry_on_intr(|| read(from, spare_capacity(bytes))) {
            Ok(0) => self.from = None,
            Ok(count) => {
                *dropped += bytes.len().saturating_sub(CAP) as u64;
                bytes.truncate(CAP);
                return Ok(count);
            }
            Err(Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(0)
    }

    /// Reads what is there at this moment, and no more: somebody may still be writing, and never end.
    pub(super) fn finish(mut self) -> io::Result<Output> {
        let mut there = match &self.from {
            Some(from) => ioctl_fionread(from)?,
            None => 0,
        };
        while there > 0 {
            match self.read()? {
                0 => break,
                count => there = there.saturating_sub(count as u64),
            }
        }
        self.output.bytes.shrink_to_fit();
        Ok(self.output)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// The writers are slower than the reader for most of the time: so they get many chances to keep up with it.
    #[test]
    fn only_what_is_there_is_read_at_the_end() {
        let longest = (0..300).map(|_| flooded()).max();
        assert!(longest <= Some(2 * CHUNK), "{longest:?}");
    }

    /// How much is read from a full pipe into which four threads write for as long as anybody reads.
    fn flooded() -> usize {
        let (from, to) = io::pipe().unwrap();
        ioctl_fionbio(&from, true).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let mut to = to.try_clone().unwrap();
                scope.spawn(move || while to.write_all(&[b'y'; 4096]).is_ok() {});
            }
            while ioctl_fionread(&from).unwrap() < CHUNK as u64 {
                std::thread::yield_now();
            }
            Capture { from: Some(from), output: Output::default() }.finish().unwrap().bytes.len()
        })
    }
}
