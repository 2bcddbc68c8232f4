//! Values that a path selects, and places where it finds nothing.

use std::fmt::Write as _;

use super::Trail;
use super::query::Segment;
use super::trail::write_name;
use super::work::Exhausted;
use crate::json::{Kind, View};
use crate::value::{visible, with_article};

/// A value that a path selects, or a place where it finds nothing.
#[derive(Debug, Clone, Copy)]
pub enum Hit<'h, V> {
    /// A value that it selects.
    Value(V),
    /// A place where it could not go on.
    Missing(Gap<'h, V>),
}

/// A place where a path finds nothing: it led to `from`, and `rest` doesn't exist there.
#[derive(Debug, Clone, Copy)]
pub struct Gap<'h, V> {
    pub(super) from: V,
    pub(super) trail: &'h Trail<'h>,
    pub(super) rest: &'h [Segment],
    /// Set if it could have gone on, but not within the limit.
    pub(super) exhausted: Option<Exhausted>,
}

impl<'v, V: View<'v>> Gap<'_, V> {
    /// Returns true if only the last part of the path is missing, so that what should hold it is there.
    pub fn is_last(&self) -> bool {
        self.rest.len() == 1 && matches!(self.rest, [Segment::Name(_) | Segment::Index(_)])
    }

    /// The place that was asked for, as concretely as it is known: `results[1].metadata.type`.
    pub fn place(&self) -> String {
        let mut place = self.trail.to_string();
        if place == "$" {
            place.clear();
        }
        for segment in self.rest {
            let first = place.is_empty();
            // Writing to a String cannot fail.
            let _ = match segment {
                Segment::Name(name) => write_name(&mut place, name, first),
                Segment::Index(index) => write!(place, "[{index}]"),
                Segment::Wildcard => write!(place, "[*]"),
                Segment::Several(_) => write!(place, "[…]"),
                Segment::Choice(choice) => {
                    write!(place, "{}{}", if first { "$" } else { "" }, visible(&choice.written))
                }
            };
        }
        place
    }

    /// Describes the value in which the path found nothing: `results is a string`, `pagination has no 'total'`.
    pub fn reason(&self) -> String {
        let Gap { from, trail, rest, exhausted } = self;
        if let Some(exhausted) = exhausted {
            return format!("the path takes too long to evaluate: {exhausted}");
        }
        let here = match trail.to_string() {
            root if root == "$" => "the document".to_owned(),
            place => place,
        };
        match (rest.first(), from.kind()) {
            (Some(Segment::Name(name)), Kind::Object) => format!("{here} has no '{}'", visible(name)),
            (Some(Segment::Name(_)), Kind::Array) => {
                format!("{here} is an array; use {here}[*] for its items")
            }
            (Some(Segment::Index(_)), Kind::Array) => {
                let count = from.len();
                format!("{here} has {count} item{}", if count == 1 { "" } else { "s" })
            }
            (Some(Segment::Choice(_)), Kind::Array | Kind::Object) => "the path selects nothing".to_owned(),
            (_, kind) => format!("{here} is {}", with_article(kind.name())),
        }
    }

    /// The place and type of a value of which every item was asked for, and which has none.
    pub fn not_an_array(&self) -> Option<(String, &'static str)> {
        let wants_items = matches!(self.rest.first(), Some(Segment::Wildcard));
        wants_items.then(|| (self.trail.to_string(), self.from.kind().name()))
    }
}
