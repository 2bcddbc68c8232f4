//! Which rows of a question some subject exercised, as all threads know it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use probative::question::{Judgement, Question};
use probative::report::{Row, Unexercised};
use probative::vocabulary::{Constant, Exercise};
use probative::{Context, Vocabulary};

/// The parts of rows that some subject exercised. Once one has, no other is asked, so that many subjects cost what a few do.
pub(crate) struct Exercised(Vec<ExercisedRow>);

struct ExercisedRow {
    /// True if each part was exercised.
    parts: Vec<AtomicBool>,
    /// Why no subject that passes can exercise it.
    constant: Option<Constant>,
}

impl Exercised {
    /// No row of a question yet.
    pub(crate) fn none_of<A: Vocabulary>(question: &Question<A>) -> Exercised {
        let row = |row| ExercisedRow {
            parts: (0..question.parts(row)).map(|_| AtomicBool::new(false)).collect(),
            constant: question.constant(row),
        };
        Exercised((0..question.clauses().len()).map(row).collect())
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
        for (row, _) in judgement.faults() {
            self.0[row].parts.iter().for_each(|part| part.store(true, Ordering::Relaxed));
        }
        for (at, row) in self.0.iter().enumerate().filter(|(_, row)| row.lacks()) {
            if let Some(constant) = &row.constant {
                idle.note((at, 0), Exercise::No(constant.why.clone()));
                continue;
            }
            for (part, exercise) in question.exercises(subject, context, at).into_iter().enumerate() {
                match exercise {
                    Exercise::Yes => row.parts[part].store(true, Ordering::Relaxed),
                    exercise => idle.note((at, part), exercise),
                }
            }
        }
    }

    /// The rows that were asked, but of which no subject exercised some part, in order.
    pub(crate) fn never(&self, rows: &[Row], idle: Idle) -> Vec<Unexercised> {
        let lacks = |(row, part): (usize, usize)| !self.0[row].parts[part].load(Ordering::Relaxed);
        let never = idle.0.into_iter().filter(|(part, _)| lacks(*part));
        never.filter_map(|((row, _), why)| Some(Unexercised::row(&rows[row], why.why()?))).collect()
    }
}

impl ExercisedRow {
    fn lacks(&self) -> bool {
        self.parts.iter().any(|part| !part.load(Ordering::Relaxed))
    }
}

/// Why subjects did not exercise parts of rows. What is told of a row that none did does not depend on who was first to judge.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Idle(BTreeMap<(usize, usize), Exercise>);

impl Idle {
    /// Takes what subjects told that come after these.
    pub(crate) fn add(&mut self, later: Idle) {
        for (part, exercise) in later.0 {
            self.note(part, exercise);
        }
    }

    /// The first reason is kept, except that no tool is unmentioned that a later subject mentions.
    fn note(&mut self, part: (usize, usize), exercise: Exercise) {
        let kept = self.0.entry(part).or_insert_with(|| exercise.clone());
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
        idle.note((0, 0), Exercise::Unmentioned("refund".to_owned()));
        idle.note((1, 0), no("first"));
        let mut later = Idle::default();
        later.note((0, 0), no("not called"));
        later.note((1, 0), no("second"));
        later.note((2, 0), no("third"));
        later.note((0, 0), Exercise::Unmentioned("refund".to_owned()));
        idle.add(later);
        let kept: Vec<_> = idle.0.into_iter().collect();
        assert_eq!(kept, [((0, 0), no("not called")), ((1, 0), no("first")), ((2, 0), no("third"))]);
    }
}
