//! Buffers to be used again: giving large ones back to the system for every block costs more than filling them.

use std::sync::{Mutex, PoisonError};

/// How many buffers are kept, and how large each may be.
const KEPT: usize = 64;
const LARGEST: usize = 1 << 20;

/// Buffers that have their memory already.
#[derive(Default)]
pub(crate) struct Spare(Mutex<Vec<Vec<u8>>>);

impl Spare {
    /// An empty buffer.
    pub(crate) fn take(&self) -> Vec<u8> {
        let mut buffer = self.take_used();
        buffer.clear();
        buffer
    }

    /// A buffer that holds whatever it held last, for those who overwrite it.
    pub(crate) fn take_used(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Gives a buffer back.
    pub(crate) fn give(&self, buffer: Vec<u8>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if (1..=LARGEST).contains(&buffer.capacity()) && kept.len() < KEPT {
            kept.push(buffer);
        }
    }
}
