//! Contenders take turns, so that a noisy machine is noisy to all alike.

use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::rows::{Pair, Role, Row, Spread, Target};

/// What one run took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    /// Wall time.
    pub(crate) time: Duration,
    /// The most memory the process held at a time, as far as a look every few milliseconds shows; of its children nothing.
    pub(crate) resident_bytes: Option<u64>,
}

/// Something that can be run again and again.
pub(crate) struct Contender<'a> {
    name: String,
    role: Role,
    target: Option<Target>,
    run: Box<dyn FnMut() -> io::Result<Run> + 'a>,
}

impl<'a> Contender<'a> {
    /// A program, from its start to its end, with its memory.
    pub(crate) fn program(name: &str, mut command: Command) -> Contender<'a> {
        quiet(&mut command);
        Contender::new(name, move || watched(&mut command))
    }

    /// A program whose work is done by processes that it starts, so that its own memory says nothing.
    pub(crate) fn parent(name: &str, mut command: Command) -> Contender<'a> {
        quiet(&mut command);
        Contender::new(name, move || timed(&mut command))
    }

    /// A program that measures itself, and prints the seconds.
    pub(crate) fn told(name: &str, mut command: Command) -> Contender<'a> {
        Contender::new(name, move || {
            let time = Duration::from_secs_f64(crate::told::seconds(&mut command)?);
            Ok(Run { time, resident_bytes: None })
        })
    }

    /// Something that this process does itself.
    pub(crate) fn function(
        name: &str,
        mut function: impl FnMut() -> io::Result<Duration> + 'a,
    ) -> Contender<'a> {
        Contender::new(name, move || Ok(Run { time: function()?, resident_bytes: None }))
    }

    fn new(name: &str, run: impl FnMut() -> io::Result<Run> + 'a) -> Contender<'a> {
        Contender { name: name.to_owned(), role: Role::Peer, target: None, run: Box::new(run) }
    }

    /// Nothing that does the job can be expected to be faster than this.
    pub(crate) fn limit(self) -> Contender<'a> {
        Contender { role: Role::Limit, ..self }
    }

    /// This is Probative, too.
    pub(crate) fn itself(self) -> Contender<'a> {
        Contender { role: Role::Itself, ..self }
    }

    /// What is wanted beside it.
    pub(crate) fn wanted(self, target: Target) -> Contender<'a> {
        Contender { target: Some(target), ..self }
    }
}

/// Runs ours and the others in turns, and gives a row for each of the others.
///
/// Every ratio is of two runs of the same round.
pub(crate) fn compare(
    what: &str,
    rounds: usize,
    ours: Contender<'_>,
    others: Vec<Contender<'_>>,
) -> io::Result<Vec<Row>> {
    let mut contenders = vec![ours];
    contenders.extend(others);
    let runs = in_turns(rounds, &mut contenders)?;
    let ours = &runs[0];
    let row = |(contender, theirs): (&Contender<'_>, &Vec<Run>)| {
        let ratio = |(ours, theirs): (&Run, &Run)| theirs.time.as_secs_f64() / ours.time.as_secs_f64();
        Row::Pair(Pair {
            what: what.to_owned(),
            beside: contender.name.clone(),
            role: contender.role,
            ours: seconds(ours).median,
            theirs: seconds(theirs).median,
            times_as_fast: Spread::of(ours.iter().zip(theirs).map(ratio).collect()),
            our_mebibytes: mebibytes(ours),
            their_mebibytes: mebibytes(theirs),
            target: contender.target,
        })
    };
    Ok(contenders.iter().zip(&runs).skip(1).map(row).collect())
}

/// Runs several in turns, and gives the runs of each in the order in which they were run.
pub(crate) fn in_turns(rounds: usize, contenders: &mut [Contender<'_>]) -> io::Result<Vec<Vec<Run>>> {
    let mut runs = vec![Vec::new(); contenders.len()];
    for _ in 0..rounds {
        for (contender, runs) in contenders.iter_mut().zip(&mut runs) {
            runs.push((contender.run)()?);
        }
    }
    for (contender, runs) in contenders.iter().zip(&runs) {
        eprintln!("   {}: {}", contender.name, crate::told::time(seconds(runs).median));
    }
    Ok(runs)
}

/// The seconds that runs took.
pub(crate) fn seconds(runs: &[Run]) -> Spread {
    Spread::of(runs.iter().map(|run| run.time.as_secs_f64()).collect())
}

/// The most memory that any of them held, if it was looked at.
#[expect(clippy::cast_precision_loss, reason = "for reading only")]
pub(crate) fn mebibytes(runs: &[Run]) -> Option<f64> {
    runs.iter().filter_map(|run| run.resident_bytes).max().map(|bytes| bytes as f64 / f64::from(1 << 20))
}

fn quiet(command: &mut Command) {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
}

/// Runs a program to its end.
fn timed(command: &mut Command) -> io::Result<Run> {
    let started = Instant::now();
    let status = command.status().map_err(|why| not_run(command, &why))?;
    let time = started.elapsed();
    if status.success() { Ok(Run { time, resident_bytes: None }) } else { Err(not_run(command, &status)) }
}

/// Runs a program to its end, and looks every few milliseconds how much memory it holds.
fn watched(command: &mut Command) -> io::Result<Run> {
    let started = Instant::now();
    let mut child = command.spawn().map_err(|why| not_run(command, &why))?;
    let status_file = format!("/proc/{}/status", child.id());
    let mut resident_bytes = 0;
    let watch = std::thread::spawn(move || {
        while let Ok(status) = std::fs::read_to_string(&status_file) {
            let Some(line) = status.lines().find_map(|line| line.strip_prefix("VmHWM:")) else { break };
            let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().unwrap_or_default();
            resident_bytes = kilobytes * 1024;
            std::thread::sleep(BETWEEN_LOOKS);
        }
        resident_bytes
    });
    let status = child.wait()?;
    let time = started.elapsed();
    if !status.success() {
        return Err(not_run(command, &status));
    }
    Ok(Run { time, resident_bytes: watch.join().ok().filter(|bytes| *bytes > NOT_YET_LOADED) })
}

/// How long nobody looks at the memory of a process.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);
/// So much is there before a program is loaded: who ends before the second look told nothing.
const NOT_YET_LOADED: u64 = 512 << 10;

fn not_run(command: &Command, why: &dyn std::fmt::Display) -> io::Error {
    io::Error::other(format!("{command:?} did not succeed: {why}"))
}
