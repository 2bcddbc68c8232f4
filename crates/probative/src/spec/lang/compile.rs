//! A tree to code.
//!
//! Each value is computed into a slot, temporary ones from `top` on. A literal or a variable is not computed at all: it is
//! read where it is used. The nodes that are entered on the way are charged to the next instruction; as nothing
//! can fail or branch between two instructions, steps are counted exactly.

use super::code::{Callee, Function, Group, Instruction, Op, Operand, Program};
use super::symbol::{One, Two};
use super::tree::{Binding, Lambda, Tree};

pub(super) fn compile(tree: &Tree) -> Program {
    let mut compiler = Compiler { program: Program::default(), bodies: vec![Body::default()] };
    compiler.program.functions.push(Function::default());
    compiler.tail(tree);
    compiler.finish(0, None, 0);
    compiler.program
}

struct Compiler<'t> {
    program: Program,
    /// The function that is being compiled, last, in those around it.
    bodies: Vec<Body<'t>>,
}

/// A function that is being compiled.
#[derive(Default)]
struct Body<'t> {
    code: Vec<Instruction>,
    /// Nodes that were entered since the last instruction.
    entered: u32,
    /// The names that it binds, innermost last.
    names: Vec<(&'t str, Place)>,
    /// The functions of its group, by number.
    siblings: Vec<(&'t str, u32)>,
    /// What its group captures, and where that is in the function around it.
    captured: Vec<(&'t str, Place)>,
    /// The first slot that is free, and how many are ever used.
    top: u32,
    slots: u32,
}

/// Where a variable is.
#[derive(Clone, Copy)]
enum Place {
    Value(Operand),
    /// Behind a cell, as it may not be set yet.
    Cell(Operand),
    /// It is a function of the group of the running one.
    Sibling(u32),
    /// It is certainly not set yet.
    Unset,
}

/// Jumps whose target is not known yet.
type Jumps = Vec<usize>;

impl<'t> Compiler<'t> {
    /// Computes what is the result of the running function.
    fn tail(&mut self, tree: &'t Tree) {
        let free = self.body().top;
        match tree {
            Tree::If(parts) => {
                let [condition, then, otherwise] = &**parts;
                self.enter();
                let mut unless = Jumps::new();
                self.jump(condition, false, &mut unless);
                self.tail(then);
                self.land(unless);
                self.tail(otherwise);
            }
            Tree::Let(bindings, body) => {
                self.enter();
                self.bind(bindings);
                self.tail(body);
                self.unbind(bindings);
            }
            Tree::Call(function, arguments) => {
                self.enter();
                let (callee, first) = self.prepare(function, arguments);
                self.emit(Op::TailCall { callee, first, count: small(arguments.len()) });
            }
            _ => {
                let from = self.operand(tree);
                self.emit(Op::Return { from });
            }
        }
        self.body().top = free;
    }

    /// Computes a value into a slot.
    fn value(&mut self, tree: &'t Tree, to: u32) {
        let free = self.body().top;
        match tree {
            Tree::Literal(_) | Tree::Pattern(_) | Tree::Subject | Tree::Implied => {
                let from = self.operand(tree);
                self.emit(Op::Move { from, to });
            }
            Tree::Variable(name) => self.variable(name, to),
            Tree::And(_) | Tree::Or(_) => {
                let mut unless = Jumps::new();
                self.jump(tree, false, &mut unless);
                self.emit(Op::SetBool { value: true, to });
                let end = self.emit(Op::Jump { target: 0 });
                self.land(unless);
                self.emit(Op::SetBool { value: false, to });
                self.land(vec![end]);
            }
            Tree::Not(argument) => {
                self.enter();
                let a = self.operand(argument);
                self.emit(Op::Not { a, to });
            }
            Tree::If(parts) => {
                let [condition, then, otherwise] = &**parts;
                self.enter();
                let mut unless = Jumps::new();
                self.jump(condition, false, &mut unless);
                self.value(then, to);
                let end = self.emit(Op::Jump { target: 0 });
                self.land(unless);
                self.value(otherwise, to);
                self.land(vec![end]);
            }
            Tree::Let(bindings, body) => {
                self.enter();
                self.bind(bindings);
                self.value(body, to);
                self.unbind(bindings);
            }
            Tree::Function(function) => {
                self.enter();
                self.close(&[(None, function)], to);
            }
            Tree::Call(function, arguments) => {
                self.enter();
                let (callee, first) = self.prepare(function, arguments);
                self.emit(Op::Call { callee, first, count: small(arguments.len()), to });
            }
            Tree::One(operation, argument) => {
                self.enter();
                let a = self.operand(argument);
                self.emit(Op::One { operation: *operation, a, to });
            }
            Tree::Two(operation, arguments) => self.two(*operation, arguments, to),
        }
        self.body().top = free;
    }

    fn two(&mut self, operation: Two, arguments: &'t [Tree; 2], to: u32) {
        self.enter();
        let [a, b] = arguments;
        let op = match (operation, a, b) {
            (Two::RegexMatch, _, Tree::Pattern(pattern)) => {
                let a = self.operand(a);
                self.enter();
                self.program.patterns.push((**pattern).clone());
                Op::Match { a, pattern: small(self.program.patterns.len() - 1), to }
            }
            (Two::JsonType, Tree::One(One::JsonParse, text), _) => {
                self.enter();
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
        self.emit(op);
    }

    /// Computes whether a value is true, and jumps if that is as said.
    fn jump(&mut self, tree: &'t Tree, when: bool, jumps: &mut Jumps) {
        let free = self.body().top;
        match tree {
            Tree::Not(argument) => {
                self.enter();
                self.jump(argument, !when, jumps);
            }
            Tree::And(parts) | Tree::Or(parts) => {
                self.enter();
                let (last, earlier) = parts.split_last().expect("one or more were read");
                // What one part decides: that an `and` is false, that an `or` is true.
                let decided = matches!(tree, Tree::Or(_));
                let mut past = Jumps::new();
                for part in earlier {
                    self.jump(part, decided, if decided == when { jumps } else { &mut past });
                }
                self.jump(last, when, jumps);
                self.land(past);
            }
            Tree::Two(operation @ (Two::Equal | Two::Unequal), arguments) => {
                self.enter();
                let [a, b] = &**arguments;
                let (a, b) = (self.operand(a), self.operand(b));
                let when = when == (*operation == Two::Equal);
                jumps.push(self.emit(Op::JumpIfEqual { a, b, when, operation: *operation, target: 0 }));
            }
            _ => {
                let a = self.operand(tree);
                jumps.push(self.emit(Op::JumpIf { a, when, target: 0 }));
            }
        }
        self.body().top = free;
    }

    /// Where a value can be read: where it is, or where it is computed to.
    fn operand(&mut self, tree: &'t Tree) -> Operand {
        match tree {
            Tree::Literal(literal) => {
                self.enter();
                self.program.literals.push(literal.clone());
                return Operand::Fixed(small(self.program.literals.len()));
            }
            Tree::Implied => return Operand::SUBJECT,
            Tree::Subject => {
                self.enter();
                return Operand::SUBJECT;
            }
            Tree::Variable(name) => {
                if let Place::Value(operand) = self.place(name) {
                    self.enter();
                    return operand;
                }
            }
            _ => {}
        }
        let to = self.slot();
        self.value(tree, to);
        Operand::Slot(to)
    }

    fn variable(&mut self, name: &'t str, to: u32) {
        let place = self.place(name);
        self.enter();
        let op = match place {
            Place::Value(from) => Op::Move { from, to },
            Place::Cell(cell) => Op::GetCell { cell, name: self.name(name), to },
            Place::Sibling(function) => Op::Sibling { function, to },
            Place::Unset => Op::Unset { name: self.name(name) },
        };
        self.emit(op);
    }

    /// Computes who is called, and the arguments into slots of which the first is told.
    fn prepare(&mut self, function: &'t Tree, arguments: &'t [Tree]) -> (Callee, u32) {
        let sibling = match function {
            Tree::Variable(name) => match self.place(name) {
                Place::Sibling(number) => Some(number),
                _ => None,
            },
            _ => None,
        };
        let callee = match sibling {
            Some(number) => {
                self.enter();
                Callee::Sibling(number)
            }
            None => Callee::Value(self.operand(function)),
        };
        let first = self.body().top;
        for argument in arguments {
            let to = self.slot();
            self.value(argument, to);
        }
        (callee, first)
    }

    /// Computes the values of a `let`, whose names are in scope from here on.
    fn bind(&mut self, bindings: &'t [Binding]) {
        let outer = self.body().names.len();
        for binding in bindings {
            let place = if binding.early {
                let to = self.slot();
                self.emit(Op::NewCell { to });
                Place::Cell(Operand::Slot(to))
            } else {
                Place::Unset
            };
            self.body().names.push((&binding.name, place));
        }
        let mut at = 0;
        while let Some(binding) = bindings.get(at) {
            let together =
                bindings[at..].iter().map_while(|binding| Some((Some(&*binding.name), binding.function()?)));
            let together: Vec<_> = together.collect();
            let first = self.slot();
            if together.is_empty() {
                self.value(&binding.value, first);
            } else {
                for _ in 1..together.len() {
                    self.slot();
                }
                self.body().entered += small(together.len());
                self.close(&together, first);
            }
            for slot in first..first + small(together.len().max(1)) {
                if let Place::Cell(cell) = self.body().names[outer + at].1 {
                    self.emit(Op::SetCell { cell, from: slot });
                }
                self.body().names[outer + at].1 = Place::Value(Operand::Slot(slot));
                at += 1;
            }
        }
    }

    fn unbind(&mut self, bindings: &[Binding]) {
        let names = &mut self.body().names;
        names.truncate(names.len() - bindings.len());
    }

    /// Compiles functions that come into being together, and makes them, into slots from this one on.
    fn close(&mut self, functions: &[(Option<&'t str>, &'t Lambda)], to: u32) {
        let first = small(self.program.functions.len());
        self.program.functions.extend(functions.iter().map(|_| Function::default()));
        let siblings: Vec<_> =
            (first..).zip(functions).filter_map(|(number, (name, _))| Some(((*name)?, number))).collect();
        let mut captured = Vec::new();
        for (number, (name, function)) in (first..).zip(functions) {
            let parameters = small(function.parameters.len());
            let place = |(name, slot): (&'t String, u32)| (name.as_str(), Place::Value(Operand::Slot(slot)));
            self.bodies.push(Body {
                names: function.parameters.iter().zip(0..).map(place).collect(),
                siblings: siblings.clone(),
                captured,
                top: parameters,
                slots: parameters,
                ..Body::default()
            });
            self.tail(&function.body);
            captured = self.finish(number, *name, parameters);
        }
        let free = self.body().top;
        let captured = captured.into_iter().map(|(_, place)| self.copied(place)).collect();
        self.program.groups.push(Group { first, count: small(functions.len()), captured });
        self.emit(Op::Close { group: small(self.program.groups.len() - 1), to });
        self.body().top = free;
    }

    /// Where a captured variable is copied from.
    fn copied(&mut self, place: Place) -> Operand {
        match place {
            Place::Value(operand) | Place::Cell(operand) => operand,
            Place::Sibling(function) => {
                let to = self.slot();
                self.emit(Op::Sibling { function, to });
                Operand::Slot(to)
            }
            Place::Unset => unreachable!("what a function refers to before it is set has a cell"),
        }
    }

    /// Ends the function that is being compiled, and tells what its group has captured so far.
    fn finish(&mut self, number: u32, name: Option<&str>, parameters: u32) -> Vec<(&'t str, Place)> {
        let body = self.bodies.pop().expect("it was begun");
        let name = name.map(str::to_owned);
        self.program.functions[number as usize] =
            Function { name, parameters, slots: body.slots, code: body.code };
        body.captured
    }

    fn place(&mut self, name: &'t str) -> Place {
        self.place_in(self.bodies.len() - 1, name)
    }

    /// Where a variable is for one of the functions that are being compiled.
    fn place_in(&mut self, level: usize, name: &'t str) -> Place {
        let body = &self.bodies[level];
        if let Some((_, place)) = body.names.iter().rev().find(|(bound, _)| *bound == name) {
            return *place;
        }
        if let Some((_, number)) = body.siblings.iter().find(|(sibling, _)| *sibling == name) {
            return Place::Sibling(*number);
        }
        let known = body.captured.iter().position(|(captured, _)| *captured == name);
        let at = known.unwrap_or_else(|| {
            let outside = self.place_in(level - 1, name);
            let captured = &mut self.bodies[level].captured;
            captured.push((name, outside));
            captured.len() - 1
        });
        let operand = Operand::Captured(small(at));
        match self.bodies[level].captured[at].1 {
            Place::Cell(_) => Place::Cell(operand),
            _ => Place::Value(operand),
        }
    }

    fn name(&mut self, name: &str) -> u32 {
        self.program.names.push(name.to_owned());
        small(self.program.names.len() - 1)
    }

    fn slot(&mut self) -> u32 {
        let body = self.body();
        body.top += 1;
        body.slots = body.slots.max(body.top);
        body.top - 1
    }

    fn enter(&mut self) {
        self.body().entered += 1;
    }

    fn emit(&mut self, op: Op) -> usize {
        let body = self.body();
        body.code.push(Instruction { steps: std::mem::take(&mut body.entered), op });
        body.code.len() - 1
    }

    /// Lets jumps lead to the next instruction.
    fn land(&mut self, jumps: Jumps) {
        let body = self.body();
        let here = small(body.code.len());
        for at in jumps {
            match &mut body.code[at].op {
                Op::Jump { target } | Op::JumpIf { target, .. } | Op::JumpIfEqual { target, .. } => {
                    *target = here;
                }
                other => unreachable!("not a jump: {other:?}"),
            }
        }
    }

    fn body(&mut self) -> &mut Body<'t> {
        self.bodies.last_mut().expect("the expression itself is a function")
    }
}

/// What is counted here is written out in memory, so there are never four billion.
fn small(count: usize) -> u32 {
    u32::try_from(count).expect("fewer than four billion")
}
