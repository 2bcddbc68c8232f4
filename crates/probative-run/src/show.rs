//! Recorded subjects, read one after the other for whoever wants to look at them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::feed::Feed;
use crate::record::Record;
use crate::spare::Spare;
use crate::subjects::{How, Subject};

/// Hands over every subject as it is written, in order, until told to stop.
pub fn each(subjects: Vec<Subject>, how: How<'_>, stop: &AtomicBool, mut hand: impl FnMut(&Record<'_>)) {
    let subjects = subjects.into_iter();
    let mut feed = Feed { how, subjects, open: None, spare: Arc::new(Spare::default()), stop };
    while !stop.load(Ordering::Relaxed) {
        let Some(piece) = feed.next() else { break };
        piece.each(|record| {
            if !stop.load(Ordering::Relaxed) {
                hand(&record);
            }
        });
    }
}
