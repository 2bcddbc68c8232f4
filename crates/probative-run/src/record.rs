//! What a piece of work holds: subjects as they are written, each with its name and place.

use std::cell::{Cell, OnceCell};
use std::fmt::Write as _;
use std::fs::File;
use std::io;
use std::path::Path;

use probative::spec::{Answer, Named, Origin, Reading, is_envelope, json_below};
use probative::trajectory::Trajectory;
use probative::trajectory::readers::{Layout, Note, Recorded, RunId};
use probative::verdict::{Error, ErrorKind, Place};
use probative::vocabulary::Read;
use probative::written::Written;
use probative::{About, Vocabulary};

use crate::feed::{LARGEST_SUBJECT, Notation, Piece, Work, read_on, size_of, unreadable};
use crate::harness::read_inside;
use crate::lines::Block;
use crate::root;
use crate::subjects::{How, Input};
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
    /// How the parts of an envelope are read.
    reading: Reading<'r>,
    /// Whether it is an envelope, once somebody asked.
    is_envelope: OnceCell<bool>,
    /// The parts of the envelope that it is, once they were read.
    opened: OnceCell<Answer>,
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

    /// Returns true for an envelope, whose parts are the subjects.
    pub fn is_envelope(&self) -> bool {
        let Ok(Content::Written(written)) = &self.content else { return false };
        *self.is_envelope.get_or_init(|| is_envelope(written.bytes()))
    }

    /// What can be read from it: the parts of an envelope, or else the one subject that it looks like.
    ///
    /// Anything that can't be read counts as a response.
    pub fn parts(&self) -> Vec<About> {
        let parts = self.opened().map(Answer::parts).unwrap_or_default();
        if !parts.is_empty() {
            return parts;
        }
        vec![match &self.content {
            Ok(Content::Written(Written::Json(bytes))) => About::of_subject(bytes),
            Ok(Content::Run(..)) => About::Trajectory,
            Ok(Content::Written(Written::Text(_))) | Err(_) => About::Response,
        }]
    }

    /// The parts of the envelope that it is.
    fn opened(&self) -> Option<&Answer> {
        let Ok(Content::Written(written)) = &self.content else { return None };
        self.is_envelope().then(|| {
            self.opened.get_or_init(|| {
                let (line, bytes) = (self.line().unwrap_or(1), written.bytes());
                let opened = Answer::of_envelope(bytes, self.name, Origin::File, line, &self.reading);
                let (mut answer, named) = opened.unwrap_or_default();
                for Named { about, file } in named {
                    match named_file(self.name, &file) {
                        Ok(bytes) => answer.take(about, &file, bytes, Origin::File, &self.reading),
                        Err(error) => answer.miss(about, error),
                    }
                }
                answer
            })
        })
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
    pub fn read<A: Vocabulary>(&self, setting: &A::Setting) -> Result<Read<A::Subject<'_>>, Error> {
        if let Some(answer) = self.opened() {
            let place = Place { file: self.name.into(), line: self.line(), ..Place::default() };
            let artifact = answer.artifact(About::of::<A>()).map_err(|error| error.within(&place))?;
            let read = artifact.read::<A>(setting)?;
            return Ok(Read {
                warnings: answer.warnings.iter().cloned().chain(read.warnings).collect(),
                ..read
            });
        }
        let written = match &self.content {
            Err(error) => return Err(error.clone()),
            Ok(Content::Written(written)) => *written,
            Ok(Content::Run(run, _)) => {
                let read = run.take().and_then(|run| A::from_run(run.trajectory, setting));
                let read = read.ok_or_else(|| {
                    let why = format!("this is a run, not a {}", A::SUBJECT);
                    Error::in_file(ErrorKind::MalformedSubject(why), self.name)
                })?;
                let notes = self.notes.iter().map(ToString::to_string);
                return Ok(Read { warnings: notes.chain(read.warnings).collect(), ..read });
            }
        };
        let read = written.read::<A>(setting, self.name, self.line());
        read.map_err(|error| match (self.which == RunId::Whole, &error.kind, written) {
            (true, ErrorKind::MalformedSubject(_), Written::Json(bytes)) => hinted(error, bytes, self.name),
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

    fn of(name: &'r str, which: RunId, written: Result<Written<'r>, Error>) -> Record<'r> {
        Record::new(name, which, written.map(Content::Written), Vec::new())
    }

    fn new(name: &'r str, which: RunId, content: Result<Content<'r>, Error>, notes: Vec<Note>) -> Record<'r> {
        let (is_envelope, opened) = (OnceCell::new(), OnceCell::new());
        Record { name, which, content, notes, reading: Reading::default(), is_envelope, opened }
    }

    /// The same, whose parts are read so if it is an envelope.
    fn reading(self, how: &How<'r>) -> Record<'r> {
        let reading = Reading { format: how.traces.format(), tool_error: how.tool_error };
        Record { reading, ..self }
    }

    fn of_run(name: &'r str, which: RunId, run: Result<Box<Recorded>, Error>, size: usize) -> Record<'r> {
        match run {
            Err(error) => Record::new(name, which, Err(error), Vec::new()),
            Ok(mut run) => {
                let notes = std::mem::take(&mut run.notes);
                let content = Ok(Content::Run(Cell::new(Some(run)), size));
                Record::new(name, which, content, notes.sorted())
            }
        }
    }
}

impl Piece<'_> {
    /// Hands over every subject of the piece, in order, and gives back the buffer that they stood in.
    pub(crate) fn each(self, mut hand: impl FnMut(Record<'_>)) -> Vec<u8> {
        let name = &*self.name;
        let how = self.how;
        let How { traces, tool_error, .. } = how;
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
            // Input that is asked for as text is text.
            let is_envelope =
                how.input != Input::Text && opened.as_ref().is_ok_and(|bytes| is_envelope(bytes));
            let written = match (&opened, notation) {
                _ if bytes.len() > LARGEST_SUBJECT => Err(too_large(name, None)),
                (Err(error), _) => Err(error.clone()),
                (Ok(bytes), _) if is_envelope => Ok(Written::Json(bytes)),
                (Ok(bytes), Notation::Json) if trace::read_whole(bytes, traces, name, &mut got) => return,
                (Ok(bytes), Notation::Json) => Ok(Written::Json(bytes)),
                (Ok(_), Notation::Text) => Ok(Written::Text(bytes)),
            };
            let record = Record::of(name, RunId::Whole, written).reading(&how);
            hand(Record { is_envelope: OnceCell::from(is_envelope), ..record });
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
                        None => hand(Record::of(name, which, Ok(Written::Json(line))).reading(&how)),
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

/// Adds what helps with a file that isn't JSON.
fn hinted(error: Error, bytes: &[u8], name: &str) -> Error {
    let text = bytes.trim_ascii_start();
    let is_stdin = name == "-";
    if text.is_empty() {
        let why = if is_stdin { "standard input is empty" } else { "file is empty" };
        return Error::in_file(ErrorKind::MalformedSubject(why.to_owned()), name);
    }
    if text.starts_with(b"{") && Layout::of(text) == Layout::Lines {
        return error.retold(|told| format!("{told}; use --input jsonl if every line is a subject"));
    }
    match json_below(&String::from_utf8_lossy(bytes)) {
        Some(line) => {
            let fix = if is_stdin { "send logs to stderr" } else { "remove the lines above it" };
            error.retold(|told| format!("{told} (JSON starts on line {line}); {fix}"))
        }
        None => error,
    }
}

/// Reads a file that a recorded envelope names, from beside the envelope. It must be inside the project root.
fn named_file(envelope: &str, file: &str) -> Result<Vec<u8>, Error> {
    let beside = Path::new(envelope).parent().filter(|parent| !parent.as_os_str().is_empty());
    let beside = std::fs::canonicalize(beside.unwrap_or(Path::new(".")));
    let beside = beside.map_err(|error| unreadable(file, &error))?;
    let bytes = read_inside(file, (&beside, root::of(&beside)), "outside the project root", LARGEST_SUBJECT)?;
    trace::plain(bytes, file)
}

/// All of a file, into a buffer that need not grow.
pub(crate) fn read_file(file: File) -> io::Result<Vec<u8>> {
    let size = file.metadata().map_or(0, |found| found.len());
    let size = usize::try_from(size).unwrap_or(LARGEST_SUBJECT).min(LARGEST_SUBJECT);
    // One more byte shows that the file ends there.
    read_on(file, Vec::with_capacity(size + 1))
}

pub(crate) fn too_large(name: &str, line: Option<usize>) -> Error {
    let kind = ErrorKind::Exhausted(format!("subject is larger than {} MiB", LARGEST_SUBJECT >> 20));
    Error::at(kind, Place { file: name.into(), line, ..Place::default() })
}
