//! The syntax tree of a path, after RFC 9535.

use serde_json::Value;

use super::regexp::Regexp;

/// A step of a path, or one of several selectors in it.
#[derive(Debug, Clone)]
pub(super) enum Segment {
    Name(Box<str>),
    /// From the end where negative.
    Index(i64),
    Wildcard,
    /// Several of these, each of which must exist.
    Several(Vec<Segment>),
    Choice(Box<Choice>),
}

/// A segment that chooses among what is there.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    /// With its brackets or dots.
    pub(super) written: Box<str>,
    pub(super) by: Chooser,
}

#[derive(Debug, Clone)]
pub(super) enum Chooser {
    Slice(Slice),
    Filter(Condition),
    /// Applies the segment to a node and to everything below it.
    Descent(Segment),
}

/// `start:end:step`
#[derive(Debug, Clone, Copy)]
pub(super) struct Slice {
    pub(super) start: Option<i64>,
    pub(super) end: Option<i64>,
    pub(super) step: i64,
}

/// The condition of a filter.
#[derive(Debug, Clone)]
pub(super) enum Condition {
    Any(Vec<Condition>),
    All(Vec<Condition>),
    Not(Box<Condition>),
    Exists(Query),
    Compare(Operand, Operator, Operand),
    Matches(Operand, Pattern),
}

/// A query in a filter, from the node that the filter is asked of or from the root.
#[derive(Debug, Clone)]
pub(super) struct Query {
    pub(super) from_root: bool,
    pub(super) segments: Vec<Segment>,
}

/// A value in a filter, or nothing.
#[derive(Debug, Clone)]
pub(super) enum Operand {
    Literal(Value),
    /// The node of a query that selects one at most.
    Node(Query),
    Length(Box<Operand>),
    Count(Query),
    /// The node that a query selects, if it selects just one.
    OnlyNode(Query),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// The second argument of `match` and `search`.
#[derive(Debug, Clone)]
pub(super) enum Pattern {
    Literal(Regexp),
    /// Compiled for each node.
    Dynamic {
        pattern: Operand,
        is_whole: bool,
    },
}

impl Segment {
    /// Returns true if it filters: then selecting nothing is an answer.
    pub(super) fn filters(&self) -> bool {
        match self {
            Segment::Choice(choice) => matches!(choice.by, Chooser::Filter(_)),
            Segment::Several(several) => several.iter().any(Segment::filters),
            Segment::Name(_) | Segment::Index(_) | Segment::Wildcard => false,
        }
    }

    fn descends(&self) -> bool {
        matches!(self, Segment::Choice(choice) if matches!(choice.by, Chooser::Descent(_)))
    }

    fn is_linear(&self) -> bool {
        match self {
            Segment::Name(_) | Segment::Index(_) | Segment::Wildcard => true,
            Segment::Several(_) => false,
            Segment::Choice(choice) => match &choice.by {
                Chooser::Slice(_) => true,
                Chooser::Filter(condition) => condition.is_linear(),
                Chooser::Descent(segment) => segment.is_linear(),
            },
        }
    }
}

impl Slice {
    /// The indexes that it selects of an array, in its order.
    pub(super) fn indexes(self, length: usize) -> impl Iterator<Item = usize> {
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        let Slice { start, end, step } = self;
        // From the end where negative; before the first and after the last as far as the direction needs it.
        let bound = |index: i64, least: i64, most: i64| {
            (if index < 0 { index.saturating_add(length) } else { index }).clamp(least, most)
        };
        let (first, last) = if step < 0 {
            (
                start.map_or(length - 1, |at| bound(at, -1, length - 1)),
                end.map_or(-1, |at| bound(at, -1, length - 1)),
            )
        } else {
            (start.map_or(0, |at| bound(at, 0, length)), end.map_or(length, |at| bound(at, 0, length)))
        };
        let is_inside = move |at: &i64| (step > 0 && *at < last) || (step < 0 && *at > last);
        let indexes =
            std::iter::successors(Some(first), move |at| at.checked_add(step)).take_while(is_inside);
        indexes.filter_map(|at| usize::try_from(at).ok())
    }
}

impl Condition {
    /// Returns true if it looks at a few nodes below the one it is asked of.
    fn is_linear(&self) -> bool {
        match self {
            Condition::Any(all) | Condition::All(all) => all.iter().all(Condition::is_linear),
            Condition::Not(condition) => condition.is_linear(),
            Condition::Exists(query)
            | Condition::Compare(Operand::Node(query), _, Operand::Literal(_))
            | Condition::Compare(Operand::Literal(_), _, Operand::Node(query)) => query.is_within_reach(),
            Condition::Compare(..) | Condition::Matches(..) => false,
        }
    }
}

impl Query {
    /// Returns true if it selects one node at most.
    pub(super) fn is_singular(&self) -> bool {
        self.segments.iter().all(|segment| matches!(segment, Segment::Name(_) | Segment::Index(_)))
    }

    fn is_within_reach(&self) -> bool {
        !self.from_root && self.is_singular()
    }
}

/// Returns true if following the segments takes a few visits of each node of any document, at most.
pub(super) fn is_linear(segments: &[Segment]) -> bool {
    segments.iter().all(Segment::is_linear)
        && segments.iter().filter(|segment| segment.descends()).count() <= 1
}

impl Operator {
    pub(super) const WRITTEN: [(&'static str, Operator); 6] = [
        ("==", Operator::Equal),
        ("!=", Operator::NotEqual),
        ("<=", Operator::LessOrEqual),
        (">=", Operator::GreaterOrEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ];
}

#[cfg(test)]
mod tests {
    use crate::value::Path;

    #[test]
    fn what_takes_a_few_visits_of_each_node_is_not_counted() {
        for linear in ["$", "$..a[*].b", "a.b[?@.c == 'd'].e", "$..[?(@.a > 1)]", "$[1:5].x"] {
            assert!(!Path::parse(linear).unwrap().is_counted, "{linear}");
        }
        let long = format!("$[?{}@.a]", "@.a||".repeat(40));
        for costly in [
            "$..a..b",
            "$[*,*]",
            "$[?@.*]",
            "$[?$.x]",
            "$[?@.a == @.b]",
            "$..[?@..a == 1 || @.b]".replace("@..a == 1", "count(@..a) == 1").as_str(),
            "$[?match(@, 'a')]",
            "$[?length(@.a) > 1]",
            &long,
        ] {
            assert!(Path::parse(costly).unwrap().is_counted, "{costly}");
        }
    }
}
