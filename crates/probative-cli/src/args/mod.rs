//! What can be said on the command line: here the commands, and beside it what each of them takes.

mod asides;
mod cases;
mod subjects;
mod telling;
mod values;

use clap::{Parser, Subcommand};

pub(crate) use asides::{
    CompletionsArguments, ExplainArguments, InitArguments, ManArguments, SchemaArguments, SchemaName,
};
pub(crate) use cases::{
    BaselineArguments, ChoiceArguments, ConformanceArguments, LintArguments, RunArguments, SpecArguments,
};
pub(crate) use subjects::{
    CheckArguments, ConvertArguments, ShowArguments, SubjectArguments, TraceFormatName,
};
pub(crate) use telling::{Report, TellingArguments};

/// Holds an AI agent to what it saw, did, said and promised; no model judges
#[derive(Debug, Parser)]
#[command(name = "probative", version, long_about = None, disable_help_subcommand = true)]
#[command(after_help = "\
Example: probative run docs --recursive --report human --report json=out.json
Exit codes: 0 passed, 1 failed, 2 bad usage or nothing judged, 130 interrupted")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Begin a project: a spec, an agent and a configuration that pass
    Init(InitArguments),
    /// Run the cases that stand in spec documents
    Run(Box<RunArguments>),
    /// Find what is wrong in spec documents, running nothing
    Lint(LintArguments),
    /// Run cases that say how they end, and tell which ended otherwise
    Conformance(Box<ConformanceArguments>),
    /// Judge recorded responses, runs and selection reports
    Check(CheckArguments),
    /// Print recorded runs, selection reports or responses for a person
    Show(ShowArguments),
    /// Write traces of other programs as runs in the native format
    Convert(ConvertArguments),
    /// Tell what anything with a name means, with examples
    Explain(ExplainArguments),
    /// Print the JSON Schema of what you can write, for your editor
    Schema(SchemaArguments),
    /// Print a script that completes command lines in your shell
    Completions(CompletionsArguments),
    /// Print the page of the manual about probative, or about a command
    Man(ManArguments),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_arguments_fit_together() {
        super::Arguments::command().debug_assert();
    }
}
