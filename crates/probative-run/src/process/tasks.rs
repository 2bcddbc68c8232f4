//! How many processes and threads a user may have, where that is little.
//!
//! A child that cannot start a process of its own says so in its own words, if at all, and fails: nobody can tell that from a
//! failure that a test should find. But the system counts every process started, by anyone. If those, added to the ones
//! already running, stay below the limit, it wasn't reached. This is checked over short consecutive intervals, so that unrelated
//! processes started over a long run don't add up.

use std::fs::DirEntry;
use std::os::unix::fs::MetadataExt as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Resource, getrlimit, getuid};

/// More than this are enough for whatever cases do.
const PLENTY: u64 = 1024;

/// Larger limits are enough, whoever else uses them: nothing is counted then.
const SURELY_ENOUGH: u64 = 8192;

/// Interval at which the watch counts new processes.
const TICK: Duration = Duration::from_millis(2);

/// The capabilities `CAP_SYS_ADMIN` and `CAP_SYS_RESOURCE`, for whom there is no limit.
const UNLIMITED: u64 = 1 << 21 | 1 << 24;

/// A limit of processes and threads that leaves room for few.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TaskLimit {
    pub(crate) limit: u64,
}

/// How many there were, and had been started, at some time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Count {
    tasks: u64,
    started: u64,
}

impl TaskLimit {
    /// The limit of this process, if it leaves room for few and the system tells how many there are.
    pub(crate) fn if_tight() -> Option<TaskLimit> {
        let limit = getrlimit(Resource::Nproc).current.filter(|limit| *limit < SURELY_ENOUGH)?;
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let capabilities = u64::from_str_radix(field(&status, "CapEff:")?, 16).ok()?;
        let tight = TaskLimit { limit };
        (capabilities & UNLIMITED == 0 && tight.room()? < PLENTY).then_some(tight)
    }

    /// How many more there may be.
    pub(super) fn room(self) -> Option<u64> {
        Some(self.limit.saturating_sub(tasks()?))
    }
}

/// Watches continuously whether the task limit may have been reached.
pub(crate) struct TaskWatch {
    pub(crate) limit: TaskLimit,
    state: Arc<WatchState>,
}

#[derive(Debug, Default)]
struct WatchState {
    latest: Mutex<Option<Count>>,
    /// Tasks that only a scan of all processes finds.
    hidden: u64,
    /// Number of intervals in which the limit may have been reached.
    doubts: AtomicU64,
    has_ended: AtomicBool,
}

impl TaskWatch {
    /// Starts watching if the limit is tight. If no thread can be started, counts are taken only on `mark`.
    pub(crate) fn start_if_tight() -> Option<TaskWatch> {
        let limit = TaskLimit::if_tight()?;
        let hidden = tasks()?.saturating_sub(open_tasks()?);
        let state = Arc::new(WatchState { hidden, ..WatchState::default() });
        let watched = Arc::clone(&state);
        let look = move || {
            while !watched.has_ended.load(Ordering::Relaxed) {
                std::thread::sleep(TICK);
                watched.look(limit, false);
            }
        };
        let _ = std::thread::Builder::new().name("task-watch".to_owned()).spawn(look);
        Some(TaskWatch { limit, state })
    }

    /// Returns a mark to pass to [`may_be_reached_since`](Self::may_be_reached_since).
    pub(crate) fn mark(&self) -> u64 {
        self.state.look(self.limit, true);
        self.state.doubts.load(Ordering::Relaxed)
    }

    /// Returns true if the limit may have been reached since a mark was made.
    pub(crate) fn may_be_reached_since(&self, mark: u64) -> bool {
        self.mark() != mark
    }
}

impl Drop for TaskWatch {
    fn drop(&mut self) {
        self.state.has_ended.store(true, Ordering::Relaxed);
    }
}

impl WatchState {
    /// Counts what there is now.
    fn count(&self) -> Option<Count> {
        // In this order: what is started meanwhile is counted twice rather than not at all.
        let started = started()?;
        Some(Count { tasks: open_tasks()?.saturating_add(self.hidden), started })
    }

    /// Closes the current interval if `must`, or once it has used half the room.
    fn look(&self, limit: TaskLimit, must: bool) {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let more = |before: Count| started().map(|now| now.saturating_sub(before.started));
        let room = |before: Count| limit.limit.saturating_sub(before.tasks);
        let before = *latest;
        let is_due = |before: Count| {
            more(before).is_none_or(|more| more > 0 && (must || more.saturating_mul(2) >= room(before)))
        };
        if before.is_none_or(is_due) {
            *latest = self.count();
        }
        // Counting takes time, which belongs to the interval that ends with it.
        let is_sure = before.is_some_and(|before| more(before).is_some_and(|more| more < room(before)));
        if !is_sure {
            self.doubts.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Counts this user's processes and threads, by the owner in each process's status.
fn tasks() -> Option<u64> {
    tasks_of(|_| true)
}

/// Counts only processes whose `/proc` directory belongs to the user. The few that hide from debuggers are missing here and
/// counted once at the start: scanning everything takes ten times as long.
fn open_tasks() -> Option<u64> {
    let user = getuid().as_raw();
    tasks_of(|process| process.metadata().is_ok_and(|directory| directory.uid() == user))
}

fn tasks_of(is_asked: impl Fn(&DirEntry) -> bool) -> Option<u64> {
    let user = getuid().as_raw().to_string();
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    let tasks = processes.filter(is_asked).filter_map(|process| {
        process.file_name().to_str()?.parse::<u32>().ok()?;
        let status = std::fs::read_to_string(process.path().join("status")).ok()?;
        let is_ours = field(&status, "Uid:")? == user;
        // One that has ended and is not waited for yet counts, too.
        is_ours.then(|| field(&status, "Threads:")?.parse::<u64>().ok()).flatten()
    });
    Some(tasks.sum())
}

/// How many processes and threads anybody has started since the system has.
fn started() -> Option<u64> {
    field(&std::fs::read_to_string("/proc/stat").ok()?, "processes ")?.parse().ok()
}

/// The first word behind a key that begins a line.
fn field<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(key))?.split_ascii_whitespace().next()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_was_started_since_is_counted() {
        let state = WatchState::default();
        let there = state.count().unwrap().tasks;
        assert!(there >= 1);
        *state.latest.lock().unwrap() = state.count();
        let doubts = || state.doubts.load(Ordering::Relaxed);
        // Others may start some, too, but hardly so many.
        let ample = TaskLimit { limit: there + 1_000_000 };
        state.look(ample, true);
        assert_eq!(doubts(), 0);
        std::thread::spawn(|| ()).join().unwrap();
        state.look(TaskLimit { limit: 1 }, false);
        assert_eq!(doubts(), 1);
        state.look(ample, true);
        assert_eq!(doubts(), 1);
    }

    #[test]
    fn missing_count_raises_a_doubt() {
        let state = WatchState::default();
        state.look(TaskLimit { limit: u64::MAX }, false);
        assert_eq!(state.doubts.load(Ordering::Relaxed), 1);
    }
}
