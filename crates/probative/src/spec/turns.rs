//! What is asked of each answer of an agent that is asked turn by turn.

use std::collections::BTreeMap;

use super::assert::Observed;
use super::case::Circumstances;
use crate::clause::{Clause, Judgement};
use crate::question;
use crate::response::ResponseAssertion;
use crate::verdict::{Error, Origin, Verdict};
use crate::vocabularies::About;
use crate::vocabulary::{Context, NoSetting, Vocabulary as _};

/// One thing that is asked of what the agent answers in one turn.
#[derive(Debug)]
pub(super) struct Expectation {
    /// The name under which the answer is kept for later turns.
    pub(super) store: Option<String>,
    pub(super) clauses: Vec<Clause<ResponseAssertion>>,
}

/// Judges the answers of a conversation, each with those before it at hand.
pub(super) fn judge(
    turns: &[Expectation],
    &Circumstances { id, now, .. }: &Circumstances<'_>,
    observed: &dyn Observed,
    judgement: &mut Judgement,
) {
    let mut stored = BTreeMap::new();
    let mut row = 0;
    for (at, turn) in turns.iter().enumerate() {
        let answer = observed
            .turn(at)
            .and_then(|artifact| artifact.read::<ResponseAssertion>(&NoSetting).map(|read| read.subject));
        let answer = answer.map_err(|error: Error| error.missing(About::Response, at));
        let context = Context { now, stored: Some(&stored), world: Some(observed.world()) };
        for clause in &turn.clauses {
            let origin = || Origin {
                case: id.to_owned(),
                path: clause.path.clone(),
                target: ResponseAssertion::SUBJECT.to_owned(),
                operator: clause.name.clone(),
            };
            let verdict = answer.as_ref().map_err(Error::clone).and_then(|subject| {
                let asking = question::Asking { subject, context: &context };
                let verdict = clause.judge(&asking)?;
                if verdict.passed() {
                    for exercise in clause.exercises(&asking) {
                        judgement.take_idle(row, exercise);
                    }
                }
                Ok(verdict)
            });
            judgement.take(
                row,
                match verdict {
                    Ok(Verdict::Fail(failure)) => Ok(failure.from_case(origin()).into()),
                    Ok(Verdict::Pass) => Ok(Verdict::Pass),
                    Err(error) => Err(error.from_case(origin()).within(&clause.place)),
                },
            );
            row += 1;
        }
        if let (Some(name), Ok(answer)) = (&turn.store, answer) {
            stored.insert(name.clone(), answer);
        }
    }
}
