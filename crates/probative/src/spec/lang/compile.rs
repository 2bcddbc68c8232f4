//! A tree to code.
//!
//! Each value is computed into a slot, temporary ones from `top` on. A literal or a variable is not computed at all: it is
//! read where it is used. The nodes that are entered on the way are charged to the next instruction; as nothing
//! can fail or branch between two instructions, steps are counted exactly.

use std::sync::Arc;

use super::body::{Body, Jumps, Place, small};
use super::code::{Function, Op, Operand, Program};
use super::symbol::{One, Two};
use super::tree::Tree;

pub(super) fn compile(tree: &Tree) -> Program {
    let mut compiler = Compiler { program: Program::default(), bodies: vec![Body::default()] };
    compiler.program.functions.push(Function::default());
    compiler.tail(tree);
    compiler.finish(0, None);
    compiler.program
}

pub(super) struct Compiler<'t> {
    pub(super) program: Program,
    /// The function that is being compiled, last, in those around it.
    pub(super) bodies: Vec<Body<'t>>,
}

impl<'t> Compiler<'t> {
    /// Computes what is the result of the running function.
    pub(super) fn tail(&mut self, tree: &'t Tree) {
        let free = self.body().top;
        match tree {
            Tree::If(parts) => {
                let [condition, then, otherwise] = &**parts;
                self.body().enter();
                let mut unless = Jumps::new();
                self.jump(condition, false, &mut unless);
                self.tail(then);
                self.body().land(unless);
                self.tail(otherwise);
            }
            Tree::Let(bindings, body) => {
                self.body().enter();
                self.bind(bindings);
                self.tail(body);
                self.unbind(bindings);
            }
            Tree::Call(function, arguments) => {
                self.body().enter();
                self.tail_call(function, arguments);
            }
            _ => {
                let from = self.operand(tree);
                self.body().emit(Op::Return { from });
            }
        }
        self.body().top = free;
    }

    /// Computes a value into a slot.
    pub(super) fn value(&mut self, tree: &'t Tree, to: u32) {
        let free = self.body().top;
        match tree {
            Tree::Literal(_) | Tree::Pattern(_) | Tree::Subject | Tree::Implied => {
                let from = self.operand(tree);
                self.body().emit(Op::Move { from, to });
            }
            Tree::Variable(name) => self.variable(name, to),
            Tree::And(_) | Tree::Or(_) => {
                let mut unless = Jumps::new();
                self.jump(tree, false, &mut unless);
                self.body().emit(Op::SetBool { value: true, to });
                let end = self.body().emit(Op::Jump { skip: 0 });
                self.body().land(unless);
                self.body().emit(Op::SetBool { value: false, to });
                self.body().land(vec![end]);
            }
            Tree::Not(argument) => {
                self.body().enter();
                let a = self.operand(argument);
                self.body().emit(Op::Not { a, to });
            }
            Tree::If(parts) => {
                let [condition, then, otherwise] = &**parts;
                self.body().enter();
                let mut unless = Jumps::new();
                self.jump(condition, false, &mut unless);
                self.value(then, to);
                let end = self.body().emit(Op::Jump { skip: 0 });
                self.body().land(unless);
                self.value(otherwise, to);
                self.body().land(vec![end]);
            }
            Tree::Let(bindings, body) => {
                self.body().enter();
                self.bind(bindings);
                self.value(body, to);
                self.unbind(bindings);
            }
            Tree::Function(function) => self.close(&[(None, function)], to),
            Tree::Call(function, arguments) => {
                self.body().enter();
                self.call(function, arguments, to);
            }
            Tree::One(operation, argument) => {
                self.body().enter();
                let a = self.operand(argument);
                self.body().emit(Op::One { operation: *operation, a, to });
            }
            Tree::Two(operation, arguments) => self.two(*operation, arguments, to),
        }
        self.body().top = free;
    }

    fn two(&mut self, operation: Two, arguments: &'t [Tree; 2], to: u32) {
        self.body().enter();
        let [a, b] = arguments;
        let op = match (operation, a, b) {
            (Two::RegexMatch, _, Tree::Pattern(pattern)) => {
                let a = self.operand(a);
                self.body().enter();
                self.program.patterns.push(Arc::clone(pattern));
                Op::Match { a, pattern: small(self.program.patterns.len() - 1), to }
            }
            (Two::JsonType, Tree::One(One::JsonParse, text), _) => {
                self.body().enter();
                let (a, b) = (self.operand(text), self.operand(b));
                Op::Two { operation: Two::JsonTypeOfText, a, b, to }
            }
            _ => {
                let (a, b) = (self.operand(a), self.operand(b));
                match operation {
                    Two::Add => Op::Add { a, b, to },
                    Two::Sub => Op::Sub { a, b, to },
                    operation => Op::Two { operation, a, b, to },
                }
            }
        };
        self.body().emit(op);
    }

    /// Computes whether a value is true, and jumps if that is as said.
    fn jump(&mut self, tree: &'t Tree, when: bool, jumps: &mut Jumps) {
        let free = self.body().top;
        match tree {
            Tree::Not(argument) => {
                self.body().enter();
                self.jump(argument, !when, jumps);
            }
            Tree::And(parts) | Tree::Or(parts) => {
                self.body().enter();
                let (last, earlier) = parts.split_last().expect("one or more were read");
                // What one part decides: that an `and` is false, that an `or` is true.
                let decided = matches!(tree, Tree::Or(_));
                let mut past = Jumps::new();
                for part in earlier {
                    self.jump(part, decided, if decided == when { jumps } else { &mut past });
                }
                self.jump(last, when, jumps);
                self.body().land(past);
            }
            Tree::Two(operation @ (Two::Equal | Two::Unequal), arguments) => {
                self.body().enter();
                let [a, b] = &**arguments;
                let (a, b) = (self.operand(a), self.operand(b));
                let when = when == (*operation == Two::Equal);
                jumps.push(self.body().emit(Op::JumpIfEqual { a, b, when, operation: *operation, skip: 0 }));
            }
            _ => {
                let a = self.operand(tree);
                jumps.push(self.body().emit(Op::JumpIf { a, when, skip: 0 }));
            }
        }
        self.body().top = free;
    }

    /// Where a value can be read: where it is, or where it is computed to.
    pub(super) fn operand(&mut self, tree: &'t Tree) -> Operand {
        match tree {
            Tree::Literal(literal) => {
                self.body().enter();
                self.program.literals.push(literal.clone());
                return Operand::Fixed(small(self.program.literals.len()));
            }
            Tree::Implied => return Operand::SUBJECT,
            Tree::Subject => {
                self.body().enter();
                return Operand::SUBJECT;
            }
            Tree::Variable(name) => {
                if let Place::Value(operand) = self.place(name) {
                    self.body().enter();
                    return operand;
                }
            }
            _ => {}
        }
        let to = self.body().slot();
        self.value(tree, to);
        Operand::Slot(to)
    }

    pub(super) fn body(&mut self) -> &mut Body<'t> {
        self.bodies.last_mut().expect("the expression itself is a function")
    }
}
