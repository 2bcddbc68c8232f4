//! The `OpenAI` Responses API: responses, lists of items, streams of events.

mod items;
mod stream;

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::json::{amount, count, get, list, take, take_list, take_text, text, timestamp, unknown_kind};
use super::recorder::{Mark, Recorder};
use super::{Claim, NoteKind, Reader, Recorded, RunId, TraceFormat};
use crate::trajectory::model::{LlmCall, RunError};
use crate::value::Value;

pub(super) use items::{Items, is_item};
use stream::Stream;

/// How likely a record is a response: an item, a list of them, a response with or without what was asked, an event.
pub(super) fn claim(record: &Value) -> Claim {
    if let Value::Array(items) = record {
        return Claim::of_list(items, item);
    }
    if text(record, "object") == Some("response") {
        return Claim::RUN;
    }
    if get(record, "type").or(get(record, "role")).is_some() {
        return if stream::is_event(record) { Claim::PART } else { item(record) };
    }
    if get(record, "response").is_some_and(|response| text(response, "object") == Some("response")) {
        return Claim::RUN;
    }
    // Rows of datasets and logs have messages as `input`, too. A call or a result among them is of this API alone.
    let input = list(record, "input");
    let has_items = input.iter().any(|item| get(item, "type").is_some() && is_item(item));
    if has_items && get(record, "output").is_none_or(Value::is_array) {
        Claim::of_list(input, item)
    } else {
        Claim::NO
    }
}

fn item(record: &Value) -> Claim {
    if text(record, "type") == Some("error") {
        let error = get(record, "error").unwrap_or(record);
        return Claim::common(text(error, "message").is_some());
    }
    Claim::part(is_item(record) || items::is_plain_message(record))
}

/// A run whose items or events are records.
#[derive(Default)]
pub(super) struct Responses(Option<Parts>);

struct Parts {
    run: Recorder,
    items: Items,
    stream: Stream,
}

impl Parts {
    fn new() -> Parts {
        let run = Recorder::new(TraceFormat::OpenaiResponses);
        Parts { run, items: Items::default(), stream: Stream::default() }
    }
}

impl Reader for Responses {
    fn record(&mut self, mut record: Value, id: RunId, done: &mut Vec<Recorded>) -> Result<(), String> {
        let is_error = text(&record, "type") == Some("error");
        if stream::is_event(&record) || is_error && self.0.is_some() {
            let Parts { run, stream, .. } = self.0.get_or_insert_with(Parts::new);
            let kind = take_text(&mut record, "type").unwrap_or_default();
            stream.event(run, &kind, record);
            return Ok(());
        }
        if record.is_object() && get(&record, "type").or(get(&record, "role")).is_some() {
            let Parts { run, items, .. } = self.0.get_or_insert_with(Parts::new);
            return items.take(run, record, Mark::default());
        }
        let mut run = Recorder::new(TraceFormat::OpenaiResponses);
        let before = match &mut record {
            Value::Array(items) => std::mem::take(items),
            _ => match take(&mut record, "input") {
                Some(Value::Array(items)) => items,
                None => Vec::new(),
                input => {
                    run.heard(input);
                    Vec::new()
                }
            },
        };
        take_items(&mut run, Items::default(), before, &Mark::default());
        if let Some(response) = take(&mut record, "response") {
            take_response(&mut run, response)?;
        } else if record.is_object() && (text(&record, "object").is_some() || run.is_empty()) {
            take_response(&mut run, record)?;
        }
        if run.is_empty() {
            return Err("no 'input', 'output' or 'response' with items".to_owned());
        }
        only_once(&mut run);
        done.push(run.finish(id));
        Ok(())
    }

    fn finish(self: Box<Self>, done: &mut Vec<Recorded>) {
        let Some(Parts { mut run, stream, .. }) = self.0 else { return };
        stream.finish(&mut run);
        if !run.is_empty() {
            only_once(&mut run);
            done.push(run.finish(RunId::Whole));
        }
    }
}

/// Takes a list of items. What is none is noted.
pub(super) fn take_items(run: &mut Recorder, mut items: Items, list: Vec<Value>, mark: &Mark) {
    for item in list {
        if let Err(why) = items.take(run, item, mark.clone()) {
            run.note(NoteKind::StrayRecord, || why);
        }
    }
}

/// Takes a response: the answer of a model, with its name, what it took, and how it ended.
fn take_response(run: &mut Recorder, mut response: Value) -> Result<(), String> {
    let Some(Value::Array(output)) = take(&mut response, "output") else {
        return Err("'output' is missing or isn't an array".to_owned());
    };
    let id = take_text(&mut response, "id");
    let whole = run.run();
    whole.run_id = whole.run_id.take().or(id.map(Into::into));
    add_tools(run, &take_list(&mut response, "tools"));
    let mark = Mark { timestamp: timestamp(get(&response, "created_at")), ..Mark::default() };
    let items = Items::of_answer(run, llm_call(&response), mark.clone());
    take_items(run, items, output, &mark);
    let reason = get(&response, "incomplete_details").and_then(|details| text(details, "reason"));
    match (get(&response, "error"), text(&response, "status")) {
        (Some(error), _) => run.ended(Some(items::failure(error))),
        (None, Some(status @ ("failed" | "cancelled" | "incomplete"))) => {
            run.ended(Some(RunError::new(status.to_owned(), reason.unwrap_or_default().to_owned())));
        }
        (None, Some("completed")) => {}
        (None, None) if get(&response, "status").is_none() => {}
        (None, Some("in_progress" | "queued")) => run.cut_off("the response is still in progress"),
        (None, _) => {
            run.not_understood(|| format!("a response: {}", unknown_kind(&response, "status")));
            run.broke_off();
        }
    }
    Ok(())
}

/// What a response tells of the call of its model.
fn llm_call(response: &Value) -> LlmCall<'static> {
    let usage = get(response, "usage").unwrap_or(&Value::Null);
    LlmCall {
        model: text(response, "model").map(|model| model.to_owned().into()),
        prompt_tokens: count(usage, "input_tokens"),
        completion_tokens: count(usage, "output_tokens"),
        cost: amount(usage, "cost"),
    }
}

/// Adds tools by their definitions. Those of the service have no name but their type.
fn add_tools(run: &mut Recorder, definitions: &[Value]) {
    let tools = &mut run.run().tools;
    for tool in definitions {
        let name = match text(tool, "type") {
            // What a server offers is listed apart.
            Some("mcp") | None => continue,
            Some("namespace") => {
                tools.extend(super::json::tool_names(list(tool, "tools")));
                continue;
            }
            Some(kind) => text(tool, "name").unwrap_or(match kind {
                kind if kind.starts_with("web_search") => "web_search",
                kind if kind.starts_with("computer") => "computer",
                kind => kind,
            }),
        };
        tools.push(Cow::Owned(name.to_owned()));
    }
}

/// Keeps each tool once.
pub(super) fn only_once(run: &mut Recorder) {
    let mut seen = BTreeSet::new();
    run.run().tools.retain(|tool| seen.insert(tool.clone()));
}
