//! Recorded subjects, read one after the other for whoever wants to look at them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use probative::Vocabulary;
use probative::verdict::Error;
use probative::vocabulary::Read;

use crate::feed::Feed;
use crate::spare::Spare;
use crate::subjects::{Input, Subject};

/// Reads every subject and hands it over with its id, in order, until told to stop.
pub fn each<A: Vocabulary>(
    subjects: Vec<Subject>,
    input: Input,
    setting: &A::Setting,
    stop: &AtomicBool,
    mut hand: impl FnMut(&str, Result<Read<A::Subject<'_>>, Error>),
) {
    let subjects = subjects.into_iter();
    let mut feed = Feed { input, subjects, open: None, spare: Arc::new(Spare::default()), stop };
    while !stop.load(Ordering::Relaxed) {
        let Some(piece) = feed.next() else { break };
        piece.each(|record| {
            if !stop.load(Ordering::Relaxed) {
                hand(&record.id(), record.read::<A>(setting));
            }
        });
    }
}
