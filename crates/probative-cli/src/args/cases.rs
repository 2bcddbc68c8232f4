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

// What is asked for rarely stands under these, in the long help alone.
const CHOICE: &str = "Choosing cases";
const RUNNING: &str = "Running cases";
const AGENTS: &str = "Agents";

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

    /// What makes the run fail: a case that does not pass, or only one that did not fail in the baseline
    #[arg(long, value_name = "WHAT", default_value = "failure", hide_short_help = true, help_heading = RESULTS)]
    pub(crate) fail_on: FailOnName,

    /// With --fail-on regression, let cases fail that the baseline does not know or that were skipped in it
    #[arg(long, hide_short_help = true, help_heading = RESULTS)]
    pub(crate) allow_new_failures: bool,
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

    /// Report tests of suites that have no recorded response in a directory, ID.json or ID.STEP.json
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
