//! The two kinds of errors that an expression can end in.

use crate::verdict::{Error, ErrorKind};

/// The expression is written wrongly, or was given what it does not take.
pub(super) fn malformed(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::MalformedQuestion(message.into()))
}

/// A limit was reached before the answer.
pub(super) fn exhausted(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Exhausted(message.into()))
}
