//! Paths, and what they find in JSON.

use std::ops::ControlFlow;

use probative::value::path::Hit;
use probative::value::{Path, Tree, Value, visible};

use crate::input::{parts, text};
use crate::visible::assert_visible;

/// How many segments that look everywhere a path may have: each multiplies what is looked at by the depth of the document.
const DESCENDANTS: usize = 2;

/// A path, and the JSON that it is walked over.
///
/// What a path selects has a place that is a path itself, which selects just that.
pub fn paths(bytes: &[u8]) {
    let [path, json] = parts(bytes);
    let written = text(path);
    let path = match Path::parse(&written) {
        Ok(path) => path,
        Err(error) => return assert!(error.at <= written.len(), "{error:?}"),
    };
    assert_eq!(path.as_str(), written);
    let Ok(Tree { value: root, .. }) = Tree::read(json) else { return };
    if written.matches("..").count() > DESCENDANTS {
        return;
    }
    let walked: ControlFlow<()> = path.walk(&root, |hit, trail| {
        let place = trail.to_string();
        assert_visible(&place);
        match hit {
            Hit::Value(value) => selects(&place, &root, value),
            Hit::Missing(gap) => {
                assert_visible(&gap.place());
                assert_visible(&gap.reason());
                gap.not_an_array();
            }
        }
        ControlFlow::Continue(())
    });
    assert!(walked.is_continue());
}

/// The place, read as a path, selects the value and nothing else.
fn selects(place: &str, root: &Value, wanted: &Value) {
    // In what is shown instead of what a terminal obeys, a name can no longer be told from its escape.
    if place.contains("\\u") || visible(place) != place {
        return;
    }
    let path = Path::parse(place).unwrap_or_else(|error| panic!("{place}: {error}"));
    let mut found = Vec::new();
    let _: ControlFlow<()> = path.walk(root, |hit, _| {
        if let Hit::Value(value) = hit {
            found.push(std::ptr::from_ref(value));
        }
        ControlFlow::Continue(())
    });
    assert_eq!(found, [std::ptr::from_ref(wanted)], "{place}");
}
