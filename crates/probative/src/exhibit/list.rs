//! A long list as people see it: what is pointed at and its neighbours, the first, the last, and gaps.

use std::collections::{BTreeMap, BTreeSet};

use super::{ExhibitLine, Extent};
use crate::value::visible;
use crate::verdict::{Part, Pointed};

/// Lists of up to so many are shown whole.
const SHOWN_WHOLE: usize = 20;

/// How many entries of a list are marked because a failure points at them.
const MOST_MARKED: usize = 200;

/// Notes are put together from what was cut already; together they are cut again.
const LONGEST_NOTE: usize = 1000;

/// A list, of which each line is an entry or a gap.
pub(crate) struct List {
    count: usize,
    notes: BTreeMap<usize, String>,
    /// Those beyond [`MOST_MARKED`].
    unmarked: BTreeSet<usize>,
    extent: Extent,
}

impl List {
    /// A list of so many. `position` tells which of them a part is.
    pub(crate) fn new(
        count: usize,
        pointed: &[Pointed],
        position: impl Fn(Part) -> Option<usize>,
        extent: Extent,
    ) -> List {
        let (mut notes, mut unmarked) = (BTreeMap::<usize, String>::new(), BTreeSet::new());
        for Pointed { part, note } in pointed {
            let Some(index) = position(*part).filter(|index| *index < count) else { continue };
            if notes.len() == MOST_MARKED && !notes.contains_key(&index) {
                unmarked.insert(index);
                continue;
            }
            let told = notes.entry(index).or_default();
            if !told.is_empty() && told.len() < LONGEST_NOTE {
                told.push_str("; ");
            }
            if told.len() < LONGEST_NOTE {
                told.push_str(&shortened(note));
            }
        }
        List { count, notes, unmarked, extent }
    }

    /// The positions that are shown, in order.
    pub(crate) fn shown(&self) -> Vec<usize> {
        if self.extent != Extent::Brief || self.count <= SHOWN_WHOLE {
            return (0..self.count).collect();
        }
        let last = self.count - 1;
        let around = self.notes.keys().flat_map(|index| index.saturating_sub(1)..=(index + 1).min(last));
        around.chain([0, last]).collect::<BTreeSet<usize>>().into_iter().collect()
    }

    /// A line for each that is shown, one for each gap: `    ... (12 more steps) ...`, and one that counts what a failure points
    /// at beyond what is marked.
    pub(crate) fn lines(&self, noun: &str, mut text: impl FnMut(usize) -> String) -> Vec<ExhibitLine> {
        let mut lines = Vec::new();
        let mut next = 0;
        for index in self.shown() {
            if next < index {
                let plural = if index - next == 1 { "" } else { "s" };
                lines.push(ExhibitLine::plain(format!("    ... ({} more {noun}{plural}) ...", index - next)));
            }
            next = index + 1;
            lines.push(ExhibitLine { text: text(index), note: self.notes.get(&index).cloned() });
        }
        match self.unmarked.len() {
            0 => {}
            1 => lines.push(ExhibitLine::plain(format!("    ... and 1 more marked {noun}"))),
            more => lines.push(ExhibitLine::plain(format!("    ... and {more} more marked {noun}s"))),
        }
        lines
    }
}

fn shortened(note: &str) -> String {
    let note = visible(note);
    if note.len() <= LONGEST_NOTE {
        return note.into_owned();
    }
    format!("{}...", &note[..note.floor_char_boundary(LONGEST_NOTE)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(count: usize, pointed: &[(usize, &str)]) -> Vec<String> {
        let pointed: Vec<Pointed> = pointed
            .iter()
            .map(|(index, note)| Pointed { part: Part::Step(*index), note: (*note).to_owned() })
            .chain([Pointed { part: Part::Included(0), note: "elsewhere".to_owned() }])
            .collect();
        let position = |part| match part {
            Part::Step(index) => Some(index),
            _ => None,
        };
        let list = List::new(count, &pointed, position, Extent::Brief);
        list.lines("step", |index| format!("{index}")).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_is_not_in_the_list_is_not_marked() {
        assert_eq!(lines(2, &[(2, "behind the end"), (1, "here")]), ["0", "1  ← here"]);
        assert_eq!(lines(0, &[(0, "nothing")]), [""; 0]);
    }

    #[test]
    fn notes_at_one_place_are_told_together_and_shown_as_text() {
        assert_eq!(lines(1, &[(0, "a\u{1b}"), (0, "b")]), ["0  ← a\\u001b; b"]);
    }

    #[test]
    fn a_gap_of_one_is_one_step() {
        let shown = lines(25, &[(2, "x"), (6, "y")]);
        assert_eq!(shown[..7], ["0", "1", "2  ← x", "3", "    ... (1 more step) ...", "5", "6  ← y"]);
        assert_eq!(shown[8], "    ... (16 more steps) ...");
    }

    #[test]
    fn two_hundred_are_marked_and_the_rest_counted() {
        let marked = |count: usize| {
            let many: Vec<(usize, &str)> = (0..count).map(|n| (2 * n, "x")).chain([(0, "again")]).collect();
            lines(1000, &many)
        };
        let all = marked(200);
        assert_eq!(all.iter().filter(|line| line.contains('←')).count(), 200);
        assert_eq!(all[0], "0  ← x; again");
        assert_eq!(all.last().unwrap(), "999");
        let more = marked(203);
        assert_eq!(more.iter().filter(|line| line.contains('←')).count(), 200);
        assert_eq!(more.last().unwrap(), "    ... and 3 more marked steps");
        assert_eq!(marked(201).last().unwrap(), "    ... and 1 more marked step");
    }
}
