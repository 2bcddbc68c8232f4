//! What shows subjects: runs as steps, JSON as an outline, texts by their ends, and how two of them differ.

use probative::difference::Difference;
use probative::exhibit::{Extent, Marked, Panel, beginning, ending, outline};
use probative::trajectory::format;
use probative::trajectory::readers::native;
use probative::value::excerpt::{around, cut, first_difference};
use probative::value::{Tree, Value, excerpt, visible};
use probative::verdict::{Part, Pointed};

use crate::input::{choice, parts, text};
use crate::visible::{assert_visible, assert_visible_lines};

/// A subject, another, and a place with a note; the first byte is a step to point at.
///
/// Whatever they are, what is shown of them is lines that no terminal obeys, and not many of them.
pub fn formatter(bytes: &[u8]) {
    let (step, rest) = choice(bytes);
    let [one, other, place] = parts(rest);
    let (one_text, other_text, place) = (text(one), text(other), text(place));
    texts(&one_text, &other_text);
    if let Ok(read) = native::read(one) {
        let pointed = [step, step / 2, usize::MAX]
            .map(|at| Pointed { part: Part::Step(at), note: visible(&place).into_owned() });
        for extent in [Extent::Whole, Extent::Brief] {
            assert_visible_lines(&format(&read.subject, &pointed, extent));
        }
    }
    let value =
        |bytes: &[u8], text: &str| Tree::read(bytes).map_or_else(|_| Value::from(text), |tree| tree.value);
    let (one, other) = (value(one, &one_text), value(other, &other_text));
    assert_visible(&excerpt(&one));
    let note = visible(&other_text).into_owned();
    let mark = |place: &str| Marked { place: place.to_owned(), note: note.clone(), target: None };
    let marks = [mark(&place), mark("results[1]"), mark("$")];
    let lines = outline(&one, marks.iter());
    assert_visible_lines(&lines);
    Panel::json("one", &one);
    differ(Difference::of(&one, &other));
}

fn texts(one: &str, other: &str) {
    assert_visible_lines(&beginning("one", one));
    assert_visible_lines(&ending("one", one));
    assert_visible(&cut(one));
    assert_visible(&around(one, other.len()));
    assert_visible(&first_difference(one, other));
    assert_eq!(visible(&visible(one)), visible(one), "escaping twice changes nothing");
    Panel::text("one", one);
    differ(Difference::of_texts(one, other));
}

fn differ(difference: Option<Difference>) {
    let Some(difference) = difference else { return };
    let lines = difference.lines();
    assert!(lines.len() <= 61, "{} lines", lines.len());
    for line in &lines {
        assert_eq!(visible(&line.text), line.text);
    }
    assert_visible(&difference.unified());
}
