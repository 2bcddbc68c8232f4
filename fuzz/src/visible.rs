//! What a terminal would obey.

use probative::exhibit::ExhibitLine;
use probative::value::visible;

/// Every line of a text is shown, and nothing in it obeyed.
#[track_caller]
pub(crate) fn assert_visible(text: &str) {
    for line in text.split('\n') {
        assert_eq!(visible(line), line, "a terminal would obey part of this");
    }
}

/// The same for lines of an exhibit, each of which is one line indeed.
#[track_caller]
pub(crate) fn assert_visible_lines(lines: &[ExhibitLine]) {
    for line in lines {
        for text in [Some(&line.text), line.note.as_ref()].into_iter().flatten() {
            assert_eq!(visible(text), *text, "a terminal would obey part of this line");
        }
    }
}
