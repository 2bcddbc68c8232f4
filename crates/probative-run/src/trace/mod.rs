//! Recorded traces of other programs: found out what they are, unpacked, and read as runs.

mod archive;
mod companions;
mod unpack;

use std::borrow::Cow;
use std::fs::File;
use std::io::{Cursor, Read, Seek};
use std::path::PathBuf;
use std::sync::Arc;

use probative::spec::is_envelope;
use probative::trajectory::readers::{
    Given, Layout, NoRuns, Recorded, RunId, TraceFile, TraceFormat, native, parse_record, probe, read_record,
    read_trace,
};
use probative::value::Tree;
use probative::verdict::{Error, ErrorKind, Place};
use probative::written::malformed;

use crate::feed::{LARGEST_SUBJECT, unreadable};
use crate::lines::{Block, Blocks};
use crate::record::too_large;
use crate::spare::Spare;

pub(crate) use unpack::{Packing, look_at, unpacked};

/// A trace that becomes one run is refused where it is longer than this: all of its steps are held.
const LARGEST_TRACE: usize = 512 << 20;

/// How traces are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Traces {
    /// Not at all: subjects are no runs.
    #[default]
    Never,
    /// Where one is recognized; anything else may be another kind of subject.
    Recognized,
    /// All are, in the format that they speak for.
    Always,
    /// All are, in this format.
    In(TraceFormat),
}

impl Traces {
    /// The format that was asked for.
    pub(crate) fn format(self) -> Option<TraceFormat> {
        match self {
            Traces::In(format) => Some(format),
            Traces::Never | Traces::Recognized | Traces::Always => None,
        }
    }

    /// How the lines of a file are to be taken, of which these are the first.
    pub(crate) fn lines(self, beginning: &[u8]) -> Lines {
        let whole = memchr::memrchr(b'\n', beginning).map_or(beginning, |end| &beginning[..end]);
        let lines = || whole.split(|byte| *byte == b'\n');
        let are_ours = || {
            let (ours, others): (Vec<&[u8]>, Vec<&[u8]>) = lines()
                .filter(|line| !line.trim_ascii().is_empty())
                .partition(|line| native::is_native(line) || is_envelope(line));
            ours.len() > others.len()
        };
        let are_envelopes = || lines().find(|line| !line.trim_ascii().is_empty()).is_some_and(is_envelope);
        match self {
            Traces::In(_) if are_envelopes() => Lines::Subjects,
            Traces::Never | Traces::In(TraceFormat::Native) => Lines::Subjects,
            // Most files are, and that is soon seen.
            Traces::Recognized | Traces::Always if are_ours() => Lines::Subjects,
            Traces::In(format) => match probe(lines()) {
                Ok((found, true)) if found == format => Lines::Runs(format),
                _ => Lines::Parts,
            },
            Traces::Recognized | Traces::Always => match probe(lines()) {
                // One file in no known format is one error, unless its lines try to be runs.
                Err(NoRuns::Unknown { has_steps: false, .. }) if self == Traces::Always => Lines::Parts,
                // Each line that isn't a run in our own format is an error of its own.
                Err(NoRuns::TooFew { resembles, .. })
                    if resembles.iter().any(|(format, _)| *format == TraceFormat::Native) =>
                {
                    Lines::Subjects
                }
                Ok((TraceFormat::Native, _)) | Err(NoRuns::Unknown { .. }) => Lines::Subjects,
                Ok((format, true)) => Lines::Runs(format),
                Err(_) if self == Traces::Recognized => Lines::Subjects,
                Ok((_, false)) | Err(_) => Lines::Parts,
            },
        }
    }
}

/// What the lines of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lines {
    /// Each a subject in our own format.
    Subjects,
    /// Each a run in another.
    Runs(TraceFormat),
    /// Parts of runs.
    Parts,
}

/// A trace that is read as a stream.
pub(crate) struct Stream<'s> {
    pub(crate) bytes: Box<dyn Read + Send + 's>,
    /// What was read of it already.
    pub(crate) begun: Vec<u8>,
    pub(crate) traces: Traces,
    /// The file, where it is one: others may lie beside it.
    pub(crate) path: Option<PathBuf>,
    pub(crate) spare: Arc<Spare>,
}

/// What came of a trace: a run, or why there is none.
pub(crate) type Got<'g> = &'g mut dyn FnMut(RunId, Result<Box<Recorded>, Error>);

/// Puts what a reader gives into results, with the name of the file.
fn handing<'g>(name: &'g str, got: Got<'g>) -> impl FnMut(Given) + 'g {
    move |given| match given {
        Given::Run(run) => got(run.id.clone(), Ok(run)),
        Given::NoRun { id, why } => {
            let line = if let RunId::Line(line) = id { Some(line) } else { None };
            let place = Place { file: name.into(), line, ..Place::default() };
            got(id, Err(Error::at(ErrorKind::MalformedSubject(why), place)));
        }
    }
}

fn refused(name: &str, why: &str) -> Error {
    Error::in_file(ErrorKind::MalformedSubject(why.to_owned()), name)
}

impl Stream<'_> {
    /// Reads the lines as they come, and gives the runs that they become.
    pub(crate) fn read(self, name: &str, got: Got<'_>) {
        let Stream { bytes, begun, traces, path, spare } = self;
        let mut file = TraceFile::new(traces.format());
        let mut blocks = Blocks::new(bytes, begun, LARGEST_SUBJECT, Arc::clone(&spare));
        let mut length = 0;
        let failed = loop {
            let block = match blocks.next() {
                Ok(Some(block)) => block,
                Ok(None) => break None,
                Err(error) => break Some(unreadable(name, &error)),
            };
            let mut hand = handing(name, &mut *got);
            match block {
                Block::Overlong { line } => {
                    let why = format!("longer than {} MiB", LARGEST_SUBJECT >> 20);
                    file.pass_over(line, &why, &mut hand);
                }
                Block::Lines { bytes, length: of_lines, ends, first } => {
                    length += of_lines;
                    let mut start = 0;
                    for (number, end) in (first..).zip(ends) {
                        file.line(number, &bytes[start..end], end == of_lines, &mut hand);
                        start = end + 1;
                    }
                    spare.give(bytes);
                }
            }
            if file.is_hopeless() {
                break None;
            }
            if length > LARGEST_TRACE {
                let kind = ErrorKind::Exhausted(format!("trace is larger than {} MiB", LARGEST_TRACE >> 20));
                break Some(Error::in_file(kind, name));
            }
        };
        if let Some(error) = failed {
            return got(RunId::Whole, Err(error));
        }
        if file.format() == Some(TraceFormat::ClaudeCode) || file.format().is_none() {
            companions::read(path.as_deref(), &mut file, &mut handing(name, &mut *got));
        }
        let ended = file.finish(&mut handing(name, &mut *got));
        if let Err(why) = ended {
            got(RunId::Whole, Err(refused(name, &why.to_string())));
        }
    }
}

/// Reads a document that is held whole. Answers `false` where it is no trace of another program, so that it should be
/// taken for what it is.
fn read_document(bytes: &[u8], traces: Traces, name: &str, got: Got<'_>) -> bool {
    let is_ours = |traces| match traces {
        Traces::Never | Traces::In(TraceFormat::Native) => true,
        Traces::Recognized | Traces::Always => native::is_native(bytes),
        Traces::In(_) => false,
    };
    if is_ours(traces) {
        return false;
    }
    let are_lines = Layout::of(bytes) == Layout::Lines;
    let ended = read_trace(bytes, traces.format(), are_lines, &mut handing(name, &mut *got));
    match ended {
        Ok(_) => true,
        // Traces may hold what isn't strictly JSON. That is the reason for refusing a document which is no trace.
        Err(NoRuns::Unknown { .. }) if traces.format().is_none() && Tree::read(bytes).is_err() => false,
        // A document that tries to be a native run is judged as one.
        Err(NoRuns::Unknown { has_steps: true, .. } | NoRuns::Malformed(_)) if traces.format().is_none() => {
            false
        }
        Err(_) if traces == Traces::Recognized => false,
        Err(NoRuns::Malformed(cause)) => {
            got(RunId::Whole, Err(malformed(&cause, bytes, name, None)));
            true
        }
        Err(why) => {
            got(RunId::Whole, Err(refused(name, &why.to_string())));
            true
        }
    }
}

/// An archive: a file, or all of its bytes.
pub(crate) enum Archive {
    File(PathBuf),
    Bytes(Vec<u8>),
}

impl Archive {
    /// Reads the runs that it holds.
    pub(crate) fn read(self, traces: Traces, name: &str, got: Got<'_>) {
        if let Some(format) = traces.format().filter(|format| *format != TraceFormat::Inspect) {
            let why =
                format!("a ZIP archive: it may be an Inspect log, but isn't a trace in the {format} format");
            return got(RunId::Whole, Err(refused(name, &why)));
        }
        let ended = match self {
            Archive::Bytes(bytes) if bytes.len() > LARGEST_SUBJECT => {
                return got(RunId::Whole, Err(too_large(name, None)));
            }
            Archive::Bytes(bytes) => samples(Cursor::new(bytes), name, got),
            Archive::File(path) => match File::open(&path) {
                Ok(file) => samples(std::io::BufReader::new(file), name, got),
                Err(error) => return got(RunId::Whole, Err(unreadable(name, &error))),
            },
        };
        if let Err(why) = ended {
            got(RunId::Whole, Err(refused(name, &why)));
        }
    }
}

fn samples(archive: impl Read + Seek, name: &str, got: Got<'_>) -> Result<(), String> {
    archive::read(archive, &mut handing(name, got))
}

/// A file that is held whole, unpacked. An archive with one run is that run.
pub(crate) fn plain(bytes: Vec<u8>, name: &str) -> Result<Vec<u8>, Error> {
    match Packing::of(&bytes) {
        None => Ok(bytes),
        Some(packing @ (Packing::Gzip | Packing::Zstd)) => whole(packing, &bytes, name),
        Some(Packing::Zip) => {
            let mut runs = Vec::new();
            Archive::Bytes(bytes).read(Traces::Always, name, &mut |_, run| runs.push(run));
            match runs.len() {
                1 => {
                    let run = runs.remove(0)?;
                    serde_json::to_vec(&run.trajectory).map_err(|error| refused(name, &error.to_string()))
                }
                count => {
                    let why = format!(
                        "contains {count} runs, but a case takes one; `probative convert` writes one run per line"
                    );
                    Err(refused(name, &why))
                }
            }
        }
    }
}

/// All that packed bytes are when they are unpacked.
fn whole(packing: Packing, bytes: &[u8], name: &str) -> Result<Vec<u8>, Error> {
    let mut whole = Vec::new();
    let mut stream = unpacked(Some(packing), bytes).take((LARGEST_SUBJECT + 1) as u64);
    match stream.read_to_end(&mut whole) {
        Err(error) => Err(unreadable(name, &error)),
        Ok(_) if whole.len() > LARGEST_SUBJECT => Err(too_large(name, None)),
        Ok(_) => Ok(whole),
    }
}

/// Unpacks a file that is held whole, where it is packed; an archive stays as it is.
pub(crate) fn opened<'b>(bytes: &'b [u8], traces: Traces, name: &str) -> Result<Cow<'b, [u8]>, Error> {
    match Packing::of(bytes) {
        Some(packing @ (Packing::Gzip | Packing::Zstd)) if traces != Traces::Never => {
            whole(packing, bytes, name).map(Cow::Owned)
        }
        _ => Ok(Cow::Borrowed(bytes)),
    }
}

/// Reads a file that is held whole and not packed. Answers `false` where it is no trace of another program.
pub(crate) fn read_whole(bytes: &[u8], traces: Traces, name: &str, got: Got<'_>) -> bool {
    if traces != Traces::Never && Packing::of(bytes) == Some(Packing::Zip) {
        Archive::Bytes(bytes.to_vec()).read(traces, name, got);
        return true;
    }
    read_document(bytes, traces, name, got)
}

/// Reads a line that is a run by itself.
pub(crate) fn read_line(
    line: &[u8],
    format: TraceFormat,
    name: &str,
    number: usize,
) -> Result<Box<Recorded>, Error> {
    let record = match parse_record(line.trim_ascii_end()) {
        Ok(record) => record,
        Err(cause) => return Err(malformed(&cause, line, name, Some(number))),
    };
    read_record(record, format, RunId::Line(number)).map(Box::new).map_err(|why| {
        let place = Place { file: name.into(), line: Some(number), ..Place::default() };
        Error::at(ErrorKind::MalformedSubject(why), place)
    })
}
