//! `agent.response`, `agent.trajectory`, `context.selection` and `agent.run`: what an agent said, did and saw.

mod check;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::{
    CliHarness, CliRun, Directory, Form, SetupFile, Target, Variable, Word, Words, Work, WrittenPath,
};
use crate::argument::{at_least_one, present};
use crate::spec::lang::Budget;
use crate::trajectory::Scope;
use crate::vocabularies::About;

const RESPONSE: Target = Target { name: "response", form: Form::Words(About::Response) };
const TRAJECTORY: Target = Target { name: "trajectory", form: Form::Words(About::Trajectory) };
#[cfg(feature = "cupel")]
const REPORT: Target = Target { name: "report", form: Form::Words(About::Report) };

pub(super) static SAID: &[Target] = &[RESPONSE];
pub(super) static DID: &[Target] = &[TRAJECTORY];
#[cfg(feature = "cupel")]
pub(super) static SAW: &[Target] = &[REPORT];
pub(super) static RUN: &[Target] = &[
    RESPONSE,
    TRAJECTORY,
    #[cfg(feature = "cupel")]
    REPORT,
    Target { name: "stdout", form: Form::Text },
    Target { name: "stderr", form: Form::Text },
];

/// Checks a whole run of an agent: its response, trajectory and selection report, and the claims that connect them.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct AgentCase {
    /// Recording to judge, relative to the spec file; with a glob, each match is one trial.
    file: Option<WrittenPath>,
    /// Inline response to judge.
    #[serde(default, deserialize_with = "present")]
    response: Option<Value>,
    /// Inline trajectory to judge, in the native format.
    trajectory: Option<Value>,
    /// Inline selection report to judge.
    report: Option<Value>,
    /// Input passed to the agent as JSON.
    #[serde(default)]
    pub input: Value,
    /// Expected exit code; 0 by default.
    #[schemars(range(min = 0, max = 255))]
    pub exit_code: Option<i64>,
    /// Steps to judge: those of the agent itself by default.
    #[serde(default)]
    pub scope: Scope,
    /// Claims to check: wherever `when` matches, the `then` group must hold.
    // Read elsewhere, where places are known; its schema depends on the type.
    #[serde(default)]
    #[schemars(with = "Value")]
    claims: IgnoredAny,
    /// Settings for running the agent.
    #[serde(default)]
    pub harness: AgentHarness,
}

/// Where the subject of a case comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Source<'a> {
    /// It was recorded in a file, or in several.
    Recorded(&'a WrittenPath),
    /// It stands in the case.
    Written,
    /// An agent is run.
    Run(Agent<'a>),
}

/// Which agent is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent<'a> {
    /// One that the configuration knows.
    Named(&'a str),
    /// A command, or a Python `module:attribute`.
    Command(&'a str),
    /// A server.
    Server(&'a str),
}

/// Keys of `harness` in an agent case.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct AgentHarness {
    /// Agent from `probative.toml`, by name.
    agent: Option<String>,
    /// Command to run, or a Python `module:attribute`.
    entrypoint: Option<String>,
    /// URL of a server that receives the input.
    url: Option<String>,
    /// HTTP headers sent to the server.
    pub headers: IndexMap<String, Word>,
    /// Arguments appended to the entrypoint.
    pub argv: Words,
    /// Environment variables to set; a null value unsets the variable.
    pub env: IndexMap<String, Variable>,
    /// Working directory.
    pub cwd: Option<Directory>,
    /// Time limit in milliseconds.
    #[serde(deserialize_with = "limit")]
    #[schemars(with = "u64", range(min = 1))]
    pub timeout_ms: Option<u64>,
    /// Files to create in the temporary directory before the agent starts.
    setup_files: Vec<SetupFile>,
    /// Python modules to block: importing them raises `ModuleNotFoundError`.
    block_imports: Vec<String>,
    /// Python modules to replace with stubs.
    stub_modules: Vec<String>,
    /// Hook to call before the agent starts.
    hook_before: Option<String>,
    /// Hook to call after the agent ends.
    hook_after: Option<String>,
    /// Additional arguments for the hooks.
    hook_kwargs: IndexMap<String, Value>,
    /// Limits for each `evaluate` expression: `max_steps`, `max_nodes`, `max_literal_bytes`, `timeout_ms`.
    pub spec_lang: Budget,
}

fn limit<'de, D: serde::Deserializer<'de>>(reader: D) -> Result<Option<u64>, D::Error> {
    at_least_one(reader).map(Some)
}

impl AgentCase {
    /// A case that asks an agent which the configuration knows.
    pub fn asking(agent: &str, input: Value) -> AgentCase {
        AgentCase {
            file: None,
            response: None,
            trajectory: None,
            report: None,
            input,
            exit_code: None,
            scope: Scope::default(),
            claims: IgnoredAny,
            harness: AgentHarness { agent: Some(agent.to_owned()), ..AgentHarness::default() },
        }
    }

    /// Where the subject comes from.
    pub fn source(&self) -> Source<'_> {
        match (&self.file, self.harness.runs()) {
            (Some(file), _) => Source::Recorded(file),
            (None, Some(agent)) => Source::Run(agent),
            (None, None) => Source::Written,
        }
    }

    /// What stands in the case, by what it is.
    pub fn written(&self) -> impl Iterator<Item = (About, &Value)> {
        About::ALL.iter().filter_map(|about| Some((*about, self.artifact(about.subject())?)))
    }

    fn artifact(&self, name: &str) -> Option<&Value> {
        match name {
            "response" => self.response.as_ref(),
            "trajectory" => self.trajectory.as_ref(),
            _ => self.report.as_ref(),
        }
    }

    /// The command that runs an entrypoint, with the input on its standard input.
    pub fn command(&self, entrypoint: &str) -> CliRun {
        let harness = self.harness.clone();
        let standard = CliHarness::default();
        CliRun {
            argv: harness.argv,
            exit_code: self.exit_code,
            harness: CliHarness {
                entrypoint: Some(entrypoint.to_owned()),
                env: harness.env,
                stdin_isatty: false,
                stdin_text: Some(format!("{}\n", self.input)),
                block_imports: harness.block_imports,
                stub_modules: harness.stub_modules,
                setup_files: harness.setup_files,
                hook_before: harness.hook_before,
                hook_after: harness.hook_after,
                hook_kwargs: harness.hook_kwargs,
                spec_lang: harness.spec_lang,
                timeout_ms: harness.timeout_ms.unwrap_or(standard.timeout_ms),
                cwd: harness.cwd.unwrap_or(standard.cwd),
            },
        }
    }
}

impl AgentHarness {
    pub(super) fn has_hooks(&self) -> bool {
        self.hook_before.is_some() || self.hook_after.is_some()
    }

    /// The agent that it names, if any.
    fn runs(&self) -> Option<Agent<'_>> {
        let command = self.entrypoint.as_deref().map(Agent::Command);
        let server = self.url.as_deref().map(Agent::Server);
        self.agent.as_deref().map(Agent::Named).or(command).or(server)
    }
}

impl From<AgentCase> for Work {
    fn from(case: AgentCase) -> Self {
        Work::Agent(Box::new(case))
    }
}
