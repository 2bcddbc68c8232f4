//! What a piece of work holds: subjects as they are written, each with its name and place.

use std::cell::Cell;
use std::fmt::Write as _;
use std::fs::File;
use std::io;

use probative::trajectory::Trajectory;
use probative::trajectory::readers::{Note, Recorded, RunId};
use probative::verdict::{Error, ErrorKind, Place};
use probative::vocabulary::Read;
use probative::written::Written;
use probative::{About, Vocabulary};

use crate::feed::{LARGEST_SUBJECT, Notation, Piece, Work, read_on, size_of, unreadable};
use crate::lines::Block;
use crate::subjects::How;
use crate::trace;

/// What the number of a line takes, with the colon before it.
const MOST_DIGITS: usize = 21;

/// One subject as it is written, or why it could not be had.
pub struct Record<'r> {
    /// The file as it was named.
    pub(crate) name: &'r str,
    /// Which of the subjects in the file it is.
    pub(crate) which: RunId,
    content: Result<Content<'r>, Error>,
    /// What was met in its file that could not be used.
    notes: Vec<Note>,
}

/// What a subject is, before a vocabulary reads it.
enum Content<'r> {
    Written(Written<'r>),
    /// A run from a trace, until it is read.
    Run(Cell<Option<Box<Recorded>>>, usize),
}

impl<'r> Record<'r> {
    /// How many bytes it is.
    pub(crate) fn len(&self) -> usize {
        match &self.content {
            Ok(Content::Written(written)) => written.bytes().len(),
            Ok(Content::Run(_, size)) => *size,
            Err(_) => 0,
        }
    }

    /// Its bytes, where they are JSON or should be.
    pub(crate) fn json(&self) -> Option<&'r [u8]> {
        if let Ok(Content::Written(Written::Json(bytes))) = &self.content { Some(bytes) } else { None }
    }

    /// What it is, as it tells itself. What cannot be had or read is taken for a response.
    pub fn about(&self) -> About {
        match &self.content {
            Ok(Content::Written(Written::Json(bytes))) => About::of_subject(bytes),
            Ok(Content::Run(..)) => About::Trajectory,
            Ok(Content::Written(Written::Text(_))) | Err(_) => About::Response,
        }
    }

    /// The line, where the file holds a subject a line.
    pub(crate) fn line(&self) -> Option<usize> {
        if let RunId::Line(line) = self.which { Some(line) } else { None }
    }

    /// The run that it is, where it was read from a trace; it can be taken once.
    pub fn take_run(&self) -> Option<Trajectory<'static>> {
        let Ok(Content::Run(run, _)) = &self.content else { return None };
        run.take().map(|run| run.trajectory)
    }

    /// What was met in its trace that could not be used.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The subject that it is in a vocabulary. One from a trace can be read once.
    pub fn read<A: Vocabulary>(&self, setting: &A::Setting) -> Result<Read<A::Subject<'r>>, Error> {
        let written = match &self.content {
            Err(error) => return Err(error.clone()),
            Ok(Content::Written(written)) => *written,
            Ok(Content::Run(run, _)) => {
                let read = run.take().and_then(|run| A::from_run(run.trajectory, setting));
                let read = read.ok_or_else(|| {
                    let why = format!("is a run, and not a {}", A::SUBJECT);
                    Error::in_file(ErrorKind::MalformedSubject(why), self.name)
                })?;
                let notes = self.notes.iter().map(ToString::to_string);
                return Ok(Read { warnings: notes.chain(read.warnings).collect(), ..read });
            }
        };
        let read = written.read::<A>(setting, self.name, self.line());
        read.map_err(|error| match &error.kind {
            ErrorKind::MalformedSubject(message)
                if self.which == RunId::Whole && message.starts_with("not JSON: trailing characters") =>
            {
                error.retold(|told| format!("{told}; if every line is a subject, say --input jsonl"))
            }
            ErrorKind::MalformedSubject(message)
                if message.ends_with("a run is a JSON object with 'steps'") =>
            {
                error.retold(|told| format!("{told}, or a trace in a format that is known (--trace-format)"))
            }
            _ => error,
        })
    }

    /// `<file>`, `<file>:<line>`, or `<file>#<run>`.
    pub fn id(&self) -> String {
        let mut id = String::with_capacity(self.name.len() + MOST_DIGITS);
        id.push_str(self.name);
        // Writing to a text cannot fail.
        let _ = write!(id, "{}", self.which);
        id
    }

    /// That of a file which is one subject, for whoever needs nothing but its name.
    pub(crate) fn whole(name: &'r str) -> Record<'r> {
        Record::of(name, RunId::Whole, Ok(Written::Json(b"")))
    }

    fn of(name: &'r str, which: RunId, written: Result<Written<'r>, Error>) -> Record<'r> {
        Record { name, which, content: written.map(Content::Written), notes: Vec::new() }
    }

    fn of_run(name: &'r str, which: RunId, run: Result<Box<Recorded>, Error>, size: usize) -> Record<'r> {
        match run {
            Err(error) => Record { name, which, content: Err(error), notes: Vec::new() },
            Ok(mut run) => {
                let notes = std::mem::take(&mut run.notes);
                let content = Ok(Content::Run(Cell::new(Some(run)), size));
                Record { name, which, content, notes: notes.sorted() }
            }
        }
    }
}

impl Piece<'_> {
    /// Hands over every subject of the piece, in order, and gives back the buffer that they stood in.
    pub(crate) fn each(self, mut hand: impl FnMut(Record<'_>)) -> Vec<u8> {
        let name = &*self.name;
        let How { traces, tool_error, .. } = self.how;
        let of_run = |which, mut run: Result<Box<Recorded>, Error>, size| {
            if let (Some(pattern), Ok(run)) = (tool_error, &mut run) {
                run.trajectory.fail_by_text(pattern);
            }
            Record::of_run(name, which, run, size)
        };
        let mut whole = |bytes: &[u8], notation| {
            let mut size = bytes.len();
            let mut got = |id, run: Result<_, _>| {
                hand(of_run(id, run, std::mem::take(&mut size)));
            };
            let opened = trace::opened(bytes, traces, name);
            let written = match (&opened, notation) {
                _ if bytes.len() > LARGEST_SUBJECT => Err(too_large(name, None)),
                (Err(error), _) => Err(error.clone()),
                (Ok(bytes), Notation::Json) if trace::read_whole(bytes, traces, name, &mut got) => return,
                (Ok(bytes), Notation::Json) => Ok(Written::Json(bytes)),
                (Ok(_), Notation::Text) => Ok(Written::Text(bytes)),
            };
            hand(Record::of(name, RunId::Whole, written));
        };
        match self.work {
            Work::Refused(error) => hand(Record::of(name, RunId::Whole, Err(error))),
            Work::File(path, notation) => match File::open(path).and_then(read_file) {
                Err(error) => hand(Record::of(name, RunId::Whole, Err(unreadable(name, &error)))),
                Ok(bytes) => {
                    whole(&bytes, notation);
                    return bytes;
                }
            },
            Work::Bytes(bytes, notation) => {
                whole(&bytes, notation);
                return bytes;
            }
            Work::Trace(stream) => {
                let mut size = stream
                    .path
                    .as_deref()
                    .map_or(0, |path| usize::try_from(size_of(path)).unwrap_or(usize::MAX));
                stream.read(name, &mut |id, run| {
                    hand(of_run(id, run, std::mem::take(&mut size)));
                });
            }
            Work::Archive(archive) => {
                archive.read(traces, name, &mut |id, run| hand(of_run(id, run, 0)));
            }
            Work::Lines(Block::Overlong { line }, _) => {
                hand(Record::of(name, RunId::Line(line), Err(too_large(name, Some(line)))));
            }
            Work::Lines(Block::Lines { bytes, ends, first, .. }, format) => {
                let mut start = 0;
                for (end, number) in ends.into_iter().zip(first..) {
                    let line = &bytes[start..end];
                    start = end + 1;
                    if line.iter().all(u8::is_ascii_whitespace) {
                        continue;
                    }
                    let which = RunId::Line(number);
                    match format {
                        None => hand(Record::of(name, which, Ok(Written::Json(line)))),
                        Some(format) => {
                            let run = trace::read_line(line, format, name, number);
                            hand(of_run(which, run, line.len()));
                        }
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
