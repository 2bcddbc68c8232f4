//! The blocks that the content of a message consists of: texts, calls of tools, and what came of them.

use super::super::json::{get, id, take, take_text, text, unknown_kind};
use super::super::recorder::{Mark, Outcome, Recorder, Returned};
use crate::trajectory::model::RunError;
use crate::value::Value;

/// What an answer of the model holds beside its calls.
#[derive(Debug, Default)]
pub(in super::super) struct Answer {
    /// Its texts, joined; empty where it has none.
    pub(in super::super) text: String,
    /// Whether a call in it waits for its result.
    pub(in super::super) waits: bool,
}

/// Whether something is a block of this API. A text may be of others, too.
pub(super) fn is_block(block: &Value) -> bool {
    match text(block, "type") {
        Some("text") => text(block, "text").is_some(),
        Some("image" | "document") => get(block, "source").is_some(),
        Some("tool_use") => get(block, "input").is_some(),
        Some(kind) => is_aside(kind) || is_call(kind) || is_result(kind),
        None => false,
    }
}

/// Returns true for blocks that are known to be neither texts, calls nor results.
fn is_aside(kind: &str) -> bool {
    matches!(
        kind,
        "thinking"
            | "redacted_thinking"
            | "search_result"
            | "container_upload"
            | "compaction"
            | "fallback"
            | "image"
            | "document"
    )
}

/// `tool_use`, and those that the service itself serves: `server_tool_use`, `mcp_tool_use`, and whatever else ends so.
pub(in super::super) fn is_call(kind: &str) -> bool {
    kind == "tool_use" || kind.ends_with("_tool_use")
}

/// `tool_result`, and those of the service's own tools: `web_search_tool_result`.
fn is_result(kind: &str) -> bool {
    kind == "tool_result" || kind.ends_with("_tool_result")
}

/// Takes the content of an answer: its calls become steps, and results that stand beside them are theirs. What it says is
/// answered with, and not written down: its texts may go on in another record.
pub(in super::super) fn take_answer(run: &mut Recorder, content: Option<Value>, mark: &Mark) -> Answer {
    let blocks = match content {
        Some(Value::Array(blocks)) => blocks,
        Some(Value::String(text)) => return Answer { text, waits: false },
        None => return Answer::default(),
        Some(_) => {
            run.answer_not_understood(|| "'content' is neither a string nor an array".to_owned());
            return Answer::default();
        }
    };
    let mut answer = Answer::default();
    let mut waiting: usize = 0;
    for block in blocks {
        match text(&block, "type") {
            Some("text") => match text(&block, "text") {
                Some(text) => answer.text.push_str(text),
                None => run.answer_not_understood(|| "'text' of a block isn't a string".to_owned()),
            },
            Some(kind) if is_call(kind) => {
                take_call(run, block, mark.clone());
                waiting += 1;
            }
            Some(kind) if is_result(kind) => {
                let fits = take_result(run, block).is_some();
                waiting = waiting.saturating_sub(usize::from(fits));
            }
            Some(kind) if is_aside(kind) => {}
            _ => {
                run.answer_not_understood(|| format!("a content block: {}", unknown_kind(&block, "type")));
            }
        }
    }
    answer.waits = waiting > 0;
    answer
}

/// Takes the results out of the content of a user's message. Answers with what the user said beside them.
pub(in super::super) fn take_results(run: &mut Recorder, content: Option<Value>) -> Option<Value> {
    let blocks = match content {
        Some(Value::Array(blocks)) => blocks,
        None | Some(Value::String(_)) => return content,
        Some(_) => {
            run.not_understood(|| "'content' is neither a string nor an array".to_owned());
            return content;
        }
    };
    let mut said = Vec::new();
    for block in blocks {
        if text(&block, "type").is_some_and(is_result) {
            take_result(run, block);
        } else {
            if text(&block, "type").is_none() {
                run.not_understood(|| format!("a content block: {}", unknown_kind(&block, "type")));
            }
            run.check_rest(&block, "a user block");
            said.push(block);
        }
    }
    (!said.is_empty()).then_some(Value::Array(said))
}

/// Takes a block that calls a tool. Answers with the step of the call.
///
/// The service gives every call an id of its own, so a block with the id and content of a call that waits is that call.
pub(in super::super) fn take_call(run: &mut Recorder, mut block: Value, mark: Mark) -> usize {
    let name = take_text(&mut block, "name").unwrap_or_default();
    let args = take(&mut block, "input");
    let id = id(&block, "id");
    match run.repeated_call(id.as_deref(), &name, args.as_ref()) {
        Some(step) => step,
        None => run.call(id.as_deref(), name, args.into(), mark),
    }
}

/// Takes a block that tells what came of a call: it failed if it says so, or if what it holds is an error of the service.
/// Answers with the step of the call.
pub(in super::super) fn take_result(run: &mut Recorder, mut block: Value) -> Option<usize> {
    let result = take(&mut block, "content");
    let outcome = match (result.as_ref().and_then(service_error), get(&block, "is_error")) {
        (Some(error), _) => Outcome::Failed(error),
        (None, Some(Value::Bool(failed))) => Outcome::flagged(Some(*failed), result.as_ref()),
        (None, None) if tells_outcome(&block, result.as_ref()) => Outcome::Succeeded,
        (None, _) => Outcome::Unknown,
    };
    let id = id(&block, "tool_use_id");
    run.returned(Returned { id: id.as_deref(), name: None, result, outcome })
}

/// Returns true if a result would say that the call failed. Those of the service's own tools say so by the type of an object,
/// which a search has only where it failed.
fn tells_outcome(block: &Value, result: Option<&Value>) -> bool {
    match (text(block, "type"), result) {
        (Some("tool_result" | "mcp_tool_result"), _)
        | (Some("web_search_tool_result"), Some(Value::Array(_))) => true,
        (_, Some(object @ Value::Object(_))) => text(object, "type").is_some(),
        _ => false,
    }
}

/// `{type: web_fetch_tool_result_error, error_code: url_not_accessible}`
fn service_error(result: &Value) -> Option<RunError<'static>> {
    let kind = text(result, "type").filter(|kind| kind.ends_with("_error"))?;
    let code = text(result, "error_code").unwrap_or(kind);
    let message = text(result, "error_message").map(|message| message.to_owned().into());
    Some(RunError { r#type: Some(code.to_owned().into()), message, module: None })
}
