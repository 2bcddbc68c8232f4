//! The types of cases, in one table. Everything that names or lists them reads it.

mod agent;
mod api_http;
mod cli_run;
mod conversation;
mod example;
mod text_file;
mod word;

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;

pub use agent::{Agent, AgentCase, AgentHarness, Source};
pub use api_http::{ApiHttp, Body, HttpHarness, HttpRequest};
pub use cli_run::{CliHarness, CliRun, Directory, SetupFile};
pub use conversation::{Conversation, Turn};
pub use text_file::{TextFile, TextHarness};
pub use word::{Variable, Word, Words, WrittenPath, command_words, is_python};

use super::lang::Budget;
use super::prose::Input;
#[cfg(feature = "cupel")]
use crate::context::ContextAssertion;
use crate::document::{Mistake, Node, fields};
use crate::response::ResponseAssertion;
use crate::schema::{keys, of_parsed};
use crate::trajectory::{Scope, TrajectoryAssertion};
use crate::value::Value;
use crate::vocabularies::{About, Speaker};
use crate::vocabulary::Vocabulary;

/// A type of case.
#[derive(Debug)]
pub struct Type {
    /// The name that asks for it: `cli.run`.
    pub name: &'static str,
    /// What its assertions can be about.
    pub targets: &'static [Target],
    /// The keys that its cases have beside those of every case.
    pub keys: fn() -> &'static [&'static str],
    /// The keys that `harness` takes.
    pub harness_keys: fn() -> &'static [&'static str],
    /// Where numbers and booleans are meant as they are written: `1.10` is not 1.1 there.
    pub(super) verbatim: &'static [&'static [&'static str]],
    /// Reads what a case says beyond what every case says.
    pub(super) read: fn(&Type, &Node) -> Result<Work, Mistake>,
    /// The JSON Schema of that.
    pub(super) schema: fn(&mut SchemaGenerator) -> Schema,
    harness_schema: fn(&mut SchemaGenerator) -> Schema,
    /// A case that passes, where the files that it names are there.
    pub example: &'static str,
}

/// What an assertion can be about.
#[derive(Debug, PartialEq, Eq)]
pub struct Target {
    /// Its name: `stdout`.
    pub name: &'static str,
    /// What it is.
    pub form: Form,
}

/// What a target is, which decides what can be asked of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Text.
    Text,
    /// A JSON value.
    Json,
    /// The path of a file: all that can be asked is whether it exists.
    Path,
    /// JSON that is asked in the words of a vocabulary, or by an expression.
    Words(About),
}

/// What a case asks to be done before it can be judged.
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    /// Read a file.
    TextFile(TextFile),
    /// Run a command.
    CliRun(Box<CliRun>),
    /// Ask a server.
    ApiHttp(Box<ApiHttp>),
    /// Run an agent, or take what was recorded of one.
    Agent(Box<AgentCase>),
    /// Ask an agent, turn by turn.
    Conversation(Box<Conversation>),
}

/// All types.
pub static TYPES: &[Type] = &[
    Type::of::<TextFile>("text.file", text_file::TARGETS, example::TEXT_FILE),
    Type::of::<CliRun>("cli.run", cli_run::TARGETS, example::CLI_RUN),
    Type::of::<ApiHttp>("api.http", api_http::TARGETS, example::API_HTTP),
    Type::of::<AgentCase>(ResponseAssertion::TYPE, agent::SAID, example::AGENT_RESPONSE),
    Type::of::<AgentCase>(TrajectoryAssertion::TYPE, agent::DID, example::AGENT_TRAJECTORY),
    #[cfg(feature = "cupel")]
    Type::of::<AgentCase>(ContextAssertion::TYPE, agent::SAW, example::CONTEXT_SELECTION),
    Type::of::<AgentCase>("agent.run", agent::RUN, example::AGENT_RUN),
];

/// What a case of one type says beyond what every case says.
trait Written: DeserializeOwned + JsonSchema + Into<Work> {
    /// What stands under `harness`.
    type Harness: DeserializeOwned + JsonSchema;

    /// The keys under which numbers and booleans are meant as they are written.
    const VERBATIM: &'static [&'static [&'static str]] = &[];

    /// What is wrong with it as a whole, where each part is right.
    fn check(&self, _kind: &Type, _case: &Node) -> Result<(), Mistake> {
        Ok(())
    }
}

impl Type {
    const fn of<T: Written>(name: &'static str, targets: &'static [Target], example: &'static str) -> Type {
        Type {
            name,
            targets,
            keys: fields::<T>,
            harness_keys: fields::<T::Harness>,
            verbatim: T::VERBATIM,
            read: |kind, case| {
                let read = T::deserialize(case)?;
                read.check(kind, case)?;
                Ok(read.into())
            },
            schema: T::json_schema,
            harness_schema: T::Harness::json_schema,
            example,
        }
    }

    /// What its assertions are about that do not say, where that can be only one thing and is asked in words.
    pub(super) fn only_target(&'static self) -> Option<&'static Target> {
        match self.targets {
            [target] => target.form.words().map(|_| target),
            _ => None,
        }
    }

    /// Whether its cases may have a key that those of some other type have which are read alike.
    ///
    /// A case says what it is about: an artifact is none of its keys where it is no target, nor is the scope of steps
    /// where there are none.
    pub(super) fn takes(&self, key: &str) -> bool {
        let is_artifact = About::ALL.iter().any(|about| about.subject() == key);
        match key {
            "scope" => self.targets.iter().any(|target| target.form == Form::Words(About::Trajectory)),
            _ => !is_artifact || self.targets.iter().any(|target| target.name == key),
        }
    }

    /// What its cases are, in words.
    pub fn about(&self) -> String {
        if let [Target { form: Form::Words(about), .. }] = self.targets {
            return format!("Checks {}.", about.speak(AboutAgent));
        }
        let schema = (self.schema)(&mut of_parsed());
        schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// The keys that its cases have beside those of every case, each with what it is.
    pub fn told_keys(&self) -> Vec<(String, String)> {
        let own = keys((self.schema)(&mut of_parsed())).into_iter();
        own.filter(|(key, _)| self.takes(key) && key != "harness").collect()
    }

    /// The keys that `harness` takes, each with what it is.
    pub fn told_harness_keys(&self) -> Vec<(String, String)> {
        keys((self.harness_schema)(&mut of_parsed()))
    }

    /// The type of a name.
    pub fn named(name: &str) -> Option<&'static Type> {
        TYPES.iter().find(|known| known.name == name)
    }
}

/// What a vocabulary is about, in words.
struct AboutAgent;

impl Speaker for AboutAgent {
    type Answer = &'static str;

    fn speak<A: Vocabulary>(self) -> &'static str {
        A::ABOUT
    }
}

impl Form {
    /// The vocabulary that it is asked in, if any.
    pub fn words(self) -> Option<About> {
        match self {
            Form::Words(about) => Some(about),
            Form::Text | Form::Json | Form::Path => None,
        }
    }
}

impl Work {
    /// What the agent or the command is given, turn by turn. Nothing where that is null.
    pub(super) fn inputs(&self) -> Vec<Input<'_>> {
        let inputs: Vec<Input<'_>> = match self {
            Work::Agent(case) => vec![Input { step: None, value: Cow::Borrowed(&case.input) }],
            Work::Conversation(conversation) => {
                let turns = conversation.turns.iter();
                let inputs = turns.map(|Turn { step, input }| Input {
                    step: step.as_deref().map(Cow::Borrowed),
                    value: Cow::Borrowed(input),
                });
                inputs.collect()
            }
            Work::CliRun(run) => {
                let text = run.harness.stdin_text.iter();
                text.map(|text| Input { step: None, value: Cow::Owned(text.as_str().into()) }).collect()
            }
            Work::TextFile(_) | Work::ApiHttp(_) => Vec::new(),
        };
        inputs.into_iter().filter(|input| !input.value.is_null()).collect()
    }

    /// Whose steps are looked at.
    pub(super) fn scope(&self) -> Scope {
        match self {
            Work::Agent(case) => case.scope.clone(),
            Work::TextFile(_) | Work::CliRun(_) | Work::ApiHttp(_) | Work::Conversation(_) => {
                Scope::default()
            }
        }
    }

    /// Whether hooks are called, which are given the whole case.
    pub(super) fn has_hooks(&self) -> bool {
        match self {
            Work::CliRun(run) => run.harness.hook_before.is_some() || run.harness.hook_after.is_some(),
            Work::Agent(case) => case.harness.has_hooks(),
            Work::TextFile(_) | Work::ApiHttp(_) | Work::Conversation(_) => false,
        }
    }

    /// Whether a process is run whose exit code counts.
    pub(super) fn has_exit_code(&self) -> bool {
        match self {
            Work::CliRun(_) => true,
            Work::Agent(case) => {
                matches!(case.source(), Source::Run(Agent::Named(_) | Agent::Command(_)))
            }
            Work::TextFile(_) | Work::ApiHttp(_) | Work::Conversation(_) => false,
        }
    }

    /// The exit code that is written for it.
    pub(super) fn stated_exit_code(&self) -> Option<i64> {
        match self {
            Work::CliRun(run) => run.exit_code,
            Work::Agent(case) => case.exit_code,
            Work::TextFile(_) | Work::ApiHttp(_) | Work::Conversation(_) => None,
        }
    }

    /// What each `evaluate` may cost.
    pub fn budget(&self) -> &Budget {
        static DEFAULT: Budget = Budget::STANDARD;
        match self {
            Work::TextFile(file) => &file.harness.spec_lang,
            Work::CliRun(run) => &run.harness.spec_lang,
            Work::ApiHttp(http) => &http.harness.spec_lang,
            Work::Agent(case) => &case.harness.spec_lang,
            Work::Conversation(_) => &DEFAULT,
        }
    }
}
