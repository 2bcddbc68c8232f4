//! Models that stopped to call tools, as far as their spans say so without the messages.

use super::dumped;
use super::span::Span;
use crate::trajectory::readers::json::holds_step;
use crate::value::Value;

/// Returns true if a model stopped to call tools: by a finish reason, or by an answer in JSON that has a call in it.
pub(super) fn for_calls(span: &Span) -> bool {
    const OF_ANSWERS: [&str; 4] =
        ["gen_ai.response.", "gen_ai.completion.", "llm.response.", "llm.output_messages."];
    const REASONS: [&str; 3] = ["finish_reason", "finish_reasons", "stop_reason"];
    let is_reason = |key: &str| {
        OF_ANSWERS.iter().any(|beginning| key.starts_with(beginning))
            && REASONS.iter().any(|ending| key.ends_with(ending))
    };
    let has_call = |answer: &Value| match answer {
        Value::String(text) => dumped::held(text).is_some_and(|held| holds_step(&held)),
        answer => holds_step(answer),
    };
    let Some(attributes) = span.attributes.as_object() else { return false };
    attributes.iter().any(|(key, value)| is_reason(key) && is_for_calls(value))
        || ["output.value", "gen_ai.completion"].iter().any(|key| attributes.get(*key).is_some_and(has_call))
}

/// Returns true for a finish reason, or a list with one, that says that the model asked for calls. Providers spell it
/// differently: `tool_calls`, `tool-calls`, `tool_use`, `TOOL_CALL`, `function_call`.
pub(super) fn is_for_calls(reason: &Value) -> bool {
    match reason {
        Value::Array(reasons) => reasons.iter().any(is_for_calls),
        Value::String(text) => {
            dumped::held(text).map_or_else(|| is_spelled(text), |held| is_for_calls(&held))
        }
        _ => false,
    }
}

fn is_spelled(reason: &str) -> bool {
    const ENDINGS: [&str; 5] = ["toolcalls", "toolcall", "tooluse", "functioncall", "functioncalls"];
    let letters: String = reason.chars().filter(char::is_ascii_alphabetic).collect();
    let letters = letters.to_ascii_lowercase();
    ENDINGS.iter().any(|ending| letters.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reasons_for_calls_are_known_in_any_spelling() {
        let reasons = ["tool_calls", "tool-calls", "tool_use", "TOOL_CALL", "FinishReason.FUNCTION_CALL"];
        for reason in reasons {
            assert!(is_for_calls(&json!(reason)) && is_for_calls(&json!(["stop", reason])), "{reason}");
        }
        assert!(is_for_calls(&json!("[\"tool_calls\"]")));
        for other in [json!("stop"), json!(["length"]), json!("[]"), json!(null), json!(7)] {
            assert!(!is_for_calls(&other), "{other}");
        }
    }
}
