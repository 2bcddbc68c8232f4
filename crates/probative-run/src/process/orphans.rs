//! Processes that left the group of their case (`setsid`, a double fork), and would outlive it.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use memchr::memmem;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

use super::{GRACE, Watchdog};

/// The variable that names the directories of the cases that a process is within, the innermost last, with `:` between
/// them: a case may run a runner, whose cases are within it.
pub const WITHIN: &str = "SPEC_RUNNER_WITHIN";

/// How long it takes to look again at what is about to end.
const SOON: Duration = Duration::from_micros(200);

/// How often the dead are buried while nothing else asks for it.
const NOW_AND_THEN: Duration = Duration::from_millis(500);

/// How long a process may be nobody's because it is just being replaced by another program, and has no environment.
const UNSETTLED: Duration = Duration::from_millis(10);

/// How long those of whom nobody knows whose they are may take to end by themselves, when all cases have.
const NOBODYS: Duration = Duration::from_secs(1);

/// How much of an environment is looked at. More is that of a process that hides something.
const ENVIRONMENT: u64 = 8 << 20;

/// The parent of every process whose own parent has ended.
///
/// What the main thread of this process has as children is exactly what running and ended cases have left: processes are
/// started on other threads, which have them as their own. So a case that leaves nothing behind costs one read of an empty list.
/// What is in the list says in its environment which case it is of ([`WITHIN`]); one that has removed that is spared until
/// all cases have ended.
#[derive(Debug)]
pub struct Orphans {
    /// The children of the main thread.
    children: File,
    /// Locked by whoever kills and buries: so a number in the list cannot become that of another process meanwhile.
    cases: Mutex<Cases>,
    /// The watchdog of the run, or 0. It is nobody's orphan, and comes into the list when the thread that started it has ended.
    watchdog: AtomicI32,
    /// Whether processes are started on the main thread after all: then nobody is looked after.
    is_off: AtomicBool,
}

#[derive(Debug, Default)]
struct Cases {
    /// The directories of those that run.
    running: BTreeSet<PathBuf>,
    /// The directories that those of cases are in.
    parents: BTreeSet<PathBuf>,
}

/// A case that runs. Dropping it ends what it has left behind.
pub(crate) struct During<'o> {
    orphans: &'o Orphans,
    watchdog: Option<&'o Watchdog>,
    case: PathBuf,
}

/// What there is in the list, from what troubles nobody to what is not over yet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Left {
    /// Nothing, but of running cases.
    Nothing,
    /// Processes of which nobody knows whose they are.
    Nobodys,
    /// Something that has just been killed, or has just ended and may have left something in its turn.
    Ending,
}

impl Orphans {
    /// Makes this process the parent of all orphans among its descendants, until it ends. That is a matter of the whole
    /// process: a program may do it that starts processes in no other way, a library may not.
    ///
    /// Nothing on systems that do not know of such parents, or do not list children (Linux without `CONFIG_PROC_CHILDREN`).
    pub fn adopt() -> Option<Orphans> {
        // The numbers in this list must be those of this process's own namespace.
        let myself = std::process::id().to_string();
        std::fs::read_link("/proc/self").ok().filter(|link| link.as_os_str() == myself.as_str())?;
        let children = File::open(format!("/proc/self/task/{myself}/children")).ok()?;
        become_parent()?;
        let (cases, watchdog) = (Mutex::default(), AtomicI32::new(0));
        Some(Orphans { children, cases, watchdog, is_off: AtomicBool::new(false) })
    }

    /// A case, by its directory, whose processes are left alone until what this gives is dropped.
    pub(crate) fn during<'o>(&'o self, case: &Path, watchdog: Option<&'o Watchdog>) -> During<'o> {
        let mut cases = self.lock();
        if let Some(parent) = case.parent()
            && !cases.parents.contains(parent)
        {
            cases.parents.insert(parent.to_owned());
        }
        cases.running.insert(case.to_owned());
        During { orphans: self, watchdog, case: case.to_owned() }
    }

    /// Ends what is left of ended cases and can be told from what belongs to running ones.
    fn end_left(&self) {
        let begun = Instant::now();
        while !self.is_off.load(Ordering::Relaxed) && !self.is_list_empty() {
            match self.round(|| false) {
                Left::Nothing => return,
                Left::Nobodys if begun.elapsed() > UNSETTLED => return,
                Left::Ending if begun.elapsed() > GRACE => return,
                Left::Nobodys | Left::Ending => std::thread::sleep(SOON),
            }
        }
    }

    /// Ends everything that is left, when all cases have ended.
    pub(crate) fn end_all(&self) {
        let begun = Instant::now();
        while !self.is_off.load(Ordering::Relaxed)
            && !self.is_list_empty()
            && self.round(|| begun.elapsed() > NOBODYS) != Left::Nothing
            && begun.elapsed() < NOBODYS + GRACE
        {
            std::thread::sleep(SOON);
        }
    }

    /// Does something on another thread, so that it is not the main one that starts processes, and buries the dead meanwhile.
    pub(crate) fn watch_over<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let work = Mutex::new(Some(work));
        let take = || work.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (alive, ended) = channel::<()>();
        let there = move || {
            let _alive = alive;
            take().map(|work| work())
        };
        let done = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().spawn_scoped(scope, there).ok()?;
            while ended.recv_timeout(NOW_AND_THEN) == Err(RecvTimeoutError::Timeout) {
                self.end_left();
            }
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        self.watchdog.store(0, Ordering::Relaxed);
        let here = || {
            self.is_off.store(true, Ordering::Relaxed);
            take().map(|work| work())
        };
        done.or_else(here).unwrap_or_else(|| unreachable!("it was done there, or else is done here"))
    }

    fn lock(&self) -> MutexGuard<'_, Cases> {
        self.cases.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Buries the dead, and kills those of ended cases, and those who are nobody's if it is told to.
    fn round(&self, is_nobody_spared: impl Fn() -> bool) -> Left {
        let cases = self.lock();
        let mut left = Left::Nothing;
        for pid in self.list() {
            left = left.max(match Belongs::of(pid, &cases) {
                Belongs::Dead => {
                    let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
                    Left::Ending
                }
                Belongs::Dying => Left::Ending,
                Belongs::ToRunning => Left::Nothing,
                Belongs::ToNobody if !is_nobody_spared() => Left::Nobodys,
                Belongs::ToEnded | Belongs::ToNobody => {
                    let _ = kill_process(pid, Signal::KILL);
                    Left::Ending
                }
            });
        }
        left
    }

    /// Whether there is nobody. If there is not, there is nobody anywhere below either: whoever is has a living parent, up to
    /// one in the list or the first process of a case that runs.
    fn is_list_empty(&self) -> bool {
        self.children.read_at(&mut [0; 16], 0).is_ok_and(|count| count == 0)
    }

    fn list(&self) -> Vec<Pid> {
        let (mut text, mut chunk) = (Vec::new(), [0; 4096]);
        while let Ok(count @ 1..) = self.children.read_at(&mut chunk, text.len() as u64) {
            text.extend_from_slice(&chunk[..count]);
        }
        let text = String::from_utf8_lossy(&text);
        let watchdog = self.watchdog.load(Ordering::Relaxed);
        let numbers = text.split_ascii_whitespace().filter_map(|pid| pid.parse().ok());
        numbers.filter(|pid| *pid != watchdog).filter_map(Pid::from_raw).collect()
    }
}

impl Drop for During<'_> {
    fn drop(&mut self) {
        let watchdog = self.watchdog.and_then(Watchdog::pid).map_or(0, |pid| pid.as_raw_nonzero().get());
        self.orphans.watchdog.store(watchdog, Ordering::Relaxed);
        self.orphans.lock().running.remove(&self.case);
        self.orphans.end_left();
    }
}

#[cfg(target_os = "linux")]
fn become_parent() -> Option<()> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).ok()
}

#[cfg(not(target_os = "linux"))]
fn become_parent() -> Option<()> {
    None
}

/// Whose a process is.
enum Belongs {
    ToRunning,
    ToEnded,
    ToNobody,
    /// It is about to be dead.
    Dying,
    Dead,
}

impl Belongs {
    fn of(pid: Pid, cases: &Cases) -> Belongs {
        // Between colons, as every directory in it then is.
        let within = [b":", &*within(pid), b":"].concat();
        let is_in = |case: &PathBuf, end: &[u8]| {
            memmem::find(&within, &[b":", case.as_os_str().as_bytes(), end].concat()).is_some()
        };
        if cases.running.iter().any(|case| is_in(case, b":")) {
            Belongs::ToRunning
        } else if cases.parents.iter().any(|parent| is_in(parent, b"/")) {
            Belongs::ToEnded
        } else {
            // Looked at only now: who is about to end has no environment any more.
            match state(pid) {
                Some((b'Z' | b'X', _)) => Belongs::Dead,
                Some((_, true)) => Belongs::Dying,
                _ => Belongs::ToNobody,
            }
        }
    }
}

/// The state of a process, and whether it is about to end: that of its first thread, or where that has ended before the
/// others, of one that has not.
fn state(pid: Pid) -> Option<(u8, bool)> {
    let first = state_of(&PathBuf::from(format!("/proc/{}", pid.as_raw_nonzero())))?;
    match first {
        (b'Z' | b'X', _) => threads(pid).find_map(|thread| is_alive(&thread)).or(Some(first)),
        _ => Some(first),
    }
}

/// The state of a thread that has not ended, and whether it is about to.
fn is_alive(thread: &Path) -> Option<(u8, bool)> {
    state_of(thread).filter(|(state, _)| !matches!(state, b'Z' | b'X'))
}

/// The directories of the threads of a process.
fn threads(pid: Pid) -> impl Iterator<Item = PathBuf> {
    let threads = std::fs::read_dir(format!("/proc/{}/task", pid.as_raw_nonzero()));
    threads.into_iter().flatten().flatten().map(|thread| thread.path())
}

/// The state of the process or thread that a directory is about, and whether it is about to end.
fn state_of(directory: &Path) -> Option<(u8, bool)> {
    const EXITING: u32 = 4;
    let stat = std::fs::read(directory.join("stat")).ok()?;
    // Behind the name, which may hold anything.
    let behind = &stat[memchr::memrchr(b')', &stat)? + 1..];
    let words: Vec<&str> = std::str::from_utf8(behind).ok()?.split_ascii_whitespace().collect();
    let flags: u32 = words.get(6)?.parse().ok()?;
    Some((*words.first()?.as_bytes().first()?, flags & EXITING != 0))
}

/// Which cases a process says that it is within: nothing, if it does not.
///
/// A thread that has ended has no environment any more, and the first may end before the others: then these are asked.
fn within(pid: Pid) -> Vec<u8> {
    let read = |directory: PathBuf| {
        let mut environment = Vec::new();
        let file = File::open(directory.join("environ")).ok()?;
        let _ = file.take(ENVIRONMENT).read_to_end(&mut environment);
        Some(environment).filter(|environment| !environment.is_empty())
    };
    let first = read(PathBuf::from(format!("/proc/{}", pid.as_raw_nonzero())));
    let environment = first.or_else(|| threads(pid).find_map(read)).unwrap_or_default();
    let mut variables = environment.split(|byte| *byte == 0);
    let value =
        |variable: &[u8]| Some(variable.strip_prefix(WITHIN.as_bytes())?.strip_prefix(b"=")?.to_vec());
    variables.find_map(value).unwrap_or_default()
}
