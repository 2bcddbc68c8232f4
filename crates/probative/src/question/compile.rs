//! A document, compiled to the clauses of a question.

use std::marker::PhantomData;

use serde::Deserialize as _;

use super::Clause;
use crate::clause::{Asks, GROUPS, Grammar, LABEL, Tree, call, has_group, is_group};
use crate::document::{Content, Document, Member, Node, nearest};
use crate::value::visible;
use crate::verdict::Error;
use crate::vocabulary::Vocabulary;

/// What a document says.
pub(super) struct Compiled<A: Vocabulary> {
    pub(super) setting: A::Setting,
    pub(super) clauses: Vec<Clause<A>>,
}

/// The keys that stand where an assertion may stand.
pub(crate) fn words(node: &Node) -> Vec<&Member> {
    match &node.content {
        Content::Scalar(_) | Content::Deep(_) => Vec::new(),
        Content::List(items) => items.iter().flat_map(words).collect(),
        Content::Map(members) => members
            .iter()
            .flat_map(|member| match member.key.as_str() {
                key if GROUPS.contains(&key) => words(&member.value),
                "target" | LABEL => Vec::new(),
                _ => vec![member],
            })
            .collect(),
    }
}

pub(super) fn compile<A: Vocabulary>(document: &Document, root: &Node) -> Result<Compiled<A>, Error> {
    let mut clauses = clauses(document, root)?;
    let mut setting = A::Setting::default();
    if let Some(member) = written_setting::<A>(root) {
        match A::Setting::deserialize(&member.value) {
            Ok(written) => setting = written,
            Err(mistake) => {
                let mistake = mistake.within(&member.value.span).under(&member.key).in_vocabulary(&[]);
                let error = Err(document.error(mistake));
                clauses.insert(0, tree::<A>(document).clause(member, member.key.clone(), error));
            }
        }
    }
    Ok(Compiled { setting, clauses })
}

/// The setting of a question: a member of the root, or an item of its list that holds nothing else.
fn written_setting<A: Vocabulary>(root: &Node) -> Option<&Member> {
    match &root.content {
        Content::Scalar(_) | Content::Deep(_) => None,
        Content::Map(members) => members.iter().find(|member| is_setting::<A>(member)),
        Content::List(items) => items.iter().find_map(only_setting::<A>),
    }
}

fn is_setting<A: Vocabulary>(member: &Member) -> bool {
    A::SETTING == Some(member.key.as_str())
}

fn only_setting<A: Vocabulary>(item: &Node) -> Option<&Member> {
    match &item.content {
        Content::Map(members) => match members.as_slice() {
            [member] if is_setting::<A>(member) => Some(member),
            _ => None,
        },
        _ => None,
    }
}

/// The rows that a node asks.
pub(crate) fn clauses<A: Vocabulary>(document: &Document, root: &Node) -> Result<Vec<Clause<A>>, Error> {
    let compiler = tree::<A>(document);
    match &root.content {
        Content::Map(members) if is_group(members) => {
            let mut clauses = Vec::new();
            compiler.node(root, "", &(), &mut clauses);
            Ok(clauses)
        }
        Content::Map(members) => Ok(compiler.expect(members.iter(), "")),
        Content::List(items) if items.iter().any(has_group) => Ok(compiler.outermost(items)),
        Content::List(items) => Ok(compiler.one_key_objects(items)),
        Content::Scalar(value) if value.is_null() => {
            Err(document.malformed("the question is empty", root.span.clone()))
        }
        Content::Scalar(_) | Content::Deep(_) => {
            let shapes = "an object of assertions, a list of one-key objects, or a must/can/cannot tree";
            Err(document
                .malformed(format!("expected {shapes}, found {}", root.kind_name()), root.span.clone()))
        }
    }
}

/// The words of a vocabulary as the leaves of a tree.
struct Words<'d, A> {
    document: &'d Document,
    vocabulary: PhantomData<A>,
}

fn tree<A: Vocabulary>(document: &Document) -> Tree<'_, Words<'_, A>> {
    Tree { document, grammar: Words { document, vocabulary: PhantomData } }
}

impl<A: Vocabulary> Grammar for Words<'_, A> {
    type Leaf = A;
    /// All leaves are asked of the one subject.
    type Target = ();

    fn target(&self, written: &Node) -> Result<(), String> {
        if written.to_value() == A::SUBJECT {
            Ok(())
        } else {
            let written = written.as_str().unwrap_or_default();
            Err(match nearest(written, std::iter::once(A::SUBJECT)) {
                Some(known) => format!("unknown target '{}'; did you mean '{known}'?", visible(written)),
                None => format!("these assertions have one target: '{}'", A::SUBJECT),
            })
        }
    }

    fn leaf(&self, word: &Member, argument: &Node, _: &str, (): &()) -> Result<A, Error> {
        word.read_with(argument).map_err(|mistake| self.document.error(mistake))
    }

    fn is_aside(&self, member: &Member) -> bool {
        is_setting::<A>(member)
    }

    fn refuses(&self, word: &Member) -> Option<String> {
        let key = word.key.as_str();
        if is_setting::<A>(word) {
            return Some(format!("'{key}' belongs at the top of the question"));
        }
        match key {
            "expect" => Some("remove the 'expect' key: the question is the object below it".to_owned()),
            LABEL => Some(
                "'name' belongs next to a group, or next to one assertion in a list; it can't name an object of assertions"
                    .to_owned(),
            ),
            _ => None,
        }
    }
}

impl<A: Vocabulary> Tree<'_, Words<'_, A>> {
    /// An object of assertions with plain arguments: name → argument.
    fn expect<'n>(&self, members: impl Iterator<Item = &'n Member>, prefix: &str) -> Vec<Clause<A>> {
        let asked = members.filter(|member| !(prefix.is_empty() && is_setting::<A>(member)));
        let (beside, named): (Vec<_>, Vec<_>) = asked.partition(|member| A::is_companion(&member.key));
        let mut clauses: Vec<Clause<A>> = named
            .iter()
            .map(|member| self.assertion(member, &member.value, format!("{prefix}{}", member.key)))
            .collect();
        for companion in beside {
            let value = companion.value.to_value();
            let is_attached = clauses.iter_mut().any(|clause| match &mut clause.asks {
                Ok(Asks::One(assertion)) => assertion.attach(&companion.key, &value),
                _ => false,
            });
            if !is_attached {
                let taker = A::COMPANIONS.iter().find(|(known, _)| *known == companion.key);
                let taker = taker.map_or("an assertion", |(_, taker)| taker);
                let message = format!("'{}' is only valid next to '{taker}'", companion.key);
                clauses.push(self.malformed(companion, format!("{prefix}{}", companion.key), message));
            }
        }
        clauses
    }

    /// A list of objects with one assertion each.
    fn one_key_objects(&self, items: &[Node]) -> Vec<Clause<A>> {
        let mut clauses = Vec::new();
        for (index, item) in self.asked(items, &mut clauses) {
            let mut asked = match &item.content {
                Content::Map(members) => {
                    let asserted = members.iter().filter(|member| member.key != LABEL);
                    self.expect(asserted, &format!("[{index}]."))
                }
                _ => Vec::new(),
            };
            if asked.len() == 1 {
                match self.label(item.members(), &format!("[{index}]")) {
                    Ok(label) => call(&mut asked, label.as_ref()),
                    Err(malformed) => asked.push(*malformed),
                }
                clauses.extend(asked);
            } else {
                let found = match &item.content {
                    Content::Map(_) if asked.is_empty() => "an empty object".to_owned(),
                    Content::Map(_) => format!("{} assertions", asked.len()),
                    _ => item.kind_name().to_owned(),
                };
                let message = format!("expected an object with one assertion, found {found}");
                clauses.push(self.malformed_node(item, format!("[{index}]"), message));
            }
        }
        clauses
    }

    /// The items of the outermost list without the setting, which may stand among them once.
    fn asked<'n>(&self, items: &'n [Node], clauses: &mut Vec<Clause<A>>) -> Vec<(usize, &'n Node)> {
        let (settings, asked): (Vec<_>, Vec<_>) =
            items.iter().enumerate().partition(|(_, item)| only_setting::<A>(item).is_some());
        for (index, member) in
            settings.iter().skip(1).filter_map(|(index, item)| Some((index, only_setting::<A>(item)?)))
        {
            let message = format!("duplicate '{}'", member.key);
            clauses.push(self.malformed(member, format!("[{index}].{}", member.key), message));
        }
        asked
    }

    /// The nodes of the outermost list.
    fn outermost(&self, items: &[Node]) -> Vec<Clause<A>> {
        let mut clauses = Vec::new();
        for (index, item) in self.asked(items, &mut clauses) {
            self.node(item, &format!("[{index}]"), &(), &mut clauses);
        }
        clauses
    }

    fn assertion(&self, member: &Member, argument: &Node, path: String) -> Clause<A> {
        if let Some(message) = self.grammar.refuses(member) {
            return self.malformed(member, path, message);
        }
        let assertion = self.grammar.leaf(member, argument, &path, &());
        self.clause(member, path, assertion.map(Asks::One))
    }
}
