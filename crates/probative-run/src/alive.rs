//! Who is alive: a lock on what a process made, which goes when that process does, however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// How the name of a directory of a run begins, or that of a file that is not complete yet, and how it ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Name<'n> {
    pub(crate) prefix: &'n str,
    pub(crate) suffix: &'n str,
}

/// How many random characters are in the name of what is temporary.
const RANDOM: usize = 6;

/// The file in the directory of a run that is locked as long as the run lives.
const LOCKED: &str = ".run";

impl Name<'_> {
    /// Whether something is called so.
    fn is_of(self, name: &str) -> bool {
        let random = name.strip_prefix(self.prefix).and_then(|rest| rest.strip_suffix(self.suffix));
        random.is_some_and(|random| {
            random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
    }

    /// What is called so in a directory and belongs to the user of this process.
    fn found_in(self, directory: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let named = entries.filter(|entry| entry.file_name().to_str().is_some_and(|name| self.is_of(name)));
        named.map(|entry| entry.path()).filter(|path| is_ours(path)).collect()
    }
}

/// Makes something with a file that says that this process lives, and the lock on it. Whoever sweeps between the making and
/// the locking takes it for something that was left: then it is made again.
pub(crate) fn made<T>(make: impl Fn() -> io::Result<T>, file: impl Fn(&T) -> &File) -> io::Result<T> {
    /// Nobody sweeps so often.
    const TIMES: usize = 16;
    for _ in 0..TIMES {
        let thing = make()?;
        match file(&thing).try_lock() {
            Err(TryLockError::WouldBlock) => {}
            Ok(()) if !is_there(file(&thing)) => {}
            // Where there are no locks nobody sweeps.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(thing),
        }
    }
    Err(io::Error::other("another process keeps removing it"))
}

/// The file that is locked in the directory of a run.
pub(crate) fn file_in(directory: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(directory.join(LOCKED))
}

/// Removes the incomplete files that dead processes have left in a directory.
///
/// What belongs to another user stays, and what cannot be locked: somebody lives who holds the lock, perhaps where this process
/// cannot see it.
pub(crate) fn sweep_files(directory: &Path, name: Name<'_>) {
    for path in name.found_in(directory) {
        if let Some(_held) = abandoned(&path) {
            let _ = std::fs::remove_file(&path);
        }
    }
}

/// Removes the directories that dead runs have left in a directory. Those that were to be kept have no file to be locked, and
/// stay; so does what a link leads to.
pub(crate) fn sweep_directories(parent: &Path, name: Name<'_>, remove: impl Fn(&Path)) {
    for path in name.found_in(parent).into_iter().filter(|path| path.is_dir() && !path.is_symlink()) {
        let Some(_held) = abandoned(&path.join(LOCKED)) else { continue };
        // The file goes last: who comes later must still see what this was.
        for entry in std::fs::read_dir(&path).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                remove(&entry.path());
            } else if entry.file_name() != LOCKED {
                let _ = std::fs::remove_file(entry.path());
            }
        }
        if std::fs::read_dir(&path).is_ok_and(|entries| entries.count() == 1) {
            remove(&path);
        }
    }
}

/// A file that nobody holds, locked so that nobody else sweeps it now.
fn abandoned(path: &Path) -> Option<File> {
    let found = path.symlink_metadata().ok().filter(std::fs::Metadata::is_file);
    found.filter(|_| is_ours(path))?;
    let file = File::open(path).ok()?;
    file.try_lock().ok()?;
    is_there(&file).then_some(file)
}

#[cfg(unix)]
fn is_ours(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    path.symlink_metadata().is_ok_and(|found| found.uid() == rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn is_ours(_: &Path) -> bool {
    true
}

/// Whether a file still has a name.
#[cfg(unix)]
fn is_there(file: &File) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    file.metadata().is_ok_and(|found| found.nlink() > 0)
}

#[cfg(not(unix))]
fn is_there(_: &File) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARTIAL: Name<'_> = Name { prefix: ".r.json.", suffix: ".partial" };
    const RUN: Name<'_> = Name { prefix: "probative-", suffix: "" };

    fn names(directory: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(directory).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn only_what_nobody_holds_is_swept() {
        let place = tempfile::tempdir().unwrap();
        let others = [".r.json.short.partial", ".r.json.toolong.partial", ".r.json.Ab-123.partial", "r.json"];
        for name in [".r.json.AAAAAA.partial", ".r.json.BBBBBB.partial"].iter().chain(&others) {
            std::fs::write(place.path().join(name), "{").unwrap();
        }
        let held = File::open(place.path().join(".r.json.BBBBBB.partial")).unwrap();
        held.lock().unwrap();
        std::os::unix::fs::symlink("r.json", place.path().join(".r.json.CCCCCC.partial")).unwrap();
        sweep_files(place.path(), PARTIAL);
        let mut left = [".r.json.BBBBBB.partial", ".r.json.CCCCCC.partial"].to_vec();
        left.extend(others);
        left.sort_unstable();
        assert_eq!(names(place.path()), left);
        drop(held);
        sweep_files(place.path(), PARTIAL);
        assert!(!place.path().join(".r.json.BBBBBB.partial").exists());
    }

    #[test]
    fn only_directories_of_dead_runs_are_swept() {
        let place = tempfile::tempdir().unwrap();
        let directory = |name: &str| {
            let path = place.path().join(name);
            std::fs::create_dir_all(path.join("1/deep")).unwrap();
            path
        };
        let (dead, alive) = (directory("probative-aaaaaa"), directory("probative-bbbbbb"));
        directory("probative-kept00");
        directory("probative-of-somebody-else");
        std::fs::create_dir(place.path().join("probative-empty0")).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        file_in(elsewhere.path()).unwrap();
        std::fs::write(elsewhere.path().join("mine"), "").unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), place.path().join("probative-linked")).unwrap();
        file_in(&dead).unwrap();
        std::fs::write(dead.join("shim.py"), "pass").unwrap();
        let held = file_in(&alive).unwrap();
        held.lock().unwrap();
        sweep_directories(place.path(), RUN, |path| drop(std::fs::remove_dir_all(path)));
        assert_eq!(
            names(place.path()),
            [
                "probative-bbbbbb",
                "probative-empty0",
                "probative-kept00",
                "probative-linked",
                "probative-of-somebody-else"
            ]
        );
        assert_eq!(names(elsewhere.path()), [".run", "mine"]);
    }

    #[test]
    fn who_is_swept_while_it_begins_begins_again() {
        let place = tempfile::tempdir().unwrap();
        let times = std::cell::Cell::new(0);
        let make = || {
            times.set(times.get() + 1);
            let path = place.path().join(times.get().to_string());
            let file = File::create(&path)?;
            if times.get() < 3 {
                std::fs::remove_file(&path)?;
            }
            Ok(file)
        };
        made(make, |file| file).unwrap();
        assert_eq!((times.get(), names(place.path())), (3, vec!["3".to_owned()]));
    }
}
