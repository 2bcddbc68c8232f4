//! Where the system has too little of something: files that may be open at a time, processes that may be there.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

use super::{Command, Stop, TaskLimit};
use crate::subjects::reason;

/// How long it is waited for what others may give back.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long until it is tried again.
const PAUSE: Duration = Duration::from_millis(10);

/// How many files one case has open at most: three pipes or a terminal, both ends of them, its directory, and what tells that
/// its process has ended.
const FOR_A_CASE: u64 = 10;

/// How many files are open beside those of cases: the watchdog's, connections that wait to be used again, what is looked at
/// in `/proc`.
const BESIDE: u64 = 16;

/// How many files are taken to be open where the system does not tell.
const OPEN_ALREADY: u64 = 24;

/// How many processes and threads one case has at most, as a rule: a thread that runs it, a shell, a pipeline.
const TASKS_OF_A_CASE: u64 = 5;

/// Tasks besides those of cases: the watchdog, the one that waits after an interrupt, the one that watches the limit.
const TASKS_BESIDE: u64 = 3;

/// The address space that a thread takes: its stack, and what the allocator reserves for it (64 MiB in the C library of GNU).
const ADDRESSES_OF_A_THREAD: u64 = 72 << 20;

/// The address space that is left for what is not a thread's own.
const ADDRESSES_BESIDE: u64 = 64 << 20;

/// How many cases may run at once, of so many that are wanted, and what there is too little of for more: each has files open,
/// processes and a thread.
pub(crate) fn at_once(wanted: usize, tasks: Option<TaskLimit>) -> (usize, &'static str) {
    let wanted = wanted.max(1);
    let least = |room: u64| wanted.min(usize::try_from(room).unwrap_or(usize::MAX)).max(1);
    let files = getrlimit(Resource::Nofile).current.map_or(wanted, |limit| {
        let open = std::fs::read_dir("/proc/self/fd").map_or(OPEN_ALREADY, |open| open.count() as u64);
        least(limit.saturating_sub(open + BESIDE) / FOR_A_CASE)
    });
    let tasks = tasks
        .and_then(TaskLimit::room)
        .map_or(wanted, |room| least(room.saturating_sub(TASKS_BESIDE) / TASKS_OF_A_CASE));
    let limits = [
        (files, "the limit on open files is too low; raise it with ulimit -n"),
        (tasks, "the limit on processes is too low; raise it with ulimit -u"),
        (threads_that_fit(wanted), "the limit on memory is too low; raise it with ulimit -v"),
    ];
    limits.into_iter().min_by_key(|(jobs, _)| *jobs).unwrap_or((wanted, ""))
}

/// How many threads fit into the address space, of so many that are wanted. An allocation that does not would end the process.
pub(crate) fn threads_that_fit(wanted: usize) -> usize {
    let Some(limit) = getrlimit(Resource::As).current.filter(|_| wanted > 1) else { return wanted };
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let used = status.lines().find_map(|line| line.strip_prefix("VmSize:")?.trim().strip_suffix(" kB"));
    let used = used.and_then(|used| used.parse::<u64>().ok()).unwrap_or_default() << 10;
    let room = limit.saturating_sub(used.saturating_add(ADDRESSES_BESIDE)) / ADDRESSES_OF_A_THREAD;
    wanted.min(usize::try_from(room).unwrap_or(usize::MAX)).max(1)
}

/// Whether somebody has waited in vain, and nothing has gone well since.
static IN_VAIN: AtomicBool = AtomicBool::new(false);

/// Tries something again for a while, as long as too little of something is all that is wrong. Who comes after one that has waited
/// in vain does not wait.
pub(super) fn patiently<T>(stop: &Stop, mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let begun = Instant::now();
    loop {
        let result = attempt();
        let is_scarce = result.as_ref().is_err_and(is_scarce);
        let is_late = begun.elapsed() > PATIENCE || IN_VAIN.load(Ordering::Relaxed);
        if !is_scarce || is_late || stop.is_tripped() {
            if IN_VAIN.load(Ordering::Relaxed) != (is_scarce && is_late) {
                IN_VAIN.store(is_scarce && is_late, Ordering::Relaxed);
            }
            return result;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Whether something may go well later that does not now.
pub(super) fn is_scarce(error: &io::Error) -> bool {
    matches!(errno(error), Some(Errno::MFILE | Errno::NFILE | Errno::AGAIN | Errno::NOMEM))
}

/// What there is too little of to run a command, and where that is set.
pub(super) fn explain(command: &Command<'_>, error: io::Error) -> io::Error {
    match shortage(&error) {
        None => error,
        Some(why) => {
            let program = command.program.display();
            io::Error::new(error.kind(), format!("cannot run {program}: {}: {why}", reason(&error)))
        }
    }
}

/// What there is too little of, and where that is set, if that is what is wrong.
pub fn shortage(error: &io::Error) -> Option<String> {
    let limit =
        |resource| getrlimit(resource).current.map_or("unlimited".to_owned(), |limit| limit.to_string());
    match errno(error)? {
        Errno::MFILE => Some(format!("ulimit -n allows {}", limit(Resource::Nofile))),
        Errno::NFILE => Some("the system has no file handles left".to_owned()),
        Errno::NOMEM => Some(format!("ulimit -v allows {} bytes", limit(Resource::As))),
        Errno::AGAIN => {
            Some(format!("can't start more processes; ulimit -u allows {}", limit(Resource::Nproc)))
        }
        _ => None,
    }
}

fn errno(error: &io::Error) -> Option<Errno> {
    Errno::from_io_error(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_in_time_is_waited_for() {
        let stop = Stop::new().unwrap();
        let mut times = 0;
        let again = |errno: Errno| {
            times += 1;
            if times % 3 == 0 { Ok(times) } else { Err(io::Error::from(errno)) }
        };
        let mut again = again;
        assert_eq!(patiently(&stop, || again(Errno::AGAIN)).unwrap(), 3);
        assert_eq!(patiently(&stop, || again(Errno::MFILE)).unwrap(), 6);
        assert!(patiently(&stop, || again(Errno::NOENT)).is_err());
        stop.trip();
        assert!(patiently(&stop, || again(Errno::NFILE)).is_err());
    }

    #[test]
    fn one_case_can_always_run_and_never_more_than_are_wanted() {
        let jobs = |wanted| at_once(wanted, None).0;
        assert_eq!((jobs(1), jobs(0)), (1, 1));
        assert!(jobs(usize::MAX) > 0 && jobs(2) <= 2);
        let (jobs, why) = at_once(8, Some(TaskLimit { limit: 1 }));
        assert_eq!((jobs, why), (1, "the limit on processes is too low; raise it with ulimit -u"));
    }
}
