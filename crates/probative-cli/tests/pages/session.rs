//! Whoever follows a page: types what it says in a directory of their own, and sees what is printed.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::{Fence, Page};

/// Ends the output of a command. Nothing prints this.
const MARK: &str = "\u{1}end of the command\u{1}";

/// How variables begin that would change what is printed, and that a reader has not set.
const OF_A_PIPELINE: [&str; 5] = ["SPEC_RUNNER_", "PROBATIVE_", "GITHUB_", "CLICOLOR", "NO_COLOR"];

/// A directory, in which the blocks of a page are followed one after the other.
pub struct Session(TempDir);

/// A line behind `$ `, and the lines below it.
struct Typed {
    command: String,
    output: String,
}

impl Session {
    pub fn new() -> Session {
        Session(tempfile::tempdir().unwrap())
    }

    /// Follows all blocks of a page that can be: `sh` is run and must end well; what `console` shows behind `$ ` is run and must print
    /// what stands below it. Answers how many there were.
    pub fn follow(&self, page: &Page) -> usize {
        page.fences().iter().filter(|fence| self.follow_fence(fence)).count()
    }

    fn follow_fence(&self, fence: &Fence) -> bool {
        match fence.words.first().map(String::as_str) {
            Some("sh") => {
                let (printed, code) = self.run(&format!("set -e\n{}", fence.text));
                assert_eq!(code, 0, "{}: {printed}", fence.place);
                true
            }
            Some("console") => {
                self.type_all(fence);
                true
            }
            _ => false,
        }
    }

    fn type_all(&self, fence: &Fence) {
        let typed = typed(fence);
        // The next command may ask how this one ended.
        let script = typed.iter().map(|Typed { command, .. }| {
            format!("{command}\nended=$?\nprintf '\\n{MARK}\\n'\n(exit $ended)\n")
        });
        let (printed, _) = self.run(&script.collect::<String>());
        let printed: Vec<&str> = printed.split(MARK).collect();
        assert_eq!(printed.len(), typed.len() + 1, "{}: {printed:#?}", fence.place);
        for (Typed { command, output }, printed) in typed.iter().zip(printed) {
            let (printed, shown) = (without_durations(printed), without_durations(output));
            assert!(
                is_shown(&printed, &shown),
                "{}: $ {command}\nprints:\n{}\nbut the page shows:\n{}",
                fence.place,
                printed.join("\n"),
                shown.join("\n")
            );
        }
    }

    /// What a script prints, on both streams as on a terminal, and how it ends.
    fn run(&self, script: &str) -> (String, i32) {
        let mut shell = Command::new("sh");
        for (name, _) in std::env::vars() {
            if OF_A_PIPELINE.iter().any(|prefix| name.starts_with(prefix)) {
                shell.env_remove(name);
            }
        }
        let ended = shell
            .args(["-c", &format!("exec 2>&1\n{script}")])
            .current_dir(self.0.path())
            .env("PATH", path_with_probative())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        (String::from_utf8(ended.stdout).unwrap(), ended.status.code().unwrap_or(-1))
    }
}

fn path_with_probative() -> OsString {
    let binary = assert_cmd::cargo::cargo_bin!("probative");
    let before = std::env::var_os("PATH").unwrap_or_default();
    let beside = binary.parent().unwrap().to_owned();
    std::env::join_paths([beside].into_iter().chain(std::env::split_paths(&before))).unwrap()
}

/// The commands of a block, each with what it is said to print.
fn typed(fence: &Fence) -> Vec<Typed> {
    let mut all: Vec<Typed> = Vec::new();
    for line in fence.text.lines() {
        match (line.strip_prefix("$ "), all.last_mut()) {
            (Some(command), _) => all.push(Typed { command: command.to_owned(), output: String::new() }),
            (None, Some(typed)) => typed.output.extend([line, "\n"]),
            (None, None) => panic!("{}: a block begins with a command, behind '$ '", fence.place),
        }
    }
    assert!(!all.is_empty(), "{}: an empty block", fence.place);
    all
}

/// How long a run took differs; everything else must not. Blank lines around it all say nothing.
fn without_durations(text: &str) -> Vec<&str> {
    let line = |line| match str::rsplit_once(line, " in ") {
        Some((before, time)) if time.ends_with("ms") || time.ends_with(" s") => before,
        _ => line,
    };
    text.trim_matches('\n').lines().map(line).collect()
}

/// Whether a page shows what is printed. A line `…` stands for any lines.
fn is_shown(printed: &[&str], shown: &[&str]) -> bool {
    match shown {
        [] => printed.is_empty(),
        ["…", rest @ ..] => (0..=printed.len()).any(|left_out| is_shown(&printed[left_out..], rest)),
        [line, rest @ ..] => printed.first() == Some(line) && is_shown(&printed[1..], rest),
    }
}
