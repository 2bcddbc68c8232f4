//! `OpenAI` chat completions and whoever speaks like them: lists of messages, requests and responses, streams of chunks.

mod stream;

use std::borrow::Cow;

use super::json::{
    amount, count, get, id, is_empty, list, take, take_list, take_text, text, texts, timestamp, tool_names,
    unknown_kind,
};
use super::recorder::{Args, Mark, Outcome, Recorder, Returned};
use super::{Claim, Reader, Recorded, RunId, TraceFormat};
use crate::trajectory::model::{LlmCall, RunError};
use crate::value::Value;
use stream::Stream;

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

/// What keeps an object from being a message, as far as that is known.
pub(super) fn why_no_message(message: &Value) -> Option<String> {
    let has = |key| get(message, key).is_some();
    let has_content = has("content");
    match text(message, "role") {
        Some("user" | "system" | "developer") if !has_content => Some("no 'content'".to_owned()),
        Some("assistant") if !has_content && !has("tool_calls") && !has("function_call") => {
            Some("no 'content' or 'tool_calls'".to_owned())
        }
        Some("tool") if !has("tool_call_id") && !has("name") => Some("no 'tool_call_id'".to_owned()),
        Some("function") if !has("name") => Some("no 'name'".to_owned()),
        Some("user" | "system" | "developer" | "assistant" | "tool" | "function") => None,
        _ => Some(unknown_kind(message, "role")),
    }
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
    if text(record, "type") == Some("message") || get(record, "stop_reason").is_some() {
        // Anthropic's, or an item of a response.
        return Claim::NO;
    }
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
    /// The answers that were streamed before.
    streamed: Option<Recorder>,
}

impl Reader for Chat {
    fn record(&mut self, mut record: Value, id: RunId, done: &mut Vec<Recorded>) -> Result<(), String> {
        if text(&record, "object") == Some("chat.completion.chunk") {
            if self.stream.as_ref().is_some_and(|stream| stream.is_over_before(&record)) {
                self.end_stream();
            }
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
            _ => run.take_list(&mut record, "messages"),
        };
        run.run().tools = tool_names(list(&record, "tools"));
        run.run().tools.extend(tool_names(list(&record, "functions")));
        for (number, message) in (1..).zip(messages) {
            if let Err(why) = take_message(&mut run, message) {
                run.note(super::NoteKind::StrayRecord, || format!("message {number}: {why}"));
            }
        }
        if is_bare_response(&record) {
            let choice = serde_json::json!({ "message": take(&mut record, "message") });
            let tokens = record.get_mut("usage").and_then(|usage| take(usage, "tokens")).unwrap_or_default();
            record["usage"] = serde_json::json!({ "prompt_tokens": tokens.get("input_tokens"),
                "completion_tokens": tokens.get("output_tokens") });
            record["choices"] = Value::Array(vec![choice]);
            take_response(&mut run, record);
        } else if get(&record, "choices").is_some() || text(&record, "object") == Some("chat.completion") {
            take_response(&mut run, record);
        } else {
            if let Some(response) = take(&mut record, "response") {
                take_response(&mut run, response);
            }
            // A request may force a call with this key.
            take(&mut record, "function_call");
            run.check_rest(&record, "the object that has 'messages'");
        }
        if run.is_empty() {
            return Err("no 'messages', 'choices' or 'role'".to_owned());
        }
        done.push(run.finish(id));
        Ok(())
    }

    fn finish(mut self: Box<Self>, done: &mut Vec<Recorded>) {
        self.end_stream();
        let runs = self.messages.into_iter().chain(self.streamed);
        done.extend(runs.map(|run| run.finish(RunId::Whole)));
    }
}

impl Chat {
    /// Adds the answer that was streamed to the run.
    fn end_stream(&mut self) {
        if let Some(stream) = self.stream.take() {
            let run = self.streamed.get_or_insert_with(|| Recorder::new(TraceFormat::OpenaiChat));
            stream.assemble(run);
        }
    }
}

fn take_message(run: &mut Recorder, mut message: Value) -> Result<(), String> {
    match text(&message, "role") {
        Some("user") => {
            let content = take(&mut message, "content");
            run.check_rest(content.as_ref().unwrap_or(&Value::Null), "a user message");
            run.check_rest(&message, "a user message");
            run.heard(content);
        }
        Some("assistant") => {
            take_answer(run, message, LlmCall::default(), &Mark::default());
        }
        Some(role @ ("tool" | "function")) => {
            let by_name = role == "function";
            let result = message.get_mut("content").map(Value::take).filter(|result| !result.is_null());
            let id = id(&message, "tool_call_id").filter(|_| !by_name);
            let id = id.as_deref();
            let returned = Returned { id, name: text(&message, "name"), result, outcome: Outcome::Unknown };
            run.returned(returned);
            run.check_rest(&message, "a tool message");
        }
        Some("system" | "developer") => run.check_rest(&message, "a system message"),
        _ => return Err(unknown_kind(&message, "role")),
    }
    Ok(())
}

/// Takes the answer of a model; `call` is what is known of the call that gave it. Answers with the number of tools that it
/// called.
fn take_answer(run: &mut Recorder, mut message: Value, call: LlmCall<'static>, mark: &Mark) -> usize {
    run.llm(call, mark.clone());
    if let Some(text) = get(&message, "content").and_then(texts).filter(|text| !text.is_empty()) {
        run.said(text);
    }
    if let Some(refusal) = text(&message, "refusal") {
        run.ended(Some(RunError::new("refusal", refusal.to_owned())));
    }
    let calls = take_calls(run, &mut message);
    for call in &calls {
        take_call(run, call.clone(), mark);
    }
    match get(&message, "finish_reason").map(Value::as_str) {
        Some(Some("tool_calls" | "function_call")) if calls.is_empty() => {
            run.not_understood(|| "'finish_reason' asks for tool calls, but the message has none".to_owned());
        }
        Some(None) => run.not_understood(|| "'finish_reason' isn't a string".to_owned()),
        _ => {}
    }
    // A null says that nothing was said.
    let is_absent = message.get("content").is_none() && calls.is_empty();
    if is_absent && get(&message, "refusal").or(get(&message, "audio")).is_none() {
        run.answer_not_understood(|| "an assistant message without 'content'".to_owned());
    }
    let content = take(&mut message, "content").unwrap_or_default();
    run.check_texts(&content);
    if let Some(part) = unknown_part(&content) {
        run.answer_not_understood(|| part);
    }
    run.check_rest(&message, "an assistant message");
    calls.len()
}

/// Takes the calls of an answer: its `tool_calls`, and the older `function_call`, which some services write beside them for
/// the same call.
fn take_calls(run: &mut Recorder, message: &mut Value) -> Vec<Value> {
    let mut calls = run.take_list(message, "tool_calls");
    if let Some(function) = take(message, "function_call").filter(|function| !is_empty(function)) {
        let is_same = |call: &Value| {
            let known = get(call, "function").unwrap_or(&Value::Null);
            known.get("name") == function.get("name") && known.get("arguments") == function.get("arguments")
        };
        if !calls.iter().any(is_same) {
            calls.push(serde_json::json!({ "function": function }));
        }
    }
    calls
}

fn take_call(run: &mut Recorder, mut call: Value, mark: &Mark) {
    let id = id(&call, "id").map(Cow::into_owned);
    let (mut tool, key) = match take(&mut call, "function") {
        Some(function) => (function, "arguments"),
        None => (take(&mut call, "custom").unwrap_or_default(), "input"),
    };
    let args = match take(&mut tool, key) {
        // What a custom tool is given is a text, and means itself.
        Some(Value::String(input)) if key == "input" => Args::Given(serde_json::json!({ "input": input })),
        args => args.into(),
    };
    run.call(id.as_deref(), take_text(&mut tool, "name").unwrap_or_default(), args, mark.clone());
}

/// Describes what in the content of an answer is no known part, and may be a call.
fn unknown_part(content: &Value) -> Option<String> {
    const KNOWN: [&str; 14] = [
        "text",
        "output_text",
        "refusal",
        "thinking",
        "redacted_thinking",
        "reasoning",
        "reasoning_content",
        "image",
        "image_url",
        "input_audio",
        "audio",
        "file",
        "reference",
        "document_url",
    ];
    let is_known = |part: &Value| match text(part, "type") {
        Some(kind) => KNOWN.contains(&kind),
        None => part.is_string() || text(part, "text").is_some(),
    };
    match content {
        Value::Array(parts) => {
            let part = parts.iter().find(|part| !is_known(part))?;
            Some(format!("a content part: {}", unknown_kind(part, "type")))
        }
        // Texts, and whether it can have any, are checked elsewhere.
        _ => None,
    }
}

/// Takes the answer of a model with its envelope: the model's name, what it took, why it stopped.
fn take_response(run: &mut Recorder, mut response: Value) {
    let usage = take(&mut response, "usage").unwrap_or_default();
    if run.is_empty() {
        run.run().run_id = take_text(&mut response, "id").map(Into::into);
        run.run().total_tokens = count(&usage, "total_tokens");
    } else {
        run.run().total_tokens = None;
    }
    let mark = Mark { timestamp: timestamp(get(&response, "created")), ..Mark::default() };
    let call = LlmCall {
        model: take_text(&mut response, "model").map(Into::into),
        prompt_tokens: count(&usage, "prompt_tokens"),
        completion_tokens: count(&usage, "completion_tokens"),
        cost: amount(&usage, "cost"),
    };
    let why = match get(&response, "choices") {
        Some(Value::Array(_)) => "'choices' is empty",
        Some(_) => "'choices' isn't an array",
        None => "a response without 'choices'",
    };
    let mut choices = take_list(&mut response, "choices");
    if choices.is_empty() {
        run.llm(call, mark);
        run.not_understood(|| why.to_owned());
        return;
    }
    let first = choices.iter().position(|choice| count(choice, "index") == Some(0)).unwrap_or_default();
    let mut choice = choices.remove(first);
    let reason = take(&mut choice, "finish_reason").unwrap_or_default();
    let message = take(&mut choice, "message").filter(Value::is_object).unwrap_or_else(|| {
        run.not_understood(|| "a choice without a 'message' object".to_owned());
        Value::default()
    });
    let calls = take_answer(run, message, call, &mark);
    if calls == 0 && matches!(reason.as_str(), Some("tool_calls" | "function_call")) {
        run.not_understood(|| "'finish_reason' asks for tool calls, but the message has none".to_owned());
    }
    // Which of several answers was taken is not recorded.
    if choices.iter().any(may_call) {
        run.not_understood(|| "several choices, with tool calls".to_owned());
    }
    stopped(run, &reason);
    let error = get(&choice, "error").or_else(|| get(&response, "error"));
    if let Some(error) = error.filter(|error| !is_empty(error)) {
        let message = text(error, "message").or(error.as_str()).unwrap_or("failed").to_owned();
        run.ended(Some(RunError::new("error", message)));
    }
}

/// Returns true unless a choice consists of text.
fn may_call(choice: &Value) -> bool {
    let Some(message) = get(choice, "message") else { return true };
    let has_calls = ["tool_calls", "function_call"]
        .iter()
        .any(|key| get(message, key).is_some_and(|calls| !is_empty(calls)));
    has_calls || unknown_part(message.get("content").unwrap_or(&Value::Null)).is_some()
}

/// What it means that a model stopped for a reason.
fn stopped(run: &mut Recorder, reason: &Value) {
    match reason.as_str() {
        None if !reason.is_null() => run.broke_off(),
        Some("content_filter") => {
            run.ended(Some(RunError::new("content_filter", "the answer was withheld")));
        }
        Some(reason @ ("length" | "model_length" | "max_tokens" | "MAX_TOKENS")) => {
            run.ended(Some(RunError::new("incomplete", reason.to_owned())));
        }
        Some("error" | "ERROR") => run.ended(Some(RunError::new("error", "the model stopped with an error"))),
        Some(reason) if !is_usual_stop(reason) => {
            // It may have stopped at a call that the service could not read.
            run.not_understood(|| format!("unknown 'finish_reason' '{reason}'"));
            run.broke_off();
        }
        _ => {}
    }
}

/// Returns true for reasons to stop that mean that an answer is whole, as this API and those that speak like it write them.
fn is_usual_stop(reason: &str) -> bool {
    matches!(
        reason,
        "" | "stop"
            | "STOP"
            | "tool_calls"
            | "function_call"
            | "eos"
            | "eos_token"
            | "end_turn"
            | "stop_sequence"
            | "COMPLETE"
            | "STOP_SEQUENCE"
            | "TOOL_CALL"
    )
}
