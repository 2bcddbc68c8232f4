//! How much work a path asks for, before it is done.
//!
//! The JSONPath engine cannot be stopped, and a few characters ask it for a lot: `$.a[?count($..*) > 5]` reads the whole
//! document for each item of `a`. So the work is estimated first, from the path's shape and the document's size. The estimate
//! is an upper bound, and it counts node visits, not time: a path is refused on every machine or on none.

mod shape;

use std::fmt;
use std::ops::ControlFlow;

pub(super) use self::shape::Shape;
use self::shape::{Filter, Selector, Step};
use super::walk::{Hit, walk};
use super::{Path, Segment, Trail};
use crate::json::{Shape as Held, View};
use crate::verdict::{Error, ErrorKind};

/// So many visits are always allowed: about a second of work at worst.
const ALLOWED: u64 = 10_000_000;

/// So many are allowed for each node of the document: reading all of it a few times is what descendants and filters do.
const ALLOWED_EACH: u64 = 32;

/// What compiling a pattern costs in visits, beside what each of its states does.
const COMPILING: u64 = 500;
const COMPILING_A_STATE: u64 = 10;

/// How many comparisons of a byte with a state of a pattern, and how many bytes that are only read, cost one visit.
const STATES_PER_VISIT: u64 = 5;
const BYTES_PER_VISIT: u64 = 32;

/// More visits than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooLong {
    visits: u64,
    limit: u64,
}

impl Path {
    /// Checks that selecting from a document takes a bearable number of node visits.
    pub fn check_cost<'v>(&self, root: impl View<'v>) -> Result<(), Error> {
        match self.too_long(root) {
            Some(too_long) => Err(Error::new(ErrorKind::Exhausted(format!(
                "path '{self}' takes too long to evaluate: {too_long}"
            )))),
            None => Ok(()),
        }
    }

    /// How far a walk through a document exceeds its limit, if it does.
    pub(super) fn too_long<'v>(&self, root: impl View<'v>) -> Option<TooLong> {
        let shape = self.shape.as_deref()?;
        let segments = self.from_root.as_ref().map_or(&self.segments, |from_root| &from_root.way);
        let is_plain =
            |segment: &&Segment| matches!(segment, Segment::Name(_) | Segment::Index(_) | Segment::Wildcard);
        let way = segments.iter().take_while(is_plain).count();
        let (mut below, mut from) = (Extent::default(), Reached { count: 0, times: 1, children: Some(0) });
        let _ = walk(&segments[..way], root, &Trail::root(), &mut |hit, _| {
            if let Hit::Value(value) = hit {
                below.add(value, 0);
                from.count += 1;
                from.children = from.children.map(|children| children + value.len() as u64);
            }
            ControlFlow::<()>::Continue(())
        });
        let mut whole = Extent::default();
        whole.add(root, 0);
        let limit = ALLOWED.max(whole.nodes.saturating_mul(ALLOWED_EACH));
        let visits = Estimate { whole }.visits(&shape.steps[way.min(shape.steps.len())..], from, &below);
        (visits > limit).then_some(TooLong { visits, limit })
    }
}

/// How large a part of a document is.
#[derive(Debug, Default, Clone, Copy)]
struct Extent {
    nodes: u64,
    /// Of every node, how many it is in, itself included: so many visits it takes to read what is below each.
    depths: u64,
    deepest: u64,
    /// Bytes of its texts.
    text: u64,
}

impl Extent {
    fn add<'v>(&mut self, value: impl View<'v>, depth: u64) {
        self.nodes += 1;
        self.depths += depth + 1;
        self.deepest = self.deepest.max(depth + 1);
        match value.shape() {
            Held::String(text) => self.text += text.len() as u64,
            Held::Array => value.items().for_each(|item| self.add(item, depth + 1)),
            Held::Object => value.members().for_each(|(_, member)| self.add(member, depth + 1)),
            Held::Null | Held::Boolean(_) | Held::Number(_) => {}
        }
    }
}

/// The nodes that a path has led to so far, at most.
#[derive(Debug, Clone, Copy)]
struct Reached {
    count: u64,
    /// How often one of them is among them.
    times: u64,
    /// How many children they have, if that was counted.
    children: Option<u64>,
}

struct Estimate {
    whole: Extent,
}

impl Estimate {
    /// The visits of some steps from nodes in a part of the document.
    fn visits(&self, steps: &[Step], mut from: Reached, part: &Extent) -> u64 {
        let mut visits = 0_u64;
        for step in steps {
            let at = if step.descends { from.descended(part) } else { from };
            let children = at.children.unwrap_or_else(|| at.times.saturating_mul(part.nodes));
            visits = visits.saturating_add(at.count);
            let (mut reached, mut times) = (0_u64, 0_u64);
            for selector in &step.selectors {
                let (selected, cost) = match selector {
                    Selector::One => (at.count, 0),
                    Selector::Many => (children, children),
                    Selector::Filter(filter) => {
                        let cost = self.filter(filter, children, at.times, part);
                        (children, cost.saturating_add(children))
                    }
                };
                visits = visits.saturating_add(cost);
                reached = reached.saturating_add(selected);
                times = times.saturating_add(at.times);
            }
            let count = reached.min(times.saturating_mul(part.nodes));
            from = Reached { count, times, children: None };
        }
        visits.saturating_add(from.count)
    }

    /// The visits of a filter that is asked so often, of one node so many times.
    fn filter(&self, filter: &Filter, asked: u64, times: u64, part: &Extent) -> u64 {
        let each = Reached { count: asked, times, children: None };
        let relative = filter.relative.iter().map(|shape| self.visits(&shape.steps, each, part));
        let root = Reached { count: 1, times: 1, children: None };
        let absolute = filter
            .absolute
            .iter()
            .map(|shape| self.visits(&shape.steps, root, &self.whole).saturating_mul(asked));
        let patterns = filter.patterns.iter().map(|pattern| {
            let compiling = pattern.states.saturating_mul(COMPILING_A_STATE).saturating_add(COMPILING);
            let text = if pattern.of_root {
                asked.saturating_mul(self.whole.text)
            } else {
                times.saturating_mul(part.text)
            };
            let searching = text.saturating_mul(pattern.states) / STATES_PER_VISIT;
            asked.saturating_mul(compiling).saturating_add(searching)
        });
        let mut visits = relative.chain(absolute).chain(patterns).fold(0, u64::saturating_add);
        if filter.compares_values {
            visits = visits.saturating_add(times.saturating_mul(part.depths));
        }
        if filter.rereads_root {
            let reading = self.whole.nodes + self.whole.text / BYTES_PER_VISIT;
            visits = visits.saturating_add(asked.saturating_mul(reading));
        }
        visits
    }
}

impl Reached {
    /// These nodes and all that is below them.
    fn descended(self, part: &Extent) -> Reached {
        if self.count <= 1 {
            return Reached { count: part.nodes, times: 1, children: None };
        }
        let count = self.count.saturating_mul(part.nodes).min(self.times.saturating_mul(part.depths));
        Reached { count, times: self.times.saturating_mul(part.deepest), children: None }
    }
}

impl fmt::Display for TooLong {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "about {} node visits (limit {})", self.visits, self.limit)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn visits(path: &str, document: &Value) -> Option<u64> {
        Path::parse(path).unwrap().too_long(document).map(|too_long| too_long.visits)
    }

    /// A list of so many items of seven nodes each.
    fn items(count: usize) -> Value {
        let item = |n| json!({"b": n, "c": {"d": [n, "text"], "e": n}});
        json!({"a": (0..count).map(item).collect::<Vec<_>>(), "min": 3, "max": 9})
    }

    fn chain(depth: usize) -> Value {
        (0..depth).fold(json!({"x": 1}), |inner, _| json!({"x": inner, "y": [1]}))
    }

    #[test]
    fn what_reads_the_document_for_each_node_is_refused() {
        let document = items(2000);
        for path in [
            "$.a[?count($..*) > 5]",
            "a[?count($..*) > 5]",
            "$.a[?@.b == 1 && length(value($..b)) > 5].c",
            "$..[?$..[?@.b]]",
            "$..*[?count($.a[*]) > 5]",
            "$.a[?$.a == $.a]",
            "$.a[?$ == $]",
            "$.a[?search($.a[0].c.d[1], '(a?){500}b')]",
            "$.a[?match(@.c.d[1], '(?:(?:(?:a?){50}){50}){50}b')]",
            "$.a[?match(@.c.d[1], @.c.d[1])]",
        ] {
            assert!(visits(path, &document).is_some(), "{path}");
        }
    }

    #[test]
    fn what_multiplies_what_it_selects_is_refused() {
        let document = chain(100);
        let doubled = "$".to_owned() + &"[*,*]".repeat(60);
        let named = "$".to_owned() + &"['x','x']".repeat(60);
        for path in ["$..*..*..*..*..*", "$..*..[?@..*..*]", &doubled, &named] {
            assert!(visits(path, &document).is_some(), "{path}");
        }
    }

    #[test]
    fn ordinary_paths_are_walked_however_large_the_document() {
        let document = items(100_000);
        for path in [
            "$..*",
            "$..b",
            "$..d[0]",
            "$..c..e",
            "$.a[?@.b == 1]",
            "a[?@.b == 1].c",
            "$..[?@.b < 10]",
            "$..d[?@ == 'text']",
            "$.a[?@.b > $.min && @.b < $.max].c",
            "$.a[?(@.b > $.min || !(@.b))].c",
            "$.a[?@.c.d[0] == @.c.e]",
            "$.a[?count(@.c.d[*]) > 1]",
            "$.a[?length(@.c.d) == 2]",
            "$.a[1:5,'x'].b",
            "$.a[?@.b && $.min]",
            "$['a','min']",
        ] {
            assert_eq!(visits(path, &document), None, "{path}");
        }
        let document = items(1000);
        assert_eq!(visits("$.a[?match(@.c.d[1], 't.*')]", &document), None);
        assert_eq!(visits("$.a[0].c[?count($..*) > 5]", &items(100_000)), None);
    }

    #[test]
    fn no_more_nodes_are_met_than_were_estimated() {
        let (wide, deep) = (items(3), chain(6));
        for path in ["$..*..*", "$[*,*][*,*]", "$..[*,'x']..y[0,0]", "$.a[*,0]..[?@..d]", "$..*[?@.*].*"] {
            for document in [&wide, &deep] {
                let mut met = 0;
                let parsed = Path::parse(path).unwrap();
                let _ = parsed.walk(document, |_, _| {
                    met += 1;
                    ControlFlow::<()>::Continue(())
                });
                let mut whole = Extent::default();
                whole.add(document, 0);
                let from = Reached { count: 1, times: 1, children: None };
                let shape = parsed.shape.unwrap();
                let estimated = Estimate { whole }.visits(&shape.steps, from, &whole);
                assert!(met <= estimated, "{path}: {met} of {estimated}");
            }
        }
    }
}
