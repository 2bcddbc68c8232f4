//! Runs of a support agent.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::agreement::{agree, failing, named};
use crate::bench::{Bench, script};
use crate::data::did::{QUESTION, Shape, write_runs};
use crate::data::{Health, write_to};
use crate::measure::{Contender, compare};
use crate::peers::Peer;
use crate::rows::{Row, Target};
use crate::told::{count, jobs_told, output};

pub(super) const ASKS: &str = "\
`probative check` reads recorded runs, one per line, with one job and with two, its default on two cores; the peers use \
one. Beside trajai it asks all nineteen checks of that package. Small steps have every key of the format, as trajai \
writes them; nested steps have larger arguments and results, and only the keys of their kind. agentevals can only match \
the calls of a run against a reference: it asks for a search with given arguments, a refund and a mail (`superset`), \
over the same runs prepared as messages, and Probative asks `tool_called_with` and `tool_was_called`. pydantic-evals \
evaluates a dataset of the runs with two evaluators in Python, and Probative asks the same in four checks. All name the \
same failing runs, one in five. Passing runs are checked whole, but only the steps are kept that an answer depends on; \
failing runs take longer, because they are read again for the report. The limits parse the same bytes and do nothing \
with them.";

/// What agentevals can be asked.
const REFERENCE: &str = r#"must:
  - tool_called_with: [{name: search, args: {query: incident review audit, limit: 7, filters: {tags: [work, security], after: "2026-01-01"}}}]
  - tool_was_called: [refund]
  - tool_was_called: [send_email]
"#;

/// What the evaluators for pydantic-evals look at.
const EVALUATORS: &str = "must:
  - tool_was_called: [refund]
  - tool_not_called: [delete_user]
  - tool_called_before: [{first: search, second: refund}]
  - output_contains: [RF-]
";

/// Someone else who judges runs, and what both are asked.
struct Judge {
    name: &'static str,
    peer: Peer,
    script: &'static str,
    question: &'static str,
}

const JUDGES: [Judge; 3] = [
    Judge { name: "trajai, 19 checks", peer: Peer::Trajai, script: "trajai_did.py", question: QUESTION },
    Judge {
        name: "agentevals, a superset of 3 calls",
        peer: Peer::Agentevals,
        script: "agentevals_did.py",
        question: REFERENCE,
    },
    Judge {
        name: "pydantic-evals, 4 checks",
        peer: Peer::PydanticEvals,
        script: "pydantic_did.py",
        question: EVALUATORS,
    },
];

/// How fast it is to be beside trajai, whose steps the small ones are.
const WANTED: Target = Target::SpeedAtLeast(50.0);

pub(super) fn measure(bench: &Bench) -> io::Result<Vec<Row>> {
    check_agreement(bench)?;
    let mut rows = Vec::new();
    let (many, long) = (bench.sized(10_000), bench.sized(200_000));
    for (runs, steps, shape, judges) in [
        (many, 50, Shape::Small, JUDGES.as_slice()),
        (many, 50, Shape::Nested, &JUDGES[..1]),
        (1, long, Shape::Small, &JUDGES),
        (1, long, Shape::Nested, &JUDGES[..1]),
    ] {
        let subjects = generated(bench, runs, steps, shape, Health::Sound)?;
        let kind = if shape == Shape::Small { "small" } else { "nested" };
        let plural = if runs == 1 { "" } else { "s" };
        let what = format!("{} run{plural} × {} {kind} steps", count(runs), count(steps));
        rows.extend(limits(bench, &what, &subjects)?);
        for judge in judges {
            // One run is for one core.
            let most = if runs == 1 { 1 } else { 2 };
            for jobs in 1..=most {
                let target =
                    (judge.peer == Peer::Trajai && shape == Shape::Small && jobs == most).then_some(WANTED);
                rows.extend(beside(bench, &what, &subjects, jobs, judge, target)?);
            }
        }
    }
    Ok(rows)
}

fn generated(bench: &Bench, runs: usize, steps: usize, shape: Shape, health: Health) -> io::Result<PathBuf> {
    let ending = if runs == 1 { "json" } else { "jsonl" };
    let file = bench.at("did")?.join(format!("{runs}x{steps}-{shape:?}-{health:?}.{ending}"));
    write_to(&file, |out| write_runs(out, runs, steps, shape, health))?;
    Ok(file)
}

fn limits(bench: &Bench, what: &str, subjects: &Path) -> io::Result<Vec<Row>> {
    let question = bench.written("did/all.yaml", QUESTION)?;
    let ours = Contender::program("probative, 19 checks", bench.check(&question, subjects, 1));
    let parse = |kind: &str| bench.limit(&["parse", kind], Some(subjects));
    let limits = vec![
        Contender::program("our own reader, into a tree", parse("tree"))
            .limit()
            .wanted(Target::SpeedAtLeast(0.6)),
        Contender::program("serde_json, into Value", parse("value")).limit(),
        Contender::program("serde_json, IgnoredAny and UTF-8", parse("ignored")).limit(),
    ];
    compare(&format!("{what}, {}", jobs_told(1)), bench.rounds(5), ours, limits)
}

fn beside(
    bench: &Bench,
    what: &str,
    subjects: &Path,
    jobs: usize,
    judge: &Judge,
    target: Option<Target>,
) -> io::Result<Vec<Row>> {
    let question = bench.written(&format!("did/{}.yaml", judge.script), judge.question)?;
    let ours = Contender::program("probative", bench.check(&question, subjects, jobs));
    let theirs = Contender::program(judge.name, asked(bench, judge, subjects)?);
    let theirs = match target {
        Some(target) => theirs.wanted(target),
        None => theirs,
    };
    // What a target is for takes us a twentieth of a second, of which three times say little.
    let rounds = if target.is_some() { 15 } else { 3 };
    compare(&format!("{what}, {}", jobs_told(jobs)), bench.rounds(rounds), ours, vec![theirs])
}

/// Every peer must name the same runs as we do where one in five is faulty, and none where all are sound.
fn check_agreement(bench: &Bench) -> io::Result<()> {
    for judge in &JUDGES {
        let question = bench.written(&format!("did/{}.yaml", judge.script), judge.question)?;
        for shape in [Shape::Small, Shape::Nested] {
            let faulty = generated(bench, 100, 20, shape, Health::Faulty)?;
            let theirs = named(&mut asked(bench, judge, &faulty)?)?;
            agree(judge.name, &failing(bench, &question, &faulty)?, &theirs)?;
            let sound = generated(bench, 99, 20, shape, Health::Sound)?;
            let theirs = named(&mut asked(bench, judge, &sound)?)?;
            let ours = failing(bench, &question, &sound)?;
            if !ours.is_empty() || !theirs.is_empty() {
                let told = format!("sound runs fail: {ours:?} for us, {theirs:?} for {}", judge.name);
                return Err(io::Error::other(told));
            }
        }
    }
    Ok(())
}

/// The peer, asked of these runs.
fn asked(bench: &Bench, judge: &Judge, subjects: &Path) -> io::Result<Command> {
    let mut command = judge.peer.command(&bench.peers);
    command.arg(script(judge.script));
    if judge.peer == Peer::Agentevals {
        let messages = subjects.with_extension("messages.jsonl");
        let mut convert = judge.peer.command(&bench.peers);
        convert.arg(script(judge.script)).arg("convert").arg(subjects).arg(&messages);
        output(&mut convert, &[0])?;
        command.arg(messages);
    } else {
        command.arg(subjects);
    }
    Ok(command)
}
