//! A stream of lines, read in blocks of whole lines.

use std::io::{self, Read};
use std::sync::Arc;

use memchr::{memchr, memrchr};

use crate::spare::Spare;

/// How much is read at a time.
const BLOCK: usize = 256 * 1024;
/// How many lines a block may have: a short line can have a long result.
const MOST_LINES: usize = 256;
/// How far it is read on in a line that is too long to hold. One that does not end there may have no end: it is a device.
const LONGEST_PASSED_OVER: usize = 1 << 30;

/// Some whole lines of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// Lines, and the number of the first.
    Lines {
        /// The lines with their ends, of which the last of a stream may have none; and whatever else the buffer holds.
        bytes: Vec<u8>,
        /// How much of it is lines.
        length: usize,
        /// Where each of them ends: before its line feed.
        ends: Vec<usize>,
        /// The number of the first line, from 1.
        first: usize,
    },
    /// A line longer than may be held, which was passed over.
    Overlong {
        /// Its number.
        line: usize,
    },
}

/// Reads a stream block by block.
pub(crate) struct Blocks<R> {
    stream: R,
    /// The beginning of the next block: a line that was not complete yet.
    begun: Vec<u8>,
    line: usize,
    longest: usize,
    ended: bool,
    spare: Arc<Spare>,
    /// How much of `begun` was handed over already.
    from: usize,
}

impl<R: Read> Blocks<R> {
    /// The blocks of a stream of which `begun` was read already, and whose lines may have up to `longest` bytes.
    pub(crate) fn new(stream: R, begun: Vec<u8>, longest: usize, spare: Arc<Spare>) -> Self {
        Blocks { stream, begun, line: 1, longest, ended: false, spare, from: 0 }
    }

    /// The next lines: as many as there are, at least one. What a slow stream has sent is told before it sends more.
    pub(crate) fn next(&mut self) -> io::Result<Option<Block>> {
        if let Some(block) = self.held() {
            return Ok(Some(block));
        }
        let mut bytes = self.spare.take_used();
        let held = &self.begun[self.from..];
        let mut filled = held.len();
        bytes.resize(bytes.len().max(filled), 0);
        bytes[..filled].copy_from_slice(held);
        // After which line feed the lines end, once there is one.
        let mut end = 0;
        self.begun.clear();
        self.from = 0;
        while end == 0 && !self.ended {
            if filled > self.longest {
                return self.pass_over().map(Some);
            }
            let count = read_some(&mut self.stream, &mut bytes, filled, BLOCK)?;
            self.ended = count == 0;
            if let Some(last) = memrchr(b'\n', &bytes[filled..filled + count]) {
                end = filled + last + 1;
            }
            filled += count;
        }
        if filled == 0 {
            return Ok(None);
        }
        let mut ends: Vec<usize> = memchr::memchr_iter(b'\n', &bytes[..end]).take(MOST_LINES).collect();
        let first = self.line;
        self.line += ends.len();
        if ends.len() == MOST_LINES {
            end = ends.last().map_or(0, |last| last + 1);
        }
        if end == 0 {
            // The last line of a stream has no line feed.
            end = filled;
            ends.push(end);
        }
        self.begun.extend_from_slice(&bytes[end..filled]);
        // Not cut off: what a buffer once held need not be filled with zeros when it is read into again.
        Ok(Some(Block::Lines { bytes, length: end, ends, first }))
    }

    /// The next of the lines that were read already, if one of them is whole.
    fn held(&mut self) -> Option<Block> {
        let held = &self.begun[self.from..];
        let ends: Vec<usize> = memchr::memchr_iter(b'\n', held).take(MOST_LINES).collect();
        let length = ends.last()? + 1;
        let mut bytes = self.spare.take_used();
        bytes.clear();
        bytes.extend_from_slice(&held[..length]);
        self.from += length;
        let first = self.line;
        self.line += ends.len();
        Some(Block::Lines { bytes, length, ends, first })
    }

    /// Reads no more, because reading failed.
    pub(crate) fn give_up(&mut self) {
        self.ended = true;
        self.begun.clear();
        self.from = 0;
    }

    /// Reads on to the end of a line that is too long to hold. Where it does not end, there is nothing behind it.
    fn pass_over(&mut self) -> io::Result<Block> {
        let line = self.line;
        let mut bytes = self.spare.take_used();
        let mut passed_over = 0;
        while !self.ended {
            if passed_over > LONGEST_PASSED_OVER {
                let why = format!("line {line} is longer than {} GiB", LONGEST_PASSED_OVER >> 30);
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
            }
            let count = read_some(&mut self.stream, &mut bytes, 0, BLOCK)?;
            self.ended = count == 0;
            passed_over += count;
            if let Some(at) = memchr(b'\n', &bytes[..count]) {
                self.begun.extend_from_slice(&bytes[at + 1..count]);
                self.line += 1;
                break;
            }
        }
        Ok(Block::Overlong { line })
    }
}

/// Reads once, at most so many bytes, and answers how many came. They stand after those that are filled already; what
/// stood there is overwritten, so that a used buffer need not be filled with zeros again.
pub(crate) fn read_some(
    stream: &mut impl Read,
    bytes: &mut Vec<u8>,
    filled: usize,
    most: usize,
) -> io::Result<usize> {
    let end = filled + most;
    if bytes.len() < end {
        // `Vec` grows by doubling, so that reading a long line stays linear.
        bytes.resize(end, 0);
    }
    loop {
        match stream.read(&mut bytes[filled..end]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A stream that gives at most a few bytes at a time.
    struct Dripping<'t>(&'t [u8], usize);

    impl Read for Dripping<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(self.1).min(into.len());
            let (now, later) = self.0.split_at(count);
            into[..count].copy_from_slice(now);
            self.0 = later;
            Ok(count)
        }
    }

    fn lines(stream: impl Read, longest: usize) -> Vec<(usize, Vec<u8>)> {
        let mut blocks = Blocks::new(stream, Vec::new(), longest, Arc::default());
        let mut lines = Vec::new();
        while let Some(block) = blocks.next().unwrap() {
            match block {
                Block::Lines { bytes, length, ends, first } => {
                    let split: Vec<_> =
                        bytes[..length].split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
                    let lengths = split.iter().map(|line| line.strip_suffix(b"\n").unwrap_or(line).len());
                    let starts = [0].into_iter().chain(ends.iter().map(|end| end + 1));
                    assert!(lengths.eq(ends.iter().zip(starts).map(|(end, start)| end - start)));
                    lines.extend((first..).zip(split));
                }
                Block::Overlong { line } => lines.push((line, b"overlong".to_vec())),
            }
        }
        lines
    }

    #[test]
    fn a_line_longer_than_a_block_is_whole() {
        let long = "x".repeat(BLOCK * 2 + 17);
        let text = format!("a\n{long}\nb");
        let told = lines(text.as_bytes(), usize::MAX);
        assert_eq!(told.len(), 3);
        assert_eq!(told[1].1.len(), long.len() + 1);
        assert_eq!(told[2], (3, b"b".to_vec()));
    }

    #[test]
    fn a_line_without_an_end_is_given_up() {
        let mut blocks = Blocks::new(io::repeat(b'x'), Vec::new(), 1000, Arc::default());
        let error = blocks.next().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(error.to_string(), "line 1 is longer than 1 GiB");
    }

    #[test]
    fn an_overlong_line_is_passed_over_and_the_rest_is_read() {
        let text = format!("{}\nb\nc\n", "x".repeat(BLOCK * 5));
        let told = lines(text.as_bytes(), BLOCK * 2);
        assert_eq!(told, [(1, b"overlong".to_vec()), (2, b"b\n".to_vec()), (3, b"c\n".to_vec())]);
        assert_eq!(lines("x".repeat(BLOCK * 5).as_bytes(), BLOCK), [(1, b"overlong".to_vec())]);
    }

    #[test]
    fn many_short_lines_are_several_blocks() {
        let text = "x\n".repeat(MOST_LINES * 3 + 5);
        let told = lines(text.as_bytes(), usize::MAX);
        assert_eq!(told.len(), MOST_LINES * 3 + 5);
        assert!(told.iter().zip(1..).all(|((line, text), number)| *line == number && text == b"x\n"));
        let mut blocks = Blocks::new(text.as_bytes(), Vec::new(), usize::MAX, Arc::default());
        let Some(Block::Lines { length, .. }) = blocks.next().unwrap() else { panic!("no lines") };
        assert_eq!(length, MOST_LINES * 2);
    }

    proptest! {
        #[test]
        fn blocks_hold_every_line_once(text in "[ab\n]{0,60}", step in 1_usize..9) {
            let expected: Vec<_> = (1..).zip(text.as_bytes().split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec)).collect();
            prop_assert_eq!(lines(Dripping(text.as_bytes(), step), usize::MAX), expected);
        }
    }
}
