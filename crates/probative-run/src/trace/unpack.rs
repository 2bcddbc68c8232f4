//! Files that are packed, known by their first bytes and not by their names.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

/// No packed file is unpacked to more than this: a few kilobytes can claim to be terabytes.
pub(super) const MOST_UNPACKED: u64 = 4 << 30;

/// How a file is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    Gzip,
    Zstd,
    /// An archive, whose directory stands at its end.
    Zip,
}

impl Packing {
    /// By the first bytes of a file.
    pub(crate) fn of(beginning: &[u8]) -> Option<Packing> {
        let marks: [(&[u8], Packing); 4] = [
            (b"\x1f\x8b", Packing::Gzip),
            (b"\x28\xb5\x2f\xfd", Packing::Zstd),
            (b"PK\x03\x04", Packing::Zip),
            (b"PK\x05\x06", Packing::Zip),
        ];
        if skipped(beginning) {
            return Some(Packing::Zstd);
        }
        marks.into_iter().find(|(mark, _)| beginning.starts_with(mark)).map(|(_, packing)| packing)
    }
}

/// Whether a frame of zstd is one that holds nothing to be unpacked.
fn skipped(beginning: &[u8]) -> bool {
    beginning.first().is_some_and(|first| first & 0xf0 == 0x50)
        && beginning.get(1..4) == Some(b"\x2a\x4d\x18")
}

/// A stream with its beginning put back.
pub(crate) type Whole<R> = Chain<Cursor<Vec<u8>>, R>;

/// Looks at the first bytes of a stream, and puts them back.
pub(crate) fn look_at<R: Read>(mut stream: R) -> io::Result<(Option<Packing>, Whole<R>)> {
    let mut beginning = Vec::with_capacity(4);
    stream.by_ref().take(4).read_to_end(&mut beginning)?;
    Ok((Packing::of(&beginning), Cursor::new(beginning).chain(stream)))
}

/// What a stream is when it is unpacked. An archive stays as it is.
pub(crate) fn unpacked<'s>(
    packing: Option<Packing>,
    stream: impl Read + Send + 's,
) -> Box<dyn Read + Send + 's> {
    match packing {
        None | Some(Packing::Zip) => Box::new(stream),
        Some(Packing::Gzip) => Box::new(Limited { stream: MultiGzDecoder::new(stream), left: MOST_UNPACKED }),
        Some(Packing::Zstd) => {
            Box::new(Limited { stream: Frames::Between(BufReader::new(stream)), left: MOST_UNPACKED })
        }
    }
}

/// A stream that is refused where it becomes too long.
struct Limited<R> {
    stream: R,
    left: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let damaged =
            || io::Error::new(io::ErrorKind::InvalidData, "can't be unpacked: it is cut off or damaged");
        let count = self.stream.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => error,
            _ => damaged(),
        })?;
        let Some(left) = self.left.checked_sub(count as u64) else {
            let why = format!("unpacks to more than {} GiB", MOST_UNPACKED >> 30);
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        };
        self.left = left;
        Ok(count)
    }
}

/// The frames of a zstd stream, one after the other: whoever appends to such a file adds a frame.
enum Frames<R: Read> {
    Between(BufReader<R>),
    Within(Box<StreamingDecoder<Whole<BufReader<R>>, ruzstd::decoding::FrameDecoder>>),
    Ended,
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match std::mem::replace(self, Frames::Ended) {
                Frames::Ended => return Ok(0),
                Frames::Between(mut stream) => {
                    if stream.fill_buf()?.is_empty() {
                        return Ok(0);
                    }
                    let mut head = Vec::new();
                    stream.by_ref().take(8).read_to_end(&mut head)?;
                    if skipped(&head) {
                        let length =
                            head.last_chunk().map_or(0, |length| u64::from(u32::from_le_bytes(*length)));
                        io::copy(&mut stream.by_ref().take(length), &mut io::sink())?;
                        *self = Frames::Between(stream);
                        continue;
                    }
                    let stream = Cursor::new(head).chain(stream);
                    *self =
                        Frames::Within(Box::new(StreamingDecoder::new(stream).map_err(io::Error::other)?));
                }
                Frames::Within(mut frame) => {
                    let count = frame.read(buffer)?;
                    if count > 0 || buffer.is_empty() {
                        *self = Frames::Within(frame);
                        return Ok(count);
                    }
                    *self = Frames::Between(frame.into_inner().into_inner().1);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn unpack(packed: &[u8]) -> io::Result<Vec<u8>> {
        let (packing, stream) = look_at(packed)?;
        let mut bytes = Vec::new();
        unpacked(packing, stream).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
    }

    #[test]
    fn packed_streams_are_unpacked_whole_and_others_stay_as_they_are() {
        let text = b"{\"a\": 1}\n".repeat(10_000);
        assert_eq!(unpack(&text).unwrap(), text);
        assert_eq!(unpack(b"").unwrap(), b"");
        assert_eq!(unpack(&gzip(&text)).unwrap(), text);
        assert_eq!(unpack(&zstd(&text)).unwrap(), text);
        let twice = [&text[..], &text].concat();
        assert_eq!(unpack(&[gzip(&text), gzip(&text)].concat()).unwrap(), twice);
        assert_eq!(unpack(&[zstd(&text), zstd(&text)].concat()).unwrap(), twice);
    }

    #[test]
    fn what_is_broken_is_an_error() {
        for packed in [gzip(&[b'x'; 1000]), zstd(&[b'x'; 1000])] {
            let error = unpack(&packed[..packed.len() - 3]).unwrap_err().to_string();
            assert_eq!(error, "can't be unpacked: it is cut off or damaged");
        }
    }

    #[test]
    fn frames_that_hold_nothing_are_skipped() {
        let nothing = [&b"\x53\x2a\x4d\x18\x05\0\0\0"[..], b"notes"].concat();
        let (text, packed) = (b"{}\n".repeat(100), zstd(&b"{}\n".repeat(100)));
        for frames in [[&nothing[..], &packed].concat(), [&packed[..], &nothing].concat()] {
            assert_eq!(unpack(&frames).unwrap(), text);
        }
    }

    #[test]
    fn a_stream_that_becomes_too_long_is_refused() {
        let mut limited = Limited { stream: io::repeat(b'x'), left: 1000 };
        let error = io::copy(&mut limited, &mut io::sink()).unwrap_err().to_string();
        assert_eq!(error, "unpacks to more than 4 GiB");
    }
}
