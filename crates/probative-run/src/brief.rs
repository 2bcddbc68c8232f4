//! Subjects that are read only as far as a question needs it, as long as that tells that they pass.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use probative::Vocabulary;
use probative::trajectory::readers::TraceFormat;
use probative::vocabulary::Abridged;

use crate::feed::{LARGEST_SUBJECT, Notation, Piece, Work};
use crate::lines::read_some;
use crate::spare::Spare;
use crate::trace::Traces;

/// How much of a large file is read at a time.
const READ_AT_ONCE: usize = 128 * 1024;

/// How much of it is held at most: a single step may be as long.
const MOST_HELD: usize = 1 << 20;

/// Subjects smaller than this are read whole: there is little to leave out.
const SHORT: usize = 4096;

/// After how many in a row that did not pass the others are read whole at once: they are likely not to pass either, and what does
/// not pass is read twice.
const OFTEN_IN_VAIN: u32 = 4;

/// Reads subjects only as far as a question needs it, on any thread, as long as that mostly tells that they pass.
pub(crate) struct Briefly<'q, A: Vocabulary> {
    abridged: Option<Box<dyn Abridged<A> + 'q>>,
    /// How many in a row did not pass. It decides how long reading takes, and nothing else.
    in_vain: AtomicU32,
}

impl<'q, A: Vocabulary> Briefly<'q, A> {
    pub(crate) fn new(abridged: Option<Box<dyn Abridged<A> + 'q>>) -> Self {
        Briefly { abridged, in_vain: AtomicU32::new(0) }
    }

    /// Whether a subject is known to pass, which `judged` tells of what is left of it. If not, it must be read whole.
    pub(crate) fn passes(&self, json: &[u8], judged: impl FnOnce(&A::Subject<'_>) -> bool) -> bool {
        let Some(abridged) = self.worth_it().filter(|_| json.len() >= SHORT) else { return false };
        self.learn(abridged.read(json).is_some_and(|subject| judged(&subject)))
    }

    /// The same of a piece of work that is a file of at least so many bytes, which is then read piece by piece; answers how many there
    /// are. If it does not pass nothing is lost, as a file can be read again.
    pub(crate) fn file_passes(
        &self,
        piece: &Piece<'_>,
        least: u64,
        spare: &Spare,
        judged: impl FnOnce(&A::Subject<'_>) -> bool,
    ) -> Tried {
        let Work::File(path, Notation::Json) = &piece.work else { return Tried::Not };
        let is_ours = !matches!(piece.how.traces, Traces::In(format) if format != TraceFormat::Native);
        let Some(abridged) = self.worth_it().filter(|_| is_ours && piece.work.size() >= least) else {
            return Tried::Not;
        };
        let mut held = spare.take_used();
        let read = read_in_pieces(path, abridged, &mut held);
        spare.give(held);
        match read {
            Some((subject, bytes)) if self.learn(judged(&subject)) => Tried::Passes(bytes),
            _ => Tried::InVain,
        }
    }

    /// Takes note that a subject passes which was read whole: the next one may be worth a try.
    pub(crate) fn encourage(&self) {
        // Mostly there is nothing to forget, and looking costs less than writing.
        if self.in_vain.load(Ordering::Relaxed) > 0 {
            self.in_vain.store(0, Ordering::Relaxed);
        }
    }

    fn worth_it(&self) -> Option<&(dyn Abridged<A> + 'q)> {
        self.abridged.as_deref().filter(|_| self.in_vain.load(Ordering::Relaxed) < OFTEN_IN_VAIN)
    }

    fn learn(&self, passes: bool) -> bool {
        if passes {
            self.encourage();
        } else {
            self.in_vain.fetch_add(1, Ordering::Relaxed);
        }
        passes
    }
}

/// What came of reading a file only as far as needed.
pub(crate) enum Tried {
    /// It was not tried.
    Not,
    /// It does not pass, as far as was read.
    InVain,
    /// It passes, and has so many bytes.
    Passes(u64),
}

/// A file as far as a question needs it, and how many bytes were read for it. None if it must be read whole.
fn read_in_pieces<A: Vocabulary>(
    path: &Path,
    abridged: &dyn Abridged<A>,
    held: &mut Vec<u8>,
) -> Option<(A::Subject<'static>, u64)> {
    let mut file = File::open(path).ok()?;
    if !file.metadata().is_ok_and(|found| found.is_file()) {
        return None;
    }
    let (mut pieces, mut filled, mut bytes) = (abridged.pieces(), 0, 0);
    loop {
        let count = read_some(&mut file, held, filled, READ_AT_ONCE).ok()?;
        (filled, bytes) = (filled + count, bytes + count);
        let read = pieces.advance(&held[..filled], count == 0)?;
        if count == 0 {
            return Some((pieces.subject()?, bytes as u64));
        }
        held.copy_within(read..filled, 0);
        filled -= read;
        if filled > MOST_HELD || bytes > LARGEST_SUBJECT {
            return None;
        }
    }
}
