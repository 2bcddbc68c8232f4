//! The Anthropic Messages API: lists of messages, requests and responses, streams of events.

mod blocks;
mod stream;

use super::json::{
    at, count, get, list, sum_counts, take, take_list, take_text, text, tool_names, unknown_kind,
};
use super::recorder::{Mark, Recorder};
use super::{Claim, NoteKind, Reader, Recorded, RunId, TraceFormat};
use crate::trajectory::model::{LlmCall, RunError};
use crate::value::Value;

pub(super) use blocks::{Answer, is_call, take_answer, take_call, take_result, take_results};
use stream::{Stream, is_event};

/// How likely a record is of the Messages API: a message, a list of them, a request with `messages`, an event of a stream.
pub(super) fn claim(record: &Value) -> Claim {
    match record {
        Value::Array(messages) => Claim::of_list(messages, message),
        _ if get(record, "role").is_some() => message(record),
        _ => match get(record, "messages") {
            Some(Value::Array(messages)) => {
                let claim = Claim::of_list(messages, message);
                let has_marks = claim.weight > 0 && is_request(record);
                Claim { weight: claim.weight + usize::from(has_marks), ..claim }
            }
            _ => Claim::part(is_event(record) || error(record).is_some()),
        },
    }
}

/// Whether an object with messages says that it is a request of this API.
fn is_request(record: &Value) -> bool {
    get(record, "system").is_some()
        || list(record, "tools").iter().any(|tool| get(tool, "input_schema").is_some())
}

/// Whether a record is a message. One without tools may be of others, too.
fn message(record: &Value) -> Claim {
    const NEVER: [&str; 6] =
        ["parts", "tool_calls", "function_call", "tool_call_id", "refusal", "toolInvocations"];
    if NEVER.iter().any(|key| record.get(key).is_some()) {
        return Claim::NO;
    }
    let content = get(record, "content");
    let is_blocks =
        content.and_then(Value::as_array).is_some_and(|blocks| blocks.iter().all(blocks::is_block));
    let is_content = is_blocks || content.is_some_and(Value::is_string);
    match (text(record, "role"), text(record, "type")) {
        (Some("user" | "assistant"), None) => Claim::part(is_content),
        (Some("assistant"), Some("message")) if is_blocks && record.get("stop_reason").is_some() => {
            Claim { weight: 2, ..Claim::PART }
        }
        _ => Claim::NO,
    }
}

/// The error that a record is: `{type: error, error: {type: overloaded_error, …}}`.
fn error(record: &Value) -> Option<RunError<'static>> {
    let kind = at(record, &["error", "type"])?.as_str()?;
    let message = at(record, &["error", "message"]).and_then(Value::as_str);
    (text(record, "type") == Some("error") && kind.ends_with("_error"))
        .then(|| RunError::new(kind.to_owned(), message.unwrap_or_default().to_owned()))
}

/// A conversation whose messages or events are records.
#[derive(Default)]
pub(super) struct Messages {
    run: Option<Conversation>,
    stream: Stream,
}

impl Reader for Messages {
    fn record(&mut self, mut record: Value, id: RunId, done: &mut Vec<Recorded>) -> Result<(), String> {
        let is_message = get(&record, "role").is_some();
        if is_message || is_event(&record) || error(&record).is_some() {
            let run = self.run.get_or_insert_default();
            if is_message {
                self.stream.flush(run);
                return run.message(record);
            }
            match error(&record) {
                Some(error) => self.stream.failed(error, run),
                None => self.stream.event(record, run),
            }
            return Ok(());
        }
        let mut run = Conversation::default();
        let (messages, response) = match record {
            Value::Array(messages) => (messages, None),
            ref mut record => {
                run.run.run().tools = tool_names(list(record, "tools"));
                (take_list(record, "messages"), take(record, "response"))
            }
        };
        if messages.is_empty() {
            return Err("no 'messages' or 'role'".to_owned());
        }
        for (number, message) in (1..).zip(messages.into_iter().chain(response)) {
            if let Err(why) = run.message(message) {
                run.run.note(NoteKind::StrayRecord, || format!("message {number}: {why}"));
            }
        }
        if run.run.is_empty() {
            return Err("no user or assistant message in 'messages'".to_owned());
        }
        done.push(run.finish(id));
        Ok(())
    }

    fn finish(mut self: Box<Self>, done: &mut Vec<Recorded>) {
        if let Some(mut run) = self.run {
            self.stream.flush(&mut run);
            if !run.run.is_empty() || run.failure.is_some() {
                done.push(run.finish(RunId::Whole));
            }
        }
    }
}

/// A run that is written down message by message.
struct Conversation {
    run: Recorder,
    /// How many answers came with an id.
    responses: usize,
    /// The id of the last of them, which is that of the run if there is no other.
    response: Option<String>,
    /// What ends the run, unless the agent answers once more.
    failure: Option<RunError<'static>>,
}

impl Default for Conversation {
    fn default() -> Conversation {
        let run = Recorder::new(TraceFormat::Anthropic);
        Conversation { run, responses: 0, response: None, failure: None }
    }
}

impl Conversation {
    fn message(&mut self, mut message: Value) -> Result<(), String> {
        match text(&message, "role") {
            Some("user") => {
                let content = take(&mut message, "content");
                self.run.check_rest(&message, "a user message");
                if let Some(said) = take_results(&mut self.run, content) {
                    self.run.heard(Some(said));
                }
            }
            Some("assistant") => self.answer(message),
            Some("system") => self.run.check_rest(&message, "a system message"),
            _ => return Err(unknown_kind(&message, "role")),
        }
        Ok(())
    }

    /// Takes an answer of the model, with its envelope where it has one.
    fn answer(&mut self, mut message: Value) {
        self.run.llm(model_call(&mut message), Mark::default());
        let content = take(&mut message, "content");
        let has_call = list_of(content.as_ref()).iter().any(|block| text(block, "type").is_some_and(is_call));
        if content.is_none() {
            self.run.not_understood(|| "an assistant message without 'content'".to_owned());
        } else if !has_call && text(&message, "stop_reason") == Some("tool_use") {
            self.run
                .not_understood(|| "'stop_reason' is tool_use, but the message has no tool call".to_owned());
        }
        self.run.check_rest(&message, "an assistant message");
        let Answer { text: said, waits } = take_answer(&mut self.run, content, &Mark::default());
        if !said.is_empty() {
            self.run.said(said);
        }
        if waits || text(&message, "stop_reason") == Some("pause_turn") {
            self.run.broke_off();
        }
        if let Some(reason) = get(&message, "stop_reason").filter(|reason| !is_known_stop(reason)) {
            self.run.not_understood(|| format!("unknown 'stop_reason' {reason}"));
            self.run.broke_off();
        }
        if message.get("stop_reason") == Some(&Value::Null) {
            // Only the start of a stream has none.
            self.run.cut_off("'stop_reason' is null");
        }
        self.failure = unfinished(&message);
        if let Some(id) = take_text(&mut message, "id") {
            self.responses = self.responses.saturating_add(1);
            self.response = Some(id);
        }
    }

    fn finish(mut self, id: RunId) -> Recorded {
        if self.responses == 1 {
            self.run.run().run_id = self.response.map(Into::into);
        }
        if self.failure.is_some() {
            self.run.ended(self.failure);
        }
        self.run.finish(id)
    }
}

/// Returns true for the reasons of this API to stop. Another may mean that a call was lost.
fn is_known_stop(reason: &Value) -> bool {
    const KNOWN: [&str; 8] = [
        "end_turn",
        "tool_use",
        "stop_sequence",
        "pause_turn",
        "compaction",
        "refusal",
        "max_tokens",
        "model_context_window_exceeded",
    ];
    reason.as_str().is_some_and(|reason| KNOWN.contains(&reason))
}

fn list_of(content: Option<&Value>) -> &[Value] {
    content.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The call of a model that a message answers. What was read from a cache or written to one went in, too.
pub(super) fn model_call(message: &mut Value) -> LlmCall<'static> {
    const CACHED: [&str; 2] = ["cache_creation_input_tokens", "cache_read_input_tokens"];
    let usage = take(message, "usage").unwrap_or_default();
    LlmCall {
        model: take_text(message, "model").map(Into::into),
        prompt_tokens: sum_counts(&usage, &["input_tokens"], &CACHED),
        completion_tokens: count(&usage, "output_tokens"),
        cost: None,
    }
}

/// The error that a message ends a run with which the model refused to answer, or could not answer to the end.
pub(super) fn unfinished(message: &Value) -> Option<RunError<'static>> {
    match text(message, "stop_reason")? {
        "refusal" => {
            let why = at(message, &["stop_details", "explanation"]).and_then(Value::as_str);
            let message = why.map(|why| why.to_owned().into());
            Some(RunError { r#type: Some("refusal".into()), message, module: None })
        }
        reason @ ("max_tokens" | "model_context_window_exceeded") => {
            Some(RunError::new("incomplete", reason.to_owned()))
        }
        _ => None,
    }
}
