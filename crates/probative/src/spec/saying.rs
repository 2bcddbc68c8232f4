//! An assertion of any vocabulary, as a leaf of a case.

use super::subjects::Subjects;
#[cfg(feature = "cupel")]
use crate::context::ContextAssertion;
use crate::document::{Member, Mistake, Node};
use crate::response::ResponseAssertion;
use crate::trajectory::TrajectoryAssertion;
use crate::verdict::{Error, Pointed, Verdict};
use crate::vocabularies::About;
use crate::vocabulary::{Constant, Context, Exercise, FileReader, Sighting, Vocabulary as _};

/// What is asked in the words of a vocabulary.
#[derive(Debug, Clone)]
pub(super) enum Saying {
    Response(Box<ResponseAssertion>),
    Trajectory(Box<TrajectoryAssertion>),
    #[cfg(feature = "cupel")]
    Report(Box<ContextAssertion>),
}

impl Saying {
    /// Compiles a word with its argument.
    pub(super) fn compile(about: About, word: &Member, argument: &Node) -> Result<Saying, Mistake> {
        Ok(match about {
            About::Response => Saying::Response(Box::new(word.read_with(argument)?)),
            About::Trajectory => Saying::Trajectory(Box::new(word.read_with(argument)?)),
            #[cfg(feature = "cupel")]
            About::Report => Saying::Report(Box::new(word.read_with(argument)?)),
        })
    }

    /// Takes the files that it needs.
    pub(super) fn supply(&mut self, file: &mut FileReader<'_>) -> Result<Vec<String>, Error> {
        match self {
            Saying::Response(assertion) => assertion.supply(file),
            Saying::Trajectory(assertion) => assertion.supply(file),
            #[cfg(feature = "cupel")]
            Saying::Report(assertion) => assertion.supply(file),
        }
    }

    /// How many tokens there are for a selection, where it says so.
    pub(super) fn budget(&self) -> Option<u64> {
        match self {
            Saying::Response(assertion) => assertion.budget(),
            Saying::Trajectory(assertion) => assertion.budget(),
            #[cfg(feature = "cupel")]
            Saying::Report(assertion) => assertion.budget(),
        }
    }

    pub(super) fn judge(&self, subjects: &Subjects<'_>, context: &Context<'_>) -> Result<Verdict, Error> {
        match self {
            Saying::Response(assertion) => assertion.judge(subjects.response()?, context),
            Saying::Trajectory(assertion) => assertion.judge(subjects.trajectory()?, context),
            #[cfg(feature = "cupel")]
            Saying::Report(assertion) => assertion.judge(subjects.report()?, context),
        }
    }

    /// Whether it is known that it does not hold, which was not found to.
    pub(super) fn denies(&self, subjects: &Subjects<'_>) -> Result<(), Error> {
        match self {
            Saying::Response(assertion) => assertion.denies(subjects.response()?),
            Saying::Trajectory(assertion) => assertion.denies(subjects.trajectory()?),
            #[cfg(feature = "cupel")]
            Saying::Report(assertion) => assertion.denies(subjects.report()?),
        }
    }

    /// The answer that it gives whatever the subject holds.
    pub(super) fn constant(&self) -> Option<Constant> {
        match self {
            Saying::Response(assertion) => assertion.constant(),
            Saying::Trajectory(assertion) => assertion.constant(),
            #[cfg(feature = "cupel")]
            Saying::Report(assertion) => assertion.constant(),
        }
    }

    /// Whether it had anything to say no to, if it passed.
    pub(super) fn exercise(&self, subjects: &Subjects<'_>, context: &Context<'_>) -> Exercise {
        let exercise = match self {
            Saying::Response(assertion) => {
                subjects.response().map(|subject| assertion.exercise(subject, context))
            }
            Saying::Trajectory(assertion) => {
                subjects.trajectory().map(|subject| assertion.exercise(subject, context))
            }
            #[cfg(feature = "cupel")]
            Saying::Report(assertion) => {
                subjects.report().map(|subject| assertion.exercise(subject, context))
            }
        };
        exercise.unwrap_or(Exercise::Yes)
    }

    pub(super) fn witnesses(&self, subjects: &Subjects<'_>) -> Vec<Pointed> {
        let found = match self {
            Saying::Response(assertion) => subjects.response().map(|subject| assertion.witnesses(subject)),
            Saying::Trajectory(assertion) => {
                subjects.trajectory().map(|subject| assertion.witnesses(subject))
            }
            #[cfg(feature = "cupel")]
            Saying::Report(assertion) => subjects.report().map(|subject| assertion.witnesses(subject)),
        };
        found.unwrap_or_default()
    }

    /// What is seen where it holds, for one that must not.
    pub(super) fn sighting(&self, subjects: &Subjects<'_>) -> Option<Sighting> {
        match self {
            Saying::Response(assertion) => assertion.sighting(subjects.response().ok()?),
            Saying::Trajectory(assertion) => assertion.sighting(subjects.trajectory().ok()?),
            #[cfg(feature = "cupel")]
            Saying::Report(assertion) => assertion.sighting(subjects.report().ok()?),
        }
    }
}
