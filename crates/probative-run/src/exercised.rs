//! Which rows of a question some subject exercised, as all threads know it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use probative::question::{Judgement, Question};
use probative::report::{Row, Unexercised};
use probative::vocabulary::{Constant, Exercise};
use probative::{Context, Vocabulary};

/// The rows that some subject exercised. Once one has, no other is asked, so that many subjects cost what a few do.
pub(crate) struct Exercised {
    rows: Vec<AtomicBool>,
    /// Why rows cannot be exercised by any subject that passes.
    constants: Vec<Option<Constant>>,
}

impl Exercised {
    /// No row of a question yet.
    pub(crate) fn none_of<A: Vocabulary>(question: &Question<A>) -> Exercised {
        let rows = 0..question.clauses().len();
        Exercised {
            constants: rows.clone().map(|row| question.constant(row)).collect(),
            rows: rows.map(|_| AtomicBool::new(false)).collect(),
        }
    }

    /// Whether nothing is left to learn from a subject that passes.
    pub(crate) fn is_complete(&self) -> bool {
        !(0..self.rows.len()).any(|row| self.lacks(row) && self.constants[row].is_none())
    }

    /// Learns what a subject exercises, and takes note of why it does not exercise the rest. A fault is exercise enough.
    pub(crate) fn learn<A: Vocabulary>(
        &self,
        question: &Question<A>,
        subject: &A::Subject<'_>,
        context: &Context<'_>,
        judgement: &Judgement,
        idle: &mut Idle,
    ) {
        for (row, _) in judgement.faults().filter(|(row, _)| self.lacks(*row)) {
            self.rows[row].store(true, Ordering::Relaxed);
        }
        for row in (0..self.rows.len()).filter(|row| self.lacks(*row)) {
            let exercise = match &self.constants[row] {
                Some(constant) => Exercise::No(constant.why.clone()),
                None => question.exercise(subject, context, row),
            };
            match exercise {
                Exercise::Yes => self.rows[row].store(true, Ordering::Relaxed),
                exercise => idle.note(row, exercise),
            }
        }
    }

    /// The rows that were asked, but that no subject exercised, in order. Where a subject `passed`, all rows were asked.
    pub(crate) fn never(&self, rows: &[Row], mut idle: Idle, passed: bool) -> Vec<Unexercised> {
        for (row, constant) in self.constants.iter().enumerate().filter(|_| passed) {
            if let Some(constant) = constant {
                idle.note(row, Exercise::No(constant.why.clone()));
            }
        }
        let never = idle.0.into_iter().filter(|(row, _)| self.lacks(*row));
        never.filter_map(|(row, exercise)| Some(Unexercised::row(&rows[row], exercise.why()?))).collect()
    }

    fn lacks(&self, row: usize) -> bool {
        !self.rows[row].load(Ordering::Relaxed)
    }
}

/// Why subjects did not exercise rows. What is told of a row that none did does not depend on who was first to judge.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Idle(BTreeMap<usize, Exercise>);

impl Idle {
    /// Takes what subjects told that come after these.
    pub(crate) fn add(&mut self, later: Idle) {
        for (row, exercise) in later.0 {
            self.note(row, exercise);
        }
    }

    /// The first reason is kept, except that no tool is unmentioned that a later subject mentions.
    fn note(&mut self, row: usize, exercise: Exercise) {
        let kept = self.0.entry(row).or_insert_with(|| exercise.clone());
        if matches!((&*kept, &exercise), (Exercise::Unmentioned(_), Exercise::No(_))) {
            *kept = exercise;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_is_kept_unless_it_turns_out_untrue() {
        let no = |why: &str| Exercise::No(why.to_owned());
        let mut idle = Idle::default();
        idle.note(0, Exercise::Unmentioned("refund".to_owned()));
        idle.note(1, no("first"));
        let mut later = Idle::default();
        later.note(0, no("not called"));
        later.note(1, no("second"));
        later.note(2, no("third"));
        later.note(0, Exercise::Unmentioned("refund".to_owned()));
        idle.add(later);
        let kept: Vec<_> = idle.0.into_iter().collect();
        assert_eq!(kept, [(0, no("not called")), (1, no("first")), (2, no("third"))]);
    }
}
