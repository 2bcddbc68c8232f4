//! JSON as the borrowed tree reads it, beside `serde_json`.

use probative::json::{JsonDocument, View};
use probative::value::{Path, Tree, equal};

use crate::visible::assert_visible;

/// A text is a document if `serde_json` reads it, and then the same one; what is wrong with any other is said in the same words.
pub fn json(bytes: &[u8]) {
    let beginning = JsonDocument::read_beginning(bytes);
    let known = beginning.root().to_value();
    match (JsonDocument::read(bytes), Tree::read(bytes)) {
        (Ok(document), Ok(tree)) => {
            let root = document.root();
            assert_eq!(document.repeated_keys(), tree.repeated_keys);
            assert!(equal(root, &tree.value) && equal(&tree.value, root));
            assert_eq!(known, tree.value, "all of it is its beginning");
            let whole = Path::parse("$..*").expect("a path");
            if whole.check_cost(root).is_ok() {
                let _ = whole.why_nothing(root);
            }
            root.members()
                .for_each(|(key, value)| assert!(root.get(&key).is_some_and(|found| equal(found, value))));
        }
        (Err(malformed), Err(known)) => {
            assert_eq!(malformed, known);
            assert_visible(&malformed.message);
        }
        (document, tree) => panic!("{document:?} {tree:?}"),
    }
}
