//! How a memo learns from a value.

use super::memo::{Piece, Then};
use super::phrase::Phrase;
use super::{number, string, token};

/// How many pieces are kept, and how many of them may stand in one place: more would take longer than checking does.
const PIECES: usize = 128;
const OTHERS: usize = 16;

/// Where no piece is.
const NONE: u8 = u8::MAX;

/// The way of one value through the pieces of a memo, to which it adds what is new.
pub(super) struct Trail<'p> {
    bytes: &'p [u8],
    /// Where the text starts that is not in a piece yet.
    from: usize,
    pieces: &'p mut Vec<Piece>,
    /// The piece that was gone through last.
    last: Option<u8>,
    open: Vec<Open<'p>>,
    /// The last comma in that text, if an array has it and nothing was closed since: which array, and where.
    turn: Option<(usize, usize)>,
}

/// An array or object that is open.
struct Open<'p> {
    is_array: bool,
    /// With which texts, from the comma on, its items start, and in which pieces.
    starts: Vec<(&'p [u8], u8)>,
}

impl<'p> Trail<'p> {
    /// Goes through a value that was checked, and answers how many objects and arrays are open in it at once; none if
    /// there are too many pieces.
    #[inline(never)]
    pub(super) fn of(written: &'p str, pieces: &'p mut Vec<Piece>) -> Option<usize> {
        let bytes = written.as_bytes();
        let mut trail = Trail { bytes, from: 0, pieces, last: None, open: Vec::new(), turn: None };
        let (mut at, mut depth) = (0, 0);
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'"' => {
                    let quote = string::closing_quote(bytes, string::plain(bytes, at + 1)).ok()?;
                    if token::next(bytes, quote + 1).1 != b':' {
                        trail.push(at + 1, Then::String, quote)?;
                    }
                    at = quote;
                }
                b'-' | b'0'..=b'9' => {
                    let end = number::skip(written, at).ok()?;
                    trail.push(at, Then::Number, end)?;
                    at = end - 1;
                }
                b'n' | b't' | b'f' => {
                    let end = token::literal(bytes, at, byte).ok()?;
                    trail.push(at, Then::Word, end)?;
                    at = end - 1;
                }
                b'{' | b'[' => {
                    trail.open.push(Open { is_array: byte == b'[', starts: Vec::new() });
                    depth = depth.max(trail.open.len());
                }
                b'}' | b']' => {
                    trail.open.pop();
                    trail.turn = None;
                }
                b',' => trail.turn = trail.open.last()?.is_array.then_some((trail.open.len() - 1, at)),
                _ => {}
            }
            at += 1;
        }
        trail.push(at, Then::End, at)?;
        Some(depth)
    }

    /// Goes on through the text up to an offset, and what then follows up to another.
    fn push(&mut self, to: usize, then: Then, end: usize) -> Option<()> {
        let text = self.bytes.get(self.from..to)?;
        let (rest, last) = text.split_at(text.len().saturating_sub(1) / Phrase::LONGEST * Phrase::LONGEST);
        for part in rest.chunks(Phrase::LONGEST) {
            self.step(Phrase::EMPTY.then(part), Then::More)?;
        }
        let last = self.step(Phrase::EMPTY.then(last), then)?;
        if let Some((array, comma)) = self.turn.take() {
            self.share(array, self.bytes.get(comma..to)?, last)?;
        }
        self.from = end;
        Some(())
    }

    /// Goes on to a piece, and answers which one it is.
    fn step(&mut self, text: Phrase, then: Then) -> Option<u8> {
        let mut place = match self.last {
            Some(last) => self.piece(last)?.next,
            None => 0,
        };
        let (mut before, mut others) = (None, 0);
        while let Some(piece) = self.piece(place) {
            if piece.text == text && piece.then == then {
                self.last = Some(place);
                return self.last;
            }
            (before, place) = (Some(place), piece.other);
            others += 1;
        }
        let new = u8::try_from(self.pieces.len()).ok()?;
        if usize::from(new) == PIECES || others == OTHERS {
            return None;
        }
        match (before, self.last) {
            (Some(before), _) => self.piece(before)?.other = new,
            (None, Some(last)) => self.piece(last)?.next = new,
            (None, None) => {}
        }
        self.pieces.push(Piece { text, then, next: NONE, other: NONE });
        self.last = Some(new);
        self.last
    }

    /// What comes after the start of an item of an array also comes after any other that is the same from the comma on.
    fn share(&mut self, array: usize, start: &'p [u8], place: u8) -> Option<()> {
        let starts = &mut self.open.get_mut(array)?.starts;
        let Some(&(_, same)) = starts.iter().find(|(other, _)| *other == start) else {
            starts.push((start, place));
            return Some(());
        };
        let next = self.piece(same)?.next;
        let piece = self.piece(place)?;
        if piece.next == NONE {
            piece.next = next;
        }
        Some(())
    }

    fn piece(&mut self, place: u8) -> Option<&mut Piece> {
        self.pieces.get_mut(usize::from(place))
    }
}
