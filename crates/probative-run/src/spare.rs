//! Buffers to be used again: giving large ones back to the system for every block costs more than filling them.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many buffers are kept, and how large each may be.
const KEPT: usize = 64;
const LARGEST: usize = 1 << 20;

/// Buffers that have their memory already.
#[derive(Default)]
pub(crate) struct Spare(Mutex<Vec<Vec<u8>>>);

impl Spare {
    /// Returns an empty buffer.
    pub(crate) fn take(&self) -> Vec<u8> {
        let mut buffer = self.take_used();
        buffer.clear();
        buffer
    }

    /// Returns the buffer that was given back last, with what it held, for callers that overwrite it.
    pub(crate) fn take_used(&self) -> Vec<u8> {
        self.kept().pop().unwrap_or_default()
    }

    /// Gives a buffer back.
    pub(crate) fn give(&self, buffer: Vec<u8>) {
        let mut kept = self.kept();
        if (1..=LARGEST).contains(&buffer.capacity()) && kept.len() < KEPT {
            kept.push(buffer);
        }
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_used_again_unless_it_is_large() {
        let spare = Spare::default();
        spare.give(b"used".to_vec());
        spare.give(vec![0; LARGEST + 1]);
        assert_eq!(spare.take_used(), b"used");
        assert_eq!(spare.take_used(), b"");
        spare.give(b"used".to_vec());
        assert_eq!(spare.take(), b"");
    }
}
