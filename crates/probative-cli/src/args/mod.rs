//! The command line: the commands, and the arguments of each.

mod asides;
mod cases;
mod subjects;
mod telling;
mod values;

use clap::{Parser, Subcommand};

use crate::color::Color;

pub(crate) use asides::{
    CompletionsArguments, ExplainArguments, InitArguments, Language, ManArguments, SchemaArguments,
    SchemaName,
};
pub(crate) use cases::{
    BaselineArguments, ChoiceArguments, ConformanceArguments, LintArguments, RunArguments, SpecArguments,
};
pub(crate) use subjects::{
    CheckArguments, ConvertArguments, ShowArguments, SubjectArguments, TraceFormatName,
};
pub(crate) use telling::{Report, TellingArguments};

/// Deterministic tests for AI agents. No LLM judge.
#[derive(Debug, Parser)]
#[command(name = "probative", version, disable_help_subcommand = true)]
#[command(about = "Deterministic tests for AI agents. No LLM judge.", long_about = None)]
#[command(after_help = "\
Example: probative run specs --recursive --report human --report json=out.json
Exit codes: 0 passed, 1 failed, 2 invalid or nothing judged, 130 interrupted")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,

    // Read before clap reads the words, because help and errors obey it as well.
    /// When to color output: auto, always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", display_order = 900)]
    #[arg(hide_default_value = true, hide_possible_values = true)]
    pub(crate) color: Color,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create a project with a spec file, an agent and a configuration
    Init(InitArguments),
    /// Run the cases in spec files and suites
    Run(Box<RunArguments>),
    /// Find mistakes in spec files and suites without running them
    Lint(LintArguments),
    /// Run conformance cases; compare expected and actual outcomes
    Conformance(Box<ConformanceArguments>),
    /// Check recorded runs, responses and selection reports
    Check(CheckArguments),
    /// Pretty-print recorded runs, responses and selection reports
    Show(ShowArguments),
    /// Convert traces from other tools to the native run format
    Convert(ConvertArguments),
    /// Explain an assertion, a format or a topic, with examples
    Explain(ExplainArguments),
    /// Print the JSON Schema of a file format, for editors
    Schema(SchemaArguments),
    /// Print a completion script for a shell
    Completions(CompletionsArguments),
    /// Print a man page
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
