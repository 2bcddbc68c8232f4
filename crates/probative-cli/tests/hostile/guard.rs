//! The binary under limits of memory and time, which ends as docs/reference/exit-codes.md says or fails the test.

use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use serde_json::Value;

use crate::cases;
use crate::place::{Ended, Place};

/// How many MiB of address space a run gets, unless it is about more. A run of nothing takes about 250.
const MEMORY: u64 = 512;
/// A machine that tests run on may be slow, and the binary is not optimized.
const PATIENCE: Duration = Duration::from_mins(2);

/// Runs the binary. It must end by itself, with a code of its own, and without a word of a panic.
#[track_caller]
pub(crate) fn run(place: &Place, arguments: &[&str]) -> Ended {
    run_within(place, arguments, MEMORY)
}

/// The same with so many MiB of memory.
#[track_caller]
pub(crate) fn run_within(place: &Place, arguments: &[&str], mebibytes: u64) -> Ended {
    guarded(&place.command(arguments), mebibytes, Stdio::null())
}

/// The same with something to read.
#[track_caller]
pub(crate) fn run_reading(place: &Place, arguments: &[&str], input: Stdio) -> Ended {
    guarded(&place.command(arguments), MEMORY, input)
}

/// Runs a command that was prepared elsewhere.
#[track_caller]
pub(crate) fn guarded(command: &Command, mebibytes: u64, input: Stdio) -> Ended {
    let child = limited(command, mebibytes)
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let pid = child.id();
    let (tell, told) = channel();
    std::thread::spawn(move || tell.send(child.wait_with_output()));
    let Ok(output) = told.recv_timeout(PATIENCE) else {
        cases::signal("KILL", pid);
        panic!("it does not end: {command:?}");
    };
    let ended = Ended::from(output.unwrap());
    let beginning: String = ended.stderr.chars().take(1000).collect();
    assert!((0..=2).contains(&ended.code), "ended with {}: {command:?}\n{beginning}", ended.code);
    for crash in ["panicked", "memory allocation of", "has overflowed its stack"] {
        assert!(!ended.stderr.contains(crash), "{command:?}\n{beginning}");
    }
    ended
}

/// A command with a limit of its address space, which the system holds it to.
fn limited(command: &Command, mebibytes: u64) -> Command {
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -v \"$1\" && shift && exec \"$@\"", "sh", &(mebibytes << 10).to_string()]);
    limited.arg(command.get_program()).args(command.get_args());
    // Every thread would claim room of its own, however little it uses.
    limited.env("MALLOC_ARENA_MAX", "2");
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    if let Some(directory) = command.get_current_dir() {
        limited.current_dir(directory);
    }
    limited
}

/// The results of a JSONL report.
#[track_caller]
pub(crate) fn results(place: &Place, arguments: &[&str]) -> Vec<Value> {
    results_within(place, arguments, MEMORY)
}

/// The same with so many MiB of memory.
#[track_caller]
pub(crate) fn results_within(place: &Place, arguments: &[&str], mebibytes: u64) -> Vec<Value> {
    let arguments = [arguments, &["--report", "jsonl", "--no-timings"]].concat();
    run_within(place, &arguments, mebibytes).json_lines()
}

/// What became of a subject or case.
#[track_caller]
pub(crate) fn of<'r>(results: &'r [Value], id: &str) -> &'r Value {
    let found = results.iter().find(|result| result["id"] == id);
    found.unwrap_or_else(|| panic!("nothing became of {id}: {results:#?}"))
}

/// It is an error whose message says that, with its place.
#[track_caller]
pub(crate) fn is_error(results: &[Value], id: &str, message: &str) {
    let result = of(results, id);
    assert_eq!(result["status"], "error", "{result:#}");
    let told = result["message"].as_str().unwrap();
    assert!(told.contains(message), "{message:?} is not in {told:?}");
}

/// It passed, whatever stood beside it.
#[track_caller]
pub(crate) fn passed(results: &[Value], id: &str) {
    let result = of(results, id);
    assert_eq!(result["status"], "pass", "{result:#}");
}

/// Whether a result of a file tells, in its message or its warnings, what is wrong at a line of it.
pub(crate) fn tells_of(result: &Value, file: &str, line: usize) -> bool {
    let told = [&result["message"], &result["warnings"]].map(Value::to_string).concat();
    let is_named = |place: String| {
        told.match_indices(&place)
            .any(|(at, _)| !told[at + place.len()..].starts_with(|next: char| next.is_ascii_digit()))
    };
    is_named(format!("{file}:{line}")) || is_named(format!("line {line}"))
}
