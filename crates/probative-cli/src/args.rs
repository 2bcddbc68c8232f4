//! What can be said on the command line.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use probative::baseline::FailOn;
use probative::report::Format;
use probative::spec::Format as SpecFormat;
use probative::trajectory::readers::TraceFormat;
use probative::trials::MOST_TRIALS;
use probative::value::{Moment, Pattern};
use probative_run::subjects::{How, Input};
use probative_run::{Filter, Shard, Traces};

// What is asked for rarely stands under these, in the long help alone.
const CHOICE: &str = "Choosing cases";
const RUNNING: &str = "Running cases";
const AGENTS: &str = "Agents";
const RESULTS: &str = "Results";
const READING: &str = "Reading subjects";

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

/// How results are come by, and where they are told.
#[derive(Debug, Args)]
pub(crate) struct TellingArguments {
    /// How and where to tell it [default: human]
    #[arg(long, value_name = "FORMAT[=FILE]", default_value = "human", value_parser = report)]
    #[arg(hide_default_value = true, long_help = report_help())]
    pub(crate) report: Vec<Report>,

    /// How many at a time [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,

    /// Leave out how long things took, so that the same inputs give the same bytes
    #[arg(long, hide_short_help = true)]
    pub(crate) no_timings: bool,
}

impl TellingArguments {
    /// How many threads there are to be.
    pub(crate) fn threads(&self) -> usize {
        let all_cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
        self.jobs.map_or_else(all_cores, usize::from)
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probative run docs -r -j 8 --report json=results.json
  probative run api.spec.md --filter '/^API-0[12]/'")]
#[command(after_long_help = "\
Examples:
  probative run                          the *.spec.md documents of this directory
  probative run docs -r -j 8 --report json=results.json
  probative run api.spec.md --filter '/^API-0[12]/' --retries 2
  probative run --failed                 what did not pass last time
  probative run -r --watch               again and again, as files change
  probative run --baseline main.json --fail-on regression

Environment:
  PROBATIVE_JOBS=8           a default for --jobs, and so for every flag
  SPEC_RUNNER_ENTRYPOINT     the entrypoint of cli.run cases without one
  SPEC_RUNNER_SAFE_MODE=1    no hooks, and no entrypoint from the environment
  SPEC_RUNNER_ENV_ALLOWLIST  the variables that children see (K1,K2), beside PATH and what a case sets
  SPEC_RUNNER_ASSERT_HEALTH  ignore, warn or error")]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) cases: CaseArguments,

    #[command(flatten)]
    pub(crate) again: AgainArguments,

    /// Stop at the first case that does not pass
    #[arg(long)]
    pub(crate) fail_fast: bool,

    /// Try a case that does not pass so many times more; one that passes then is flaky
    #[arg(long, value_name = "N", default_value = "0", hide_short_help = true, help_heading = RUNNING)]
    pub(crate) retries: u32,

    #[command(flatten)]
    pub(crate) trial: TrialArguments,

    #[command(flatten)]
    pub(crate) suites: SuiteArguments,

    /// List the cases instead of running them
    ///
    /// Id, type and place, one a line.
    #[arg(long)]
    pub(crate) list: bool,

    /// Keep the directories that cases ran in
    #[arg(long, hide_short_help = true, help_heading = RUNNING)]
    pub(crate) keep_temp: bool,

    /// Append every result to a file as its case ends, one JSON object a line
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = RESULTS)]
    pub(crate) journal: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) baseline: BaselineArguments,
}

/// What is run once more.
#[derive(Debug, Args)]
pub(crate) struct AgainArguments {
    /// Only cases that did not pass last time
    #[arg(long)]
    pub(crate) failed: bool,

    /// Stay, and run again what a change affects
    ///
    /// Keys: a runs all, f what failed, q quits.
    #[arg(long, conflicts_with_all = ["list", "save_baseline"])]
    pub(crate) watch: bool,
}

/// What a run is compared with.
#[derive(Debug, Args)]
pub(crate) struct BaselineArguments {
    /// Tell what changed since a run that was saved
    ///
    /// What got worse, better, slower and costlier since the run that --save-baseline wrote FILE from.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,

    /// Keep how every case ended, for a later run's --baseline; the file may be the same
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = RESULTS)]
    pub(crate) save_baseline: Option<PathBuf>,

    /// What makes the run fail: a case that does not pass, or only one that passed in the baseline
    #[arg(long, value_name = "WHAT", default_value = "failure", hide_short_help = true, help_heading = RESULTS)]
    pub(crate) fail_on: FailOnName,
}

/// How often agents are run, and what is asked of the run as a whole.
#[derive(Debug, Args)]
pub(crate) struct TrialArguments {
    /// Run every case with an agent so many times
    ///
    /// The case says itself how many must pass, else all must.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_TRIALS))]
    pub(crate) trials: Option<u64>,

    /// Start no more agents once the costs that their runs record come to this
    #[arg(long, value_name = "COST", value_parser = cost, hide_short_help = true, help_heading = AGENTS)]
    pub(crate) max_cost: Option<f64>,

    /// Fail if an assertion had nothing to say no to in the whole run
    #[arg(long, hide_short_help = true, help_heading = RESULTS)]
    pub(crate) strict: bool,
}

/// Whom the tests of suites (*.tests.json) are about, and which of them.
#[derive(Debug, Args)]
pub(crate) struct SuiteArguments {
    /// The agent of probative.toml that suites are asked of, instead of the one that they name
    #[arg(long, value_name = "NAME", hide_short_help = true, help_heading = AGENTS)]
    pub(crate) agent: Option<String>,

    /// Ask no agent: suites are judged by the responses recorded in a directory, ID.json or ID.STEP.json
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "agent", value_hint = ValueHint::DirPath)]
    #[arg(hide_short_help = true, help_heading = AGENTS)]
    pub(crate) responses: Option<PathBuf>,

    /// Only tests of the suite with this key
    #[arg(long, value_name = "KEY", hide_short_help = true, help_heading = CHOICE)]
    pub(crate) suite: Option<String>,

    /// Only tests of suites with this priority
    #[arg(long, value_name = "WORD", hide_short_help = true, help_heading = CHOICE)]
    pub(crate) priority: Option<String>,

    /// A condition that is so: tests that are skipped if it is are left out; repeatable
    #[arg(long, value_name = "NAME", hide_short_help = true, help_heading = CHOICE)]
    pub(crate) condition: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probative lint
  probative lint docs --recursive --formats md,yaml")]
pub(crate) struct LintArguments {
    #[command(flatten)]
    pub(crate) from: SpecArguments,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probative conformance specs/conformance
  probative conformance specs/conformance --impl rust --out report.json")]
pub(crate) struct ConformanceArguments {
    #[command(flatten)]
    pub(crate) cases: CaseArguments,

    /// Whose expectations stand over the portable ones
    #[arg(long = "impl", value_name = "RUNTIME", default_value = "rust", hide_short_help = true)]
    pub(crate) runtime: String,

    /// Where to write how the cases ended
    ///
    /// As {version, results: [{id, status, category, message}]}.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Which cases, and how they are run and told.
#[derive(Debug, Args)]
pub(crate) struct CaseArguments {
    #[command(flatten)]
    pub(crate) from: SpecArguments,

    #[command(flatten)]
    pub(crate) chosen: ChoiceArguments,

    /// What time it is for assertions that depend on it (RFC 3339 or YYYY-MM-DD) [default: the clock]
    #[arg(long, value_name = "TIME", value_parser = moment, hide_short_help = true, help_heading = RUNNING)]
    pub(crate) now: Option<Moment>,

    #[command(flatten)]
    pub(crate) told: TellingArguments,
}

/// Where cases are looked for.
#[derive(Debug, Args)]
pub(crate) struct SpecArguments {
    /// Spec documents, suites, and directories with them
    ///
    /// In directories, documents are named *.spec.md and suites *.tests.json.
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) paths: Vec<PathBuf>,

    /// Look below directories, too
    #[arg(short, long)]
    pub(crate) recursive: bool,

    /// What documents in directories are written in: md, yaml, json, tests
    #[arg(long, value_name = "LIST", default_value = "md,tests", value_delimiter = ',', value_parser = format)]
    #[arg(hide_short_help = true, help_heading = CHOICE)]
    pub(crate) formats: Vec<SpecFormat>,
}

/// Which cases are run.
#[derive(Debug, Args)]
pub(crate) struct ChoiceArguments {
    /// Only the case with exactly this id; repeatable
    #[arg(long, value_name = "ID")]
    pub(crate) case: Vec<String>,

    /// Only cases whose id or title holds or matches it
    #[arg(long, value_name = "TEXT|/REGEX/", value_parser = Filter::parse)]
    pub(crate) filter: Option<Filter>,

    /// Only cases of this type
    #[arg(long = "type", value_name = "TYPE", hide_short_help = true, help_heading = CHOICE)]
    pub(crate) kind: Option<String>,

    /// Only the K-th of N parts, into which the ids are divided
    #[arg(long, value_name = "K/N", value_parser = Shard::parse, hide_short_help = true, help_heading = CHOICE)]
    pub(crate) shard: Option<Shard>,
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

    /// In which format runs are recorded; auto finds it out [possible values: auto, native, openai-chat, claude-code …: docs/traces.md]
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

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum FailOnName {
    Failure,
    Regression,
}

impl From<FailOnName> for FailOn {
    fn from(name: FailOnName) -> Self {
        match name {
            FailOnName::Failure => FailOn::Failure,
            FailOnName::Regression => FailOn::Regression,
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

fn cost(text: &str) -> Result<f64, String> {
    let cost = text.parse::<f64>().ok().filter(|cost| cost.is_finite() && *cost > 0.0);
    cost.ok_or_else(|| "expected a number above 0, such as 2.50".to_owned())
}

/// Names every format, as the table of formats has them.
fn report_help() -> String {
    let names = Format::ALL.map(Format::name).join(", ");
    format!(
        "How and where to tell it [default: human]\n\nAs {names}, to standard output or to a file; repeatable."
    )
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

fn format(name: &str) -> Result<SpecFormat, String> {
    let known = SpecFormat::ALL.into_iter().find(|format| format.name() == name);
    let names = SpecFormat::ALL.map(SpecFormat::name).join(", ");
    known.ok_or_else(|| format!("no format is called '{name}'; there are {names}"))
}

fn pattern(text: &str) -> Result<Arc<Pattern>, String> {
    Pattern::parse(text).map(Arc::new).map_err(|error| error.message)
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
