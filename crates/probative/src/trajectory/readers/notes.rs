//! What a trace held that could not be used, counted by kind.

use std::fmt;

use super::RunId;
use crate::value::excerpt::cut;

/// A kind of thing that could not be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoteKind {
    /// A result without a call.
    UnmatchedResult,
    /// A result that could belong to more than one call.
    AmbiguousResult,
    /// A call without a result.
    UnansweredCall,
    /// Arguments that are no JSON object.
    UndecodedArguments,
    /// A line or record that is not JSON, or not of the format.
    StrayRecord,
    /// The last line breaks off, or a stream before it says that it ended.
    Truncated,
    /// Something that was begun again: the first attempt is left out.
    Repeated,
    /// The records speak for another format than the one that was asked for.
    OtherFormat,
    /// An object gives a key twice; the last value counts.
    RepeatedKey,
    /// A sub-agent is named whose steps are not recorded.
    MissingSubAgent,
    /// A file that belongs to the trace could not be read.
    UnreadFile,
    /// A total is less than its parts.
    ContradictingTotal,
}

impl NoteKind {
    /// Its name in vectors and reports.
    pub fn name(self) -> &'static str {
        match self {
            NoteKind::UnmatchedResult => "unmatched_result",
            NoteKind::AmbiguousResult => "ambiguous_result",
            NoteKind::UnansweredCall => "unanswered_call",
            NoteKind::UndecodedArguments => "undecoded_arguments",
            NoteKind::StrayRecord => "stray_record",
            NoteKind::Truncated => "truncated",
            NoteKind::Repeated => "repeated",
            NoteKind::OtherFormat => "other_format",
            NoteKind::RepeatedKey => "repeated_key",
            NoteKind::MissingSubAgent => "missing_sub_agent",
            NoteKind::UnreadFile => "unread_file",
            NoteKind::ContradictingTotal => "contradicting_total",
        }
    }

    /// Returns true if steps of the run may be missing because of it, so that nothing can be said to have *not* happened.
    ///
    /// A result without a call counts: the call it answers was lost.
    pub fn loses_steps(self) -> bool {
        match self {
            NoteKind::UnmatchedResult
            | NoteKind::StrayRecord
            | NoteKind::Truncated
            | NoteKind::OtherFormat
            | NoteKind::MissingSubAgent
            | NoteKind::UnreadFile => true,
            NoteKind::AmbiguousResult
            | NoteKind::UnansweredCall
            | NoteKind::UndecodedArguments
            | NoteKind::Repeated
            | NoteKind::RepeatedKey
            | NoteKind::ContradictingTotal => false,
        }
    }

    /// Says that so many of it were met.
    fn described(self, count: usize) -> String {
        let (one, many) = match self {
            NoteKind::UnmatchedResult => ("a tool result matches no call", "# tool results match no call"),
            NoteKind::AmbiguousResult => (
                "a tool result could belong to several calls",
                "# tool results could belong to several calls",
            ),
            NoteKind::UnansweredCall => {
                ("a tool call has no recorded result", "# tool calls have no recorded result")
            }
            NoteKind::UndecodedArguments => (
                "the arguments of a tool call aren't a JSON object",
                "the arguments of # tool calls aren't JSON objects",
            ),
            NoteKind::StrayRecord => {
                ("part of the trace was not understood", "# parts of the trace were not understood")
            }
            NoteKind::Truncated => ("the trace is cut off", "the trace is cut off in # places"),
            NoteKind::Repeated => ("a repeated part was ignored", "# repeated parts were ignored"),
            NoteKind::OtherFormat => {
                ("the trace looks like another format", "the trace looks like # other formats")
            }
            NoteKind::RepeatedKey => (
                "a key appears twice; the last value is used",
                "# keys appear twice; the last value of each is used",
            ),
            NoteKind::MissingSubAgent => {
                ("a sub-agent's steps are not recorded", "the steps of # sub-agents are not recorded")
            }
            NoteKind::UnreadFile => {
                ("a file of the trace could not be read", "# files of the trace could not be read")
            }
            NoteKind::ContradictingTotal => {
                ("a total is less than the sum of its parts", "# totals are less than the sum of their parts")
            }
        };
        if count == 1 { one.to_owned() } else { many.replacen('#', &count.to_string(), 1) }
    }
}

/// One kind of thing that could not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What it is.
    pub kind: NoteKind,
    /// How often it was met.
    pub count: usize,
    /// The first of them, in a few words: `line 14: not JSON`.
    pub first: String,
}

/// `3 tool results match no call (first: 'call_9')`
impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Note { kind, count, first } = self;
        let which = if *count == 1 { "" } else { "first: " };
        write!(formatter, "{} ({which}{first})", kind.described(*count))
    }
}

/// All of them, by kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes(Vec<Note>);

impl Notes {
    /// Counts one more. Only the first of a kind is told.
    pub(super) fn add(&mut self, kind: NoteKind, what: impl FnOnce() -> String) {
        match self.0.iter_mut().find(|note| note.kind == kind) {
            Some(note) => note.count += 1,
            None => self.0.push(Note { kind, count: 1, first: cut(&what()).into_owned() }),
        }
    }

    /// Adds that a record gives a key twice. `id` says which record, `key` is the place of the key in it.
    pub(super) fn add_repeated_key(&mut self, id: &RunId, key: &str) {
        self.add(NoteKind::RepeatedKey, || id.located(&format!("'{key}'")));
    }

    /// Counts so many more of a kind that was counted already.
    pub(super) fn add_many(&mut self, kind: NoteKind, more: usize) {
        if let Some(note) = self.0.iter_mut().find(|note| note.kind == kind) {
            note.count += more;
        }
    }

    /// Takes those of another.
    pub(super) fn take(&mut self, others: Notes) {
        for other in others.0 {
            match self.0.iter_mut().find(|note| note.kind == other.kind) {
                Some(note) => note.count += other.count,
                None => self.0.push(other),
            }
        }
    }

    /// Returns true if steps of the run may be missing because of any of them.
    pub fn lose_steps(&self) -> bool {
        self.0.iter().any(|note| note.kind.loses_steps())
    }

    /// Each kind, in the order of the kinds.
    pub fn sorted(mut self) -> Vec<Note> {
        self.0.sort_by_key(|note| note.kind);
        self.0
    }
}
