//! The variables that a document sets, found whatever else is wrong in it: for whoever hides their values.

use serde::Deserialize as _;

use super::types::Variable;
use crate::document::{Content, Node};

/// The key under which variables are set.
const ENV: &str = "env";

/// So much of a line is looked at for a value.
const LONGEST_VALUE: usize = 4 << 10;

/// What stands under every key `env`, by name. Of a value that should not be a list or an object, all that is in it.
pub fn of_tree(tree: &Node) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut nodes = vec![tree];
    while let Some(node) = nodes.pop() {
        push_below(node, &mut nodes);
        for member in node.members().iter().filter(|member| member.key == ENV) {
            for variable in member.value.members() {
                found.extend(texts(&variable.value).map(|value| (variable.key.clone(), value)));
            }
        }
    }
    found
}

/// The texts and numbers in a part of a document.
fn texts(node: &Node) -> impl Iterator<Item = String> {
    let (mut nodes, mut found) = (vec![node], Vec::new());
    while let Some(node) = nodes.pop() {
        push_below(node, &mut nodes);
        found.extend(Variable::deserialize(node).ok().and_then(|Variable(value)| value));
    }
    found.into_iter()
}

fn push_below<'n>(node: &'n Node, nodes: &mut Vec<&'n Node>) {
    match &node.content {
        Content::Scalar(_) | Content::Deep(_) => {}
        Content::List(items) => nodes.extend(items),
        Content::Map(members) => nodes.extend(members.iter().map(|member| &member.value)),
    }
}

/// What looks as if it set a variable of such a name, in a text that is no document: `NAME: value`, `NAME = "value"`.
///
/// A value without quotes ends with the line or before a comment; behind an open brace also before a comma or another bracket.
pub fn of_text(text: &str, is_meant: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for line in text.lines() {
        let brace = line.find('{').unwrap_or(line.len());
        for (at, _) in line.match_indices([':', '=']) {
            let name = name_before(&line[..at]);
            let ends: &[&str] = if brace < at { &[" #", ",", "}", "]"] } else { &[" #"] };
            if !name.is_empty() && is_meant(name) {
                let behind = line[at + 1..].trim_start();
                let behind = &behind[..behind.floor_char_boundary(LONGEST_VALUE)];
                found.push((name.to_owned(), value_in(behind, ends).to_owned()));
            }
        }
    }
    found
}

/// The name that a text ends with, be it quoted or not.
fn name_before(text: &str) -> &str {
    let text = text.trim_end().trim_end_matches(['"', '\'']);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = text.bytes().rev().take_while(is_name).count();
    &text[text.len() - length..]
}

/// The value that a text begins with; without quotes it ends where one of `ends` stands.
fn value_in<'t>(text: &'t str, ends: &[&str]) -> &'t str {
    if let Some(quote) = text.chars().next().filter(|first| matches!(first, '"' | '\'')) {
        let quoted = &text[1..];
        let is_end = |(at, _): &(usize, &str)| quote == '\'' || !quoted[..*at].ends_with('\\');
        let end = quoted.match_indices(quote).find(is_end);
        return &quoted[..end.map_or(quoted.len(), |(at, _)| at)];
    }
    let end = ends.iter().filter_map(|end| text.find(end)).min();
    text[..end.unwrap_or(text.len())].trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Notation;

    #[test]
    fn every_env_of_a_tree_is_found() {
        let yaml = "a: {env: {X_KEY: one, Y_KEY: [two, {a: 3}], Z: null}}\nb: [{env: {W: true}}]\nenv: no\n";
        let mut found = of_tree(&Notation::Yaml.read(yaml).unwrap());
        found.sort();
        let expected = [("W", "true"), ("X_KEY", "one"), ("Y_KEY", "3"), ("Y_KEY", "two")];
        assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    #[test]
    fn what_looks_like_a_variable_is_found_in_any_text() {
        for (text, expected) in [
            ("A_KEY: a, b}", Some("a, b}")),
            ("  env: {A_KEY: abc, b: c}", Some("abc")),
            ("A_KEY = \"a\\\"b, c\" # x", Some("a\\\"b, c")),
            ("env = { A_KEY='abc' }", Some("abc")),
            ("\"A_KEY\": \"ab", Some("ab")),
            ("A_KEY=a:b # x", Some("a:b")),
            ("A_KEY:", Some("")),
            ("B_KEY: abc", None),
            ("ä: ö = A_KEY", None),
        ] {
            let found = of_text(text, |name| name == "A_KEY");
            assert_eq!(found.first().map(|(_, value)| value.as_str()), expected, "{text}");
        }
    }
}
