//! The trials of a case, for machines.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::{Status, milliseconds, rounded, rounded_if_any};
use crate::trials::{Mode, PassRule, Trial, Trials, told_ks};

/// Trials as reports spell them. The order of the fields is the order in the report.
#[derive(Serialize)]
pub(super) struct JsonTrials<'a> {
    n: usize,
    ran: usize,
    passed: usize,
    pass: PassRule,
    rate: f64,
    interval: [f64; 2],
    pass_at: BTreeMap<usize, f64>,
    pass_hat: BTreeMap<usize, f64>,
    modes: Vec<JsonMode<'a>>,
    outcomes: Vec<JsonTrial<'a>>,
}

#[derive(Serialize)]
struct JsonMode<'a> {
    message: &'a str,
    count: usize,
    trials: Vec<usize>,
}

#[derive(Serialize)]
struct JsonTrial<'a> {
    status: Status,
    #[serde(serialize_with = "rounded_if_any", skip_serializing_if = "Option::is_none")]
    cost: Option<f64>,
    #[serde(serialize_with = "milliseconds", skip_serializing_if = "Option::is_none")]
    duration_ms: Option<Duration>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
}

impl<'a> JsonTrials<'a> {
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
            cost: trial.cost,
            duration_ms: trial.duration,
            message: trial.message.as_deref(),
        }
    }
}
