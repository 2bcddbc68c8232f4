//! `text.file`: reads a file.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use probative::spec::lang::World;
use probative::spec::types::{Target, TextFile};
use probative::spec::{Observed, Subject};
use probative::value::Value;
use probative::verdict::{Error, ErrorKind};

use super::world::Here;
use super::{Hands, Job, Seen};
use crate::documents;
use crate::feed::LARGEST_SUBJECT;
use crate::subjects::reason;
use crate::suite::SpecFile;

/// The text that a case is about.
struct Text<'a> {
    text: Cow<'a, Value>,
    here: Here<'a>,
}

pub(super) fn work<'a>(
    hands: &'a Hands<'_>,
    file: &TextFile,
    job: Job<'a>,
) -> Result<Box<dyn Seen + 'a>, Error> {
    let text = match &file.path {
        None => Cow::Borrowed(job.file.text()),
        Some(path) => {
            let text = text(path.as_str(), job.file);
            Cow::Owned(Value::from(text.map_err(|error| error.within(&job.place(&["path"])))?))
        }
    };
    Ok(Box::new(Text { text, here: Here::at(&*job.file.directory, hands.stop) }))
}

/// Where a path from a document leads, which must be inside the contract root, links followed.
pub(crate) fn inside(path: &str, (directory, root): (&Path, &Path), escapes: &str) -> Result<PathBuf, Error> {
    let joined = directory.join(path);
    let found = std::fs::canonicalize(&joined);
    // What is not there yet leads out by its words alone.
    let place = found.as_deref().map_or_else(|_| plain(&joined), Path::to_path_buf);
    if !place.starts_with(root) {
        return Err(Error::new(ErrorKind::MalformedQuestion(format!("{escapes}: {path}"))));
    }
    found.map_err(|error| {
        Error::new(ErrorKind::Unobtainable(format!("cannot read {path}: {}", reason(&error))))
    })
}

/// The path without `.` and `..`.
pub(crate) fn plain(path: &Path) -> PathBuf {
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

fn text(path: &str, file: &SpecFile) -> Result<String, Error> {
    let step_by_step = || {
        let found = inside(path, file.place(), "text.file path escapes contract root")?;
        contents(&found, path, LARGEST_SUBJECT)
    };
    let contents = at_once(path, file).map_or_else(step_by_step, Ok)?;
    String::from_utf8(contents).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::new(ErrorKind::Unobtainable(format!("cannot read {path}: not UTF-8 at byte {at}")))
    })
}

/// What stands in a file to which no link leads: the system follows none, so a path that does not climb stays where the
/// document is. `None` where it is not as simple as that; then each step is looked at, and what is wrong is told.
#[cfg(target_os = "linux")]
fn at_once(path: &str, file: &SpecFile) -> Option<Vec<u8>> {
    use std::fs::{File, Metadata};
    use std::io::Read as _;
    use std::path::Component;

    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};

    if !Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return None;
    }
    // What is no plain file may make whoever opens it wait.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = openat2(CWD, file.directory.join(path), flags, Mode::empty(), ResolveFlags::NO_SYMLINKS);
    let found = File::from(opened.ok()?);
    let size = found.metadata().ok().filter(Metadata::is_file)?.len();
    // Some files of the system say nothing about their size.
    let length = usize::try_from(size).ok().filter(|length| (1..=LARGEST_SUBJECT).contains(length))?;
    let mut contents = Vec::with_capacity(length);
    found.take(size).read_to_end(&mut contents).ok()?;
    Some(contents)
}

#[cfg(not(target_os = "linux"))]
fn at_once(_: &str, _: &SpecFile) -> Option<Vec<u8>> {
    None
}

/// What stands in a file that a case names, of up to so many bytes.
pub(crate) fn contents(found: &Path, named: &str, largest: usize) -> Result<Vec<u8>, Error> {
    documents::read_bytes(found, named, largest)
        .map_err(|error| Error::new(ErrorKind::Unobtainable(format!("cannot read {named}: {}", error.kind))))
}

impl Observed for Text<'_> {
    fn subject(&self, _: &'static Target) -> Result<Subject<'_>, Error> {
        Ok(Subject::Value(Cow::Borrowed(&self.text)))
    }

    fn world(&self) -> &dyn World {
        &self.here
    }
}

impl Seen for Text<'_> {}
