//! What pages speak of that the program cannot do yet.
//!
//! A fence with the word `awaits-NAME` is left out until the program knows NAME. Then the word and the line here must go: a test
//! says so.

use std::process::Command;

use super::Fence;

/// Something that the program will do.
pub enum Awaited {
    /// `probative NAME`
    Command(&'static str),
    /// `probative run --NAME`
    Flag(&'static str),
    /// `--report NAME`
    Report(&'static str),
}

/// All that is awaited.
pub const AWAITED: &[Awaited] = &[
    Awaited::Command("init"),
    Awaited::Flag("watch"),
    Awaited::Flag("failed"),
    Awaited::Report("junit"),
    Awaited::Report("github"),
    Awaited::Report("markdown"),
    Awaited::Report("html"),
];

impl Awaited {
    pub fn name(&self) -> &'static str {
        match self {
            Awaited::Command(name) | Awaited::Flag(name) | Awaited::Report(name) => name,
        }
    }

    /// Whether it is there.
    pub fn has_come(&self) -> bool {
        match self {
            Awaited::Command(name) => is_taken(&[*name]),
            Awaited::Flag(name) => is_taken(&["run", &format!("--{name}")]),
            Awaited::Report(name) => is_taken(&["run", "--report", name]),
        }
    }
}

impl Fence {
    /// What the fence waits for, if anything.
    pub fn awaits(&self) -> Option<&str> {
        self.words.iter().find_map(|word| word.strip_prefix("awaits-"))
    }
}

/// Whether the program takes these arguments. Nothing is done: it is asked for help with them, and complains of the first that it
/// does not know.
pub fn is_taken(arguments: &[impl AsRef<str>]) -> bool {
    let mut probative = Command::new(assert_cmd::cargo::cargo_bin!("probative"));
    probative.args(arguments.iter().map(AsRef::as_ref)).arg("--help").output().unwrap().status.success()
}

/// The same arguments without what is awaited, or none where all of the command is.
pub fn without_awaited(arguments: &[String]) -> Option<Vec<String>> {
    let mut left: Vec<String> = Vec::new();
    for argument in arguments {
        let of_a_report = left.last().is_some_and(|before| before == "--report");
        let is_awaited = AWAITED.iter().any(|awaited| match awaited {
            Awaited::Command(name) => left.is_empty() && argument == name,
            Awaited::Flag(name) => argument.strip_prefix("--") == Some(name),
            Awaited::Report(name) => of_a_report && argument.split('=').next() == Some(name),
        });
        match (is_awaited, of_a_report) {
            (true, _) if left.is_empty() => return None,
            (true, true) => drop(left.pop()),
            (true, false) => {}
            (false, _) => left.push(argument.clone()),
        }
    }
    Some(left)
}
