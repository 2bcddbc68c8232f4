//! A stream of chunks: the answer of a model, in pieces.

use std::collections::BTreeMap;

use serde_json::json;

use super::{take_response, unknown_part};
use crate::trajectory::readers::json::{count, get, holds_step, is_empty, take, take_text, text, texts};
use crate::trajectory::readers::recorder::Recorder;
use crate::value::Value;

/// An answer, as far as its chunks came.
#[derive(Default)]
pub(super) struct Stream {
    envelope: Value,
    usage: Value,
    /// By index, which need not begin at 0.
    choices: BTreeMap<u64, Choice>,
    /// What could not be put together, each in a few words.
    not_understood: Vec<String>,
}

/// One of the answers to choose from.
#[derive(Default)]
struct Choice {
    content: String,
    refusal: String,
    calls: Vec<Call>,
    /// The only call, in the older way to write it.
    function: Value,
    reason: Option<Value>,
}

/// A call, as far as its pieces came.
struct Call {
    index: u64,
    call: Value,
}

impl Stream {
    /// Returns true if a chunk begins another answer. The ids of one answer's chunks may differ, so it must have stopped.
    pub(super) fn is_over_before(&self, chunk: &Value) -> bool {
        let has_stopped = !self.choices.is_empty() && self.choices.values().all(|it| it.reason.is_some());
        let (known, next) = (text(&self.envelope, "id"), text(chunk, "id"));
        has_stopped && !list_is_empty(chunk) && next.is_some() && known != next
    }

    /// Takes a chunk.
    pub(super) fn chunk(&mut self, mut chunk: Value) {
        if let Some(usage) = take(&mut chunk, "usage") {
            self.usage = usage;
        }
        match take(&mut chunk, "choices") {
            Some(Value::Array(choices)) => choices.into_iter().for_each(|choice| self.choice(choice)),
            Some(_) => self.lose("'choices' isn't an array"),
            // Some chunks have the usage alone, or nothing.
            None => {}
        }
        if holds_step(&chunk) {
            self.lose("unexpected tool call in a chunk, outside 'choices'");
        }
        if self.envelope.is_null() {
            self.envelope = chunk;
        }
    }

    fn lose(&mut self, what: &str) {
        self.not_understood.push(what.to_owned());
    }

    fn choice(&mut self, mut written: Value) {
        let choice = self.choices.entry(count(&written, "index").unwrap_or_default()).or_default();
        // Some services write "" for null.
        if let Some(reason) = take(&mut written, "finish_reason").filter(|reason| !is_empty(reason)) {
            choice.reason = Some(reason);
        }
        let mut delta = take(&mut written, "delta").unwrap_or_default();
        let content = take(&mut delta, "content").unwrap_or_default();
        choice.content.extend(texts(&content));
        choice.refusal.extend(take_text(&mut delta, "refusal"));
        if let Some(function) = take(&mut delta, "function_call") {
            join(&mut choice.function, function, "arguments");
        }
        let calls = take(&mut delta, "tool_calls").unwrap_or_default();
        let is_odd = !calls.is_array() && !calls.is_null();
        let mut is_lost = is_odd || !(delta.is_object() || delta.is_null());
        if let Value::Array(calls) = calls {
            for (position, piece) in calls.into_iter().enumerate() {
                let index = count(&piece, "index").unwrap_or(position as u64);
                is_lost |= !piece.is_object();
                is_lost |= !choice.piece(index, piece);
            }
        }
        if let Some(part) = unknown_part(&content) {
            self.lose(&part);
        }
        if is_lost || holds_step(&delta) || holds_step(&written) {
            self.lose("a tool call in a chunk");
        }
    }

    /// Writes the answer down.
    pub(super) fn assemble(self, run: &mut Recorder) {
        let Stream { envelope, usage, choices, not_understood } = self;
        let is_whole = !choices.is_empty() && choices.values().all(|choice| choice.reason.is_some());
        let choices: Vec<Value> =
            choices.into_iter().map(|(index, choice)| choice.assembled(index)).collect();
        let mut response = json!({ "usage": usage, "choices": choices });
        for key in ["id", "model", "created"] {
            response[key] = envelope.get(key).cloned().unwrap_or_default();
        }
        take_response(run, response);
        for what in not_understood {
            run.not_understood(|| what);
        }
        if !is_whole {
            run.cut_off("no 'finish_reason'");
        }
    }
}

fn list_is_empty(chunk: &Value) -> bool {
    chunk.get("choices").is_none_or(is_empty)
}

impl Choice {
    /// Takes a piece of a call: its id and its name come once, its arguments in pieces. Some services give all calls the
    /// same index; a piece with a name begins the next call then, if its id or its name is another.
    ///
    /// Returns false for a piece with another id and without a name: it may be another call.
    fn piece(&mut self, index: u64, mut piece: Value) -> bool {
        let name = |call: &Value| {
            let tool = get(call, "function").or_else(|| get(call, "custom"))?;
            text(tool, "name").filter(|name| !name.is_empty()).map(str::to_owned)
        };
        let begins = |begun: &Value| {
            let is_other =
                text(&piece, "id").is_some_and(|id| !id.is_empty() && text(begun, "id") != Some(id));
            let is_named_otherwise = name(begun).is_some_and(|known| name(&piece) != Some(known));
            name(&piece).is_some() && (is_other && text(begun, "id").is_some() || is_named_otherwise)
        };
        let begun = self.calls.iter_mut().rev().find(|call| call.index == index);
        let Some(Call { call: begun, .. }) = begun.filter(|begun| !begins(&begun.call)) else {
            self.calls.push(Call { index, call: piece });
            return true;
        };
        if !begun.is_object() {
            return true;
        }
        let mut is_sure = true;
        if let Some(id) = take(&mut piece, "id").filter(|id| id.as_str() != Some("")) {
            is_sure = get(begun, "id").is_none_or(|known| *known == id);
            begun["id"] = id;
        }
        for (key, given) in [("function", "arguments"), ("custom", "input")] {
            if let Some(tool) = take(&mut piece, key) {
                join(&mut begun[key], tool, given);
            }
        }
        is_sure
    }

    fn assembled(mut self, index: u64) -> Value {
        self.calls.sort_by_key(|call| call.index);
        let calls: Vec<Value> = self.calls.into_iter().map(|call| call.call).collect();
        let mut message = json!({ "role": "assistant", "content": self.content, "tool_calls": calls });
        if !self.refusal.is_empty() {
            message["refusal"] = self.refusal.into();
        }
        if !self.function.is_null() {
            message["function_call"] = self.function;
        }
        json!({ "index": index, "message": message, "finish_reason": self.reason })
    }
}

/// Joins the next piece of a tool's name and of what it is given, which is the member `given`.
fn join(begun: &mut Value, mut piece: Value, given: &str) {
    if !begun.is_object() || !piece.is_object() {
        *begun = piece;
        return;
    }
    if let Some(name) = take(&mut piece, "name").filter(|name| name.as_str() != Some("")) {
        begun["name"] = name;
    }
    match (&mut begun[given], take(&mut piece, given)) {
        (_, None) => {}
        (Value::String(before), Some(Value::String(more))) => before.push_str(&more),
        (before, Some(more)) => *before = more,
    }
}
