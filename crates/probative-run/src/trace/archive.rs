//! Inspect's `.eval` files: ZIP archives with a file for each sample.

use std::io::{self, Read, Seek};

use probative::trajectory::readers::{
    Given, Hand, NoRuns, Record, RunId, TraceFile, TraceFormat, parse_record,
};
use ruzstd::decoding::StreamingDecoder;
use zip::{CompressionMethod, ZipArchive};

use super::unpack::MOST_UNPACKED;
use crate::feed::LARGEST_SUBJECT;

/// Reads the samples of an archive, one at a time.
pub(crate) fn read(archive: impl Read + Seek, hand: Hand<'_>) -> Result<(), String> {
    let broken = "a ZIP archive that cannot be read: it breaks off or is damaged";
    let mut archive = ZipArchive::new(archive).map_err(|_| broken.to_owned())?;
    let is_sample = |name: &str| {
        let in_samples = name.strip_prefix("samples/").is_some_and(|rest| !rest.contains('/'));
        in_samples && name.strip_suffix(".json").is_some()
    };
    let names = archive.file_names().filter_map(|name| name.ok().map(std::borrow::Cow::into_owned));
    let mut names: Vec<String> = names.filter(|name| is_sample(name)).collect();
    if names.is_empty() {
        return Err("a ZIP archive, but no Inspect log: it has no samples/*.json".to_owned());
    }
    names.sort_by_key(|a| natural(a));
    let mut file = TraceFile::new(Some(TraceFormat::Inspect));
    let (mut left, mut is_partial) = (MOST_UNPACKED, false);
    for name in names {
        match sample(&mut archive, &name) {
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
            return Err(format!("a ZIP archive that unpacks to more than {} GiB", MOST_UNPACKED >> 30));
        }
    }
    match file.finish(hand) {
        Err(NoRuns::Empty(_)) if is_partial => Ok(()),
        ended => ended.map(|_| ()).map_err(|why| why.to_string()),
    }
}

/// One sample, and how long it is.
fn sample(archive: &mut ZipArchive<impl Read + Seek>, name: &str) -> Result<(Record, usize), String> {
    let sample = entry(archive, name).map_err(|error| match error.kind() {
        io::ErrorKind::QuotaExceeded => error.to_string(),
        _ => "cannot be unpacked: it is damaged, or packed in a way that is not known".to_owned(),
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
