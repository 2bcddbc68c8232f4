//! Recorded traces to runs, one file per format. Here is the table of the formats, and how it is found out which one a file is in.

mod file;
mod json;
pub mod native;
mod notes;
mod openai_chat;
mod recorder;

use std::fmt;

use crate::value::Value;

use super::model::Trajectory;

pub use file::{Hand, Layout, NoRuns, TraceFile, read_trace};
pub use notes::{Note, NoteKind, Notes};

/// A run that was read from a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Which of the runs in its file it is.
    pub id: RunId,
    /// The run.
    pub trajectory: Trajectory<'static>,
    /// What its trace held that could not be used.
    pub notes: Notes,
}

/// Which of the runs in a file one is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunId {
    /// The only one.
    Whole,
    /// One of a list, counted from 1.
    Item(usize),
    /// That of a line, counted from 1.
    Line(usize),
    /// The one with an id of its own.
    Named(String),
}

/// What is added to the name of the file: nothing, `#2`, `:17`, `#<id>`.
impl fmt::Display for RunId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunId::Whole => Ok(()),
            RunId::Item(number) => write!(formatter, "#{number}"),
            RunId::Line(number) => write!(formatter, ":{number}"),
            RunId::Named(name) => write!(formatter, "#{name}"),
        }
    }
}

/// Reads the records of one format, in their order.
///
/// A file is a sequence of records: one JSON document, the items of a JSON list, or the documents of its lines or events.
trait Reader: Send {
    /// Takes a record. `id` is that of the run which the record is, where it is a whole one; such runs are handed over at
    /// once. A record that is not of the format is given back as a reason: `no message`.
    fn record(&mut self, record: Value, id: RunId, done: &mut Vec<Recorded>) -> Result<(), String>;

    /// Ends the file, and hands over the runs that its records are parts of.
    fn finish(self: Box<Self>, done: &mut Vec<Recorded>);
}

/// How likely it is that a record is of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Claim {
    /// How many marks of the format it has; 0 is none.
    weight: usize,
    /// Whether it is a run by itself, and not a part of one.
    is_run: bool,
}

impl Claim {
    /// A record that is not of the format.
    const NO: Claim = Claim { weight: 0, is_run: false };
    /// A record that is part of a run.
    const PART: Claim = Claim { weight: 1, is_run: false };
    /// A record that says what it is, and is a whole run.
    const RUN: Claim = Claim { weight: 100, is_run: true };

    /// A part of a run, if it has the marks.
    fn part(has_marks: bool) -> Claim {
        if has_marks { Claim::PART } else { Claim::NO }
    }

    /// A whole run, if it has the marks.
    fn run(has_marks: bool) -> Claim {
        if has_marks { Claim::RUN } else { Claim::NO }
    }

    /// That of a list which is a run if most of its items are parts of one.
    fn of_list(items: &[Value], claim: impl Fn(&Value) -> Claim) -> Claim {
        let weight = items.iter().take(VOTERS).map(|item| claim(item).weight.min(1)).sum::<usize>();
        if weight * 2 > items.len().min(VOTERS) { Claim { weight, is_run: true } } else { Claim::NO }
    }
}

/// How many records are asked which format they are in.
const VOTERS: usize = 512;

/// The trace formats, each with its name, how a record of it is known, and its reader.
macro_rules! formats {
    ($($(#[$doc:meta])* $format:ident = $name:literal, $claim:path, $reader:expr;)*) => {
        /// A format in which runs are recorded.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum TraceFormat {
            /// The model itself, as JSON.
            Native,
            $($(#[$doc])* $format,)*
        }

        impl TraceFormat {
            /// All of them.
            pub const ALL: &'static [TraceFormat] = &[TraceFormat::Native, $(TraceFormat::$format),*];

            /// Its name, as `--trace-format` takes it.
            pub fn name(self) -> &'static str {
                match self {
                    TraceFormat::Native => "native",
                    $(TraceFormat::$format => $name,)*
                }
            }

            fn claim(self, record: &Value) -> Claim {
                match self {
                    TraceFormat::Native => native::claim(record),
                    $(TraceFormat::$format => $claim(record),)*
                }
            }

            fn reader(self) -> Box<dyn Reader> {
                match self {
                    TraceFormat::Native => Box::new(native::Whole),
                    $(TraceFormat::$format => Box::new($reader),)*
                }
            }
        }
    };
}

formats! {
    /// OpenAI chat completions: messages, responses, streams.
    OpenaiChat = "openai-chat", openai_chat::claim, openai_chat::Chat::default();
}

impl fmt::Display for TraceFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Counts for which format the records of a file speak.
#[derive(Debug, Clone, Default)]
struct Vote {
    /// For each format, in the order of the table.
    weights: Vec<usize>,
    /// How many records were asked.
    asked: usize,
}

/// That a file's format could not be found out, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Undecided(String);

impl Vote {
    /// Asks a record.
    fn ask(&mut self, record: &Value) {
        self.asked += 1;
        self.weights.resize(TraceFormat::ALL.len(), 0);
        for (weight, format) in self.weights.iter_mut().zip(TraceFormat::ALL) {
            *weight += format.claim(record).weight;
        }
    }

    /// The format that most records speak for.
    fn winner(&self) -> Result<TraceFormat, Undecided> {
        let most = self.weights.iter().copied().max().unwrap_or_default();
        let all = self.weights.iter().zip(TraceFormat::ALL);
        let mut best = all.filter(|(weight, _)| **weight == most).map(|(_, format)| *format);
        match (most, best.next(), best.next()) {
            (0, ..) | (_, None, _) => Err(Undecided(format!(
                "in no trace format that is known (of its records {} asked); --trace-format names one",
                match self.asked {
                    1 => "1 was".to_owned(),
                    asked => format!("{asked} were"),
                }
            ))),
            (_, Some(format), None) => Ok(format),
            (_, Some(one), Some(other)) => {
                let names: Vec<&str> = [one, other].into_iter().chain(best).map(TraceFormat::name).collect();
                Err(Undecided(format!("as likely {}; --trace-format decides", names.join(" as "))))
            }
        }
    }
}

/// The reading of one file, record by record.
struct Reading {
    reader: Box<dyn Reader>,
    done: Vec<Recorded>,
    /// What was met since the last run was handed over.
    notes: Notes,
    /// The last run, which is held back for what may yet be met in its file.
    last: Option<Recorded>,
    /// Whether a run was handed over.
    any: bool,
}

impl Reading {
    /// The reading of a file in a format.
    fn new(format: TraceFormat) -> Reading {
        Reading { reader: format.reader(), done: Vec::new(), notes: Notes::default(), last: None, any: false }
    }

    /// Takes the next record. `id` is that of the run which the record is, where it is a whole one.
    fn record(&mut self, record: Value, id: RunId, hand: Hand<'_>) {
        let place = id.clone();
        if let Err(why) = self.reader.record(record, id, &mut self.done) {
            self.notes.add(NoteKind::StrayRecord, || match place {
                RunId::Whole | RunId::Named(_) => why,
                RunId::Item(number) => format!("record {number}: {why}"),
                RunId::Line(number) => format!("line {number}: {why}"),
            });
        }
        self.pass_on(hand);
    }

    /// Passes over a line that is not JSON.
    fn stray(&mut self, line: usize, why: &str) {
        self.notes.add(NoteKind::StrayRecord, || format!("line {line}: {why}"));
    }

    /// That the last line breaks off.
    fn truncated(&mut self, line: usize) {
        self.notes.add(NoteKind::Truncated, || format!("line {line}"));
    }

    /// Ends the file, and hands over what is left. Answers with what was met and belongs to no run.
    fn finish(mut self, hand: Hand<'_>) -> Notes {
        self.reader.finish(&mut self.done);
        for run in self.done.drain(..) {
            if let Some(before) = self.last.replace(run) {
                hand(before);
            }
        }
        match self.last {
            None => self.notes,
            Some(mut last) => {
                last.notes.take(self.notes);
                hand(last);
                Notes::default()
            }
        }
    }

    fn pass_on(&mut self, hand: Hand<'_>) {
        for mut run in self.done.drain(..) {
            run.notes.take(std::mem::take(&mut self.notes));
            if let Some(before) = self.last.replace(run) {
                self.any = true;
                hand(before);
            }
        }
    }
}
