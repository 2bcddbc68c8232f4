//! One thread for work that must not be done side by side.

use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, Scope};

/// A thread that does pieces of work one after the other, for whoever asks and waits.
///
/// What takes much memory is done here: memory that is freed stays with the thread that used it, so doing it on any
/// thread in turn would hold as much as doing it on all of them at once.
///
/// Where no thread may be started, those who ask do the work themselves.
pub(crate) struct Alone<'w, P, R> {
    work: &'w (dyn Fn(P) -> R + Sync),
    thread: Option<Sender<(P, SyncSender<R>)>>,
}

impl<'w, P: Send, R: Send> Alone<'w, P, R> {
    /// Starts the thread, which ends when this is dropped.
    pub(crate) fn start<'scope>(scope: &'scope Scope<'scope, '_>, work: &'w (dyn Fn(P) -> R + Sync)) -> Self
    where
        'w: 'scope,
        P: 'scope,
        R: 'scope,
    {
        let (sender, pieces) = channel::<(P, SyncSender<R>)>();
        let started = Builder::new().spawn_scoped(scope, move || {
            for (piece, answer) in pieces {
                // Whoever asked is waiting, unless it has panicked.
                let _ = answer.send(work(piece));
            }
        });
        Alone { work, thread: started.is_ok().then_some(sender) }
    }

    /// Has a piece of work done, and waits for the result. Panics if the work has panicked.
    pub(crate) fn work(&self, piece: P) -> R {
        let Some(thread) = &self.thread else { return (self.work)(piece) };
        let (answer, result) = sync_channel(1);
        let _ = thread.send((piece, answer));
        result.recv().expect("the thread for large work is there until it panics")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_work_is_done_on_one_other_thread() {
        let doubled = |piece: usize| (piece * 2, std::thread::current().id());
        std::thread::scope(|scope| {
            let alone = Alone::start(scope, &doubled);
            let (first, thread) = alone.work(1);
            let others = std::thread::scope(|scope| {
                [2, 3].map(|piece| {
                    scope
                        .spawn({
                            let alone = &alone;
                            move || alone.work(piece)
                        })
                        .join()
                        .unwrap()
                })
            });
            assert_eq!((first, others.map(|other| other.0)), (2, [4, 6]));
            assert!(others.iter().all(|other| other.1 == thread));
            assert_ne!(thread, std::thread::current().id());
        });
        let here = Alone { work: &doubled, thread: None };
        assert_eq!(here.work(4), (8, std::thread::current().id()));
    }
}
