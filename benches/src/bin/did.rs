//! `probative check` over runs beside the Python package `trajai` 0.1.0, which asks the same nineteen checks.
//!
//! `cargo run --release -p probative-bench --bin did`. Needs python3, and installs the package by name into a virtual
//! environment under the target directory. `did data RUNS STEPS small|nested` prints the data instead. Ends with
//! an error if a goal is missed.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use probative_bench::data::did::{QUESTION, Shape, write_runs};
use probative_bench::{Run, in_turns, median};

const PEER: &str = "trajai==0.1.0";
const ROUNDS: usize = 5;

/// What is measured: so many runs of so many steps, and how much faster and leaner it has to be, if anything.
struct Case {
    runs: usize,
    steps: usize,
    shape: Shape,
    faster: Option<f64>,
    leaner: Option<f64>,
}

const CASES: [Case; 3] = [
    Case { runs: 1, steps: 200_000, shape: Shape::Nested, faster: Some(20.0), leaner: Some(3.0) },
    Case { runs: 10_000, steps: 50, shape: Shape::Small, faster: Some(30.0), leaner: None },
    Case { runs: 10_000, steps: 50, shape: Shape::Nested, faster: Some(30.0), leaner: None },
];

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [] => compare_all(),
        [mode, runs, steps, shape] if mode == "data" => {
            let number = |text: &str| text.parse::<usize>().map_err(io::Error::other);
            let shape = if shape == "small" { Shape::Small } else { Shape::Nested };
            write_runs(&mut BufWriter::new(io::stdout().lock()), number(runs)?, number(steps)?, shape)
        }
        _ => Err(io::Error::other("usage: did [data RUNS STEPS small|nested]")),
    }
}

fn compare_all() -> io::Result<()> {
    let this = std::env::current_exe()?;
    let probative = this.with_file_name("probative");
    if !probative.exists() {
        return Err(io::Error::other("build the binary first: cargo build --release"));
    }
    let python = peer(&this.with_file_name("bench-peers"))?;
    let directory = tempfile::tempdir()?;
    let question = directory.path().join("question.yaml");
    std::fs::write(&question, QUESTION)?;
    let mut missed = 0;
    for case in CASES {
        missed += compare(&case, directory.path(), &question, &probative, &python)?;
    }
    if missed == 0 { Ok(()) } else { Err(io::Error::other(format!("{missed} goals missed"))) }
}

/// A Python that has the peer.
fn peer(environment: &Path) -> io::Result<PathBuf> {
    let python = environment.join("bin/python");
    let has_peer = |python: &Path| {
        Command::new(python).args(["-c", "import trajai"]).status().is_ok_and(|ended| ended.success())
    };
    if !python.exists() || !has_peer(&python) {
        succeed(Command::new("python3").args(["-m", "venv"]).arg(environment))?;
        succeed(Command::new(&python).args(["-m", "pip", "install", "--quiet", PEER]))?;
    }
    Ok(python)
}

fn succeed(command: &mut Command) -> io::Result<()> {
    let ended = command.status()?;
    if ended.success() { Ok(()) } else { Err(io::Error::other(format!("{command:?} ended with {ended}"))) }
}

/// Measures one case, and answers how many of its goals were missed.
fn compare(
    case: &Case,
    directory: &Path,
    question: &Path,
    probative: &Path,
    python: &Path,
) -> io::Result<usize> {
    let Case { runs, steps, shape, faster, leaner } = case;
    let ending = if *runs == 1 { "json" } else { "jsonl" };
    let subjects = directory.join(format!("{runs}x{steps}-{shape:?}.{ending}"));
    let mut out = BufWriter::new(File::create(&subjects)?);
    write_runs(&mut out, *runs, *steps, *shape)?;
    out.flush()?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/trajai_did.py");
    let mut ours = Command::new(probative);
    ours.arg("check").arg(question).arg(&subjects).args(["--report", "human=/dev/null"]);
    let mut theirs = Command::new(python);
    theirs.arg(script).arg(&subjects);
    let measured = in_turns(ROUNDS, &mut [ours, theirs])?;

    let bytes = std::fs::metadata(&subjects)?.len();
    let plural = if *runs == 1 { "" } else { "s" };
    println!(
        "{runs} run{plural} of {steps} steps ({shape:?}, {} MB), 19 checks, medians of {ROUNDS} runs in turns",
        bytes / 1_000_000
    );
    for (name, runs) in ["probative check", "trajai"].into_iter().zip(&measured) {
        let (best, worst) = (runs[0].time.as_secs_f64(), runs[runs.len() - 1].time.as_secs_f64());
        let (median, memory) = (median(runs).as_secs_f64(), most_memory(runs) >> 20);
        println!("  {name:<16} {median:.3} s  ({best:.3} to {worst:.3})  {memory} MiB");
    }
    let [ours, theirs] = [&measured[0], &measured[1]];
    let in_time = median(theirs).as_secs_f64() / median(ours).as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "for reading only")]
    let in_memory = most_memory(theirs) as f64 / most_memory(ours) as f64;
    let mut missed = 0;
    for (what, ratio, goal) in [("faster", in_time, faster), ("leaner", in_memory, leaner)] {
        let goal_told = goal.map_or(String::new(), |goal| format!(" (at least {goal})"));
        println!("  {what} {ratio:.1} times{goal_told}");
        missed += usize::from(goal.is_some_and(|goal| ratio < goal));
    }
    println!();
    Ok(missed)
}

fn most_memory(runs: &[Run]) -> u64 {
    runs.iter().map(|run| run.resident_bytes).max().unwrap_or_default()
}
