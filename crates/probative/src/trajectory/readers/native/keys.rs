//! The names of the native format, in one table.

/// The keys of the objects of the format, in the order in which they are usually written: what each holds, and what that is,
/// in words.
macro_rules! keys {
    ($($table:ident, $meant:ident {
        $($constant:ident = $name:literal @ $slot:literal, $holds:ident, $about:literal);* $(;)?
    })*) => {$(
        $(pub(super) const $constant: usize = $slot;)*
        pub(super) const $table: [&str; [$($slot),*].len()] = [$($name),*];
        pub(super) const $meant: [Meant; $table.len()] = [$(Meant { holds: Holds::$holds, about: $about }),*];
    )*};
}

/// What a key of the format is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meant {
    pub(super) holds: Holds,
    pub(super) about: &'static str,
}

/// What a key of the format holds; null is as good as nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Anything,
    Text,
    /// A whole number, 0 or more.
    Count,
    /// A number, 0 or more.
    Amount,
    /// A text, or a number that is taken for one.
    Label,
    /// Epoch seconds, or RFC 3339.
    Timestamp,
    Object,
    Steps,
    /// The one that ended the run: a text, or an object with a type.
    RunError,
    /// A text or an object.
    ToolError,
    /// Parts of a run that are not known.
    RunUnknown,
    /// Parts of a call that are not known.
    CallUnknown,
    /// One of the types of steps.
    StepType,
}

keys! {
    RUN, OF_RUN {
        RUN_ID = "run_id" @ 0, Text, "Identifier of the run.";
        INPUT = "input" @ 1, Anything, "Input of the agent.";
        STEPS = "steps" @ 2, Steps, "Steps, in order.";
        FINAL_OUTPUT = "final_output" @ 3, Text, "Final answer; null if there was none.";
        TOTAL_TOKENS = "total_tokens" @ 4, Count, "Tokens used by all model calls.";
        TOTAL_COST = "total_cost" @ 5, Amount, "Cost of the run.";
        DURATION_SECONDS = "duration_seconds" @ 6, Amount, "Duration of the run, in seconds.";
        LLM_CALLS = "llm_calls" @ 7, Count, "Number of model calls.";
        RUN_ERROR = "error" @ 8, RunError, "Error that ended the run.";
        TOOLS = "tools" @ 9, Anything, "Tools available to the agent: names, or objects with a `name`.";
        SOURCE = "source" @ 10, Anything, "Trace format that the run was converted from.";
        RUN_UNKNOWN = "unknown" @ 11, RunUnknown, "Parts of the run that its source didn't record.";
    }
    STEP, OF_STEP {
        STEP_INDEX = "step_index" @ 0, Count, "Index of the step. Ignored: the order of `steps` decides.";
        STEP_TYPE = "step_type" @ 1, StepType, "Type of the step.";
        TIMESTAMP = "timestamp" @ 2, Timestamp, "Time of the step: epoch seconds or RFC 3339.";
        TOOL_NAME = "tool_name" @ 3, Text, "Tool that was called.";
        TOOL_ARGS = "tool_args" @ 4, Object, "Arguments of the call.";
        TOOL_RESULT = "tool_result" @ 5, Anything, "Result of the call.";
        TOOL_ERROR = "tool_error" @ 6, ToolError, "Error of the call.";
        MODEL = "model" @ 7, Text, "Model that was called.";
        PROMPT_TOKENS = "prompt_tokens" @ 8, Count, "Input tokens.";
        COMPLETION_TOKENS = "completion_tokens" @ 9, Count, "Output tokens.";
        COST = "cost" @ 10, Amount, "Cost of the call.";
        KEY = "key" @ 11, Text, "Key that changed.";
        OLD_VALUE = "old_value" @ 12, Anything, "Value before the change.";
        NEW_VALUE = "new_value" @ 13, Anything, "Value after the change.";
        DEPTH = "depth" @ 14, Count, "Depth among sub-agents: 0 for the agent itself.";
        PARENT = "parent" @ 15, Label, "Sub-agent that took the step.";
        UNKNOWN = "unknown" @ 16, CallUnknown, "Parts of the call that weren't recorded.";
    }
    ERROR, OF_ERROR {
        TYPE = "type" @ 0, Text, "Type of the error.";
        MESSAGE = "message" @ 1, Text, "Message of the error.";
        MODULE = "module" @ 2, Text, "Module that defines the type of the error.";
    }
}

/// Keys that other formats use, and what this one calls them.
pub(super) const OTHER_NAMES: [(&[&str], &str); 5] = [
    (&["arguments", "parameters", "params"], "tool_args"),
    (&["output"], "tool_result"),
    (&["status", "success", "failed", "is_error", "exception"], "tool_error"),
    (&["output", "answer"], "final_output"),
    (&["status", "success", "failed", "is_error", "exception"], "error"),
];

/// The same of keys that objects need: beside those, such a key is no slip.
pub(super) const OTHER_NEEDED_NAMES: [(&[&str], &str); 2] =
    [(&["type", "kind", "step"], "step_type"), (&["tool", "function", "function_name"], "tool_name")];

/// A type of steps: its name, the keys that only such steps have, and the one of those that they need.
pub(super) struct StepKind {
    pub(super) name: &'static str,
    pub(super) keys: &'static [usize],
    pub(super) needed: Option<usize>,
}

/// The keys of every step.
pub(super) const EVERY_STEP: [usize; 5] = [STEP_INDEX, STEP_TYPE, TIMESTAMP, DEPTH, PARENT];

pub(super) const STEP_KINDS: [StepKind; 3] = [
    StepKind {
        name: "tool_call",
        keys: &[TOOL_NAME, TOOL_ARGS, TOOL_RESULT, TOOL_ERROR, UNKNOWN],
        needed: Some(TOOL_NAME),
    },
    StepKind { name: "llm_call", keys: &[MODEL, PROMPT_TOKENS, COMPLETION_TOKENS, COST], needed: None },
    StepKind { name: "state_change", keys: &[KEY, OLD_VALUE, NEW_VALUE], needed: Some(KEY) },
];

/// The names of the types of steps.
pub(super) const STEP_TYPES: [&str; 3] = [STEP_KINDS[0].name, STEP_KINDS[1].name, STEP_KINDS[2].name];
