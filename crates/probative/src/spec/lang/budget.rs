//! What an evaluation may cost, and the meter that counts it.

use std::time::Duration;

use schemars::JsonSchema;
use serde::de::{Deserialize, Deserializer};

use crate::argument::{Count, at_least_one};
use crate::verdict::Error;

use super::fault::{Fault, exhausted};
use super::world::World;

/// Limits for an evaluation. Exceeding one is a runtime error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    /// Maximum number of steps: each literal or form that is evaluated counts as one.
    #[serde(deserialize_with = "at_least_one")]
    #[schemars(range(min = 1))]
    pub max_steps: u64,
    /// Maximum number of lists and scalars in the expression.
    #[serde(deserialize_with = "at_least_one")]
    #[schemars(range(min = 1))]
    pub max_nodes: u64,
    /// Maximum number of bytes of text in the expression.
    #[serde(deserialize_with = "at_least_one")]
    #[schemars(range(min = 1))]
    pub max_literal_bytes: u64,
    /// Time limit in milliseconds; 0 for no limit.
    #[serde(deserialize_with = "count")]
    pub timeout_ms: u64,
}

impl Budget {
    /// What each expression may cost where nobody says otherwise.
    pub const STANDARD: Budget =
        Budget { max_steps: 20_000, max_nodes: 20_000, max_literal_bytes: 262_144, timeout_ms: 200 };
}

impl Default for Budget {
    fn default() -> Self {
        Budget::STANDARD
    }
}

fn count<'de, D: Deserializer<'de>>(reader: D) -> Result<u64, D::Error> {
    Count::deserialize(reader).map(|count| count.0)
}

/// How many steps are taken between two looks at the clock.
const LOOK_EVERY: u64 = 4096;

/// Counts the steps of one evaluation, and looks at the clock now and then.
#[derive(Debug)]
pub(super) struct Meter<'e> {
    /// The steps that may be taken after the next look at the clock.
    later: u64,
    world: &'e dyn World,
    /// What the clock may show at most.
    deadline: Option<Duration>,
}

impl<'e> Meter<'e> {
    pub(super) fn new(budget: &Budget, world: &'e dyn World) -> Meter<'e> {
        let limit = (budget.timeout_ms > 0).then(|| Duration::from_millis(budget.timeout_ms));
        let deadline = limit.and_then(|limit| world.elapsed()?.checked_add(limit));
        Meter { later: budget.max_steps, world, deadline }
    }

    /// Makes more steps ready when some were taken that were not, or says that there are none left.
    ///
    /// Takes how many are ready, fewer than none, and how many were taken last; tells how many are ready then.
    #[cold]
    pub(super) fn refill(&mut self, ready: i64, taken: i64) -> Result<i64, Fault> {
        self.look()?;
        let more = self.later.min(LOOK_EVERY.max(taken.unsigned_abs()));
        self.later -= more;
        ready.checked_add_unsigned(more).filter(|ready| *ready >= 0).ok_or_else(|| exceeded("steps").into())
    }

    /// Looks at the clock.
    pub(super) fn look(&self) -> Result<(), Fault> {
        if self.world.is_stopped() {
            return Err(exhausted("spec_lang interrupted").into());
        }
        match self.deadline {
            Some(deadline) if self.world.elapsed().is_some_and(|now| now > deadline) => {
                Err(exceeded("timeout").into())
            }
            _ => Ok(()),
        }
    }
}

/// The error of a limit that is exceeded.
pub(super) fn exceeded(limit: &str) -> Error {
    exhausted(format!("spec_lang budget exceeded: {limit}"))
}
