//! Numbers: where they end, that a double can hold them, and what they are.

use serde_json::Number;

use super::Stop;
use super::word::{ONES, WIDE_ONES, byte, bytes_before, wide_bytes_before, word};

/// How many characters a number whose exponent has at most two digits may have, and surely be within the doubles.
const SURELY_FINITE: usize = 200;

/// How many digits a `u64` can always hold.
const WHOLE_DIGITS: usize = 19;

/// Up to where every whole number is a double.
const EXACT_DOUBLES: u64 = 1 << 53;

/// The powers of ten that are doubles.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// Checks the number that starts at `start`; the offset after it.
#[inline(always)]
#[expect(clippy::inline_always, reason = "most numbers are short, and a call costs more than passing one")]
pub(super) fn skip(text: &str, start: usize) -> Result<usize, Stop> {
    if let Some((count, _)) = short(text.as_bytes(), start) {
        return Ok(start + count);
    }
    skip_other(text, start)
}

/// The same for one that is not among the most common.
#[inline(never)]
fn skip_other(text: &str, start: usize) -> Result<usize, Stop> {
    match short_decimal(text.as_bytes(), start) {
        Some((_, count)) => Ok(start + count),
        None => skip_long(text, start),
    }
}

#[inline(never)]
fn skip_long(text: &str, start: usize) -> Result<usize, Stop> {
    let number = Written::read(text.as_bytes(), start)?;
    if number.end - start > SURELY_FINITE || number.exponent > 2 {
        by_the_library(text, start, number.end)?;
    }
    Ok(number.end)
}

/// Reads the number that starts at `start`, and the offset after it.
#[inline]
pub(super) fn read(text: &str, start: usize) -> Result<(Number, usize), Stop> {
    if let Some((count, first)) = short(text.as_bytes(), start) {
        return Ok((some_digits(first, count).into(), start + count));
    }
    if let Some((number, end)) = short_fraction(text.as_bytes(), start) {
        return Ok((number, end));
    }
    let number = Written::read(text.as_bytes(), start)?;
    let value = number.value(text.as_bytes());
    let value = value.map_or_else(|| by_the_library(text, start, number.end), Ok)?;
    Ok((value, number.end))
}

/// The number that starts at `start`, if it is one of the most common.
#[inline]
pub(super) fn short_whole(bytes: &[u8], start: usize) -> Option<u64> {
    short(bytes, start).map(|(count, first)| some_digits(first, count))
}

/// How many digits the number at `start` has, and the word that has them all, if it is one of the most common: whole,
/// not negative, and short enough for the word to tell that it ends there.
#[inline]
fn short(bytes: &[u8], start: usize) -> Option<(usize, u64)> {
    let first = word(bytes, start);
    let count = digit_count(first);
    let after = byte(first, count);
    let goes_on = after == b'.' || after | 0x20 == b'e';
    let well_formed = byte(first, 0) != b'0' || count == 1;
    ((1..8).contains(&count) && !goes_on && well_formed).then_some((count, first))
}

/// Reads the number at `start`, and the offset after it, if it is one of the next most common and neither of its parts is long.
#[inline]
fn short_fraction(bytes: &[u8], start: usize) -> Option<(Number, usize)> {
    let (point, count) = short_decimal(bytes, start)?;
    let fraction = count - point - 1;
    let scale = *SCALES.get(fraction)?;
    if point >= 8 {
        return None;
    }
    let whole = some_digits(word(bytes, start), point);
    let significand = whole * scale + some_digits(word(bytes, start + point + 1), fraction);
    let value = exact_double(significand)? / POWERS.get(fraction)?;
    Some((Number::from_f64(value)?, start + count))
}

/// Where the point of the number at `start` is, and how many characters it has, if it is one of the next most common: not
/// negative, with a fraction, and short enough for sixteen bytes to tell that it ends there.
#[inline]
fn short_decimal(bytes: &[u8], start: usize) -> Option<(usize, usize)> {
    let chunk: &[u8; 16] = bytes.get(start..start.wrapping_add(16))?.first_chunk()?;
    let values = u128::from_le_bytes(*chunk) ^ (WIDE_ONES * 0x30);
    // Without the high bits nothing is carried, so that this is true of each byte by itself.
    let others = (((values & (WIDE_ONES * 0x7f)) + WIDE_ONES * 0x76) | values) & (WIDE_ONES * 0x80);
    let point = wide_bytes_before(others);
    let end = wide_bytes_before(others & others.wrapping_sub(1));
    let well_formed = point == 1 || (point > 1 && chunk[0] != b'0');
    let ends = chunk.get(end).is_some_and(|after| after | 0x20 != b'e');
    (well_formed && chunk.get(point) == Some(&b'.') && end > point + 1 && ends).then_some((point, end))
}

/// Numbers that are rare or hard are left to the library, so that what they are does not depend on who reads them.
#[inline(never)]
fn by_the_library(text: &str, start: usize, end: usize) -> Result<Number, Stop> {
    let stop = Stop { at: start };
    serde_json::from_str(text.get(start..end).ok_or(stop)?).map_err(|_| stop)
}

/// A number as written: where it starts, sign aside, and ends, and how many digits each of its parts has.
struct Written {
    first: usize,
    end: usize,
    negative: bool,
    whole: usize,
    fraction: usize,
    exponent: usize,
}

impl Written {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "whoever skips a number needs but a part of this")]
    fn read(bytes: &[u8], start: usize) -> Result<Self, Stop> {
        let negative = byte(word(bytes, start), 0) == b'-';
        let first = start + usize::from(negative);
        let mut end = after_digits(bytes, first);
        let (whole, mut fraction, mut exponent) = (end - first, 0, 0);
        if whole == 0 || (whole > 1 && bytes.get(first) == Some(&b'0')) {
            return Err(Stop { at: first });
        }
        let mut after = byte(word(bytes, end), 0);
        if after == b'.' {
            let first = end + 1;
            end = after_digits(bytes, first);
            fraction = end - first;
            if fraction == 0 {
                return Err(Stop { at: end });
            }
            after = byte(word(bytes, end), 0);
        }
        if after | 0x20 == b'e' {
            let first = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            end = after_digits(bytes, first);
            exponent = end - first;
            if exponent == 0 {
                return Err(Stop { at: end });
            }
        }
        Ok(Written { first, end, negative, whole, fraction, exponent })
    }

    /// The value, if it takes at most one operation on exact numbers to find it.
    #[inline]
    fn value(&self, bytes: &[u8]) -> Option<Number> {
        if self.exponent > 0 || self.whole + self.fraction > WHOLE_DIGITS {
            return None;
        }
        // All digits, as if there were no point.
        let mut significand = digits(bytes, self.first, 0);
        if self.fraction > 0 {
            significand = digits(bytes, self.first + self.whole + 1, significand);
            let value = exact_double(significand)? / POWERS.get(self.fraction)?;
            Number::from_f64(if self.negative { -value } else { value })
        } else if !self.negative {
            Some(significand.into())
        } else {
            let value = i64::try_from(significand).ok().filter(|&value| value != 0)?;
            Some((-value).into())
        }
    }
}

#[inline]
#[expect(clippy::cast_precision_loss, reason = "there is none up to there")]
fn exact_double(whole: u64) -> Option<f64> {
    (whole <= EXACT_DOUBLES).then_some(whole as f64)
}

/// The offset after the digits that start at `at`.
#[inline]
fn after_digits(bytes: &[u8], mut at: usize) -> usize {
    loop {
        let count = digit_count(word(bytes, at));
        at += count;
        if count < 8 {
            return at;
        }
    }
}

/// What the digits that start at `at` make when written after `before`.
#[inline]
fn digits(bytes: &[u8], mut at: usize, before: u64) -> u64 {
    let mut value = before;
    loop {
        let word = word(bytes, at);
        let count = digit_count(word);
        let Some(scale) = SCALES.get(count) else {
            value = value.wrapping_mul(100_000_000).wrapping_add(some_digits(word, 8));
            at += 8;
            continue;
        };
        return value.wrapping_mul(*scale).wrapping_add(some_digits(word, count));
    }
}

const SCALES: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// How many digits a word starts with.
#[inline]
fn digit_count(word: u64) -> usize {
    let values = word ^ (ONES * 0x30);
    // A carry goes only to bytes after the first that is no digit.
    bytes_before((values | values.wrapping_add(ONES * 0x76)) & (ONES * 0x80))
}

/// The number that the first `count` bytes of a word make, which are digits.
#[inline]
fn some_digits(word: u64, count: usize) -> u64 {
    // Zeros come before them in place of what comes after them. If there are none, nothing is left after two shifts.
    let values = (word ^ (ONES * 0x30)) << (4 * (8 - count)) << (4 * (8 - count));
    // Neighbours are joined to two, four and eight digits.
    let twos = values.wrapping_mul(10).wrapping_add(values >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = twos.wrapping_mul(100).wrapping_add(twos >> 16) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff
}
