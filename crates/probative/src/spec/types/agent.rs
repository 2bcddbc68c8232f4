//! `agent.response`, `agent.trajectory`, `context.selection` and `agent.run`: what an agent said, did and saw.

use indexmap::IndexMap;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::{
    CliHarness, CliRun, Directory, Form, SetupFile, Target, Type, Variable, Word, Words, Work, Written,
    WrittenPath,
};
use crate::argument::{at_least_one, present};
use crate::document::{Content, Mistake, Node, fields};
use crate::spec::lang::Budget;
use crate::trajectory::Scope;
use crate::value::{Malformed, visible};
use crate::vocabularies::{About, Speaker};
use crate::vocabulary::Vocabulary;

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

/// A case about an agent.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct AgentCase {
    /// A recorded subject, or several by a pattern.
    file: Option<WrittenPath>,
    #[serde(default, deserialize_with = "present")]
    response: Option<Value>,
    trajectory: Option<Value>,
    report: Option<Value>,
    /// What the agent is given.
    #[serde(default)]
    pub input: Value,
    /// The exit code that it must end with, where one is written; else 0.
    pub exit_code: Option<i64>,
    /// Whose steps are looked at.
    #[serde(default)]
    pub scope: Scope,
    /// Read elsewhere, where places are known.
    #[serde(default)]
    claims: IgnoredAny,
    /// How the agent is run.
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
    /// A command, or a Python `module:attr`.
    Command(&'a str),
    /// A server.
    Server(&'a str),
}

/// What `harness` takes in a case about an agent.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct AgentHarness {
    agent: Option<String>,
    entrypoint: Option<String>,
    url: Option<String>,
    /// What a server is sent beside the input.
    pub headers: IndexMap<String, Word>,
    /// What follows the entrypoint.
    pub argv: Words,
    /// Environment variables to set, or to unset with null.
    pub env: IndexMap<String, Variable>,
    /// Where it starts.
    pub cwd: Option<Directory>,
    /// How many milliseconds it may take.
    #[serde(deserialize_with = "limit")]
    pub timeout_ms: Option<u64>,
    setup_files: Vec<SetupFile>,
    block_imports: Vec<String>,
    stub_modules: Vec<String>,
    hook_before: Option<String>,
    hook_after: Option<String>,
    hook_kwargs: IndexMap<String, Value>,
    /// What each `evaluate` may cost.
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

impl Written for AgentCase {
    type Harness = AgentHarness;

    const VERBATIM: &'static [&'static [&'static str]] =
        &[&["harness", "argv"], &["harness", "env"], &["harness", "headers"]];

    fn check(&self, kind: &Type, case: &Node) -> Result<(), Mistake> {
        let Type { name, targets, .. } = *kind;
        let foreign = About::ALL
            .iter()
            .map(|about| about.subject())
            .find(|key| self.artifact(key).is_some() && !targets.iter().any(|target| target.name == *key));
        if let Some(foreign) = foreign {
            let member = case.members().iter().find(|member| member.key == foreign);
            let own = targets.first().map_or("", |target| target.name);
            let message = format!("unknown key '{foreign}'; {name} takes '{own}', and agent.run takes both");
            return Err(Mistake::at(
                message,
                member.map_or(case.span.clone(), |found| found.key_span.clone()),
            ));
        }
        self.one_source(case, targets)?;
        self.readable(case)?;
        self.all_used(name, targets, case)?;
        let harness = |key: &str| {
            let written = case.get("harness").and_then(|harness| harness.get(key));
            written.map_or(case.span.start..case.span.start, |node| node.span.clone())
        };
        match self.source() {
            Source::Recorded(file) if !file.is_relative() => {
                let at = case.get("file").unwrap_or(case).span.clone();
                Err(Mistake::at(format!("{name} file must be relative"), at))
            }
            Source::Run(Agent::Server(url)) if !is_http(url) => {
                let message =
                    format!("harness.url must begin with http:// or https://, not '{}'", visible(url));
                Err(Mistake::at(message, harness("url")))
            }
            Source::Run(Agent::Command(entrypoint)) => self.command(entrypoint).check(kind, case),
            Source::Run(_) => self.command("agent").check(kind, case),
            Source::Recorded(_) | Source::Written => Ok(()),
        }
    }
}

impl AgentCase {
    /// That there is one source of the subject, and only one.
    fn one_source(&self, case: &Node, targets: &[Target]) -> Result<(), Mistake> {
        let AgentHarness { agent, entrypoint, url, .. } = &self.harness;
        let inline = self.written().next().map(|(about, _)| about.subject());
        let given = [
            self.file.is_some().then_some("file"),
            inline,
            agent.is_some().then_some("harness.agent"),
            entrypoint.is_some().then_some("harness.entrypoint"),
            url.is_some().then_some("harness.url"),
        ];
        let given: Vec<&str> = given.into_iter().flatten().collect();
        let start = case.span.start..case.span.start;
        match given.as_slice() {
            [_] => Ok(()),
            [] => {
                let own = targets.iter().filter(|target| target.form.words().is_some());
                let own: Vec<String> = own.map(|target| format!("'{}'", target.name)).collect();
                let message = format!(
                    "nothing says what is judged: it needs 'file', {}, or an agent to run: \
                     harness.entrypoint, harness.url or harness.agent",
                    own.join(", ")
                );
                Err(Mistake::at(message, start))
            }
            several => {
                let message = format!("only one of these says what is judged: {}", several.join(", "));
                Err(Mistake::at(message, start))
            }
        }
    }
}

impl AgentCase {
    /// That what stands in the case is what its key says.
    fn readable(&self, case: &Node) -> Result<(), Mistake> {
        for (about, value) in self.written() {
            let Err(malformed) = about.speak(Readable(value.to_string().as_bytes())) else { continue };
            let written = case.get(about.subject()).unwrap_or(case);
            let path = malformed.message.split(": ").next().unwrap_or_default();
            let at = nearest_to(written, path).span.clone();
            return Err(Mistake::at(format!("{}: {}", about.subject(), malformed.message), at));
        }
        Ok(())
    }

    /// That nothing is written that has no effect.
    fn all_used(&self, name: &str, targets: &[Target], case: &Node) -> Result<(), Mistake> {
        let key = |node: &Node, key: &str| {
            let member = node.members().iter().find(|member| member.key == key);
            member.map_or(node.span.clone(), |member| member.key_span.clone())
        };
        let harness = case.get("harness").unwrap_or(case);
        if case.get("scope").is_some() && !targets.contains(&TRAJECTORY) {
            return Err(Mistake::at(
                format!("unknown key 'scope'; {name} is not about steps"),
                key(case, "scope"),
            ));
        }
        let written = |names: &[&'static str]| names.iter().copied().find(|name| harness.get(name).is_some());
        match self.source() {
            Source::Recorded(_) | Source::Written if self.exit_code.is_some() => {
                Err(Mistake::at("exit_code: nothing is run that could end with it", key(case, "exit_code")))
            }
            Source::Recorded(_) | Source::Written => {
                let idle = fields::<AgentHarness>().iter().copied().filter(|name| *name != "spec_lang");
                match written(&idle.collect::<Vec<_>>()) {
                    Some(name) => {
                        Err(Mistake::at(format!("harness.{name}: nothing is run"), key(harness, name)))
                    }
                    None => Ok(()),
                }
            }
            Source::Run(Agent::Command(_)) => match written(&["headers"]) {
                Some(name) => Err(Mistake::at(format!("harness.{name} is for a url"), key(harness, name))),
                None => Ok(()),
            },
            Source::Run(Agent::Server(_)) => {
                if self.exit_code.is_some() {
                    return Err(Mistake::at("exit_code: a server has none", key(case, "exit_code")));
                }
                match written(FOR_COMMANDS) {
                    Some(name) => {
                        Err(Mistake::at(format!("harness.{name} is for a command"), key(harness, name)))
                    }
                    None => Ok(()),
                }
            }
            Source::Run(Agent::Named(_)) => Ok(()),
        }
    }
}

/// The part of a node at a path such as `steps[1].step_type`, or as near to it as the path leads.
fn nearest_to<'n>(node: &'n Node, path: &str) -> &'n Node {
    let mut found = node;
    for step in path.split(['.', '[']) {
        let inner = match &found.content {
            Content::List(items) => {
                step.strip_suffix(']').and_then(|index| items.get(index.parse::<usize>().ok()?))
            }
            Content::Map(_) | Content::Scalar(_) => found.get(step),
        };
        let Some(inner) = inner else { break };
        found = inner;
    }
    found
}

/// What makes sense only where a command is run.
const FOR_COMMANDS: &[&str] = &[
    "argv",
    "env",
    "cwd",
    "setup_files",
    "block_imports",
    "stub_modules",
    "hook_before",
    "hook_after",
    "hook_kwargs",
];

/// Whether some JSON is a subject.
struct Readable<'a>(&'a [u8]);

impl Speaker for Readable<'_> {
    type Answer = Result<(), Malformed>;

    fn speak<A: Vocabulary>(self) -> Self::Answer {
        A::read(self.0, &A::whole()).map(|_| ())
    }
}

fn is_http(url: &str) -> bool {
    let rest = ["http://", "https://"].iter().find_map(|scheme| {
        url.get(..scheme.len())
            .filter(|start| start.eq_ignore_ascii_case(scheme))
            .map(|_| &url[scheme.len()..])
    });
    rest.is_some_and(|rest| {
        !rest.is_empty() && !rest.contains(|part: char| part.is_whitespace() || part.is_control())
    })
}

impl From<AgentCase> for Work {
    fn from(case: AgentCase) -> Self {
        Work::Agent(Box::new(case))
    }
}
