//! A file of lines that is being read, each a subject.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::Arc;

use probative::trajectory::readers::{TraceFormat, not_json};
use probative::value::{Cause, Tree};
use probative::verdict::{Error, ErrorKind};

use crate::feed::{Piece, Work, unreadable};
use crate::lines::{Block, Blocks};
use crate::subjects::How;

/// How many bytes of lines that aren't JSON are held back: a file that begins with more is not one of JSON lines.
const MOST_HELD: usize = 16 << 20;

/// A longer line is taken for JSON if it begins like it, for reading it takes time.
const LONG: usize = 1 << 20;

/// A file of lines that is being read.
pub(crate) struct OpenLines<'s> {
    name: Arc<str>,
    blocks: Blocks<Box<dyn Read + Send + 's>>,
    how: How<'s>,
    /// The format of which each line is a run, where that is not our own.
    format: Option<TraceFormat>,
    /// True if there was a line that isn't blank.
    any: bool,
    /// True once a line was JSON. Until then lines are held back, for a file without any is one error.
    is_json: bool,
    held: VecDeque<io::Result<Block>>,
}

impl<'s> OpenLines<'s> {
    pub(crate) fn new(
        name: Arc<str>,
        blocks: Blocks<Box<dyn Read + Send + 's>>,
        how: How<'s>,
        format: Option<TraceFormat>,
    ) -> Self {
        OpenLines { name, blocks, how, format, any: false, is_json: false, held: VecDeque::new() }
    }

    /// The next piece of work.
    pub(crate) fn next(&mut self) -> Option<Piece<'s>> {
        let refused = if self.is_json { None } else { self.look_for_json() };
        let work = match refused {
            Some(error) => Work::Refused(error),
            None => match self.held.pop_front().map_or_else(|| self.blocks.next(), |held| held.map(Some)) {
                Ok(Some(block)) => {
                    self.any |=
                        lines_of(&block).is_none_or(|mut lines| lines.any(|(_, line)| !is_blank(line)));
                    Work::Lines(block, self.format)
                }
                Ok(None) if self.any => return None,
                Ok(None) => {
                    self.any = true;
                    let kind = ErrorKind::Usage("contains no subjects".to_owned());
                    Work::Refused(Error::in_file(kind, &*self.name))
                }
                Err(error) => {
                    self.any = true;
                    self.blocks.give_up();
                    Work::Refused(unreadable(&self.name, &error))
                }
            },
        };
        Some(Piece { name: Arc::clone(&self.name), how: self.how, work })
    }

    /// Reads on to the first line that is JSON. If there are several lines, and none is JSON, the file is an error.
    fn look_for_json(&mut self) -> Option<Error> {
        self.is_json = true;
        let (mut bytes, mut count, mut first) = (0, 0, None);
        loop {
            let block = match self.blocks.next() {
                Ok(None) => break,
                Ok(Some(block)) => block,
                Err(error) => {
                    self.held.push_back(Err(error));
                    return None;
                }
            };
            let is_json = lines_of(&block).is_none_or(|mut lines| lines.any(|(_, line)| may_be_json(line)));
            if is_json {
                self.held.push_back(Ok(block));
                return None;
            }
            for (number, line) in lines_of(&block).into_iter().flatten().filter(|(_, line)| !is_blank(line)) {
                count += 1;
                bytes += line.len();
                first.get_or_insert_with(|| not_json(number, line));
            }
            self.held.push_back(Ok(block));
            if bytes > MOST_HELD {
                break;
            }
        }
        let first = first.filter(|_| count > 1)?;
        self.held.clear();
        self.blocks.give_up();
        self.any = true;
        let kind = ErrorKind::MalformedSubject(format!("not JSON: {first}"));
        Some(Error::in_file(kind, &*self.name))
    }
}

/// The lines of a block, with their numbers; `None` for one that is too long to be held.
fn lines_of(block: &Block) -> Option<impl Iterator<Item = (usize, &[u8])>> {
    match block {
        Block::Overlong { .. } => None,
        Block::Lines { bytes, ends, first, .. } => {
            let starts = [0].into_iter().chain(ends.iter().map(|end| end + 1));
            let lines = ends.iter().zip(starts).map(|(end, start)| &bytes[start..*end]);
            Some((*first..).zip(lines))
        }
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

/// Returns true for a line that is JSON, or may be.
fn may_be_json(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    match line.first() {
        Some(b'{' | b'[') if line.len() > LONG => true,
        Some(b'{' | b'[' | b'"' | b't' | b'f' | b'n' | b'-' | b'0'..=b'9') => match Tree::read(line) {
            Ok(_) => true,
            Err(malformed) => malformed.cause == Cause::Limit,
        },
        _ => false,
    }
}
