//! How objects were written, so that the next one that is written the same way is gone through faster.
//!
//! Programs write the same keys in the same order, with the same blanks around them, and mostly nothing under the same ones. Of an
//! object that was read, the text between its values is kept. Another object with the same text there has the same keys, none of
//! them twice; if each of its values is well-formed, so is the object.

use std::ops::Range;

use super::memo::Memo;
use super::patience::Patience;
use super::phrase::Phrase;
use super::scanner::{DEEPEST, Scanner};
use super::skip::Passed;
use super::{Stop, number, string};

/// How many parts are kept, and how many of them may stand in one place: more would take longer than reading does.
const PARTS: usize = 64;
const OTHERS: usize = 8;

/// How long the text between two values may be.
const LONGEST: usize = 1024;

/// Where no part is.
const NONE: u8 = u8::MAX;

/// What objects that stood in the same place of different records looked like between their values.
///
/// Values are known by the positions of their keys among those that may be there.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// All objects start with the first part, or one of those that may stand instead of it.
    parts: Vec<Part>,
    patience: Patience,
}

/// Some text, the value that follows it, and where to go from there: the places of other parts, if any.
///
/// Only one way leads to a part, so that it is known which keys came before.
#[derive(Debug)]
struct Part {
    text: Text,
    /// What is always the same, and so in the text: the values that are `null`, one bit each, and the one that tells the rest.
    nulls: u32,
    telling: Option<Member>,
    /// The value behind the text; none if the object ends with it.
    then: Option<Then>,
    next: u8,
    /// What may stand instead of this one: never longer, as what is longer says more.
    other: u8,
}

/// A value that follows a text: whose it is, and what it is likely to be.
#[derive(Debug, Clone, Copy)]
struct Then {
    slot: usize,
    likely: Likely,
}

/// What a value is likely to be: what another one was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Likely {
    Number,
    String,
    Nested,
    Word,
}

/// How a text begins, and the rest of it.
#[derive(Debug, PartialEq, Eq)]
struct Text {
    head: Phrase,
    rest: Box<[u8]>,
}

/// What an object holds that is gone through.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Held {
    /// These are `null`: one bit for each key.
    Nulls(u32),
    /// The value of a key that is neither null nor a string in which something is escaped, as nearly all are.
    Plain { slot: usize, start: usize, end: usize, whole: bool },
    /// The value of a key, and where it ends.
    Value(usize, Passed, usize),
}

/// A value of an object that was read: whose it is, and from where to where it stands.
#[derive(Debug, Clone, Copy)]
struct Member {
    slot: usize,
    start: usize,
    end: usize,
}

impl Layout {
    /// Goes through the object that comes next if it is written like one before it, and gives what it holds, as it comes. Each
    /// value may look like those in the memo of its key.
    ///
    /// If not, nothing was read, and what was given means nothing.
    #[inline]
    pub(crate) fn follow<const N: usize>(
        &mut self,
        scanner: &mut Scanner<'_>,
        memos: &mut [Memo; N],
        give: impl FnMut(Held),
    ) -> bool {
        if !self.patience.compares() || scanner.depth == DEEPEST {
            return false;
        }
        let start = scanner.at;
        scanner.depth += 1;
        let followed = self.go_through(scanner, memos, give).is_some();
        scanner.depth -= 1;
        if !followed {
            scanner.at = start;
        }
        self.patience.met(followed);
        followed
    }

    #[inline]
    fn go_through<const N: usize>(
        &self,
        scanner: &mut Scanner<'_>,
        memos: &mut [Memo; N],
        mut give: impl FnMut(Held),
    ) -> Option<()> {
        let bytes = scanner.text.as_bytes();
        let (mut place, mut at) = (0, scanner.at);
        loop {
            let part = self.parts.get(usize::from(place))?;
            let Some(start) = part.text.after(bytes, at) else {
                place = part.other;
                continue;
            };
            give(Held::Nulls(part.nulls));
            if let Some(Member { slot, start, end }) = part.telling {
                give(Held::Plain { slot, start: at + start, end: at + end, whole: false });
            }
            let Some(Then { slot, likely }) = part.then else {
                scanner.at = start;
                return Some(());
            };
            place = part.next;
            if let Some((end, whole)) = likely.pass(scanner, start, memos, slot).ok()? {
                give(Held::Plain { slot, start, end, whole });
                at = end;
                continue;
            }
            scanner.at = start;
            let passed = scanner.pass_like(memos.get_mut(slot)?).ok()?;
            at = scanner.at;
            give(Held::Value(slot, passed, at));
        }
    }

    /// Takes note of an object that was written like none before it, in which no key was there twice, or without a position: the
    /// text, from where to where it stands there, and from where to where each value does; one that ends at 0 is not there.
    ///
    /// Values that are `null` are taken to be so again, and a string under the one key that tells what else there is to be the
    /// same. It learns from such objects less and less often, so that objects that are all different cost little.
    pub(crate) fn missed<const N: usize>(
        &mut self,
        text: &str,
        object: Range<usize>,
        values: &[(usize, usize); N],
        told_by: usize,
    ) {
        if !self.patience.learns() {
            return;
        }
        let members = values.iter().enumerate().filter(|(_, (_, end))| *end != 0);
        let mut members: Vec<Member> =
            members.map(|(slot, &(start, end))| Member { slot, start, end }).collect();
        members.sort_unstable_by_key(|member| member.start);
        if self.learn(text, object, &members, told_by).is_none() {
            self.parts.clear();
        }
    }

    /// Adds what is new; nothing if that is too much.
    fn learn(&mut self, text: &str, object: Range<usize>, members: &[Member], told_by: usize) -> Option<()> {
        let (mut from, mut last, mut fixed) = (object.start, None, (0, None));
        for member in members {
            let written = text.get(member.start..member.end)?;
            let (nulls, telling) = &mut fixed;
            if written == "null" {
                *nulls |= 1_u32.checked_shl(u32::try_from(member.slot).ok()?)?;
                continue;
            }
            if member.slot == told_by && written.starts_with('"') && !written.contains('\\') {
                let (start, end) = (member.start.checked_sub(from)?, member.end.checked_sub(from)?);
                *telling = Some(Member { start, end, ..*member });
                continue;
            }
            let before = text.as_bytes().get(from..member.start)?;
            let then = Then { slot: member.slot, likely: Likely::like(written) };
            last = Some(self.step(last, before, std::mem::take(&mut fixed), Some(then))?);
            from = member.end;
        }
        self.step(last, text.as_bytes().get(from..object.end)?, fixed, None)?;
        Some(())
    }

    /// The place of the part that follows another, or that objects start with.
    fn step(
        &mut self,
        last: Option<u8>,
        text: &[u8],
        (nulls, telling): (u32, Option<Member>),
        then: Option<Then>,
    ) -> Option<u8> {
        let mut place = match last {
            Some(last) => self.part(last)?.next,
            None if self.parts.is_empty() => NONE,
            None => 0,
        };
        let new = Text::of(text)?;
        let (mut longer, mut others) = (None, 0);
        while let Some(part) = self.part(place) {
            if part.text == new && part.then.map(|then| then.slot) == then.map(|then| then.slot) {
                return Some(place);
            }
            if part.text.length() >= new.length() {
                longer = Some(place);
            }
            place = part.other;
            others += 1;
        }
        let added = u8::try_from(self.parts.len()).ok()?;
        if self.parts.len() == PARTS || others == OTHERS {
            return None;
        }
        let mut part = Part { text: new, nulls, telling, then, next: NONE, other: NONE };
        match (longer, last) {
            (Some(longer), _) => {
                let longer = self.parts.get_mut(usize::from(longer))?;
                part.other = std::mem::replace(&mut longer.other, added);
            }
            (None, Some(last)) => {
                let last = self.parts.get_mut(usize::from(last))?;
                part.other = std::mem::replace(&mut last.next, added);
            }
            // The first one stays the first, though it is shorter.
            (None, None) => {
                if let Some(first) = self.parts.first_mut() {
                    part.other = std::mem::replace(&mut first.other, added);
                }
            }
        }
        self.parts.push(part);
        Some(added)
    }

    fn part(&self, place: u8) -> Option<&Part> {
        self.parts.get(usize::from(place))
    }

    /// Makes the next object that is written like none before it one that is learned from.
    #[cfg(test)]
    pub(super) fn learn_next(&mut self) {
        self.patience.learn_next();
    }
}

impl Likely {
    fn like(value: &str) -> Likely {
        match value.as_bytes() {
            [b'0'..=b'9', ..] => Likely::Number,
            [b'"', ..] => Likely::String,
            [b'{' | b'[', ..] => Likely::Nested,
            _ => Likely::Word,
        }
    }

    /// The offset after the value that starts at `start` if it is what is likely, and easily told; and whether it is known to be a
    /// whole number.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "most values are short, and a call costs more than passing one")]
    fn pass<const N: usize>(
        self,
        scanner: &mut Scanner<'_>,
        start: usize,
        memos: &mut [Memo; N],
        slot: usize,
    ) -> Result<Option<(usize, bool)>, Stop> {
        let bytes = scanner.text.as_bytes();
        Ok(match self {
            Likely::Number => number::pass_short(bytes, start),
            Likely::String if bytes.get(start) == Some(&b'"') => {
                let end = string::plain(bytes, start + 1);
                (bytes.get(end) == Some(&b'"')).then_some((end + 1, false))
            }
            Likely::Nested => match (bytes.get(start), memos.get_mut(slot)) {
                (Some(token @ (b'{' | b'[')), Some(memo)) => {
                    Some((scanner.skip_like(start, *token, memo)?, false))
                }
                _ => None,
            },
            Likely::String | Likely::Word => None,
        })
    }
}

impl Text {
    fn of(text: &[u8]) -> Option<Text> {
        let (head, rest) = text.split_at(text.len().min(Phrase::LONGEST));
        (text.len() <= LONGEST).then_some(Text { head: Phrase::of(head)?, rest: rest.into() })
    }

    fn length(&self) -> usize {
        self.head.length + self.rest.len()
    }

    /// The offset after it where it stands at `at`; none also where everything ends soon after it.
    #[inline]
    fn after(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let head = self.head.after(bytes, at)?;
        if self.rest.is_empty() {
            return Some(head);
        }
        let end = head + self.rest.len();
        (bytes.get(head..end)? == &*self.rest).then_some(end)
    }
}
