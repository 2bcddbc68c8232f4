//! The bare things that parts compare with, each as a program of its own: `probative-bench limit …`.

use std::fs::File;
use std::hint::black_box;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use probative::spec::lang::{Budget, Expression, Nowhere};
use probative::value::{Tree, Value};
use probative_run::Specs;
use serde::de::IgnoredAny;
use serde_json::json;

/// Does the thing that is named.
pub(crate) fn reach(limit: &[&str]) -> io::Result<()> {
    let number = |text: &str| text.parse::<usize>().map_err(io::Error::other);
    match limit {
        ["parse", kind, file] => parse(kind, Path::new(file)),
        ["copy", file] => copy(Path::new(file)),
        ["spawn", jobs, count] => spawn(number(jobs)?, number(count)?),
        ["hold", mebibytes, documents] => {
            println!("{}", hold(number(mebibytes)?, Path::new(documents))?.as_secs_f64());
            Ok(())
        }
        ["turns", turns] => {
            println!("{}", turn(number(turns)?)?.as_secs_f64());
            Ok(())
        }
        _ => Err(io::Error::other(format!("no limit is called {limit:?}"))),
    }
}

/// Every line parsed, and what became of it dropped.
fn parse(kind: &str, file: &Path) -> io::Result<()> {
    let parse: fn(&[u8]) -> io::Result<()> = match kind {
        "value" => |line| {
            let value: Value = serde_json::from_slice(line)?;
            black_box(&value);
            Ok(())
        },
        // A slice would be skipped without a look at whether its texts are UTF-8.
        "ignored" => |line| {
            let text = std::str::from_utf8(line).map_err(io::Error::other)?;
            let IgnoredAny = serde_json::from_str(text)?;
            Ok(())
        },
        "tree" => |line| {
            let tree = Tree::read(line).map_err(|cause| io::Error::other(cause.message))?;
            black_box(&tree);
            Ok(())
        },
        _ => return Err(io::Error::other(format!("nothing parses as {kind}"))),
    };
    let mut lines = BufReader::with_capacity(256 * 1024, File::open(file)?);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        parse(&line)?;
        line.clear();
    }
    Ok(())
}

/// A file read in pieces, each copied once.
fn copy(file: &Path) -> io::Result<()> {
    let mut blocks = BufReader::with_capacity(256 * 1024, File::open(file)?);
    let mut copy = vec![0; 256 * 1024];
    loop {
        let block = blocks.fill_buf()?;
        let length = block.len();
        if length == 0 {
            return Ok(());
        }
        copy[..length].copy_from_slice(block);
        black_box(&copy);
        blocks.consume(length);
    }
}

/// What every runner of commands does: start them, so many at a time, read what they write, and wait.
fn spawn(jobs: usize, count: usize) -> io::Result<()> {
    let run = || -> io::Result<()> {
        for _ in 0..count / jobs {
            let ended = Command::new("/bin/true").stdin(Stdio::null()).output()?;
            if !ended.status.success() || !ended.stdout.is_empty() || !ended.stderr.is_empty() {
                return Err(io::Error::other("/bin/true does not do what it is there for"));
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(run)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| io::Error::other("panicked"))?)
    })
}

/// How long the documents of a directory take in a process that holds so much memory, all of it touched.
fn hold(mebibytes: usize, documents: &Path) -> io::Result<Duration> {
    let held = vec![1_u8; mebibytes << 20];
    black_box(&held);
    // Having been given so much memory at once is felt for a while.
    std::thread::sleep(Duration::from_secs(1));
    let specs = Specs::at(documents);
    let begun = Instant::now();
    let ran = specs.run();
    let time = begun.elapsed();
    black_box(&held);
    if ran.summary.exit_code() == 0 { Ok(time) } else { Err(io::Error::other(ran.report)) }
}

/// Steps of one turn of the loop.
pub(crate) const STEPS: usize = 12;

/// How long a loop of spec-lang takes.
pub(crate) fn turn(turns: usize) -> io::Result<Duration> {
    turn_within(turns, u64::MAX)
}

fn turn_within(turns: usize, max_steps: u64) -> io::Result<Duration> {
    let next = json!(["call", ["var", "loop"], ["sub", ["var", "n"], 1], ["add", ["var", "sum"], 1]]);
    let body = json!(["if", ["eq", ["var", "n"], 0], ["var", "sum"], next]);
    let written = json!(["let", [["loop", ["fn", ["n", "sum"], body]]], ["call", ["var", "loop"], turns, 0]]);
    let expression = Expression::compile(&written).map_err(io::Error::other)?;
    let budget = Budget { max_steps, timeout_ms: 0, ..Budget::default() };
    let begun = Instant::now();
    let answer = expression.evaluate(&Value::Null, &budget, &Nowhere).map_err(io::Error::other)?;
    let time = begun.elapsed();
    if answer == json!(turns) {
        Ok(time)
    } else {
        Err(io::Error::other(format!("{answer}, not {turns} turns")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_has_as_many_steps_as_is_told() {
        let steps = (1000 * STEPS) as u64;
        assert!(turn_within(1000, steps).is_err());
        assert!(turn_within(1000, steps + STEPS as u64).is_ok());
    }
}
