//! Texts as people write them in YAML, where `8080` and `true` are meant as they stand.

use std::borrow::Cow;
use std::fmt;
use std::path::{Component, Path};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};

use crate::value::Value;

/// A text, or a number or boolean that is meant as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word(pub String);

/// A list of words; a single one is a list of one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words(pub Vec<String>);

/// The value of an environment variable; null unsets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable(pub Option<String>);

/// A path as it is written in a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenPath(String);

impl WrittenPath {
    /// The path as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it starts where the reader stands, and not at the root of the file system.
    pub fn is_relative(&self) -> bool {
        !Path::new(&self.0).has_root()
    }

    /// Whether it leads out of where it starts, by its words alone.
    pub fn climbs_out(&self) -> bool {
        let mut depth = 0_usize;
        for component in Path::new(&self.0).components() {
            match component {
                Component::Normal(_) => depth += 1,
                Component::ParentDir => match depth.checked_sub(1) {
                    Some(above) => depth = above,
                    None => return true,
                },
                Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) => return true,
            }
        }
        false
    }
}

/// Whether an entrypoint is a Python `module:attr` and no command.
///
/// ```
/// use probative::spec::types::is_python;
///
/// assert!(is_python("myproj.cli:main"));
/// assert!(!is_python("./bin/tool") && !is_python("git log") && !is_python("C:\\x"));
/// ```
pub fn is_python(entrypoint: &str) -> bool {
    let is_dotted = |path: &str| path.split('.').all(is_identifier);
    entrypoint.split_once(':').is_some_and(|(module, attribute)| is_dotted(module) && is_dotted(attribute))
}

/// The words of a command: split like a shell does, but nothing in it is expanded. Fails with what is wrong with it.
///
/// ```
/// use probative::spec::types::command_words;
///
/// assert_eq!(command_words("sh -c 'echo \"$HOME\" *'").unwrap(), ["sh", "-c", "echo \"$HOME\" *"]);
/// assert_eq!(command_words("a 'b"), Err("unclosed quote"));
/// ```
pub fn command_words(command: &str) -> Result<Vec<String>, &'static str> {
    match shlex::split(command) {
        None => Err("unclosed quote"),
        Some(words) if words.is_empty() => Err("it is empty"),
        Some(words) => Ok(words),
    }
}

fn is_identifier(word: &str) -> bool {
    let mut characters = word.chars();
    characters.next().is_some_and(|first| first == '_' || first.is_alphabetic())
        && characters.all(|next| next == '_' || next.is_alphanumeric())
}

/// The text that a scalar is meant as, where it is one.
fn meant(written: &Value) -> Result<Option<String>, String> {
    match written {
        Value::String(text) if text.contains('\0') => {
            Err("NUL characters can't be passed to a program".to_owned())
        }
        Value::String(text) => Ok(Some(text.clone())),
        Value::Number(_) | Value::Bool(_) => Ok(Some(written.to_string())),
        Value::Null => Ok(None),
        Value::Array(_) => Err("expected a string, found a list".to_owned()),
        Value::Object(_) => Err("expected a string, found an object".to_owned()),
    }
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let meant = meant(&Value::deserialize(reader)?).map_err(D::Error::custom)?;
        meant.map(Word).ok_or_else(|| D::Error::custom("expected a string, found null"))
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Several;
        impl<'de> Visitor<'de> for Several {
            type Value = Words;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a string or a list of strings")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut words: A) -> Result<Words, A::Error> {
                let words = std::iter::from_fn(|| words.next_element::<Word>().transpose());
                words.map(|word| word.map(|word| word.0)).collect::<Result<_, _>>().map(Words)
            }

            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<Words, E> {
                Ok(Words(meant(&word.into()).map_err(E::custom)?.into_iter().collect()))
            }
        }
        reader.deserialize_any(Several)
    }
}

impl<'de> Deserialize<'de> for Variable {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        meant(&Value::deserialize(reader)?).map(Variable).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for WrittenPath {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let path = String::deserialize(reader)?;
        match path.as_str() {
            "" => Err(D::Error::custom("a path must not be empty")),
            nul if nul.contains('\0') => Err(D::Error::custom("a path must not contain a NUL character")),
            _ => Ok(WrittenPath(path)),
        }
    }
}

/// How each of them is written.
macro_rules! schemas {
    ($($written:ident $schema:tt)*) => {$(
        impl JsonSchema for $written {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($written).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    )*};
}

schemas! {
    Word {"type": ["string", "number", "boolean"]}
    Words {
        "type": ["string", "number", "boolean", "array"],
        "items": {"type": ["string", "number", "boolean"]},
    }
    Variable {"type": ["string", "number", "boolean", "null"]}
    WrittenPath {"type": "string", "minLength": 1}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_climbs_out_by_its_words() {
        for (path, out) in
            [("a/../b", false), ("./a", false), ("../a", true), ("a/../../b", true), ("a/..", false)]
        {
            assert_eq!(WrittenPath(path.to_owned()).climbs_out(), out, "{path}");
        }
    }
}
