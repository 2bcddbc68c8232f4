//! What the commands take that are about recorded subjects.

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

// What is asked for rarely stands under this, in the long help alone.
const READING: &str = "Reading subjects";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probative check expect.yaml response.json
  probative check expect.json 'runs/*.jsonl' --report jsonl=verdicts.jsonl
  my-agent < input.json | probative check expect.yaml -")]
pub(crate) struct CheckArguments {
    /// What to ask of the subjects, in JSON or YAML
    ///
    /// An object of assertions (name: argument), a list of them, or a must/can/cannot tree.
    #[arg(value_name = "QUESTION")]
    pub(crate) question: PathBuf,

    #[command(flatten)]
    pub(crate) named: SubjectArguments,

    /// What time it is for assertions that depend on it (RFC 3339 or YYYY-MM-DD) [default: the clock]
    #[arg(long, value_name = "TIME", value_parser = moment, hide_short_help = true)]
    pub(crate) now: Option<Moment>,

    /// Fail if an assertion had nothing to say no to
    ///
    /// It passed then for lack of anything in any subject that it is about.
    #[arg(long)]
    pub(crate) strict: bool,

    #[command(flatten)]
    pub(crate) told: TellingArguments,
}

/// What is to be read, and how it is written.
#[derive(Debug, Args)]
pub(crate) struct SubjectArguments {
    /// Files, globs, directories (with -r), or - for standard input
    #[arg(value_name = "SUBJECT", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) subjects: Vec<OsString>,

    /// Take the files below directories
    ///
    /// Those that may be subjects, by their endings.
    #[arg(short, long)]
    pub(crate) recursive: bool,

    /// How subjects are written; auto goes by the file's ending, then by its beginning
    #[arg(long, value_name = "FORMAT", default_value = "auto", hide_short_help = true, help_heading = READING)]
    pub(crate) input: InputName,

    /// In which format runs are recorded; auto finds it out [possible values: auto, native, openai-chat, claude-code …: docs/reference/traces.md]
    #[arg(long, value_name = "FORMAT", default_value = "auto", value_parser = trace_format, hide_possible_values = true)]
    #[arg(hide_short_help = true, help_heading = READING)]
    pub(crate) trace_format: TraceFormatName,

    /// Take a tool call whose result matches for failed, and others not, where the trace does not tell which failed
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
        format!("no such format; there are auto, {}", names.join(", "))
    })
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probative convert session.jsonl > run.json
  probative convert log.eval --to native > runs.jsonl

What the trace could not say is told on standard error.")]
pub(crate) struct ConvertArguments {
    #[command(flatten)]
    pub(crate) named: SubjectArguments,

    /// What to write
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
  probative show report.json --budget 4096")]
pub(crate) struct ShowArguments {
    #[command(flatten)]
    pub(crate) named: SubjectArguments,

    /// Of many steps or items, show the first and the last
    ///
    /// Of more than 20.
    #[arg(short, long)]
    pub(crate) brief: bool,

    /// How many tokens there were for a selection
    ///
    /// To show how much of them it took.
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
