//! What the run took: cost, tokens, time, calls of models.

use std::fmt::Display;

use super::model::LlmCall;
use super::run::{Run, Scope};
use super::telling::{quoted, step};
use super::unknown::from_source;
use crate::value::{Moment, Number, Value, compare_numbers};
use crate::verdict::{Error, ErrorKind, Failure, Verdict};

/// The run cost less than this. A cost that neither the run nor its steps record is not evaluable.
pub fn cost_under(run: &Run<'_>, limit: &Number) -> Result<Verdict, Error> {
    run.check(run.cost_contradiction())?;
    let total = run.cost().and_then(Number::from_f64);
    let total = total.ok_or_else(|| unknown(run, "the cost", |call| call.cost.is_some()))?;
    let recorded = run.recorded(run.trajectory().total_cost).is_some();
    Ok(under(&total, limit, "The run cost", "", "less", "total_cost", |failure| {
        let costs = contributors(run, recorded).filter_map(|(index, call)| Some((index, call.cost?)));
        let most = costs.reduce(|most, next| if next.1 > most.1 { next } else { most });
        pointing_at_most(
            failure,
            recorded,
            most.map(|(index, cost)| (index, format!("cost the most: {cost}"))),
        )
    }))
}

/// The run took fewer tokens than this.
pub fn tokens_under(run: &Run<'_>, limit: &Number) -> Result<Verdict, Error> {
    run.check(run.token_contradiction())?;
    let total = run.tokens().ok_or_else(|| unknown(run, "the tokens", |call| call.tokens().is_some()))?;
    let recorded = run.recorded(run.trajectory().total_tokens).is_some();
    Ok(under(&total.into(), limit, "The run used", " tokens", "fewer", "total_tokens", |failure| {
        let tokens = contributors(run, recorded).filter_map(|(index, call)| Some((index, call.tokens()?)));
        let most = tokens.reduce(|most, next| if next.1 > most.1 { next } else { most });
        let most = most.map(|(index, tokens)| (index, format!("used the most: {tokens} tokens")));
        pointing_at_most(failure, recorded, most)
    }))
}

/// The calls of models that a total is made of: a recorded one of all, a sum of those in scope.
fn contributors<'r, 't>(run: &'r Run<'t>, recorded: bool) -> impl Iterator<Item = (usize, &'r LlmCall<'t>)> {
    run.llm_calls_in(if recorded { &Scope::All } else { run.scope() })
}

/// The run took less time than this, in seconds, as recorded. It is never reckoned from timestamps.
pub fn duration_under(run: &Run<'_>, limit: &Number) -> Result<Verdict, Error> {
    run.check(run.duration_contradiction())?;
    let total =
        run.duration().and_then(Number::from_f64).ok_or_else(|| unknown(run, "the duration", |_| false))?;
    Ok(under(&total, limit, "The run took", " seconds", "less", "duration_seconds", |failure| failure))
}

/// Models were called fewer times than this.
pub fn llm_calls_under(run: &Run<'_>, limit: &Number) -> Result<Verdict, Error> {
    run.check(run.llm_call_contradiction())?;
    let total = run.llm_call_count().ok_or_else(|| unknown(run, "the model calls", |_| false))?;
    Ok(under(&total.into(), limit, "The run made", " model calls", "fewer", "llm_calls", |mut failure| {
        for (number, (index, _)) in (1_u64..).zip(run.llm_calls()) {
            let too_many = if compare_numbers(&number.into(), limit).is_lt() { "" } else { ", too many" };
            failure = failure.pointing_at(index, format!("model call {number}{too_many}"));
        }
        failure
    }))
}

fn under(
    total: &Number,
    limit: &Number,
    what: &str,
    unit: &str,
    less: &str,
    place: &str,
    explained: impl FnOnce(Failure) -> Failure,
) -> Verdict {
    if compare_numbers(total, limit).is_lt() {
        return Verdict::Pass;
    }
    let total = total.to_string();
    let total = total.strip_suffix(".0").unwrap_or(&total);
    let unit = if total == "1" { unit.trim_end_matches('s') } else { unit };
    let failure = Verdict::fail(format!("{what} {total}{unit}, expected {less} than {limit}"))
        .expected(format!("{less} than {limit}"))
        .actual(format!("{total}{unit}"))
        .at(place);
    explained(failure).into()
}

/// Points at the step that took the most, which is also the place of a total that is recorded nowhere.
fn pointing_at_most(failure: Failure, recorded: bool, most: Option<(usize, String)>) -> Failure {
    match most {
        None => failure,
        Some((index, note)) if recorded => failure.pointing_at(index, note),
        Some((index, note)) => failure.at(step(index)).pointing_at(index, note),
    }
}

/// The error that a total is not known, with what is known of the steps.
fn unknown(run: &Run<'_>, what: &str, records: impl Fn(&LlmCall<'_>) -> bool) -> Error {
    let whose = match run.scope() {
        Scope::Itself | Scope::All => String::new(),
        Scope::Agent(name) => format!(" of agent {}", quoted(name)),
    };
    let (count, steps) = (run.models.count, &run.trajectory().steps);
    let lacking = run.llm_calls().find(|(_, call)| !records(call));
    let partly = match lacking {
        Some((index, _)) if run.llm_calls().any(|(_, call)| records(call)) => {
            format!(" for every one of its {count} model calls ({} has none)", step(index))
        }
        _ if contributors(run, true)
            .any(|(index, call)| !run.scope().includes(&steps[index]) && records(call)) =>
        {
            " for the agent itself; `scope: all` includes its sub-agents".to_owned()
        }
        _ => String::new(),
    };
    Error::new(ErrorKind::NotEvaluable(format!(
        "the run doesn't record {what}{whose}{partly}{}",
        from_source(run.trajectory())
    )))
}

fn contradiction(name: &str, total: impl Display, steps: impl Display) -> String {
    format!("the recorded {name} ({total}) is less than the sum over the steps ({steps})")
}

/// Returns a timestamp in seconds since 1970.
#[expect(clippy::cast_precision_loss, reason = "microseconds are enough to tell whether time has passed")]
fn seconds(timestamp: &Value) -> Option<f64> {
    match timestamp {
        Value::String(text) => Moment::parse(text).map(|moment| moment.unix_nanoseconds() as f64 / 1e9),
        other => other.as_f64(),
    }
}

impl Run<'_> {
    /// What the run cost: as recorded, or else the sum over its steps, where every call of a model records it.
    pub fn cost(&self) -> Option<f64> {
        self.recorded(self.trajectory().total_cost).or(self.models.cost())
    }

    /// How many tokens it took, likewise.
    pub fn tokens(&self) -> Option<u64> {
        self.recorded(self.trajectory().total_tokens).or(self.models.tokens)
    }

    /// How many seconds it took, as recorded.
    pub fn duration(&self) -> Option<f64> {
        self.recorded(self.trajectory().duration_seconds)
    }

    /// How often models were called: as recorded, or else as the steps show, where their source has such steps.
    pub fn llm_call_count(&self) -> Option<u64> {
        let counted = (!self.trajectory().unknown.llm_calls).then_some(self.models.count);
        self.recorded(self.trajectory().llm_calls).or(counted)
    }

    /// Returns the recorded totals that are less than what the steps in scope record. A total may be more: it may include
    /// sub-agents, and steps may not be recorded.
    pub(super) fn contradictions(&self) -> Vec<String> {
        let all = [
            self.cost_contradiction(),
            self.token_contradiction(),
            self.duration_contradiction(),
            self.llm_call_contradiction(),
        ];
        all.into_iter().flatten().collect()
    }

    fn cost_contradiction(&self) -> Option<String> {
        // Sums are rounded on the way.
        const ROUNDING: f64 = 1e-6;
        let (total, steps) = (self.recorded(self.trajectory().total_cost)?, self.models.least_cost());
        (total < steps * (1.0 - ROUNDING)).then(|| contradiction("total_cost", total, steps))
    }

    fn token_contradiction(&self) -> Option<String> {
        let (total, steps) = (self.recorded(self.trajectory().total_tokens)?, self.models.least_tokens);
        (total < steps).then(|| contradiction("total_tokens", total, steps))
    }

    /// Returns a duration of 0 beside timestamps that differ: nobody measured it. A longer one may leave out time in which
    /// the agent waited.
    fn duration_contradiction(&self) -> Option<String> {
        let total = self.recorded(self.trajectory().duration_seconds).filter(|total| *total == 0.0)?;
        let times =
            || self.trajectory().steps.iter().filter_map(|step| seconds(&step.timestamp.as_ref()?.value()));
        let (first, last) = (times().reduce(f64::min)?, times().reduce(f64::max)?);
        (last > first).then(|| contradiction("duration_seconds", total, last - first))
    }

    fn llm_call_contradiction(&self) -> Option<String> {
        let (total, steps) = (self.recorded(self.trajectory().llm_calls)?, self.models.count);
        (total < steps).then(|| contradiction("llm_calls", total, steps))
    }

    fn check(&self, contradiction: Option<String>) -> Result<(), Error> {
        contradiction.map_or(Ok(()), |what| {
            Err(Error::new(ErrorKind::NotEvaluable(format!("{what}{}", from_source(self.trajectory())))))
        })
    }

    /// A total of the run, which says nothing about one of its sub-agents.
    fn recorded<T>(&self, total: Option<T>) -> Option<T> {
        match self.scope() {
            Scope::Itself | Scope::All => total,
            Scope::Agent(_) => None,
        }
    }
}
