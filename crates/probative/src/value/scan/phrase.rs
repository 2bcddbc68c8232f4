//! A few characters that are expected at some place, compared a word at a time.

/// How many words they may take.
const WORDS: usize = 3;

/// The words that stand somewhere in a text.
pub(super) type Words = [u64; WORDS];

/// Characters as they stand in words, and which bits of the words that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Phrase {
    words: Words,
    masks: Words,
    pub(super) length: usize,
}

/// The words from `at` on, where there are as many.
#[inline]
pub(super) fn words(bytes: &[u8], at: usize) -> Option<Words> {
    let [one, two, three] = bytes.get(at..at.wrapping_add(8 * WORDS))?.as_chunks().0 else { return None };
    Some([one, two, three].map(|eight| u64::from_le_bytes(*eight)))
}

impl Phrase {
    /// How many bytes one may have.
    pub(super) const LONGEST: usize = 8 * WORDS;

    pub(super) const EMPTY: Phrase = Phrase { words: [0; WORDS], masks: [0; WORDS], length: 0 };

    /// Characters that are met in a text, if they are not too many.
    pub(super) fn of(text: &[u8]) -> Option<Phrase> {
        (text.len() <= Phrase::LONGEST).then(|| Phrase::EMPTY.then(text))
    }

    /// The same with more written after it.
    pub(super) const fn then(mut self, text: &[u8]) -> Phrase {
        assert!(self.length + text.len() <= Phrase::LONGEST, "a phrase is short");
        let mut at = 0;
        while at < text.len() {
            let place = self.length;
            self.words[place / 8] |= (text[at] as u64) << (8 * (place % 8));
            self.masks[place / 8] |= 0xff << (8 * (place % 8));
            self.length += 1;
            at += 1;
        }
        self
    }

    /// Whether some words start with it. Made for where it often is another one, which the first word tells.
    #[inline]
    pub(super) fn stands(&self, words: Words) -> bool {
        let differs = |at: usize| (words[at] ^ self.words[at]) & self.masks[at];
        differs(0) == 0 && differs(1) | differs(2) == 0
    }

    /// The offset after it where it stands at `at`; none also where the text ends too soon for whole words. Made for where
    /// it nearly always does.
    #[inline]
    pub(super) fn after(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let words = words(bytes, at)?;
        let differs = |at: usize| (words[at] ^ self.words[at]) & self.masks[at];
        (differs(0) | differs(1) | differs(2) == 0).then_some(at + self.length)
    }
}
