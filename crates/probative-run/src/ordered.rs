//! Work done on many threads and told in order, in bounded memory.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::process::threads_that_fit;

/// How many finished pieces may wait for an earlier one, per thread, where results are large.
pub(crate) const FEW: usize = 4;

/// Takes pieces from `next`, works on them on `threads` threads, and gives the results to `tell` in the order in which
/// the pieces were taken.
///
/// The caller's thread is one of them; there are fewer where the address space is limited. A thread whose result is far ahead waits, so that no more than `waiting` results
/// per thread are held at any time. A panic on any thread is passed on to the caller.
pub(crate) fn in_order<P, R: Send>(
    threads: usize,
    waiting: usize,
    mut next: impl FnMut() -> Option<P> + Send,
    work: impl Fn(P) -> R + Sync,
    mut tell: impl FnMut(R) + Send,
) {
    let threads = threads_that_fit(threads);
    if threads <= 1 {
        while let Some(piece) = next() {
            tell(work(piece));
        }
        return;
    }
    let source = Mutex::new((0_usize, next));
    let telling = Mutex::new(Telling { due: 0, waiting: BTreeMap::new(), stopped: false, tell });
    let turn = Condvar::new();
    let take_turns = || {
        let _alarm = Alarm { telling: &telling, turn: &turn };
        loop {
            let (number, piece) = {
                let mut source = lock(&source);
                let (taken, next) = &mut *source;
                let Some(piece) = next() else { return };
                *taken += 1;
                (*taken - 1, piece)
            };
            let result = work(piece);
            let mut telling = lock(&telling);
            while number != telling.due && telling.waiting.len() >= threads * waiting {
                if telling.stopped {
                    return;
                }
                telling = turn.wait(telling).unwrap_or_else(PoisonError::into_inner);
            }
            telling.waiting.insert(number, result);
            telling.tell_what_is_due();
            turn.notify_all();
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // Where no more threads may be started, those that there are do the work.
            if std::thread::Builder::new().spawn_scoped(scope, take_turns).is_err() {
                break;
            }
        }
        take_turns();
    });
}

struct Telling<R, T> {
    due: usize,
    waiting: BTreeMap<usize, R>,
    /// A thread has panicked: what is due may never come.
    stopped: bool,
    tell: T,
}

impl<R, T: FnMut(R)> Telling<R, T> {
    fn tell_what_is_due(&mut self) {
        while let Some(result) = self.waiting.remove(&self.due) {
            self.due += 1;
            (self.tell)(result);
        }
    }
}

/// Wakes those who wait for a thread that panicked.
struct Alarm<'a, R, T> {
    telling: &'a Mutex<Telling<R, T>>,
    turn: &'a Condvar,
}

impl<R, T> Drop for Alarm<'_, R, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            lock(self.telling).stopped = true;
            self.turn.notify_all();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    #[test]
    fn results_come_in_order_whatever_the_threads() {
        for threads in [1, 2, 16] {
            let mut pieces = 0..500_u64;
            let mut told = Vec::new();
            in_order(
                threads,
                FEW,
                || pieces.next(),
                |piece| {
                    std::thread::sleep(Duration::from_micros(piece * 7919 % 300));
                    piece
                },
                |result| told.push(result),
            );
            assert_eq!(told, (0..500).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_slow_piece_holds_the_others_back() {
        let (taken, told) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let most = AtomicUsize::new(0);
        in_order(
            4,
            FEW,
            || Some(taken.fetch_add(1, Ordering::SeqCst)).filter(|piece| *piece < 400),
            |piece| {
                if piece % 100 == 0 {
                    std::thread::sleep(Duration::from_millis(30));
                }
                most.fetch_max(piece.saturating_sub(told.load(Ordering::SeqCst)), Ordering::SeqCst);
            },
            |()| {
                told.fetch_add(1, Ordering::SeqCst);
            },
        );
        assert_eq!(told.load(Ordering::SeqCst), 400);
        assert!(most.load(Ordering::SeqCst) <= 4 * FEW + 8, "{most:?} pieces ahead");
    }

    #[test]
    fn a_panic_does_not_hang_the_others() {
        let mut pieces = 0..1000;
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            in_order(3, FEW, || pieces.next(), |piece| assert_ne!(piece, 5), |()| {});
        }));
        assert!(caught.is_err());
    }
}
