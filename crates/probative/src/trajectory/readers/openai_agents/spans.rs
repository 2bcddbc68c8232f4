//! A trace as the Agents SDK exports it: spans, each told when it ends.

use std::collections::BTreeMap;

use super::asked::{self, Asked};
use super::recorder;
use crate::trajectory::json::Json;
use crate::trajectory::model::{LlmCall, RunError};
use crate::trajectory::readers::json::{
    at, count, get, list, take, take_text, text, texts, thrown_name, timestamp, tool_names,
};
use crate::trajectory::readers::openai_responses::only_once;
use crate::trajectory::readers::recorder::{Args, Mark, Outcome, Recorder};
use crate::value::{Moment, Value};

/// The spans of a trace, in the order in which they ended.
pub(super) struct Trace {
    pub(super) id: String,
    spans: Vec<Span>,
}

pub(super) struct Span {
    id: Option<String>,
    parent: Option<String>,
    started: Option<Json<'static>>,
    /// When it was started, to put the spans in order.
    moment: Option<Moment>,
    has_ended: bool,
    pub(super) kind: String,
    pub(super) data: Value,
    error: Option<Value>,
}

/// Whose a span is.
#[derive(Clone, Default)]
pub(super) struct Place {
    /// How deep among sub-agents, which are agents that a function runs.
    pub(super) depth: u32,
    pub(super) agent: Option<String>,
    /// Whether the next agent is one that a function runs.
    in_function: bool,
    /// How many spans it is within.
    level: u32,
    /// Whether its tokens are counted by a task or turn that it is within.
    is_counted: bool,
    /// The same of what is within it.
    within_counted: bool,
}

impl Trace {
    pub(super) fn new(id: String) -> Trace {
        Trace { id, spans: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Adds a span.
    pub(super) fn add(&mut self, mut span: Value) -> Result<(), String> {
        let mut data =
            take(&mut span, "span_data").filter(Value::is_object).ok_or("no 'span_data' object")?;
        let started = timestamp(get(&span, "started_at"));
        self.spans.push(Span {
            id: take_text(&mut span, "id"),
            parent: take_text(&mut span, "parent_id"),
            moment: text(&span, "started_at").and_then(Moment::parse),
            started,
            has_ended: get(&span, "ended_at").is_some(),
            kind: take_text(&mut data, "type").unwrap_or_default(),
            data,
            error: take(&mut span, "error"),
        });
        Ok(())
    }

    /// The run that the spans tell, in the order in which they were started.
    pub(super) fn recorded(self) -> Recorder {
        let Trace { id, spans } = self;
        let places = places(&spans);
        let mut spans: Vec<(Span, Place)> = spans.into_iter().zip(places).collect();
        // What begins at the same time as something in it begins before it, though it ends later.
        spans.sort_by_key(|(span, place)| (span.moment.is_none(), span.moment, place.level));
        let mut telling = Telling::new();
        telling.run.run().run_id = Some(id.into());
        if spans.iter().any(|(span, _)| span.moment.is_none()) {
            telling.run.not_understood(|| "'started_at' of a span is missing or isn't a time".to_owned());
        }
        let mut unrecorded = asked::calls_without_spans(&mut telling.run, &spans);
        for (at, (span, place)) in spans.into_iter().enumerate() {
            let mark = Mark { timestamp: None, depth: place.depth, parent: place.agent.clone() };
            telling.tell(span, place);
            for Asked { id, name, args } in unrecorded.remove(&at).unwrap_or_default() {
                telling.run.call(id.as_deref(), name, Args::from(args), mark.clone());
            }
        }
        telling.finish()
    }
}

/// Whose each span is. Parents are looked up, in whatever order they come; one that is missing is the beginning.
fn places(spans: &[Span]) -> Vec<Place> {
    let by_id: BTreeMap<&str, usize> =
        spans.iter().enumerate().filter_map(|(at, span)| Some((span.id.as_deref()?, at))).collect();
    let mut places: Vec<Option<Place>> = vec![None; spans.len()];
    // The spans on the way up, which in a broken trace may lead back to one of them.
    let mut is_on_way = vec![false; spans.len()];
    for start in 0..spans.len() {
        let (mut way, mut next) = (Vec::new(), Some(start));
        let mut place = Place::default();
        while let Some(at) = next {
            if let Some(known) = &places[at] {
                place = known.clone();
                break;
            }
            if std::mem::replace(&mut is_on_way[at], true) {
                break;
            }
            way.push(at);
            next = spans[at].parent.as_deref().and_then(|parent| by_id.get(parent).copied());
        }
        for at in way.into_iter().rev() {
            place = place.within(&spans[at]);
            places[at] = Some(place.clone());
        }
    }
    places.into_iter().map(Option::unwrap_or_default).collect()
}

impl Place {
    /// That of a span within.
    fn within(mut self, span: &Span) -> Place {
        self.level = self.level.saturating_add(1);
        self.is_counted |= self.within_counted;
        self.within_counted |= usage_of_part(span).is_some();
        match span.kind.as_str() {
            "function" => self.in_function = true,
            "agent" if std::mem::take(&mut self.in_function) => {
                self.depth = self.depth.saturating_add(1);
                self.agent = text(&span.data, "name").map(str::to_owned);
            }
            _ => {}
        }
        self
    }
}

/// A run that is being told.
struct Telling {
    run: Recorder,
    /// What is known of the last answer of the agent itself.
    last: Answer,
    /// Whether a model was called, by whomever.
    has_model: bool,
    /// Whether the agent itself is known to have ended.
    has_ended: bool,
    /// With what it ended, where it failed.
    error: Option<RunError<'static>>,
    /// What tasks and turns say that the calls of models took, and how many they were.
    counted: Option<(Option<u64>, Option<u64>)>,
}

enum Answer {
    /// Its texts were not recorded.
    Untold,
    Told,
    /// There is none, since the call of the model failed.
    Failed(RunError<'static>),
}

impl Telling {
    fn new() -> Telling {
        Telling {
            run: recorder(),
            last: Answer::Untold,
            has_model: false,
            has_ended: false,
            error: None,
            counted: None,
        }
    }

    fn tell(&mut self, span: Span, place: Place) {
        if let Some(usage) = usage_of_part(&span).filter(|_| !place.is_counted) {
            self.count(usage);
        } else if has_other_usage(&span) {
            // Whose it is cannot be known, so neither can the sum.
            self.counted = Some((None, None));
        }
        let Span { started, has_ended, kind, mut data, error, .. } = span;
        let is_own = place.depth == 0;
        let mark = Mark { timestamp: started, depth: place.depth, parent: place.agent };
        match kind.as_str() {
            "response" | "generation" => self.model(data, error.as_ref(), mark),
            "function" => self.function(data, error.as_ref(), has_ended, mark),
            "agent" if is_own => {
                self.run.run().tools.extend(tool_names(list(&data, "tools")));
                // Of agents that hand over to each other the last one ends the run.
                self.has_ended = has_ended;
                self.error = error.as_ref().map(failure);
            }
            "mcp_tools" if is_own => {
                let offered = take(&mut data, "result");
                let offered = offered.as_ref().and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                self.run.run().tools.extend(tool_names(offered));
            }
            "agent" | "mcp_tools" | "handoff" | "guardrail" | "custom" | "task" | "turn"
            | "transcription" | "speech" | "speech_group" => {}
            kind => self.run.not_understood(|| format!("unknown span type '{kind}'")),
        }
    }

    /// Takes what a task or turn counts. Where nothing was counted, the counts are zero.
    fn count(&mut self, usage: &Value) {
        let stated = |key| count(usage, key).filter(|count| *count > 0);
        let summed = || Some(stated("input_tokens")?.saturating_add(count(usage, "output_tokens")?));
        let (tokens, calls) = (stated("total_tokens").or_else(summed), stated("requests"));
        let added = |before: Option<u64>, more: Option<u64>| Some(before?.saturating_add(more?));
        let (all_tokens, all_calls) = self.counted.unwrap_or((Some(0), Some(0)));
        self.counted = Some((added(all_tokens, tokens), added(all_calls, calls)));
    }

    /// Records a model call. Its tool calls come from function spans, or from [its output](asked::calls_without_spans).
    fn model(&mut self, mut data: Value, error: Option<&Value>, mark: Mark) {
        self.has_model = true;
        let mut response = take(&mut data, "response").unwrap_or_default();
        let usage = get(&data, "usage").or_else(|| get(&response, "usage")).unwrap_or(&Value::Null);
        let model = text(&data, "model").or_else(|| text(&response, "model"));
        let call = LlmCall {
            model: model.map(|model| model.to_owned().into()),
            prompt_tokens: count(usage, "input_tokens").or_else(|| count(usage, "prompt_tokens")),
            completion_tokens: count(usage, "output_tokens").or_else(|| count(usage, "completion_tokens")),
            cost: None,
        };
        let is_own = mark.depth == 0;
        self.run.llm(call, mark);
        if !is_own {
            return;
        }
        match take(&mut data, "input") {
            Some(Value::Array(messages)) => {
                let first = messages.into_iter().find(|message| text(message, "role") == Some("user"));
                self.run.heard(first.and_then(|mut message| take(&mut message, "content")));
            }
            input => self.run.heard(input),
        }
        let output = take(&mut data, "output").or_else(|| take(&mut response, "output"));
        self.last = match (output, error) {
            (_, Some(error)) => Answer::Failed(failure(error)),
            (None, None) => Answer::Untold,
            (Some(output), None) => {
                if let Some(said) = said(&output) {
                    self.run.said(said);
                }
                Answer::Told
            }
        };
    }

    fn function(&mut self, mut data: Value, error: Option<&Value>, has_ended: bool, mark: Mark) {
        let args = take(&mut data, "input").map_or(Args::Unrecorded, Args::Given);
        let name = take_text(&mut data, "name").unwrap_or_default();
        let step = self.run.call(None, name, args, mark);
        match (take(&mut data, "output"), error) {
            (result, Some(error)) => self.run.settle(step, result, Outcome::Failed(failure(error))),
            (None, None) if has_ended => self.run.untold(step, Outcome::Succeeded),
            (None, None) => {}
            (result, None) => self.run.settle(step, result, Outcome::Succeeded),
        }
    }

    fn finish(self) -> Recorder {
        let Telling { mut run, last, has_model, has_ended, error, counted } = self;
        if let Some((tokens, calls)) = counted.filter(|_| !has_model) {
            run.sum_totals(tokens, calls);
        }
        only_once(&mut run);
        let unknown = &mut run.run().unknown;
        unknown.llm_calls = !has_model;
        let (is_untold, failed) = match last {
            Answer::Untold => (true, None),
            Answer::Told => (false, None),
            Answer::Failed(error) => (false, Some(error)),
        };
        if is_untold {
            unknown.final_output = true;
            run.run().final_output = None;
            run.broke_off();
        }
        match error.or(failed) {
            None if !has_ended => {}
            error => run.ended(error),
        }
        run
    }
}

/// What the messages of an answer say: those of a chat, items, or a response with items.
fn said(output: &Value) -> Option<String> {
    let messages = output.as_array().map_or(std::slice::from_ref(output), Vec::as_slice);
    let content = |message: &Value| get(message, "content").and_then(texts);
    let inner = |message: &Value| list(message, "output").iter().rev().find_map(content);
    let said = messages.iter().rev().find_map(|message| content(message).or_else(|| inner(message)));
    said.filter(|text| !text.is_empty())
}

/// Returns true for a span with a usage that no known type of span has.
fn has_other_usage(span: &Span) -> bool {
    let is_known =
        ["response", "generation", "task", "turn", "transcription", "speech"].contains(&&*span.kind);
    let custom = get(&span.data, "data").unwrap_or(&Value::Null);
    let has_usage = get(&span.data, "usage").or(get(custom, "usage")).is_some();
    let is_unreadable = span.kind == "custom" && !(custom.is_object() || custom.is_null());
    !is_known && usage_of_part(span).is_none() && (has_usage || is_unreadable)
}

/// The usage of a span that is a task or a turn: parts of a run, in which models are called.
fn usage_of_part(span: &Span) -> Option<&Value> {
    match span.kind.as_str() {
        "task" | "turn" => get(&span.data, "usage"),
        "custom" => {
            let data = get(&span.data, "data")?;
            let is_part = matches!(text(data, "sdk_span_type"), Some("task" | "turn"));
            get(data, "usage").filter(|_| is_part)
        }
        _ => None,
    }
}

/// The error of a span: what was thrown, where that is told, else what the SDK says of it. Where what was said is kept
/// secret, only the name is told.
fn failure(error: &Value) -> RunError<'static> {
    let thrown = at(error, &["data", "error"]).and_then(Value::as_str);
    let said = text(error, "message").or(error.as_str());
    let name = thrown.and_then(thrown_name).or_else(|| text(error, "name"));
    let is_name_alone = thrown.is_some() && thrown == name;
    let message = thrown.filter(|_| !is_name_alone).or(said).unwrap_or("failed");
    let r#type = name.map(|name| name.to_owned().into());
    RunError { r#type, message: Some(message.to_owned().into()), module: None }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn places_of(spans: &[(&str, &str, &str)]) -> Vec<u32> {
        let mut trace = Trace::new("t".to_owned());
        for (id, parent, kind) in spans {
            trace.add(json!({ "id": id, "parent_id": parent, "span_data": { "type": kind } })).unwrap();
        }
        places(&trace.spans).into_iter().map(|place| place.depth).collect()
    }

    #[test]
    fn agents_are_sub_agents_where_functions_run_them() {
        let spans = [
            ("g", "inner", "generation"),
            ("inner", "f", "agent"),
            ("f", "a", "function"),
            ("a", "", "agent"),
        ];
        assert_eq!(places_of(&spans), [1, 1, 0, 0]);
    }

    #[test]
    fn spans_that_are_each_others_parents_have_a_beginning() {
        assert_eq!(places_of(&[("a", "b", "agent"), ("b", "a", "function"), ("c", "c", "agent")]), [1, 0, 0]);
    }
}
