//! Dates and times as agents write them, compared in UTC.

use std::fmt;

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, Time};

/// A point in time, in UTC.
///
/// The clock is an input: whoever asks a question that depends on it says what time it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(DateTime);

/// A date or timestamp as written in a question, with whether it names a whole day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateBound {
    written: String,
    moment: Moment,
    whole_day: bool,
}

impl Moment {
    /// Reads RFC 3339, `YYYY-MM-DD` (its midnight), or a timestamp without offset (taken as UTC).
    ///
    /// `t`, `z` and a space for the `T` are read too; second 60 reads as 59. Anything else is not a date: no week
    /// dates, no missing zeros, no offset beyond 23:59.
    pub fn parse(text: &str) -> Option<Moment> {
        let mut reader = Reader(text.as_bytes());
        let date = reader.date()?;
        if reader.0.is_empty() {
            return Some(Moment(date.to_datetime(Time::midnight())));
        }
        reader.one_of(b"Tt ")?;
        let time = reader.time()?;
        let offset = reader.offset()?;
        date.to_datetime(time).checked_sub(offset).ok().filter(|_| reader.0.is_empty()).map(Moment)
    }

    /// The moment that many seconds after 1970-01-01T00:00:00Z, if it lies within the calendar (years −9999 to 9999).
    pub fn from_unix_seconds(seconds: i64) -> Option<Moment> {
        let epoch = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
        epoch.checked_add(SignedDuration::from_secs(seconds)).ok().map(Moment)
    }

    /// How many nanoseconds it lies after 1970-01-01T00:00:00Z; before it they are negative.
    pub fn unix_nanoseconds(self) -> i128 {
        self.0.duration_since(DateTime::constant(1970, 1, 1, 0, 0, 0, 0)).as_nanos()
    }

    /// The calendar year, in UTC.
    pub fn year(self) -> i16 {
        self.0.year()
    }

    /// The calendar day, in UTC: `2026-02-05`.
    pub fn day(self) -> String {
        self.0.date().to_string()
    }

    /// How many calendar days (UTC) lie between two moments, whichever comes first.
    pub fn days_from(self, other: Moment) -> u64 {
        let hours = self.0.date().duration_since(other.0.date()).as_hours();
        hours.unsigned_abs() / 24
    }
}

impl DateBound {
    /// Reads what [`Moment::parse`] reads.
    pub fn parse(written: &str) -> Option<DateBound> {
        let whole_day = written.len() == "YYYY-MM-DD".len();
        Some(DateBound { written: written.to_owned(), moment: Moment::parse(written)?, whole_day })
    }

    /// The bound as it was written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// The bound's calendar day, in UTC.
    pub fn day(&self) -> String {
        self.moment.day()
    }

    /// Whether nothing can lie between this bound as a start and the other as an end.
    pub fn is_after(&self, end: &DateBound) -> bool {
        !end.ends_after(self.moment)
    }

    /// Whether a moment is not before this bound.
    pub fn starts_by(&self, moment: Moment) -> bool {
        self.moment <= moment
    }

    /// Whether a moment is not after this bound; a bound without a time covers its whole day.
    pub fn ends_after(&self, moment: Moment) -> bool {
        if self.whole_day { moment.0.date() <= self.moment.0.date() } else { moment <= self.moment }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}Z", self.0)
    }
}

/// What is left to read of a written date.
struct Reader<'t>(&'t [u8]);

impl Reader<'_> {
    fn date(&mut self) -> Option<Date> {
        let year = self.digits(4)?;
        self.one_of(b"-")?;
        let month = self.digits(2)?;
        self.one_of(b"-")?;
        let day = self.digits(2)?;
        Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
    }

    fn time(&mut self) -> Option<Time> {
        let hour = self.digits(2)?;
        self.one_of(b":")?;
        let minute = self.digits(2)?;
        self.one_of(b":")?;
        let second = match self.digits(2)? {
            60 => 59,
            second => second,
        };
        let nanosecond = if self.one_of(b".").is_some() { self.fraction()? } else { 0 };
        Time::new(
            i8::try_from(hour).ok()?,
            i8::try_from(minute).ok()?,
            i8::try_from(second).ok()?,
            i32::try_from(nanosecond).ok()?,
        )
        .ok()
    }

    /// At least one digit; what is finer than nanoseconds is dropped.
    fn fraction(&mut self) -> Option<u32> {
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at(count);
        self.0 = rest;
        let nanoseconds =
            (0..9).fold(0, |sum, at| sum * 10 + digits.get(at).map_or(0, |byte| u32::from(byte - b'0')));
        (count > 0).then_some(nanoseconds)
    }

    fn offset(&mut self) -> Option<SignedDuration> {
        if self.0.is_empty() || self.one_of(b"Zz").is_some() {
            return Some(SignedDuration::ZERO);
        }
        let sign = if self.one_of(b"+-")? == b'-' { -1 } else { 1 };
        let hours = self.digits(2).filter(|hours| *hours < 24)?;
        self.one_of(b":")?;
        let minutes = self.digits(2).filter(|minutes| *minutes < 60)?;
        Some(SignedDuration::from_mins(sign * i64::from(hours * 60 + minutes)))
    }

    fn digits(&mut self, count: usize) -> Option<u32> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        digits
            .iter()
            .try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + u32::from(byte - b'0')))
    }

    fn one_of(&mut self, wanted: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first().filter(|(first, _)| wanted.contains(first))?;
        self.0 = rest;
        Some(*first)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> String {
        Moment::parse(text).map_or("not a date".to_owned(), |moment| moment.to_string())
    }

    #[test]
    fn the_three_written_forms_are_read() {
        assert_eq!(shown("2026-01-02"), "2026-01-02T00:00:00Z");
        assert_eq!(shown("2026-01-02T03:04:05Z"), "2026-01-02T03:04:05Z");
        assert_eq!(shown("2026-01-02t03:04:05.25z"), "2026-01-02T03:04:05.25Z");
        assert_eq!(shown("2026-01-02T03:04:05"), "2026-01-02T03:04:05Z");
        assert_eq!(shown("2026-01-02 03:04:05+05:30"), "2026-01-01T21:34:05Z");
        assert_eq!(shown("2025-12-31T23:30:00-01:00"), "2026-01-01T00:30:00Z");
        assert_eq!(shown("2016-12-31T23:59:60Z"), "2016-12-31T23:59:59Z");
        assert_eq!(shown("2026-01-02T03:04:05.1234567891234Z"), "2026-01-02T03:04:05.123456789Z");
    }

    #[test]
    fn anything_else_is_not_a_date() {
        for text in [
            "",
            "2026",
            "2026-1-2",
            "2026-02-30",
            "2026-01-02T",
            "2026-01-02T03:04Z",
            "2026-01-02T25:00:00Z",
            "2026-01-02T03:04:61Z",
            "2026-01-02T03:04:05.Z",
            "2026-01-02T03:04:05+25:00",
            "2026-01-02T03:04:05+0530",
            "2026-01-02T03:04:05Z ",
            " 2026-01-02",
            "2026-W01-1",
            "soon",
            "٢٠٢٦-٠١-٠٢",
            "9999-12-31T23:59:59-23:59",
        ] {
            assert_eq!(shown(text), "not a date", "{text}");
        }
    }

    #[test]
    fn a_whole_day_ends_with_its_day() {
        let day = DateBound::parse("2026-01-31").unwrap();
        assert!(day.ends_after(Moment::parse("2026-01-31T23:59:59.999Z").unwrap()));
        assert!(!day.ends_after(Moment::parse("2026-02-01T00:00:00Z").unwrap()));
        let noon = DateBound::parse("2026-01-31T12:00:00Z").unwrap();
        assert!(!noon.ends_after(Moment::parse("2026-01-31T12:00:01Z").unwrap()));
    }

    #[test]
    fn days_are_calendar_days_in_either_direction() {
        let (evening, morning) = ("2026-01-01T23:59:59Z", "2026-01-02T00:00:00Z");
        let (evening, morning) = (Moment::parse(evening).unwrap(), Moment::parse(morning).unwrap());
        assert_eq!(evening.days_from(morning), 1);
        assert_eq!(morning.days_from(evening), 1);
        assert_eq!(Moment::from_unix_seconds(0).unwrap().to_string(), "1970-01-01T00:00:00Z");
        assert_eq!(Moment::from_unix_seconds(i64::MAX), None);
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(seconds in -60_000_000_000_i64..200_000_000_000) {
            let moment = Moment::from_unix_seconds(seconds).unwrap();
            prop_assert_eq!(Moment::parse(&moment.to_string()), Some(moment));
        }

        #[test]
        fn no_text_panics(text in any::<String>()) {
            let _ = Moment::parse(&text);
        }
    }
}
