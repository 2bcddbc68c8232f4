//! Reading what people wrote: questions, and the files that these name.

use std::fs::File;
use std::path::Path;

use probative::document::Document;
use probative::verdict::{Error, ErrorKind, Place};

use crate::feed::{LARGEST_SUBJECT, unreadable};
use crate::record::{read_file, too_large};
use crate::subjects::reason;

/// Reads a file that a question names, from where the question stands.
pub fn read_beside(question: &Path, name: &str) -> Result<Vec<u8>, Error> {
    let path = question.parent().unwrap_or(Path::new("")).join(name);
    let shown = path.display().to_string();
    // Whatever else it is, reading it might never end.
    let found = std::fs::metadata(&path).map_err(|error| unreadable(&shown, &error))?;
    if !found.is_file() {
        return Err(Error::in_file(ErrorKind::Unobtainable("not a file".to_owned()), shown));
    }
    let bytes = File::open(&path).and_then(read_file).map_err(|error| unreadable(&shown, &error))?;
    if bytes.len() > LARGEST_SUBJECT { Err(too_large(&shown, None)) } else { Ok(bytes) }
}

/// Reads a document. Standard input is no document: it may be a subject.
pub fn read(path: &Path) -> Result<Document, Error> {
    let name = path.display().to_string();
    let refuse = |reason: String| Error::in_file(ErrorKind::Usage(reason), &*name);
    if name == "-" {
        return Err(refuse("a question must be a file; only a subject can be standard input".to_owned()));
    }
    let bytes = std::fs::read(path)
        .map_err(|error| refuse(format!("cannot read the question: {}", reason(&error))))?;
    String::from_utf8(bytes).map(|text| Document::new(&*name, text)).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let place = Place { file: name.clone(), line: Some(line), ..Place::default() };
        Error::at(ErrorKind::MalformedQuestion("the question is not UTF-8".to_owned()), place)
    })
}
