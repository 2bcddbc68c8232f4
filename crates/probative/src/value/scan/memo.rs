//! What values looked like, so that the next one that looks the same is checked faster.
//!
//! Programs write the same objects again and again. Of a value that was checked, the text between its strings, numbers and
//! words is kept: brackets, commas, blanks, and the keys. Another value with the same text in between differs from it in
//! nothing but those strings, numbers and words; if each of them is well-formed, so is the value, its keys differ from each
//! other as they did, and it is not nested deeper.
//!
//! Values that start alike share pieces. So do the items of an array, as what an item may be does not depend on how many came
//! before it: once three items looked the same, so do two or more.

use super::phrase::Phrase;
use super::trail::Trail;
use super::{number, string, token};

/// How many bytes a value may have that is learned from.
const LONGEST: usize = 1 << 14;

/// How many values may look like none before them until they are no longer compared: at first, and the most that it becomes,
/// by one for each that does look like one.
const NEW_CREDIT: u32 = 8;
const MOST_CREDIT: u32 = 32;

/// Up to how many values are passed before the next one is learned from: twice as many each time.
const LONGEST_PAUSE: u32 = 1024;

/// What values that stood in the same place of different records looked like.
#[derive(Debug, Default)]
pub struct Memo {
    /// All values start with the first piece, or one of those that may stand instead of it.
    pieces: Vec<Piece>,
    /// How many objects and arrays are open at once in the deepest of the values.
    depth: usize,
    /// How many values may look like none before them until they are no longer compared.
    credit: u32,
    /// How many values are passed before the next one is learned from, and how many were the last time.
    wait: u32,
    pause: u32,
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
        if self.credit == 0 || self.depth > deepest {
            return None;
        }
        let end = self.follow(text, at);
        self.credit = if end.is_some() { (self.credit + 1).min(MOST_CREDIT) } else { self.credit - 1 };
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
        if self.wait > 0 || written.len() > LONGEST {
            self.wait = self.wait.saturating_sub(1);
            return;
        }
        self.pause = (2 * self.pause + 1).min(LONGEST_PAUSE);
        self.wait = self.pause;
        self.credit = NEW_CREDIT;
        match Trail::of(written, &mut self.pieces) {
            Some(depth) => self.depth = self.depth.max(depth),
            None => *self = Memo { wait: self.wait, pause: self.pause, ..Memo::default() },
        }
    }

    /// Makes the next value that looks like none before it one that is learned from.
    #[cfg(test)]
    pub(super) fn learn_next(&mut self) {
        self.wait = 0;
    }
}
