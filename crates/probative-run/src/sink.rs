//! Where a report goes: a stream, or a file that is there whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use probative::report::{CaseResult, Renderer, Summary};
use tempfile::{NamedTempFile, SpooledTempFile};

/// How much of a report that needs its end before its beginning is kept in memory.
const KEPT_IN_MEMORY: usize = 1 << 20;

/// One report on its way out.
pub struct Sink {
    renderer: Arc<dyn Renderer>,
    out: Out,
    /// Results, where something must stand before them that is known only at the end.
    spool: Option<SpooledTempFile>,
    told: usize,
    untold: usize,
}

enum Out {
    Stream(Box<dyn Write + Send>),
    /// A file that takes its name when it is complete.
    File(BufWriter<NamedTempFile>, PathBuf),
}

/// Rendered results, with where each ends.
pub(crate) struct Fragments {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Fragments {
    /// Fragments that will stand in a buffer.
    pub(crate) fn within(buffer: Vec<u8>) -> Fragments {
        Fragments { bytes: buffer, ends: Vec::new() }
    }

    /// The buffer, to be used again.
    pub(crate) fn into_buffer(self) -> Vec<u8> {
        self.bytes
    }

    /// Renders one more result.
    pub(crate) fn push(&mut self, renderer: &dyn Renderer, result: &CaseResult<'_>) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(renderer.separator().as_bytes());
        let before = self.bytes.len();
        renderer.result(result, &mut self.bytes);
        if self.bytes.len() == before {
            self.bytes.truncate(start);
        } else {
            self.ends.push(self.bytes.len());
        }
    }
}

impl Sink {
    /// A report to a stream.
    pub fn stream(renderer: Box<dyn Renderer>, stream: impl Write + Send + 'static) -> Sink {
        Sink::new(renderer, Out::Stream(Box::new(BufWriter::new(stream))))
    }

    /// A report to a file, which is written beside it and takes its place when it is complete.
    ///
    /// What is no plain file (`/dev/null`, a pipe) is written to as it is. That a file cannot be written is known here,
    /// before anything is judged.
    pub fn file(renderer: Box<dyn Renderer>, path: &Path) -> io::Result<Sink> {
        let special = std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
        if special {
            let device: File = OpenOptions::new().write(true).open(path)?;
            return Ok(Sink::stream(renderer, device));
        }
        if path.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let directory =
            path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = format!(".{}.", path.file_name().unwrap_or_default().to_string_lossy());
        let file = tempfile::Builder::new().prefix(&name).suffix(".partial").tempfile_in(directory)?;
        share_like_a_new_file(&file)?;
        Ok(Sink::new(renderer, Out::File(BufWriter::new(file), path.to_owned())))
    }

    fn new(renderer: Box<dyn Renderer>, out: Out) -> Sink {
        let renderer: Arc<dyn Renderer> = renderer.into();
        let spool = (!renderer.streams()).then(|| SpooledTempFile::new(KEPT_IN_MEMORY));
        Sink { renderer, out, spool, told: 0, untold: 0 }
    }

    /// What renders for this sink, for threads that render ahead of their turn.
    pub(crate) fn renderer(&self) -> Arc<dyn Renderer> {
        Arc::clone(&self.renderer)
    }

    /// Takes the next results, in order.
    pub(crate) fn tell(&mut self, fragments: &Fragments) -> io::Result<()> {
        let room = self.renderer.tells_at_most().saturating_sub(self.told);
        let telling = room.min(fragments.ends.len());
        self.untold += fragments.ends.len() - telling;
        let Some(&end) = fragments.ends[..telling].last() else { return Ok(()) };
        // Every fragment starts with a separator, but nothing stands before the first.
        let start = if self.told == 0 { self.renderer.separator().len() } else { 0 };
        self.told += telling;
        let bytes = &fragments.bytes[start..end];
        match &mut self.spool {
            Some(spool) => spool.write_all(bytes),
            None => self.out.writer().write_all(bytes),
        }
    }

    /// Sends on what a stream has taken so far, so that whoever reads it sees it now.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        match &mut self.out {
            Out::Stream(stream) => stream.flush(),
            Out::File(..) => Ok(()),
        }
    }

    /// Completes the report.
    pub fn finish(mut self, summary: &Summary) -> io::Result<()> {
        let frame = self.renderer.frame(summary, self.untold);
        let out = self.out.writer();
        out.write_all(frame.head.as_bytes())?;
        if let Some(mut spool) = self.spool.take() {
            spool.seek(SeekFrom::Start(0))?;
            let mut piece = vec![0; KEPT_IN_MEMORY];
            loop {
                match spool.read(&mut piece)? {
                    0 => break,
                    count => out.write_all(&piece[..count])?,
                }
            }
        }
        out.write_all(frame.tail.as_bytes())?;
        out.flush()?;
        match self.out {
            Out::Stream(_) => Ok(()),
            Out::File(file, path) => {
                let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
                file.persist(path).map(drop).map_err(|failed| failed.error)
            }
        }
    }
}

impl Out {
    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Out::Stream(stream) => stream,
            Out::File(file, _) => file,
        }
    }
}

/// Temporary files are for their owner's eyes only; a report is for everyone's, as the creation mask allows.
#[cfg(unix)]
fn share_like_a_new_file(file: &NamedTempFile) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn share_like_a_new_file(_: &NamedTempFile) -> io::Result<()> {
    Ok(())
}
