//! A process, and with it everything in its process group.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{self, Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::{Command, Watchdog, scarce};
use crate::subjects::reason;

/// How long a program may be busy: another thread may be starting a process that still has it open for writing.
const BUSY: Duration = Duration::from_millis(500);

/// A process that leads its own group. Dropping it kills the group.
///
/// A process that has ended keeps its number, and so that of its group, until it is waited for: so the group is always killed
/// before that, and never another one by mistake.
pub(super) struct Group<'w> {
    watchdog: Option<&'w Watchdog>,
    leader: Child,
    pid: Pid,
    /// Readable when the leader has ended; nothing where the system has no such thing.
    exit: Option<OwnedFd>,
    /// Its ends of the streams, where its end is told in another way: they would hang up a moment before it has ended, and
    /// who waits for it would wake up twice.
    _streams: Option<process::Command>,
    waited_for: bool,
}

impl<'w> Group<'w> {
    /// Starts the process. What goes wrong says what could not be started, and why, unless there is only too little of
    /// something.
    ///
    /// Nothing is done between fork and exec: so no page tables are copied, however big this process is.
    pub(super) fn start(
        command: &Command<'_>,
        [stdin, stdout, stderr]: [Stdio; 3],
        watchdog: Option<&'w Watchdog>,
    ) -> io::Result<Group<'w>> {
        let mut child = process::Command::new(&command.program);
        child.args(&command.arguments);
        if !command.inherits {
            child.env_clear();
        }
        for (name, value) in &command.environment {
            match value {
                Some(value) => child.env(name, value),
                None => child.env_remove(name),
            };
        }
        child.current_dir(&command.directory).process_group(0);
        child.stdin(stdin).stdout(stdout).stderr(stderr);
        watchdog.inspect(|watchdog| watchdog.begin());
        let leader = spawn(&mut child)
            .map_err(|error| if scarce::is_scarce(&error) { error } else { explain(command, &error) })?;
        let pid = Pid::from_child(&leader);
        watchdog.inspect(|watchdog| watchdog.watch(pid));
        let exit = exit_of(pid);
        Ok(Group {
            watchdog,
            leader,
            pid,
            _streams: exit.is_some().then_some(child),
            exit,
            waited_for: false,
        })
    }

    pub(super) fn watched(&self) -> Option<PollFd<'_>> {
        self.exit.as_ref().map(|exit| PollFd::new(exit, PollFlags::IN))
    }

    /// Whether the leader has ended, which may have been told. It can still not be mistaken for another process.
    pub(super) fn has_exited(&self, is_told: bool) -> io::Result<bool> {
        if self.exit.is_some() {
            return Ok(is_told);
        }
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(self.pid), look)?.is_some())
    }

    /// Tells every process of the group. Those that are no longer there need not be told.
    pub(super) fn signal(&self, signal: Signal) {
        if !self.waited_for {
            let _ = kill_process_group(self.pid, signal);
        }
    }

    /// Tells whoever watches over the group that it has been killed, while its number is still its own.
    fn release(&self) {
        self.watchdog.inspect(|watchdog| watchdog.release(self.pid));
    }

    /// Kills what is left of the group, and tells how the leader has ended, which it has.
    pub(super) fn finish(&mut self) -> io::Result<ExitStatus> {
        self.signal(Signal::KILL);
        self.release();
        let status = self.leader.wait()?;
        self.waited_for = true;
        Ok(status)
    }
}

impl Drop for Group<'_> {
    fn drop(&mut self) {
        if !self.waited_for {
            self.signal(Signal::KILL);
            self.release();
            // Not waited for: there are processes that even this does not end.
            let _ = self.leader.try_wait();
        }
    }
}

#[cfg(target_os = "linux")]
fn exit_of(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn exit_of(_: Pid) -> Option<OwnedFd> {
    None
}

fn spawn(child: &mut process::Command) -> io::Result<Child> {
    let begun = Instant::now();
    loop {
        match child.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && begun.elapsed() < BUSY => {
                std::thread::sleep(Duration::from_millis(1));
            }
            result => return result,
        }
    }
}

/// Why a program could not be started, in words: the system says the same of a missing program, directory and interpreter.
fn explain(command: &Command<'_>, error: &io::Error) -> io::Error {
    let (program, directory) = (command.program.display(), command.directory.display());
    let why = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory if !command.directory.is_dir() => {
            format!("its working directory {directory} doesn't exist")
        }
        io::ErrorKind::NotFound if command.program.exists() => {
            "the interpreter on its first line doesn't exist".to_owned()
        }
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied if command.program.is_dir() => "it is a directory".to_owned(),
        io::ErrorKind::PermissionDenied if command.program.is_file() => "it is not executable".to_owned(),
        _ if error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) => {
            "neither an executable for this system nor a script that starts with #!".to_owned()
        }
        _ => reason(error),
    };
    io::Error::new(error.kind(), format!("cannot run {program}: {why}"))
}
