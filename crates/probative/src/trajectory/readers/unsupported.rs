//! Formats that are recognized so that they are refused by name. Their records resemble those of formats that have a
//! reader, which would lose most of what they record.

use super::json::{at, get, list, text};
use super::{NoRuns, TraceFormat};
use crate::value::Value;

/// A format that is recognized, but not read unless another format is named.
#[derive(Debug)]
pub(super) struct Unsupported {
    /// What a file in it is called: `a Cursor stream-json session`.
    name: &'static str,
    /// The format that reads it when it is named.
    read_as: Option<TraceFormat>,
    /// Returns true for a record that only this format has.
    has_mark: fn(&Value) -> bool,
}

impl Unsupported {
    /// Returns the format that a record has the mark of.
    pub(super) fn recognize(record: &Value) -> Option<&'static Unsupported> {
        UNSUPPORTED.iter().find(|format| (format.has_mark)(record))
    }

    /// Why a file with such a record is refused.
    pub(super) fn refusal(&self) -> NoRuns {
        NoRuns::Unsupported { looks_like: self.name, read_as: self.read_as }
    }
}

const fn unsupported(name: &'static str, has_mark: fn(&Value) -> bool) -> Unsupported {
    Unsupported { name, read_as: None, has_mark }
}

static UNSUPPORTED: &[Unsupported] = &[
    unsupported("a Cursor stream-json session", |record| {
        is_of_type(record, &["tool_call"])
            && text(record, "subtype").is_some()
            && get(record, "tool_call").is_some_and(Value::is_object)
    }),
    unsupported("a Cursor transcript", |record| {
        text(record, "role").is_some()
            && get(record, "type").is_none()
            && at(record, &["message", "content"]).is_some_and(Value::is_array)
    }),
    unsupported("a Qwen Code session", |record| {
        get(record, "uuid").is_some() && at(record, &["message", "parts"]).is_some_and(Value::is_array)
    }),
    unsupported("a Kimi session", |record| {
        is_of_type(record, &["context.append_loop_event", "context.append_message"])
    }),
    unsupported("an A2A transcript", is_a2a),
    unsupported("a Braintrust log", |record| {
        get(record, "span_attributes").is_some_and(Value::is_object) && text(record, "root_span_id").is_some()
    }),
    unsupported("a LangSmith trace", |record| {
        text(record, "run_type").is_some()
            && text(record, "dotted_order").or(text(record, "trace_id")).is_some()
    }),
    unsupported("a Langfuse trace", |record| {
        get(record, "trace").is_some_and(Value::is_object)
            && get(record, "observations").is_some_and(Value::is_array)
    }),
    unsupported("an OpenCode stream", |record| {
        text(record, "sessionID").is_some() && get(record, "part").is_some_and(Value::is_object)
    }),
    unsupported("a Pi or OpenClaw session", |record| {
        is_of_type(record, &["session"]) && text(record, "cwd").is_some()
    }),
    unsupported("a GitHub Copilot CLI session", |record| {
        is_of_type(record, &["assistant.message", "tool.execution_start", "tool.execution_complete"])
            && get(record, "data").is_some_and(Value::is_object)
    }),
    unsupported("a Grok Build session", |record| {
        is_of_type(record, &["backend_tool_call", "tool_result"])
            && get(record, "kind").or(get(record, "tool_call_id")).is_some()
    }),
    unsupported("a Factory Droid session", |record| {
        is_of_type(record, &["tool_call"]) && text(record, "toolName").is_some()
            || is_of_type(record, &["session_start"]) && text(record, "cwd").is_some()
    }),
    unsupported("a DeepEval test case", |record| {
        text(record, "actual_output").is_some() && get(record, "input").is_some()
    }),
    unsupported("a row of evaluation results", |record| {
        let has = |key: &str| get(record, key).is_some();
        has("input") && has("output") && has("expected") && !has("steps")
    }),
    unsupported("an AG-UI stream", |record| is_of_type(record, &["RUN_STARTED", "TOOL_CALL_START"])),
    Unsupported {
        name: "a mini-SWE-agent message list",
        read_as: Some(TraceFormat::SweAgent),
        has_mark: |record| match record {
            Value::Array(messages) => messages.iter().any(is_mini_swe_agent),
            _ if is_plain_chat(record) => list(record, "messages").iter().any(is_mini_swe_agent),
            _ => is_mini_swe_agent(record),
        },
    },
];

fn is_of_type(record: &Value, types: &[&str]) -> bool {
    text(record, "type").is_some_and(|kind| types.contains(&kind))
}

/// Returns true if a record is a message of the `Agent2Agent` protocol, which is JSON-RPC, too. MCP has tasks of its own, which it
/// calls by `taskId`.
fn is_a2a(record: &Value) -> bool {
    const METHODS: [&str; 6] = [
        "message/send",
        "message/stream",
        "tasks/resubscribe",
        "agent/getAuthenticatedExtendedCard",
        "SendMessage",
        "SendStreamingMessage",
    ];
    let is_method = |method: &str| match method {
        "tasks/get" | "tasks/cancel" => {
            at(record, &["params", "id"]).is_some() && at(record, &["params", "taskId"]).is_none()
        }
        method => METHODS.contains(&method) || method.starts_with("tasks/pushNotificationConfig/"),
    };
    let is_kind = |kind| matches!(kind, "task" | "message" | "status-update" | "artifact-update");
    text(record, "jsonrpc").is_some()
        && (text(record, "method").is_some_and(is_method)
            || get(record, "result").and_then(|result| text(result, "kind")).is_some_and(is_kind))
}

/// Returns true if an object is a chat that doesn't say where it comes from, as trajectories and samples of Inspect do.
fn is_plain_chat(record: &Value) -> bool {
    get(record, "messages").is_some_and(Value::is_array)
        && ["info", "trajectory_format", "epoch"].iter().all(|key| get(record, key).is_none())
}

/// Returns true if a message is of mini-SWE-agent when it takes commands from the text of answers: a command in a block of its own,
/// or what came of one.
fn is_mini_swe_agent(message: &Value) -> bool {
    let Some(content) = text(message, "content") else { return false };
    match text(message, "role") {
        Some("assistant") => {
            let is_command = content.contains("```mswea_bash_command")
                || content.contains("```bash") && content.contains("THOUGHT:");
            is_command && list(message, "tool_calls").is_empty()
        }
        Some("user") => content.trim_start().starts_with("<returncode>"),
        _ => false,
    }
}
