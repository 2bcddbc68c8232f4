//! Directories that cases left as they found them, for the cases that come after.
//!
//! Removing a directory and making another costs a good part of what it costs to start a process. Most cases only run something in
//! theirs. Such a directory gets the name of the next case's: to that case it is new, and to whoever knows the old name it is gone.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{Dir, Mode, OFlags, open};

/// Reading a directory to see whether it is empty need not be written down in it.
#[cfg(target_os = "linux")]
const UNNOTICED: OFlags = OFlags::NOATIME;
#[cfg(not(target_os = "linux"))]
const UNNOTICED: OFlags = OFlags::empty();

/// How often a file is made and removed to see whether that shows in the times of its directory, and how often this is tried.
const CHANGES: usize = 2;
const TRIES: usize = 3;

/// How long times stand still at least where not every change shows in them: a tick of the system's clock.
const TICK: Duration = Duration::from_millis(1);

/// Empty directories in which nobody can be any more, all in one file system.
#[derive(Debug, Default)]
pub(crate) struct Untouched {
    kept: Mutex<Vec<New>>,
    /// Whether the times of a directory tell every change. Tried on the first that is used again: who runs but one case need not know.
    tells_all: OnceLock<bool>,
}

/// A directory as it is given to a case.
#[derive(Debug)]
pub(crate) struct New {
    path: PathBuf,
    /// What is in it, unless its times tell every change. Open all the time: a directory is looked into more often than it is made.
    entries: Option<Dir>,
    looked: Look,
}

/// All that a directory is beside what is in it.
#[derive(Debug, PartialEq, Eq)]
struct Look {
    /// What a new name does not change.
    lasting: Lasting,
    /// When anything of it last changed, be it its name, as exactly as the system knows.
    changed: (i64, i64),
}

#[derive(Debug, PartialEq, Eq)]
struct Lasting {
    inode: (u64, u64),
    mode: u32,
    owners: (u32, u32),
    /// When what is in it last changed.
    modified: (i64, i64),
}

impl Untouched {
    /// A directory that was just made.
    pub(crate) fn new_at(&self, path: &Path) -> Option<New> {
        let entries = if self.tells_all.get() == Some(&true) { None } else { Some(entries_of(path)?) };
        Some(New { path: path.to_owned(), entries, looked: Look::at(path)? })
    }

    /// Gives an untouched directory a new name, if there is one. Should somebody have changed it meanwhile, it is given to nobody.
    pub(crate) fn rename_one(&self, path: &Path) -> Option<New> {
        let mut one = self.lock().pop()?.renamed(path)?;
        let is_tried = self.tells_all.get().is_some();
        let tells_all = *self.tells_all.get_or_init(|| tells_every_change(path));
        if !is_tried {
            // Trying must have left nothing behind.
            one.looked = Look::at(path)?;
            if !one.entries.as_mut().is_none_or(is_empty) {
                return None;
            }
        }
        if tells_all {
            one.entries = None;
        }
        Some(one)
    }

    /// Takes a directory if it is still as it was given to a case, and says whether it is. Nobody may be in it.
    pub(crate) fn take(&self, mut directory: New) -> bool {
        let is_untouched = directory.is_untouched();
        if is_untouched {
            self.lock().push(directory);
        }
        is_untouched
    }

    fn lock(&self) -> MutexGuard<'_, Vec<New>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl New {
    fn renamed(mut self, path: &Path) -> Option<New> {
        fs::rename(&self.path, path).ok()?;
        let looked = Look::at(path).filter(|looked| looked.lasting == self.looked.lasting)?;
        self.looked = looked;
        path.clone_into(&mut self.path);
        Some(self)
    }

    /// Where its times do not tell every change, it is looked into as well.
    fn is_untouched(&mut self) -> bool {
        Look::at(&self.path).as_ref() == Some(&self.looked) && self.entries.as_mut().is_none_or(is_empty)
    }
}

impl Look {
    /// That of what a path leads to, without following links.
    fn at(path: &Path) -> Option<Look> {
        let found = fs::symlink_metadata(path).ok()?;
        let lasting = Lasting {
            inode: (found.dev(), found.ino()),
            mode: found.mode(),
            owners: (found.uid(), found.gid()),
            modified: (found.mtime(), found.mtime_nsec()),
        };
        Some(Look { lasting, changed: (found.ctime(), found.ctime_nsec()) })
    }
}

fn entries_of(directory: &Path) -> Option<Dir> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | UNNOTICED;
    Dir::new(open(directory, flags, Mode::empty()).ok()?).ok()
}

fn is_empty(entries: &mut Dir) -> bool {
    entries.rewind();
    entries.all(|entry| entry.is_ok_and(|entry| matches!(entry.file_name().to_bytes(), b"." | b"..")))
}

/// Whether who looks at a directory, and later again, sees in its times whether anything was done in it meanwhile.
///
/// So it is with the common file systems of Linux from 6.13 on. Elsewhere, times stand still for a tick: then several changes within
/// less than one do not all show. Tried again, for a thread may have to wait for longer than that.
fn tells_every_change(directory: &Path) -> bool {
    (0..TRIES).any(|_| {
        let begun = Instant::now();
        (0..CHANGES).all(|_| does_change_show(directory)) && begun.elapsed() < TICK
    })
}

/// Whether it shows that a file was made, and that it was removed again.
fn does_change_show(directory: &Path) -> bool {
    let file = directory.join("change");
    let before = Look::at(directory);
    let is_made = File::create_new(&file).is_ok();
    let meanwhile = Look::at(directory);
    let is_removed = fs::remove_file(&file).is_ok();
    let after = Look::at(directory);
    is_made && is_removed && after.is_some() && before != meanwhile && meanwhile != after
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// Where directories are looked into, and where they are not if the system tells of every change.
    fn both() -> [Untouched; 2] {
        let place = tempfile::tempdir().unwrap();
        let tells_all = OnceLock::from(tells_every_change(place.path()));
        [
            Untouched { tells_all: OnceLock::from(false), ..Untouched::default() },
            Untouched { tells_all, ..Untouched::default() },
        ]
    }

    /// Whether a directory is taken after something was done to it: the same, whether it is looked into or not.
    fn is_taken_after(what: impl Fn(&Path)) -> bool {
        let [is_taken, is_taken_otherwise] = both().map(|untouched| {
            let place = tempfile::tempdir().unwrap();
            let directory = place.path().join("1");
            fs::create_dir(&directory).unwrap();
            let new = untouched.new_at(&directory).unwrap();
            what(&directory);
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
        let [_, untouched] = both();
        let place = tempfile::tempdir().unwrap();
        for number in 0..300 {
            let directory = place.path().join(number.to_string());
            fs::create_dir(&directory).unwrap();
            let new = untouched.new_at(&directory).unwrap();
            let is_all_told = new.entries.is_none();
            fs::write(directory.join("file"), "").unwrap();
            fs::remove_file(directory.join("file")).unwrap();
            assert!(!is_all_told || !untouched.take(new), "change {number} was missed");
        }
    }

    #[test]
    fn what_times_tell_is_tried_on_the_first_that_is_used_again() {
        let place = tempfile::tempdir().unwrap();
        let named = |name: &str| place.path().join(name);
        fs::create_dir(named("1")).unwrap();
        let untouched = Untouched::default();
        let new = untouched.new_at(&named("1")).unwrap();
        assert!(new.entries.is_some() && untouched.tells_all.get().is_none());
        assert!(untouched.take(new));
        let again = untouched.rename_one(&named("2")).unwrap();
        let is_tried = untouched.tells_all.get();
        assert_eq!(is_tried, Some(&again.entries.is_none()));
        assert_eq!(fs::read_dir(named("2")).unwrap().count(), 0);
        assert!(untouched.take(again));
    }

    #[test]
    fn what_was_used_again_is_looked_into_again() {
        let place = tempfile::tempdir().unwrap();
        let [untouched, _] = both();
        let named = |name: &str| place.path().join(name);
        fs::create_dir(named("1")).unwrap();
        assert!(untouched.take(untouched.new_at(&named("1")).unwrap()));
        assert!(untouched.take(untouched.rename_one(&named("2")).unwrap()));
        let mut used = untouched.rename_one(&named("3")).unwrap();
        fs::write(named("3").join("file"), "").unwrap();
        used.looked = Look::at(&named("3")).unwrap();
        assert!(!untouched.take(used));
    }

    #[test]
    fn what_somebody_changes_before_it_is_used_again_is_given_to_nobody() {
        for untouched in both() {
            let place = tempfile::tempdir().unwrap();
            let named = |name: &str| place.path().join(name);
            fs::create_dir(named("1")).unwrap();
            assert!(untouched.take(untouched.new_at(&named("1")).unwrap()));
            // Longer than any tick.
            std::thread::sleep(Duration::from_millis(20));
            fs::write(named("1").join("file"), "").unwrap();
            assert!(untouched.rename_one(&named("2")).is_none());
        }
    }

    #[test]
    fn each_is_used_once() {
        let place = tempfile::tempdir().unwrap();
        let untouched = Untouched::default();
        let named = |name: &str| place.path().join(name);
        for name in ["1", "2"] {
            fs::create_dir(named(name)).unwrap();
            assert!(untouched.take(untouched.new_at(&named(name)).unwrap()));
        }
        assert!(untouched.rename_one(&named("3")).is_some() && untouched.rename_one(&named("4")).is_some());
        assert!(untouched.rename_one(&named("5")).is_none());
        assert!(named("3").exists() && named("4").exists() && !named("1").exists() && !named("2").exists());
    }
}
