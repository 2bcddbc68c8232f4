//! Why a file gives no runs.

use std::fmt;

use super::TraceFormat;
use crate::value::Malformed;
use crate::value::tree::TOO_HEAVY;

/// How many of the formats that a file resembles are named.
const MOST_NAMED: usize = 3;

/// Why a file gives no runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoRuns {
    /// None of the records that were asked fits a known format.
    Unknown {
        /// How many were asked.
        asked: usize,
    },
    /// A record is recognizable as one of a format that isn't detected.
    Unsupported {
        /// What it looks like: `a Cursor stream-json session`.
        looks_like: &'static str,
        /// The format that reads it when it is named; `None` if there is no reader for it.
        read_as: Option<TraceFormat>,
    },
    /// No format fits nearly all of the records.
    TooFew {
        /// How many records were asked.
        asked: usize,
        /// How many of them fit no format.
        unknown: usize,
        /// The formats that some of them fit, each with how many do, most first.
        resembles: Vec<(TraceFormat, usize)>,
    },
    /// Most records don't fit the format that was asked for.
    Misfits {
        /// The format.
        format: TraceFormat,
        /// How many records don't fit it.
        misfits: usize,
        /// How many there are.
        records: usize,
    },
    /// Its records fit several formats alike.
    Ambiguous(Vec<TraceFormat>),
    /// It is in one format, and some of its records in another.
    Mixed {
        /// That of most records, or the one that was asked for.
        format: TraceFormat,
        /// That of the first of the others.
        other: TraceFormat,
        /// How many are not in the first.
        records: usize,
    },
    /// It has no run in its format.
    Empty(String),
    /// It is not JSON.
    Malformed(Malformed),
    /// The records of one run are more than can be held.
    TooHeavy,
}

impl NoRuns {
    /// What to do about it, as far as `--trace-format` helps.
    fn next_step(&self) -> Option<String> {
        match self {
            NoRuns::Unsupported { read_as: Some(format), .. } => {
                Some(format!("--trace-format {format} reads it"))
            }
            NoRuns::Unsupported { read_as: None, .. } => {
                Some("--trace-format NAME reads it as another format".to_owned())
            }
            NoRuns::Unknown { .. } | NoRuns::TooFew { .. } | NoRuns::Ambiguous(_) => {
                Some("name the format with --trace-format NAME".to_owned())
            }
            NoRuns::Misfits { .. } | NoRuns::Mixed { .. } => {
                Some("--trace-format NAME names another format".to_owned())
            }
            NoRuns::Empty(_) | NoRuns::Malformed(_) | NoRuns::TooHeavy => None,
        }
    }

    /// The cause alone, for those who can't name a format.
    pub fn cause(&self) -> String {
        match self {
            NoRuns::Unknown { asked: 1 } => "fits no known trace format".to_owned(),
            NoRuns::Unknown { asked } => format!("none of {asked} records fits a known trace format"),
            NoRuns::Unsupported { looks_like, read_as: None } => {
                format!("this looks like {looks_like}, which isn't supported yet")
            }
            NoRuns::Unsupported { looks_like, .. } => format!("this looks like {looks_like}"),
            NoRuns::TooFew { asked, unknown, resembles } => {
                let misfits = match unknown {
                    0 => format!("no format fits nearly all of {asked} records"),
                    1 => format!("1 of {asked} records fits no known format"),
                    _ => format!("{unknown} of {asked} records fit no known format"),
                };
                let resemble = |(format, fitting): &(TraceFormat, usize)| match fitting {
                    1 => format!("1 resembles {format}"),
                    _ => format!("{fitting} resemble {format}"),
                };
                let resemble: Vec<String> = resembles.iter().take(MOST_NAMED).map(resemble).collect();
                format!("{misfits}; {}", resemble.join(", "))
            }
            NoRuns::Misfits { format, misfits, records } => {
                format!("read as {format}, but {misfits} of {records} records don't fit it")
            }
            NoRuns::Ambiguous(formats) => {
                let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
                let (last, others) = names.split_last().unwrap_or((&"", &[]));
                format!("can be read as {} or {last}", others.join(", "))
            }
            NoRuns::Mixed { format, other, records } => {
                let are =
                    if *records == 1 { "1 record is".to_owned() } else { format!("{records} records are") };
                format!("read as {format}, but {are} of another format, {other}")
            }
            NoRuns::Empty(why) => why.clone(),
            NoRuns::Malformed(malformed) => format!("not JSON: {}", malformed.message),
            NoRuns::TooHeavy => format!("its records hold {TOO_HEAVY}"),
        }
    }
}

/// The cause, and what to do about it.
impl fmt::Display for NoRuns {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.cause())?;
        self.next_step().map_or(Ok(()), |step| write!(formatter, "; {step}"))
    }
}
