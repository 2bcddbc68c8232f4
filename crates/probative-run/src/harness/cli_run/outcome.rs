//! What came of a command.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use probative::exhibit::{Exhibit, ExhibitLine, Marks, Panel, ending};
use probative::spec::lang::World;
use probative::spec::types::Target;
use probative::spec::{Observed, Subject};
use probative::value::excerpt::cut;
use probative::value::{Value, visible};
use probative::verdict::{Cause, Crash, Error, ErrorKind};
use rustix::process::Signal;
use serde_json::json;

use super::{Stage, TMP};
use crate::documents;
use crate::feed::LARGEST_SUBJECT;
use crate::harness::world::Here;
use crate::harness::{self, Seen};
use crate::process::{Ended, How, Output};
use crate::scratch::CaseDirectory;

/// A command that has ended by itself.
pub(in crate::harness) struct Finished<'a> {
    /// The command, as it was written.
    command: String,
    exit_code: i32,
    /// What killed by: `signal 11 (SEGV)`.
    signal: Option<String>,
    stdout: Value,
    stderr: Value,
    cwd: PathBuf,
    here: Here<'a>,
    path: Value,
    /// What stands in the file that it named.
    path_text: OnceLock<Result<Value, Error>>,
    /// How much of standard output and standard error is there, if not all of it.
    cut: [Option<String>; 2],
    warnings: Vec<String>,
    /// The case's directory, whose name differs from run to run.
    tmp: PathBuf,
    /// Kept until everything in it was looked at.
    _directory: Option<CaseDirectory>,
}

impl<'a> Finished<'a> {
    /// What came of a process, unless it did not end by itself.
    pub(super) fn of(ended: Ended, stage: &Stage<'a>) -> Result<Finished<'a>, Error> {
        let exit_code = match ended.how {
            How::Exited(exit_code) => exit_code,
            How::TimedOut | How::Interrupted => return Err(stage.unfinished(&ended, "the command")),
        };
        let mut warnings = Vec::new();
        let cut = [&ended.stdout, &ended.stderr].map(|output| {
            (output.dropped > 0).then(|| format!("was cut off after {} bytes", output.bytes.len()))
        });
        let stdout = text(ended.stdout, "stdout", &mut warnings);
        let stderr = text(ended.stderr, "stderr", &mut warnings);
        if stage.directory.is_kept() {
            warnings.push(format!("kept {}", stage.directory.path().display()));
        }
        if exit_code != 0 {
            warnings.extend(stage.misplaced(&stderr));
        }
        let path = stdout.lines().map(str::trim).find(|line| !line.is_empty());
        Ok(Finished {
            command: stage.command(),
            exit_code,
            signal: ended.signal.map(signal_named),
            path: path.unwrap_or_default().into(),
            stdout: stdout.into(),
            stderr: stderr.into(),
            here: Here::at(stage.cwd(), stage.hands.stop),
            cwd: stage.cwd(),
            path_text: OnceLock::new(),
            cut,
            warnings,
            tmp: stage.directory.path().to_owned(),
            _directory: None,
        })
    }

    /// The same, which keeps the case's directory until it was judged.
    pub(super) fn keeping(self, directory: CaseDirectory) -> Finished<'a> {
        Finished { _directory: Some(directory), ..self }
    }

    /// What it put out.
    pub(in crate::harness) fn stdout(&self) -> &str {
        self.stdout.as_str().unwrap_or_default()
    }

    /// How much of its output is there, if not all of it.
    pub(in crate::harness) fn is_cut(&self) -> Option<&str> {
        self.cut[0].as_deref()
    }

    /// That it printed nothing.
    pub(in crate::harness) fn silence(&self) -> Error {
        let ending = self.ending();
        let said = last_words(self.shown(self.stderr.as_str().unwrap_or_default()).as_bytes(), "stderr");
        let said = said.map(|said| format!("; {said}")).unwrap_or_default();
        let message = format!("{}{said}", ending.silence());
        Error::new(ErrorKind::Unobtainable(message)).because_of(Cause::Silent(ending))
    }

    /// Returns the error for an agent that ended badly and printed no answer, only lines of text.
    pub(in crate::harness) fn no_answer(&self) -> Error {
        let first = self.stdout.as_str().unwrap_or_default();
        let first = first.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let message = format!("the agent printed no answer, only text: {}", cut(&self.shown(first)));
        Error::new(ErrorKind::Unobtainable(message))
    }

    /// How it ended, with the last lines of its standard error.
    fn ending(&self) -> Crash {
        /// A traceback of usual length, with some room.
        const LINES: usize = 40;
        let stderr = self.shown(self.stderr.as_str().unwrap_or_default());
        let lines: Vec<&str> = stderr.trim_end().lines().collect();
        let tail = &lines[lines.len().saturating_sub(LINES)..];
        let mut ending = Crash::new(self.command.as_str(), self.exit_code);
        ending.signal.clone_from(&self.signal);
        ending.stderr = tail.iter().map(|line| end_of(line.trim_end())).collect();
        ending
    }

    /// What it said beside its output: how it ended, if not well, and the end of its standard error.
    pub(in crate::harness) fn beside(&self) -> Vec<ExhibitLine> {
        let code =
            (self.exit_code != 0).then(|| ExhibitLine::plain(format!("exit code {}", self.exit_told())));
        let stderr = self.shown(self.stderr.as_str().unwrap_or_default());
        let stderr = if stderr.is_empty() { Vec::new() } else { ending("stderr", &stderr) };
        code.into_iter().chain(stderr).collect()
    }

    /// Its exit code, and what killed by.
    fn exit_told(&self) -> String {
        let died = self.signal.as_ref().map(|signal| format!(", {signal}")).unwrap_or_default();
        format!("{}{died}", self.exit_code)
    }

    /// Where it ran.
    pub(in crate::harness) fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// The case's directory.
    pub(in crate::harness) fn tmp(&self) -> &Path {
        &self.tmp
    }

    /// What a hook is told.
    pub(super) fn result(&self) -> Value {
        let Finished { exit_code, stdout, stderr, path, .. } = self;
        let path = path.as_str().filter(|path| !path.is_empty());
        json!({"exit_code": exit_code, "stdout": stdout, "stderr": stderr, "stdout_path": path})
    }

    fn named_text(&self) -> Result<Value, Error> {
        let Some(name) = self.path.as_str().filter(|path| !path.is_empty()) else {
            let message = "stdout_path_text: stdout is empty, so it names no file".to_owned();
            return Err(Error::new(ErrorKind::Unobtainable(message)));
        };
        let told = |error: Error| {
            Error::new(ErrorKind::Unobtainable(format!("stdout_path_text: cannot read {error}")))
        };
        let shown = cut(name);
        let bytes = documents::read_bytes(&self.cwd.join(name), &shown, LARGEST_SUBJECT).map_err(told)?;
        String::from_utf8(bytes).map(Value::from).map_err(|_| {
            Error::new(ErrorKind::Unobtainable(format!("stdout_path_text: {shown} is not UTF-8")))
        })
    }
}

impl Observed for Finished<'_> {
    fn subject(&self, target: &'static Target) -> Result<Subject<'_>, Error> {
        let subject = match target.name {
            "stdout" => &self.stdout,
            "stderr" => &self.stderr,
            "stdout_path" => &self.path,
            _ => self.path_text.get_or_init(|| self.named_text()).as_ref().map_err(Error::clone)?,
        };
        Ok(Subject::Value(Cow::Borrowed(subject)))
    }

    fn exit_code(&self) -> Option<i32> {
        Some(self.exit_code)
    }

    fn last_words(&self) -> Option<String> {
        let died = self.signal.as_ref().map(|signal| format!("killed by {signal}"));
        let said = last_words(self.shown(self.stderr.as_str().unwrap_or_default()).as_bytes(), "stderr");
        died.into_iter().chain(said).reduce(|died, said| format!("{died}; {said}"))
    }

    fn crash(&self) -> Option<Crash> {
        Some(self.ending())
    }

    fn cut(&self, target: &'static Target) -> Option<String> {
        match target.name {
            "stdout" => self.cut[0].clone(),
            "stderr" => self.cut[1].clone(),
            _ => None,
        }
    }

    fn shown(&self, text: &str) -> String {
        shown(text, &self.tmp)
    }

    fn world(&self) -> &dyn World {
        &self.here
    }
}

impl Seen for Finished<'_> {
    fn exhibit(&self) -> Option<&dyn Exhibit> {
        Some(self)
    }

    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }
}

impl Exhibit for Finished<'_> {
    fn lines(&self, _: &Marks) -> Vec<ExhibitLine> {
        let mut lines = vec![ExhibitLine::plain(format!("exit code {}", self.exit_told()))];
        for (name, stream) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            lines.extend(ending(name, &self.shown(stream.as_str().unwrap_or_default())));
        }
        lines
    }

    fn panels(&self) -> Vec<Panel> {
        let stream = |(name, stream): (&str, &Value)| {
            Panel::text(name, &self.shown(stream.as_str().unwrap_or_default()))
        };
        let code = Panel::text("exit code", &self.exit_told());
        let streams = [("stdout", &self.stdout), ("stderr", &self.stderr)];
        std::iter::once(code).chain(streams.into_iter().map(stream)).collect()
    }
}

/// A signal, with its name if it has one: `signal 11 (SEGV)`.
fn signal_named(number: i32) -> String {
    let name = Signal::from_named_raw(number).map(|signal| format!("{signal:?}")).unwrap_or_default();
    match name.trim_matches('"').strip_prefix("Signal::") {
        Some(name) => format!("signal {number} ({name})"),
        None => format!("signal {number}"),
    }
}

/// A text without the names of directories that differ from run to run.
pub(super) fn shown(text: &str, directory: &Path) -> String {
    let text = text.replace(&*directory.to_string_lossy(), TMP);
    match directory.parent() {
        Some(scratch) => text.replace(&*scratch.to_string_lossy(), "$TMPDIR/probative"),
        None => text,
    }
}

fn text(output: Output, name: &str, warnings: &mut Vec<String>) -> String {
    if output.dropped > 0 {
        warnings.push(format!(
            "{name} was cut off after {} bytes; {} more were dropped",
            output.bytes.len(),
            output.dropped
        ));
    }
    harness::text(output.bytes, name, warnings)
}

/// The last lines of a stream in one, if it has any.
pub(super) fn last_words(bytes: &[u8], name: &str) -> Option<String> {
    const LINES: usize = 3;
    /// No line is worth more.
    const BYTES: usize = 4096;
    let tail = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(BYTES)..]);
    let lines: Vec<&str> = tail.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(LINES)..];
    let last: Vec<_> = last.iter().map(|line| end_of(line.trim())).collect();
    (!last.is_empty()).then(|| format!("{name} ends with: {}", last.join(" | ")))
}

/// The end of a line, which says more than its beginning.
fn end_of(line: &str) -> String {
    const CHARACTERS: usize = 300;
    let left_out = line.chars().count().saturating_sub(CHARACTERS);
    let start = line.char_indices().nth(left_out).map_or(0, |(at, _)| at);
    format!("{}{}", if left_out > 0 { "..." } else { "" }, visible(&line[start..]))
}
