//! Arguments of the commands that judge nothing.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clap_complete::Shell;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probative init
  probative init my-agent --lang python")]
pub(crate) struct InitArguments {
    /// Directory for the project; created if missing. Existing files are never overwritten
    #[arg(value_name = "DIRECTORY", default_value = ".")]
    pub(crate) directory: PathBuf,

    /// Language of the example agent
    #[arg(long, value_name = "LANGUAGE", default_value = "sh")]
    pub(crate) lang: Language,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// POSIX shell script
    Sh,
    /// Python script without dependencies
    Python,
    /// JavaScript module with TypeScript types; runs in Node.js without a build step
    Typescript,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probative explain
  probative explain claims
  probative explain tool_was_called")]
pub(crate) struct ExplainArguments {
    /// Topic, assertion, case type, operator, finding, symbol or format [default: list all]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probative schema spec > spec.schema.json
  probative schema config > probative.schema.json")]
pub(crate) struct SchemaArguments {
    /// File format to describe
    pub(crate) what: SchemaName,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  source <(probative completions bash)
  probative completions fish > ~/.config/fish/completions/probative.fish
  probative completions zsh > ~/.zfunc/_probative")]
pub(crate) struct CompletionsArguments {
    /// Shell to generate the script for
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probative man | man -l -
  probative man run > ~/.local/share/man/man1/probative-run.1")]
pub(crate) struct ManArguments {
    /// Command to describe [default: probative itself]
    #[arg(value_name = "COMMAND")]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaName {
    /// Question files for responses
    Expect,
    /// Question files for trajectories
    Trajectory,
    /// Question files for selection reports
    Report,
    /// Cases in spec files: a `yaml spec-test` block, or *.spec.yaml
    Spec,
    /// Suites: *.tests.json
    Suite,
    /// Recorded runs in the native format
    Run,
    /// Reports written by --report json
    Results,
    /// probative.toml
    Config,
}
