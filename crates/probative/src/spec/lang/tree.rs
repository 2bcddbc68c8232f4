//! An expression as it was read: every symbol known, every form of the right shape, every name bound.

use std::sync::Arc;

use crate::value::{Pattern, Value};

use super::symbol::{One, Two};

/// How many forms deep a constant is looked for.
const CONSTANT_DEPTH: usize = 32;

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
    /// Returns its value if that is the same for every subject, as far as its outermost forms tell.
    pub(super) fn constant(&self) -> Option<bool> {
        self.constant_within(CONSTANT_DEPTH)
    }

    fn constant_within(&self, depth: usize) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        match self {
            Tree::Literal(Value::Bool(value)) => Some(*value),
            Tree::And(parts) => decided(parts, false, depth),
            Tree::Or(parts) => decided(parts, true, depth),
            Tree::Not(part) => part.constant_within(depth).map(|value| !value),
            Tree::Two(Two::Contains | Two::StartsWith | Two::EndsWith, parts) => {
                matches!(&parts[1], Tree::Literal(Value::String(text)) if text.is_empty()).then_some(true)
            }
            Tree::Two(Two::RegexMatch, parts) => {
                let Tree::Pattern(pattern) = &parts[1] else { return None };
                let never = || pattern.matches_no_text().then_some(false);
                if pattern.matches_every_text() { Some(true) } else { never() }
            }
            Tree::Two(operation @ (Two::Equal | Two::Unequal), parts) => {
                parts[0].is_same(&parts[1], depth).then_some(*operation == Two::Equal)
            }
            Tree::If(parts) => match (parts[0].constant_within(depth), &parts[1], &parts[2]) {
                (Some(true), taken, _) | (Some(false), _, taken) => taken.constant_within(depth),
                (None, one, other) => {
                    let one = one.constant_within(depth)?;
                    (other.constant_within(depth) == Some(one)).then_some(one)
                }
            },
            Tree::Let(_, body) => body.constant_within(depth),
            _ => None,
        }
    }

    /// Returns true if two expressions are written the same, and so have the same value. Functions have none that compares.
    fn is_same(&self, other: &Tree, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match (self, other) {
            (Tree::Literal(one), Tree::Literal(other)) => one == other,
            (Tree::Subject | Tree::Implied, Tree::Subject | Tree::Implied) => true,
            (Tree::Variable(one), Tree::Variable(other)) => one == other,
            (Tree::One(one, part), Tree::One(other, of_other)) => {
                one == other && part.is_same(of_other, depth)
            }
            (Tree::Two(one, parts), Tree::Two(other, of_other)) => {
                one == other && (0..2).all(|at| parts[at].is_same(&of_other[at], depth))
            }
            _ => false,
        }
    }

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

/// The value of an `and` or an `or`: one part that is `decisive` is enough, else all must be constant.
fn decided(parts: &[Tree], decisive: bool, depth: usize) -> Option<bool> {
    let parts: Vec<Option<bool>> = parts.iter().map(|part| part.constant_within(depth)).collect();
    match () {
        () if parts.contains(&Some(decisive)) => Some(decisive),
        () if parts.contains(&None) => None,
        () => Some(!decisive),
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
