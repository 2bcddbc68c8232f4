//! What a piece of work holds: subjects as they are written, each with its name and place.

use std::fs::File;
use std::io;

use probative::value::excerpt::cut;
use probative::value::{Cause, Malformed};
use probative::verdict::{Error, ErrorKind, Place};
use probative::vocabulary::Read;
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

/// The bytes of a subject.
#[derive(Clone, Copy)]
pub(crate) enum Written<'r> {
    Json(&'r [u8]),
    Text(&'r [u8]),
}

impl<'r> Record<'r> {
    /// How many bytes it is.
    pub(crate) fn len(&self) -> usize {
        match self.written {
            Ok(Written::Json(bytes) | Written::Text(bytes)) => bytes.len(),
            Err(_) => 0,
        }
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
        match self.written.clone()? {
            Written::Text(bytes) => text::<A>(bytes, self.name),
            Written::Json(bytes) => {
                A::read(bytes, setting).map_err(|cause| malformed(&cause, bytes, self.name, self.line))
            }
        }
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
    Error::at(kind, Place { file: name.to_owned(), line, ..Place::default() })
}

/// A text that is one subject, where the vocabulary takes texts.
fn text<'s, A: Vocabulary>(bytes: &'s [u8], name: &str) -> Result<Read<A::Subject<'s>>, Error> {
    let malformed = |message: String, line| {
        let place = Place { file: name.to_owned(), line, ..Place::default() };
        Error::at(ErrorKind::MalformedSubject(message), place)
    };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = memchr::memchr_iter(b'\n', &bytes[..error.valid_up_to()]).count() + 1;
        malformed("not UTF-8".to_owned(), Some(line))
    })?;
    let subject = A::from_text(text);
    let subject = subject.ok_or_else(|| malformed(format!("a {} is JSON, not text", A::SUBJECT), None))?;
    Ok(Read { subject, warnings: Vec::new() })
}

/// What is wrong with the JSON of a subject, where, and what stands there.
///
/// In a file of lines, `line` is the number of the line that `bytes` are.
fn malformed(cause: &Malformed, bytes: &[u8], name: &str, line: Option<usize>) -> Error {
    /// How much is shown before and after the place.
    const AROUND: usize = 30;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines = bytes.split(|byte| *byte == b'\n').skip(cause.line.saturating_sub(1));
    let text = String::from_utf8_lossy(lines.next().unwrap_or_default());
    // The parser counts bytes; in what is not UTF-8 each bad byte may have become three.
    let at = text.floor_char_boundary(cause.column.saturating_sub(1));
    let from = text.floor_char_boundary(at.saturating_sub(AROUND));
    let until = text.ceil_char_boundary((at + AROUND).min(text.len()));
    let near = text[from..until].trim();
    let near = match cause.cause {
        // What does not fit the model is named already.
        Cause::Model => String::new(),
        Cause::Syntax | Cause::Limit if near.is_empty() => String::new(),
        Cause::Syntax | Cause::Limit => format!(", near `{}`", cut(near)),
    };
    let hint = match (line, cause.message.as_str()) {
        (None, "trailing characters") => "; if every line is a subject, say --input jsonl",
        _ => "",
    };
    let what = match (cause.cause, cause.message.as_str()) {
        (Cause::Syntax, "invalid unicode code point") => "not UTF-8".to_owned(),
        (Cause::Syntax, message) => format!("not JSON: {message}"),
        (Cause::Limit | Cause::Model, message) => message.to_owned(),
    };
    let place = Place {
        file: name.to_owned(),
        line: Some(line.unwrap_or(cause.line)),
        column: Some(text[..at].chars().count() + 1),
        span: None,
    };
    Error::at(ErrorKind::MalformedSubject(format!("{what}{near}{hint}")), place)
}
