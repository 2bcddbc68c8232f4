//! How much memory an evaluation may hold.

use std::cell::Cell;
use std::rc::Rc;

use crate::value::Value;

use super::budget::exceeded;
use super::fault::Fault;

/// How many bytes functions and the values that were made on the way may hold together. What the stack holds has its own
/// bound, and the subject and the expression were there before.
const MOST_BYTES: usize = 512 << 20;

/// What a value takes inside another, or beside its reference count.
const VALUE_BYTES: usize = 72;

/// Counts the bytes that an evaluation holds.
#[derive(Debug, Default)]
pub(super) struct Memory {
    held: Rc<Cell<usize>>,
}

/// Bytes that are held. Dropping it gives them back.
#[derive(Debug)]
pub(super) struct Held {
    bytes: usize,
    all: Rc<Cell<usize>>,
}

impl Memory {
    /// Holds so many more bytes, or says that there are none left.
    pub(super) fn hold(&self, bytes: usize) -> Result<Held, Fault> {
        let all = self.held.get().saturating_add(bytes);
        if all > MOST_BYTES {
            return Err(exceeded("memory (512 MiB)").into());
        }
        self.held.set(all);
        Ok(Held { bytes, all: Rc::clone(&self.held) })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.all.set(self.all.get().saturating_sub(self.bytes));
    }
}

/// About how many bytes a value takes.
pub(super) fn size(value: &Value) -> usize {
    VALUE_BYTES
        + match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
            Value::String(text) => text.len(),
            Value::Array(items) => items.iter().map(size).sum(),
            Value::Object(members) => members.iter().map(|(name, member)| name.len() + size(member)).sum(),
        }
}
