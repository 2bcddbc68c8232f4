//! Buffers to be used again: giving large ones back to the system for every block costs more than filling them.

use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

/// How many buffers are kept, and how large each may be.
const KEPT: usize = 64;
const LARGEST: usize = 1 << 20;

/// Buffers that have their memory already, and who gave each of them back.
#[derive(Default)]
pub(crate) struct Spare(Mutex<Vec<(ThreadId, Vec<u8>)>>);

impl Spare {
    /// An empty buffer.
    pub(crate) fn take(&self) -> Vec<u8> {
        let mut buffer = self.take_used();
        buffer.clear();
        buffer
    }

    /// A buffer that holds whatever it held last, for those who overwrite it.
    ///
    /// Best is one that this thread gave back: its core has that at hand, while another's would have to be fetched from there.
    pub(crate) fn take_used(&self) -> Vec<u8> {
        let own = thread::current().id();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.iter().rposition(|(whose, _)| *whose == own) {
            Some(position) => kept.swap_remove(position).1,
            None => kept.pop().unwrap_or_else(|| (own, Vec::new())).1,
        }
    }

    /// Gives a buffer back.
    pub(crate) fn give(&self, buffer: Vec<u8>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if (1..=LARGEST).contains(&buffer.capacity()) && kept.len() < KEPT {
            kept.push((thread::current().id(), buffer));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_gets_its_own_buffer_back_and_another_rather_than_none() {
        let spare = Spare::default();
        spare.give(b"own".to_vec());
        thread::scope(|scope| {
            scope.spawn(|| spare.give(b"another's".to_vec()));
        });
        assert_eq!(spare.take_used(), b"own");
        assert_eq!(spare.take_used(), b"another's");
        assert_eq!(spare.take_used(), b"");
        spare.give(b"used".to_vec());
        assert_eq!(spare.take(), b"");
    }
}
