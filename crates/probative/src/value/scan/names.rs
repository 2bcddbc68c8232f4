//! Keys that are known beforehand, told apart a word at a time.

use std::borrow::Cow;

/// How many words a known key may take, with its quotes and the colon.
const WORDS: usize = 3;

/// The keys that an object is expected to have, best in the order in which they are usually written.
#[derive(Debug)]
pub struct Names<const N: usize> {
    texts: [&'static str; N],
    names: [Name; N],
}

/// A key of an object of which some [`Names`] are known.
#[derive(Debug, PartialEq, Eq)]
pub enum Key<'t> {
    /// A known one: its position among the names.
    Known(usize),
    /// Another one; borrowed where nothing in it is escaped.
    Other(Cow<'t, str>),
}

/// A key as it stands in a text, with its quotes and the colon, and which bits of the words that is.
#[derive(Debug, Clone, Copy)]
struct Name {
    words: [u64; WORDS],
    masks: [u64; WORDS],
    length: usize,
}

impl<const N: usize> Names<N> {
    /// The names, none of which has characters that are escaped in JSON, or more than 21 bytes.
    pub const fn new(texts: [&'static str; N]) -> Self {
        let mut names = [Name { words: [0; WORDS], masks: [0; WORDS], length: 0 }; N];
        let mut at = 0;
        while at < N {
            names[at] = Name::new(texts[at].as_bytes());
            at += 1;
        }
        Names { texts, names }
    }

    /// The position of a name.
    pub(super) fn position(&self, key: &str) -> Option<usize> {
        self.texts.iter().position(|text| *text == key)
    }

    /// The position of the name that stands at `at` with its quotes and the colon, and the offset after that. Looks at the
    /// names from `guess` on before the others.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "most keys are found at once")]
    pub(super) fn find(&self, bytes: &[u8], at: usize, guess: usize) -> Option<(usize, usize)> {
        let [one, two, three] = bytes.get(at..at.wrapping_add(8 * WORDS))?.as_chunks().0 else { return None };
        let words = [one, two, three].map(|eight| u64::from_le_bytes(*eight));
        let (before, after) = self.names.split_at(guess.min(N));
        let slot = match after.iter().position(|name| name.stands(words)) {
            Some(slot) => before.len() + slot,
            None => before.iter().position(|name| name.stands(words))?,
        };
        Some((slot, at + self.names.get(slot)?.length))
    }
}

impl Name {
    const fn new(text: &[u8]) -> Name {
        let length = text.len() + 3;
        assert!(length <= 8 * WORDS, "a known key is short");
        let (mut words, mut masks) = ([0; WORDS], [0; WORDS]);
        let mut at = 0;
        while at < length {
            let byte = if at == length - 1 {
                b':'
            } else if at == 0 || at == length - 2 {
                b'"'
            } else {
                assert!(!matches!(text[at - 1], b'"' | b'\\' | 0..b' '), "a known key needs no escapes");
                text[at - 1]
            };
            words[at / 8] |= (byte as u64) << (8 * (at % 8));
            masks[at / 8] |= 0xff << (8 * (at % 8));
            at += 1;
        }
        Name { words, masks, length }
    }

    #[inline]
    fn stands(&self, words: [u64; WORDS]) -> bool {
        let differs = |at: usize| (words[at] ^ self.words[at]) & self.masks[at];
        differs(0) == 0 && differs(1) | differs(2) == 0
    }
}
