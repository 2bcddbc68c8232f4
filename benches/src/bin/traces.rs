//! Reading a session file of 100 MB beside parsing its JSON and doing nothing with it.
//!
//! `cargo run --release -p probative-bench --bin traces`. Ends with an error if the goal is missed: reading, with all that
//! becomes of it, is to be at least 0.6 times as fast as the JSON parser alone. `traces data BYTES` prints the data instead.

use std::io::{self, BufWriter, Write};
use std::time::{Duration, Instant};

use probative::trajectory::readers::{Given, read_trace};
use probative_bench::data::traces::write_session;
use serde_json::Value;

const BYTES: usize = 100_000_000;
const ROUNDS: usize = 5;
const GOAL: f64 = 0.6;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [] => compare(),
        [mode, bytes] if mode == "data" => {
            write_session(&mut BufWriter::new(io::stdout().lock()), bytes.parse().map_err(io::Error::other)?)
        }
        _ => Err(io::Error::other("usage: traces [data BYTES]")),
    }
}

fn compare() -> io::Result<()> {
    let mut session = Vec::new();
    write_session(&mut session, BYTES)?;
    let megabytes = f64::from(u32::try_from(session.len()).map_err(io::Error::other)?) / 1e6;
    let (mut parsing, mut reading) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        parsing.push(parse(&session)?);
        reading.push(read(&session)?);
    }
    let (parsing, reading) = (median(parsing), median(reading));
    let ratio = parsing.as_secs_f64() / reading.as_secs_f64();
    let speed = |time: Duration| megabytes / time.as_secs_f64();
    let mut out = io::stdout().lock();
    writeln!(out, "a session of {megabytes:.0} MB, median of {ROUNDS} turns")?;
    writeln!(out, "  its JSON parsed    {:>6.0} MB/s", speed(parsing))?;
    writeln!(out, "  read as a run      {:>6.0} MB/s    {ratio:.2} of that (goal {GOAL})", speed(reading))?;
    if ratio >= GOAL { Ok(()) } else { Err(io::Error::other("the goal is missed")) }
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

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
