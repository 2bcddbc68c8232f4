//! JSON as people see it beside a failure: what is marked, opened, with its neighbours; all else in a line, or left out.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use super::{ExhibitLine, Marked};
use crate::value::excerpt::{SHOWN_CHARACTERS, compact};
use crate::value::path::{Hit, Step};
use crate::value::{Path, Value, visible};

/// How many members or items are shown on each side of one that is marked.
const NEIGHBOURS: usize = 2;

/// How many members or items are shown where none is marked.
const SHOWN_UNMARKED: usize = 12;

/// How many places are marked.
const MOST_MARKED: usize = 40;

/// The lines of a value, with a note at each place that is marked.
///
/// A place where there is nothing is marked at the value in which it is missing.
///
/// ```text
/// {
///   "status": "success",
///   "results": [
///     … (2 more),
///     {
///       "file": "people/ann.md"  ← all_match_pattern
///     }
///   ]
/// }
/// ```
pub fn outline<'m>(value: &Value, marks: impl Iterator<Item = &'m Marked>) -> Vec<ExhibitLine> {
    let mut marked = Tree::default();
    for Marked { place, note, .. } in marks.take(MOST_MARKED) {
        if let Some((steps, missing)) = locate(value, place) {
            let note = match missing {
                Some(missing) => format!("{note}: {missing}"),
                None => note.clone(),
            };
            marked.add(value, &steps, note);
        }
    }
    let mut lines = Vec::new();
    Writer { lines: &mut lines }.value(
        value,
        &marked,
        &Line { indent: 0, key: String::new(), comma: "" },
        true,
    );
    lines
}

/// One step down, by position: in an object as it is written.
type Position = usize;

/// The way to a place, and what is missing there if the way ends early.
///
/// What names no place in the value, not even one where something is missing, is none.
fn locate(root: &Value, place: &str) -> Option<(Vec<Position>, Option<String>)> {
    if place.starts_with("step ") || !matches!(root, Value::Object(_) | Value::Array(_)) {
        return None;
    }
    let path = Path::parse(place).ok()?;
    let mut found = None;
    let _ = path.walk(root, |hit, trail| {
        let missing = match hit {
            Hit::Value(_) => None,
            Hit::Missing(gap) => Some(gap.reason()),
        };
        found = positions(root, &trail.steps()).map(|steps| (steps, missing));
        ControlFlow::Break(())
    });
    found
}

fn positions(root: &Value, steps: &[Step<'_>]) -> Option<Vec<Position>> {
    let mut value = root;
    let mut positions = Vec::new();
    for step in steps {
        let position = match (step, value) {
            (Step::Name(name), Value::Object(members)) => members.keys().position(|key| key == name)?,
            (Step::Index(index), Value::Array(_)) => *index,
            _ => return None,
        };
        value = child(value, position)?;
        positions.push(position);
    }
    Some(positions)
}

fn child(value: &Value, position: Position) -> Option<&Value> {
    match value {
        Value::Object(members) => members.values().nth(position),
        Value::Array(items) => items.get(position),
        _ => None,
    }
}

/// What is marked at a value, and below it.
#[derive(Default)]
struct Tree {
    notes: Vec<String>,
    below: BTreeMap<Position, Tree>,
}

impl Tree {
    fn add(&mut self, value: &Value, steps: &[Position], note: String) {
        let mut here = self;
        let mut at = value;
        for step in steps {
            let Some(below) = child(at, *step) else { break };
            at = below;
            here = here.below.entry(*step).or_default();
        }
        if !here.notes.contains(&note) {
            here.notes.push(note);
        }
    }

    fn note(&self) -> Option<String> {
        (!self.notes.is_empty()).then(|| visible(&self.notes.join("; ")).into_owned())
    }
}

/// What stands around a value on its line.
struct Line {
    indent: usize,
    key: String,
    comma: &'static str,
}

struct Writer<'l> {
    lines: &'l mut Vec<ExhibitLine>,
}

impl Writer<'_> {
    fn push(&mut self, indent: usize, text: &str, note: Option<String>) {
        self.lines.push(ExhibitLine { text: format!("{:indent$}{text}", "", indent = indent * 2), note });
    }

    /// A value: opened if something below is marked, or if it is the root.
    fn value(&mut self, value: &Value, marked: &Tree, line: &Line, is_root: bool) {
        let Line { indent, key, comma } = line;
        let (brackets, count) = match value {
            Value::Object(members) => (["{", "}"], members.len()),
            Value::Array(items) => (["[", "]"], items.len()),
            _ => (["", ""], 0),
        };
        if count == 0 || (marked.below.is_empty() && !is_root) {
            self.push(*indent, &format!("{key}{}{comma}", short(value)), marked.note());
            return;
        }
        self.push(*indent, &format!("{key}{}", brackets[0]), marked.note());
        let shown = shown(count, &marked.below);
        let nothing = Tree::default();
        let mut next = 0;
        for position in shown {
            self.gap(indent + 1, position - next);
            next = position + 1;
            let Some(below) = child(value, position) else { continue };
            let comma = if next == count { "" } else { "," };
            let line = Line { indent: indent + 1, key: key_of(value, position), comma };
            self.value(below, marked.below.get(&position).unwrap_or(&nothing), &line, false);
        }
        self.gap(indent + 1, count - next);
        self.push(*indent, &format!("{}{comma}", brackets[1]), None);
    }

    fn gap(&mut self, indent: usize, count: usize) {
        if count > 0 {
            self.push(indent, &format!("… ({count} more)"), None);
        }
    }
}

/// The positions that are shown, in order.
fn shown(count: usize, marked: &BTreeMap<Position, Tree>) -> BTreeSet<Position> {
    if marked.is_empty() || count <= NEIGHBOURS + 1 {
        return (0..count.min(SHOWN_UNMARKED)).collect();
    }
    let around = |at: &Position| at.saturating_sub(NEIGHBOURS)..=(at + NEIGHBOURS).min(count - 1);
    marked.keys().flat_map(around).collect()
}

fn key_of(value: &Value, position: Position) -> String {
    let Value::Object(members) = value else { return String::new() };
    let key = members.keys().nth(position).map(String::as_str).unwrap_or_default();
    format!("{}: ", short(&Value::from(key)))
}

/// A value in a line.
fn short(value: &Value) -> String {
    let written = compact(value);
    match written.char_indices().nth(SHOWN_CHARACTERS) {
        None => visible(&written).into_owned(),
        Some((end, _)) => format!("{}…", visible(&written[..end])),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(value: &Value, marks: &[(&str, &str)]) -> String {
        let mark = |(place, note): &(&str, &str)| Marked {
            place: (*place).into(),
            note: (*note).into(),
            target: None,
        };
        let marks: Vec<Marked> = marks.iter().map(mark).collect();
        outline(value, marks.iter()).iter().flat_map(|line| [line.to_string(), "\n".to_owned()]).collect()
    }

    #[test]
    fn what_is_marked_is_opened_with_its_neighbours() {
        let results: Vec<Value> = (0..9).map(|n| json!({"id": n, "file": format!("{n}.md")})).collect();
        let response = json!({"status": "success", "took": 3, "more": [1, 2], "results": results});
        assert_eq!(
            told(&response, &[("results[4].file", "all_match_pattern")]),
            "{\n  … (1 more)\n  \"took\": 3,\n  \"more\": [1,2],\n  \"results\": [\n    … (2 more)\n    \
             {\"id\":2,\"file\":\"2.md\"},\n    {\"id\":3,\"file\":\"3.md\"},\n    {\n      \"id\": 4,\n      \
             \"file\": \"4.md\"  ← all_match_pattern\n    },\n    {\"id\":5,\"file\":\"5.md\"},\n    \
             {\"id\":6,\"file\":\"6.md\"},\n    … (2 more)\n  ]\n}\n"
        );
    }

    #[test]
    fn what_is_missing_is_marked_where_it_is_missing() {
        assert_eq!(
            told(&json!({"a": {"b": 1}}), &[("a.c", "has_fields"), ("d", "has_fields")]),
            "{  ← has_fields: the document has no 'd'\n  \"a\": {\"b\":1}  ← has_fields: a has no 'c'\n}\n"
        );
    }

    #[test]
    fn what_is_no_place_is_not_marked_and_long_lists_are_cut() {
        assert_eq!(told(&json!({"a": 1}), &[("step 4", "x"), ("a[", "x")]), "{\n  \"a\": 1\n}\n");
        let many: Vec<usize> = (0..20).collect();
        assert!(told(&json!(many), &[]).ends_with("  11,\n  … (8 more)\n]\n"));
        assert_eq!(told(&json!("text"), &[("$", "x")]), "\"text\"\n");
    }

    #[test]
    fn nothing_is_obeyed_and_odd_names_are_found() {
        let odd = json!({"a.b": {"\u{1b}[31m": "\u{7}"}});
        let line = told(&odd, &[(r"['a.b']['\u001b[31m']", "n\u{1b}")]);
        assert!(!line.contains(['\u{1b}', '\u{7}']), "{line}");
        assert!(line.contains("← n\\u001b"), "{line}");
    }
}
