//! Cases about files, beside a runner in Python.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use probative::value::Value;

use crate::bench::{Bench, script};
use crate::data::Health;
use crate::data::promised::{CASES_PER_FILE, write_documents};
use crate::measure::{Contender, compare};
use crate::peers::Peer;
use crate::rows::Row;
use crate::told::{count, jobs_told, output};

const FILES: usize = 500;

pub(super) fn measure(bench: &Bench) -> io::Result<Vec<Row>> {
    check_agreement(bench)?;
    let (documents, files) = (bench.at("sound")?, bench.sized(FILES));
    write_documents(&documents, files, Health::Sound)?;
    let results = documents.with_extension("json");
    let mut rows = Vec::new();
    for jobs in [1, 2] {
        let what = format!("{} cases about files, {}", count(files * CASES_PER_FILE), jobs_told(jobs));
        let ours = Contender::program("probative", bench.run_to_json(&documents, &results, jobs));
        let peers = vec![
            Contender::program("Python with PyYAML", python(bench, &documents, &[], &results)),
            Contender::program("Python with libyaml", python(bench, &documents, &["--c"], &results)),
        ];
        rows.extend(compare(&what, bench.rounds(3), ours, peers)?);
    }
    Ok(rows)
}

fn python(bench: &Bench, documents: &Path, flags: &[&str], results: &Path) -> Command {
    let mut command = Peer::PyYaml.command(&bench.peers);
    command.arg(script("spec_runner.py")).args(flags).arg(documents).arg(results);
    command
}

/// Both runners must say the same of every case, where one in five does not pass.
fn check_agreement(bench: &Bench) -> io::Result<()> {
    const FILES: usize = 50;
    let documents = bench.at("faulty")?;
    write_documents(&documents, FILES, Health::Faulty)?;
    let results = documents.with_extension("json");
    let judge = |command: &mut Command| -> io::Result<Vec<[Value; 3]>> {
        output(command, &[0, 1, 2])?;
        let told: Value = serde_json::from_slice(&fs::read(&results)?)?;
        let told = told["results"].as_array().cloned().unwrap_or_default();
        Ok(told.iter().map(|result| ["id", "status", "category"].map(|key| result[key].clone())).collect())
    };
    let ours = judge(&mut bench.run_to_json(&documents, &results, 1))?;
    for flags in [&[][..], &["--c"]] {
        let theirs = judge(&mut python(bench, &documents, flags, &results))?;
        if let Some((ours, theirs)) = ours.iter().zip(&theirs).find(|(ours, theirs)| ours != theirs) {
            return Err(io::Error::other(format!("the runners disagree: {ours:?}, but {theirs:?}")));
        }
        let bad = ours.iter().filter(|verdict| verdict[1] != "pass").count();
        if ours.len() != theirs.len() || ours.len() != FILES * CASES_PER_FILE || bad != ours.len() / 5 {
            return Err(io::Error::other(format!("{} and {} results, {bad} bad", ours.len(), theirs.len())));
        }
    }
    Ok(())
}
