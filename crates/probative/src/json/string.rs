//! Strings: where they end, what their escapes stand for, and the hashes of keys.

use wide::u8x16;

/// Returns the offset of the quote that ends the string which starts after `start`'s quote, and whether anything in it is
/// escaped; or the offset where it stops being a string.
#[inline]
pub(super) fn end(bytes: &[u8], start: usize) -> Result<(usize, bool), usize> {
    let at = next_special(bytes, start);
    if bytes.get(at) == Some(&b'"') { Ok((at, false)) } else { escaped_end(bytes, at).map(|end| (end, true)) }
}

#[inline(never)]
fn escaped_end(bytes: &[u8], mut at: usize) -> Result<usize, usize> {
    loop {
        match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b'"'), _) => return Ok(at),
            (Some(b'\\'), Some(b'u')) => at = unicode_escape(bytes, at).ok_or(at)?.1,
            (Some(b'\\'), Some(escaped)) if short_escape(*escaped).is_some() => at += 2,
            _ => return Err(at),
        }
        at = next_special(bytes, at);
    }
}

/// Returns the offset of the first quote, backslash or control character; the length if there is none.
#[inline]
fn next_special(bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<16>) {
        let special = special_bytes(u8x16::new(*chunk));
        if special != 0 {
            return at + special.trailing_zeros() as usize;
        }
        at += 16;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..b' ')).unwrap_or(rest.len())
}

/// One bit for each quote, backslash or control character, that of the first byte lowest.
#[inline]
fn special_bytes(bytes: u8x16) -> u32 {
    // Exchanging 0x20 and 0x22 leaves the control characters below the quote, so one comparison finds both.
    let swapped = bytes ^ u8x16::splat(0x02);
    let quote_or_control = swapped.min(u8x16::splat(0x20)).simd_eq(swapped);
    (quote_or_control | bytes.simd_eq(u8x16::splat(b'\\'))).to_bitmask()
}

fn short_escape(byte: u8) -> Option<char> {
    Some(match byte {
        b'"' | b'\\' | b'/' => char::from(byte),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        _ => return None,
    })
}

/// Decodes the `\u` escape at `at`, the offset of its backslash; the character, and the offset after it.
///
/// Half of a surrogate pair is none.
fn unicode_escape(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let first = hex_digits(bytes, at + 2)?;
    if let Some(character) = char::from_u32(first) {
        return Some((character, at + 6));
    }
    let second = (bytes.get(at + 6..at + 8)? == b"\\u").then(|| hex_digits(bytes, at + 8))??;
    let is_pair = (0xd800..0xdc00).contains(&first) && (0xdc00..0xe000).contains(&second);
    let character =
        is_pair.then(|| char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)))?;
    Some((character?, at + 12))
}

fn hex_digits(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 4)?;
    digits.iter().try_fold(0, |value, &digit| Some(value << 4 | char::from(digit).to_digit(16)?))
}

/// Resolves the escapes in the inside of a string that [`end`] has checked.
pub(super) fn unescape(raw: &str) -> String {
    let bytes = raw.as_bytes();
    let mut text = String::with_capacity(raw.len());
    let mut at = 0;
    while let Some(backslash) = memchr::memchr(b'\\', &bytes[at..]).map(|plain| at + plain) {
        text.push_str(&raw[at..backslash]);
        let escaped = bytes.get(backslash + 1).copied().and_then(short_escape);
        let (character, after) = match escaped {
            Some(character) => (character, backslash + 2),
            // What was checked can be decoded.
            None => unicode_escape(bytes, backslash).unwrap_or(('\u{fffd}', raw.len())),
        };
        text.push(character);
        at = after;
    }
    text.push_str(&raw[at..]);
    text
}

/// Hashes a key by its length and its first and last eight bytes: a filter before a comparison, not an identity.
#[inline]
pub(super) fn hash(key: &str) -> u32 {
    let bytes = key.as_bytes();
    hash_within(bytes, 0, bytes.len())
}

/// Hashes the key in a part of a text. Reads on after its end where that is faster.
#[inline]
pub(super) fn hash_within(bytes: &[u8], start: usize, end: usize) -> u32 {
    let length = end - start;
    if length == 0 {
        return 0;
    }
    let mask = u64::MAX >> (64 - 8 * length.min(8));
    let (first, last) = (word(bytes, start) & mask, word(bytes, start + length.saturating_sub(8)) & mask);
    let mixed = (first ^ last.rotate_left(29) ^ length as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 32) as u32
}

/// The eight bytes from `at` on, with zeros after the end.
#[inline]
fn word(bytes: &[u8], at: usize) -> u64 {
    if let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        return u64::from_le_bytes(*chunk);
    }
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}
