//! The names of the native format, in one table.

use crate::value::scan::Names;

/// The keys of the objects of the format, in the order in which they are usually written: what each holds, and what that is,
/// in words.
macro_rules! keys {
    ($($table:ident, $known:ident, $meant:ident {
        $($constant:ident = $name:literal @ $slot:literal, $holds:ident, $about:literal);* $(;)?
    })*) => {$(
        $(pub(super) const $constant: usize = $slot;)*
        pub(super) const $table: [&str; [$($slot),*].len()] = [$($name),*];
        pub(super) static $known: Names<{ $table.len() }> = Names::new($table);
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
    RUN, RUN_KEYS, OF_RUN {
        RUN_ID = "run_id" @ 0, Text, "What identifies the run.";
        INPUT = "input" @ 1, Anything, "What the agent was given.";
        STEPS = "steps" @ 2, Steps, "What it did, in order.";
        FINAL_OUTPUT = "final_output" @ 3, Text, "Its answer; null where it gave none.";
        TOTAL_TOKENS = "total_tokens" @ 4, Count, "How many tokens all model calls took.";
        TOTAL_COST = "total_cost" @ 5, Amount, "What the run cost.";
        DURATION_SECONDS = "duration_seconds" @ 6, Amount, "How long it took.";
        LLM_CALLS = "llm_calls" @ 7, Count, "How often a model was called.";
        RUN_ERROR = "error" @ 8, RunError, "The error that ended the run.";
        TOOLS = "tools" @ 9, Anything, "The tools that the agent has: names, or objects with a `name`.";
        SOURCE = "source" @ 10, Anything, "The trace format that the run was read from.";
        RUN_UNKNOWN = "unknown" @ 11, RunUnknown, "What that source could not say.";
    }
    STEP, STEP_KEYS, OF_STEP {
        STEP_INDEX = "step_index" @ 0, Count, "Recorded only: order is position in the list.";
        STEP_TYPE = "step_type" @ 1, StepType, "What kind of step it is.";
        TIMESTAMP = "timestamp" @ 2, Timestamp, "When it was taken: epoch seconds, or RFC 3339.";
        TOOL_NAME = "tool_name" @ 3, Text, "The tool that was called.";
        TOOL_ARGS = "tool_args" @ 4, Object, "What the tool was given.";
        TOOL_RESULT = "tool_result" @ 5, Anything, "What it gave back.";
        TOOL_ERROR = "tool_error" @ 6, ToolError, "Why it failed.";
        MODEL = "model" @ 7, Text, "The model that was called.";
        PROMPT_TOKENS = "prompt_tokens" @ 8, Count, "How many tokens it was given.";
        COMPLETION_TOKENS = "completion_tokens" @ 9, Count, "How many tokens it gave back.";
        COST = "cost" @ 10, Amount, "What the call cost.";
        KEY = "key" @ 11, Text, "What changed.";
        OLD_VALUE = "old_value" @ 12, Anything, "What it was before.";
        NEW_VALUE = "new_value" @ 13, Anything, "What it is now.";
        DEPTH = "depth" @ 14, Count, "0 for steps of the run itself, more for those of sub-agents.";
        PARENT = "parent" @ 15, Label, "The sub-agent that took the step.";
        UNKNOWN = "unknown" @ 16, CallUnknown, "What was not recorded of the call.";
    }
    ERROR, ERROR_KEYS, OF_ERROR {
        TYPE = "type" @ 0, Text, "What kind of error it is.";
        MESSAGE = "message" @ 1, Text, "What it says.";
        MODULE = "module" @ 2, Text, "Where its type is defined.";
    }
}

/// Keys by which other formats say how a run or a call ended, where this one has `error` and `tool_error`.
pub(super) const ENDINGS: [&str; 5] = ["status", "success", "failed", "is_error", "exception"];

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
