//! Eight bytes of a text at once.

/// 1 in each byte.
pub(super) const ONES: u64 = u64::MAX / 255;

/// The eight bytes from `at` on, the first lowest, with zeros after the end of the text.
///
/// No character of JSON is zero, so that what is looked for is never found after the end.
#[inline]
pub(super) fn word(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..at.wrapping_add(8)).and_then(<[u8]>::first_chunk) {
        Some(eight) => u64::from_le_bytes(*eight),
        None => last_word(bytes, at),
    }
}

/// The same where fewer than eight are left. Every text has such an end, and most are short.
#[cold]
#[inline(never)]
fn last_word(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    match bytes.last_chunk() {
        // Those before them are shifted out. If none is left, nothing is left after two shifts.
        Some(eight) => u64::from_le_bytes(*eight) >> (4 * (8 - rest.len())) >> (4 * (8 - rest.len())),
        None => rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

/// How many bytes come before the first whose high bit is set; eight if none is.
#[inline]
pub(super) fn bytes_before(high_bits: u64) -> usize {
    high_bits.trailing_zeros() as usize / 8
}

/// One of the bytes, the first being number zero; zero after the last.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "one byte is what is asked for")]
pub(super) fn byte(word: u64, number: usize) -> u8 {
    word.checked_shr(8 * number as u32).unwrap_or_default() as u8
}
