//! The two kinds of errors that an expression can end in.

use crate::verdict::{Error, ErrorKind};

/// An error on its way out of the machine: behind a pointer, so that what the machine does all the time fits registers.
pub(super) type Fault = Box<Error>;

/// The expression is written wrongly, or was given what it does not take.
pub(super) fn malformed(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::MalformedQuestion(message.into()))
}

/// A limit was reached before the answer.
pub(super) fn exhausted(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Exhausted(message.into()))
}
