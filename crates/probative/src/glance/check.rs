//! What can be asked of a value as it comes by.

use std::borrow::Cow;
use std::cmp::Ordering;

use memchr::memmem::Finder;

use crate::argument::JsonType;
use crate::value::scan::{Kind, Scanner, Stop};
use crate::value::{DateBound, Moment, Number, Pattern, Value, compare_numbers, equal};

/// Something asked of one value.
#[derive(Debug)]
pub(crate) enum Check<'q> {
    /// It equals one of these.
    OneOf(&'q [Value]),
    /// It is a text that contains this one.
    Contains(Box<Finder<'q>>),
    /// It is a text in which the pattern is found, or in which it is not.
    Matches { pattern: &'q Pattern, found: bool },
    /// It is a date between two others, both included.
    Between { start: &'q DateBound, end: &'q DateBound },
    /// It is a date so many days from now at most.
    Within { days: u64, now: Moment },
    /// It is a date of this year.
    InYear(i16),
    /// It is a number between two others, both included.
    InRange { min: Option<&'q Number>, max: Option<&'q Number> },
    /// It is of a type.
    Is(JsonType),
    /// Compared with it, the one before is not so.
    Never { order: Ordering, sequence: usize },
}

/// Something asked of all items of an array together.
#[derive(Debug)]
pub(crate) enum Contents<'q> {
    /// Each of these is among them.
    All(Vec<Item<'q>>),
    /// Some of these are.
    Any(Vec<Item<'q>>),
    /// None of these is.
    None(Vec<Item<'q>>),
    /// So is a text in which the pattern is found.
    Match(&'q Pattern),
}

/// An item that an array is looked through for: nothing that holds others.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Item<'q> {
    Text(&'q str),
    Value(&'q Value),
}

impl Item<'_> {
    #[inline]
    fn is_text(self, text: &[u8]) -> bool {
        match self {
            Item::Text(wanted) => wanted.as_bytes() == text,
            Item::Value(Value::String(wanted)) => wanted.as_bytes() == text,
            Item::Value(_) => false,
        }
    }
}

/// A value as it stands in a text.
#[derive(Debug, Clone)]
pub(super) enum Found<'t> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'t, str>),
    /// An array or object, read whole because something is asked of it.
    Whole(Value),
}

impl<'t> Found<'t> {
    /// Reads a value that holds no others. Where one is only checked, that is done as it is read, which is faster.
    pub(super) fn scalar(scanner: &mut Scanner<'t>) -> Result<Found<'t>, Stop> {
        Ok(match scanner.peek()? {
            Kind::String => Found::Text(scanner.string_here()?),
            Kind::Number => Found::Number(scanner.number_here()?),
            Kind::Bool => Found::Bool(scanner.bool()?),
            Kind::Null => {
                scanner.null()?;
                Found::Null
            }
            Kind::Array | Kind::Object => return Err(Stop { at: scanner.at() }),
        })
    }
}

impl Found<'_> {
    /// The same as [`equal`] of the value that it stands for.
    fn equals(&self, other: &Value) -> bool {
        match (self, other) {
            (Found::Null, Value::Null) => true,
            (Found::Bool(found), Value::Bool(other)) => found == other,
            (Found::Number(found), Value::Number(other)) => compare_numbers(found, other).is_eq(),
            (Found::Text(found), Value::String(other)) => found == other,
            (Found::Whole(found), other) => equal(found, other),
            _ => false,
        }
    }

    /// Not inlined: what it asks of some numbers would be asked of all beforehand.
    #[inline(never)]
    fn is(&self, r#type: JsonType) -> bool {
        match (self, r#type) {
            (Found::Null, JsonType::Null)
            | (Found::Bool(_), JsonType::Boolean)
            | (Found::Number(_), JsonType::Number)
            | (Found::Text(_), JsonType::String) => true,
            (Found::Number(number), JsonType::Integer) => JsonType::is_whole(number),
            (Found::Whole(value), r#type) => r#type.includes(value),
            _ => false,
        }
    }

    /// Whether it is something that an array is looked through for.
    fn is_item(&self, item: Item<'_>) -> bool {
        match (self, item) {
            (Found::Text(found), Item::Text(text)) => found == text,
            (_, Item::Text(_)) => false,
            (found, Item::Value(value)) => found.equals(value),
        }
    }
}

impl<'q> Check<'q> {
    /// Asks for a text that contains another.
    pub(crate) fn contains(text: &'q str) -> Check<'q> {
        Check::Contains(Box::new(Finder::new(text)))
    }

    /// Whether a value is so for certain. `before` holds, for each sequence, the value before.
    pub(super) fn passes<'t>(&self, found: &Found<'t>, before: &mut [Option<Found<'t>>]) -> bool {
        match (self, found) {
            (Check::OneOf(values), found) => values.iter().any(|value| found.equals(value)),
            (Check::Is(r#type), found) => found.is(*r#type),
            (Check::InRange { min, max }, Found::Number(number)) => {
                min.is_none_or(|min| compare_numbers(number, min).is_ge())
                    && max.is_none_or(|max| compare_numbers(number, max).is_le())
            }
            (Check::Contains(wanted), Found::Text(text)) => wanted.find(text.as_bytes()).is_some(),
            // What the engine gives up on is an error, and not for a glance to tell.
            (Check::Matches { pattern, found }, Found::Text(text)) => pattern.is_match(text) == Ok(*found),
            (Check::Between { start, end }, Found::Text(text)) => {
                Moment::parse(text).is_some_and(|date| start.starts_by(date) && end.ends_after(date))
            }
            (Check::Within { days, now }, Found::Text(text)) => {
                Moment::parse(text).is_some_and(|date| date.days_from(*now) <= *days)
            }
            (Check::InYear(year), Found::Text(text)) => {
                Moment::parse(text).is_some_and(|date| date.year() == *year)
            }
            (Check::Never { order, sequence }, found) => {
                let Some(before) = before.get_mut(*sequence) else { return false };
                let compared = match (before.as_ref(), found) {
                    (None, Found::Number(_) | Found::Text(_)) => Ordering::Equal,
                    (Some(Found::Number(before)), Found::Number(found)) => compare_numbers(before, found),
                    (Some(Found::Text(before)), Found::Text(found)) => before.cmp(found),
                    _ => return false,
                };
                *before = Some(found.clone());
                compared != *order
            }
            _ => false,
        }
    }
}

impl Contents<'_> {
    /// Takes one more item: `met` has a bit for each thing that is looked for. Answers whether the array can still pass.
    pub(super) fn meet(&self, item: &Found<'_>, met: &mut u64) -> bool {
        match self {
            Contents::All(wanted) | Contents::Any(wanted) | Contents::None(wanted) => {
                for (bit, wanted) in wanted.iter().enumerate() {
                    *met |= u64::from(item.is_item(*wanted)) << bit;
                }
                true
            }
            Contents::Match(pattern) => match item {
                Found::Text(text) if *met == 0 => match pattern.is_match(text) {
                    Ok(found) => {
                        *met = u64::from(found);
                        true
                    }
                    Err(_) => false,
                },
                _ => true,
            },
        }
    }

    /// The same for a text, as its bytes.
    #[inline]
    pub(super) fn meet_text(&self, text: &[u8], met: &mut u64) -> bool {
        match self {
            Contents::All(wanted) | Contents::Any(wanted) | Contents::None(wanted) => {
                for (bit, wanted) in wanted.iter().enumerate() {
                    *met |= u64::from(wanted.is_text(text)) << bit;
                }
                true
            }
            Contents::Match(_) => {
                str::from_utf8(text).is_ok_and(|text| self.meet(&Found::Text(Cow::Borrowed(text)), met))
            }
        }
    }

    /// Whether what was met passes, for certain.
    pub(super) fn passes(&self, met: u64) -> bool {
        match self {
            Contents::All(wanted) => met == u64::MAX.checked_shr(64 - len(wanted)).unwrap_or(0),
            Contents::Any(_) | Contents::Match(_) => met != 0,
            Contents::None(_) => met == 0,
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "there are at most 64")]
fn len(items: &[Item<'_>]) -> u32 {
    items.len() as u32
}
