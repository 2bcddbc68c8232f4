//! JSON text read from left to right: everything checked, nothing built that is not asked for.
//!
//! What is JSON here is what [`Tree::read`](super::tree::Tree::read) accepts, but for a byte order mark and its limit on
//! how many values there are.

mod keys;
mod number;
mod scanner;
mod skip;
mod string;
#[cfg(test)]
mod tests;
mod token;
mod word;

use std::borrow::Cow;

use serde_json::Number;

pub use scanner::{Key, Scanner};
pub use skip::Passed;

/// The string that starts, with its quote, at an offset of a text; borrowed where nothing in it is escaped.
pub fn string_at(text: &str, at: usize) -> Result<Cow<'_, str>, Stop> {
    if text.as_bytes().get(at) == Some(&b'"') { Ok(string::read(text, at + 1)?.0) } else { Err(Stop { at }) }
}

/// The number that starts at an offset of a text.
pub fn number_at(text: &str, at: usize) -> Result<Number, Stop> {
    Ok(number::read(text, at)?.0)
}

/// Where reading stopped: the text is not JSON there, or not of the kind that was asked for.
///
/// What is wrong is left to a second, slower reading to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop {
    /// The offset in bytes of what could not be read; the length of the text if it ended too early.
    pub at: usize,
}

/// What a value is, as its first character tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number, whole or not.
    Number,
    /// Text between quotes.
    String,
    /// `[…]`
    Array,
    /// `{…}`
    Object,
}
