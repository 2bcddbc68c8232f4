//! The names of the native format, in one table.

use crate::value::scan::Names;

/// The keys of the objects of the format, in the order in which they are usually written.
macro_rules! keys {
    ($($table:ident, $known:ident { $($constant:ident = $name:literal @ $slot:literal),* $(,)? })*) => {$(
        $(pub(super) const $constant: usize = $slot;)*
        pub(super) const $table: [&str; [$($slot),*].len()] = [$($name),*];
        pub(super) static $known: Names<{ $table.len() }> = Names::new($table);
    )*};
}

keys! {
    RUN, RUN_KEYS {
        RUN_ID = "run_id" @ 0,
        INPUT = "input" @ 1,
        STEPS = "steps" @ 2,
        FINAL_OUTPUT = "final_output" @ 3,
        TOTAL_TOKENS = "total_tokens" @ 4,
        TOTAL_COST = "total_cost" @ 5,
        DURATION_SECONDS = "duration_seconds" @ 6,
        LLM_CALLS = "llm_calls" @ 7,
        RUN_ERROR = "error" @ 8,
        TOOLS = "tools" @ 9,
        SOURCE = "source" @ 10,
        RUN_UNKNOWN = "unknown" @ 11,
    }
    STEP, STEP_KEYS {
        STEP_INDEX = "step_index" @ 0,
        STEP_TYPE = "step_type" @ 1,
        TIMESTAMP = "timestamp" @ 2,
        TOOL_NAME = "tool_name" @ 3,
        TOOL_ARGS = "tool_args" @ 4,
        TOOL_RESULT = "tool_result" @ 5,
        TOOL_ERROR = "tool_error" @ 6,
        MODEL = "model" @ 7,
        PROMPT_TOKENS = "prompt_tokens" @ 8,
        COMPLETION_TOKENS = "completion_tokens" @ 9,
        COST = "cost" @ 10,
        KEY = "key" @ 11,
        OLD_VALUE = "old_value" @ 12,
        NEW_VALUE = "new_value" @ 13,
        DEPTH = "depth" @ 14,
        PARENT = "parent" @ 15,
        UNKNOWN = "unknown" @ 16,
    }
    ERROR, ERROR_KEYS {
        TYPE = "type" @ 0,
        MESSAGE = "message" @ 1,
        MODULE = "module" @ 2,
    }
}
