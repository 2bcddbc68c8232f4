//! The words that several assertions use in their messages.

use std::borrow::Cow;
use std::fmt;

use cupel::{ContextItem, ContextKind, IncludedItem};
use indexmap::IndexSet;

use super::reason::Reason;
use crate::value::excerpt::cut;
use crate::verdict::{Failure, Part};

/// How many things a message lists; one that lists more is read by nobody.
pub(super) const LISTED: usize = 100;

/// How many items one failure points at.
pub(super) const ITEMS_POINTED_AT: usize = 20;

/// A kind in a message.
pub(super) fn shown(kind: &ContextKind) -> Cow<'_, str> {
    cut(kind.as_str())
}

/// The beginning of an item's content, which tells which item it is.
pub(super) fn beginning(item: &ContextItem) -> String {
    const SHOWN: usize = 50;
    let start: String = item.content().chars().take(SHOWN).collect();
    let dots = if start.len() < item.content().len() { "..." } else { "" };
    format!("'{}{dots}'", cut(&start))
}

/// `1 included item`, `3 included items`.
pub(super) fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Where an item stands in the list that it was found in. To count while looking would cost those that find nothing.
pub(super) fn position_of<T>(found: &T, list: &[T]) -> usize {
    let (found, start) = (std::ptr::from_ref(found).addr(), list.as_ptr().addr());
    found.saturating_sub(start).checked_div(size_of::<T>()).unwrap_or_default()
}

/// The first [`LISTED`] of so many things, separated by commas.
pub(super) fn listed(things: impl IntoIterator<Item = impl fmt::Display>, total: usize) -> String {
    listed_up_to(LISTED, things, total)
}

/// The first of so many things, separated by commas.
pub(super) fn listed_up_to(
    most: usize,
    things: impl IntoIterator<Item = impl fmt::Display>,
    total: usize,
) -> String {
    let mut list: Vec<String> = things.into_iter().take(most).map(|thing| thing.to_string()).collect();
    if total > most {
        list.push(format!("… {} more", total - most));
    }
    list.join(", ")
}

/// The kinds of the items that were selected, each once, in the order of their first.
pub(super) fn kinds(included: &[IncludedItem]) -> String {
    Kinds::of(included, usize::MAX).listed()
}

/// Distinct kinds, in the order of their first.
///
/// The first few are kept on the stack, so that a report with no more kinds asks for no memory.
pub(super) struct Kinds<'r> {
    few: [Option<&'r ContextKind>; Kinds::FEW],
    count: usize,
    more: IndexSet<&'r ContextKind>,
}

impl<'r> Kinds<'r> {
    const FEW: usize = 32;

    /// The kinds of these items, no more than `enough` of them.
    pub(super) fn of(included: &'r [IncludedItem], enough: usize) -> Kinds<'r> {
        let mut kinds = Kinds { few: [None; Kinds::FEW], count: 0, more: IndexSet::new() };
        for included in included {
            if kinds.len() >= enough {
                break;
            }
            kinds.add(included.item.kind());
        }
        kinds
    }

    pub(super) fn len(&self) -> usize {
        self.count + self.more.len()
    }

    pub(super) fn listed(&self) -> String {
        listed(self.few.iter().flatten().chain(&self.more).map(|kind| shown(kind)), self.len())
    }

    fn add(&mut self, kind: &'r ContextKind) {
        // Most are written alike, which is seen sooner than that they are alike but for case.
        let few = || self.few[..self.count].iter().flatten();
        if few().any(|known| known.as_str() == kind.as_str()) || few().any(|known| *known == kind) {
            return;
        }
        match self.few.get_mut(self.count) {
            Some(free) => {
                *free = Some(kind);
                self.count += 1;
            }
            None => {
                self.more.insert(kind);
            }
        }
    }
}

/// Reasons, each once, in the order of their first.
pub(super) fn reasons(reasons: impl IntoIterator<Item = Reason>) -> String {
    let mut distinct: Vec<Reason> = Vec::new();
    for reason in reasons {
        if !distinct.contains(&reason) {
            distinct.push(reason);
        }
    }
    listed(&distinct, distinct.len())
}

/// Points at the first [`ITEMS_POINTED_AT`] of these, each with its note.
pub(super) fn pointing_to_all(failure: Failure, parts: impl IntoIterator<Item = (Part, String)>) -> Failure {
    let first = parts.into_iter().take(ITEMS_POINTED_AT);
    first.fold(failure, |failure, (part, note)| failure.pointing_to(part, note))
}
