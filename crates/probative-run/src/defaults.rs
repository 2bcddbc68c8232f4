//! Defaults for the flags of the command line, as `probative.toml` sets them.

use std::ops::Range;
use std::path::{Path, PathBuf};

use probative::document::{Content, Document, Member, Mistake, Node, nearest};
use probative::value::{Value, visible};
use probative::verdict::Error;
use serde::Deserialize;

use crate::{config, root, secrets};

/// A key of `probative.toml` that sets a default: the name of a flag, with `_` for `-`.
#[derive(Debug, PartialEq, Eq)]
pub struct Key {
    /// As it is written.
    pub name: &'static str,
    /// What stands behind it.
    pub takes: Takes,
}

/// What stands behind a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Whole,
    /// A number.
    Number,
    /// A string.
    Text,
    /// A path, from the directory of the file.
    Path,
    /// A list of strings; one may stand alone.
    Texts,
    /// A list of paths; one may stand alone.
    Paths,
    /// A list of reports, `FORMAT` or `FORMAT=FILE`; one may stand alone.
    Reports,
}

/// Every key that sets a default, by name. The flags of the command line are held to it by a test of theirs.
pub const KEYS: &[Key] = &[
    key("agent", Takes::Text),
    key("allow_new_failures", Takes::Boolean),
    key("baseline", Takes::Path),
    key("brief", Takes::Boolean),
    key("budget", Takes::Whole),
    key("condition", Takes::Texts),
    key("fail_fast", Takes::Boolean),
    key("fail_on", Takes::Text),
    key("filter", Takes::Text),
    key("formats", Takes::Texts),
    key("full", Takes::Boolean),
    key("impl", Takes::Text),
    key("input", Takes::Text),
    key("jobs", Takes::Whole),
    key("journal", Takes::Path),
    key("keep_temp", Takes::Boolean),
    key("max_cost", Takes::Number),
    key("no_timings", Takes::Boolean),
    key("now", Takes::Text),
    key("out", Takes::Path),
    key("paths", Takes::Paths),
    key("priority", Takes::Text),
    key("quiet", Takes::Boolean),
    key("recursive", Takes::Boolean),
    key("report", Takes::Reports),
    key("responses", Takes::Path),
    key("retries", Takes::Whole),
    key("save_baseline", Takes::Path),
    key("shard", Takes::Text),
    key("strict", Takes::Boolean),
    key("suite", Takes::Text),
    key("to", Takes::Text),
    key("tool_error", Takes::Text),
    key("trace_format", Takes::Text),
    key("trials", Takes::Whole),
    key("type", Takes::Text),
    key("verbose", Takes::Boolean),
];

/// Flags without a default: they say what to do this time, or have variables of their own (`NO_COLOR`).
pub const FOR_ONE_TIME: &[&str] = &["case", "color", "failed", "lang", "list", "watch", "with_subjects"];

/// Keys that set no default.
const TABLES: [&str; 2] = [config::AGENTS, secrets::REDACT];

const fn key(name: &'static str, takes: Takes) -> Key {
    Key { name, takes }
}

impl Key {
    /// The key with this name.
    pub fn named(name: &str) -> Option<&'static Key> {
        KEYS.iter().find(|key| key.name == name)
    }
}

impl Takes {
    /// Whether several values may stand behind the key.
    pub fn is_list(self) -> bool {
        matches!(self, Takes::Texts | Takes::Paths | Takes::Reports)
    }

    /// The value as one would give it to the flag.
    fn read(self, node: &Node) -> Result<String, Mistake> {
        let text = match self {
            Takes::Boolean => bool::deserialize(node).map(|is| is.to_string()),
            Takes::Whole => i64::deserialize(node).map(|number| number.to_string()),
            Takes::Number => f64::deserialize(node).map(|number| Value::from(number).to_string()),
            Takes::Text | Takes::Path | Takes::Texts | Takes::Paths | Takes::Reports => {
                String::deserialize(node)
            }
        };
        text.map_err(|mistake| mistake.within(&node.span))
    }

    /// The value as it is meant by one who stands elsewhere: paths lead from the directory of the file.
    fn moved_to(self, text: String, directory: &Path) -> String {
        let moved = |path: &str| {
            let path: PathBuf = directory.join(path).components().collect();
            path.display().to_string()
        };
        match (self, text.split_once('=')) {
            _ if directory.as_os_str().is_empty() => text,
            (Takes::Path | Takes::Paths, _) => moved(&text),
            (Takes::Reports, Some((format, file))) if !matches!(file, "" | "-") => {
                format!("{format}={}", moved(file))
            }
            _ => text,
        }
    }
}

/// A key that is set.
#[derive(Debug, PartialEq, Eq)]
pub struct Setting {
    /// Which.
    pub key: &'static Key,
    /// To what; one value, unless the key takes a list.
    pub values: Vec<Written>,
    /// Where the key stands.
    pub span: Range<usize>,
}

/// A value, and where it stands.
#[derive(Debug, PartialEq, Eq)]
pub struct Written {
    /// As one would give it to the flag.
    pub text: String,
    /// Its bytes in the document.
    pub span: Range<usize>,
}

/// Where the `probative.toml` stands that holds in a directory, as a path that leads there from it: nothing, `..`, `../..`.
///
/// It stands at the contract root; one that is further up is another project's.
pub fn find(from: &Path) -> Option<PathBuf> {
    let (up, root) = from.ancestors().enumerate().find(|(_, above)| root::is_marked(above))?;
    root.join(config::NAME).exists().then(|| std::iter::repeat_n("..", up).collect())
}

/// The `probative.toml` of a directory.
pub fn document(directory: &Path) -> Result<Document, Error> {
    let path = directory.join(config::NAME);
    config::document(&path, &path.display().to_string())
}

/// What a `probative.toml` sets, as it is meant by one for whom `directory` leads to it. That the flags accept it is for them to say.
pub fn settings(document: &Document, directory: &Path) -> Result<Vec<Setting>, Error> {
    let mut settings = read(document, &document.read()?)?;
    for setting in &mut settings {
        let takes = setting.key.takes;
        for value in &mut setting.values {
            value.text = takes.moved_to(std::mem::take(&mut value.text), directory);
        }
    }
    Ok(settings)
}

/// What is set beside the agents and the names of secrets; a key that nobody knows is an error, and so are names
/// of secrets that are none: whoever mistypes them would tell what they wanted to hide.
pub(crate) fn read(document: &Document, node: &Node) -> Result<Vec<Setting>, Error> {
    node.get(secrets::REDACT).map(|node| secrets::Redact::read(document, node)).transpose()?;
    let members = node.members().iter().filter(|member| !TABLES.contains(&member.key.as_str()));
    let setting = |member: &Member| {
        let key = Key::named(&member.key).ok_or_else(|| unknown(document, member))?;
        if key.name == "agent" && matches!(member.value.content, Content::Map(_)) {
            let message = "agent: expected a string, found an object; did you mean [agents.NAME]?".to_owned();
            return Err(document.malformed(message, member.value.span.clone()));
        }
        let written = |node: &Node| {
            let text = key.takes.read(node).map_err(|mistake| document.error(mistake.under(key.name)))?;
            Ok(Written { text, span: node.span.clone() })
        };
        let values = match &member.value.content {
            Content::List(items) if key.takes.is_list() => {
                items.iter().map(written).collect::<Result<_, Error>>()?
            }
            _ => vec![written(&member.value)?],
        };
        Ok(Setting { key, values, span: member.key_span.clone() })
    };
    members.map(setting).collect()
}

fn unknown(document: &Document, member: &Member) -> Error {
    let known = KEYS.iter().map(|key| key.name).chain(TABLES);
    if FOR_ONE_TIME.contains(&member.key.as_str()) {
        let message = format!("--{0} cannot have a default; remove '{0}'", member.key);
        return document.malformed(message, member.key_span.clone());
    }
    let hint = match nearest(&member.key, known) {
        Some(nearest) => format!("did you mean '{nearest}'?"),
        None => "expected agents, redact, or an option such as jobs".to_owned(),
    };
    let message = format!("unknown key '{}'; {hint}", visible(&member.key));
    document.malformed(message, member.key_span.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, directory: &str) -> Result<Vec<(&'static str, Vec<String>)>, String> {
        let settings = settings(&Document::new(config::NAME, text), Path::new(directory));
        let plain = |setting: Setting| {
            (setting.key.name, setting.values.into_iter().map(|value| value.text).collect())
        };
        settings.map(|all| all.into_iter().map(plain).collect()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_value_is_what_one_would_give_to_the_flag() {
        let text = "jobs = 4\nmax_cost = 2.5\nstrict = true\nnow = 2026-01-02\nfilter = \"/a b/\"\n\
                    report = [\"human\", \"json=a.json\"]\nformats = \"md\"\n[agents.a]\ncommand = \"./a\"\n";
        let expected = [
            ("jobs", vec!["4"]),
            ("max_cost", vec!["2.5"]),
            ("strict", vec!["true"]),
            ("now", vec!["2026-01-02"]),
            ("filter", vec!["/a b/"]),
            ("report", vec!["human", "json=a.json"]),
            ("formats", vec!["md"]),
        ];
        let expected = expected.map(|(key, all)| (key, all.into_iter().map(str::to_owned).collect()));
        assert_eq!(read(text, "").unwrap(), expected);
    }

    #[test]
    fn paths_lead_from_the_directory_of_the_file() {
        for (text, from_there, from_below) in [
            ("baseline = \"a/b.json\"", "a/b.json", "../a/b.json"),
            ("baseline = \"/a/b.json\"", "/a/b.json", "/a/b.json"),
            ("paths = \".\"", ".", ".."),
            ("paths = [\"./docs\"]", "./docs", "../docs"),
            ("report = \"json=a=b.json\"", "json=a=b.json", "json=../a=b.json"),
            ("report = \"json=-\"", "json=-", "json=-"),
            ("report = \"json\"", "json", "json"),
            ("filter = \"a=b\"", "a=b", "a=b"),
        ] {
            assert_eq!(read(text, "").unwrap()[0].1, [from_there], "{text}");
            assert_eq!(read(text, "..").unwrap()[0].1, [from_below], "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, told) in [
            ("jbos = 4", "probative.toml:1:1: unknown key 'jbos'; did you mean 'jobs'?"),
            ("max-cost = 4", "probative.toml:1:1: unknown key 'max-cost'; did you mean 'max_cost'?"),
            (
                "[agent]\n",
                "probative.toml:1:1: agent: expected a string, found an object; did you mean [agents.NAME]?",
            ),
            (
                "\"\\u001b\" = 4",
                "probative.toml:1:1: unknown key '\\u001b'; expected agents, redact, or an option such as jobs",
            ),
            ("\njobs = \"4\"", "probative.toml:2:8: jobs: expected an integer, found '4'"),
            ("strict = 1", "probative.toml:1:10: strict: expected a boolean, found 1"),
            ("jobs = [4]", "probative.toml:1:8: jobs: expected an integer, found a list"),
            ("report = [\"human\", 4]", "probative.toml:1:20: report: expected a string, found 4"),
            ("report = [[\"human\"]]", "probative.toml:1:11: report: expected a string, found a list"),
            ("jobs = 4\njobs = 5", "probative.toml:2:1: duplicate key"),
        ] {
            assert_eq!(read(text, "").unwrap_err(), told, "{text}");
        }
    }

    #[test]
    fn keys_are_sorted_and_written_as_toml_is() {
        assert!(KEYS.is_sorted_by_key(|key| key.name));
        assert!(KEYS.iter().all(|key| key.name.chars().all(|char| char == '_' || char.is_ascii_lowercase())));
    }

    #[test]
    fn the_root_of_the_project_has_the_file_or_none_has() {
        let place = tempfile::tempdir().unwrap();
        let below = |path: &str| place.path().join(path);
        std::fs::create_dir_all(below("project/a/b")).unwrap();
        std::fs::create_dir_all(below("project/other/.git")).unwrap();
        std::fs::write(below("project/probative.toml"), "").unwrap();
        assert_eq!(find(&below("project")), Some(PathBuf::new()));
        assert_eq!(find(&below("project/a/b")), Some(PathBuf::from("../..")));
        assert_eq!(find(&below("project/other")), None);
    }
}
