//! Watching directories.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::ignored::Ignored;

/// Whether the system watches a whole tree at once. Where it does not, every directory is watched by itself, and those that are
/// ignored cost nothing.
const WATCHES_TREES: bool = !cfg!(target_os = "linux");

/// What is said to have changed where more did than the system could tell: whatever is below.
pub const ANYWHERE: &str = "/";

/// Notices what changes in directories.
pub struct Watcher {
    system: RecommendedWatcher,
    watched: BTreeSet<PathBuf>,
    trees: BTreeSet<PathBuf>,
    /// The first thing that could not be watched.
    pub(super) trouble: Option<String>,
    is_troubled: bool,
}

impl Watcher {
    /// Watches nothing yet. `changed` is called, on a thread of its own, with paths that changed, appeared or vanished.
    pub fn new(changed: impl Fn(Vec<PathBuf>) + Send + 'static) -> Result<Watcher, String> {
        let handler = move |event: notify::Result<notify::Event>| match event {
            // Reading is no change: else every run would start the next.
            Ok(event) if matches!(event.kind, EventKind::Access(_)) => {}
            Ok(event) if !event.need_rescan() => changed(event.paths),
            Ok(_) | Err(_) => changed(vec![PathBuf::from(ANYWHERE)]),
        };
        let system = notify::recommended_watcher(handler)
            .map_err(|error| format!("cannot watch files: {}", told(&error)))?;
        let nothing = BTreeSet::new();
        Ok(Watcher { system, watched: nothing.clone(), trees: nothing, trouble: None, is_troubled: false })
    }

    /// Watches a directory and all below it, but for what is passed over.
    pub(super) fn watch_tree(&mut self, root: &Path, written: &[PathBuf]) {
        if !self.trees.contains(root) {
            self.trees.insert(root.to_owned());
            self.grow(root, &Ignored::beside(written));
        }
    }

    /// Watches a directory, unless it is watched already or not there.
    pub(super) fn watch(&mut self, directory: &Path) {
        self.add(directory, RecursiveMode::NonRecursive);
    }

    /// Watches what has appeared below the trees. What was watched and has changed itself may be another directory now.
    pub(super) fn refresh(&mut self, changed: &BTreeSet<PathBuf>, written: &[PathBuf]) {
        let ignored = Ignored::beside(written);
        for path in changed.iter().filter(|path| path.is_dir() && !path.is_symlink()) {
            self.watched.retain(|watched| !watched.starts_with(path));
            let mut grown: Vec<PathBuf> =
                self.trees.iter().filter(|tree| tree.starts_with(path)).cloned().collect();
            if self.trees.iter().any(|tree| path.starts_with(tree)) && !ignored.covers(path) {
                grown.push(path.clone());
            }
            for directory in grown {
                self.grow(&directory, &ignored);
            }
        }
    }

    fn grow(&mut self, directory: &Path, ignored: &Ignored<'_>) {
        if WATCHES_TREES {
            return self.add(directory, RecursiveMode::Recursive);
        }
        self.add(directory, RecursiveMode::NonRecursive);
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            // A link to a directory is none, so no loop can be walked.
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !ignored.covers(&path) {
                self.grow(&path, ignored);
            }
        }
    }

    fn add(&mut self, directory: &Path, mode: RecursiveMode) {
        if self.watched.contains(directory) || !directory.is_dir() {
            return;
        }
        match self.system.watch(directory, mode) {
            Ok(()) => {
                self.watched.insert(directory.to_owned());
            }
            // The others will meet the same obstacle.
            Err(_) if self.is_troubled => {}
            Err(error) => {
                self.is_troubled = true;
                self.trouble = Some(format!("cannot watch {}: {}", directory.display(), told(&error)));
            }
        }
    }
}

/// Why something cannot be watched.
fn told(error: &notify::Error) -> String {
    match &error.kind {
        notify::ErrorKind::Io(error) => crate::subjects::reason(error),
        notify::ErrorKind::MaxFilesWatch => {
            "too many watched directories (raise fs.inotify.max_user_watches)".to_owned()
        }
        _ => error.to_string(),
    }
}

impl fmt::Debug for Watcher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Watcher").field("watched", &self.watched).finish_non_exhaustive()
    }
}
