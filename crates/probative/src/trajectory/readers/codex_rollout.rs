//! The session files of Codex CLI: items of the Responses API in envelopes, with events between them.

mod events;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::json::{at, count, get, joined, object_in, take, take_text, text, timestamp, unknown_kind};
use super::openai_responses::{self, Items};
use super::recorder::{Mark, Outcome, Recorder};
use super::{Claim, NoteKind, Reader, Recorded, RunId, TraceFormat};
use crate::trajectory::json::Json;
use crate::trajectory::model::{Event, RunError, Step};
use crate::value::Value;

use events::{Begun, Ended, call_begin, call_end, is_bookkeeping};

/// How likely a record is of a session file. Old files have items without envelopes, as the Responses API has, but also a
/// header, which it doesn't.
pub(super) fn claim(record: &Value) -> Claim {
    if get(record, "payload").is_some_and(Value::is_object) {
        return Claim::part(matches!(
            text(record, "type"),
            Some(
                "session_meta"
                    | "response_item"
                    | "event_msg"
                    | "turn_context"
                    | "compacted"
                    | "world_state"
                    | "inter_agent_communication"
                    | "inter_agent_communication_metadata"
            )
        ));
    }
    if is_header(record) || is_state(record) {
        return Claim::PART;
    }
    Claim::common(openai_responses::is_item(record))
}

/// Whether a record begins an old file: `{id, timestamp, instructions, git}`.
fn is_header(record: &Value) -> bool {
    text(record, "id").is_some()
        && text(record, "timestamp").is_some()
        && record.get("instructions").is_some()
        && get(record, "type").or(get(record, "role")).or(get(record, "object")).is_none()
}

/// Whether a record of an old file says that its state was written.
fn is_state(record: &Value) -> bool {
    text(record, "record_type") == Some("state")
}

/// The sessions in a file, which is one but for files that were put together.
#[derive(Default)]
pub(super) struct Rollout(Vec<Session>);

struct Session {
    id: Option<String>,
    run: Recorder,
    items: Items,
    /// The number of the first record that is not taken over from another session.
    first: u64,
    /// Whether headers of other sessions come with what it took over.
    takes_over: bool,
    /// What the first event of a message says that the user wrote.
    asked: Option<String>,
    tokens: Tokens,
    /// The steps of calls by their `call_id`, and how events say that calls ended.
    calls: BTreeMap<String, Vec<usize>>,
    outcomes: BTreeMap<String, Outcome>,
    /// The calls that events say have begun, by their `call_id`.
    begun: BTreeSet<String>,
    /// An event says that a turn has begun, and none that it ended.
    is_in_turn: bool,
}

impl Session {
    fn new() -> Session {
        Session {
            id: None,
            run: Recorder::new(TraceFormat::CodexRollout),
            items: Items::hiding_errors(),
            first: 0,
            takes_over: false,
            asked: None,
            tokens: Tokens::default(),
            calls: BTreeMap::new(),
            outcomes: BTreeMap::new(),
            begun: BTreeSet::new(),
            is_in_turn: false,
        }
    }

    /// Notes something that was not understood, and that may have been a step or a count of tokens.
    fn not_understood(&mut self, what: impl FnOnce() -> String) {
        self.run.not_understood(what);
        self.lose_count();
    }

    /// Forgets how many tokens were counted: a count may be lost, and the next one may have begun again.
    fn lose_count(&mut self) {
        self.tokens.is_lost = true;
        self.run.run().total_tokens = None;
    }

    fn take_header(&mut self, id: Option<String>, header: &Value) {
        self.run.run().run_id = id.clone().map(Into::into);
        self.id = id;
        let base = get(header, "history_base").and_then(|base| count(base, "end_ordinal_exclusive"));
        self.first = count(header, "subagent_history_start_ordinal").or(base).unwrap_or_default();
        self.takes_over = ["forked_from_id", "parent_thread_id", "history_base"]
            .iter()
            .any(|key| get(header, key).is_some())
            || at(header, &["source", "subagent"]).is_some();
    }

    fn item(&mut self, mut item: Value, timestamp: Option<Json<'static>>) -> Result<(), String> {
        if text(&item, "role") == Some("user") {
            self.items.interrupt();
            let content = take(&mut item, "content");
            if !content.as_ref().and_then(joined).is_some_and(|text| is_told_by_codex(&text)) {
                self.run.goes_on();
                self.run.heard(content);
            }
            return Ok(());
        }
        let kind = text(&item, "type").unwrap_or_default();
        // What Codex keeps for itself, and what other agents say.
        if matches!(
            kind,
            "ghost_snapshot" | "compaction_trigger" | "additional_tools" | "agent_message" | "other"
        ) {
            return Ok(());
        }
        let is_named = matches!(kind, "function_call" | "custom_tool_call");
        if is_named && text(&item, "name").is_none_or(str::is_empty) {
            self.not_understood(|| "a tool call item without 'name'".to_owned());
            return Ok(());
        }
        let id = text(&item, "call_id").filter(|_| kind.ends_with("_call")).map(str::to_owned);
        if let Some(id) = &id
            && self.is_repeated(id, &item)
        {
            self.run.note(NoteKind::Repeated, || format!("tool call '{id}'"));
            return Ok(());
        }
        let begin = self.run.run().steps.len();
        self.items.take(&mut self.run, item, Mark { timestamp, ..Mark::default() })?;
        if let Some(id) = id {
            let steps = self.run.run().steps.iter().enumerate().skip(begin);
            let calls = steps.filter(|(_, step)| matches!(step.event, Event::ToolCall(_)));
            self.calls.entry(id).or_default().extend(calls.map(|(at, _)| at));
        }
        Ok(())
    }

    /// Returns true if an item is the same call as the last one with its id.
    fn is_repeated(&self, id: &str, item: &Value) -> bool {
        let Some(last) = self.calls.get(id).and_then(|steps| steps.last()) else { return false };
        let args = match (get(item, "arguments"), get(item, "input")) {
            (Some(Value::String(written)), _) => object_in(written).map(Value::Object),
            (None, Some(Value::String(input))) => Some(json!({ "input": input })),
            (args, input) => args.or(input).cloned(),
        };
        text(item, "name").is_some_and(|name| self.run.is_call_of(*last, name, args.as_ref()))
    }

    fn event(&mut self, mut event: Value) {
        match text(&event, "type") {
            Some("token_count") => {
                if let Some(info) = get(&event, "info") {
                    match self.tokens.counted(info) {
                        Some(spent) => {
                            self.run.run().total_tokens = Some(spent).filter(|_| !self.tokens.is_lost);
                        }
                        None => self.lose_count(),
                    }
                }
            }
            Some("user_message") if self.asked.is_none() => self.asked = take_text(&mut event, "message"),
            Some("task_started" | "turn_started") => {
                self.is_in_turn = true;
                self.run.goes_on();
            }
            Some("task_complete" | "turn_complete") => {
                let error = self.run.run().error.take();
                self.end(error);
            }
            Some("turn_aborted") => {
                let reason = take_text(&mut event, "reason").unwrap_or_default();
                self.end(Some(RunError::new("turn_aborted", reason)));
            }
            Some("error") => {
                let message = take_text(&mut event, "message").map(Into::into);
                self.end(Some(RunError { message, ..RunError::default() }));
            }
            Some(kind) => match (call_end(&event), call_begin(&event)) {
                (Some(Ended { id: Some(id), outcome }), _) => {
                    self.outcomes.insert(id.to_owned(), outcome);
                }
                (None, Some(Begun { id: Some(id) })) => {
                    self.begun.insert(id.to_owned());
                }
                (Some(Ended { id: None, .. }), _) | (None, Some(Begun { id: None })) => {
                    self.not_understood(|| format!("a '{kind}' event without 'call_id'"));
                }
                (None, None) if is_bookkeeping(&event) => {}
                (None, None) => self.not_understood(|| format!("unknown event type '{kind}'")),
            },
            None => self.not_understood(|| "an event without 'type'".to_owned()),
        }
    }

    /// Takes the end of a turn.
    fn end(&mut self, error: Option<RunError<'static>>) {
        self.is_in_turn = false;
        self.run.ended(error);
    }

    fn finish(self, id: RunId) -> Recorded {
        let Session { mut run, asked, calls, outcomes, begun, is_in_turn, .. } = self;
        if is_in_turn {
            run.cut_off("the last turn never ends");
        }
        let is_text = run.run().input.as_ref().is_none_or(|input| input.value().is_string());
        // Codex tells the model more than the user wrote; the event has the user's words alone.
        if let Some(asked) = asked.filter(|_| is_text) {
            run.run().input = Some(Value::String(asked).into());
        }
        for id in outcomes.keys().filter(|id| !calls.contains_key(*id)) {
            // The call itself is not recorded: a script made it, for example.
            run.note(NoteKind::UnmatchedResult, || format!("id '{id}'"));
        }
        for id in begun.iter().filter(|id| !calls.contains_key(*id) && !outcomes.contains_key(*id)) {
            run.not_understood(|| {
                format!("tool call '{id}' has a begin event, but the call itself is not recorded")
            });
        }
        let mut recorded = run.finish(id);
        for (id, outcome) in outcomes {
            // Where several calls share an id, nobody knows whose outcome it is.
            if let Some([step]) = calls.get(&id).map(Vec::as_slice)
                && let Some(step) = recorded.trajectory.steps.get_mut(*step)
            {
                settle(step, outcome);
            }
        }
        recorded
    }
}

/// Gives a call the outcome that an event recorded.
fn settle(step: &mut Step<'static>, outcome: Outcome) {
    let Event::ToolCall(call) = &mut step.event else { return };
    match outcome {
        Outcome::Succeeded => call.unknown.error = false,
        Outcome::Failed(error) => (call.unknown.error, call.error) = (false, Some(Box::new(error))),
        Outcome::Unknown => {}
    }
}

impl Reader for Rollout {
    fn record(&mut self, record: Value, _: RunId, _: &mut Vec<Recorded>) -> Result<(), String> {
        let taken = self.take(record);
        if taken.is_err() {
            self.session().lose_count();
        }
        taken
    }

    fn finish(self: Box<Self>, done: &mut Vec<Recorded>) {
        let sessions: Vec<Session> = self.0.into_iter().filter(|session| !session.run.is_empty()).collect();
        let is_only = sessions.len() == 1;
        done.extend(sessions.into_iter().map(|mut session| {
            let id = session.id.take().filter(|_| !is_only).map_or(RunId::Whole, RunId::Named);
            session.finish(id)
        }));
    }
}

impl Rollout {
    fn take(&mut self, mut record: Value) -> Result<(), String> {
        let Some(mut payload) = take(&mut record, "payload").filter(Value::is_object) else {
            return self.bare(record);
        };
        let kind = take_text(&mut record, "type");
        if kind.as_deref() == Some("session_meta") {
            let id = take_text(&mut payload, "id").or_else(|| take_text(&mut payload, "session_id"));
            self.begin(id, &payload);
            return Ok(());
        }
        let session = self.session();
        if count(&record, "ordinal").is_some_and(|ordinal| ordinal < session.first) {
            return Ok(());
        }
        match kind.as_deref() {
            Some("response_item") => {
                let kind = text(&payload, "type").map(str::to_owned);
                if session.item(payload, timestamp(get(&record, "timestamp"))).is_err() {
                    let kind = kind.unwrap_or_default();
                    session.not_understood(|| format!("unknown item type '{kind}'"));
                }
            }
            Some("event_msg") => session.event(payload),
            Some("turn_context") => {
                session.run.goes_on();
                if let Some(model) = take_text(&mut payload, "model") {
                    session.items.model.model = Some(model.into());
                }
            }
            Some("compacted") => session.items.interrupt(),
            Some("world_state" | "inter_agent_communication" | "inter_agent_communication_metadata") => {}
            Some(kind) => session.not_understood(|| format!("unknown record type '{kind}'")),
            None => return Err(unknown_kind(&record, "type")),
        }
        Ok(())
    }

    /// The session that goes on.
    fn session(&mut self) -> &mut Session {
        if self.0.is_empty() {
            self.0.push(Session::new());
        }
        let last = self.0.len() - 1;
        &mut self.0[last]
    }

    /// Begins a session, unless its header only repeats one, or comes with what was taken over.
    fn begin(&mut self, id: Option<String>, header: &Value) {
        let session = self.session();
        if session.id.is_none() {
            session.take_header(id, header);
        } else if !session.takes_over && session.id != id && id.is_some() {
            let mut session = Session::new();
            session.take_header(id, header);
            self.0.push(session);
        }
    }

    /// A record without an envelope, as old files have them.
    fn bare(&mut self, mut record: Value) -> Result<(), String> {
        if is_header(&record) {
            let id = take_text(&mut record, "id");
            self.begin(id, &record);
        } else if get(&record, "type").or(get(&record, "role")).is_some() {
            return self.session().item(record, None);
        } else if !is_state(&record) {
            return Err(unknown_kind(&record, "type"));
        }
        Ok(())
    }
}

/// The running total of tokens, which begins again when a session is resumed, and is repeated at other times.
#[derive(Default)]
struct Tokens {
    spent: u64,
    total: u64,
    /// A count could not be read.
    is_lost: bool,
}

impl Tokens {
    /// What was spent so far, by the next count.
    fn counted(&mut self, info: &Value) -> Option<u64> {
        let of = |key: &str| {
            let usage = get(info, key)?;
            let summed =
                || Some(count(usage, "input_tokens")?.saturating_add(count(usage, "output_tokens")?));
            count(usage, "total_tokens").or_else(summed)
        };
        let total = of("total_token_usage")?;
        let more = match total.checked_sub(self.total) {
            Some(more) => more,
            None => of("last_token_usage").unwrap_or(total),
        };
        self.total = total;
        self.spent = self.spent.saturating_add(more);
        Some(self.spent)
    }
}

/// Whether a message in the name of the user is by Codex itself: where it runs, what it may do, what became of a turn.
fn is_told_by_codex(text: &str) -> bool {
    const BEGINNINGS: [&str; 12] = [
        "<environment_context>",
        "<user_instructions>",
        "# AGENTS.md instructions",
        "<INSTRUCTIONS>",
        "<permissions instructions>",
        "<collaboration_mode>",
        "<model_switch>",
        "<skill>",
        "<skills_instructions>",
        "<subagent_notification>",
        "<turn_aborted>",
        "<user_shell_command>",
    ];
    let text = text.trim_start();
    BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use crate::trajectory::readers::{TraceFormat, read_trace};

    #[test]
    fn sessions_that_were_put_together_are_told_apart_unless_one_took_over_the_other() {
        let file = |kept: &str| {
            let (first, second) = (format!(r#"{{"id":"a"{kept}}}"#), r#"{"id":"b"}"#);
            let said = r#"{"type":"response_item","payload":{"role":"assistant","content":"Yes."}}"#;
            let header = |meta: &str| format!(r#"{{"type":"session_meta","payload":{meta}}}"#);
            format!("{}\n{said}\n{}\n{said}\n", header(&first), header(second))
        };
        let ids = |file: &str| {
            let mut ids = Vec::new();
            let format = Some(TraceFormat::CodexRollout);
            read_trace(file.as_bytes(), format, true, &mut |given| {
                ids.extend(given.run().map(|run| run.id.to_string()));
            })
            .unwrap();
            ids
        };
        assert_eq!(ids(&file("")), ["#a", "#b"]);
        assert_eq!(ids(&file(r#","forked_from_id":"b""#)), [""]);
    }
}
