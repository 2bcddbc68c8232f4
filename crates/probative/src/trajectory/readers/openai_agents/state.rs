//! A run as the Agents SDK keeps it: the answers of the model, and the items that came of them.

use std::collections::{BTreeMap, VecDeque};

use super::{recorder, take_run_items};
use crate::trajectory::model::LlmCall;
use crate::trajectory::readers::json::{at, count, get, list, take, text, tool_names};
use crate::trajectory::readers::openai_responses::{Items, take_items};
use crate::trajectory::readers::recorder::{Mark, Recorder};
use crate::value::Value;

/// Whether a record is the state of a run. In Python its names have underscores, in JavaScript they have not.
pub(super) fn is_state(record: &Value) -> bool {
    get(record, "$schemaVersion").is_some()
        && get(record, "modelResponses").or(get(record, "model_responses")).is_some()
}

/// Takes a member by either of its names.
fn either(value: &mut Value, [python, javascript]: [&str; 2]) -> Option<Value> {
    take(value, python).or_else(|| take(value, javascript))
}

/// A list among the members, by either of its names.
fn either_list(run: &mut Recorder, value: &mut Value, names: [&str; 2]) -> Vec<Value> {
    names.iter().map(|name| run.take_list(value, name)).find(|items| !items.is_empty()).unwrap_or_default()
}

/// Reads the state of a run.
pub(super) fn read(mut state: Value) -> Recorder {
    let mut run = recorder();
    run.run().run_id = at(&state, &["trace", "id"]).and_then(Value::as_str).map(|id| id.to_owned().into());
    hear(&mut run, either(&mut state, ["original_input", "originalInput"]));
    if let Some(span) = either(&mut state, ["current_agent_span", "currentAgentSpan"]) {
        run.run().tools = get(&span, "span_data").map_or(Vec::new(), |data| tool_names(list(data, "tools")));
    }
    let items = either_list(&mut run, &mut state, ["generated_items", "generatedItems"]);
    let responses = either_list(&mut run, &mut state, ["model_responses", "modelResponses"]);
    take_answers(&mut run, responses, items);
    if let Some(usage) = at(&state, &["context", "usage"]) {
        // Where nothing was counted, the counts are zero.
        let stated =
            |names: [&str; 2]| names.iter().find_map(|name| count(usage, name)).filter(|count| *count > 0);
        run.run().total_tokens = stated(["total_tokens", "totalTokens"]);
        run.run().llm_calls = stated(["requests", "requests"]);
    }
    if let Some(mut step) = either(&mut state, ["current_step", "currentStep"])
        && text(&step, "type") == Some("next_step_final_output")
    {
        let data = take(&mut step, "data").unwrap_or(step);
        answer(&mut run, get(&data, "output"));
    }
    run
}

/// Reads the result of a run: what was asked, the new items, the answers of the model, the output.
pub(super) fn read_result(mut result: Value) -> Recorder {
    let mut run = recorder();
    hear(&mut run, take(&mut result, "input"));
    let items = either_list(&mut run, &mut result, ["new_items", "newItems"]);
    let responses = either_list(&mut run, &mut result, ["raw_responses", "rawResponses"]);
    take_answers(&mut run, responses, items);
    if let Some(output) = either(&mut result, ["final_output", "finalOutput"]) {
        answer(&mut run, Some(&output));
    }
    run
}

/// Takes what the user said: a text, or the items of a conversation.
fn hear(run: &mut Recorder, input: Option<Value>) {
    match input {
        Some(Value::Array(items)) => {
            let first = items.into_iter().find(|item| text(item, "role") == Some("user"));
            run.heard(first.and_then(|mut message| take(&mut message, "content")));
        }
        input => run.heard(input),
    }
}

/// Takes the output that ended the run.
fn answer(run: &mut Recorder, output: Option<&Value>) {
    match output {
        Some(Value::String(text)) => run.said(text.clone()),
        Some(other) => run.said(other.to_string()),
        None => {}
    }
    run.ended(None);
}

/// Takes the answers of the model, each with what came of the calls in it. Without answers the items tell all.
fn take_answers(run: &mut Recorder, responses: Vec<Value>, items: Vec<Value>) {
    if responses.is_empty() {
        take_run_items(run, items);
        return;
    }
    let mut results = Results::of(items);
    for mut response in responses {
        let output = run.take_list(&mut response, "output");
        let asked: Vec<String> = output.iter().filter_map(|item| Some(call_id(item)?.to_owned())).collect();
        let answer = Items::of_answer(run, llm_call(&response), Mark::default());
        take_items(run, answer, output, &Mark::default());
        let came = asked.iter().filter_map(|id| results.next(id)).collect();
        take_items(run, Items::default(), came, &Mark::default());
    }
    take_items(run, Items::default(), results.left(), &Mark::default());
}

fn llm_call(response: &Value) -> LlmCall<'static> {
    let usage = get(response, "usage").unwrap_or(&Value::Null);
    let model = text(response, "model").or_else(|| at(response, &["providerData", "model"])?.as_str());
    LlmCall {
        model: model.map(|model| model.to_owned().into()),
        prompt_tokens: count(usage, "input_tokens").or_else(|| count(usage, "inputTokens")),
        completion_tokens: count(usage, "output_tokens").or_else(|| count(usage, "outputTokens")),
        cost: None,
    }
}

fn call_id(item: &Value) -> Option<&str> {
    text(item, "call_id").or_else(|| text(item, "callId"))
}

/// What came of calls, by the ids of these; an id may come again.
#[derive(Default)]
struct Results {
    by_id: BTreeMap<String, VecDeque<usize>>,
    in_order: Vec<Option<Value>>,
}

impl Results {
    /// Those among the items of a run.
    fn of(items: Vec<Value>) -> Results {
        let mut results = Results::default();
        for mut item in items {
            if !matches!(text(&item, "type"), Some("tool_call_output_item" | "handoff_output_item")) {
                continue;
            }
            let raw = take(&mut item, "raw_item").or_else(|| take(&mut item, "rawItem"));
            let Some(mut raw) = raw.filter(Value::is_object) else { continue };
            if let Some(id) = call_id(&raw) {
                results.by_id.entry(id.to_owned()).or_default().push_back(results.in_order.len());
            }
            if get(&raw, "type").is_none()
                && let Value::Object(members) = &mut raw
            {
                members.insert("type".to_owned(), "function_call_output".into());
            }
            results.in_order.push(Some(raw));
        }
        results
    }

    /// The next for a call.
    fn next(&mut self, id: &str) -> Option<Value> {
        let place = self.by_id.get_mut(id)?.pop_front()?;
        self.in_order.get_mut(place)?.take()
    }

    /// Those that are left.
    fn left(self) -> Vec<Value> {
        self.in_order.into_iter().flatten().collect()
    }
}
