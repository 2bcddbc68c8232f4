//! Backslash escapes and character sets.

use super::parse::Parser;
use super::syntax::{Anchor, Category, Member, Set, SetItem, Width};
use super::{PatternError, refuse};

/// What a backslash and the characters after it stand for.
pub(super) enum Escape {
    Member(Member),
    Anchor(Anchor),
    Reference { group: usize, width: Width },
}

impl From<Category> for Set {
    fn from(category: Category) -> Set {
        Set { negated: false, items: vec![SetItem::One(Member::Category(category))] }
    }
}

impl Parser {
    /// An escape outside a set.
    pub(super) fn escape(&mut self) -> Result<Escape, PatternError> {
        let start = self.at;
        self.at += 1;
        let anchor = match self.peek() {
            Some('A') => Anchor::TextStart,
            Some('Z') => Anchor::TextEnd,
            Some('b') => Anchor::WordEdge,
            Some('B') => Anchor::NotWordEdge,
            Some('1'..='9') => return self.digits(start),
            _ => return self.shared_escape(start).map(Escape::Member),
        };
        self.at += 1;
        Ok(Escape::Anchor(anchor))
    }

    /// `\12` is a group; three octal digits, as in `\101`, are a character.
    fn digits(&mut self, start: usize) -> Result<Escape, PatternError> {
        let first = self.at;
        let octal = self.digits_at_most(3, 8);
        if self.at == first + 3 {
            return self.octal(start, octal).map(|c| Escape::Member(Member::Char(c)));
        }
        self.at = first;
        let group = self.digits_at_most(2, 10) as usize;
        let width = self.refer(start, group)?;
        self.note(start, "backreference");
        Ok(Escape::Reference { group, width })
    }

    /// An escape that means the same in a set and outside; the cursor stands after the backslash.
    fn shared_escape(&mut self, start: usize) -> Result<Member, PatternError> {
        let Some(letter) = self.bump() else {
            return refuse(start, "bad escape at the end of the pattern");
        };
        Ok(Member::Char(match letter {
            'd' => return Ok(Member::Category(Category::Digit)),
            'D' => return Ok(Member::Category(Category::NotDigit)),
            's' => return Ok(Member::Category(Category::Space)),
            'S' => return Ok(Member::Category(Category::NotSpace)),
            'w' => return Ok(Member::Category(Category::Word)),
            'W' => return Ok(Member::Category(Category::NotWord)),
            'a' => '\x07',
            'b' => '\x08',
            'f' => '\x0c',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\x0b',
            'x' => self.hex(start, 2)?,
            'u' => self.hex(start, 4)?,
            'U' => self.hex(start, 8)?,
            '0'..='7' => {
                self.at -= 1;
                let value = self.digits_at_most(3, 8);
                self.octal(start, value)?
            }
            'N' => return refuse(start, r"\N{...}: named characters are not supported"),
            _ if letter.is_ascii_alphanumeric() => return refuse(start, format!("bad escape \\{letter}")),
            _ => letter,
        }))
    }

    /// A number of up to `count` digits.
    fn digits_at_most(&mut self, count: usize, radix: u32) -> u32 {
        let end = self.at + count;
        let mut value = 0;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)).filter(|_| self.at < end) {
            value = value * radix + digit;
            self.at += 1;
        }
        value
    }

    fn octal(&self, start: usize, value: u32) -> Result<char, PatternError> {
        match u8::try_from(value) {
            Ok(byte) => Ok(char::from(byte)),
            Err(_) => {
                refuse(start, format!("octal escape value {} outside of range 0-0o377", self.since(start)))
            }
        }
    }

    /// Exactly `count` hexadecimal digits. A surrogate is no character of any text, so it is refused.
    fn hex(&mut self, start: usize, count: usize) -> Result<char, PatternError> {
        let first = self.at;
        let value = self.digits_at_most(count, 16);
        if self.at != first + count {
            return refuse(start, format!("incomplete escape {}", self.since(start)));
        }
        match char::from_u32(value) {
            Some(c) => Ok(c),
            None => refuse(start, format!("bad escape {}: not a character", self.since(start))),
        }
    }

    /// `[…]`. A `]` that comes first is a member; `[`, `&&`, `--`, `||` and `~~` are only characters.
    pub(super) fn set(&mut self) -> Result<Set, PatternError> {
        let start = self.at;
        self.at += 1;
        let negated = self.eat('^');
        let mut items = Vec::new();
        loop {
            if !items.is_empty() && self.eat(']') {
                return Ok(Set { negated, items });
            }
            let from = self.at;
            let low = self.member(start)?;
            if !self.eat('-') {
                items.push(SetItem::One(low));
                continue;
            }
            if self.eat(']') {
                items.extend([SetItem::One(low), SetItem::One(Member::Char('-'))]);
                return Ok(Set { negated, items });
            }
            match (low, self.member(start)?) {
                (Member::Char(low), Member::Char(high)) if low <= high => {
                    items.push(SetItem::Range(low, high));
                }
                _ => return refuse(from, format!("bad character range {}", self.since(from))),
            }
        }
    }

    /// One member of the set that opened at `set`.
    fn member(&mut self, set: usize) -> Result<Member, PatternError> {
        let start = self.at;
        match self.bump() {
            None => refuse(set, "unterminated character set"),
            Some('\\') => self.shared_escape(start),
            Some(c) => Ok(Member::Char(c)),
        }
    }
}
