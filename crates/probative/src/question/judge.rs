//! Asking a question of a subject.

use std::fmt::Write as _;

use super::Question;
use crate::clause::{Asker, Fault, Judgement};
use crate::verdict::{Error, Pointed, Verdict};
use crate::vocabulary::{Constant, Context, Exercise, Sighting, Vocabulary};

impl<A: Vocabulary> Question<A> {
    /// Asks every row of a subject. An error in one does not keep the others from being asked.
    pub fn judge(&self, subject: &A::Subject<'_>, context: &Context<'_>) -> Judgement {
        Judgement::of(&self.clauses, &Asking { subject, context })
    }

    /// Whether a row that passed, by its position, had anything in the subject to say no to.
    ///
    /// Judging does not ask this: where many subjects are judged, it is enough that one of them exercises the row.
    pub fn exercise(&self, subject: &A::Subject<'_>, context: &Context<'_>, row: usize) -> Exercise {
        self.clauses[row].exercise(&Asking { subject, context })
    }

    /// The same part by part, as many as [`Question::parts`] says: different subjects may exercise the branches of a `cannot`.
    pub fn exercises(&self, subject: &A::Subject<'_>, context: &Context<'_>, row: usize) -> Vec<Exercise> {
        self.clauses[row].exercises(&Asking { subject, context })
    }

    /// How many parts of a row may be exercised one by one.
    pub fn parts(&self, row: usize) -> usize {
        self.clauses[row].parts()
    }

    /// Why a row, by its position, gives the same answer whatever the subject holds.
    pub fn constant(&self, row: usize) -> Option<Constant> {
        self.clauses[row].constant(&A::constant)
    }

    /// Panics at the caller's line with every failure and error, unless the subject passes.
    #[track_caller]
    pub fn assert(&self, subject: &A::Subject<'_>, context: &Context<'_>) {
        let judgement = self.judge(subject, context);
        if judgement.passed() {
            return;
        }
        let told = judgement.faults().filter_map(|(row, fault)| {
            let told = match fault {
                Fault::Failed(failure) => failure.to_string(),
                Fault::Error(error) => error.to_string(),
                Fault::NotJudged { .. } => return None,
            };
            Some(format!("\n\n{}: {told}", self.clauses[row].headline()))
        });
        let mut told: String = told.collect();
        if let Some(exhibit) = A::exhibit(subject) {
            told.push('\n');
            for line in exhibit.lines(&judgement.marks(|row| &self.clauses[row].name)) {
                let _ = write!(told, "\n{line}");
            }
        }
        panic!("{}{told}", judgement.line(self.clauses.len()));
    }
}

/// Asks assertions of one subject.
pub(crate) struct Asking<'a, 's, A: Vocabulary> {
    pub(crate) subject: &'a A::Subject<'s>,
    pub(crate) context: &'a Context<'a>,
}

impl<A: Vocabulary> Asker<A> for Asking<'_, '_, A> {
    fn ask(&self, assertion: &A) -> Result<Verdict, Error> {
        assertion.judge(self.subject, self.context)
    }

    fn holds(&self, assertion: &A) -> Result<bool, Error> {
        assertion.holds(self.subject, self.context)
    }

    fn denies(&self, assertion: &A) -> Result<(), Error> {
        assertion.denies(self.subject)
    }

    fn exercise(&self, assertion: &A, _wanted: bool) -> Exercise {
        assertion.exercise(self.subject, self.context)
    }

    fn constant(&self, assertion: &A) -> Option<Constant> {
        assertion.constant()
    }

    fn witnesses(&self, assertion: &A) -> Vec<Pointed> {
        assertion.witnesses(self.subject)
    }

    fn sighting(&self, assertion: &A) -> Option<Sighting> {
        assertion.sighting(self.subject)
    }
}
