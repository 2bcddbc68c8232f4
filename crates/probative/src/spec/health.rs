//! Assertion health: assertions that say less than they seem to.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

use serde::Deserialize;

use super::operator::Operator;
use crate::clause::GROUPS;
use crate::document::{Content, Document, Node};
use crate::value::excerpt::cut;
use crate::value::{Pattern, Value, canonical, excerpt};
use crate::verdict::Place;

/// What is done about findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Nothing.
    #[default]
    Ignore,
    /// They are told.
    Warn,
    /// They fail the case.
    Error,
}

impl Mode {
    /// All modes.
    pub const ALL: [Mode; 3] = [Mode::Ignore, Mode::Warn, Mode::Error];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Ignore => "ignore",
            Mode::Warn => "warn",
            Mode::Error => "error",
        }
    }

    /// The mode of a word.
    pub fn named(word: &str) -> Option<Mode> {
        Mode::ALL.into_iter().find(|mode| mode.name() == word)
    }
}

/// What was found, and what is done about it.
#[derive(Debug, Clone, Default)]
pub struct Health {
    /// What is done about it.
    pub mode: Mode,
    /// What was found, in the order written. Nothing is looked for where findings are ignored.
    pub findings: Vec<Finding>,
}

/// An assertion that says less than it seems to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What is the matter.
    pub code: Code,
    /// Where in the case: `assert[0].must[0]`.
    pub path: String,
    /// What is the matter here, in words.
    pub message: String,
    /// Where in the file.
    pub place: Place,
}

/// `AH001 at assert[0].must[0]: …`
impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} at {}: {}", self.code.name(), self.path, self.message)
    }
}

/// What can be the matter with an assertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// `contain` of the empty text.
    EmptyContain,
    /// A regex that every text matches.
    AlwaysTrue,
    /// The same value twice in one operator.
    DuplicateValue,
    /// The same branch twice in one group.
    RedundantBranch,
    /// A regex that not every engine reads the same way.
    Unportable,
    /// The same leaf under must and cannot.
    Contradiction,
    /// A case that asserts nothing.
    Nothing,
    /// Several values in one leaf under cannot.
    CannotOfSeveral,
    /// A text that is found in the case's own fence only.
    OwnFence,
}

impl Code {
    /// All of them.
    pub const ALL: [Code; 9] = [
        Code::EmptyContain,
        Code::AlwaysTrue,
        Code::DuplicateValue,
        Code::RedundantBranch,
        Code::Unportable,
        Code::Contradiction,
        Code::Nothing,
        Code::CannotOfSeveral,
        Code::OwnFence,
    ];

    /// Its number: `AH001`.
    pub fn name(self) -> &'static str {
        match self {
            Code::EmptyContain => "AH001",
            Code::AlwaysTrue => "AH002",
            Code::DuplicateValue => "AH003",
            Code::RedundantBranch => "AH004",
            Code::Unportable => "AH005",
            Code::Contradiction => "AH006",
            Code::Nothing => "AH007",
            Code::CannotOfSeveral => "AH008",
            Code::OwnFence => "AH009",
        }
    }

    /// What it means and what to do about it.
    pub fn about(self) -> &'static str {
        match self {
            Code::EmptyContain => "`contain: [\"\"]` holds of every text. Write what must be there.",
            Code::AlwaysTrue => {
                "The regex matches every text, the empty one included, so it holds whatever the subject is. Anchor it, or \
                 ask for at least one character."
            }
            Code::DuplicateValue => "The same value stands twice in one operator. Remove one.",
            Code::RedundantBranch => "The same branch stands twice in one group. Remove one.",
            Code::Unportable => {
                "The regex uses what not every engine reads the same way: lookbehind, named groups, backreferences, inline \
                 flags, conditionals, atomic groups, possessive quantifiers. Runners of other languages may refuse it."
            }
            Code::Contradiction => {
                "The same leaf stands under must and under cannot, so the case can never pass."
            }
            Code::Nothing => {
                "The case asserts nothing, so it passes whatever happens. Add an assertion, or write the exit_code that \
                 is meant."
            }
            Code::CannotOfSeveral => {
                "All values of a leaf must hold for it to hold, so under cannot it fails only if all of them occur. Give \
                 each value a leaf of its own."
            }
            Code::OwnFence => {
                "The case reads the document that it stands in, and what it looks for stands nowhere but in the case \
                 itself. Give a path, or write the text into the document."
            }
        }
    }
}

/// The case that is looked at.
pub(super) struct Examined<'a> {
    pub(super) document: &'a Document,
    /// The whole case, for what concerns it as a whole.
    pub(super) case: &'a Node,
    pub(super) assert: Option<&'a Node>,
    /// Whether it says with which exit code a command must end.
    pub(super) states_exit_code: bool,
    /// The fence of a case that is about the document that it stands in.
    pub(super) own_fence: Option<Range<usize>>,
}

impl Examined<'_> {
    /// What is the matter with its assertions, in the order written.
    pub(super) fn findings(&self) -> Vec<Finding> {
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
            let first = *seen.entry(canonical(&item.to_value())).or_insert(index);
            if first != index {
                self.find(Code::RedundantBranch, &here, format!("the same as {path}[{first}]"), &item.span);
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
            let message = format!("it fails only if all {} of them occur", values.len());
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
                    format!("{} stands twice in '{operator}'", excerpt(&value)),
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
            return self.find(Code::EmptyContain, path, "every text contains ''".to_owned(), span);
        }
        let Some(fence) = &self.examined.own_fence else { return };
        let mut found = self.examined.document.text.match_indices(text).peekable();
        let is_found = found.peek().is_some();
        if is_found && found.all(|(at, _)| fence.contains(&at)) {
            let message = format!("'{}' stands nowhere but in the case itself", cut(text));
            self.find(Code::OwnFence, path, message, span);
        }
    }

    fn regex(&mut self, written: &str, path: &str, span: &Range<usize>) {
        let Ok(pattern) = Pattern::parse(written) else { return };
        if pattern.matches_every_text() {
            self.find(Code::AlwaysTrue, path, format!("every text matches '{}'", cut(written)), span);
        }
        let unportable = pattern.unportable();
        if let Some(first) = unportable.first() {
            let message = format!("{} at position {} of '{}'", first.what, first.at, cut(written));
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
                let message = format!("{} must hold at {}", excerpt(&cannot.value), must.path);
                self.find(Code::Contradiction, &cannot.path, message, &cannot.span);
            }
        }
    }

    /// Whether there is anything but empty lists under `assert`.
    fn asks_something(&self, assert: Option<&Node>) -> bool {
        self.examined.states_exit_code
            || assert.is_some_and(|assert| match &assert.content {
                Content::List(items) => !items.is_empty(),
                Content::Map(_) => true,
                Content::Scalar(_) => false,
            })
    }

    fn nothing(&mut self) {
        let Examined { case, assert, .. } = self.examined;
        let span = assert.unwrap_or(case).span.clone();
        self.find(Code::Nothing, "assert", "the case asserts nothing".to_owned(), &span);
    }

    fn find(&mut self, code: Code, path: &str, message: String, span: &Range<usize>) {
        let place = self.examined.document.place(Some(span.clone()));
        self.findings.push(Finding { code, path: path.to_owned(), message, place });
    }
}
