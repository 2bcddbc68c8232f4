//! What was judged, as data, for a report that lays it out itself.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::mask::Mask;

/// A part of what was judged, as data.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Panel {
    /// A run, in the native format.
    Trajectory {
        /// What it is called: `trajectory`.
        title: String,
        /// The run.
        run: Box<RawValue>,
    },
    /// A selection report, as it is recorded.
    Selection {
        /// What it is called: `report`.
        title: String,
        /// The report.
        report: Box<RawValue>,
    },
    /// Any JSON.
    Json {
        /// What it is called: `response`.
        title: String,
        /// The value.
        value: Box<RawValue>,
    },
    /// Plain text.
    Text {
        /// What it is called: `stdout`.
        title: String,
        /// The text, or the end of it.
        text: String,
        /// How many lines before it are left out.
        left_out: usize,
    },
    /// What is too large to be a part of a report.
    Oversized {
        /// What it is called.
        title: String,
        /// How large it is.
        bytes: usize,
    },
}

/// A panel that is larger than this is none.
const LARGEST_PANEL: usize = 512 << 10;

/// Of a text that is longer than this, a panel shows the end.
const LONGEST_TEXT: usize = 64 << 10;

impl Panel {
    /// A run, as it is written in the native format.
    pub fn trajectory(title: &str, run: &impl Serialize) -> Panel {
        Panel::written(title, run, |title, run| Panel::Trajectory { title, run })
    }

    /// A selection report.
    pub fn selection(title: &str, report: &impl Serialize) -> Panel {
        Panel::written(title, report, |title, report| Panel::Selection { title, report })
    }

    /// Any JSON.
    pub fn json(title: &str, value: &impl Serialize) -> Panel {
        Panel::written(title, value, |title, value| Panel::Json { title, value })
    }

    /// A text, or its last lines.
    pub fn text(title: &str, text: &str) -> Panel {
        let start = text.ceil_char_boundary(text.len().saturating_sub(LONGEST_TEXT));
        let start = if start == 0 { 0 } else { text[start..].find('\n').map_or(start, |at| start + at + 1) };
        let left_out = text[..start].lines().count();
        Panel::Text { title: title.to_owned(), text: text[start..].to_owned(), left_out }
    }

    /// The same without secrets.
    pub(crate) fn hidden(mut self, mask: &Mask) -> Panel {
        let hide = |json: &mut Box<RawValue>| {
            if let Cow::Owned(hidden) = mask.hide_json(json.get()) {
                // What was JSON is JSON still.
                *json = RawValue::from_string(hidden).unwrap_or_default();
            }
        };
        let title = match &mut self {
            Panel::Trajectory { title, run: json }
            | Panel::Selection { title, report: json }
            | Panel::Json { title, value: json } => {
                hide(json);
                title
            }
            Panel::Text { title, text, .. } => {
                mask.hide_in(text);
                title
            }
            Panel::Oversized { title, .. } => title,
        };
        mask.hide_in(title);
        self
    }

    /// The same under a longer title.
    pub fn headed(mut self, head: &str) -> Panel {
        let (Panel::Trajectory { title, .. }
        | Panel::Selection { title, .. }
        | Panel::Json { title, .. }
        | Panel::Text { title, .. }
        | Panel::Oversized { title, .. }) = &mut self;
        title.insert_str(0, head);
        self
    }

    fn written(
        title: &str,
        subject: &impl Serialize,
        panel: impl FnOnce(String, Box<RawValue>) -> Panel,
    ) -> Panel {
        let title = title.to_owned();
        match serde_json::value::to_raw_value(subject) {
            Ok(raw) if raw.get().len() <= LARGEST_PANEL => panel(title, raw),
            Ok(raw) => Panel::Oversized { title, bytes: raw.get().len() },
            // Writing what was read from JSON to memory cannot fail.
            Err(_) => Panel::Oversized { title, bytes: 0 },
        }
    }
}
