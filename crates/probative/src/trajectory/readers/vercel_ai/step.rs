//! The steps of a result: each is a call of a model with what it asked for, and what came of that.

use serde_json::json;

use super::super::json::{at, count, get, take, take_list, take_text, text, timestamp};
use super::super::recorder::Mark;
use super::Conversation;
use super::content::{Written, take_content};
use crate::trajectory::model::{LlmCall, RunError};
use crate::value::Value;

impl Conversation {
    /// Takes a step. Its request tells the input, where it was kept.
    pub(super) fn step(&mut self, mut step: Value) {
        if self.id.is_none() {
            self.id = take_text(&mut step, "callId");
        }
        if !self.run.has_steps()
            && let Some(mut request) = take(&mut step, "request")
        {
            let messages = take_list(&mut request, "messages");
            let asked = messages.into_iter().find(|message| text(message, "role") == Some("user"));
            if let Some(mut message) = asked {
                self.run.heard(take(&mut message, "content"));
            }
        }
        let usage = take(&mut step, "usage").unwrap_or_default();
        let model = [&["response", "modelId"], &["model", "modelId"]];
        let call = LlmCall {
            model: model
                .iter()
                .find_map(|path| at(&step, *path)?.as_str())
                .map(|name| name.to_owned().into()),
            prompt_tokens: tokens(&usage, "inputTokens", "promptTokens"),
            completion_tokens: tokens(&usage, "outputTokens", "completionTokens"),
            cost: None,
        };
        let timestamp = timestamp(at(&step, &["response", "timestamp"]));
        self.run.llm(call, Mark { timestamp, ..Mark::default() });
        let mut content = self.run.take_list(&mut step, "content");
        if content.is_empty() {
            content = self.gathered(&mut step);
        }
        let content = Value::Array(content);
        let is_call = |part: &Value| text(part, "type") == Some("tool-call");
        let has_call = content.as_array().is_some_and(|parts| parts.iter().any(is_call));
        take_content(&mut self.run, Some(content), Written::Step);
        match text(&step, "finishReason") {
            Some("tool-calls") if !has_call => {
                self.run.not_understood(|| "'finishReason' is tool-calls, but the step has none".to_owned());
            }
            Some("stop" | "tool-calls" | "length" | "content-filter" | "error") => {}
            // The provider did not report why, or gave a reason that the SDK does not know.
            _ => self.run.broke_off(),
        }
        self.failure = match text(&step, "finishReason") {
            Some("content-filter") => Some(RunError::new("content_filter", "the answer was withheld")),
            Some(reason @ "length") => Some(RunError::new("incomplete", reason.to_owned())),
            Some("error") => Some(RunError::new("error", "the model stopped with an error")),
            _ => None,
        };
    }

    /// Takes the total that a result states.
    pub(super) fn total(&mut self, usage: Option<Value>) {
        let usage = usage.unwrap_or_default();
        self.run.run().total_tokens = count(&usage, "totalTokens");
    }

    /// Gathers the content of a step that has its texts, calls and results apart.
    fn gathered(&mut self, step: &mut Value) -> Vec<Value> {
        let said = text(step, "text").map(|said| json!({ "type": "text", "text": said }));
        let mut parts: Vec<Value> = said.into_iter().collect();
        for (key, kind) in [("toolCalls", "tool-call"), ("toolResults", "tool-result")] {
            for mut part in self.run.take_list(step, key) {
                if let Some(part) = part.as_object_mut() {
                    part.insert("type".to_owned(), kind.into());
                }
                parts.push(part);
            }
        }
        parts
    }
}

/// A number of tokens, under its name or that of version 4; providers tell it with its parts.
fn tokens(usage: &Value, name: &str, fourth: &str) -> Option<u64> {
    count(usage, name).or_else(|| count(usage, fourth)).or_else(|| count(get(usage, name)?, "total"))
}
