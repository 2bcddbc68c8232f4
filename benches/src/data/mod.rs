//! Repeatable data, one file for each part.

pub(crate) mod did;
pub(crate) mod promised;
pub(crate) mod said;
pub(crate) mod saw;
pub(crate) mod traces;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Whether all subjects pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Health {
    /// All pass.
    Sound,
    /// One in five does not, each for another reason.
    Faulty,
}

/// Writes a file.
pub(crate) fn write_to(
    file: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(file)?);
    write(&mut out)?;
    out.flush()
}
