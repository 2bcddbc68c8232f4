//! What recorders wrap messages in: each in its own way.

use super::super::json::{get, object_in, seconds, take, text, timestamp};
use crate::trajectory::json::Json;
use crate::value::Value;

/// Where recorders put a message, if not bare: in one of these members.
pub(super) const WRAPPERS: [&str; 6] = ["msg", "message", "payload", "data", "request", "response"];

/// Where recorders put the list of messages of a whole file.
pub(super) const LISTS: [&str; 4] = ["messages", "exchanges", "interactions", "entries"];

/// What a recorder tells of a message.
#[derive(Default)]
pub(super) struct Envelope {
    pub(super) timestamp: Option<Json<'static>>,
    pub(super) direction: Option<String>,
    pub(super) connection: String,
}

impl Envelope {
    pub(super) fn of(record: &Value) -> Envelope {
        let first = |keys: &[&str]| keys.iter().find_map(|key| get(record, key));
        let word = |keys: &[&str]| match first(keys)? {
            Value::String(word) => Some(word.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let connections = ["connection", "conn", "connection_id", "server"];
        Envelope {
            timestamp: first(&["timestamp", "ts", "time", "t"]).and_then(moment),
            direction: word(&["dir", "direction", "from"]),
            connection: word(&connections).unwrap_or_default(),
        }
    }
}

pub(super) fn is_message(value: &Value) -> bool {
    text(value, "jsonrpc") == Some("2.0")
}

/// Whether a value is a message or a batch of them, as JSON or as text, or has one as its body.
pub(super) fn is_said(value: &Value) -> bool {
    match get(value, "body").unwrap_or(value) {
        Value::Array(batch) => batch.first().is_some_and(is_message),
        Value::String(text) => text.trim_start().starts_with('{') && text.contains("\"jsonrpc\""),
        value => is_message(value),
    }
}

/// The message in such a value.
pub(super) fn opened(mut value: Value) -> Value {
    match take(&mut value, "body").unwrap_or(value) {
        Value::String(text) => object_in(&text).map(Value::Object).unwrap_or_default(),
        value => value,
    }
}

/// When a message was recorded. Small numbers count from the beginning of the recording, and tell no time.
fn moment(when: &Value) -> Option<Json<'static>> {
    let Some(number) = when.as_f64() else { return timestamp(Some(when)) };
    match number {
        1e17.. => seconds(number / 1e9),
        1e14.. => seconds(number / 1e6),
        1e11.. => seconds(number / 1e3),
        1e8.. => timestamp(Some(when)),
        _ => None,
    }
}
