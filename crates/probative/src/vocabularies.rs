//! The vocabularies, in one table. Everything that lists or chooses them reads it.

use crate::document::{Document, Node, nearest};
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
    pub const ALL: [About; 2] = [About::Response, About::Trajectory];

    /// Does something in the vocabulary about this.
    pub fn speak<S: Speaker>(self, speaker: S) -> S::Answer {
        match self {
            About::Response => speaker.speak::<ResponseAssertion>(),
            About::Trajectory => speaker.speak::<TrajectoryAssertion>(),
        }
    }

    /// The names of its assertions.
    pub fn names(self) -> &'static [&'static str] {
        self.speak(Names)
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
                        "'{other_word}' is about a {}, but '{one}' about a {}; a question asks about one subject",
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
        let every = || About::ALL.into_iter().flat_map(About::names).copied();
        let nearest = words.iter().find_map(|member| nearest(&member.key, every()));
        Ok(nearest.and_then(About::knowing).unwrap_or(About::Response))
    }

    fn knowing(word: &str) -> Option<About> {
        About::ALL.into_iter().find(|about| about.speak(Knows(word)))
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
