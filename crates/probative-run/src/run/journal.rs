//! The journal: every result as its case ends, so that a run that is killed loses nothing that had finished.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use probative::mask::Mask;
use probative::report::{CaseResult, Jsonl, Masked, Renderer};

/// A file to which results are appended, one JSON object a line, in the order in which they end.
pub struct Journal {
    lines: Box<dyn Renderer>,
    file: Mutex<Kept>,
}

#[derive(Debug)]
struct Kept {
    file: File,
    /// Whether the file ends within a line, of a run that was killed or found no room.
    is_cut: bool,
    /// Why nothing more can be kept.
    broken: Option<io::Error>,
}

impl Journal {
    /// Opens a journal, in which nothing secret is kept; what stands in it stays. If its last line is cut, the next begins on a
    /// line of its own.
    pub fn open(path: &Path, mask: &Arc<Mask>) -> io::Result<Journal> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let is_cut = path.is_file() && last_byte(path).is_ok_and(|last| last != b'\n');
        let lines = Masked::by(mask, Box::new(Jsonl::default()));
        Ok(Journal { lines, file: Mutex::new(Kept { file, is_cut, broken: None }) })
    }

    /// Keeps a result: with one write, so that no line is ever there in part.
    pub(super) fn keep(&self, result: &CaseResult<'_>) {
        let mut line = vec![b'\n'];
        self.lines.result(result, &mut line);
        let mut kept = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let line = if std::mem::take(&mut kept.is_cut) { &line } else { &line[1..] };
        if kept.broken.is_none()
            && let Err(error) = kept.file.write_all(line)
        {
            kept.broken = Some(error);
        }
    }

    /// Whether everything was kept.
    pub fn finish(self) -> io::Result<()> {
        let kept = self.file.into_inner().unwrap_or_else(PoisonError::into_inner);
        kept.broken.map_or(Ok(()), Err)
    }
}

fn last_byte(path: &Path) -> io::Result<u8> {
    let (mut file, mut last) = (File::open(path)?, [0]);
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last).map(|()| last[0])
}
