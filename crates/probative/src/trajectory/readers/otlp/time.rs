//! When spans began and ended, in the ways in which that is written.

use crate::trajectory::json::Json;
use crate::trajectory::readers::json::{seconds, timestamp};
use crate::value::{Moment, Value};

const SECOND: i128 = 1_000_000_000;

/// A time in nanoseconds since 1970, with what a step says of it.
#[derive(Debug, Clone)]
pub(super) struct Time {
    pub(super) nanoseconds: i128,
    pub(super) told: Option<Json<'static>>,
}

impl Time {
    /// From a number of nanoseconds, which may be a text; 0 is none.
    pub(super) fn of_nanoseconds(value: &Value) -> Option<Time> {
        let nanoseconds = match value {
            Value::Number(number) => number.as_u64().map(i128::from),
            Value::String(text) => text.parse::<u64>().ok().map(i128::from),
            _ => None,
        };
        let nanoseconds = nanoseconds.filter(|nanoseconds| *nanoseconds > 0)?;
        Some(Time { nanoseconds, told: in_seconds(nanoseconds).and_then(seconds) })
    }

    /// From a text in RFC 3339.
    pub(super) fn of_text(value: &Value) -> Option<Time> {
        let nanoseconds = Moment::parse(value.as_str()?)?.unix_nanoseconds();
        Some(Time { nanoseconds, told: timestamp(Some(value)) })
    }

    /// So much later.
    pub(super) fn after(&self, nanoseconds: i128) -> Time {
        Time { nanoseconds: self.nanoseconds.saturating_add(nanoseconds), told: None }
    }
}

/// How many seconds so many nanoseconds are, if they are not negative and fewer than 136 years. No digit is lost that a
/// number can hold.
pub(super) fn in_seconds(nanoseconds: i128) -> Option<f64> {
    let whole = u32::try_from(nanoseconds.div_euclid(SECOND)).ok()?;
    let rest = u32::try_from(nanoseconds.rem_euclid(SECOND)).ok()?;
    Some(f64::from(whole) + f64::from(rest) / 1e9)
}

/// How many nanoseconds a duration is that is written like `PT1M2.5S` or `P1DT2H`.
pub(super) fn duration(text: &str) -> Option<i128> {
    let mut rest = text.strip_prefix('P')?.replacen('T', "", 1);
    let mut total: i128 = 0;
    for (unit, length) in [('D', 86_400), ('H', 3_600), ('M', 60), ('S', 1)] {
        let Some((number, after)) = rest.split_once(unit) else { continue };
        total = total.saturating_add(nanoseconds(number)?.saturating_mul(length));
        rest = after.to_owned();
    }
    rest.is_empty().then_some(total)
}

/// A number of seconds with up to nine decimals, in nanoseconds.
fn nanoseconds(number: &str) -> Option<i128> {
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    let whole = i128::from(whole.parse::<u32>().ok()?);
    if !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let decimals: String = decimals.chars().chain(std::iter::repeat('0')).take(9).collect();
    Some(whole.saturating_mul(SECOND).saturating_add(decimals.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_to_the_nanosecond() {
        assert_eq!(duration("PT24.688187S"), Some(24_688_187_000));
        assert_eq!(duration("P1DT2H3M4S"), Some(93_784 * SECOND));
        assert_eq!(duration("PT0.0000480001S"), Some(48_000));
        for text in ["", "P1", "PT-1S", "PT1.xS", "1S", "PT99999999999999S"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }

    #[test]
    fn nanoseconds_become_seconds_without_losing_digits() {
        assert_eq!(in_seconds(1_781_300_001_375_000_000), Some(1_781_300_001.375));
        assert_eq!(in_seconds(-1), None);
        assert_eq!(in_seconds(i128::MAX), None);
    }
}
