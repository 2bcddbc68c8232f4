//! What a process finds on its standard input.

use std::io::{self, PipeWriter};
use std::process::Stdio;

use rustix::event::{PollFd, PollFlags};
use rustix::io::{Errno, ioctl_fionbio, retry_on_intr, write};

use super::Input;
use super::terminal::Terminal;

/// Gives a process its input without ever waiting for it.
pub(super) enum Feed<'t> {
    Done,
    Pipe { to: PipeWriter, rest: &'t [u8] },
    Terminal(Terminal),
}

impl<'t> Feed<'t> {
    /// The feed, and what the process reads from.
    pub(super) fn new(input: &'t Input) -> io::Result<(Feed<'t>, Stdio)> {
        match input {
            Input::Nothing => Ok((Feed::Done, Stdio::null())),
            Input::Text(text) => {
                let (from, to) = io::pipe()?;
                ioctl_fionbio(&to, true)?;
                let feed = if text.is_empty() { Feed::Done } else { Feed::Pipe { to, rest: text } };
                Ok((feed, from.into()))
            }
            Input::Terminal(text) => {
                let (terminal, stdin) = Terminal::open(text)?;
                Ok((Feed::Terminal(terminal), stdin.into()))
            }
        }
    }

    pub(super) fn watched(&self) -> Option<PollFd<'_>> {
        match self {
            Feed::Done => None,
            Feed::Pipe { to, .. } => Some(PollFd::new(to, PollFlags::OUT)),
            Feed::Terminal(terminal) => Some(terminal.watched()),
        }
    }

    /// Gives as much as there is room for. A process that closes its input wants no more, which is no error.
    pub(super) fn write(&mut self) -> io::Result<()> {
        match self {
            Feed::Done => {}
            Feed::Terminal(terminal) => terminal.write()?,
            Feed::Pipe { to, rest } => match retry_on_intr(|| write(&*to, rest)) {
                Ok(count) if count < rest.len() => *rest = &rest[count..],
                Ok(_) | Err(Errno::PIPE) => *self = Feed::Done,
                Err(Errno::AGAIN) => {}
                Err(error) => return Err(error.into()),
            },
        }
        Ok(())
    }
}
