//! Recorded traces to runs, one file per format. Here is the table of the formats, and how it is found out which one a file is in.

mod anthropic;
mod atif;
mod claude_code;
mod closest;
mod codex_exec;
mod codex_rollout;
mod detect;
mod file;
mod gemini;
mod inspect;
mod json;
mod langchain;
mod mcp;
pub mod native;
mod notes;
mod openai_agents;
mod openai_chat;
mod openai_responses;
mod otlp;
mod recorder;
mod refusal;
mod swe_agent;
mod unsupported;
mod vercel_ai;

use std::fmt;

use schemars::JsonSchema;

use crate::value::{Tree, Value};

use super::model::Trajectory;

pub use file::{Hand, Layout, TraceFile, parse_record, probe, read_record, read_trace};
pub use notes::{Note, NoteKind, Notes};
pub use refusal::{Closest, NoRuns, not_json};

use detect::{Claim, MISFITS_IN, VOTERS};

/// A run that was read from a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Which of the runs in its file it is.
    pub id: RunId,
    /// The run.
    pub trajectory: Trajectory<'static>,
    /// What its trace held that could not be used.
    pub notes: Notes,
    totals: TotalsSource,
}

/// Source of a run's totals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TotalsSource {
    /// The trace records them.
    Recorded,
    /// They are sums over its records.
    Summed,
}

impl Recorded {
    /// Notes something that its trace holds twice, of which the last counts.
    pub fn note_repeated(&mut self, what: &str) {
        self.notes.add(NoteKind::Repeated, || what.to_owned());
    }

    /// Marks steps as unknown: part of the trace was not understood, and may have been an error that ended the run.
    fn lose_steps(&mut self) {
        let Trajectory { unknown, error, total_tokens, llm_calls, .. } = &mut self.trajectory;
        unknown.steps = true;
        unknown.error |= error.is_none();
        if self.totals == TotalsSource::Summed {
            (*total_tokens, *llm_calls) = (None, None);
        }
    }

    /// Marks the answer and the totals as unknown: the end of the trace was not understood, and may have held others.
    fn lose_end(&mut self) {
        let Trajectory {
            unknown, final_output, total_tokens, total_cost, duration_seconds, llm_calls, ..
        } = &mut self.trajectory;
        unknown.final_output = true;
        *final_output = None;
        (*total_tokens, *total_cost, *duration_seconds, *llm_calls) = (None, None, None, None);
    }
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

impl RunId {
    /// Something about a record of the file, after its place: `line 4: …`.
    fn located(&self, what: &str) -> String {
        match self {
            RunId::Whole | RunId::Named(_) => what.to_owned(),
            RunId::Item(number) => format!("record {number}: {what}"),
            RunId::Line(number) => format!("line {number}: {what}"),
        }
    }
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
    /// once. A record that is not of the format is given back as a reason: `no 'role'`.
    fn record(&mut self, record: Value, id: RunId, done: &mut Vec<Recorded>) -> Result<(), String>;

    /// Ends the file, and hands over the runs that its records are parts of.
    fn finish(self: Box<Self>, done: &mut Vec<Recorded>);
}

/// The trace formats, each with its name, how a record of it is known, and its reader.
macro_rules! formats {
    ($($(#[$doc:meta])* $format:ident = $name:literal, $claim:path, $reader:expr;)*) => {
        /// A format in which runs are recorded.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema)]
        #[schemars(rename_all = "kebab-case")]
        pub enum TraceFormat {
            /// The native format.
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
    /// `OpenAI` chat completions and compatible services: messages, responses, streams.
    OpenaiChat = "openai-chat", openai_chat::claim, openai_chat::Chat::default();
    /// The Anthropic Messages API: messages, responses, streams.
    Anthropic = "anthropic", anthropic::claim, anthropic::Messages::default();
    /// Claude Code: streams, session files, files of sub-agents.
    ClaudeCode = "claude-code", claude_code::claim, claude_code::ClaudeCode::default();
    /// Codex CLI: session files.
    CodexRollout = "codex-rollout", codex_rollout::claim, codex_rollout::Rollout::default();
    /// Codex CLI: `codex exec --json`.
    CodexExec = "codex-exec", codex_exec::claim, codex_exec::Exec::default();
    /// The Agent Trajectory Interchange Format.
    Atif = "atif", atif::claim, atif::Atif;
    /// The `OpenAI` Responses API: responses, items, streams.
    OpenaiResponses = "openai-responses", openai_responses::claim, openai_responses::Responses::default();
    /// The `OpenAI` Agents SDK: trace exports, run items, run states.
    OpenaiAgents = "openai-agents", openai_agents::claim, openai_agents::Agents::default();
    /// `LangChain` and `LangGraph`: messages, states, streams of graphs.
    Langchain = "langchain", langchain::claim, langchain::Messages::default();
    /// OpenTelemetry: spans with `GenAI` or `OpenInference` attributes.
    Otlp = "otlp", otlp::claim, otlp::Spans::default();
    /// Inspect logs.
    Inspect = "inspect", inspect::claim, inspect::Inspect;
    /// The Gemini API: contents, responses, streams; sessions and streams of Gemini CLI.
    Gemini = "gemini", gemini::claim, gemini::Records::default();
    /// Model Context Protocol transcripts.
    Mcp = "mcp", mcp::claim, mcp::Mcp::default();
    /// The Vercel AI SDK: UI messages, model messages, steps.
    VercelAi = "vercel-ai", vercel_ai::claim, vercel_ai::Records::default();
    /// SWE-agent trajectories.
    SweAgent = "swe-agent", swe_agent::claim, swe_agent::SweAgent::default();
}

impl fmt::Display for TraceFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// What reading a file gives, in the order of the file.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// A run.
    Run(Box<Recorded>),
    /// A line or item that should be a run, like the others, and is none.
    NoRun {
        /// Which one.
        id: RunId,
        /// Why, in a few words.
        why: String,
    },
}

impl Given {
    /// The run, where it is one.
    pub fn run(self) -> Option<Recorded> {
        match self {
            Given::Run(run) => Some(*run),
            Given::NoRun { .. } => None,
        }
    }
}

/// A record that could not be used.
#[derive(Debug, Clone)]
struct Stray {
    id: RunId,
    kind: NoteKind,
    why: String,
}

/// Where it stands, and why it could not be used.
impl fmt::Display for Stray {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.id, self.kind) {
            (RunId::Line(number), NoteKind::Truncated) => write!(formatter, "line {number}"),
            (id, _) => formatter.write_str(&id.located(&self.why)),
        }
    }
}

/// A record, as it was read from a file.
#[derive(Debug, Clone)]
pub struct Record {
    /// Its JSON.
    pub value: Value,
    /// Where it gives a key twice, if it does: the first such place.
    pub repeated_key: Option<String>,
}

impl From<Tree> for Record {
    fn from(Tree { value, repeated_keys, .. }: Tree) -> Record {
        Record { value, repeated_key: repeated_keys.into_iter().next() }
    }
}

/// The reading of one file, record by record.
struct Reading {
    format: TraceFormat,
    /// The format was detected, and not asked for.
    is_detected: bool,
    reader: Box<dyn Reader>,
    /// How many records there were, how many of them don't fit, and how many of those are of another format, with the first
    /// such format.
    records: usize,
    misfits: usize,
    foreign: usize,
    other: Option<TraceFormat>,
    done: Vec<Recorded>,
    /// What could not be used, as long as it is not known whether each record is a run; then, what belongs to the last run.
    strays: Vec<Stray>,
    /// Whether each record is a run, so that one which is none is an error; `None` until there is a run.
    each_is_run: Option<bool>,
    /// How many strays there are for which there was no room.
    more: usize,
    /// True if nothing was understood since the last stray that loses steps.
    ends_in_stray: bool,
    /// Keys that records of the last run give twice.
    repeated_keys: Notes,
    /// The last run, which is held back for what may yet be met in its file.
    last: Option<Recorded>,
}

/// The first format that a record speaks for.
fn other_format(record: &Value) -> Option<TraceFormat> {
    let speaks_for = |format: &&TraceFormat| {
        let claim = format.claim(record);
        claim.weight > 0 && !claim.is_common
    };
    TraceFormat::ALL.iter().find(speaks_for).copied()
}

/// So many strays are kept apart.
const STRAYS_KEPT: usize = 1000;

impl Reading {
    /// The reading of a file in a format.
    fn new(format: TraceFormat) -> Reading {
        let (done, strays) = (Vec::new(), Vec::new());
        let reader = format.reader();
        let (records, misfits, foreign, other) = (0, 0, 0, None);
        Reading {
            format,
            is_detected: false,
            reader,
            records,
            misfits,
            foreign,
            other,
            done,
            strays,
            each_is_run: None,
            more: 0,
            ends_in_stray: false,
            repeated_keys: Notes::default(),
            last: None,
        }
    }

    /// Takes the next record. `id` is that of the run which the record is, where it is a whole one.
    fn record(&mut self, Record { value, repeated_key }: Record, id: RunId, hand: Hand<'_>) {
        let place = id.clone();
        self.records += 1;
        let fits = self.format.claim(&value).weight > 0;
        let other = if fits { None } else { other_format(&value) };
        let mut read = self.reader.record(value, id, &mut self.done);
        let is_read_whole =
            |run: &Recorded| run.id == place && place != RunId::Whole && !run.trajectory.unknown.steps;
        if !fits && self.is_detected && self.done.last().is_some_and(is_read_whole) {
            // Readers take more than what is surely of their format, for files whose format was named.
            self.done.pop();
            read = Err(file::unlike(self.format));
        }
        if let Some(key) = repeated_key {
            let notes = match self.done.last_mut() {
                Some(run) => &mut run.notes,
                None => &mut self.repeated_keys,
            };
            notes.add_repeated_key(&place, &key);
        }
        if let Err(why) = read {
            self.misfits += 1;
            if let Some(other) = other {
                self.foreign += 1;
                self.other.get_or_insert(other);
            }
            self.stray(Stray { id: place, kind: NoteKind::StrayRecord, why }, hand);
        } else {
            self.ends_in_stray = false;
        }
        self.pass_on(hand);
    }

    /// Why the file isn't in this format after all: too many of its records are of another one, or of none.
    fn refusal(&self) -> Option<NoRuns> {
        let Reading { format, records, misfits, foreign, .. } = *self;
        if self.each_is_run == Some(true) {
            return None;
        }
        match self.other.filter(|_| foreign * MISFITS_IN >= records) {
            Some(other) => Some(NoRuns::Mixed { format, other, records: foreign }),
            None => (misfits < records && misfits * 2 > records).then(|| NoRuns::Misfits {
                format,
                misfits,
                records,
                first: self.strays.first().map(Stray::to_string).unwrap_or_default(),
            }),
        }
    }

    /// That the records speak for another format than the one that they are read in, so that much of them may be lost.
    fn looks_like(&mut self, format: TraceFormat, hand: Hand<'_>) {
        if self.each_is_run != Some(true) {
            let (kind, why) = (NoteKind::OtherFormat, format.to_string());
            self.stray(Stray { id: RunId::Whole, kind, why }, hand);
        }
    }

    /// Passes over something that cannot be used.
    fn stray(&mut self, stray: Stray, hand: Hand<'_>) {
        self.ends_in_stray |= matches!(stray.kind, NoteKind::StrayRecord | NoteKind::Truncated);
        if self.each_is_run == Some(true) {
            self.last.take().into_iter().for_each(|run| hand(Given::Run(Box::new(run))));
            hand(Given::NoRun { id: stray.id, why: stray.why });
        } else if self.strays.len() < STRAYS_KEPT {
            self.strays.push(stray);
        } else {
            self.more += 1;
        }
    }

    /// Ends the file, and hands over what is left. Answers with what was met where there is no run that it belongs to.
    fn finish(mut self, hand: Hand<'_>) -> Option<Notes> {
        let mut left = Vec::new();
        std::mem::replace(&mut self.reader, Box::new(native::Whole)).finish(&mut left);
        let is_lossy = self.strays.iter().any(|stray| stray.kind.loses_steps());
        if is_lossy {
            // The record may have been part of any of them.
            left.iter_mut().for_each(Recorded::lose_steps);
        }
        self.done.extend(left);
        self.pass_on(hand);
        let notes = self.notes();
        let Some(mut last) = self.last else { return Some(notes) };
        // Notes with a place come first: they say where to look.
        let of_run = std::mem::replace(&mut last.notes, notes);
        last.notes.take(of_run);
        last.notes.take(self.repeated_keys);
        if is_lossy {
            last.lose_steps();
        }
        if self.ends_in_stray && self.each_is_run != Some(true) {
            last.lose_end();
        }
        hand(Given::Run(Box::new(last)));
        None
    }

    fn pass_on(&mut self, hand: Hand<'_>) {
        for run in std::mem::take(&mut self.done) {
            let is_whole = matches!(run.id, RunId::Line(_) | RunId::Item(_));
            if self.each_is_run.is_none() {
                self.each_is_run = Some(is_whole);
                if is_whole {
                    for Stray { id, why, .. } in std::mem::take(&mut self.strays) {
                        hand(Given::NoRun { id, why });
                    }
                }
            }
            if let Some(before) = self.last.replace(run) {
                hand(Given::Run(Box::new(before)));
            }
        }
    }

    /// What could not be used, as notes.
    fn notes(&mut self) -> Notes {
        let mut notes = Notes::default();
        for stray in std::mem::take(&mut self.strays) {
            notes.add(stray.kind, || stray.to_string());
        }
        notes.add_many(NoteKind::StrayRecord, self.more);
        notes
    }
}
