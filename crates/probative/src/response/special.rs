//! Order, membership, and comparison with an earlier response.

use std::cmp::Ordering;

use super::argument::{ArrayContains, Wanted};
use super::selection::{Answer, Trouble, each, listed, not_a, selects, try_each};
use crate::json::{Items, JsonNode, Kind, View};
use crate::value::{Path, Pattern, Trail, Value, equal, excerpt, order, visible, with_article};
use crate::verdict::{Error, ErrorKind, Failure, Verdict};
use crate::vocabulary::{Context, Exercise};

/// The values at the path never rise: all numbers, or all texts by code point.
pub fn sorted_desc(response: JsonNode<'_>, path: &Path) -> Verdict {
    sorted(response, path, "descending", Ordering::Less)
}

/// The values at the path never fall: all numbers, or all texts by code point.
pub fn sorted_asc(response: JsonNode<'_>, path: &Path) -> Verdict {
    sorted(response, path, "ascending", Ordering::Greater)
}

fn sorted(response: JsonNode<'_>, path: &Path, direction: &str, wrong: Ordering) -> Verdict {
    let mut index = 0;
    let mut before: Option<JsonNode<'_>> = None;
    let mut broken = false;
    each(response, path, |found, trail| {
        // After the first break every further one may be its consequence.
        if broken {
            return Ok(());
        }
        let ordered = comparable(before, found, trail);
        broken = !matches!(ordered, Ok(order) if order != wrong);
        if ordered? == wrong {
            let after = before.map(excerpt).unwrap_or_default();
            let failure = Verdict::fail(format!("Values not sorted {direction} at index {index}"))
                .expected(format!("every {path} in {direction} order"))
                .actual(format!("{} after {after}", excerpt(found)))
                .at(trail);
            return Err(failure.into());
        }
        index += 1;
        before = Some(found);
        Ok(())
    })
}

/// How the value before and this one are ordered, if they are of one kind that has an order.
fn comparable(before: Option<JsonNode<'_>>, found: JsonNode<'_>, trail: &Trail<'_>) -> Answer<Ordering> {
    match (before, found.kind()) {
        (None, Kind::Number | Kind::String) => Ok(Ordering::Equal),
        // Only numbers and strings are ever before.
        (Some(before), kind) if before.kind() == kind => Ok(order(before, found)),
        (Some(before), _) => Err(not_a(before.kind().name(), found, trail).into()),
        (None, Kind::Array) => {
            let hint = format!("an array; use {trail}[*] for its items");
            Err(not_a("number or string", found, trail).actual(hint).into())
        }
        (None, _) => Err(not_a("number or string", found, trail).into()),
    }
}

/// The array at the path contains all of the values, or some text that matches the pattern.
pub fn array_contains(response: JsonNode<'_>, argument: &ArrayContains) -> Result<Verdict, Error> {
    try_each(response, &argument.path, |found, trail| {
        let Some(items) = found.as_array() else { return Err(not_a("array", found, trail).into()) };
        match &argument.wanted {
            Wanted::Values(values) => Ok(contains_all(&items, values, found, trail)?),
            Wanted::Pattern(pattern) => contains_match(&items, pattern, found, trail),
        }
    })
}

fn contains_all(items: &Items<'_>, wanted: &[Value], found: JsonNode<'_>, trail: &Trail<'_>) -> Answer {
    let is_there = |wanted: &Value| items.clone().any(|item| equal(item, wanted));
    if wanted.iter().all(is_there) {
        return Ok(());
    }
    let absent = listed(wanted.iter().filter(|wanted| !is_there(wanted)));
    Err(Verdict::fail(format!("{trail}: missing {absent}"))
        .expected(format!("all of {}", listed(wanted)))
        .actual(excerpt(found))
        .at(trail)
        .into())
}

fn contains_match(
    items: &Items<'_>,
    pattern: &Pattern,
    found: JsonNode<'_>,
    trail: &Trail<'_>,
) -> Result<(), Trouble<Error>> {
    for item in items.clone().filter_map(JsonNode::as_str) {
        if pattern.found_in(&item, trail)? {
            return Ok(());
        }
    }
    let pattern = pattern.as_str();
    let other = items.clone().find(|item| item.kind() != Kind::String);
    let other = other.map(|item| format!(" (a pattern can't match {})", with_article(item.kind().name())));
    Err(Verdict::fail(format!("{trail}: no item matches pattern '{pattern}'"))
        .expected(format!("an item that matches '{pattern}'"))
        .actual(format!("{}{}", excerpt(found), other.unwrap_or_default()))
        .at(trail)
        .into())
}

/// No value at the path also stands at the same path of the stored response.
///
/// What the stored response is missing fails, like what this one is missing.
pub fn no_overlap(
    response: JsonNode<'_>,
    path: &Path,
    with: &str,
    context: &Context<'_>,
) -> Result<Verdict, Error> {
    let Some(stored) = context.stored.and_then(|stored| stored.get(with)) else {
        let with = visible(with);
        return Err(Error::new(ErrorKind::NotEvaluable(format!(
            "no earlier step stored a response as '{with}'"
        ))));
    };
    let stored = stored.root();
    path.check_cost(stored)?;
    let mut earlier = Vec::new();
    let there = each(stored, path, |value, trail| {
        earlier.push((value, trail.to_string()));
        Ok(())
    });
    if let Verdict::Fail(failure) = there {
        let message = format!("{} in '{}'", failure.message, visible(with));
        return Ok(Failure { message, ..*failure }.into());
    }
    earlier.sort_by(|a, b| order(a.0, b.0));
    Ok(each(response, path, |found, trail| {
        match earlier.binary_search_by(|(value, _)| order(*value, found)) {
            Err(_) => Ok(()),
            Ok(at) => {
                let (found, with, there) = (excerpt(found), visible(with), &earlier[at].1);
                Err(Verdict::fail(format!("Value {found} at {trail} also occurs in '{with}' at {there}"))
                    .expected(format!("no {path} that is also in '{with}'"))
                    .actual(found)
                    .at(trail)
                    .into())
            }
        }
    }))
}

/// Whether there are values both here and there, which could be the same.
pub(super) fn can_overlap(
    response: JsonNode<'_>,
    path: &Path,
    with: &str,
    context: &Context<'_>,
) -> Exercise {
    let stored = context.stored.and_then(|stored| stored.get(with));
    match (selects(response, path), stored.map(|stored| selects(stored.root(), path))) {
        (Exercise::Yes, Some(Exercise::No(why))) => Exercise::No(format!("{why} in '{}'", visible(with))),
        (here, _) => here,
    }
}
