//! Where the machine keeps values.

use std::rc::Rc;

use crate::value::Value;
use crate::verdict::Error;

use super::closure::Environment;
use super::code::{Group, Operand, Program};
use super::datum::Datum;
use super::fault::{Fault, exhausted};
use super::memory::Memory;

/// How many values the stack may hold, and how many variables functions may refer to before they are set.
const MOST_SLOTS: usize = 16_000_000;
const MOST_CELLS: usize = 1_000_000;

#[derive(Debug)]
pub(super) struct Store<'e> {
    /// The subject and the literals, then the slots of the functions that are running.
    stack: Vec<Datum<'e>>,
    /// Where the slots of the running function begin.
    pub(super) base: usize,
    /// What the running function has captured.
    pub(super) environment: Rc<Environment<'e>>,
    /// Variables that functions refer to before they are set. They live as long as the evaluation.
    cells: Vec<Option<Datum<'e>>>,
    pub(super) memory: Memory,
}

impl<'e> Store<'e> {
    pub(super) fn new(program: &'e Program, subject: &'e Value, slots: u32) -> Store<'e> {
        let base = program.literals.len() + 1;
        let mut stack = Vec::with_capacity(base + slots as usize);
        stack.push(Datum::borrowed(subject));
        stack.extend(program.literals.iter().map(Datum::borrowed));
        stack.resize(base + slots as usize, Datum::Null);
        Store { stack, base, environment: Rc::default(), cells: Vec::new(), memory: Memory::default() }
    }

    #[inline]
    pub(super) fn read(&self, operand: Operand) -> &Datum<'e> {
        let at = match operand {
            Operand::Slot(at) => self.base + at as usize,
            Operand::Fixed(at) => at as usize,
            Operand::Captured(at) => return self.environment.get(at),
        };
        &self.stack[at]
    }

    #[inline]
    pub(super) fn write(&mut self, to: u32, value: Datum<'e>) {
        self.stack[self.base + to as usize] = value;
    }

    /// The same for a number where mostly one was before: nothing needs to be let go of.
    #[inline]
    pub(super) fn write_whole(&mut self, to: u32, number: i64) {
        match &mut self.stack[self.base + to as usize] {
            Datum::Whole(old) => *old = number,
            other => *other = Datum::Whole(number),
        }
    }

    /// What a function leaves behind: its slots are not looked at again.
    #[inline]
    pub(super) fn leave_with(&mut self, operand: Operand) -> Datum<'e> {
        match operand {
            Operand::Slot(at) => std::mem::take(&mut self.stack[self.base + at as usize]),
            Operand::Fixed(_) | Operand::Captured(_) => self.read(operand).clone(),
        }
    }

    /// A function goes on that waited for the result of another, in its own environment unless that was shared.
    #[inline(never)]
    pub(super) fn come_back(
        &mut self,
        base: usize,
        environment: Option<Rc<Environment<'e>>>,
        to: u32,
        result: Datum<'e>,
    ) {
        self.base = base;
        if let Some(environment) = environment {
            self.environment = environment;
        }
        self.write(to, result);
    }

    /// Makes room for the slots of the running function.
    #[inline]
    pub(super) fn make_room(&mut self, slots: u32) -> Result<(), Fault> {
        let needed = self.base + slots as usize;
        if needed > self.stack.len() { self.grow(needed) } else { Ok(()) }
    }

    #[cold]
    fn grow(&mut self, needed: usize) -> Result<(), Fault> {
        check_slots(needed)?;
        self.stack.resize(needed.next_power_of_two(), Datum::Null);
        Ok(())
    }

    /// Copies a value into a slot.
    #[inline(never)]
    pub(super) fn copy(&mut self, from: Operand, to: u32) {
        self.write(to, self.read(from).clone());
    }

    /// Makes a function of the same group as the running one a value.
    #[inline(never)]
    pub(super) fn sibling(&mut self, function: u32, to: u32) {
        self.write(to, Datum::Function(Rc::clone(&self.environment), function));
    }

    /// Makes the functions of a group.
    #[inline(never)]
    pub(super) fn close(&mut self, group: &Group, to: u32) -> Result<(), Fault> {
        let held = self.memory.hold(Environment::size(group.captured.len()))?;
        let captured = group.captured.iter().map(|operand| self.read(*operand).clone()).collect();
        let environment = Environment::new(captured, Some(held));
        for at in 0..group.count {
            self.write(to + at, Datum::Function(Rc::clone(&environment), group.first + at));
        }
        Ok(())
    }

    #[inline(never)]
    pub(super) fn new_cell(&mut self, to: u32) -> Result<(), Fault> {
        match u32::try_from(self.cells.len()) {
            Ok(number) if self.cells.len() < MOST_CELLS => {
                self.cells.push(None);
                self.write(to, Datum::Cell(number));
                Ok(())
            }
            _ => Err(exhausted(
                "spec_lang functions refer to more than 1,000,000 variables before they are set",
            )
            .into()),
        }
    }

    #[inline(never)]
    pub(super) fn set_cell(&mut self, cell: Operand, from: u32) {
        let value = self.read(Operand::Slot(from)).clone();
        if let Datum::Cell(number) = *self.read(cell) {
            self.cells[number as usize] = Some(value);
        }
    }

    /// What is in a cell, if it is set.
    pub(super) fn cell(&self, cell: Operand) -> Option<&Datum<'e>> {
        match self.read(cell) {
            Datum::Cell(number) => self.cells[*number as usize].as_ref(),
            _ => None,
        }
    }
}

/// Whether the stack may hold so many values.
fn check_slots(needed: usize) -> Result<(), Error> {
    if needed > MOST_SLOTS {
        return Err(exhausted("spec_lang recursion holds more than 16,000,000 values"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stack_holds_as_many_values_as_it_says_and_no_more() {
        assert!(check_slots(16_000_000).is_ok());
        let error = check_slots(16_000_001).unwrap_err();
        assert_eq!(error.to_string(), "spec_lang recursion holds more than 16,000,000 values");
    }
}
