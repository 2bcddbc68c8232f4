//! `probative lint [PATH…]`

use std::io;
use std::process::ExitCode;

use probative::spec::{Mode, Settings};
use probative_run::{Environment, Lint, Suite};

use super::run::sources;
use super::{Refusal, hints, tell};
use crate::args::LintArguments;
use crate::secrets;
use crate::terminal::wants_colour;

/// Reads all cases, tells what is wrong with them, and answers with the exit code.
pub(crate) fn run(arguments: &LintArguments) -> Result<ExitCode, Refusal> {
    let environment = Environment::of_this_process().map_err(Refusal)?;
    // Whoever asks wants to hear it.
    let health = if environment.health == Mode::Ignore { Mode::Warn } else { environment.health };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let suite = Suite::load(&sources(&arguments.from), &Settings { health, ..Settings::default() }, threads);
    secrets::learn(&suite);
    let lint = Lint::of(&suite, arguments.responses.as_deref(), wants_colour(&io::stdout()));
    let code = tell(&lint.text, lint.exit_code());
    hints::about(&sources(&arguments.from));
    Ok(code)
}
