//! Questions, in every notation and every vocabulary.

use probative::document::Document;
use probative::report::{Asked, diagnostic};
use probative::value::Tree;
use probative::vocabularies::Speaker;
use probative::{About, Question, Vocabulary, question};

use crate::input::{choice, text};
use crate::visible::assert_visible;

const NAMES: [&str; 4] = ["q.yaml", "q.json", "q.toml", "-"];

/// Compiles a question in the vocabulary that its words choose, and in all others.
///
/// Every error can be shown at its place, and JSON that is a document is the same to whoever reads subjects.
pub fn questions(bytes: &[u8]) {
    let (name, rest) = choice(bytes);
    let (name, text) = (NAMES[name % NAMES.len()], text(rest));
    let document = Document::new(name, text.as_ref());
    let root = match question::read(&document) {
        Ok(root) => root,
        Err(error) => return assert_visible(&diagnostic::render(&document, &error, false)),
    };
    if name == "q.json" {
        let tree = Tree::read(document.text.as_bytes()).expect("what is a document is JSON");
        assert_eq!(root.to_value(), tree.value);
    }
    if let Err(error) = About::told_by(&document, &root) {
        assert_visible(&diagnostic::render(&document, &error, false));
    }
    for about in About::ALL {
        about.speak(Compiles(&document));
    }
}

struct Compiles<'d>(&'d Document);

impl Speaker for Compiles<'_> {
    type Answer = ();

    fn speak<A: Vocabulary>(self) {
        let show = |error: &_| assert_visible(&diagnostic::render(self.0, error, false));
        match Question::<A>::compile(self.0.clone()) {
            Ok(question) => {
                question.errors().into_iter().for_each(show);
                assert_eq!(Asked::of(&question).rows().len(), question.clauses().len());
            }
            Err(error) => show(&error),
        }
    }
}
