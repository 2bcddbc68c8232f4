//! What a run leaves of what failed before it.

use std::fmt::Write as _;

use probative::spec::{Format, Settings};
use tempfile::TempDir;

use super::*;
use crate::selection::Filter;
use crate::suite::Sources;

/// A directory with documents, each with cases of these ids.
struct Place(TempDir);

impl Place {
    fn with(documents: &[(&str, &[&str])]) -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        for (name, ids) in documents {
            place.write(name, ids);
        }
        place
    }

    fn write(&self, name: &str, ids: &[&str]) {
        let mut text = String::new();
        for id in ids {
            let _ = write!(text, "```yaml spec-test\nid: {id}\ntype: text.file\n```\n\n");
        }
        std::fs::write(self.0.path().join(name), text).unwrap();
    }

    fn root(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    fn suite(&self, names: &[&str]) -> Suite {
        let paths = names.iter().map(|name| self.root().join(name)).collect();
        let sources = Sources { paths, recursive: false, formats: vec![Format::Markdown] };
        Suite::load(&sources, &Settings::default(), 1)
    }
}

fn ended(statuses: &[(&str, Status)]) -> Vec<Entry> {
    let entry = |(id, status): &(&str, Status)| Entry {
        id: (*id).to_owned(),
        status: *status,
        passed: None,
        ran: None,
        duration: None,
        cost: None,
    };
    statuses.iter().map(entry).collect()
}

/// `document: ids`, one a line.
fn told(failed: &Failed) -> Vec<String> {
    let ids = |ids: &BTreeSet<Option<String>>| {
        ids.iter().map(|id| id.as_deref().unwrap_or("all of it")).collect::<Vec<_>>().join(", ")
    };
    failed.documents.iter().map(|(name, set)| format!("{name}: {}", ids(set))).collect()
}

#[test]
fn what_passes_leaves_and_what_does_not_enters() {
    use Status::{Error, Fail, Pass, Skip};
    let place = Place::with(&[("a.spec.md", &["A", "B", "C"]), ("b.spec.md", &["D"])]);
    let (suite, all) = (place.suite(&["a.spec.md", "b.spec.md"]), Selection::default());
    let first = ended(&[("A", Fail), ("B", Error), ("C", Pass), ("D", Fail)]);
    let failed = Failed::nothing(&place.root(), &Arc::default()).after(&suite, &all, &first);
    assert_eq!(told(&failed), ["a.spec.md: A, B", "b.spec.md: D"]);
    assert_eq!(failed.count(), 3);
    // Not selected, and not reached: both stay.
    let some = Selection::new(Some(Filter::Text("A".to_owned())), None, None);
    assert_eq!(told(&failed.after(&suite, &some, &ended(&[("A", Pass)]))), ["a.spec.md: B", "b.spec.md: D"]);
    assert_eq!(failed.after(&suite, &all, &ended(&[])), failed);
    let second = ended(&[("A", Pass), ("B", Skip), ("C", Fail), ("D", Pass)]);
    assert_eq!(told(&failed.after(&suite, &all, &second)), ["a.spec.md: C"]);
}

#[test]
fn what_no_longer_exists_leaves() {
    let place = Place::with(&[("a.spec.md", &["A", "B"]), ("b.spec.md", &["C"]), ("c.spec.md", &["D"])]);
    let all = Selection::default();
    let bad = ended(&["A", "B", "C", "D"].map(|id| (id, Status::Fail)));
    let suite = place.suite(&["a.spec.md", "b.spec.md", "c.spec.md"]);
    let failed = Failed::nothing(&place.root(), &Arc::default()).after(&suite, &all, &bad);
    place.write("a.spec.md", &["B", "A2"]);
    std::fs::remove_file(place.root().join("b.spec.md")).unwrap();
    // The third is there, and was not looked at.
    assert_eq!(told(&failed.without_gone(&place.suite(&["a.spec.md"]))), ["a.spec.md: B", "c.spec.md: D"]);
    // What stands in a document that is written wrongly nobody knows.
    std::fs::write(place.root().join("a.spec.md"), "```yaml spec-test\nid: [\n```\n").unwrap();
    let left = failed.without_gone(&place.suite(&["a.spec.md"]));
    assert_eq!(told(&left), ["a.spec.md: A, B", "c.spec.md: D"]);
}

#[test]
fn a_document_that_cannot_be_read_fails_whole_until_it_can() {
    let place = Place::with(&[("a.spec.md", &["A", "B"])]);
    std::fs::write(place.root().join("a.spec.md"), "```yaml spec-test\nid: [\n```\n").unwrap();
    let all = Selection::default();
    let failed =
        Failed::nothing(&place.root(), &Arc::default()).after(&place.suite(&["a.spec.md"]), &all, &[]);
    assert_eq!(told(&failed), ["a.spec.md: all of it"]);
    // Until it was read, any of its cases may be the one.
    place.write("a.spec.md", &["A", "B"]);
    let suite = place.suite(&["a.spec.md"]);
    assert!(suite.documents().all(|file| failed.holds(file, "A") && failed.holds(file, "B")));
    assert!(failed.after(&suite, &all, &ended(&[("A", Status::Pass), ("B", Status::Pass)])).is_empty());
}

#[test]
fn an_id_that_stands_twice_fails_where_it_stands_the_second_time() {
    let place = Place::with(&[("a.spec.md", &["A"]), ("b.spec.md", &["A"]), ("c.spec.md", &["C", "C"])]);
    let suite = place.suite(&["a.spec.md", "b.spec.md", "c.spec.md"]);
    let passed = ended(&[("A", Status::Pass), ("C", Status::Pass)]);
    let failed =
        Failed::nothing(&place.root(), &Arc::default()).after(&suite, &Selection::default(), &passed);
    assert_eq!(told(&failed), ["b.spec.md: A", "c.spec.md: C"]);
}
