//! Reading a path: its segments and selectors.

mod condition;
mod literal;
#[cfg(test)]
mod tests;

use super::PathError;
use super::query::{Choice, Chooser, Segment, Slice};

/// Longer paths and deeper nesting than anybody writes: reading and following them recurses.
const LONGEST_PATH: usize = 4096;
const DEEPEST_NESTING: usize = 32;
const DEEPEST_FILTERS: usize = 6;

/// The segments of a path in either notation.
pub(super) fn path(written: &str) -> Result<Vec<Segment>, PathError> {
    if written.is_empty() {
        return Err(error("path is empty; use `$` for the whole document", 0));
    }
    if written.len() > LONGEST_PATH {
        return Err(error(format!("path is longer than {LONGEST_PATH} bytes"), LONGEST_PATH));
    }
    if !written.starts_with('$') && written.trim_start().starts_with('$') {
        return Err(error("space before `$`", 0));
    }
    let mut parser = Parser { written, at: 0, nesting: 0, filters: 0 };
    let segments = if parser.take("$") { parser.segments()? } else { parser.shorthand()? };
    match parser.peek() {
        None => Ok(segments),
        Some(_) if written.starts_with('$') => {
            Err(parser
                .expected("`.` or `[`; names with special characters are written in brackets: `['a-b']`"))
        }
        Some(_) => Err(parser.expected("`.` or `[`")),
    }
}

/// Reads one character after the other, by the grammar of RFC 9535.
struct Parser<'p> {
    written: &'p str,
    at: usize,
    /// Number of open brackets and parentheses.
    nesting: usize,
    /// Number of open filters.
    filters: usize,
}

impl<'p> Parser<'p> {
    fn rest(&self) -> &'p str {
        &self.written[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, prefix: &str) -> bool {
        let is_there = self.rest().starts_with(prefix);
        self.at += if is_there { prefix.len() } else { 0 };
        is_there
    }

    /// Takes the characters up to the first that `ends`.
    fn take_until(&mut self, ends: impl Fn(char) -> bool) -> &'p str {
        let rest = self.rest();
        let taken = &rest[..rest.find(ends).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    fn skip_space(&mut self) {
        self.take_until(|character| !matches!(character, ' ' | '\t' | '\n' | '\r'));
    }

    fn expected(&self, what: &str) -> PathError {
        error(format!("expected {what}"), self.at)
    }

    /// Reads what is between the bracket or parenthesis at `open` and the one that closes it.
    fn nested<T>(
        &mut self,
        open: usize,
        read: impl FnOnce(&mut Self) -> Result<T, PathError>,
    ) -> Result<T, PathError> {
        self.nesting += 1;
        if self.nesting > DEEPEST_NESTING {
            return Err(error(format!("path is nested more than {DEEPEST_NESTING} deep"), open));
        }
        let inside = read(self);
        self.nesting -= 1;
        let bracket = &self.written[open..=open];
        // Whatever else was expected at the end: this comes first.
        inside.map_err(|inside| {
            if inside.at == self.written.len() {
                error(format!("unclosed `{bracket}`"), open)
            } else {
                inside
            }
        })
    }

    /// The segments behind `$` or `@`. Space that no segment follows is left.
    fn segments(&mut self) -> Result<Vec<Segment>, PathError> {
        let mut segments = Vec::new();
        loop {
            let end = self.at;
            self.skip_space();
            let start = self.at;
            if self.take("..") {
                let segment = if self.peek() == Some('[') { self.brackets()? } else { self.dotted()? };
                segments.push(self.choice(start, Chooser::Descent(segment)));
            } else if self.take(".") {
                segments.push(self.dotted()?);
            } else if self.peek() == Some('[') {
                segments.push(self.brackets()?);
            } else {
                self.at = end;
                return Ok(segments);
            }
        }
    }

    /// A path without `$`, in which a name is anything up to the next `.` or bracket.
    fn shorthand(&mut self) -> Result<Vec<Segment>, PathError> {
        let mut segments = Vec::new();
        loop {
            if self.peek() == Some('[') {
                segments.push(self.brackets()?);
            } else if segments.is_empty() || self.take(".") {
                let name = self.take_until(|character| matches!(character, '.' | '[' | ']'));
                segments.push(match name {
                    "" => return Err(error("name is empty; use `$..name` for descendants", self.at)),
                    "*" => Segment::Wildcard,
                    name => Segment::Name(name.into()),
                });
            } else {
                return Ok(segments);
            }
        }
    }

    /// `*` or a name, behind a dot.
    fn dotted(&mut self) -> Result<Segment, PathError> {
        if self.take("*") {
            return Ok(Segment::Wildcard);
        }
        let is_first =
            |character: char| character.is_ascii_alphabetic() || character == '_' || !character.is_ascii();
        match self.peek() {
            Some(character) if is_first(character) => {
                let name = self.take_until(|character| !is_first(character) && !character.is_ascii_digit());
                Ok(Segment::Name(name.into()))
            }
            Some('0'..='9') => {
                Err(self
                    .expected("a name; an index is written `[0]`, a name with special characters `['0']`"))
            }
            _ => Err(self.expected("a name or `*`")),
        }
    }

    /// `[…]`: one selector or several.
    fn brackets(&mut self) -> Result<Segment, PathError> {
        let open = self.at;
        self.at += 1;
        self.nested(open, |parser| {
            let mut selectors = Vec::new();
            loop {
                parser.skip_space();
                selectors.push(parser.selector()?);
                parser.skip_space();
                if parser.take("]") {
                    break;
                }
                if !parser.take(",") {
                    return Err(parser.expected("`,` or `]`"));
                }
            }
            Ok(match selectors.pop() {
                Some(one) if selectors.is_empty() => one,
                last => Segment::Several(selectors.into_iter().chain(last).collect()),
            })
        })
    }

    fn selector(&mut self) -> Result<Segment, PathError> {
        let start = self.at;
        match self.peek() {
            Some('*') => {
                self.at += 1;
                Ok(Segment::Wildcard)
            }
            Some('\'' | '"') => Ok(Segment::Name(self.string()?.into())),
            Some('?') => {
                if self.filters == DEEPEST_FILTERS {
                    return Err(error(
                        format!("filters are nested more than {DEEPEST_FILTERS} deep"),
                        self.at,
                    ));
                }
                self.at += 1;
                self.filters += 1;
                let condition = self.condition()?;
                self.filters -= 1;
                Ok(self.choice(start, Chooser::Filter(condition)))
            }
            Some('-' | ':' | '0'..='9') => self.index_or_slice(),
            Some(letter) if letter.is_alphabetic() => {
                let word = self.take_until(|character| !character.is_alphanumeric() && character != '_');
                Err(error(format!("names in brackets are quoted: `['{word}']`"), start))
            }
            _ => Err(self.expected("a quoted name, an index, a slice, `*` or `?` with a filter")),
        }
    }

    fn index_or_slice(&mut self) -> Result<Segment, PathError> {
        let begin = self.at;
        let start = self.integer()?;
        let end = self.at;
        self.skip_space();
        if !self.take(":") {
            self.at = end;
            return start.map(Segment::Index).ok_or_else(|| self.expected("an index or a slice"));
        }
        self.skip_space();
        let end = self.integer()?;
        self.skip_space();
        let mut step = None;
        if self.take(":") {
            self.skip_space();
            step = self.integer()?;
        }
        Ok(self.choice(begin, Chooser::Slice(Slice { start, end, step: step.unwrap_or(1) })))
    }

    fn choice(&self, start: usize, by: Chooser) -> Segment {
        let written = self.written[start..self.at].trim_end();
        let is_descent = matches!(by, Chooser::Descent(_));
        let written = if is_descent { written.into() } else { format!("[{written}]").into() };
        Segment::Choice(Box::new(Choice { written, by }))
    }
}

fn error(message: impl Into<String>, at: usize) -> PathError {
    PathError { message: message.into(), at }
}
