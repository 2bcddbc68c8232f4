//! Plain YAML, read without a parser's machinery.
//!
//! Most of what people write for the judge is block maps and lists of scalars that stand on one line, with a list or map in
//! brackets here and there. That is read here, at many times the parser's speed, to the very tree and places that the parser
//! gives. Whatever is in the least unusual, or wrong, is left to the parser: `None` says so, and says nothing else.

mod flow;
mod scalar;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

use granit_parser::ScalarStyle;
use serde_json::Value;

use super::super::{Content, Member, Node};
use super::scalar as core_schema;

/// The parser allows twice as much.
const DEEPEST_NESTING: usize = 32;

/// The parser takes no longer keys without a `?` before them.
const LONGEST_KEY: usize = 1000;

/// The document, if it is plain: a block map or list that begins its first line.
pub(super) fn read(text: &str) -> Option<Node> {
    // Looking at all of them without a stop is faster than stopping at the first that is not.
    let is_ascii = text.bytes().fold(true, |all, byte| all & is_plain_ascii(byte));
    if !is_ascii && !text.chars().all(is_plain) {
        return None;
    }
    let (items, members) = (Vec::new(), Vec::new());
    let mut reader = Reader { text, bytes: text.as_bytes(), at: 0, line: 0, items, members };
    reader.next_token()?;
    let root = reader.block(0)?;
    let is_whole = reader.at == text.len() && !matches!(root.content, Content::Scalar(_));
    is_whole.then_some(root)
}

/// Tabs and carriage returns are not plain.
fn is_plain_ascii(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n')
}

/// Nor is what may be a line break, a mark or nothing at all.
fn is_plain(character: char) -> bool {
    match character {
        '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => false,
        _ => character >= '\u{a0}' || u8::try_from(character).is_ok_and(is_plain_ascii),
    }
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    /// Where the line begins that `at` stands in.
    line: usize,
    /// The items of all lists that are being read, those of the innermost last.
    items: Vec<Node>,
    /// The same for members of maps.
    members: Vec<Member>,
}

/// A scalar as it is written.
struct Written<'t> {
    text: Cow<'t, str>,
    style: ScalarStyle,
    span: Range<usize>,
}

/// What stands around a scalar.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Block,
    /// Brackets, in which `,` and brackets end it.
    Flow,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn column(&self) -> usize {
        self.at - self.line
    }

    fn skip_spaces(&mut self) {
        while self.peek() == Some(b' ') {
            self.at += 1;
        }
    }

    /// Goes from the end of a token to the next one in a line below, or to the end of the text.
    ///
    /// Nothing but spaces and a comment may stand in between. A line that marks or directs a document is not plain.
    fn next_token(&mut self) -> Option<()> {
        loop {
            let end = self.at;
            self.skip_spaces();
            match self.peek() {
                None => return Some(()),
                Some(b'\n') => {}
                Some(b'#') if self.at > end || self.at == self.line => {
                    self.at = memchr::memchr(b'\n', &self.bytes[self.at..])
                        .map_or(self.bytes.len(), |further| self.at + further);
                    continue;
                }
                Some(_) if self.is_at_first() => {
                    let rest = &self.bytes[self.at..];
                    let marks =
                        rest.starts_with(b"---") || rest.starts_with(b"...") || rest.starts_with(b"%");
                    return (!marks || self.column() > 0).then_some(());
                }
                Some(_) => return None,
            }
            self.at += 1;
            self.line = self.at;
        }
    }

    /// Whether nothing but spaces stands before this place in its line.
    fn is_at_first(&self) -> bool {
        self.bytes[self.line..self.at].iter().all(|byte| *byte == b' ')
    }

    /// The node that begins here and is no scalar's second line. Ends at the next token behind it.
    fn block(&mut self, depth: usize) -> Option<Node> {
        if depth > DEEPEST_NESTING {
            return None;
        }
        match self.peek()? {
            b'-' if self.is_dash() => self.list(self.column(), self.at, depth),
            b'[' | b'{' => {
                let node = self.flow(depth)?;
                self.next_token()?;
                Some(node)
            }
            _ => {
                let written = self.scalar(Within::Block)?;
                if self.peek() == Some(b':') {
                    return self.map(written, depth);
                }
                self.next_token()?;
                node(written)
            }
        }
    }

    /// Whether a `-` stands here that begins an item.
    fn is_dash(&self) -> bool {
        self.peek() == Some(b'-') && matches!(self.bytes.get(self.at + 1), None | Some(b' ' | b'\n'))
    }

    /// The list whose first dash stands here, in this column.
    fn list(&mut self, column: usize, start: usize, depth: usize) -> Option<Node> {
        let first = self.items.len();
        loop {
            self.at += 1;
            let empty = self.at..self.at;
            let item = self.inner(empty, column, depth)?;
            self.items.push(item);
            let ends = self.peek().is_none() || self.column() < column || !self.is_dash();
            if self.peek().is_some() && self.column() > column {
                return None;
            }
            if ends {
                return Some(self.list_since(first, start));
            }
        }
    }

    /// The map whose first key was read, and whose colon stands here.
    fn map(&mut self, mut key: Written<'t>, depth: usize) -> Option<Node> {
        let (start, column) = (key.span.start, key.span.start - self.line);
        let first = self.members.len();
        loop {
            if key.span.len() > LONGEST_KEY {
                return None;
            }
            self.at += 1;
            let value = self.value(key.span.end..key.span.end, column, depth)?;
            self.members.push(member(key, value));
            if self.peek().is_none() || self.column() < column {
                return self.map_since(first, start);
            }
            if self.column() > column || self.is_dash() {
                return None;
            }
            key = self.scalar(Within::Block)?;
            if self.peek() != Some(b':') {
                return None;
            }
        }
    }

    /// The value of a key in this column, from behind the colon; where there is none, `empty` is its place.
    fn value(&mut self, empty: Range<usize>, column: usize, depth: usize) -> Option<Node> {
        let line = self.line;
        let colon = self.at;
        self.skip_spaces();
        if !matches!(self.peek(), None | Some(b'\n' | b'#')) {
            let node = match self.peek()? {
                _ if self.at == colon => return None,
                b'[' | b'{' => self.flow(depth + 1)?,
                _ => {
                    let written = self.scalar(Within::Block)?;
                    node(written)?
                }
            };
            self.next_token()?;
            return (self.peek().is_none() || self.column() <= column).then_some(node);
        }
        self.at = colon;
        self.next_token()?;
        if self.line == line || self.peek().is_none() || self.column() < column {
            return Some(null(empty));
        }
        if self.column() > column {
            let node = self.block(depth + 1)?;
            return (self.peek().is_none() || self.column() <= column).then_some(node);
        }
        if self.is_dash() {
            // The parser says that such a list begins with what its first item holds.
            let further = self.bytes[self.at + 1..].iter().take_while(|byte| **byte == b' ').count();
            let start = self.at + 1 + further;
            let is_empty = matches!(self.bytes.get(start), None | Some(b'\n'));
            return if is_empty { None } else { self.list(column, start, depth + 1) };
        }
        Some(null(empty))
    }

    /// The item of a list whose dashes stand in this column, from behind the dash.
    fn inner(&mut self, empty: Range<usize>, column: usize, depth: usize) -> Option<Node> {
        self.skip_spaces();
        match self.peek() {
            Some(b'#') => None,
            Some(byte) if byte != b'\n' => self.block(depth + 1),
            // The parser counts spaces behind an empty dash to it.
            _ if self.at > empty.start => None,
            _ => {
                self.next_token()?;
                if self.peek().is_some() && self.column() > column {
                    return self.block(depth + 1);
                }
                Some(null(empty))
            }
        }
    }
}

fn member(key: Written<'_>, value: Node) -> Member {
    Member { key: key.text.into_owned(), key_span: key.span, value }
}

fn node(written: Written<'_>) -> Option<Node> {
    let Written { text, style, span } = written;
    let scalar = core_schema(text, style).ok()?;
    Some(Node { span, content: Content::Scalar(scalar) })
}

fn null(span: Range<usize>) -> Node {
    Node { span, content: Content::Scalar(Value::Null) }
}
