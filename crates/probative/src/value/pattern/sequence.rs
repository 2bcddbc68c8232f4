//! Patterns that are one plain sequence, answered without an engine.
//!
//! Most patterns are asked once, and making an engine for one takes longer than all else about it. A sequence of characters,
//! sets and anchors is simply tried wherever it may begin. Sets work on texts in ASCII, where one is a few bits, and all as
//! long as every character is looked at a few times only: all else is left to the engine, so the time stays linear.

#[cfg(test)]
mod tests;

use memchr::memmem;

use super::parse::Parsed;
use super::syntax::{Anchor, Category, Member, Node, Piece, Set, SetItem, Style};

/// Longer patterns are left to the engine, as are those whose sets are repeated more often: of shorter ones it is known
/// that an engine for them would not be too large.
const MAX_LENGTH: usize = 256;
const MAX_ROUNDS: u32 = 64;

/// How often characters are looked at before the engine is asked: so often for each, and so often at least.
const LOOKS_EACH: usize = 4;
const LOOKS_AT_LEAST: usize = 1 << 10;

/// A pattern without alternatives, each step of which takes characters or none.
#[derive(Clone, Debug)]
pub(super) struct Sequence {
    steps: Vec<Step>,
    /// Whether it says something about single characters, which are bytes in ASCII only.
    ascii_only: bool,
}

#[derive(Clone, Debug)]
enum Step {
    /// This text.
    Text(Vec<u8>),
    /// So many characters of a set, which has a bit for each character of ASCII.
    Some {
        set: u128,
        min: usize,
        max: usize,
    },
    At(Anchor),
}

impl Sequence {
    /// The sequence that a pattern is, if it is one and its engine would surely fit.
    pub(super) fn of(written: &str, parsed: &Parsed) -> Option<Sequence> {
        let [pieces] = parsed.body.as_slice() else { return None };
        if parsed.ignore_case || written.len() > MAX_LENGTH {
            return None;
        }
        let mut builder = Builder { steps: Vec::new(), rounds: 0 };
        builder.pieces(pieces)?;
        let (_, before_last) = builder.steps.split_last()?;
        // Anywhere else, only a look ahead can tell.
        let looks_ahead = before_last.iter().any(|step| matches!(step, Step::At(Anchor::BeforeFinalNewline)));
        let ascii_only = builder
            .steps
            .iter()
            .any(|step| matches!(step, Step::Some { .. } | Step::At(Anchor::WordEdge | Anchor::NotWordEdge)));
        (!looks_ahead && builder.rounds <= MAX_ROUNDS)
            .then_some(Sequence { steps: builder.steps, ascii_only })
    }

    /// Whether it matches somewhere in the text; `None` if an engine must say.
    pub(super) fn is_match(&self, text: &str) -> Option<bool> {
        if self.ascii_only && !text.is_ascii() {
            return None;
        }
        let text = text.as_bytes();
        let mut looks = LOOKS_AT_LEAST.saturating_add(text.len().saturating_mul(LOOKS_EACH));
        if matches!(self.steps[0], Step::At(Anchor::TextStart)) {
            return matches(&self.steps, text, 0, &mut looks);
        }
        let anchors = self.steps.iter().take_while(|step| matches!(step, Step::At(_))).count();
        let first = match self.steps.get(anchors) {
            Some(Step::Text(first)) => Some(memmem::Finder::new(first)),
            _ => None,
        };
        let mut start = 0;
        while start <= text.len() {
            if let Some(first) = &first {
                match first.find(&text[start..]) {
                    Some(further) => start += further,
                    None => return Some(false),
                }
            }
            if matches(&self.steps, text, start, &mut looks)? {
                return Some(true);
            }
            start += 1;
        }
        Some(false)
    }
}

/// Whether the steps match from a place on; `None` if finding out takes too many looks.
fn matches(steps: &[Step], text: &[u8], mut at: usize, looks: &mut usize) -> Option<bool> {
    for (index, step) in steps.iter().enumerate() {
        *looks = looks.checked_sub(1)?;
        match step {
            Step::Text(wanted) if text[at..].starts_with(wanted) => at += wanted.len(),
            Step::At(anchor) if holds(*anchor, text, at) => {}
            Step::Text(_) | Step::At(_) => return Some(false),
            Step::Some { set, min, max } => {
                let run = text[at..].iter().take(*max).take_while(|byte| has(*set, **byte)).count();
                *looks = looks.checked_sub(run)?;
                for taken in (*min..=run).rev() {
                    if matches(&steps[index + 1..], text, at + taken, looks)? {
                        return Some(true);
                    }
                }
                return Some(false);
            }
        }
    }
    Some(true)
}

/// Whether an anchor holds at a place.
fn holds(anchor: Anchor, text: &[u8], at: usize) -> bool {
    let (before, after) = (at.checked_sub(1).map(|before| text[before]), text.get(at).copied());
    let is_word = |side: Option<u8>| side.is_some_and(|byte| has(members(Category::Word), byte));
    match anchor {
        Anchor::TextStart => before.is_none(),
        Anchor::LineStart => before.is_none_or(|byte| byte == b'\n'),
        Anchor::TextEnd => after.is_none(),
        Anchor::LineEnd => after.is_none_or(|byte| byte == b'\n'),
        Anchor::BeforeFinalNewline => matches!(text[at..], [] | [b'\n']),
        Anchor::WordEdge => is_word(before) != is_word(after),
        Anchor::NotWordEdge => is_word(before) == is_word(after),
    }
}

struct Builder {
    steps: Vec<Step>,
    /// How often sets are asked for, all together.
    rounds: u32,
}

impl Builder {
    fn pieces(&mut self, pieces: &[Piece]) -> Option<()> {
        pieces.iter().try_for_each(|piece| match &piece.node {
            Node::Literal(character) => {
                let byte = u8::try_from(*character).ok().filter(u8::is_ascii)?;
                match self.steps.last_mut() {
                    Some(Step::Text(text)) => text.push(byte),
                    _ => self.steps.push(Step::Text(vec![byte])),
                }
                Some(())
            }
            Node::Any { .. } | Node::Set(_) => self.repeat(&piece.node, 1, Some(1)),
            Node::At(anchor) => {
                self.steps.push(Step::At(*anchor));
                Some(())
            }
            Node::Repeat(_, times) if matches!(times.style, Style::Possessive) => None,
            Node::Repeat(item, times) => self.repeat(&item.node, times.min, times.max),
            Node::Group { ignore_case: false, body, .. } => match body.as_slice() {
                [pieces] => self.pieces(pieces),
                _ => None,
            },
            Node::Group { .. }
            | Node::Atomic(_)
            | Node::Look(..)
            | Node::Reference(_)
            | Node::Conditional { .. } => None,
        })
    }

    fn repeat(&mut self, item: &Node, min: u32, max: Option<u32>) -> Option<()> {
        let set = match item {
            Node::Literal(character) => bits(*character, *character),
            Node::Any { newline: true } => ALL,
            Node::Any { newline: false } => !bits('\n', '\n'),
            Node::Set(set) => members_of(set),
            _ => return None,
        };
        self.rounds = self.rounds.saturating_add(max.unwrap_or(min).max(1));
        let most = |bound: u32| usize::try_from(bound).unwrap_or(usize::MAX);
        self.steps.push(Step::Some { set, min: most(min), max: max.map_or(usize::MAX, most) });
        Some(())
    }
}

/// All of ASCII.
const ALL: u128 = u128::MAX;

fn has(set: u128, byte: u8) -> bool {
    set >> byte & 1 == 1
}

/// The characters of a range that are in ASCII.
fn bits(low: char, high: char) -> u128 {
    let (low, high) = (u32::from(low), u32::from(high).min(127));
    if low > high { 0 } else { ALL >> (127 - high) & ALL << low }
}

fn members_of(set: &Set) -> u128 {
    let one = |item: &SetItem| match *item {
        SetItem::One(Member::Char(character)) => bits(character, character),
        SetItem::One(Member::Category(category)) => members(category),
        SetItem::Range(low, high) => bits(low, high),
    };
    let members = set.items.iter().map(one).fold(0, |all, one| all | one);
    if set.negated { !members } else { members }
}

/// A category's members in ASCII.
const fn members(category: Category) -> u128 {
    const DIGITS: u128 = 0x3ff << b'0';
    const LETTERS: u128 = 0x3ff_ffff;
    const SPACES: u128 = 0x1f << b'\t' | 0xf << 0x1c | 1 << b' ';
    const WORDS: u128 = DIGITS | LETTERS << b'A' | LETTERS << b'a' | 1 << b'_';
    match category {
        Category::Digit => DIGITS,
        Category::NotDigit => !DIGITS,
        Category::Space => SPACES,
        Category::NotSpace => !SPACES,
        Category::Word => WORDS,
        Category::NotWord => !WORDS,
    }
}
