//! The words that several assertions use in their messages.

use std::borrow::Cow;
use std::fmt;

use cupel::{ContextItem, ContextKind, ExcludedItem, IncludedItem};
use indexmap::IndexSet;

use super::reason::Reason;
use crate::value::excerpt::cut;
use crate::verdict::{Failure, Part};

/// How many things a message lists. No pipeline has as many kinds; a message that lists more is read by nobody.
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
    let kinds = Kinds::of(included, usize::MAX);
    listed(kinds.iter().map(shown), kinds.len())
}

/// Distinct kinds, in the order of their first.
///
/// No memory is asked for up to so many kinds as a stack holds; no pipeline is known to have as many.
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

    pub(super) fn iter(&self) -> impl Iterator<Item = &'r ContextKind> {
        self.few.iter().flatten().chain(&self.more).copied()
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

/// Reasons, each once, in the order of their first. There are few, so that no memory is asked for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reasons([Option<Reason>; 11]);

impl Reasons {
    pub(super) fn of(excluded: &[ExcludedItem]) -> Reasons {
        let mut reasons = Reasons::default();
        for excluded in excluded {
            reasons.add(Reason::from(&excluded.reason));
        }
        reasons
    }

    pub(super) fn add(&mut self, reason: Reason) {
        for slot in &mut self.0 {
            match slot {
                Some(known) if *known == reason => return,
                Some(_) => {}
                None => {
                    *slot = Some(reason);
                    return;
                }
            }
        }
    }
}

impl fmt::Display for Reasons {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, reason) in self.0.iter().flatten().enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            write!(formatter, "{comma}{reason}")?;
        }
        Ok(())
    }
}

/// The positions of the first items that something was found in. No memory is asked for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Found {
    /// How many there were.
    pub(super) count: usize,
    first: [usize; ITEMS_POINTED_AT],
}

impl Found {
    pub(super) fn add(&mut self, index: usize) {
        if let Some(slot) = self.first.get_mut(self.count) {
            *slot = index;
        }
        self.count += 1;
    }

    /// The positions, as far as they are pointed at.
    pub(super) fn indices(&self) -> &[usize] {
        &self.first[..self.count.min(ITEMS_POINTED_AT)]
    }
}

/// Points at the first [`ITEMS_POINTED_AT`] of these, each with its note.
pub(super) fn pointing_to_all(failure: Failure, parts: impl IntoIterator<Item = (Part, String)>) -> Failure {
    let first = parts.into_iter().take(ITEMS_POINTED_AT);
    first.fold(failure, |failure, (part, note)| failure.pointing_to(part, note))
}
