//! What a piece of work holds: subjects as they are written, each with its name and place.

use std::fs::File;
use std::io;

use probative::verdict::{Error, ErrorKind, Place};
use probative::vocabulary::Read;
use probative::written::Written;
use probative::{About, Vocabulary};

use crate::feed::{LARGEST_SUBJECT, Notation, Piece, Work, read_on, unreadable};
use crate::lines::Block;

/// One subject as it is written, or why it could not be had.
pub struct Record<'r> {
    /// The file as it was named.
    pub(crate) name: &'r str,
    /// The line, where the file holds several subjects.
    pub(crate) line: Option<usize>,
    pub(crate) written: Result<Written<'r>, Error>,
}

impl<'r> Record<'r> {
    /// How many bytes it is.
    pub(crate) fn len(&self) -> usize {
        self.written.as_ref().map_or(0, |written| written.bytes().len())
    }

    /// What it is, as it tells itself. What cannot be had or read is taken for a response.
    pub fn about(&self) -> About {
        match self.written {
            Ok(Written::Json(bytes)) => About::of_subject(bytes),
            Ok(Written::Text(_)) | Err(_) => About::Response,
        }
    }

    /// The subject that it is in a vocabulary.
    pub fn read<A: Vocabulary>(&self, setting: &A::Setting) -> Result<Read<A::Subject<'r>>, Error> {
        let read = self.written.clone()?.read::<A>(setting, self.name, self.line);
        read.map_err(|error| match &error.kind {
            ErrorKind::MalformedSubject(message)
                if self.line.is_none() && message.starts_with("not JSON: trailing characters") =>
            {
                error.retold(|told| format!("{told}; if every line is a subject, say --input jsonl"))
            }
            _ => error,
        })
    }

    /// `<file>`, or `<file>:<line>`.
    pub fn id(&self) -> String {
        self.line.map_or_else(|| self.name.to_owned(), |line| format!("{}:{line}", self.name))
    }
}

impl Piece {
    /// Hands over every subject of the piece, in order, and gives back the buffer that they stood in.
    pub(crate) fn each(self, mut hand: impl FnMut(Record<'_>)) -> Vec<u8> {
        let name = &*self.name;
        let mut whole = |bytes: &[u8], notation| {
            let written = match notation {
                _ if bytes.len() > LARGEST_SUBJECT => Err(too_large(name, None)),
                Notation::Json => Ok(Written::Json(bytes)),
                Notation::Text => Ok(Written::Text(bytes)),
            };
            hand(Record { name, line: None, written });
        };
        match self.work {
            Work::Refused(error) => hand(Record { name, line: None, written: Err(error) }),
            Work::File(path, notation) => match File::open(path).and_then(read_file) {
                Err(error) => hand(Record { name, line: None, written: Err(unreadable(name, &error)) }),
                Ok(bytes) => {
                    whole(&bytes, notation);
                    return bytes;
                }
            },
            Work::Bytes(bytes, notation) => {
                whole(&bytes, notation);
                return bytes;
            }
            Work::Lines(Block::Overlong { line }) => {
                hand(Record { name, line: Some(line), written: Err(too_large(name, Some(line))) });
            }
            Work::Lines(Block::Lines { bytes, ends, first }) => {
                let mut start = 0;
                for (end, number) in ends.into_iter().zip(first..) {
                    let line = &bytes[start..end];
                    start = end + 1;
                    if !line.iter().all(u8::is_ascii_whitespace) {
                        hand(Record { name, line: Some(number), written: Ok(Written::Json(line)) });
                    }
                }
                return bytes;
            }
        }
        Vec::new()
    }
}

/// All of a file, into a buffer that need not grow.
pub(crate) fn read_file(file: File) -> io::Result<Vec<u8>> {
    let size = file.metadata().map_or(0, |found| found.len());
    let size = usize::try_from(size).unwrap_or(LARGEST_SUBJECT).min(LARGEST_SUBJECT);
    // One more byte shows that the file ends there.
    read_on(file, Vec::with_capacity(size + 1))
}

pub(crate) fn too_large(name: &str, line: Option<usize>) -> Error {
    let kind = ErrorKind::Exhausted(format!("a subject of more than {} MiB", LARGEST_SUBJECT >> 20));
    Error::at(kind, Place { file: name.into(), line, ..Place::default() })
}
