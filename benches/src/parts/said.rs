//! Responses of a search agent, judged by eight assertions.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;

use probative::value::Value;

use crate::agreement::{agree, failing, named};
use crate::bench::{Bench, script};
use crate::data::said::{QUESTION, write_responses};
use crate::data::{Health, write_to};
use crate::measure::{Contender, compare};
use crate::peers::{PROMPTFOO_OFFLINE, Peer, promptfoo};
use crate::rows::{Row, Target};
use crate::told::{count, jobs_told, output};

pub(super) const ASKS: &str = "\
`probative check` asks eight assertions of responses of about 1 KB, one per line, and names those that fail: a value, a \
number of results, required fields, a value at a path, a pattern, tags, a range, an order. `jq` and `jaq` run one \
filter, a Python script reads with `orjson`, and promptfoo checks a JSON Schema and a line of JavaScript. Each is one \
process, and all name the same failing responses, one in five. The limits parse every line and do nothing with it, copy \
the file, or count its lines.";

const RESPONSES: usize = 200_000;
/// Promptfoo takes only so many in reasonable time.
const FEW: usize = 1000;

pub(super) fn measure(bench: &Bench) -> io::Result<Vec<Row>> {
    let question = bench.written("said/expect.json", QUESTION)?;
    let (responses, few) = (bench.sized(RESPONSES), bench.sized(FEW));
    let (sound, few_sound) =
        (generated(bench, responses, Health::Sound)?, generated(bench, few, Health::Sound)?);
    check_agreement(bench, &question)?;

    let what = |jobs| format!("{} responses, {}", count(responses), jobs_told(jobs));
    let ours =
        |jobs| Contender::program(&format!("probative, jobs {jobs}"), bench.check(&question, &sound, jobs));
    let parse = |kind: &str| bench.limit(&["parse", kind], Some(&sound));
    let mut sonic = Peer::SonicRs.command(&bench.peers);
    sonic.arg("sonic").arg(&sound);
    let mut lines = Command::new("wc");
    lines.arg("-l").arg(&sound);
    let limits = vec![
        Contender::program("serde_json, into Value", parse("value"))
            .limit()
            .wanted(Target::SpeedAtLeast(4.0)),
        Contender::program("serde_json, IgnoredAny and UTF-8", parse("ignored"))
            .limit()
            .wanted(Target::SpeedAtLeast(0.5)),
        Contender::program("sonic-rs, into Value", sonic).limit(),
        Contender::program("our own reader, into a tree", parse("tree")).limit(),
        Contender::program("read and memcpy", bench.limit(&["copy"], Some(&sound))).limit(),
        Contender::program("wc -l", lines).limit(),
    ];
    let mut rows = compare(&what(1), bench.rounds(7), ours(1), limits)?;
    let itself = ours(1).itself().wanted(Target::SpeedAtLeast(1.8));
    rows.extend(compare(&what(2), bench.rounds(21), ours(2), vec![itself])?);
    for jobs in [1, 2] {
        let target = Target::SpeedAtLeast(30.0);
        let peers = vec![
            Contender::program("jq", filter(bench, Peer::Jq, &sound)).wanted(target),
            Contender::program("jaq", filter(bench, Peer::Jaq, &sound)),
            Contender::program("Python with orjson", orjson(bench, &sound)),
        ];
        rows.extend(compare(&what(jobs), bench.rounds(3), ours(jobs), peers)?);
    }
    let ours = Contender::program("probative", bench.check(&question, &few_sound, 1));
    let theirs = Contender::program("promptfoo", Promptfoo::new(bench, &few_sound, "sound")?.command());
    let what = format!("{} responses, one job", count(few));
    rows.extend(compare(&what, bench.rounds(3), ours, vec![theirs])?);
    Ok(rows)
}

fn generated(bench: &Bench, responses: usize, health: Health) -> io::Result<PathBuf> {
    let file = bench.at("said")?.join(format!("{responses}-{health:?}.jsonl"));
    write_to(&file, |out| write_responses(out, responses, health))?;
    Ok(file)
}

/// All peers must name the same responses as we do where one in five fails, and none where all are sound.
fn check_agreement(bench: &Bench, question: &Path) -> io::Result<()> {
    for health in [Health::Faulty, Health::Sound] {
        let subjects = generated(bench, 400, health)?;
        let ours = failing(bench, question, &subjects)?;
        let expected: BTreeSet<usize> =
            if health == Health::Faulty { (4..400).step_by(5).collect() } else { BTreeSet::new() };
        if ours != expected {
            return Err(io::Error::other(format!("probative names {ours:?} where {expected:?} fail")));
        }
        for (name, mut command) in [
            ("jq", filter(bench, Peer::Jq, &subjects)),
            ("jaq", filter(bench, Peer::Jaq, &subjects)),
            ("Python with orjson", orjson(bench, &subjects)),
        ] {
            let theirs = named(&mut command)?;
            if health == Health::Faulty {
                agree(name, &ours, &theirs)?;
            } else if !theirs.is_empty() {
                return Err(io::Error::other(format!("{name} says that {theirs:?} fail, which are sound")));
            }
        }
        let theirs = Promptfoo::new(bench, &subjects, "agreement")?.failing()?;
        if theirs != ours {
            return Err(io::Error::other(format!("promptfoo names {theirs:?}, and probative {ours:?}")));
        }
    }
    Ok(())
}

fn filter(bench: &Bench, peer: Peer, subjects: &Path) -> Command {
    let mut command = peer.command(&bench.peers);
    command.arg("-r").arg("-f").arg(script("said.jq")).arg(subjects);
    command
}

fn orjson(bench: &Bench, subjects: &Path) -> Command {
    let mut command = Peer::Orjson.command(&bench.peers);
    command.arg(script("orjson_said.py")).arg(subjects);
    command
}

/// Promptfoo over recorded outputs, which it takes as a list of texts.
struct Promptfoo<'a> {
    bench: &'a Bench,
    home: PathBuf,
}

impl<'a> Promptfoo<'a> {
    fn new(bench: &'a Bench, subjects: &Path, name: &str) -> io::Result<Promptfoo<'a>> {
        let home = bench.at(&format!("promptfoo-{name}"))?;
        let texts: Vec<String> = BufReader::new(File::open(subjects)?).lines().collect::<io::Result<_>>()?;
        fs::write(home.join("outputs.json"), serde_json::to_vec(&texts)?)?;
        fs::copy(script("promptfoo_said.json"), home.join("assertions.json"))?;
        Ok(Promptfoo { bench, home })
    }

    /// As it is timed: nothing is written, and it ends with another code than 0 if anything fails.
    fn command(&self) -> Command {
        let mut command = self.evaluation();
        command.arg("--no-write");
        command
    }

    fn evaluation(&self) -> Command {
        let mut command = promptfoo(&self.bench.peers, &self.home);
        command.args(PROMPTFOO_OFFLINE);
        command
    }

    /// The outputs that do not pass, by their numbers. Only what it writes tells them one by one.
    fn failing(&self) -> io::Result<BTreeSet<usize>> {
        let results = self.home.join("results.json");
        // It ends with 100 if something fails.
        output(self.evaluation().args(["--output", "results.json"]), &[0, 100])?;
        let told: Value = serde_json::from_slice(&fs::read(&results)?)?;
        let judged = told["results"]["results"].as_array().cloned().unwrap_or_default();
        if judged.is_empty() {
            return Err(io::Error::other("promptfoo judged nothing"));
        }
        let number = |result: &Value| usize::try_from(result["testIdx"].as_u64()?).ok();
        let failed = judged.iter().filter(|result| result["success"] != true);
        failed
            .map(|result| number(result).ok_or_else(|| io::Error::other("a result without a number")))
            .collect()
    }
}
