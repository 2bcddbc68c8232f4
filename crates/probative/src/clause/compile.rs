//! A tree of `must`, `can` and `cannot`, compiled to rows.

use std::fmt::Write as _;

use super::{Asks, Clause};
use crate::document::{Content, Document, Member, Node, nearest};
use crate::value::{excerpt, visible};
use crate::verdict::Error;

pub(crate) const GROUPS: [&str; 3] = ["must", "can", "cannot"];

/// The key beside a group or an assertion with which the author names it. No assertion and no operator is called this.
pub(crate) const LABEL: &str = "name";

/// What it takes, as schemas describe it.
pub(crate) const LABEL_ABOUT: &str = "Name of this group or assertion, shown as the headline when it fails.";

/// What the leaves of a tree are, and what its groups hand down to them.
pub(crate) trait Grammar {
    /// A compiled leaf.
    type Leaf;
    /// What a leaf is asked of.
    type Target: Clone;

    /// Reads the `target` of a group, or says what is wrong with it.
    fn target(&self, written: &Node) -> Result<Self::Target, String>;

    /// Compiles one value of an operator. `at` is the path of the leaf.
    fn leaf(
        &self,
        operator: &Member,
        value: &Node,
        at: &str,
        target: &Self::Target,
    ) -> Result<Self::Leaf, Error>;

    /// Whether a key stands beside the outermost group and is no part of the tree.
    fn is_aside(&self, _member: &Member) -> bool {
        false
    }

    /// Why a word cannot be an operator, where there is more to say than that it is unknown.
    fn refuses(&self, _operator: &Member) -> Option<String> {
        None
    }
}

/// Whether members are those of a group.
pub(crate) fn is_group(members: &[Member]) -> bool {
    members.iter().any(|member| GROUPS.contains(&member.key.as_str()))
}

/// Whether a node is a group.
pub(crate) fn has_group(node: &Node) -> bool {
    matches!(&node.content, Content::Map(members) if is_group(members))
}

/// What other tools call groups, and what they are called here.
const OTHER_NAMES: [(&str, &str); 12] = [
    ("must_not", "cannot"),
    ("should_not", "cannot"),
    ("not", "cannot"),
    ("none", "cannot"),
    ("none_of", "cannot"),
    ("should", "must"),
    ("all", "must"),
    ("all_of", "must"),
    ("expect", "must"),
    ("any", "can"),
    ("any_of", "can"),
    ("or", "can"),
];

/// Returns the key of a group that has a target and a list, but not the name of a group, with the name that is meant.
fn meant_as_group(members: &[Member]) -> Option<(&Member, &'static str)> {
    members.iter().find(|member| member.key == "target")?;
    members.iter().find_map(|member| {
        let other = || OTHER_NAMES.into_iter().find(|(name, _)| *name == member.key).map(|(_, group)| group);
        let is_list = matches!(member.value.content, Content::List(_));
        let group = other().filter(|_| is_list).or_else(|| nearest(&member.key, GROUPS.into_iter()))?;
        Some((member, group))
    })
}

/// Compiles trees of one document and one grammar.
pub(crate) struct Tree<'d, G> {
    pub(crate) document: &'d Document,
    pub(crate) grammar: G,
}

impl<G: Grammar> Tree<'_, G> {
    /// Nodes that must all hold.
    pub(crate) fn nodes(&self, items: &[Node], path: &str, target: &G::Target) -> Vec<Clause<G::Leaf>> {
        let mut clauses = Vec::new();
        for (index, item) in items.iter().enumerate() {
            self.node(item, &indexed(path, index), target, &mut clauses);
        }
        clauses
    }

    /// A group or a leaf of a tree. What must all hold is asked row by row.
    pub(crate) fn node(
        &self,
        node: &Node,
        path: &str,
        target: &G::Target,
        clauses: &mut Vec<Clause<G::Leaf>>,
    ) {
        match &node.content {
            Content::Map(members) if is_group(members) => match self.group(members, path, target) {
                Clause { asks: Ok(Asks::All(mut inner)), label, .. } => {
                    call(&mut inner, label.as_ref());
                    if clauses.is_empty() { *clauses = inner } else { clauses.extend(inner) }
                }
                // Most have one group, and a row is large.
                clause if clauses.is_empty() => *clauses = vec![clause],
                clause => clauses.push(clause),
            },
            Content::Map(members) if !members.is_empty() => {
                if let Some((member, group)) = meant_as_group(members) {
                    let message = format!("unknown key '{}'; did you mean '{group}'?", visible(&member.key));
                    clauses.push(self.malformed(member, join(path, &member.key), message));
                } else {
                    let before = clauses.len();
                    for member in members.iter().filter(|member| member.key != LABEL) {
                        let mut rows = self.leaf(member, path, target);
                        if clauses.is_empty() { *clauses = rows } else { clauses.append(&mut rows) }
                    }
                    if clauses.len() == before {
                        let message =
                            format!("'{LABEL}' names nothing: add an assertion or a group next to it");
                        clauses.push(self.malformed(&members[0], join(path, LABEL), message));
                    }
                    match self.label(members, path) {
                        Ok(label) => call(&mut clauses[before..], label.as_ref()),
                        Err(malformed) => clauses.push(*malformed),
                    }
                }
            }
            Content::Map(_) => {
                clauses.push(self.malformed_node(
                    node,
                    path.to_owned(),
                    "empty assertion: expected an operator with a list of values",
                ));
            }
            _ => {
                let message = format!("expected a group or an assertion, found {}", node.kind_name());
                clauses.push(self.malformed_node(node, path.to_owned(), message));
            }
        }
    }

    /// `must`, `can` or `cannot` with its list, or the row that says what is wrong with it.
    fn group(&self, members: &[Member], path: &str, inherited: &G::Target) -> Clause<G::Leaf> {
        let (mut group, mut target) = (None, inherited.clone());
        let label = match self.label(members, path) {
            Ok(label) => label,
            Err(malformed) => return *malformed,
        };
        for member in members {
            let here = join(path, &member.key);
            match member.key.as_str() {
                _ if path.is_empty() && self.grammar.is_aside(member) => {}
                LABEL => {}
                "target" => match self.grammar.target(&member.value) {
                    Ok(written) => target = written,
                    Err(message) => return self.malformed_node(&member.value, here, message),
                },
                key if GROUPS.contains(&key) && group.is_some() => {
                    return self.malformed(member, here, "a group takes exactly one of must, can and cannot");
                }
                key if GROUPS.contains(&key) => group = Some(member),
                key => {
                    let hint = nearest(key, GROUPS.into_iter().chain(["target", LABEL]));
                    let hint = hint.map_or(
                        "next to must, can or cannot, a group takes only 'target' and 'name'".to_owned(),
                        |hint| format!("did you mean '{hint}'?"),
                    );
                    return self.malformed(member, here, format!("unknown key '{}'; {hint}", visible(key)));
                }
            }
        }
        // Only called for members that hold a group.
        let Some(group) = group else { return self.malformed(&members[0], path.to_owned(), "no group") };
        let here = join(path, &group.key);
        let branches = match &group.value.content {
            Content::List(items) if items.is_empty() => {
                return self.malformed(group, here, format!("'{}' must not be empty", group.key));
            }
            Content::List(items) => items,
            _ => {
                let message = format!("'{}' takes a list, not {}", group.key, group.value.kind_name());
                return self.malformed_node(&group.value, here, message);
            }
        };
        let asks = match group.key.as_str() {
            "must" => Asks::All(self.nodes(branches, &here, &target)),
            "can" => Asks::Any(self.branches(branches, &here, &target)),
            _ => Asks::None(self.branches(branches, &here, &target)),
        };
        Clause { label, ..self.clause(group, here, Ok(asks)) }
    }

    /// The name that the author gave a group or an assertion, or the row that reports an invalid one.
    pub(crate) fn label(
        &self,
        members: &[Member],
        path: &str,
    ) -> Result<Option<String>, Box<Clause<G::Leaf>>> {
        let Some(member) = members.iter().find(|member| member.key == LABEL) else { return Ok(None) };
        let found = match member.value.as_str().map(str::trim) {
            None => member.value.kind_name(),
            Some("") => {
                let message = format!("'{LABEL}' must not be empty");
                return Err(Box::new(self.malformed_node(&member.value, join(path, LABEL), message)));
            }
            Some(text) => return Ok(Some(visible(text).into_owned())),
        };
        let message = format!("expected a string, found {found}");
        Err(Box::new(self.malformed_node(&member.value, join(path, LABEL), message)))
    }

    /// The branches of `can` and `cannot`: each is one row, however many assertions it holds.
    fn branches(&self, items: &[Node], path: &str, target: &G::Target) -> Vec<Clause<G::Leaf>> {
        let branch = |(index, item): (usize, &Node)| {
            let mut rows = Vec::new();
            let here = indexed(path, index);
            self.node(item, &here, target, &mut rows);
            if rows.len() == 1 {
                return rows.remove(0);
            }
            let place = self.document.place(Some(item.span.clone()));
            let label =
                item.get(LABEL).and_then(Node::as_str).map(|label| visible(label.trim()).into_owned());
            let (name, argument) = ("must".to_owned(), String::new());
            Clause { name, label, argument, path: here, place, asks: Ok(Asks::All(rows)) }
        };
        items.iter().enumerate().map(branch).collect()
    }

    /// One operator of a leaf with its list of values, each asked on its own.
    fn leaf(&self, member: &Member, path: &str, target: &G::Target) -> Vec<Clause<G::Leaf>> {
        let here = join(path, &member.key);
        if member.key == "target" {
            return vec![self.malformed(
                member,
                here,
                "leaf assertion must not include key: target; put it on the group around the leaf",
            )];
        }
        if let Some(message) = self.grammar.refuses(member) {
            return vec![self.malformed(member, here, message)];
        }
        match &member.value.content {
            Content::List(values) if values.is_empty() => {
                vec![self.malformed(
                    member,
                    here,
                    format!("'{}' needs at least one value", visible(&member.key)),
                )]
            }
            Content::List(values) => {
                let asked = values.iter().enumerate().map(|(index, value)| {
                    let leaf = self.grammar.leaf(member, value, path, target);
                    let clause = self.clause(member, indexed(&here, index), leaf.map(Asks::One));
                    Clause { argument: shown(value), ..clause }
                });
                asked.collect()
            }
            _ => {
                let found = member.value.kind_name();
                let hint = match nearest(&member.key, [LABEL, "target"].into_iter()) {
                    Some(meant) => format!("; did you mean '{meant}'?"),
                    None => as_list(&member.key, &member.value),
                };
                let key = visible(&member.key);
                let message = format!("'{key}' takes a list of values here, not {found}{hint}");
                vec![self.malformed_node(&member.value, here, message)]
            }
        }
    }

    /// The row of a key.
    pub(crate) fn clause<L>(&self, member: &Member, path: String, asks: Result<Asks<L>, Error>) -> Clause<L> {
        let place = self.document.place(Some(member.key_span.clone()));
        let name = visible(&member.key).into_owned();
        Clause { name, label: None, argument: String::new(), path, place, asks }
    }

    /// The row of a key that is written wrongly.
    pub(crate) fn malformed<L>(
        &self,
        member: &Member,
        path: String,
        message: impl Into<String>,
    ) -> Clause<L> {
        self.clause(member, path, Err(self.document.malformed(message, member.key_span.clone())))
    }

    /// The row of a part that is written wrongly.
    pub(crate) fn malformed_node<L>(
        &self,
        node: &Node,
        path: String,
        message: impl Into<String>,
    ) -> Clause<L> {
        let error = self.document.malformed(format!("{path}: {}", message.into()), node.span.clone());
        let place = self.document.place(Some(node.span.clone()));
        Clause { name: path.clone(), label: None, argument: String::new(), path, place, asks: Err(error) }
    }
}

/// Names rows that have no name of their own.
pub(crate) fn call<L>(clauses: &mut [Clause<L>], label: Option<&String>) {
    for clause in clauses.iter_mut().filter(|clause| clause.label.is_none()) {
        clause.label = label.cloned();
    }
}

/// An argument as messages show it. What is nested too deep for data is left out.
fn shown(value: &Node) -> String {
    if value.is_deep() { String::new() } else { excerpt(&value.to_value()) }
}

/// Spells out a value as the list that a leaf takes, if it is short.
fn as_list(key: &str, value: &Node) -> String {
    /// One line of a terminal, with the message before it.
    const LONGEST: usize = 60;
    if value.is_deep() {
        return String::new();
    }
    let written = visible(&value.to_value().to_string()).into_owned();
    if written.len() > LONGEST { String::new() } else { format!("; write {}: [{written}]", visible(key)) }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { [path, ".", key].concat() }
}

fn indexed(path: &str, index: usize) -> String {
    let mut indexed = String::with_capacity(path.len() + 8);
    indexed.push_str(path);
    // Writing to a text does not fail.
    let _ = write!(indexed, "[{index}]");
    indexed
}

#[cfg(test)]
mod tests {
    use super::{GROUPS, LABEL};
    use crate::spec::Operator;
    use crate::vocabularies::About;

    #[test]
    fn no_assertion_is_called_like_a_key_of_a_group() {
        for key in GROUPS.into_iter().chain(["target", LABEL]) {
            assert!(About::ALL.iter().all(|about| !about.knows(key)), "{key}");
            assert!(Operator::ALL.into_iter().all(|operator| operator.name() != key), "{key}");
        }
    }
}
