//! How many processes and threads a user may have, where that is little.
//!
//! A child that cannot start a process of its own says so in its own words, if at all, and fails: nobody can tell that from a
//! failure that a test should find. But the system counts how many were started, and the limit was never reached if even all of
//! them together with those that were there before are fewer.

use rustix::process::{Resource, getrlimit, getuid};

/// More than this are enough for whatever cases do.
const PLENTY: u64 = 1024;

/// Larger limits are enough, whoever else uses them: nothing is counted then.
const SURELY_ENOUGH: u64 = 8192;

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

    /// Counts what there is now.
    pub(crate) fn count() -> Option<Count> {
        // In this order: what is started meanwhile is counted twice rather than not at all.
        let started = started()?;
        Some(Count { tasks: tasks()?, started })
    }

    /// Returns true if the limit may have been reached since.
    pub(crate) fn may_be_reached_since(self, before: Option<Count>) -> bool {
        let (Some(before), Some(now)) = (before, started()) else { return true };
        before.tasks.saturating_add(now.saturating_sub(before.started)) >= self.limit
    }
}

/// How many processes and threads this user has.
fn tasks() -> Option<u64> {
    let user = getuid().as_raw().to_string();
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    let tasks = processes.filter_map(|process| {
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
        let before = TaskLimit::count();
        let there = before.unwrap().tasks;
        assert!(there >= 1);
        assert!(TaskLimit { limit: there }.may_be_reached_since(before));
        assert!(TaskLimit { limit: 1 }.may_be_reached_since(None));
        // Others may start some, too, but hardly so many.
        assert!(!TaskLimit { limit: there + 1_000_000 }.may_be_reached_since(before));
        let started = started().unwrap();
        std::thread::spawn(|| ()).join().unwrap();
        assert!(super::started().unwrap() > started);
    }
}
