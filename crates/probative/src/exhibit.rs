//! A subject as people see it: lines, with marks at the parts that explain a failure.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::value::visible;
use crate::verdict::{Part, Pointed};

/// A subject that can be shown beside failures.
pub trait Exhibit {
    /// The lines to show beside a failure, in order, with marks at what is pointed at.
    fn lines(&self, pointed: &[Pointed]) -> Vec<ExhibitLine>;

    /// The same as data, for a report that lays it out itself. What is pointed at is told with the assertions.
    fn panels(&self) -> Vec<Panel> {
        Vec::new()
    }
}

/// A part of what was judged, as data.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Panel {
    /// A run, in the native format.
    Trajectory {
        /// What it is called: `trajectory`.
        title: String,
        /// The run.
        run: Box<RawValue>,
    },
    /// A selection report, as it is recorded.
    Selection {
        /// What it is called: `report`.
        title: String,
        /// The report.
        report: Box<RawValue>,
    },
    /// Any JSON.
    Json {
        /// What it is called: `response`.
        title: String,
        /// The value.
        value: Box<RawValue>,
    },
    /// Plain text.
    Text {
        /// What it is called: `stdout`.
        title: String,
        /// The text, or the end of it.
        text: String,
        /// How many lines before it are left out.
        left_out: usize,
    },
    /// What is too large to be a part of a report.
    Oversized {
        /// What it is called.
        title: String,
        /// How large it is.
        bytes: usize,
    },
}

/// A panel that is larger than this is none.
const LARGEST_PANEL: usize = 512 << 10;

/// Of a text that is longer than this, a panel shows the end.
const LONGEST_TEXT: usize = 64 << 10;

impl Panel {
    /// A run, as it is written in the native format.
    pub fn trajectory(title: &str, run: &impl Serialize) -> Panel {
        Panel::written(title, run, |title, run| Panel::Trajectory { title, run })
    }

    /// A selection report.
    pub fn selection(title: &str, report: &impl Serialize) -> Panel {
        Panel::written(title, report, |title, report| Panel::Selection { title, report })
    }

    /// Any JSON.
    pub fn json(title: &str, value: &impl Serialize) -> Panel {
        Panel::written(title, value, |title, value| Panel::Json { title, value })
    }

    /// A text, or its last lines.
    pub fn text(title: &str, text: &str) -> Panel {
        let start = text.ceil_char_boundary(text.len().saturating_sub(LONGEST_TEXT));
        let start = if start == 0 { 0 } else { text[start..].find('\n').map_or(start, |at| start + at + 1) };
        let left_out = text[..start].lines().count();
        Panel::Text { title: title.to_owned(), text: text[start..].to_owned(), left_out }
    }

    /// The same under a longer title.
    pub fn headed(mut self, head: &str) -> Panel {
        let (Panel::Trajectory { title, .. }
        | Panel::Selection { title, .. }
        | Panel::Json { title, .. }
        | Panel::Text { title, .. }
        | Panel::Oversized { title, .. }) = &mut self;
        title.insert_str(0, head);
        self
    }

    fn written(
        title: &str,
        subject: &impl Serialize,
        panel: impl FnOnce(String, Box<RawValue>) -> Panel,
    ) -> Panel {
        let title = title.to_owned();
        match serde_json::value::to_raw_value(subject) {
            Ok(raw) if raw.get().len() <= LARGEST_PANEL => panel(title, raw),
            Ok(raw) => Panel::Oversized { title, bytes: raw.get().len() },
            // Writing what was read from JSON to memory cannot fail.
            Err(_) => Panel::Oversized { title, bytes: 0 },
        }
    }
}

/// One line of an exhibit. Nothing in it is obeyed by a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExhibitLine {
    /// What is there.
    pub text: String,
    /// What to see there: `called second`.
    pub note: Option<String>,
}

/// How a subject is to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Showing {
    /// How much of it.
    pub extent: Extent,
    /// How many tokens there were for a selection, where that is known.
    pub budget: Option<u64>,
}

/// How much of a long list is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Extent {
    /// All of it.
    #[default]
    Whole,
    /// Of more than 20, the first, the last, those pointed at and their neighbours.
    Brief,
}

impl ExhibitLine {
    /// A line without a mark.
    pub fn plain(text: impl Into<String>) -> ExhibitLine {
        ExhibitLine { text: text.into(), note: None }
    }
}

impl fmt::Display for ExhibitLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)?;
        self.note.iter().try_for_each(|note| write!(formatter, "  ← {note}"))
    }
}

/// Lists of up to so many are shown whole.
const SHOWN_WHOLE: usize = 20;

/// How many of a longer list are shown because a failure points at them.
const MOST_POINTED_AT: usize = 40;

/// Notes are put together from what was cut already; together they are cut again.
const LONGEST_NOTE: usize = 1000;

/// A list, of which each line is an entry or a gap.
pub(crate) struct List {
    count: usize,
    notes: BTreeMap<usize, String>,
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
        let mut notes: BTreeMap<usize, String> = BTreeMap::new();
        for Pointed { part, note } in pointed {
            let Some(index) = position(*part).filter(|index| *index < count) else { continue };
            if notes.len() == MOST_POINTED_AT && !notes.contains_key(&index) {
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
        List { count, notes, extent }
    }

    /// The positions that are shown, in order.
    pub(crate) fn shown(&self) -> Vec<usize> {
        if self.extent == Extent::Whole || self.count <= SHOWN_WHOLE {
            return (0..self.count).collect();
        }
        let last = self.count - 1;
        let around = self.notes.keys().flat_map(|index| index.saturating_sub(1)..=(index + 1).min(last));
        around.chain([0, last]).collect::<BTreeSet<usize>>().into_iter().collect()
    }

    /// A line for each that is shown, and one for each gap: `    ... (12 more steps) ...`.
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
    fn forty_are_marked_and_those_again() {
        let many: Vec<(usize, &str)> =
            (0..41).map(|n| (2 * n, "x")).chain([(0, "again"), (80, "never")]).collect();
        let shown = lines(100, &many);
        assert_eq!(shown.iter().filter(|line| line.contains('←')).count(), 40);
        assert_eq!(shown[0], "0  ← x; again");
    }
}
