//! `probative init [DIRECTORY] --lang LANGUAGE`

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use probative::value::visible;
use probative_run::project::{FirstFile, begin};

use super::{Refusal, tell};
use crate::args::{InitArguments, Language};

/// An example agent: its file, and the command that starts it.
struct Agent {
    name: &'static str,
    text: &'static str,
    command: &'static str,
}

impl Agent {
    fn in_language(language: Language) -> Agent {
        match language {
            Language::Sh => Agent {
                name: "agent.sh",
                text: include_str!("../../templates/agent.sh"),
                command: "sh agent.sh",
            },
            Language::Python => Agent {
                name: "agent.py",
                text: include_str!("../../templates/agent.py"),
                command: "python3 agent.py",
            },
            Language::Typescript => Agent {
                name: "agent.mjs",
                text: include_str!("../../templates/agent.mjs"),
                command: "node agent.mjs",
            },
        }
    }

    /// The files of a new project, each with what it is.
    fn project(self) -> [(FirstFile, &'static str); 3] {
        let Agent { name, text, command } = self;
        let spec = include_str!("../../templates/agent.spec.md").replace("AGENT_FILE", name);
        let config = include_str!("../../templates/probative.toml").replace("AGENT_COMMAND", command);
        [
            (FirstFile { name: "specs/agent.spec.md", text: spec }, "two cases, in Markdown"),
            (FirstFile { name, text: text.to_owned() }, "an example agent; replace it with yours"),
            (FirstFile { name: "probative.toml", text: config }, "configuration"),
        ]
    }
}

/// Writes a small project that passes, and prints the next command.
pub(crate) fn run(arguments: &InitArguments) -> Result<ExitCode, Refusal> {
    // Files of this directory are called by their names alone.
    let directory = arguments.directory.strip_prefix(".").unwrap_or(&arguments.directory);
    let (files, about): (Vec<_>, Vec<_>) = Agent::in_language(arguments.lang).project().into_iter().unzip();
    begin(directory, &files).map_err(|refused| Refusal::new(refused.to_string()))?;
    let mut text = String::new();
    for (file, what) in files.iter().zip(about) {
        let path = visible(&directory.join(file.name).display().to_string()).into_owned();
        let _ = writeln!(text, "wrote {path}: {what}");
    }
    let _ = writeln!(text, "\nNext:\n\n{}  probative run", enter(directory));
    Ok(tell(&text, 0))
}

/// The command that enters a directory, quoted where a shell would take it apart; nothing for the current one.
fn enter(directory: &Path) -> String {
    let shown = directory.display().to_string();
    let is_plain = |next: char| next.is_alphanumeric() || "/._-".contains(next);
    match shown.as_str() {
        "" => String::new(),
        plain if plain.chars().all(is_plain) && !plain.starts_with('-') => format!("  cd {plain}\n"),
        odd => format!("  cd -- '{}'\n", visible(odd).replace('\'', r"'\''")),
    }
}
