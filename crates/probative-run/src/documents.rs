//! Reading what people wrote: questions, and the files that these name.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use probative::document::Document;
use probative::spec::Format;
use probative::verdict::{Error, ErrorKind, Place};

use crate::feed::LARGEST_SUBJECT;
use crate::inside;
use crate::record::read_file;
use crate::subjects::reason;

/// What people write is refused where it is larger than this.
pub(crate) const LARGEST_DOCUMENT: usize = 16 << 20;

/// Reads a file that a question names, from where the question stands.
pub fn read_beside(question: &Path, name: &str) -> Result<Vec<u8>, Error> {
    let path = question.parent().unwrap_or(Path::new("")).join(name);
    read_bytes(&path, &path.display().to_string(), LARGEST_SUBJECT)
}

/// Reads a regular file of at most `largest` bytes, wherever its links lead. Errors call it `shown`.
pub(crate) fn read_bytes(path: &Path, shown: &str, largest: usize) -> Result<Vec<u8>, Error> {
    let file = inside::open_anywhere(path).map_err(|error| unobtainable(shown, reason(&error)))?;
    read_opened(file, shown, largest)
}

/// Reads an opened file of at most `largest` bytes. Errors call it `shown`.
pub(crate) fn read_opened(file: File, shown: &str, largest: usize) -> Result<Vec<u8>, Error> {
    let size = file.metadata().map_err(|error| unobtainable(shown, reason(&error)))?.len();
    if size > largest as u64 {
        return Err(too_large(shown, largest));
    }
    let bytes = read_file(file).map_err(|error| unobtainable(shown, reason(&error)))?;
    if bytes.len() > largest { Err(too_large(shown, largest)) } else { Ok(bytes) }
}

fn unobtainable(shown: &str, reason: String) -> Error {
    Error::in_file(ErrorKind::Unobtainable(reason), shown)
}

/// Reads a file that was named on the command line. One that cannot be read is a mistake in the command.
pub(crate) fn read_named(path: &Path, shown: &str) -> Result<Vec<u8>, Error> {
    read_bytes(path, shown, LARGEST_DOCUMENT).map_err(|error| match error.kind {
        ErrorKind::Unobtainable(reason) => Error { kind: ErrorKind::Usage(reason), ..error },
        _ => error,
    })
}

fn too_large(shown: &str, largest: usize) -> Error {
    let message = format!("larger than {} MiB", largest >> 20);
    Error::in_file(ErrorKind::Exhausted(message), shown)
}

/// Reads a question. Standard input is none, for it may be a subject; a pipe is read until it ends or is too much.
pub fn read(path: &Path) -> Result<Document, Error> {
    let name = path.display().to_string();
    let refuse = |reason: String| Error::in_file(ErrorKind::Usage(reason), &*name);
    if name == "-" {
        return Err(refuse(
            "the question must be a file; only subjects can come from standard input".to_owned(),
        ));
    }
    let bytes = up_to(path, LARGEST_DOCUMENT)
        .map_err(|error| refuse(format!("cannot read the question: {}", reason(&error))))?;
    if bytes.len() > LARGEST_DOCUMENT {
        return Err(refuse(format!("question is larger than {} MiB", LARGEST_DOCUMENT >> 20)));
    }
    text(bytes, name, "the question is not UTF-8")
}

/// What a file begins with: all of it, or one byte more than may be.
fn up_to(path: &Path, largest: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(largest as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A document with cases. Whatever ends lines in Markdown becomes a newline, which takes as many bytes.
pub(crate) fn spec(mut bytes: Vec<u8>, name: String) -> Result<Document, Error> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") || bytes.contains(&0) {
        let message =
            "not UTF-8: contains NUL bytes or a UTF-16 byte order mark; save it as UTF-8".to_owned();
        return Err(Error::in_file(ErrorKind::MalformedQuestion(message), name));
    }
    if Format::of(&name) == Format::Markdown {
        for at in memchr::memchr_iter(b'\r', &bytes.clone()) {
            if bytes.get(at + 1) != Some(&b'\n') {
                bytes[at] = b'\n';
            }
        }
    }
    text(bytes, name, "not UTF-8")
}

/// The document that some bytes are. `otherwise` says that they are none.
pub(crate) fn text(bytes: Vec<u8>, name: String, otherwise: &str) -> Result<Document, Error> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Document::new(name, text)),
        Err(error) => {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = memchr::memchr_iter(b'\n', before).count() + 1;
            let place = Place { file: name.into(), line: Some(line), ..Place::default() };
            Err(Error::at(ErrorKind::MalformedQuestion(otherwise.to_owned()), place))
        }
    }
}
