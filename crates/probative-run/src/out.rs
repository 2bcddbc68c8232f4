//! Where something is written: a stream, or a file that is there whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::alive::{self, Name};
use crate::partial::Partial;

/// How the names of incomplete files end.
const PARTIAL: &str = ".partial";

/// A place to write to.
pub struct Out(Kind);

enum Kind {
    Stream(Box<dyn Write + Send>),
    /// A file that takes its name when it is complete.
    File(BufWriter<NamedTempFile>, PathBuf, Partial),
}

impl Out {
    pub(crate) fn stream(stream: impl Write + Send + 'static) -> Out {
        Out(Kind::Stream(Box::new(BufWriter::new(stream))))
    }

    /// A file, which is written beside its place and takes it when it is complete.
    ///
    /// What a killed run has left there of the same file is removed. A link is followed: what it leads to is replaced, not the link. What is no plain file (`/dev/null`, a pipe) is
    /// written to as it is. That a file cannot be written is known here, before there is anything to write.
    pub fn file(path: &Path) -> io::Result<Out> {
        let existing = std::fs::metadata(path).ok();
        if existing.as_ref().is_some_and(std::fs::Metadata::is_dir) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if existing.as_ref().is_some_and(|found| !found.is_file()) {
            let device: File = OpenOptions::new().write(true).open(path)?;
            return Ok(Out::stream(device));
        }
        if existing.is_some() {
            // What may not be written may not be replaced, either.
            OpenOptions::new().write(true).open(path)?;
        }
        let path = place_of(path);
        if path.is_symlink() {
            return Err(io::Error::other("too many symbolic links"));
        }
        let name = format!(".{}.", path.file_name().unwrap_or_default().to_string_lossy());
        alive::sweep_files(directory_of(&path), Name { prefix: &name, suffix: PARTIAL });
        let make = || {
            let mut builder = tempfile::Builder::new();
            permitted(builder.prefix(&name).suffix(PARTIAL), existing.as_ref())
                .tempfile_in(directory_of(&path))
        };
        let file = alive::made(make, NamedTempFile::as_file)?;
        let partial = Partial::new(file.path());
        Ok(Out(Kind::File(BufWriter::new(file), path, partial)))
    }

    /// The end of a file that others write to, too.
    ///
    /// What does not exceed `room` bytes is written at once, so that nothing of theirs stands in between.
    pub fn append(path: &Path, room: usize) -> io::Result<Out> {
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        Ok(Out(Kind::Stream(Box::new(BufWriter::with_capacity(room, file)))))
    }

    /// Whether whoever reads it sees at once what is flushed.
    pub(crate) fn is_stream(&self) -> bool {
        matches!(self.0, Kind::Stream(_))
    }

    /// Writes before it is complete.
    pub fn writer(&mut self) -> &mut dyn Write {
        match &mut self.0 {
            Kind::Stream(stream) => stream,
            Kind::File(file, ..) => file,
        }
    }

    /// Says that all is written: only now is a file there.
    pub fn complete(mut self) -> io::Result<()> {
        self.writer().flush()?;
        match self.0 {
            Kind::Stream(_) => Ok(()),
            Kind::File(file, path, _partial) => {
                let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
                file.persist(path).map(drop).map_err(|failed| failed.error)
            }
        }
    }
}

/// Where a file really is, or will be: links followed, also those that lead to nothing yet, `.` and `..` resolved.
pub fn place_of(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match std::fs::read_link(&path) {
            Ok(target) => path = directory_of(&path).join(target),
            Err(_) => break,
        }
    }
    match (std::fs::canonicalize(directory_of(&path)), path.file_name()) {
        (Ok(directory), Some(name)) => directory.join(name),
        _ => path,
    }
}

/// As many links as the system follows.
const MOST_LINKS: usize = 40;

fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A temporary file is for its owner's eyes only; a report is for those whom the creation mask allows, or for those who
/// could read the one that it replaces.
#[cfg(unix)]
fn permitted<'b, 'n>(
    builder: &'b mut tempfile::Builder<'n, 'n>,
    existing: Option<&std::fs::Metadata>,
) -> &'b mut tempfile::Builder<'n, 'n> {
    use std::os::unix::fs::PermissionsExt as _;
    let permissions =
        existing.map_or_else(|| std::fs::Permissions::from_mode(0o666), std::fs::Metadata::permissions);
    builder.permissions(permissions)
}

#[cfg(not(unix))]
fn permitted<'b, 'n>(
    builder: &'b mut tempfile::Builder<'n, 'n>,
    _: Option<&std::fs::Metadata>,
) -> &'b mut tempfile::Builder<'n, 'n> {
    builder
}
