//! A session file of another program, read as a run.

use std::io;
use std::time::{Duration, Instant};

use probative::trajectory::readers::{Given, read_trace};
use serde_json::Value;

use crate::bench::Bench;
use crate::data::traces::write_session;
use crate::measure::{Contender, compare};
use crate::rows::{Row, Target};

pub(super) const ASKS: &str = "\
A Claude Code session file is read as a run. The limit parses its lines into `serde_json::Value` and does nothing with \
them. Both happen in memory, in one process and on one core.";

const BYTES: usize = 100_000_000;

pub(super) fn measure(bench: &Bench) -> io::Result<Vec<Row>> {
    let mut session = Vec::new();
    write_session(&mut session, bench.sized(BYTES))?;
    let ours = Contender::function("read as a run", || read(&session));
    let limit = Contender::function("serde_json, into Value", || parse(&session));
    let what = format!("a session of {} MB", session.len() / 1_000_000);
    compare(&what, bench.rounds(5), ours, vec![limit.limit().wanted(Target::SpeedAtLeast(0.6))])
}

/// Parses every line, and drops what comes of it.
fn parse(session: &[u8]) -> io::Result<Duration> {
    let started = Instant::now();
    for line in session.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let value: Value = serde_json::from_slice(line)?;
        drop(std::hint::black_box(value));
    }
    Ok(started.elapsed())
}

fn read(session: &[u8]) -> io::Result<Duration> {
    let started = Instant::now();
    let mut runs = 0;
    let ended = read_trace(session, None, true, &mut |given| {
        if let Given::Run(run) = given {
            runs += 1;
            drop(std::hint::black_box(run));
        }
    });
    let time = started.elapsed();
    match ended {
        Ok(_) if runs == 1 => Ok(time),
        Ok(_) => Err(io::Error::other(format!("{runs} runs"))),
        Err(why) => Err(io::Error::other(why.to_string())),
    }
}
