//! The command line of Probative: arguments, terminal, exit codes.
#![forbid(unsafe_code)]

mod args;
mod color;
mod commands;
mod defaults;
mod help;
mod interrupt;
mod keys;
mod progress;
mod secrets;
mod terminal;
mod usage;
mod workflow;

use std::process::ExitCode;

use args::Command;

fn main() -> ExitCode {
    interrupt::end_orderly_without_memory();
    let code = run();
    secrets::note();
    code
}

/// Does what is asked for, and answers with the exit code.
fn run() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    color::Color::take(&words);
    let arguments = match defaults::parse(words) {
        Ok(arguments) => arguments,
        Err(trouble) => return trouble.told(),
    };
    let ended = match arguments.command {
        Command::Init(arguments) => commands::init::run(&arguments),
        Command::Run(arguments) => commands::run::run(&arguments),
        Command::Lint(arguments) => commands::lint::run(&arguments),
        Command::Conformance(arguments) => commands::conformance::run(&arguments),
        Command::Check(arguments) => commands::check::run(&arguments),
        Command::Show(arguments) => commands::show::run(&arguments),
        Command::Convert(arguments) => commands::convert::run(&arguments),
        Command::Explain(arguments) => commands::explain::run(&arguments),
        Command::Schema(arguments) => Ok(commands::schema::run(&arguments)),
        Command::Completions(arguments) => Ok(commands::completions::run(&arguments)),
        Command::Man(arguments) => commands::man::run(&arguments),
    };
    ended.unwrap_or_else(|error| {
        terminal::complain(&error);
        ExitCode::from(2)
    })
}
