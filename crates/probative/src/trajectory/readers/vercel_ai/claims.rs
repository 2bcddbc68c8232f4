//! How records of the Vercel AI SDK are known.

use super::super::Claim;
use super::super::json::{get, list, text};
use crate::value::Value;

/// How likely a record is of the SDK: a message, a step, a list of them, a chat with `messages`, a result with `steps`.
pub(in super::super) fn claim(record: &Value) -> Claim {
    match record {
        Value::Array(records) => Claim::of_list(records, part),
        _ if is_step(record) || get(record, "role").is_some() => part(record),
        _ if get(record, "steps").is_some() => {
            Claim::of_list(list(record, "steps"), |step| Claim::part(is_step(step)))
        }
        _ => Claim::of_list(list(record, "messages"), |message| {
            Claim::part(is_ui_message(message) || is_model_message(message))
        }),
    }
}

fn part(record: &Value) -> Claim {
    Claim::part(is_step(record) || is_ui_message(record) || is_model_message(record))
}

/// Whether a record is a step of a result. Before version 5, what it did stood in `toolCalls` and `text`.
pub(super) fn is_step(record: &Value) -> bool {
    let has = |key| get(record, key).is_some();
    let has_content = get(record, "content").is_some_and(Value::is_array)
        || get(record, "toolCalls").is_some_and(Value::is_array)
        || text(record, "text").is_some();
    text(record, "finishReason").is_some()
        && has_content
        && !has("role")
        && (has("usage") || has("response") || has("stepNumber") || has("stepType"))
}

/// Whether a record is a message of the UI: its parts say their types. Before version 4.2 it has no parts.
fn is_ui_message(record: &Value) -> bool {
    let is_part = |part: &Value| match text(part, "type") {
        Some("text") => text(part, "text").is_some(),
        Some(_) => true,
        None => false,
    };
    matches!(text(record, "role"), Some("system" | "user" | "assistant" | "data"))
        && match get(record, "parts") {
            // No other format has types here: a part without one among them is broken.
            Some(Value::Array(parts)) => parts.is_empty() || parts.iter().any(is_part),
            Some(_) => false,
            None => get(record, "toolInvocations").is_some_and(Value::is_array),
        }
}

/// Whether a record is a message of the model. One without tools may be of others, too.
fn is_model_message(record: &Value) -> bool {
    const NEVER: [&str; 6] = ["type", "parts", "tool_calls", "function_call", "tool_call_id", "refusal"];
    if NEVER.iter().any(|key| record.get(key).is_some()) {
        return false;
    }
    match (text(record, "role"), get(record, "content")) {
        (Some("system" | "user" | "assistant"), Some(Value::String(_))) => true,
        (Some("user" | "assistant"), Some(Value::Array(parts))) => parts.iter().all(is_part),
        (Some("tool"), Some(Value::Array(parts))) => {
            let is_result =
                |part| matches!(text(part, "type"), Some("tool-result" | "tool-approval-response"));
            !parts.is_empty() && parts.iter().all(is_result)
        }
        _ => false,
    }
}

/// Whether something is a part of a model's message.
fn is_part(part: &Value) -> bool {
    let has = |key| get(part, key).is_some();
    match text(part, "type") {
        Some("text" | "reasoning") => text(part, "text").is_some(),
        Some("image") => has("image"),
        Some("file") => has("mediaType") || has("mimeType"),
        Some("tool-call" | "tool-result") => has("toolName"),
        Some("tool-approval-request") => has("approvalId"),
        _ => false,
    }
}
