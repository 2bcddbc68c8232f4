//! The Agent Trajectory Interchange Format (ATIF), 1.4 to 1.8: one document is one run, with its sub-agents' runs inside.

use std::collections::{BTreeMap, VecDeque};
use std::vec;

use super::json::{
    amount, at, count, get, take, take_text, text, texts, timestamp, tool_names, unknown_kind,
};
use super::recorder::{Mark, Outcome, Recorder, Returned};
use super::{Claim, NoteKind, Reader, Recorded, RunId, TraceFormat};
use crate::trajectory::model::LlmCall;
use crate::value::Value;

/// How likely a record is a trajectory: its schema says so.
pub(super) fn claim(record: &Value) -> Claim {
    Claim::run(text(record, "schema_version").is_some_and(|version| version.starts_with("ATIF-v")))
}

/// Documents that are a run each.
#[derive(Default)]
pub(super) struct Atif;

impl Reader for Atif {
    fn record(&mut self, mut record: Value, id: RunId, done: &mut Vec<Recorded>) -> Result<(), String> {
        if !record.get("steps").is_some_and(Value::is_array) {
            return Err("'steps' is missing or isn't an array".to_owned());
        }
        let mut run = Recorder::new(TraceFormat::Atif);
        let session = take_text(&mut record, "session_id");
        run.run().run_id = session.or_else(|| take_text(&mut record, "trajectory_id")).map(Into::into);
        if let Some(definitions) = at(&record, &["agent", "tool_definitions"]).and_then(Value::as_array) {
            run.run().tools = tool_names(definitions);
        }
        let mut all_steps = None;
        if let Some(metrics) = get(&record, "final_metrics") {
            all_steps = count(metrics, "total_steps");
            let tokens = (count(metrics, "total_prompt_tokens"), count(metrics, "total_completion_tokens"));
            run.run().total_tokens = tokens.0.zip(tokens.1).map(|(sent, got)| sent.saturating_add(got));
            run.run().total_cost = amount(metrics, "total_cost_usd");
        }
        let is_continued = get(&record, "continued_trajectory_ref").is_some();
        let recorded = Agents::default().follow(record, &mut run);
        if is_continued {
            run.broke_off();
        }
        if let Some(all) = all_steps.filter(|all| *all > recorded) {
            run.cut_off(&format!("{recorded} of {all} steps recorded"));
        }
        done.push(run.finish(id));
        Ok(())
    }

    fn finish(self: Box<Self>, _: &mut Vec<Recorded>) {}
}

/// The agents of a document: the one whose run it is, and its sub-agents.
#[derive(Default)]
struct Agents {
    /// Those whose steps are being told, the deepest last.
    stack: Vec<Agent>,
    /// The trajectories of sub-agents, each with how deep it is if nobody refers to it; one that was begun has gone.
    waiting: Vec<Option<(Value, u32)>>,
    by_trajectory: BTreeMap<String, usize>,
    by_session: BTreeMap<String, usize>,
    /// Number of recorded steps, over all agents.
    steps: u64,
    /// How often models were called by the agent itself, where a step stands for more than one call.
    calls: Calls,
}

/// An agent whose steps are being told.
struct Agent {
    steps: vec::IntoIter<Value>,
    model: Option<String>,
    depth: u32,
    name: Option<String>,
}

#[derive(Default)]
struct Calls {
    all: u64,
    are_joined: bool,
}

impl Agents {
    /// Tells the steps of all agents. Those of a sub-agent follow the step that refers to it; where none does, they come last.
    /// Answers with how many steps there are.
    fn follow(mut self, root: Value, run: &mut Recorder) -> u64 {
        self.begin(root, 0, None, run);
        let mut unmet = 0;
        loop {
            while let Some(agent) = self.stack.last_mut() {
                let Some(step) = agent.steps.next() else {
                    self.stack.pop();
                    continue;
                };
                self.step(step, run);
            }
            let Some(next) = self.waiting.get_mut(unmet) else { break };
            unmet += 1;
            if let Some((trajectory, depth)) = next.take() {
                self.begin(trajectory, depth, None, run);
            }
        }
        if self.calls.are_joined {
            run.run().llm_calls = Some(self.calls.all);
        }
        self.steps
    }

    /// Begins with the steps of an agent; `call` is the id of the call that started it.
    fn begin(&mut self, mut trajectory: Value, depth: u32, call: Option<&str>, run: &mut Recorder) {
        for sub_agent in run.take_list(&mut trajectory, "subagent_trajectories") {
            let place = self.waiting.len();
            if let Some(id) = text(&sub_agent, "trajectory_id") {
                self.by_trajectory.entry(id.to_owned()).or_insert(place);
            }
            if let Some(id) = text(&sub_agent, "session_id") {
                self.by_session.entry(id.to_owned()).or_insert(place);
            }
            self.waiting.push(Some((sub_agent, depth.saturating_add(1))));
        }
        if let Some(next) = take(&mut trajectory, "continued_trajectory_ref") {
            run.note(NoteKind::UnreadFile, || format!("{next}, named in 'continued_trajectory_ref'"));
        }
        let steps = run.take_list(&mut trajectory, "steps");
        self.steps = self.steps.saturating_add(steps.len() as u64);
        let mut agent = take(&mut trajectory, "agent").unwrap_or_default();
        let name = take_text(&mut agent, "name").or_else(|| call.map(str::to_owned));
        let name = name.or_else(|| take_text(&mut trajectory, "trajectory_id"));
        check_rest(trajectory, "the trajectory object", run);
        let steps = steps.into_iter();
        self.stack.push(Agent { steps, model: take_text(&mut agent, "model_name"), depth, name });
    }

    /// Takes a step of the agent whose turn it is.
    fn step(&mut self, mut step: Value, run: &mut Recorder) {
        let Some(agent) = self.stack.last() else { return };
        if step.get("is_copied_context").and_then(Value::as_bool) == Some(true) {
            return;
        }
        let depth = agent.depth;
        let mark = Mark { timestamp: timestamp(step.get("timestamp")), depth, parent: agent.name.clone() };
        let mut calls = StepCalls::default();
        let mut is_agents = false;
        match text(&step, "source") {
            Some("user") if depth == 0 => run.heard(take(&mut step, "message")),
            Some("user" | "system") => {}
            Some("agent") => {
                is_agents = true;
                self.answer(&step, &mark, run);
                for call in run.take_list(&mut step, "tool_calls") {
                    calls.take(call, &mark, run);
                }
            }
            _ => run.note(NoteKind::StrayRecord, || format!("a step: {}", unknown_kind(&step, "source"))),
        }
        let mut observation = run.take_object(&mut step, "observation");
        let failed = told_beside(&step);
        let results = run.take_list(&mut observation, "results");
        check_rest(step, "a step", run);
        let started = calls.answer(results, failed, is_agents, run);
        // The first one is told first, so it is begun last.
        for (reference, call) in started.into_iter().rev() {
            let known = |map: &BTreeMap<String, usize>, key| map.get(text(&reference, key)?).copied();
            let place = known(&self.by_trajectory, "trajectory_id").or(known(&self.by_session, "session_id"));
            let found = place.and_then(|place| self.waiting.get_mut(place)?.take());
            if let Some((trajectory, _)) = found {
                self.begin(trajectory, depth.saturating_add(1), call.as_deref(), run);
            } else if place.is_none() {
                run.note(NoteKind::MissingSubAgent, || reference.to_string());
            }
        }
    }

    /// What an agent said, and the call of a model that it was, unless it was none.
    fn answer(&mut self, step: &Value, mark: &Mark, run: &mut Recorder) {
        let Some(agent) = self.stack.last() else { return };
        let calls = count(step, "llm_call_count");
        if calls != Some(0) {
            let metrics = get(step, "metrics").unwrap_or(&Value::Null);
            let model = text(step, "model_name").or(agent.model.as_deref()).map(str::to_owned);
            let call = LlmCall {
                model: model.map(Into::into),
                prompt_tokens: count(metrics, "prompt_tokens"),
                completion_tokens: count(metrics, "completion_tokens"),
                cost: amount(metrics, "cost_usd"),
            };
            run.llm(call, mark.clone());
        }
        if mark.depth > 0 {
            return;
        }
        self.calls.all = self.calls.all.saturating_add(calls.unwrap_or(1));
        self.calls.are_joined |= calls > Some(1);
        if get(step, "message").is_none() {
            run.answer_not_understood(|| "an agent step without 'message'".to_owned());
        }
        if let Some(text) = get(step, "message").and_then(texts).filter(|text| !text.is_empty()) {
            run.said(text);
        }
    }
}

/// The calls of one step, which its observation answers.
#[derive(Default)]
struct StepCalls {
    /// Those that wait, in order; one that is answered has gone.
    in_order: Vec<Option<usize>>,
    /// The places of calls with an id in that order.
    by_id: BTreeMap<String, VecDeque<usize>>,
}

impl StepCalls {
    fn take(&mut self, mut call: Value, mark: &Mark, run: &mut Recorder) {
        let id = take_text(&mut call, "tool_call_id");
        let name = take_text(&mut call, "function_name").unwrap_or_default();
        let step = run.call(id.as_deref(), name, take(&mut call, "arguments").into(), mark.clone());
        if let Some(id) = id {
            self.by_id.entry(id).or_default().push_back(self.in_order.len());
        }
        self.in_order.push(Some(step));
    }

    /// Takes the results of the step. Those without an id are matched by position where there are as many of them as of calls.
    /// Answers with the sub-agents that they refer to, each with the id of the call.
    fn answer(
        mut self,
        results: Vec<Value>,
        failed: Option<bool>,
        is_agents: bool,
        run: &mut Recorder,
    ) -> Vec<(Value, Option<String>)> {
        let failed = failed.filter(|_| self.in_order.len() == 1);
        let (mut started, mut without_id) = (Vec::new(), Vec::new());
        for mut result in results {
            let id = take_text(&mut result, "source_call_id");
            let references = run.take_list(&mut result, "subagent_trajectory_ref");
            let only_refers = !references.is_empty() && get(&result, "content").is_none();
            started.extend(references.into_iter().map(|reference| (reference, id.clone())));
            match id {
                Some(id) => self.by_its_id(&id, result, failed, run),
                None if only_refers || !is_agents => {}
                None => without_id.push(result),
            }
        }
        let waiting: Vec<usize> = self.in_order.into_iter().flatten().collect();
        if waiting.len() == without_id.len() {
            for (step, result) in waiting.into_iter().zip(without_id) {
                settle(step, result, failed, run);
            }
        } else {
            // Fewer results than calls: each belongs to one of them. More: a call was not recorded.
            let is_ambiguous = without_id.len() < waiting.len();
            let kind = if is_ambiguous { NoteKind::AmbiguousResult } else { NoteKind::UnmatchedResult };
            for _ in without_id {
                run.note(kind, || "no 'source_call_id'".to_owned());
            }
        }
        started
    }

    /// A result with an id belongs to a call of its own step, else to one before.
    fn by_its_id(&mut self, id: &str, mut result: Value, failed: Option<bool>, run: &mut Recorder) {
        let place = self.by_id.get_mut(id).and_then(VecDeque::pop_front);
        if let Some(step) = place.and_then(|place| self.in_order.get_mut(place)?.take()) {
            settle(step, result, failed, run);
        } else {
            let content = take(&mut result, "content");
            run.returned(Returned { id: Some(id), name: None, result: content, outcome: Outcome::Unknown });
        }
    }
}

/// Checks what is left of an object for calls in places that aren't known. What its writer keeps beside it are none.
fn check_rest(mut rest: Value, what: &str, run: &mut Recorder) {
    for key in ["extra", "metrics", "final_metrics"] {
        take(&mut rest, key);
    }
    run.check_rest(&rest, what);
}

/// What came of a call.
fn settle(step: usize, mut result: Value, failed: Option<bool>, run: &mut Recorder) {
    let content = take(&mut result, "content");
    let outcome = Outcome::flagged(told_beside(&result).or(failed), content.as_ref());
    match content {
        Some(content) => run.settle(step, Some(content), outcome),
        None => run.untold(step, outcome),
    }
}

/// Whether a call failed, as some who write the format tell beside it, which has no mark for that.
fn told_beside(record: &Value) -> Option<bool> {
    let extra = get(record, "extra")?;
    let paths: [&[&str]; 3] =
        [&["is_error"], &["tool_result_is_error"], &["tool_result_metadata", "is_error"]];
    paths.iter().find_map(|path| at(extra, path)?.as_bool())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn run(trajectory: Value) -> Recorded {
        let mut done = Vec::new();
        Atif.record(trajectory, RunId::Whole, &mut done).unwrap();
        done.pop().unwrap()
    }

    /// A step that calls a tool, whose result refers to the next sub-agent.
    fn starting(next: usize) -> Value {
        let refers = json!([{ "trajectory_id": format!("t{next}") }]);
        let results = json!([{ "source_call_id": "c", "subagent_trajectory_ref": refers }]);
        let calls = json!([{ "tool_call_id": "c", "function_name": "delegate" }]);
        json!([{ "source": "agent", "tool_calls": calls, "observation": { "results": results } }])
    }

    #[test]
    fn sub_agents_of_sub_agents_may_go_deeper_than_the_stack() {
        const AGENTS: usize = 10_000;
        let agent = |number| json!({ "trajectory_id": format!("t{number}"), "steps": starting(number + 1) });
        let agents: Vec<Value> = (0..AGENTS).map(agent).collect();
        let run = run(json!({ "steps": starting(0), "subagent_trajectories": agents }));
        assert_eq!(run.trajectory.steps.len(), 2 * (AGENTS + 1));
        assert_eq!(run.trajectory.steps.last().map(|step| step.depth as usize), Some(AGENTS));
    }

    #[test]
    fn a_step_may_stand_for_several_calls_of_models() {
        let steps = json!([{ "source": "agent", "llm_call_count": 3 }, { "source": "agent" }]);
        assert_eq!(run(json!({ "steps": steps })).trajectory.llm_calls, Some(4));
    }

    #[test]
    fn an_error_may_be_told_beside_the_result() {
        let results =
            json!([{ "source_call_id": "c", "content": "no such file", "extra": { "is_error": true } }]);
        let calls = json!([{ "tool_call_id": "c", "function_name": "read" }]);
        let steps =
            json!([{ "source": "agent", "tool_calls": calls, "observation": { "results": results } }]);
        let written = serde_json::to_value(run(json!({ "steps": steps })).trajectory).unwrap();
        assert_eq!(written["steps"][1]["tool_error"], "no such file");
    }
}
