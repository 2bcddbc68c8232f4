//! The terminal: whether it wants colour, and what is said on it when nothing can be done.

use std::io::{self, IsTerminal, Write};

use probative::value::visible;

/// Whether a stream is to be coloured: `NO_COLOR` says no, `CLICOLOR_FORCE` says yes, otherwise a terminal that can.
pub(crate) fn wants_colour(stream: &impl IsTerminal) -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
    if std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) {
        return false;
    }
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    is_set("CLICOLOR_FORCE")
        || (stream.is_terminal() && !dumb && std::env::var_os("CLICOLOR").is_none_or(|value| value != "0"))
}

/// Says on standard error why nothing can be done. A closed standard error is no reason to panic.
pub(crate) fn complain(message: &dyn std::fmt::Display) {
    let _ = writeln!(io::stderr(), "probative: {}", visible(&message.to_string()));
}
