//! What the benchmarks share: repeatable data, and runs that take turns so that a noisy machine is noisy to all alike.

use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub mod data;

/// A small generator of numbers that are the same on every machine (xorshift64*).
pub struct Numbers(u64);

impl Numbers {
    /// Numbers from a seed, which must not be 0.
    pub fn seeded(seed: u64) -> Numbers {
        Numbers(seed)
    }

    /// The next number below a limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) % limit
    }

    /// One of several.
    pub fn one_of<'t, T>(&mut self, several: &'t [T]) -> &'t T {
        let index = usize::try_from(self.below(several.len() as u64)).unwrap_or_default();
        &several[index]
    }
}

/// What one run of a program took.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// Wall time.
    pub time: Duration,
    /// The most memory it held at a time, as far as a look every few milliseconds shows.
    pub resident_bytes: u64,
}

/// Runs a program to its end.
pub fn run(command: &mut Command) -> io::Result<Run> {
    let started = Instant::now();
    let mut child = command.stdin(Stdio::null()).spawn()?;
    let status_file = format!("/proc/{}/status", child.id());
    let mut resident_bytes = 0;
    let watch = std::thread::spawn(move || {
        while let Ok(status) = std::fs::read_to_string(&status_file) {
            let Some(line) = status.lines().find_map(|line| line.strip_prefix("VmHWM:")) else { break };
            let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().unwrap_or_default();
            resident_bytes = kilobytes * 1024;
            std::thread::sleep(Duration::from_millis(5));
        }
        resident_bytes
    });
    let status = child.wait()?;
    let time = started.elapsed();
    if !status.success() {
        return Err(io::Error::other(format!("{command:?} ended with {status}")));
    }
    Ok(Run { time, resident_bytes: watch.join().unwrap_or_default() })
}

/// Runs several programs in turns and gives, for each, its runs sorted by time.
pub fn in_turns(rounds: usize, programs: &mut [Command]) -> io::Result<Vec<Vec<Run>>> {
    let mut runs = vec![Vec::new(); programs.len()];
    for _ in 0..rounds {
        for (program, runs) in programs.iter_mut().zip(&mut runs) {
            runs.push(run(program)?);
        }
    }
    for runs in &mut runs {
        runs.sort_by_key(|run| run.time);
    }
    Ok(runs)
}

/// The middle one of sorted runs.
pub fn median(runs: &[Run]) -> Duration {
    runs[runs.len() / 2].time
}
