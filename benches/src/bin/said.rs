//! `probative check --report jsonl` beside merely parsing the same file into the same tree.
//!
//! `cargo run --release -p probative-bench --bin said [RECORDS]`

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::Command;

use probative::value::Tree;
use probative_bench::data::said::{QUESTION, write_responses};
use probative_bench::{in_turns, median};

const ROUNDS: usize = 7;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [mode, file] if mode == "parse" => parse(Path::new(file)),
        [] => compare(200_000),
        [records] => compare(records.parse().map_err(io::Error::other)?),
        _ => Err(io::Error::other("usage: said [RECORDS]")),
    }
}

/// The limit: every line parsed into a tree, and the tree dropped.
fn parse(file: &Path) -> io::Result<()> {
    let mut lines = BufReader::with_capacity(256 * 1024, File::open(file)?);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        let tree = Tree::read(&line).map_err(|cause| io::Error::other(cause.message))?;
        std::hint::black_box(&tree);
        line.clear();
    }
    Ok(())
}

fn compare(records: usize) -> io::Result<()> {
    let directory = tempfile::tempdir()?;
    let (subjects, question) =
        (directory.path().join("responses.jsonl"), directory.path().join("expect.json"));
    let mut out = BufWriter::new(File::create(&subjects)?);
    write_responses(&mut out, records)?;
    out.flush()?;
    std::fs::write(&question, QUESTION)?;
    let bytes = std::fs::metadata(&subjects)?.len();

    let this = std::env::current_exe()?;
    let probative = this.with_file_name("probative");
    if !probative.exists() {
        return Err(io::Error::other("build the binary first: cargo build --release"));
    }
    let check = |jobs: &str| {
        let mut command = Command::new(&probative);
        command.arg("check").arg(&question).arg(&subjects).args([
            "--report",
            "jsonl=/dev/null",
            "--jobs",
            jobs,
        ]);
        command
    };
    let mut limit = Command::new(&this);
    limit.arg("parse").arg(&subjects);
    let mut programs = [limit, check("1"), check("2")];
    let runs = in_turns(ROUNDS, &mut programs)?;
    let [parse, one, two] = [&runs[0], &runs[1], &runs[2]].map(|runs| median(runs).as_secs_f64());
    #[expect(clippy::cast_precision_loss, reason = "for reading only")]
    let (per_record, megabytes) = (bytes as f64 / records as f64, bytes as f64 / 1e6);
    let resident = runs[1..].iter().flatten().map(|run| run.resident_bytes).max().unwrap_or_default() >> 20;

    println!("{records} responses of {per_record:.0} bytes, 8 assertions, medians of {ROUNDS} runs in turns");
    for (name, runs, median) in
        [("parse only", &runs[0], parse), ("check -j 1", &runs[1], one), ("check -j 2", &runs[2], two)]
    {
        let (best, worst) = (runs[0].time.as_secs_f64(), runs[runs.len() - 1].time.as_secs_f64());
        println!("  {name}  {median:.3} s  ({best:.3} to {worst:.3})  {:.0} MB/s", megabytes / median);
    }
    println!("check on one core / parse only     {:.2}   (at most 1.6)", one / parse);
    println!("check on one core / on two cores   {:.2}   (at least 1.7)", one / two);
    println!("most memory held                   {resident} MiB (under 64)");
    Ok(())
}
