//! Limits on the work of a walk.
//!
//! A few characters can ask for a lot: `$.a[?count($..*) > 5]` reads the whole document for each item of `a`. So the work is
//! counted as it is done, in node visits rather than time, and ends at a limit: a path is refused on every machine or on none.

use std::cell::{Cell, OnceCell};
use std::fmt;

use super::walk::Walker;
use crate::json::{Shape, View};

/// So many visits are always allowed: about a second of work at worst.
const ALLOWED: u64 = 10_000_000;

/// So many are allowed for each node of the document, which counts its text as well: [`size`].
pub(super) const ALLOWED_EACH: u64 = 32;

/// Bytes that are only read, and members or items that are skipped, that cost one visit.
pub(super) const BYTES_PER_VISIT: u64 = 32;
const PASSED_PER_VISIT: usize = 16;

/// More visits than this limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exhausted {
    limit: u64,
}

/// The work of a walk so far.
pub(super) struct Work {
    is_counted: bool,
    visits: Cell<u64>,
    limit: OnceCell<u64>,
}

impl Work {
    pub(super) fn new(is_counted: bool) -> Work {
        Work { is_counted, visits: Cell::new(0), limit: OnceCell::new() }
    }

    #[cfg(test)]
    pub(super) fn visits(&self) -> u64 {
        self.visits.get()
    }
}

impl<'v, V: View<'v>> Walker<V> {
    /// Counts work, until there is too much of it.
    #[inline]
    pub(super) fn spend(&self, visits: u64) -> Result<(), Exhausted> {
        if !self.work.is_counted {
            return Ok(());
        }
        self.work.visits.set(self.work.visits.get().saturating_add(visits));
        if self.work.visits.get() <= ALLOWED {
            return Ok(());
        }
        let exhausted = self.exhausted();
        if self.work.visits.get() <= exhausted.limit { Ok(()) } else { Err(exhausted) }
    }

    /// Returns the error that ends a walk, with the limit for this document.
    pub(super) fn exhausted(&self) -> Exhausted {
        let limit = || ALLOWED.max(size(self.root).saturating_mul(ALLOWED_EACH));
        Exhausted { limit: *self.work.limit.get_or_init(limit) }
    }

    /// Counts passing by the members or items of a value.
    #[inline]
    pub(super) fn pass_by(&self, value: V) -> Result<(), Exhausted> {
        if self.work.is_counted { self.spend((value.len() / PASSED_PER_VISIT) as u64) } else { Ok(()) }
    }
}

/// The size of a value: its nodes, and its text.
pub(super) fn size<'v>(value: impl View<'v>) -> u64 {
    match value.shape() {
        Shape::String(text) => 1 + text.len() as u64 / BYTES_PER_VISIT,
        Shape::Array => value.items().map(size).fold(1, u64::saturating_add),
        Shape::Object => value.members().map(|(_, member)| size(member)).fold(1, u64::saturating_add),
        Shape::Null | Shape::Boolean(_) | Shape::Number(_) => 1,
    }
}

impl fmt::Display for Exhausted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "more than {} node visits", self.limit)
    }
}
