//! What can be told of a response at a glance: each assertion as what it asks of which values.

use std::cmp::Ordering;

use super::{ArrayContains, Bounds, DatesBetween, FieldIs, FieldShape, ResponseAssertion, Wanted};
use crate::glance::{Check, Contents, Glance, Item, MOST_ITEMS, Presence, TooMuch};
use crate::value::path::Plain;
use crate::value::{Path, Value};
use crate::vocabulary::{Context, Vocabulary};

const RESULTS: Plain<'static> = Plain::Name("results");
const TAGS: [Plain<'static>; 4] = [RESULTS, Plain::Items, Plain::Name("metadata"), Plain::Name("tags")];

impl ResponseAssertion {
    /// Asks at a glance what [`judge`](Vocabulary::judge) asks of a tree, and nothing less.
    pub(super) fn ask_at_a_glance<'q>(
        &'q self,
        glance: &mut Glance<'q>,
        context: &Context<'_>,
    ) -> Result<(), TooMuch> {
        use ResponseAssertion as Said;
        match self {
            Said::Status(value) => own_field(glance, "status", equals(value)),
            Said::ErrorCode(value) => own_field(glance, "error_code", equals(value)),
            Said::Contains(text) => glance.mention(text),
            Said::MessageContains(text) => own_field(glance, "message", Check::contains(text)),
            Said::SummaryContains(text) => own_field(glance, "summary", Check::contains(text)),
            Said::ResultsMin(least) => glance.ask_length(&[RESULTS], least.0, u64::MAX),
            Said::ResultsMax(most) => glance.ask_length(&[RESULTS], 0, most.0),
            Said::ResultsCount(exactly) => glance.ask_length(&[RESULTS], exactly.0, exactly.0),
            Said::HasFields(paths) => paths.iter().try_for_each(|path| glance.exists(&plain(path)?)),
            Said::HasField(FieldIs { name, value: None }) => glance.exists(&plain(name)?),
            Said::HasField(FieldIs { name, value: Some(value) }) => each(glance, name, equals(value)),
            Said::FieldEquals(fields) => {
                fields.iter().try_for_each(|(path, value)| each(glance, path, equals(value)))
            }
            Said::FieldContains { path, text } => each(glance, path, Check::contains(text)),
            Said::AllMatch { path, value } => each(glance, path, equals(value)),
            Said::AllMatchOneOf { path, values } => each(glance, path, Check::OneOf(values)),
            Said::AllMatchPattern { path, regex: pattern } => {
                each(glance, path, Check::Matches { pattern, found: true })
            }
            Said::NoneMatchPattern { path, regex: pattern } => {
                each(glance, path, Check::Matches { pattern, found: false })
            }
            Said::AllHaveTags(tags) => tagged(glance, Presence::Required, tags, Contents::All),
            Said::NoneHaveTags(tags) => tagged(glance, Presence::Optional, tags, Contents::None),
            Said::EachHasAnyTag(tags) => tagged(glance, Presence::Required, tags, Contents::Any),
            Said::AllDatesBetween(DatesBetween { path, start, end }) => {
                each(glance, path, Check::Between { start, end })
            }
            Said::DatesWithinDays { path, days } => {
                let now = context.now.ok_or(TooMuch)?;
                each(glance, path, Check::Within { days: days.0, now })
            }
            Said::AllDatesInYear { path, year } => each(glance, path, Check::InYear(*year)),
            Said::AllInRange(Bounds { path, min, max }) | Said::RangeCheck(Bounds { path, min, max }) => {
                each(glance, path, Check::InRange { min: min.as_ref(), max: max.as_ref() })
            }
            Said::SortedDesc { path } => sorted(glance, path, Ordering::Less),
            Said::SortedAsc { path } => sorted(glance, path, Ordering::Greater),
            Said::ArrayContains(ArrayContains { path, wanted }) => {
                let contents = match wanted {
                    Wanted::Pattern(pattern) => Contents::Match(pattern),
                    Wanted::Values(values) => Contents::All(few(values.iter().map(Item::Value))?),
                };
                glance.ask_contents(&plain(path)?, Presence::Required, contents)
            }
            // What holds in any case holds where the guard is open.
            Said::IfResults(then) | Said::IfHasHistory(then) => {
                then.assertions().iter().try_for_each(|assertion| assertion.at_a_glance(glance, context))
            }
            Said::ResultsSchema(fields) => {
                fields.iter().try_for_each(|(path, shape)| shaped(glance, path, shape))
            }
            Said::OneOf(_) | Said::IfSensitiveResults(_) | Said::NoOverlap { .. } => Err(TooMuch),
        }
    }
}

fn equals(value: &Value) -> Check<'_> {
    Check::OneOf(std::slice::from_ref(value))
}

fn plain(path: &Path) -> Result<Vec<Plain<'_>>, TooMuch> {
    path.plain().ok_or(TooMuch)
}

fn each<'q>(glance: &mut Glance<'q>, path: &'q Path, check: Check<'q>) -> Result<(), TooMuch> {
    glance.ask(&plain(path)?, Presence::Required, check)
}

fn own_field<'q>(glance: &mut Glance<'q>, name: &'q str, check: Check<'q>) -> Result<(), TooMuch> {
    glance.ask(&[Plain::Name(name)], Presence::Required, check)
}

fn sorted<'q>(glance: &mut Glance<'q>, path: &'q Path, order: Ordering) -> Result<(), TooMuch> {
    let sequence = glance.sequence()?;
    each(glance, path, Check::Never { order, sequence })
}

/// Asks something of the tags of every result.
fn tagged<'q>(
    glance: &mut Glance<'q>,
    presence: Presence,
    tags: &'q [String],
    contents: fn(Vec<Item<'q>>) -> Contents<'q>,
) -> Result<(), TooMuch> {
    let tags = few(tags.iter().map(|tag| Item::Text(tag)))?;
    // There are results, whether or not they have tags.
    glance.ask_length(&[RESULTS], 0, u64::MAX)?;
    glance.ask_contents(&TAGS, presence, contents(tags))
}

fn few<'q>(items: impl ExactSizeIterator<Item = Item<'q>>) -> Result<Vec<Item<'q>>, TooMuch> {
    if items.len() <= MOST_ITEMS { Ok(items.collect()) } else { Err(TooMuch) }
}

/// Asks a field of every result to have a shape.
fn shaped<'q>(glance: &mut Glance<'q>, field: &'q Path, shape: &'q FieldShape) -> Result<(), TooMuch> {
    let FieldShape { r#type, min, max, r#enum, pattern, optional } = shape;
    let field = plain(field)?;
    // Of an optional field below every item, some may be there and others not.
    if *optional && field.contains(&Plain::Items) {
        return Err(TooMuch);
    }
    let presence = if *optional { Presence::Optional } else { Presence::Required };
    let path: Vec<Plain<'_>> = [RESULTS, Plain::Items].into_iter().chain(field).collect();
    glance.ask_length(&[RESULTS], 0, u64::MAX)?;
    let bounds =
        (min.is_some() || max.is_some()).then_some(Check::InRange { min: min.as_ref(), max: max.as_ref() });
    let checks = [
        r#type.map(Check::Is),
        bounds,
        r#enum.as_deref().map(Check::OneOf),
        pattern.as_ref().map(|pattern| Check::Matches { pattern, found: true }),
    ];
    if !optional {
        glance.exists(&path)?;
    }
    checks.into_iter().flatten().try_for_each(|check| glance.ask(&path, presence, check))
}
