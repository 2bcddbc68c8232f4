//! Python's grammar: alternation, sequence, repetition. Groups and escapes are read by their own modules.

use std::collections::BTreeMap;

use super::group::Flags;
use super::syntax::{Anchor, Branches, Member, Node, Piece, Style, Times, Width};
use super::{PatternError, Unportable, escape::Escape, refuse};

/// Patterns longer than this, in bytes, are refused unread.
const MAX_LENGTH: usize = 64 << 10;

/// Groups inside groups, at most; reading them recurses.
const MAX_DEPTH: usize = 100;

/// A pattern that Python would compile, but for what translation may still refuse.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) body: Branches,
    /// Whether the whole pattern stands under `(?i)`.
    pub(super) ignore_case: bool,
    /// The capturing groups in the order of their numbers.
    pub(super) groups: Vec<Group>,
    /// The numbers of those that have names.
    pub(super) names: BTreeMap<String, usize>,
    /// What other dialects lack or write differently, in order of place.
    pub(super) unportable: Vec<Unportable>,
}

/// What is known of a capturing group.
#[derive(Debug)]
pub(super) struct Group {
    /// Where its parenthesis opens.
    pub(super) at: usize,
    /// `None` while the group is open.
    pub(super) width: Option<Width>,
    /// It stands in a negative look-around that has closed: what it caught is gone.
    pub(super) sealed: bool,
    /// Some `\1`, `(?P=name)` or `(?(1)…)` asks for it. Every other group is only a parenthesis.
    pub(super) referenced: bool,
}

/// Reads a pattern by the rules of Python 3.11.
pub(super) fn parse(written: &str) -> Result<Parsed, PatternError> {
    if written.len() > MAX_LENGTH {
        return refuse(0, format!("pattern longer than {MAX_LENGTH} bytes"));
    }
    let mut parser = Parser {
        chars: written.chars().collect(),
        at: 0,
        depth: 0,
        flags: Flags::default(),
        groups: Vec::new(),
        names: BTreeMap::new(),
        behind: None,
        unportable: Vec::new(),
    };
    let (body, _) = parser.branches()?;
    if parser.peek().is_some() {
        return refuse(parser.at, "unbalanced parenthesis");
    }
    let ignore_case = parser.flags.has(Flags::IGNORE_CASE);
    Ok(Parsed {
        body,
        ignore_case,
        groups: parser.groups,
        names: parser.names,
        unportable: parser.unportable,
    })
}

/// A cursor over the characters, with what Python's grammar needs to remember.
pub(super) struct Parser {
    chars: Vec<char>,
    pub(super) at: usize,
    depth: usize,
    pub(super) flags: Flags,
    pub(super) groups: Vec<Group>,
    pub(super) names: BTreeMap<String, usize>,
    /// Inside a look-behind: how many groups had opened before the outermost one.
    pub(super) behind: Option<usize>,
    pub(super) unportable: Vec<Unportable>,
}

impl Parser {
    pub(super) fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    /// Steps over the character if it comes next.
    pub(super) fn eat(&mut self, expected: char) -> bool {
        let found = self.peek() == Some(expected);
        self.at += usize::from(found);
        found
    }

    /// The characters from `start` up to the cursor.
    pub(super) fn since(&self, start: usize) -> String {
        self.chars.get(start..self.at).unwrap_or_default().iter().collect()
    }

    /// `a|b|c`, up to the closing parenthesis or the end.
    pub(super) fn branches(&mut self) -> Result<(Branches, Width), PatternError> {
        if self.depth > MAX_DEPTH {
            return refuse(self.at, format!("groups nested deeper than {MAX_DEPTH}"));
        }
        self.depth += 1;
        let (first, mut width) = self.sequence(self.depth == 1)?;
        let mut branches = vec![first];
        while self.eat('|') {
            let (next, next_width) = self.sequence(false)?;
            branches.push(next);
            width = width.or(next_width);
        }
        self.depth -= 1;
        Ok((branches, width))
    }

    /// One branch. Only at the very start of the pattern, `opening`, may it switch flags for the whole.
    pub(super) fn sequence(&mut self, opening: bool) -> Result<(Vec<Piece>, Width), PatternError> {
        let mut pieces = Vec::new();
        while let Some(next) = self.peek() {
            let start = self.at;
            let verbose = self.flags.has(Flags::VERBOSE);
            match next {
                '|' | ')' => break,
                ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c' if verbose => self.at += 1,
                '#' if verbose => self.skip_past('\n')?,
                '(' => pieces.extend(self.group(opening && pieces.is_empty())?),
                '*' | '+' | '?' | '{' => match self.bounds()? {
                    Some((min, max)) => {
                        let repeated = self.repeat(pieces.pop(), min, max, start)?;
                        pieces.push(repeated);
                    }
                    None => pieces.push(one(Node::Literal(next))),
                },
                _ => pieces.push(self.atom(next)?),
            }
        }
        let width = pieces.iter().fold(Width::ZERO, |width, piece| width.then(piece.width));
        Ok((pieces, width))
    }

    /// A single character, set, anchor or escape.
    fn atom(&mut self, next: char) -> Result<Piece, PatternError> {
        if next == '\\' {
            return Ok(match self.escape()? {
                Escape::Member(Member::Char(c)) => one(Node::Literal(c)),
                Escape::Member(Member::Category(category)) => one(Node::Set(category.into())),
                Escape::Anchor(anchor) => anchored(anchor),
                Escape::Reference { group, width } => Piece { node: Node::Reference(group), width },
            });
        }
        if next == '[' {
            return Ok(one(Node::Set(self.set()?)));
        }
        self.at += 1;
        let multi_line = self.flags.has(Flags::MULTI_LINE);
        Ok(match next {
            '.' => one(Node::Any { newline: self.flags.has(Flags::DOT_ALL) }),
            '^' => anchored(if multi_line { Anchor::LineStart } else { Anchor::TextStart }),
            '$' => anchored(if multi_line { Anchor::LineEnd } else { Anchor::BeforeFinalNewline }),
            _ => one(Node::Literal(next)),
        })
    }

    /// Steps past a comment's last character. A backslash hides the character after it, as in Python.
    pub(super) fn skip_past(&mut self, last: char) -> Result<(), PatternError> {
        let start = self.at;
        while let Some(next) = self.bump() {
            if next == '\\' && self.bump().is_none() {
                return refuse(self.at - 1, "bad escape at the end of the pattern");
            }
            if next == last {
                return Ok(());
            }
        }
        if last == ')' { refuse(start, "missing ), unterminated comment") } else { Ok(()) }
    }

    /// The bounds of a quantifier; `None` for a brace that is only a brace, as in `a{` or `{x}`.
    fn bounds(&mut self) -> Result<Option<(u32, Option<u32>)>, PatternError> {
        let start = self.at;
        match self.bump() {
            Some('*') => return Ok(Some((0, None))),
            Some('+') => return Ok(Some((1, None))),
            Some('?') => return Ok(Some((0, Some(1)))),
            _ => {}
        }
        let after_brace = self.at;
        let low = self.count()?;
        let high = if self.eat(',') { self.count()? } else { low };
        if self.at == after_brace || !self.eat('}') {
            self.at = after_brace;
            return Ok(None);
        }
        let min = low.unwrap_or(0);
        if high.is_some_and(|max| max < min) {
            return refuse(start, "min repeat greater than max repeat");
        }
        Ok(Some((min, high)))
    }

    /// A decimal number, if one stands here.
    fn count(&mut self) -> Result<Option<u32>, PatternError> {
        let start = self.at;
        let mut number: u32 = 0;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            number = number.saturating_mul(10).saturating_add(digit);
            self.at += 1;
        }
        if number == u32::MAX {
            return refuse(start, "the repetition number is too large");
        }
        Ok((self.at > start).then_some(number))
    }

    /// The piece before a quantifier, repeated. An anchor alone cannot be; a group around it can.
    fn repeat(
        &mut self,
        item: Option<Piece>,
        min: u32,
        max: Option<u32>,
        start: usize,
    ) -> Result<Piece, PatternError> {
        let item = match item {
            None | Some(Piece { node: Node::At(_), .. }) => return refuse(start, "nothing to repeat"),
            Some(Piece { node: Node::Repeat(..), .. }) => return refuse(start, "multiple repeat"),
            Some(item) => item,
        };
        let style = match self.peek() {
            Some('?') => Style::Lazy,
            Some('+') => {
                self.note(start, "possessive quantifier");
                Style::Possessive
            }
            _ => Style::Greedy,
        };
        self.at += usize::from(!matches!(style, Style::Greedy));
        let width = item.width.times(min, max);
        if width.min > u32::MAX.into() {
            return refuse(start, "the repetition is too large");
        }
        Ok(Piece { node: Node::Repeat(Box::new(item), Times { min, max, style }), width })
    }
}

fn one(node: Node) -> Piece {
    Piece { node, width: Width::ONE }
}

fn anchored(anchor: Anchor) -> Piece {
    Piece { node: Node::At(anchor), width: Width::ZERO }
}
