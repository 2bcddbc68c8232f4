//! `probative.toml`, at the contract root.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use probative::document::{Document, nearest};
use probative::spec::types::{Agent, Directory, Variable, Word};
use probative::value::visible;
use probative::verdict::{Error, ErrorKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::secrets::{REDACT, Redact};
use crate::{defaults, documents};

/// The name of the file.
pub(crate) const NAME: &str = "probative.toml";

/// The key of the agents. All others but `redact` set defaults for the command line.
pub(crate) const AGENTS: &str = "agents";

/// Nobody configures more.
const LARGEST: usize = 1 << 20;

/// What a project says once for all its cases.
#[derive(Debug, Default)]
pub(crate) struct Config {
    /// The agents that cases may name.
    agents: IndexMap<String, Configured>,
    /// The directory that has no file, if there is none.
    missing_in: Option<PathBuf>,
}

/// An agent that cases can name: a command or a server.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Configured {
    /// Command line, or a Python `module:attribute`.
    command: Option<String>,
    /// URL that the input is sent to with POST.
    url: Option<String>,
    /// Time limit in milliseconds.
    pub(crate) timeout_ms: Option<u64>,
    /// Environment variables to set.
    pub(crate) env: IndexMap<String, Variable>,
    /// HTTP headers to send with the input.
    pub(crate) headers: IndexMap<String, Word>,
    /// Working directory; the project root by default.
    pub(crate) cwd: Option<Directory>,
}

impl Config {
    /// The configuration in a directory; without a file, nothing is configured.
    pub(crate) fn load(root: &Path) -> Result<Config, Error> {
        let path = root.join(NAME);
        if !path.exists() {
            return Ok(Config { missing_in: Some(root.to_owned()), ..Config::default() });
        }
        Config::read(&document(&path, NAME)?)
    }

    fn read(document: &Document) -> Result<Config, Error> {
        let node = document.read()?;
        defaults::read(document, &node)?;
        let Some(node) = node.get(AGENTS) else {
            return Ok(Config::default());
        };
        let agents: IndexMap<String, Configured> = IndexMap::deserialize(node)
            .map_err(|mistake| document.error(mistake.within(&node.span).under(AGENTS).in_vocabulary(&[])))?;
        for member in node.members() {
            let agent = &agents[&member.key];
            if agent.command.is_some() == agent.url.is_some() {
                let name = visible(&member.key);
                let message = format!("agents.{name} needs either 'command' or 'url'");
                return Err(document.malformed(message, member.key_span.clone()));
            }
            let idle: &[&str] = if agent.url.is_some() { &["env", "cwd"] } else { &["headers"] };
            if let Some(idle) =
                member.value.members().iter().find(|member| idle.contains(&member.key.as_str()))
            {
                let kind = if agent.url.is_some() { "command" } else { "url" };
                let message =
                    format!("agents.{}: {} applies only to a {kind}", visible(&member.key), idle.key);
                return Err(document.malformed(message, idle.key_span.clone()));
            }
        }
        Ok(Config { agents, missing_in: None })
    }

    /// The files that the commands of agents name.
    pub(crate) fn programs<'c>(&'c self, root: &'c Path) -> impl Iterator<Item = PathBuf> + 'c {
        let commands = self.agents.values().filter_map(|agent| agent.command.as_deref());
        commands.flat_map(str::split_whitespace).map(|word| root.join(word)).filter(|path| path.is_file())
    }

    /// An agent by its name.
    pub(crate) fn agent(&self, name: &str) -> Result<&Configured, Error> {
        self.agents.get(name).ok_or_else(|| {
            let known = || self.agents.keys().map(String::as_str);
            let shown = visible(name);
            let message = match (&self.missing_in, nearest(name, known())) {
                (Some(root), _) => {
                    let root = root.display().to_string();
                    format!(
                        "agent '{shown}' is not defined: no {NAME} in the project root {}; create one with [agents.{shown}] and \
                         command = \"…\", or run `probative init`",
                        visible(&root)
                    )
                }
                (None, Some(nearest)) => {
                    format!("no [agents.{shown}] in {NAME}; did you mean '{}'?", visible(nearest))
                }
                (None, None) if self.agents.is_empty() => format!("no [agents.{shown}] in {NAME}"),
                (None, None) => {
                    let known: Vec<&str> = known().collect();
                    format!("no [agents.{shown}] in {NAME}; it defines {}", visible(&known.join(", ")))
                }
            };
            Error::new(ErrorKind::MalformedQuestion(message))
        })
    }
}

/// Reads the file. Errors name it as it is shown.
pub(crate) fn document(path: &Path, shown: &str) -> Result<Document, Error> {
    let bytes = documents::read_bytes(path, shown, LARGEST)?;
    documents::text(bytes, shown.to_owned(), "not UTF-8")
}

/// The JSON Schema of `probative.toml`, in which some keys may stand beside `[agents.<name>]` and `[redact]`: defaults for flags, which the
/// command line knows.
///
/// Wider than the reader: an agent may have what is for a command beside what is for a server.
pub fn schema(flags: Map<String, Value>) -> Value {
    let mut generator = probative::schema::of_parsed();
    let agent = json!({
        "allOf": [generator.subschema_for::<Configured>()],
        "oneOf": [
            {"required": ["command"], "properties": {"command": {"type": "string"}}},
            {"required": ["url"], "properties": {"url": {"type": "string"}}},
        ],
    });
    let mut properties = flags;
    let agents = json!({
        "description": "Agents that cases can name in `harness.agent`.",
        "type": "object",
        "additionalProperties": agent,
    });
    properties.insert(AGENTS.to_owned(), agents);
    properties.insert("$schema".to_owned(), json!({"type": "string"}));
    properties.insert(REDACT.to_owned(), generator.subschema_for::<Redact>().into());
    let config = json!({"type": "object", "properties": properties, "additionalProperties": false});
    probative::schema::titled("probative.toml", config, generator.take_definitions(true))
}

impl Configured {
    /// How it is run.
    pub(crate) fn agent(&self) -> Agent<'_> {
        match (&self.command, &self.url) {
            (_, Some(url)) => Agent::Server(url),
            (command, None) => Agent::Command(command.as_deref().unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Config, String> {
        Config::read(&Document::new(NAME, text)).map_err(|error| error.to_string())
    }

    #[test]
    fn an_agent_is_a_command_or_a_server() {
        let config =
            read("[agents.a]\ncommand = \"./a\"\ntimeout_ms = 5\n[agents.b]\nurl = \"http://b\"\n").unwrap();
        assert_eq!(config.agent("a").unwrap().agent(), Agent::Command("./a"));
        assert_eq!(config.agent("b").unwrap().agent(), Agent::Server("http://b"));
        let told = config.agent("bb").unwrap_err().to_string();
        assert_eq!(told, "no [agents.bb] in probative.toml; it defines a, b");
    }

    #[test]
    fn where_there_is_no_file_the_directory_and_the_next_step_are_named() {
        let config = Config::load(Path::new("/nowhere/at all")).unwrap();
        assert_eq!(
            config.agent("support").unwrap_err().to_string(),
            "agent 'support' is not defined: no probative.toml in the project root /nowhere/at all; create \
             one with [agents.support] and command = \"…\", or run `probative init`"
        );
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, told) in [
            ("[agents.a]\n", "probative.toml:1:9: agents.a needs either 'command' or 'url'"),
            (
                "[agents.a]\ncomand = \"./a\"\n",
                "probative.toml:2:1: agents.a: unknown key 'comand'; did you mean 'command'?",
            ),
            (
                "[agents.a]\ncommand = 1\n",
                "probative.toml:2:11: agents.a.command: expected a string, found 1",
            ),
            (
                "[agents.a]\ncommand = \"a\"\nheaders = {}\n",
                "probative.toml:3:1: agents.a: headers applies only to a url",
            ),
            ("agents = 1\n", "probative.toml:1:10: agents: expected an object, found 1"),
            (
                "jobs = 4\nagent.a = {}\n",
                "probative.toml:2:1: agent: expected a string, found an object; did you mean [agents.NAME]?",
            ),
            ("jbos = 4\n", "probative.toml:1:1: unknown key 'jbos'; did you mean 'jobs'?"),
            ("[agents.a\n", "probative.toml:1:10: unclosed table, expected `]`"),
        ] {
            assert_eq!(read(text).unwrap_err(), told);
        }
    }
}
