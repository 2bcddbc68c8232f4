//! A run made ready for questions: its tool calls in order and by tool, looked up in an index that is built once.

use std::borrow::Cow;

use indexmap::IndexSet;
use schemars::JsonSchema;
use serde::Deserialize;
use wide::u32x8;

use crate::document::nearest;
use crate::value::excerpt::cut;

use super::model::{Event, LlmCall, Step, ToolCall, Trajectory};

/// Steps that a question checks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Steps of the agent itself, at depth 0.
    #[default]
    #[serde(skip)]
    Itself,
    /// Steps of all agents, at any depth.
    All,
    /// Steps of one sub-agent: those with this `parent`.
    Agent(String),
}

/// How many steps of sub-agents are looked at for a name that may have been meant.
const AGENTS_LOOKED_AT: usize = 1000;

/// A run with its index.
#[derive(Debug, Clone)]
pub struct Run<'t> {
    trajectory: Trajectory<'t>,
    scope: Scope,
    tools: Tools<'t>,
    /// Every call of a tool, in order.
    calls: Vec<Call>,
    /// The positions in `calls`, by tool; those of a tool are in order.
    by_tool: Vec<usize>,
    /// Where each tool's positions begin in `by_tool`.
    starts: Vec<usize>,
    pub(super) models: ModelCalls,
}

/// What the calls of models in scope come to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ModelCalls {
    pub(super) count: u64,
    /// The sum of what they took, where there is one and every one records it.
    pub(super) tokens: Option<u64>,
    cost: Option<Sum>,
    /// The sum of what any of them records, which is the least that they took.
    pub(super) least_tokens: u64,
    least_cost: Sum,
}

/// A sum that keeps what rounding loses on the way (Neumaier): ten times 0.1 is 1.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    fn plus(self, next: f64) -> Sum {
        let sum = self.sum + next;
        let lost =
            if self.sum.abs() >= next.abs() { (self.sum - sum) + next } else { (next - sum) + self.sum };
        Sum { sum, lost: self.lost + lost }
    }

    fn total(self) -> f64 {
        self.sum + self.lost
    }
}

impl ModelCalls {
    /// Adds one, with what it took and cost if that is recorded; `least_tokens` where only a part of its tokens is.
    #[inline]
    fn add(&mut self, tokens: Option<u64>, least_tokens: u64, cost: Option<f64>) {
        let first = self.count == 0;
        let (sum, costs) = if first { (Some(0), Some(Sum::default())) } else { (self.tokens, self.cost) };
        self.tokens = sum.zip(tokens).map(|(sum, next)| sum.saturating_add(next));
        self.cost = costs.zip(cost).map(|(sum, next)| sum.plus(next));
        self.least_tokens = self.least_tokens.saturating_add(tokens.unwrap_or(least_tokens));
        self.least_cost = self.least_cost.plus(cost.unwrap_or(0.0));
        self.count += 1;
    }

    /// The sum of what they cost, likewise.
    pub(super) fn cost(&self) -> Option<f64> {
        self.cost.map(Sum::total)
    }

    /// The least that they cost.
    pub(super) fn least_cost(&self) -> f64 {
        self.least_cost.total()
    }
}

/// A call of a tool: which step it is, and of which tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Call {
    step: usize,
    tool: usize,
}

impl Scope {
    /// Whether a step is one of those that are looked at.
    pub fn includes(&self, step: &Step<'_>) -> bool {
        match self {
            Scope::Itself => step.depth == 0,
            Scope::All => true,
            Scope::Agent(name) => step.parent.as_deref() == Some(name),
        }
    }

    /// What to tell about a run in which nobody has the name that is asked for: everything would hold of their steps.
    pub(super) fn warning(&self, run: &Trajectory<'_>) -> Option<String> {
        let Scope::Agent(name) = self else { return None };
        if run.steps.iter().any(|step| self.includes(step)) {
            return None;
        }
        let parents = run.steps.iter().filter_map(|step| step.parent.as_deref());
        let meant = nearest(name, parents.take(AGENTS_LOOKED_AT));
        let hint = meant.map_or(String::new(), |meant| format!("; did you mean '{}'?", cut(meant)));
        Some(format!("no step belongs to agent '{}'{hint}", cut(name)))
    }
}

impl<'t> Run<'t> {
    /// A run whose own steps are looked at, not those of its sub-agents.
    pub fn new(trajectory: Trajectory<'t>) -> Run<'t> {
        Run::in_scope(trajectory, Scope::default())
    }

    /// A run of which only the steps in scope are looked at.
    pub fn in_scope(trajectory: Trajectory<'t>, scope: Scope) -> Run<'t> {
        let mut tools = Tools::default();
        let mut calls = Vec::with_capacity(trajectory.steps.len());
        let mut models = ModelCalls::default();
        for (step, written) in trajectory.steps.iter().enumerate().filter(|(_, step)| scope.includes(step)) {
            match &written.event {
                Event::ToolCall(call) => {
                    let tool = tools.position(&call.name).unwrap_or_else(|| tools.add(call.name.clone()));
                    calls.push(Call { step, tool });
                }
                Event::LlmCall(call) => models.add(call.tokens(), call.least_tokens(), call.cost),
                Event::StateChange(_) => {}
            }
        }
        // Sorted by counting: first how many calls each tool has, then each call to its place.
        let mut starts = vec![0; tools.names.len() + 1];
        for call in &calls {
            starts[call.tool + 1] += 1;
        }
        let mut before = 0;
        for start in &mut starts {
            before += *start;
            *start = before;
        }
        let (mut next, mut by_tool) = (starts.clone(), vec![0; calls.len()]);
        for (position, call) in calls.iter().enumerate() {
            by_tool[next[call.tool]] = position;
            next[call.tool] += 1;
        }
        Run { trajectory, scope, tools, calls, by_tool, starts, models }
    }

    /// The run as it was recorded.
    pub fn trajectory(&self) -> &Trajectory<'t> {
        &self.trajectory
    }

    /// Whose steps are looked at.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The calls of one tool, in order.
    pub fn calls_of(&self, tool: &str) -> Calls<'_, 't> {
        let positions = match self.tools.position(tool) {
            Some(tool) => &self.by_tool[self.starts[tool]..self.starts[tool + 1]],
            None => &[],
        };
        Calls { run: self, positions }
    }

    /// The tools that were called, in the order of their first calls, with how often each was.
    pub fn tools(&self) -> impl ExactSizeIterator<Item = (&str, usize)> {
        let counts = self.starts.windows(2).map(|window| window[1] - window[0]);
        self.tools.names.iter().map(|tool| &**tool).zip(counts)
    }

    /// How many calls of tools there are.
    pub fn call_count(&self) -> usize {
        self.calls.len()
    }

    /// A call by its position among all calls of tools.
    pub fn call(&self, position: usize) -> Option<PlacedCall<'_, 't>> {
        let Call { step, .. } = self.calls.get(position)?;
        match &self.trajectory.steps[*step].event {
            Event::ToolCall(call) => Some(PlacedCall { position, step: *step, call }),
            Event::LlmCall(_) | Event::StateChange(_) => None,
        }
    }

    /// The call that comes right after the one at a position.
    pub(super) fn call_right_after(&self, position: usize) -> Option<PlacedCall<'_, 't>> {
        self.call(position + 1)
    }

    /// Every call of a tool, in order.
    pub fn calls(&self) -> impl Iterator<Item = PlacedCall<'_, 't>> {
        (0..).map_while(|position| self.call(position))
    }

    /// The names of the tools called, in order.
    pub fn call_order(&self) -> impl ExactSizeIterator<Item = &str> {
        self.calls.iter().map(|call| &*self.tools.names[call.tool])
    }

    /// The calls of models in scope, each with its step.
    pub fn llm_calls(&self) -> impl Iterator<Item = (usize, &LlmCall<'t>)> {
        self.llm_calls_in(&self.scope)
    }

    /// The same in another scope.
    pub(super) fn llm_calls_in(&self, scope: &Scope) -> impl Iterator<Item = (usize, &LlmCall<'t>)> {
        let steps = self.trajectory.steps.iter().enumerate().filter(|(_, step)| scope.includes(step));
        steps.filter_map(|(index, step)| match &step.event {
            Event::LlmCall(call) => Some((index, call)),
            Event::ToolCall(_) | Event::StateChange(_) => None,
        })
    }
}

/// Up to this many tools, looking at all of them beats hashing a name.
const FEW: usize = 8;

/// Names of tools, in the order in which they were added.
#[derive(Debug, Clone, Default)]
struct Tools<'t> {
    names: Vec<Cow<'t, str>>,
    /// What the first of them look like, and from afar.
    spellings: [Spelling; FEW],
    marks: u32x8,
    /// All of them, where they are not few.
    many: IndexSet<Cow<'t, str>>,
}

impl<'t> Tools<'t> {
    /// The position of a name that was added.
    #[inline]
    fn position(&self, name: &str) -> Option<usize> {
        if !self.many.is_empty() {
            return self.many.get_index_of(name);
        }
        // Which one it is, nobody can foresee; so all are looked at, without branching on any.
        let spelling = Spelling::of(name);
        let alike = self.marks.simd_eq(u32x8::splat(spelling.mark())).to_bitmask();
        let first = alike.trailing_zeros() as usize;
        match self.spellings.get(first) {
            None => None,
            Some(other) if spelling.is_whole() && *other == spelling && first < self.names.len() => {
                Some(first)
            }
            Some(_) => self.names.iter().position(|tool| tool == name),
        }
    }

    /// Adds a tool that is not there yet, and gives its position.
    #[inline(never)]
    fn add(&mut self, name: Cow<'t, str>) -> usize {
        let position = self.names.len();
        if let Some(spelling) = self.spellings.get_mut(position) {
            *spelling = Spelling::of(&name);
            self.marks.as_mut_array()[position] = spelling.mark();
        }
        self.names.push(name);
        if position >= FEW {
            self.many.extend(self.names[self.many.len()..].iter().cloned());
        }
        position
    }
}

/// How a name begins and ends; of one that is not long, that is all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Spelling {
    first: u64,
    last: u64,
    length: usize,
}

impl Spelling {
    #[inline]
    fn of(name: &str) -> Spelling {
        let name = name.as_bytes();
        let (first, last) = match (name.first_chunk(), name.last_chunk()) {
            (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
            _ => (Spelling::of_short(name), 0),
        };
        Spelling { first, last, length: name.len() }
    }

    /// All of at most seven characters.
    #[inline]
    fn of_short(name: &[u8]) -> u64 {
        match (name.first_chunk(), name.last_chunk()) {
            (Some(first), Some(last)) => {
                u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32
            }
            _ => name.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)),
        }
    }

    /// What two names share that are the same, and few that are not.
    #[inline]
    fn mark(&self) -> u32 {
        let mixed = self.first ^ self.last.rotate_left(32);
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
    }

    /// Whether it holds every character of the name.
    #[inline]
    fn is_whole(&self) -> bool {
        self.length <= 16
    }
}

/// A call of a tool, and where it stands.
#[derive(Debug, Clone, Copy)]
pub struct PlacedCall<'r, 't> {
    /// Its position among all calls of tools.
    pub position: usize,
    /// Its position among the steps.
    pub step: usize,
    /// The call.
    pub call: &'r ToolCall<'t>,
}

/// The calls of one tool, in order.
#[derive(Debug, Clone, Copy)]
pub struct Calls<'r, 't> {
    run: &'r Run<'t>,
    positions: &'r [usize],
}

impl<'r, 't> Calls<'r, 't> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// One of them, counted from 0.
    pub fn nth(&self, n: usize) -> Option<PlacedCall<'r, 't>> {
        self.run.call(*self.positions.get(n)?)
    }

    /// That one alone.
    pub fn only(&self, n: usize) -> Option<Calls<'r, 't>> {
        Some(Calls { run: self.run, positions: self.positions.get(n..=n)? })
    }

    /// The first.
    pub fn first(&self) -> Option<PlacedCall<'r, 't>> {
        self.nth(0)
    }

    /// Those that stand at or after a position among all calls.
    pub fn from_position(&self, position: usize) -> Calls<'r, 't> {
        let before = self.positions.partition_point(|at| *at < position);
        Calls { run: self.run, positions: &self.positions[before..] }
    }

    /// Each in turn.
    pub fn iter(self) -> impl Iterator<Item = PlacedCall<'r, 't>> {
        self.positions.iter().filter_map(move |position| self.run.call(*position))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn run(scope: Scope) -> Run<'static> {
        let call = |name: &'static str| Step::tool_call(name, json!({}));
        let steps = vec![
            call("b"),
            Step::llm_call("m"),
            call("a"),
            call("b").by("helper", 1),
            call("b"),
            call("c").by("helper", 1),
        ];
        Run::in_scope(Trajectory { steps, ..Trajectory::default() }, scope)
    }

    #[test]
    fn calls_are_found_by_tool_and_in_order() {
        let run = run(Scope::Itself);
        assert_eq!(run.call_order().collect::<Vec<_>>(), ["b", "a", "b"]);
        assert_eq!(run.tools().collect::<Vec<_>>(), [("b", 2), ("a", 1)]);
        let steps =
            |tool| run.calls_of(tool).iter().map(|call| (call.position, call.step)).collect::<Vec<_>>();
        assert_eq!((steps("b"), steps("a"), steps("c")), (vec![(0, 0), (2, 4)], vec![(1, 2)], vec![]));
        assert_eq!(run.calls_of("b").from_position(1).first().map(|call| call.step), Some(4));
        assert!(run.calls_of("b").from_position(3).is_empty());
    }

    #[test]
    fn tools_are_told_apart_however_many_and_alike() {
        for count in [1, FEW - 1, FEW, FEW + 1, 3 * FEW] {
            // They begin and end alike, but for the empty name and one that is short.
            let mut names: Vec<String> = (0..count).map(|number| format!("tool {number} tool")).collect();
            names.extend([String::new(), "a".to_owned()]);
            let steps =
                names.iter().chain(&names).map(|name| Step::tool_call(name.clone(), json!({}))).collect();
            let run = Run::new(Trajectory { steps, ..Trajectory::default() });
            assert!(run.tools().eq(names.iter().map(|name| (&**name, 2))));
            assert!(names.iter().all(|name| run.calls_of(name).len() == 2));
            assert!(run.calls_of("tool").is_empty() && run.calls_of("tool x tool").is_empty());
        }
    }

    #[test]
    fn the_scope_decides_whose_calls_they_are() {
        assert_eq!(run(Scope::All).call_order().collect::<Vec<_>>(), ["b", "a", "b", "b", "c"]);
        assert_eq!(run(Scope::Agent("helper".into())).call_order().collect::<Vec<_>>(), ["b", "c"]);
        assert_eq!(run(Scope::Agent("nobody".into())).call_count(), 0);
    }
}
