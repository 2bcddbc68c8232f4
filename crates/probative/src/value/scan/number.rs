//! Numbers: where they end, that a double can hold them, and what they are.

use serde_json::Number;
use wide::u8x16;

use super::Stop;
use super::word::{ONES, byte, bytes_before, word};

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
#[inline]
pub(super) fn skip(text: &str, start: usize) -> Result<usize, Stop> {
    match Short::read(text.as_bytes(), start) {
        Some(short) => Ok(start + short.length),
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
#[inline(always)]
#[expect(clippy::inline_always, reason = "most numbers are short, and a call costs more than reading one")]
pub(super) fn read(text: &str, start: usize) -> Result<(Number, usize), Stop> {
    if let Some(short) = Short::read(text.as_bytes(), start)
        && let Some(number) = short.value(text.as_bytes(), start)
    {
        return Ok((number, start + short.length));
    }
    read_long(text, start)
}

#[inline(never)]
fn read_long(text: &str, start: usize) -> Result<(Number, usize), Stop> {
    let number = Written::read(text.as_bytes(), start)?;
    let value = number.value(text.as_bytes());
    let value = value.map_or_else(|| by_the_library(text, start, number.end), Ok)?;
    Ok((value, number.end))
}

/// A number as most are: not negative, without an exponent, and short enough for sixteen bytes to tell that it ends there.
#[derive(Clone, Copy)]
struct Short {
    /// How many digits come before the point.
    whole: usize,
    /// How many characters it has.
    length: usize,
}

impl Short {
    #[inline]
    fn read(bytes: &[u8], start: usize) -> Option<Short> {
        let chunk = match bytes.get(start..start.wrapping_add(16)).and_then(<[u8]>::first_chunk) {
            Some(chunk) => u8x16::new(*chunk),
            None => u8x16::new(last_bytes(bytes, start)?),
        };
        let values = chunk - u8x16::splat(b'0');
        // One bit for each byte that is no digit, and one behind them.
        let others = !values.min(u8x16::splat(9)).simd_eq(values).to_bitmask() & 0xffff | 0x1_0000;
        // After the end of the text there is nothing that could go on.
        let at = |length: usize| bytes.get(start + length).copied().unwrap_or_default();
        let whole = others.trailing_zeros() as usize;
        let (mut length, mut after) = (whole, at(whole));
        if after == b'.' {
            length = (others & (others - 1)).trailing_zeros() as usize;
            after = at(length);
        }
        let has_digits = whole == 1 || (whole > 1 && at(0) != b'0');
        let well_formed = has_digits && length != whole + 1 && after | 0x20 != b'e';
        (well_formed && length < 16).then_some(Short { whole, length })
    }

    /// What it is, if neither of its parts is long.
    #[inline]
    fn value(self, bytes: &[u8], start: usize) -> Option<Number> {
        let whole = self.leading(bytes, start)?;
        if self.whole == self.length {
            return Some(whole.into());
        }
        let fraction = self.length - self.whole - 1;
        let scale = *SCALES.get(fraction)?;
        let significand = whole * scale + some_digits(word(bytes, start + self.whole + 1), fraction);
        Number::from_f64(exact_double(significand)? / POWERS.get(fraction)?)
    }

    /// What the digits before the point make, if they are not many.
    #[inline]
    fn leading(self, bytes: &[u8], start: usize) -> Option<u64> {
        (self.whole < 8).then(|| some_digits(word(bytes, start), self.whole))
    }
}

/// Fewer than sixteen bytes, and zeros after the end of the text.
#[cold]
#[inline(never)]
fn last_bytes(bytes: &[u8], start: usize) -> Option<[u8; 16]> {
    let (rest, mut chunk) = (bytes.get(start..)?, [0; 16]);
    chunk.get_mut(..rest.len())?.copy_from_slice(rest);
    Some(chunk)
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
