//! What stands between values, and the values that are words.

use super::Stop;
use super::word::{byte, word};

/// What Python and many others write between two values.
pub(super) const COMMA_SPACE: u64 = u16::from_le_bytes(*b", ") as u64;

/// What they write after the characters of a key.
pub(super) const QUOTE_COLON_SPACE: u64 = u32::from_le_bytes(*b"\": \0") as u64;

/// The value that records have most of, and which bits of a word it takes.
pub(super) const NULL: u64 = u32::from_le_bytes(*b"null") as u64;
pub(super) const NULL_MASK: u64 = u32::MAX as u64;

/// The offset of the first byte from `at` on that is not whitespace, and that byte; zero at the end.
#[inline]
pub(super) fn next(bytes: &[u8], at: usize) -> (usize, u8) {
    match byte(word(bytes, at), 0) {
        b'\0'..=b' ' => after_whitespace(bytes, at),
        byte => (at, byte),
    }
}

#[inline(never)]
fn after_whitespace(bytes: &[u8], mut at: usize) -> (usize, u8) {
    loop {
        match bytes.get(at) {
            Some(b' ' | b'\n' | b'\t' | b'\r') => at += 1,
            byte => return (at, byte.copied().unwrap_or_default()),
        }
    }
}

/// The offset after the `null`, `true` or `false` that has to stand at `at`, as its first letter tells.
#[inline]
pub(super) fn literal(bytes: &[u8], at: usize, letter: u8) -> Result<usize, Stop> {
    let (written, length) = match letter {
        b'n' => (NULL, 4),
        b't' => (u64::from(u32::from_le_bytes(*b"true")), 4),
        // Whatever else it is, it is not at the start of this.
        _ => (u64::from_le_bytes(*b"false\0\0\0"), 5),
    };
    let stands = word(bytes, at) & (u64::MAX >> (64 - 8 * length)) == written;
    if stands { Ok(at + length) } else { Err(Stop { at }) }
}
