//! The first files of a project.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use probative::value::visible;

use crate::subjects::reason;

/// A file that a project begins with.
#[derive(Debug, Clone)]
pub struct FirstFile {
    /// Its path in the directory of the project.
    pub name: &'static str,
    /// Its content.
    pub text: String,
}

/// Why a project was not begun. Nothing was written.
#[derive(Debug)]
pub enum NotBegun {
    /// These files are there already.
    AlreadyThere(Vec<PathBuf>),
    /// This could not be written.
    Unwritable(PathBuf, io::Error),
}

impl fmt::Display for NotBegun {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |path: &Path| visible(&path.display().to_string()).into_owned();
        match self {
            NotBegun::AlreadyThere(paths) => {
                let paths: Vec<String> = paths.iter().map(|path| shown(path)).collect();
                write!(formatter, "refusing to overwrite {}; nothing was written", paths.join(", "))
            }
            NotBegun::Unwritable(path, error) => {
                write!(formatter, "cannot write {}: {}; nothing was written", shown(path), reason(error))
            }
        }
    }
}

/// Writes the first files of a project into a directory, which is made if it is not there.
///
/// All of them or none: a file that is there already, be it a link that leads nowhere, is never touched.
pub fn begin(directory: &Path, files: &[FirstFile]) -> Result<(), NotBegun> {
    let paths: Vec<PathBuf> = files.iter().map(|file| directory.join(file.name)).collect();
    let there: Vec<PathBuf> = paths.iter().filter(|path| path.symlink_metadata().is_ok()).cloned().collect();
    if !there.is_empty() {
        return Err(NotBegun::AlreadyThere(there));
    }
    for parent in [directory].into_iter().chain(paths.iter().filter_map(|path| path.parent())) {
        fs::create_dir_all(parent).map_err(|error| NotBegun::Unwritable(parent.to_owned(), error))?;
    }
    for (written, (path, file)) in paths.iter().zip(files).enumerate() {
        if let Err(error) = write_new(path, &file.text) {
            // Those before it are ours, and so nobody misses them.
            for earlier in &paths[..written] {
                let _ = fs::remove_file(earlier);
            }
            return Err(match error.kind() {
                io::ErrorKind::AlreadyExists => NotBegun::AlreadyThere(vec![path.clone()]),
                _ => NotBegun::Unwritable(path.clone(), error),
            });
        }
    }
    Ok(())
}

/// Writes a file that must not be there yet, or leaves none.
fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes()).inspect_err(|_| {
        let _ = fs::remove_file(path);
    })
}
