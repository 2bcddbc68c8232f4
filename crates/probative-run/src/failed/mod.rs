//! What did not pass last time, so that it can be run again.

mod memory;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use probative::baseline::Entry;
use probative::mask::Mask;
use probative::report::Status;

pub use memory::Memory;

use crate::selection::Selection;
use crate::suite::{Item, SpecFile, Suite};

/// The cases that did not pass when they were run last, by their document and their id.
///
/// Documents are named from the contract root that the runs started in; those elsewhere by their whole path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failed {
    root: PathBuf,
    /// What did not pass in each document. `None` is the document itself: something in it could not be read, so any of its
    /// cases may be what is missing until all of them have been run.
    documents: BTreeMap<String, BTreeSet<Option<String>>>,
    /// Names and ids are kept without the secrets in them.
    mask: Arc<Mask>,
}

impl Failed {
    /// Nothing failed yet.
    fn nothing(root: &Path, mask: &Arc<Mask>) -> Failed {
        Failed { root: root.to_owned(), documents: BTreeMap::new(), mask: Arc::clone(mask) }
    }

    /// Whether nothing failed.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// How many cases failed; a document that could not be read counts as one.
    pub fn count(&self) -> usize {
        self.documents.values().map(BTreeSet::len).sum()
    }

    /// Whether a case is among them.
    pub(crate) fn holds(&self, file: &SpecFile, id: &str) -> bool {
        let found = self.name_of(file).and_then(|name| self.documents.get(&name));
        found.is_some_and(|ids| ids.contains(&None) || ids.contains(&Some(self.known(id))))
    }

    /// What is left of it after a run: what passed now, or was skipped, leaves; what did not pass enters; what was not
    /// selected, or not reached, stays; what no longer exists leaves.
    pub(crate) fn after(&self, suite: &Suite, selection: &Selection, ended: &[Entry]) -> Failed {
        let mut now = self.without_gone(suite);
        let is_bad = |status| matches!(status, Status::Fail | Status::Error);
        // Most runs pass whole, after others that did: then there is next to nothing to do.
        let matters = |entry: &&Entry| !now.is_empty() || is_bad(entry.status);
        let ended: BTreeMap<&str, Status> =
            ended.iter().filter(matters).map(|entry| (&*entry.id, entry.status)).collect();
        let ran = |item: Item<'_>| match item {
            Item::Case(..) => ended.get(item.id()).copied(),
            // What is written wrongly does not pass, whatever else ran.
            Item::File(..) | Item::Repeated(..) => Some(Status::Error),
        };
        let (bad, good): (Vec<_>, Vec<_>) = selection
            .of(suite)
            .filter_map(|item| Some((item, ran(item)?)))
            .partition(|(_, status)| is_bad(*status));
        for (item, _) in good {
            let id = item.case().map(|case| now.known(&case.id));
            now.remove(item.file(), id.as_deref());
        }
        now.forgive(suite, |case| ended.contains_key(case));
        // Behind what leaves: one document may have an id twice, of which one passed and the other is refused.
        for (item, _) in bad {
            now.insert(item);
        }
        now
    }

    /// The same without what is known to exist no longer: cases that their document, read whole, does not have, and
    /// documents that are gone.
    pub fn without_gone(&self, suite: &Suite) -> Failed {
        let mut left = self.clone();
        if left.is_empty() {
            return left;
        }
        let read: BTreeMap<String, &SpecFile> =
            suite.documents().filter_map(|file| Some((self.name_of(file)?, file))).collect();
        left.documents.retain(|name, ids| {
            match read.get(name).map(|file| &file.spec) {
                Some(Ok(spec)) if spec.errors.is_empty() => {
                    let there: BTreeSet<String> =
                        spec.cases.iter().map(|case| self.known(&case.id)).collect();
                    ids.retain(|id| id.as_deref().is_none_or(|id| there.contains(id)));
                }
                Some(_) => {}
                None if self.root.join(name).exists() => {}
                None => return false,
            }
            !ids.is_empty()
        });
        left
    }

    /// Lets documents leave that can be read again, once every case of theirs has ended.
    fn forgive(&mut self, suite: &Suite, has_ended: impl Fn(&str) -> bool) {
        if !self.documents.values().any(|ids| ids.contains(&None)) {
            return;
        }
        for file in suite.documents() {
            let Ok(spec) = &file.spec else { continue };
            if spec.errors.is_empty() && spec.cases.iter().all(|case| has_ended(&case.id)) {
                self.remove(file, None);
            }
        }
    }

    fn insert(&mut self, item: Item<'_>) {
        if let Some(name) = self.name_of(item.file()) {
            let id = item.case().map(|case| self.known(&case.id));
            self.documents.entry(name).or_default().insert(id);
        }
    }

    /// Lets a case leave; without an id, what is wrong with its document.
    fn remove(&mut self, file: &SpecFile, id: Option<&str>) {
        let Some(name) = self.name_of(file) else { return };
        if let Some(ids) = self.documents.get_mut(&name) {
            ids.remove(&id.map(str::to_owned));
            if ids.is_empty() {
                self.documents.remove(&name);
            }
        }
    }

    /// What a document is called here. One that was not found anywhere has no name.
    fn name_of(&self, file: &SpecFile) -> Option<String> {
        let path = file.path()?;
        Some(self.known(&path.strip_prefix(&self.root).unwrap_or(&path).to_string_lossy()))
    }

    /// A name or an id as it is kept.
    fn known(&self, name: &str) -> String {
        self.mask.hide_silently(name).into_owned()
    }
}

#[cfg(test)]
mod tests;
