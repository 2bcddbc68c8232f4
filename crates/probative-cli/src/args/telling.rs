//! How results are come by, and where they are told.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::Args;
use probative::report::Format;

// What is asked for rarely stands under this, in the long help alone.
pub(super) const RESULTS: &str = "Results";

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
        /// Asked for once: what a container may use stands in several files.
        static ALL_CORES: LazyLock<usize> =
            LazyLock::new(|| std::thread::available_parallelism().map_or(1, NonZero::get));
        self.jobs.map_or_else(|| *ALL_CORES, usize::from)
    }
}

/// A report that was asked for: its format, and the file it goes to if not to standard output.
#[derive(Debug, Clone)]
pub(crate) struct Report {
    pub(crate) format: Format,
    pub(crate) file: Option<PathBuf>,
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
