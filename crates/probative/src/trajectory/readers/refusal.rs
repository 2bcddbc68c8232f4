//! Reasons for refusing a file.

use std::fmt;

use super::TraceFormat;
use crate::value::Malformed;
use crate::value::excerpt::cut;
use crate::value::tree::TOO_HEAVY;

/// How many of the formats that a file resembles are named.
const MOST_NAMED: usize = 3;

/// Reason for refusing a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoRuns {
    /// No line of the file is JSON.
    NotJson {
        /// What the first line is, with its number: `line 1 begins "INFO start"`.
        first: String,
    },
    /// None of the records that were asked fits a known format.
    Unknown {
        /// How many were asked.
        asked: usize,
        /// True if one of them has the key of a native run, `steps`, or one that is misspelt.
        has_steps: bool,
        /// What the first one is: `an object with 'id' and 'text'`.
        first: String,
        /// The part of the only record that is a trace, with its format.
        part: Option<(String, TraceFormat)>,
        /// The formats that come closest, closest first.
        closest: Vec<Closest>,
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
        /// The formats that some of them fit, each with how many do, most first.
        resembles: Vec<(TraceFormat, usize)>,
        /// Why these formats don't fit.
        closest: Vec<Closest>,
    },
    /// Most records don't fit the format that was asked for.
    Misfits {
        /// The format.
        format: TraceFormat,
        /// How many records don't fit it.
        misfits: usize,
        /// How many there are.
        records: usize,
        /// The first record that doesn't fit, and why: `line 3: no 'type'`.
        first: String,
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

/// A format that a file resembles, and why it was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closest {
    /// The format.
    pub format: TraceFormat,
    /// What doesn't fit: `message 3: no 'role'`.
    pub why: String,
}

/// `openai-chat (message 3: no 'role')`
impl fmt::Display for Closest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.format, self.why)
    }
}

impl NoRuns {
    /// What to do about it, as far as `--trace-format` helps.
    fn next_step(&self) -> Option<String> {
        match self {
            NoRuns::Unsupported { read_as: Some(format), .. } => {
                Some(format!("read it with --trace-format {format}"))
            }
            NoRuns::Unsupported { read_as: None, .. } => {
                Some("read it as another format with --trace-format NAME".to_owned())
            }
            NoRuns::Unknown { part: None, .. } | NoRuns::TooFew { .. } => Some(
                "force a format with --trace-format NAME (`probative explain traces` lists them)".to_owned(),
            ),
            NoRuns::Ambiguous(_) => Some("choose one with --trace-format NAME".to_owned()),
            NoRuns::Misfits { .. } => Some("try another --trace-format".to_owned()),
            NoRuns::Mixed { .. } => Some("force one with --trace-format NAME".to_owned()),
            NoRuns::Unknown { part: Some(_), .. }
            | NoRuns::NotJson { .. }
            | NoRuns::Empty(_)
            | NoRuns::Malformed(_)
            | NoRuns::TooHeavy => None,
        }
    }

    /// Returns true if naming a format could help.
    pub fn can_be_forced(&self) -> bool {
        self.next_step().is_some()
    }

    /// The cause alone, for those who can't name a format.
    pub fn cause(&self) -> String {
        const UNRECOGNIZED: &str = "unrecognized trace format";
        const NATIVE: &str = "native runs need 'steps'";
        match self {
            NoRuns::NotJson { first } => format!("not JSON: {first}"),
            NoRuns::Unknown { part: Some((part, format)), first, .. } => {
                format!("{UNRECOGNIZED} ({first}), but '{part}' is a trace ({format}); pass only that part")
            }
            NoRuns::Unknown { asked, first, closest, .. } if closest.is_empty() => {
                let records =
                    if *asked == 1 { String::new() } else { format!("{asked} records, the first ") };
                format!("{UNRECOGNIZED} ({records}{first}); {NATIVE}")
            }
            NoRuns::Unsupported { looks_like, read_as: None } => {
                format!("looks like {looks_like}, which isn't supported yet")
            }
            NoRuns::Unsupported { looks_like, .. } => format!("looks like {looks_like}"),
            NoRuns::TooFew { asked, resembles, closest } if closest.is_empty() => {
                let fits = |(format, fitting): &(TraceFormat, usize)| {
                    format!("{format} ({fitting} of {asked} records fit)")
                };
                let fitting: Vec<String> = resembles.iter().take(MOST_NAMED).map(fits).collect();
                format!("{UNRECOGNIZED}; closest: {}; {NATIVE}", fitting.join(", "))
            }
            NoRuns::Unknown { closest, .. } | NoRuns::TooFew { closest, .. } => {
                format!("{UNRECOGNIZED}; closest: {}; {NATIVE}", listed(closest))
            }
            NoRuns::Misfits { format, misfits, records, first } => {
                format!("read as {format}, but {misfits} of {records} records don't fit ({first})")
            }
            NoRuns::Ambiguous(formats) => {
                let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
                let (last, others) = names.split_last().unwrap_or((&"", &[]));
                format!("could be {} or {last}", others.join(", "))
            }
            NoRuns::Mixed { format, other, records } => {
                let look = if *records == 1 {
                    "1 record looks".to_owned()
                } else {
                    format!("{records} records look")
                };
                format!("read as {format}, but {look} like {other}")
            }
            NoRuns::Empty(why) => why.clone(),
            NoRuns::Malformed(malformed) => format!("not JSON: {}", malformed.message),
            NoRuns::TooHeavy => format!("too large: {TOO_HEAVY}"),
        }
    }
}

fn listed(closest: &[Closest]) -> String {
    closest.iter().take(MOST_NAMED).map(Closest::to_string).collect::<Vec<_>>().join(", ")
}

/// The cause, and what to do about it.
impl fmt::Display for NoRuns {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.cause())?;
        self.next_step().map_or(Ok(()), |step| write!(formatter, "; {step}"))
    }
}

/// Describes a line that isn't JSON, in a file in which none is: how it begins, or what is malformed in it if it tries to
/// be JSON.
///
/// ```
/// use probative::trajectory::readers::not_json;
///
/// assert_eq!(not_json(1, b"INFO start\n"), "line 1 begins \"INFO start\"");
/// assert_eq!(not_json(2, b"{'a': 1}"), "line 2: key must be a string");
/// ```
pub fn not_json(number: usize, line: &[u8]) -> String {
    /// How many characters of the line are shown.
    const SHOWN: usize = 60;
    let Ok(text) = std::str::from_utf8(line) else { return format!("line {number} isn't UTF-8") };
    let text = text.trim();
    match crate::value::Tree::read(text.as_bytes()) {
        Err(malformed) if text.starts_with(['{', '[', '"']) => {
            format!("line {number}: {}", malformed.message)
        }
        _ => {
            let end = text.char_indices().nth(SHOWN).map_or(text.len(), |(end, _)| end);
            let dots = if end < text.len() { "..." } else { "" };
            format!("line {number} begins \"{}{dots}\"", cut(&text[..end]))
        }
    }
}
