//! What a case was asked, as reports name it.

use std::sync::OnceLock;

use super::json::Passed;
use super::masked::hidden_row;
use crate::mask::Mask;
use crate::question::{Clause, Question};
use crate::spec::Run;
use crate::verdict::{Failure, Place};
use crate::vocabulary::Vocabulary;

/// What a case was asked: the rows of its question.
#[derive(Debug)]
pub struct Asked {
    rows: Vec<Row>,
    /// What JSON tells of every case that merely passed, rendered once for all of them, if anybody asks.
    passed: OnceLock<Passed>,
    /// The same without secrets, for the first mask that is put over it, if that hides anything.
    hidden: OnceLock<Option<Box<Asked>>>,
    pub(super) gist: Gist,
    /// How many tokens there are for a selection, where that is said.
    budget: Option<u64>,
}

/// What the one line says that tells why a case did not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gist {
    /// How many rows did not: what every subject of a question has in common.
    Counts,
    /// What the rows themselves say.
    Messages,
}

/// One row of a question, as reports name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The assertion's name, or `can` or `cannot`.
    pub name: String,
    /// The name that its author gave it.
    pub label: Option<String>,
    /// The headline that people read: the label, or what is asserted: `cannot tool_was_called`.
    pub headline: String,
    /// Its path in the question.
    pub path: String,
    /// What it is about: `stdout`, `response`; `None` where there is nothing to choose from.
    pub target: Option<String>,
    /// Where it is in the file.
    pub place: Place,
    /// Whether it is malformed, which is told once, before any result.
    pub malformed: bool,
}

impl Row {
    /// Returns the row of a clause that can be judged, or that is malformed.
    pub(crate) fn of_clause<L>(clause: &Clause<L>) -> Row {
        Row {
            name: clause.name.clone(),
            label: clause.label.clone(),
            headline: clause.headline(),
            path: clause.path.clone(),
            target: None,
            place: clause.place.clone(),
            malformed: clause.is_malformed(),
        }
    }

    /// Returns the headline of a failure of this row: what the author called it, or what failed in it.
    pub fn headline_of<'r>(&'r self, failure: &'r Failure) -> &'r str {
        let failed = failure.explanation.as_ref().and_then(|explanation| explanation.headline.as_ref());
        match (&self.label, failed) {
            (None, Some(failed)) => failed,
            _ => &self.headline,
        }
    }
}

impl Asked {
    /// The rows of a question.
    pub fn of<A: Vocabulary>(question: &Question<A>) -> Asked {
        let clauses = question.clauses();
        let budget = clauses.iter().flat_map(Clause::leaves).find_map(Vocabulary::budget);
        Asked { budget, ..Asked::new(clauses.iter().map(Row::of_clause).collect(), Gist::Counts) }
    }

    /// The rows of a case of its own.
    pub fn rows_of(run: &Run) -> Asked {
        Asked { budget: run.budget(), ..Asked::new(run.rows(), Gist::Messages) }
    }

    /// One row for a case as a whole.
    pub fn one(name: &str, place: Place) -> Asked {
        let text = || name.to_owned();
        let row = Row {
            name: text(),
            label: None,
            headline: text(),
            path: text(),
            target: None,
            place,
            malformed: false,
        };
        Asked::new(vec![row], Gist::Messages)
    }

    /// A case that was never asked anything, because it could not be read.
    pub fn nothing() -> Asked {
        Asked::new(Vec::new(), Gist::Counts)
    }

    fn new(rows: Vec<Row>, gist: Gist) -> Asked {
        Asked { rows, passed: OnceLock::new(), hidden: OnceLock::new(), gist, budget: None }
    }

    /// The same without secrets. All results of a run have the same mask, and many of them the same question.
    pub(super) fn hidden(&self, mask: &Mask) -> &Asked {
        let hidden = self.hidden.get_or_init(|| {
            let rows: Vec<Row> = self.rows.iter().map(|row| hidden_row(row, mask)).collect();
            (rows != self.rows)
                .then(|| Box::new(Asked { budget: self.budget, ..Asked::new(rows, self.gist) }))
        });
        hidden.as_deref().unwrap_or(self)
    }

    /// Whether other cases are asked the same.
    pub(super) fn is_shared(&self) -> bool {
        self.gist == Gist::Counts
    }

    /// What is told of every case that merely passed, which the first of them renders.
    pub(super) fn passed(&self, render: impl FnOnce() -> Passed) -> &Passed {
        self.passed.get_or_init(render)
    }

    /// How many tokens there are for a selection, where an assertion says so.
    pub fn budget(&self) -> Option<u64> {
        self.budget
    }

    /// The rows, in order.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }
}
