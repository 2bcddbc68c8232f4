//! What people write for the judge — questions, later specs — as a tree in which every part knows its place.

mod deep;
mod fields;
mod json;
mod mistake;
mod read;
mod text;
mod toml;
mod yaml;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

pub use deep::Token;
pub(crate) use deep::{CLOSE, OPEN, TOKENS};
pub use fields::fields;
pub use mistake::{Mistake, nearest};
pub use read::read_entry;
pub use text::Text;

use crate::value::visible;
use crate::verdict::{Error, ErrorKind, Place};

const FEW_MEMBERS: usize = 16;

/// A written file: its name, its text, and where things stand in it.
#[derive(Debug, Clone)]
pub struct Document {
    /// The file as it was named.
    pub name: Arc<str>,
    /// What stands in it.
    pub text: Text,
    /// Where its lines start, once somebody has asked for a line.
    lines: OnceLock<Vec<usize>>,
}

/// How a document is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    /// RFC 8259.
    Json,
    /// YAML 1.2, core schema: one document, no tags, string keys; aliases are bounded.
    Yaml,
    /// TOML 1.0.
    Toml,
}

/// A part of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The bytes of the document that hold it.
    pub span: Range<usize>,
    /// What it is.
    pub content: Content,
}

/// What a part of a document is.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Null, a boolean, a number or a text.
    Scalar(Value),
    /// Items in order.
    List(Vec<Node>),
    /// Members in order, no key twice.
    Map(Vec<Member>),
    /// A list that is nested too deep for data, as tokens. Only an expression may be.
    Deep(Vec<Token>),
}

/// One key and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// The key, decoded.
    pub key: String,
    /// Where the key stands.
    pub key_span: Range<usize>,
    /// Its value.
    pub value: Node,
}

impl Document {
    /// A document. A byte order mark before it is no part of it.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<String>) -> Document {
        let text = text.into();
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
        Document { name: name.into(), text: text.into(), lines: OnceLock::new() }
    }

    /// How the document is written, by its name.
    ///
    /// A name that says nothing (`-`) is decided by the first character: JSON's objects and lists are JSON, all else
    /// is YAML.
    pub fn notation(&self) -> Notation {
        let extension = self.name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        match extension.as_deref() {
            Some("yaml" | "yml") => Notation::Yaml,
            Some("json") => Notation::Json,
            Some("toml") => Notation::Toml,
            _ if self.text.trim_start().starts_with(['{', '[']) => Notation::Json,
            _ => Notation::Yaml,
        }
    }

    /// The document as a tree. A key given twice is an error, as is anything after the one document.
    pub fn read(&self) -> Result<Node, Error> {
        self.notation().read(&self.text).map_err(|mistake| self.error(mistake))
    }

    /// The error that a mistake is, with its place in this document.
    pub fn error(&self, mistake: Mistake) -> Error {
        let place = self.place(mistake.span.clone());
        Error::at(mistake.into(), place)
    }

    /// An error of the asker at a place in this document.
    pub fn malformed(&self, message: impl Into<String>, span: Range<usize>) -> Error {
        Error::at(ErrorKind::MalformedQuestion(message.into()), self.place(Some(span)))
    }

    /// The place of some bytes of this document.
    pub fn place(&self, span: Option<Range<usize>>) -> Place {
        let position = span.as_ref().map(|span| self.position(span.start));
        Place {
            file: Arc::clone(&self.name),
            line: position.map(|at| at.0),
            column: position.map(|at| at.1),
            span,
        }
    }

    /// The whole lines that hold a part of the document; nothing, if it is no part of it.
    pub(crate) fn lines_of(&self, span: Range<usize>) -> &str {
        let (Some(before), Some(behind)) = (self.text.get(..span.start), self.text.get(span.end..)) else {
            return "";
        };
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let end = span.end + behind.find('\n').unwrap_or(behind.len());
        self.text.get(start..end).unwrap_or_default()
    }

    /// Line and column of a byte, both from 1, the column in characters.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let offset = self.text.floor_char_boundary(offset.min(self.text.len()));
        let line = self.lines().partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).map_or(0, |line| self.lines()[line]);
        (line, self.text[start..offset].chars().count() + 1)
    }

    /// Where the lines start; the first is there even if nothing stands in it.
    fn lines(&self) -> &[usize] {
        self.lines.get_or_init(|| {
            let breaks = memchr::memchr_iter(b'\n', self.text.as_bytes()).map(|at| at + 1);
            std::iter::once(0).chain(breaks).collect()
        })
    }
}

impl Notation {
    /// Reads a text that is written so. Places are those in the text. A `$schema` at the top is for editors, and left out.
    pub(crate) fn read(self, text: &str) -> Result<Node, Mistake> {
        let mut root = match self {
            Notation::Json => json::read(text),
            Notation::Yaml => yaml::read(text),
            Notation::Toml => toml::read(text),
        }?;
        if let Content::Map(members) = &mut root.content {
            members.retain(|member| member.key != "$schema" || member.value.as_str().is_none());
        }
        Ok(root)
    }
}

impl Node {
    /// The members of a mapping; of anything else none.
    pub fn members(&self) -> &[Member] {
        match &self.content {
            Content::Map(members) => members,
            Content::Scalar(_) | Content::List(_) | Content::Deep(_) => &[],
        }
    }

    /// The value behind a key of a mapping.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.members().iter().find(|member| member.key == key).map(|member| &member.value)
    }

    /// Lets go of what stands behind other keys of a mapping.
    pub(crate) fn keep(&mut self, is_kept: impl Fn(&str) -> bool) {
        if let Content::Map(members) = &mut self.content {
            members.retain(|member| is_kept(&member.key));
            members.shrink_to_fit();
        }
    }

    /// The text, of a node that is one.
    pub fn as_str(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar(scalar) => scalar.as_str(),
            Content::List(_) | Content::Map(_) | Content::Deep(_) => None,
        }
    }

    /// Returns true if a list in it is nested too deep for data.
    pub(crate) fn is_deep(&self) -> bool {
        match &self.content {
            Content::Scalar(_) => false,
            Content::List(items) => items.iter().any(Node::is_deep),
            Content::Map(members) => members.iter().any(|member| member.value.is_deep()),
            Content::Deep(_) => true,
        }
    }

    /// Moves every place in it by `moved`.
    pub(crate) fn relocate(&mut self, moved: &impl Fn(Range<usize>) -> Range<usize>) {
        self.span = moved(self.span.clone());
        match &mut self.content {
            Content::Scalar(_) => {}
            Content::List(items) => items.iter_mut().for_each(|item| item.relocate(moved)),
            Content::Deep(tokens) => {
                for token in tokens {
                    token.span = moved(token.span.clone());
                }
            }
            Content::Map(members) => {
                for member in members {
                    member.key_span = moved(member.key_span.clone());
                    member.value.relocate(moved);
                }
            }
        }
    }

    /// The plain value, without places. A list that is nested too deep for data is its JSON, as text.
    pub fn to_value(&self) -> Value {
        match &self.content {
            Content::Scalar(scalar) => scalar.clone(),
            Content::List(items) => items.iter().map(Node::to_value).collect(),
            Content::Deep(tokens) => deep::text(tokens).into(),
            Content::Map(members) => Value::Object(
                members.iter().map(|member| (member.key.clone(), member.value.to_value())).collect(),
            ),
        }
    }

    /// What the node is, for a message: `a string`, `a list`.
    pub fn kind_name(&self) -> &'static str {
        match &self.content {
            Content::Scalar(Value::Null) => "null",
            Content::Scalar(Value::Bool(_)) => "a boolean",
            Content::Scalar(Value::Number(_)) => "a number",
            Content::Scalar(_) => "a string",
            Content::List(_) | Content::Deep(_) => "a list",
            Content::Map(_) => "an object",
        }
    }
}

/// The key of a mapping that is written a second time, if one is.
fn repeated_key(members: &[Member]) -> Option<Mistake> {
    let mut seen = BTreeSet::new();
    let earlier = |at: usize| members[..at].iter().any(|earlier| earlier.key == members[at].key);
    let repeated = match members.len() {
        // Most have a few, which are looked through faster than they are sorted.
        ..FEW_MEMBERS => members.iter().enumerate().find(|(at, _)| earlier(*at))?.1,
        _ => members.iter().find(|member| !seen.insert(&member.key))?,
    };
    Some(Mistake::at(format!("duplicate key '{}'", visible(&repeated.key)), repeated.key_span.clone()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(name: &str, text: &str) -> Result<Value, String> {
        Document::new(name, text).read().map(|node| node.to_value()).map_err(|error| error.to_string())
    }

    #[test]
    fn json_and_yaml_give_the_same_tree() {
        let expected = json!({"status": "success", "n": [1, 2.5, null, true, "yes", "é\n"]});
        assert_eq!(
            read("q.json", r#"{"status": "success", "n": [1, 2.5, null, true, "yes", "\u00e9\n"]}"#).unwrap(),
            expected
        );
        assert_eq!(
            read("q.yaml", "status: success\nn: [1, 2.5, ~, true, yes, \"\\u00e9\\n\"]").unwrap(),
            expected
        );
        assert_eq!(
            read("-", "status: success\nn:\n- 1\n- 2.5\n-\n- true\n- yes\n- \"é\\n\"\n").unwrap(),
            expected
        );
    }

    #[test]
    fn a_number_has_one_text_in_json_and_yaml() {
        for number in ["0", "-0", "0.0", "-0.0", "-0e0", "-1", "1e2", "-9223372036854775808"] {
            let text = |name: &str| read(name, &format!("[{number}]")).unwrap().to_string();
            assert_eq!(text("q.yaml"), text("q.json"));
        }
    }

    #[test]
    fn yaml_is_the_core_schema() {
        let text = "[yes, on, 012, 0x1f, 0o17, +5, 1e3, .5, 18446744073709551615, 18446744073709551616, 2026-01-02, '5', 1_000]";
        let expected = json!([
            "yes",
            "on",
            12,
            31,
            15,
            5,
            1000.0,
            0.5,
            u64::MAX,
            18_446_744_073_709_551_616.0,
            "2026-01-02",
            "5",
            "1_000"
        ]);
        assert_eq!(read("q.yaml", text).unwrap(), expected);
    }

    #[test]
    fn a_repeated_key_is_an_error_with_its_place() {
        assert_eq!(read("q.json", "{\"a\": 1,\n \"a\": 2}").unwrap_err(), "q.json:2:2: duplicate key 'a'");
        assert_eq!(
            read("q.yaml", "é: 1\nb: {c: 1, é: 2, c: 3}\n").unwrap_err(),
            "q.yaml:2:17: duplicate key 'c'"
        );
    }

    #[test]
    fn what_is_not_a_document_has_a_place() {
        assert!(read("q.json", "{\"a\": 1,,}").unwrap_err().starts_with("q.json:1:9: "));
        assert!(read("q.json", "{\n  \"a\": {\"b\": [1, nope]}}").unwrap_err().starts_with("q.json:2:"));
        assert!(read("q.json", "").unwrap_err().starts_with("q.json:1:"));
        assert!(read("q.yaml", "a: [1, 2").unwrap_err().starts_with("q.yaml:1:"));
        assert_eq!(
            read("q.yaml", "a: 1\n---\nb: 2\n").unwrap_err(),
            "q.yaml:2:1: expected one YAML document, found another"
        );
        assert_eq!(read("q.yaml", "a: !!str 5").unwrap_err(), "q.yaml:1:10: YAML tags aren't supported");
        assert_eq!(
            read("q.yaml", "a: .inf").unwrap_err(),
            "q.yaml:1:4: '.inf' isn't a number that JSON can represent"
        );
        assert_eq!(read("q.yaml", "[1]: 2").unwrap_err(), "q.yaml:1:1: a key must be a string");
        assert_eq!(read("q.yaml", "# nothing\n").unwrap(), Value::Null);
    }

    #[test]
    fn aliases_are_followed_and_bounded() {
        assert_eq!(read("q.yaml", "a: &x [1, 2]\nb: *x").unwrap(), json!({"a": [1, 2], "b": [1, 2]}));
        let level = |level: usize| match level {
            0 => "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned(),
            _ => format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 10].join(", ")),
        };
        let bomb: String = (0..10).map(level).collect();
        assert!(read("q.yaml", &bomb).unwrap_err().contains("aliases expand to more than"));
    }

    #[test]
    fn hostile_nesting_is_an_error() {
        for (name, text) in [
            ("q.json", "[".repeat(100_000)),
            ("q.yaml", "[".repeat(100_000)),
            ("q.yaml", "- ".repeat(100_000)),
            ("q.yaml", "{a: ".repeat(100_000)),
            ("q.json", "{\"a\":".repeat(100_000)),
        ] {
            assert!(read(name, &text).is_err());
        }
    }

    #[test]
    fn the_schema_of_a_document_is_no_part_of_it() {
        let rest = json!({"a": {"$schema": "kept"}});
        assert_eq!(read("q.json", r#"{"$schema": "./s.json", "a": {"$schema": "kept"}}"#).unwrap(), rest);
        assert_eq!(read("q.yaml", "a: {$schema: kept}\n$schema: ./s.json\n").unwrap(), rest);
        assert_eq!(read("q.toml", "\"$schema\" = \"s\"\n[a]\n\"$schema\" = \"kept\"\n").unwrap(), rest);
        // It is an address: anything else is a key like any other.
        assert_eq!(read("q.json", r#"{"$schema": 1}"#).unwrap(), json!({"$schema": 1}));
    }

    #[test]
    fn columns_count_characters() {
        let document = Document::new("q.yaml", "é: x\nüü: y");
        assert_eq!(document.position(document.text.find('y').unwrap()), (2, 5));
        assert_eq!(document.position(10_000), (2, 6));
    }
}
