//! `OpenAI` chat completions and whoever speaks like them: lists of messages, requests and responses, streams of chunks.

use std::collections::BTreeMap;

use super::json::{amount, count, get, list, take, take_list, take_text, text, texts, timestamp, tool_names};
use super::recorder::{Args, Mark, Outcome, Recorder, Returned};
use super::{Claim, Reader, Recorded, RunId, TraceFormat};
use crate::trajectory::model::{LlmCall, RunError};
use crate::value::Value;

/// How likely a record is a chat: a message, a list of them, an object with `messages`, a response, a chunk of a stream.
pub(super) fn claim(record: &Value) -> Claim {
    if let Value::Array(messages) = record {
        return Claim::of_list(messages, message_claim);
    }
    match text(record, "object") {
        Some("chat.completion") => return Claim::RUN,
        Some("chat.completion.chunk") => return Claim::PART,
        _ => {}
    }
    match get(record, "messages") {
        Some(Value::Array(messages)) => Claim::of_list(messages, message_claim),
        _ if get(record, "role").is_some() => message_claim(record),
        _ => Claim::run(
            list(record, "choices").iter().any(|choice| get(choice, "message").is_some())
                || is_bare_response(record),
        ),
    }
}

/// Whether a record is a response without choices: `{id, message: {role: assistant, …}, finish_reason}`.
fn is_bare_response(record: &Value) -> bool {
    let is_answer =
        |message: &Value| message_claim(message) != Claim::NO && text(message, "role") == Some("assistant");
    text(record, "finish_reason").is_some() && get(record, "message").is_some_and(is_answer)
}

/// Whether a record is a message. One without tools may be of others, too.
fn message_claim(record: &Value) -> Claim {
    let content = get(record, "content");
    let is_plain = match content {
        None | Some(Value::String(_)) => true,
        Some(Value::Array(parts)) => parts.iter().all(|part| {
            matches!(text(part, "type"), Some("text" | "image_url" | "input_audio" | "file" | "refusal"))
        }),
        Some(_) => false,
    };
    Claim::part(match text(record, "role") {
        Some("tool") => is_plain && get(record, "tool_call_id").or(get(record, "name")).is_some(),
        Some("function") => is_plain && get(record, "name").is_some(),
        Some("assistant") => {
            let calls = list(record, "tool_calls");
            let is_call = |call: &Value| get(call, "function").or(get(call, "custom")).is_some();
            is_plain
                && get(record, "parts").is_none()
                && (content.is_some() || !calls.is_empty() || get(record, "function_call").is_some())
                && calls.iter().all(is_call)
        }
        Some("user" | "system" | "developer") => {
            is_plain && content.is_some() && get(record, "parts").is_none()
        }
        _ => false,
    })
}

/// A chat whose messages or chunks are records.
#[derive(Default)]
pub(super) struct Chat {
    messages: Option<Recorder>,
    stream: Option<Stream>,
}

impl Reader for Chat {
    fn record(&mut self, mut record: Value, id: RunId, done: &mut Vec<Recorded>) -> Result<(), String> {
        if text(&record, "object") == Some("chat.completion.chunk") {
            self.stream.get_or_insert_default().chunk(record);
            return Ok(());
        }
        if get(&record, "role").is_some() {
            let run = self.messages.get_or_insert_with(|| Recorder::new(TraceFormat::OpenaiChat));
            return take_message(run, record);
        }
        if let Some(run) = self.messages.as_mut().filter(|_| get(&record, "choices").is_some()) {
            take_response(run, record);
            return Ok(());
        }
        let mut run = Recorder::new(TraceFormat::OpenaiChat);
        let messages = match &mut record {
            Value::Array(messages) => std::mem::take(messages),
            _ => take_list(&mut record, "messages"),
        };
        run.run().tools = tool_names(list(&record, "tools"));
        run.run().tools.extend(tool_names(list(&record, "functions")));
        let mut strays = 0;
        for message in messages {
            strays += usize::from(take_message(&mut run, message).is_err());
        }
        if is_bare_response(&record) {
            let choice = serde_json::json!({ "message": take(&mut record, "message") });
            let tokens = record.get_mut("usage").and_then(|usage| take(usage, "tokens")).unwrap_or_default();
            record["usage"] = serde_json::json!({ "prompt_tokens": tokens.get("input_tokens"),
                "completion_tokens": tokens.get("output_tokens") });
            record["choices"] = Value::Array(vec![choice]);
            take_response(&mut run, record);
        } else if get(&record, "choices").is_some() {
            take_response(&mut run, record);
        } else if let Some(response) = take(&mut record, "response") {
            take_response(&mut run, response);
        }
        if run.is_empty() {
            return Err("no messages".to_owned());
        }
        for _ in 0..strays {
            run.note(super::NoteKind::StrayRecord, || "no message".to_owned());
        }
        done.push(run.finish(id));
        Ok(())
    }

    fn finish(self: Box<Self>, done: &mut Vec<Recorded>) {
        let runs = self.messages.into_iter().chain(self.stream.map(Stream::assembled));
        done.extend(runs.map(|run| run.finish(RunId::Whole)));
    }
}

fn take_message(run: &mut Recorder, mut message: Value) -> Result<(), String> {
    match text(&message, "role") {
        Some("user") => run.heard(take(&mut message, "content")),
        Some("assistant") => take_answer(run, message, LlmCall::default(), &Mark::default()),
        Some(role @ ("tool" | "function")) => {
            let by_name = role == "function";
            let result = message.get_mut("content").map(Value::take).filter(|result| !result.is_null());
            let id = text(&message, "tool_call_id").filter(|_| !by_name);
            let returned = Returned { id, name: text(&message, "name"), result, outcome: Outcome::Unknown };
            run.returned(returned);
        }
        Some("system" | "developer") => {}
        _ => return Err("no message".to_owned()),
    }
    Ok(())
}

/// Takes the answer of a model; `call` is what is known of the call that gave it.
fn take_answer(run: &mut Recorder, mut message: Value, call: LlmCall<'static>, mark: &Mark) {
    run.llm(call, mark.clone());
    if let Some(text) = get(&message, "content").and_then(texts).filter(|text| !text.is_empty()) {
        run.said(text);
    }
    if let Some(refusal) = text(&message, "refusal") {
        run.ended(Some(RunError::new("refusal", refusal.to_owned())));
    }
    let mut calls = take_list(&mut message, "tool_calls");
    if calls.is_empty() {
        calls.extend(
            take(&mut message, "function_call").map(|function| serde_json::json!({ "function": function })),
        );
    }
    for mut call in calls {
        let id = take_text(&mut call, "id");
        let (mut tool, key) = match take(&mut call, "function") {
            Some(function) => (function, "arguments"),
            None => (take(&mut call, "custom").unwrap_or_default(), "input"),
        };
        let args = match take(&mut tool, key) {
            // What a custom tool is given is a text, and means itself.
            Some(Value::String(input)) if key == "input" => {
                Args::Given(serde_json::json!({ "input": input }))
            }
            args => args.into(),
        };
        run.call(id.as_deref(), take_text(&mut tool, "name").unwrap_or_default(), args, mark.clone());
    }
}

/// Takes the answer of a model with its envelope: the model's name, what it took, why it stopped.
fn take_response(run: &mut Recorder, mut response: Value) {
    let usage = take(&mut response, "usage").unwrap_or_default();
    if run.is_empty() {
        run.run().run_id = take_text(&mut response, "id").map(Into::into);
        run.run().total_tokens = count(&usage, "total_tokens");
    }
    let mark = Mark { timestamp: timestamp(get(&response, "created")), ..Mark::default() };
    let call = LlmCall {
        model: take_text(&mut response, "model").map(Into::into),
        prompt_tokens: count(&usage, "prompt_tokens"),
        completion_tokens: count(&usage, "completion_tokens"),
        cost: amount(&usage, "cost"),
    };
    // Other choices are answers that were not taken.
    let Some(mut choice) = take_list(&mut response, "choices").into_iter().next() else { return };
    let reason = take_text(&mut choice, "finish_reason");
    take_answer(run, take(&mut choice, "message").unwrap_or_default(), call, &mark);
    stopped(run, reason.as_deref());
}

/// What it means that a model stopped for a reason.
fn stopped(run: &mut Recorder, reason: Option<&str>) {
    match reason {
        Some("content_filter") => {
            run.ended(Some(RunError::new("content_filter", "the answer was withheld")));
        }
        Some("length") => run.ended(Some(RunError::new("incomplete", "length"))),
        _ => {}
    }
}

/// A stream of chunks: the answer of a model, in pieces.
#[derive(Default)]
struct Stream {
    envelope: Value,
    usage: Value,
    content: String,
    refusal: String,
    /// By index, which need not begin at 0.
    calls: BTreeMap<u64, Value>,
    reason: Option<String>,
}

impl Stream {
    fn chunk(&mut self, mut chunk: Value) {
        if let Some(usage) = take(&mut chunk, "usage") {
            self.usage = usage;
        }
        if let Some(mut choice) = take_list(&mut chunk, "choices").into_iter().next() {
            if let Some(reason) = take_text(&mut choice, "finish_reason") {
                self.reason = Some(reason);
            }
            let mut delta = take(&mut choice, "delta").unwrap_or_default();
            self.content.extend(text(&delta, "content"));
            self.refusal.extend(text(&delta, "refusal"));
            for (position, call) in take_list(&mut delta, "tool_calls").into_iter().enumerate() {
                let index = count(&call, "index").unwrap_or(position as u64);
                self.call(index, call);
            }
        }
        if self.envelope.is_null() {
            self.envelope = chunk;
        }
    }

    /// A piece of a call: its id and its name come once, its arguments in pieces.
    fn call(&mut self, index: u64, mut piece: Value) {
        if !piece.is_object() {
            return;
        }
        let Some(begun) = self.calls.get_mut(&index) else {
            self.calls.insert(index, piece);
            return;
        };
        if let Some(id) = take(&mut piece, "id").filter(|id| id.as_str() != Some("")) {
            begun["id"] = id;
        }
        let Some(mut function) = take(&mut piece, "function") else { return };
        if !begun["function"].is_object() {
            begun["function"] = function;
            return;
        }
        if let Some(name) = take(&mut function, "name").filter(|name| name.as_str() != Some("")) {
            begun["function"]["name"] = name;
        }
        if let Some(more) = take_text(&mut function, "arguments") {
            match &mut begun["function"]["arguments"] {
                Value::String(before) => before.push_str(&more),
                before => *before = more.into(),
            }
        }
    }

    fn assembled(self) -> Recorder {
        let Stream { envelope, usage, content, refusal, calls, reason } = self;
        let mut run = Recorder::new(TraceFormat::OpenaiChat);
        let calls: Vec<Value> = calls.into_values().collect();
        let mut message = serde_json::json!({ "role": "assistant", "content": content, "tool_calls": calls });
        if !refusal.is_empty() {
            message["refusal"] = refusal.into();
        }
        let is_whole = reason.is_some();
        let choice = serde_json::json!({ "message": message, "finish_reason": reason });
        let mut response = serde_json::json!({ "usage": usage, "choices": [choice] });
        for key in ["id", "model", "created"] {
            response[key] = envelope.get(key).cloned().unwrap_or_default();
        }
        take_response(&mut run, response);
        if !is_whole {
            run.broke_off();
        }
        run
    }
}
