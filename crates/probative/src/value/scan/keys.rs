//! What is open while a value is skipped, and whether an object has a key twice.

use std::borrow::Cow;

use super::string;

/// Up to how many keys are compared one by one; more are sorted.
const FEW: usize = 16;

/// The keys of the objects that are open.
#[derive(Debug, Default)]
pub(super) struct Keys {
    /// Where the keys stand, without quotes: those of the outermost object first.
    met: Vec<(usize, usize)>,
    around: Vec<Open>,
    repeated: bool,
}

/// An array or object that is open, and what is known of its keys.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Open {
    /// The bracket that closes it; zero if nothing is open.
    closer: u32,
    late: Late,
    /// How many keys the objects around it have.
    first: usize,
    /// One bit for each key, chosen by its start and its length: a key whose bit is not set is new.
    seen: u64,
}

/// What there is to compare when an object closes. As wide as the bracket, so that it is copied together with it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
enum Late {
    #[default]
    Nothing,
    /// All keys, as there are many and two of them may be the same.
    Written,
    /// All keys, once their escapes are resolved.
    Decoded,
}

impl Open {
    /// Whether anything is open.
    #[inline]
    pub(super) fn is_any(self) -> bool {
        self.closer != 0
    }

    #[inline]
    pub(super) fn is_object(self) -> bool {
        self.closer == u32::from(b'}')
    }

    #[inline]
    pub(super) fn is_closed_by(self, bracket: u8) -> bool {
        self.closer == u32::from(bracket)
    }
}

impl Keys {
    /// Whether any object had a key twice.
    pub(super) fn repeated(&self) -> bool {
        self.repeated
    }

    /// Forgets what a value that could not be read left open.
    #[inline]
    pub(super) fn start(&mut self) {
        self.met.clear();
        self.around.clear();
    }

    /// How many arrays and objects are open around the innermost.
    #[inline]
    pub(super) fn depth(&self) -> usize {
        self.around.len()
    }

    /// Opens an array or object within another.
    #[inline]
    pub(super) fn open(&mut self, around: Open, closer: u8) -> Open {
        self.around.push(around);
        Open { closer: u32::from(closer), late: Late::Nothing, first: self.met.len(), seen: 0 }
    }

    /// Closes an array or object; gives the one around it.
    #[inline]
    pub(super) fn close(&mut self, open: Open, text: &str) -> Open {
        if open.late != Late::Nothing {
            self.compare_all(open, text);
        }
        self.met.truncate(open.first);
        self.around.pop().unwrap_or_default()
    }

    /// Takes the key that stands in the text at the offsets from `start` to `end`, the quotes not among them; `word` is
    /// what stands at `start`.
    #[inline]
    pub(super) fn take(
        &mut self,
        open: &mut Open,
        word: u64,
        text: &str,
        start: usize,
        end: usize,
        escaped: bool,
    ) {
        // Of an empty key the second character is not its own, and counts nothing.
        let mix = (word & 0xffff).wrapping_mul((end - start) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bit = 1 << (mix >> 58);
        if open.seen & bit != 0 || escaped {
            open.late = open.late.max(self.compare(open.first, text, start, end, escaped));
        }
        open.seen |= bit;
        self.met.push((start, end));
    }

    /// Compares a key with those before it, or leaves it for later.
    #[inline(never)]
    fn compare(&mut self, first: usize, text: &str, start: usize, end: usize, escaped: bool) -> Late {
        let others = self.met.get(first..).unwrap_or_default();
        if escaped {
            return Late::Decoded;
        }
        if others.len() > FEW {
            return Late::Written;
        }
        let key = text.as_bytes().get(start..end);
        let same =
            |&(from, to): &(usize, usize)| to - from == end - start && text.as_bytes().get(from..to) == key;
        self.repeated |= others.iter().any(same);
        Late::Nothing
    }

    #[inline(never)]
    fn compare_all(&mut self, open: Open, text: &str) {
        let Some(keys) = self.met.get_mut(open.first..).filter(|_| !self.repeated) else { return };
        let written = |&(start, end): &(usize, usize)| text.get(start..end).unwrap_or_default();
        self.repeated = if open.late == Late::Decoded {
            let mut keys: Vec<_> = keys.iter().map(written).map(decoded).collect();
            keys.sort_unstable();
            keys.windows(2).any(|pair| matches!(pair, [one, other] if one == other))
        } else {
            // In place: there may be millions.
            keys.sort_unstable_by(|one, other| written(one).cmp(written(other)));
            keys.windows(2).any(|pair| matches!(pair, [one, other] if written(one) == written(other)))
        };
    }
}

fn decoded(key: &str) -> Cow<'_, str> {
    if key.contains('\\') { string::decoded(key).map_or(Cow::Borrowed(key), Cow::Owned) } else { key.into() }
}
