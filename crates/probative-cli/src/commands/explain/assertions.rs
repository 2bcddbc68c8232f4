//! The assertions of the vocabularies.

use probative::question::reference::{Entry, entries};
use probative::vocabularies::Speaker;
use probative::{About, Vocabulary};

use super::{Group, Layout, Topic};

/// A group for each vocabulary.
pub(super) fn groups() -> Vec<Group> {
    About::ALL.iter().map(|about| about.speak(Words)).collect()
}

struct Words;

impl Speaker for Words {
    type Answer = Group;

    fn speak<A: Vocabulary>(self) -> Group {
        let topic =
            |entry: Entry| Topic { summary: entry.summary().to_owned(), name: entry.name, text: entry.text };
        Group {
            heading: format!("Assertions about a {} ({}):", A::NOUN, A::ABOUT),
            noun: format!("assertion about a {}", A::NOUN),
            layout: Layout::Lines,
            topics: entries::<A>().into_iter().map(topic).collect(),
        }
    }
}
