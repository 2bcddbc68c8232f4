//! Runs the tests against one mutant after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::process::CommandExt as _;
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
    /// A test failed.
    Noticed,
    /// A test did not end in time, which nobody overlooks.
    Hung,
    /// Tests came by it, and passed.
    Survived,
    /// No test came by it.
    Unreached,
}

impl Outcome {
    pub fn is_survival(&self) -> bool {
        matches!(self, Outcome::Survived | Outcome::Unreached)
    }
}

/// They measure memory, which writing down takes, too; and they take long. So they are asked about all that the others let pass.
const LAST: [&str; 2] = ["allocations", "lang_memory"];
/// A mutant that computes for longer than this, and five times as long as none takes, hangs. How busy the machine is does not matter.
const LEAST_LIMIT: Duration = Duration::from_secs(5);
/// The signal that ends what computes for too long.
const SIGXCPU: i32 = 24;
/// How the shell ends that gets no process for what it is to run.
const NO_PROCESS: i32 = 254;
/// What does not even compute hangs after so long.
const LONGEST: Duration = Duration::from_mins(10);

/// Runs every binary without a mutant: all must pass. The quickest first.
pub fn courts(tree: &Tree, binaries: Vec<Binary>) -> Result<Vec<Court>, String> {
    let (last, others): (Vec<_>, Vec<_>) =
        binaries.into_iter().partition(|binary| LAST.contains(&binary.name.as_str()));
    let mut courts = Vec::new();
    for binary in others {
        let notes = tree.root.join("target/mutants").join(format!("{}.reached", binary.name));
        let _ = fs::remove_file(&notes);
        let took = passes(&binary, tests(tree, &binary, LONGEST).env("MUTANTS_REACHED", &notes))?;
        courts.push(Court { took, reached: reached(&notes), binary });
    }
    courts.sort_by_key(|court| court.took);
    let by_any =
        courts.iter().flat_map(|court| court.reached.keys()).map(|number| (*number, BTreeSet::new()));
    let by_any: Reached = by_any.collect();
    for binary in last {
        let took = passes(&binary, &mut tests(tree, &binary, LONGEST))?;
        courts.push(Court { took, reached: by_any.clone(), binary });
    }
    Ok(courts)
}

/// How long it computes; that it does not pass is an error.
fn passes(binary: &Binary, command: &mut Command) -> Result<Duration, String> {
    let failed = || format!("the tests of {} do not pass without any mutant", binary.name);
    let output = command.stderr(Stdio::piped()).output().map_err(|error| format!("bash: {error}"))?;
    let told = String::from_utf8_lossy(&output.stderr);
    let seconds = told.lines().last().and_then(|line| line.parse::<f64>().ok());
    seconds.filter(|_| output.status.success()).map(Duration::from_secs_f64).ok_or_else(failed)
}

/// How each of these mutants ended, in their order; so many at a time. Each is told as it ends, by its place among them.
pub fn outcomes(
    tree: &Tree,
    courts: &[Court],
    numbers: &[u32],
    at_a_time: usize,
    tell: impl Fn(usize, &Outcome) + Sync,
) -> Result<Vec<Outcome>, String> {
    let (next, ended) = (Mutex::new(0..numbers.len()), Mutex::new(BTreeMap::new()));
    let work = || {
        loop {
            let taken = next.lock().map_err(|_| "a trial panicked")?.next();
            let Some(at) = taken else { return Ok::<(), String>(()) };
            let outcome = outcome(tree, courts, numbers[at])?;
            let mut ended = ended.lock().map_err(|_| "a trial panicked")?;
            tell(at, &outcome);
            ended.insert(at, outcome);
            if ended.len() % 100 == 0 {
                eprintln!("  {} of {}", ended.len(), numbers.len());
            }
        }
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
        let mut command = tests(tree, &court.binary, LEAST_LIMIT.max(court.took * 5));
        if !names.is_empty() {
            command.arg("--exact").args(names);
        }
        match ended(command.env("MUTANT", number.to_string()))? {
            None => return Ok(Outcome::Hung),
            Some(status) if status.code() == Some(128 + SIGXCPU) => return Ok(Outcome::Hung),
            Some(status) if !status.success() => return Ok(Outcome::Noticed),
            Some(_) => {}
        }
    }
    Ok(outcome)
}

/// Runs a command that may compute for so many seconds and take 3 GB, and tells last how long it did. What ends it by a signal is told as 128 and that signal.
const SHELL: &str = "ulimit -S -t $0 -v 3000000; TIMEFORMAT=%U; time \"$@\"";

/// The tests of a binary, which may compute for so long.
fn tests(tree: &Tree, binary: &Binary, limit: Duration) -> Command {
    let mut command = Command::new("bash");
    command
        .args(["-c", SHELL])
        .process_group(0)
        .arg(limit.as_secs().to_string())
        .arg(&binary.path)
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

/// How it ended; `None` if it did not. Where the system has no more processes, it is tried again.
fn ended(command: &mut Command) -> Result<Option<ExitStatus>, String> {
    let began = Instant::now();
    loop {
        let is_over = began.elapsed() > LONGEST;
        match ended_once(command) {
            Err(error) if is_over || error.kind() != ErrorKind::WouldBlock => {
                return Err(format!("a test binary: {error}"));
            }
            Ok(Some(status)) if is_over || status.code() != Some(NO_PROCESS) => return Ok(Some(status)),
            Ok(None) => return Ok(None),
            Err(_) | Ok(Some(_)) => std::thread::sleep(Duration::from_secs(1)),
        }
    }
}

fn ended_once(command: &mut Command) -> io::Result<Option<ExitStatus>> {
    let mut child = command.spawn()?;
    let began = Instant::now();
    while began.elapsed() < LONGEST {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        std::thread::sleep(Duration::from_millis(3));
    }
    // The shell and what it runs.
    let group = format!("-{}", child.id());
    Command::new("kill").args(["-9", "--", &group]).status()?;
    child.wait()?;
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
