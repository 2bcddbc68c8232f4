//! Which spans are calls of models and tools, whose they are, and in which order they happened.

use indexmap::IndexMap;

use super::span::{Kind, Span};
use super::tree::Place;
use crate::trajectory::readers::json::take;
use crate::value::Value;

/// What happens in a run, at the time when it does.
#[derive(Clone, Copy)]
pub(super) enum Event {
    /// A model or a tool is called.
    Span(usize),
    /// An agent says its last word.
    End(usize),
}

/// A call of the Model Context Protocol inside the call of a tool is that call; so is one with the same id. What only it
/// tells is told of the outer one.
pub(super) fn merge_repeated_calls(spans: &mut [Span], places: &[Place]) {
    const TOLD: [&str; 4] =
        ["gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "input.value", "output.value"];
    let mut inside_first: Vec<usize> =
        (0..spans.len()).filter(|index| spans[*index].kind == Kind::Tool).collect();
    inside_first.sort_by_key(|index| std::cmp::Reverse(places[*index].order));
    for index in inside_first {
        let Some(outer) = places[index].tool else { continue };
        let id = spans[index].call_id();
        if !(spans[index].is_mcp || (id.is_some() && id == spans[outer].call_id())) {
            continue;
        }
        spans[index].kind = Kind::Other;
        let mut attributes = std::mem::take(&mut spans[index].attributes);
        let (failure, has_odd_status) = (spans[index].failure.take(), spans[index].has_odd_status);
        let outer = &mut spans[outer];
        outer.has_odd_status |= has_odd_status;
        outer.failure = outer.failure.take().or(failure);
        for key in TOLD {
            if let (Some(value), Value::Object(told)) = (take(&mut attributes, key), &mut outer.attributes) {
                told.entry(key).or_insert(value);
            }
        }
    }
}

/// How many agents each agent is in, itself included. An outermost agent that calls no model and no tool itself only holds
/// others together, and is not counted.
pub(super) fn levels(spans: &[Span], places: &[Place]) -> IndexMap<usize, u32> {
    let mut does_something = vec![false; spans.len()];
    for (span, place) in spans.iter().zip(places) {
        if let (Kind::Llm | Kind::Tool, Some(agent)) = (span.kind, place.agent) {
            does_something[agent] = true;
        }
    }
    let mut agents: Vec<usize> = (0..spans.len()).filter(|index| spans[*index].kind == Kind::Agent).collect();
    agents.sort_by_key(|index| places[*index].order);
    let mut levels = IndexMap::new();
    for index in agents {
        let around: u32 =
            places[index].agent.and_then(|agent| levels.get(&agent).copied()).unwrap_or_default();
        let is_counted = around > 0 || does_something[index];
        levels.insert(index, around.saturating_add(u32::from(is_counted)));
    }
    levels
}

/// What happens, by time, then by the tree. Of calls of models inside each other, only the innermost are calls.
pub(super) fn events(spans: &[Span], places: &[Place], levels: &IndexMap<usize, u32>) -> Vec<Event> {
    let mut is_around = vec![false; spans.len()];
    for (span, place) in spans.iter().zip(places) {
        if let (Kind::Llm, Some(outer)) = (span.kind, place.llm) {
            is_around[outer] = true;
        }
    }
    let mut events: Vec<(i128, bool, usize, Event)> = Vec::new();
    for (index, (span, place)) in spans.iter().zip(places).enumerate() {
        match span.kind {
            Kind::Llm if is_around[index] => {}
            Kind::Llm | Kind::Tool => events.push((place.start, false, place.order, Event::Span(index))),
            Kind::Agent if levels.get(&index).is_some_and(|level| *level <= 1) => {
                let end = span.end.as_ref().map_or(i128::MAX, |end| end.nanoseconds);
                events.push((end, true, usize::MAX - place.order, Event::End(index)));
            }
            _ => {}
        }
    }
    events.sort_by_key(|(time, is_end, order, _)| (*time, *is_end, *order));
    events.into_iter().map(|(.., event)| event).collect()
}
