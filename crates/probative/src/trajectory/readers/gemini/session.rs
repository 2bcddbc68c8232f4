//! Sessions of Gemini CLI: one document, or a line for each message, written again whenever there is more of it.

use indexmap::IndexMap;

use super::super::json::{count, get, sum_counts, take, take_list, take_text, text, timestamp, unknown_kind};
use super::super::recorder::{Mark, Outcome, Recorder};
use super::super::{NoteKind, Recorded, RunId, TraceFormat};
use super::answer::with_total;
use super::chat::told;
use super::take_member;
use crate::trajectory::model::{LlmCall, RunError};
use crate::value::Value;

/// Whether a record is a whole session.
pub(super) fn is_whole(record: &Value) -> bool {
    is_head(record) && get(record, "messages").and_then(Value::as_array).is_some_and(|all| !all.is_empty())
}

/// Whether a record is part of a session: what it is called, a message, or a change of what was written before.
pub(super) fn is_record(record: &Value) -> bool {
    is_head(record) || is_message(record) || is_change(record)
}

fn is_head(record: &Value) -> bool {
    text(record, "sessionId").and(text(record, "projectHash")).is_some()
}

fn is_change(record: &Value) -> bool {
    get(record, "$set").is_some_and(Value::is_object) || text(record, "$rewindTo").is_some()
}

fn is_message(record: &Value) -> bool {
    match text(record, "type") {
        Some("gemini") => get(record, "content").or(get(record, "toolCalls")).is_some(),
        Some("user" | "info" | "warning" | "error") => {
            text(record, "id").and(text(record, "timestamp")).is_some()
                && get(record, "content").is_some()
                && get(record, "message").or(get(record, "sessionId")).is_none()
        }
        _ => false,
    }
}

/// A session, as far as it came.
#[derive(Default)]
pub(super) struct Session {
    id: Option<String>,
    /// By their ids, in the order in which they came first.
    messages: IndexMap<String, Value>,
    /// How many messages have no id.
    unnamed: usize,
    rewinds: usize,
    /// How many of the rewinds lead to a message that is not there.
    lost_rewinds: usize,
}

impl Session {
    pub(super) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Whether a record is the head of another session.
    pub(super) fn is_other(&self, record: &Value) -> bool {
        let id = text(record, "sessionId").filter(|_| is_head(record));
        id.is_some_and(|id| self.id().is_some_and(|known| known != id))
    }

    /// Takes a record. What was rewound is as if it had never been.
    pub(super) fn record(&mut self, mut record: Value) {
        if let Some(id) = text(&record, "$rewindTo") {
            self.rewinds = self.rewinds.saturating_add(1);
            match self.messages.get_index_of(id) {
                Some(index) => self.messages.truncate(index),
                None => self.lost_rewinds = self.lost_rewinds.saturating_add(1),
            }
        } else if let Some(changes) = take(&mut record, "$set") {
            self.head(changes);
        } else if is_head(&record) {
            self.head(record);
        } else {
            self.message(record);
        }
    }

    fn head(&mut self, mut head: Value) {
        self.id = take_text(&mut head, "sessionId").or(self.id.take());
        let messages = take_list(&mut head, "messages");
        if !messages.is_empty() {
            self.messages.clear();
            for message in messages {
                self.message(message);
            }
        }
    }

    fn message(&mut self, message: Value) {
        let id = text(&message, "id").map_or_else(
            || {
                self.unnamed = self.unnamed.saturating_add(1);
                format!("\0{}", self.unnamed)
            },
            str::to_owned,
        );
        self.messages.insert(id, message);
    }

    pub(super) fn finish(self, id: RunId) -> Recorded {
        let mut run = Recorder::new(TraceFormat::Gemini);
        run.run().run_id = self.id.map(Into::into);
        for _ in 0..self.rewinds {
            run.note(NoteKind::Repeated, || "messages undone by a rewind".to_owned());
        }
        for _ in 0..self.lost_rewinds {
            run.not_understood(|| "a rewind to a message that isn't in the file".to_owned());
        }
        let mut failure = None;
        for (_, mut message) in self.messages {
            match text(&message, "type") {
                Some("user") => {
                    run.heard(take(&mut message, "content"));
                    failure = None;
                }
                Some("gemini") => {
                    take_answer(&mut run, message);
                    failure = None;
                }
                Some("error") => {
                    let said = get(&message, "content").map(spoken).unwrap_or_default();
                    failure = Some(RunError { message: Some(said.into()), ..RunError::default() });
                }
                Some("info" | "warning") => {}
                _ => run
                    .note(NoteKind::StrayRecord, || format!("a message: {}", unknown_kind(&message, "type"))),
            }
        }
        if failure.is_some() {
            run.ended(failure);
        }
        run.finish(id)
    }
}

fn take_answer(run: &mut Recorder, mut message: Value) {
    let tokens = take(&mut message, "tokens").unwrap_or_default();
    let prompt = sum_counts(&tokens, &["input"], &["tool"]);
    let completion = sum_counts(&tokens, &["output"], &["thoughts"]);
    let (prompt_tokens, completion_tokens) = with_total((prompt, completion), count(&tokens, "total"), true);
    let model = take_text(&mut message, "model").map(Into::into);
    let call = LlmCall { model, prompt_tokens, completion_tokens, cost: None };
    run.llm(call, marked(&message));
    let content = take(&mut message, "content").unwrap_or_default();
    let said = spoken(&content);
    if !said.is_empty() {
        run.said(said);
    }
    for call in run.take_list(&mut message, "toolCalls") {
        take_call(run, call);
    }
    run.check_rest(&content, "a gemini message");
    run.check_rest(&message, "a gemini message");
}

/// Takes a call, with what came of it unless it is still under way.
fn take_call(run: &mut Recorder, mut call: Value) {
    let id = take_text(&mut call, "id");
    let name = take_text(&mut call, "name").unwrap_or_default();
    let args = take(&mut call, "args").into();
    let step = run.call(id.as_deref(), name, args, marked(&call));
    let status = take_text(&mut call, "status");
    let (result, outcome) = match take(&mut call, "result").map(returned) {
        Some(told) => told,
        None => (None, Outcome::Unknown),
    };
    let outcome = match (status.as_deref(), outcome) {
        (Some("success"), Outcome::Unknown) => Outcome::Succeeded,
        (Some("error"), Outcome::Succeeded | Outcome::Unknown) => {
            Outcome::flagged(Some(true), result.as_ref().or(get(&call, "resultDisplay")))
        }
        (Some("cancelled"), outcome) => Outcome::Failed(RunError {
            r#type: Some("cancelled".into()),
            message: match outcome {
                Outcome::Failed(error) => error.message,
                Outcome::Succeeded | Outcome::Unknown => None,
            },
            module: None,
        }),
        (Some("success" | "error") | None, outcome) => outcome,
        (Some(_), _) => return,
    };
    if status.is_some() || outcome != Outcome::Unknown {
        run.settle(step, result, outcome);
    }
}

/// What the parts of a result tell: the response of the function among them, else the parts.
fn returned(mut result: Value) -> (Option<Value>, Outcome) {
    let parts = match &mut result {
        Value::Array(parts) => parts.as_mut_slice(),
        part => std::slice::from_mut(part),
    };
    let response =
        parts.iter_mut().find_map(|part| take_member(part, "functionResponse", "function_response"));
    match response {
        Some(mut response) => told(take(&mut response, "response")),
        None => (Some(result), Outcome::Unknown),
    }
}

fn marked(record: &Value) -> Mark {
    Mark { timestamp: timestamp(get(record, "timestamp")), ..Mark::default() }
}

/// The text of content: a text, a part, or a list of parts. Thoughts are not said.
fn spoken(content: &Value) -> String {
    let parts = match content {
        Value::Array(parts) => parts.as_slice(),
        part => std::slice::from_ref(part),
    };
    let is_said = |part: &&Value| get(part, "thought") != Some(&Value::Bool(true));
    parts.iter().filter(is_said).filter_map(|part| part.as_str().or_else(|| text(part, "text"))).collect()
}
