//! What is written to a tree: every form is checked in its place while it is read.
//!
//! The reader works with any deserializer. One that knows places tells a mistake at the innermost part that has it.

use std::sync::Arc;

use serde::de::value::StrDeserializer;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess};

use crate::value::{Pattern, Value};

use super::bindings::{Bindings, Parameters};
use super::names::Names;
use super::part::{At, Part};
use super::symbol::{One, Operation, Symbol, Two};
use super::tree::{Lambda, Tree};

/// Reading recurses, so lists may be nested only so deep. It is what a JSON document may be, too.
const DEEPEST_NESTING: usize = 127;

/// An expression as it was read, and how large it was.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) tree: Tree,
    /// Lists and scalars, symbols and names included.
    pub(super) nodes: u64,
    /// The bytes of all texts, symbols and names included.
    pub(super) literal_bytes: u64,
    /// The expression as compact JSON.
    pub(super) written: String,
    /// Whether it mentions the subject, or asks which files there are.
    pub(super) looks_outside: bool,
}

pub(super) fn read<'de, D: Deserializer<'de>>(reader: D) -> Result<Reading, D::Error> {
    let mut state = Reader::default();
    let tree = reader.deserialize_any(At(Form { reader: &mut state, depth: 0, is_pattern: false }))?;
    let Reader { nodes, literal_bytes, written, looks_outside, .. } = state;
    Ok(Reading { tree, nodes, literal_bytes, written, looks_outside })
}

#[derive(Default)]
pub(super) struct Reader {
    pub(super) names: Names,
    nodes: u64,
    literal_bytes: u64,
    written: String,
    looks_outside: bool,
}

impl Reader {
    pub(super) fn scalar(&mut self, scalar: &Value) {
        self.node();
        self.literal_bytes += scalar.as_str().map_or(0, |text| text.len() as u64);
        self.written.push_str(&scalar.to_string());
    }

    pub(super) fn open_list<E: Error>(&mut self, depth: usize) -> Result<(), E> {
        if depth == DEEPEST_NESTING {
            return Err(E::custom(format_args!("nested more than {DEEPEST_NESTING} deep")));
        }
        self.node();
        self.written.push('[');
        Ok(())
    }

    pub(super) fn close_list(&mut self) {
        self.written.push(']');
    }

    fn node(&mut self) {
        self.nodes += 1;
        if !self.written.is_empty() && !self.written.ends_with('[') {
            self.written.push(',');
        }
    }
}

/// An expression: a literal or a form.
pub(super) struct Form<'r> {
    pub(super) reader: &'r mut Reader,
    /// How many lists are around it.
    pub(super) depth: usize,
    /// Whether a pattern belongs here: a literal one is compiled.
    pub(super) is_pattern: bool,
}

impl<'de> Part<'de> for Form<'_> {
    type Read = Tree;

    const WHAT: &'static str = "an expression";

    fn scalar<E: Error>(self, scalar: Value) -> Result<Tree, E> {
        self.reader.scalar(&scalar);
        match scalar {
            Value::String(text) if self.is_pattern => Pattern::deserialize(StrDeserializer::new(&text))
                .map(|pattern| Tree::Pattern(Arc::new(pattern))),
            literal => Ok(Tree::Literal(literal)),
        }
    }

    fn list<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree, A::Error> {
        let Form { reader, depth, .. } = self;
        reader.open_list(depth)?;
        let Some(symbol) = items.next_element_seed(At(Head { reader }))? else {
            return Err(A::Error::custom("an empty list is no expression; a form starts with a symbol"));
        };
        let mut form = Rest { reader, symbol, depth: depth + 1, items };
        let tree = form.read()?;
        form.reader.close_list();
        Ok(tree)
    }
}

/// What is left of a form behind its symbol.
struct Rest<'r, A> {
    reader: &'r mut Reader,
    symbol: &'static Symbol,
    /// How many lists are around an argument.
    depth: usize,
    items: A,
}

impl<'de, A: SeqAccess<'de>> Rest<'_, A> {
    fn read(&mut self) -> Result<Tree, A::Error> {
        if let Operation::Subject | Operation::One(One::PathExists) = self.symbol.operation {
            self.reader.looks_outside = true;
        }
        Ok(match self.symbol.operation {
            Operation::Let => return self.bindings_and_body(),
            Operation::Fn => return self.parameters_and_body(),
            Operation::Var => return self.name(),
            Operation::Subject => {
                let [] = self.all()?;
                Tree::Subject
            }
            Operation::And => Tree::And(self.arguments(0)?),
            Operation::Or => Tree::Or(self.arguments(0)?),
            Operation::Not => {
                let [argument] = self.all()?;
                Tree::Not(Box::new(argument))
            }
            Operation::If => Tree::If(Box::new(self.all()?)),
            Operation::Call => {
                let mut arguments = self.arguments(0)?;
                Tree::Call(Box::new(arguments.remove(0)), arguments)
            }
            Operation::One(one) => {
                let [argument] = self.all()?;
                Tree::One(one, Box::new(argument))
            }
            Operation::Two(two) => {
                let mut arguments = self.arguments(0)?;
                if arguments.len() == 1 {
                    self.reader.looks_outside = true;
                    arguments.insert(0, Tree::Implied);
                }
                Tree::Two(two, Box::new(self.exactly(arguments)?))
            }
        })
    }

    fn bindings_and_body(&mut self) -> Result<Tree, A::Error> {
        let start = self.reader.names.mark();
        let bindings = Bindings { reader: &mut *self.reader, depth: self.depth };
        let Some(bindings) = self.items.next_element_seed(At(bindings))? else {
            return Err(self.miscounted(0));
        };
        let arguments = self.arguments(1)?;
        let [body] = self.exactly(arguments)?;
        self.reader.names.unbind(start, bindings.len());
        Ok(Tree::Let(bindings, Box::new(body)))
    }

    fn parameters_and_body(&mut self) -> Result<Tree, A::Error> {
        let start = self.reader.names.mark();
        let parameters = Parameters { reader: &mut *self.reader, depth: self.depth };
        let Some(parameters) = self.items.next_element_seed(At(parameters))? else {
            return Err(self.miscounted(0));
        };
        self.reader.names.enter_function();
        let arguments = self.arguments(1)?;
        let [body] = self.exactly(arguments)?;
        self.reader.names.leave_function();
        self.reader.names.unbind(start, parameters.len());
        Ok(Tree::Function(Box::new(Lambda { parameters, body })))
    }

    fn name(&mut self) -> Result<Tree, A::Error> {
        let name = self.items.next_element_seed(At(Used { reader: &mut *self.reader }))?;
        self.arguments(usize::from(name.is_some()))?;
        name.map(Tree::Variable).ok_or_else(|| self.miscounted(0))
    }

    /// All arguments, of which there must be so many.
    fn all<const N: usize>(&mut self) -> Result<[Tree; N], A::Error> {
        let arguments = self.arguments(0)?;
        self.exactly(arguments)
    }

    /// The arguments that are left when some are read, of which there must be so many that the symbol takes them.
    fn arguments(&mut self, read: usize) -> Result<Vec<Tree>, A::Error> {
        let mut arguments = Vec::new();
        loop {
            let is_pattern = self.symbol.operation == Operation::Two(Two::RegexMatch) && arguments.len() == 1;
            let argument = Form { reader: &mut *self.reader, depth: self.depth, is_pattern };
            match self.items.next_element_seed(At(argument))? {
                Some(argument) => arguments.push(argument),
                None if self.symbol.takes(read + arguments.len()) => return Ok(arguments),
                None => return Err(self.miscounted(read + arguments.len())),
            }
        }
    }

    fn exactly<const N: usize>(&self, arguments: Vec<Tree>) -> Result<[Tree; N], A::Error> {
        arguments.try_into().map_err(|arguments: Vec<Tree>| self.miscounted(arguments.len()))
    }

    fn miscounted(&self, got: usize) -> A::Error {
        A::Error::custom(self.symbol.miscounted(got))
    }
}

/// The symbol at the start of a form.
struct Head<'r> {
    reader: &'r mut Reader,
}

impl Part<'_> for Head<'_> {
    type Read = &'static Symbol;

    const WHAT: &'static str = "the name of a symbol at the start of a form";

    fn text<E: Error>(self, name: &str) -> Result<&'static Symbol, E> {
        self.reader.scalar(&name.into());
        Symbol::named(name).map_err(E::custom)
    }
}

/// The name of a variable that is used.
struct Used<'r> {
    reader: &'r mut Reader,
}

impl Part<'_> for Used<'_> {
    type Read = String;

    const WHAT: &'static str = "the name of a variable";

    fn text<E: Error>(self, name: &str) -> Result<String, E> {
        self.reader.scalar(&name.into());
        self.reader.names.used(name).map_err(E::custom)?;
        Ok(name.to_owned())
    }
}
