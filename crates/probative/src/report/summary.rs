//! How many cases ended how, and what that comes to.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::{CaseResult, Status, Unexercised, json};
use crate::baseline::{Comparison, FailOn};

/// The counts of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
#[schemars(rename = "summary")]
pub struct Summary {
    /// All cases.
    pub total: usize,
    /// Cases that passed.
    pub passed: usize,
    /// Cases that failed.
    pub failed: usize,
    /// Cases without a verdict.
    pub errors: usize,
    /// Cases that were not run.
    pub skipped: usize,
    /// Cases that passed only after a retry.
    pub flaky: usize,
    /// The duration of the run in milliseconds.
    #[serde(
        rename = "duration_ms",
        serialize_with = "json::milliseconds",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "f64")]
    pub duration: Option<Duration>,
    /// Cases with an error in what was asked, which must be fixed first.
    #[serde(skip)]
    pub askers_mistakes: usize,
    /// True if the run was interrupted, so that the counts are partial.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// Assertions that passed but were never exercised.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unexercised: Vec<Unexercised>,
    /// Whether such an assertion is as bad as one that failed.
    #[serde(skip)]
    pub strict: bool,
    /// The changes since the baseline, where one is given.
    #[serde(rename = "baseline", skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// What makes the run fail. Without a comparison nothing can have got worse, and what does not pass does.
    #[serde(skip)]
    pub fail_on: FailOn,
    /// True if a case may fail that the baseline does not know, or that was skipped there.
    #[serde(skip)]
    pub allow_new_failures: bool,
}

impl Summary {
    /// Counts one more case.
    pub fn count(&mut self, result: &CaseResult<'_>) {
        self.total += 1;
        match result.status() {
            Status::Pass => self.passed += 1,
            Status::Fail => self.failed += 1,
            Status::Error => self.errors += 1,
            Status::Skip => self.skipped += 1,
        }
        self.flaky += usize::from(result.flaky);
        self.askers_mistakes += usize::from(result.is_askers_mistake());
    }

    /// Counts what another summary counted.
    pub fn add(&mut self, other: &Summary) {
        self.total += other.total;
        self.passed += other.passed;
        self.failed += other.failed;
        self.errors += other.errors;
        self.skipped += other.skipped;
        self.flaky += other.flaky;
        self.askers_mistakes += other.askers_mistakes;
        self.unexercised.extend_from_slice(&other.unexercised);
    }

    /// The exit code: 130 interrupted; 2 nothing judged, or a mistake of the asker's; 1 a failure or runtime error (or only
    /// what got worse), or something unexercised where that is as bad; 0.
    pub fn exit_code(&self) -> u8 {
        match self {
            Summary { interrupted: true, .. } => 130,
            Summary { askers_mistakes: 1.., .. } => 2,
            _ if self.judged_nothing() => 2,
            _ => u8::from(self.fails() || self.is_too_easy()),
        }
    }

    /// Returns true if there was nothing to judge, or all of it was skipped.
    pub fn judged_nothing(&self) -> bool {
        self.total == self.skipped
    }

    /// Whether something unexercised fails what else would pass.
    fn is_too_easy(&self) -> bool {
        self.strict && !self.unexercised.is_empty()
    }

    fn fails(&self) -> bool {
        match (self.fail_on, &self.comparison) {
            (FailOn::Regression, Some(comparison)) => {
                comparison.has_regressed() || comparison.has_new_failures() && !self.allow_new_failures
            }
            _ => self.failed + self.errors > 0,
        }
    }
}
