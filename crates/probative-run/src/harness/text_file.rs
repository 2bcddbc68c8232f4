//! `text.file`: reads a file.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
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
use crate::inside::{self, Refusal};
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

/// Reads a file that a document names, of at most `largest` bytes, which must be inside the contract root.
pub(crate) fn read_inside(
    path: &str,
    (directory, root): (&Path, &Path),
    escapes: &str,
    largest: usize,
) -> Result<Vec<u8>, Error> {
    let file = open_inside(path, (directory, root), escapes)?;
    documents::read_opened(file, path, largest).map_err(|error| cannot_read(path, &error))
}

/// Opens a file that a document names, which must be inside the contract root.
pub(super) fn open_inside(
    path: &str,
    (directory, root): (&Path, &Path),
    escapes: &str,
) -> Result<File, Error> {
    inside::open(&directory.join(path), root).map_err(|refusal| {
        Error::new(match refusal {
            Refusal::Outside => ErrorKind::MalformedQuestion(format!("{escapes}: {path}")),
            Refusal::Unreadable(error) => {
                ErrorKind::Unobtainable(format!("cannot read {path}: {}", reason(&error)))
            }
        })
    })
}

fn text(path: &str, file: &SpecFile) -> Result<String, Error> {
    let escapes = "text.file path escapes contract root";
    let contents = read_inside(path, file.place(), escapes, LARGEST_SUBJECT)?;
    String::from_utf8(contents).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::new(ErrorKind::Unobtainable(format!("cannot read {path}: not UTF-8 at byte {at}")))
    })
}

/// What stands in a file that a case names, of up to so many bytes.
pub(crate) fn contents(found: &Path, named: &str, largest: usize) -> Result<Vec<u8>, Error> {
    documents::read_bytes(found, named, largest).map_err(|error| cannot_read(named, &error))
}

fn cannot_read(named: &str, error: &Error) -> Error {
    Error::new(ErrorKind::Unobtainable(format!("cannot read {named}: {}", error.kind)))
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
