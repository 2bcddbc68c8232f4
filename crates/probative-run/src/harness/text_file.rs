//! `text.file`: reads a file.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use probative::spec::lang::World;
use probative::spec::types::{Target, TextFile};
use probative::spec::{Observed, Subject};
use probative::value::Value;
use probative::verdict::{Error, ErrorKind};

use super::world::Here;
use super::{Job, Seen};
use crate::documents;
use crate::feed::LARGEST_SUBJECT;
use crate::subjects::reason;
use crate::suite::SpecFile;

/// The text that a case is about.
struct Text<'a> {
    text: Cow<'a, Value>,
    here: Here,
}

pub(super) fn work<'a>(file: &TextFile, job: Job<'a>) -> Result<Box<dyn Seen + 'a>, Error> {
    let text = match &file.path {
        None => Cow::Borrowed(job.file.text()),
        Some(path) => {
            let path = inside(path.as_str(), job.file, "text.file path escapes contract root")?;
            Cow::Owned(Value::from(text(&path, job.file)?))
        }
    };
    Ok(Box::new(Text { text, here: Here::at(&job.file.directory) }))
}

/// Where a path from a document leads, which must be inside the contract root, links followed.
pub(super) fn inside(path: &str, file: &SpecFile, escapes: &str) -> Result<PathBuf, Error> {
    let joined = file.directory.join(path);
    let found = std::fs::canonicalize(&joined);
    // What is not there yet leads out by its words alone.
    let place = found.as_deref().map_or_else(|_| plain(&joined), Path::to_path_buf);
    if !place.starts_with(&file.root) {
        return Err(Error::new(ErrorKind::MalformedQuestion(format!("{escapes}: {path}"))));
    }
    found.map_err(|error| {
        Error::new(ErrorKind::Unobtainable(format!("cannot read {path}: {}", reason(&error))))
    })
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
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

fn text(path: &Path, file: &SpecFile) -> Result<String, Error> {
    let shown = path.strip_prefix(&file.directory).unwrap_or(path).display().to_string();
    let bytes = documents::read_bytes(path, &shown, LARGEST_SUBJECT)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::in_file(ErrorKind::Unobtainable(format!("not UTF-8 at byte {at}")), shown)
    })
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
