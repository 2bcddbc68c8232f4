//! Evaluation of a filter on a node.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::Value;

use super::Trail;
use super::gap::Hit;
use super::query::{Condition, Operand, Operator, Pattern, Query};
use super::regexp::{Refused, Regexp};
use super::walk::{Stop, Walker};
use super::work::{BYTES_PER_VISIT, Exhausted, size};
use crate::json::{Shape, View};
use crate::value::{compare_numbers, equal};

/// Value of an operand for a node.
enum Operated<'q, V> {
    Nothing,
    Node(V),
    Given(Cow<'q, Value>),
}

impl<'v, V: View<'v>> Walker<V> {
    /// Returns true if a node meets a condition.
    pub(super) fn holds(&self, condition: &Condition, node: V) -> Result<bool, Exhausted> {
        self.spend(1)?;
        match condition {
            Condition::Any(any) => {
                any.iter().try_fold(false, |holds, one| Ok(holds || self.holds(one, node)?))
            }
            Condition::All(all) => {
                all.iter().try_fold(true, |holds, one| Ok(holds && self.holds(one, node)?))
            }
            Condition::Not(condition) => Ok(!self.holds(condition, node)?),
            Condition::Exists(query) => Ok(self.nodes(query, node, 1)?.0 > 0),
            Condition::Compare(left, operator, right) => {
                let ordering = self.compare(self.operate(left, node)?, self.operate(right, node)?)?;
                Ok(operator.admits(ordering))
            }
            Condition::Matches(text, pattern) => self.matches(text, pattern, node),
        }
    }

    /// Counts the nodes that a query selects, up to `most`, and returns the first of them.
    fn nodes(&self, query: &Query, node: V, most: usize) -> Result<(usize, Option<V>), Exhausted> {
        let (mut count, mut first) = (0, None);
        let from = if query.from_root { self.root } else { node };
        let walked = self.walk(&query.segments, from, &Trail::root(), &mut |hit, _| {
            if let Hit::Value(value) = hit {
                first.get_or_insert(value);
                count += 1;
            }
            if count < most { Ok(()) } else { Err(Stop::Broken(())) }
        });
        match walked {
            Err(Stop::Exhausted(exhausted)) => Err(exhausted),
            Err(Stop::Broken(())) | Ok(()) => Ok((count, first)),
        }
    }

    fn operate<'q>(&self, operand: &'q Operand, node: V) -> Result<Operated<'q, V>, Exhausted> {
        let number = |number: usize| Operated::Given(Cow::Owned(Value::from(number)));
        Ok(match operand {
            Operand::Literal(value) => Operated::Given(Cow::Borrowed(value)),
            Operand::Node(query) => self.nodes(query, node, 1)?.1.map_or(Operated::Nothing, Operated::Node),
            Operand::OnlyNode(query) => match self.nodes(query, node, 2)? {
                (1, Some(only)) => Operated::Node(only),
                _ => Operated::Nothing,
            },
            Operand::Count(query) => number(self.nodes(query, node, usize::MAX)?.0),
            Operand::Length(operand) => match self.operate(operand, node)? {
                Operated::Nothing => Operated::Nothing,
                Operated::Node(value) => self.length(value)?.map_or(Operated::Nothing, number),
                Operated::Given(value) => {
                    value.as_str().map_or(Operated::Nothing, |text| number(text.chars().count()))
                }
            },
        })
    }

    fn length(&self, value: V) -> Result<Option<usize>, Exhausted> {
        Ok(match value.shape() {
            Shape::String(text) => {
                self.spend(text.len() as u64 / BYTES_PER_VISIT)?;
                Some(text.chars().count())
            }
            Shape::Array | Shape::Object => {
                self.pass_by(value)?;
                Some(value.len())
            }
            Shape::Null | Shape::Boolean(_) | Shape::Number(_) => None,
        })
    }

    /// The order of two operands: of numbers, of strings, and equality of anything else. Nothing equals nothing.
    fn compare(&self, left: Operated<'_, V>, right: Operated<'_, V>) -> Result<Option<Ordering>, Exhausted> {
        use Operated::{Given, Node, Nothing};
        match (left, right) {
            (Nothing, Nothing) => Ok(Some(Ordering::Equal)),
            (Nothing, _) | (_, Nothing) => Ok(None),
            (Node(left), Node(right)) => self.compare_values(left, right),
            (Node(left), Given(right)) => self.compare_values(left, &*right),
            (Given(left), Node(right)) => self.compare_values(&*left, right),
            (Given(left), Given(right)) => self.compare_values(&*left, &*right),
        }
    }

    fn compare_values<'a, 'b>(
        &self,
        left: impl View<'a>,
        right: impl View<'b>,
    ) -> Result<Option<Ordering>, Exhausted> {
        match (left.shape(), right.shape()) {
            (Shape::Number(left), Shape::Number(right)) => Ok(Some(compare_numbers(&left, &right))),
            (Shape::String(left), Shape::String(right)) => {
                self.spend(left.len().max(right.len()) as u64 / BYTES_PER_VISIT)?;
                Ok(Some(left.cmp(&right)))
            }
            (Shape::Array, Shape::Array) | (Shape::Object, Shape::Object) => {
                self.spend(size(left).saturating_add(size(right)))?;
                Ok(equal(left, right).then_some(Ordering::Equal))
            }
            (left, right) => Ok((left == right).then_some(Ordering::Equal)),
        }
    }

    fn matches(&self, text: &Operand, pattern: &Pattern, node: V) -> Result<bool, Exhausted> {
        let text = self.operate(text, node)?;
        let Some(text) = string(&text) else { return Ok(false) };
        match pattern {
            Pattern::Literal(regexp) => self.search(regexp, &text),
            Pattern::Dynamic { pattern, is_whole } => {
                let pattern = self.operate(pattern, node)?;
                let Some(pattern) = string(&pattern) else { return Ok(false) };
                self.spend(Regexp::cost_of_reading(&pattern))?;
                match Regexp::compile(&pattern, *is_whole) {
                    Ok(regexp) => {
                        self.spend(regexp.cost_of_states())?;
                        self.search(&regexp, &text)
                    }
                    Err(Refused::Invalid(_)) => Ok(false),
                    Err(Refused::TooLarge) => Err(self.exhausted()),
                }
            }
        }
    }

    fn search(&self, regexp: &Regexp, text: &str) -> Result<bool, Exhausted> {
        self.spend(regexp.cost_of_search(text))?;
        regexp.is_match(text).ok_or_else(|| self.exhausted())
    }
}

fn string<'s, 'v: 's, V: View<'v>>(operated: &'s Operated<'_, V>) -> Option<Cow<'s, str>> {
    match operated {
        Operated::Node(node) => match node.shape() {
            Shape::String(text) => Some(text),
            _ => None,
        },
        Operated::Given(value) => value.as_str().map(Cow::Borrowed),
        Operated::Nothing => None,
    }
}

impl Operator {
    /// Returns true if it holds for operands in this order; `None` is for operands that are neither ordered nor equal.
    fn admits(self, ordering: Option<Ordering>) -> bool {
        match self {
            Operator::Equal => ordering == Some(Ordering::Equal),
            Operator::NotEqual => ordering != Some(Ordering::Equal),
            Operator::Less => ordering == Some(Ordering::Less),
            Operator::LessOrEqual => ordering.is_some_and(Ordering::is_le),
            Operator::Greater => ordering == Some(Ordering::Greater),
            Operator::GreaterOrEqual => ordering.is_some_and(Ordering::is_ge),
        }
    }
}
