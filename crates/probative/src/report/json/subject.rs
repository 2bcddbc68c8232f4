//! What was judged, for machines.

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use crate::exhibit::Panel;

/// What was judged, by the names of its parts.
pub(super) struct JsonSubject(Vec<(String, Box<RawValue>)>);

impl JsonSubject {
    /// Returns the parts, and the names of those that are incomplete.
    pub(super) fn of(panels: Vec<Panel>) -> (JsonSubject, Vec<String>) {
        let (mut parts, mut incomplete) = (Vec::new(), Vec::new());
        for panel in panels {
            match panel {
                Panel::Trajectory { title, run: value }
                | Panel::Selection { title, report: value }
                | Panel::Json { title, value } => parts.push((key(&title), on_one_line(value))),
                Panel::Text { title, text, left_out } => {
                    if left_out > 0 {
                        incomplete.push(key(&title));
                    }
                    // Writing a string to memory cannot fail.
                    parts.push((key(&title), to_raw_value(&text).unwrap_or_default()));
                }
                Panel::Oversized { title, .. } => incomplete.push(key(&title)),
            }
        }
        (JsonSubject(parts), incomplete)
    }
}

/// The key of a part: `exit_code`, or `step 1: response` in a conversation.
fn key(title: &str) -> String {
    if title.contains(':') { title.to_owned() } else { title.replace(' ', "_") }
}

/// JSON Lines has one line per result. Line ends within strings are escaped already.
fn on_one_line(value: Box<RawValue>) -> Box<RawValue> {
    if !value.get().contains(['\n', '\r']) {
        return value;
    }
    let line = value.get().replace(['\n', '\r'], " ");
    RawValue::from_string(line).unwrap_or_default()
}

impl Serialize for JsonSubject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}
