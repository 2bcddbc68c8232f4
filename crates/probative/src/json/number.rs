//! Numbers: where they end, that a double can hold them, and what they are.

use serde_json::Number;

/// A number of at most this many characters is within the doubles unless its exponent has more than two digits.
const SURELY_FINITE: usize = 200;

/// Returns the offset after the number that starts at `start`, or the offset where it stops being one.
#[inline]
pub(super) fn end(bytes: &[u8], start: usize) -> Result<usize, usize> {
    let after_digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let first = start + usize::from(bytes.get(start) == Some(&b'-'));
    let mut end = after_digits(first);
    if end == first || (bytes[first] == b'0' && end > first + 1) {
        return Err(first);
    }
    if bytes.get(end) == Some(&b'.') {
        let fraction = end + 1;
        end = after_digits(fraction);
        if end == fraction {
            return Err(end);
        }
    }
    let mut exponent = 0;
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let digits = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        end = after_digits(digits);
        exponent = end - digits;
        if exponent == 0 {
            return Err(end);
        }
    }
    let may_be_infinite = exponent > 2 || end - start > SURELY_FINITE;
    if may_be_infinite && !is_finite(&bytes[start..end]) { Err(start) } else { Ok(end) }
}

#[cold]
fn is_finite(digits: &[u8]) -> bool {
    let text = std::str::from_utf8(digits).unwrap_or_default();
    text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Parses a number that [`end`] has checked: integers of up to 64 bits exactly, others as the nearest double.
pub(super) fn parse(written: &str) -> Number {
    let integer = written.parse::<u64>().map(Number::from);
    // `-0` is a double: integers have no negative zero.
    let negative = || written.parse::<i64>().ok().filter(|value| *value != 0).map(Number::from);
    let double = || written.parse::<f64>().ok().and_then(Number::from_f64);
    integer.ok().or_else(negative).or_else(double).unwrap_or_else(|| Number::from(0))
}
