//! What can be told at a glance: that a JSON text passes all that is asked, without a tree of it.
//!
//! What is asked of the values at many paths is put into one tree of names, a [`Glance`], compiled once. A [`Look`] then goes
//! through a text from left to right, passes over what nobody asks about, and asks the rest as it comes by.
//!
//! It answers "passes, for certain" or nothing at all: a text that does not pass, is malformed, has a key twice or is merely
//! unusual is for others to judge and to explain. So a glance may be wrong in one direction only, and a test holds it to that.

mod check;
mod look;
mod order;

use memchr::memmem::Finder;

pub(crate) use check::{Check, Contents, Item};
pub use look::Look;

use crate::value::path::Plain;

/// How many members of one object may be asked about: one bit each.
const MOST_MEMBERS: usize = 64;

/// How many checks may compare a value with the one before it.
const MOST_SEQUENCES: usize = 4;

/// How many items one array may be looked through for, likewise.
pub(crate) const MOST_ITEMS: usize = 64;

/// All that is asked of a JSON text, by where it is asked.
#[derive(Debug)]
pub struct Glance<'q> {
    /// What is asked of each place that some path leads to; the first is the text itself.
    spots: Vec<Spot<'q>>,
    /// What the text must contain somewhere.
    mentions: Vec<Finder<'q>>,
    /// How many checks compare a value with the one before it.
    sequences: usize,
}

/// What is asked of the values in one place: `results[*].file`.
#[derive(Debug, Default)]
struct Spot<'q> {
    members: Vec<Member<'q>>,
    /// The members that must be there, by their position.
    required: u64,
    /// The spot of every item.
    items: Option<usize>,
    checks: Vec<Check<'q>>,
    contents: Vec<Contents<'q>>,
    /// How many items there may be, where it must be an array.
    length: Option<(u64, u64)>,
    asks: Asks,
}

/// About what of a value a spot asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Asks {
    /// It is enough that something is there.
    Nothing,
    /// What it is, or its members.
    #[default]
    Something,
    /// Its items: only an array can have what is asked.
    Array,
}

#[derive(Debug)]
struct Member<'q> {
    name: &'q str,
    spot: usize,
}

/// Whether what a path leads to must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Required,
    /// What is there is asked, and nothing is missing.
    Optional,
}

/// Something is asked that cannot be told at a glance.
#[derive(Debug, PartialEq, Eq)]
pub struct TooMuch;

impl Spot<'_> {
    fn asks_about(&self) -> Asks {
        match self {
            _ if self.items.is_some() || self.length.is_some() || !self.contents.is_empty() => Asks::Array,
            _ if self.members.is_empty() && self.checks.is_empty() => Asks::Nothing,
            _ => Asks::Something,
        }
    }
}

impl<'q> Glance<'q> {
    /// Nothing is asked yet.
    pub(crate) fn new() -> Glance<'q> {
        Glance { spots: vec![Spot::default()], mentions: Vec::new(), sequences: 0 }
    }

    /// All that is asked, if it can be told in one go: what an array contains, and what its items are, takes two.
    pub(crate) fn complete(mut self) -> Option<Glance<'q>> {
        for spot in &mut self.spots {
            spot.asks = spot.asks_about();
        }
        self.spots.iter().all(|spot| spot.items.is_none() || spot.contents.is_empty()).then_some(self)
    }

    /// Something to go through texts with, one after the other.
    pub fn look(&self) -> Look<'_, 'q> {
        Look::new(self)
    }

    /// Asks that what a path leads to is there.
    pub(crate) fn exists(&mut self, path: &[Plain<'q>]) -> Result<(), TooMuch> {
        self.spot(path, Presence::Required).map(|_| ())
    }

    /// Asks something of every value that a path leads to.
    pub(crate) fn ask(
        &mut self,
        path: &[Plain<'q>],
        presence: Presence,
        check: Check<'q>,
    ) -> Result<(), TooMuch> {
        let spot = self.spot(path, presence)?;
        self.spots[spot].checks.push(check);
        Ok(())
    }

    /// Asks something of the items of every array that a path leads to.
    pub(crate) fn ask_contents(
        &mut self,
        path: &[Plain<'q>],
        presence: Presence,
        contents: Contents<'q>,
    ) -> Result<(), TooMuch> {
        let spot = self.spot(path, presence)?;
        self.spots[spot].contents.push(contents);
        Ok(())
    }

    /// Asks that what a path leads to is an array with at least and at most so many items.
    pub(crate) fn ask_length(&mut self, path: &[Plain<'q>], least: u64, most: u64) -> Result<(), TooMuch> {
        let spot = self.spot(path, Presence::Required)?;
        let length = &mut self.spots[spot].length;
        let (before_least, before_most) = length.unwrap_or((0, u64::MAX));
        *length = Some((before_least.max(least), before_most.min(most)));
        Ok(())
    }

    /// A number by which a check keeps the value before apart from those of other checks.
    pub(crate) fn sequence(&mut self) -> Result<usize, TooMuch> {
        self.sequences += 1;
        if self.sequences > MOST_SEQUENCES { Err(TooMuch) } else { Ok(self.sequences - 1) }
    }

    /// Asks that a text stands somewhere in a key or a string. One that could also stand elsewhere, or be written in several
    /// ways, is too much.
    pub(crate) fn mention(&mut self, text: &'q str) -> Result<(), TooMuch> {
        let is_written_as_it_reads = |c: char| c >= ' ' && c != '"' && c != '\\';
        // What no number, no `true`, `false` or `null` and nothing between values has.
        let is_of_strings = |c: char| !c.is_ascii_digit() && !" {}[]:,+-.eEtrufalsn".contains(c);
        if !text.chars().all(is_written_as_it_reads) || !text.chars().any(is_of_strings) {
            return Err(TooMuch);
        }
        self.mentions.push(Finder::new(text));
        Ok(())
    }

    /// The place that a path leads to, and those on the way.
    fn spot(&mut self, path: &[Plain<'q>], presence: Presence) -> Result<usize, TooMuch> {
        let mut at = 0;
        for step in path {
            let next = self.spots.len();
            let spot = &mut self.spots[at];
            let found = match step {
                Plain::Items => *spot.items.get_or_insert(next),
                Plain::Name(name) => {
                    let known = spot.members.iter().position(|member| member.name == *name);
                    let position = known.unwrap_or(spot.members.len());
                    if position == MOST_MEMBERS {
                        return Err(TooMuch);
                    }
                    if known.is_none() {
                        spot.members.push(Member { name, spot: next });
                    }
                    spot.required |= u64::from(presence == Presence::Required) << position;
                    spot.members[position].spot
                }
            };
            if found == next {
                self.spots.push(Spot::default());
            }
            at = found;
        }
        Ok(at)
    }
}
