//! Watching over a process from its start to its end.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, Timespec, poll};
use rustix::io::Errno;
use rustix::process::Signal;

use super::capture::Capture;
use super::feed::Feed;
use super::group::Group;
use super::{Command, Ended, GRACE, How, Stop, Watchdog, scarce};

/// How often a process is looked at where the system does not tell that it has ended.
const TICK: Duration = Duration::from_millis(5);

/// Runs a process until it ends, and then kills what is left of its group.
///
/// The process is over when it has exited: what others, to whom it gave its output, write later is not waited for. At the time
/// limit and when stopped its group is sent `TERM`, and `KILL` after the [`GRACE`], or when stopped twice; all it wrote
/// until its end is captured. If even `KILL` does not end it, it is given up after another grace.
///
/// What cannot be started is an error that says why; where files or processes are scarce, it is tried again for a while. A process that has left its group (`setsid`) is not waited for, and
/// killed only where somebody looks after such ([`super::Orphans`]).
pub fn run(command: &Command<'_>, stop: &Stop) -> io::Result<Ended> {
    run_watched(command, stop, None)
}

/// The same, but a watchdog kills the group also if this process dies before.
pub fn run_watched(command: &Command<'_>, stop: &Stop, watchdog: Option<&Watchdog>) -> io::Result<Ended> {
    let _running = stop.count_process();
    if stop.is_tripped() {
        let (stdout, stderr) = Default::default();
        return Ok(Ended { how: How::Interrupted, signal: None, stdout, stderr });
    }
    let begin = || {
        let (feed, stdin) = Feed::new(&command.input)?;
        let (stdout, to_stdout) = Capture::new()?;
        let (stderr, to_stderr) = Capture::new()?;
        let watch = Watch { stage: Stage::Running, until: Instant::now().checked_add(command.limit) };
        let group = Group::start(command, [stdin, to_stdout, to_stderr], watchdog)?;
        Ok((feed, stdout, stderr, watch, group))
    };
    let (mut feed, mut stdout, mut stderr, mut watch, mut group) =
        scarce::patiently(stop, begin).map_err(|error| scarce::explain(command, error))?;
    let exited = loop {
        let streams = [feed.watched(), stdout.watched(), stderr.watched()];
        let [exit, input, output, errors] = watch.wait(stop, group.watched(), streams)?;
        if group.has_exited(exit)? {
            break true;
        }
        if output {
            stdout.read()?;
        }
        if errors {
            stderr.read()?;
        }
        if input {
            feed.write()?;
        }
        if watch.is_hopeless(&group, stop) {
            break false;
        }
    };
    let (stdout, stderr) = (stdout.finish()?, stderr.finish()?);
    let status = exited.then(|| group.finish()).transpose()?;
    let signal = status.and_then(|status| status.signal());
    let code = status.and_then(|status| status.code()).or(signal.map(|signal| 128 + signal)).unwrap_or(-1);
    let how = match watch.stage {
        Stage::Running => How::Exited(code),
        Stage::Asked(how) | Stage::Killed(how) => how,
    };
    Ok(Ended { how, signal, stdout, stderr })
}

/// How long the process may still run, and what happens then.
struct Watch {
    stage: Stage,
    until: Option<Instant>,
}

#[derive(Clone, Copy)]
enum Stage {
    Running,
    Asked(How),
    Killed(How),
}

impl Watch {
    /// Waits until there is something to do; says what of these there is.
    fn wait(
        &self,
        stop: &Stop,
        exit: Option<PollFd<'_>>,
        [input, output, errors]: [Option<PollFd<'_>>; 3],
    ) -> io::Result<[bool; 4]> {
        let stop = match self.stage {
            Stage::Running => Some(stop.watched(true)),
            Stage::Asked(_) => Some(stop.watched(false)),
            Stage::Killed(_) => None,
        };
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        let left = if exit.is_none() { Some(left.map_or(TICK, |left| left.min(TICK))) } else { left };
        let timeout = left.and_then(|left| Timespec::try_from(left).ok());
        let mut watched = Vec::from_iter(stop);
        let places = [exit, input, output, errors].map(|one| {
            watched.push(one?);
            Some(watched.len() - 1)
        });
        match poll(&mut watched, timeout.as_ref()) {
            Ok(_) => Ok(places.map(|place| place.is_some_and(|place| !watched[place].revents().is_empty()))),
            Err(Errno::INTR) => Ok([false; 4]),
            Err(error) => Err(error.into()),
        }
    }

    /// Ends what has run for too long or was stopped; says whether nothing can end it.
    fn is_hopeless(&mut self, group: &Group<'_>, stop: &Stop) -> bool {
        let now = Instant::now();
        let late = self.until.is_some_and(|until| now >= until);
        let (stage, signal) = match self.stage {
            Stage::Running if stop.is_tripped() => (Stage::Asked(How::Interrupted), Signal::TERM),
            Stage::Running if late => (Stage::Asked(How::TimedOut), Signal::TERM),
            Stage::Asked(how) if late || stop.trips() > 1 => (Stage::Killed(how), Signal::KILL),
            Stage::Killed(_) => return late,
            Stage::Running | Stage::Asked(_) => return false,
        };
        group.signal(signal);
        (self.stage, self.until) = (stage, now.checked_add(GRACE));
        false
    }
}
