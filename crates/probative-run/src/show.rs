//! Recorded subjects, read one after the other for whoever wants to look at them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::feed::Feed;
use crate::record::Record;
use crate::spare::Spare;
use crate::subjects::{Input, Subject};
use crate::trace::Traces;

/// Hands over every subject as it is written, in order, until told to stop.
pub fn each(
    subjects: Vec<Subject>,
    input: Input,
    traces: Traces,
    stop: &AtomicBool,
    mut hand: impl FnMut(&Record<'_>),
) {
    let subjects = subjects.into_iter();
    let mut feed = Feed { input, traces, subjects, open: None, spare: Arc::new(Spare::default()), stop };
    while !stop.load(Ordering::Relaxed) {
        let Some(piece) = feed.next() else { break };
        piece.each(|record| {
            if !stop.load(Ordering::Relaxed) {
                hand(&record);
            }
        });
    }
}
