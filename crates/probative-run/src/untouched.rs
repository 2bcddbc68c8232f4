//! Directories that cases left as they found them, for the cases that come after.
//!
//! Removing a directory and making another costs a good part of what it costs to start a process. Most cases only run something in
//! theirs. Such a directory gets the name of the next case's: to that case it is new, and to whoever knows the old name it is gone.

use std::fs::{self, File, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{Dir, Mode, OFlags, open};

/// Reading a directory to see whether it is empty need not be written down in it.
#[cfg(target_os = "linux")]
const UNNOTICED: OFlags = OFlags::NOATIME;
#[cfg(not(target_os = "linux"))]
const UNNOTICED: OFlags = OFlags::empty();

/// How often a directory is changed to see whether each change shows in its times.
const CHANGES: usize = 4;

/// How long times stand still at least where not every change shows in them: a tick of the system's clock.
const TICK: Duration = Duration::from_millis(1);

/// Empty directories in which nobody can be any more.
#[derive(Debug, Default)]
pub(crate) struct Untouched(Mutex<Vec<New>>);

/// A directory as it is given to a case.
#[derive(Debug)]
pub(crate) struct New {
    path: PathBuf,
    /// What is in it, where its times do not tell every change. Open all the time: a directory is looked into more often than
    /// it is made.
    entries: Option<Dir>,
    looked: Look,
}

/// All that a directory is beside what is in it.
#[derive(Debug, PartialEq, Eq)]
struct Look {
    inode: (u64, u64),
    mode: u32,
    owners: (u32, u32),
    /// When any of these, its other attributes or what is in it last changed, as exactly as the system knows.
    changed: (i64, i64),
}

impl New {
    /// A directory that was just made.
    pub(crate) fn at(path: &Path) -> Option<New> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | UNNOTICED;
        let directory = File::from(open(path, flags, Mode::empty()).ok()?);
        let is_all_told = tells_every_change(&directory);
        let entries = if is_all_told { None } else { Some(Dir::new(directory).ok()?) };
        Some(New { path: path.to_owned(), entries, looked: Look::at(path)? })
    }

    fn renamed(mut self, path: &Path) -> Option<New> {
        fs::rename(&self.path, path).ok()?;
        self.looked = Look::at(path)?;
        path.clone_into(&mut self.path);
        Some(self)
    }

    /// Where its times do not tell every change, it is looked into as well.
    fn is_untouched(&mut self) -> bool {
        Look::at(&self.path).as_ref() == Some(&self.looked) && self.entries.as_mut().is_none_or(is_empty)
    }
}

fn is_empty(entries: &mut Dir) -> bool {
    entries.rewind();
    entries.all(|entry| entry.is_ok_and(|entry| matches!(entry.file_name().to_bytes(), b"." | b"..")))
}

/// Whether who looks at a directory, and later again, sees in its times whether anything was done to it or in it meanwhile.
///
/// So it is with the common file systems of Linux from 6.13 on. Elsewhere, times stand still for a tick: then several changes within
/// less than one do not all show.
fn tells_every_change(directory: &File) -> bool {
    let Ok(found) = directory.metadata() else { return false };
    let (begun, mut looked) = (Instant::now(), Look::of(&found));
    for _ in 0..CHANGES {
        let changed = directory.set_permissions(found.permissions()).and_then(|()| directory.metadata());
        let Ok(changed) = changed.as_ref().map(Look::of) else { return false };
        if changed == looked {
            return false;
        }
        looked = changed;
    }
    begun.elapsed() < TICK
}

impl Look {
    /// That of what a path leads to, without following links.
    fn at(path: &Path) -> Option<Look> {
        fs::symlink_metadata(path).ok().as_ref().map(Look::of)
    }

    fn of(found: &Metadata) -> Look {
        Look {
            inode: (found.dev(), found.ino()),
            mode: found.mode(),
            owners: (found.uid(), found.gid()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }
}

impl Untouched {
    /// Gives an untouched directory a new name, if there is one.
    pub(crate) fn rename_one(&self, path: &Path) -> Option<New> {
        let one = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        one?.renamed(path)
    }

    /// Takes a directory if it is still as it was given to a case, and says whether it is. Nobody may be in it.
    pub(crate) fn take(&self, mut directory: New) -> bool {
        let is_untouched = directory.is_untouched();
        if is_untouched {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(directory);
        }
        is_untouched
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// A new directory that is looked into, whatever its times tell.
    fn looked_into(path: &Path) -> New {
        let entries = Dir::new(File::open(path).unwrap()).unwrap();
        New { entries: Some(entries), ..New::at(path).unwrap() }
    }

    /// Whether a directory is taken after something was done to it: the same, whether it is looked into or not.
    fn is_taken_after(what: impl Fn(&Path)) -> bool {
        let [is_taken, is_taken_otherwise] = [|path: &Path| New::at(path).unwrap(), looked_into].map(|new| {
            let place = tempfile::tempdir().unwrap();
            let directory = place.path().join("1");
            fs::create_dir(&directory).unwrap();
            let new = new(&directory);
            what(&directory);
            let untouched = Untouched::default();
            let is_taken = untouched.take(new);
            assert_eq!(untouched.rename_one(&place.path().join("2")).is_some(), is_taken);
            assert_eq!(place.path().join("2").exists(), is_taken);
            is_taken
        });
        assert_eq!(is_taken, is_taken_otherwise);
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
        assert!(!is_taken_after(|directory| {
            fs::rename(directory, directory.with_file_name("3")).unwrap();
            fs::create_dir(directory).unwrap();
        }));
    }

    #[test]
    fn where_times_tell_every_change_none_is_missed() {
        let place = tempfile::tempdir().unwrap();
        for number in 0..300 {
            let directory = place.path().join(number.to_string());
            fs::create_dir(&directory).unwrap();
            let new = New::at(&directory).unwrap();
            let is_all_told = new.entries.is_none();
            fs::write(directory.join("file"), "").unwrap();
            fs::remove_file(directory.join("file")).unwrap();
            assert!(!is_all_told || !Untouched::default().take(new), "change {number} was missed");
        }
    }

    #[test]
    fn what_was_used_again_is_looked_into_again() {
        let place = tempfile::tempdir().unwrap();
        let untouched = Untouched::default();
        let named = |name: &str| place.path().join(name);
        fs::create_dir(named("1")).unwrap();
        assert!(untouched.take(looked_into(&named("1"))));
        assert!(untouched.take(untouched.rename_one(&named("2")).unwrap()));
        let mut used = untouched.rename_one(&named("3")).unwrap();
        fs::write(named("3").join("file"), "").unwrap();
        used.looked = Look::at(&named("3")).unwrap();
        assert!(!untouched.take(used));
    }

    #[test]
    fn each_is_used_once() {
        let place = tempfile::tempdir().unwrap();
        let untouched = Untouched::default();
        let named = |name: &str| place.path().join(name);
        for name in ["1", "2"] {
            fs::create_dir(named(name)).unwrap();
            assert!(untouched.take(New::at(&named(name)).unwrap()));
        }
        assert!(untouched.rename_one(&named("3")).is_some() && untouched.rename_one(&named("4")).is_some());
        assert!(untouched.rename_one(&named("5")).is_none());
        assert!(named("3").exists() && named("4").exists() && !named("1").exists() && !named("2").exists());
    }
}
