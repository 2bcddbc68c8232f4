//! Keys that are known beforehand, told apart a word at a time.

use std::borrow::Cow;

use super::phrase::{Phrase, Words, words};
use super::token::COMMA_SPACE_QUOTE;

/// What Python and many others write before every key but the first, and after every key.
const BEFORE: &[u8] = b", \"";
const AFTER: &[u8] = b"\": ";

/// The keys that an object is expected to have, best in the order in which they are usually written.
#[derive(Debug)]
pub struct Names<const N: usize> {
    texts: [&'static str; N],
    /// Each with quotes, and with the comma, the colon and the blanks.
    spaced: [Phrase; N],
    /// Each with quotes and the colon.
    bare: [Phrase; N],
}

/// A key of an object of which some [`Names`] are known.
#[derive(Debug, PartialEq, Eq)]
pub enum Key<'t> {
    /// A known one: its position among the names.
    Known(usize),
    /// Another one; borrowed where nothing in it is escaped.
    Other(Cow<'t, str>),
}

impl<const N: usize> Names<N> {
    /// The names, none of which has characters that are escaped in JSON, or more than 18 bytes.
    pub const fn new(texts: [&'static str; N]) -> Self {
        let (mut spaced, mut bare) = ([Phrase::EMPTY; N], [Phrase::EMPTY; N]);
        let mut at = 0;
        while at < N {
            let text = texts[at].as_bytes();
            needs_no_escapes(text);
            spaced[at] = Phrase::EMPTY.then(BEFORE).then(text).then(AFTER);
            bare[at] = Phrase::EMPTY.then(b"\"").then(text).then(b"\":");
            at += 1;
        }
        Names { texts, spaced, bare }
    }

    /// The position of a name.
    pub(super) fn position(&self, key: &str) -> Option<usize> {
        self.texts.iter().position(|text| *text == key)
    }

    /// The position of the name that stands at `at` with a comma before it and blanks after comma and colon, and the offset
    /// after that. Looks at the names from `guess` on before the others.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "most keys are found at once")]
    pub(super) fn find_spaced(&self, bytes: &[u8], at: usize, guess: usize) -> Option<(usize, usize)> {
        let words = words(bytes, at)?;
        let slot = match self.spaced.get(guess) {
            Some(name) if name.stands(words) => guess,
            // The end of the object, say: none of the others can stand here.
            _ if words[0] & 0xff_ffff != COMMA_SPACE_QUOTE => return None,
            _ => find(&self.spaced, words, guess)?,
        };
        Some((slot, at + self.spaced.get(slot)?.length))
    }

    /// The same for a name with nothing but its quotes and the colon.
    #[inline]
    pub(super) fn find_bare(&self, bytes: &[u8], at: usize, guess: usize) -> Option<(usize, usize)> {
        let slot = find(&self.bare, words(bytes, at)?, guess)?;
        Some((slot, at + self.bare.get(slot)?.length))
    }
}

/// The position of the name that stands in some words. Looks at those from `guess` on before the others.
#[inline]
fn find(names: &[Phrase], words: Words, guess: usize) -> Option<usize> {
    let (before, after) = names.split_at(guess.min(names.len()));
    match after.iter().position(|name| name.stands(words)) {
        Some(slot) => Some(before.len() + slot),
        None => before.iter().position(|name| name.stands(words)),
    }
}

const fn needs_no_escapes(text: &[u8]) {
    let mut at = 0;
    while at < text.len() {
        assert!(!matches!(text[at], b'"' | b'\\' | 0..b' '), "a known key needs no escapes");
        at += 1;
    }
}
