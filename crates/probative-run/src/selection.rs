//! Which cases of a suite are run.

use std::collections::BTreeSet;

use probative::document::nearest;
use probative::value::{Pattern, visible};

use crate::failed::Failed;
use crate::suite::{Item, Suite};

/// Which cases are run. What is wrong with a file is told whatever is selected, in the shard that it falls into.
#[derive(Debug, Default)]
pub struct Selection {
    /// The ids, where some were named.
    ids: Option<BTreeSet<String>>,
    /// What the id or the title must hold.
    filter: Option<Filter>,
    /// The type.
    kind: Option<String>,
    /// One of so many parts.
    shard: Option<Shard>,
    /// The key of the suite.
    suite: Option<String>,
    /// The priority of the suite.
    priority: Option<String>,
    /// What did not pass last time, where only that is taken.
    failed: Option<Failed>,
    /// Nothing but the items at these positions.
    only: Option<BTreeSet<usize>>,
}

/// What the id or the title of a case must hold.
#[derive(Debug, Clone)]
pub enum Filter {
    /// A text.
    Text(String),
    /// A match.
    Regex(Pattern),
}

/// One of several parts of a suite, by a stable hash of the ids: each case falls into exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    part: u64,
    of: u64,
}

impl Selection {
    /// Cases by what their id or title holds, by type, and by part.
    pub fn new(filter: Option<Filter>, kind: Option<String>, shard: Option<Shard>) -> Selection {
        Selection { filter, kind, shard, ..Selection::default() }
    }

    /// The same, of which only the tests of a suite are taken, or of suites with a priority.
    pub fn of_suite(self, suite: Option<String>, priority: Option<String>) -> Selection {
        Selection { suite, priority, ..self }
    }

    /// The same, of which only the cases with one of these ids are taken; without any id, all.
    pub fn of_ids(self, ids: &[String]) -> Selection {
        let ids = (!ids.is_empty()).then(|| ids.iter().cloned().collect());
        Selection { ids, ..self }
    }

    /// The same, of which only what did not pass last time is taken.
    pub fn that_failed(self, failed: Failed) -> Selection {
        Selection { failed: Some(failed), ..self }
    }

    /// Whether every id that was named is that of a case; else what to say of the first that is not.
    ///
    /// What stands in a document that is written wrongly nobody knows: then what is wrong with it is told instead.
    pub fn check(&self, suite: &Suite) -> Result<(), String> {
        let Some(ids) = &self.ids else { return Ok(()) };
        let known = || suite.items().filter_map(Item::case).map(|case| case.id.as_str());
        let all: BTreeSet<&str> = known().collect();
        let Some(unknown) = ids.iter().find(|id| !all.contains(id.as_str())) else { return Ok(()) };
        if suite.items().any(|item| item.case().is_none()) {
            return Ok(());
        }
        let hint = match nearest(unknown, known()) {
            Some(nearest) => format!("did you mean '{}'?", visible(nearest)),
            None => "--list lists all cases".to_owned(),
        };
        let ignored: Vec<String> = suite.ignored().collect();
        let ignored = match ignored.as_slice() {
            [] => String::new(),
            [block] => format!(" (ignored code block: {block})"),
            [first, ..] => {
                format!(
                    " ({} ignored code blocks, listed by `probative lint`; first: {first})",
                    ignored.len()
                )
            }
        };
        Err(format!("no case has the id '{}'{ignored}; {hint}", visible(unknown)))
    }

    /// Nothing but the item at a position.
    pub(crate) fn only(at: usize) -> Selection {
        Selection::default().at(BTreeSet::from([at]))
    }

    /// The same, of which only the items at these positions are taken, and nothing is told of other files.
    pub fn at(self, positions: BTreeSet<usize>) -> Selection {
        Selection { only: Some(positions), ..self }
    }

    /// The items of a suite that are selected, in order.
    pub(crate) fn of<'s>(&'s self, suite: &'s Suite) -> impl Iterator<Item = Item<'s>> {
        let is_at = |at: usize| self.only.as_ref().is_none_or(|only| only.contains(&at));
        let selected = suite.items().enumerate().filter(move |(at, item)| is_at(*at) && self.takes(*item));
        selected.map(|(_, item)| item)
    }

    /// Whether a case of this id would be selected, for all that an id tells: nothing about a title or a type.
    pub(crate) fn takes_id(&self, id: &str) -> bool {
        self.only.is_none()
            && self.failed.is_none()
            && self.kind.is_none()
            && self.ids.as_ref().is_none_or(|ids| ids.contains(id))
            && self.filter.as_ref().is_none_or(|filter| filter.takes(id))
            && self.shard.is_none_or(|shard| shard.takes(id))
    }

    /// Returns true if problems of a document itself are reported, beside those of its cases.
    pub(crate) fn takes_document(&self, name: &str) -> bool {
        self.only.is_none() && self.shard.is_none_or(|shard| shard.takes(name))
    }

    fn takes(&self, item: Item<'_>) -> bool {
        let Some(case) = item.case() else { return self.shard.is_none_or(|shard| shard.takes(item.id())) };
        self.ids.as_ref().is_none_or(|ids| ids.contains(&case.id))
            && self.kind.as_ref().is_none_or(|kind| *kind == case.kind)
            && self.filter.as_ref().is_none_or(|filter| {
                filter.takes(&case.id) || case.title.as_deref().is_some_and(|title| filter.takes(title))
            })
            && self.shard.is_none_or(|shard| shard.takes(&case.id))
            && self.suite.is_none()
                | case.suite.as_ref().is_some_and(|suite| self.suite.as_ref() == Some(&suite.key))
            && self.priority.is_none()
                | case.suite.as_ref().is_some_and(|suite| self.priority == suite.priority)
            && self.failed.as_ref().is_none_or(|failed| failed.holds(item.file(), &case.id))
    }
}

impl Filter {
    /// Reads `TEXT` or `/REGEX/`.
    pub fn parse(written: &str) -> Result<Filter, String> {
        match written.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
            Some(regex) => {
                Pattern::parse(regex).map(Filter::Regex).map_err(|error| format!("invalid regex: {error}"))
            }
            None => Ok(Filter::Text(written.to_owned())),
        }
    }

    fn takes(&self, text: &str) -> bool {
        match self {
            Filter::Text(part) => text.contains(part.as_str()),
            // A pattern that gives up on an id leaves nothing out.
            Filter::Regex(pattern) => pattern.is_match(text).unwrap_or(true),
        }
    }
}

impl Shard {
    /// Reads `K/N`, the K-th of N parts.
    pub fn parse(written: &str) -> Result<Shard, String> {
        let numbers =
            written.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((part, of)) if (1..=of).contains(&part) => Ok(Shard { part, of }),
            _ => Err("expected K/N with 1 ≤ K ≤ N, such as 1/4".to_owned()),
        }
    }

    fn takes(self, id: &str) -> bool {
        stable_hash(id.as_bytes()) % self.of == self.part - 1
    }
}

/// FNV-1a, whose low bits are mixed once more so that few parts are filled evenly. The same on every machine, for ever.
pub(crate) fn stable_hash(bytes: &[u8]) -> u64 {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    });
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_falls_into_one_shard_and_shards_are_of_a_size() {
        let shards: Vec<Shard> = (1..=4).map(|part| Shard::parse(&format!("{part}/4")).unwrap()).collect();
        let mut sizes = [0_usize; 4];
        for number in 0..4000 {
            let id = format!("CASE-{number:04}");
            let takers: Vec<usize> = (0..4).filter(|at| shards[*at].takes(&id)).collect();
            assert_eq!(takers.len(), 1);
            sizes[takers[0]] += 1;
        }
        assert!(sizes.iter().all(|size| (800..1200).contains(size)), "{sizes:?}");
        // It must never change: a suite that is run in parts on many machines would lose cases.
        assert_eq!(stable_hash(b"CK-CLI-001"), 0x5a7b_d7f7_7a8e_9019);
    }

    #[test]
    fn what_is_no_shard_is_refused() {
        for written in ["", "1", "0/2", "3/2", "1/0", "a/b", "-1/2", "1/2/3"] {
            assert!(Shard::parse(written).is_err(), "{written}");
        }
    }
}
