//! The steps of a run whose text comes piece by piece.

use super::Takes;
use super::reader::Reader;

/// Reads the steps of one run from pieces of its text, and keeps the text around them.
///
/// What stands before the list of steps must come in one piece, and so must each step and what stands after the list.
#[derive(Debug, Default)]
pub(in crate::trajectory) struct StepsInPieces {
    stage: Stage,
    /// The run with an empty list of steps, as far as it was read.
    around: Vec<u8>,
}

#[derive(Debug, Default, Clone, Copy)]
enum Stage {
    #[default]
    Before,
    /// Within the list, and whether nothing of it was read yet.
    Within {
        is_new: bool,
    },
    After,
}

impl StepsInPieces {
    /// Reads as far as the text tells that is there, which goes on where the last piece was read up to; `is_rest` if nothing
    /// follows it. Answers how much was read; none if the text is not what it must be.
    pub(in crate::trajectory) fn advance(
        &mut self,
        held: &[u8],
        is_rest: bool,
        steps: &mut impl for<'t> Takes<'t>,
    ) -> Option<usize> {
        let text = if is_rest { held } else { whole_characters(held) };
        let mut read = 0;
        loop {
            let text = &text[read..];
            match self.stage {
                Stage::Before => {
                    let mut reader = Reader::of(simdutf8::basic::from_utf8(text).ok()?);
                    let list = reader.begin_steps()?;
                    steps.begin(0);
                    self.around.extend_from_slice(&text[..list]);
                    (self.stage, read) = (Stage::Within { is_new: true }, read + list);
                }
                Stage::Within { is_new } => {
                    let mut reader = Reader::of(simdutf8::basic::from_utf8(text).ok()?);
                    let (length, ends) = reader.more_steps(is_new, steps);
                    if !reader.has_nothing_to_tell() {
                        return None;
                    }
                    self.stage =
                        if ends { Stage::After } else { Stage::Within { is_new: is_new && length == 0 } };
                    read += length;
                    if !ends {
                        return (!is_rest).then_some(read);
                    }
                }
                Stage::After if is_rest => {
                    self.around.push(b']');
                    self.around.extend_from_slice(text);
                    return Some(held.len());
                }
                Stage::After => return Some(read),
            }
        }
    }

    /// The run with an empty list of steps, once all of it was read.
    pub(in crate::trajectory) fn around(&self) -> &[u8] {
        &self.around
    }
}

/// A text up to the last character that ends in it.
fn whole_characters(text: &[u8]) -> &[u8] {
    let is_start = |byte: &u8| byte & 0xc0 != 0x80;
    match text.iter().rposition(is_start) {
        // The last one may be whole, but is not needed: no step ends with it.
        Some(start) if !text[start].is_ascii() => &text[..start],
        _ => text,
    }
}
