//! An expression as it was read: every symbol known, every form of the right shape, every name bound.

use std::sync::Arc;

use crate::value::{Pattern, Value};

use super::symbol::{One, Two};

#[derive(Debug)]
pub(super) enum Tree {
    /// Null, a boolean, a number or a text.
    Literal(Value),
    /// A literal text that stands where a pattern belongs.
    Pattern(Arc<Pattern>),
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

impl Tree {
    /// Whether a variable of that name occurs in it, bound in it or not.
    pub(super) fn mentions(&self, name: &str) -> bool {
        let any = |parts: &[Tree]| parts.iter().any(|part| part.mentions(name));
        match self {
            Tree::Literal(_) | Tree::Pattern(_) | Tree::Subject | Tree::Implied => false,
            Tree::Variable(variable) => variable == name,
            Tree::And(parts) | Tree::Or(parts) => any(parts),
            Tree::Not(part) | Tree::One(_, part) => part.mentions(name),
            Tree::If(parts) => any(&**parts),
            Tree::Two(_, parts) => any(&**parts),
            Tree::Let(bindings, body) => {
                body.mentions(name) || bindings.iter().any(|binding| binding.value.mentions(name))
            }
            Tree::Function(function) => function.body.mentions(name),
            Tree::Call(function, arguments) => function.mentions(name) || any(arguments),
        }
    }
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
