//! Runs code. The machine keeps its own stack, so nothing that an expression does can overflow the host's.

use std::rc::Rc;

use crate::value::{Value, visible};
use crate::verdict::Error;

use super::budget::{Budget, Meter};
use super::builtins::{Tools, equal, matches, takes};
use super::closure::Environment;
use super::code::{Callee, Function, Instruction, Op, Operand, Program};
use super::datum::Datum;
use super::fault::{exhausted, malformed};
use super::number;
use super::store::Store;
use super::symbol::{One, Operation, Two};
use super::world::World;

/// How deep calls may be nested that are not in tail position.
const DEEPEST_CALLS: usize = 1_000_000;

#[derive(Debug)]
pub(super) struct Machine<'e> {
    program: &'e Program,
    /// The code of the running function, and the next instruction in it.
    code: &'e [Instruction],
    next: usize,
    store: Store<'e>,
    /// Who waits for the result of the running function.
    callers: Vec<Caller<'e>>,
    meter: Meter<'e>,
    tools: Tools<'e>,
}

/// A function that waits for the result of another.
#[derive(Debug)]
struct Caller<'e> {
    code: &'e [Instruction],
    next: usize,
    base: usize,
    /// The slot for the result.
    to: u32,
    /// Its environment, unless it shares that of the function that it called.
    environment: Option<Rc<Environment<'e>>>,
}

impl<'e> Machine<'e> {
    pub(super) fn new(
        program: &'e Program,
        subject: &'e Value,
        budget: &Budget,
        world: &'e dyn World,
    ) -> Machine<'e> {
        let main = &program.functions[0];
        Machine {
            program,
            code: &main.code,
            next: 0,
            store: Store::new(program, subject, main.slots),
            callers: Vec::new(),
            meter: Meter::new(budget, world),
            tools: Tools { world, pattern: None },
        }
    }

    /// Runs to the end.
    pub(super) fn run(mut self) -> Result<Datum<'e>, Error> {
        loop {
            let instruction = &self.code[self.next];
            self.next += 1;
            self.meter.take(instruction.steps)?;
            match instruction.op {
                Op::Move { from, to } => self.store.write(to, self.store.read(from).clone()),
                Op::SetBool { value, to } => self.store.write(to, Datum::Bool(value)),
                Op::Not { a, to } => self.store.write(to, Datum::Bool(!self.store.read(a).is_true())),
                Op::Add { a, b, to } => {
                    let sum = number::add(self.store.read(a), self.store.read(b))?;
                    self.store.write(to, sum);
                }
                Op::Sub { a, b, to } => {
                    let difference = number::sub(self.store.read(a), self.store.read(b))?;
                    self.store.write(to, difference);
                }
                Op::One { operation, a, to } => self.one(operation, a, to)?,
                Op::Two { operation, a, b, to } => self.two(operation, a, b, to)?,
                Op::Match { a, pattern, to } => self.find(a, pattern, to)?,
                Op::Jump { target } => self.next = target as usize,
                Op::JumpIf { a, when, target } => {
                    if self.store.read(a).is_true() == when {
                        self.next = target as usize;
                    }
                }
                Op::JumpIfEqual { a, b, when, operation, target } => {
                    if self.equal(operation, a, b)? == when {
                        self.next = target as usize;
                    }
                }
                Op::Close { group, to } => self.store.close(&self.program.groups[group as usize], to),
                Op::Sibling { function, to } => {
                    let environment = Rc::clone(&self.store.environment);
                    self.store.write(to, Datum::Function(environment, function));
                }
                Op::NewCell { to } => self.store.new_cell(to)?,
                Op::SetCell { cell, from } => self.store.set_cell(cell, from),
                Op::GetCell { cell, name, to } => {
                    let value = self.store.cell(cell).cloned().ok_or_else(|| self.unset(name))?;
                    self.store.write(to, value);
                }
                Op::Unset { name } => return Err(self.unset(name)),
                Op::Call { callee, first, count, to } => self.call(callee, first, count, to)?,
                Op::TailCall { callee, first, count } => self.tail_call(callee, first, count)?,
                Op::Return { from } => {
                    let result = self.store.leave_with(from);
                    match self.callers.pop() {
                        None => return Ok(result),
                        Some(caller) => self.resume(caller, result),
                    }
                }
            }
        }
    }

    fn one(&mut self, operation: One, a: Operand, to: u32) -> Result<(), Error> {
        let a = self.store.read(a);
        let result = self.tools.one(operation, a)?;
        if a.is_large() {
            self.meter.look()?;
        }
        self.store.write(to, result);
        Ok(())
    }

    fn two(&mut self, operation: Two, a: Operand, b: Operand, to: u32) -> Result<(), Error> {
        let (a, b) = (self.store.read(a), self.store.read(b));
        let result = self.tools.two(operation, a, b)?;
        if operation.reads_all() && (a.is_large() || b.is_large()) {
            self.meter.look()?;
        }
        self.store.write(to, result);
        Ok(())
    }

    fn find(&mut self, a: Operand, pattern: u32, to: u32) -> Result<(), Error> {
        let found = matches(self.store.read(a), &self.program.patterns[pattern as usize])?;
        self.meter.look()?;
        self.store.write(to, Datum::Bool(found));
        Ok(())
    }

    #[inline]
    fn equal(&self, operation: Two, a: Operand, b: Operand) -> Result<bool, Error> {
        match (self.store.read(a), self.store.read(b)) {
            (Datum::Whole(a), Datum::Whole(b)) => Ok(a == b),
            (a, b) => {
                let equal = equal(operation, a, b)?;
                if a.is_large() && b.is_large() {
                    self.meter.look()?;
                }
                Ok(equal)
            }
        }
    }

    /// Calls a function, whose slots begin where its arguments are. The caller waits.
    #[inline]
    fn call(&mut self, callee: Callee, first: u32, count: u32, to: u32) -> Result<(), Error> {
        let (function, environment) = self.callee(callee, count)?;
        if self.callers.len() == DEEPEST_CALLS {
            return Err(exhausted("spec_lang recursion is deeper than 1,000,000 calls"));
        }
        let environment =
            environment.map(|environment| std::mem::replace(&mut self.store.environment, environment));
        let Machine { code, next, .. } = *self;
        self.callers.push(Caller { code, next, base: self.store.base, to, environment });
        self.store.base += first as usize;
        self.start(function)
    }

    /// Calls a function instead of the running one.
    #[inline]
    fn tail_call(&mut self, callee: Callee, first: u32, count: u32) -> Result<(), Error> {
        let (function, environment) = self.callee(callee, count)?;
        if let Some(environment) = environment {
            self.store.environment = environment;
        }
        self.store.move_down(first, count);
        self.start(function)
    }

    #[inline]
    fn start(&mut self, function: &'e Function) -> Result<(), Error> {
        self.code = &function.code;
        self.next = 0;
        self.store.make_room(function.slots)
    }

    #[inline]
    fn resume(&mut self, caller: Caller<'e>, result: Datum<'e>) {
        self.code = caller.code;
        self.next = caller.next;
        self.store.base = caller.base;
        if let Some(environment) = caller.environment {
            self.store.environment = environment;
        }
        self.store.write(caller.to, result);
    }

    /// The function to call, and its environment unless it is that of the running one.
    #[inline]
    fn callee(
        &self,
        callee: Callee,
        count: u32,
    ) -> Result<(&'e Function, Option<Rc<Environment<'e>>>), Error> {
        let (number, environment) = match callee {
            Callee::Sibling(number) => (number, None),
            Callee::Value(operand) => match self.store.read(operand) {
                Datum::Function(environment, number) => (*number, Some(Rc::clone(environment))),
                other => return Err(takes(Operation::Call, "a function", other)),
            },
        };
        let function = &self.program.functions[number as usize];
        if function.parameters == count {
            Ok((function, environment))
        } else {
            Err(miscounted(function, count))
        }
    }

    #[cold]
    fn unset(&self, name: u32) -> Error {
        malformed(format!("variable '{}' is not set yet", visible(&self.program.names[name as usize])))
    }
}

#[cold]
fn miscounted(function: &Function, got: u32) -> Error {
    let name =
        function.name.as_ref().map_or("the function".to_owned(), |name| format!("'{}'", visible(name)));
    let takes = match function.parameters {
        0 => "no arguments".to_owned(),
        1 => "1 argument".to_owned(),
        more => format!("{more} arguments"),
    };
    malformed(format!("{name} takes {takes}, got {got}"))
}
