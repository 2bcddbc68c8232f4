//! Sub-agents whose records stand apart from the session's, in files of their own: they are told where they were started.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::super::{NoteKind, Notes, Recorded};
use crate::trajectory::model::{Event, Step};

/// The sub-agents that have an id of their own, and the calls that start sub-agents.
#[derive(Default)]
pub(super) struct Apart {
    agents: BTreeMap<String, Agent>,
    /// The calls that started them, as their results tell, and those that started one without a name.
    started: BTreeMap<String, String>,
    nameless: BTreeSet<String>,
    calls: BTreeMap<String, Call>,
    /// The calls and sub-agents that records belong to.
    met: BTreeSet<String>,
    /// The calls that give the same order, the first one first.
    by_prompt: BTreeMap<String, VecDeque<String>>,
}

#[derive(Default)]
struct Agent {
    /// Its steps, as they were recorded.
    steps: Vec<usize>,
    /// What it was told first.
    told: Option<String>,
}

/// A call that starts a sub-agent.
struct Call {
    step: usize,
    /// What the sub-agent is called.
    name: String,
}

/// The steps of one agent, on the way through them.
struct Way<'a> {
    steps: std::slice::Iter<'a, usize>,
    /// Whose they are, and how deep: `None` where they stay as they are.
    whose: Option<(u32, &'a str)>,
}

impl Apart {
    /// A call that starts a sub-agent, and what that is told to do.
    pub(super) fn call(&mut self, id: &str, step: usize, name: &str, prompt: Option<&str>) {
        if let Some(prompt) = prompt {
            self.by_prompt.entry(prompt.to_owned()).or_default().push_back(id.to_owned());
        }
        self.calls.insert(id.to_owned(), Call { step, name: name.to_owned() });
    }

    /// The oldest call that gives an order, which no sub-agent took yet.
    pub(super) fn take_call(&mut self, prompt: &str) -> Option<String> {
        self.by_prompt.get_mut(prompt)?.pop_front()
    }

    /// What the sub-agent that a call started is called.
    pub(super) fn name(&self, call: &str) -> Option<&str> {
        self.calls.get(call).map(|call| call.name.as_str())
    }

    /// Notes a sub-agent that the result of a call names.
    pub(super) fn started(&mut self, agent: String, call: &str) {
        self.started.insert(agent, call.to_owned());
    }

    /// Notes a sub-agent that a record of its progress names, with the call that it says to have started it.
    pub(super) fn goes_on(&mut self, agent: &str, call: Option<&str>) {
        if !self.started.contains_key(agent) {
            self.started.insert(agent.to_owned(), call.unwrap_or_default().to_owned());
        }
    }

    /// Notes that a call started a sub-agent which did something, and has no name.
    pub(super) fn started_nameless(&mut self, call: &str) {
        self.nameless.insert(call.to_owned());
    }

    /// Returns true for a call that starts a sub-agent.
    pub(super) fn is_start(&self, call: &str) -> bool {
        self.calls.contains_key(call)
    }

    /// Notes that there is a record of a sub-agent, which is known by its own id or by the call that started it.
    pub(super) fn met(&mut self, owner: &str) {
        if !self.met.contains(owner) {
            self.met.insert(owner.to_owned());
        }
    }

    /// Returns the sub-agents that are said to have been started, and of which there is no record, each in a few words.
    /// `starts` says which call started which of the others.
    pub(super) fn missing(&self, starts: &BTreeMap<String, String>) -> Vec<String> {
        let is_missing =
            |(agent, call): &(&String, &String)| !self.met.contains(*agent) && !self.met.contains(*call);
        let named = self.started.iter().filter(is_missing);
        let named = named.map(|(agent, _)| format!("'{agent}': no agent-{agent}.jsonl"));
        let known: BTreeSet<&String> =
            self.met.iter().chain(self.started.values()).chain(starts.values()).collect();
        let nameless = self.nameless.iter().filter(|call| !known.contains(call));
        named.chain(nameless.map(|call| format!("started by tool call '{call}'"))).collect()
    }

    /// A record of a sub-agent, what it is told if it is the first, and the steps that came of it.
    pub(super) fn record(
        &mut self,
        agent: &str,
        told: impl FnOnce() -> Option<String>,
        steps: std::ops::Range<usize>,
    ) {
        let agent = self.agents.entry(agent.to_owned());
        agent.or_insert_with(|| Agent { told: told(), ..Agent::default() }).steps.extend(steps);
    }

    /// Puts the steps of each sub-agent after the call that started it. Where that is unknown, they stay where they are.
    pub(super) fn put_in_place(self, starts: &BTreeMap<String, String>, recorded: &mut Recorded) {
        if self.agents.is_empty() {
            return;
        }
        let mut at_step: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for (agent, call) in starts {
            if let Some(Call { step, .. }) = self.calls.get(call) {
                at_step.entry(*step).or_default().push(agent);
            }
        }
        let steps = std::mem::take(&mut recorded.trajectory.steps);
        let mut is_apart = vec![false; steps.len()];
        for step in starts.keys().filter_map(|agent| self.agents.get(agent)).flat_map(|agent| &agent.steps) {
            is_apart.get_mut(*step).into_iter().for_each(|apart| *apart = true);
        }
        let stay: Vec<usize> = (0..steps.len()).filter(|step| !is_apart[*step]).collect();
        let all: Vec<usize> = (0..steps.len()).collect();
        let mut steps: Vec<Option<Step<'static>>> = steps.into_iter().map(Some).collect();
        let mut placed = Vec::with_capacity(steps.len());
        // What a broken trace says to have started itself comes last.
        for root in [stay, all] {
            let mut ways = vec![Way { steps: root.iter(), whose: None }];
            while let Some(Way { steps: next, whose }) = ways.last_mut() {
                let Some(at) = next.next() else {
                    ways.pop();
                    continue;
                };
                let Some(mut step) = steps.get_mut(*at).and_then(Option::take) else { continue };
                if let Some((depth, name)) = whose {
                    (step.depth, step.parent) = (*depth, Some((*name).to_owned().into()));
                }
                let depth = step.depth.saturating_add(1);
                placed.push(step);
                for agent in at_step.remove(at).into_iter().flatten().rev() {
                    let name = starts.get(agent).and_then(|call| self.name(call)).unwrap_or(agent);
                    let steps = self.agents.get(agent).map_or(&[][..], |agent| agent.steps.as_slice());
                    ways.push(Way { steps: steps.iter(), whose: Some((depth, name)) });
                }
            }
        }
        recorded.trajectory.steps = placed;
        renumber(recorded);
    }

    /// Which call started which sub-agent: by its id, or else by what it was told to do.
    pub(super) fn starts(&mut self) -> BTreeMap<String, String> {
        let mut starts = BTreeMap::new();
        let mut taken = BTreeSet::new();
        for agent in self.agents.keys() {
            if let Some(call) = self.started.get(agent).filter(|call| self.calls.contains_key(*call)) {
                taken.insert(call.clone());
                starts.insert(agent.clone(), call.clone());
            }
        }
        for (id, agent) in &self.agents {
            let Some(calls) = agent.told.as_ref().and_then(|told| self.by_prompt.get_mut(told)) else {
                continue;
            };
            while !starts.contains_key(id)
                && let Some(call) = calls.pop_front()
            {
                if taken.insert(call.clone()) {
                    starts.insert(id.clone(), call);
                }
            }
        }
        starts
    }
}

/// Tells the first call without a result by the place that it has now.
fn renumber(recorded: &mut Recorded) {
    let waits = recorded.trajectory.steps.iter().enumerate().find_map(|(at, step)| match &step.event {
        Event::ToolCall(call) if call.unknown.result => Some(format!("'{}' at step {}", call.name, at + 1)),
        _ => None,
    });
    let mut notes = Notes::default();
    for note in std::mem::take(&mut recorded.notes).sorted() {
        let first = waits.clone().filter(|_| note.kind == NoteKind::UnansweredCall).unwrap_or(note.first);
        notes.add(note.kind, || first);
        notes.add_many(note.kind, note.count.saturating_sub(1));
    }
    recorded.notes = notes;
}

#[cfg(test)]
mod tests {
    use super::super::super::recorder::{Args, Mark, Recorder};
    use super::super::super::{RunId, TraceFormat};
    use super::*;

    #[test]
    fn a_sub_agent_that_is_said_to_have_started_itself_loses_no_step() {
        let mut run = Recorder::new(TraceFormat::ClaudeCode);
        for name in ["a", "b", "c"] {
            run.call(
                None,
                name,
                Args::Unrecorded,
                Mark { depth: 1, parent: Some("x".into()), ..Mark::default() },
            );
        }
        let mut recorded = run.finish(RunId::Whole);
        let mut apart = Apart::default();
        apart.record("x", || None, 0..2);
        apart.record("y", || None, 2..3);
        apart.call("c1", 1, "looped", None);
        apart.call("c2", 2, "looped", None);
        apart.started("x".to_owned(), "c2");
        apart.started("y".to_owned(), "c1");
        let starts = apart.starts();
        apart.put_in_place(&starts, &mut recorded);
        let depths: Vec<u32> = recorded.trajectory.steps.iter().map(|step| step.depth).collect();
        assert_eq!(depths, [1, 1, 2]);
    }
}
