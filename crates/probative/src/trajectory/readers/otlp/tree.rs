//! How the spans of a trace lie in each other.

use indexmap::IndexMap;

use super::span::{Kind, Span};

/// Where a span lies.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    pub(super) is_root: bool,
    /// The outermost span around it; itself, where there is none.
    pub(super) root: usize,
    /// The nearest agent around it.
    pub(super) agent: Option<usize>,
    /// How many agents are around it.
    pub(super) agents: u32,
    /// The nearest call of a tool around it, inside that agent.
    pub(super) tool: Option<usize>,
    /// The nearest call of a model around it, inside that call of a tool.
    pub(super) llm: Option<usize>,
    /// When it began; where that is not told, when its parent did.
    pub(super) start: i128,
    /// Its position among all, parents before children.
    pub(super) order: usize,
}

/// The places of all spans. Parents that go in a circle have no root; the first of them is taken for one.
pub(super) fn places(spans: &[Span], by_id: &IndexMap<String, usize>) -> Vec<Place> {
    let parent = |span: &Span| by_id.get(&span.parent).copied().filter(|_| !span.parent.is_empty());
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); spans.len()];
    let mut places = vec![Place::default(); spans.len()];
    for (index, span) in spans.iter().enumerate() {
        match parent(span).filter(|parent| *parent != index).and_then(|parent| children.get_mut(parent)) {
            Some(siblings) => siblings.push(index),
            None => places[index].is_root = true,
        }
    }
    let mut was_met = vec![false; spans.len()];
    let mut order = 0;
    let roots = (0..spans.len()).filter(|index| places[*index].is_root).collect::<Vec<usize>>();
    for first in roots.into_iter().chain(0..spans.len()) {
        let mut left = vec![(first, Place { root: first, ..Place::default() })];
        while let Some((index, inherited)) = left.pop() {
            if std::mem::replace(&mut was_met[index], true) {
                continue;
            }
            let start = spans[index].start.as_ref().map_or(inherited.start, |start| start.nanoseconds);
            let place = Place { is_root: places[index].is_root, start, order, ..inherited };
            places[index] = place;
            order += 1;
            let inside = match spans[index].kind {
                Kind::Agent => Place {
                    agent: Some(index),
                    agents: place.agents.saturating_add(1),
                    tool: None,
                    llm: None,
                    ..place
                },
                Kind::Tool => Place { tool: Some(index), llm: None, ..place },
                Kind::Llm => Place { llm: Some(index), ..place },
                Kind::Chain | Kind::Other => place,
            };
            left.extend(children[index].iter().rev().map(|child| (*child, inside)));
        }
    }
    places
}
