//! What a case runs: a command, or a Python function.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use probative::spec::types::{CliRun, command_words, is_python};
use probative::value::visible;
use probative::verdict::{Error, ErrorKind};

use crate::environment::Environment;

/// What is run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Entrypoint {
    /// A program and its first arguments; there is at least one word.
    Command(Vec<String>),
    /// `module:attr`.
    Python(String),
}

impl Entrypoint {
    /// What a case runs: what it says, else what the environment says, unless that is refused.
    pub(super) fn of(run: &CliRun, environment: &Environment) -> Result<Entrypoint, Error> {
        let written = run.harness.entrypoint.as_ref();
        let fallback = || match (&environment.entrypoint, environment.safe_mode) {
            (Some(_), true) => Err(
                "cli.run requires harness.entrypoint: safe mode (SPEC_RUNNER_SAFE_MODE) ignores SPEC_RUNNER_ENTRYPOINT",
            ),
            (Some(fallback), false) => Ok(fallback),
            (None, _) => Err("cli.run requires harness.entrypoint or SPEC_RUNNER_ENTRYPOINT"),
        };
        let written =
            written.map_or_else(fallback, Ok).map_err(|message| unobtainable(message.to_owned()))?;
        let entrypoint = Entrypoint::parse(written)?;
        let needs_python = !run.harness.block_imports.is_empty() || !run.harness.stub_modules.is_empty();
        match entrypoint {
            Entrypoint::Command(_) if needs_python => Err(unobtainable(format!(
                "block_imports and stub_modules need a Python entrypoint, 'module:attr', not '{}'",
                visible(written)
            ))),
            entrypoint => Ok(entrypoint),
        }
    }

    /// Reads an entrypoint: split like a shell does, but nothing in it is expanded.
    pub(super) fn parse(written: &str) -> Result<Entrypoint, Error> {
        if is_python(written.trim()) {
            return Ok(Entrypoint::Python(written.trim().to_owned()));
        }
        command_words(written).map(Entrypoint::Command).map_err(|wrong| {
            let message = format!("entrypoint '{}' isn't a valid command: {wrong}", visible(written));
            Error::new(ErrorKind::MalformedQuestion(message))
        })
    }
}

/// Where a program is: what has a slash in it from the root, whether it is there or not; anything else in the directories of
/// `PATH`, which is given.
pub(super) fn find<'p>(
    program: &str,
    root: &Path,
    path: impl FnOnce() -> Option<&'p OsStr>,
) -> Result<PathBuf, Error> {
    if program.contains('/') {
        return Ok(root.join(program));
    }
    let directories: Vec<PathBuf> = path().into_iter().flat_map(std::env::split_paths).collect();
    let candidates = directories.iter().map(|directory| root.join(directory).join(program));
    candidates.into_iter().find(|candidate| is_program(candidate)).ok_or_else(|| {
        let tried: Vec<String> =
            directories.iter().map(|directory| directory.display().to_string()).collect();
        missing(program, &format!("not in PATH: {}", tried.join(", ")))
    })
}

/// What is wrong with a program that could not be started, if it is that there is none.
///
/// It is told as it is written, for reports of the same project are the same wherever it lies.
pub(super) fn absence(program: &str, root: &Path) -> Option<Error> {
    if !program.contains('/') {
        return None;
    }
    let why = match root.join(program).metadata() {
        Ok(found) if found.is_file() => return None,
        Ok(_) => "not a file",
        Err(_) if program.starts_with('/') => "no such file",
        Err(_) => "no such file in the project root",
    };
    Some(missing(program, why))
}

fn missing(program: &str, why: &str) -> Error {
    unobtainable(format!("cannot find program '{}': {why}", visible(program)))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

fn unobtainable(message: String) -> Error {
    Error::new(ErrorKind::Unobtainable(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entrypoint_is_split_like_a_shell_does() {
        let words = |written: &str| match Entrypoint::parse(written) {
            Ok(Entrypoint::Command(words)) => words,
            other => panic!("{other:?}"),
        };
        assert_eq!(words("sh -c 'echo \"$HOME\" *'"), ["sh", "-c", "echo \"$HOME\" *"]);
        assert_eq!(words("./bin/tool  sub"), ["./bin/tool", "sub"]);
        assert_eq!(Entrypoint::parse(" a.b:c ").unwrap(), Entrypoint::Python("a.b:c".to_owned()));
        assert!(Entrypoint::parse("").is_err() && Entrypoint::parse("a 'b").is_err());
    }

    #[test]
    fn what_is_not_found_says_where_it_was_looked_for() {
        let path = || Some(OsStr::new("/no/where:/bin"));
        assert_eq!(find("sh", Path::new("/"), path).unwrap(), Path::new("/bin/sh"));
        assert_eq!(find("./tool", Path::new("/the/root"), path).unwrap(), Path::new("/the/root/./tool"));
        assert_eq!(
            find("nonesuch", Path::new("/the/root"), path).unwrap_err().to_string(),
            "cannot find program 'nonesuch': not in PATH: /no/where, /bin"
        );
        let told = |program| absence(program, Path::new("/the/root")).map(|error| error.to_string());
        let absent = |why: &str| Some(why.to_owned());
        assert_eq!(told("./tool"), absent("cannot find program './tool': no such file in the project root"));
        assert_eq!(told("/no/tool"), absent("cannot find program '/no/tool': no such file"));
        assert_eq!(told("/bin"), absent("cannot find program '/bin': not a file"));
        assert_eq!((told("/bin/sh"), told("sh")), (None, None));
    }
}
