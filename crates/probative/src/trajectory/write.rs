//! A run written in the native format.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::model::{Event, LlmCall, RunError, StateChange, Step, ToolCall, Trajectory};

/// As one JSON object that the reader of the native format reads back. What is not known is left out.
impl Serialize for Trajectory<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        known(&mut map, "run_id", self.run_id.as_ref())?;
        known(&mut map, "input", self.input.as_ref())?;
        if !self.tools.is_empty() {
            map.serialize_entry("tools", &self.tools)?;
        }
        map.serialize_entry("steps", &self.steps)?;
        known(&mut map, "final_output", self.final_output.as_ref())?;
        known(&mut map, "total_tokens", self.total_tokens.as_ref())?;
        known(&mut map, "total_cost", self.total_cost.as_ref())?;
        known(&mut map, "duration_seconds", self.duration_seconds.as_ref())?;
        known(&mut map, "llm_calls", self.llm_calls.as_ref())?;
        known(&mut map, "error", self.error.as_ref())?;
        known(&mut map, "source", self.source.as_ref())?;
        listed(&mut map, self.unknown.names())?;
        map.end()
    }
}

impl Serialize for Step<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        known(&mut map, "step_index", self.step_index.as_ref())?;
        known(&mut map, "timestamp", self.timestamp.as_ref())?;
        match &self.event {
            Event::ToolCall(ToolCall { name, args, result, error, unknown }) => {
                map.serialize_entry("step_type", "tool_call")?;
                map.serialize_entry("tool_name", name)?;
                known(&mut map, "tool_args", args.as_ref())?;
                known(&mut map, "tool_result", result.as_ref())?;
                known(&mut map, "tool_error", error.as_ref())?;
                listed(&mut map, unknown.names())?;
            }
            Event::LlmCall(LlmCall { model, prompt_tokens, completion_tokens, cost }) => {
                map.serialize_entry("step_type", "llm_call")?;
                known(&mut map, "model", model.as_ref())?;
                known(&mut map, "prompt_tokens", prompt_tokens.as_ref())?;
                known(&mut map, "completion_tokens", completion_tokens.as_ref())?;
                known(&mut map, "cost", cost.as_ref())?;
            }
            Event::StateChange(StateChange { key, old_value, new_value }) => {
                map.serialize_entry("step_type", "state_change")?;
                map.serialize_entry("key", key)?;
                known(&mut map, "old_value", old_value.as_ref())?;
                known(&mut map, "new_value", new_value.as_ref())?;
            }
        }
        // A step with a parent is taken to be one deep unless it says otherwise.
        if self.depth != u32::from(self.parent.is_some()) {
            map.serialize_entry("depth", &self.depth)?;
        }
        known(&mut map, "parent", self.parent.as_ref())?;
        map.end()
    }
}

/// An error without a type is the text that it says.
impl Serialize for RunError<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let RunError { r#type: None, message: Some(message), module: None } = self {
            return serializer.serialize_str(message);
        }
        let mut map = serializer.serialize_map(None)?;
        known(&mut map, "type", self.r#type.as_ref())?;
        known(&mut map, "message", self.message.as_ref())?;
        known(&mut map, "module", self.module.as_ref())?;
        map.end()
    }
}

/// What is unknown, where anything is.
fn listed<M: SerializeMap>(
    map: &mut M,
    names: impl Iterator<Item = &'static str> + Clone,
) -> Result<(), M::Error> {
    if names.clone().next().is_none() {
        return Ok(());
    }
    map.serialize_entry("unknown", &names.collect::<Vec<_>>())
}

fn known<M: SerializeMap>(map: &mut M, key: &str, value: Option<&impl Serialize>) -> Result<(), M::Error> {
    value.map_or(Ok(()), |value| map.serialize_entry(key, value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_known_is_left_out() {
        assert_eq!(serde_json::to_value(Trajectory::default()).unwrap(), json!({"steps": []}));
    }
}
