//! Scalars that stand on one line.

use std::borrow::Cow;

use granit_parser::ScalarStyle;

use super::{Reader, Within, Written};

impl<'t> Reader<'t> {
    /// The scalar that begins and ends in this line. A `:` stands behind it only if it may be a key.
    pub(super) fn scalar(&mut self, within: Within) -> Option<Written<'t>> {
        let written = match self.peek()? {
            b'"' => self.double_quoted()?,
            b'\'' => self.single_quoted()?,
            _ => self.plain(within)?,
        };
        let is_end = match self.peek() {
            None | Some(b' ' | b'\n') => true,
            Some(b':') => matches!(self.bytes.get(self.at + 1), None | Some(b' ' | b'\n')),
            Some(b',' | b']' | b'}') => within == Within::Flow,
            Some(_) => false,
        };
        is_end.then_some(written)
    }

    fn plain(&mut self, within: Within) -> Option<Written<'t>> {
        let start = self.at;
        let first = self.text[start..].chars().next()?;
        let second = self.bytes.get(start + 1);
        let begins = match first {
            '-' => second.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'-'),
            '_' | '.' | '/' | '(' | '$' | '+' | '~' | '^' | '\\' => true,
            _ => first.is_alphanumeric(),
        };
        if !begins {
            return None;
        }
        while let Some(byte) = self.peek() {
            let next = self.bytes.get(self.at + 1);
            match byte {
                b'\n' => break,
                b':' if matches!(next, None | Some(b' ' | b'\n')) => break,
                b' ' if next == Some(&b'#') => break,
                b',' | b']' | b'}' if within == Within::Flow => break,
                b'[' | b'{' if within == Within::Flow => return None,
                b':' if within == Within::Flow && next.is_some_and(|next| b",[]{}".contains(next)) => {
                    return None;
                }
                _ => self.at += 1,
            }
        }
        let written = self.text[start..self.at].trim_end_matches(' ');
        // Before a colon, spaces would be something to wonder about.
        if self.peek() == Some(b':') && start + written.len() != self.at {
            return None;
        }
        let span = start..start + written.len();
        self.at = span.end;
        Some(Written { text: written.into(), style: ScalarStyle::Plain, span })
    }

    fn single_quoted(&mut self) -> Option<Written<'t>> {
        let start = self.at;
        let mut text = Cow::Borrowed("");
        loop {
            let from = self.at + 1;
            let quote = from + memchr::memchr2(b'\'', b'\n', &self.bytes[from..])?;
            if self.bytes[quote] == b'\n' {
                return None;
            }
            text += &self.text[from..quote];
            self.at = quote + 1;
            if self.peek() != Some(b'\'') {
                return Some(Written { text, style: ScalarStyle::SingleQuoted, span: start..self.at });
            }
            text += "'";
        }
    }

    fn double_quoted(&mut self) -> Option<Written<'t>> {
        let start = self.at;
        let mut text = Cow::Borrowed("");
        self.at += 1;
        loop {
            let stop = self.at + memchr::memchr3(b'"', b'\\', b'\n', &self.bytes[self.at..])?;
            text += &self.text[self.at..stop];
            self.at = stop + 1;
            match self.bytes[stop] {
                b'"' => {
                    return Some(Written { text, style: ScalarStyle::DoubleQuoted, span: start..self.at });
                }
                b'\\' => {
                    text += match self.peek()? {
                        b'n' => "\n",
                        b't' => "\t",
                        b'"' | b'\\' | b'/' => &self.text[self.at..=self.at],
                        _ => return None,
                    }
                }
                _ => return None,
            }
            self.at += 1;
        }
    }
}
