//! When things happened.

use super::argument::DatesBetween;
use super::selection::{Answer, each, text};
use crate::json::JsonNode;
use crate::value::excerpt::cut;
use crate::value::{Moment, Path, Trail, excerpt};
use crate::verdict::{Error, ErrorKind, Verdict};

/// Every date at the path lies between start and end, both included.
pub fn all_dates_between(response: JsonNode<'_>, dates: &DatesBetween) -> Verdict {
    let DatesBetween { path, start, end } = dates;
    each(response, path, |found, trail| {
        let date = date(found, trail)?;
        if start.starts_by(date) && end.ends_after(date) {
            return Ok(());
        }
        // Days alone would say nothing where the date fails by hours.
        let (first, last, day) = (start.day(), end.day(), date.day());
        let (range, shown) = if first <= day && day <= last {
            (format!("{} to {}", start.as_str(), end.as_str()), date.to_string())
        } else {
            (format!("{first} to {last}"), day)
        };
        Err(Verdict::fail(format!("Date {shown} is outside range {range}"))
            .expected(format!("every {path} from {} to {}", start.as_str(), end.as_str()))
            .actual(excerpt(found))
            .at(trail)
            .into())
    })
}

/// Every date at the path is at most `days` calendar days (UTC) from now, before or after.
pub fn dates_within_days(
    response: JsonNode<'_>,
    path: &Path,
    days: u64,
    now: Option<Moment>,
) -> Result<Verdict, Error> {
    let Some(now) = now else {
        return Err(Error::new(ErrorKind::NotEvaluable(
            "dates_within_days needs the current time".to_owned(),
        )));
    };
    Ok(each(response, path, |found, trail| {
        let date = date(found, trail)?;
        let distance = date.days_from(now);
        if distance <= days {
            return Ok(());
        }
        let (plural, today) = (if distance == 1 { "" } else { "s" }, now.day());
        Err(Verdict::fail(format!(
            "Date {} is {distance} day{plural} from {today}, more than {days}",
            in_utc(found, date)
        ))
        .expected(format!("every {path} within {days} days of {today}"))
        .actual(excerpt(found))
        .at(trail)
        .into())
    }))
}

/// Every date at the path lies in the year, in UTC.
pub fn all_dates_in_year(response: JsonNode<'_>, path: &Path, year: i16) -> Verdict {
    each(response, path, |found, trail| {
        let date = date(found, trail)?;
        if date.year() == year {
            return Ok(());
        }
        Err(Verdict::fail(format!("Date {} is not in year {year}", in_utc(found, date)))
            .expected(format!("every {path} in {year}"))
            .actual(excerpt(found))
            .at(trail)
            .into())
    })
}

/// The day of a date, after the date as written if that names another day: `2026-01-01T00:30:00+01:00 (2025-12-31 in UTC)`.
fn in_utc(found: JsonNode<'_>, date: Moment) -> String {
    let day = date.day();
    match found.as_str() {
        Some(written) if !written.starts_with(&day) => format!("{} ({day} in UTC)", cut(&written)),
        _ => day,
    }
}

fn date(found: JsonNode<'_>, trail: &Trail<'_>) -> Answer<Moment> {
    Moment::parse(&text(found, trail)?).ok_or_else(|| {
        let found = excerpt(found);
        Verdict::fail(format!("{trail}: expected a date, found {found}"))
            .expected("a date: RFC 3339, YYYY-MM-DD, or a timestamp without an offset")
            .actual(found)
            .at(trail)
            .into()
    })
}
