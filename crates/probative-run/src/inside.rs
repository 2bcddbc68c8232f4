//! Opening files that must be inside a directory, so that no link leads out of it, even one that appears meanwhile.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, openat};

/// Opening what is not a regular file may wait for its other end, and reading it may never end.
const READ: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// Directories on the way need no permission to be listed where the system offers that.
#[cfg(target_os = "linux")]
const PASS: OFlags = OFlags::PATH.union(OFlags::CLOEXEC).union(OFlags::DIRECTORY);
#[cfg(not(target_os = "linux"))]
const PASS: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::DIRECTORY);

/// Why a file was not opened.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The path leads out of the directory.
    Outside,
    /// The file isn't there, isn't a regular file, or cannot be opened.
    Unreadable(io::Error),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        Refusal::Unreadable(error)
    }
}

impl From<rustix::io::Errno> for Refusal {
    fn from(error: rustix::io::Errno) -> Refusal {
        Refusal::Unreadable(error.into())
    }
}

/// Opens the regular file at an absolute path for reading. Links are followed if they end inside `root`, which has no
/// links in its own path.
pub(crate) fn open(path: &Path, root: &Path) -> Result<File, Refusal> {
    if let Some(file) = open_at_once(path, root) {
        return regular(file).map_err(Refusal::Unreadable);
    }
    let found = std::fs::canonicalize(path);
    // What isn't there leads out by its words alone.
    let place = found.as_deref().map_or_else(|_| without_dots(path), Path::to_path_buf);
    let Ok(relative) = place.strip_prefix(root) else { return Err(Refusal::Outside) };
    found?;
    let file = open_without_links(relative, root)?;
    regular(file).map_err(Refusal::Unreadable)
}

/// Opens the regular file at a path, wherever its links lead.
pub(crate) fn open_anywhere(path: &Path) -> io::Result<File> {
    regular(File::from(openat(CWD, path, READ, Mode::empty())?))
}

/// The system itself follows the links and keeps inside, but for absolute links. `None` where it cannot.
#[cfg(target_os = "linux")]
fn open_at_once(path: &Path, root: &Path) -> Option<File> {
    use rustix::fs::{ResolveFlags, openat2};

    let relative = path.strip_prefix(root).ok()?;
    let root = openat(CWD, root, PASS, Mode::empty()).ok()?;
    let stay = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    openat2(root, relative, READ, Mode::empty(), stay).ok().map(File::from)
}

#[cfg(not(target_os = "linux"))]
fn open_at_once(_: &Path, _: &Path) -> Option<File> {
    None
}

/// Opens what a path without links led to a moment ago. A link that is there now is an error.
fn open_without_links(relative: &Path, root: &Path) -> Result<File, Refusal> {
    let mut directory = openat(CWD, root, PASS, Mode::empty())?;
    let mut names = relative.components().peekable();
    while let Some(name) = names.next() {
        let flags = if names.peek().is_some() { PASS } else { READ };
        directory = openat(&directory, name.as_os_str(), flags | OFlags::NOFOLLOW, Mode::empty())?;
    }
    Ok(File::from(directory))
}

fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("not a file")) }
}

/// The path without `.` and `..`.
pub(crate) fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            std::path::Component::ParentDir => {
                plain.pop();
            }
            std::path::Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    /// A directory with a `root` and, beside it, `secret.txt`.
    struct Place {
        _directory: tempfile::TempDir,
        outside: PathBuf,
        root: PathBuf,
    }

    impl Place {
        fn new() -> Place {
            let directory = tempfile::tempdir().unwrap();
            let outside = directory.path().canonicalize().unwrap();
            let root = outside.join("root");
            std::fs::create_dir_all(root.join("sub")).unwrap();
            std::fs::write(outside.join("secret.txt"), "secret").unwrap();
            std::fs::write(root.join("sub/inner.txt"), "inner").unwrap();
            Place { _directory: directory, outside, root }
        }

        /// What a path leads to, or `outside`, or why it cannot be read.
        fn read(&self, path: impl AsRef<Path>) -> String {
            match open(&self.root.join(path), &self.root) {
                Ok(mut file) => {
                    let mut text = String::new();
                    file.read_to_string(&mut text).unwrap();
                    text
                }
                Err(Refusal::Outside) => "outside".to_owned(),
                Err(Refusal::Unreadable(error)) => error.to_string(),
            }
        }
    }

    #[test]
    fn links_are_followed_as_long_as_they_end_inside() {
        let place = Place::new();
        let link = |target: &Path, name: &str| symlink(target, place.root.join(name)).unwrap();
        link(Path::new("sub/inner.txt"), "relative");
        link(&place.root.join("sub/inner.txt"), "absolute");
        link(Path::new("sub"), "directory");
        link(Path::new("../root/sub/inner.txt"), "round");
        link(Path::new("../secret.txt"), "up");
        link(&place.outside.join("secret.txt"), "away");
        link(&place.outside, "parent");
        link(Path::new("/proc/self/root/etc/hostname"), "magic");
        for path in
            ["sub/inner.txt", "sub/../sub/inner.txt", "relative", "absolute", "directory/inner.txt", "round"]
        {
            assert_eq!(place.read(path), "inner", "{path}");
        }
        assert_eq!(place.read(place.root.join("sub/inner.txt")), "inner");
        for path in [
            "../secret.txt",
            "up",
            "away",
            "parent/secret.txt",
            "magic",
            "/etc/hostname",
            "../none",
            "sub/../../none",
        ] {
            assert_eq!(place.read(path), "outside", "{path}");
        }
        assert!(place.read("none").starts_with("No such file"), "{}", place.read("none"));
    }

    #[test]
    fn what_is_no_regular_file_is_refused_at_once() {
        let place = Place::new();
        let pipe = place.root.join("pipe");
        rustix::fs::mkfifoat(CWD, &pipe, Mode::from_raw_mode(0o600)).unwrap();
        symlink(&pipe, place.root.join("link")).unwrap();
        for path in ["pipe", "link", "sub", ""] {
            assert_eq!(place.read(path), "not a file", "{path}");
        }
        assert_eq!(open_anywhere(&pipe).unwrap_err().to_string(), "not a file");
    }

    #[test]
    fn a_link_that_appears_after_the_check_is_not_followed() {
        let place = Place::new();
        symlink(&place.outside, place.root.join("parent")).unwrap();
        symlink("../secret.txt", place.root.join("up")).unwrap();
        for path in ["parent/secret.txt", "up"] {
            assert!(open_without_links(Path::new(path), &place.root).is_err(), "{path}");
        }
        assert!(open_without_links(Path::new("sub/inner.txt"), &place.root).is_ok());
    }

    /// Somebody exchanges the file for a link, and back, as fast as they can.
    #[test]
    fn a_race_is_never_lost() {
        let place = Place::new();
        let (target, spare) = (place.root.join("target"), place.root.join("spare"));
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    std::fs::write(&spare, "inner").unwrap();
                    std::fs::rename(&spare, &target).unwrap();
                    symlink(place.outside.join("secret.txt"), &spare).unwrap();
                    std::fs::rename(&spare, &target).unwrap();
                }
            });
            for _ in 0..5000 {
                let read = place.read("target");
                assert_ne!(read, "secret");
            }
            stop.store(true, Ordering::Relaxed);
        });
    }
}
