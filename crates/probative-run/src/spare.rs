//! Buffers to be used again: giving large ones back to the system for every block costs more than filling them.

use std::sync::{Mutex, PoisonError};

/// How many buffers are kept, and how large each may be.
const KEPT: usize = 64;
const LARGEST: usize = 1 << 20;

/// Empty buffers that have their memory already.
#[derive(Default)]
pub(crate) struct Spare(Mutex<Vec<Vec<u8>>>);

impl Spare {
    /// An empty buffer.
    pub(crate) fn take(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Gives a buffer back.
    pub(crate) fn give(&self, mut buffer: Vec<u8>) {
        buffer.clear();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buffer.capacity() <= LARGEST && kept.len() < KEPT {
            kept.push(buffer);
        }
    }
}
