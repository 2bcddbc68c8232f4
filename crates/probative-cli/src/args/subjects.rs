//! Arguments of the commands that read recorded subjects.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum, ValueHint};
use probative::trajectory::readers::TraceFormat;
use probative::value::{Moment, Pattern};
use probative_run::Traces;
use probative_run::subjects::{How, Input};

use super::TellingArguments;
use super::values::{moment, pattern};

// Heading of options that only the long help shows.
const READING: &str = "Input";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probative check expect.yaml response.json
  probative check expect.json 'runs/*.jsonl' --report jsonl=verdicts.jsonl
  my-agent < input.json | probative check expect.yaml -")]
pub(crate) struct CheckArguments {
    /// Question file, JSON or YAML
    ///
    /// An object of assertions (name: argument), a list of them, or a tree of must, can and cannot.
    #[arg(value_name = "QUESTION")]
    pub(crate) question: PathBuf,

    #[command(flatten)]
    pub(crate) named: SubjectArguments,

    /// Current time for date assertions, RFC 3339 or YYYY-MM-DD [default: the system time]
    #[arg(long, value_name = "TIME", value_parser = moment, hide_short_help = true)]
    pub(crate) now: Option<Moment>,

    /// Fail if an assertion was never exercised, or the question asserts nothing
    ///
    /// An assertion is never exercised if it passes only because no subject contains anything to check.
    #[arg(long)]
    pub(crate) strict: bool,

    #[command(flatten)]
    pub(crate) told: TellingArguments,
}

/// The arguments of `convert`.
const RUNS: &str = "Recorded runs";

/// Subjects and their formats.
#[derive(Debug, Args)]
pub(crate) struct SubjectArguments {
    /// Recorded runs, responses or selection reports
    ///
    /// Files, globs, directories (with -r), or - for standard input.
    #[arg(value_name = "SUBJECT", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) subjects: Vec<OsString>,

    /// Search directories recursively
    ///
    /// Reads only files with a known extension, such as .json, .jsonl and .txt.
    #[arg(short, long)]
    pub(crate) recursive: bool,

    /// Encoding of subjects; `auto` goes by the file extension, then by the content
    #[arg(long, value_name = "FORMAT", default_value = "auto", hide_short_help = true, help_heading = READING)]
    pub(crate) input: InputName,

    /// Trace format of recorded runs, or `auto` (`probative explain` lists them)
    #[arg(long, value_name = "FORMAT", default_value = "auto", value_parser = trace_format, hide_possible_values = true)]
    #[arg(hide_short_help = true, help_heading = READING)]
    pub(crate) trace_format: TraceFormatName,

    /// Where a trace doesn't record tool errors, treat a call as failed if its result matches REGEX
    #[arg(long, value_name = "REGEX", value_parser = pattern, hide_short_help = true, help_heading = READING)]
    pub(crate) tool_error: Option<Arc<Pattern>>,
}

impl SubjectArguments {
    /// How the subjects are read; `traces` is how it is to be where the format of traces is not told.
    pub(crate) fn how(&self, traces: Traces) -> How<'_> {
        let traces = match self.trace_format {
            TraceFormatName::Is(format) if traces != Traces::Never => Traces::In(format),
            _ => traces,
        };
        How { input: self.input.into(), traces, tool_error: self.tool_error.as_deref() }
    }
}

/// The format of a trace, or that it is to be found out.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TraceFormatName {
    Auto,
    Is(TraceFormat),
}

fn trace_format(name: &str) -> Result<TraceFormatName, String> {
    if name == "auto" {
        return Ok(TraceFormatName::Auto);
    }
    let found = TraceFormat::ALL.iter().find(|format| format.name() == name);
    found.map(|format| TraceFormatName::Is(*format)).ok_or_else(|| {
        let names: Vec<&str> = TraceFormat::ALL.iter().map(|format| format.name()).collect();
        format!("unknown trace format; expected one of auto, {}", names.join(", "))
    })
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probative convert session.jsonl > run.json
  probative convert log.eval --to native > runs.jsonl

Lists on standard error what the trace doesn't record.")]
#[command(mut_arg("subjects", |subjects| {
    subjects.help(RUNS).long_help(format!("{RUNS}\n\nFiles, globs, directories (with -r), or - for standard input."))
}))]
pub(crate) struct ConvertArguments {
    #[command(flatten)]
    pub(crate) named: SubjectArguments,

    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "native", hide_short_help = true)]
    pub(crate) to: TargetName,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum TargetName {
    Native,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probative show run.json
  probative show 'runs/*.jsonl' --brief
  probative show run.json --full
  probative show report.json --budget 4096")]
pub(crate) struct ShowArguments {
    #[command(flatten)]
    pub(crate) named: SubjectArguments,

    /// Show only the first and last steps or items
    ///
    /// Applies to subjects with more than 20.
    #[arg(short, long)]
    pub(crate) brief: bool,

    /// Show arguments, results and text in full
    ///
    /// By default, each is cut after 100 characters.
    #[arg(long, conflicts_with = "brief")]
    pub(crate) full: bool,

    /// Token budget of a selection
    ///
    /// Shows how much of the budget the included items use.
    #[arg(long, value_name = "TOKENS")]
    pub(crate) budget: Option<u64>,
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
