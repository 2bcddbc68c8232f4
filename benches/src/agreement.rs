//! Everybody must say the same of the same subjects before their times mean anything.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::process::Command;

use probative::value::Value;

use crate::bench::Bench;
use crate::told::output;

/// The subjects that `probative check` says do not pass, by their lines from 0; an error if it could not judge one.
pub(crate) fn failing(bench: &Bench, question: &Path, subjects: &Path) -> io::Result<BTreeSet<usize>> {
    let mut command = Command::new(&bench.probative);
    command.arg("check").arg(question).arg(subjects).args(["--report", "jsonl"]);
    let mut failing = BTreeSet::new();
    for line in output(&mut command, &[0, 1])?.lines() {
        let result: Value = serde_json::from_str(line)?;
        match (result["status"].as_str(), result["line"].as_u64()) {
            (Some("pass"), _) => {}
            (Some("fail"), Some(line)) => {
                failing.insert(usize::try_from(line).unwrap_or_default().saturating_sub(1));
            }
            _ => return Err(io::Error::other(format!("probative could not judge: {line}"))),
        }
    }
    Ok(failing)
}

/// The subjects that a peer names, a line each, by the numbers in their names: `run-000004` is the subject 4.
pub(crate) fn named(command: &mut Command) -> io::Result<BTreeSet<usize>> {
    let number = |name: &str| {
        let digits = name.trim_matches('"').trim_start_matches(|letter: char| !letter.is_ascii_digit());
        digits.parse().map_err(|_| io::Error::other(format!("{name:?} names no subject")))
    };
    output(command, &[0])?.lines().map(number).collect()
}

/// Fails unless a peer says the same as we do, and that is what was expected: some fail, and not all.
pub(crate) fn agree(peer: &str, ours: &BTreeSet<usize>, theirs: &BTreeSet<usize>) -> io::Result<()> {
    if ours.is_empty() {
        return Err(io::Error::other(format!("nothing fails that {peer} could find")));
    }
    let difference: Vec<&usize> = ours.symmetric_difference(theirs).collect();
    if difference.is_empty() {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "{peer} does not say the same: of the subjects {difference:?} only one of both says that they fail"
    )))
}
