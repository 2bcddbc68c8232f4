//! What the commands take that judge nothing.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clap_complete::Shell;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probative init
  probative init my-agent")]
pub(crate) struct InitArguments {
    /// Where; it is made if it is not there, and no file in it is ever overwritten
    #[arg(value_name = "DIRECTORY", default_value = ".")]
    pub(crate) directory: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probative explain
  probative explain tool_was_called")]
pub(crate) struct ExplainArguments {
    /// An assertion, a type of case, a finding, a symbol, a format, exit-codes; without one, all are listed
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probative schema spec > spec.schema.json
  probative schema config > probative.schema.json")]
pub(crate) struct SchemaArguments {
    /// What to describe
    pub(crate) what: SchemaName,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  source <(probative completions bash)
  probative completions fish > ~/.config/fish/completions/probative.fish
  probative completions zsh > ~/.zfunc/_probative")]
pub(crate) struct CompletionsArguments {
    /// Whose command lines are to be completed
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probative man | man -l -
  probative man run > ~/.local/share/man/man1/probative-run.1")]
pub(crate) struct ManArguments {
    /// The command; without one, the page is about all of them
    #[arg(value_name = "COMMAND")]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaName {
    /// Questions about a response
    Expect,
    /// Questions about a run
    Trajectory,
    /// Questions about a selection report
    Report,
    /// Cases of a spec document: what stands in a fence, or in *.spec.yaml
    Spec,
    /// Suites of tests: *.tests.json
    Suite,
    /// A recorded run in the native format
    Run,
    /// What --report json writes
    Results,
    /// probative.toml
    Config,
}
