//! Long texts of a sample are written once, and referred to from where they belong.

use serde_json::Map;

use crate::value::Value;

/// How many bytes the texts in their places may take in all. A few references could stand for more than can be held.
const ROOM: usize = 256 << 20;

/// The texts that a sample's events and messages refer to.
pub(super) struct Attachments {
    texts: Map<String, Value>,
    room: usize,
    /// Whether there was no room for one.
    pub(super) are_too_much: bool,
}

impl Attachments {
    /// Those of a sample, and those that old logs keep with the transcript.
    pub(super) fn new(attachments: Option<Value>, kept: Option<Value>) -> Attachments {
        let mut texts = Map::new();
        for more in [kept, attachments].into_iter().flatten() {
            match more {
                Value::Object(more) if texts.is_empty() => texts = more,
                Value::Object(more) => texts.extend(more),
                _ => {}
            }
        }
        Attachments { texts, room: ROOM, are_too_much: false }
    }

    /// The same value with the texts in their places. A reference to nothing stays.
    pub(super) fn resolved(&mut self, value: Option<Value>) -> Option<Value> {
        let mut value = value?;
        if !self.texts.is_empty() {
            self.resolve(&mut value);
        }
        Some(value)
    }

    fn resolve(&mut self, value: &mut Value) {
        match value {
            Value::String(reference) => {
                if let Some(text) = self.text(reference) {
                    *reference = text;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.resolve(item)),
            Value::Object(members) => members.values_mut().for_each(|member| self.resolve(member)),
            _ => {}
        }
    }

    fn text(&mut self, reference: &str) -> Option<String> {
        let hash = reference.strip_prefix("attachment://").or_else(|| reference.strip_prefix("tc://"))?;
        let text = self.texts.get(hash)?.as_str()?;
        let Some(room) = self.room.checked_sub(text.len()) else {
            self.are_too_much = true;
            return None;
        };
        self.room = room;
        Some(text.to_owned())
    }
}
