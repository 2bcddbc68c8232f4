//! A subject as it is written, before a vocabulary reads it.

use crate::value::excerpt::cut;
use crate::value::{Cause, Malformed};
use crate::verdict::{Error, ErrorKind, Place};
use crate::vocabulary::{Read, Vocabulary};

/// The bytes of a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written<'w> {
    /// JSON, or what should be.
    Json(&'w [u8]),
    /// Plain text, or what should be.
    Text(&'w [u8]),
}

impl<'w> Written<'w> {
    /// The bytes, whatever they are.
    pub fn bytes(self) -> &'w [u8] {
        match self {
            Written::Json(bytes) | Written::Text(bytes) => bytes,
        }
    }

    /// The subject that it is in a vocabulary. `name` is where it stands; in a file of lines, `line` is the number of its.
    pub fn read<A: Vocabulary>(
        self,
        setting: &A::Setting,
        name: &str,
        line: Option<usize>,
    ) -> Result<Read<A::Subject<'w>>, Error> {
        match self {
            Written::Text(bytes) => text::<A>(bytes, name),
            Written::Json(bytes) => {
                A::read(bytes, setting).map_err(|cause| malformed(&cause, bytes, name, line))
            }
        }
    }
}

/// A text that is one subject, where the vocabulary takes texts.
fn text<'s, A: Vocabulary>(bytes: &'s [u8], name: &str) -> Result<Read<A::Subject<'s>>, Error> {
    let malformed = |message: String, line| {
        let place = Place { file: name.into(), line, ..Place::default() };
        Error::at(ErrorKind::MalformedSubject(message), place)
    };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].split(|byte| *byte == b'\n').count();
        malformed("not UTF-8".to_owned(), Some(line))
    })?;
    let subject = A::from_text(text);
    let subject = subject
        .ok_or_else(|| malformed(format!("expected a {} as JSON, found plain text", A::SUBJECT), None))?;
    Ok(Read { subject, warnings: Vec::new() })
}

/// What is wrong with the JSON of a subject, where, and what stands there. `line` is the number of the line that it is, where it
/// is but one of a file.
pub fn malformed(cause: &Malformed, bytes: &[u8], name: &str, line: Option<usize>) -> Error {
    /// How much is shown before and after the place.
    const AROUND: usize = 30;
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        let kind = ErrorKind::MalformedSubject("encoded as UTF-16, expected UTF-8".to_owned());
        return Error::at(kind, Place { file: name.into(), line: Some(1), ..Place::default() });
    }
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
    let what = match (cause.cause, cause.message.as_str()) {
        (Cause::Syntax, "invalid unicode code point") => "not UTF-8".to_owned(),
        (Cause::Syntax, message) => format!("not JSON: {message}"),
        (Cause::Limit | Cause::Model, message) => message.to_owned(),
    };
    let place = Place {
        file: name.into(),
        line: Some(line.unwrap_or(cause.line)),
        column: Some(text[..at].chars().count() + 1),
        span: None,
    };
    Error::at(ErrorKind::MalformedSubject(format!("{what}{near}")), place)
}
