//! The assertions of a case: compiled to rows, and asked of what was observed.

mod ask;
mod schema;

use std::borrow::Cow;

pub(super) use ask::{Asking, judge, target};
pub(super) use schema::{Trees, Values, has_group};

use super::answer::Artifact;
use super::lang::{Expression, World};
use super::operator::Operator;
use super::saying::Saying;
use super::types::{Target, Type};
use crate::clause::{Clause, Grammar, LABEL, Tree};
use crate::document::{Content, Document, Member, Mistake, Node, nearest};
use crate::value::{Value, visible};
use crate::verdict::{Crash, Error, ErrorKind, Place};
use crate::vocabularies::About;
use crate::vocabulary::FileReader;

/// What came of a case's work.
pub trait Observed {
    /// What a target is that is no artifact.
    fn subject(&self, target: &'static Target) -> Result<Subject<'_>, Error>;

    /// What an agent left behind.
    fn artifact(&self, about: About) -> Result<&Artifact, Error> {
        let message = format!("no {} to judge", about.subject());
        Err(Error::new(ErrorKind::Unobtainable(message)))
    }

    /// What an agent answered in one turn of a conversation.
    fn turn(&self, _turn: usize) -> Result<&Artifact, Error> {
        Err(Error::new(ErrorKind::Unobtainable("no agent was run".to_owned())))
    }

    /// What it cost, where that is recorded.
    fn cost(&self) -> Option<f64> {
        None
    }

    /// How a command ended.
    fn exit_code(&self) -> Option<i32> {
        None
    }

    /// The last lines that explain a wrong exit code.
    fn last_words(&self) -> Option<String> {
        None
    }

    /// How a command ended, for an error that says why nothing came of it.
    fn crash(&self) -> Option<Crash> {
        None
    }

    /// That only the beginning of a target is there, and how much, if it is so.
    fn cut(&self, _target: &'static Target) -> Option<String> {
        None
    }

    /// A text of a target as messages show it: without what differs from run to run.
    fn shown(&self, text: &str) -> String {
        text.to_owned()
    }

    /// What expressions may ask of the world.
    fn world(&self) -> &dyn World;
}

/// What a target is.
#[derive(Debug)]
pub enum Subject<'o> {
    /// A text or a value.
    Value(Cow<'o, Value>),
    /// What should be JSON and is not: how it starts.
    NotJson(String),
}

/// One value of one operator, with what it is asked of.
#[derive(Debug, Clone)]
pub(super) struct Leaf {
    target: &'static Target,
    asks: Asked,
    /// The path of the leaf in the case: `assert[0].must[0]`.
    at: String,
    /// Where the operator stands.
    place: Place,
}

/// What a leaf asks.
#[derive(Debug, Clone)]
enum Asked {
    /// One of the operators, which are expressions.
    Core(Core),
    /// A word of a vocabulary.
    Word(Saying),
}

#[derive(Debug, Clone)]
struct Core {
    operator: Operator,
    value: Value,
    expression: Expression,
}

/// Compiles what stands under `assert`: a list, all of which must hold, or a group.
pub(super) fn compile(document: &Document, kind: &'static Type, assert: &Node) -> Vec<Clause<Leaf>> {
    let tree = Tree { document, grammar: Leaves { document, kind } };
    let target = kind.only_target();
    if let Content::List(items) = &assert.content {
        return tree.nodes(items, "assert", &target);
    }
    let mut clauses = Vec::new();
    tree.node(assert, "assert", &target, &mut clauses);
    clauses
}

/// The operators on the targets of one type of case.
pub(super) struct Leaves<'d> {
    pub(super) document: &'d Document,
    pub(super) kind: &'static Type,
}

impl Grammar for Leaves<'_> {
    type Leaf = Leaf;
    type Target = Option<&'static Target>;

    fn target(&self, written: &Node) -> Result<Self::Target, String> {
        let Type { name: kind, targets, .. } = self.kind;
        let names = || targets.iter().map(|target| target.name);
        let Some(name) = written.as_str() else {
            return Err(format!("'target' must be one of: {}", names().collect::<Vec<_>>().join(", ")));
        };
        targets.iter().find(|target| target.name == name).map(Some).ok_or_else(|| {
            let hint = nearest(name, names()).map_or_else(
                || match targets {
                    [only] => format!("expected '{}'", only.name),
                    _ => format!("expected one of: {}", names().collect::<Vec<_>>().join(", ")),
                },
                |nearest| format!("did you mean '{nearest}'?"),
            );
            format!("unknown target for {kind}: '{}'; {hint}", visible(name))
        })
    }

    fn leaf(&self, operator: &Member, value: &Node, at: &str, target: &Self::Target) -> Result<Leaf, Error> {
        let malformed = |message: String| self.document.malformed(message, operator.key_span.clone());
        let target = target.ok_or_else(|| {
            malformed(format!(
                "'{}' has no target; set 'target' on a group around it",
                visible(&operator.key)
            ))
        })?;
        let error = |mistake: Mistake| self.document.error(mistake);
        let core = Operator::named(&operator.key).filter(|known| known.suits(target));
        let word = target.form.words().filter(|about| about.knows(&operator.key));
        let asks = match (core, word) {
            (Some(known), _) => {
                let expression = known.compile(target, value).map_err(error)?;
                // What is nested too deep for data is kept as text.
                let value = if value.is_deep() { expression.to_string().into() } else { value.to_value() };
                Asked::Core(Core { operator: known, value, expression })
            }
            (None, Some(about)) => Asked::Word(Saying::compile(about, operator, value).map_err(error)?),
            (None, None) => return Err(malformed(self.unsupported(target, &operator.key))),
        };
        let place = self.document.place(Some(operator.key_span.clone()));
        Ok(Leaf { target, asks, at: at.to_owned(), place })
    }
}

impl Leaves<'_> {
    /// What to say of an operator that a target cannot be asked.
    fn unsupported(&self, target: &Target, operator: &str) -> String {
        let suiting = Operator::ALL.into_iter().filter(|known| known.suits(target)).map(Operator::name);
        let words = target.form.words().map_or(&[][..], About::names);
        let hint = nearest(operator, suiting.chain(words.iter().copied()).chain([LABEL]));
        let elsewhere = About::ALL.iter().find(|about| about.knows(operator) && !words.contains(&operator));
        let hint = match (hint, elsewhere) {
            (Some(nearest), _) => format!("; did you mean '{nearest}'?"),
            (None, Some(about)) => format!("; it judges a {}", about.subject()),
            (None, None) if Operator::named(operator).is_some() && !words.is_empty() => {
                "; it applies to text targets; use evaluate here".to_owned()
            }
            (None, None) => String::new(),
        };
        format!("unsupported op for {}.{}: {}{hint}", self.kind.name, target.name, visible(operator))
    }
}

impl Leaf {
    /// How many tokens there are for a selection, where it says so.
    pub(super) fn budget(&self) -> Option<u64> {
        match &self.asks {
            Asked::Core(_) => None,
            Asked::Word(saying) => saying.budget(),
        }
    }

    /// Takes the files that it needs.
    pub(super) fn supply(&mut self, file: &mut FileReader<'_>) -> Result<Vec<String>, Error> {
        match &mut self.asks {
            Asked::Core(_) => Ok(Vec::new()),
            Asked::Word(saying) => saying.supply(file),
        }
    }
}
