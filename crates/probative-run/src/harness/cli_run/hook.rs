//! What is called before a command starts and after it has ended.

use probative::spec::types::CliRun;
use probative::value::Value;
use probative::verdict::{Error, ErrorKind};
use serde_json::{Map, json};

use super::entrypoint::Entrypoint;
use super::{Stage, outcome};
use crate::environment::Environment;
use crate::process::{Command, How, Input};

/// When a hook is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    Before,
    After,
}

impl When {
    pub(super) fn name(self) -> &'static str {
        match self {
            When::Before => "before",
            When::After => "after",
        }
    }
}

/// The hooks of a case.
#[derive(Debug)]
pub(super) struct Hooks {
    pub(super) before: Option<Entrypoint>,
    pub(super) after: Option<Entrypoint>,
}

impl Hooks {
    /// The hooks of a case, unless they are refused.
    pub(super) fn of(run: &CliRun, environment: &Environment) -> Result<Hooks, Error> {
        let hook = |written: &Option<String>, when: When| match written {
            None => Ok(None),
            Some(_) if environment.safe_mode => {
                Err(failed(when, "hooks are not run in safe mode (SPEC_RUNNER_SAFE_MODE)"))
            }
            Some(written) => Entrypoint::parse(written).map(Some),
        };
        Ok(Hooks {
            before: hook(&run.harness.hook_before, When::Before)?,
            after: hook(&run.harness.hook_after, When::After)?,
        })
    }

    pub(super) fn are_any(&self) -> bool {
        self.before.is_some() || self.after.is_some()
    }
}

impl Stage<'_> {
    /// Calls a hook in a process of its own. It may change the context.
    pub(super) fn hook(
        &self,
        hook: &Entrypoint,
        when: When,
        context: &mut Value,
        result: Option<&Value>,
    ) -> Result<(), Error> {
        match hook {
            Entrypoint::Python(target) => self.python_hook(target, when, context, result),
            Entrypoint::Command(words) => self.command_hook(words, when, context, result),
        }
    }

    /// Runs a command that is given on standard input what a Python hook is called with.
    fn command_hook(
        &self,
        words: &[String],
        when: When,
        context: &Value,
        result: Option<&Value>,
    ) -> Result<(), Error> {
        let (case, harness) = self.written();
        let mut given = Map::new();
        given.extend([("case".to_owned(), case), ("ctx".to_owned(), context.clone())]);
        given.extend([("harness".to_owned(), harness)]);
        given.extend(result.map(|result| ("result".to_owned(), result.clone())));
        // None of them has one of these names: that is checked when the case is read.
        given.extend(self.run.harness.hook_kwargs.iter().map(|(name, value)| (name.clone(), value.clone())));
        let environment = self.variables();
        let without = |error: Error| failed(when, &error.to_string());
        let program = self.find(&words[0], &environment).map_err(without)?;
        let ended = self.start(&Command {
            program,
            arguments: words[1..].iter().map(Into::into).collect(),
            inherits: self.inherits(),
            environment,
            directory: self.cwd(),
            input: Input::Text(json!(given).to_string().into_bytes()),
            limit: self.limit(),
        });
        let ended = ended.map_err(|error| self.absence(&words[0]).map_or(error, without))?;
        let what = format!("hook_{}", when.name());
        match ended.how {
            How::Exited(0) => Ok(()),
            How::Exited(code) => {
                let said = outcome::last_words(&ended.stderr.bytes, "stderr");
                let said = said.map(|said| format!("; {said}")).unwrap_or_default();
                Err(failed(when, &format!("exit code {code}{said}")))
            }
            How::TimedOut | How::Interrupted => Err(self.unfinished(&ended, &what)),
        }
    }
}

/// Why a hook could not do what it is for.
pub(super) fn failed(when: When, reason: &str) -> Error {
    Error::new(ErrorKind::Unobtainable(format!("hook_{} failed: {reason}", when.name())))
}
