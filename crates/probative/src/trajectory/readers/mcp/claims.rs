//! How transcripts of the Model Context Protocol are known. Other protocols are JSON-RPC, too: A2A, the Agent Client
//! Protocol, the Language Server Protocol.

use super::super::Claim;
use super::super::json::{at, get, list, object_in, text};
use super::envelope::{LISTS, WRAPPERS, is_message, is_said};
use crate::value::Value;

/// What the methods of the protocol begin with.
const FAMILIES: [&str; 12] = [
    "tools",
    "resources",
    "prompts",
    "completion",
    "logging",
    "sampling",
    "elicitation",
    "roots",
    "tasks",
    "notifications",
    "server",
    "subscriptions",
];

/// What the results of the protocol have, each at least one of them.
const RESULTS: [&str; 18] = [
    "content",
    "structuredContent",
    "isError",
    "resultType",
    "tools",
    "resources",
    "resourceTemplates",
    "contents",
    "prompts",
    "messages",
    "completion",
    "task",
    "tasks",
    "taskId",
    "action",
    "roots",
    "role",
    "serverInfo",
];

/// How likely a record is a part of a transcript: a message, a batch of them, or what a recorder wrapped one in.
pub(in super::super) fn claim(record: &Value) -> Claim {
    match record {
        Value::Array(messages) => Claim::of_list(messages, message),
        _ if is_message(record) || WRAPPERS.iter().any(|key| get(record, key).is_some_and(is_said)) => {
            wrapped(record)
        }
        _ => LISTS
            .iter()
            .map(|key| Claim::of_list(list(record, key), wrapped))
            .find(|claim| *claim != Claim::NO)
            .unwrap_or_default(),
    }
}

/// A message, or what a recorder wrapped one in: it is of the protocol if one of those in it is.
fn wrapped(record: &Value) -> Claim {
    if is_message(record) {
        return message(record);
    }
    let claims = WRAPPERS.iter().filter_map(|key| get(record, key)).filter(|inner| is_said(inner)).map(said);
    claims.max_by_key(|claim| (claim.weight.min(1), !claim.is_common)).unwrap_or_default()
}

/// What was said: a message or a batch of them, as JSON or as text.
fn said(value: &Value) -> Claim {
    let part = |claim: Claim| Claim { weight: claim.weight.min(1), is_run: false, ..claim };
    match get(value, "body").unwrap_or(value) {
        Value::Array(batch) => part(Claim::of_list(batch, message)),
        Value::String(text) => object_in(text).map_or(Claim::NO, |object| message(&Value::Object(object))),
        value => message(value),
    }
}

/// One message. Errors and results without content look alike in all protocols.
fn message(message: &Value) -> Claim {
    if !is_message(message) {
        return Claim::NO;
    }
    if let Some(method) = text(message, "method") {
        let version = at(message, &["params", "protocolVersion"]);
        return match (method, method.split_once('/')) {
            ("initialize", _) if version.is_some_and(Value::is_string) => Claim::PART,
            ("initialize" | "ping", _) => Claim::COMMON,
            (_, Some((family, _))) => Claim::part(FAMILIES.contains(&family)),
            (_, None) => Claim::NO,
        };
    }
    match get(message, "result") {
        Some(result) if RESULTS.iter().any(|key| get(result, key).is_some()) => Claim::PART,
        Some(_) => Claim::COMMON,
        None => Claim::common(get(message, "id").or(get(message, "error")).is_some()),
    }
}
