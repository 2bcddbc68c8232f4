//! What an expression is compiled to: functions of flat code over numbered slots.

use std::sync::Arc;

use crate::value::{Pattern, Value};

use super::symbol::{One, Two};

/// A compiled expression.
#[derive(Debug, Default)]
pub(super) struct Program {
    /// The first is the expression itself; it has no parameters.
    pub(super) functions: Vec<Function>,
    /// Functions that come into being together.
    pub(super) groups: Vec<Group>,
    /// The literals. Counting from 1: the subject is 0.
    pub(super) literals: Vec<Value>,
    pub(super) patterns: Vec<Arc<Pattern>>,
    /// Names of variables, for messages.
    pub(super) names: Vec<String>,
}

#[derive(Debug, Default)]
pub(super) struct Function {
    /// The name that it is bound to, if it is.
    pub(super) name: Option<String>,
    pub(super) parameters: u32,
    /// How many slots it uses; the first are its parameters.
    pub(super) slots: u32,
    pub(super) code: Vec<Instruction>,
}

/// Functions with consecutive numbers that share what they have captured.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) first: u32,
    pub(super) count: u32,
    pub(super) captured: Vec<Operand>,
}

#[derive(Debug)]
pub(super) struct Instruction {
    /// The steps since the last instruction: the nodes that were entered. They are taken before anything is done.
    pub(super) steps: i64,
    pub(super) op: Op,
}

/// Where a value is read from. Nothing that can be read so is ever overwritten while it is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operand {
    /// A slot of the running function.
    Slot(u32),
    /// The subject, which is 0, or a literal.
    Fixed(u32),
    /// What the running function has captured.
    Captured(u32),
}

impl Operand {
    pub(super) const SUBJECT: Operand = Operand::Fixed(0);
}

/// Who is called.
#[derive(Debug, Clone, Copy)]
pub(super) enum Callee {
    Value(Operand),
    /// A function of the same group as the running one, by its number.
    Sibling(u32),
}

/// One operation. `to` is a slot of the running function. Jumps lead ahead, past so many instructions.
#[derive(Debug, Clone, Copy)]
pub(super) enum Op {
    Move {
        from: Operand,
        to: u32,
    },
    SetBool {
        value: bool,
        to: u32,
    },
    Not {
        a: Operand,
        to: u32,
    },
    Add {
        a: Operand,
        b: Operand,
        to: u32,
    },
    Sub {
        a: Operand,
        b: Operand,
        to: u32,
    },
    One {
        operation: One,
        a: Operand,
        to: u32,
    },
    Two {
        operation: Two,
        a: Operand,
        b: Operand,
        to: u32,
    },
    Match {
        a: Operand,
        pattern: u32,
        to: u32,
    },
    Jump {
        skip: u32,
    },
    /// Jumps if the truth of a value is as said.
    JumpIf {
        a: Operand,
        when: bool,
        skip: u32,
    },
    /// Jumps if the equality of two values is as said.
    JumpIfEqual {
        a: Operand,
        b: Operand,
        when: bool,
        operation: Two,
        skip: u32,
    },
    /// Makes the functions of a group, into slots from this one on.
    Close {
        group: u32,
        to: u32,
    },
    /// A function of the same group as the running one, as a value.
    Sibling {
        function: u32,
        to: u32,
    },
    /// Makes a place for a variable that functions refer to before it is set.
    NewCell {
        to: u32,
    },
    SetCell {
        cell: Operand,
        from: u32,
    },
    GetCell {
        cell: Operand,
        name: u32,
        to: u32,
    },
    /// A variable that is certainly not set yet.
    Unset {
        name: u32,
    },
    /// Calls with the arguments in slots from `first` on.
    Call {
        callee: Callee,
        first: u32,
        count: u32,
        to: u32,
    },
    /// Calls instead of the running function, with the arguments in the first slots.
    TailCall {
        callee: Callee,
        count: u32,
    },
    Return {
        from: Operand,
    },
}
