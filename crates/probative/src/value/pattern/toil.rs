//! What the sets of a pattern cost whoever reads it, before anything is compiled: a limit on that has to come first.

use super::syntax::{Category, Member, Set, SetItem};
use super::{PatternError, refuse};

/// So many ranges of characters may be written: `\w` alone is 800 of them. What is larger does not fit into the engine
/// that is compiled from it, or only because it is the same set again and again.
const RANGES: usize = 800_000;

/// So many characters may be looked up in other cases, one after the other: all that there are, 50 times.
const FOLDED: usize = 50 * CHARACTERS;

/// How many characters there are.
const CHARACTERS: usize = 0x0011_0000;

/// What has come together so far.
#[derive(Debug, Default)]
pub(super) struct Toil {
    ranges: usize,
    folded: usize,
}

impl Toil {
    /// Adds a set, in which every character is looked up in other cases if it `folds`; refused where it becomes too much.
    pub(super) fn of_set(&mut self, set: &Set, folds: bool) -> Result<(), PatternError> {
        for item in &set.items {
            let (ranges, characters) = match *item {
                SetItem::One(Member::Char(_)) => (1, 1),
                SetItem::Range(low, high) => (1, u32::from(high).abs_diff(u32::from(low)) as usize + 1),
                SetItem::One(Member::Category(category)) => match category {
                    Category::Word => (800, 150_000),
                    Category::NotWord => (800, CHARACTERS),
                    Category::Digit => (80, 1000),
                    Category::NotDigit => (80, CHARACTERS),
                    Category::Space => (10, 30),
                    Category::NotSpace => (10, CHARACTERS),
                },
            };
            self.ranges += ranges;
            self.folded += if folds { characters } else { 0 };
        }
        if self.ranges > RANGES || self.folded > FOLDED {
            return refuse(0, "character sets are too large for the regex engine");
        }
        Ok(())
    }
}
