//! How time and memory grow with the input.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::Command;

use crate::bench::Bench;
use crate::data::did::{self, Shape, write_runs};
use crate::data::promised::{self, CASES_PER_FILE, write_documents};
use crate::data::said::{self, question_of_many, write_response_of_many, write_responses};
use crate::data::saw::{self, report};
use crate::data::traces::write_session;
use crate::data::{Health, write_to};
use crate::limits::STEPS;
use crate::measure::{Contender, in_turns, mebibytes, seconds};
use crate::rows::{Growth, Row};

pub(super) const ASKS: &str = "\
Probative alone, with one job, on 1, 10 and 100 times as much of one thing, as a process from start to end. The power is \
that by which time grows from 10 to 100 times as much, where start-up weighs least; overall is from 1 to 100 times, \
including start-up. 1 is linear; above 1.05 there is an explanation, or the row is marked.";

/// Something of which there can be more.
struct Thing {
    what: &'static str,
    /// The least of it.
    least: usize,
    /// The program that takes so much of it.
    taking: fn(&Bench, usize) -> io::Result<Command>,
}

const THINGS: [Thing; 9] = [
    Thing { what: "responses", least: 2000, taking: responses },
    Thing { what: "results of one response", least: 1000, taking: results },
    Thing { what: "runs of 50 steps", least: 100, taking: runs },
    Thing { what: "steps of one run", least: 2000, taking: steps },
    Thing { what: "items of a selection report", least: 1000, taking: items },
    Thing { what: "cases about files", least: 100, taking: cases },
    Thing { what: "commands", least: 20, taking: commands },
    Thing { what: "steps of an expression", least: 120_000, taking: turns },
    Thing { what: "bytes of a session of Claude Code", least: 1_000_000, taking: session },
];

pub(super) fn measure(bench: &Bench) -> io::Result<Vec<Row>> {
    THINGS.iter().map(|thing| grown(bench, thing)).collect()
}

fn grown(bench: &Bench, thing: &Thing) -> io::Result<Row> {
    let least = if bench.quick { thing.least / 20 } else { thing.least };
    let sizes = [least, least * 10, least * 100];
    let mut contenders = Vec::new();
    for size in sizes {
        contenders.push(Contender::program(&format!("{size} {}", thing.what), (thing.taking)(bench, size)?));
    }
    let runs = in_turns(bench.rounds(5), &mut contenders)?;
    let [one, ten, hundred] = [&runs[0], &runs[1], &runs[2]];
    Ok(Row::Growth(Growth {
        what: thing.what.to_owned(),
        sizes,
        times: [one, ten, hundred].map(|runs| seconds(runs).median),
        mebibytes: [one, ten, hundred].map(|runs| mebibytes(runs)),
    }))
}

fn file(bench: &Bench, name: &str, size: usize) -> io::Result<PathBuf> {
    Ok(bench.at("growth")?.join(format!("{size}-{name}")))
}

fn responses(bench: &Bench, size: usize) -> io::Result<Command> {
    let subjects = file(bench, "responses.jsonl", size)?;
    write_to(&subjects, |out| write_responses(out, size, Health::Sound))?;
    Ok(bench.check(&bench.written("growth/expect.json", said::QUESTION)?, &subjects, 1))
}

fn results(bench: &Bench, size: usize) -> io::Result<Command> {
    let subject = file(bench, "results.json", size)?;
    write_to(&subject, |out| write_response_of_many(out, size))?;
    Ok(bench.check(&bench.written("growth/many.json", &question_of_many())?, &subject, 1))
}

fn runs(bench: &Bench, size: usize) -> io::Result<Command> {
    let subjects = file(bench, "runs.jsonl", size)?;
    write_to(&subjects, |out| write_runs(out, size, 50, Shape::Small, Health::Sound))?;
    Ok(bench.check(&bench.written("growth/did.yaml", did::QUESTION)?, &subjects, 1))
}

fn steps(bench: &Bench, size: usize) -> io::Result<Command> {
    let subject = file(bench, "steps.json", size)?;
    write_to(&subject, |out| write_runs(out, 1, size, Shape::Small, Health::Sound))?;
    Ok(bench.check(&bench.written("growth/did.yaml", did::QUESTION)?, &subject, 1))
}

fn items(bench: &Bench, size: usize) -> io::Result<Command> {
    let subject = file(bench, "report.json", size)?;
    let report = report(size).map_err(io::Error::other)?;
    fs::write(&subject, serde_json::to_vec(&report)?)?;
    Ok(bench.check(&bench.written(&format!("growth/{size}-saw.yaml"), &saw::question(size))?, &subject, 1))
}

fn cases(bench: &Bench, size: usize) -> io::Result<Command> {
    let documents = bench.at(&format!("growth/{size}-cases"))?;
    write_documents(&documents, size.div_ceil(CASES_PER_FILE), Health::Sound)?;
    Ok(bench.run_to_json(&documents, &documents.with_extension("json"), 1))
}

fn commands(bench: &Bench, size: usize) -> io::Result<Command> {
    let documents = bench.at(&format!("growth/{size}-commands"))?;
    fs::write(documents.join("true.spec.md"), promised::spec(0..size, Health::Sound))?;
    Ok(bench.run_to_json(&documents, &documents.with_extension("json"), 1))
}

#[expect(clippy::unnecessary_wraps, reason = "what others take must be written first")]
fn turns(bench: &Bench, size: usize) -> io::Result<Command> {
    Ok(bench.limit(&["turns", &(size / STEPS).to_string()], None))
}

fn session(bench: &Bench, size: usize) -> io::Result<Command> {
    let subject = file(bench, "session.jsonl", size)?;
    write_to(&subject, |out| write_session(out, size))?;
    let question = bench
        .written("growth/session.yaml", "must:\n  - tool_was_called: [Read]\n  - succeeded: [true]\n")?;
    Ok(bench.check(&question, &subject, 1))
}
