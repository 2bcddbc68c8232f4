//! The trials of a case, for machines.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Status, milliseconds, rounded, rounded_if_any};
use crate::trials::{Mode, PassRule, Trial, Trials, told_ks};

/// The trials of a case. The order of the fields is the order in the report.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "trials")]
pub(super) struct JsonTrials<'a> {
    /// The number of trials planned.
    n: usize,
    /// The number of trials run.
    ran: usize,
    /// The number of trials that passed.
    passed: usize,
    /// The rule that decides whether the case passes.
    pass: PassRule,
    /// The pass rate.
    rate: f64,
    /// The 95% Wilson interval of the pass rate.
    interval: [f64; 2],
    /// By k: the probability that at least one of k trials passes.
    pass_at: BTreeMap<usize, f64>,
    /// By k: the probability that all k trials pass.
    pass_hat: BTreeMap<usize, f64>,
    /// The trial whose assertions and subjects are reported, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    shown: Option<usize>,
    /// The failure messages of trials, the most frequent first.
    modes: Vec<JsonMode<'a>>,
    /// The result of each trial, in order.
    outcomes: Vec<JsonTrial<'a>>,
}

/// Trials that failed with one message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "failure_mode")]
struct JsonMode<'a> {
    /// The message.
    message: &'a str,
    /// The number of trials that failed with this message.
    count: usize,
    /// The numbers of the trials that failed with this message, from 1.
    trials: Vec<usize>,
}

/// The result of one trial.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "trial")]
struct JsonTrial<'a> {
    /// The outcome.
    status: Status,
    /// The recording that was judged, if no agent was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    recording: Option<&'a str>,
    /// The cost, where recorded.
    #[serde(serialize_with = "rounded_if_any", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    cost: Option<f64>,
    /// The duration in milliseconds.
    #[serde(serialize_with = "milliseconds", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    duration_ms: Option<Duration>,
    /// The reason for a failure or an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
}

impl<'a> JsonTrials<'a> {
    /// Returns the same in the words that people read.
    pub(super) fn for_people(trials: &'a Trials) -> JsonTrials<'a> {
        let mut told = JsonTrials::of(trials);
        told.modes = trials.modes_for_people().into_iter().map(JsonMode::of).collect();
        for (outcome, trial) in told.outcomes.iter_mut().zip(&trials.ran) {
            outcome.message = trial.for_people();
        }
        told
    }

    pub(super) fn of(trials: &'a Trials) -> JsonTrials<'a> {
        let (low, high) = trials.wilson();
        let of_each = |estimate: &dyn Fn(usize) -> Option<f64>| {
            let ks = told_ks(trials.ran.len()).into_iter();
            ks.filter_map(|k| Some((k, rounded(estimate(k)?)))).collect()
        };
        JsonTrials {
            n: trials.planned,
            ran: trials.ran.len(),
            passed: trials.passed(),
            pass: trials.rule,
            rate: rounded(trials.rate()),
            interval: [rounded(low), rounded(high)],
            pass_at: of_each(&|k| trials.pass_at(k)),
            pass_hat: of_each(&|k| trials.pass_hat(k)),
            shown: trials.shown,
            modes: trials.modes().into_iter().map(JsonMode::of).collect(),
            outcomes: trials.ran.iter().map(JsonTrial::of).collect(),
        }
    }
}

impl<'a> JsonMode<'a> {
    fn of(Mode { message, trials }: Mode<'a>) -> JsonMode<'a> {
        JsonMode { message, count: trials.len(), trials }
    }
}

impl<'a> JsonTrial<'a> {
    fn of(trial: &'a Trial) -> JsonTrial<'a> {
        JsonTrial {
            status: trial.status,
            recording: trial.recording.as_deref(),
            cost: trial.cost,
            duration_ms: trial.duration,
            message: trial.message.as_deref(),
        }
    }
}
