//! How results are produced, and where they are reported.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::Args;
use probative::report::{Format, Verbosity};

// Heading of options that only the long help shows.
pub(super) const RESULTS: &str = "Results";

/// How results are produced, and where they are reported.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct TellingArguments {
    /// Report format, and the file to write it to; repeatable [default: human]
    #[arg(long, value_name = "FORMAT[=FILE]", default_value = "human", value_parser = report)]
    #[arg(hide_default_value = true, help = REPORT_HELP, long_help = report_help())]
    pub(crate) report: Vec<Report>,

    /// Number of parallel jobs [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,

    /// Include the judged subjects in JSON and JSONL reports
    #[arg(long, hide_short_help = true)]
    pub(crate) with_subjects: bool,

    /// Omit durations, so that identical input gives identical reports
    #[arg(long, hide_short_help = true)]
    pub(crate) no_timings: bool,

    /// Print failures only
    ///
    /// Prints the results that did not pass and the summary, or nothing if the run succeeds.
    /// Also hides progress, notes and hints. Affects only the human report.
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Print every result with its duration
    ///
    /// Adds a line for each result that passed or was skipped, and prints all failures
    /// instead of the first 20. Affects only the human report.
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

impl TellingArguments {
    /// Returns the number of threads to use.
    pub(crate) fn threads(&self) -> usize {
        /// Asked for once: what a container may use stands in several files.
        static ALL_CORES: LazyLock<usize> =
            LazyLock::new(|| std::thread::available_parallelism().map_or(1, NonZero::get));
        self.jobs.map_or_else(|| *ALL_CORES, usize::from)
    }

    /// Returns how much the report for people says.
    pub(crate) fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        }
    }
}

/// A report that was asked for: its format, and its file unless it goes to standard output.
#[derive(Debug, Clone)]
pub(crate) struct Report {
    pub(crate) format: Format,
    pub(crate) file: Option<PathBuf>,
}

const REPORT_HELP: &str = "Report format and file [default: human]";

/// Names every format in the table of formats.
fn report_help() -> String {
    let names = Format::ALL.map(Format::name).join(", ");
    format!(
        "{REPORT_HELP}\n\nFormats: {names}. Without a file, the report goes to standard output. Repeatable."
    )
}

fn report(text: &str) -> Result<Report, String> {
    let (name, file) = match text.split_once('=') {
        Some((_, "")) => return Err("expected a file after '='".to_owned()),
        Some((name, "-")) => (name, None),
        Some((name, file)) => (name, Some(PathBuf::from(file))),
        None => (text, None),
    };
    let known = Format::ALL.into_iter().find(|format| format.name() == name);
    let names = || Format::ALL.map(Format::name).join(", ");
    let format =
        known.ok_or_else(|| format!("unknown report format '{name}'; expected one of {}", names()))?;
    Ok(Report { format, file })
}
