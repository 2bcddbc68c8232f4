//! `cli.run`: runs a command, for real.

mod entrypoint;
mod hook;
mod outcome;
mod python;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use probative::spec::types::{CliRun, Directory};
use probative::value::Value;
use probative::value::excerpt::cut;
use probative::verdict::{Error, ErrorKind};
use serde_json::json;

use self::entrypoint::Entrypoint;
use self::hook::{Hooks, When};
pub(super) use self::outcome::Finished;
use super::{Hands, Job, Seen};
use crate::process::{self, Command, Ended, How, Input, Variable, WITHIN};
use crate::scratch::CaseDirectory;
use crate::subjects::reason;

/// A case whose command is to be run.
pub(super) struct Stage<'a> {
    hands: &'a Hands<'a>,
    job: Job<'a>,
    run: Cow<'a, CliRun>,
    directory: CaseDirectory,
}

/// Prepares the case's directory, runs the hooks and the command.
pub(super) fn work<'a>(
    hands: &'a Hands<'a>,
    run: &'a CliRun,
    job: Job<'a>,
) -> Result<Box<dyn Seen + 'a>, Error> {
    Ok(Box::new(perform(hands, Cow::Borrowed(run), job)?))
}

/// The same, for whoever looks closer at what came of it.
pub(super) fn perform<'a>(
    hands: &'a Hands<'a>,
    run: Cow<'a, CliRun>,
    job: Job<'a>,
) -> Result<Finished<'a>, Error> {
    let at = |key: &str| job.place(&["harness", key]);
    let entrypoint =
        Entrypoint::of(&run, hands.environment).map_err(|error| error.within(&at("entrypoint")))?;
    let hooks = Hooks::of(&run, hands.environment)?;
    let directory = hands.scratch.case().map_err(|error| obstacle("create a temporary directory", &error))?;
    let stage = Stage { hands, job, run, directory };
    // What the hooks and the command leave behind ends before anybody looks at what came of them, and before their directory goes.
    let watchdog = hands.scratch.watchdog();
    let during = hands.orphans.map(|orphans| orphans.during(stage.directory.path(), watchdog));
    let performed = stage.perform(&entrypoint, &hooks);
    drop(during);
    match performed {
        Ok(finished) => Ok(finished.keeping(stage.directory)),
        Err(error) => Err(error.retold(|told| {
            let path = stage.directory.path();
            let told = outcome::shown(told, path);
            if stage.directory.is_kept() { format!("{told}; kept {}", path.display()) } else { told }
        })),
    }
}

impl<'a> Stage<'a> {
    /// Sets up the case's directory, and runs the hooks and the command in it.
    fn perform(&self, entrypoint: &Entrypoint, hooks: &Hooks) -> Result<Finished<'a>, Error> {
        self.set_up()?;
        let is_asked_for = hooks.are_any() || matches!(entrypoint, Entrypoint::Python(_));
        let mut context = if is_asked_for { self.context() } else { Value::Null };
        let ended = match entrypoint {
            Entrypoint::Python(target) => self.run_python(target, hooks, &mut context)?,
            Entrypoint::Command(words) => {
                if let Some(hook) = &hooks.before {
                    self.hook(hook, When::Before, &mut context, None)?;
                }
                self.run_command(words)?
            }
        };
        let finished = Finished::of(ended, self)?;
        if let Some(hook) = &hooks.after {
            self.hook(hook, When::After, &mut context, Some(&finished.result()))?;
        }
        Ok(finished)
    }

    /// What hooks are given first, and what they may change for those after them.
    fn context(&self) -> Value {
        json!({
            "root": self.job.file.root.to_string_lossy(),
            "tmp": self.directory.path().to_string_lossy(),
        })
    }

    /// Writes the files that are to be there before the command starts.
    fn set_up(&self) -> Result<(), Error> {
        for file in &self.run.harness.setup_files {
            let path = self.directory.path().join(file.path.as_str());
            let written =
                path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, &file.text));
            written.map_err(|error| obstacle(&format!("write setup file {}", file.path.as_str()), &error))?;
        }
        Ok(())
    }

    /// Runs the words of a command, with what `argv` adds to them.
    fn run_command(&self, words: &[String]) -> Result<Ended, Error> {
        let environment = self.variables();
        let at_entrypoint = |error: Error| error.within(&self.job.place(&["harness", "entrypoint"]));
        let program = self.find(&words[0], &environment).map_err(at_entrypoint)?;
        let arguments = words[1..].iter().chain(&self.run.argv.0).map(OsString::from).collect();
        let ended = self.start(&Command {
            program,
            arguments,
            inherits: self.inherits(),
            environment,
            directory: self.cwd(),
            input: self.input(),
            limit: self.limit(),
        });
        ended.map_err(|error| self.absence(&words[0]).map_or(error, at_entrypoint))
    }

    /// Starts a command and waits for its end. Why it cannot be started is told with paths from the contract root.
    fn start(&self, command: &Command<'_>) -> Result<Ended, Error> {
        process::run_watched(command, self.hands.stop, self.hands.scratch.watchdog()).map_err(|error| {
            let root = format!("{}/", self.job.file.root.display());
            Error::new(ErrorKind::Unobtainable(error.to_string().replace(&root, "")))
        })
    }

    /// What to say of a process that did not end by itself, with the last that it said.
    fn unfinished(&self, ended: &Ended, what: &str) -> Error {
        let limit = self.run.harness.timeout_ms;
        let message = match ended.how {
            How::TimedOut => format!("{what} timed out after {limit} ms"),
            How::Exited(_) | How::Interrupted => format!("{what} was interrupted"),
        };
        let said = [(&ended.stderr, "stderr"), (&ended.stdout, "stdout")];
        let said = said.into_iter().filter_map(|(stream, name)| outcome::last_words(&stream.bytes, name));
        let told: Vec<String> = std::iter::once(message).chain(said).collect();
        let error = Error::new(ErrorKind::Exhausted(told.join("; ")));
        match ended.how {
            How::TimedOut => error.within(&self.job.place(&["harness", "timeout_ms"])),
            How::Exited(_) | How::Interrupted => error,
        }
    }

    /// The command with its arguments, as it was written.
    fn command(&self) -> String {
        let words = self.run.harness.entrypoint.iter().chain(&self.run.argv.0);
        words.map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    /// Names a file of the project root that the command looked for in its temporary directory, as its complaints tell.
    fn misplaced(&self, stderr: &str) -> Option<String> {
        if self.run.harness.cwd != Directory::Temp {
            return None;
        }
        let command = self.command();
        let is_misplaced = |word: &&str| {
            let there = |directory: &Path| directory.join(word).is_file();
            Path::new(word).is_relative()
                && there(&self.job.file.root)
                && !there(self.directory.path())
                && stderr.contains(*word)
        };
        let word = command.split_whitespace().skip(1).find(is_misplaced)?;
        Some(format!(
            "'{}' is in the project root, but the command ran in a temporary directory; add 'cwd: root' to 'harness'",
            cut(word)
        ))
    }

    fn limit(&self) -> Duration {
        Duration::from_millis(self.run.harness.timeout_ms)
    }

    fn cwd(&self) -> PathBuf {
        match self.run.harness.cwd {
            Directory::Temp => self.directory.path().to_owned(),
            Directory::Root => self.job.file.root.to_path_buf(),
        }
    }

    fn input(&self) -> Input {
        let text = self.run.harness.stdin_text.as_ref().map(|text| text.clone().into_bytes());
        match (self.run.harness.stdin_isatty, text) {
            (true, text) => Input::Terminal(text.unwrap_or_default()),
            (false, Some(text)) => Input::Text(text),
            (false, None) => Input::Nothing,
        }
    }

    /// The environment of the command: what the case sets and unsets, and what it inherits where that is not the whole
    /// environment of this process.
    ///
    /// A value that names a file in the case's directory becomes its absolute path.
    fn variables(&self) -> Vec<Variable<'_>> {
        let set = &self.run.harness.env;
        let own = ["SPEC_RUNNER_TMP", WITHIN, "PWD"].map(OsStr::new);
        let mut variables: Vec<Variable<'_>> = Vec::new();
        if !self.inherits() {
            let is_set = |name: &OsStr| name.to_str().is_some_and(|name| set.contains_key(name));
            let inherited = self.hands.environment.inherited();
            let inherited = inherited.filter(|(name, _)| !own.contains(name) && !is_set(name));
            variables.extend(inherited.map(|(name, value)| (name.into(), Some(value.into()))));
        }
        let unset = set.iter().filter(|(_, value)| value.0.is_none());
        variables.extend(unset.map(|(name, _)| (OsStr::new(name).into(), None)));
        let [tmp, within, pwd] = own.map(Cow::from);
        if !set.contains_key("SPEC_RUNNER_TMP") {
            variables.push((tmp, Some(self.directory.path().as_os_str().into())));
        }
        if !set.contains_key(WITHIN) {
            let mut directories = self.hands.environment.within().map(OsStr::to_owned).unwrap_or_default();
            if !directories.is_empty() {
                directories.push(":");
            }
            directories.push(self.directory.path());
            variables.push((within, Some(directories.into())));
        }
        variables.push((pwd, Some(self.cwd().into_os_string().into())));
        for (name, value) in set {
            if let Some(value) = &value.0 {
                variables.push((OsStr::new(name).into(), Some(self.convenient(value).into())));
            }
        }
        variables
    }

    /// Whether the command has the environment of this process, but for what is set and unset.
    fn inherits(&self) -> bool {
        self.hands.environment.is_inherited_whole()
    }

    /// Where a program is, for a command with these variables.
    fn find(&self, program: &str, variables: &[Variable<'_>]) -> Result<PathBuf, Error> {
        entrypoint::find(program, &self.job.file.root, || self.value("PATH", variables))
    }

    /// What is wrong with a program that could not be started, if it is that there is none.
    fn absence(&self, program: &str) -> Option<Error> {
        entrypoint::absence(program, &self.job.file.root)
    }

    /// The value of a variable for a command with these.
    fn value<'v>(&'v self, name: &str, variables: &'v [Variable<'_>]) -> Option<&'v OsStr> {
        match variables.iter().rfind(|(said, _)| **said == *name) {
            Some((_, value)) => value.as_deref(),
            None => self.hands.environment.value(name).filter(|_| self.inherits()),
        }
    }

    fn convenient(&self, value: &str) -> OsString {
        let path = self.directory.path().join(value);
        let is_file = !value.is_empty() && Path::new(value).is_relative() && path.is_file();
        if is_file { path.into() } else { value.into() }
    }

    /// The case and its harness, as hooks are given them.
    fn written(&self) -> (Value, Value) {
        let case = self.job.case.written();
        let harness = case.get("harness").cloned().unwrap_or_else(|| json!({}));
        (case, harness)
    }
}

/// What messages say instead of the case's directory.
const TMP: &str = "$SPEC_RUNNER_TMP";

fn obstacle(what: &str, error: &io::Error) -> Error {
    Error::new(ErrorKind::Unobtainable(format!("cannot {what}: {}", reason(error))))
}
