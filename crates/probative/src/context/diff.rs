//! What changed from one selection to another.

use std::fmt;

use cupel::{ContextItem, ContextKind, IncludedItem, SelectionReport};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use super::reason::Reason;
use super::telling::{beginning, listed_up_to, pointing_to_all, shown};
use crate::value::excerpt::cut;
use crate::verdict::{Part, Verdict};

/// What changed from an earlier selection to a later one.
///
/// Items are the same if they have the same content and kind; of several alike, the first is the same as the first, and
/// so on. Printed, it is a line for each change.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectionDiff<'r> {
    /// What entered, by its position now; what left, by its position before; what moved, by its position now.
    pub changes: Vec<Change<'r>>,
}

/// One item that changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change<'r> {
    /// The item, as the later selection has it; one that left, as the earlier has it.
    pub item: &'r ContextItem,
    /// Where it stood among the selected items before.
    pub from: Option<usize>,
    /// Where it stands among the selected items now.
    pub to: Option<usize>,
    /// Where it stands, or stood, among those left out, and why. Of one that entered, before; of one that left, now.
    pub left_out: Option<(usize, Reason)>,
}

/// How an item changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// Included now, but not before.
    Entered,
    /// Included before, but not now.
    Left,
    /// Included before and now, in a different order.
    Moved,
}

/// What changed in `report` since `earlier`.
///
/// An item that merely has more or fewer items before it did not move. Of those that stayed, as few as can be are said to
/// have moved: without them, the rest stands in the same order.
pub fn diff<'r>(report: &'r SelectionReport, earlier: &'r SelectionReport) -> SelectionDiff<'r> {
    let mut waiting: IndexMap<Identity<'r>, Positions> = IndexMap::new();
    for (position, included) in earlier.included.iter().enumerate() {
        waiting.entry(Identity::of(&included.item)).or_default().all.push(position);
    }
    let (mut entered, mut stayed) = (Vec::new(), Vec::new());
    for (to, included) in report.included.iter().enumerate() {
        match waiting.get_mut(&Identity::of(&included.item)).and_then(Positions::next) {
            Some(from) => stayed.push((from, to)),
            None => entered.push((to, included)),
        }
    }
    let mut left: Vec<usize> = waiting.into_values().flat_map(Positions::rest).collect();
    left.sort_unstable();

    let excluded_before = Excluded::of(earlier, !entered.is_empty());
    let excluded_now = Excluded::of(report, !left.is_empty());
    let entered = entered.into_iter().map(|(to, IncludedItem { item, .. })| {
        let left_out = excluded_before.find(item);
        Change { item, from: None, to: Some(to), left_out }
    });
    let left = left.into_iter().map(|from| {
        let item = &earlier.included[from].item;
        Change { item, from: Some(from), to: None, left_out: excluded_now.find(item) }
    });
    let moved = out_of_order(&stayed).map(|(from, to)| {
        let item = &report.included[to].item;
        Change { item, from: Some(from), to: Some(to), left_out: None }
    });
    SelectionDiff { changes: entered.chain(left).chain(moved).collect() }
}

/// Nothing changed since `earlier`, which goes by `name`, but what is allowed.
pub fn selection_changed<E>(
    report: &SelectionReport,
    earlier: &SelectionReport,
    name: &str,
    mut allowed: impl FnMut(&Change<'_>) -> Result<bool, E>,
) -> Result<Verdict, E> {
    /// How many changes a message lists.
    const TOLD: usize = 10;
    let SelectionDiff { changes } = diff(report, earlier);
    let mut forbidden = Vec::new();
    for change in &changes {
        if !allowed(change)? {
            forbidden.push(change);
        }
    }
    if forbidden.is_empty() {
        return Ok(Verdict::Pass);
    }
    let (count, total) = (forbidden.len(), changes.len());
    let told = listed_up_to(TOLD, &forbidden, count);
    let failure = Verdict::fail(format!(
        "SelectionChanged(against={}) failed: {count} of {total} changes not allowed: {told}.",
        cut(name)
    ))
    .expected("no changes other than the allowed ones")
    .actual(format!("{count} of {total} changes not allowed"));
    let failure = match forbidden.iter().find_map(|change| change.part()) {
        Some(part) => failure.at(part),
        None => failure.at("included"),
    };
    let pointed = forbidden.iter().filter_map(|change| Some((change.part()?, change.note())));
    Ok(pointing_to_all(failure, pointed).into())
}

impl<'r> SelectionDiff<'r> {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The changes of one kind.
    pub fn of(&self, how: How) -> impl Iterator<Item = &Change<'r>> {
        self.changes.iter().filter(move |change| change.how() == how)
    }
}

impl Change<'_> {
    /// How the item changed.
    pub fn how(&self) -> How {
        match (self.from, self.to) {
            (None, _) => How::Entered,
            (Some(_), None) => How::Left,
            (Some(_), Some(_)) => How::Moved,
        }
    }

    /// What of the later report shows the change.
    fn part(&self) -> Option<Part> {
        match (self.to, self.left_out) {
            (Some(to), _) => Some(Part::Included(to)),
            (None, left_out) => left_out.map(|(index, _)| Part::Excluded(index)),
        }
    }

    /// The change, said at the item itself.
    fn note(&self) -> String {
        match (self.from, self.to, self.left_out) {
            (None, _, Some((_, why))) => format!("entered; excluded before ({why})"),
            (None, _, None) => "entered; not a candidate before".to_owned(),
            (Some(from), None, _) => format!("left; at index {from} before"),
            (Some(from), Some(_), _) => format!("moved; at index {from} before"),
        }
    }
}

/// `entered at index 3 (kind=Document, 'the text', excluded before: BudgetExceeded)`
impl fmt::Display for Change<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let item = format!("kind={}, {}", shown(self.item.kind()), beginning(self.item));
        let was = |when: &str| match self.left_out {
            Some((_, why)) => format!("excluded {when}: {why}"),
            None => format!("not a candidate {when}"),
        };
        match (self.from, self.to) {
            (Some(from), Some(to)) => write!(formatter, "moved from index {from} to {to} ({item})"),
            (Some(from), None) => write!(formatter, "left from index {from} ({item}, {})", was("now")),
            (None, to) => {
                let to = to.unwrap_or_default();
                write!(formatter, "entered at index {to} ({item}, {})", was("before"))
            }
        }
    }
}

impl fmt::Display for SelectionDiff<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.changes.iter().try_for_each(|change| writeln!(formatter, "{change}"))
    }
}

/// What makes an item the same in two reports.
#[derive(PartialEq, Eq, Hash)]
struct Identity<'r>(&'r str, &'r ContextKind);

impl<'r> Identity<'r> {
    fn of(item: &'r ContextItem) -> Self {
        Identity(item.content(), item.kind())
    }
}

/// The positions of items that are alike, taken from the first on.
#[derive(Default)]
struct Positions {
    all: Vec<usize>,
    taken: usize,
}

impl Positions {
    fn next(&mut self) -> Option<usize> {
        let next = self.all.get(self.taken).copied();
        self.taken += usize::from(next.is_some());
        next
    }

    fn rest(self) -> impl Iterator<Item = usize> {
        self.all.into_iter().skip(self.taken)
    }
}

/// The items that were left out, to be looked up.
struct Excluded<'r>(IndexMap<Identity<'r>, (usize, Reason)>);

impl<'r> Excluded<'r> {
    /// The items that a report left out; none, where none will be looked up.
    fn of(report: &'r SelectionReport, needed: bool) -> Self {
        let mut found = IndexMap::new();
        for (index, excluded) in report.excluded.iter().enumerate().filter(|_| needed) {
            found.entry(Identity::of(&excluded.item)).or_insert((index, Reason::from(&excluded.reason)));
        }
        Excluded(found)
    }

    fn find(&self, item: &'r ContextItem) -> Option<(usize, Reason)> {
        self.0.get(&Identity::of(item)).copied()
    }
}

/// The fewest pairs without which the rest ascends in `from` as it does in `to`.
fn out_of_order(stayed: &[(usize, usize)]) -> impl Iterator<Item = (usize, usize)> {
    // The longest ascending subsequence: `ends[length]` is the pair that ends the lowest one of that length.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(stayed.len());
    for (pair, (from, _)) in stayed.iter().enumerate() {
        let length = ends.partition_point(|end| stayed[*end].0 < *from);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = pair,
            None => ends.push(pair),
        }
    }
    let mut ascends = vec![false; stayed.len()];
    let mut next = ends.last().copied();
    while let Some(pair) = next {
        ascends[pair] = true;
        next = before[pair];
    }
    stayed.iter().zip(ascends).filter(|(_, ascends)| !ascends).map(|(pair, _)| *pair)
}
