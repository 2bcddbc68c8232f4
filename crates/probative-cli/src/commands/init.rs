//! `probative init [DIRECTORY]`

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use probative::value::visible;
use probative_run::project::{FirstFile, begin};

use super::{Refusal, tell};
use crate::args::InitArguments;

/// The files of a new project, each with what it is.
const FILES: [(FirstFile, &str); 3] = [
    (
        FirstFile { name: "agent.spec.md", text: include_str!("../../templates/agent.spec.md") },
        "what the agent promises, for people to read and for probative to check",
    ),
    (
        FirstFile { name: "agent.sh", text: include_str!("../../templates/agent.sh") },
        "a stand-in for the agent: put your own here",
    ),
    (
        FirstFile { name: "probative.toml", text: include_str!("../../templates/probative.toml") },
        "how the agent is run",
    ),
];

/// Writes a small project that passes, and says what to do next.
pub(crate) fn run(arguments: &InitArguments) -> Result<ExitCode, Refusal> {
    // Files of this directory are called by their names alone.
    let directory = arguments.directory.strip_prefix(".").unwrap_or(&arguments.directory);
    begin(directory, &FILES.map(|(file, _)| file)).map_err(|refused| Refusal::new(refused.to_string()))?;
    let mut text = String::new();
    for (file, what) in FILES {
        let path = visible(&directory.join(file.name).display().to_string()).into_owned();
        let _ = writeln!(text, "wrote {path}: {what}");
    }
    let _ = writeln!(text, "\nNow run it:\n\n  probative run{}", argument(directory));
    Ok(tell(&text, 0))
}

/// A directory as it stands behind a command, quoted where a shell would take it apart; nothing for the current one.
fn argument(directory: &Path) -> String {
    let shown = directory.display().to_string();
    let is_plain = |next: char| next.is_alphanumeric() || "/._-".contains(next);
    match shown.as_str() {
        "" => String::new(),
        plain if plain.chars().all(is_plain) && !plain.starts_with('-') => format!(" {plain}"),
        odd => format!(" -- '{}'", visible(odd).replace('\'', r"'\''")),
    }
}
