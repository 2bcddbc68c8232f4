//! Where a report goes: a stream, or a file that is there whole or not at all.

use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use probative::mask::Mask;
use probative::report::{CaseResult, EvidenceRoom, LeftOut, Masked, Renderer, Status, Summary, Telling};
use tempfile::SpooledTempFile;

use crate::out::Out;
use crate::subjects::reason;

/// How much of a report that needs its end before its beginning is kept in memory.
const KEPT_IN_MEMORY: usize = 1 << 20;

const COPIED_AT_ONCE: usize = 64 << 10;

/// What every report fits into that is appended.
const APPENDED_AT_ONCE: usize = 128 << 10;

/// What most results fit into.
const USUAL_RESULT: usize = 512;

/// One report on its way out. It holds no secret.
pub struct Sink {
    shared: Arc<Shared>,
    mask: Arc<Mask>,
    out: Out,
    file: Option<PathBuf>,
    /// Results, where something must stand before them that is known only at the end.
    spool: Option<BufWriter<SpooledTempFile>>,
    /// How much evidence there is room for still.
    room: EvidenceRoom,
    /// Evidence, where it stands behind all results.
    apart: Option<Vec<u8>>,
    told: usize,
    notes: usize,
    left_out: LeftOut,
    /// Why nothing more can be written.
    broken: Option<io::Error>,
}

/// What threads need that render ahead of their turn.
pub(crate) struct Shared {
    renderer: Box<dyn Renderer>,
    /// Nothing more will be told, so nothing more need be rendered.
    full: AtomicBool,
}

/// Rendered results, with where each ends and how it is told.
pub(crate) struct Fragments {
    bytes: Vec<u8>,
    ends: Vec<Fragment>,
    /// Results that were not rendered because nobody would tell them.
    untold: usize,
}

/// One rendered result.
struct Fragment {
    /// Where it ends, and its evidence begins.
    end: usize,
    /// Where its evidence ends.
    evidence_end: usize,
    telling: Telling,
    passed: bool,
}

impl Fragments {
    /// Fragments that will stand in a buffer.
    pub(crate) fn within(buffer: Vec<u8>) -> Fragments {
        Fragments { bytes: buffer, ends: Vec::new(), untold: 0 }
    }

    /// Renders one more result.
    pub(crate) fn push(&mut self, shared: &Shared, result: &CaseResult<'_>) {
        let telling = shared.renderer.telling(result);
        match telling {
            Telling::Silent => {}
            Telling::Full if shared.full.load(Ordering::Relaxed) => self.untold += 1,
            Telling::Full | Telling::Note => {
                self.bytes.reserve(USUAL_RESULT);
                self.bytes.extend_from_slice(shared.renderer.separator().as_bytes());
                shared.renderer.result(result, &mut self.bytes);
                let end = self.bytes.len();
                shared.renderer.evidence(result, &mut self.bytes);
                let passed = matches!(result.status(), Status::Pass | Status::Skip);
                self.ends.push(Fragment { end, evidence_end: self.bytes.len(), telling, passed });
            }
        }
    }

    /// The buffer, to be used again.
    pub(crate) fn into_buffer(self) -> Vec<u8> {
        self.bytes
    }
}

impl Sink {
    /// A report to a stream.
    pub fn stream(
        renderer: Box<dyn Renderer>,
        mask: &Arc<Mask>,
        stream: impl Write + Send + 'static,
    ) -> Sink {
        Sink::new(renderer, mask, Out::stream(stream), None)
    }

    /// A report to a file, which is written beside it and takes its place when it is complete.
    ///
    /// A link is followed: what it leads to is replaced, not the link. What is no plain file (`/dev/null`, a pipe) is
    /// written to as it is. That a file cannot be written is known here, before anything is judged.
    pub fn file(renderer: Box<dyn Renderer>, mask: &Arc<Mask>, path: &Path) -> io::Result<Sink> {
        Out::file(path).map(|out| Sink::new(renderer, mask, out, Some(path)))
    }

    /// A report at the end of a file that others write to, too.
    pub fn appended(renderer: Box<dyn Renderer>, mask: &Arc<Mask>, path: &Path) -> io::Result<Sink> {
        Out::append(path, APPENDED_AT_ONCE).map(|out| Sink::new(renderer, mask, out, Some(path)))
    }

    /// The file that it goes to, as it was named.
    pub fn destination(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    fn new(renderer: Box<dyn Renderer>, mask: &Arc<Mask>, out: Out, file: Option<&Path>) -> Sink {
        let renderer = Masked::by(mask, renderer);
        let spool = (!renderer.streams()).then(|| BufWriter::new(SpooledTempFile::new(KEPT_IN_MEMORY)));
        let (opening, room) = (renderer.opening(), renderer.evidence_room());
        let apart = renderer.evidence_stands_apart().then(Vec::new);
        let shared = Arc::new(Shared { renderer, full: AtomicBool::new(false) });
        let left_out = LeftOut::default();
        let (mask, file) = (Arc::clone(mask), file.map(Path::to_owned));
        let mut sink =
            Sink { shared, mask, out, file, spool, room, apart, told: 0, notes: 0, left_out, broken: None };
        let written = sink.out.writer().write_all(opening.as_bytes());
        sink.note_failure(written);
        sink
    }

    pub(crate) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
    }

    /// Returns true if nobody reads it any more. Judging may stop then; where only room is lacking, the exit code still counts.
    pub(crate) fn has_no_reader(&self) -> bool {
        self.broken.as_ref().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Writes something before the first result, for a reader who sees nothing but this report.
    pub fn preface(&mut self, text: &str) {
        let written = self.out.writer().write_all(self.mask.hide(text).as_bytes());
        self.note_failure(written);
    }

    /// Takes the next results, in order. A report that breaks is silent from then on; `finish` says why.
    pub(crate) fn tell(&mut self, fragments: &Fragments) {
        if self.broken.is_none() {
            let written = self.write(fragments);
            self.note_failure(written);
        }
    }

    fn note_failure(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.broken.get_or_insert(error);
        }
    }

    fn write(&mut self, fragments: &Fragments) -> io::Result<()> {
        self.left_out.results += fragments.untold;
        let limit = self.shared.renderer.tells_at_most();
        if limit == usize::MAX && self.room == EvidenceRoom::default() {
            // Every fragment starts with a separator, but nothing stands before the first.
            let first = if self.told == 0 { self.shared.renderer.separator().len() } else { 0 };
            self.told += fragments.ends.len();
            self.write_results(fragments.bytes.get(first..).unwrap_or_default())?;
        } else {
            let mut start = 0;
            for fragment in &fragments.ends {
                self.write_fragment(fragment, &fragments.bytes[start..fragment.evidence_end], start, limit)?;
                start = fragment.evidence_end;
            }
            self.shared.full.store(self.told == limit, Ordering::Relaxed);
        }
        // Whoever reads a stream sees now what was told so far.
        if self.out.is_stream() { self.out.writer().flush() } else { Ok(()) }
    }

    /// Writes one result as far as there is room, for it and for its evidence.
    fn write_fragment(
        &mut self,
        fragment: &Fragment,
        bytes: &[u8],
        start: usize,
        limit: usize,
    ) -> io::Result<()> {
        let (budget, left_out) = match fragment.telling {
            Telling::Note => (&mut self.notes, &mut self.left_out.notes),
            Telling::Full | Telling::Silent => (&mut self.told, &mut self.left_out.results),
        };
        if *budget >= limit {
            *left_out += 1;
            return Ok(());
        }
        *budget += 1;
        let (result, evidence) = bytes.split_at(fragment.end - start);
        self.write_results(result)?;
        let room = if fragment.passed { &mut self.room.passed } else { &mut self.room.others };
        match (room.checked_sub(evidence.len()), &mut self.apart) {
            (None, _) => self.left_out.evidence += 1,
            (Some(left), None) => {
                *room = left;
                self.write_results(evidence)?;
            }
            (Some(left), Some(apart)) => {
                *room = left;
                apart.extend_from_slice(evidence);
            }
        }
        Ok(())
    }

    fn write_results(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.spool {
            Some(spool) => spool.write_all(bytes).map_err(|error| meanwhile(&error)),
            None => self.out.writer().write_all(bytes),
        }
    }

    /// Completes the report, or says why it is not complete.
    pub fn finish(mut self, summary: &Summary) -> io::Result<()> {
        if let Some(error) = self.broken {
            return Err(error);
        }
        let frame = self.shared.renderer.frame(summary);
        let out = self.out.writer();
        out.write_all(frame.head.as_bytes())?;
        if let Some(spool) = self.spool.take() {
            let mut spool = spool.into_inner().map_err(|error| meanwhile(error.error()))?;
            spool.seek(SeekFrom::Start(0))?;
            let mut piece = vec![0; COPIED_AT_ONCE];
            loop {
                match spool.read(&mut piece)? {
                    0 => break,
                    count => out.write_all(&piece[..count])?,
                }
            }
        }
        out.write_all(&self.apart.unwrap_or_default())?;
        out.write_all(self.shared.renderer.remainder(&self.left_out).as_bytes())?;
        out.write_all(frame.tail.as_bytes())?;
        self.out.complete()
    }
}

/// Why results cannot be kept until the end is known: not for lack of room where the report goes.
fn meanwhile(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{} in the temporary directory", reason(error)))
}
