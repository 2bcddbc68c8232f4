//! Keys, as they are pressed at the terminal.

use std::io::{self, IsTerminal as _, Read as _};
use std::sync::{Mutex, PoisonError};

use rustix::process::getpgrp;
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp, tcsetattr,
};

/// How the terminal was before, until it is that again.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// The terminal while it hands over keys one by one, and shows none of them. Dropping it makes the terminal what it was.
///
/// Keys that send signals (Ctrl-C, Ctrl-Z) still do.
#[derive(Debug)]
pub(crate) struct Keys(());

impl Keys {
    /// Hands over every key that is pressed, on a thread of its own. Nothing where standard input is no terminal, or that of
    /// others: whoever reads it in the background is stopped.
    pub(crate) fn listen(pressed: impl Fn(u8) + Send + 'static) -> Option<Keys> {
        let stdin = io::stdin();
        if !stdin.is_terminal() || !is_ours() {
            return None;
        }
        let before = tcgetattr(&stdin).ok()?;
        let mut modes = before.clone();
        modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some(before);
        let keys = Keys(());
        tcsetattr(&stdin, OptionalActions::Now, &modes).ok()?;
        std::thread::spawn(move || {
            for key in io::stdin().lock().bytes().map_while(Result::ok) {
                pressed(key);
            }
        });
        Some(keys)
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        restore();
    }
}

/// Makes the terminal what it was, if it was changed: for a process that ends without unwinding, too.
pub(crate) fn restore() {
    let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(before) = before.filter(|_| is_ours()) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &before);
    }
}

/// Whether this process is in the foreground of the terminal. A terminal that controls nobody is everybody's.
fn is_ours() -> bool {
    tcgetpgrp(io::stdin()).map_or(true, |foreground| foreground == getpgrp())
}
