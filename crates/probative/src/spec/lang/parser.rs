//! Tokens to a tree, with a stack of its own: how deep an expression is nested does not matter to the machine's.

use std::sync::Arc;

use serde::de::Deserialize as _;
use serde::de::value::{Error as Reason, StrDeserializer};

use crate::value::{Pattern, Value, excerpt, visible};

use super::names::{Mark, Names};
use super::read::Reading;
use super::symbol::{One, Operation, Symbol, Two};
use super::tree::{Binding, Lambda, Tree};

/// How deep lists may be nested. Compiling recurses; the default budget of nodes allows ten times as much.
const DEEPEST_NESTING: usize = 1_000;

/// What an expression is written with.
pub(super) enum Token {
    Open,
    /// Null, a boolean, a number or a text.
    Scalar(Value),
    Close,
}

/// Takes an expression token by token.
#[derive(Default)]
pub(super) struct Parser {
    /// The lists that are open, innermost last.
    open: Vec<List>,
    names: Names,
    /// The whole expression, once it was read.
    read: Option<Tree>,
    nodes: u64,
    literal_bytes: u64,
    written: String,
    looks_outside: bool,
}

/// A list that is being read.
enum List {
    /// A form whose symbol comes next.
    Head,
    Form(Form),
    /// `[[name, value], …]`
    Bindings(Vec<(Binding, Mark)>),
    /// `[name, value]`
    Pair {
        name: Option<(String, Mark)>,
        value: Option<Tree>,
    },
    /// `[name, …]`
    Parameters(Vec<String>),
}

/// What was read of a form.
struct Form {
    symbol: &'static Symbol,
    /// Where its reading began, for the names that it binds.
    start: Mark,
    first: First,
    arguments: Vec<Tree>,
}

/// The first argument of a form, where that is no expression.
enum First {
    Expression,
    Missing,
    Bindings(Vec<Binding>),
    Parameters(Vec<String>),
    Name(String),
}

impl Parser {
    /// Takes the next token, or says what is wrong with it.
    pub(super) fn take(&mut self, token: Token) -> Result<(), String> {
        match token {
            Token::Open => self.begin(),
            Token::Scalar(scalar) => self.scalar(scalar),
            Token::Close => self.end(),
        }
    }

    pub(super) fn finish(self) -> Result<Reading, String> {
        let Parser { read, nodes, literal_bytes, written, looks_outside, .. } = self;
        let tree = read.ok_or("unexpected end of the expression")?;
        Ok(Reading { tree, nodes, literal_bytes, written, looks_outside })
    }

    fn begin(&mut self) -> Result<(), String> {
        if self.open.len() == DEEPEST_NESTING {
            return Err(format!("nested more than {DEEPEST_NESTING} levels deep"));
        }
        let list = match self.open.last() {
            Some(List::Form(Form { symbol, first: First::Missing, .. })) => match symbol.operation {
                Operation::Let => {
                    self.names.open_let();
                    List::Bindings(Vec::new())
                }
                Operation::Fn => List::Parameters(Vec::new()),
                _ => return Err(expected("a variable name", "a list")),
            },
            Some(List::Head) => {
                return Err(expected("a symbol at the start of a form", "a list"));
            }
            Some(List::Bindings(_)) => List::Pair { name: None, value: None },
            Some(List::Pair { name: None, .. } | List::Parameters(_)) => {
                return Err(expected("a name", "a list"));
            }
            Some(List::Pair { value: Some(_), .. }) => return Err(INCOMPLETE.to_owned()),
            Some(List::Form(_) | List::Pair { .. }) | None => List::Head,
        };
        self.node();
        self.written.push('[');
        self.open.push(list);
        Ok(())
    }

    fn scalar(&mut self, scalar: Value) -> Result<(), String> {
        let found = |what: &str, scalar: &Value| Err(expected(what, &excerpt(scalar)));
        let text = scalar.as_str();
        match self.open.last_mut() {
            Some(List::Head) => {
                let Some(name) = text else {
                    return found("a symbol at the start of a form", &scalar);
                };
                let symbol = Symbol::named(name)?;
                let first = match symbol.operation {
                    Operation::Let | Operation::Fn | Operation::Var => First::Missing,
                    _ => First::Expression,
                };
                let start = self.names.mark();
                self.open.pop();
                self.open.push(List::Form(Form { symbol, start, first, arguments: Vec::new() }));
                self.count(&scalar);
            }
            Some(List::Form(Form { symbol, first: first @ First::Missing, .. })) => {
                match (symbol.operation, text) {
                    (Operation::Let, _) => return found("a list of bindings: [[name, value], …]", &scalar),
                    (Operation::Fn, _) => return found("a list of parameters: [name, …]", &scalar),
                    (_, None) => return found("a variable name", &scalar),
                    (_, Some(name)) => {
                        self.names.used(name)?;
                        *first = First::Name(name.to_owned());
                    }
                }
                self.count(&scalar);
            }
            Some(List::Form(form)) => {
                let tree = form.literal(&scalar)?;
                form.arguments.push(tree);
                self.count(&scalar);
            }
            Some(List::Bindings(_)) => return found("a binding: [name, value]", &scalar),
            Some(List::Pair { name: None, .. } | List::Parameters(_)) => match text {
                Some(name) => self.bind(name)?,
                None => return found("a name", &scalar),
            },
            Some(List::Pair { value: Some(_), .. }) => return Err(INCOMPLETE.to_owned()),
            Some(List::Pair { value, .. }) => {
                *value = Some(Tree::Literal(scalar.clone()));
                self.count(&scalar);
            }
            None => {
                self.count(&scalar);
                self.read = Some(Tree::Literal(scalar));
            }
        }
        Ok(())
    }

    /// Takes a name that is bound from here on: that of a binding, or a parameter.
    fn bind(&mut self, bound: &str) -> Result<(), String> {
        let mark = self.names.mark();
        let is_taken = match &mut self.open[..] {
            [.., List::Bindings(bindings), List::Pair { name, .. }] => {
                *name = Some((bound.to_owned(), mark));
                bindings.iter().any(|(binding, _)| binding.name == bound)
            }
            [.., List::Parameters(names)] => {
                let is_taken = names.iter().any(|name| name == bound);
                names.push(bound.to_owned());
                is_taken
            }
            _ => false,
        };
        if is_taken {
            return Err(format!("duplicate name '{}'", visible(bound)));
        }
        self.count(&bound.into());
        self.names.bind(bound);
        Ok(())
    }

    /// Ends the innermost list, which becomes a part of the one around it.
    fn end(&mut self) -> Result<(), String> {
        let list = self.open.pop();
        match (list, self.open.last_mut()) {
            (Some(List::Bindings(mut bindings)), Some(List::Form(form))) => {
                self.names.close_let(&mut bindings)?;
                form.first = First::Bindings(bindings.into_iter().map(|(binding, _)| binding).collect());
            }
            (Some(List::Parameters(names)), Some(List::Form(form))) => {
                self.names.enter_function();
                form.first = First::Parameters(names);
            }
            (Some(List::Pair { name, value }), Some(List::Bindings(bindings))) => {
                let (Some((name, mark)), Some(value)) = (name, value) else {
                    return Err(INCOMPLETE.to_owned());
                };
                bindings.push((Binding { name, value, early: false }, mark));
            }
            (Some(List::Form(form)), around) => {
                self.looks_outside |= form.looks_outside();
                let tree = form.tree(&mut self.names)?;
                match around {
                    Some(List::Form(form)) => form.arguments.push(tree),
                    Some(List::Pair { value, .. }) => *value = Some(tree),
                    _ => self.read = Some(tree),
                }
            }
            _ => return Err("empty list: a form starts with a symbol".to_owned()),
        }
        self.written.push(']');
        Ok(())
    }

    fn count(&mut self, scalar: &Value) {
        self.node();
        self.literal_bytes += scalar.as_str().map_or(0, |text| text.len() as u64);
        self.written.push_str(&scalar.to_string());
    }

    fn node(&mut self) {
        self.nodes += 1;
        if !self.written.is_empty() && !self.written.ends_with('[') {
            self.written.push(',');
        }
    }
}

const INCOMPLETE: &str = "a binding is a name and a value: [name, value]";

fn expected(what: &str, found: &str) -> String {
    format!("expected {what}, found {found}")
}

impl Form {
    /// A scalar as an argument. A literal pattern is compiled.
    fn literal(&self, scalar: &Value) -> Result<Tree, String> {
        let is_pattern =
            self.symbol.operation == Operation::Two(Two::RegexMatch) && self.arguments.len() == 1;
        match scalar {
            Value::String(text) if is_pattern => {
                let pattern = Pattern::deserialize(StrDeserializer::<Reason>::new(text));
                pattern.map(|pattern| Tree::Pattern(Arc::new(pattern))).map_err(|reason| reason.to_string())
            }
            literal => Ok(Tree::Literal(literal.clone())),
        }
    }

    /// Returns true if the form itself asks about the subject, or which files there are.
    fn looks_outside(&self) -> bool {
        match self.symbol.operation {
            Operation::Subject | Operation::One(One::PathExists) => true,
            // Without a second argument, the first is compared with the subject.
            Operation::Two(_) => self.arguments.len() == 1,
            _ => false,
        }
    }

    /// The form as a whole, if it has as many arguments as its symbol takes.
    fn tree(self, names: &mut Names) -> Result<Tree, String> {
        let Form { symbol, start, first, mut arguments } = self;
        let count = arguments.len() + usize::from(!matches!(first, First::Expression | First::Missing));
        if !symbol.takes(count) || matches!(first, First::Missing) {
            return Err(symbol.miscounted(count));
        }
        let miscounted = |arguments: Vec<Tree>| symbol.miscounted(arguments.len());
        let only =
            |arguments: &mut Vec<Tree>| arguments.pop().ok_or_else(|| symbol.miscounted(count)).map(Box::new);
        Ok(match (symbol.operation, first) {
            (_, First::Bindings(bindings)) => {
                let body = only(&mut arguments)?;
                names.unbind(start, bindings.len());
                Tree::Let(bindings, body)
            }
            (_, First::Parameters(parameters)) => {
                let body = *only(&mut arguments)?;
                names.leave_function();
                names.unbind(start, parameters.len());
                Tree::Function(Box::new(Lambda { parameters, body }))
            }
            (_, First::Name(name)) => Tree::Variable(name),
            (Operation::And, _) => Tree::And(arguments),
            (Operation::Or, _) => Tree::Or(arguments),
            (Operation::Not, _) => Tree::Not(only(&mut arguments)?),
            (Operation::If, _) => Tree::If(Box::new(arguments.try_into().map_err(miscounted)?)),
            (Operation::Call, _) => Tree::Call(Box::new(arguments.remove(0)), arguments),
            (Operation::One(one), _) => Tree::One(one, only(&mut arguments)?),
            (Operation::Two(two), _) => {
                if arguments.len() == 1 {
                    arguments.insert(0, Tree::Implied);
                }
                Tree::Two(two, Box::new(arguments.try_into().map_err(miscounted)?))
            }
            (Operation::Subject | Operation::Let | Operation::Fn | Operation::Var, _) => Tree::Subject,
        })
    }
}
