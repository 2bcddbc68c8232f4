//! The directories that cases run in: one for a run, and in it one for every case.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use tempfile::TempDir;

use crate::alive::{self, Name};
use crate::partial::Partial;
use crate::process::{Orphans, Watchdog};
use crate::untouched::{New, Untouched};

/// How the names of such directories begin.
pub(crate) const PREFIX: &str = "probative-";

/// The directory of a run, made when the first case needs one, and removed with everything in it.
pub(crate) struct Scratch<'o> {
    keep: bool,
    /// Who knows whether anything of a case is left that could still use its directory.
    orphans: Option<&'o Orphans>,
    made: OnceLock<Result<Made, String>>,
    cases: AtomicUsize,
    untouched: Untouched,
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
pub(crate) struct CaseDirectory<'s> {
    path: PathBuf,
    scratch: &'s Scratch<'s>,
    /// What it was when it was new, where it can be known that nobody is in it any more.
    new: Option<New>,
    /// Whether all that was run in it has ended, by itself: there are processes that nothing ends.
    is_deserted: bool,
}

impl<'o> Scratch<'o> {
    pub(crate) fn new(keep: bool, orphans: Option<&'o Orphans>) -> Scratch<'o> {
        let untouched = Untouched::default();
        Scratch { keep, orphans, made: OnceLock::new(), cases: AtomicUsize::new(0), untouched }
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

    /// A new empty directory for a case.
    pub(crate) fn case(&self) -> io::Result<CaseDirectory<'_>> {
        let directory = self.directory()?;
        loop {
            let number = self.cases.fetch_add(1, Ordering::Relaxed) + 1;
            let path = directory.join(number.to_string());
            let mut new = self.untouched.rename_one(&path);
            if new.is_none() {
                match std::fs::create_dir(&path) {
                    // A case has made what is named like the directory of another.
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                    made => made?,
                }
                new = if self.may_use_again() { self.untouched.new_at(&path) } else { None };
            }
            return Ok(CaseDirectory { path, scratch: self, new, is_deserted: false });
        }
    }

    /// Removes the directory of the run; tells what is left of it, and why.
    pub(crate) fn clear(self) -> Option<(PathBuf, io::Error)> {
        let made = self.made.into_inner()?.ok().filter(|_| !self.keep)?;
        let path = made.directory.path().to_owned();
        remove(&path);
        made.directory.close().err().filter(|_| path.exists()).map(|error| (path, error))
    }

    /// Whether it can be known of a directory that nobody is in it any more.
    fn may_use_again(&self) -> bool {
        self.orphans.is_some() && !self.keep
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

impl CaseDirectory<'_> {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn is_kept(&self) -> bool {
        self.scratch.keep
    }

    /// Says whether all that was run in it has ended, by itself.
    pub(crate) fn deserted(mut self, is_deserted: bool) -> Self {
        self.is_deserted = is_deserted;
        self
    }

    /// Leaves it to a case that comes after, if nobody is in it and nobody can tell it from a new one.
    fn is_left_to_others(&mut self) -> bool {
        self.is_deserted && self.new.take().is_some_and(|new| self.scratch.untouched.take(new))
    }
}

impl Drop for CaseDirectory<'_> {
    fn drop(&mut self) {
        if !self.is_kept() && !self.is_left_to_others() {
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
