//! The vocabularies, in one table. Everything that lists or chooses them reads it.

use std::collections::BTreeSet;

#[cfg(feature = "cupel")]
use crate::context::ContextAssertion;
use crate::document::{Document, Node, nearest};
use crate::json::{self, View as _};
use crate::question::words;
use crate::response::ResponseAssertion;
use crate::trajectory::TrajectoryAssertion;
use crate::verdict::{Error, ErrorKind};
use crate::vocabulary::{Vocabulary, names};

/// What a question can be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// What an agent said.
    Response,
    /// What an agent did.
    Trajectory,
    /// What an agent was given to see.
    #[cfg(feature = "cupel")]
    Report,
}

/// Something that can be done in any vocabulary.
pub trait Speaker {
    /// What comes of it.
    type Answer;

    /// Does it in one.
    fn speak<A: Vocabulary>(self) -> Self::Answer;
}

impl About {
    /// All of them.
    pub const ALL: &'static [About] = &[
        About::Response,
        About::Trajectory,
        #[cfg(feature = "cupel")]
        About::Report,
    ];

    /// Does something in the vocabulary about this.
    pub fn speak<S: Speaker>(self, speaker: S) -> S::Answer {
        match self {
            About::Response => speaker.speak::<ResponseAssertion>(),
            About::Trajectory => speaker.speak::<TrajectoryAssertion>(),
            #[cfg(feature = "cupel")]
            About::Report => speaker.speak::<ContextAssertion>(),
        }
    }

    /// What a vocabulary is about.
    pub fn of<A: Vocabulary>() -> About {
        let named = |about: &&About| about.subject() == A::SUBJECT;
        // Every vocabulary is in the table.
        About::ALL.iter().find(named).copied().unwrap_or(About::Response)
    }

    /// The names of its assertions.
    pub fn names(self) -> &'static [&'static str] {
        self.speak(Names)
    }

    /// Whether a word is one of its assertions.
    pub fn knows(self, word: &str) -> bool {
        self.names().contains(&word)
    }

    /// The noun: `response`.
    pub fn subject(self) -> &'static str {
        self.speak(Subject)
    }

    /// What a question is about, as its words tell: they belong to one vocabulary each.
    ///
    /// A question whose words are all unknown is about what the nearest known word is about; one without words, which
    /// asserts nothing, is about a response. Words of two vocabularies in one question are an error.
    pub fn told_by(document: &Document, question: &Node) -> Result<About, Error> {
        let words = words(question);
        let known = words.iter().filter_map(|member| Some((About::knowing(&member.key)?, *member)));
        let known: Vec<_> = known.collect();
        if let Some((first, one)) = known.first() {
            return match known.iter().find(|(about, _)| about != first) {
                None => Ok(*first),
                Some((second, other)) => {
                    let (one, other_word) = (&one.key, &other.key);
                    let message = format!(
                        "'{other_word}' judges a {}, but '{one}' judges a {}; a question can judge only one kind of subject",
                        second.subject(),
                        first.subject()
                    );
                    Err(Error::at(
                        ErrorKind::MalformedQuestion(message),
                        document.place(Some(other.key_span.clone())),
                    ))
                }
            };
        }
        let every = || About::ALL.iter().flat_map(|about| about.names()).copied();
        let nearest = words.iter().find_map(|member| nearest(&member.key, every()));
        Ok(nearest.and_then(About::knowing).unwrap_or(About::Response))
    }

    fn knowing(word: &str) -> Option<About> {
        About::ALL.iter().copied().find(|about| about.speak(Knows(word)))
    }

    /// What a subject is, as the keys at the top of its JSON tell. What has no marks of its own is a response.
    ///
    /// What cannot be read to its end is told by the keys before that.
    pub fn of_subject(json: &[u8]) -> About {
        let found = marks_in(json);
        let has_all = |marks: &[&str]| !marks.is_empty() && marks.iter().all(|mark| found.contains(mark));
        About::ALL.iter().copied().find(|about| has_all(about.marks())).unwrap_or(About::Response)
    }

    fn marks(self) -> &'static [&'static str] {
        self.speak(Marks)
    }
}

/// The marks among the keys of the outermost object, as far as it can be read.
fn marks_in(json: &[u8]) -> BTreeSet<&'static str> {
    let document = json::JsonDocument::read_beginning(json);
    let is_mark = |key: &str| About::ALL.iter().flat_map(|about| about.marks()).find(|mark| **mark == key);
    document.root().members().filter_map(|(key, _)| is_mark(&key).copied()).collect()
}

struct Marks;

impl Speaker for Marks {
    type Answer = &'static [&'static str];
    fn speak<A: Vocabulary>(self) -> Self::Answer {
        A::MARKS
    }
}

struct Names;

impl Speaker for Names {
    type Answer = &'static [&'static str];
    fn speak<A: Vocabulary>(self) -> Self::Answer {
        names::<A>()
    }
}

struct Subject;

impl Speaker for Subject {
    type Answer = &'static str;
    fn speak<A: Vocabulary>(self) -> Self::Answer {
        A::SUBJECT
    }
}

struct Knows<'w>(&'w str);

impl Speaker for Knows<'_> {
    type Answer = bool;
    fn speak<A: Vocabulary>(self) -> bool {
        names::<A>().contains(&self.0) || A::is_companion(self.0) || A::SETTING == Some(self.0)
    }
}

#[cfg(all(test, feature = "cupel"))]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_told_by_the_keys_at_its_top() {
        let about = |json: &str| About::of_subject(json.as_bytes());
        assert_eq!(about(r#"{"steps": []}"#), About::Trajectory);
        assert_eq!(about("\u{feff} {\"x\": {\"included\": 1}, \"steps\": 1}"), About::Trajectory);
        assert_eq!(about(r#"{"excluded": 1, "included": 1}"#), About::Report);
        assert_eq!(about(r#"{"included": []}"#), About::Response);
        assert_eq!(about(r#"{"results": {"steps": []}}"#), About::Response);
        assert_eq!(about("[]"), About::Response);
        assert_eq!(about("no JSON"), About::Response);
        assert_eq!(about(r#"{"steps": [], "x": "#), About::Trajectory);
        assert_eq!(About::of_subject(b"\xff"), About::Response);
    }
}
