//! Runs the tests against one mutant after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::compile::Binary;
use crate::tree::Tree;

/// A test binary as it is without any mutant.
pub struct Court {
    binary: Binary,
    took: Duration,
    reached: Reached,
}

/// The tests that come by each mutant; none named if all must be asked.
type Reached = BTreeMap<u32, BTreeSet<String>>;

/// How a mutant ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// By a test of this binary.
    Noticed(String),
    /// Tests came by it, and passed.
    Survived,
    /// No test came by it.
    Unreached,
}

/// They measure memory, which writing down takes, too; and they take long. So they are asked about all that the others let pass.
const LAST: [&str; 2] = ["allocations", "lang_memory"];
/// A mutant that takes longer than this, and ten times as long as none, hangs.
const LEAST_LIMIT: Duration = Duration::from_secs(30);

/// Runs every binary without a mutant: all must pass. The quickest first.
pub fn courts(tree: &Tree, binaries: Vec<Binary>) -> Result<Vec<Court>, String> {
    let (last, others): (Vec<_>, Vec<_>) =
        binaries.into_iter().partition(|binary| LAST.contains(&binary.name.as_str()));
    let mut courts = Vec::new();
    for binary in others {
        let notes = tree.root.join("target/mutants").join(format!("{}.reached", binary.name));
        let _ = fs::remove_file(&notes);
        let took = passes(&binary, tests(tree, &binary).env("MUTANTS_REACHED", &notes))?;
        courts.push(Court { took, reached: reached(&notes), binary });
    }
    courts.sort_by_key(|court| court.took);
    let by_any =
        courts.iter().flat_map(|court| court.reached.keys()).map(|number| (*number, BTreeSet::new()));
    let by_any: Reached = by_any.collect();
    for binary in last {
        let took = passes(&binary, &mut tests(tree, &binary))?;
        courts.push(Court { took, reached: by_any.clone(), binary });
    }
    Ok(courts)
}

/// How long it takes; that it does not pass is an error.
fn passes(binary: &Binary, command: &mut Command) -> Result<Duration, String> {
    let began = Instant::now();
    match ended(command, Duration::from_mins(10))? {
        Some(status) if status.success() => Ok(began.elapsed()),
        _ => Err(format!("the tests of {} do not pass without any mutant", binary.name)),
    }
}

/// How each of these mutants ended, in their order; so many at a time.
pub fn outcomes(
    tree: &Tree,
    courts: &[Court],
    numbers: &[u32],
    at_a_time: usize,
) -> Result<Vec<Outcome>, String> {
    let (next, ended) = (Mutex::new(0..numbers.len()), Mutex::new(BTreeMap::new()));
    let work = || {
        while let Some(at) = next.lock().map_err(|_| "a trial panicked")?.next() {
            let outcome = outcome(tree, courts, numbers[at])?;
            let mut ended = ended.lock().map_err(|_| "a trial panicked")?;
            ended.insert(at, outcome);
            if ended.len() % 100 == 0 {
                eprintln!("  {} of {}", ended.len(), numbers.len());
            }
        }
        Ok::<(), String>(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..at_a_time).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a trial panicked".to_owned())?)
    })?;
    Ok(ended.into_inner().map_err(|_| "a trial panicked")?.into_values().collect())
}

fn outcome(tree: &Tree, courts: &[Court], number: u32) -> Result<Outcome, String> {
    let mut outcome = Outcome::Unreached;
    for court in courts {
        let Some(names) = court.reached.get(&number) else { continue };
        outcome = Outcome::Survived;
        let mut command = tests(tree, &court.binary);
        if !names.is_empty() {
            command.arg("--exact").args(names);
        }
        let status = ended(command.env("MUTANT", number.to_string()), LEAST_LIMIT.max(court.took * 10))?;
        if !status.is_some_and(|status| status.success()) {
            return Ok(Outcome::Noticed(court.binary.name.clone()));
        }
    }
    Ok(outcome)
}

fn tests(tree: &Tree, binary: &Binary) -> Command {
    let mut command = Command::new(&binary.path);
    command
        .current_dir(tree.copy.join("crates/probative"))
        // The same generated cases every time, and no file of those that failed.
        .env("PROPTEST_RNG_SEED", "1")
        .env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1")
        .env("PROPTEST_MAX_SHRINK_ITERS", "0")
        .env("RUST_TEST_THREADS", "2")
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// How it ended; `None` if it did not within the limit.
fn ended(command: &mut Command, limit: Duration) -> Result<Option<ExitStatus>, String> {
    let told = |error: std::io::Error| format!("a test binary: {error}");
    let mut child = command.spawn().map_err(told)?;
    let began = Instant::now();
    while began.elapsed() < limit {
        if let Some(status) = child.try_wait().map_err(told)? {
            return Ok(Some(status));
        }
        std::thread::sleep(Duration::from_millis(3));
    }
    child.kill().map_err(told)?;
    child.wait().map_err(told)?;
    Ok(None)
}

/// A mutant that was met on a thread which is no test's may have been met by any of them.
fn reached(notes: &Path) -> Reached {
    let mut reached: Reached = BTreeMap::new();
    let mut by_any = BTreeSet::new();
    for line in fs::read_to_string(notes).unwrap_or_default().lines() {
        let Some((number, test)) = line.split_once('\t') else { continue };
        let Ok(number) = number.parse() else { continue };
        reached.entry(number).or_default().insert(test.to_owned());
        if test.is_empty() || test == "main" {
            by_any.insert(number);
        }
    }
    for number in by_any {
        reached.insert(number, BTreeSet::new());
    }
    reached
}
