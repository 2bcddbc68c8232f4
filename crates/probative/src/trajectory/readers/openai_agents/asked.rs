//! The calls that a model asked for, as its span tells them. Those that were made have spans of their own.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use super::spans::{Place, Span};
use crate::trajectory::readers::json::{get, holds_step, id, list, text};
use crate::trajectory::readers::recorder::Recorder;
use crate::value::Value;

/// A call that a model asked for.
pub(super) struct Asked {
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) args: Option<Value>,
}

/// An agent whose calls are matched: its depth, and its name if it is a sub-agent.
type Agent<'s> = (u32, Option<&'s str>);

/// Returns the calls that no span records, by the position of the span of the model that asked for them.
///
/// A function span is the oldest call of its agent to that function that has no span yet. A handoff span is one of the calls
/// that the agent's model asked for last.
pub(super) fn calls_without_spans(
    run: &mut Recorder,
    spans: &[(Span, Place)],
) -> BTreeMap<usize, Vec<Asked>> {
    let mut all: Vec<Option<(usize, Asked)>> = Vec::new();
    let mut by_name: BTreeMap<(Agent<'_>, String), VecDeque<usize>> = BTreeMap::new();
    let mut last: BTreeMap<Agent<'_>, Range<usize>> = BTreeMap::new();
    for (at, (span, place)) in spans.iter().enumerate() {
        let agent = (place.depth, place.agent.as_deref());
        let made = match span.kind.as_str() {
            "generation" | "response" => {
                let first = all.len();
                for asked in calls(run, &span.data) {
                    by_name.entry((agent, asked.name.clone())).or_default().push_back(all.len());
                    all.push(Some((at, asked)));
                }
                last.insert(agent, first..all.len());
                None
            }
            "function" => {
                let name = text(&span.data, "name").unwrap_or_default().to_owned();
                by_name.get_mut(&(agent, name)).and_then(VecDeque::pop_front)
            }
            "handoff" => {
                let asked = last.remove(&agent).unwrap_or_default();
                let named = |call: &usize| {
                    all[*call].as_ref().is_some_and(|(_, asked)| asked.name.starts_with("transfer_to_"))
                };
                // A tool that hands over may have another name. Of several calls nobody knows which it was.
                asked.clone().find(named).or_else(|| asked.clone().next().filter(|_| asked.len() == 1))
            }
            _ => None,
        };
        if let Some(made) = made {
            all[made] = None;
        }
    }
    let mut left: BTreeMap<usize, Vec<Asked>> = BTreeMap::new();
    for (at, asked) in all.into_iter().flatten() {
        left.entry(at).or_default().push(asked);
    }
    left
}

/// The calls in the output of a model: in the messages of a chat, as items, or in a response with items. Any other call is
/// not understood.
fn calls(run: &mut Recorder, data: &Value) -> Vec<Asked> {
    let is_known = |key: &str| matches!(key, "input" | "output" | "response" | "tools" | "model_config");
    if data.as_object().is_some_and(|data| data.iter().any(|(key, part)| !is_known(key) && holds_step(part)))
    {
        run.not_understood(|| "unexpected tool call in a model span".to_owned());
    }
    let response = get(data, "response").unwrap_or(&Value::Null);
    if !(response.is_object() || response.is_null()) {
        run.not_understood(|| "'response' of a model span isn't an object".to_owned());
    }
    let Some(output) = get(data, "output").or_else(|| get(response, "output")) else { return Vec::new() };
    let messages = output.as_array().map_or(std::slice::from_ref(output), Vec::as_slice);
    let mut calls = Vec::new();
    for message in messages {
        let inner = match list(message, "output") {
            [] => std::slice::from_ref(message),
            items => items,
        };
        for item in inner {
            let before = calls.len();
            if text(item, "type") == Some("function_call") {
                calls.push(asked(item, item, "call_id"));
            }
            for call in list(item, "tool_calls") {
                calls.push(asked(call, get(call, "function").unwrap_or(call), "id"));
            }
            let is_odd = !matches!(item.get("type"), None | Some(Value::Null | Value::String(_)))
                || !(item.is_object() || output.is_array() && item.is_string());
            if calls.len() == before && (is_odd || holds_step(item)) {
                run.not_understood(|| "an item of 'output' in a model span".to_owned());
            }
        }
    }
    calls
}

/// Reads a call; `function` is the part of it that has the name and the arguments.
fn asked(call: &Value, function: &Value, key: &str) -> Asked {
    Asked {
        id: id(call, key).map(Into::into),
        name: text(function, "name").unwrap_or_default().to_owned(),
        args: get(function, "arguments").cloned(),
    }
}
