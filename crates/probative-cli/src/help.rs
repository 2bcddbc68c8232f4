//! The command line as it is told: in help, on its page of the manual, to shells.

use std::io::{self, IsTerminal as _};

use clap::{Command, CommandFactory as _};

use crate::args::Arguments;
use crate::color::Color;

/// How wide help is, also where no terminal says so.
const WIDTH: usize = 80;

/// The command line. Help is as wide as the terminal if that is narrow, and the same everywhere where there is none.
pub(crate) fn command() -> Command {
    let command = Arguments::command().max_term_width(WIDTH).color(Color::asked().into());
    if io::stdout().is_terminal() { command } else { command.term_width(WIDTH) }
}
