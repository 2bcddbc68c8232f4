//! A function on its way to code.

use std::rc::Rc;

use super::code::{Function, Instruction, Op, Operand};

/// A function that is being compiled.
#[derive(Default)]
pub(super) struct Body<'t> {
    parameters: u32,
    code: Vec<Instruction>,
    /// Nodes that were entered since the last instruction.
    entered: i64,
    /// The names that it binds, innermost last.
    pub(super) names: Vec<(&'t str, Place)>,
    /// The functions of its group, by number.
    pub(super) siblings: Rc<[(&'t str, u32)]>,
    /// What its group captures, and where that is in the function around it.
    pub(super) captured: Vec<(&'t str, Place)>,
    /// The first slot that is free.
    pub(super) top: u32,
    /// How many are ever used.
    slots: u32,
}

/// Where a variable is.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Value(Operand),
    /// Behind a cell, as it may not be set yet.
    Cell(Operand),
    /// It is a function of the group of the running one.
    Sibling(u32),
    /// It is certainly not set yet.
    Unset,
}

/// Jumps, by their places in the code, that do not know yet where they lead.
pub(super) type Jumps = Vec<usize>;

impl<'t> Body<'t> {
    /// A function of these parameters, which are its first slots, in a group that has captured something already.
    pub(super) fn new(
        parameters: &'t [String],
        siblings: &Rc<[(&'t str, u32)]>,
        captured: Vec<(&'t str, Place)>,
    ) -> Body<'t> {
        let count = small(parameters.len());
        let place = |(name, slot): (&'t String, u32)| (name.as_str(), Place::Value(Operand::Slot(slot)));
        Body {
            parameters: count,
            names: parameters.iter().zip(0..).map(place).collect(),
            siblings: Rc::clone(siblings),
            captured,
            top: count,
            slots: count,
            ..Body::default()
        }
    }

    pub(super) fn finish(self, name: Option<&str>) -> Function {
        let Body { parameters, slots, code, .. } = self;
        Function { name: name.map(str::to_owned), parameters, slots, code }
    }

    /// The name of the parameter in a slot, if one is there.
    pub(super) fn parameter(&self, slot: u32) -> Option<&'t str> {
        let is_one = slot < self.parameters;
        is_one.then(|| self.names[slot as usize].0)
    }

    /// A node is entered.
    pub(super) fn enter(&mut self) {
        self.entered += 1;
    }

    /// A slot that nothing else uses.
    pub(super) fn slot(&mut self) -> u32 {
        self.reserve(self.top + 1);
        self.top - 1
    }

    /// Takes slots until so many are taken in all.
    pub(super) fn reserve(&mut self, count: u32) {
        self.top = self.top.max(count);
        self.slots = self.slots.max(self.top);
    }

    /// Adds an instruction, and tells where.
    pub(super) fn emit(&mut self, op: Op) -> usize {
        self.code.push(Instruction { steps: std::mem::take(&mut self.entered), op });
        self.code.len() - 1
    }

    /// Lets jumps lead to the next instruction.
    pub(super) fn land(&mut self, jumps: Jumps) {
        debug_assert_eq!(self.entered, 0, "what was entered before is charged on the way that entered it");
        let here = self.code.len();
        for at in jumps {
            match &mut self.code[at].op {
                Op::Jump { skip } | Op::JumpIf { skip, .. } | Op::JumpIfEqual { skip, .. } => {
                    *skip = small(here - at - 1);
                }
                other => unreachable!("not a jump: {other:?}"),
            }
        }
    }
}

/// What is counted here is written out in memory, so there are never four billion.
pub(super) fn small(count: usize) -> u32 {
    u32::try_from(count).expect("fewer than four billion")
}
