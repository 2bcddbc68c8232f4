//! Which cases a change affects.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use probative::spec::Format;

use super::need::Need;
use crate::config;

/// Something that changed: a file, or a directory with whatever is below it.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) path: PathBuf,
    /// Whether it counts only where a case is known to read it.
    pub(super) is_ignored: bool,
}

/// What changes affect.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Affected {
    /// The positions of items among those of their suite.
    pub items: BTreeSet<usize>,
    /// The changes that affect any of them, in order.
    pub changed: Vec<PathBuf>,
}

/// Which items changes affect, by what each of them depends on:
///
/// - a document: its cases;
/// - the configuration: every case below it;
/// - what was recorded, or is read: the cases that read it;
/// - anything else that is not ignored, and what is read but may be a program: the cases that run something below the same
///   contract root, and those recorded in the same directory, for a recording may name further files.
pub(super) fn affected(needs: &[Need], changes: &[Change]) -> Affected {
    let mut affected = Affected::default();
    for change in changes {
        let is_named = is_document(&change.path) || is_configuration(&change.path);
        let is_data = is_named || needs.iter().any(|need| need.is_data_at(&change.path));
        let may_be_code = !change.is_ignored && !is_data;
        let is_hit = |need: &Need| {
            need.reads(&change.path)
                || (may_be_code && (need.runs_below(&change.path) || need.is_beside(&change.path)))
        };
        let hit: Vec<usize> = (0..needs.len()).filter(|at| is_hit(&needs[*at])).collect();
        if !hit.is_empty() {
            affected.changed.push(change.path.clone());
            affected.items.extend(hit);
        }
    }
    affected
}

/// Whether a path is called as documents with cases are, there or not.
fn is_document(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut endings = Format::ALL.into_iter().flat_map(Format::endings);
    endings.any(|ending| name.ends_with(ending))
}

fn is_configuration(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == config::NAME)
}

impl Need {
    /// Whether it depends on what is known to be at a path, or below it.
    fn reads(&self, path: &Path) -> bool {
        let found = || {
            self.missing
                .as_ref()
                .is_some_and(|missing| path == missing || (is_document(path) && path.starts_with(missing)))
        };
        let is_known = self.files().any(|file| file.starts_with(path)) || self.is_recorded_at(path);
        is_known || self.is_configured_by(path) || found()
    }

    /// Whether a path is that of a configuration for the document, or was, or would be.
    fn is_configured_by(&self, path: &Path) -> bool {
        let above = path.parent().filter(|_| is_configuration(path));
        above.is_some_and(|above| self.document.iter().any(|document| document.starts_with(above)))
    }

    /// Whether what is at a path is no program: a document, or something recorded.
    fn is_data_at(&self, path: &Path) -> bool {
        self.document.iter().any(|file| file == path) || self.is_recorded_at(path)
    }

    fn runs_below(&self, path: &Path) -> bool {
        self.runs.as_ref().is_some_and(|root| path.starts_with(root))
    }

    fn is_beside(&self, path: &Path) -> bool {
        self.recorded
            .iter()
            .any(|recorded| recorded.parent().is_some_and(|directory| path.starts_with(directory)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    /// 0 and 1 stand in one document, 2 and 3 in another, 4 below another root.
    fn needs() -> Vec<Need> {
        let of = |document: &str, root: &str| Need {
            document: paths(&[document]).into(),
            config: Some(format!("{root}/probative.toml").into()),
            ..Need::default()
        };
        vec![
            Need { texts: paths(&["/p/src/agent.py"]), ..of("/p/a.spec.md", "/p") },
            Need { runs: Some("/p".into()), ..of("/p/a.spec.md", "/p") },
            Need {
                recorded: paths(&["/p/runs/1.json", "/p/runs/2.json"]),
                pattern: glob::Pattern::new("/p/runs/*.json").ok(),
                ..of("/p/sub/b.spec.md", "/p")
            },
            Need {
                recorded: paths(&["/p/before.json"]),
                runs: Some("/p".into()),
                ..of("/p/sub/b.spec.md", "/p")
            },
            Need { runs: Some("/q".into()), ..of("/q/c.spec.md", "/q") },
        ]
    }

    fn hit(path: &str, is_ignored: bool) -> Vec<usize> {
        let change = Change { path: path.into(), is_ignored };
        affected(&needs(), &[change]).items.into_iter().collect()
    }

    #[test]
    fn a_document_affects_its_cases() {
        assert_eq!(hit("/p/a.spec.md", false), [0, 1]);
        assert_eq!(hit("/p/a.spec.md", true), [0, 1]);
        // One that has vanished, or has no case, is no program.
        assert_eq!(hit("/p/gone.spec.md", false), [0_usize; 0]);
        assert_eq!(hit("/p/gone.tests.json", false), [0_usize; 0]);
    }

    #[test]
    fn the_configuration_affects_every_case_below_it() {
        assert_eq!(hit("/p/probative.toml", false), [0, 1, 2, 3]);
        assert_eq!(hit("/q/probative.toml", false), [4]);
        // One that has vanished, so that the one above it counts.
        assert_eq!(hit("/p/sub/probative.toml", false), [2, 3]);
    }

    #[test]
    fn what_is_read_affects_those_who_read_it() {
        assert_eq!(hit("/p/runs/1.json", false), [2]);
        assert_eq!(hit("/p/before.json", false), [3]);
        // A recording that has just appeared.
        assert_eq!(hit("/p/runs/3.json", true), [2]);
        // A text may be a program.
        assert_eq!(hit("/p/src/agent.py", false), [0, 1, 3]);
        assert_eq!(hit("/p/src/agent.py", true), [0]);
    }

    #[test]
    fn anything_else_affects_those_who_run_something() {
        assert_eq!(hit("/p/src/other.py", false), [1, 3]);
        assert_eq!(hit("/p/target/other", true), [0_usize; 0]);
        assert_eq!(hit("/q/x", false), [4]);
        assert_eq!(hit("/elsewhere", false), [0_usize; 0]);
        // A recording may name it.
        assert_eq!(hit("/p/runs/trace.txt", false), [1, 2, 3]);
    }

    #[test]
    fn a_directory_affects_those_who_read_what_is_below_it() {
        assert_eq!(hit("/p/sub", true), [2, 3]);
        assert_eq!(hit("/p/runs", true), [2]);
        assert_eq!(hit("/p/runs", false), [1, 2, 3]);
        assert_eq!(hit("/", false), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn what_was_missing_is_looked_for() {
        let needs = [Need { missing: Some("/p/specs".into()), ..Need::default() }];
        let is_hit = |path: &str| {
            let change = Change { path: path.into(), is_ignored: false };
            !affected(&needs, &[change]).items.is_empty()
        };
        assert!(is_hit("/p/specs") && is_hit("/p/specs/a.spec.md"));
        assert!(!is_hit("/p/specs/a.txt") && !is_hit("/p/a.spec.md"));
    }

    #[test]
    fn only_changes_that_affect_something_are_told() {
        let change = |path: &str, is_ignored| Change { path: path.into(), is_ignored };
        let changes = [change("/p/log", true), change("/q/x", false), change("/p/runs/1.json", false)];
        let affected = affected(&needs(), &changes);
        assert_eq!(affected.changed, paths(&["/q/x", "/p/runs/1.json"]));
        assert_eq!(affected.items, BTreeSet::from([2, 4]));
    }
}
