//! Where the selected items were placed.
//!
//! What a position means is up to the placer that gave it: these assertions make sense only where that is known.

use std::cmp::Reverse;

use cupel::{ContextKind, IncludedItem, SelectionReport};

use super::telling::{LISTED, kinds, listed, pointing_to_all, position_of, shown};
use crate::verdict::{Part, Verdict};

/// The first or the last selected item satisfies the predicate; of a single item, that one.
///
/// An item elsewhere that satisfies it too changes nothing; nor does one with the score of an item at the edge.
pub fn place_item_at_edge<E>(
    report: &SelectionReport,
    mut predicate: impl FnMut(&IncludedItem) -> Result<bool, E>,
) -> Result<Verdict, E> {
    let included = &report.included;
    for edge in included.first().into_iter().chain(included.last()) {
        if predicate(edge)? {
            return Ok(Verdict::Pass);
        }
    }
    let mut found = None;
    for inner in included {
        if predicate(inner)? {
            found = Some(position_of(inner, included));
            break;
        }
    }
    let expected = "the first or last included item to satisfy the predicate";
    Ok(match found {
        None => Verdict::fail("PlaceItemAtEdge failed: no item in Included matched the predicate.")
            .expected(expected)
            .actual("no item satisfies it")
            .at("included")
            .into(),
        Some(actual) => {
            let count = included.len();
            let last = count.saturating_sub(1);
            Verdict::fail(format!(
                "PlaceItemAtEdge failed: item matching predicate was at index {actual} (not at edge). \
                 Edge positions: 0 and {last}. Included had {count} items."
            ))
            .expected(expected)
            .actual(format!("the first match is at index {actual} of {count} items"))
            .at(Part::Included(actual))
            .pointing_to(Part::Included(actual), "satisfies the predicate, but isn't at an edge")
            .into()
        }
    })
}

/// The `n` selected items with the highest scores stand on the `n` outermost positions: 0, the last, 1, the last but one, ….
///
/// Of equal scores those on such a position are taken first, so that any of them may stand there. A score that isn't a number
/// ranks above all others, as it does where cupel sorts. With 0 this holds of every report; there must be at least `n` items.
pub fn place_top_n_scored_at_edges(report: &SelectionReport, n: u64) -> Verdict {
    let included = report.included.as_slice();
    let count = included.len();
    let top = match usize::try_from(n) {
        Ok(top) if top <= count => top,
        _ => {
            return Verdict::fail(format!(
                "PlaceTopNScoredAtEdges({n}) failed: n={n} exceeds Included count={count}. \
                 There are not enough items to fill {n} edge positions."
            ))
            .expected(format!("at least {n} included items"))
            .actual(format!("{count}"))
            .at("included")
            .into();
        }
    };
    let edges = Edges { front: top.div_ceil(2), back: count - top / 2 };
    if edges.outrank_the_rest(included) {
        return Verdict::Pass;
    }
    let mut ranked = the_best(included, top, edges);
    let misplaced = || ranked.iter().filter(|rank| rank.is_between);
    // If none were misplaced, this would have passed.
    let (off, best) = (misplaced().count(), misplaced().min().map(|best| best.index).unwrap_or_default());
    let first = the_first(&mut ranked, LISTED);
    first.sort_unstable();
    let told = first.iter().map(|Rank { index, .. }| {
        let item = &included[*index];
        format!("(kind={}, score={}, idx={index})", shown(item.item.kind()), item.score)
    });
    let items = listed(told, top);
    let positions = listed((0..top).map(|nth| Edges::position(nth, count)), top);
    let failure = Verdict::fail(format!(
        "PlaceTopNScoredAtEdges({n}) failed: {off} of the top-{n} scored items were not at expected edge positions. \
         Top-{n} items (by score): [{items}]. Expected edge positions: [{positions}]."
    ))
    .expected(format!("the top-{n} scored items at positions [{positions}]"))
    .actual(format!("{off} of them elsewhere"));
    let note = |index: usize| {
        let score = included[index].score;
        (Part::Included(index), format!("in the top {n}, but not at an edge (score={score})"))
    };
    let between = first.iter().filter(|rank| rank.is_between).map(|rank| rank.index);
    pointing_to_all(failure.at(Part::Included(best)), between.map(note)).into()
}

/// Where an item stands among others: the least is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    score: Reverse<Key>,
    is_between: bool,
    index: usize,
}

/// A number that orders as a score does by value; what is no number is above all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key(u64);

impl From<f64> for Key {
    fn from(score: f64) -> Self {
        const SIGN: u64 = 1 << 63;
        if score.is_nan() {
            return Key(u64::MAX);
        }
        // Adding 0 makes one zero of the two.
        let bits = (score + 0.0).to_bits();
        Key(if bits & SIGN == 0 { bits | SIGN } else { !bits })
    }
}

/// The best `n` of the items, in no order. There are as many, and `n` is not 0.
///
/// No more than twice as many are kept at a time, and most items are not as good as the worst of them.
fn the_best(included: &[IncludedItem], n: usize, edges: Edges) -> Vec<Rank> {
    let mut kept: Vec<Rank> = Vec::with_capacity(included.len().min(2 * n));
    let mut worst = f64::NEG_INFINITY;
    for (index, item) in included.iter().enumerate() {
        if item.score < worst {
            continue;
        }
        if kept.len() == 2 * n {
            let (_, nth, _) = kept.select_nth_unstable(n - 1);
            worst = included[nth.index].score;
            kept.truncate(n);
        }
        kept.push(Rank { score: Reverse(Key::from(item.score)), is_between: !edges.contains(index), index });
    }
    the_first(&mut kept, n);
    kept.truncate(n);
    kept
}

/// The first `n` of these, or all where there are fewer, in no order.
fn the_first(ranked: &mut [Rank], n: usize) -> &mut [Rank] {
    if n < ranked.len() {
        ranked.select_nth_unstable(n);
    }
    let n = n.min(ranked.len());
    &mut ranked[..n]
}

/// The outermost positions: those before `front`, and those from `back` on.
#[derive(Clone, Copy)]
struct Edges {
    front: usize,
    back: usize,
}

impl Edges {
    fn contains(self, index: usize) -> bool {
        index < self.front || index >= self.back
    }

    /// The outermost position that comes `nth`, of so many, from the ends inwards.
    fn position(nth: usize, count: usize) -> usize {
        if nth.is_multiple_of(2) { nth / 2 } else { count - 1 - nth / 2 }
    }

    /// Whether no item between the edges has a higher score than one at the edges.
    ///
    /// This is what it takes for the top items to be those at the edges, as equal scores are taken from there first.
    fn outrank_the_rest(self, included: &[IncludedItem]) -> bool {
        let score = |included: &IncludedItem| included.score;
        let (front, back) = (&included[..self.front], &included[self.back..]);
        // What is no number is passed over here, and stays only where there is nothing else: above all others.
        let lowest = front.iter().chain(back).map(score).fold(f64::NAN, f64::min);
        lowest.is_nan() || included[self.front..self.back].iter().map(score).all(|inner| inner <= lowest)
    }
}

/// Every item of a named kind stands before every item of the kinds named after it.
///
/// Kinds that are not named may stand anywhere. A kind that is named but was not selected fails. Where none is named, this
/// holds of every report.
pub fn kinds_in_order(report: &SelectionReport, kinds_asked: &[ContextKind]) -> Verdict {
    let included = &report.included;
    let rank = |included: &IncludedItem| kinds_asked.iter().position(|kind| kind == included.item.kind());
    let asked = || listed(kinds_asked.iter().map(shown), kinds_asked.len());
    let failed = || format!("KindsInOrder([{}]) failed:", asked());
    let had = || format!("Included had {} items with kinds: [{}].", included.len(), kinds(included));
    let expected = || format!("the kinds in order: {}", asked());
    let is_missing = |kind: &&ContextKind| !included.iter().any(|included| included.item.kind() == *kind);
    if let Some(missing) = kinds_asked.iter().find(is_missing) {
        let missing = shown(missing);
        return Verdict::fail(format!(
            "{} Included contained 0 items with Kind={missing}. {}",
            failed(),
            had()
        ))
        .expected(expected())
        .actual(format!("no item with Kind={missing}"))
        .at("included")
        .into();
    }
    let mut highest = 0;
    for (index, item) in included.iter().enumerate() {
        let Some(own) = rank(item) else { continue };
        if own >= highest {
            highest = own;
            continue;
        }
        // The highest rank so far was that of some item before this one.
        let earlier = included.iter().position(|earlier| rank(earlier) > Some(own)).unwrap_or_default();
        let (kind, other) = (shown(item.item.kind()), shown(included[earlier].item.kind()));
        return Verdict::fail(format!(
            "{} item at index {index} (Kind={kind}) comes after item at index {earlier} (Kind={other}). {}",
            failed(),
            had()
        ))
        .expected(expected())
        .actual(format!("{other} at index {earlier}, {kind} at index {index}"))
        .at(Part::Included(index))
        .pointing_to(Part::Included(earlier), format!("Kind={other}, expected after {kind}"))
        .pointing_to(Part::Included(index), format!("Kind={kind}, listed before {other}"))
        .into();
    }
    Verdict::Pass
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_above_all_whatever_its_sign() {
        assert!(Key::from(f64::NAN) > Key::from(f64::INFINITY));
        assert!(Key::from(-f64::NAN) > Key::from(f64::INFINITY));
    }

    #[test]
    fn the_first_of_as_many_are_all_of_them() {
        let rank = |index| Rank { score: Reverse(Key(0)), is_between: false, index };
        assert_eq!(the_first(&mut [rank(0), rank(1)], 2).len(), 2);
        assert_eq!(the_first(&mut [rank(1), rank(0), rank(2)], 1), [rank(0)]);
    }
}
