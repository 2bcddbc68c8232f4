//! A run as it was recorded: its steps in order, what came of it, and what it cost.

use std::borrow::Cow;
use std::fmt;

use serde_json::Map;

use super::json::Json;
use crate::value::Value;

/// One run of an agent.
///
/// A total that is `None` was not recorded, which is not zero.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trajectory<'t> {
    /// What identifies the run.
    pub run_id: Option<Cow<'t, str>>,
    /// What the agent was given.
    pub input: Option<Json<'t>>,
    /// The names of the tools that the agent has, as far as they are listed; it need not call them.
    pub tools: Vec<Cow<'t, str>>,
    /// What it did, in order.
    pub steps: Vec<Step<'t>>,
    /// What it answered; `None` where it did not.
    pub final_output: Option<Cow<'t, str>>,
    /// How many tokens the run took, as recorded.
    pub total_tokens: Option<u64>,
    /// What the run cost, as recorded.
    pub total_cost: Option<f64>,
    /// How long the run took, as recorded.
    pub duration_seconds: Option<f64>,
    /// How often a model was called, as recorded.
    pub llm_calls: Option<u64>,
    /// What ended the run, where it failed.
    pub error: Option<RunError<'t>>,
    /// The trace format that the run was read from, where that is another than the native one.
    pub source: Option<Cow<'t, str>>,
    /// What that source could not say.
    pub unknown: RunUnknown,
}

/// What the source of a run could not say about the run as a whole.
///
/// Totals need no mark: one that is `None` is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is unknown by itself")]
pub struct RunUnknown {
    /// Whether these are all of its steps: part of its record was lost.
    pub steps: bool,
    /// How often models were called.
    pub llm_calls: bool,
    /// What the agent answered.
    pub final_output: bool,
    /// Whether the run failed.
    pub error: bool,
}

/// What the source of a run could not say about a call of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CallUnknown {
    /// What it was called with.
    pub args: bool,
    /// What it returned.
    pub result: bool,
    /// Whether it failed.
    pub error: bool,
}

/// One step of a run. Its place among the steps is its order; nothing else is.
#[derive(Debug, Clone, PartialEq)]
pub struct Step<'t> {
    /// What happened.
    pub event: Event<'t>,
    /// The number that the recorder gave it.
    pub step_index: Option<u64>,
    /// When it happened: epoch seconds, or RFC 3339.
    pub timestamp: Option<Json<'t>>,
    /// How deep among sub-agents: 0 is the agent itself.
    pub depth: u32,
    /// The sub-agent that did it.
    pub parent: Option<Cow<'t, str>>,
}

/// What can happen in a step.
#[derive(Debug, Clone, PartialEq)]
pub enum Event<'t> {
    /// A tool was called.
    ToolCall(ToolCall<'t>),
    /// A model was called.
    LlmCall(LlmCall<'t>),
    /// The agent's state changed.
    StateChange(StateChange<'t>),
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolCall<'t> {
    /// The tool.
    pub name: Cow<'t, str>,
    /// An object; `None` is the empty one.
    pub args: Option<Json<'t>>,
    /// What it returned, where that was recorded.
    pub result: Option<Json<'t>>,
    /// Why it failed, where it did.
    pub error: Option<Box<RunError<'t>>>,
    /// Which of these are not recorded.
    pub unknown: CallUnknown,
}

/// A call of a model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LlmCall<'t> {
    /// The model.
    pub model: Option<Cow<'t, str>>,
    /// All tokens that went in.
    pub prompt_tokens: Option<u64>,
    /// All tokens that came out.
    pub completion_tokens: Option<u64>,
    /// What it cost.
    pub cost: Option<f64>,
}

/// A change of the agent's state.
#[derive(Debug, Clone, PartialEq)]
pub struct StateChange<'t> {
    /// What changed.
    pub key: Cow<'t, str>,
    /// What it was.
    pub old_value: Option<Json<'t>>,
    /// What it became.
    pub new_value: Option<Json<'t>>,
}

/// An error of a run or of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunError<'t> {
    /// The name of its type: `TimeoutError`.
    pub r#type: Option<Cow<'t, str>>,
    /// What it says.
    pub message: Option<Cow<'t, str>>,
    /// Where the type comes from: `asyncio`.
    pub module: Option<Cow<'t, str>>,
}

impl<'t> Step<'t> {
    /// A step of the agent itself.
    pub fn new(event: Event<'t>) -> Step<'t> {
        Step { event, step_index: None, timestamp: None, depth: 0, parent: None }
    }

    /// A call of a tool. Arguments that are no object are those of a recorder that is wrong; they equal nothing.
    pub fn tool_call(name: impl Into<Cow<'t, str>>, args: Value) -> Step<'t> {
        let call = ToolCall { name: name.into(), args: Some(args.into()), ..ToolCall::default() };
        Step::new(Event::ToolCall(call))
    }

    /// A call of a model.
    pub fn llm_call(model: impl Into<Cow<'t, str>>) -> Step<'t> {
        Step::new(Event::LlmCall(LlmCall { model: Some(model.into()), ..LlmCall::default() }))
    }

    /// A change of state.
    pub fn state_change(key: impl Into<Cow<'t, str>>, old_value: Value, new_value: Value) -> Step<'t> {
        let (old_value, new_value) = (Some(old_value.into()), Some(new_value.into()));
        Step::new(Event::StateChange(StateChange { key: key.into(), old_value, new_value }))
    }

    /// The same call, with what it returned. Anything but a tool call stays as it is.
    pub fn returning(mut self, result: Value) -> Step<'t> {
        if let Event::ToolCall(call) = &mut self.event {
            call.result = Some(result.into());
        }
        self
    }

    /// The same call, failed. Anything but a tool call stays as it is.
    pub fn failing(mut self, error: RunError<'t>) -> Step<'t> {
        if let Event::ToolCall(call) = &mut self.event {
            call.error = Some(Box::new(error));
        }
        self
    }

    /// The same step, done by a sub-agent.
    pub fn by(self, agent: impl Into<Cow<'t, str>>, depth: u32) -> Step<'t> {
        Step { depth, parent: Some(agent.into()), ..self }
    }
}

impl ToolCall<'_> {
    /// Its arguments as a value; those that are missing are the empty object.
    pub fn arguments(&self) -> Cow<'_, Value> {
        self.args.as_ref().map_or_else(|| Cow::Owned(Value::Object(Map::new())), Json::value)
    }
}

impl LlmCall<'_> {
    /// All its tokens, where both numbers were recorded.
    pub fn tokens(&self) -> Option<u64> {
        Some(self.prompt_tokens?.saturating_add(self.completion_tokens?))
    }

    /// The tokens that are recorded, where only a part of them is.
    pub(super) fn least_tokens(&self) -> u64 {
        self.prompt_tokens.unwrap_or(0).saturating_add(self.completion_tokens.unwrap_or(0))
    }
}

impl<'t> RunError<'t> {
    /// An error of a type.
    pub fn new(r#type: impl Into<Cow<'t, str>>, message: impl Into<Cow<'t, str>>) -> RunError<'t> {
        RunError { r#type: Some(r#type.into()), message: Some(message.into()), module: None }
    }

    /// The whole name of its type: `asyncio.TimeoutError`. A type that has a dot needs no module.
    pub fn full_name(&self) -> Option<Cow<'_, str>> {
        let name = self.r#type.as_deref()?;
        match self.module.as_deref() {
            Some(module) if !module.is_empty() && !name.contains('.') => {
                Some(format!("{module}.{name}").into())
            }
            _ => Some(name.into()),
        }
    }
}

impl Trajectory<'_> {
    /// The same run, which borrows nothing.
    pub fn into_owned(self) -> Trajectory<'static> {
        Trajectory {
            run_id: self.run_id.map(owned),
            input: self.input.map(Json::into_owned),
            tools: self.tools.into_iter().map(owned).collect(),
            steps: self.steps.into_iter().map(Step::into_owned).collect(),
            final_output: self.final_output.map(owned),
            total_tokens: self.total_tokens,
            total_cost: self.total_cost,
            duration_seconds: self.duration_seconds,
            llm_calls: self.llm_calls,
            error: self.error.map(RunError::into_owned),
            source: self.source.map(owned),
            unknown: self.unknown,
        }
    }
}

impl Step<'_> {
    pub(super) fn into_owned(self) -> Step<'static> {
        let event = match self.event {
            Event::ToolCall(ToolCall { name, args, result, error, unknown }) => Event::ToolCall(ToolCall {
                name: owned(name),
                args: args.map(Json::into_owned),
                result: result.map(Json::into_owned),
                error: error.map(|error| Box::new(error.into_owned())),
                unknown,
            }),
            Event::LlmCall(call) => Event::LlmCall(LlmCall { model: call.model.map(owned), ..call }),
            Event::StateChange(StateChange { key, old_value, new_value }) => {
                Event::StateChange(StateChange {
                    key: owned(key),
                    old_value: old_value.map(Json::into_owned),
                    new_value: new_value.map(Json::into_owned),
                })
            }
        };
        Step {
            event,
            step_index: self.step_index,
            timestamp: self.timestamp.map(Json::into_owned),
            depth: self.depth,
            parent: self.parent.map(owned),
        }
    }
}

impl RunError<'_> {
    fn into_owned(self) -> RunError<'static> {
        RunError {
            r#type: self.r#type.map(owned),
            message: self.message.map(owned),
            module: self.module.map(owned),
        }
    }
}

fn owned(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}

/// `TimeoutError: took too long`, as far as it is known.
impl fmt::Display for RunError<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.r#type.as_deref(), self.message.as_deref()) {
            (Some(name), Some("") | None) => formatter.write_str(name),
            (Some(name), Some(message)) => write!(formatter, "{name}: {message}"),
            (None, Some(message)) => formatter.write_str(message),
            (None, None) => formatter.write_str("unknown error (neither type nor message recorded)"),
        }
    }
}
