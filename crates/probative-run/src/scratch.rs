//! The directories that cases run in: one for a run, and in it one for every case.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use tempfile::TempDir;

use crate::alive::{self, Name};
use crate::partial::Partial;
use crate::process::Watchdog;

/// How the names of such directories begin.
pub(crate) const PREFIX: &str = "probative-";

/// The directory of a run, made when the first case needs one, and removed with everything in it.
pub(crate) struct Scratch {
    keep: bool,
    made: OnceLock<Result<Made, String>>,
    cases: AtomicUsize,
}

struct Made {
    directory: TempDir,
    /// Locked as long as this process lives, so that nobody sweeps the directory. Nothing, if it is to be kept.
    _alive: Option<File>,
    /// Dismissed when the directory is removed.
    watchdog: Watchdog,
    /// Removed also by a process that ends without unwinding.
    _partial: Option<Partial>,
}

/// The directory of one case, removed when it is dropped unless it is to be kept.
pub(crate) struct CaseDirectory {
    path: PathBuf,
    is_kept: bool,
}

impl Scratch {
    pub(crate) fn new(keep: bool) -> Scratch {
        Scratch { keep, made: OnceLock::new(), cases: AtomicUsize::new(0) }
    }

    /// The directory of the run.
    pub(crate) fn directory(&self) -> io::Result<&Path> {
        let made = self.made.get_or_init(|| Made::make(self.keep).map_err(|error| error.to_string()));
        made.as_ref().map(|made| made.directory.path()).map_err(|error| io::Error::other(error.clone()))
    }

    /// Who ends what runs in the directories if this process is killed.
    pub(crate) fn watchdog(&self) -> Option<&Watchdog> {
        Some(&self.made.get()?.as_ref().ok()?.watchdog)
    }

    /// Creates an empty directory for a case.
    pub(crate) fn case(&self) -> io::Result<CaseDirectory> {
        let directory = self.directory()?;
        loop {
            let number = self.cases.fetch_add(1, Ordering::Relaxed) + 1;
            let path = directory.join(number.to_string());
            match std::fs::create_dir(&path) {
                // Another case has created something with this name.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => return created.map(|()| CaseDirectory { path, is_kept: self.keep }),
            }
        }
    }

    /// Removes the directory of the run; tells what is left of it, and why.
    pub(crate) fn clear(self) -> Option<(PathBuf, io::Error)> {
        let made = self.made.into_inner()?.ok().filter(|_| !self.keep)?;
        let path = made.directory.path().to_owned();
        remove(&path);
        made.directory.close().err().filter(|_| path.exists()).map(|error| (path, error))
    }
}

impl Made {
    fn make(keep: bool) -> io::Result<Made> {
        // An empty variable is as good as none.
        let parent = Some(std::env::temp_dir()).filter(|path| !path.as_os_str().is_empty());
        let parent = std::fs::canonicalize(parent.unwrap_or_else(|| PathBuf::from("/tmp")))?;
        alive::sweep_directories(&parent, Name { prefix: PREFIX, suffix: "" }, remove);
        let make = || tempfile::Builder::new().prefix(PREFIX).tempdir_in(&parent);
        let (directory, alive) = if keep {
            let mut directory = make()?;
            directory.disable_cleanup(true);
            (directory, None)
        } else {
            let locked = || make().and_then(|made| alive::file_in(made.path()).map(|file| (made, file)));
            let (directory, file) = alive::made(locked, |(_, file)| file)?;
            (directory, Some(file))
        };
        let partial = (!keep).then(|| Partial::new(directory.path()));
        let watchdog = Watchdog::over(directory.path(), !keep);
        Ok(Made { directory, _alive: alive, watchdog, _partial: partial })
    }
}

impl CaseDirectory {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn is_kept(&self) -> bool {
        self.is_kept
    }
}

impl Drop for CaseDirectory {
    fn drop(&mut self) {
        if !self.is_kept {
            remove(&self.path);
        }
    }
}

/// Removes a directory with all that is in it.
///
/// Most cases leave nothing behind, and a directory that cannot be removed is no reason to fail one.
fn remove(path: &Path) {
    if std::fs::remove_dir(path).is_err() && std::fs::remove_dir_all(path).is_err() {
        open_up(path);
        let _ = std::fs::remove_dir_all(path);
    }
}

/// Lets its owner change a directory and those below it, whatever a command has made of them. No link is followed.
#[cfg(unix)]
fn open_up(directory: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    if directory.is_symlink() {
        return;
    }
    let _ = std::fs::set_permissions(directory, std::fs::Permissions::from_mode(0o700));
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}

#[cfg(not(unix))]
fn open_up(_: &Path) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_gets_a_new_empty_directory_that_is_removed_after_it() {
        let scratch = Scratch::new(false);
        let used = scratch.case().unwrap();
        std::fs::write(used.path().join("left"), "").unwrap();
        let (first, root) = (used.path().to_owned(), scratch.directory().unwrap().to_owned());
        drop(used);
        assert!(!first.exists());
        std::fs::create_dir(root.join("2")).unwrap();
        let next = scratch.case().unwrap();
        assert_eq!(next.path(), root.join("3"));
        assert_eq!(std::fs::read_dir(next.path()).unwrap().count(), 0);
        drop(next);
        assert!(scratch.clear().is_none());
        assert!(!root.exists());
    }
}
