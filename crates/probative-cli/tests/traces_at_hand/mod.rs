//! Traces for tests: the vectors, and the same packed.
#![allow(dead_code, reason = "no test needs all of it")]

use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::place::Place;

pub(crate) const LOOKED_UP: &str = "tool_was_called: lookup_order\n";

pub(crate) fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/traces")
}

/// The bytes of a vector: `openai-chat/plain.json`.
pub(crate) fn vector(name: &str) -> Vec<u8> {
    std::fs::read(vectors().join(name)).unwrap()
}

/// A place with a question and some files.
pub(crate) fn place(question: &str, files: &[(&str, &[u8])]) -> Place {
    let place = Place::with(&[("q.yaml", question)]);
    for (name, bytes) in files {
        place.write(name, bytes);
    }
    place
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

pub(crate) fn archive(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// The ids and the statuses of results.
pub(crate) fn ended(results: &[Value]) -> Vec<(&str, &str)> {
    results
        .iter()
        .map(|result| (result["id"].as_str().unwrap(), result["status"].as_str().unwrap()))
        .collect()
}
