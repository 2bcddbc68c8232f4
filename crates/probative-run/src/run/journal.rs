//! The journal: every result as its case ends, so that a run that is killed loses nothing that had finished.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use probative::report::{CaseResult, Jsonl, Renderer};

/// A file to which results are appended, one JSON object a line, in the order in which they end.
#[derive(Debug)]
pub struct Journal {
    file: Mutex<Kept>,
}

#[derive(Debug)]
struct Kept {
    file: File,
    /// Why nothing more can be kept.
    broken: Option<io::Error>,
}

impl Journal {
    /// Opens a journal; what stands in it stays.
    pub fn open(path: &Path) -> io::Result<Journal> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Journal { file: Mutex::new(Kept { file, broken: None }) })
    }

    /// Keeps a result: with one write, so that no line is ever there in part.
    pub(super) fn keep(&self, result: &CaseResult<'_>) {
        let mut line = Vec::new();
        Jsonl.result(result, &mut line);
        let mut kept = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.broken.is_none()
            && let Err(error) = kept.file.write_all(&line)
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
