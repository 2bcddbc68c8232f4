//! Python entrypoints and hooks, through the shim.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::PathBuf;

use probative::spec::types::CliHarness;
use probative::value::Value;
use probative::value::excerpt::cut;
use probative::verdict::{Error, ErrorKind};
use serde::Deserialize;
use serde_json::json;

use super::entrypoint::Entrypoint;
use super::hook::{self, Hooks, When};
use super::{Stage, obstacle, outcome};
use crate::process::{Command, Ended, How, Input};

const SHIM: &str = include_str!("shim.py");

/// What keeps Python from writing beside what it reads.
const NO_BYTECODE: &str = "PYTHONDONTWRITEBYTECODE";

/// What the shim answers.
#[derive(Debug, Deserialize)]
struct Answer {
    ctx: Value,
    failed: Option<Failed>,
}

/// Why a hook or an entrypoint could not be used.
#[derive(Debug, Deserialize)]
struct Failed {
    when: String,
    target: String,
    message: String,
    #[serde(default)]
    traceback: String,
    #[serde(default)]
    output: String,
}

impl Stage<'_> {
    /// Calls a Python entrypoint. A Python hook before it is called in the same process, so that it can prepare it.
    pub(super) fn run_python(
        &self,
        target: &str,
        hooks: &Hooks,
        context: &mut Value,
    ) -> Result<Ended, Error> {
        let hook = match &hooks.before {
            None => Value::Null,
            Some(Entrypoint::Python(hook)) => self.called(hook, When::Before, None),
            Some(command) => {
                self.hook(command, When::Before, context, None)?;
                Value::Null
            }
        };
        let CliHarness { block_imports, stub_modules, .. } = &self.run.harness;
        let order = json!({
            "prog": target, "entrypoint": target, "argv": self.run.argv.0,
            "block_imports": block_imports, "stub_modules": stub_modules, "hook": hook,
        });
        let (ended, answer) = self.shim(order, context, self.input())?;
        Self::accept(&ended, answer, context)?;
        Ok(ended)
    }

    /// Calls a Python hook in a process of its own.
    pub(super) fn python_hook(
        &self,
        target: &str,
        when: When,
        context: &mut Value,
        result: Option<&Value>,
    ) -> Result<(), Error> {
        let order = json!({
            "prog": target, "entrypoint": null, "argv": [], "block_imports": [], "stub_modules": [],
            "hook": self.called(target, when, result),
        });
        let (ended, answer) = self.shim(order, context, Input::Nothing)?;
        let what = format!("hook_{}", when.name());
        if !matches!(ended.how, How::Exited(_)) {
            return Err(self.unfinished(&ended, &what));
        }
        Self::accept(&ended, answer, context)
    }

    /// What a hook is called with.
    fn called(&self, target: &str, when: When, result: Option<&Value>) -> Value {
        let (case, harness) = self.written();
        json!({
            "when": when.name(), "target": target, "case": case, "harness": harness,
            "kwargs": self.run.harness.hook_kwargs, "result": result,
        })
    }

    /// Runs the shim with an order. There is no answer if Python never came so far.
    fn shim(
        &self,
        mut order: Value,
        context: &Value,
        input: Input,
    ) -> Result<(Ended, Option<Answer>), Error> {
        let desk = self.desk().map_err(|error| obstacle("prepare Python", &error))?;
        let (order_path, answer_path) = (desk.join("order.json"), desk.join("answer.json"));
        order["root"] = json!(self.job.file.root.to_string_lossy());
        order["ctx"] = context.clone();
        order["answer"] = json!(answer_path.to_string_lossy());
        let _ = fs::remove_file(&answer_path);
        fs::write(&order_path, order.to_string()).map_err(|error| obstacle("prepare Python", &error))?;
        let shim = self.hands.shim(SHIM).map_err(|error| obstacle("prepare Python", &error))?;
        let mut environment = self.variables();
        if self.value(NO_BYTECODE, &environment).is_none() {
            environment.push((OsStr::new(NO_BYTECODE).into(), Some(OsStr::new("1").into())));
        }
        let program = self.find("python3", &environment)?;
        let ended = self.start(&Command {
            program,
            arguments: vec![shim.into(), order_path.into()],
            inherits: self.inherits(),
            environment,
            directory: self.cwd(),
            input,
            limit: self.limit(),
        });
        let answer = fs::read(&answer_path).ok().and_then(|answer| serde_json::from_slice(&answer).ok());
        let _ = fs::remove_dir_all(&desk);
        ended.map(|ended| (ended, answer))
    }

    /// Where orders and answers lie, beside the case's own directory so that it stays as it was set up.
    fn desk(&self) -> io::Result<PathBuf> {
        let desk = self.directory.path().with_extension("python");
        fs::create_dir_all(&desk)?;
        Ok(desk)
    }

    /// Takes what the shim answered: the context, or why the hook or the entrypoint could not be used.
    fn accept(ended: &Ended, answer: Option<Answer>, context: &mut Value) -> Result<(), Error> {
        let Some(answer) = answer else {
            // A process that was ended from outside says so itself.
            let How::Exited(_) = ended.how else { return Ok(()) };
            let said = outcome::last_words(&ended.stderr.bytes, "stderr");
            let said = said.map(|said| format!("; {said}")).unwrap_or_default();
            let message = format!("python3 exited before the call returned{said}");
            return Err(Error::new(ErrorKind::Unobtainable(message)));
        };
        *context = answer.ctx;
        let Some(failure) = answer.failed else { return Ok(()) };
        let said = if failure.output.trim().is_empty() {
            String::new()
        } else {
            format!("; it printed: {}", cut(failure.output.trim()))
        };
        let at = failure.traceback.lines().rev().find(|line| line.trim_start().starts_with("File "));
        let at = at.map(|line| format!(" ({})", line.trim())).unwrap_or_default();
        let reason = format!("{}: {}{at}{said}", failure.target, failure.message);
        Err(match failure.when.as_str() {
            "before" => hook::failed(When::Before, &reason),
            "after" => hook::failed(When::After, &reason),
            _ => Error::new(ErrorKind::Unobtainable(format!("cannot run entrypoint {reason}"))),
        })
    }
}
