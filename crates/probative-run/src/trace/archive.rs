//! Inspect's `.eval` files: ZIP archives with a file for each sample.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Seek, SeekFrom};

use probative::trajectory::readers::{
    Given, Hand, NoRuns, Record, RunId, TraceFile, TraceFormat, parse_record,
};
use ruzstd::decoding::StreamingDecoder;
use zip::{CompressionMethod, ZipArchive};

use super::unpack::MOST_UNPACKED;
use crate::feed::LARGEST_SUBJECT;

/// Why a sample is not read of which there are several.
const AMBIGUOUS: &str = "the archive contains it twice, with different content; keep one";

/// Reads the samples of an archive, one at a time. A sample that is there twice is read if both are the same.
pub(crate) fn read(archive: impl Read + Seek, hand: Hand<'_>) -> Result<(), String> {
    let broken = "a ZIP archive that can't be read: it is cut off or damaged";
    let mut archive = ZipArchive::new(archive).map_err(|_| broken.to_owned())?;
    let is_sample = |name: &str| {
        let in_samples = name.strip_prefix("samples/").is_some_and(|rest| !rest.contains('/'));
        in_samples && name.strip_suffix(".json").is_some()
    };
    let names = archive.file_names().filter_map(|name| name.ok().map(std::borrow::Cow::into_owned));
    let mut names: Vec<String> = names.filter(|name| is_sample(name)).collect();
    if names.is_empty() {
        return Err("a ZIP archive that isn't an Inspect log: no samples/*.json in it".to_owned());
    }
    names.sort_by_key(|a| natural(a));
    let is_repetitive = archive.has_duplicate_names();
    let mut ambiguous_names = BTreeSet::new();
    if is_repetitive {
        let directory = archive.central_directory_start();
        let mut reader = archive.into_inner();
        ambiguous_names = ambiguous(&mut reader, directory).map_err(|_| broken.to_owned())?;
        archive = ZipArchive::new(reader).map_err(|_| broken.to_owned())?;
    }
    let hand = &mut |mut given: Given| {
        if let (Given::Run(run), true) = (&mut given, is_repetitive) {
            run.note_repeated("a file of the archive");
        }
        hand(given);
    };
    let mut file = TraceFile::new(Some(TraceFormat::Inspect));
    let (mut left, mut is_partial) = (MOST_UNPACKED, false);
    for name in names {
        let is_ambiguous = ambiguous_names.contains(name.as_bytes());
        let read = if is_ambiguous { Err(AMBIGUOUS.to_owned()) } else { sample(&mut archive, &name) };
        match read {
            Ok((record, size)) => {
                left = left.saturating_sub(size as u64);
                file.record(record, RunId::Named(name), size, hand);
            }
            // The others can still be read.
            Err(why) => {
                is_partial = true;
                hand(Given::NoRun { id: RunId::Named(name), why });
            }
        }
        if left == 0 {
            return Err(format!("ZIP archive unpacks to more than {} GiB", MOST_UNPACKED >> 30));
        }
    }
    match file.finish(hand) {
        Err(NoRuns::Empty(_)) if is_partial => Ok(()),
        ended => ended.map(|_| ()).map_err(|why| why.to_string()),
    }
}

/// The names that the directory of an archive lists more than once, for files that differ.
fn ambiguous(archive: &mut (impl Read + Seek), directory: u64) -> io::Result<BTreeSet<Vec<u8>>> {
    const SIGNATURE: &[u8] = b"PK\x01\x02";
    archive.seek(SeekFrom::Start(directory))?;
    let (mut seen, mut ambiguous) = (BTreeMap::new(), BTreeSet::new());
    let mut header = [0; 46];
    while archive.read_exact(&mut header).is_ok() && header.starts_with(SIGNATURE) {
        let length = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let mut name = vec![0; length(28).into()];
        archive.read_exact(&mut name)?;
        archive.seek_relative(i64::from(length(30)) + i64::from(length(32)))?;
        // The checksum and the size of what is packed there.
        let content = [&header[16..20], &header[24..28]].concat();
        if seen.insert(name.clone(), content.clone()).is_some_and(|other| other != content) {
            ambiguous.insert(name);
        }
    }
    Ok(ambiguous)
}

/// One sample, and how long it is.
fn sample(archive: &mut ZipArchive<impl Read + Seek>, name: &str) -> Result<(Record, usize), String> {
    let sample = entry(archive, name).map_err(|error| match error.kind() {
        io::ErrorKind::QuotaExceeded => error.to_string(),
        _ => "can't be unpacked: it is damaged, or its compression isn't supported".to_owned(),
    })?;
    let record = parse_record(&sample).map_err(|malformed| format!("not JSON: {}", malformed.message))?;
    Ok((record, sample.len()))
}

/// One file of an archive, unpacked.
fn entry(archive: &mut ZipArchive<impl Read + Seek>, name: &str) -> io::Result<Vec<u8>> {
    let index = archive.index_for_name(name).ok_or(io::ErrorKind::NotFound)?;
    let is_zstd = archive.by_index_raw(index)?.compression() == CompressionMethod::ZSTD;
    let mut bytes = Vec::new();
    let most = (LARGEST_SUBJECT + 1) as u64;
    if is_zstd {
        let frame = StreamingDecoder::new(archive.by_index_raw(index)?).map_err(io::Error::other)?;
        frame.take(most).read_to_end(&mut bytes)?;
    } else {
        archive.by_index(index)?.take(most).read_to_end(&mut bytes)?;
    }
    if bytes.len() > LARGEST_SUBJECT {
        let why = format!("unpacks to more than {} MiB", LARGEST_SUBJECT >> 20);
        return Err(io::Error::new(io::ErrorKind::QuotaExceeded, why));
    }
    Ok(bytes)
}

/// What names are ordered by: numbers in them by their value, so that sample 10 comes after sample 9.
fn natural(name: &str) -> Vec<(u64, String)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let text = rest.find(|character: char| character.is_ascii_digit()).unwrap_or(rest.len());
        let digits =
            rest[text..].find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len() - text);
        let number = rest[text..text + digits].parse().unwrap_or(u64::MAX);
        parts.push((if digits == 0 { 0 } else { number }, rest[..text].to_owned()));
        rest = &rest[text + digits..];
    }
    parts
}
