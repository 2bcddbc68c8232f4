//! The rules that hold across formats: how what was recorded becomes steps, whichever format it was recorded in.

use std::collections::VecDeque;

use indexmap::{IndexMap, IndexSet};
use serde_json::json;

use super::notes::{NoteKind, Notes};
use super::{Recorded, RunId, TotalsSource, TraceFormat};
use crate::trajectory::json::Json;
use crate::trajectory::model::{
    CallUnknown, Event, LlmCall, RunError, RunUnknown, StateChange, Step, ToolCall, Trajectory,
};
use crate::value::excerpt::cut;
use crate::value::tree::{HEAVIEST, TOO_HEAVY, weight};
use crate::value::{Tree, Value};

/// Writes down one run, in the order in which its trace tells it.
pub(super) struct Recorder {
    run: Trajectory<'static>,
    notes: Notes,
    open: Open,
    /// How much more its arguments and results may weigh. They may come from texts in records, which weigh next to nothing
    /// until they are decoded.
    room: usize,
    /// Whether the trace told how the run ended.
    ended: bool,
    /// Whether the last that was told is an answer of the agent.
    answered: bool,
    /// True if part of what the agent said since its last model call was not understood: the answer is unknown.
    lost_answer: bool,
    /// The number of calls without a name, which are no steps.
    nameless: usize,
    totals: TotalsSource,
}

/// When a step happened, and whose it is.
#[derive(Debug, Clone, Default)]
pub(super) struct Mark {
    pub(super) timestamp: Option<Json<'static>>,
    /// How deep among sub-agents: 0 is the agent itself.
    pub(super) depth: u32,
    /// The sub-agent that did it.
    pub(super) parent: Option<String>,
}

/// What a tool was called with, as it is written.
#[derive(Debug, Clone)]
pub(super) enum Args {
    /// A value; one that is a text is decoded, and nothing, null and `""` are no arguments.
    Given(Value),
    /// The trace does not tell.
    Unrecorded,
}

impl From<Option<Value>> for Args {
    fn from(given: Option<Value>) -> Args {
        Args::Given(given.unwrap_or_default())
    }
}

/// Whether a call of a tool failed.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    Succeeded,
    Failed(RunError<'static>),
    /// The trace does not tell.
    Unknown,
}

impl Outcome {
    /// By a flag alone: what failed says why in its result.
    pub(super) fn flagged(failed: Option<bool>, result: Option<&Value>) -> Outcome {
        match failed {
            None => Outcome::Unknown,
            Some(false) => Outcome::Succeeded,
            Some(true) => {
                Outcome::Failed(RunError { message: Some(told(result).into()), ..RunError::default() })
            }
        }
    }
}

/// What a failed call says: the text of its result, or `failed`.
fn told(result: Option<&Value>) -> String {
    match result {
        Some(Value::String(text)) if !text.is_empty() => text.clone(),
        Some(Value::Null | Value::String(_)) | None => "failed".to_owned(),
        Some(parts @ Value::Array(_)) => super::json::texts(parts).unwrap_or_else(|| "failed".to_owned()),
        Some(other) => other.to_string(),
    }
}

/// What came of a call, told apart from it.
#[derive(Debug, Clone)]
pub(super) struct Returned<'r> {
    pub(super) id: Option<&'r str>,
    /// The tool, where that is told with the result.
    pub(super) name: Option<&'r str>,
    /// `None` where the trace has none; null is a result.
    pub(super) result: Option<Value>,
    pub(super) outcome: Outcome,
}

impl Recorder {
    pub(super) fn new(format: TraceFormat) -> Recorder {
        let run = Trajectory { source: Some(format.name().into()), ..Trajectory::default() };
        let (notes, open) = (Notes::default(), Open::default());
        Recorder {
            run,
            notes,
            open,
            room: HEAVIEST,
            ended: false,
            answered: false,
            lost_answer: false,
            nameless: 0,
            totals: TotalsSource::Recorded,
        }
    }

    /// Sets totals that are sums over records. They are unknown if a record is lost.
    pub(super) fn sum_totals(&mut self, tokens: Option<u64>, llm_calls: Option<u64>) {
        (self.run.total_tokens, self.run.llm_calls) = (tokens, llm_calls);
        self.totals = TotalsSource::Summed;
    }

    /// The run as far as it is written: for its id, its tools, its totals.
    pub(super) fn run(&mut self) -> &mut Trajectory<'static> {
        &mut self.run
    }

    /// Whether nothing was written yet.
    pub(super) fn is_empty(&self) -> bool {
        self.run.steps.is_empty() && self.run.input.is_none() && self.run.final_output.is_none()
    }

    /// Whether a step was written already.
    pub(super) fn has_steps(&self) -> bool {
        !self.run.steps.is_empty()
    }

    /// A message of the user. The first one is the input.
    pub(super) fn heard(&mut self, content: Option<Value>) {
        self.answered = false;
        if self.run.input.is_none() {
            self.run.input = content.map(|content| super::json::content(content).into());
        }
    }

    /// A text that the agent itself said. The last one is its answer, and ends the run unless something follows.
    pub(super) fn said(&mut self, text: impl Into<String>) {
        self.run.final_output = Some(text.into().into());
        self.answered = true;
    }

    /// A call of a model. Answers with its step.
    pub(super) fn llm(&mut self, call: LlmCall<'static>, mark: Mark) -> usize {
        self.lost_answer &= mark.depth > 0;
        self.push(Event::LlmCall(call), mark)
    }

    /// The call of a model at a step, for what is told later.
    pub(super) fn llm_at(&mut self, step: usize) -> Option<&mut LlmCall<'static>> {
        match &mut self.run.steps.get_mut(step)?.event {
            Event::LlmCall(call) => Some(call),
            Event::ToolCall(_) | Event::StateChange(_) => None,
        }
    }

    /// A call of a tool, which waits for its result from now on. Answers with its step.
    ///
    /// A call whose name is empty is not understood: it becomes no step, and its result is ignored.
    pub(super) fn call(
        &mut self,
        id: Option<&str>,
        name: impl Into<String>,
        args: Args,
        mark: Mark,
    ) -> usize {
        let name = name.into();
        if name.trim().is_empty() {
            return self.nameless_call(id, &mark);
        }
        let (args, unrecorded) = match args {
            Args::Unrecorded => (None, true),
            Args::Given(written) => (self.decoded(&name, written), false),
        };
        self.open.add(id, &name, self.run.steps.len());
        let unknown = CallUnknown { args: unrecorded, ..CallUnknown::default() };
        let call = ToolCall { name: name.into(), args: args.map(Json::from), unknown, ..ToolCall::default() };
        if mark.depth == 0 {
            self.answered = false;
        }
        self.push(Event::ToolCall(call), mark)
    }

    /// Notes a call without a name. Answers with a number that no step has, for its result.
    fn nameless_call(&mut self, id: Option<&str>, mark: &Mark) -> usize {
        self.not_understood(|| "a tool call without a name".to_owned());
        let step = usize::MAX - self.nameless;
        self.nameless += 1;
        self.open.add(id, "", step);
        if mark.depth == 0 {
            self.answered = false;
        }
        step
    }

    /// What came of a call, which is found by its id among those without a result, the oldest first; else by its name; else,
    /// where neither is told, by position. Answers with the step of the call.
    pub(super) fn returned(&mut self, returned: Returned<'_>) -> Option<usize> {
        let Returned { id, name, result, outcome } = returned;
        let Some(step) = self.open.find(id, name) else {
            self.notes.add(NoteKind::UnmatchedResult, || match (id, name) {
                (Some(id), _) => format!("id '{id}'"),
                (None, Some(name)) => format!("of tool '{name}'"),
                (None, None) => "no id".to_owned(),
            });
            return None;
        };
        self.settle(step, result, outcome);
        Some(step)
    }

    /// What came of the call at a step. A result for which there is no room is not known.
    pub(super) fn settle(&mut self, step: usize, result: Option<Value>, outcome: Outcome) {
        self.open.close(step);
        let is_too_heavy = result.as_ref().is_some_and(|result| !self.has_room_for(result));
        let result = result.filter(|_| !is_too_heavy);
        if is_too_heavy {
            let why =
                || format!("the result of step {} is too large: the run would contain {TOO_HEAVY}", step + 1);
            self.notes.add(NoteKind::StrayRecord, why);
        }
        let Some(Step { event: Event::ToolCall(call), depth, .. }) = self.run.steps.get_mut(step) else {
            return;
        };
        if *depth == 0 {
            self.answered = false;
        }
        call.unknown.error = outcome == Outcome::Unknown;
        call.unknown.result = is_too_heavy;
        call.result = result.map(|result| super::json::content(result).into());
        call.error = match outcome {
            Outcome::Failed(error) => Some(Box::new(error)),
            Outcome::Succeeded | Outcome::Unknown => None,
        };
    }

    /// Replaces what the call at a step was called with, where the trace records it again in full.
    pub(super) fn set_args(&mut self, step: usize, args: Value) {
        let Some(name) = self.call_at(step).map(|call| call.name.to_string()) else { return };
        let args = self.decoded(&name, args).map(Json::from);
        if let Some(Event::ToolCall(call)) = self.run.steps.get_mut(step).map(|step| &mut step.event) {
            call.unknown.args = false;
            call.args = args;
        }
    }

    /// Returns true if a step calls this tool with these arguments: the trace repeats the call.
    pub(super) fn is_call_of(&self, step: usize, name: &str, args: Option<&Value>) -> bool {
        let is_given =
            |args: &&Value| !args.is_null() && args.as_object().is_none_or(|args| !args.is_empty());
        self.call_at(step).is_some_and(|call| {
            call.name == name && call.args.as_ref().map(Json::value).as_deref() == args.filter(is_given)
        })
    }

    /// Returns the step of the same call with the same id, if it still waits for its result: the trace repeats it.
    pub(super) fn repeated_call(
        &mut self,
        id: Option<&str>,
        name: &str,
        args: Option<&Value>,
    ) -> Option<usize> {
        let step = self.open.find(Some(id?), None)?;
        let is_repeated = self.is_call_of(step, name, args);
        if is_repeated {
            self.note(NoteKind::Repeated, || format!("tool call '{}'", id.unwrap_or_default()));
        }
        is_repeated.then_some(step)
    }

    /// Returns true if a step calls this tool.
    pub(super) fn is_call_to(&self, step: usize, name: &str) -> bool {
        self.call_at(step).is_some_and(|call| call.name == name)
    }

    fn call_at(&self, step: usize) -> Option<&ToolCall<'static>> {
        match &self.run.steps.get(step)?.event {
            Event::ToolCall(call) => Some(call),
            Event::LlmCall(_) | Event::StateChange(_) => None,
        }
    }

    /// That the trace does not tell what came of the call at a step, though it may have come to something.
    pub(super) fn untold(&mut self, step: usize, outcome: Outcome) {
        self.settle(step, None, outcome);
        if let Some(Event::ToolCall(call)) = self.run.steps.get_mut(step).map(|step| &mut step.event) {
            call.unknown.result = true;
        }
    }

    /// A change of state.
    pub(super) fn changed(
        &mut self,
        key: impl Into<String>,
        old: Option<Value>,
        new: Option<Value>,
        mark: Mark,
    ) {
        let (old_value, new_value) = (old.map(Json::from), new.map(Json::from));
        self.push(Event::StateChange(StateChange { key: key.into().into(), old_value, new_value }), mark);
    }

    /// That the trace tells how the run ended: with an error, or without.
    pub(super) fn ended(&mut self, error: Option<RunError<'static>>) {
        self.ended = true;
        self.run.error = error;
    }

    /// That the run did not end after all where it had been told to.
    pub(super) fn goes_on(&mut self) {
        self.ended = false;
        self.run.error = None;
    }

    /// That the trace breaks off before the agent had said all.
    pub(super) fn broke_off(&mut self) {
        self.answered = false;
    }

    /// Notes that a stream ends before it says so: the agent may have called more tools, so steps are unknown, and so is the
    /// ending unless it was recorded.
    ///
    /// `what` names what is missing: `no 'message_stop'`.
    pub(super) fn cut_off(&mut self, what: &str) {
        self.broke_off();
        self.lost_answer = true;
        self.note(NoteKind::Truncated, || what.to_owned());
    }

    /// Adds a note. Steps are unknown from then on if its kind [loses](NoteKind::loses_steps) some.
    pub(super) fn note(&mut self, kind: NoteKind, what: impl FnOnce() -> String) {
        self.notes.add(kind, what);
    }

    /// Notes something in the trace that was not understood and may have been a step: steps are unknown from then on, so
    /// that an assertion which depends on what is *not* there is not evaluable.
    ///
    /// `what` names it in a few words: `a tool call without a name`.
    pub(super) fn not_understood(&mut self, what: impl FnOnce() -> String) {
        self.note(NoteKind::StrayRecord, what);
    }

    /// Notes part of an answer that was not understood: it may have been a call, or what the agent said.
    pub(super) fn answer_not_understood(&mut self, what: impl FnOnce() -> String) {
        self.lost_answer = true;
        self.not_understood(what);
    }

    /// Checks that the texts in the content of an answer are strings, and content a string or a list.
    pub(super) fn check_texts(&mut self, content: &Value) {
        let is_odd = |part: &Value| match super::json::text(part, "type") {
            Some("text" | "output_text") => !matches!(part.get("text"), Some(Value::String(_) | Value::Null)),
            Some(_) => false,
            None => !part.is_string() && super::json::text(part, "text").is_none(),
        };
        match content {
            Value::Array(parts) if parts.iter().any(is_odd) => {
                self.answer_not_understood(|| "a text part whose 'text' isn't a string".to_owned());
            }
            Value::Null | Value::String(_) | Value::Array(_) => {}
            _ => self.answer_not_understood(|| "'content' is neither a string nor an array".to_owned()),
        }
    }

    /// Takes a list of calls, results or steps out of an object. A member of another type is not understood.
    pub(super) fn take_list(&mut self, value: &mut Value, key: &str) -> Vec<Value> {
        match super::json::take(value, key) {
            Some(Value::Array(items)) => items,
            Some(_) => {
                self.not_understood(|| format!("'{key}' isn't an array"));
                Vec::new()
            }
            None => Vec::new(),
        }
    }

    /// Takes an object that may hold calls, results or steps out of another. A member of another type is not understood, unless
    /// it is empty.
    pub(super) fn take_object(&mut self, value: &mut Value, key: &str) -> Value {
        match super::json::take(value, key) {
            Some(object @ Value::Object(_)) => object,
            Some(other) if !super::json::is_empty(&other) => {
                self.not_understood(|| format!("'{key}' isn't an object"));
                Value::Null
            }
            _ => Value::Null,
        }
    }

    /// Checks what is left of an object after its known members were taken. It is not understood if it may
    /// [hold](super::json::holds_step) a call or a result. `what` names the object: `a message`.
    pub(super) fn check_rest(&mut self, rest: &Value, what: &str) {
        if super::json::holds_step(rest) {
            let place =
                super::json::step_key(rest).map_or(String::new(), |key| format!("'{}' of ", cut(key)));
            self.not_understood(|| format!("unexpected tool call in {place}{what}"));
        }
    }

    /// The run, as it stands when its trace ends.
    pub(super) fn finish(mut self, id: RunId) -> Recorded {
        let own = |step: &Step<'_>| step.depth == 0 && matches!(step.event, Event::LlmCall(_));
        let last_answer = self.run.steps.iter().rposition(own);
        for step in std::mem::take(&mut self.open).waiting() {
            let Some(Step { event: Event::ToolCall(call), depth, .. }) = self.run.steps.get_mut(step) else {
                continue;
            };
            // An answer that asked for what did not come is not the last.
            if last_answer.is_some_and(|answer| step > answer) && *depth == 0 {
                self.answered = false;
            }
            call.unknown = CallUnknown { result: true, error: true, ..call.unknown };
            self.notes.add(NoteKind::UnansweredCall, || format!("'{}' at step {}", call.name, step + 1));
        }
        let unknown = !self.ended && self.run.error.is_none() && !self.answered;
        self.run.unknown = RunUnknown { error: unknown || self.run.unknown.error, ..self.run.unknown };
        if self.lost_answer {
            self.run.unknown.final_output = true;
            self.run.final_output = None;
        }
        let mut recorded = Recorded { id, trajectory: self.run, notes: self.notes, totals: self.totals };
        if recorded.notes.lose_steps() {
            recorded.lose_steps();
        }
        recorded
    }

    fn push(&mut self, event: Event<'static>, mark: Mark) -> usize {
        let Mark { timestamp, depth, parent } = mark;
        let parent = parent.filter(|_| depth > 0).map(Into::into);
        self.run.steps.push(Step { event, step_index: None, timestamp, depth, parent });
        self.run.steps.len() - 1
    }

    /// Takes room for a value; `false` where there is too little.
    fn has_room_for(&mut self, value: &Value) -> bool {
        let left = self.room.checked_sub(weight(value));
        self.room = left.unwrap_or(self.room);
        left.is_some()
    }

    /// Arguments as an object; `None` where there are none. Those for which there is no room are kept as text.
    fn decoded(&mut self, name: &str, written: Value) -> Option<Value> {
        let no_room = || format!("too large: the run would contain {TOO_HEAVY}");
        let (raw, why) = match written {
            Value::Null => return None,
            Value::Object(object) if object.is_empty() => return None,
            Value::Object(_) if self.has_room_for(&written) => return Some(written),
            Value::Object(_) => (written.to_string().into(), no_room()),
            Value::String(text) if text.trim().is_empty() => return None,
            Value::String(text) => {
                match Tree::read(text.as_bytes()).map(|tree| self.note_repeated_keys(name, tree)) {
                    Ok(Value::Null) => return None,
                    Ok(Value::Object(object)) if object.is_empty() => return None,
                    Ok(object @ Value::Object(_)) if self.has_room_for(&object) => return Some(object),
                    Ok(Value::Object(_)) => (Value::String(text), no_room()),
                    Ok(_) => (Value::String(text), "not an object".to_owned()),
                    Err(cause) => (Value::String(text), cause.to_string()),
                }
            }
            other => (other, "not an object".to_owned()),
        };
        self.notes.add(NoteKind::UndecodedArguments, || format!("'{name}': {why}"));
        Some(json!({ "raw": raw, "parse_error": why }))
    }

    /// Returns the decoded arguments of a tool, with a note if they give a key twice.
    fn note_repeated_keys(&mut self, name: &str, Tree { value, repeated_keys, .. }: Tree) -> Value {
        if let Some(key) = repeated_keys.first() {
            self.notes.add(NoteKind::RepeatedKey, || format!("'{key}' in the arguments of '{name}'"));
        }
        value
    }
}

/// The calls that wait for a result.
#[derive(Default)]
struct Open {
    by_id: IndexMap<String, VecDeque<usize>>,
    by_name: IndexMap<String, VecDeque<usize>>,
    in_order: VecDeque<usize>,
    /// The steps of calls, in order; what is answered has gone.
    waits: IndexSet<usize>,
}

impl Open {
    fn add(&mut self, id: Option<&str>, name: &str, step: usize) {
        if let Some(id) = id {
            self.by_id.entry(id.to_owned()).or_default().push_back(step);
        }
        self.by_name.entry(name.to_owned()).or_default().push_back(step);
        self.in_order.push_back(step);
        self.waits.insert(step);
    }

    fn find(&mut self, id: Option<&str>, name: Option<&str>) -> Option<usize> {
        let waits = &self.waits;
        let oldest = |calls: &mut VecDeque<usize>| {
            while calls.front().is_some_and(|step| !waits.contains(step)) {
                calls.pop_front();
            }
            calls.front().copied()
        };
        if let Some(found) = id.and_then(|id| oldest(self.by_id.get_mut(id)?)) {
            return Some(found);
        }
        match (id, name) {
            (_, Some(name)) => oldest(self.by_name.get_mut(name)?),
            (None, None) => oldest(&mut self.in_order),
            (Some(_), None) => None,
        }
    }

    fn close(&mut self, step: usize) {
        self.waits.swap_remove(&step);
    }

    /// Those that still wait, in order.
    fn waiting(self) -> impl Iterator<Item = usize> {
        let waits = self.waits;
        self.in_order.into_iter().filter(move |step| waits.contains(step))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a trace may tell: a call, or what came of one.
    #[derive(Debug, Clone)]
    enum Told {
        Call { id: Option<u8>, name: u8 },
        Result { id: Option<u8>, name: Option<u8> },
    }

    fn told() -> impl Strategy<Value = Told> {
        // Few ids and names, so that they recur.
        let (id, name) = (prop::option::of(0_u8..3), 0_u8..3);
        prop_oneof![
            (id.clone(), name.clone()).prop_map(|(id, name)| Told::Call { id, name }),
            (id, prop::option::of(name)).prop_map(|(id, name)| Told::Result { id, name }),
        ]
    }

    proptest! {
        /// The rule as it is written, beside the index that follows it.
        #[test]
        fn results_go_to_the_oldest_call_that_fits(trace in prop::collection::vec(told(), 0..40)) {
            let mut run = Recorder::new(TraceFormat::OpenaiChat);
            let mut calls: Vec<(Option<u8>, u8, Option<usize>)> = Vec::new();
            let mut unmatched = 0;
            for (number, told) in trace.iter().enumerate() {
                match told {
                    Told::Call { id, name } => {
                        let id_text = id.map(|id| id.to_string());
                        run.call(id_text.as_deref(), name.to_string(), Args::Unrecorded, Mark::default());
                        calls.push((*id, *name, None));
                    }
                    Told::Result { id, name } => {
                        let (id_text, name_text) = (id.map(|id| id.to_string()), name.map(|name| name.to_string()));
                        let result = Some(Value::from(number));
                        let (id_text, name_text) = (id_text.as_deref(), name_text.as_deref());
                        run.returned(Returned { id: id_text, name: name_text, result, outcome: Outcome::Unknown });
                        let open = |call: &&mut (Option<u8>, u8, Option<usize>)| call.2.is_none();
                        let by_id = calls.iter_mut().filter(open).find(|call| id.is_some() && call.0 == *id).is_some();
                        let fits = |call: &(Option<u8>, u8, Option<usize>)| match (by_id, name, id) {
                            (true, ..) => call.0 == *id,
                            (false, Some(name), _) => call.1 == *name,
                            (false, None, id) => id.is_none(),
                        };
                        match calls.iter_mut().filter(open).find(|call| fits(call)) {
                            Some(call) => call.2 = Some(number),
                            None => unmatched += 1,
                        }
                    }
                }
            }
            let Recorded { trajectory, notes, .. } = run.finish(RunId::Whole);
            let results: Vec<Option<Value>> = trajectory.steps.iter().map(|step| match &step.event {
                Event::ToolCall(call) => call.result.as_ref().map(|result| result.value().into_owned()),
                _ => None,
            }).collect();
            let expected: Vec<Option<Value>> = calls.iter().map(|(_, _, result)| result.map(Value::from)).collect();
            prop_assert_eq!(results, expected);
            let count = |kind| notes.clone().sorted().iter().find(|note| note.kind == kind).map_or(0, |note| note.count);
            prop_assert_eq!(count(NoteKind::UnmatchedResult), unmatched);
            prop_assert_eq!(count(NoteKind::UnansweredCall), calls.iter().filter(|call| call.2.is_none()).count());
        }
    }

    fn decoded(written: Value) -> Option<Value> {
        Recorder::new(TraceFormat::OpenaiChat).decoded("look", written)
    }

    #[test]
    fn arguments_are_an_object_or_kept_with_the_reason() {
        for none in [json!(null), json!(""), json!(" "), json!("null"), json!("{}"), json!({})] {
            assert_eq!(decoded(none), None);
        }
        assert_eq!(decoded(json!("{\"a\": 1}")), Some(json!({"a": 1})));
        assert_eq!(decoded(json!({"a": 1})), Some(json!({"a": 1})));
        assert_eq!(decoded(json!("[1]")), Some(json!({"raw": "[1]", "parse_error": "not an object"})));
        assert_eq!(decoded(json!(5)), Some(json!({"raw": 5, "parse_error": "not an object"})));
        let broken = decoded(json!("{\"a\": ")).unwrap();
        assert_eq!(broken["raw"], "{\"a\": ");
        assert!(
            broken["parse_error"].as_str().is_some_and(|why| why.contains("unexpected end of input")),
            "{broken}"
        );
    }

    #[test]
    fn arguments_and_results_weigh_no_more_than_there_is_room_for() {
        let heavy = json!({"a": [[1], [1], [1]]});
        let mut run = Recorder { room: 2 * weight(&heavy), ..Recorder::new(TraceFormat::Otlp) };
        let given = [json!(heavy.to_string()), heavy.clone(), heavy.clone(), json!(heavy.to_string())];
        for args in given {
            run.call(None, "look", Args::Given(args), Mark::default());
        }
        run.settle(0, Some(heavy.clone()), Outcome::Succeeded);
        run.settle(1, None, Outcome::Succeeded);
        let Recorded { trajectory, notes, .. } = run.finish(RunId::Whole);
        let calls: Vec<&ToolCall<'_>> = trajectory
            .steps
            .iter()
            .filter_map(|step| match &step.event {
                Event::ToolCall(call) => Some(call),
                _ => None,
            })
            .collect();
        let args = |call: usize| calls[call].args.as_ref().unwrap().value().into_owned();
        assert_eq!([args(0), args(1)], [heavy.clone(), heavy.clone()]);
        for call in [2, 3] {
            assert_eq!(args(call)["raw"], heavy.to_string());
            assert_eq!(args(call)["parse_error"], format!("too large: the run would contain {TOO_HEAVY}"));
        }
        assert!(calls[0].result.is_none() && calls[0].unknown.result && !calls[1].unknown.result);
        let told: Vec<String> = notes.sorted().iter().map(ToString::to_string).collect();
        assert!(
            told.concat().contains("the result of step 1 is too large: the run would contain"),
            "{told:?}"
        );
    }
}
