//! The checks as methods, for Rust tests.

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::{Map, json};

use super::argument::{
    CallCount, ExactCall, ExpectedCalls, IfCalled, MatchMode, PartialCall, Repetition, ToolAndCall,
    ToolReturned,
};
use super::format::format;
use super::matcher::{Matcher, Members, members};
use super::model::{RunError, ToolCall, Trajectory};
use super::readers::{Layout, NoRuns, TraceFormat, native, read_trace};
use super::run::{Run, Scope};
use super::telling::{numbered, quoted, times};
use crate::exhibit::Extent;
use crate::value::{Malformed, Number, Pattern, Value, excerpt};
use crate::verdict::{Error, ErrorKind, Pointed, Verdict};
use crate::vocabulary::{Context, Read};

/// What came of a run, to be asked questions in a test.
///
/// Each check has two faces: one answers with a `bool`, the other, `assert_…`, panics at the caller's line with the
/// failure and the run. What a run does not record ([`cost_under`](Self::cost_under) without a cost) is `false`, and an
/// assertion of it panics. Arguments that make no sense (a malformed pattern, a matcher that there is not) panic in both.
///
/// ```
/// use probative::trajectory::{AgentRunResult, Step, Trajectory};
/// use serde_json::json;
///
/// let result = AgentRunResult::new(Trajectory {
///     steps: vec![Step::tool_call("search", json!({"q": "tea"})), Step::tool_call("refund", json!({"id": 7}))],
///     final_output: Some("Refunded.".into()),
///     ..Trajectory::default()
/// });
/// assert!(result.tool_called_before("search", "refund"));
/// assert!(!result.cost_under(1.0));
/// result.assert_tool_called_with_partial("refund", json!({"id": {"$gt": 0}}));
/// assert_eq!(result.call_order(), ["search", "refund"]);
/// ```
#[derive(Debug, Clone)]
pub struct AgentRunResult(Run<'static>);

/// There is no such call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoSuchCall {
    /// The tool.
    pub tool: String,
    /// How often it was called.
    pub called: usize,
    /// Which call was asked for, counted from 0.
    pub n: usize,
}

impl AgentRunResult {
    /// A run, of which the agent's own steps are looked at.
    pub fn new(trajectory: Trajectory<'static>) -> AgentRunResult {
        AgentRunResult(Run::new(trajectory))
    }

    /// A run of which only the steps in scope are looked at.
    pub fn in_scope(trajectory: Trajectory<'static>, scope: Scope) -> AgentRunResult {
        AgentRunResult(Run::in_scope(trajectory, scope))
    }

    /// A run that was recorded in the native format. Slips in its keys, which `probative check` warns of, are not told.
    pub fn from_json(json: &[u8]) -> Result<AgentRunResult, Malformed> {
        let Read { subject, .. } = native::read(json)?;
        Ok(AgentRunResult::new(subject.into_owned()))
    }

    /// The only run in a trace of another program, in a format or in the one that most of its records speak for. What could not
    /// be used of it is not told.
    pub fn from_trace(trace: &[u8], format: Option<TraceFormat>) -> Result<AgentRunResult, NoRuns> {
        let mut runs = Vec::new();
        let are_lines = Layout::of(trace) == Layout::Lines;
        let format = read_trace(trace, format, are_lines, &mut |given| runs.extend(given.run()))?;
        match (runs.pop(), runs.len()) {
            (Some(run), 0) => Ok(AgentRunResult::new(run.trajectory)),
            (_, others) => Err(NoRuns::Empty(format!("contains {} {format} runs; expected one", others + 1))),
        }
    }

    /// The run with its index, for the functions that give verdicts.
    pub fn run(&self) -> &Run<'static> {
        &self.0
    }

    /// The run as it was recorded.
    pub fn trajectory(&self) -> &Trajectory<'static> {
        self.0.trajectory()
    }

    /// What the run answered.
    pub fn output(&self) -> Option<&str> {
        self.trajectory().final_output.as_deref()
    }

    /// What it cost; `None` where that is not known.
    pub fn total_cost(&self) -> Option<f64> {
        self.0.cost()
    }

    /// How many tokens it took; `None` where that is not known.
    pub fn total_tokens(&self) -> Option<u64> {
        self.0.tokens()
    }

    /// How many seconds it took; `None` where that is not known.
    pub fn duration(&self) -> Option<f64> {
        self.0.duration()
    }

    /// How often models were called; `None` where that is not known.
    pub fn llm_calls(&self) -> Option<u64> {
        self.0.llm_call_count()
    }

    /// What ended the run, where it failed.
    pub fn error(&self) -> Option<&RunError<'static>> {
        self.trajectory().error.as_ref()
    }

    /// The tools called, in order.
    pub fn call_order(&self) -> Vec<&str> {
        self.0.call_order().collect()
    }

    /// The calls of a tool, in order.
    pub fn get_calls(&self, name: &str) -> Vec<&ToolCall<'static>> {
        self.0.calls_of(name).iter().map(|call| call.call).collect()
    }

    /// One call of a tool, counted from 0.
    pub fn get_call(&self, name: &str, n: usize) -> Result<&ToolCall<'static>, NoSuchCall> {
        let calls = self.0.calls_of(name);
        let no_such = || NoSuchCall { tool: name.to_owned(), called: calls.len(), n };
        calls.nth(n).map(|call| call.call).ok_or_else(no_such)
    }

    /// Panics at the caller's line with the failure and the run, unless the verdict is a pass.
    #[track_caller]
    fn assert(&self, verdict: Result<Verdict, Error>) {
        let (message, pointed): (String, Vec<Pointed>) = match verdict {
            Ok(Verdict::Pass) => return,
            Ok(Verdict::Fail(failure)) => (failure.to_string(), failure.evidence.pointed),
            Err(error) => (error.to_string(), Vec::new()),
        };
        let lines = format(self.trajectory(), &pointed, Extent::Brief);
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        panic!("{message}\n\n{}", lines.join("\n"));
    }
}

/// Both faces of each check, from the one function that judges it.
macro_rules! faces {
    ($($(#[$doc:meta])* $name:ident, $asserting:ident ($($argument:ident: $type:ty),*) => $verdict:expr;)*) => {
        impl AgentRunResult {$(
            $(#[$doc])*
            #[track_caller]
            pub fn $name(&self, $($argument: $type),*) -> bool {
                let judge: fn(&Run<'static>, $($type),*) -> Result<Verdict, Error> = $verdict;
                match judge(&self.0, $($argument),*) {
                    Ok(verdict) => verdict.passed(),
                    Err(error) if error.is_askers_mistake() => panic!("{error}"),
                    Err(_) => false,
                }
            }

            #[doc = concat!("Panics with the run, unless [`", stringify!($name), "`](Self::", stringify!($name), ").")]
            #[track_caller]
            pub fn $asserting(&self, $($argument: $type),*) {
                let judge: fn(&Run<'static>, $($type),*) -> Result<Verdict, Error> = $verdict;
                self.assert(judge(&self.0, $($argument),*));
            }
        )*}
    };
}

faces! {
    /// The tool was called at least once.
    tool_was_called, assert_tool_was_called(name: &str) => |run, name| Ok(super::tool_was_called(run, name));
    /// The tool was never called.
    tool_not_called, assert_tool_not_called(name: &str) => |run, name| Ok(super::tool_not_called(run, name));
    /// The tool was called exactly so often.
    tool_call_count, assert_tool_call_count(name: &str, count: u64) => |run, name, count| {
        Ok(super::tool_call_count(run, &CallCount { name: name.to_owned(), min: count, max: Some(count) }))
    };
    /// Some call of the tool had exactly these arguments, which are a JSON object.
    tool_called_with, assert_tool_called_with(name: &str, args: Value) => |run, name, args| {
        let args = object(args)?.into_iter().map(|(key, value)| (key, Matcher::Equals(value))).collect();
        super::tool_called_with(run, &ExactCall { name: name.to_owned(), args })
    };
    /// Some one call of the tool had these arguments, and any others. Matchers may stand for values.
    tool_called_with_partial, assert_tool_called_with_partial(name: &str, args: Value) => |run, name, args| {
        super::tool_called_with_partial(run, &PartialCall { name: name.to_owned(), args: matchers(args)? })
    };
    /// The first call of one tool came before the first of another.
    tool_called_before, assert_tool_called_before(first: &str, second: &str) => |run, first, second| {
        Ok(super::tool_called_before(run, first, second))
    };
    /// Some call of `second` came right after one of `first`, other kinds of steps aside.
    tool_called_immediately_before, assert_tool_called_immediately_before(first: &str, second: &str) => |run, first, second| {
        Ok(super::tool_called_immediately_before(run, first, second))
    };
    /// The tools were called in this order, with any others between them.
    call_order_contains, assert_call_order_contains(names: &[&str]) => |run, names| {
        Ok(super::call_order_contains(run, &owned(names)))
    };
    /// Exactly these tools were called, in this order.
    call_order_equals, assert_call_order_equals(names: &[&str]) => |run, names| {
        Ok(super::call_order_equals(run, &owned(names)))
    };
    /// No tool other than these was called.
    tools_only, assert_tools_only(names: &[&str]) => |run, names| Ok(super::tools_only(run, &owned(names)));
    /// No tool was called more than `max` times with the same arguments.
    no_repeated_calls, assert_no_repeated_calls(max: u64) => |run, max| {
        super::no_repeated_calls(run, Repetition { max, same_args: true })
    };
    /// The calls match the expected ones, each `{"name": …}` or `{"name": …, "args": …}`. Matchers may stand for values.
    calls_match, assert_calls_match(mode: MatchMode, calls: Value) => |run, mode, calls| {
        super::calls_match(run, &ExpectedCalls { mode, calls: written(calls)? })
    };
    /// Some call of the tool returned this value, or one that the matcher lets through.
    tool_result, assert_tool_result(name: &str, value: Value) => |run, name, value| {
        let value = Some(written(value)?);
        super::tool_result(run, &ToolReturned { name: name.to_owned(), nth: None, value, succeeded: None })
    };
    /// Some call of the tool ended in an error.
    tool_errored, assert_tool_errored(name: &str) => |run, name| {
        super::tool_errored(run, &ToolAndCall { name: name.to_owned(), nth: None })
    };
    /// Some call of the tool ended without an error.
    tool_succeeded, assert_tool_succeeded(name: &str) => |run, name| {
        super::tool_succeeded(run, &ToolAndCall { name: name.to_owned(), nth: None })
    };
    /// The assertions, an object as in a question, hold if the tool was called.
    if_called, assert_if_called(tool: &str, then: Value) => |run, tool, then| {
        let condition: IfCalled = written(json!({"tool": tool, "then": then}))?;
        super::if_called(run, &condition, &Context::default())
    };
    /// The final output is this text.
    output_equals, assert_output_equals(text: &str) => |run, text| super::output_equals(run, text);
    /// The final output contains the text.
    output_contains, assert_output_contains(text: &str) => |run, text| super::output_contains(run, text);
    /// The final output is there and does not contain the text.
    output_not_contains, assert_output_not_contains(text: &str) => |run, text| super::output_not_contains(run, text);
    /// The pattern, in Python's dialect, is found in the final output. Panics if it is malformed.
    output_matches, assert_output_matches(pattern: &str) => |run, pattern| super::output_matches(run, &compiled(pattern)?);
    /// The run cost less than this.
    cost_under, assert_cost_under(limit: f64) => |run, limit| super::cost_under(run, &number(limit)?);
    /// The run took fewer tokens than this.
    tokens_under, assert_tokens_under(limit: u64) => |run, limit| super::tokens_under(run, &limit.into());
    /// The run took less than so many seconds.
    duration_under, assert_duration_under(seconds: f64) => |run, seconds| super::duration_under(run, &number(seconds)?);
    /// Models were called fewer times than this.
    llm_calls_under, assert_llm_calls_under(limit: u64) => |run, limit| super::llm_calls_under(run, &limit.into());
    /// The run ended without an error.
    succeeded, assert_succeeded() => |run| super::succeeded(run);
    /// The run ended in an error.
    failed, assert_failed() => |run| super::failed(run);
    /// The run ended in an error of this type.
    error_is, assert_error_is(name: &str) => |run, name| super::error_is(run, name);
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// An argument as questions write it.
fn written<T: DeserializeOwned>(argument: Value) -> Result<T, Error> {
    serde_json::from_value(argument).map_err(|error| mistake(error.to_string()))
}

fn object(args: Value) -> Result<Map<String, Value>, Error> {
    match args {
        Value::Object(args) => Ok(args),
        other => Err(mistake(format!("expected the arguments as a JSON object, got {}", excerpt(&other)))),
    }
}

fn matchers(args: Value) -> Result<Members, Error> {
    members(args).map_err(|error: serde_json::Error| mistake(error.to_string()))
}

fn compiled(pattern: &str) -> Result<Pattern, Error> {
    Pattern::parse(pattern).map_err(|error| mistake(format!("invalid regex '{pattern}': {}", error.message)))
}

fn number(limit: f64) -> Result<Number, Error> {
    Number::from_f64(limit)
        .ok_or_else(|| mistake(format!("expected a finite number as the limit, got {limit}")))
}

/// An error in the test itself.
fn mistake(message: String) -> Error {
    Error::new(ErrorKind::MalformedQuestion(message))
}

impl fmt::Display for NoSuchCall {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NoSuchCall { tool, called, n } = self;
        write!(
            formatter,
            "{} was called only {}; there is no {}",
            quoted(tool),
            times(*called as u128),
            numbered(*n as u64)
        )
    }
}

impl std::error::Error for NoSuchCall {}
