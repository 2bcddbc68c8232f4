//! Checks a value of any kind without reading it.

use super::keys::{Keys, Open};
use super::scanner::{DEEPEST, Scanner};
use super::token::{self, COMMA_SPACE, NULL, NULL_MASK, QUOTE_COLON_SPACE};
use super::word::{byte, word};
use super::{Stop, number, string};

/// A value that was checked and not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passed {
    /// The offset at which it starts.
    pub start: usize,
    /// Whether it is null.
    pub null: bool,
    /// Whether it is a string in which something is escaped.
    pub escaped: bool,
}

impl<'t> Scanner<'t> {
    /// Checks one value of any kind and gives it as written, without the whitespace around it.
    #[inline]
    pub fn skip(&mut self) -> Result<&'t str, Stop> {
        let Passed { start, .. } = self.pass()?;
        self.text.get(start..self.at).ok_or(Stop { at: start })
    }

    /// The same, but tells where the value starts; it ends where the scanner then [is](Self::at).
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "most values are short, and a call costs more than passing one")]
    pub fn pass(&mut self) -> Result<Passed, Stop> {
        let bytes = self.text.as_bytes();
        let first = word(bytes, self.at);
        if first & NULL_MASK == NULL {
            let start = self.at;
            self.at += 4;
            return Ok(Passed { start, null: true, escaped: false });
        }
        let (start, token) = match byte(first, 0) {
            b'\0'..=b' ' => token::next(bytes, self.at),
            token => (self.at, token),
        };
        self.at = match token {
            b'"' => {
                let end = string::plain(bytes, start + 1);
                if byte(word(bytes, end), 0) != b'"' {
                    self.at = string::closing_quote(bytes, end)? + 1;
                    return Ok(Passed { start, null: false, escaped: true });
                }
                end + 1
            }
            b'-' | b'0'..=b'9' => number::skip(self.text, start)?,
            b'{' | b'[' => self.skip_nested(start, token)?,
            _ => token::literal(bytes, start, token)?,
        };
        Ok(Passed { start, null: token == b'n', escaped: false })
    }

    /// The offset after an array or object, which starts with `token` at `start`.
    #[inline(never)]
    fn skip_nested(&mut self, start: usize, token: u8) -> Result<usize, Stop> {
        self.keys.start();
        skip(self.text, start, token, usize::from(DEEPEST - self.depth), &mut self.keys)
    }
}

/// The offset after the value that starts at `at` with `token`, within which `deepest` objects and arrays may be open
/// at once.
fn skip(text: &str, mut at: usize, mut token: u8, deepest: usize, keys: &mut Keys) -> Result<usize, Stop> {
    let bytes = text.as_bytes();
    let mut open = Open::default();
    // The first bytes, at least seven, of what follows a value.
    let mut after;
    loop {
        match token {
            b'"' => {
                at = string::plain(bytes, at + 1);
                after = word(bytes, at);
                if byte(after, 0) == b'"' {
                    at += 1;
                    after >>= 8;
                } else {
                    at = string::closing_quote(bytes, at)? + 1;
                    after = word(bytes, at);
                }
            }
            b'-' | b'0'..=b'9' => {
                at = number::skip(text, at)?;
                after = word(bytes, at);
            }
            b'{' | b'[' => {
                if keys.depth() == deepest {
                    return Err(Stop { at });
                }
                // Both brackets close two after they open.
                let closer = token + 2;
                (at, token) = token::next(bytes, at + 1);
                if token != closer {
                    open = keys.open(open, closer);
                    if open.is_object() {
                        (at, token) = skip_key(text, at, token, keys, &mut open)?;
                    }
                    continue;
                }
                at += 1;
                after = word(bytes, at);
            }
            _ => {
                at = token::literal(bytes, at, token)?;
                after = word(bytes, at);
            }
        }
        loop {
            if !open.is_any() {
                return Ok(at);
            }
            if after & 0xffff == COMMA_SPACE && byte(after, 2) > b' ' {
                (at, token) = (at + 2, byte(after, 2));
                break;
            }
            token = byte(after, 0);
            if token <= b' ' {
                (at, token) = token::next(bytes, at);
            }
            if token == b',' {
                (at, token) = token::next(bytes, at + 1);
                break;
            }
            if !open.is_closed_by(token) {
                return Err(Stop { at });
            }
            open = keys.close(open, text);
            at += 1;
            after = word(bytes, at);
        }
        if open.is_object() {
            (at, token) = skip_key(text, at, token, keys, &mut open)?;
        }
    }
}

/// The offset of the value whose key starts at `at` with `token`, and the byte that the value starts with.
#[inline(always)]
#[expect(clippy::inline_always, reason = "it is most of the work, and measurably slower as a call")]
fn skip_key(text: &str, at: usize, token: u8, keys: &mut Keys, open: &mut Open) -> Result<(usize, u8), Stop> {
    let bytes = text.as_bytes();
    if token != b'"' {
        return Err(Stop { at });
    }
    let start = at + 1;
    let first = word(bytes, start);
    let end = string::plain(bytes, start);
    let after = word(bytes, end);
    if after & 0xff_ffff == QUOTE_COLON_SPACE && byte(after, 3) > b' ' {
        keys.take(open, first, text, start, end, false);
        return Ok((end + 3, byte(after, 3)));
    }
    let escaped = byte(after, 0) != b'"';
    let end = if escaped { string::closing_quote(bytes, end)? } else { end };
    keys.take(open, first, text, start, end, escaped);
    let (colon, token) = token::next(bytes, end + 1);
    if token != b':' {
        return Err(Stop { at: colon });
    }
    Ok(token::next(bytes, colon + 1))
}
