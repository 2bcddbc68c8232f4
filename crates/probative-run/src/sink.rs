//! Where a report goes: a stream, or a file that is there whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use probative::report::{CaseResult, Renderer, Summary, Telling};
use tempfile::{NamedTempFile, SpooledTempFile};

use crate::partial::Partial;

/// How much of a report that needs its end before its beginning is kept in memory.
const KEPT_IN_MEMORY: usize = 1 << 20;

/// One report on its way out.
pub struct Sink {
    shared: Arc<Shared>,
    out: Out,
    /// Results, where something must stand before them that is known only at the end.
    spool: Option<BufWriter<SpooledTempFile>>,
    told: usize,
    notes: usize,
    untold: usize,
    /// Why nothing more can be written.
    broken: Option<io::Error>,
}

/// What threads need that render ahead of their turn.
pub(crate) struct Shared {
    renderer: Box<dyn Renderer>,
    /// Nothing more will be told, so nothing more need be rendered.
    full: AtomicBool,
}

enum Out {
    Stream(Box<dyn Write + Send>),
    /// A file that takes its name when it is complete.
    File(BufWriter<NamedTempFile>, PathBuf, Partial),
}

/// Rendered results, with where each ends and how it is told.
pub(crate) struct Fragments {
    bytes: Vec<u8>,
    ends: Vec<(usize, Telling)>,
    /// Results that were not rendered because nobody would tell them.
    untold: usize,
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
                self.bytes.extend_from_slice(shared.renderer.separator().as_bytes());
                shared.renderer.result(result, &mut self.bytes);
                self.ends.push((self.bytes.len(), telling));
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
    pub fn stream(renderer: Box<dyn Renderer>, stream: impl Write + Send + 'static) -> Sink {
        Sink::new(renderer, Out::Stream(Box::new(BufWriter::new(stream))))
    }

    /// A report to a file, which is written beside it and takes its place when it is complete.
    ///
    /// A link is followed: what it leads to is replaced, not the link. What is no plain file (`/dev/null`, a pipe) is
    /// written to as it is. That a file cannot be written is known here, before anything is judged.
    pub fn file(renderer: Box<dyn Renderer>, path: &Path) -> io::Result<Sink> {
        let existing = std::fs::metadata(path).ok();
        if existing.as_ref().is_some_and(std::fs::Metadata::is_dir) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if existing.as_ref().is_some_and(|found| !found.is_file()) {
            let device: File = OpenOptions::new().write(true).open(path)?;
            return Ok(Sink::stream(renderer, device));
        }
        let path = place_of(path);
        if path.is_symlink() {
            return Err(io::Error::other("too many links, one after the other"));
        }
        let name = format!(".{}.", path.file_name().unwrap_or_default().to_string_lossy());
        let mut builder = tempfile::Builder::new();
        let file = permitted(builder.prefix(&name).suffix(".partial"), existing.as_ref())
            .tempfile_in(directory_of(&path))?;
        let partial = Partial::new(file.path());
        Ok(Sink::new(renderer, Out::File(BufWriter::new(file), path, partial)))
    }

    fn new(renderer: Box<dyn Renderer>, out: Out) -> Sink {
        let spool = (!renderer.streams()).then(|| BufWriter::new(SpooledTempFile::new(KEPT_IN_MEMORY)));
        let shared = Arc::new(Shared { renderer, full: AtomicBool::new(false) });
        Sink { shared, out, spool, told: 0, notes: 0, untold: 0, broken: None }
    }

    pub(crate) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
    }

    /// Whether something keeps it from being written.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// Writes something before the first result, for a reader who sees nothing but this report.
    pub fn preface(&mut self, text: &str) {
        let written = self.out.writer().write_all(text.as_bytes());
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
        self.untold += fragments.untold;
        let limit = self.shared.renderer.tells_at_most();
        if limit == usize::MAX {
            // Every fragment starts with a separator, but nothing stands before the first.
            let first = if self.told == 0 { self.shared.renderer.separator().len() } else { 0 };
            self.told += fragments.ends.len();
            self.write_results(fragments.bytes.get(first..).unwrap_or_default())?;
        } else {
            let mut start = 0;
            for &(end, telling) in &fragments.ends {
                let budget = if telling == Telling::Note { &mut self.notes } else { &mut self.told };
                if *budget < limit {
                    *budget += 1;
                    self.write_results(&fragments.bytes[start..end])?;
                } else {
                    self.untold += usize::from(telling == Telling::Full);
                }
                start = end;
            }
            self.shared.full.store(self.told == limit, Ordering::Relaxed);
        }
        // Whoever reads a stream sees now what was told so far.
        match &mut self.out {
            Out::Stream(stream) => stream.flush(),
            Out::File(..) => Ok(()),
        }
    }

    fn write_results(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.spool {
            Some(spool) => spool.write_all(bytes),
            None => self.out.writer().write_all(bytes),
        }
    }

    /// Completes the report, or says why it is not complete.
    pub fn finish(mut self, summary: &Summary) -> io::Result<()> {
        if let Some(error) = self.broken {
            return Err(error);
        }
        let frame = self.shared.renderer.frame(summary, self.untold);
        let out = self.out.writer();
        out.write_all(frame.head.as_bytes())?;
        if let Some(spool) = self.spool.take() {
            let mut spool = spool.into_inner().map_err(io::IntoInnerError::into_error)?;
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
            Out::File(file, path, _partial) => {
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
            Out::File(file, ..) => file,
        }
    }
}

/// Where a file really is, or will be: links followed, also those that lead to nothing yet, `.` and `..` resolved.
pub fn place_of(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match std::fs::read_link(&path) {
            Ok(target) => path = directory_of(&path).join(target),
            Err(_) => break,
        }
    }
    match (std::fs::canonicalize(directory_of(&path)), path.file_name()) {
        (Ok(directory), Some(name)) => directory.join(name),
        _ => path,
    }
}

/// As many links as the system follows.
const MOST_LINKS: usize = 40;

fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A temporary file is for its owner's eyes only; a report is for those whom the creation mask allows, or for those who
/// could read the one that it replaces.
#[cfg(unix)]
fn permitted<'b, 'n>(
    builder: &'b mut tempfile::Builder<'n, 'n>,
    existing: Option<&std::fs::Metadata>,
) -> &'b mut tempfile::Builder<'n, 'n> {
    use std::os::unix::fs::PermissionsExt as _;
    let permissions =
        existing.map_or_else(|| std::fs::Permissions::from_mode(0o666), std::fs::Metadata::permissions);
    builder.permissions(permissions)
}

#[cfg(not(unix))]
fn permitted<'b, 'n>(
    builder: &'b mut tempfile::Builder<'n, 'n>,
    _: Option<&std::fs::Metadata>,
) -> &'b mut tempfile::Builder<'n, 'n> {
    builder
}
