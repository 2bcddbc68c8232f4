//! How the bytes that a target is given are read.

use std::borrow::Cow;

/// The parts of an input, of which a zero byte ends each but the last. What is missing is empty.
pub(crate) fn parts<const N: usize>(bytes: &[u8]) -> [&[u8]; N] {
    let mut split = bytes.splitn(N, |byte| *byte == 0);
    std::array::from_fn(|_| split.next().unwrap_or_default())
}

/// The first byte, which chooses, and the rest.
pub(crate) fn choice(bytes: &[u8]) -> (usize, &[u8]) {
    bytes.split_first().map_or((0, bytes), |(first, rest)| (usize::from(*first), rest))
}

/// The bytes as text; what is not UTF-8 is replaced.
pub(crate) fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}
