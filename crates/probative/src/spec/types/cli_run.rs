//! `cli.run`: what a command does.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Form, Target, Type, Variable, Words, Work, Written, WrittenPath, command_words, is_python};
use crate::argument::at_least_one;
use crate::document::{Mistake, Node};
use crate::spec::lang::Budget;
use crate::value::visible;

/// What hooks are given beside `hook_kwargs`.
const GIVEN: [&str; 4] = ["case", "ctx", "harness", "result"];

pub(super) static TARGETS: &[Target] = &[
    Target { name: "stdout", form: Form::Text },
    Target { name: "stderr", form: Form::Text },
    Target { name: "stdout_path", form: Form::Path },
    Target { name: "stdout_path_text", form: Form::Text },
];

/// Runs a command and checks its output and exit code.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct CliRun {
    /// Arguments appended to the entrypoint.
    #[serde(default)]
    pub argv: Words,
    /// Expected exit code; 0 by default.
    #[schemars(range(min = 0, max = 255))]
    pub exit_code: Option<i64>,
    /// Settings for running the command.
    #[serde(default)]
    pub harness: CliHarness,
}

/// Keys of `harness` in a `cli.run` case.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct CliHarness {
    /// Command to run, or a Python `module:attribute`.
    pub entrypoint: Option<String>,
    /// Environment variables to set; a null value unsets the variable.
    pub env: IndexMap<String, Variable>,
    /// Simulate a terminal on standard input.
    pub stdin_isatty: bool,
    /// Text to pass on standard input.
    pub stdin_text: Option<String>,
    /// Python modules to block: importing them raises `ModuleNotFoundError`.
    pub block_imports: Vec<String>,
    /// Python modules to replace with stubs.
    pub stub_modules: Vec<String>,
    /// Files to create in the temporary directory before the command starts.
    pub setup_files: Vec<SetupFile>,
    /// Hook to call before the command starts.
    pub hook_before: Option<String>,
    /// Hook to call after the command ends.
    pub hook_after: Option<String>,
    /// Additional arguments for the hooks.
    pub hook_kwargs: IndexMap<String, Value>,
    /// Limits for each `evaluate` expression: `max_steps`, `max_nodes`, `max_literal_bytes`, `timeout_ms`.
    pub spec_lang: Budget,
    /// Time limit in milliseconds.
    #[serde(deserialize_with = "at_least_one")]
    #[schemars(range(min = 1))]
    pub timeout_ms: u64,
    /// Working directory.
    pub cwd: Directory,
}

/// A file to create before a command starts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetupFile {
    /// Path relative to the temporary directory.
    pub path: WrittenPath,
    /// Content of the file.
    pub text: String,
}

/// Working directory of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Directory {
    /// Temporary directory of the case.
    #[default]
    Temp,
    /// Project root.
    Root,
}

impl Default for CliHarness {
    fn default() -> Self {
        CliHarness {
            entrypoint: None,
            env: IndexMap::new(),
            stdin_isatty: false,
            stdin_text: None,
            block_imports: Vec::new(),
            stub_modules: Vec::new(),
            setup_files: Vec::new(),
            hook_before: None,
            hook_after: None,
            hook_kwargs: IndexMap::new(),
            spec_lang: Budget::default(),
            timeout_ms: 60_000,
            cwd: Directory::Temp,
        }
    }
}

impl Written for CliRun {
    type Harness = CliHarness;

    const VERBATIM: &'static [&'static [&'static str]] = &[&["argv"], &["harness", "env"]];

    fn check(&self, _: &Type, case: &Node) -> Result<(), Mistake> {
        let harness = |key: &str| {
            let written = case.get("harness").and_then(|harness| harness.get(key));
            written.map_or(case.span.clone(), |node| node.span.clone())
        };
        for path in self.harness.setup_files.iter().map(|file| &file.path) {
            let wrong = if !path.is_relative() {
                "must be relative"
            } else if path.climbs_out() {
                "escapes the temporary directory"
            } else {
                continue;
            };
            let message = format!("harness.setup_files path {wrong}: '{}'", visible(path.as_str()));
            return Err(Mistake::at(message, harness("setup_files")));
        }
        if let Some(name) = self.harness.env.keys().find(|name| name.is_empty() || name.contains(['=', '\0']))
        {
            let message = format!("harness.env: '{}' isn't a valid variable name", visible(name));
            return Err(Mistake::at(message, harness("env")));
        }
        let CliHarness { entrypoint, hook_before, hook_after, .. } = &self.harness;
        for (key, written) in
            [("entrypoint", entrypoint), ("hook_before", hook_before), ("hook_after", hook_after)]
        {
            let command = written.as_deref().filter(|written| !is_python(written.trim()));
            if let Some(Err(wrong)) = command.map(command_words) {
                let message = format!("harness.{key} isn't a valid command: {wrong}");
                return Err(Mistake::at(message, harness(key)));
            }
        }
        if let Some(code) = self.exit_code.filter(|code| !(0..=255).contains(code)) {
            let at = case.get("exit_code").unwrap_or(case).span.clone();
            return Err(Mistake::at(format!("exit_code must be an integer from 0 to 255, not {code}"), at));
        }
        if let Some(name) = self.harness.hook_kwargs.keys().find(|name| GIVEN.contains(&name.as_str())) {
            let message = format!("harness.hook_kwargs can't set '{name}': every hook already receives it");
            return Err(Mistake::at(message, harness("hook_kwargs")));
        }
        let is_command =
            self.harness.entrypoint.as_deref().is_some_and(|entrypoint| !is_python(entrypoint.trim()));
        for (key, asked) in
            [("block_imports", &self.harness.block_imports), ("stub_modules", &self.harness.stub_modules)]
        {
            if is_command && !asked.is_empty() {
                let message = format!("harness.{key} needs a Python entrypoint, 'module:attr'");
                return Err(Mistake::at(message, harness(key)));
            }
        }
        Ok(())
    }
}

impl From<CliRun> for Work {
    fn from(run: CliRun) -> Self {
        Work::CliRun(Box::new(run))
    }
}
