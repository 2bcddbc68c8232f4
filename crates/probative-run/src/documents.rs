//! Reading what people wrote: questions.

use std::path::Path;

use probative::document::Document;
use probative::verdict::{Error, ErrorKind, Place};

use crate::subjects::reason;

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
