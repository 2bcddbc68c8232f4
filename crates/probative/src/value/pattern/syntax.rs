//! The tree of a parsed pattern.

/// The branches of an alternation; a pattern without `|` has one.
pub(super) type Branches = Vec<Vec<Piece>>;

/// One item of a sequence, with how many characters it can take.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) node: Node,
    pub(super) width: Width,
}

#[derive(Debug)]
pub(super) enum Node {
    Literal(char),
    /// `.`, which leaves out the newline unless the `s` flag is on.
    Any {
        newline: bool,
    },
    Set(Set),
    At(Anchor),
    Repeat(Box<Piece>, Times),
    Group {
        /// The group's number, from 1; `None` for `(?:…)`.
        capture: Option<usize>,
        ignore_case: bool,
        body: Branches,
    },
    Atomic(Branches),
    Look(Look, Branches),
    Reference(usize),
    Conditional {
        group: usize,
        yes: Vec<Piece>,
        no: Vec<Piece>,
    },
}

#[derive(Debug)]
pub(super) struct Set {
    pub(super) negated: bool,
    pub(super) items: Vec<SetItem>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum SetItem {
    One(Member),
    Range(char, char),
}

/// What an escape can stand for both in a set and outside.
#[derive(Debug, Clone, Copy)]
pub(super) enum Member {
    Char(char),
    Category(Category),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Category {
    Digit,
    NotDigit,
    Space,
    NotSpace,
    Word,
    NotWord,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Anchor {
    /// `\A`, and `^` without the `m` flag.
    TextStart,
    /// `^` with the `m` flag.
    LineStart,
    /// `\Z`: the very end.
    TextEnd,
    /// `$` with the `m` flag.
    LineEnd,
    /// `$` without the `m` flag: the end, or before a final newline.
    BeforeFinalNewline,
    WordEdge,
    NotWordEdge,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Ahead,
    NotAhead,
    Behind,
    NotBehind,
}

impl Look {
    pub(super) fn is_behind(self) -> bool {
        matches!(self, Look::Behind | Look::NotBehind)
    }

    pub(super) fn is_negative(self) -> bool {
        matches!(self, Look::NotAhead | Look::NotBehind)
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    pub(super) min: u32,
    /// `None`: without bound.
    pub(super) max: Option<u32>,
    pub(super) style: Style,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Style {
    Greedy,
    Lazy,
    Possessive,
}

/// The fewest and the most characters a piece can take; `u64::MAX` stands for no bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Width {
    pub(super) min: u64,
    pub(super) max: u64,
}

impl Width {
    pub(super) const ZERO: Width = Width { min: 0, max: 0 };
    pub(super) const ONE: Width = Width { min: 1, max: 1 };

    /// This, followed by that.
    pub(super) fn then(self, next: Width) -> Width {
        Width { min: self.min.saturating_add(next.min), max: self.max.saturating_add(next.max) }
    }

    /// This or that.
    pub(super) fn or(self, other: Width) -> Width {
        Width { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// This, repeated; nothing repeated without bound is still nothing.
    pub(super) fn times(self, min: u32, max: Option<u32>) -> Width {
        let most = match max {
            Some(max) => self.max.saturating_mul(max.into()),
            None if self.max == 0 => 0,
            None => u64::MAX,
        };
        Width { min: self.min.saturating_mul(min.into()), max: most }
    }
}
