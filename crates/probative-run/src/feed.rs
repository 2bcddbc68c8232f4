//! The subjects one after the other, as pieces of work for any thread.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use probative::trajectory::readers::{Layout, TraceFormat};
use probative::value::Tree;
use probative::verdict::{Error, ErrorKind};

use crate::lines::{Block, Blocks, read_some};
use crate::open_lines::OpenLines;
use crate::spare::Spare;
use crate::stdin::Stdin;
use crate::subjects::{How, Input, Source, Subject, reason};
use crate::trace::{Archive, Lines, Packing, Stream, Traces, look_at, unpacked};

/// A subject larger than this is refused: its tree would take ten times as much.
pub(crate) const LARGEST_SUBJECT: usize = 128 << 20;
/// How much is read at a time to find out how a subject is written.
const BEGINNING: usize = 64 * 1024;

/// Something for a thread to judge.
pub(crate) struct Piece<'s> {
    /// The subject's name.
    pub(crate) name: Arc<str>,
    pub(crate) how: How<'s>,
    pub(crate) work: Work<'s>,
}

/// What is to be judged.
pub(crate) enum Work<'s> {
    /// Nothing: it could not be had.
    Refused(Error),
    /// A file that is one subject, still to be read.
    File(PathBuf, Notation),
    /// One subject.
    Bytes(Vec<u8>, Notation),
    /// Lines that are a subject each: in our own format, or a run in another.
    Lines(Block, Option<TraceFormat>),
    /// A trace whose lines are parts of runs.
    Trace(Stream<'s>),
    /// An archive of runs.
    Archive(Archive),
}

impl Work<'_> {
    /// How many bytes it is about, as far as that is known before it is read.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Work::Refused(_) | Work::Lines(Block::Overlong { .. }, _) => 0,
            Work::File(path, _) | Work::Archive(Archive::File(path)) => size_of(path),
            Work::Trace(stream) => stream.path.as_deref().map_or(u64::MAX, size_of),
            Work::Lines(Block::Lines { length, .. }, _) => *length as u64,
            Work::Bytes(bytes, _) | Work::Archive(Archive::Bytes(bytes)) => bytes.len() as u64,
        }
    }
}

pub(crate) fn size_of(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |found| found.len())
}

/// How one subject is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notation {
    Json,
    Text,
}

/// Gives the pieces of all subjects, in order.
pub(crate) struct Feed<'s> {
    pub(crate) how: How<'s>,
    pub(crate) subjects: std::vec::IntoIter<Subject>,
    pub(crate) open: Option<OpenLines<'s>>,
    pub(crate) spare: Arc<Spare>,
    /// Set from outside to stop waiting for standard input.
    pub(crate) stop: &'s AtomicBool,
}

impl<'s> Feed<'s> {
    /// The next piece.
    pub(crate) fn next(&mut self) -> Option<Piece<'s>> {
        loop {
            if let Some(open) = &mut self.open {
                match open.next() {
                    Some(piece) => return Some(piece),
                    None => self.open = None,
                }
            }
            let Subject { name, source } = self.subjects.next()?;
            let name: Arc<str> = name.into();
            match source
                .and_then(|source| self.start(&name, source).map_err(|error| unreadable(&name, &error)))
            {
                Ok(Some(work)) => return Some(self.piece(name, work)),
                Ok(None) => {}
                Err(error) => {
                    return Some(self.piece(name, Work::Refused(error)));
                }
            }
        }
    }

    fn piece(&self, name: Arc<str>, work: Work<'s>) -> Piece<'s> {
        Piece { name, how: self.how, work }
    }

    /// The one piece of a subject; `None` where it is lines, which are open now.
    fn start(&mut self, name: &Arc<str>, source: Source) -> io::Result<Option<Work<'s>>> {
        let input = match (self.how.input, &source) {
            (Input::Auto, Source::File(path)) => match by_ending(path) {
                // What is said to be a trace is no text, whatever its name.
                Input::Text if matches!(self.how.traces, Traces::In(_)) => Input::Auto,
                input => input,
            },
            (input, _) => input,
        };
        let written = match input {
            Input::Json => Notation::Json,
            Input::Text => Notation::Text,
            Input::Auto | Input::Jsonl => return self.start_unknown(name, source, input),
        };
        match source {
            Source::File(path) => Ok(Some(Work::File(path, written))),
            Source::Stdin => {
                read_on(self.open(&Source::Stdin)?, Vec::new()).map(|bytes| Some(Work::Bytes(bytes, written)))
            }
        }
    }

    /// The same for one of which it must be looked at how it is written.
    fn start_unknown(
        &mut self,
        name: &Arc<str>,
        source: Source,
        input: Input,
    ) -> io::Result<Option<Work<'s>>> {
        let mut stream = self.open(&source)?;
        let path = if let Source::File(path) = source { Some(path) } else { None };
        if self.how.traces != Traces::Never {
            let (packing, whole) = look_at(stream)?;
            if packing == Some(Packing::Zip) {
                return Ok(Some(Work::Archive(match path {
                    Some(path) if path.is_file() => Archive::File(path),
                    _ => Archive::Bytes(read_on(whole, Vec::new())?),
                })));
            }
            stream = unpacked(packing, whole);
        }
        let beginning = match (input, self.how.traces) {
            (Input::Jsonl, Traces::Never) => Vec::new(),
            (_, Traces::Never) => beginning_of(&mut stream, 0)?,
            // More of a file can be looked at than of what somebody may still be writing.
            _ => beginning_of(
                &mut stream,
                if path.as_deref().is_some_and(Path::is_file) { BEGINNING } else { 0 },
            )?,
        };
        let is_one = match (input, self.how.input) {
            (Input::Auto, _) => !self.is_lines(&beginning),
            // Only the name says that it is lines.
            (_, Input::Auto) => self.how.traces != Traces::Never && is_document(&beginning),
            _ => false,
        };
        if is_one {
            return read_on(stream, beginning).map(|bytes| Some(Work::Bytes(bytes, Notation::Json)));
        }
        let format = match self.how.traces.lines(&beginning) {
            Lines::Subjects => None,
            Lines::Runs(format) => Some(format),
            Lines::Parts => {
                let (traces, spare) = (self.how.traces, Arc::clone(&self.spare));
                return Ok(Some(Work::Trace(Stream {
                    bytes: stream,
                    begun: beginning,
                    traces,
                    path,
                    spare,
                })));
            }
        };
        let blocks = Blocks::new(stream, beginning, LARGEST_SUBJECT, Arc::clone(&self.spare));
        self.open = Some(OpenLines::new(Arc::clone(name), blocks, self.how, format));
        Ok(None)
    }

    /// Whether a file is one of lines, as its beginning tells: one that is a document, before another. Traces may begin
    /// with something else.
    fn is_lines(&self, beginning: &[u8]) -> bool {
        match self.how.traces {
            Traces::Never => {
                let text = beginning.trim_ascii_start();
                let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
                Tree::read(&text[..end]).is_ok() && !text[end..].trim_ascii().is_empty()
            }
            Traces::Recognized | Traces::Always | Traces::In(_) => Layout::of(beginning) == Layout::Lines,
        }
    }

    fn open(&self, source: &Source) -> io::Result<Box<dyn Read + Send + 's>> {
        match source {
            Source::Stdin => Ok(Box::new(Stdin { stop: self.stop })),
            Source::File(path) => Ok(Box::new(File::open(path)?)),
        }
    }
}

/// How a file is written, by its ending.
fn by_ending(path: &Path) -> Input {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("json") => Input::Json,
        Some("jsonl" | "ndjson") => Input::Jsonl,
        Some("txt") => Input::Text,
        _ => Input::Auto,
    }
}

/// The beginning of a stream whose name does not tell how it is written: its first line, and what tells whether another
/// follows. No more than `least` bytes are waited for beyond that.
fn beginning_of(stream: &mut impl Read, least: usize) -> io::Result<Vec<u8>> {
    let is_text = |byte: u8| !byte.is_ascii_whitespace();
    let mut begun = Begun { stream, bytes: Vec::new(), looked: 0 };
    if begun.find(is_text)?.is_some() && begun.find(|byte| byte == b'\n')?.is_some() {
        begun.find(is_text)?;
    }
    while begun.bytes.len() < least && begun.more()? > 0 {}
    Ok(begun.bytes)
}

/// Whether a file that is named like one of lines is one document all the same: a bracket alone begins it, or its only line is a list.
fn is_document(beginning: &[u8]) -> bool {
    let text = beginning.trim_ascii_start();
    let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
    let (first, rest) = text.split_at(end);
    match first.trim_ascii_end() {
        b"[" | b"{" => true,
        first => first.starts_with(b"[") && rest.trim_ascii().is_empty(),
    }
}

/// A stream that is read only as far as it is looked at, each byte once.
struct Begun<'s, R> {
    stream: &'s mut R,
    bytes: Vec<u8>,
    looked: usize,
}

impl<R: Read> Begun<'_, R> {
    /// Where the next such byte stands, if one comes before the stream, or what may be held of it, ends.
    fn find(&mut self, wanted: impl Fn(u8) -> bool) -> io::Result<Option<usize>> {
        loop {
            if let Some(at) = self.bytes[self.looked..].iter().position(|byte| wanted(*byte)) {
                self.looked += at;
                return Ok(Some(self.looked));
            }
            self.looked = self.bytes.len();
            if self.bytes.len() > LARGEST_SUBJECT {
                return Ok(None);
            }
            if self.more()? == 0 {
                return Ok(None);
            }
        }
    }

    /// Reads on, and answers how much came.
    fn more(&mut self) -> io::Result<usize> {
        let held = self.bytes.len();
        let count = read_some(self.stream, &mut self.bytes, held, BEGINNING)?;
        self.bytes.truncate(held + count);
        Ok(count)
    }
}

/// All of a stream, of which `begun` was read already, or one byte more than a subject may have.
pub(crate) fn read_on(stream: impl Read, mut begun: Vec<u8>) -> io::Result<Vec<u8>> {
    let most = (LARGEST_SUBJECT + 1).saturating_sub(begun.len());
    stream.take(most as u64).read_to_end(&mut begun)?;
    Ok(begun)
}

/// The error of a subject that was named on the command line and cannot be read.
pub(crate) fn unreadable(name: &str, error: &io::Error) -> Error {
    let kind = match error.kind() {
        io::ErrorKind::InvalidData => ErrorKind::MalformedSubject(error.to_string()),
        // One that the system tells of itself is told as the system does.
        io::ErrorKind::FileTooLarge if error.raw_os_error().is_none() => {
            ErrorKind::Exhausted(error.to_string())
        }
        _ => ErrorKind::Usage(reason(error)),
    };
    Error::in_file(kind, name)
}
