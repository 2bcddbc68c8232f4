//! Strings: where they end, and what their escapes stand for.

use std::borrow::Cow;

use super::Stop;
use wide::u8x16;

use super::word::{byte, word};

/// Reads the string whose opening quote stands before `start`, and the offset after its closing quote; borrowed where
/// nothing in it is escaped.
#[inline(always)]
#[expect(clippy::inline_always, reason = "most strings are short, and a call costs more than reading one")]
pub(super) fn read(text: &str, start: usize) -> Result<(Cow<'_, str>, usize), Stop> {
    let end = plain(text.as_bytes(), start);
    if byte(word(text.as_bytes(), end), 0) != b'"' {
        return read_escaped(text, start, end);
    }
    let inside = text.get(start..end).ok_or(Stop { at: start })?;
    Ok((Cow::Borrowed(inside), end + 1))
}

/// The same for a string in which something else than the closing quote stands at `end`, after what is plain.
#[inline(never)]
fn read_escaped(text: &str, start: usize, end: usize) -> Result<(Cow<'_, str>, usize), Stop> {
    let end = closing_quote(text.as_bytes(), end)?;
    let inside = text.get(start..end).ok_or(Stop { at: start })?;
    Ok((Cow::Owned(decoded(inside)?), end + 1))
}

/// The inside of a string that is known to be well-formed, with its escapes resolved.
pub(super) fn decoded(raw: &str) -> Result<String, Stop> {
    let mut text = String::with_capacity(raw.len());
    let mut at = 0;
    while let Some(backslash) = raw.get(at..).and_then(|rest| rest.find('\\')).map(|plain| at + plain) {
        text.push_str(raw.get(at..backslash).unwrap_or_default());
        let (character, after) = escape(raw.as_bytes(), backslash)?;
        text.push(character);
        at = after;
    }
    text.push_str(raw.get(at..).unwrap_or_default());
    Ok(text)
}

/// The offset of the quote that closes a string, from `at` on, where something other than a plain character stands.
#[inline(never)]
pub(super) fn closing_quote(bytes: &[u8], mut at: usize) -> Result<usize, Stop> {
    loop {
        match bytes.get(at) {
            Some(b'"') => return Ok(at),
            Some(b'\\') if bytes.get(at + 1).copied().and_then(short_escape).is_some() => at += 2,
            Some(b'\\') => (_, at) = escape(bytes, at)?,
            _ => return Err(Stop { at }),
        }
        at = plain(bytes, at);
    }
}

/// The offset of the first quote, backslash or control character from `at` on; the end if there is none.
#[inline]
pub(super) fn plain(bytes: &[u8], at: usize) -> usize {
    // Sixteen bytes at once: whether a string has more than eight cannot be foreseen, whether it has more than sixteen often
    // can.
    let Some(sixteen) = sixteen(bytes, at) else { return last_plain(bytes, at) };
    let found = not_plain(sixteen);
    if found != 0 { at + found.trailing_zeros() as usize } else { long_plain(bytes, at + 16) }
}

/// The same for what turns out to be long.
#[inline(never)]
fn long_plain(bytes: &[u8], mut at: usize) -> usize {
    while let (Some(first), Some(second)) = (sixteen(bytes, at), sixteen(bytes, at + 16)) {
        let found = not_plain(first) | not_plain(second) << 16;
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        at += 32;
    }
    match sixteen(bytes, at).map(not_plain) {
        None => last_plain(bytes, at),
        Some(0) => last_plain(bytes, at + 16),
        Some(found) => at + found.trailing_zeros() as usize,
    }
}

/// The same where fewer than sixteen bytes are left.
#[cold]
#[inline(never)]
fn last_plain(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let found = match bytes.last_chunk() {
        // One bit for each of the last, of which those before `at` are shifted out.
        Some(last) => not_plain(u8x16::new(*last)) >> (16 - rest.len()),
        None => rest.iter().rev().fold(0, |found, byte| found << 1 | u32::from(is_not_plain(*byte))),
    };
    at + rest.len().min(found.trailing_zeros() as usize)
}

#[inline]
fn sixteen(bytes: &[u8], at: usize) -> Option<u8x16> {
    bytes.get(at..at.wrapping_add(16))?.first_chunk().map(|chunk| u8x16::new(*chunk))
}

fn is_not_plain(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..b' ')
}

/// One bit for each byte that is a quote, a backslash or a control character, that of the first lowest.
#[inline]
fn not_plain(bytes: u8x16) -> u32 {
    // Exchanging 0x20 and 0x22 leaves the control characters below the quote, so one comparison finds both.
    let swapped = bytes ^ u8x16::splat(0x02);
    let quote_or_control = swapped.min(u8x16::splat(0x20)).simd_eq(swapped);
    (quote_or_control | bytes.simd_eq(u8x16::splat(b'\\'))).to_bitmask()
}

/// What a backslash and one character after it stand for, if that is all.
#[inline]
fn short_escape(byte: u8) -> Option<char> {
    Some(match byte {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        _ => return None,
    })
}

/// The character that the escape at `at`, the offset of its backslash, stands for, and the offset after it.
fn escape(bytes: &[u8], at: usize) -> Result<(char, usize), Stop> {
    match bytes.get(at + 1) {
        Some(b'u') => unicode_escape(bytes, at),
        byte => Ok((byte.copied().and_then(short_escape).ok_or(Stop { at })?, at + 2)),
    }
}

fn unicode_escape(bytes: &[u8], at: usize) -> Result<(char, usize), Stop> {
    let stop = Stop { at };
    let first = hex(bytes, at + 2).ok_or(stop)?;
    if let Some(character) = char::from_u32(first) {
        return Ok((character, at + 6));
    }
    let second = match bytes.get(at + 6..at + 8) {
        Some(b"\\u") => hex(bytes, at + 8).ok_or(stop)?,
        _ => return Err(stop),
    };
    if !(0xd800..0xdc00).contains(&first) || !(0xdc00..0xe000).contains(&second) {
        return Err(stop);
    }
    let character = char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)).ok_or(stop)?;
    Ok((character, at + 12))
}

fn hex(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 4)?;
    digits.iter().try_fold(0, |value, &digit| Some(value << 4 | char::from(digit).to_digit(16)?))
}
