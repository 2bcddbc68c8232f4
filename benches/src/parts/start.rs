//! One case, from the start of a program to its end; and how large the program is.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use crate::bench::Bench;
use crate::measure::{Contender, compare, in_turns, seconds};
use crate::peers::{PROMPTFOO_OFFLINE, Peer, promptfoo, python_program};
use crate::rows::{Figure, Row, Spread, Unit};

pub(super) const ASKS: &str = "\
A document with one case, from the start of the process to its end: `text.file` checks a pattern in the document itself, \
`cli.run` runs `/bin/true`. The peers have one test that does as little: scrut and bats run `/bin/true`, pytest asserts \
something true, promptfoo compares one recorded output. `hello` is a static program that prints a word. The size is that \
of the stripped release binary.";

/// Everything below a tenth of a second is started so often.
const OFTEN: usize = 101;
/// And what takes longer so often.
const SOMETIMES: usize = 11;

pub(super) fn measure(bench: &Bench) -> io::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (kind, about) in [
        ("text.file", "assert: [{target: text, must: [{regex: ['(?m)^# One$']}]}]"),
        ("cli.run", "harness: {entrypoint: /bin/true}"),
    ] {
        let text = format!("# One\n\n```yaml spec-test\nid: ONE\ntype: {kind}\n{about}\n```\n");
        let document = bench.written(&format!("start/{kind}/one.spec.md"), &text)?;
        let ours = || {
            let mut command = Command::new(&bench.probative);
            command.arg("run").arg(&document);
            Contender::parent("probative", command)
        };
        let runs = in_turns(bench.rounds(OFTEN), &mut [ours()])?;
        let what = format!("one case of {kind}");
        let value = seconds(&runs[0]);
        rows.push(Row::Figure(Figure {
            what: what.clone(),
            value,
            unit: Unit::Seconds,
            at_most: Some(0.005),
        }));
        let hello = Contender::parent("hello, static", Peer::Hello.command(&bench.peers)).limit();
        rows.extend(compare(&what, bench.rounds(OFTEN), ours(), vec![hello])?);
        rows.extend(compare(&what, bench.rounds(SOMETIMES), ours(), peers(bench)?)?);
    }
    rows.push(size(bench)?);
    Ok(rows)
}

/// Other runners with one test.
fn peers<'a>(bench: &Bench) -> io::Result<Vec<Contender<'a>>> {
    let mut scrut = Peer::Scrut.command(&bench.peers);
    scrut.arg("test").arg(bench.written("start/scrut.md", "# One\n\n```scrut\n$ /bin/true\n```\n")?);
    let mut bats = Peer::Bats.command(&bench.peers);
    bats.arg(bench.written("start/one.bats", "@test \"one\" {\n  /bin/true\n}\n")?);
    let test = bench.written("start/test_one.py", "def test_one():\n    assert 1 + 1 == 2\n")?;
    let mut pytest = python_program(&bench.peers, "pytest");
    // Other peers in the same environment bring plugins, which are not its fault.
    pytest.args(["-q", "-p", "no:cacheprovider"]).arg(test).env("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1");
    let home = bench.at("start/promptfoo")?;
    bench.written("start/promptfoo/outputs.json", "[\"hello\"]")?;
    bench.written("start/promptfoo/assertions.json", r#"[{"type": "equals", "value": "hello"}]"#)?;
    let mut promptfoo = promptfoo(&bench.peers, &home);
    promptfoo.args(PROMPTFOO_OFFLINE).arg("--no-write");
    Ok(vec![
        Contender::parent("scrut", scrut),
        Contender::parent("bats", bats),
        Contender::parent("pytest", pytest),
        Contender::parent("promptfoo", promptfoo),
    ])
}

/// The size of the binary without its symbols.
fn size(bench: &Bench) -> io::Result<Row> {
    let copy = bench.at("start")?.join("probative");
    fs::copy(&bench.probative, &copy)?;
    strip(&copy)?;
    #[expect(clippy::cast_precision_loss, reason = "for reading only")]
    let megabytes = fs::metadata(&copy)?.len() as f64 / 1e6;
    Ok(Row::Figure(Figure {
        what: "the binary, stripped".to_owned(),
        value: Spread::of(vec![megabytes]),
        unit: Unit::Megabytes,
        at_most: Some(15.0),
    }))
}

fn strip(binary: &Path) -> io::Result<()> {
    let missing = |why| io::Error::other(format!("strip is missing: apt-get install binutils ({why})"));
    let ended = Command::new("strip").arg(binary).status().map_err(missing)?;
    if ended.success() { Ok(()) } else { Err(io::Error::other(format!("strip ended with {ended}"))) }
}
