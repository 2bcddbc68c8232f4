//! What values looked like, so that the next one that looks the same is checked faster.
//!
//! Programs write the same objects again and again. Of a value that was checked, the text between its strings, numbers and
//! words is kept: brackets, commas, blanks, and the keys. Another value with the same text in between differs from it in
//! nothing but those strings, numbers and words; if each of them is well-formed, so is the value, its keys differ from each
//! other as they did, and it is not nested deeper.
//!
//! Values that start alike share pieces. So do the items of an array, as what an item may be does not depend on how many came
//! before it: once three items looked the same, so do two or more.

use super::patience::Patience;
use super::phrase::Phrase;
use super::trail::Trail;
use super::{number, string, token};

/// How many bytes a value may have that is learned from.
const LONGEST: usize = 1 << 14;

/// What values that stood in the same place of different records looked like.
#[derive(Debug, Default)]
pub struct Memo {
    /// All values start with the first piece, or one of those that may stand instead of it.
    pieces: Vec<Piece>,
    /// How many objects and arrays are open at once in the deepest of the values.
    depth: usize,
    patience: Patience,
}

/// Some text, what follows it, and where to go from there: the places of other pieces, if any.
///
/// It is known what is open after it, and which keys each open object has, whichever way led there.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) text: Phrase,
    pub(super) then: Then,
    pub(super) next: u8,
    /// What may stand instead of this one.
    pub(super) other: u8,
}

/// What follows a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// The characters of a string: both quotes are in the pieces around it.
    String,
    Number,
    /// `null`, `true` or `false`.
    Word,
    /// The next piece.
    More,
    /// Nothing: the value ends.
    End,
}

impl Memo {
    /// The offset after the value that starts at `at`, if it looks like one before it and is not nested deeper than allowed.
    #[inline]
    pub(super) fn after(&mut self, text: &str, at: usize, deepest: usize) -> Option<usize> {
        if !self.patience.compares() || self.depth > deepest {
            return None;
        }
        let end = self.follow(text, at);
        self.patience.met(end.is_some());
        end
    }

    #[inline]
    fn follow(&self, text: &str, mut at: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut place = 0;
        loop {
            let piece = self.pieces.get(usize::from(place))?;
            let Some(start) = piece.text.after(bytes, at) else {
                place = piece.other;
                continue;
            };
            let end = match piece.then {
                Then::String => {
                    at = string::plain(bytes, start);
                    if bytes.get(at) == Some(&b'\\') {
                        at = string::closing_quote(bytes, at).ok()?;
                    }
                    place = piece.next;
                    continue;
                }
                Then::Number => number::skip(text, start),
                Then::Word => token::literal(bytes, start, *bytes.get(start)?),
                Then::More => Ok(start),
                Then::End => return Some(start),
            };
            (at, place) = end.map_or((at, piece.other), |end| (end, piece.next));
        }
    }

    /// Takes note of a value that looked like none before it, was checked, and has no key twice. It learns from such values
    /// less and less often, so that values that are all different cost little.
    #[inline]
    pub(super) fn missed(&mut self, written: &str) {
        if written.len() > LONGEST || !self.patience.learns() {
            return;
        }
        if let Some(depth) = Trail::of(written, &mut self.pieces) {
            self.depth = self.depth.max(depth);
        } else {
            self.pieces.clear();
            self.depth = 0;
        }
    }

    /// Makes the next value that looks like none before it one that is learned from.
    #[cfg(test)]
    pub(super) fn learn_next(&mut self) {
        self.patience.learn_next();
    }
}
