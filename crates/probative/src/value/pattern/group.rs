//! Everything that opens with a parenthesis: groups, look-around, flags, comments, conditionals.

use super::parse::{Group, Parser};
use super::syntax::{Look, Node, Piece, Width};
use super::{PatternError, refuse};

/// The inline flags that change what a pattern means. `(?u)` is the only mode there is, so it is no flag here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Flags(u8);

impl Flags {
    pub(super) const IGNORE_CASE: Flags = Flags(1);
    pub(super) const MULTI_LINE: Flags = Flags(2);
    pub(super) const DOT_ALL: Flags = Flags(4);
    pub(super) const VERBOSE: Flags = Flags(8);

    pub(super) fn has(self, flag: Flags) -> bool {
        self.0 & flag.0 != 0
    }

    fn with(self, on: Flags) -> Flags {
        Flags(self.0 | on.0)
    }

    fn without(self, off: Flags) -> Flags {
        Flags(self.0 & !off.0)
    }
}

impl Parser {
    /// What stands at an opening parenthesis; `None` for a comment and for flags that only switch a mode.
    pub(super) fn group(&mut self, opening: bool) -> Result<Option<Piece>, PatternError> {
        let start = self.at;
        self.at += 1;
        if !self.eat('?') {
            return self.capture(start, None).map(Some);
        }
        let Some(kind) = self.bump() else {
            return refuse(start, "missing ), unexpected end of pattern");
        };
        match kind {
            ':' => self.scope(start, self.flags).map(Some),
            '#' => self.skip_past(')').map(|()| None),
            '=' => self.look(start, Look::Ahead).map(Some),
            '!' => self.look(start, Look::NotAhead).map(Some),
            '<' if self.eat('=') => self.look(start, Look::Behind).map(Some),
            '<' if self.eat('!') => self.look(start, Look::NotBehind).map(Some),
            '<' => refuse(start, "unknown extension ?<; write a named group as (?P<name>...)"),
            'P' => self.named(start).map(Some),
            '(' => self.conditional(start).map(Some),
            '>' => {
                self.note(start, "atomic group");
                let (body, width) = self.branches()?;
                self.close(start)?;
                Ok(Some(Piece { node: Node::Atomic(body), width }))
            }
            'a'..='z' | 'A'..='Z' | '-' => self.flags(start, opening),
            other => refuse(start, format!("unknown extension ?{other}")),
        }
    }

    /// `(…)` or `(?P<name>…)`, from its body on.
    fn capture(&mut self, start: usize, name: Option<String>) -> Result<Piece, PatternError> {
        self.groups.push(Group { at: start, width: None, sealed: false, referenced: false });
        let number = self.groups.len();
        if let Some(name) = name {
            if self.names.contains_key(&name) {
                return refuse(start, format!("redefinition of group name '{name}'"));
            }
            self.names.insert(name, number);
        }
        let (body, width) = self.branches()?;
        self.close(start)?;
        if let Some(group) = self.groups.get_mut(number - 1) {
            group.width = Some(width);
        }
        let ignore_case = self.flags.has(Flags::IGNORE_CASE);
        Ok(Piece { node: Node::Group { capture: Some(number), ignore_case, body }, width })
    }

    /// `(?:…)` or `(?flags:…)`, from its body on.
    fn scope(&mut self, start: usize, flags: Flags) -> Result<Piece, PatternError> {
        let outside = std::mem::replace(&mut self.flags, flags);
        let (body, width) = self.branches()?;
        self.flags = outside;
        self.close(start)?;
        let ignore_case = flags.has(Flags::IGNORE_CASE);
        Ok(Piece { node: Node::Group { capture: None, ignore_case, body }, width })
    }

    /// A look-around, from its body on. A look-behind must have one width.
    fn look(&mut self, start: usize, look: Look) -> Result<Piece, PatternError> {
        if look.is_behind() {
            self.note(start, "look-behind");
        }
        let first_inside = self.groups.len();
        let outermost = look.is_behind() && self.behind.is_none();
        if outermost {
            self.behind = Some(first_inside);
        }
        let (body, width) = self.branches()?;
        self.close(start)?;
        if outermost {
            self.behind = None;
        }
        if look.is_behind() && width.min != width.max {
            return refuse(start, "look-behind requires fixed-width pattern");
        }
        if look.is_negative() {
            for group in self.groups.iter_mut().skip(first_inside) {
                group.sealed = true;
            }
        }
        Ok(Piece { node: Node::Look(look, body), width: Width::ZERO })
    }

    /// `(?P<name>…)` and `(?P=name)`.
    fn named(&mut self, start: usize) -> Result<Piece, PatternError> {
        match self.bump() {
            Some('<') => {
                let name = self.name('>')?;
                self.note(start, "named group");
                self.capture(start, Some(name))
            }
            Some('=') => {
                let name = self.name(')')?;
                self.note(start, "named backreference");
                let group = self.named_group(start, &name)?;
                let width = self.refer(start, group)?;
                Ok(Piece { node: Node::Reference(group), width })
            }
            Some(other) => refuse(start, format!("unknown extension ?P{other}")),
            None => refuse(start, "missing ), unexpected end of pattern"),
        }
    }

    /// `(?(1)yes|no)` and `(?(name)yes|no)`; without `|no`, the other case matches nothing.
    fn conditional(&mut self, start: usize) -> Result<Piece, PatternError> {
        let name = self.name(')')?;
        let group = match name.parse::<usize>() {
            Ok(number) => number,
            Err(_) => self.named_group(start, &name)?,
        };
        self.refer(start, group)?;
        self.note(start, "conditional");
        let (yes, yes_width) = self.sequence(false)?;
        let (no, no_width) = if self.eat('|') { self.sequence(false)? } else { (Vec::new(), Width::ZERO) };
        if self.peek() == Some('|') {
            return refuse(self.at, "conditional backref with more than two branches");
        }
        self.close(start)?;
        Ok(Piece { node: Node::Conditional { group, yes, no }, width: yes_width.or(no_width) })
    }

    /// Notes a reference to a group and says how wide that group is.
    ///
    /// Python lets a condition ask for a group that is open or comes later; here that is refused too.
    pub(super) fn refer(&mut self, start: usize, number: usize) -> Result<Width, PatternError> {
        let group = number.checked_sub(1).and_then(|index| self.groups.get_mut(index));
        let Some(group) = group else {
            return refuse(start, format!("invalid group reference {number}"));
        };
        let Some(width) = group.width else {
            return refuse(start, "cannot refer to an open group");
        };
        if self.behind.is_some_and(|before| number > before) {
            return refuse(start, "cannot refer to group defined in the same lookbehind subpattern");
        }
        if group.sealed {
            return refuse(start, "reference to a group inside a negative look-around");
        }
        group.referenced = true;
        Ok(width)
    }

    fn named_group(&self, start: usize, name: &str) -> Result<usize, PatternError> {
        match self.names.get(name) {
            Some(number) => Ok(*number),
            None => refuse(start, format!("unknown group name '{name}'")),
        }
    }

    /// A group's name or number, up to `end`. Names beyond ASCII, which Python allows, are refused.
    fn name(&mut self, end: char) -> Result<String, PatternError> {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
            self.at += 1;
        }
        let name = self.since(start);
        if !self.eat(end) {
            return refuse(self.at, format!("bad character in group name, or {end} missing"));
        }
        let is_number = name.bytes().all(|b| b.is_ascii_digit());
        let is_name = !name.starts_with(|c: char| c.is_ascii_digit());
        if name.is_empty() {
            refuse(start, "missing group name")
        } else if is_name || (is_number && end == ')') {
            Ok(name)
        } else {
            refuse(start, format!("bad character in group name '{name}'"))
        }
    }

    /// `(?flags)` at the start of the pattern, or `(?flags-flags:…)`.
    fn flags(&mut self, start: usize, opening: bool) -> Result<Option<Piece>, PatternError> {
        self.note(start, "inline flags");
        self.at -= 1;
        let on = self.letters(start, true)?;
        if self.eat(')') {
            if !opening {
                return refuse(start, "global flags not at the start of the expression");
            }
            self.flags = self.flags.with(on);
            return Ok(None);
        }
        let off = if self.eat('-') { self.letters(start, false)? } else { Flags::default() };
        if !self.eat(':') {
            return refuse(self.at, "missing -, : or ) after flags");
        }
        if on.has(off) {
            return refuse(start, "bad inline flags: flag turned on and off");
        }
        self.scope(start, self.flags.with(on).without(off)).map(Some)
    }

    /// A run of flag letters; to turn off, at least one.
    fn letters(&mut self, start: usize, on: bool) -> Result<Flags, PatternError> {
        let mut flags = Flags::default();
        let first = self.at;
        while let Some(letter) = self.peek().filter(char::is_ascii_alphabetic) {
            flags = flags.with(match letter {
                'i' => Flags::IGNORE_CASE,
                'm' => Flags::MULTI_LINE,
                's' => Flags::DOT_ALL,
                'x' => Flags::VERBOSE,
                'u' if on => Flags::default(),
                'a' | 'L' | 'u' => {
                    return refuse(
                        start,
                        format!("unsupported flag '{letter}': patterns are always Unicode"),
                    );
                }
                _ => return refuse(start, format!("unknown flag '{letter}'")),
            });
            self.at += 1;
        }
        if !on && self.at == first {
            return refuse(self.at, "missing flag");
        }
        Ok(flags)
    }

    fn close(&mut self, start: usize) -> Result<(), PatternError> {
        if self.eat(')') { Ok(()) } else { refuse(start, "missing ), unterminated subpattern") }
    }
}
