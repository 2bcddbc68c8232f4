//! OpenTelemetry: spans by the `GenAI` conventions or `OpenInference`, in OTLP/JSON and in the lists that exporters write.

mod dumped;
mod events;
mod flat;
mod messages;
mod order;
mod run;
mod span;
mod stops;
mod time;
mod tree;

use std::cell::Cell;

use indexmap::IndexMap;

use super::json::{get, list, take, text};
use super::{Claim, Reader, Recorded, RunId};
use crate::value::Value;
use span::{Kind, Span};

/// How likely a record is of OpenTelemetry: a batch of spans, an object with `spans`, a span, a list of spans.
pub(super) fn claim(record: &Value) -> Claim {
    match record {
        Value::Array(items) => Claim::of_list(items, |item| Claim::part(span::is_one(item))),
        // A batch holds spans of any trace; what belongs together may come in several.
        _ if BATCHES.iter().any(|key| get(record, key).is_some_and(Value::is_array)) => {
            Claim { is_run: false, ..Claim::RUN }
        }
        _ if list(record, "spans").first().is_some_and(span::is_one) => Claim::RUN,
        _ => Claim::part(span::is_one(record)),
    }
}

const BATCHES: [&str; 2] = ["resourceSpans", "resource_spans"];

/// The spans of a file, by the traces that they are of. Spans are told when they end, so a parent comes after its children.
#[derive(Default)]
pub(super) struct Spans {
    traces: IndexMap<String, Trace>,
    /// How many spans, or lists of them, could not be read. They may be of any trace.
    lost: usize,
}

/// The spans of one trace, in the order of the file.
#[derive(Default)]
struct Trace {
    spans: Vec<Span>,
    by_id: IndexMap<String, usize>,
    /// How many spans were told again.
    repeated: usize,
}

impl Reader for Spans {
    fn record(&mut self, record: Value, id: RunId, _: &mut Vec<Recorded>) -> Result<(), String> {
        let (mut has_spans, mut is_of_agent) = (false, false);
        let traces = &mut self.traces;
        let lost = each_span(record, |span| {
            has_spans = true;
            is_of_agent |= span.kind != Kind::Other;
            traces.entry(span.trace.clone()).or_default().add(span);
        });
        self.lost += lost;
        match id {
            _ if !has_spans => {
                self.lost += usize::from(lost == 0);
                Err("no spans".to_owned())
            }
            // There is nothing else in the file.
            RunId::Whole if !is_of_agent => Err("no span has GenAI or OpenInference attributes".to_owned()),
            _ => Ok(()),
        }
    }

    fn finish(self: Box<Self>, done: &mut Vec<Recorded>) {
        let is_of_agent =
            |trace: &Trace| trace.spans.iter().any(|span| !matches!(span.kind, Kind::Other | Kind::Chain));
        // A trace of which nothing was understood may be of an agent, too, where others in the file are.
        let has_agent = self.traces.values().any(is_of_agent);
        let is_odd =
            |trace: &Trace| trace.spans.iter().any(|span| span.is_silent || span.not_understood.is_some());
        let is_run = |trace: &Trace| is_of_agent(trace) || (has_agent && is_odd(trace));
        let mut traces: Vec<(String, Trace)> =
            self.traces.into_iter().filter(|(_, trace)| is_run(trace)).collect();
        let is_only = traces.len() == 1;
        for (id, trace) in traces.drain(..) {
            let run = if is_only { RunId::Whole } else { RunId::Named(id.clone()) };
            done.push(run::told(id, trace, self.lost).finish(run));
        }
    }
}

impl Trace {
    /// Adds a span. If an exporter retries and sends a span again, the last copy counts. A different span with the same id is
    /// kept, but its children can't be told apart from the first one's.
    fn add(&mut self, mut span: Span) {
        let known = self.by_id.get(&span.id).filter(|_| !span.id.is_empty());
        match known.and_then(|known| self.spans.get_mut(*known)) {
            Some(known) if known.is_same(&span) => {
                *known = span;
                self.repeated += 1;
                return;
            }
            Some(_) => {
                let what = format!("span '{}' has a duplicate id", span.name);
                span.not_understood.get_or_insert(what);
            }
            None => {
                self.by_id.insert(span.id.clone(), self.spans.len());
            }
        }
        self.spans.push(span);
    }
}

/// Hands over the spans of a record, parents before the children that are inside them. Answers with how many spans, or lists
/// of them, could not be read.
fn each_span(mut record: Value, mut hand: impl FnMut(Span)) -> usize {
    let lost = Cell::new(0);
    let count_lost = || lost.set(lost.get() + 1);
    let take_all = |value: &mut Value, key: &str| match take(value, key) {
        Some(Value::Array(items)) => items,
        Some(_) => {
            count_lost();
            Vec::new()
        }
        None => Vec::new(),
    };
    let mut hand_tree = |tree: Value| {
        let mut left = vec![(tree, String::new())];
        while let Some((mut span, parent)) = left.pop() {
            let children = take_all(&mut span, "child_spans");
            let Some(mut span) = Span::open(span) else {
                count_lost();
                continue;
            };
            if span.parent.is_empty() {
                span.parent = parent;
            }
            left.extend(children.into_iter().rev().map(|child| (child, span.id.clone())));
            hand(span);
        }
    };
    if let Value::Array(spans) = record {
        spans.into_iter().for_each(hand_tree);
        return lost.get();
    }
    let batches = BATCHES.iter().flat_map(|key| take_all(&mut record, key)).collect::<Vec<Value>>();
    for mut batch in batches {
        let scopes = ["scopeSpans", "scope_spans", "instrumentationLibrarySpans"];
        for mut scope in scopes.iter().flat_map(|key| take_all(&mut batch, key)).collect::<Vec<Value>>() {
            take_all(&mut scope, "spans").into_iter().for_each(&mut hand_tree);
            if !is_read(&scope) {
                count_lost();
            }
        }
        if !is_read(&batch) {
            count_lost();
        }
    }
    if span::is_one(&record) {
        hand_tree(record);
    } else {
        let trace = text(&record, "trace_id").or(text(&record, "traceId")).map(str::to_owned);
        for mut span in take_all(&mut record, "spans") {
            if let (Some(trace), Value::Object(span)) = (&trace, &mut span) {
                span.entry("trace_id").or_insert_with(|| trace.clone().into());
            }
            hand_tree(span);
        }
    }
    lost.get()
}

/// Returns true if nothing is left of a batch or scope, once its spans were taken, that may be spans under another name.
fn is_read(rest: &Value) -> bool {
    let is_list = |member: &Value| member.as_array().is_some_and(|items| !items.is_empty());
    rest.as_object().is_some_and(|members| !members.values().any(is_list))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::trajectory::readers::{Given, TraceFormat, read_trace};

    fn run(document: &Value) -> Value {
        let mut runs = Vec::new();
        let format = read_trace(document.to_string().as_bytes(), None, false, &mut |given| match given {
            Given::Run(run) => runs.push(serde_json::to_value(&run.trajectory).unwrap()),
            Given::NoRun { .. } => panic!("{given:?}"),
        });
        assert_eq!(format, Ok(TraceFormat::Otlp));
        assert_eq!(runs.len(), 1);
        runs.remove(0)
    }

    fn span(id: &str, parent: &str, start: &str, attributes: &Value) -> Value {
        json!({
            "trace_id": "0xA1", "span_id": id, "parent_span_id": parent, "timestamp": start, "duration": "PT2S",
            "span_attributes": attributes, "status_code": "Ok",
        })
    }

    #[test]
    fn spans_in_spans_are_read_with_the_names_of_arguments_from_the_schema() {
        let mut agent = span("1", "", "2026-01-02T03:04:05Z", &json!({ "openinference.span.kind": "AGENT" }));
        let tool = json!({
            "openinference.span.kind": "TOOL", "tool.name": "refund",
            "tool.parameters": "{\"order\": {}, \"why\": {}}",
            "input.value": "{\"args\": [7], \"kwargs\": {\"why\": \"torn\"}}",
        });
        agent["child_spans"] = json!([span("2", "", "2026-01-02T03:04:06Z", &tool)]);
        let run = run(&json!({ "trace_id": "A1", "spans": [agent] }));
        assert_eq!(run["run_id"], "a1");
        assert_eq!(run["duration_seconds"], 2.0);
        assert_eq!(run["steps"][0]["tool_args"], json!({ "order": 7, "why": "torn" }));
        assert_eq!(run["steps"][0]["unknown"], json!(["tool_result"]));
    }

    #[test]
    fn parents_in_a_circle_are_read_once_each() {
        let llm = json!({ "gen_ai.operation.name": "chat" });
        let spans = [("1", "2"), ("2", "1"), ("3", "3")];
        let spans = spans.map(|(id, parent)| span(id, parent, "2026-01-02T03:04:05Z", &llm));
        assert_eq!(run(&json!(spans))["steps"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn an_agent_that_only_holds_agents_together_is_none() {
        let agent = |id, parent, name| {
            let attributes = json!({ "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name });
            span(id, parent, "2026-01-02T03:04:05Z", &attributes)
        };
        let llm = |id, parent| {
            span(id, parent, "2026-01-02T03:04:06Z", &json!({ "gen_ai.operation.name": "chat" }))
        };
        let spans = json!([
            agent("1", "", "all"),
            agent("2", "1", "a"),
            llm("3", "2"),
            agent("4", "2", "b"),
            llm("5", "4")
        ]);
        let run = run(&spans);
        assert_eq!(run["steps"][0].get("depth"), None);
        assert_eq!(run["steps"][1]["parent"], "b");
    }
}
