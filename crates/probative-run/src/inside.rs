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
