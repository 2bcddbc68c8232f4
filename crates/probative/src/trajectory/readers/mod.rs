//! Recorded traces to runs, one file per format. Here is the table of the formats, and how it is found out which one a file is in.

mod anthropic;
mod atif;
mod claude_code;
mod codex_exec;
mod codex_rollout;
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
mod swe_agent;
mod vercel_ai;

use std::fmt;

use schemars::JsonSchema;

use crate::value::Value;

use super::model::Trajectory;

pub use file::{Hand, Layout, NoRuns, TraceFile, parse_record, probe, read_record, read_trace};
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
    /// The trace says how the run ended, which otherwise is inferred from its last step.
    ending_is_recorded: bool,
    /// The totals are sums over the records of the trace, not recorded themselves.
    totals_are_sums: bool,
}

impl Recorded {
    /// Marks steps as unknown: part of the trace was not understood. An ending that was only inferred is unknown, too.
    fn lose_steps(&mut self) {
        let Trajectory { unknown, error, total_tokens, llm_calls, .. } = &mut self.trajectory;
        unknown.steps = true;
        if self.totals_are_sums {
            (*total_tokens, *llm_calls) = (None, None);
        }
        unknown.error |= error.is_none() && !self.ending_is_recorded;
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

/// How many votes one record has at most, however sure it is: a few of another format must not decide for many.
const MOST_VOTES: usize = 3;

/// How many records are asked which format they are in.
const VOTERS: usize = 512;

/// The trace formats, each with its name, how a record of it is known, and its reader.
macro_rules! formats {
    ($($(#[$doc:meta])* $format:ident = $name:literal, $claim:path, $reader:expr;)*) => {
        /// A format in which runs are recorded.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema)]
        #[schemars(rename_all = "kebab-case")]
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
    /// Chat completions of `OpenAI` and who speaks like it: messages, responses, streams.
    OpenaiChat = "openai-chat", openai_chat::claim, openai_chat::Chat::default();
    /// The Anthropic Messages API: messages, responses, streams.
    Anthropic = "anthropic", anthropic::claim, anthropic::Messages::default();
    /// Claude Code: streams, session files, files of sub-agents.
    ClaudeCode = "claude-code", claude_code::claim, claude_code::ClaudeCode::default();
    /// Codex CLI's session files.
    CodexRollout = "codex-rollout", codex_rollout::claim, codex_rollout::Rollout::default();
    /// `codex exec --json`.
    CodexExec = "codex-exec", codex_exec::claim, codex_exec::Exec::default();
    /// The Agent Trajectory Interchange Format.
    Atif = "atif", atif::claim, atif::Atif;
    /// The `OpenAI` Responses API: responses, items, streams.
    OpenaiResponses = "openai-responses", openai_responses::claim, openai_responses::Responses::default();
    /// The `OpenAI` Agents SDK: trace exports, run items, run states.
    OpenaiAgents = "openai-agents", openai_agents::claim, openai_agents::Agents::default();
    /// `LangChain` and `LangGraph`: messages, states, streams of graphs.
    Langchain = "langchain", langchain::claim, langchain::Messages::default();
    /// OpenTelemetry: spans by the `GenAI` conventions or `OpenInference`.
    Otlp = "otlp", otlp::claim, otlp::Spans::default();
    /// Inspect logs.
    Inspect = "inspect", inspect::claim, inspect::Inspect;
    /// The Gemini API: contents, responses, streams; sessions and streams of Gemini CLI.
    Gemini = "gemini", gemini::claim, gemini::Records::default();
    /// Transcripts of the Model Context Protocol.
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

/// Counts for which format the records of a file speak.
#[derive(Debug, Clone, Default)]
struct Vote {
    /// How much speaks for each format, in the order of the table.
    votes: Vec<usize>,
    /// How many records were asked.
    asked: usize,
}

impl Vote {
    /// Asks a record.
    fn ask(&mut self, record: &Value) {
        self.asked += 1;
        self.votes.resize(TraceFormat::ALL.len(), 0);
        let weights: Vec<usize> = TraceFormat::ALL.iter().map(|format| format.claim(record).weight).collect();
        let most = weights.iter().copied().max().unwrap_or_default();
        for (votes, weight) in self.votes.iter_mut().zip(weights) {
            *votes += if weight == most { weight.min(MOST_VOTES) } else { 0 };
        }
    }

    /// How much speaks for a format.
    fn votes_for(&self, format: TraceFormat) -> usize {
        let mut votes = TraceFormat::ALL.iter().zip(&self.votes);
        votes.find(|(known, _)| **known == format).map_or(0, |(_, votes)| *votes)
    }

    /// The format that most records speak for.
    fn winner(&self) -> Result<TraceFormat, NoRuns> {
        let most = self.votes.iter().copied().max().unwrap_or_default();
        let all = self.votes.iter().zip(TraceFormat::ALL);
        let best: Vec<TraceFormat> =
            all.filter(|(votes, _)| most > 0 && **votes == most).map(|(_, format)| *format).collect();
        match *best {
            [] => Err(NoRuns::Unknown { asked: self.asked }),
            [format] => Ok(format),
            _ => Err(NoRuns::Ambiguous(best)),
        }
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
        let Stray { id, kind, why, .. } = self;
        match id {
            RunId::Whole | RunId::Named(_) => formatter.write_str(why),
            RunId::Item(number) => write!(formatter, "record {number}: {why}"),
            RunId::Line(number) if *kind == NoteKind::Truncated => write!(formatter, "line {number}"),
            RunId::Line(number) => write!(formatter, "line {number}: {why}"),
        }
    }
}

/// The reading of one file, record by record.
struct Reading {
    format: TraceFormat,
    reader: Box<dyn Reader>,
    /// How many records there were, and how many of them are of another format, with the first such format.
    records: usize,
    foreign: usize,
    other: Option<TraceFormat>,
    done: Vec<Recorded>,
    /// What could not be used, as long as it is not known whether each record is a run; then, what belongs to the last run.
    strays: Vec<Stray>,
    /// Whether each record is a run, so that one which is none is an error; `None` until there is a run.
    each_is_run: Option<bool>,
    /// How many strays there are for which there was no room.
    more: usize,
    /// The last run, which is held back for what may yet be met in its file.
    last: Option<Recorded>,
}

/// A file of which one record in so many is of another format is a mix of two.
const MIXED_FROM: usize = 10;

/// So many strays are kept apart.
const STRAYS_KEPT: usize = 1000;

impl Reading {
    /// The reading of a file in a format.
    fn new(format: TraceFormat) -> Reading {
        let (done, strays) = (Vec::new(), Vec::new());
        let reader = format.reader();
        let (records, foreign, other) = (0, 0, None);
        Reading {
            format,
            reader,
            records,
            foreign,
            other,
            done,
            strays,
            each_is_run: None,
            more: 0,
            last: None,
        }
    }

    /// Takes the next record. `id` is that of the run which the record is, where it is a whole one.
    fn record(&mut self, record: Value, id: RunId, hand: Hand<'_>) {
        let place = id.clone();
        self.records += 1;
        let other = self.other_format(&record);
        if let Err(why) = self.reader.record(record, id, &mut self.done) {
            if let Some(other) = other {
                self.foreign += 1;
                self.other.get_or_insert(other);
            }
            self.stray(Stray { id: place, kind: NoteKind::StrayRecord, why }, hand);
        }
        self.pass_on(hand);
    }

    /// The format that a record is in which is not of this one.
    fn other_format(&self, record: &Value) -> Option<TraceFormat> {
        let claims = |format: &&TraceFormat| format.claim(record).weight > 0;
        if claims(&&self.format) { None } else { TraceFormat::ALL.iter().find(claims).copied() }
    }

    /// The other format that too many records are in for the file to be in this one.
    fn mixed_with(&self) -> Option<TraceFormat> {
        self.other.filter(|_| self.each_is_run != Some(true) && self.foreign * MIXED_FROM >= self.records)
    }

    /// That the records speak for another format than the one that they are read in, so that much of them may be lost.
    fn looks_like(&mut self, format: TraceFormat, hand: Hand<'_>) {
        if self.each_is_run != Some(true) {
            let (kind, why) = (NoteKind::OtherFormat, format!("it looks like {format}"));
            self.stray(Stray { id: RunId::Whole, kind, why }, hand);
        }
    }

    /// Passes over something that cannot be used.
    fn stray(&mut self, stray: Stray, hand: Hand<'_>) {
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
        last.notes.take(notes);
        if is_lossy {
            last.lose_steps();
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
