//! What stands in a document.

use std::fmt;
use std::ops::Deref;

use serde_json::Value;

/// A text that is also a value, so that a case about its own document needs no copy of it.
#[derive(Debug, Clone)]
pub struct Text(Value);

impl Text {
    /// The text as a subject.
    pub fn value(&self) -> &Value {
        &self.0
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text(Value::String(text))
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        // It is made of nothing but a text.
        self.0.as_str().unwrap_or_default()
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}
