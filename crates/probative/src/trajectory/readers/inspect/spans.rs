//! Whose an event is: the agent's, a sub-agent's, or nobody's whose run it is.

use std::collections::BTreeMap;

use super::super::json::{get, text};
use super::super::recorder::Mark;
use crate::value::Value;

/// Who does something.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Actor {
    depth: u32,
    name: Option<String>,
    /// Whether it is the scorer, which is no part of the run.
    scores: bool,
    /// Whether it is a tool that does something by itself.
    is_tool: bool,
}

impl Actor {
    /// Whether what it does belongs to the run.
    pub(super) fn is_of_run(&self) -> bool {
        !self.scores
    }

    /// What is inside a call of a tool: the tool itself at work, or the sub-agent that it is.
    pub(super) fn in_call(&self, name: Option<&str>) -> Actor {
        Actor { depth: self.depth.saturating_add(1), name: name.map(str::to_owned), is_tool: true, ..*self }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { timestamp: None, depth: self.depth, parent: self.name.clone() }
    }

    /// An agent is a sub-agent where a tool started it; else it is part of the agent that it stands in.
    fn agent(&self, name: Option<&str>) -> Actor {
        let name = name.filter(|_| self.is_tool).map(str::to_owned).or_else(|| self.name.clone());
        Actor { name, is_tool: false, ..*self }
    }
}

/// A stretch of events that belong together.
#[derive(Debug, Clone)]
struct Span {
    /// Who called the tool, where it is a call of one; else who does what is in it.
    outside: Actor,
    inside: Actor,
}

/// The spans that were begun.
#[derive(Default)]
pub(super) struct Spans {
    begun: BTreeMap<String, Span>,
    /// How many steps of scorers are open, in logs from before there were spans.
    scorers: usize,
}

impl Spans {
    /// Takes an event that begins or ends something.
    pub(super) fn take(&mut self, event: &Value, base: &Actor) {
        let (kind, name) = (text(event, "type"), text(event, "name"));
        match text(event, "event") {
            Some("span_begin") => {
                let outer = text(event, "parent_id").and_then(|id| self.begun.get(id));
                let outside = outer.map_or_else(|| base.clone(), |outer| outer.inside.clone());
                let inside = match kind {
                    Some("agent") => outside.agent(name),
                    Some("tool") => outside.in_call(name),
                    Some("scorer" | "scorers") => Actor { scores: true, ..outside.clone() },
                    _ => outside.clone(),
                };
                if let Some(id) = text(event, "id") {
                    self.begun.insert(id.to_owned(), Span { outside, inside });
                }
            }
            Some("step") if kind == Some("scorer") => match text(event, "action") {
                Some("begin") => self.scorers = self.scorers.saturating_add(1),
                _ => self.scorers = self.scorers.saturating_sub(1),
            },
            _ => {}
        }
    }

    /// Who does what an event tells. `base` is who does it where it stands in no span.
    pub(super) fn actor(&self, event: &Value, base: &Actor) -> Actor {
        if self.scorers > 0 {
            return Actor { scores: true, ..base.clone() };
        }
        let Some(span) = text(event, "span_id").and_then(|id| self.begun.get(id)) else {
            return base.clone();
        };
        // In the span of a call stand the call itself and what it changes, which are the agent's, and models that the tool asks.
        let is_tools = span.inside.is_tool && text(event, "event") == Some("model");
        if is_tools || !span.inside.is_tool { span.inside.clone() } else { span.outside.clone() }
    }

    /// That a call stands in its span: what the tool asks models for is told by the call's id.
    pub(super) fn called(&mut self, event: &Value, id: Option<&str>) {
        let span = text(event, "span_id").and_then(|id| self.begun.get_mut(id));
        if let (Some(span), Some(id)) =
            (span.filter(|span| span.inside.is_tool && span.inside != span.outside), id)
        {
            span.inside.name = Some(get(event, "agent").and_then(Value::as_str).unwrap_or(id).to_owned());
        }
    }
}
