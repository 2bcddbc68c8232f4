//! What happens while a watch waits: changes, gathered until it is quiet, and keys.

use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How long nothing must change before what changed counts: editors write in several steps.
const QUIET: Duration = Duration::from_millis(150);

/// How long changes are gathered at most, where it is never quiet.
const LONGEST: Duration = Duration::from_secs(2);

/// How much later than it happened a change may be noticed.
const LATE: Duration = Duration::from_millis(250);

/// Something that happened.
#[derive(Debug)]
pub(super) enum Happening {
    /// These paths changed, noticed at that time.
    Changed(Vec<PathBuf>, Instant),
    /// A key was pressed.
    Pressed(Key),
    /// Somebody wants this to end.
    Interrupted,
}

/// A key that means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    All,
    Failed,
    Quit,
}

impl Key {
    /// What a key means, if anything.
    pub(super) fn of(key: u8) -> Option<Key> {
        /// Ctrl-D, the end of input.
        const END: u8 = 4;
        match key {
            b'\n' | b'\r' | b'a' | b'A' => Some(Key::All),
            b'f' | b'F' => Some(Key::Failed),
            b'q' | b'Q' | END => Some(Key::Quit),
            _ => None,
        }
    }
}

/// What a wait ended with.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wake {
    Changed(Changes),
    Pressed(Key),
    Interrupted,
}

/// What changed until it was quiet.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// What changed while nothing ran.
    pub(super) after: BTreeSet<PathBuf>,
    /// What changed while cases ran: by them, or by somebody else.
    pub(super) during: BTreeSet<PathBuf>,
}

impl Changes {
    /// All paths that changed.
    pub(super) fn all(&self) -> BTreeSet<PathBuf> {
        self.after.union(&self.during).cloned().collect()
    }

    fn take(&mut self, paths: Vec<PathBuf>, is_during: bool) {
        if is_during { self.during.extend(paths) } else { self.after.extend(paths) }
    }
}

/// What has happened and was not looked at yet.
pub(super) struct Happenings {
    from: Receiver<Happening>,
    kept: VecDeque<Happening>,
}

impl Happenings {
    pub(super) fn new(from: Receiver<Happening>) -> Happenings {
        Happenings { from, kept: VecDeque::new() }
    }

    /// Waits for what happens next. `ran` is when the last run ended: what changed until then changed during it.
    pub(super) fn next(&mut self, ran: Instant) -> Wake {
        match self.kept.pop_front().map_or_else(|| self.from.recv(), Ok) {
            Ok(Happening::Changed(paths, at)) => self.gather(paths, at, ran + LATE),
            Ok(Happening::Pressed(key)) => Wake::Pressed(key),
            Ok(Happening::Interrupted) | Err(_) => Wake::Interrupted,
        }
    }

    fn gather(&mut self, paths: Vec<PathBuf>, at: Instant, ran: Instant) -> Wake {
        let mut changes = Changes::default();
        changes.take(paths, at <= ran);
        let longest = Instant::now() + LONGEST;
        loop {
            let left = longest.saturating_duration_since(Instant::now()).min(QUIET);
            match self.from.recv_timeout(left) {
                Ok(Happening::Changed(paths, at)) => changes.take(paths, at <= ran),
                Ok(Happening::Interrupted) => return Wake::Interrupted,
                Ok(key) => {
                    self.kept.push_back(key);
                    return Wake::Changed(changes);
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    return Wake::Changed(changes);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn changed(path: &str, at: Instant) -> Happening {
        Happening::Changed(vec![path.into()], at)
    }

    fn paths(names: &[&str]) -> BTreeSet<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn changes_are_gathered_until_it_is_quiet() {
        let (tell, from) = channel();
        let mut happenings = Happenings::new(from);
        let ran = Instant::now();
        let later = ran + Duration::from_secs(1);
        for _ in 0..50 {
            tell.send(changed("a", later)).unwrap();
        }
        tell.send(changed("b", ran)).unwrap();
        let changes = Changes { after: paths(&["a"]), during: paths(&["b"]) };
        assert_eq!(changes.all(), paths(&["a", "b"]));
        assert_eq!(happenings.next(ran), Wake::Changed(changes));
    }

    #[test]
    fn a_key_is_not_lost_behind_changes_and_an_interrupt_waits_for_nobody() {
        let (tell, from) = channel();
        let mut happenings = Happenings::new(from);
        let ran = Instant::now();
        tell.send(changed("a", ran)).unwrap();
        tell.send(Happening::Pressed(Key::Failed)).unwrap();
        assert!(matches!(happenings.next(ran), Wake::Changed(_)));
        assert_eq!(happenings.next(ran), Wake::Pressed(Key::Failed));
        tell.send(changed("a", ran)).unwrap();
        tell.send(Happening::Interrupted).unwrap();
        assert_eq!(happenings.next(ran), Wake::Interrupted);
        drop(tell);
        assert_eq!(happenings.next(ran), Wake::Interrupted);
    }

    #[test]
    fn where_it_is_never_quiet_changes_count_all_the_same() {
        let (tell, from) = channel();
        let begun = Instant::now();
        let writer = std::thread::spawn(move || {
            while tell.send(changed("log", Instant::now())).is_ok() && begun.elapsed() < LONGEST * 4 {
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let mut happenings = Happenings::new(from);
        assert!(matches!(happenings.next(begun), Wake::Changed(_)));
        assert!(begun.elapsed() < LONGEST * 3, "{:?}", begun.elapsed());
        drop(happenings);
        writer.join().unwrap();
    }
}
