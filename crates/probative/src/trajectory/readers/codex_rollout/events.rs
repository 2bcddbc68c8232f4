//! The events of a session file: how calls of tools ended, and what Codex writes down beside the run.

use super::super::json::{at, get, text, texts};
use super::super::recorder::Outcome;
use crate::value::Value;

/// How a call of a tool ended, as an event says.
pub(super) struct Ended<'e> {
    /// The `call_id` of the call.
    pub(super) id: Option<&'e str>,
    pub(super) outcome: Outcome,
}

/// Returns how a call ended, if an event says so: `exec_command_end`, `mcp_tool_call_end`, `patch_apply_end`, or the
/// `item_completed` that newer versions write instead.
pub(super) fn call_end(event: &Value) -> Option<Ended<'_>> {
    let (kind, end) = match (text(event, "type")?, get(event, "item")) {
        ("item_completed", Some(item)) => (text(item, "type")?, item),
        (kind, _) => (kind, event),
    };
    let outcome = match kind {
        // The user ran it, not the agent.
        "exec_command_end" | "CommandExecution" if text(end, "source") == Some("user_shell") => return None,
        "exec_command_end" | "CommandExecution" => {
            let exit_code = get(end, "exit_code").map(|code| code.as_i64() == Some(0));
            outcome(exit_code.into_iter().chain(status(end)), end)
        }
        "patch_apply_end" | "FileChange" | "dynamic_tool_call_response" | "DynamicToolCall" => {
            outcome(get(end, "success").and_then(Value::as_bool).into_iter().chain(status(end)), end)
        }
        "mcp_tool_call_end" | "McpToolCall" => mcp_outcome(end),
        _ => return None,
    };
    Some(Ended { id: text(end, "call_id").or_else(|| text(end, "id")), outcome })
}

/// A call that has begun, by its `call_id` if it has one.
pub(super) struct Begun<'e> {
    pub(super) id: Option<&'e str>,
}

/// Returns the call that an event says has begun.
pub(super) fn call_begin(event: &Value) -> Option<Begun<'_>> {
    let (kind, begin) = match (text(event, "type")?, get(event, "item")) {
        ("item_started", Some(item)) => (text(item, "type")?, item),
        (kind, _) => (kind, event),
    };
    let is_call = matches!(
        kind,
        "exec_command_begin"
            | "mcp_tool_call_begin"
            | "patch_apply_begin"
            | "dynamic_tool_call_request"
            | "CommandExecution"
            | "McpToolCall"
            | "FileChange"
            | "DynamicToolCall"
    );
    let is_of_user = text(begin, "source") == Some("user_shell");
    let id = text(begin, "call_id").or_else(|| text(begin, "callId")).or_else(|| text(begin, "id"));
    (is_call && !is_of_user).then_some(Begun { id })
}

fn status(end: &Value) -> Option<bool> {
    match text(end, "status")? {
        "completed" => Some(true),
        "failed" | "declined" => Some(false),
        _ => None,
    }
}

/// The outcome by all that says whether a call succeeded: one that says no is enough.
fn outcome(succeeded: impl Iterator<Item = bool>, end: &Value) -> Outcome {
    let all = succeeded.reduce(|all, next| all && next);
    let outputs = ["error", "stderr", "aggregated_output", "formatted_output", "stdout"];
    let output = outputs.iter().find_map(|key| get(end, key).filter(|output| **output != ""));
    Outcome::flagged(all.map(|succeeded| !succeeded), output)
}

/// The outcome of `result`: `{"Ok": {"content": […], "is_error": false}}`, or `{"Err": "…"}`.
fn mcp_outcome(end: &Value) -> Outcome {
    let result = get(end, "result");
    let error = result.and_then(|result| get(result, "Err")).or(get(end, "error"));
    if error.is_some() {
        return Outcome::flagged(Some(true), error.and_then(|error| get(error, "message")).or(error));
    }
    let is_result = |result: &&Value| get(result, "content").is_some_and(Value::is_array);
    let Some(result) = result.map(|result| get(result, "Ok").unwrap_or(result)).filter(is_result) else {
        return outcome(status(end).into_iter(), end);
    };
    let flag = get(result, "is_error").or(get(result, "isError"));
    // Without a flag, the call succeeded.
    let is_error = flag.map_or(Some(false), Value::as_bool);
    let told = get(result, "content").and_then(texts).map(Value::String);
    let has_failed = if status(end) == Some(false) { Some(true) } else { is_error };
    Outcome::flagged(has_failed, told.as_ref())
}

/// Returns true for an event that is no step: it repeats an item, or is about the session and not the run.
pub(super) fn is_bookkeeping(event: &Value) -> bool {
    match text(event, "type").unwrap_or_default() {
        "item_started" | "item_completed" => {
            ITEMS.contains(&at(event, &["item", "type"]).and_then(Value::as_str).unwrap_or_default())
        }
        kind => EVENTS.contains(&kind),
    }
}

/// The items of a turn that events repeat.
const ITEMS: &[&str] = &[
    "AgentMessage",
    "CollabAgentToolCall",
    "CommandExecution",
    "ContextCompaction",
    "DynamicToolCall",
    "EnteredReviewMode",
    "ExitedReviewMode",
    "FileChange",
    "HookPrompt",
    "ImageGeneration",
    "ImageView",
    "McpToolCall",
    "Plan",
    "Reasoning",
    "Sleep",
    "SubAgentActivity",
    "UserMessage",
    "WebSearch",
];

/// Events that repeat what items record, or that are about the session.
const EVENTS: &[&str] = &[
    "agent_message",
    "agent_message_content_delta",
    "agent_message_delta",
    "agent_reasoning",
    "agent_reasoning_delta",
    "agent_reasoning_raw_content",
    "agent_reasoning_raw_content_delta",
    "agent_reasoning_section_break",
    "apply_patch_approval_request",
    "background_event",
    "collab_agent_interaction_begin",
    "collab_agent_interaction_end",
    "collab_agent_spawn_begin",
    "collab_agent_spawn_end",
    "collab_close_begin",
    "collab_close_end",
    "collab_resume_begin",
    "collab_resume_end",
    "collab_waiting_begin",
    "collab_waiting_end",
    "context_compacted",
    "conversation_path",
    "deprecation_notice",
    "dynamic_tool_call_request",
    "elicitation_request",
    "entered_review_mode",
    "exec_approval_request",
    "exec_command_begin",
    "exec_command_end",
    "exec_command_output_delta",
    "exited_review_mode",
    "get_history_entry_response",
    "guardian_assessment",
    "guardian_warning",
    "hook_completed",
    "hook_started",
    "image_generation_begin",
    "image_generation_end",
    "list_custom_prompts_response",
    "list_remote_skills_response",
    "list_skills_response",
    "mcp_list_tools_response",
    "mcp_startup_complete",
    "mcp_startup_update",
    "mcp_tool_call_begin",
    "model_reroute",
    "model_verification",
    "patch_apply_begin",
    "patch_apply_updated",
    "plan_delta",
    "plan_update",
    "raw_response_item",
    "realtime_conversation_closed",
    "realtime_conversation_list_voices_response",
    "realtime_conversation_realtime",
    "realtime_conversation_sdp",
    "realtime_conversation_started",
    "reasoning_content_delta",
    "reasoning_raw_content_delta",
    "remote_skill_downloaded",
    "request_permissions",
    "request_user_input",
    "safety_buffering",
    "session_configured",
    "shutdown_complete",
    "skills_update_available",
    "stream_error",
    "sub_agent_activity",
    "terminal_interaction",
    "thread_goal_cleared",
    "thread_goal_updated",
    "thread_name_updated",
    "thread_rolled_back",
    "thread_settings_applied",
    "token_count",
    "turn_diff",
    "turn_interrupted",
    "turn_moderation_metadata",
    "undo_completed",
    "undo_started",
    "user_message",
    "view_image_tool_call",
    "warning",
    "web_search_begin",
    "web_search_end",
];
