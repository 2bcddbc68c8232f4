//! What the source of a run could not say: marked where it is missing, told as losses, and not evaluable where it is asked for.

use super::json::Json;
use super::model::{CallUnknown, Event, RunError, RunUnknown, ToolCall, Trajectory};
use super::run::{PlacedCall, Run, Scope};
use super::telling::{quoted, step};
use crate::value::{Pattern, Value};
use crate::verdict::{Error, ErrorKind};

impl CallUnknown {
    /// What can be unknown of a call, as the native format names it.
    pub(super) const NAMES: [&'static str; 3] = ["tool_args", "tool_result", "tool_error"];

    pub(super) fn of([args, result, error]: [bool; 3]) -> CallUnknown {
        CallUnknown { args, result, error }
    }

    pub(super) fn names(self) -> impl Iterator<Item = &'static str> + Clone {
        let CallUnknown { args, result, error } = self;
        set(Self::NAMES, [args, result, error])
    }
}

impl RunUnknown {
    /// What can be unknown of a run, as the native format names it.
    pub(super) const NAMES: [&'static str; 4] = ["steps", "llm_calls", "final_output", "error"];

    pub(super) fn of([steps, llm_calls, final_output, error]: [bool; 4]) -> RunUnknown {
        RunUnknown { steps, llm_calls, final_output, error }
    }

    pub(super) fn names(self) -> impl Iterator<Item = &'static str> + Clone {
        let RunUnknown { steps, llm_calls, final_output, error } = self;
        set(Self::NAMES, [steps, llm_calls, final_output, error])
    }
}

fn set<const N: usize>(
    names: [&'static str; N],
    flags: [bool; N],
) -> impl Iterator<Item = &'static str> + Clone {
    names.into_iter().zip(flags).filter_map(|(name, set)| set.then_some(name))
}

impl ToolCall<'_> {
    /// Whether it failed; `None` where that is not recorded.
    pub fn failed(&self) -> Option<bool> {
        match self.error {
            Some(_) => Some(true),
            None if self.unknown.error => None,
            None => Some(false),
        }
    }
}

impl<'t> Trajectory<'t> {
    /// That not all of the steps are there, which an assertion needs.
    pub(super) fn lacks_steps(&self) -> Error {
        not_evaluable(self, "all of its steps")
    }

    /// What ended the run, where it is recorded whether anything did.
    pub(super) fn known_error(&self) -> Result<Option<&RunError<'t>>, Error> {
        match &self.error {
            None if self.unknown.error => Err(not_evaluable(self, "whether it failed")),
            error => Ok(error.as_ref()),
        }
    }

    /// What the run answered, where it is recorded whether it did.
    pub(super) fn known_output(&self) -> Result<Option<&str>, Error> {
        match self.final_output.as_deref() {
            None if self.unknown.final_output => Err(not_evaluable(self, "the final output")),
            output => Ok(output),
        }
    }
}

impl Trajectory<'_> {
    /// Takes the calls of tools of which it is unknown whether they failed for failed if their result is a text that the
    /// pattern is found in, and otherwise for not. A call whose result is no text stays unknown, and so does one on which the
    /// pattern gives up.
    pub fn fail_by_text(&mut self, pattern: &Pattern) {
        for step in &mut self.steps {
            let Event::ToolCall(call) = &mut step.event else { continue };
            let result = call.result.as_ref().filter(|_| call.unknown.error).map(Json::value);
            let Some(text) = result.as_deref().and_then(Value::as_str) else { continue };
            let Ok(failed) = pattern.is_match(text) else { continue };
            let error =
                failed.then(|| RunError { message: Some(text.to_owned().into()), ..RunError::default() });
            call.unknown.error = false;
            call.error = error.map(Box::new);
        }
    }
}

fn not_evaluable(run: &Trajectory<'_>, what: &str) -> Error {
    Error::new(ErrorKind::NotEvaluable(format!("the run doesn't record {what}{}", from_source(run))))
}

/// Where a run was read from, for one who misses something in it.
pub(super) fn from_source(run: &Trajectory<'_>) -> String {
    run.source.as_deref().map_or(String::new(), |source| format!(" (trace format: {source})"))
}

/// Something about a call that an assertion needs.
#[derive(Debug, Clone, Copy)]
pub(super) enum Needed {
    Arguments,
    Result,
    Outcome,
}

/// That something about a call is not recorded.
pub(super) fn unrecorded(run: &Run<'_>, call: PlacedCall<'_, '_>, needed: Needed) -> Error {
    let which = format!("{} at {}", quoted(&call.call.name), step(call.step));
    let what = match needed {
        Needed::Arguments => format!("the arguments of {which}"),
        Needed::Result => format!("the result of {which}"),
        Needed::Outcome => format!("whether {which} failed"),
    };
    let message = format!("the run doesn't record {what}{}", from_source(run.trajectory()));
    Error::new(ErrorKind::NotEvaluable(message))
}

/// Something that the source of a run could not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// What tools were called with.
    Arguments,
    /// What tools returned.
    Results,
    /// Whether calls of tools failed.
    ToolErrors,
    /// Some of the steps.
    Steps,
    /// Calls of models.
    LlmCalls,
    /// How many tokens the run took.
    Tokens,
    /// What it cost.
    Cost,
    /// How long it took.
    Duration,
    /// What it answered.
    FinalOutput,
    /// Whether it failed.
    Error,
}

/// A loss, and of how many of the tool calls it is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost {
    /// What is lost.
    pub loss: Loss,
    /// Of so many calls, where it is about calls.
    pub calls: Option<(usize, usize)>,
}

impl Loss {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Loss::Arguments => "arguments",
            Loss::Results => "results",
            Loss::ToolErrors => "tool_errors",
            Loss::Steps => "steps",
            Loss::LlmCalls => "llm_calls",
            Loss::Tokens => "tokens",
            Loss::Cost => "cost",
            Loss::Duration => "duration",
            Loss::FinalOutput => "final_output",
            Loss::Error => "error",
        }
    }

    /// Describes what a trace doesn't record, without a count of calls.
    pub fn meaning_of_all(self) -> &'static str {
        match self {
            Loss::Arguments => "the arguments of some tool calls",
            Loss::Results => "the results of some tool calls",
            Loss::ToolErrors => "whether some tool calls failed",
            _ => self.meaning(),
        }
    }

    /// What a trace does not tell, in words; of calls, `of 2 of 5 calls` may follow.
    pub fn meaning(self) -> &'static str {
        match self {
            Loss::Arguments => "the arguments",
            Loss::Results => "the results",
            Loss::ToolErrors => "the success or failure",
            Loss::Steps => "some of the steps",
            Loss::LlmCalls => "the model calls",
            Loss::Tokens => "the tokens used by the run",
            Loss::Cost => "the cost of the run",
            Loss::Duration => "the duration of the run",
            Loss::FinalOutput => "the final output",
            Loss::Error => "whether the run failed",
        }
    }
}

/// What is not known of a run itself, its sub-agents aside, that an assertion could ask for.
pub fn losses(run: &Trajectory<'_>) -> Vec<Lost> {
    let own = || run.steps.iter().filter(|step| Scope::Itself.includes(step));
    let calls = || {
        own().filter_map(|step| match &step.event {
            Event::ToolCall(call) => Some(call),
            Event::LlmCall(_) | Event::StateChange(_) => None,
        })
    };
    let of_calls = |loss, lacks: fn(&ToolCall<'_>) -> bool| {
        let lacking = calls().filter(|call| lacks(call)).count();
        (lacking > 0).then(|| Lost { loss, calls: Some((lacking, calls().count())) })
    };
    let models = || {
        own().filter_map(|step| match &step.event {
            Event::LlmCall(call) => Some(call),
            Event::ToolCall(_) | Event::StateChange(_) => None,
        })
    };
    let (any, all_tokens, all_costs) = models().fold((false, true, true), |(_, tokens, costs), call| {
        (true, tokens && call.tokens().is_some(), costs && call.cost.is_some())
    });
    let of_run = |loss, lost: bool| lost.then_some(Lost { loss, calls: None });
    [
        of_calls(Loss::Arguments, |call| call.unknown.args),
        of_calls(Loss::Results, |call| call.unknown.result),
        of_calls(Loss::ToolErrors, |call| call.failed().is_none()),
        of_run(Loss::Steps, run.unknown.steps),
        of_run(Loss::LlmCalls, run.unknown.llm_calls && run.llm_calls.is_none()),
        of_run(Loss::Tokens, run.total_tokens.is_none() && !(any && all_tokens)),
        of_run(Loss::Cost, run.total_cost.is_none() && !(any && all_costs)),
        of_run(Loss::Duration, run.duration_seconds.is_none()),
        of_run(Loss::FinalOutput, run.unknown.final_output && run.final_output.is_none()),
        of_run(Loss::Error, run.unknown.error && run.error.is_none()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Step;
    use super::*;

    #[test]
    fn what_a_call_returned_tells_whether_it_failed_where_nothing_else_does() {
        let call = |result: Value, error: bool| {
            let mut step = Step::tool_call("look", json!({})).returning(result);
            if let Event::ToolCall(call) = &mut step.event {
                call.unknown.error = error;
            }
            step
        };
        let steps = vec![
            call(json!("Error: no"), true),
            call(json!("a mug"), true),
            call(json!(["Error"]), true),
            call(json!("Error: no"), false),
        ];
        let mut run = Trajectory { steps, ..Trajectory::default() };
        run.fail_by_text(&Pattern::parse("^Error").unwrap());
        let failed = run.steps.iter().map(|step| match &step.event {
            Event::ToolCall(call) => call.failed(),
            Event::LlmCall(_) | Event::StateChange(_) => None,
        });
        assert_eq!(failed.collect::<Vec<_>>(), [Some(true), Some(false), None, Some(false)]);
    }

    #[test]
    fn a_loss_is_told_in_words() {
        let lost = [Loss::Arguments, Loss::Results, Loss::ToolErrors].map(Loss::meaning);
        assert_eq!(lost, ["the arguments", "the results", "the success or failure"]);
    }
}
