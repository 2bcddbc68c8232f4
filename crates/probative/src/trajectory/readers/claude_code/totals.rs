//! What a session took, over all of its results. Each turn ends with one, and a session that is resumed goes on in another process.

use serde_json::Map;

use super::super::json::{amount, count, get, sum_counts};
use crate::value::Value;

/// What was told so far. What one result does not tell is unknown of the whole.
pub(super) struct Totals {
    /// Of the processes before this one.
    cost_before: Option<f64>,
    tokens_before: Option<u64>,
    /// Of this one, as its last result tells: they grow from turn to turn.
    cost: Option<f64>,
    models: Option<Value>,
    /// The turns of this one together, of the agent alone.
    of_turns: Option<u64>,
    /// Of all turns.
    milliseconds: Option<f64>,
    /// A cost that is less than what its models cost, in a few words.
    pub(super) contradiction: Option<String>,
    /// A record with totals was not understood.
    pub(super) are_lost: bool,
}

impl Default for Totals {
    fn default() -> Totals {
        Totals {
            cost_before: Some(0.0),
            tokens_before: Some(0),
            cost: None,
            models: None,
            of_turns: Some(0),
            milliseconds: Some(0.0),
            contradiction: None,
            are_lost: false,
        }
    }
}

/// Costs are rounded on the way.
const ROUNDING: f64 = 1e-6;

impl Totals {
    /// Takes what a result tells. Where a total is less than before, it was begun anew: a process was started.
    pub(super) fn take(&mut self, result: &Value) {
        const USAGE: [&str; 4] =
            ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
        let cost = amount(result, "total_cost_usd").or_else(|| amount(result, "cost_usd"));
        let written = get(result, "modelUsage").filter(|models| **models != Value::Object(Map::new()));
        let models = written.filter(|models| of_models(models).is_some());
        let is_less = cost.zip(self.cost).is_some_and(|(now, before)| now < before);
        if is_less || models.zip(self.models.as_ref()).is_some_and(|(now, before)| has_less(now, before)) {
            self.cost_before = self.cost();
            self.tokens_before = self.tokens();
            self.of_turns = Some(0);
        }
        let of_models = written.map_or(Some(0.0), cost_of_models);
        if let Some((cost, parts)) =
            cost.zip(of_models).filter(|(cost, parts)| *cost < parts * (1.0 - ROUNDING))
        {
            self.contradiction =
                Some(format!("'total_cost_usd' is {cost}, but the costs in 'modelUsage' add up to {parts}"));
        }
        if cost.is_none() || of_models.is_none() || self.contradiction.is_some() {
            self.cost_before = None;
        }
        if written.is_some() && models.is_none() {
            self.tokens_before = None;
        }
        self.cost = cost;
        self.models = models.cloned();
        let of_turn = get(result, "usage").and_then(|usage| all_tokens(usage, USAGE));
        self.of_turns = added(self.of_turns, of_turn);
        let milliseconds = self.milliseconds.zip(amount(result, "duration_ms"));
        self.milliseconds = milliseconds.map(|(before, more)| before + more);
    }

    /// What the session cost.
    pub(super) fn cost(&self) -> Option<f64> {
        let (before, cost) = self.cost_before.zip(self.cost)?;
        Some(before + cost).filter(|cost| cost.is_finite())
    }

    /// The tokens of all models, those of sub-agents too; `usage` leaves these out.
    pub(super) fn tokens(&self) -> Option<u64> {
        added(self.tokens_before, self.models.as_ref().and_then(of_models).or(self.of_turns))
    }

    /// How long the turns took.
    pub(super) fn seconds(&self) -> Option<f64> {
        self.milliseconds.map(|milliseconds| milliseconds / 1000.0).filter(|seconds| seconds.is_finite())
    }
}

fn added(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.zip(other).map(|(one, other)| one.saturating_add(other))
}

const MODEL_USAGE: [&str; 4] =
    ["inputTokens", "outputTokens", "cacheCreationInputTokens", "cacheReadInputTokens"];

fn of_models(models: &Value) -> Option<u64> {
    let each = models.as_object()?.values().map(|of| all_tokens(of, MODEL_USAGE));
    each.reduce(added).flatten()
}

/// Sums the recorded cost of all models; `None` if one isn't a number.
fn cost_of_models(models: &Value) -> Option<f64> {
    let mut costs = models.as_object()?.values().filter(|of| get(of, "costUSD").is_some());
    costs.try_fold(0.0, |sum, of| Some(sum + amount(of, "costUSD")?))
}

/// The sum of all counts. The first two, what went in and what came out, are always written.
fn all_tokens(usage: &Value, keys: [&str; 4]) -> Option<u64> {
    let (always, others) = keys.split_at(2);
    sum_counts(usage, always, others)
}

/// Whether some model is said to have taken less than it was before.
fn has_less(now: &Value, before: &Value) -> bool {
    let is_less = |model: &str, of: &Value| {
        MODEL_USAGE.iter().any(|key| count(of, key) > get(now, model).and_then(|now| count(now, key)))
    };
    before.as_object().is_some_and(|before| before.iter().any(|(model, of)| is_less(model, of)))
}
