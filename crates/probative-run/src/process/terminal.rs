//! A terminal at which a text is typed.

use std::io;
use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags};
use rustix::io::{Errno, ioctl_fionbio, read, retry_on_intr, write};
use rustix::termios::{InputModes, LocalModes, OptionalActions, OutputModes, SpecialCodeIndex};
use rustix::termios::{tcgetattr, tcsetattr};
use rustix_openpty::{Pty, openpty};

/// How much of a line is typed before what there is of it is handed over. Terminals cut longer lines: after 4095 bytes on
/// Linux, after 1024 elsewhere.
const LINE: usize = 1000;

/// How many ends of input are typed at once: about what a terminal holds.
const ENDS: usize = 4096;

/// What says that a key has no meaning.
const NO_KEY: u8 = if cfg!(target_os = "linux") { 0 } else { 0xff };

/// The far end of a terminal: types a text, and then the end of input for ever.
///
/// The end of input is a key that hands over what was typed since the last line end, even if that is nothing. So it also
/// hands over the parts of long lines. A terminal, unlike a pipe, forgets its end once it was read: therefore there is always
/// another one.
pub(super) struct Terminal {
    controller: OwnedFd,
    /// The terminal itself. Held open so that the far end never hangs up, whatever the process closes.
    _user: OwnedFd,
    typed: Vec<u8>,
    sent: usize,
    ends: Vec<u8>,
}

impl Terminal {
    /// The far end, and the terminal for the process.
    pub(super) fn open(text: &[u8]) -> io::Result<(Terminal, OwnedFd)> {
        let end = end_key(text)?;
        let Pty { controller, user } = openpty(None, None)?;
        let mut modes = tcgetattr(&user)?;
        modes.input_modes = InputModes::empty();
        modes.output_modes = OutputModes::empty();
        modes.local_modes = LocalModes::ICANON;
        for key in [
            SpecialCodeIndex::VERASE,
            SpecialCodeIndex::VKILL,
            SpecialCodeIndex::VEOL,
            SpecialCodeIndex::VEOL2,
        ] {
            modes.special_codes[key] = NO_KEY;
        }
        modes.special_codes[SpecialCodeIndex::VEOF] = end;
        tcsetattr(&user, OptionalActions::Now, &modes)?;
        ioctl_fionbio(&controller, true)?;
        let stdin = user.try_clone()?;
        let typed = in_parts(text, end);
        Ok((Terminal { controller, _user: user, typed, sent: 0, ends: vec![end; ENDS] }, stdin))
    }

    pub(super) fn watched(&self) -> PollFd<'_> {
        PollFd::new(&self.controller, PollFlags::IN | PollFlags::OUT)
    }

    /// Types as much as there is room for, and throws away what the process has written.
    pub(super) fn write(&mut self) -> io::Result<()> {
        unless_later(retry_on_intr(|| read(&self.controller, &mut [0; 4096])))?;
        let rest = if self.sent < self.typed.len() { &self.typed[self.sent..] } else { &self.ends };
        self.sent += unless_later(retry_on_intr(|| write(&self.controller, rest)))?;
        Ok(())
    }
}

/// Nothing, where there was nothing to read or no room to write.
fn unless_later(count: rustix::io::Result<usize>) -> rustix::io::Result<usize> {
    if count == Err(Errno::AGAIN) { Ok(0) } else { count }
}

/// The key for the end of input: control-D, which also programs know that look at keys themselves, or else a byte that does
/// not occur in the text. Line ends stay line ends.
fn end_key(text: &[u8]) -> io::Result<u8> {
    let mut occurs = [false; 256];
    for byte in text {
        occurs[usize::from(*byte)] = true;
    }
    let mut keys = std::iter::once(4).chain((11..=254).rev());
    keys.find(|key| !occurs[usize::from(*key)]).ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            "stdin_text for a terminal uses every byte value, so none is left to mark its end",
        )
    })
}

/// The text as it is typed: long lines handed over in parts.
fn in_parts(text: &[u8], end: u8) -> Vec<u8> {
    let mut typed = Vec::with_capacity(text.len() + text.len() / LINE);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        for (number, part) in line.chunks(LINE).enumerate() {
            if number > 0 {
                typed.push(end);
            }
            typed.extend_from_slice(part);
        }
    }
    typed
}
