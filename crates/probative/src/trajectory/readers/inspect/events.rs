//! The events of a sample, in their order.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::super::json::{amount, count, get, list, take, take_list, take_text, text, timestamp, tool_names};
use super::super::recorder::{Mark, Recorder};
use super::attachments::Attachments;
use super::known::Known;
use super::spans::{Actor, Spans};
use super::{Asked, asked, outcome, take_answer, thrown, tokens_sent};
use crate::trajectory::model::{LlmCall, RunError};
use crate::value::Value;

/// Takes the events of a sample. Answers with the error that its last event tells, if it does.
pub(super) fn take_events(
    run: &mut Recorder,
    events: Vec<Value>,
    attachments: &mut Attachments,
) -> Option<RunError<'static>> {
    let mut sample = Events {
        run,
        attachments,
        spans: Spans::default(),
        asked: BTreeMap::new(),
        tools: BTreeSet::new(),
        store: Known::default(),
        state: Known::default(),
        failure: None,
    };
    for event in events {
        sample.take(event, &Actor::default());
    }
    sample.failure
}

/// Events that are neither steps nor hold any.
const NO_STEPS: [&str; 19] = [
    "anchor",
    "approval",
    "branch",
    "checkpoint",
    "compaction",
    "info",
    "input",
    "interrupt",
    "logger",
    "review",
    "sample_init",
    "sample_limit",
    "sandbox",
    "score",
    "score_edit",
    "sentinel",
    "span_begin",
    "span_end",
    "step",
];

/// Notes an event that may be a step, or hold one. Only the kinds that are known not to are ignored.
pub(super) fn check_kind(run: &mut Recorder, kind: Option<&str>) {
    match kind {
        Some("store" | "state" | "subtask" | "error") => {}
        Some(kind) if NO_STEPS.contains(&kind) => {}
        Some(kind) => run.not_understood(|| format!("unknown 'event' '{kind}'")),
        None => run.not_understood(|| "an event without 'event'".to_owned()),
    }
}

struct Events<'e> {
    run: &'e mut Recorder,
    attachments: &'e mut Attachments,
    spans: Spans,
    /// Calls that were asked for and not made yet, by their depth and id.
    asked: BTreeMap<(u32, String), VecDeque<usize>>,
    tools: BTreeSet<String>,
    /// What is known of the store and of the state by now.
    store: Known,
    state: Known,
    failure: Option<RunError<'static>>,
}

impl Events<'_> {
    /// Takes an event. `base` is who does it where it stands in no span.
    fn take(&mut self, mut event: Value, base: &Actor) {
        self.spans.take(&event, base);
        let actor = self.spans.actor(&event, base);
        if !actor.is_of_run() {
            return;
        }
        let mark = Mark { timestamp: timestamp(event.get("timestamp")), ..actor.mark() };
        match text(&event, "event") {
            Some("model") => self.model(event, &mark),
            Some("tool") => self.tool(event, &actor, mark),
            Some("store") => {
                for change in take_list(&mut event, "changes") {
                    if self.store.changes(&change) {
                        self.change(change, &mark);
                    }
                }
            }
            Some("state") => {
                for change in take_list(&mut event, "changes") {
                    let is_told = is_told_by_steps(&change) || self.store.has(&change, "/store");
                    if !is_told && self.state.changes(&change) {
                        self.change(change, &mark);
                    }
                }
            }
            // A part of the agent that old logs tell in one event. It has a store of its own.
            Some("subtask") => {
                let store = std::mem::take(&mut self.store);
                for event in self.run.take_list(&mut event, "events") {
                    self.take(event, &actor);
                }
                self.store = store;
            }
            Some("error") => {
                let error = get(&event, "error").filter(|error| text(error, "message").is_some());
                self.failure = error.map(thrown);
            }
            kind => check_kind(self.run, kind),
        }
    }

    /// A call of a model. The tools that it asks for are called when they are asked for, whenever that is told.
    fn model(&mut self, mut event: Value, mark: &Mark) {
        let mut output = self.run.take_object(&mut event, "output");
        let usage = take(&mut output, "usage").unwrap_or_default();
        let model = take_text(&mut event, "model").or_else(|| take_text(&mut output, "model"));
        let call = LlmCall {
            model: model.map(Into::into),
            prompt_tokens: tokens_sent(&usage),
            completion_tokens: count(&usage, "output_tokens"),
            cost: amount(&usage, "total_cost"),
        };
        self.run.llm(call, mark.clone());
        let mut choice = self.run.take_list(&mut output, "choices").into_iter().next().unwrap_or_default();
        if mark.depth == 0 {
            for name in tool_names(list(&event, "tools")) {
                if !self.tools.contains(&*name) {
                    self.tools.insert(name.clone().into_owned());
                    self.run.run().tools.push(name);
                }
            }
            let is_withheld = text(&choice, "stop_reason") == Some("content_filter");
            self.failure = is_withheld.then(|| RunError::new("content_filter", "the answer was withheld"));
        }
        let message = self.run.take_object(&mut choice, "message");
        for Asked { id, name, args } in take_answer(self.run, message, mark, self.attachments) {
            let step = self.run.call(id.as_deref(), name, args, Mark { timestamp: None, ..mark.clone() });
            if let Some(id) = id {
                self.asked.entry((mark.depth, id)).or_default().push_back(step);
            }
        }
    }

    /// A call of a tool, which mostly was asked for before.
    fn tool(&mut self, mut event: Value, actor: &Actor, mark: Mark) {
        let id = take_text(&mut event, "id");
        self.spans.called(&event, id.as_deref());
        let waiting = id.as_ref().and_then(|id| self.asked.get_mut(&(mark.depth, id.clone()))?.pop_front());
        let step = if let Some(step) = waiting {
            if let Some(told) = self.run.run().steps.get_mut(step) {
                told.timestamp = mark.timestamp;
            }
            step
        } else {
            let Asked { name, args, .. } = asked(self.run, &mut event, self.attachments);
            self.run.call(id.as_deref(), name, args, mark)
        };
        let is_pending = get(&event, "pending") == Some(&Value::Bool(true));
        let is_told = ["result", "error", "completed"].iter().any(|key| get(&event, key).is_some());
        if is_told && !is_pending {
            let result = self.attachments.resolved(event.get_mut("result").map(Value::take));
            let outcome = outcome(&mut event, result.as_ref());
            self.run.settle(step, result, outcome);
        }
        let inside = self.run.take_list(&mut event, "events");
        if !inside.is_empty() {
            let actor = actor.in_call(text(&event, "agent").or(id.as_deref()));
            for event in inside {
                self.take(event, &actor);
            }
        }
    }

    /// A change of state. What is told as null is null; what is not told is nothing.
    fn change(&mut self, mut change: Value, mark: &Mark) {
        let is_removed = text(&change, "op") == Some("remove");
        let old = change.get_mut("replaced").map(Value::take);
        let new = change.get_mut("value").map(Value::take).filter(|_| !is_removed);
        let (old, new) = (self.attachments.resolved(old), self.attachments.resolved(new));
        self.run.changed(take_text(&mut change, "path").unwrap_or_default(), old, new, mark.clone());
    }
}

/// Whether a change of the state is of the messages or of the output, which the calls of models and tools tell.
fn is_told_by_steps(change: &Value) -> bool {
    let path = text(change, "path").unwrap_or_default();
    let first = path.strip_prefix('/').and_then(|path| path.split('/').next());
    matches!(first, Some("messages" | "output"))
}
