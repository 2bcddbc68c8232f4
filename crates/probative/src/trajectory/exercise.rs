//! Which tools a run mentions, and so whether what is asked of it had anything to say no to.

use super::argument::{ExpectedCalls, IfCalled, MatchMode};
use super::model::Event;
use super::run::Run;
use super::telling::quoted;
use crate::vocabulary::{Context, Exercise};

impl Run<'_> {
    /// The tools that the run lists, and those that it calls, in scope or not. One may come more than once.
    pub fn mentioned(&self) -> impl Iterator<Item = &str> {
        let listed = self.trajectory().tools.iter().map(|tool| &**tool);
        let called = self.trajectory().steps.iter().filter_map(|step| match &step.event {
            Event::ToolCall(call) => Some(&*call.name),
            Event::LlmCall(_) | Event::StateChange(_) => None,
        });
        listed.chain(called)
    }

    /// Whether the run lists the tool or calls it, in scope or not.
    pub fn mentions(&self, tool: &str) -> bool {
        !self.calls_of(tool).is_empty() || self.mentioned().any(|mentioned| mentioned == tool)
    }
}

/// Of what is said about a tool: whether there is such a tool, as far as the run tells.
pub(super) fn of_tool(run: &Run<'_>, tool: &str) -> Exercise {
    if run.mentions(tool) { Exercise::Yes } else { Exercise::Unmentioned(tool.to_owned()) }
}

/// Of what is said about two tools.
pub(super) fn of_tools(run: &Run<'_>, first: &str, second: &str) -> Exercise {
    match of_tool(run, first) {
        Exercise::Yes => of_tool(run, second),
        unmentioned => unmentioned,
    }
}

/// Of what says that none but some tools are called: whether any was, or there is another that could have been.
pub(super) fn of_tools_only(run: &Run<'_>, allowed: &[String]) -> Exercise {
    let other = || run.mentioned().any(|tool| !allowed.iter().any(|allowed| allowed == tool));
    Exercise::unless(run.call_count() == 0 && !other(), NOTHING_CALLED)
}

/// Of what can be broken only by a call that was made.
pub(super) fn of_calls(run: &Run<'_>) -> Exercise {
    Exercise::unless(run.call_count() == 0, NOTHING_CALLED)
}

/// Of names that are called in some order, with others between them.
pub(super) fn of_order(run: &Run<'_>, names: &[String]) -> Exercise {
    Exercise::every(names.iter().map(|name| of_tool(run, name)))
}

/// Of an order in which exactly some names are called. No names say that no tool is.
pub(super) fn of_whole_order(run: &Run<'_>, names: &[String]) -> Exercise {
    if names.is_empty() { of_tools_only(run, &[]) } else { Exercise::Yes }
}

/// Of expected calls. Where none is needed and none was made, whether there is a tool that could have been called.
pub(super) fn of_expected(run: &Run<'_>, expected: &ExpectedCalls) -> Exercise {
    match expected.mode {
        MatchMode::Subset => of_tools_only(run, &[]),
        MatchMode::Exact | MatchMode::AnyOrder if expected.calls.is_empty() => of_tools_only(run, &[]),
        MatchMode::Exact | MatchMode::AnyOrder | MatchMode::InOrder | MatchMode::Superset => {
            Exercise::every(expected.calls.iter().map(|call| of_tool(run, &call.name)))
        }
    }
}

/// Of a guard: whether it opened, and what it guards had anything to say no to.
pub(super) fn of_if_called(run: &Run<'_>, condition: &IfCalled, context: &Context<'_>) -> Exercise {
    let IfCalled { tool, then } = condition;
    if !run.calls_of(tool).is_empty() {
        return then.exercise(run, context);
    }
    // That another run mentions the tool does not open it.
    Exercise::No(format!("{} was not called", quoted(tool)))
}

/// Of what the output must not contain. An empty one contains nothing.
pub(super) fn of_forbidden_output(run: &Run<'_>) -> Exercise {
    let output = run.trajectory().final_output.as_deref();
    Exercise::unless(output.is_some_and(str::is_empty), "the final output is empty")
}

/// Of what the output contains, asked of an output that does not only inside `cannot`.
pub(super) fn of_output(run: &Run<'_>) -> Exercise {
    match of_forbidden_output(run) {
        Exercise::Yes => of_any_output(run),
        empty => empty,
    }
}

/// Of what the output is, whether empty or not.
pub(super) fn of_any_output(run: &Run<'_>) -> Exercise {
    Exercise::unless(run.trajectory().final_output.is_none(), "there is no final output")
}

const NOTHING_CALLED: &str = "no tool was called";
