//! `probative completions SHELL`

use std::process::ExitCode;

use super::print;
use crate::args::CompletionsArguments;
use crate::help;

/// Prints the script that teaches a shell the command line.
pub(crate) fn run(arguments: &CompletionsArguments) -> ExitCode {
    // Written to memory, because what writes it panics where nobody reads on.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut help::command(), "probative", &mut script);
    print(&String::from_utf8_lossy(&script))
}
