//! The subjects one after the other, as pieces of work for any thread.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use probative::value::Tree;
use probative::verdict::{Error, ErrorKind};

use crate::lines::{Block, Blocks, read_some};
use crate::spare::Spare;
use crate::stdin::Stdin;
use crate::subjects::{Input, Source, Subject, reason};

/// A subject larger than this is refused: its tree would take ten times as much.
pub(crate) const LARGEST_SUBJECT: usize = 128 << 20;
/// How much is read at a time to find out how a subject is written.
const BEGINNING: usize = 64 * 1024;

/// Something for a thread to judge.
pub(crate) struct Piece {
    /// The subject's name.
    pub(crate) name: Arc<str>,
    pub(crate) work: Work,
}

/// What is to be judged.
pub(crate) enum Work {
    /// Nothing: it could not be had.
    Refused(Error),
    /// A file that is one subject, still to be read.
    File(PathBuf, Notation),
    /// One subject.
    Bytes(Vec<u8>, Notation),
    /// Lines that are a subject each.
    Lines(Block),
}

impl Work {
    /// How many bytes it is about, as far as that is known before it is read.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Work::Refused(_) | Work::Lines(Block::Overlong { .. }) => 0,
            Work::File(path, _) => std::fs::metadata(path).map_or(0, |found| found.len()),
            Work::Bytes(bytes, _) | Work::Lines(Block::Lines { bytes, .. }) => bytes.len() as u64,
        }
    }
}

/// How one subject is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notation {
    Json,
    Text,
}

/// Gives the pieces of all subjects, in order.
pub(crate) struct Feed<'s> {
    pub(crate) input: Input,
    pub(crate) subjects: std::vec::IntoIter<Subject>,
    pub(crate) open: Option<OpenLines<'s>>,
    pub(crate) spare: Arc<Spare>,
    /// Set from outside to stop waiting for standard input.
    pub(crate) stop: &'s AtomicBool,
}

/// A file of lines that is being read.
pub(crate) struct OpenLines<'s> {
    name: Arc<str>,
    blocks: Blocks<Box<dyn Read + Send + 's>>,
    any: bool,
}

impl<'s> Feed<'s> {
    /// The next piece.
    pub(crate) fn next(&mut self) -> Option<Piece> {
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
                Ok(Some(work)) => return Some(Piece { name, work }),
                Ok(None) => {}
                Err(error) => return Some(Piece { name, work: Work::Refused(error) }),
            }
        }
    }

    /// The one piece of a subject; `None` where it is lines, which are open now.
    fn start(&mut self, name: &Arc<str>, source: Source) -> io::Result<Option<Work>> {
        let input = match (self.input, &source) {
            (Input::Auto, Source::File(path)) => by_ending(path),
            (input, _) => input,
        };
        let written = match input {
            Input::Json => Notation::Json,
            Input::Text => Notation::Text,
            Input::Auto | Input::Jsonl => {
                let mut stream = self.open(&source)?;
                let beginning =
                    if input == Input::Auto { Beginning::of(&mut stream)? } else { Beginning::default() };
                if input == Input::Auto && !beginning.is_lines {
                    return read_on(stream, beginning.bytes)
                        .map(|bytes| Some(Work::Bytes(bytes, Notation::Json)));
                }
                let blocks = Blocks::new(stream, beginning.bytes, LARGEST_SUBJECT, Arc::clone(&self.spare));
                self.open = Some(OpenLines { name: Arc::clone(name), blocks, any: false });
                return Ok(None);
            }
        };
        match source {
            Source::File(path) => Ok(Some(Work::File(path, written))),
            Source::Stdin => {
                read_on(self.open(&Source::Stdin)?, Vec::new()).map(|bytes| Some(Work::Bytes(bytes, written)))
            }
        }
    }

    fn open(&self, source: &Source) -> io::Result<Box<dyn Read + Send + 's>> {
        match source {
            Source::Stdin => Ok(Box::new(Stdin { stop: self.stop })),
            Source::File(path) => Ok(Box::new(File::open(path)?)),
        }
    }
}

impl OpenLines<'_> {
    fn next(&mut self) -> Option<Piece> {
        let work = match self.blocks.next() {
            Ok(Some(block)) => {
                self.any |= match &block {
                    Block::Lines { bytes, .. } => bytes.iter().any(|byte| !byte.is_ascii_whitespace()),
                    Block::Overlong { .. } => true,
                };
                Work::Lines(block)
            }
            Ok(None) if self.any => return None,
            Ok(None) => {
                self.any = true;
                Work::Refused(Error::in_file(ErrorKind::Usage("holds no subject".to_owned()), &*self.name))
            }
            Err(error) => {
                self.any = true;
                self.blocks.give_up();
                Work::Refused(unreadable(&self.name, &error))
            }
        };
        Some(Piece { name: Arc::clone(&self.name), work })
    }
}

/// How a file is written, by its ending.
fn by_ending(path: &std::path::Path) -> Input {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("json") => Input::Json,
        Some("jsonl" | "ndjson") => Input::Jsonl,
        Some("txt") => Input::Text,
        _ => Input::Auto,
    }
}

/// The beginning of a stream whose name does not tell how it is written.
#[derive(Default)]
struct Beginning {
    bytes: Vec<u8>,
    /// Whether the first line that is not blank is a whole JSON document, and another line follows.
    is_lines: bool,
}

impl Beginning {
    /// Reads no further than the first line and what tells whether another follows.
    fn of(stream: &mut impl Read) -> io::Result<Beginning> {
        let is_text = |byte: u8| !byte.is_ascii_whitespace();
        let mut begun = Begun { stream, bytes: Vec::new(), looked: 0 };
        let mut is_lines = false;
        if let Some(start) = begun.find(is_text)?
            && let Some(end) = begun.find(|byte| byte == b'\n')?
        {
            is_lines = Tree::read(&begun.bytes[start..end]).is_ok() && begun.find(is_text)?.is_some();
        }
        Ok(Beginning { bytes: begun.bytes, is_lines })
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
            let count = read_some(self.stream, &mut self.bytes, self.looked, BEGINNING)?;
            self.bytes.truncate(self.looked + count);
            if count == 0 {
                return Ok(None);
            }
        }
    }
}

/// All of a stream, of which `begun` was read already.
pub(crate) fn read_on(stream: impl Read, mut begun: Vec<u8>) -> io::Result<Vec<u8>> {
    stream.take((LARGEST_SUBJECT + 1) as u64).read_to_end(&mut begun)?;
    Ok(begun)
}

/// The error that a subject cannot be read.
pub(crate) fn unreadable(name: &str, error: &io::Error) -> Error {
    Error::in_file(ErrorKind::Unobtainable(reason(error)), name)
}
