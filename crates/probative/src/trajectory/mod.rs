//! DID: what an agent did, judged step by step.
//!
//! A recorded run is a [`Trajectory`]; made ready for questions it is a [`Run`], whose tool calls are indexed once. Each
//! assertion is a function over a run. [`AgentRunResult`] gives them to Rust tests as methods; [`TrajectoryAssertion`] is
//! the same vocabulary for questions that are written down.

mod argument;
mod arguments;
mod calls_match;
mod conditional;
mod constant;
mod error;
mod exercise;
mod format;
mod json;
mod matcher;
mod metadata;
mod missing;
mod model;
mod output;
mod pairing;
pub mod readers;
mod result;
mod results;
mod run;
mod show;
mod telling;
mod tool_calls;
mod unknown;
mod witnesses;
mod write;

use indexmap::IndexSet;
use schemars::JsonSchema;
use serde::Deserialize;

pub use argument::{
    CallCount, ExactCall, ExpectedArgs, ExpectedCall, ExpectedCalls, IfCalled, Limit, MatchMode, PartialCall,
    Repetition, Tool, ToolAndCall, ToolReturned, TwoTools,
};
pub use arguments::{tool_called_with, tool_called_with_partial};
pub use calls_match::calls_match;
pub use conditional::if_called;
pub use error::{error_is, failed, succeeded};
pub use format::format;
pub use json::Json;
pub use matcher::{Comparison, Matcher, Members};
pub use metadata::{cost_under, duration_under, llm_calls_under, tokens_under};
pub use model::{CallUnknown, Event, LlmCall, RunError, RunUnknown, StateChange, Step, ToolCall, Trajectory};
pub use output::{output_contains, output_equals, output_matches, output_not_contains};
pub use result::{AgentRunResult, NoSuchCall};
pub use results::{tool_errored, tool_result, tool_succeeded};
pub use run::{Calls, PlacedCall, Run, Scope};
pub use show::show;
pub use tool_calls::{
    call_order_contains, call_order_equals, no_repeated_calls, tool_call_count, tool_called_before,
    tool_called_immediately_before, tool_not_called, tool_was_called, tools_only,
};
pub use unknown::{Loss, Lost, losses};

use arguments::Wanted;

use crate::argument::Yes;
use crate::exhibit::{Exhibit, ExhibitLine, Extent, Marks, Panel, Showing};
use crate::value::{Malformed, Pattern};
use crate::verdict::{Error, Pointed, Verdict};
use crate::vocabulary::{Constant, Context, Exercise, Read, Sighting, Vocabulary};

/// Assertions about an agent's run: its calls, output, cost and errors.
///
/// Order is the position in `steps`; `step_index` and timestamps don't matter. Only the agent's own steps count, unless the
/// question says `scope: all`, which includes the steps of sub-agents, or `scope: {agent: NAME}`, which selects one of them.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TrajectoryAssertion {
    /// Passes if the tool was called at least once.
    ///
    /// The failure message suggests a similarly named tool that was called.
    ///
    /// ```text
    /// expect: {"tool_was_called": "search"}
    /// passes: {"steps": [{"step_type": "tool_call", "tool_name": "search"}]}
    /// fails:  {"steps": [{"step_type": "tool_call", "tool_name": "refund"}]}
    ///         'search' was never called
    /// fails:  {"steps": [{"step_type": "tool_call", "tool_name": "serch"}]}
    ///         'search' was never called; did you mean 'serch'?
    /// ```
    ToolWasCalled(Tool),

    /// Passes if the tool was never called.
    ///
    /// ```text
    /// expect: {"tool_not_called": "refund"}
    /// passes: {"steps": [{"step_type": "tool_call", "tool_name": "search"}]}
    /// fails:  {"steps": [{"step_type": "tool_call", "tool_name": "search"}, {"step_type": "tool_call", "tool_name": "refund"}]}
    ///         'refund' was called once
    /// ```
    ToolNotCalled(Tool),

    /// Passes if the tool was called exactly `count` times, or between `min` and `max` times.
    ///
    /// Either `min` or `max` can be left out.
    ///
    /// ```text
    /// expect: {"tool_call_count": {"name": "search", "count": 2}}
    /// passes: {"steps": [{"step_type": "tool_call", "tool_name": "search"}, {"step_type": "tool_call", "tool_name": "refund"}, {"step_type": "tool_call", "tool_name": "search"}]}
    /// fails:  {"steps": [{"step_type": "tool_call", "tool_name": "search"}]}
    ///         'search' was called once, expected exactly 2 times
    /// ```
    ///
    /// ```text
    /// expect: {"tool_call_count": {"name": "search", "max": 1}}
    /// passes: {"steps": [{"step_type": "tool_call", "tool_name": "refund"}]}
    /// fails:  {"steps": [{"step_type": "tool_call", "tool_name": "search"}, {"step_type": "tool_call", "tool_name": "search"}]}
    ///         'search' was called 2 times, expected at most once
    /// ```
    ToolCallCount(CallCount),

    /// Passes if at least one call to the tool had exactly these arguments.
    ///
    /// No argument may be missing or extra, and each must be equal. A call without arguments has the
    /// arguments `{}`. The failure message shows the closest call and how its arguments
    /// differ.
    ///
    /// ```text
    /// expect: {"tool_called_with": {"name": "search", "args": {"q": "tea"}}}
    /// passes: {"steps": [{"step_type": "tool_call", "tool_name": "search", "tool_args": {"q": "tea"}}]}
    /// fails:  {"steps": [{"step_type": "tool_call", "tool_name": "search", "tool_args": {"q": "tea", "limit": 5}}]}
    ///         'search' was never called with {"q":"tea"}
    /// ```
    ToolCalledWith(ExactCall),

    /// Passes if at least one call to the tool had at least these arguments.
    ///
    /// Nested objects must be equal as a whole. A matcher can replace any value:
    ///
    /// - `{"$eq": VALUE}`: equal to `VALUE`, which may look like a matcher itself
    /// - `{"$regex": PATTERN}`: a string that matches the pattern
    /// - `{"$gt": N}`, `{"$gte": N}`, `{"$lt": N}`, `{"$lte": N}`: a number above, at least, below or
    ///   at most `N`
    /// - `{"$type": TYPE}`: a value of this type: `null`, `boolean`, `number`, `integer`, `string`,
    ///   `array` or `object`
    /// - `{"$any": true}`: any value, including null
    /// - `{"$contains": VALUE}`: a string with this substring, an array with an equal item, or an
    ///   object with this key
    /// - `{"$partial": {…}}`: an object with at least these keys, each with a value or a matcher
    ///
    /// ```text
    /// expect: {"tool_called_with_partial": {"name": "search", "args": {"q": {"$regex": "^te"}, "limit": {"$lte": 10}}}}
    /// passes: {"steps": [{"step_type": "tool_call", "tool_name": "search", "tool_args": {"q": "tea", "limit": 5, "page": 1}}]}
    /// fails:  {"steps": [{"step_type": "tool_call", "tool_name": "search", "tool_args": {"q": "tea", "limit": 50}}]}
    ///         'search' was never called with {"q":{"$regex":"^te"},"limit":{"$lte":10}}
    /// ```
    ToolCalledWithPartial(PartialCall),

    /// Passes if the first call to `first` comes before the first call to `second`.
    ///
    /// Fails if either tool was never called, and if both names are the same.
    ///
    /// ```text
    /// expect: {"tool_called_before": {"first": "search", "second": "refund"}}
    /// passes: {"steps": [{"step_type": "tool_call", "tool_name": "search"}, {"step_type": "tool_call", "tool_name": "refund"}, {"step_type": "tool_call", "tool_name": "search"}]}
    /// fails:  {"steps": [{"step_type": "tool_call", "tool_name": "refund"}, {"step_type": "tool_call", "tool_name": "search"}]}
    ///         'search' was not called before 'refund'
    /// fails:  {"steps": [{"step_type": "tool_call", "tool_name": "search"}]}
    ///         'refund' was never called
    /// ```
    ToolCalledBefore(TwoTools),

    /// Passes if at least one call to `second` comes right after a call to `first`.
    ///
    /// Ignores model calls and state changes between the two. If both names are the same, the tool must
    /// be called twice in a row.
    ///
    /// ```text
    /// expect: {"tool_called_immediately_before": {"first": "search", "second": "refund"}}
    /// passes: {"steps": [{"step_type": "tool_call", "tool_name": "search"}, {"step_type": "llm_call"}, {"step_type": "tool_call", "tool_name": "refund"}]}
    /// fails:  {"steps": [{"step_type": "tool_call", "tool_name": "search"}, {"step_type": "tool_call", "tool_name": "lookup"}, {"step_type": "tool_call", "tool_name": "refund"}]}
    ///         'search' was never called immediately before 'refund'
    /// ```
    ToolCalledImmediatelyBefore(TwoTools),

    /// Passes if the tools were called in this order, with or without other calls in between.
    ///
    /// A name that is listed twice needs two calls.
    ///
    /// ```text
    /// expect: {"call_order_contains": ["search", "refund"]}
    /// passes: {"steps": [{"step_type": "tool_call", "tool_name": "search"}, {"step_type": "tool_call", "tool_name": "lookup"}, {"step_type": "tool_call", "tool_name": "refund"}]}
    /// fails:  {"steps": [{"step_type": "tool_call", "tool_name": "refund"}, {"step_type": "tool_call", "tool_name": "search"}]}
    ///         'refund' was not called after 'search' (step 2)
    /// ```
    CallOrderContains(Vec<String>),

    /// Passes if exactly these tools were called, in this order.
    ///
    /// ```text
    /// expect: {"call_order_equals": ["search", "refund"]}
    /// passes: {"steps": [{"step_type": "tool_call", "tool_name": "search"}, {"step_type": "tool_call", "tool_name": "refund"}]}
    /// fails:  {"steps": [{"step_type": "tool_call", "tool_name": "search"}, {"step_type": "tool_call", "tool_name": "search"}, {"step_type": "tool_call", "tool_name": "refund"}]}
    ///         call 2 is 'search', expected 'refund'
    /// fails:  {"steps": [{"step_type": "tool_call", "tool_name": "search"}]}
    ///         call 2 is missing, expected 'refund'
    /// ```
    CallOrderEquals(Vec<String>),

    /// Passes if no tool other than these was called.
    ///
    /// The listed tools don't have to be called. `[]` forbids all tool calls.
    ///
    /// ```text
    /// expect: {"tools_only": ["search", "lookup"]}
    /// passes: {"steps": [{"step_type": "tool_call", "tool_name": "search"}]}
    /// fails:  {"steps": [{"step_type": "tool_call", "tool_name": "search"}, {"step_type": "tool_call", "tool_name": "refund"}]}
    ///         'refund' was called, but isn't allowed
    /// ```
    ToolsOnly(Vec<String>),

    /// Passes if the tool calls match the expected ones. `mode` says how:
    ///
    /// - `exact`: the same calls in the same order
    /// - `in_order`: all expected calls in this order, with or without others in between
    /// - `any_order`: the same calls in any order
    /// - `subset`: only expected calls, not necessarily all of them
    /// - `superset`: all expected calls in any order, with or without others
    ///
    /// An expected call is `{name}` or `{name, args}`. `args` compares all arguments, with values or
    /// matchers (see `tool_called_with_partial`). `{"$partial": {…}}` as `args` compares only the given
    /// ones, and `{"$eq": {…}}` compares all of them literally.
    ///
    /// Where the order doesn't matter, calls are paired so that as many as possible match.
    ///
    /// ```text
    /// expect: {"calls_match": {"mode": "any_order", "calls": [{"name": "search"}, {"name": "search", "args": {"q": "tea"}}]}}
    /// passes: {"steps": [{"step_type": "tool_call", "tool_name": "search", "tool_args": {"q": "tea"}}, {"step_type": "tool_call", "tool_name": "search", "tool_args": {"q": "milk"}}]}
    /// fails:  {"steps": [{"step_type": "tool_call", "tool_name": "search", "tool_args": {"q": "milk"}}, {"step_type": "tool_call", "tool_name": "search", "tool_args": {"q": "eggs"}}]}
    ///         'search' was not called with {"q":"tea"}; the call to 'search' at step 2 was not expected
    /// ```
    CallsMatch(ExpectedCalls),

    /// Passes if no tool was called more than `max` times with the same arguments.
    ///
    /// Use it to catch loops. `max` is 1 by default. With `same_args: false`, calls count as repeated
    /// regardless of their arguments. `no_repeated_calls: true` uses the defaults.
    ///
    /// ```text
    /// expect: {"no_repeated_calls": {"max": 1}}
    /// passes: {"steps": [{"step_type": "tool_call", "tool_name": "search", "tool_args": {"q": "tea"}}, {"step_type": "tool_call", "tool_name": "search", "tool_args": {"q": "milk"}}]}
    /// fails:  {"steps": [{"step_type": "tool_call", "tool_name": "search", "tool_args": {"q": "tea", "n": 1}}, {"step_type": "tool_call", "tool_name": "search", "tool_args": {"n": 1.0, "q": "tea"}}]}
    ///         'search' was called 2 times with the same arguments, expected at most once
    /// ```
    NoRepeatedCalls(Repetition),

    /// Passes if at least one call to the tool returned the given `value`.
    ///
    /// - `value`: a literal, or a matcher (see `tool_called_with_partial`). By default, any result
    ///   except null. A string that holds a JSON object or array is also compared as JSON.
    /// - `nth`: the number of the call, counting from 0. By default, any call counts.
    /// - `succeeded`: `true` requires a call that ended without an error, `false` one that ended in an
    ///   error. By default, either.
    ///
    /// The failure message shows how the result of the closest call differs.
    ///
    /// ```text
    /// expect: {"tool_result": {"name": "search", "value": {"$partial": {"hits": {"$gt": 0}}}}}
    /// passes: {"steps": [{"step_type": "tool_call", "tool_name": "search", "tool_result": {"hits": 3, "ms": 12}}]}
    /// fails:  {"steps": [{"step_type": "tool_call", "tool_name": "search", "tool_result": {"hits": 0}}]}
    ///         'search' did not return {"$partial":{"hits":{"$gt":0}}}
    /// ```
    ToolResult(ToolReturned),

    /// Passes if at least one call to the tool ended in an error.
    ///
    /// `nth` selects one call, counting from 0.
    ///
    /// ```text
    /// expect: {"tool_errored": "search"}
    /// passes: {"steps": [{"step_type": "tool_call", "tool_name": "search"}, {"step_type": "tool_call", "tool_name": "search", "tool_error": "timeout"}]}
    /// fails:  {"steps": [{"step_type": "tool_call", "tool_name": "search"}]}
    ///         'search' did not fail
    /// ```
    ToolErrored(ToolAndCall),

    /// Passes if at least one call to the tool ended without an error.
    ///
    /// `nth` selects one call, counting from 0.
    ///
    /// ```text
    /// expect: {"tool_succeeded": {"name": "search", "nth": 0}}
    /// passes: {"steps": [{"step_type": "tool_call", "tool_name": "search"}]}
    /// fails:  {"steps": [{"step_type": "tool_call", "tool_name": "search", "tool_error": {"type": "TimeoutError", "message": "took too long"}}]}
    ///         call 1 (nth: 0) to 'search' did not succeed
    /// ```
    ToolSucceeded(ToolAndCall),

    /// Passes if the assertions in `then` pass, or if the tool was never called.
    ///
    /// ```text
    /// expect: {"if_called": {"tool": "refund", "then": {"tool_called_before": {"first": "search", "second": "refund"}}}}
    /// passes: {"steps": []}
    /// passes: {"steps": [{"step_type": "tool_call", "tool_name": "search"}, {"step_type": "tool_call", "tool_name": "refund"}]}
    /// fails:  {"steps": [{"step_type": "tool_call", "tool_name": "refund"}]}
    ///         'search' was never called
    /// ```
    IfCalled(IfCalled),

    /// Passes if the final output is exactly this string.
    ///
    /// Nothing is trimmed, and the comparison is case-sensitive. A run without a final output fails
    /// every `output_*` assertion.
    ///
    /// ```text
    /// expect: {"output_equals": "Done."}
    /// passes: {"steps": [], "final_output": "Done."}
    /// fails:  {"steps": [], "final_output": "Done. "}
    ///         The final output differs at character 6: expected end of string, got ' '
    /// fails:  {"steps": []}
    ///         The run has no final output
    /// ```
    OutputEquals(String),

    /// Passes if the final output contains the string.
    ///
    /// ```text
    /// expect: {"output_contains": "RF-"}
    /// passes: {"steps": [], "final_output": "Refunded as RF-17."}
    /// fails:  {"steps": [], "final_output": "Sorry."}
    ///         The final output does not contain 'RF-'
    /// ```
    OutputContains(String),

    /// Passes if there is a final output and it doesn't contain the string.
    ///
    /// ```text
    /// expect: {"output_not_contains": "password"}
    /// passes: {"steps": [], "final_output": "Done."}
    /// fails:  {"steps": [], "final_output": "The password is tea."}
    ///         The final output contains 'password'
    /// fails:  {"steps": []}
    ///         The run has no final output
    /// ```
    OutputNotContains(String),

    /// Passes if the final output matches the pattern.
    ///
    /// The match may be anywhere in the output; use `\A` and `\Z` to anchor it.
    ///
    /// ```text
    /// expect: {"output_matches": "RF-\\d+"}
    /// passes: {"steps": [], "final_output": "Refunded as RF-17."}
    /// fails:  {"steps": [], "final_output": "Refunded as RF-x."}
    ///         The final output does not match 'RF-\d+'
    /// ```
    OutputMatches(Pattern),

    /// Passes if the run cost less than the limit.
    ///
    /// Uses the recorded `total_cost`, or else the sum over all model calls, if every one of them
    /// records its cost. If neither is recorded, the assertion is an error, never a pass.
    ///
    /// ```text
    /// expect: {"cost_under": 0.5}
    /// passes: {"steps": [], "total_cost": 0.25}
    /// fails:  {"steps": [{"step_type": "llm_call", "cost": 0.5}]}
    ///         The run cost 0.5, expected less than 0.5
    /// ```
    CostUnder(Limit),

    /// Passes if the run used fewer tokens than the limit.
    ///
    /// Uses the recorded `total_tokens`, or else the sum over all model calls, like `cost_under`.
    ///
    /// ```text
    /// expect: {"tokens_under": 1000}
    /// passes: {"steps": [{"step_type": "llm_call", "prompt_tokens": 900, "completion_tokens": 99}]}
    /// fails:  {"steps": [], "total_tokens": 1000}
    ///         The run used 1000 tokens, expected fewer than 1000
    /// ```
    TokensUnder(Limit),

    /// Passes if the run took less than this many seconds.
    ///
    /// Uses the recorded `duration_seconds`, never the timestamps of steps.
    ///
    /// ```text
    /// expect: {"duration_under": 60}
    /// passes: {"steps": [], "duration_seconds": 12.5}
    /// fails:  {"steps": [], "duration_seconds": 75}
    ///         The run took 75 seconds, expected less than 60
    /// ```
    DurationUnder(Limit),

    /// Passes if the run made fewer model calls than the limit.
    ///
    /// Uses the recorded `llm_calls`, or else counts the steps.
    ///
    /// ```text
    /// expect: {"llm_calls_under": 2}
    /// passes: {"steps": [{"step_type": "llm_call"}]}
    /// fails:  {"steps": [], "llm_calls": 2}
    ///         The run made 2 model calls, expected fewer than 2
    /// ```
    LlmCallsUnder(Limit),

    /// Passes if the run ended without an error.
    ///
    /// A failed tool call doesn't make the run fail.
    ///
    /// ```text
    /// expect: {"succeeded": true}
    /// passes: {"steps": []}
    /// fails:  {"steps": [], "error": {"type": "TimeoutError", "message": "took too long"}}
    ///         The run failed: TimeoutError: took too long
    /// ```
    Succeeded(Yes),

    /// Passes if the run ended in an error.
    ///
    /// ```text
    /// expect: {"failed": true}
    /// passes: {"steps": [], "error": {"type": "TimeoutError", "message": "took too long"}}
    /// fails:  {"steps": []}
    ///         The run succeeded, but was expected to fail
    /// ```
    Failed(Yes),

    /// Passes if the run ended in an error of this type.
    ///
    /// A name without a dot is compared with the last part of the type's name: `TimeoutError` matches
    /// `asyncio.TimeoutError`. A name with a dot must match in full.
    ///
    /// ```text
    /// expect: {"error_is": "TimeoutError"}
    /// passes: {"steps": [], "error": {"type": "TimeoutError", "message": "", "module": "asyncio"}}
    /// fails:  {"steps": [], "error": {"type": "ValueError", "message": "no"}}
    ///         The run failed with 'ValueError', expected 'TimeoutError'
    /// ```
    ErrorIs(String),
}

impl Vocabulary for TrajectoryAssertion {
    const SUBJECT: &'static str = "trajectory";
    const ABOUT: &'static str = "an agent's model and tool calls";
    const TYPE: &'static str = "agent.trajectory";
    const MARKS: &'static [&'static str] = &["steps"];
    const SETTING: Option<&'static str> = Some("scope");
    type Subject<'s> = Run<'s>;
    type Setting = Scope;

    fn read<'s>(json: &'s [u8], scope: &Scope) -> Result<Read<Run<'s>>, Malformed> {
        let Read { subject, mut warnings } = readers::native::read(json)?;
        warnings.extend(scope.warning(&subject));
        let subject = Run::in_scope(subject, scope.clone());
        warnings.extend(subject.contradictions());
        Ok(Read { subject, warnings })
    }

    fn from_run<'s>(run: Trajectory<'s>, scope: &Scope) -> Option<Read<Run<'s>>> {
        let warning = scope.warning(&run);
        let subject = Run::in_scope(run, scope.clone());
        let warnings = warning.into_iter().chain(subject.contradictions()).collect();
        Some(Read { subject, warnings })
    }

    fn losses(run: &Run<'_>) -> Vec<Lost> {
        if run.trajectory().source.is_none() { Vec::new() } else { losses(run.trajectory()) }
    }

    fn judge(&self, run: &Run<'_>, context: &Context<'_>) -> Result<Verdict, Error> {
        use TrajectoryAssertion as Did;
        let verdict = match self {
            Did::ToolWasCalled(tool) => tool_was_called(run, &tool.name),
            Did::ToolNotCalled(tool) => tool_not_called(run, &tool.name),
            Did::ToolCallCount(count) => tool_call_count(run, count),
            Did::ToolCalledWith(call) => tool_called_with(run, call)?,
            Did::ToolCalledWithPartial(call) => tool_called_with_partial(run, call)?,
            Did::ToolCalledBefore(tools) => tool_called_before(run, &tools.first, &tools.second),
            Did::ToolCalledImmediatelyBefore(tools) => {
                tool_called_immediately_before(run, &tools.first, &tools.second)
            }
            Did::CallOrderContains(names) => call_order_contains(run, names),
            Did::CallOrderEquals(names) => call_order_equals(run, names),
            Did::ToolsOnly(names) => tools_only(run, names),
            Did::CallsMatch(expected) => calls_match(run, expected)?,
            Did::NoRepeatedCalls(repetition) => no_repeated_calls(run, *repetition)?,
            Did::ToolResult(returned) => tool_result(run, returned)?,
            Did::ToolErrored(which) => tool_errored(run, which)?,
            Did::ToolSucceeded(which) => tool_succeeded(run, which)?,
            Did::IfCalled(condition) => if_called(run, condition, context)?,
            Did::OutputEquals(text) => output_equals(run, text)?,
            Did::OutputContains(text) => output_contains(run, text)?,
            Did::OutputNotContains(text) => output_not_contains(run, text)?,
            Did::OutputMatches(pattern) => output_matches(run, pattern)?,
            Did::CostUnder(limit) => cost_under(run, &limit.0)?,
            Did::TokensUnder(limit) => tokens_under(run, &limit.0)?,
            Did::DurationUnder(limit) => duration_under(run, &limit.0)?,
            Did::LlmCallsUnder(limit) => llm_calls_under(run, &limit.0)?,
            Did::Succeeded(Yes) => succeeded(run)?,
            Did::Failed(Yes) => failed(run)?,
            Did::ErrorIs(name) => error_is(run, name)?,
        };
        self.settled(verdict, run)
    }

    fn holds(&self, run: &Run<'_>, context: &Context<'_>) -> Result<bool, Error> {
        match self {
            // Most runs are asked this, and most have none.
            TrajectoryAssertion::Failed(Yes) | TrajectoryAssertion::ErrorIs(_)
                if run.trajectory().known_error()?.is_none() =>
            {
                Ok(false)
            }
            _ => self.judge(run, context).map(|verdict| verdict.passed()),
        }
    }

    fn denies(&self, run: &Run<'_>) -> Result<(), Error> {
        self.is_denied(run)
    }

    fn constant(&self) -> Option<Constant> {
        constant::of(self)
    }

    fn exercise(&self, run: &Run<'_>, context: &Context<'_>) -> Exercise {
        use TrajectoryAssertion as Did;
        if let Some(nobody) = run.scope().warning(run.trajectory()) {
            return Exercise::No(nobody);
        }
        match self {
            Did::ToolWasCalled(Tool { name })
            | Did::ToolNotCalled(Tool { name })
            | Did::ToolCallCount(CallCount { name, .. })
            | Did::ToolCalledWith(ExactCall { name, .. })
            | Did::ToolCalledWithPartial(PartialCall { name, .. })
            | Did::ToolResult(ToolReturned { name, .. })
            | Did::ToolErrored(ToolAndCall { name, .. })
            | Did::ToolSucceeded(ToolAndCall { name, .. }) => exercise::of_tool(run, name),
            Did::ToolCalledBefore(tools) | Did::ToolCalledImmediatelyBefore(tools) => {
                exercise::of_tools(run, &tools.first, &tools.second)
            }
            Did::CallOrderContains(names) => exercise::of_order(run, names),
            Did::CallOrderEquals(names) => exercise::of_whole_order(run, names),
            Did::ToolsOnly(names) => exercise::of_tools_only(run, names),
            Did::CallsMatch(expected) => exercise::of_expected(run, expected),
            Did::NoRepeatedCalls(_) => exercise::of_calls(run),
            Did::IfCalled(condition) => exercise::of_if_called(run, condition, context),
            Did::OutputNotContains(_) => exercise::of_forbidden_output(run),
            Did::OutputContains(_) => exercise::of_output(run),
            Did::OutputEquals(_) | Did::OutputMatches(_) => exercise::of_any_output(run),
            // A run always has what these look at, or they fail for want of it.
            Did::CostUnder(_)
            | Did::TokensUnder(_)
            | Did::DurationUnder(_)
            | Did::LlmCallsUnder(_)
            | Did::Succeeded(Yes)
            | Did::Failed(Yes)
            | Did::ErrorIs(_) => Exercise::Yes,
        }
    }

    fn mentions(run: &Run<'_>) -> Vec<String> {
        let different: IndexSet<&str> = run.mentioned().collect();
        different.into_iter().map(str::to_owned).collect()
    }

    fn witnesses(&self, run: &Run<'_>) -> Vec<Pointed> {
        use TrajectoryAssertion as Did;
        let of = |name: &String| witnesses::calls(run, std::slice::from_ref(name));
        match self {
            Did::ToolWasCalled(tool) => of(&tool.name),
            Did::ToolCallCount(count) => of(&count.name),
            Did::ToolCalledWith(call) => witnesses::calls_with(run, &call.name, &Wanted::All(&call.args)),
            Did::ToolCalledWithPartial(call) => {
                witnesses::calls_with(run, &call.name, &Wanted::Some(&call.args))
            }
            Did::ToolCalledBefore(tools) | Did::ToolCalledImmediatelyBefore(tools) => {
                witnesses::calls(run, &[tools.first.clone(), tools.second.clone()])
            }
            Did::CallOrderContains(names) | Did::CallOrderEquals(names) => witnesses::calls(run, names),
            Did::ToolResult(returned) => results::witnesses(run, &returned.name, returned.nth, |call| {
                results::has_result(call.call, returned).is_ok_and(|has| has == Some(true))
            }),
            Did::ToolErrored(ToolAndCall { name, nth }) => {
                results::witnesses(run, name, *nth, |call| call.call.error.is_some())
            }
            Did::ToolSucceeded(ToolAndCall { name, nth }) => {
                results::witnesses(run, name, *nth, |call| call.call.failed() == Some(false))
            }
            _ => Vec::new(),
        }
    }

    fn sighting(&self, run: &Run<'_>) -> Option<Sighting> {
        witnesses::sighting(self, run)
    }

    fn whole() -> Scope {
        Scope::All
    }

    fn show(run: &Run<'_>, showing: &Showing) -> String {
        show(run, showing.extent)
    }

    fn exhibit<'a>(run: &'a Run<'_>) -> Option<&'a dyn Exhibit> {
        Some(run)
    }
}

impl Exhibit for Run<'_> {
    fn lines(&self, marks: &Marks) -> Vec<ExhibitLine> {
        format(self.trajectory(), &marks.parts, Extent::Brief)
    }

    fn panels(&self) -> Vec<Panel> {
        vec![Panel::trajectory("trajectory", self.trajectory())]
    }
}
