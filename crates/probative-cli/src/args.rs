//! What can be said on the command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use probative::About;
use probative::report::Format;
use probative::value::Moment;
use probative_run::subjects::Input;

/// Holds an AI agent to what it saw, did, said and promised. Deterministic: no model judges, no network is needed.
#[derive(Debug, Parser)]
#[command(name = "probative", version, about, long_about = None, disable_help_subcommand = true)]
#[command(
    after_help = "Exit codes: 0 all passed; 1 something failed; 2 bad usage, bad question or nothing to judge; 130 interrupted."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Judge recorded responses, runs or selection reports by a question, running nothing
    Check(CheckArguments),
    /// Print recorded runs, selection reports or responses for a person
    Show(ShowArguments),
    /// Tell what an assertion means, with examples
    Explain(ExplainArguments),
    /// Print the JSON Schema of what you can write, for your editor
    Schema(SchemaArguments),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probative check expect.yaml response.json
  probative check expect.json 'runs/*.jsonl' --report jsonl=verdicts.jsonl
  my-agent < input.json | probative check expect.yaml -")]
pub(crate) struct CheckArguments {
    /// JSON or YAML: an object of assertions (name: argument), a list of them, or a must/can/cannot tree
    #[arg(value_name = "QUESTION")]
    pub(crate) question: PathBuf,

    #[command(flatten)]
    pub(crate) named: SubjectArguments,

    /// Where to tell the results: human, json or jsonl, each to standard output or to a file; repeatable
    #[arg(long, value_name = "FORMAT[=FILE]", default_value = "human", value_parser = report)]
    pub(crate) report: Vec<Report>,

    /// What time it is for assertions that depend on it (RFC 3339 or YYYY-MM-DD) [default: the clock]
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) now: Option<Moment>,

    /// On how many threads to judge [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,

    /// Leave out how long things took, so that the same inputs give the same bytes
    #[arg(long)]
    pub(crate) no_timings: bool,
}

/// What is to be read, and how it is written.
#[derive(Debug, Args)]
pub(crate) struct SubjectArguments {
    /// Files, globs, directories (with -r), or - for standard input
    #[arg(value_name = "SUBJECT", required = true)]
    pub(crate) subjects: Vec<OsString>,

    /// Take the .json, .jsonl, .ndjson and .txt files below directories
    #[arg(short, long)]
    pub(crate) recursive: bool,

    /// How subjects are written; auto goes by the file's ending, then by its beginning
    #[arg(long, value_name = "FORMAT", default_value = "auto")]
    pub(crate) input: InputName,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probative show run.json
  probative show 'runs/*.jsonl' --brief
  probative show report.json --budget 4096")]
pub(crate) struct ShowArguments {
    #[command(flatten)]
    pub(crate) named: SubjectArguments,

    /// Of more than 20 steps of a run, or items of a report, show the first and the last
    #[arg(short, long)]
    pub(crate) brief: bool,

    /// How many tokens there were for a selection, to show how much of them it took
    #[arg(long, value_name = "TOKENS")]
    pub(crate) budget: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// The assertion; without one, all are listed
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// What to describe: questions about a response (expect), a run (trajectory) or a selection report (report)
    pub(crate) what: SchemaName,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum SchemaName {
    Expect,
    Trajectory,
    Report,
}

impl From<SchemaName> for About {
    fn from(name: SchemaName) -> Self {
        match name {
            SchemaName::Expect => About::Response,
            SchemaName::Trajectory => About::Trajectory,
            SchemaName::Report => About::Report,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum InputName {
    Auto,
    Json,
    Jsonl,
    Text,
}

impl From<InputName> for Input {
    fn from(name: InputName) -> Self {
        match name {
            InputName::Auto => Input::Auto,
            InputName::Json => Input::Json,
            InputName::Jsonl => Input::Jsonl,
            InputName::Text => Input::Text,
        }
    }
}

/// A report that was asked for: its format, and the file it goes to if not to standard output.
#[derive(Debug, Clone)]
pub(crate) struct Report {
    pub(crate) format: Format,
    pub(crate) file: Option<PathBuf>,
}

fn report(text: &str) -> Result<Report, String> {
    let (name, file) = match text.split_once('=') {
        Some((_, "")) => return Err("no file behind the `=`".to_owned()),
        Some((name, "-")) => (name, None),
        Some((name, file)) => (name, Some(PathBuf::from(file))),
        None => (text, None),
    };
    let known = Format::ALL.into_iter().find(|format| format.name() == name);
    let names = || Format::ALL.map(Format::name).join(", ");
    let format = known.ok_or_else(|| format!("no report is called '{name}'; there are {}", names()))?;
    Ok(Report { format, file })
}

fn moment(text: &str) -> Result<Moment, String> {
    Moment::parse(text).ok_or_else(|| "expected RFC 3339 or YYYY-MM-DD".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_arguments_fit_together() {
        super::Arguments::command().debug_assert();
    }
}
