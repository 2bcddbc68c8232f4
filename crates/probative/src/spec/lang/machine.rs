//! Runs code. The machine keeps its own stack, so nothing that an expression does can overflow the host's.

use std::rc::Rc;

use crate::value::{Value, visible};
use crate::verdict::Error;

use super::budget::{Budget, Meter};
use super::builtins::{Tools, equal, matches, takes};
use super::closure::Environment;
use super::code::{Callee, Function, Instruction, Op, Operand, Program};
use super::datum::Datum;
use super::fault::{Fault, exhausted, malformed};
use super::number;
use super::store::Store;
use super::symbol::{One, Operation, Two};
use super::world::World;

/// How deep calls may be nested that are not in tail position.
const DEEPEST_CALLS: usize = 1_000_000;

#[derive(Debug)]
pub(super) struct Machine<'e> {
    program: &'e Program,
    store: Store<'e>,
    /// Who waits for the result of the running function.
    waiting: Vec<Waiting<'e>>,
    meter: Meter<'e>,
    tools: Tools<'e>,
}

/// A function that waits for the result of another.
#[derive(Debug)]
struct Waiting<'e> {
    code: &'e [Instruction],
    /// The instruction that it goes on with.
    at: usize,
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
        Machine {
            program,
            store: Store::new(program, subject, program.functions[0].slots),
            waiting: Vec::new(),
            meter: Meter::new(budget, world),
            tools: Tools { world, pattern: None },
        }
    }

    /// Runs to the end.
    ///
    /// Numbers are counted and compared right here. Whatever takes longer stays out of line, so that the code, the place in
    /// it and the steps that are ready can stay in registers.
    pub(super) fn run(mut self) -> Result<Datum<'e>, Fault> {
        let (mut code, mut at) = (&*self.program.functions[0].code, 0);
        // The steps that may be taken before the meter is asked.
        let mut ready = 0;
        while let Some(instruction) = code.get(at) {
            at += 1;
            ready -= instruction.steps;
            if ready < 0 {
                ready = self.meter.refill(ready, instruction.steps)?;
            }
            match instruction.op {
                Op::Move { from, to } => self.store.copy(from, to),
                Op::SetBool { value, to } => self.store.write(to, Datum::Bool(value)),
                Op::Not { a, to } => self.store.write(to, Datum::Bool(!self.store.read(a).is_true())),
                Op::Add { a, b, to } => match number::small_sum(self.store.read(a), self.store.read(b)) {
                    Some(sum) => self.store.write_whole(to, sum),
                    None => self.two(Two::Add, a, b, to)?,
                },
                Op::Sub { a, b, to } => {
                    match number::small_difference(self.store.read(a), self.store.read(b)) {
                        Some(difference) => self.store.write_whole(to, difference),
                        None => self.two(Two::Sub, a, b, to)?,
                    }
                }
                Op::One { operation, a, to } => self.one(operation, a, to)?,
                Op::Two { operation, a, b, to } => self.two(operation, a, b, to)?,
                Op::Match { a, pattern, to } => self.find(a, pattern, to)?,
                Op::Jump { skip } => at += skip as usize,
                Op::JumpIf { a, when, skip } => {
                    if self.store.read(a).is_true() == when {
                        at += skip as usize;
                    }
                }
                Op::JumpIfEqual { a, b, when, operation, skip } => {
                    if self.equal(operation, a, b)? == when {
                        at += skip as usize;
                    }
                }
                Op::Close { group, to } => self.store.close(&self.program.groups[group as usize], to)?,
                Op::Sibling { function, to } => self.store.sibling(function, to),
                Op::NewCell { to } => self.store.new_cell(to)?,
                Op::SetCell { cell, from } => self.store.set_cell(cell, from),
                Op::GetCell { cell, name, to } => self.get_cell(cell, name, to)?,
                Op::Unset { name } => return Err(self.unset(name).into()),
                Op::Call { callee, first, count, to } => {
                    let waiting = Waiting { code, at, base: self.store.base, to, environment: None };
                    (code, at) = (self.call(callee, first, count, waiting)?, 0);
                }
                Op::TailCall { callee, count } => (code, at) = (self.tail_call(callee, count)?, 0),
                Op::Return { from } => {
                    let result = self.store.leave_with(from);
                    let Some(waiting) = self.waiting.pop() else { return Ok(result) };
                    (code, at) = (waiting.code, waiting.at);
                    self.store.come_back(waiting.base, waiting.environment, waiting.to, result);
                }
            }
        }
        unreachable!("a function ends with a call or a return");
    }

    #[inline(never)]
    fn one(&mut self, operation: One, a: Operand, to: u32) -> Result<(), Fault> {
        let a = self.store.read(a);
        let result = self.tools.one(operation, a)?;
        result.hold(&self.store.memory)?;
        if a.is_large() {
            self.meter.look()?;
        }
        self.store.write(to, result);
        Ok(())
    }

    #[inline(never)]
    fn two(&mut self, operation: Two, a: Operand, b: Operand, to: u32) -> Result<(), Fault> {
        let (a, b) = (self.store.read(a), self.store.read(b));
        let result = self.tools.two(operation, a, b)?;
        result.hold(&self.store.memory)?;
        if operation.reads_all() && (a.is_large() || b.is_large()) {
            self.meter.look()?;
        }
        self.store.write(to, result);
        Ok(())
    }

    #[inline(never)]
    fn find(&mut self, a: Operand, pattern: u32, to: u32) -> Result<(), Fault> {
        let found = matches(self.store.read(a), &self.program.patterns[pattern as usize])?;
        self.meter.look()?;
        self.store.write(to, Datum::Bool(found));
        Ok(())
    }

    /// Whether two values are equal.
    #[inline]
    fn equal(&self, operation: Two, a: Operand, b: Operand) -> Result<bool, Fault> {
        match (self.store.read(a), self.store.read(b)) {
            (Datum::Whole(a), Datum::Whole(b)) => Ok(a == b),
            (a, b) => self.compare(operation, a, b),
        }
    }

    /// The same for any values.
    #[inline(never)]
    fn compare(&self, operation: Two, a: &Datum<'e>, b: &Datum<'e>) -> Result<bool, Fault> {
        let equal = equal(operation, a, b)?;
        if a.is_large() && b.is_large() {
            self.meter.look()?;
        }
        Ok(equal)
    }

    #[inline(never)]
    fn get_cell(&mut self, cell: Operand, name: u32, to: u32) -> Result<(), Fault> {
        let value = self.store.cell(cell).cloned().ok_or_else(|| self.unset(name))?;
        self.store.write(to, value);
        Ok(())
    }

    /// Calls a function, whose slots begin where its arguments are. The caller waits.
    #[inline]
    fn call(
        &mut self,
        callee: Callee,
        first: u32,
        count: u32,
        mut waiting: Waiting<'e>,
    ) -> Result<&'e [Instruction], Fault> {
        if self.waiting.len() == DEEPEST_CALLS {
            return Err(exhausted("spec_lang recursion is deeper than 1,000,000 calls").into());
        }
        let number = match callee {
            Callee::Sibling(number) => number,
            Callee::Value(operand) => {
                let (number, environment) = self.function(operand)?;
                waiting.environment = Some(std::mem::replace(&mut self.store.environment, environment));
                number
            }
        };
        self.waiting.push(waiting);
        self.store.base += first as usize;
        self.start(number, count)
    }

    /// Calls a function instead of the running one.
    #[inline(never)]
    fn tail_call(&mut self, callee: Callee, count: u32) -> Result<&'e [Instruction], Fault> {
        let number = match callee {
            Callee::Sibling(number) => number,
            Callee::Value(operand) => {
                let (number, environment) = self.function(operand)?;
                let left = std::mem::replace(&mut self.store.environment, environment);
                if let Some(waiting) = self.waiting.last_mut() {
                    // Whoever waits shared it with the running function, and goes on in it.
                    waiting.environment.get_or_insert(left);
                }
                number
            }
        };
        self.start(number, count)
    }

    /// The code of a function, which finds its arguments and room for the rest.
    #[inline]
    fn start(&mut self, number: u32, count: u32) -> Result<&'e [Instruction], Fault> {
        let function = &self.program.functions[number as usize];
        if function.parameters != count {
            return Err(miscounted(function, count).into());
        }
        self.store.make_room(function.slots)?;
        Ok(&function.code)
    }

    /// The function that a value is.
    fn function(&self, operand: Operand) -> Result<(u32, Rc<Environment<'e>>), Fault> {
        match self.store.read(operand) {
            Datum::Function(environment, number) => Ok((*number, Rc::clone(environment))),
            other => Err(takes(Operation::Call, "a function", other).into()),
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
