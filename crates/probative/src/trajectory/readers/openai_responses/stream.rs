//! A stream of the Responses API: a response in pieces.

use std::collections::BTreeMap;

use serde_json::json;

use super::items::failure;
use super::take_response;
use crate::trajectory::model::RunError;
use crate::trajectory::readers::NoteKind;
use crate::trajectory::readers::json::{count, get, list, take, take_text, text};
use crate::trajectory::readers::recorder::Recorder;
use crate::value::Value;

/// A response, as far as its events tell it.
#[derive(Default)]
pub(super) struct Stream {
    /// What was said of the response when it began.
    response: Option<Value>,
    /// Its items by their index: their ids may change from event to event.
    items: BTreeMap<u64, Item>,
    /// The error that broke it off, which the response may state again when it ends.
    error: Option<RunError<'static>>,
    /// Its events say which item they are about.
    has_indices: bool,
}

struct Item {
    item: Value,
    /// Whether it was told as a whole.
    is_whole: bool,
}

impl Stream {
    /// Takes an event.
    pub(super) fn event(&mut self, run: &mut Recorder, kind: &str, mut event: Value) {
        let index = count(&event, "output_index");
        match kind {
            "response.created" => {
                let next = take(&mut event, "response");
                if self.is_open() && self.has_id_of(next.as_ref()) {
                    run.note(NoteKind::Repeated, || "an earlier attempt at a response".to_owned());
                } else {
                    self.cut_off(run);
                }
                run.goes_on();
                *self = Stream { response: next, ..Stream::default() };
            }
            "response.in_progress" | "response.queued" => {
                let response = &mut self.response;
                *response = response.take().or_else(|| take(&mut event, "response"));
            }
            "response.output_item.added" | "response.output_item.done" => {
                let is_whole = kind.ends_with("done");
                if index.is_none() && self.has_indices {
                    run.not_understood(|| "an item without 'output_index'".to_owned());
                }
                self.has_indices |= index.is_some();
                let last = self.items.last_key_value().map(|(index, item)| (*index, item.is_whole));
                let index = index.unwrap_or_else(|| match last {
                    Some((last, false)) if is_whole => last,
                    Some((last, _)) => last.saturating_add(1),
                    None => 0,
                });
                match take(&mut event, "item") {
                    Some(item) => {
                        self.items.insert(index, Item { item, is_whole });
                    }
                    None => run.not_understood(|| format!("{kind} without 'item'")),
                }
            }
            "response.completed" | "response.failed" | "response.incomplete" | "response.cancelled" => {
                self.end(run, take(&mut event, "response"));
            }
            "error" => {
                let error = failure(get(&event, "error").unwrap_or(&event));
                if self.is_open() {
                    self.error = Some(error);
                } else {
                    run.ended(Some(error));
                }
            }
            _ => {
                if get(&event, "item").or(get(&event, "response")).is_some() {
                    run.not_understood(|| format!("unknown event type '{kind}'"));
                }
                self.piece(index, kind, event);
            }
        }
    }

    /// Writes down what was told, if the stream broke off.
    pub(super) fn finish(mut self, run: &mut Recorder) {
        self.cut_off(run);
    }

    /// Writes down what was told of a response that did not end.
    fn cut_off(&mut self, run: &mut Recorder) {
        // An error says that nothing follows.
        let is_cut_off = self.is_open() && self.error.is_none();
        self.end(run, None);
        if is_cut_off {
            run.cut_off("no response.completed");
        }
    }

    /// Returns true if the response that is under way has an id, and the next has the same.
    fn has_id_of(&self, next: Option<&Value>) -> bool {
        let id = |response: Option<&Value>| response.and_then(|it| text(it, "id")).map(str::to_owned);
        let (known, next) = (id(self.response.as_ref()), id(next));
        known.is_some() && known == next
    }

    fn is_open(&self) -> bool {
        self.response.is_some() || !self.items.is_empty()
    }

    /// A piece of an item, or all of what came in pieces.
    fn piece(&mut self, index: Option<u64>, kind: &str, mut event: Value) {
        let item = match index {
            Some(index) => self.items.get_mut(&index),
            None => self.items.last_entry().map(std::collections::btree_map::OccupiedEntry::into_mut),
        };
        let Some(Item { item: Value::Object(item), is_whole: false }) = item else { return };
        let key = match kind.rsplit_once('.') {
            Some(("response.function_call_arguments" | "response.mcp_call_arguments", _)) => "arguments",
            Some(("response.custom_tool_call_input", _)) => "input",
            Some(("response.code_interpreter_call_code", _)) => "code",
            Some(("response.output_text", "delta")) => "text",
            Some(("response.refusal", "delta")) => "refusal",
            _ => return,
        };
        let Some(told) = take_text(&mut event, if kind.ends_with("delta") { "delta" } else { key }) else {
            return;
        };
        if !matches!(key, "text" | "refusal") {
            let value = item.entry(key).or_insert(Value::Null);
            append(value, told, kind.ends_with("delta"));
            return;
        }
        let content = item.entry("content").or_insert(Value::Null);
        if !content.is_array() {
            *content = json!([]);
        }
        let Value::Array(parts) = content else { return };
        let place = count(&event, "content_index").and_then(|index| usize::try_from(index).ok());
        match parts.get_mut(place.unwrap_or(0)) {
            Some(Value::Object(part)) => append(part.entry(key).or_insert(Value::Null), told, true),
            Some(_) => {}
            None => {
                let kind = if key == "text" { "output_text" } else { key };
                parts.push(json!({ "type": kind, key: told }));
            }
        }
    }

    /// Writes down the response: as it is told at the end, else from its pieces.
    fn end(&mut self, run: &mut Recorder, told: Option<Value>) {
        let Stream { response, items, error, .. } = std::mem::take(self);
        let items: Vec<Value> = items.into_values().map(|item| item.item).collect();
        let is_told = told.is_some();
        if let Some(mut response) = told.or(response).or_else(|| (!items.is_empty()).then(|| json!({}))) {
            let output = list(&response, "output");
            if !output.is_empty() && !contains_all_items(&items, output) {
                run.not_understood(|| "response.completed lacks items that were streamed".to_owned());
            }
            if get(&response, "output").is_none_or(|output| *output == json!([]))
                && let Value::Object(members) = &mut response
            {
                members.insert("output".to_owned(), Value::Array(items));
            }
            if !is_told {
                // The status is the one at its start.
                take(&mut response, "status");
            }
            if let Err(why) = take_response(run, response) {
                run.not_understood(|| why);
            }
        }
        if error.is_some() && run.run().error.is_none() {
            run.ended(error);
        }
    }
}

/// Returns true if a response has all items that were streamed, by their types and names. Their ids may differ.
fn contains_all_items(items: &[Value], output: &[Value]) -> bool {
    let kind = |item: &Value| (text(item, "type").map(str::to_owned), text(item, "name").map(str::to_owned));
    let mut left: Vec<_> = output.iter().map(kind).collect();
    items.iter().all(|item| match left.iter().position(|other| *other == kind(item)) {
        Some(at) => {
            left.swap_remove(at);
            true
        }
        None => false,
    })
}

/// Whether a record is an event of a stream.
pub(super) fn is_event(record: &Value) -> bool {
    text(record, "type").is_some_and(|kind| kind.starts_with("response."))
}

/// Adds to a text, or sets it.
fn append(value: &mut Value, told: String, is_more: bool) {
    match value {
        Value::String(text) if is_more => text.push_str(&told),
        value => *value = Value::String(told),
    }
}

#[cfg(test)]
mod tests {
    use crate::trajectory::readers::{Recorded, TraceFormat, read_trace};

    fn read(events: &str) -> Recorded {
        let mut runs = Vec::new();
        let format = Some(TraceFormat::OpenaiResponses);
        read_trace(events.as_bytes(), format, true, &mut |given| runs.extend(given.run())).unwrap();
        assert_eq!(runs.len(), 1);
        runs.remove(0)
    }

    const SAID: &str = r#"{"type":"response.output_item.added","item":{"type":"message","role":"assistant"}}
{"type":"response.output_text.delta","delta":"Hel"}
{"type":"response.output_text.delta","delta":"lo."}
"#;

    #[test]
    fn a_response_that_is_begun_again_counts_once() {
        let begun = r#"{"type":"response.created","response":{"id":"r","output":[]}}"#;
        let ended = r#"{"type":"response.completed","response":{"id":"r","output":[]}}"#;
        let run = read(&format!("{begun}\n{SAID}{begun}\n{SAID}{ended}\n"));
        assert_eq!(run.trajectory.final_output.as_deref(), Some("Hello."));
        assert_eq!(run.trajectory.steps.len(), 1);
        assert_eq!(run.notes.sorted()[0].kind.name(), "repeated");
    }

    #[test]
    fn an_error_and_the_response_that_failed_are_one_call_of_a_model() {
        let begun = r#"{"type":"response.created","response":{"id":"r","output":[]}}"#;
        let error = r#"{"type":"error","error":{"code":"quota","message":"no more"}}"#;
        let failed = r#"{"type":"response.failed","response":{"id":"r","status":"failed","output":[]}}"#;
        for events in [format!("{begun}\n{error}\n{failed}\n"), format!("{begun}\n{error}\n")] {
            let run = read(&events).trajectory;
            assert_eq!(run.steps.len(), 1);
            assert!(run.error.is_some(), "{events}");
        }
    }

    #[test]
    fn what_the_end_leaves_out_was_told_before() {
        let run = read(&format!("{SAID}{}", r#"{"type":"response.completed","response":{"output":[]}}"#));
        assert_eq!(run.trajectory.final_output.as_deref(), Some("Hello."));
        assert!(!run.trajectory.unknown.error);
    }
}
