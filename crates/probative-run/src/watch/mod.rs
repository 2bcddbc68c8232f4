//! Watching what cases depend on, and telling which of them a change affects.

mod affected;
mod ignored;
mod need;
mod outputs;
mod watcher;

use std::collections::BTreeSet;
use std::path::PathBuf;

pub use affected::Affected;
pub use outputs::Outputs;
pub use watcher::{ANYWHERE, Watcher};

use self::affected::Change;
use self::need::Need;
use crate::root;
use crate::suite::Suite;

/// The files that cases depend on, and what is never among them.
#[derive(Debug)]
pub struct Watch {
    watcher: Watcher,
    /// What the runs themselves write.
    written: Vec<PathBuf>,
    /// Where tests of suites find recorded responses, if they do.
    responses: Option<PathBuf>,
}

impl Watch {
    /// Watches the contract root of this directory from now on, and whatever [`Watch::follow`] adds.
    pub fn start(watcher: Watcher, written: Vec<PathBuf>, responses: Option<PathBuf>) -> Watch {
        let mut watch = Watch { watcher, written, responses };
        if let Ok(here) = std::fs::canonicalize(".") {
            watch.watcher.watch_tree(root::of(&here), &watch.written);
        }
        watch
    }

    /// Watches all that the cases of a suite depend on, too.
    pub fn follow(&mut self, suite: &Suite) {
        let needs = Need::of_all(suite, self.responses.as_deref());
        for root in needs.iter().filter_map(Need::root).collect::<BTreeSet<_>>() {
            self.watcher.watch_tree(root, &self.written);
        }
        for directory in needs.iter().flat_map(Need::directories).collect::<BTreeSet<_>>() {
            self.watcher.watch(directory);
        }
    }

    /// What could not be watched, told once.
    pub fn trouble(&mut self) -> Option<String> {
        self.watcher.trouble.take()
    }

    /// Watches the directories that have appeared among what changed. To be called before the documents are read again:
    /// then what is made in them is either found there, or noticed.
    pub fn refresh(&mut self, changed: &BTreeSet<PathBuf>) {
        self.watcher.refresh(changed, &self.written);
    }

    /// Which items of a suite, by their positions, changes affect.
    pub fn affected(&self, suite: &Suite, changed: &BTreeSet<PathBuf>) -> Affected {
        let ignored = ignored::Ignored::beside(&self.written);
        let needs = Need::of_all(suite, self.responses.as_deref());
        let foreign = changed.iter().filter(|path| !ignored.is_written(path));
        let foreign = foreign.map(|path| Change { path: path.clone(), is_ignored: ignored.covers(path) });
        affected::affected(&needs, &foreign.collect::<Vec<_>>())
    }
}
