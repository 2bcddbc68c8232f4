//! The rows of every part as they were measured last, in `target/bench`, so that a part can be repeated alone.

use std::fs;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::bench::root;
use crate::rows::Row;

/// What a part came to, and which versions of its peers it was measured with.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// Names and versions of peers.
    pub(crate) versions: Vec<(String, String)>,
    pub(crate) rows: Vec<Row>,
}

/// Keeps a part; what it came to earlier is forgotten.
pub(crate) fn keep(part: &str, kept: &Kept) -> io::Result<()> {
    fs::create_dir_all(file(part).with_file_name(""))?;
    fs::write(file(part), serde_json::to_vec_pretty(kept)?)
}

/// What a part came to, or nothing if it was never measured.
pub(crate) fn kept(part: &str) -> io::Result<Option<Kept>> {
    match fs::read(file(part)) {
        Ok(written) => Ok(Some(serde_json::from_slice(&written)?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn file(part: &str) -> PathBuf {
    root().join("target/bench").join(format!("{part}.json"))
}
