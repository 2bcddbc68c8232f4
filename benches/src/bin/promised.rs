//! `probative run` beside what a runner cannot do without, and beside other runners.
//!
//! `cargo run --release -p probative-bench --bin promised`. Needs python3 with `PyYAML`, `scrut` and `bats`, and says how to
//! install what is missing. `promised files|commands|steps|one` measures only that, and needs only what that is measured
//! beside; all takes a quarter of an hour.
//! `promised data DIRECTORY FILES` writes the documents instead. Ends with an error if a goal is missed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use probative::spec::lang::{Budget, Expression, Nowhere};
use probative::value::Value;
use probative_bench::data::promised::{self as data, CASES_PER_FILE, Health, write_documents};
use probative_bench::{Run, in_turns, median};
use serde_json::json;

const PARTS: [&str; 4] = ["files", "commands", "steps", "one"];
const FILES: usize = 500;
const COMMANDS: usize = 1000;
/// Turns of the loop of about a million steps: each takes twelve.
const TURNS: u64 = 83_333;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |text: &str| text.parse::<usize>().map_err(io::Error::other);
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => compare(&PARTS),
        [part] if PARTS.contains(part) => compare(&[part]),
        ["data", directory, files] => write_documents(Path::new(directory), number(files)?, Health::Sound),
        ["bare", jobs, count] => run_barely(number(jobs)?, number(count)?),
        _ => Err(io::Error::other("usage: promised [files|commands|steps|one|data DIRECTORY FILES]")),
    }
}

/// What is measured with, and where.
struct Bench {
    this: PathBuf,
    probative: PathBuf,
    directory: tempfile::TempDir,
    missed: usize,
}

fn compare(parts: &[&str]) -> io::Result<()> {
    let this = std::env::current_exe()?;
    let probative = this.with_file_name("probative");
    if !probative.exists() {
        return Err(io::Error::other("build the binary first: cargo build --release"));
    }
    for part in parts {
        need_peers(part)?;
    }
    let mut bench = Bench { this, probative, directory: tempfile::tempdir()?, missed: 0 };
    for part in parts {
        match *part {
            "files" => bench.verdicts().and_then(|()| bench.files())?,
            "commands" => bench.commands(1).and_then(|()| bench.commands(2))?,
            "steps" => bench.steps()?,
            _ => bench.one_case()?,
        }
    }
    match bench.missed {
        0 => Ok(()),
        missed => Err(io::Error::other(format!("{missed} goals missed"))),
    }
}

/// Refuses to measure a part without its peers.
fn need_peers(part: &str) -> io::Result<()> {
    match part {
        "files" => {
            need("python3", &["-c", "import yaml; assert yaml.__with_libyaml__"], "pip install PyYAML")
        }
        "commands" => {
            need("scrut", &["--version"], "cargo install scrut --version '~0.4'")?;
            need("bats", &["--version"], "apt install bats")?;
            need("parallel", &["--version"], "apt install parallel, with which bats runs several at a time")
        }
        "steps" => need("python3", &["--version"], "apt install python3"),
        _ => Ok(()),
    }
}

fn need(program: &str, arguments: &[&str], install: &str) -> io::Result<()> {
    let found = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    if found.is_ok_and(|ended| ended.success()) {
        return Ok(());
    }
    Err(io::Error::other(format!("{program} is missing, or does not do what is needed: {install}")))
}

impl Bench {
    /// Both runners must say the same of every case before their times mean anything.
    fn verdicts(&self) -> io::Result<()> {
        let documents = self.directory.path().join("faulty");
        write_documents(&documents, 50, Health::Faulty)?;
        let mut said = Vec::new();
        for (name, mut runner) in
            [("ours", self.ours(&documents, "ours")), ("theirs", self.theirs(&documents, &[], "theirs"))]
        {
            runner.status()?;
            let results: Value =
                serde_json::from_slice(&fs::read(self.results(name))?).map_err(io::Error::other)?;
            let results = results["results"].as_array().cloned().unwrap_or_default();
            let verdict = |result: &Value| ["id", "status", "category"].map(|key| result[key].clone());
            said.push(results.iter().map(verdict).collect::<Vec<_>>());
        }
        let [ours, theirs] = [&said[0], &said[1]];
        if let Some((ours, theirs)) = ours.iter().zip(theirs).find(|(ours, theirs)| ours != theirs) {
            return Err(io::Error::other(format!("the runners disagree: {ours:?}, but {theirs:?}")));
        }
        let bad = ours.iter().filter(|verdict| verdict[1] != "pass").count();
        if ours.len() != theirs.len() || ours.len() != 50 * CASES_PER_FILE || bad != ours.len() / 5 {
            return Err(io::Error::other(format!("{} and {} results, {bad} bad", ours.len(), theirs.len())));
        }
        println!("both runners say the same of {} cases, of which {bad} do not pass\n", ours.len());
        Ok(())
    }

    /// Cases about files, beside a runner in Python.
    fn files(&mut self) -> io::Result<()> {
        let documents = self.directory.path().join("sound");
        write_documents(&documents, FILES, Health::Sound)?;
        let runs = in_turns(
            5,
            &mut [
                self.ours(&documents, "ours"),
                self.theirs(&documents, &[], "theirs"),
                self.theirs(&documents, &["--c"], "theirs"),
            ],
        )?;
        println!("{} cases about files in {FILES} documents, with JSON results", FILES * CASES_PER_FILE);
        tell(&["probative run", "Python, PyYAML", "Python, libyaml"], &runs);
        self.goal("faster than PyYAML", ratio(&runs[1], &runs[0]), 50.0);
        println!("  faster than libyaml: {:.1} times\n", ratio(&runs[2], &runs[0]));
        Ok(())
    }

    /// Cases that run `/bin/true`, so many at a time, beside merely running it, and beside other runners.
    fn commands(&mut self, jobs: usize) -> io::Result<()> {
        let (specs, several) = (self.at("commands")?, self.at("several")?);
        let one_scrut = specs.join("scrut.md");
        fs::write(specs.join("true.spec.md"), data::spec(0..COMMANDS))?;
        fs::write(&one_scrut, data::scrut(0..COMMANDS))?;
        for first in (0..COMMANDS).step_by(50) {
            fs::write(several.join(format!("{first:03}.md")), data::scrut(first..first + 50))?;
            fs::write(several.join(format!("{first:03}.bats")), data::bats(first..first + 50))?;
        }

        let mut ours = self.ours(&specs, "ours");
        ours.arg("-j").arg(jobs.to_string());
        let mut bare = Command::new(&self.this);
        bare.args(["bare", &jobs.to_string(), &COMMANDS.to_string()]);
        let runs = in_turns(11, &mut [ours, bare])?;
        println!("{COMMANDS} cases that run /bin/true, {jobs} at a time");
        tell(&["probative run", "spawn and wait"], &runs);
        self.limit("of the time of spawn and wait", ratio(&runs[0], &runs[1]), 1.3);

        let scrut = |path: &Path| {
            let mut scrut = Command::new("scrut");
            scrut.arg("test").arg(path).stdout(Stdio::null()).stderr(Stdio::null());
            scrut
        };
        let mut bats = Command::new("bats");
        if jobs > 1 {
            bats.arg("--jobs").arg(jobs.to_string());
        }
        bats.arg(&several).stdout(Stdio::null());
        let mut ours = self.ours(&specs, "ours");
        ours.arg("-j").arg(jobs.to_string());
        let runs = in_turns(3, &mut [ours, scrut(&one_scrut), scrut(&several), bats])?;
        tell(&["probative run", "scrut, one file", "scrut, 20 files", "bats, 20 files"], &runs);
        self.goal("faster than scrut, one file", ratio(&runs[1], &runs[0]), 3.0);
        self.goal("faster than scrut, 20 files", ratio(&runs[2], &runs[0]), 3.0);
        self.goal("faster than bats", ratio(&runs[3], &runs[0]), 10.0);
        println!();
        Ok(())
    }

    /// A loop in an expression, beside the same loop in Python.
    fn steps(&mut self) -> io::Result<()> {
        let script = format!(
            "import time\ndef loop(n, sum):\n    while n != 0:\n        n, sum = n - 1, sum + 1\n    return sum\n\
             begun = time.perf_counter()\nassert loop({TURNS}, 0) == {TURNS}\nprint(time.perf_counter() - begun)"
        );
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..21 {
            ours.push(counted()?);
            let said = Command::new("python3").args(["-c", &script]).output()?;
            let said = String::from_utf8_lossy(&said.stdout).trim().parse().map_err(io::Error::other)?;
            theirs.push(Duration::from_secs_f64(said));
        }
        let [ours, theirs] = [middle(&mut ours), middle(&mut theirs)].map(|time| time.as_secs_f64());
        println!(
            "a loop of {TURNS} turns, 12 steps each: {:.2} ms, CPython {:.2} ms",
            ours * 1e3,
            theirs * 1e3
        );
        self.goal("faster than CPython", theirs / ours, 1.0);
        println!();
        Ok(())
    }

    /// One case, from the start of the program to its end.
    fn one_case(&mut self) -> io::Result<()> {
        for (name, about) in [
            ("text.file", "assert: [{target: text, must: [{regex: ['(?m)^# One$']}]}]"),
            ("cli.run", "harness: {entrypoint: /bin/true}"),
        ] {
            let directory = self.at(name)?;
            let text = format!("# One\n\n```yaml spec-test\nid: ONE\ntype: {name}\n{about}\n```\n");
            fs::write(directory.join("one.spec.md"), text)?;
            let mut command = Command::new(&self.probative);
            command.arg("run").arg(&directory).stdin(Stdio::null()).stdout(Stdio::null());
            let mut times = Vec::new();
            for _ in 0..101 {
                let begun = Instant::now();
                let ended = command.status()?;
                times.push(begun.elapsed());
                assert!(ended.success(), "{command:?}");
            }
            let time = middle(&mut times).as_secs_f64() * 1e3;
            let (best, worst) = (times[0].as_secs_f64() * 1e3, times[100].as_secs_f64() * 1e3);
            println!("one case of {name}: {time:.2} ms ({best:.2} to {worst:.2})");
            self.limit("ms", time, 15.0);
        }
        Ok(())
    }

    fn ours(&self, documents: &Path, results: &str) -> Command {
        let mut ours = Command::new(&self.probative);
        ours.arg("run")
            .arg(documents)
            .arg("--report")
            .arg(format!("json={}", self.results(results).display()));
        ours
    }

    fn theirs(&self, documents: &Path, flags: &[&str], results: &str) -> Command {
        let mut theirs = Command::new("python3");
        theirs.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/spec_runner.py")).args(flags);
        theirs.arg(documents).arg(self.results(results));
        theirs
    }

    fn results(&self, whose: &str) -> PathBuf {
        self.directory.path().join(format!("{whose}.json"))
    }

    /// A directory of this name, which is there afterwards.
    fn at(&self, name: &str) -> io::Result<PathBuf> {
        let directory = self.directory.path().join(name);
        fs::create_dir_all(&directory)?;
        Ok(directory)
    }

    fn goal(&mut self, what: &str, ratio: f64, at_least: f64) {
        println!("  {what}: {ratio:.1} times (at least {at_least})");
        self.missed += usize::from(ratio < at_least);
    }

    fn limit(&mut self, what: &str, ratio: f64, at_most: f64) {
        println!("  {ratio:.2} {what} (at most {at_most})");
        self.missed += usize::from(ratio > at_most);
    }
}

/// What every runner of commands does: start them, so many at a time, read what they write, and wait.
fn run_barely(jobs: usize, count: usize) -> io::Result<()> {
    let run = || -> io::Result<()> {
        for _ in 0..count / jobs {
            let ended = Command::new("/bin/true").stdin(Stdio::null()).output()?;
            assert!(ended.status.success() && ended.stdout.is_empty() && ended.stderr.is_empty());
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(run)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| io::Error::other("panicked"))?)
    })
}

/// How long the loop takes.
fn counted() -> io::Result<Duration> {
    let next = json!(["call", ["var", "loop"], ["sub", ["var", "n"], 1], ["add", ["var", "sum"], 1]]);
    let body = json!(["if", ["eq", ["var", "n"], 0], ["var", "sum"], next]);
    let written = json!(["let", [["loop", ["fn", ["n", "sum"], body]]], ["call", ["var", "loop"], TURNS, 0]]);
    let expression = Expression::compile(&written).map_err(io::Error::other)?;
    let budget = Budget { max_steps: u64::MAX, timeout_ms: 0, ..Budget::default() };
    let begun = Instant::now();
    let answer = expression.evaluate(&Value::Null, &budget, &Nowhere).map_err(io::Error::other)?;
    let time = begun.elapsed();
    assert_eq!(answer, json!(TURNS));
    Ok(time)
}

fn tell(names: &[&str], runs: &[Vec<Run>]) {
    for (name, runs) in names.iter().zip(runs) {
        let (best, worst) = (runs[0].time.as_secs_f64(), runs[runs.len() - 1].time.as_secs_f64());
        let (median, memory) = (median(runs).as_secs_f64(), runs[0].resident_bytes >> 20);
        println!("  {name:<16} {median:.3} s  ({best:.3} to {worst:.3})  {memory} MiB");
    }
}

/// How many times longer the first took.
fn ratio(longer: &[Run], shorter: &[Run]) -> f64 {
    median(longer).as_secs_f64() / median(shorter).as_secs_f64()
}

fn middle(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}
