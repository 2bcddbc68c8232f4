//! What was exercised over a whole run: a tool that one case never mentions another may.

use std::collections::BTreeSet;

use probative::report::{Asked, Outcome, Unexercised};
use probative::vocabulary::Exercise;

/// Rows that had nothing to say no to, each with the tool that it waits to be mentioned, if it does.
pub(super) type Idle = Vec<(Unexercised, Option<String>)>;

/// The idle rows of one case.
pub(super) fn idle(id: &str, asked: &Asked, outcome: &Outcome) -> Idle {
    let Outcome::Judged(judgement) = outcome else { return Vec::new() };
    let row = |(row, exercise): (usize, &Exercise)| {
        let tool = match exercise {
            Exercise::Unmentioned(tool) => Some(tool.clone()),
            Exercise::No(_) | Exercise::Yes => None,
        };
        Some((Unexercised::in_case(id, asked.rows().get(row)?, exercise.why()?), tool))
    };
    judgement.idle().filter_map(row).collect()
}

/// What came together so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    idle: Idle,
    mentioned: BTreeSet<String>,
}

impl Tally {
    /// Takes what one case adds.
    pub(super) fn take(&mut self, idle: Idle, mentions: Vec<String>) {
        self.idle.extend(idle);
        self.mentioned.extend(mentions);
    }

    /// What nothing exercised, in the order of the cases.
    pub(super) fn unexercised(self) -> Vec<Unexercised> {
        let Tally { idle, mentioned } = self;
        let is_mentioned = |tool: &Option<String>| tool.as_ref().is_some_and(|tool| mentioned.contains(tool));
        idle.into_iter().filter(|(_, tool)| !is_mentioned(tool)).map(|(row, _)| row).collect()
    }
}
