//! Transcripts of the Model Context Protocol: what a client and its servers said to each other, in JSON-RPC.

mod claims;
mod connection;
mod envelope;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::json::{at, get, take, take_list, take_text, text, tool_names};
use super::recorder::{Mark, Outcome, Recorder};
use super::{NoteKind, Reader, Recorded, RunId, TraceFormat};
use crate::trajectory::model::{RunError, RunUnknown};
use crate::value::Value;

pub(super) use claims::claim;
use connection::{Asked, Connection, Side, asker};
use envelope::{Envelope, LISTS, WRAPPERS, is_message, is_said, opened};

/// A transcript whose messages are records. All its connections are one run.
pub(super) struct Mcp {
    run: Recorder,
    /// Whether a message was met.
    any: bool,
    tools: BTreeSet<String>,
    connections: BTreeMap<String, Connection>,
    /// Which side the words for a direction are said of: `c2s`.
    senders: BTreeMap<String, Side>,
}

impl Default for Mcp {
    fn default() -> Mcp {
        let mut run = Recorder::new(TraceFormat::Mcp);
        run.run().unknown =
            RunUnknown { llm_calls: true, final_output: true, error: true, ..RunUnknown::default() };
        Mcp {
            run,
            any: false,
            tools: BTreeSet::new(),
            connections: BTreeMap::new(),
            senders: BTreeMap::new(),
        }
    }
}

impl Reader for Mcp {
    fn record(&mut self, record: Value, _: RunId, _: &mut Vec<Recorded>) -> Result<(), String> {
        let read = self.read(record);
        if read.is_err() {
            // It may have opened a connection anew, and ids restart with one: no answer can be matched to what was asked before.
            self.connections.clear();
        }
        read
    }

    fn finish(self: Box<Self>, done: &mut Vec<Recorded>) {
        if self.any {
            done.push(self.run.finish(RunId::Whole));
        }
    }
}

impl Mcp {
    fn read(&mut self, mut record: Value) -> Result<(), String> {
        if is_message(&record) || record.is_array() {
            return self.said(record, &Envelope::default());
        }
        let lists = LISTS.iter().map(|key| take_list(&mut record, key)).find(|list| !list.is_empty());
        let mut strays = Ok(());
        for record in lists.unwrap_or_else(|| vec![record]) {
            strays = self.wrapped(record).and(strays);
        }
        strays
    }

    /// Takes what a recorder wrapped: one message, or a request and its response.
    fn wrapped(&mut self, mut record: Value) -> Result<(), String> {
        if is_message(&record) || record.is_array() {
            return self.said(record, &Envelope::default());
        }
        let mut envelope = Envelope::of(&record);
        if get(&record, "request").is_some() {
            // It holds both directions.
            envelope.direction = None;
        }
        let mut any = false;
        for key in WRAPPERS {
            if let Some(inner) = take(&mut record, key).filter(is_said) {
                any |= self.said(opened(inner), &envelope).is_ok();
            }
        }
        if any { Ok(()) } else { Err("no 'jsonrpc', and no message inside".to_owned()) }
    }

    /// Takes a message, or a batch of them.
    fn said(&mut self, said: Value, envelope: &Envelope) -> Result<(), String> {
        let Value::Array(batch) = said else { return self.message(said, envelope) };
        let mut strays = Ok(());
        for message in batch {
            strays = self.message(message, envelope).and(strays);
        }
        strays
    }

    fn message(&mut self, mut message: Value, envelope: &Envelope) -> Result<(), String> {
        if !is_message(&message) {
            return Err("no 'method', 'result' or 'error'".to_owned());
        }
        if get(&message, "method").is_some_and(|method| !method.is_string()) {
            return Err("'method' isn't a string".to_owned());
        }
        self.any = true;
        let id = get(&message, "id").map(Value::to_string);
        if let Some(method) = take_text(&mut message, "method") {
            self.request(&method, id, message, envelope);
        } else if let Some(id) = id {
            self.response(&id, message, envelope);
        }
        Ok(())
    }

    fn request(&mut self, method: &str, id: Option<String>, mut message: Value, envelope: &Envelope) {
        let told = asker(method);
        if let (Some(direction), Some(side)) = (&envelope.direction, told) {
            self.senders.entry(direction.clone()).or_insert(side);
        }
        let side = told.or_else(|| self.sender(envelope)).unwrap_or(Side::Client);
        let connection = match self.connections.get_mut(&envelope.connection) {
            Some(connection) => connection,
            None => self.connections.entry(envelope.connection.clone()).or_default(),
        };
        let mut params = take(&mut message, "params").unwrap_or_default();
        let asked = match method {
            "initialize" => {
                *connection = Connection::default();
                Asked::Else
            }
            "tools/list" => Asked::Tools,
            "tools/call" => {
                let tool = take_text(&mut params, "name").unwrap_or_default();
                let step = connection.resumed(&params, &tool).unwrap_or_else(|| {
                    let mark = Mark { timestamp: envelope.timestamp.clone(), ..Mark::default() };
                    self.run.call(id.as_deref(), tool.as_str(), take(&mut params, "arguments").into(), mark)
                });
                Asked::Call { step, tool }
            }
            "tasks/result" => match text(&params, "taskId").and_then(|task| connection.tasks.get(task)) {
                Some(step) => Asked::Call { step: *step, tool: String::new() },
                None => Asked::Else,
            },
            _ => Asked::Else,
        };
        if let Some(id) = id {
            connection.asked.entry((side, id)).or_default().push_back(asked);
        }
    }

    /// Who says something, where the recorder tells directions: of two, the one that is not the other.
    fn sender(&self, envelope: &Envelope) -> Option<Side> {
        let direction = envelope.direction.as_deref()?;
        match (self.senders.get(direction), self.senders.len()) {
            (None, 1) => self.senders.values().next().map(|side| side.other()),
            (known, _) => known.copied(),
        }
    }

    fn response(&mut self, id: &str, mut message: Value, envelope: &Envelope) {
        let sender = self.sender(envelope);
        let connection = self.connections.get_mut(&envelope.connection);
        let asked = connection.and_then(|connection| {
            let asked = connection.answered(id, sender, &message)?;
            Some((connection, asked))
        });
        let Some((connection, asked)) = asked else {
            self.run.note(NoteKind::UnmatchedResult, || format!("id {id}"));
            return;
        };
        match asked {
            Asked::Else => {}
            Asked::Tools => {
                let listed = at(&message, &["result", "tools"]).and_then(Value::as_array);
                for name in tool_names(listed.map_or(&[], Vec::as_slice)) {
                    if self.tools.insert(name.clone().into_owned()) {
                        self.run.run().tools.push(name);
                    }
                }
            }
            Asked::Call { step, tool } => {
                if let Some(error) = take(&mut message, "error") {
                    self.run.settle(step, None, Outcome::Failed(protocol_error(error)));
                    return;
                }
                let Some(mut result) = take(&mut message, "result").filter(Value::is_object) else {
                    self.run.untold(step, Outcome::Unknown);
                    return;
                };
                if !connection.goes_on(step, tool, &result) {
                    let failed = get(&result, "isError").map_or(Some(false), Value::as_bool);
                    let returned = returned(&mut result);
                    let outcome = Outcome::flagged(failed, returned.as_ref());
                    self.run.settle(step, returned, outcome);
                }
            }
        }
    }
}

/// What a tool returned: its content, else what it returned in a form of its own.
fn returned(result: &mut Value) -> Option<Value> {
    let has_content =
        |result: &Value| result.get("content").is_some_and(|content| *content != Value::Array(vec![]));
    let structured = ["structuredContent", "toolResult"].iter().find(|key| get(result, key).is_some());
    match structured {
        Some(key) if !has_content(result) => take(result, key),
        _ => take(result, "content"),
    }
}

/// That a call could not be made at all: its type is the code.
fn protocol_error(mut error: Value) -> RunError<'static> {
    let r#type = get(&error, "code").map(|code| Cow::Owned(code.to_string()));
    RunError { r#type, message: take_text(&mut error, "message").map(Cow::Owned), module: None }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Claim;
    use super::*;

    /// The steps of a transcript, as native JSON, and how many things could not be used.
    fn steps(records: Vec<Value>) -> (Value, usize) {
        let (mut reader, mut done) = (Box::new(Mcp::default()), Vec::new());
        for record in records {
            assert_ne!(claim(&record), Claim::NO);
            reader.record(record, RunId::Whole, &mut done).unwrap();
        }
        reader.finish(&mut done);
        let run = done.pop().unwrap();
        (serde_json::to_value(&run.trajectory).unwrap()["steps"].take(), run.notes.sorted().len())
    }

    #[test]
    fn without_directions_the_form_of_an_answer_tells_whose_it_is() {
        let message = |rest: Value| {
            let mut message = json!({ "jsonrpc": "2.0", "id": 1 });
            message.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            message
        };
        let (steps, notes) = steps(vec![
            message(json!({ "method": "tools/call", "params": { "name": "delete" } })),
            message(json!({ "method": "elicitation/create", "params": {} })),
            message(json!({ "result": { "action": "accept", "content": {} } })),
            message(json!({ "result": { "content": [{ "type": "text", "text": "deleted" }] } })),
        ]);
        assert_eq!((steps[0]["tool_result"].as_str(), notes), (Some("deleted"), 0));
    }

    #[test]
    fn messages_may_be_the_text_of_a_body() {
        let asked = r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "read"}}"#;
        let answered = r#"{"jsonrpc": "2.0", "id": 1, "result": {"structuredContent": {"text": "tea"}}}"#;
        let record =
            json!({ "request": { "method": "POST", "body": asked }, "response": { "body": answered } });
        let (steps, notes) = steps(vec![record]);
        assert_eq!((&steps[0]["tool_result"], notes), (&json!({ "text": "tea" }), 0));
    }

    #[test]
    fn a_call_that_goes_on_as_a_task_has_the_result_of_the_task() {
        let (steps, notes) = steps(vec![
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "report", "task": {} } }),
            json!({ "jsonrpc": "2.0", "id": 1, "result": { "task": { "taskId": "t", "status": "working" } } }),
            json!({ "jsonrpc": "2.0", "id": 2, "method": "tasks/result", "params": { "taskId": "t" } }),
            json!({ "jsonrpc": "2.0", "id": 2, "result": { "content": [{ "type": "text", "text": "done" }] } }),
        ]);
        assert_eq!(
            (steps.as_array().map(Vec::len), steps[0]["tool_result"].as_str(), notes),
            (Some(1), Some("done"), 0)
        );
    }
}
