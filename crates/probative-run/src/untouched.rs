//! Directories that cases left as they found them, for the cases that come after.
//!
//! Removing a directory and making another costs a good part of what it costs to start a process. Most cases only run something in
//! theirs. Such a directory gets the name of the next case's: to that case it is new, and to whoever knows the old name it is gone.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Empty directories in which nobody can be any more.
#[derive(Debug, Default)]
pub(crate) struct Untouched(Mutex<Vec<PathBuf>>);

/// All that a directory is beside what is in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Look {
    inode: (u64, u64),
    mode: u32,
    owners: (u32, u32),
    /// When any of these, its other attributes or what is in it last changed, as exactly as the system knows.
    changed: (i64, i64),
}

impl Look {
    pub(crate) fn of(directory: &Path) -> Option<Look> {
        let found = fs::symlink_metadata(directory).ok()?;
        Some(Look {
            inode: (found.dev(), found.ino()),
            mode: found.mode(),
            owners: (found.uid(), found.gid()),
            changed: (found.ctime(), found.ctime_nsec()),
        })
    }
}

impl Untouched {
    /// Gives an untouched directory a new name, and says whether there was one.
    pub(crate) fn rename_one(&self, path: &Path) -> bool {
        let one = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        one.is_some_and(|one| fs::rename(one, path).is_ok())
    }

    /// Takes a directory that looked so when it was given to a case, if it still does and is empty.
    ///
    /// Nobody may be in it. Times are not so exact that every change shows in them: so it is looked into as well.
    pub(crate) fn take(&self, directory: &Path, looked: Option<&Look>) -> bool {
        let is_empty = || fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_none());
        let is_untouched = looked.is_some() && looked == Look::of(directory).as_ref() && is_empty();
        if is_untouched {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(directory.to_owned());
        }
        is_untouched
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// Whether a directory is taken after something was done to it.
    fn is_taken_after(what: impl FnOnce(&Path)) -> bool {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().join("1");
        fs::create_dir(&directory).unwrap();
        let looked = Look::of(&directory);
        what(&directory);
        let untouched = Untouched::default();
        let is_taken = untouched.take(&directory, looked.as_ref());
        assert_eq!(untouched.rename_one(&place.path().join("2")), is_taken);
        assert_eq!(place.path().join("2").exists(), is_taken);
        is_taken
    }

    #[test]
    fn only_what_is_as_it_was_is_used_again() {
        assert!(is_taken_after(|_| ()));
        assert!(is_taken_after(|directory| assert_eq!(fs::read_dir(directory).unwrap().count(), 0)));
        assert!(!is_taken_after(|directory| fs::write(directory.join("file"), "").unwrap()));
        assert!(!is_taken_after(|directory| fs::create_dir(directory.join(".hidden")).unwrap()));
        assert!(!is_taken_after(|directory| {
            fs::set_permissions(directory, fs::Permissions::from_mode(0o500)).unwrap();
        }));
        assert!(!is_taken_after(|directory| fs::remove_dir(directory).unwrap()));
        assert!(!is_taken_after(|directory| {
            fs::remove_dir(directory).unwrap();
            std::os::unix::fs::symlink("/", directory).unwrap();
        }));
    }

    #[test]
    fn each_is_used_once() {
        let place = tempfile::tempdir().unwrap();
        let untouched = Untouched::default();
        let named = |name: &str| place.path().join(name);
        for name in ["1", "2"] {
            fs::create_dir(named(name)).unwrap();
            assert!(untouched.take(&named(name), Look::of(&named(name)).as_ref()));
        }
        assert!(untouched.rename_one(&named("3")) && untouched.rename_one(&named("4")));
        assert!(!untouched.rename_one(&named("5")));
        assert!(named("3").exists() && named("4").exists() && !named("1").exists() && !named("2").exists());
    }
}
