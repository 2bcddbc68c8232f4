//! An expression as it was read: every symbol known, every form of the right shape, every name bound.

use crate::value::{Pattern, Value};

use super::symbol::{One, Two};

#[derive(Debug)]
pub(super) enum Tree {
    /// Null, a boolean, a number or a text.
    Literal(Value),
    /// A literal text that stands where a pattern belongs.
    Pattern(Box<Pattern>),
    /// `["subject"]`
    Subject,
    /// The subject where a form leaves it out. Nobody wrote it, so it is no step.
    Implied,
    Variable(String),
    And(Vec<Tree>),
    Or(Vec<Tree>),
    Not(Box<Tree>),
    If(Box<[Tree; 3]>),
    Let(Vec<Binding>, Box<Tree>),
    Function(Box<Lambda>),
    /// A function and its arguments.
    Call(Box<Tree>, Vec<Tree>),
    One(One, Box<Tree>),
    Two(Two, Box<[Tree; 2]>),
}

#[derive(Debug)]
pub(super) struct Lambda {
    pub(super) parameters: Vec<String>,
    pub(super) body: Tree,
}

/// One name of a `let`.
#[derive(Debug)]
pub(super) struct Binding {
    pub(super) name: String,
    pub(super) value: Tree,
    /// Whether a function refers to it that may be called before it is set.
    pub(super) early: bool,
}

impl Binding {
    /// The function that is bound, if the value is written as one.
    pub(super) fn function(&self) -> Option<&Lambda> {
        match &self.value {
            Tree::Function(function) => Some(function),
            _ => None,
        }
    }
}
