//! What is seen in a selection of which an assertion holds that must not.

use cupel::{ContextItem, SelectionReport};

use super::ContextAssertion as Saw;
use super::argument::{HowMany, KindCount, OfKind};
use super::candidates::shown as shown_predicate;
use super::telling::{beginning, counted, shown};
use crate::argument::Yes;
use crate::spec::lang::Expression;
use crate::spec::lang::readable::{comparison, conjuncts};
use crate::value::excerpt::around;
use crate::verdict::Part;
use crate::vocabulary::Sighting;

/// What is seen; `None` where nothing but the assertion itself says it.
pub(super) fn of(assertion: &Saw, report: &SelectionReport) -> Option<Sighting> {
    let witnesses = assertion.shown_by(report);
    let first = witnesses.first().map(|pointed| pointed.part);
    let of_item = |seen: &dyn Fn(Part) -> String, expected: String, predicate: Option<&Expression>| {
        let part = first?;
        let item = item(report, part)?;
        let content = predicate.and_then(|predicate| content_around(item, predicate));
        let content = content.unwrap_or_else(|| beginning(item));
        let found = format!("{part} is {content}");
        Some(Sighting::of_action(seen(part)).expected(expected).found(found).at(part))
    };
    match assertion {
        Saw::IncludeItemWithKind(OfKind { kind }) => {
            let kind = shown(&kind.0);
            let expected = format!("no included item with kind {kind}");
            of_item(&|part| format!("{part} has kind {kind}"), expected, None)
        }
        Saw::IncludeItemMatching(matching) => {
            let predicate = shown_predicate(&matching.predicate);
            let expected = format!("no included item where {predicate}");
            of_item(&|part| format!("{part} satisfies {predicate}"), expected, Some(&matching.predicate))
        }
        Saw::PlaceItemAtEdge(matching) => {
            let predicate = shown_predicate(&matching.predicate);
            let expected = format!("no item at an edge where {predicate}");
            let seen = |part| format!("{part} is at an edge and satisfies {predicate}");
            of_item(&seen, expected, Some(&matching.predicate))
                .map(|sighting| sighting.but("must not be there"))
        }
        Saw::ExcludeItemWithReason(asked) => {
            let reason = asked.reason;
            let expected = format!("no item excluded with reason {reason}");
            of_item(&|part| format!("{part} was excluded with reason {reason}"), expected, None)
                .map(|sighting| sighting.but("must not be"))
        }
        Saw::ExcludeItemMatchingWithReason(asked) => {
            let (predicate, reason) = (shown_predicate(&asked.predicate), asked.reason);
            let expected = format!("no item excluded with reason {reason} where {predicate}");
            let seen = |part| format!("{part} satisfies {predicate} and was excluded with reason {reason}");
            of_item(&seen, expected, Some(&asked.predicate)).map(|sighting| sighting.but("must not be"))
        }
        Saw::IncludeExactlyNItemsWithKind(KindCount { kind, n }) => {
            let kind = shown(&kind.0);
            let count = counted(n.0, "included item");
            let sighting = Sighting::of_action(format!("found exactly {count} with kind {kind}"))
                .but("there must be fewer or more")
                .expected(format!("fewer or more than {count} with kind {kind}"))
                .found(count);
            Some(match first {
                Some(part) => sighting.at(part),
                None => sighting,
            })
        }
        Saw::HaveNoExclusionsForKind(OfKind { kind }) => {
            let kind = shown(&kind.0);
            Some(
                Sighting::of_action(format!("no excluded item has kind {kind}"))
                    .but("one must")
                    .expected(format!("an excluded item with kind {kind}"))
                    .found(counted(report.excluded.len() as u64, "excluded item"))
                    .at("excluded"),
            )
        }
        Saw::HaveAtLeastNExclusions(HowMany { n }) if n.0 > 0 => {
            let count = counted(report.excluded.len() as u64, "excluded item");
            let fewer = format!("fewer than {}", n.0);
            Some(
                Sighting::of_action(format!("found {count}"))
                    .but(format!("there must be {fewer}"))
                    .expected(format!("{fewer} excluded items"))
                    .found(count)
                    .at("excluded"),
            )
        }
        Saw::EveryExcludedHasReason(asked) => Some(
            Sighting::of_action(format!("every excluded item has reason {}", asked.reason))
                .but("at least one must not")
                .expected("an item excluded with another reason")
                .found(counted(report.excluded.len() as u64, "excluded item"))
                .at("excluded"),
        ),
        Saw::ExcludedItemsAreSortedByScoreDescending(Yes) => Some(
            Sighting::of_state("the excluded items are sorted by score, highest first")
                .expected("an item with a higher score than the one before it")
                .found(counted(report.excluded.len() as u64, "excluded item"))
                .at("excluded"),
        ),
        _ => None,
    }
}

fn item(report: &SelectionReport, part: Part) -> Option<&ContextItem> {
    match part {
        Part::Included(index) => report.included.get(index).map(|included| &included.item),
        Part::Excluded(index) => report.excluded.get(index).map(|excluded| &excluded.item),
        Part::Step(_) => None,
    }
}

/// The content around a string that a predicate looks for.
fn content_around(item: &ContextItem, predicate: &Expression) -> Option<String> {
    let written = predicate.written()?;
    let literals = conjuncts(&written).into_iter().filter_map(comparison);
    let mut literals = literals.filter_map(|compared| compared.literal.as_str().map(str::to_owned));
    literals.find_map(|literal| Some(around(item.content(), item.content().find(&literal)?)))
}
