//! A document, compiled to the clauses of a question.

use serde::Deserialize as _;

use super::{Asks, Clause};
use crate::document::{Content, Document, Member, Node, nearest};
use crate::value::visible;
use crate::verdict::Error;
use crate::vocabulary::Vocabulary;

pub(super) const GROUPS: [&str; 3] = ["must", "can", "cannot"];

/// What a document says.
pub(super) struct Compiled<A: Vocabulary> {
    pub(super) setting: A::Setting,
    pub(super) clauses: Vec<Clause<A>>,
}

/// The keys that stand where an assertion may stand.
pub(crate) fn words(node: &Node) -> Vec<&Member> {
    match &node.content {
        Content::Scalar(_) => Vec::new(),
        Content::List(items) => items.iter().flat_map(words).collect(),
        Content::Map(members) => members
            .iter()
            .flat_map(|member| match member.key.as_str() {
                key if GROUPS.contains(&key) => words(&member.value),
                "target" => Vec::new(),
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
                clauses.insert(0, Compiler { document }.clause(member, member.key.clone(), error));
            }
        }
    }
    Ok(Compiled { setting, clauses })
}

/// The setting of a question: a member of the root, or an item of its list that holds nothing else.
fn written_setting<A: Vocabulary>(root: &Node) -> Option<&Member> {
    match &root.content {
        Content::Scalar(_) => None,
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

fn clauses<A: Vocabulary>(document: &Document, root: &Node) -> Result<Vec<Clause<A>>, Error> {
    let compiler = Compiler { document };
    match &root.content {
        Content::Map(members) if is_group(members) => {
            let mut clauses = Vec::new();
            compiler.node(root, "", &mut clauses);
            Ok(clauses)
        }
        Content::Map(members) => Ok(compiler.expect(members, "")),
        Content::List(items) if items.iter().any(has_group) => Ok(compiler.nodes(items, "")),
        Content::List(items) => Ok(compiler.one_key_objects(items)),
        Content::Scalar(value) if value.is_null() => {
            Err(document.malformed("an empty question", root.span.clone()))
        }
        Content::Scalar(_) => {
            let shapes = "an object of assertions, a list of one-key objects, or a must/can/cannot tree";
            Err(document
                .malformed(format!("a question is {shapes}, not {}", root.kind_name()), root.span.clone()))
        }
    }
}

fn is_group(members: &[Member]) -> bool {
    members.iter().any(|member| GROUPS.contains(&member.key.as_str()))
}

fn has_group(node: &Node) -> bool {
    matches!(&node.content, Content::Map(members) if is_group(members))
}

struct Compiler<'d> {
    document: &'d Document,
}

impl Compiler<'_> {
    /// An object of assertions with plain arguments: name → argument.
    fn expect<A: Vocabulary>(&self, members: &[Member], prefix: &str) -> Vec<Clause<A>> {
        let asked = members.iter().filter(|member| !(prefix.is_empty() && is_setting::<A>(member)));
        let (beside, named): (Vec<_>, Vec<_>) = asked.partition(|member| A::is_companion(&member.key));
        let mut clauses: Vec<Clause<A>> = named
            .iter()
            .map(|member| self.assertion(member, &member.value, format!("{prefix}{}", member.key)))
            .collect();
        for companion in beside {
            let value = companion.value.to_value();
            let taken = clauses.iter_mut().any(|clause| match &mut clause.asks {
                Ok(Asks::One(assertion)) => assertion.attach(&companion.key, &value),
                _ => false,
            });
            if !taken {
                let message = format!("'{}' stands beside nothing that takes it", companion.key);
                clauses.push(self.malformed(companion, format!("{prefix}{}", companion.key), message));
            }
        }
        clauses
    }

    /// A list of objects with one assertion each.
    fn one_key_objects<A: Vocabulary>(&self, items: &[Node]) -> Vec<Clause<A>> {
        let mut clauses = Vec::new();
        for (index, item) in self.asked::<A>(items, &mut clauses) {
            let asked = match &item.content {
                Content::Map(members) => self.expect(members, &format!("[{index}].")),
                _ => Vec::new(),
            };
            if asked.len() == 1 {
                clauses.extend(asked);
            } else {
                let found = match &item.content {
                    Content::Map(_) if asked.is_empty() => "an empty object".to_owned(),
                    Content::Map(_) => format!("{} of them", asked.len()),
                    _ => item.kind_name().to_owned(),
                };
                let message = format!("expected an object with one assertion, found {found}");
                clauses.push(self.malformed_node(item, format!("[{index}]"), message));
            }
        }
        clauses
    }

    /// The children of a group.
    fn nodes<A: Vocabulary>(&self, items: &[Node], path: &str) -> Vec<Clause<A>> {
        let mut clauses = Vec::new();
        let asked: Vec<(usize, &Node)> = match path {
            "" => self.asked::<A>(items, &mut clauses),
            _ => items.iter().enumerate().collect(),
        };
        for (index, item) in asked {
            self.node(item, &format!("{path}[{index}]"), &mut clauses);
        }
        clauses
    }

    /// The items of the outermost list without the setting, which may stand among them once.
    fn asked<'n, A: Vocabulary>(
        &self,
        items: &'n [Node],
        clauses: &mut Vec<Clause<A>>,
    ) -> Vec<(usize, &'n Node)> {
        let (settings, asked): (Vec<_>, Vec<_>) =
            items.iter().enumerate().partition(|(_, item)| only_setting::<A>(item).is_some());
        for (index, member) in
            settings.iter().skip(1).filter_map(|(index, item)| Some((index, only_setting::<A>(item)?)))
        {
            let message = format!("'{}' is given twice", member.key);
            clauses.push(self.malformed(member, format!("[{index}].{}", member.key), message));
        }
        asked
    }

    /// A group or a leaf of a tree. What must all hold is asked row by row.
    fn node<A: Vocabulary>(&self, node: &Node, path: &str, clauses: &mut Vec<Clause<A>>) {
        match &node.content {
            Content::Map(members) if is_group(members) => match self.group(members, path) {
                Clause { asks: Ok(Asks::All(inner)), .. } => clauses.extend(inner),
                clause => clauses.push(clause),
            },
            Content::Map(members) if !members.is_empty() => {
                clauses.extend(members.iter().flat_map(|member| self.leaf(member, path)));
            }
            Content::Map(_) => {
                clauses.push(self.malformed_node(node, path.to_owned(), "a leaf without an assertion"));
            }
            _ => {
                let message = format!("expected a group or an assertion, found {}", node.kind_name());
                clauses.push(self.malformed_node(node, path.to_owned(), message));
            }
        }
    }

    /// `must`, `can` or `cannot` with its list, or the row that says what is wrong with it.
    fn group<A: Vocabulary>(&self, members: &[Member], path: &str) -> Clause<A> {
        let mut group = None;
        for member in members {
            let here = join(path, &member.key);
            match member.key.as_str() {
                _ if path.is_empty() && is_setting::<A>(member) => {}
                "target" if member.value.to_value() == A::SUBJECT => {}
                "target" => {
                    let message = format!("the target of these assertions is '{}'", A::SUBJECT);
                    return self.malformed_node(&member.value, here, message);
                }
                key if GROUPS.contains(&key) && group.is_some() => {
                    return self.malformed(member, here, "a group has exactly one of must, can and cannot");
                }
                key if GROUPS.contains(&key) => group = Some(member),
                key => {
                    let hint = nearest(key, GROUPS.into_iter().chain(["target"]));
                    let hint = hint.map_or("a group takes only 'target'".to_owned(), |hint| {
                        format!("did you mean '{hint}'?")
                    });
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
            "must" => Asks::All(self.nodes(branches, &here)),
            "can" => Asks::Any(self.branches(branches, &here)),
            _ => Asks::None(self.branches(branches, &here)),
        };
        self.clause(group, here, Ok(asks))
    }

    /// The branches of `can` and `cannot`: each is one row, however many assertions it holds.
    fn branches<A: Vocabulary>(&self, items: &[Node], path: &str) -> Vec<Clause<A>> {
        let branch = |(index, item): (usize, &Node)| {
            let mut rows = Vec::new();
            let here = format!("{path}[{index}]");
            self.node(item, &here, &mut rows);
            if rows.len() == 1 {
                return rows.remove(0);
            }
            let place = self.document.place(Some(item.span.clone()));
            Clause { name: "must".to_owned(), path: here, place, asks: Ok(Asks::All(rows)) }
        };
        items.iter().enumerate().map(branch).collect()
    }

    /// One operator of a leaf with its list of values, each asked on its own.
    fn leaf<A: Vocabulary>(&self, member: &Member, path: &str) -> Vec<Clause<A>> {
        let here = join(path, &member.key);
        if is_setting::<A>(member) {
            let message = format!("'{}' stands at the top of a question, not in it", member.key);
            return vec![self.malformed(member, here, message)];
        }
        if member.key == "target" {
            return vec![self.malformed(member, here, "a leaf must not have 'target'; its group may")];
        }
        match &member.value.content {
            Content::List(values) if values.is_empty() => {
                vec![self.malformed(
                    member,
                    here,
                    format!("'{}' has an empty list of values", visible(&member.key)),
                )]
            }
            Content::List(values) => {
                let asked = values.iter().enumerate();
                asked
                    .map(|(index, value)| self.assertion(member, value, format!("{here}[{index}]")))
                    .collect()
            }
            _ => {
                let found = member.value.kind_name();
                let message =
                    format!("in a tree '{}' takes a list of values, not {found}", visible(&member.key));
                vec![self.malformed_node(&member.value, here, message)]
            }
        }
    }

    fn assertion<A: Vocabulary>(&self, member: &Member, argument: &Node, path: String) -> Clause<A> {
        if is_setting::<A>(member) {
            let message = format!("'{}' stands at the top of a question, not in it", member.key);
            return self.malformed(member, path, message);
        }
        if member.key == "expect" {
            return self.malformed(
                member,
                path,
                "'expect' is no assertion; the question is the object behind it",
            );
        }
        let assertion =
            member.read_with(argument).map(Asks::One).map_err(|mistake| self.document.error(mistake));
        self.clause(member, path, assertion)
    }

    fn clause<A>(&self, member: &Member, path: String, asks: Result<Asks<A>, Error>) -> Clause<A> {
        let place = self.document.place(Some(member.key_span.clone()));
        Clause { name: visible(&member.key).into_owned(), path, place, asks }
    }

    fn malformed<A>(&self, member: &Member, path: String, message: impl Into<String>) -> Clause<A> {
        self.clause(member, path, Err(self.document.malformed(message, member.key_span.clone())))
    }

    fn malformed_node<A>(&self, node: &Node, path: String, message: impl Into<String>) -> Clause<A> {
        let error = self.document.malformed(format!("{path}: {}", message.into()), node.span.clone());
        let place = self.document.place(Some(node.span.clone()));
        Clause { name: path.clone(), path, place, asks: Err(error) }
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
