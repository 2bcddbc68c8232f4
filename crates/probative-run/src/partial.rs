//! Files that are not complete yet, and directories of a run: what must not be left behind.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

static PARTIALS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that is being written, or a directory that is in use. Dropping this says that somebody else has taken care of it.
pub(crate) struct Partial(PathBuf);

impl Partial {
    pub(crate) fn new(path: &Path) -> Partial {
        PARTIALS.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
        Partial(path.to_owned())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        PARTIALS.lock().unwrap_or_else(PoisonError::into_inner).retain(|path| *path != self.0);
    }
}

/// Removes what is not complete, for a process that ends without unwinding.
pub fn abandon() {
    for path in PARTIALS.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    }
}
