//! One thread for work that must not be done side by side.

use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::thread::Scope;

/// A thread that does pieces of work one after the other, for whoever asks and waits.
///
/// What takes much memory is done here: memory that is freed stays with the thread that used it, so doing it on any
/// thread in turn would hold as much as doing it on all of them at once.
pub(crate) struct Alone<P, R>(Sender<(P, SyncSender<R>)>);

impl<P: Send, R: Send> Alone<P, R> {
    /// Starts the thread, which ends when this is dropped.
    pub(crate) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        work: impl Fn(P) -> R + Send + 'scope,
    ) -> Self
    where
        P: 'scope,
        R: 'scope,
    {
        let (sender, pieces) = channel::<(P, SyncSender<R>)>();
        scope.spawn(move || {
            for (piece, answer) in pieces {
                // Whoever asked is waiting, unless it has panicked.
                let _ = answer.send(work(piece));
            }
        });
        Alone(sender)
    }

    /// Has a piece of work done, and waits for the result. Panics if the work has panicked.
    pub(crate) fn work(&self, piece: P) -> R {
        let (answer, result) = sync_channel(1);
        let _ = self.0.send((piece, answer));
        result.recv().expect("the thread for large work is there until it panics")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_work_is_done_on_one_other_thread() {
        std::thread::scope(|scope| {
            let alone = Alone::start(scope, |piece: usize| (piece * 2, std::thread::current().id()));
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
    }
}
