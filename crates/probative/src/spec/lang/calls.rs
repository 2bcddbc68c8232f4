//! Variables, `let`, functions and calls to code.

use super::body::{Body, Place, small};
use super::code::{Callee, Function, Group, Op, Operand};
use super::compile::Compiler;
use super::tree::{Binding, Lambda, Tree};

impl<'t> Compiler<'t> {
    /// Computes the value of a variable into a slot.
    pub(super) fn variable(&mut self, name: &'t str, to: u32) {
        let place = self.place(name);
        self.body().enter();
        let op = match place {
            Place::Value(from) => Op::Move { from, to },
            Place::Cell(cell) => Op::GetCell { cell, name: self.name(name), to },
            Place::Sibling(function) => Op::Sibling { function, to },
            Place::Unset => Op::Unset { name: self.name(name) },
        };
        self.body().emit(op);
    }

    /// Calls a function, whose slots begin with the arguments.
    pub(super) fn call(&mut self, function: &'t Tree, arguments: &'t [Tree], to: u32) {
        let callee = self.callee(function);
        let first = self.body().top;
        for argument in arguments {
            let to = self.body().slot();
            self.value(argument, to);
        }
        self.body().emit(Op::Call { callee, first, count: small(arguments.len()), to });
    }

    /// Calls a function instead of the running one, whose parameters make way for the arguments.
    ///
    /// An argument is computed right into its place, unless a later one still needs what is there.
    pub(super) fn tail_call(&mut self, function: &'t Tree, arguments: &'t [Tree]) {
        let count = small(arguments.len());
        let callee = self.callee(function);
        // Whatever else is computed stays clear of those places.
        let body = self.body();
        body.reserve(count);
        let callee = match callee {
            Callee::Value(from @ Operand::Slot(at)) if at < count => {
                let to = body.slot();
                body.emit(Op::Move { from, to });
                Callee::Value(Operand::Slot(to))
            }
            clear => clear,
        };
        let mut aside = Vec::new();
        for (place, argument) in (0..).zip(arguments) {
            let later = &arguments[place as usize + 1..];
            let parameter = self.body().parameter(place);
            if parameter.is_some_and(|name| !later.iter().any(|argument| argument.mentions(name))) {
                self.value(argument, place);
            } else {
                let to = self.body().slot();
                self.value(argument, to);
                aside.push((Operand::Slot(to), place));
            }
        }
        for (from, to) in aside {
            self.body().emit(Op::Move { from, to });
        }
        self.body().emit(Op::TailCall { callee, count });
    }

    fn callee(&mut self, function: &'t Tree) -> Callee {
        if let Tree::Variable(name) = function
            && let Place::Sibling(number) = self.place(name)
        {
            self.body().enter();
            return Callee::Sibling(number);
        }
        Callee::Value(self.operand(function))
    }

    /// Computes the values of a `let`, whose names are in scope from here on.
    pub(super) fn bind(&mut self, bindings: &'t [Binding]) {
        let outer = self.body().names.len();
        for binding in bindings {
            let place = if binding.early {
                let to = self.body().slot();
                self.body().emit(Op::NewCell { to });
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
            let first = self.body().top;
            let next = first + small(together.len().max(1));
            self.body().reserve(next);
            if together.is_empty() {
                self.value(&binding.value, first);
            } else {
                self.close(&together, first);
            }
            for slot in first..next {
                let (_, place) = &mut self.body().names[outer + at];
                if let Place::Cell(cell) = std::mem::replace(place, Place::Value(Operand::Slot(slot))) {
                    self.body().emit(Op::SetCell { cell, from: slot });
                }
                at += 1;
            }
        }
    }

    /// The names of a `let` go out of scope.
    pub(super) fn unbind(&mut self, bindings: &[Binding]) {
        let names = &mut self.body().names;
        names.truncate(names.len() - bindings.len());
    }

    /// Compiles functions that come into being together, and makes them, into slots from this one on.
    pub(super) fn close(&mut self, functions: &[(Option<&'t str>, &'t Lambda)], to: u32) {
        let first = small(self.program.functions.len());
        self.program.functions.extend(functions.iter().map(|_| Function::default()));
        let siblings =
            (first..).zip(functions).filter_map(|(number, (name, _))| Some(((*name)?, number))).collect();
        let mut captured = Vec::new();
        for (number, (name, function)) in (first..).zip(functions) {
            self.body().enter();
            self.bodies.push(Body::new(&function.parameters, &siblings, captured));
            self.tail(&function.body);
            captured = self.finish(number, *name);
        }
        let free = self.body().top;
        let captured = captured.into_iter().map(|(_, place)| self.copied(place)).collect();
        let group = small(self.program.groups.len());
        self.program.groups.push(Group { first, count: small(functions.len()), captured });
        self.body().emit(Op::Close { group, to });
        self.body().top = free;
    }

    /// Where a captured variable is copied from.
    fn copied(&mut self, place: Place) -> Operand {
        match place {
            Place::Value(operand) | Place::Cell(operand) => operand,
            Place::Sibling(function) => {
                let to = self.body().slot();
                self.body().emit(Op::Sibling { function, to });
                Operand::Slot(to)
            }
            Place::Unset => unreachable!("what a function refers to before it is set has a cell"),
        }
    }

    /// Ends the function that is being compiled, and tells what its group has captured so far.
    pub(super) fn finish(&mut self, number: u32, name: Option<&str>) -> Vec<(&'t str, Place)> {
        let mut body = self.bodies.pop().expect("it was begun");
        let captured = std::mem::take(&mut body.captured);
        self.program.functions[number as usize] = body.finish(name);
        captured
    }

    /// Where a variable is for the function that is being compiled.
    pub(super) fn place(&mut self, name: &'t str) -> Place {
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
}
