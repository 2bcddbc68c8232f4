//! What was said to a model and by it, where it is told by events of a span, one for each message: `gen_ai.user.message`,
//! `gen_ai.choice`.

use serde_json::{Map, json};

use super::stops::is_for_calls;
use crate::trajectory::readers::json::{
    count, get, holds_step, list, object_in, take, take_text, text, texts,
};
use crate::value::{Tree, Value};

/// A message that an event tells.
pub(super) enum Told {
    /// One that the model was given.
    Given(Value),
    /// One that it answered with.
    Answer(Value),
    /// The model asked for calls that the event doesn't contain.
    Stopped,
}

/// The message of an event, as `gen_ai.input.messages` would hold it; `None` where the event tells none, or not what was
/// said. Of several answers to choose from, the first counts.
pub(super) fn message(name: &str, attributes: Map<String, Value>) -> Option<Told> {
    // Some write all of the message into one attribute.
    let whole = attributes.get("gen_ai.event.content").and_then(Value::as_str).and_then(object_in);
    let mut told = Value::Object(whole.unwrap_or(attributes));
    if name == "gen_ai.choice" {
        if count(&told, "index").is_some_and(|index| index > 0) {
            return None;
        }
        let stopped_for_calls = get(&told, "finish_reason").is_some_and(is_for_calls);
        let message = match take(&mut told, "message") {
            Some(Value::String(text)) => match object_in(&text) {
                Some(message) => Value::Object(message),
                None => json!({ "content": text }),
            },
            Some(message @ Value::Object(_)) => message,
            _ => told,
        };
        let asks = stopped_for_calls || holds_step(&message);
        let answer = in_parts("assistant", message);
        let is_call = |part: &Value| text(part, "type") == Some("tool_call");
        let has_call = |answer: &Value| list(answer, "parts").iter().any(is_call);
        // What asks for calls and tells none in full is not all that was said.
        if asks && !answer.as_ref().is_some_and(has_call) {
            return Some(Told::Stopped);
        }
        return answer.map(Told::Answer);
    }
    let role = name.strip_prefix("gen_ai.")?.strip_suffix(".message")?;
    let is_role = matches!(role, "system" | "user" | "assistant" | "tool");
    is_role.then(|| in_parts(role, told)).flatten().map(Told::Given)
}

fn in_parts(role: &str, mut message: Value) -> Option<Value> {
    let content = take(&mut message, "content").map(decoded);
    if role == "tool" {
        let id = take(&mut message, "id").or_else(|| take(&mut message, "tool_call_id"));
        let part = json!({ "type": "tool_call_response", "id": id, "response": content? });
        return Some(json!({ "role": role, "parts": [part] }));
    }
    let said = content.as_ref().and_then(texts);
    let said = said.map(|text| json!({ "type": "text", "content": text }));
    let calls = match take(&mut message, "tool_calls").map(decoded) {
        Some(Value::Array(calls)) => calls,
        _ => Vec::new(),
    };
    let mut parts: Vec<Value> = said.into_iter().chain(calls.into_iter().filter_map(called)).collect();
    if let Some(Value::Array(others)) = content {
        parts.extend(others.into_iter().filter_map(used));
    }
    (!parts.is_empty()).then(|| json!({ "role": role, "parts": parts }))
}

/// A call that the model asked for: `{id, function: {name, arguments}}`. One without arguments is left to its span: what
/// was said is then not recorded.
fn called(mut call: Value) -> Option<Value> {
    let id = take(&mut call, "id");
    let mut function = take(&mut call, "function").unwrap_or(call);
    let (name, arguments) = (take_text(&mut function, "name")?, take(&mut function, "arguments")?);
    Some(json!({ "type": "tool_call", "id": id, "name": name, "arguments": arguments }))
}

/// The same as a part of the content: `{toolUse: {toolUseId, name, input}}`.
fn used(mut part: Value) -> Option<Value> {
    let mut call = take(&mut part, "toolUse")?;
    let (id, name) = (take(&mut call, "toolUseId"), take_text(&mut call, "name")?);
    Some(json!({ "type": "tool_call", "id": id, "name": name, "arguments": take(&mut call, "input") }))
}

/// The list of parts or calls that a text holds. Any other text is itself.
fn decoded(written: Value) -> Value {
    const PARTS: [&str; 4] = ["text", "toolUse", "toolResult", "function"];
    let is_part = |part: &Value| PARTS.iter().any(|key| get(part, key).is_some());
    let held = match &written {
        Value::String(text) if text.starts_with('[') => Tree::read(text.as_bytes()).ok(),
        _ => None,
    };
    match held.map(|tree| tree.value) {
        Some(Value::Array(parts)) if !parts.is_empty() && parts.iter().all(is_part) => Value::Array(parts),
        _ => written,
    }
}
