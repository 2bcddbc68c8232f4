//! Whose value a secret is, and whether a mask has hidden it anywhere.

use std::sync::atomic::{AtomicBool, Ordering};

/// The name of a variable that holds a secret. All masks that were made with it note on it that they hid its value.
#[derive(Debug, Default)]
pub struct Name {
    name: String,
    was_hidden: AtomicBool,
}

impl Name {
    /// A name whose value was not hidden yet.
    pub fn new(name: impl Into<String>) -> Name {
        Name { name: name.into(), was_hidden: AtomicBool::new(false) }
    }

    /// The name as it is written.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// Whether its value, or a part of it, stood in a text and was hidden there.
    pub fn was_hidden(&self) -> bool {
        self.was_hidden.load(Ordering::Relaxed)
    }

    pub(super) fn note(&self) {
        self.was_hidden.store(true, Ordering::Relaxed);
    }
}
