//! Cases as spec documents hold them, and what became of the processes that they start.
#![allow(dead_code, unreachable_pub, reason = "every test file uses some of it")]

use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A case that passes and starts nothing.
pub const PASSES: &str = "id: GOOD\ntype: text.file\nassert: [{target: text, must: [{contain: [GOOD]}]}]\n";

/// A fence around one case or a list of them.
pub fn fence(yaml: &str) -> String {
    format!("```yaml spec-test\n{}\n```\n", yaml.trim_end())
}

/// A case that runs a shell script, which must succeed, in the contract root.
pub fn shell(id: &str, script: &str) -> Value {
    json!({"id": id, "type": "cli.run", "argv": [script], "exit_code": 0, "harness": {"entrypoint": "sh -c", "cwd": "root"}})
}

/// The same with so many milliseconds for it.
pub fn shell_within(id: &str, script: &str, milliseconds: u64) -> Value {
    let mut case = shell(id, script);
    case["harness"]["timeout_ms"] = milliseconds.into();
    case
}

/// The value behind a key of every result, as text.
pub fn each<'r>(results: impl IntoIterator<Item = &'r Value>, key: &str) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    results.into_iter().map(|result| text(&result[key])).collect()
}

/// Sends a signal to a process.
pub fn signal(name: &str, pid: u32) {
    let sent = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status().unwrap();
    assert!(sent.success());
}

/// What a file that a process writes holds, once it is there and whole: up to its last line end.
pub fn written(path: &Path) -> String {
    let text = || std::fs::read_to_string(path).ok().filter(|text| text.ends_with('\n'));
    let begun = Instant::now();
    loop {
        match text() {
            Some(text) => return text.trim_end().to_owned(),
            None if begun.elapsed() > Duration::from_secs(20) => panic!("nobody wrote {}", path.display()),
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// Whether a process has ended, or does so very soon.
pub fn is_gone(pid: &str) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(3) {
        match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
            Ok(stat) if !stat.contains(") Z ") => std::thread::sleep(Duration::from_millis(5)),
            _ => return true,
        }
    }
    false
}

/// The exit code of a process that has to end by itself.
pub fn exit_code(child: &mut Child) -> Option<i32> {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(20) {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    panic!("it does not end");
}
