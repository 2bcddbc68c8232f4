//! What changes without meaning anything.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::out::place_of;
use crate::root;
use crate::scratch::PREFIX;

/// What is passed over, by the rules of `.gitignore` and by what it is called. Rules are read once.
pub(super) struct Ignored<'a> {
    /// What the runs themselves write.
    written: &'a [PathBuf],
    /// Where the directories of cases are made.
    scratch: Option<PathBuf>,
    /// The rules in every directory that was asked about.
    rules: RefCell<BTreeMap<PathBuf, Gitignore>>,
}

impl<'a> Ignored<'a> {
    /// Passes over what the runs write, too.
    pub(super) fn beside(written: &'a [PathBuf]) -> Ignored<'a> {
        let scratch = std::fs::canonicalize(std::env::temp_dir()).ok();
        Ignored { written, scratch, rules: RefCell::default() }
    }

    /// Whether this is a file that the runs write: it counts for nobody, even if somebody reads it.
    pub(super) fn is_written(&self, path: &Path) -> bool {
        self.written.iter().any(|written| place_of(written) == path)
    }

    /// Whether a path is passed over: it, or a directory above it in its contract root, is hidden, a copy that an editor
    /// keeps, a directory in which a case runs, or ignored by a `.gitignore`, also outside of a repository.
    pub(super) fn covers(&self, path: &Path) -> bool {
        let directory = path.parent().unwrap_or(path);
        let root = root::of(directory);
        let mut below: Vec<&Path> = path.ancestors().take_while(|above| *above != root).collect();
        // From the root down: in a directory that is ignored nothing can be taken back.
        below.reverse();
        let last = below.len().saturating_sub(1);
        below.iter().enumerate().any(|(at, part)| {
            let is_directory = at < last || part.is_dir();
            is_noise(part) || self.is_scratch(part, root) || self.is_ruled_out(part, is_directory, root)
        })
    }

    /// Whether it is the directory of a run, where temporary files are made below the root.
    fn is_scratch(&self, path: &Path, root: &Path) -> bool {
        let Some(scratch) = self.scratch.as_deref().filter(|scratch| scratch.starts_with(root)) else {
            return false;
        };
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        path.parent() == Some(scratch) && name.starts_with(PREFIX.as_bytes())
    }

    fn is_ruled_out(&self, path: &Path, is_directory: bool, root: &Path) -> bool {
        let mut rules = self.rules.borrow_mut();
        for directory in path.ancestors().skip(1).take_while(|above| above.starts_with(root)) {
            let known = rules.entry(directory.to_owned()).or_insert_with(|| rules_in(directory));
            match known.matched(path, is_directory) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }
}

/// Whether the name alone tells: hidden, or what editors leave for a moment.
fn is_noise(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let bytes = name.as_encoded_bytes();
    // Vim asks with `4913` whether it can write into a directory.
    bytes.starts_with(b".") || bytes.ends_with(b"~") || bytes.starts_with(b"#") || name == OsStr::new("4913")
}

/// The rules that stand in a directory. What is no rule is none.
fn rules_in(directory: &Path) -> Gitignore {
    let mut builder = GitignoreBuilder::new(directory);
    for name in [".git/info/exclude", ".gitignore"] {
        let file = directory.join(name);
        if file.is_file() {
            builder.add(file);
        }
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        for (name, text) in files {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        (place, root)
    }

    #[test]
    fn the_rules_of_every_directory_above_hold() {
        let (_place, root) = place(&[
            ("probative.toml", ""),
            (".gitignore", "*.log\n/build/\n!keep.log\n"),
            ("sub/.gitignore", "!sub.log\nonly-here\n"),
            (".git/info/exclude", "private\n"),
        ]);
        let ignored = Ignored::beside(&[]);
        for name in ["x.log", "sub/x.log", "build/a/b.py", "sub/only-here", "private", "sub/private/x"] {
            if name.starts_with("build") {
                std::fs::create_dir_all(root.join("build/a")).unwrap();
            }
            assert!(ignored.covers(&root.join(name)), "{name}");
        }
        for name in ["agent.py", "keep.log", "sub/sub.log", "only-here", "sub/build/x", "gone/agent.py"] {
            assert!(!ignored.covers(&root.join(name)), "{name}");
        }
    }

    #[test]
    fn what_is_hidden_or_an_editors_copy_means_nothing() {
        let (_place, root) = place(&[("probative.toml", "")]);
        let ignored = Ignored::beside(&[]);
        for name in [".git/index", ".a.py.swp", "a.py~", "#a.py#", "4913", ".venv/lib/x.py"] {
            assert!(ignored.covers(&root.join(name)), "{name}");
        }
        assert!(!ignored.covers(&root.join("a.py")));
    }

    #[test]
    fn what_the_runs_write_counts_for_nobody() {
        let (_place, root) = place(&[("report.html", "")]);
        let written = [root.join("./report.html")];
        let ignored = Ignored::beside(&written);
        assert!(
            ignored.is_written(&root.join("report.html")) && !ignored.is_written(&root.join("report.txt"))
        );
    }
}
