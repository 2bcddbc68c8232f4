//! The `OpenAI` Agents SDK, for Python and for JavaScript: exported traces, run items, run states.

mod asked;
mod spans;
mod state;

use std::collections::BTreeMap;

use super::json::{get, list, take, take_list, take_text, text, unknown_kind};
use super::openai_responses::Items;
use super::recorder::{Mark, Recorder};
use super::{Claim, NoteKind, Reader, Recorded, RunId, TraceFormat};
use crate::value::Value;

use spans::Trace;

/// How likely a record is by the SDK: a trace or span, a list of them, a run item, a list of them, a run state or result.
pub(super) fn claim(record: &Value) -> Claim {
    if let Value::Array(parts) = record {
        return Claim::of_list(parts, part);
    }
    if state::is_state(record) || get(record, "state").is_some_and(state::is_state) {
        return Claim::RUN;
    }
    if get(record, "type").or(get(record, "object")).is_some() {
        return part(record);
    }
    let lists = ["data", "new_items", "newItems"].map(|key| list(record, key));
    lists.into_iter().find(|list| !list.is_empty()).map_or(Claim::NO, |list| Claim::of_list(list, part))
}

fn part(record: &Value) -> Claim {
    Claim::part(match text(record, "object") {
        Some("trace.span") => get(record, "span_data").is_some(),
        Some("trace") => get(record, "id").is_some(),
        Some(_) => false,
        None => is_run_item(record),
    })
}

/// Whether a record is an item of a run: an item of a response, with the agent whose it is.
fn is_run_item(record: &Value) -> bool {
    get(record, "raw_item").or(get(record, "rawItem")).is_some_and(Value::is_object)
        && text(record, "type").is_some_and(|kind| kind.ends_with("_item"))
}

/// The traces in a file, and the run whose items are records.
#[derive(Default)]
pub(super) struct Agents {
    traces: Vec<Trace>,
    /// Where a trace is, by its id.
    places: BTreeMap<String, usize>,
    items: Option<(Recorder, Items)>,
}

impl Reader for Agents {
    fn record(&mut self, mut record: Value, id: RunId, done: &mut Vec<Recorded>) -> Result<(), String> {
        if text(&record, "object").is_some() {
            return self.exported(record);
        }
        if is_run_item(&record) {
            let (run, items) = self.items.get_or_insert_with(|| (recorder(), Items::default()));
            return take_run_item(run, items, record);
        }
        let state = if state::is_state(&record) { None } else { take(&mut record, "state") };
        let mut run = match state.unwrap_or(record) {
            Value::Array(parts) => return self.list(parts, id, done),
            state if state::is_state(&state) => state::read(state),
            mut other => match take_list(&mut other, "data") {
                parts if !parts.is_empty() => return self.list(parts, id, done),
                _ => state::read_result(other),
            },
        };
        if run.is_empty() {
            return Err("no spans, run items or run state".to_owned());
        }
        super::openai_responses::only_once(&mut run);
        done.push(run.finish(id));
        Ok(())
    }

    fn finish(self: Box<Self>, done: &mut Vec<Recorded>) {
        let traces: Vec<Trace> = self.traces.into_iter().filter(|trace| !trace.is_empty()).collect();
        let is_only = traces.len() == 1 && self.items.is_none();
        for trace in traces {
            let id = if is_only { RunId::Whole } else { RunId::Named(trace.id.clone()) };
            done.push(trace.recorded().finish(id));
        }
        done.extend(self.items.filter(|(run, _)| !run.is_empty()).map(|(run, _)| run.finish(RunId::Whole)));
    }
}

impl Agents {
    /// Takes a trace or a span, which belong together by the trace's id.
    fn exported(&mut self, mut record: Value) -> Result<(), String> {
        let is_span = match text(&record, "object") {
            Some("trace") => false,
            Some("trace.span") => true,
            _ => return Err(unknown_kind(&record, "object")),
        };
        let key = if is_span { "trace_id" } else { "id" };
        let id = take_text(&mut record, key).ok_or_else(|| format!("no '{key}'"))?;
        let place = *self.places.entry(id).or_insert_with_key(|id| {
            self.traces.push(Trace::new(id.clone()));
            self.traces.len() - 1
        });
        match self.traces.get_mut(place) {
            Some(trace) if is_span => trace.add(record),
            _ => Ok(()),
        }
    }

    /// Takes a list that is a record: of spans, which may go on in the next, or of the items of a run.
    fn list(&mut self, parts: Vec<Value>, id: RunId, done: &mut Vec<Recorded>) -> Result<(), String> {
        let mut strays = 0;
        if parts.iter().any(|part| get(part, "object").is_some()) {
            for part in parts {
                strays += usize::from(self.exported(part).is_err());
            }
            return if strays == 0 {
                Ok(())
            } else {
                Err(format!("{strays} of the array's objects aren't spans"))
            };
        }
        let mut run = recorder();
        take_run_items(&mut run, parts);
        if run.is_empty() {
            return Err("no run items in the array".to_owned());
        }
        done.push(run.finish(id));
        Ok(())
    }
}

fn recorder() -> Recorder {
    Recorder::new(TraceFormat::OpenaiAgents)
}

/// Takes all items of a run. What is none is noted.
fn take_run_items(run: &mut Recorder, list: Vec<Value>) {
    let mut items = Items::default();
    for item in list {
        if let Err(why) = take_run_item(run, &mut items, item) {
            run.note(NoteKind::StrayRecord, || why);
        }
    }
}

/// Takes an item of a run. One that waits for an approval repeats the call that it is about.
fn take_run_item(run: &mut Recorder, items: &mut Items, mut item: Value) -> Result<(), String> {
    if text(&item, "type") == Some("tool_approval_item") {
        return Ok(());
    }
    let raw = take(&mut item, "raw_item").or_else(|| take(&mut item, "rawItem"));
    items.take(run, raw.ok_or_else(|| "no 'raw_item'".to_owned())?, Mark::default())
}
