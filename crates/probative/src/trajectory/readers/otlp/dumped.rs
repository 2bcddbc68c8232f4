//! Messages of `LangChain` that spans hold as JSON: what a node of a graph was given or put out, what a tool returned.

use crate::trajectory::readers::json::{content, get, take, text, texts};
use crate::trajectory::readers::langchain::{Kind, Message};
use crate::value::{Tree, Value};

/// The messages that a text holds: `{messages: […]}`, a list of them, or one.
pub(super) fn messages(text: &str) -> Option<Vec<Value>> {
    let held = held(text)?;
    let messages = match held {
        Value::Array(messages) => messages,
        mut held if get(&held, "messages").is_some_and(Value::is_array) => {
            match take(&mut held, "messages")? {
                Value::Array(messages) => messages,
                _ => return None,
            }
        }
        message => vec![message],
    };
    let are_messages = !messages.is_empty() && messages.iter().all(|message| speaker(message).is_some());
    are_messages.then_some(messages)
}

/// The last text of a model among messages.
pub(super) fn answer(messages: Vec<Value>) -> Option<String> {
    let said = |message: Value| texts(&said_by(Kind::Ai, message)?).filter(|text| !text.is_empty());
    messages.into_iter().rev().find_map(said)
}

/// What a user said first among messages.
pub(super) fn question(messages: Vec<Value>) -> Option<Value> {
    messages.into_iter().find_map(|message| said_by(Kind::Human, message)).map(content)
}

/// Whose message one is: one of `LangChain`, `["user", "Refund order 4711."]`, `{role: user, content: …}`.
fn speaker(message: &Value) -> Option<Kind> {
    let role = match message {
        Value::Array(pair) => match pair.as_slice() {
            [Value::String(role), Value::String(_)] => role.as_str(),
            _ => return None,
        },
        message => match Kind::of(message) {
            Some(kind) => return Some(kind),
            None => text(message, "role").filter(|_| message.get("content").is_some())?,
        },
    };
    match role {
        "user" | "human" => Some(Kind::Human),
        "assistant" | "ai" => Some(Kind::Ai),
        "system" | "developer" => Some(Kind::System),
        "tool" => Some(Kind::Tool),
        _ => None,
    }
}

/// What a message says, if it is of this kind.
fn said_by(kind: Kind, mut message: Value) -> Option<Value> {
    if speaker(&message) != Some(kind) {
        return None;
    }
    if let Value::Array(pair) = &mut message {
        return pair.pop();
    }
    let mut body = if Kind::of(&message).is_some() { Message::open(message)?.body } else { message };
    take(&mut body, "content")
}

/// What a tool returned, and whether that says that it failed. A message with a result is what it holds.
pub(super) fn result(written: Option<Value>) -> (Option<Value>, bool) {
    let record = match &written {
        Some(Value::String(text)) => held(text),
        Some(object @ Value::Object(_)) => Some(object.clone()),
        _ => None,
    };
    let is_one = |record: &Value| {
        let names_call =
            get(record, "tool_call_id").or(get(record, "data")).or(get(record, "kwargs")).is_some();
        Kind::of(record) == Some(Kind::Tool) && names_call
    };
    match record.filter(is_one).and_then(Message::open) {
        Some(mut message) => {
            let failed = text(&message.body, "status") == Some("error");
            (take(&mut message.body, "content"), failed)
        }
        None => (written, false),
    }
}

/// The object or list that a text holds.
pub(super) fn held(text: &str) -> Option<Value> {
    let may_hold = text.trim_start().starts_with(['{', '[']);
    may_hold.then(|| Tree::read(text.as_bytes()).ok())?.map(|tree| tree.value)
}
