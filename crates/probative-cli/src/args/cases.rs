//! What the commands take that are about cases.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use probative::baseline::FailOn;
use probative::spec::Format as SpecFormat;
use probative::trials::MOST_TRIALS;
use probative::value::Moment;
use probative_run::{Filter, Shard};

use super::TellingArguments;
use super::telling::RESULTS;
use super::values::{cost, format, moment};

// Headings of options that only the long help shows.
const CHOICE: &str = "Case selection";
const RUNNING: &str = "Execution";
const AGENTS: &str = "Agents";

#[derive(Debug, Args)]
#[command(after_help = "\
Example: probative run specs -r --report junit=junit.xml")]
#[command(after_long_help = "\
Examples:
  probative run                          paths from probative.toml, or .
  probative run specs -r -j 8 --report json=results.json
  probative run api.spec.md --filter '/^API-0[12]/' --retries 2
  probative run --failed                 only what did not pass last time
  probative run --watch                  rerun affected cases as files change
  probative run --baseline main.json --fail-on regression

Environment:
  PROBATIVE_JOBS=8           default for --jobs; most flags have a variable
  SPEC_RUNNER_ENTRYPOINT     entrypoint for cli.run cases without one
  SPEC_RUNNER_SAFE_MODE=1    fail cases with hooks, and ignore
                             SPEC_RUNNER_ENTRYPOINT
  SPEC_RUNNER_ENV_ALLOWLIST  variables that child processes inherit (K1,K2),
                             besides PATH and those that a case sets
  SPEC_RUNNER_ASSERT_HEALTH  default `assert_health`: ignore, warn or error")]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) cases: CaseArguments,

    #[command(flatten)]
    pub(crate) again: AgainArguments,

    /// Stop after the first case that does not pass
    #[arg(long)]
    pub(crate) fail_fast: bool,

    /// Rerun a case that does not pass, up to N times; one that then passes is flaky
    #[arg(long, value_name = "N", default_value = "0", hide_short_help = true, help_heading = RUNNING)]
    pub(crate) retries: u32,

    #[command(flatten)]
    pub(crate) trial: TrialArguments,

    #[command(flatten)]
    pub(crate) suites: SuiteArguments,

    /// List the selected cases without running them
    ///
    /// Prints the id, type and location of each case, one per line.
    #[arg(long)]
    pub(crate) list: bool,

    /// Keep the temporary directories of cases
    #[arg(long, hide_short_help = true, help_heading = RUNNING)]
    pub(crate) keep_temp: bool,

    /// Append each result to FILE when its case ends, one JSON object per line
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = RESULTS)]
    pub(crate) journal: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) baseline: BaselineArguments,
}

/// What is run once more.
#[derive(Debug, Args)]
pub(crate) struct AgainArguments {
    /// Rerun only the cases that did not pass last time
    #[arg(long)]
    pub(crate) failed: bool,

    /// Rerun affected cases whenever a file changes
    ///
    /// Press a to rerun all cases, f to rerun failed cases, q to quit.
    #[arg(long, conflicts_with_all = ["list", "save_baseline"])]
    pub(crate) watch: bool,
}

/// What a run is compared with.
#[derive(Debug, Args)]
pub(crate) struct BaselineArguments {
    /// Report what changed since the run saved in FILE
    ///
    /// Lists the cases that broke, were fixed, or became slower or more expensive since
    /// --save-baseline wrote FILE.
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = RESULTS)]
    pub(crate) baseline: Option<PathBuf>,

    /// Save the result of each case to FILE, which may be the one given to --baseline
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = RESULTS)]
    pub(crate) save_baseline: Option<PathBuf>,

    /// Fail the run on any failure, or only on a regression: a failure that is not in the baseline
    #[arg(long, value_name = "WHAT", default_value = "failure", hide_short_help = true, help_heading = RESULTS)]
    pub(crate) fail_on: FailOnName,

    /// With --fail-on regression, ignore failures of cases that are new or were skipped in the baseline
    #[arg(long, hide_short_help = true, help_heading = RESULTS)]
    pub(crate) allow_new_failures: bool,
}

/// How often agents are run, and what is asked of the run as a whole.
#[derive(Debug, Args)]
pub(crate) struct TrialArguments {
    /// Run each case that has an agent N times
    ///
    /// All trials must pass unless the case says otherwise (`trials.pass`).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_TRIALS))]
    pub(crate) trials: Option<u64>,

    /// Start no more agents once this run's recorded costs reach COST
    #[arg(long, value_name = "COST", value_parser = cost, hide_short_help = true, help_heading = AGENTS)]
    pub(crate) max_cost: Option<f64>,

    /// Fail if an assertion was never exercised, or a case asserts nothing
    #[arg(long, hide_short_help = true, help_heading = RESULTS)]
    pub(crate) strict: bool,
}

/// Whom the tests of suites (*.tests.json) are about, and which of them.
#[derive(Debug, Args)]
pub(crate) struct SuiteArguments {
    /// Run suites with this agent from probative.toml instead of the one they name
    #[arg(long, value_name = "NAME", hide_short_help = true, help_heading = AGENTS)]
    pub(crate) agent: Option<String>,

    /// Judge recorded responses (ID.json or ID.STEP.json) in DIRECTORY instead of running agents
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "agent", value_hint = ValueHint::DirPath)]
    #[arg(hide_short_help = true, help_heading = AGENTS)]
    pub(crate) responses: Option<PathBuf>,

    /// Run only the tests of the suite with this key
    #[arg(long, value_name = "KEY", hide_short_help = true, help_heading = CHOICE)]
    pub(crate) suite: Option<String>,

    /// Run only the tests of suites with this priority
    #[arg(long, value_name = "WORD", hide_short_help = true, help_heading = CHOICE)]
    pub(crate) priority: Option<String>,

    /// Skip suite tests whose `skip_if` names this condition; repeatable
    #[arg(long, value_name = "NAME", hide_short_help = true, help_heading = CHOICE)]
    pub(crate) condition: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probative lint
  probative lint specs --recursive --formats md,yaml")]
pub(crate) struct LintArguments {
    #[command(flatten)]
    pub(crate) from: SpecArguments,

    /// Report suite tests that have no recorded response (ID.json or ID.STEP.json) in DIRECTORY
    #[arg(long, value_name = "DIRECTORY", value_hint = ValueHint::DirPath, hide_short_help = true, help_heading = AGENTS)]
    pub(crate) responses: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probative conformance specs/conformance
  probative conformance specs/conformance --impl rust --out report.json")]
pub(crate) struct ConformanceArguments {
    #[command(flatten)]
    pub(crate) cases: CaseArguments,

    /// Use this runtime's expectations where a case has them, else the portable ones
    #[arg(long = "impl", value_name = "RUNTIME", default_value = "rust", hide_short_help = true)]
    pub(crate) runtime: String,

    /// Write the outcome of each case to FILE as JSON
    ///
    /// The format is {version, results: [{id, status, category, message}]}.
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

    /// Current time for date assertions, RFC 3339 or YYYY-MM-DD [default: the system time]
    #[arg(long, value_name = "TIME", value_parser = moment, hide_short_help = true, help_heading = RUNNING)]
    pub(crate) now: Option<Moment>,

    #[command(flatten)]
    pub(crate) told: TellingArguments,
}

/// Where cases are looked for.
#[derive(Debug, Args)]
pub(crate) struct SpecArguments {
    /// Spec files, suites, and directories to search
    ///
    /// In directories, spec files are named *.spec.md and suites *.tests.json.
    /// [default: `paths` in probative.toml, else the current directory]
    #[arg(value_name = "PATH", default_value = ".", hide_default_value = true)]
    pub(crate) paths: Vec<PathBuf>,

    /// Search directories recursively
    #[arg(short, long)]
    pub(crate) recursive: bool,

    /// Formats to look for in directories: md, yaml, json, tests
    #[arg(long, value_name = "LIST", default_value = "md,tests", value_delimiter = ',', value_parser = format)]
    #[arg(hide_short_help = true, help_heading = CHOICE)]
    pub(crate) formats: Vec<SpecFormat>,
}

/// Which cases are run.
#[derive(Debug, Args)]
pub(crate) struct ChoiceArguments {
    /// Run only the case with this id; repeatable
    #[arg(long, value_name = "ID")]
    pub(crate) case: Vec<String>,

    /// Run only cases whose id or title matches
    ///
    /// TEXT is a substring, /REGEX/ a regular expression; both match anywhere in the id or title.
    #[arg(long, value_name = "TEXT|/REGEX/", value_parser = Filter::parse)]
    pub(crate) filter: Option<Filter>,

    /// Run only cases of this type
    #[arg(long = "type", value_name = "TYPE", hide_short_help = true, help_heading = CHOICE)]
    pub(crate) kind: Option<String>,

    /// Run only shard K of N; cases are assigned to shards by id
    #[arg(long, value_name = "K/N", value_parser = Shard::parse, hide_short_help = true, help_heading = CHOICE)]
    pub(crate) shard: Option<Shard>,
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
