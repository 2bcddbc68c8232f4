//! What may change about an answer where steps of a run are missing.

use super::TrajectoryAssertion;
use super::argument::MatchMode;
use super::run::Run;
use crate::verdict::{Error, Verdict};

/// What one more step could do to an assertion.
struct MoreSteps {
    /// It could make one fail that holds.
    breaks: bool,
    /// It could make one hold that fails.
    makes: bool,
}

impl TrajectoryAssertion {
    /// The answer, unless it is a pass that holds only for want of steps which may be missing.
    pub(super) fn settled(&self, verdict: Verdict, run: &Run<'_>) -> Result<Verdict, Error> {
        match verdict {
            Verdict::Pass if run.trajectory().unknown.steps && self.with_more_steps(run).breaks => {
                Err(run.trajectory().lacks_steps())
            }
            verdict => Ok(verdict),
        }
    }

    /// Whether it is known not to hold, where it was not found to.
    pub(super) fn is_denied(&self, run: &Run<'_>) -> Result<(), Error> {
        let is_open = run.trajectory().unknown.steps && self.with_more_steps(run).makes;
        if is_open { Err(run.trajectory().lacks_steps()) } else { Ok(()) }
    }

    fn with_more_steps(&self, run: &Run<'_>) -> MoreSteps {
        use TrajectoryAssertion as Did;
        let recorded = run.trajectory();
        let (breaks, makes) = match self {
            Did::ToolNotCalled(_)
            | Did::ToolsOnly(_)
            | Did::NoRepeatedCalls(_)
            | Did::OutputNotContains(_) => (true, false),
            Did::ToolWasCalled(_)
            | Did::ToolCalledWith(_)
            | Did::ToolCalledWithPartial(_)
            | Did::ToolCalledImmediatelyBefore(_)
            | Did::CallOrderContains(_)
            | Did::ToolResult(_)
            | Did::ToolErrored(_)
            | Did::ToolSucceeded(_)
            | Did::OutputEquals(_)
            | Did::OutputContains(_)
            | Did::OutputMatches(_) => (false, true),
            // An earlier call that is missing changes which is the first.
            Did::ToolCalledBefore(_) | Did::CallOrderEquals(_) => (true, true),
            Did::ToolCallCount(count) => (count.max.is_some(), count.min > 0),
            Did::CallsMatch(expected) => (
                matches!(expected.mode, MatchMode::Exact | MatchMode::AnyOrder | MatchMode::Subset),
                expected.mode != MatchMode::Subset,
            ),
            // Where the guard opened, what it guards was asked by itself.
            Did::IfCalled(condition) => (run.calls_of(&condition.tool).is_empty(), true),
            // A total that is recorded is one of all steps.
            Did::CostUnder(_) => (recorded.total_cost.is_none(), false),
            Did::TokensUnder(_) => (recorded.total_tokens.is_none(), false),
            Did::LlmCallsUnder(_) => (recorded.llm_calls.is_none(), false),
            Did::DurationUnder(_) | Did::Succeeded(_) | Did::Failed(_) | Did::ErrorIs(_) => (false, false),
        };
        MoreSteps { breaks, makes }
    }
}
