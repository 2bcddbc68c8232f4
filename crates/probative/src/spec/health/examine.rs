//! Looking for assertions that say less than they seem to, in a case as it is written.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{Code, Finding};
use crate::clause::{GROUPS, LABEL};
use crate::document::{Content, Document, Node};
use crate::spec::operator::Operator;
use crate::value::excerpt::cut;
use crate::value::{Pattern, Value, canonical, excerpt};

/// The case that is looked at.
pub(in crate::spec) struct Examined<'a> {
    pub(in crate::spec) document: &'a Document,
    /// The whole case, for what concerns it as a whole.
    pub(in crate::spec) case: &'a Node,
    pub(in crate::spec) assert: Option<&'a Node>,
    /// Whether it asks for something beside its assertions: an exit code, or that claims hold.
    pub(in crate::spec) asks_otherwise: bool,
    /// The part of the document that holds the case, if it is about the document that it stands in.
    pub(in crate::spec) own_part: Option<Range<usize>>,
}

impl Examined<'_> {
    /// What is the matter with its assertions, in the order written.
    pub(in crate::spec) fn findings(&self) -> Vec<Finding> {
        let mut walk = Walk { examined: self, findings: Vec::new(), musts: Vec::new(), cannots: Vec::new() };
        match self.assert.map(|assert| (assert, &assert.content)) {
            Some((_, Content::List(items))) => walk.branches(items, "assert", None, Under::Must),
            Some((assert, _)) => walk.node(assert, "assert", None, Under::Must),
            None => {}
        }
        if walk.musts.is_empty() && walk.cannots.is_empty() && !walk.asks_something(self.assert) {
            walk.nothing();
        }
        walk.contradictions();
        let mut findings = walk.findings;
        findings.sort_by_key(|finding| finding.place.span.as_ref().map_or(0, |span| span.start));
        findings
    }
}

/// What stands around a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Under {
    /// Nothing but groups whose members must all hold.
    Must,
    /// A `cannot` inside such groups, directly.
    Cannot,
    /// Something else.
    Other,
    /// A `cannot` inside something else, directly.
    OtherCannot,
}

/// One value of one operator, as it is asked.
struct Asked<'n> {
    target: Option<&'n str>,
    operator: &'n str,
    value: Value,
    path: String,
    span: Range<usize>,
}

impl Asked<'_> {
    /// What two that ask the same have in common.
    fn key(&self) -> (Option<&str>, &str, String) {
        (self.target, self.operator, canonical(&self.value))
    }
}

/// A branch without the names of its groups and assertions: those change nothing about what it asks.
fn unlabelled(mut branch: Value) -> Value {
    if let Value::Object(members) = &mut branch {
        members.shift_remove(LABEL);
        for group in GROUPS {
            if let Some(Value::Array(items)) = members.get_mut(group) {
                *items = std::mem::take(items).into_iter().map(unlabelled).collect();
            }
        }
    }
    branch
}

struct Walk<'a, 'n> {
    examined: &'a Examined<'n>,
    findings: Vec<Finding>,
    musts: Vec<Asked<'n>>,
    cannots: Vec<Asked<'n>>,
}

impl<'n> Walk<'_, 'n> {
    fn branches(&mut self, items: &'n [Node], path: &str, target: Option<&'n str>, under: Under) {
        let mut seen = BTreeMap::new();
        for (index, item) in items.iter().enumerate() {
            let here = format!("{path}[{index}]");
            let first = *seen.entry(canonical(&unlabelled(item.to_value()))).or_insert(index);
            if first != index {
                self.find(Code::RedundantBranch, &here, format!("duplicate of {path}[{first}]"), &item.span);
            }
            self.node(item, &here, target, under);
        }
    }

    fn node(&mut self, node: &'n Node, path: &str, target: Option<&'n str>, under: Under) {
        let group = node.members().iter().find(|member| GROUPS.contains(&member.key.as_str()));
        let Some(group) = group else { return self.leaf(node, path, target, under) };
        let target = node.get("target").and_then(Node::as_str).or(target);
        let Content::List(items) = &group.value.content else { return };
        let inner = match (group.key.as_str(), under) {
            ("must", Under::Must) => Under::Must,
            ("cannot", Under::Must) => Under::Cannot,
            ("cannot", _) => Under::OtherCannot,
            _ => Under::Other,
        };
        self.branches(items, &format!("{path}.{}", group.key), target, inner);
    }

    fn leaf(&mut self, node: &'n Node, path: &str, target: Option<&'n str>, under: Under) {
        let mut values = Vec::new();
        for member in node.members() {
            let Content::List(items) = &member.value.content else { continue };
            self.values(&member.key, items, path);
            values.extend(items.iter().map(|item| Asked {
                target,
                operator: &member.key,
                value: item.to_value(),
                path: path.to_owned(),
                span: item.span.clone(),
            }));
        }
        let several = values.len() > 1;
        if several && matches!(under, Under::Cannot | Under::OtherCannot) {
            let message = format!(
                "fails only if all {} values occur, not if just one does; give each value its own assertion",
                values.len()
            );
            self.find(Code::CannotOfSeveral, path, message, &node.span);
        }
        match under {
            Under::Must => self.musts.append(&mut values),
            Under::Cannot if !several => self.cannots.append(&mut values),
            Under::Cannot | Under::OtherCannot | Under::Other => {}
        }
    }

    /// The values of one operator.
    fn values(&mut self, operator: &str, values: &[Node], path: &str) {
        let mut seen = BTreeSet::new();
        for node in values {
            let value = node.to_value();
            if !seen.insert(canonical(&value)) {
                self.find(
                    Code::DuplicateValue,
                    path,
                    format!("{} is listed twice in '{operator}'", excerpt(&value)),
                    &node.span,
                );
            }
            match (Operator::named(operator), value.as_str()) {
                (Some(Operator::Contain), Some(text)) => self.contain(text, path, &node.span),
                (Some(Operator::Regex), Some(pattern)) => self.regex(pattern, path, &node.span),
                (Some(Operator::Evaluate), _) => self.evaluate(&value, path, &node.span),
                _ => {}
            }
        }
    }

    fn contain(&mut self, text: &str, path: &str, span: &Range<usize>) {
        if text.is_empty() {
            return self.find(Code::EmptyContain, path, "every string contains ''".to_owned(), span);
        }
        let Some(fence) = &self.examined.own_part else { return };
        let mut found = self.examined.document.text.match_indices(text).peekable();
        let is_found = found.peek().is_some();
        if is_found && found.all(|(at, _)| fence.contains(&at)) {
            let message = format!("'{}' occurs only in the case itself", cut(text));
            self.find(Code::OwnFence, path, message, span);
        }
    }

    fn regex(&mut self, written: &str, path: &str, span: &Range<usize>) {
        let Ok(pattern) = Pattern::parse(written) else { return };
        if pattern.matches_every_text() {
            self.find(Code::AlwaysTrue, path, format!("every string matches '{}'", cut(written)), span);
        }
        let unportable = pattern.unportable();
        if let Some(first) = unportable.first() {
            let message = format!(
                "{} at position {} of '{}' may not work in other regex engines",
                first.what,
                first.at,
                cut(written)
            );
            self.find(Code::Unportable, path, message, span);
        }
    }

    /// The patterns inside an expression.
    fn evaluate(&mut self, expression: &Value, path: &str, span: &Range<usize>) {
        let Value::Array(parts) = expression else { return };
        if let [Value::String(symbol), .., Value::String(pattern)] = parts.as_slice()
            && symbol == "regex_match"
        {
            self.regex(pattern, path, span);
        }
        for part in parts {
            self.evaluate(part, path, span);
        }
    }

    fn contradictions(&mut self) {
        let musts = std::mem::take(&mut self.musts);
        let musts: BTreeMap<_, _> = musts.iter().map(|must| (must.key(), must)).collect();
        for cannot in std::mem::take(&mut self.cannots) {
            if let Some(must) = musts.get(&cannot.key()) {
                let message =
                    format!("{} is forbidden here, but required at {}", excerpt(&cannot.value), must.path);
                self.find(Code::Contradiction, &cannot.path, message, &cannot.span);
            }
        }
    }

    /// Whether there is anything but empty lists under `assert`.
    fn asks_something(&self, assert: Option<&Node>) -> bool {
        self.examined.asks_otherwise
            || assert.is_some_and(|assert| match &assert.content {
                Content::List(items) => !items.is_empty(),
                Content::Map(_) => true,
                Content::Scalar(_) | Content::Deep(_) => false,
            })
    }

    fn nothing(&mut self) {
        let Examined { case, assert, .. } = self.examined;
        self.findings.push(Finding::nothing(self.examined.document, assert.unwrap_or(case), "assert"));
    }

    fn find(&mut self, code: Code, path: &str, message: String, span: &Range<usize>) {
        let place = self.examined.document.place(Some(span.clone()));
        self.findings.push(Finding { code, path: path.to_owned(), message, place });
    }
}
