//! A stream of events: the answer of a model, in pieces.

use std::collections::BTreeMap;

use serde_json::{Map, json};

use super::super::json::{at, count, get, take, take_text, text};
use super::super::{NoteKind, json::take_list};
use super::Conversation;
use crate::trajectory::model::RunError;
use crate::value::Value;

/// Whether a record is an event of a stream.
pub(super) fn is_event(record: &Value) -> bool {
    match text(record, "type") {
        Some("message_start") => get(record, "message").is_some(),
        Some("message_delta" | "content_block_delta") => get(record, "delta").is_some(),
        Some("content_block_start") => get(record, "content_block").is_some(),
        Some("content_block_stop") => get(record, "index").is_some(),
        Some("message_stop" | "ping") => true,
        _ => false,
    }
}

/// What is streaming.
#[derive(Default)]
pub(super) struct Stream {
    message: Option<Message>,
}

/// A message of which not all may have come yet.
#[derive(Default)]
struct Message {
    /// What came at its start, and its `stop_reason` and usage since.
    envelope: Map<String, Value>,
    blocks: BTreeMap<u64, Block>,
    is_whole: bool,
    /// Whether it was told what came out: what the start tells is only what had come by then.
    is_counted: bool,
    /// What broke it off.
    error: Option<RunError<'static>>,
}

/// A block, and what was added to it.
#[derive(Default)]
struct Block {
    start: Value,
    text: String,
    json: String,
}

impl Stream {
    /// Takes an event. A message that starts before the last one stopped, or with its id, is a second attempt.
    pub(super) fn event(&mut self, mut event: Value, run: &mut Conversation) {
        let kind = take_text(&mut event, "type").unwrap_or_default();
        if kind == "message_start" {
            let Some(Value::Object(envelope)) = take(&mut event, "message") else {
                run.run.not_understood(|| "'message_start' without a 'message' object".to_owned());
                return;
            };
            let next = Message { envelope, ..Message::default() };
            match self.message.take() {
                Some(before) if !before.is_whole || before.has_id_of(&next) => {
                    run.run
                        .note(NoteKind::Repeated, || "an earlier attempt at a streamed message".to_owned());
                    if before.may_call() && !before.has_id_of(&next) {
                        // It may be no second attempt, so that its calls were made.
                        run.run.cut_off("no 'message_stop'");
                    }
                }
                Some(before) => before.hand_over(run),
                None => {}
            }
            run.failure = None;
            self.message = Some(next);
            return;
        }
        if kind == "ping" {
            return;
        }
        let message = self.message.get_or_insert_default();
        let last = message.blocks.last_key_value().map(|(index, _)| *index);
        let index = count(&event, "index").unwrap_or_else(|| match (kind.as_str(), last) {
            ("content_block_start", Some(last)) => last.saturating_add(1),
            (_, last) => last.unwrap_or_default(),
        });
        match kind.as_str() {
            "content_block_start" => {
                let start = take(&mut event, "content_block").unwrap_or_default();
                if message.blocks.insert(index, Block { start, ..Block::default() }).is_some() {
                    run.run.not_understood(|| format!("content block {index} starts twice"));
                }
            }
            "content_block_delta" => {
                let block = message.blocks.entry(index).or_default();
                let added = |key| at(&event, &["delta", key]).and_then(Value::as_str);
                block.text.extend(added("text"));
                block.json.extend(added("partial_json"));
            }
            "message_delta" => message.change(event),
            "message_stop" => message.is_whole = true,
            _ => {}
        }
    }

    /// Takes an error, which ends the run unless the message is begun again.
    pub(super) fn failed(&mut self, error: RunError<'static>, run: &mut Conversation) {
        match &mut self.message {
            Some(message) => message.error = Some(error),
            None => run.failure = Some(error),
        }
    }

    /// Hands over the message that came last, as far as it came.
    pub(super) fn flush(&mut self, run: &mut Conversation) {
        if let Some(message) = self.message.take() {
            message.hand_over(run);
        }
    }
}

impl Message {
    /// Returns true unless it consists of texts and thoughts.
    fn may_call(&self) -> bool {
        let is_harmless = |block: &Block| {
            matches!(text(&block.start, "type"), Some("text" | "thinking" | "redacted_thinking"))
        };
        !self.blocks.values().all(is_harmless)
    }

    fn has_id_of(&self, other: &Message) -> bool {
        self.envelope.get("id").is_some_and(|id| id.is_string() && other.envelope.get("id") == Some(id))
    }

    /// Takes why it stopped, and what it took: usage is told as it grows, and not all of it each time.
    fn change(&mut self, mut event: Value) {
        if let Some(Value::Object(delta)) = take(&mut event, "delta") {
            self.is_whole |= delta.get("stop_reason").is_some_and(Value::is_string);
            self.envelope.extend(delta.into_iter().filter(|(_, value)| !value.is_null()));
        }
        let Some(usage) = take(&mut event, "usage") else { return };
        self.is_counted |= count(&usage, "output_tokens").is_some();
        let Value::Object(usage) = usage else { return };
        let known = self.envelope.entry("usage").or_insert_with(|| json!({}));
        for (key, value) in usage {
            if let Some(known) = known.as_object_mut()
                && known.get(&key).and_then(Value::as_u64) <= value.as_u64()
            {
                known.insert(key, value);
            }
        }
    }

    fn hand_over(self, run: &mut Conversation) {
        let mut message = Value::Object(self.envelope);
        if !self.is_counted
            && let Some(Value::Object(usage)) = message.get_mut("usage")
        {
            usage.remove("output_tokens");
        }
        let mut content = take_list(&mut message, "content");
        content.extend(self.blocks.into_values().map(Block::assembled));
        if let Some(message) = message.as_object_mut() {
            // What is missing is noted below.
            message.retain(|key, value| key != "stop_reason" || !value.is_null());
            message.insert("role".to_owned(), "assistant".into());
            message.insert("content".to_owned(), content.into());
        }
        let _ = run.message(message);
        match &self.error {
            // An error says that nothing follows.
            Some(_) if !self.is_whole => run.run.broke_off(),
            None if !self.is_whole => run.run.cut_off("no 'message_stop'"),
            _ => {}
        }
        run.failure = self.error.or(run.failure.take());
    }
}

impl Block {
    fn assembled(self) -> Value {
        let Block { start, text: added, json } = self;
        let Value::Object(mut block) = start else {
            // Without its start, only a text can be told.
            let is_text = start.is_null() && json.is_empty();
            return if is_text { json!({ "type": "text", "text": added }) } else { start };
        };
        if !json.is_empty() {
            block.insert("input".to_owned(), json.into());
        }
        if !added.is_empty() {
            let before = block.get("text").and_then(Value::as_str).unwrap_or_default();
            let all = format!("{before}{added}");
            block.insert("text".to_owned(), all.into());
        }
        Value::Object(block)
    }
}
