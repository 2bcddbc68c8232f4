//! Recorded subjects, judged as a stream on all cores.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use probative::question::Question;
use probative::report::{Asked, CaseResult, Outcome, Summary};
use probative::value::excerpt::cut;
use probative::value::{Cause, Malformed};
use probative::verdict::{Error, ErrorKind, Place};
use probative::vocabulary::Read;
use probative::{Context, Vocabulary};

use crate::alone::Alone;
use crate::feed::{Feed, LARGEST_SUBJECT, Piece, Work, Written, read_on, unreadable};
use crate::lines::Block;
use crate::ordered::in_order;
use crate::sink::{Fragments, Shared, Sink};
use crate::spare::Spare;
use crate::subjects::{Input, Subject};

/// A question and how it is to be asked.
pub struct Check<'a, A: Vocabulary> {
    /// The question.
    pub question: &'a Question<A>,
    /// What it may depend on.
    pub context: Context<'a>,
    /// How the subjects are written.
    pub input: Input,
    /// On how many threads.
    pub threads: usize,
    /// Whether results tell how long they took.
    pub timings: bool,
    /// Set from outside to break off.
    pub stop: &'a AtomicBool,
    /// Called as results are told, with the counts and the bytes judged so far.
    pub progress: &'a (dyn Fn(&Summary, u64) + Sync),
}

/// Judges every subject and tells every report, in the order of the subjects.
///
/// Ends early when told to stop, or when no report can be written any more. The reports are not finished yet: whoever
/// gave them finishes them with the summary.
pub fn check<A: Vocabulary>(check: &Check<'_, A>, subjects: Vec<Subject>, sinks: &mut [Sink]) -> Summary {
    let started = Instant::now();
    let spare = Arc::new(Spare::default());
    let subjects = subjects.into_iter();
    let mut feed =
        Feed { input: check.input, subjects, open: None, spare: Arc::clone(&spare), stop: check.stop };
    let judge = Judge {
        check,
        asked: Asked::of(check.question),
        reports: sinks.iter().map(Sink::shared).collect(),
        spare: &spare,
    };
    let (mut summary, mut bytes) = (Summary::default(), 0);
    let unheard = AtomicBool::new(false);
    let ends = || check.stop.load(Ordering::Relaxed) || unheard.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        let alone = Alone::start(scope, |piece| judge.piece(piece));
        in_order(
            check.threads,
            || if ends() { None } else { feed.next() },
            |piece| if piece.work.size() > LARGE { alone.work(piece) } else { judge.piece(piece) },
            |told: Told| {
                summary.add(&told.summary);
                bytes += told.bytes;
                for (sink, fragments) in sinks.iter_mut().zip(told.fragments) {
                    sink.tell(&fragments);
                    spare.give(fragments.into_buffer());
                }
                unheard.store(sinks.iter().all(Sink::is_broken), Ordering::Relaxed);
                (check.progress)(&summary, bytes);
            },
        );
    });
    summary.duration = check.timings.then(|| started.elapsed());
    summary.interrupted = check.stop.load(Ordering::Relaxed);
    summary
}

/// Tells every report that nothing could be judged, because of an error in a file.
pub fn refuse(kind: &'static str, file: &str, error: Error, sinks: &mut [Sink]) -> Summary {
    let asked = Asked::nothing();
    let outcome = Outcome::Error(error);
    let id = file.to_owned();
    let result = CaseResult {
        id,
        kind,
        file,
        line: None,
        asked: &asked,
        outcome,
        exhibit: None,
        warnings: Vec::new(),
        duration: None,
    };
    let mut summary = Summary::default();
    summary.count(&result);
    for sink in sinks {
        let mut fragments = Fragments::within(Vec::new());
        fragments.push(&sink.shared(), &result);
        sink.tell(&fragments);
    }
    summary
}

/// Subjects larger than this are judged one after the other, on the thread that is there for them alone.
const LARGE: u64 = 1 << 20;

/// What one thread needs to judge any piece.
struct Judge<'a, A: Vocabulary> {
    check: &'a Check<'a, A>,
    asked: Asked,
    reports: Vec<Arc<Shared>>,
    spare: &'a Spare,
}

/// The results of one piece, rendered for every report.
struct Told {
    summary: Summary,
    bytes: u64,
    fragments: Vec<Fragments>,
}

impl<A: Vocabulary> Judge<'_, A> {
    fn piece(&self, Piece { name, work }: Piece) -> Told {
        let fragments = self.reports.iter().map(|_| Fragments::within(self.spare.take())).collect();
        let mut told = Told { summary: Summary::default(), bytes: 0, fragments };
        match work {
            Work::Refused(error) => self.tell(&mut told, &name, None, Instant::now(), Err(error)),
            Work::File(path, written) => {
                let started = Instant::now();
                match File::open(path).and_then(|file| read_on(file, Vec::new())) {
                    Err(error) => self.tell(&mut told, &name, None, started, Err(unreadable(&name, &error))),
                    Ok(bytes) => {
                        told.bytes = bytes.len() as u64;
                        self.tell(&mut told, &name, None, started, self.whole(&bytes, written, &name));
                    }
                }
            }
            Work::Bytes(bytes, written) => {
                told.bytes = bytes.len() as u64;
                let started = Instant::now();
                self.tell(&mut told, &name, None, started, self.whole(&bytes, written, &name));
            }
            Work::Lines(Block::Overlong { line }) => {
                self.tell(&mut told, &name, Some(line), Instant::now(), Err(too_large(&name, Some(line))));
            }
            Work::Lines(Block::Lines { bytes, first }) => {
                told.bytes = bytes.len() as u64;
                let ends = memchr::memchr_iter(b'\n', &bytes).chain([bytes.len()]);
                let mut start = 0;
                for (end, number) in ends.zip(first..) {
                    let line = &bytes[start..end];
                    start = end + 1;
                    if !line.iter().all(u8::is_ascii_whitespace) {
                        let started = Instant::now();
                        let subject = self.read(line, &name, Some(number));
                        self.tell(&mut told, &name, Some(number), started, subject);
                    }
                }
                self.spare.give(bytes);
            }
        }
        told
    }

    /// A file or stream that is one subject.
    fn whole<'s>(
        &self,
        bytes: &'s [u8],
        written: Written,
        name: &str,
    ) -> Result<Read<A::Subject<'s>>, Error> {
        match written {
            _ if bytes.len() > LARGEST_SUBJECT => Err(too_large(name, None)),
            Written::Json => self.read(bytes, name, None),
            Written::Text => text::<A>(bytes, name),
        }
    }

    fn read<'s>(
        &self,
        bytes: &'s [u8],
        name: &str,
        line: Option<usize>,
    ) -> Result<Read<A::Subject<'s>>, Error> {
        A::read(bytes, self.check.question.setting()).map_err(|cause| malformed(&cause, bytes, name, line))
    }

    /// Judges a subject and renders the result.
    fn tell(
        &self,
        told: &mut Told,
        name: &str,
        line: Option<usize>,
        started: Instant,
        read: Result<Read<A::Subject<'_>>, Error>,
    ) {
        let (outcome, subject, warnings) = match read {
            Err(error) => (Outcome::Error(error), None, Vec::new()),
            Ok(Read { subject, warnings }) => {
                let judgement = self.check.question.judge(&subject, &self.check.context);
                (Outcome::Judged(judgement), Some(subject), warnings)
            }
        };
        let id = line.map_or_else(|| name.to_owned(), |line| format!("{name}:{line}"));
        let duration = self.check.timings.then(|| started.elapsed());
        let result = CaseResult {
            id,
            kind: A::TYPE,
            file: name,
            line,
            asked: &self.asked,
            outcome,
            exhibit: subject.as_ref().and_then(A::exhibit),
            warnings,
            duration,
        };
        told.summary.count(&result);
        for (fragments, report) in told.fragments.iter_mut().zip(&self.reports) {
            fragments.push(report, &result);
        }
    }
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
    let near = if near.is_empty() { String::new() } else { format!(", near `{}`", cut(near)) };
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

fn too_large(name: &str, line: Option<usize>) -> Error {
    let kind = ErrorKind::Exhausted(format!("a subject of more than {} MiB", LARGEST_SUBJECT >> 20));
    Error::at(kind, Place { file: name.to_owned(), line, ..Place::default() })
}
