//! Patterns that say nothing about a text: every text matches, or none does.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::VecDeque;

use super::machine::{self, Machine, Side, Unanswered, holds};
use super::parse::{Parsed, parse};
use super::syntax::{Branches, Node, Piece};
use super::{Engine, Pattern, certain};

/// Longer patterns, as the engine is given them, are not looked into: reading `(?i)\w` alone takes a quarter of a
/// millisecond.
const SOURCE_BYTES: usize = 2 << 10;

/// Nodes of the machine that are stepped on, at most: about ten milliseconds of work.
const STEPS: usize = 1 << 20;

impl Pattern {
    /// Whether no text can fail to match, so that asking for the pattern asks for nothing: `.*`, `a|`, `^$|[\s\S]`.
    ///
    /// Decided by what the pattern means, over all texts of any length, for patterns that the linear engine answers. Of one
    /// that needs the backtracking engine, only what is certain without its look-around, references, atomic groups and
    /// possessive repetition is seen; a text on which that engine gives up does not count against the pattern. `false` is
    /// also the answer where the limits of this module end the search: then it is not known to match every text.
    pub fn matches_every_text(&self) -> bool {
        if self.is_match("") != Ok(true) {
            return false;
        }
        let source = match &self.engine {
            Engine::Linear(linear) => Some(Cow::from(linear.as_str())),
            Engine::Backtracking { .. } => certain::source(&self.written).map(Cow::from),
        };
        source.is_some_and(|source| unmatched(&source) == Ok(None))
    }
}

impl Pattern {
    /// Returns true if no text can match, as far as the pattern shows it: `(?!)`, `a(?!)b`, `[^\s\S]`.
    pub fn matches_no_text(&self) -> bool {
        let is_barred = |parsed: Parsed| parsed.body.iter().all(|branch| is_impossible(branch));
        let is_empty_set = |source: &str| {
            regex_syntax::parse(source).is_ok_and(|pattern| pattern.properties().minimum_len().is_none())
        };
        parse(&self.written).is_ok_and(is_barred)
            || self.source().filter(|source| source.len() <= SOURCE_BYTES).is_some_and(is_empty_set)
    }
}

/// Returns true if a sequence cannot match, because a piece of it denies what always matches.
fn is_impossible(pieces: &[Piece]) -> bool {
    let are_impossible = |branches: &Branches| branches.iter().all(|branch| is_impossible(branch));
    pieces.iter().any(|piece| match &piece.node {
        Node::Look(look, body) if look.is_negative() => body.iter().any(Vec::is_empty),
        Node::Look(_, body) | Node::Group { body, .. } | Node::Atomic(body) => are_impossible(body),
        Node::Repeat(item, times) => times.min > 0 && is_impossible(std::slice::from_ref(item)),
        Node::Literal(_)
        | Node::Any { .. }
        | Node::Set(_)
        | Node::At(_)
        | Node::Reference(_)
        | Node::Conditional { .. } => false,
    })
}

/// The shortest text in which the linear engine would not find the pattern, if there is one.
fn unmatched(source: &str) -> Result<Option<String>, Unanswered> {
    if source.len() > SOURCE_BYTES {
        return Err(Unanswered);
    }
    let pattern = regex_syntax::parse(source).map_err(|_| Unanswered)?;
    let properties = pattern.properties();
    if properties.look_set().is_empty() && properties.minimum_len() == Some(0) {
        return Ok(None);
    }
    let machine = Machine::new(&pattern)?;
    let marks = vec![0; machine.nodes.len()];
    Search { machine: &machine, marks, round: 0, steps: 0 }.unmatched()
}

/// Follows every text at once: texts that leave the machine in the same nodes, seeing the same side, have one future.
struct Search<'a> {
    machine: &'a Machine,
    /// The last round in which a node was reached.
    marks: Vec<usize>,
    round: usize,
    steps: usize,
}

/// Where a text has led.
struct Reached {
    text: String,
    /// The side of the last character; an edge before the first.
    before: Side,
    /// The nodes after it, in order.
    nodes: Vec<usize>,
}

impl Search<'_> {
    fn unmatched(&mut self) -> Result<Option<String>, Unanswered> {
        let mut seen = Vec::new();
        let mut open =
            VecDeque::from([Reached { text: String::new(), before: Side::Edge, nodes: Vec::new() }]);
        while let Some(reached) = open.pop_front() {
            for after in Side::ALL {
                // What has matched goes on to match, whatever follows.
                let Some(waiting) = self.waiting(&reached, after)? else { continue };
                if after == Side::Edge {
                    return Ok(Some(reached.text));
                }
                for letter in self.machine.letters.iter().filter(|letter| letter.side == after) {
                    self.spend(1 + waiting.len())?;
                    let takes = waiting.iter().filter(|(set, _)| letter.is_in(*set));
                    let mut nodes: Vec<usize> = takes.map(|(_, next)| *next).collect();
                    nodes.sort_unstable();
                    nodes.dedup();
                    if self.is_covered(&seen, after, &nodes)? {
                        continue;
                    }
                    self.spend(reached.text.len())?;
                    let text = format!("{}{}", reached.text, letter.sample);
                    seen.push((after, nodes.clone()));
                    open.push_back(Reached { text, before: after, nodes });
                }
            }
        }
        Ok(None)
    }

    /// Whether the nodes include all those of a place that was seen before: then what matches from there, matches from here.
    fn is_covered(
        &mut self,
        seen: &[(Side, Vec<usize>)],
        side: Side,
        nodes: &[usize],
    ) -> Result<bool, Unanswered> {
        for (_, known) in seen.iter().filter(|(known_side, _)| *known_side == side) {
            let missing = known.iter().position(|node| nodes.binary_search(node).is_err());
            self.spend(1 + missing.unwrap_or(known.len()))?;
            if missing.is_none() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The sets that the next character, seen as `after`, may be in, each with the node after it. `None` for a match.
    ///
    /// A match may begin at any place, so the start is always among the nodes.
    fn waiting(&mut self, reached: &Reached, after: Side) -> Result<Option<Vec<(usize, usize)>>, Unanswered> {
        self.round += 1;
        let mut open = reached.nodes.clone();
        open.push(self.machine.start);
        let mut waiting = Vec::new();
        while let Some(node) = open.pop() {
            self.spend(1)?;
            if std::mem::replace(&mut self.marks[node], self.round) == self.round {
                continue;
            }
            match &self.machine.nodes[node] {
                machine::Node::Take { set, next } => waiting.push((*set, *next)),
                machine::Node::At { look, next } => {
                    open.extend(holds(*look, reached.before, after).then_some(*next));
                }
                machine::Node::Fork(nexts) => open.extend(nexts),
                machine::Node::Match => return Ok(None),
            }
        }
        Ok(Some(waiting))
    }

    fn spend(&mut self, steps: usize) -> Result<(), Unanswered> {
        self.steps += steps;
        if self.steps > STEPS { Err(Unanswered) } else { Ok(()) }
    }
}
