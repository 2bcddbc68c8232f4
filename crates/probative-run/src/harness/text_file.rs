//! `text.file`: reads a file.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    text: Held<'a>,
    here: Here<'a>,
}

enum Held<'a> {
    Document(&'a Value),
    File(Arc<Value>),
}

/// Files that were read in this run, for the next case about one of them.
///
/// There are none unless no case of the run does anything but read: what a program changes must be seen.
#[derive(Default)]
pub(crate) struct Texts(Mutex<Known>);

#[derive(Default)]
struct Known {
    texts: HashMap<PathBuf, Arc<Value>>,
    bytes: usize,
}

/// So much is kept of the files that were read.
const MOST_KEPT: usize = 64 << 20;

impl Texts {
    /// The text at a path, read unless it is known.
    fn at(&self, path: PathBuf, read: impl FnOnce() -> Result<String, Error>) -> Result<Arc<Value>, Error> {
        if let Some(known) = self.known().texts.get(&path) {
            return Ok(Arc::clone(known));
        }
        // Read without the lock: others may know theirs.
        let text = read()?;
        let size = text.len();
        let text = Arc::new(Value::from(text));
        let mut known = self.known();
        if known.bytes.saturating_add(size) <= MOST_KEPT && !known.texts.contains_key(&path) {
            known.bytes += size;
            known.texts.insert(path, Arc::clone(&text));
        }
        Ok(text)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn work<'a>(
    hands: &'a Hands<'_>,
    file: &TextFile,
    job: Job<'a>,
) -> Result<Box<dyn Seen + 'a>, Error> {
    let text = match &file.path {
        None => Held::Document(job.file.text()),
        Some(path) => {
            let read = || text(path.as_str(), job.file);
            let text = match &hands.texts {
                Some(texts) => texts.at(job.file.directory.join(path.as_str()), read),
                None => read().map(|text| Arc::new(Value::from(text))),
            };
            Held::File(text.map_err(|error| error.within(&job.place(&["path"])))?)
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
        let text = match &self.text {
            Held::Document(text) => text,
            Held::File(text) => &**text,
        };
        Ok(Subject::Value(Cow::Borrowed(text)))
    }

    fn world(&self) -> &dyn World {
        &self.here
    }
}

impl Seen for Text<'_> {}
