//! Which environment variables hold secrets, by their names, and the values to be hidden.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glob::Pattern;
use probative::document::{Content, Document, Node};
use probative::mask::{Mask, Name};
use probative::spec::variables;
use probative::verdict::Error;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::config;
use crate::root;
use crate::suite::Suite;

/// The key in `probative.toml`.
pub(crate) const REDACT: &str = "redact";

/// The names of variables that hold secrets, whatever a project says.
pub const DEFAULTS: [&str; 4] = ["*_KEY", "*_TOKEN", "*_SECRET", "*_PASSWORD"];

/// Variables whose values are hidden in all output.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Redact {
    /// Names of environment variables that contain secrets, in addition to `*_KEY`, `*_TOKEN`, `*_SECRET` and `*_PASSWORD`; `*` matches any characters.
    env: Vec<String>,
    /// Names of variables that are not secret, even if they match.
    except: Vec<String>,
}

impl Redact {
    /// What stands under the key.
    pub(crate) fn read(document: &Document, node: &Node) -> Result<Redact, Error> {
        let redact = Redact::deserialize(node)
            .map_err(|mistake| document.error(mistake.within(&node.span).under(REDACT).in_vocabulary(&[])))?;
        for (key, names) in [("env", &redact.env), ("except", &redact.except)] {
            let node = node.get(key).unwrap_or(node);
            let place = |at: usize| match &node.content {
                Content::List(items) => items.get(at).unwrap_or(node).span.clone(),
                _ => node.span.clone(),
            };
            for (at, name) in names.iter().enumerate() {
                // It may be a value, which is not told.
                if !can_be_a_name(name) {
                    let message =
                        format!("{REDACT}.{key}: expected the name of a variable, without `$` or a value");
                    return Err(document.malformed(message, place(at)));
                }
                if let Err(error) = Pattern::new(name) {
                    let message = format!("{REDACT}.{key}: '{name}' isn't a valid pattern: {}", error.msg);
                    return Err(document.malformed(message, node.span.clone()));
                }
            }
        }
        Ok(redact)
    }

    /// The same as far as it can be read: what is wrong in it is told elsewhere.
    fn read_leniently(node: &Node) -> Redact {
        let all = |key| -> Vec<String> {
            let Some(node) = node.get(key) else { return Vec::new() };
            match &node.content {
                Content::List(items) => items.iter().filter_map(Node::as_str).map(str::to_owned).collect(),
                _ => node.as_str().map(str::to_owned).into_iter().collect(),
            }
        };
        Redact { env: all("env"), except: all("except") }
    }

    /// Values that stand in the place of names: whoever wrote them there meant them to be hidden.
    fn misplaced(&self) -> impl Iterator<Item = &str> {
        let is_no_name =
            |name: &&str| !can_be_a_name(name) && !can_be_a_name(name.trim_matches(['$', '{', '}']));
        let values = self.env.iter().map(String::as_str).filter(is_no_name);
        values.map(|written| match written.split_once('=') {
            Some((name, value)) if can_be_a_name(name.trim_start_matches('$')) => value,
            _ => written,
        })
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

/// Whether a variable can be called so; `*`, `?` and `[…]` stand for characters that its name may have.
fn can_be_a_name(written: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || "_.-*?[]!".contains(character);
    !written.is_empty() && written.chars().all(is_part)
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
    /// By the name of the variable.
    values: BTreeMap<String, (Arc<Name>, BTreeSet<String>)>,
    warnings: Vec<String>,
}

impl Secrets {
    /// Those of this process and of its agents, by the names that `probative.toml` at the root of this directory gives them.
    pub fn here() -> Secrets {
        let directory = std::fs::canonicalize(".").unwrap_or_else(|_| PathBuf::from("."));
        let mut secrets = Secrets::default();
        let (redact, names) = secrets.take_project(root::of(&directory));
        let environment: BTreeMap<String, String> = std::env::vars_os()
            .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
            .collect();
        secrets.warnings = warnings(&redact, &names, &environment);
        secrets
    }

    /// Learns what the cases of a suite, and the agents of their projects, set; and what those projects call a secret.
    ///
    /// Also what is written wrongly is learnt, for it is shown with what is wrong.
    pub fn learn(&mut self, suite: &Suite) {
        let mut project: Option<(&Path, Names)> = None;
        for file in suite.documents() {
            // Documents of one project stand together.
            let names = match project.take() {
                Some((root, names)) if *root == *file.root => names,
                _ => self.take_project(&file.root).1,
            };
            if let Ok(spec) = &file.spec {
                self.take_all(&names, spec.variables.iter().map(|(name, value)| (name, value)));
                if !spec.errors.is_empty() {
                    self.take_text(&names, &spec.document.text);
                }
            }
            project = Some((&file.root, names));
        }
    }

    /// Hides them.
    pub fn mask(&self) -> Mask {
        let named =
            self.values.values().flat_map(|(name, values)| values.iter().map(move |value| (name, &**value)));
        Mask::of_named(named)
    }

    /// The names of those that a mask has hidden somewhere, sorted.
    pub fn hidden(&self) -> impl Iterator<Item = &str> {
        self.values.values().filter(|(name, _)| name.was_hidden()).map(|(name, _)| name.as_str())
    }

    /// What is odd about the names in the project, in sentences: of a variable that is named by its whole name, that its value
    /// cannot be hidden, or that only another is set whose name is written in other case.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// What a project calls a secret, and the values that are known of that: in the environment and in its file, as far as that
    /// can be read.
    fn take_project(&mut self, root: &Path) -> (Redact, Names) {
        let document = config::document(&root.join(config::NAME), config::NAME).ok();
        let tree = document.as_ref().and_then(|document| document.read().ok());
        let redact = tree.as_ref().and_then(|tree| tree.get(REDACT)).map(Redact::read_leniently);
        let redact = redact.unwrap_or_default();
        let names = redact.compiled();
        self.take_all(&names, std::env::vars_os());
        match (tree, document) {
            (Some(tree), _) => self.take_all(&names, variables::of_tree(&tree)),
            (None, Some(document)) => self.take_text(&names, &document.text),
            (None, None) => {}
        }
        for value in redact.misplaced() {
            self.take(REDACT, value);
        }
        (redact, names)
    }

    fn take_text(&mut self, names: &Names, text: &str) {
        self.take_all(names, variables::of_text(text, |name| names.have(name)));
    }

    fn take_all(
        &mut self,
        names: &Names,
        variables: impl IntoIterator<Item = (impl AsRef<OsStr>, impl AsRef<OsStr>)>,
    ) {
        for (name, value) in variables {
            let name = name.as_ref().to_string_lossy();
            if names.have(&name) {
                self.take(&name, &value.as_ref().to_string_lossy());
            }
        }
    }

    fn take(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            let new = || (Arc::new(Name::new(name)), BTreeSet::new());
            self.values.entry(name.to_owned()).or_insert_with(new).1.insert(value.to_owned());
        }
    }
}

/// What is odd about the names that a project gives, where these variables are set.
fn warnings(redact: &Redact, names: &Names, environment: &BTreeMap<String, String>) -> Vec<String> {
    let mut warnings = Vec::new();
    for name in &redact.env {
        match environment.get(name) {
            Some(value) if !value.is_empty() && !Mask::can_hide(value) => {
                let why = if value.trim().chars().count() < Mask::SHORTEST {
                    format!("has fewer than {} characters", Mask::SHORTEST)
                } else {
                    "is true, false, null or none".to_owned()
                };
                warnings.push(format!("the value of {name} {why}, so it isn't hidden"));
            }
            Some(_) => {}
            None => {
                let mut set = environment.keys();
                let other =
                    set.find(|other| other.to_lowercase() == name.to_lowercase() && !names.have(other));
                warnings.extend(other.map(|other| {
                    format!("[redact] names {name}, which isn't set; {other} is set but not hidden: names are case-sensitive")
                }));
            }
        }
    }
    warnings
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
        assert!(told.starts_with("probative.toml:2:7: redact.env: 'a***' isn't a valid pattern: "), "{told}");
    }

    #[test]
    fn what_can_be_no_name_is_told_with_its_place_and_not_shown() {
        for written in ["", "A=B", "$API_KEY", "${API_KEY}", "sk/live+123", "two words"] {
            for key in ["env", "except"] {
                let told = redact(&format!("[redact]\n{key} = [\"A_*\", \"{written}\"]\n")).unwrap_err();
                let column = key.len() + 12;
                let expected = format!(
                    "probative.toml:2:{column}: redact.{key}: expected the name of a variable, without `$` or a value"
                );
                assert_eq!(told, expected);
            }
        }
        let env = ["$A", "${A}", "A=value-of-a", "sk/live+123", "A_*", ""];
        let redact = Redact { env: env.map(str::to_owned).to_vec(), except: Vec::new() };
        assert_eq!(redact.misplaced().collect::<Vec<_>>(), ["value-of-a", "sk/live+123", ""]);
    }

    #[test]
    fn names_that_hide_nothing_are_warned_of() {
        let env = ["PIN", "WORD", "Db_Url", "api_key", "FINE", "UNSET"];
        let redact = Redact { env: env.map(str::to_owned).to_vec(), except: Vec::new() };
        let set =
            [("PIN", "123"), ("WORD", "true"), ("DB_URL", "x"), ("API_KEY", "abcdef"), ("FINE", "abcdef")];
        let set = set.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        assert_eq!(
            warnings(&redact, &redact.compiled(), &set),
            [
                "the value of PIN has fewer than 4 characters, so it isn't hidden",
                "the value of WORD is true, false, null or none, so it isn't hidden",
                "[redact] names Db_Url, which isn't set; DB_URL is set but not hidden: names are case-sensitive",
            ]
        );
    }
}
