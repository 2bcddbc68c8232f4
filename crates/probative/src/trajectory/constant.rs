//! Arguments that leave an assertion no choice.

use super::TrajectoryAssertion;
use super::argument::{CallCount, ExpectedCalls, MatchMode};
use crate::vocabulary::Constant;

/// The answer that an assertion gives whatever the run holds.
pub(super) fn of(assertion: &TrajectoryAssertion) -> Option<Constant> {
    use TrajectoryAssertion as Did;
    match assertion {
        Did::ToolCallCount(CallCount { min: 0, max: None, .. }) => {
            Some(Constant::always("every count is at least 0"))
        }
        Did::ToolCalledBefore(tools) if tools.first == tools.second => {
            Some(Constant::never("no tool is called before itself"))
        }
        Did::CallOrderContains(names) => Constant::if_empty(names.is_empty()),
        Did::CallsMatch(ExpectedCalls { mode: MatchMode::InOrder | MatchMode::Superset, calls }) => {
            Constant::if_empty(calls.is_empty())
        }
        Did::IfCalled(condition) => condition.then.constant().filter(|constant| constant.holds),
        Did::OutputContains(text) => Constant::of_text(text),
        Did::OutputNotContains(text) => Constant::of_text(text).map(Constant::negated),
        Did::OutputMatches(pattern) => Constant::of_pattern(pattern),
        Did::CostUnder(limit)
        | Did::TokensUnder(limit)
        | Did::DurationUnder(limit)
        | Did::LlmCallsUnder(limit) => {
            let is_positive = limit.0.as_f64().is_none_or(|limit| limit > 0.0);
            (!is_positive).then(|| Constant::never("no total is below 0"))
        }
        Did::ToolWasCalled(_)
        | Did::ToolNotCalled(_)
        | Did::ToolCallCount(_)
        | Did::ToolCalledWith(_)
        | Did::ToolCalledWithPartial(_)
        | Did::ToolCalledBefore(_)
        | Did::ToolCalledImmediatelyBefore(_)
        | Did::CallOrderEquals(_)
        | Did::ToolsOnly(_)
        | Did::CallsMatch(_)
        | Did::NoRepeatedCalls(_)
        | Did::ToolResult(_)
        | Did::ToolErrored(_)
        | Did::ToolSucceeded(_)
        | Did::OutputEquals(_)
        | Did::Succeeded(_)
        | Did::Failed(_)
        | Did::ErrorIs(_) => None,
    }
}
