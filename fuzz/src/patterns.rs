//! Regular expressions, and texts that they are looked for in.

use probative::value::{Captor, Pattern};

use crate::input::{parts, text};

/// How many matches are caught.
const CAUGHT: usize = 16;

/// A pattern and a text.
///
/// The answer comes within the limits, and is the same for whoever asks only whether the pattern matches and for whoever
/// asks what it catches.
pub fn patterns(bytes: &[u8]) {
    let [written, searched] = parts(bytes);
    let (written, searched) = (text(written), text(searched));
    let pattern = match Pattern::parse(&written) {
        Ok(pattern) => pattern,
        Err(error) => return assert!(error.at <= written.chars().count(), "{error:?}"),
    };
    assert_eq!(pattern.as_str(), written);
    pattern.unportable();
    let found = pattern.is_match(&searched);
    if pattern.matches_every_text() {
        assert_ne!(found, Ok(false), "every text is said to match");
    }
    let Ok(captor) = Captor::parse(&written) else { return };
    if let (Ok(found), Ok(caught)) = (found, captor.catch(&searched, CAUGHT)) {
        assert_eq!(found, !caught.is_empty(), "what matches is caught");
    }
}
