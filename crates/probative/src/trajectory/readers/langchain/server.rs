//! Tools that the service of a model itself carries out. They are told inside the content of its answer, as the service
//! tells them or as `LangChain` does.

use crate::trajectory::readers::anthropic;
use crate::trajectory::readers::json::{get, list, take, take_text, text};
use crate::trajectory::readers::openai_responses::Items;
use crate::trajectory::readers::recorder::{Mark, Outcome, Recorder, Returned};
use crate::value::Value;

/// Returns true for the type of a call that the agent carries out, which `tool_calls` has, too.
pub(super) fn is_of_agent(kind: &str) -> bool {
    const OF_AGENT: [&str; 6] = [
        "tool_use",
        "tool_call",
        "tool_call_chunk",
        "invalid_tool_call",
        "function_call",
        "custom_tool_call",
    ];
    OF_AGENT.contains(&kind)
}

/// The calls and results in a message, in their order. Some versions keep them beside its content.
pub(super) fn parts(run: &mut Recorder, message: &Value) -> Vec<Value> {
    let is_one = |part: &&Value| match text(part, "type") {
        Some("mcp_list_tools") => true,
        Some(kind) if kind.ends_with("_tool_use") || kind.ends_with("_tool_result") => true,
        Some(kind) => {
            let call = kind.strip_suffix("_output").unwrap_or(kind);
            (call.ends_with("_call") && !is_of_agent(call)) || kind == "tool_search_output"
        }
        None => false,
    };
    let mut parts: Vec<Value> = Vec::new();
    for part in list(message, "content") {
        match (text(part, "type"), parts.last_mut()) {
            // What a call is given may follow it in pieces.
            (Some("input_json_delta"), Some(Value::Object(call))) => {
                let more = text(part, "partial_json").unwrap_or_default();
                if get(part, "index").is_some() && call.get("index") == get(part, "index") {
                    match call.entry("partial_json").or_insert_with(|| "".into()) {
                        Value::String(all) => all.push_str(more),
                        other => *other = more.into(),
                    }
                }
            }
            (Some(kind), _) if is_of_agent(kind) => {}
            _ if is_one(&part) => parts.push(part.clone()),
            (None, _) if !part.is_string() && text(part, "text").is_none() => {
                run.answer_not_understood(|| "a content part without 'type'".to_owned());
            }
            _ => run.check_rest(part, "a content part"),
        }
    }
    if parts.is_empty() {
        let mut provided = get(message, "additional_kwargs").cloned().unwrap_or_default();
        for output in run.take_list(&mut provided, "tool_outputs") {
            if is_one(&&output) {
                parts.push(output);
            } else {
                run.not_understood(|| "an unknown type in 'tool_outputs'".to_owned());
            }
        }
    }
    parts
}

/// Writes down one of them. `items` are those of the answer that it is part of.
pub(super) fn tell(run: &mut Recorder, items: &mut Items, mut part: Value, mark: &Mark) {
    match text(&part, "type") {
        Some("server_tool_call") => {
            let (id, name) = (take_text(&mut part, "id"), take_text(&mut part, "name"));
            let id = id.filter(|id| !id.is_empty());
            run.call(id.as_deref(), name.unwrap_or_default(), take(&mut part, "args").into(), mark.clone());
        }
        Some("server_tool_result") if get(&part, "tool_call_id").is_some() => {
            let result = take(&mut part, "output");
            let failed = match text(&part, "status") {
                Some("error") => Some(true),
                Some("success") => Some(false),
                _ => None,
            };
            let outcome = Outcome::flagged(failed, result.as_ref());
            run.returned(Returned { id: text(&part, "tool_call_id"), name: None, result, outcome });
        }
        Some(kind) if kind.ends_with("_tool_use") => {
            if let (Some(pieces @ Value::String(_)), Value::Object(call)) =
                (take(&mut part, "partial_json"), &mut part)
            {
                call.insert("input".to_owned(), pieces);
            }
            anthropic::take_call(run, part, mark.clone());
        }
        Some(kind) if kind.ends_with("_tool_result") => {
            anthropic::take_result(run, part);
        }
        _ => {
            if let Err(why) = items.take(run, part, mark.clone()) {
                run.not_understood(|| why);
            }
        }
    }
}
