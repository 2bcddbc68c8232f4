//! Cases that run `/bin/true`, beside merely running it, and beside other runners of commands.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bench::Bench;
use crate::data::Health;
use crate::data::promised as data;
use crate::measure::{Contender, compare};
use crate::peers::{Peer, python_program};
use crate::rows::{Row, Target};
use crate::told::{count, jobs_told};

const COMMANDS: usize = 1000;
/// What writes so many commands for someone.
type Write = fn(Range<usize>, Health) -> String;

/// The files that peers take several of.
const FILES: usize = 20;

pub(super) fn measure(bench: &Bench) -> io::Result<Vec<Row>> {
    check_agreement(bench)?;
    let commands = bench.sized(COMMANDS);
    let (documents, files) = written(bench, "commands", commands, Health::Sound)?;
    let mut rows = Vec::new();
    for jobs in [1, 2] {
        let what = format!("{} commands, {}", count(commands), jobs_told(jobs));
        let ours = || Contender::parent("probative", bench.run(&documents, jobs));
        let bare = bench.limit(&["spawn", &jobs.to_string(), &commands.to_string()], None);
        let bare = Contender::parent("a bare loop", bare).limit().wanted(Target::TimeAtMost(1.15));
        rows.extend(compare(&what, bench.rounds(21), ours(), vec![bare])?);
        rows.extend(compare(&what, bench.rounds(3), ours(), runners(bench, &files, jobs))?);
    }
    let held = |name: &str, mebibytes: &str| {
        Contender::told(name, bench.limit(&["hold", mebibytes], Some(&documents)))
    };
    let what = format!("{} commands, from a process of 1 GiB", count(commands));
    let lean = held("the same, holding nothing", "0").itself().wanted(Target::TimeAtMost(1.05));
    rows.extend(compare(&what, bench.rounds(11), held("holding 1 GiB", "1024"), vec![lean])?);
    Ok(rows)
}

/// The documents for us, and the files for others: a folder each, and one file with all for scrut.
fn written(bench: &Bench, name: &str, commands: usize, health: Health) -> io::Result<(PathBuf, PathBuf)> {
    let (documents, files) = (bench.at(name)?, bench.at(&format!("{name}-files"))?);
    fs::write(documents.join("true.spec.md"), data::spec(0..commands, health))?;
    fs::write(files.join("scrut.md"), data::scrut(0..commands, health))?;
    let formats: [(&str, Write); 4] = [
        ("scrut/md", data::scrut),
        ("bats/bats", data::bats),
        ("cram/t", data::cram),
        ("trycmd/trycmd", data::trycmd),
    ];
    for (place, write) in formats {
        let (folder, ending) = place.split_once('/').unwrap_or_default();
        fs::create_dir_all(files.join(folder))?;
        for first in (0..commands).step_by(commands.div_ceil(FILES)) {
            let numbers = first..(first + commands.div_ceil(FILES)).min(commands);
            fs::write(files.join(folder).join(format!("{first:04}.{ending}")), write(numbers, health))?;
        }
    }
    Ok((documents, files))
}

/// Those who can run so many at a time.
fn runners<'a>(bench: &Bench, files: &Path, jobs: usize) -> Vec<Contender<'a>> {
    let mut runners = vec![
        Contender::parent("trycmd, 20 files", trycmd(bench, files, jobs)),
        Contender::parent("bats, 20 files", bats(bench, files, jobs)),
    ];
    if jobs == 1 {
        runners.push(Contender::parent("scrut, one file", scrut(bench, &files.join("scrut.md"))));
        runners.push(Contender::parent("scrut, 20 files", scrut(bench, &files.join("scrut"))));
        runners.push(Contender::parent("cram, 20 files", cram(bench, files)));
    }
    runners
}

fn scrut(bench: &Bench, path: &Path) -> Command {
    let mut command = Peer::Scrut.command(&bench.peers);
    command.arg("test").arg(path);
    command
}

fn bats(bench: &Bench, files: &Path, jobs: usize) -> Command {
    let mut command = Peer::Bats.command(&bench.peers);
    if jobs > 1 {
        command.arg("--jobs").arg(jobs.to_string());
    }
    command.arg(files.join("bats"));
    command
}

fn cram(bench: &Bench, files: &Path) -> Command {
    let mut command = python_program(&bench.peers, "cram");
    command.arg(files.join("cram"));
    command
}

fn trycmd(bench: &Bench, files: &Path, jobs: usize) -> Command {
    let mut command = Peer::Trycmd.command(&bench.peers);
    command.arg("trycmd").arg(files.join("trycmd")).env("RAYON_NUM_THREADS", jobs.to_string());
    command
}

/// Every runner must find as many commands that fail as we do, where one in five does.
fn check_agreement(bench: &Bench) -> io::Result<()> {
    const COMMANDS: usize = 40;
    let (documents, files) = written(bench, "failing-commands", COMMANDS, Health::Faulty)?;
    let mut ours = bench.run(&documents, 1);
    ours.args(["--report", "jsonl"]);
    // What each says of one command that fails.
    for (name, mut command, sign) in [
        ("probative", ours, "\"status\":\"fail\",\"category\":"),
        ("bats", bats(bench, &files, 1), "not ok"),
        ("cram", cram(bench, &files), "+  [1]"),
        ("scrut", scrut(bench, &files.join("scrut.md")), "unexpected exit code"),
        ("trycmd", trycmd(bench, &files, 1), " ... failed "),
    ] {
        let ended = command.output()?;
        let told = [ended.stdout, ended.stderr].concat();
        let told = String::from_utf8_lossy(&told);
        let found = told.matches(sign).count();
        if ended.status.success() || found != COMMANDS / 5 {
            let expected = COMMANDS / 5;
            return Err(io::Error::other(format!(
                "{name} finds {found} of {expected} commands that fail:\n{told}"
            )));
        }
    }
    Ok(())
}
