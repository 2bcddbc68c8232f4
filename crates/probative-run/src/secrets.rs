//! Which environment variables hold secrets, by their names, and the values to be hidden.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use glob::Pattern;
use probative::document::{Document, Node};
use probative::mask::Mask;
use probative::spec::types::Variable;
use probative::spec::{Plan, Work};
use probative::verdict::Error;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::config::{self, Config};
use crate::root;
use crate::suite::Suite;

/// The key in `probative.toml`.
pub(crate) const REDACT: &str = "redact";

/// The names of variables that hold secrets, whatever a project says.
pub const DEFAULTS: [&str; 4] = ["*_KEY", "*_TOKEN", "*_SECRET", "*_PASSWORD"];

/// `[redact]` in `probative.toml`: whose values are hidden.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Redact {
    /// Names of environment variables that hold secrets, beside `*_KEY`, `*_TOKEN`, `*_SECRET` and `*_PASSWORD`; `*` stands for any characters.
    env: Vec<String>,
    /// Names of variables that hold none, whatever they match.
    except: Vec<String>,
}

impl Redact {
    /// What stands under the key.
    pub(crate) fn read(document: &Document, node: &Node) -> Result<Redact, Error> {
        let redact = Redact::deserialize(node)
            .map_err(|mistake| document.error(mistake.within(&node.span).under(REDACT).in_vocabulary(&[])))?;
        for (key, names) in [("env", &redact.env), ("except", &redact.except)] {
            if let Some((name, error)) = names.iter().find_map(|name| Some((name, Pattern::new(name).err()?)))
            {
                let at = node.get(key).map_or(&node.span, |node| &node.span).clone();
                let message = format!("{REDACT}.{key}: '{name}' is no pattern: {}", error.msg);
                return Err(document.malformed(message, at));
            }
        }
        Ok(redact)
    }

    /// What the file of a directory says, as far as it can be read: what is wrong in it is told elsewhere.
    fn of(directory: &Path) -> Redact {
        let read = || {
            let document = config::document(&directory.join(config::NAME), config::NAME).ok()?;
            let node = document.read().ok()?;
            Redact::read(&document, node.get(REDACT)?).ok()
        };
        read().unwrap_or_default()
    }

    /// The names, ready to be compared with.
    fn compiled(&self) -> Names {
        let all = |names: &mut dyn Iterator<Item = &str>| {
            // What is no pattern was refused when it was read.
            names.filter_map(|name| Pattern::new(name).ok()).collect()
        };
        Names {
            of_secrets: all(&mut DEFAULTS.into_iter().chain(self.env.iter().map(String::as_str))),
            of_others: all(&mut self.except.iter().map(String::as_str)),
        }
    }
}

/// Names of variables, as patterns.
struct Names {
    of_secrets: Vec<Pattern>,
    of_others: Vec<Pattern>,
}

impl Names {
    /// Whether the variable with this name holds a secret.
    fn have(&self, name: &str) -> bool {
        let is_any = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches(name));
        is_any(&self.of_secrets) && !is_any(&self.of_others)
    }
}

/// The values of all variables that hold secrets: of this process, and as cases and agents set them.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    values: BTreeSet<String>,
    /// Variables that the project itself names, whose values are too short to be hidden.
    weak: Vec<String>,
}

impl Secrets {
    /// Those of this process, by the names that `probative.toml` at the root of this directory gives them.
    pub fn here() -> Secrets {
        let directory = std::fs::canonicalize(".").unwrap_or_else(|_| PathBuf::from("."));
        let redact = Redact::of(root::of(&directory));
        let mut secrets = Secrets::default();
        secrets.take_all(&redact.compiled(), std::env::vars_os());
        for name in redact.env {
            let value = std::env::var_os(&name).unwrap_or_default();
            if !value.is_empty() && !Mask::can_hide(&value.to_string_lossy()) {
                secrets.weak.push(name);
            }
        }
        secrets
    }

    /// Learns what the cases of a suite, and the agents of their projects, set; and what those projects call a secret.
    pub fn learn(&mut self, suite: &Suite) {
        let mut project: Option<(&Path, Names)> = None;
        for file in suite.documents() {
            let config = file.config.as_ref().as_ref().ok();
            // Documents of one project stand together.
            let names = match project.take() {
                Some((root, names)) if *root == *file.root => names,
                _ => {
                    let redact =
                        config.map_or_else(|| Redact::of(&file.root), |config| config.redact.clone());
                    let names = redact.compiled();
                    self.take_all(&names, std::env::vars_os());
                    self.take_set(&names, config.into_iter().flat_map(Config::variables));
                    names
                }
            };
            for case in file.spec.iter().flat_map(|spec| &spec.cases) {
                let Plan::Run(run) = &case.plan else { continue };
                match &run.work {
                    Work::CliRun(run) => self.take_set(&names, &run.harness.env),
                    Work::Agent(agent) => self.take_set(&names, &agent.harness.env),
                    Work::TextFile(_) | Work::ApiHttp(_) | Work::Conversation(_) => {}
                }
            }
            project = Some((&file.root, names));
        }
    }

    /// Hides them.
    pub fn mask(&self) -> Mask {
        Mask::of(self.values.iter().map(String::as_str))
    }

    /// Variables that the project names one by one, and whose values are too short to be hidden.
    pub fn weak(&self) -> &[String] {
        &self.weak
    }

    fn take_set<'v>(
        &mut self,
        names: &Names,
        variables: impl IntoIterator<Item = (&'v String, &'v Variable)>,
    ) {
        let set = variables.into_iter().filter_map(|(name, Variable(value))| Some((name, value.as_ref()?)));
        self.take_all(names, set);
    }

    fn take_all(
        &mut self,
        names: &Names,
        variables: impl IntoIterator<Item = (impl AsRef<OsStr>, impl AsRef<OsStr>)>,
    ) {
        for (name, value) in variables {
            let value = value.as_ref();
            if !value.is_empty() && names.have(&name.as_ref().to_string_lossy()) {
                self.values.insert(value.to_string_lossy().into_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redact(toml: &str) -> Result<Redact, String> {
        let document = Document::new(config::NAME, toml);
        let node = document.read().unwrap();
        Redact::read(&document, node.get(REDACT).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn names_are_added_to_the_defaults_and_taken_out_of_all() {
        let redact =
            redact("[redact]\nenv = [\"DATABASE_*\", \"PIN\"]\nexcept = [\"PUBLIC_KEY\"]\n").unwrap();
        for name in ["API_KEY", "_KEY", "GITHUB_TOKEN", "A_SECRET", "B_PASSWORD", "DATABASE_URL", "PIN"] {
            assert!(redact.compiled().have(name), "{name}");
        }
        for name in ["PUBLIC_KEY", "KEY", "api_key", "PINS", "HOME", "TOKEN_COUNT"] {
            assert!(!redact.compiled().have(name), "{name}");
        }
        assert!(Redact::default().compiled().have("PUBLIC_KEY"));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (toml, told) in [
            ("[redact]\nenvs = []\n", "probative.toml:2:1: redact: unknown key 'envs'; did you mean 'env'?"),
            ("redact = 1\n", "probative.toml:1:10: redact: expected an object, found 1"),
            ("[redact]\nenv = [1]\n", "probative.toml:2:8: redact.env: expected a string, found 1"),
        ] {
            assert_eq!(redact(toml).unwrap_err(), told);
        }
        let told = redact("[redact]\nenv = [\"a***\"]\n").unwrap_err();
        assert!(told.starts_with("probative.toml:2:7: redact.env: 'a***' is no pattern: "), "{told}");
    }
}
