//! Shorter ways for what loops do: they count, compare with a number, and call themselves.

use super::code::{Callee, Instruction, Op, Operand, Program};
use super::symbol::Two;

/// Replaces operations that have a shorter way: none moves, and each costs the steps that it did.
pub(super) fn shorten(program: &mut Program) {
    let Program { functions, literals, .. } = program;
    let whole = |at: u32| {
        let literal = literals.get((at as usize).checked_sub(1)?)?;
        i32::try_from(literal.as_i64()?).ok()
    };
    for (number, function) in (0..).zip(functions) {
        for instruction in &mut function.code {
            let short = match instruction.op {
                Op::Add { a: Operand::Slot(a), b: Operand::Fixed(b), to } => {
                    whole(b).map(|by| counting(Two::Add, a, by, to))
                }
                Op::Sub { a: Operand::Slot(a), b: Operand::Fixed(b), to } => {
                    whole(b).and_then(i32::checked_neg).map(|by| counting(Two::Sub, a, by, to))
                }
                Op::JumpIfEqual { a: Operand::Slot(a), b: Operand::Fixed(b), when, operation, skip } => {
                    whole(b).map(|b| Op::JumpIfWhole { a, b, when, operation, skip })
                }
                Op::TailCall { callee: Callee::Sibling(callee), count }
                    if callee == number && count == function.parameters =>
                {
                    Some(Op::Again)
                }
                _ => None,
            };
            instruction.op = short.unwrap_or(instruction.op);
        }
        join(&mut function.code);
    }
}

/// Adds a number to what is in a slot, in place where that is where it goes.
fn counting(operation: Two, a: u32, by: i32, to: u32) -> Op {
    if a == to { Op::Count { slot: a, by, operation } } else { Op::AddWhole { a, by, operation, to } }
}

/// Lets the last of the counting call the function again. The call stays where it is, for those who jump to it.
fn join(code: &mut [Instruction]) {
    for at in 1..code.len() {
        if let [Instruction { op: counting, .. }, Instruction { op: Op::Again, steps: 0 }] =
            &mut code[at - 1..=at]
            && let Op::Count { slot, by, operation } = *counting
        {
            *counting = Op::CountAgain { slot, by, operation };
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::budget::Budget;
    use super::super::compile::{compile, compile_plainly};
    use super::super::machine::Machine;
    use super::super::read::read;
    use super::super::world::Nowhere;
    use super::*;
    use crate::value::Value;

    /// `loop(n, sum)`, which goes on with other arguments until `n` compares with the end as said.
    fn looped(compare: &str, start: &Value, arguments: [Value; 2], end: &Value) -> Value {
        let [n, sum] = arguments;
        let next = json!(["call", ["var", "loop"], n, sum]);
        let body = json!(["if", [compare, ["var", "n"], end], ["var", "sum"], next]);
        json!(["let", [["loop", ["fn", ["n", "sum"], body]]], ["call", ["var", "loop"], start, start]])
    }

    /// Ways to go on: counting in place, counting into the other's place, and counting on one of two ways to the call.
    fn arguments(step: &Value) -> [[Value; 2]; 3] {
        let (down, up) = (json!(["sub", ["var", "n"], step]), json!(["add", ["var", "sum"], step]));
        let either = json!(["if", ["eq", ["var", "sum"], 1], ["var", "sum"], up]);
        [[down.clone(), up.clone()], [up, down.clone()], [down, either]]
    }

    /// The answer or the error, word for word.
    fn outcome(program: &Program, max_steps: u64) -> Result<Value, String> {
        let budget = Budget { max_steps, ..Budget::STANDARD };
        let result = Machine::new(program, &Value::Null, &budget, &Nowhere).run();
        result.map(|datum| datum.value().unwrap().into_owned()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_short_way_leads_where_the_plain_one_does_step_by_step() {
        let edges = [
            json!(0),
            json!(1),
            json!(-2),
            json!(1.0),
            json!("1"),
            json!(i32::MIN),
            json!(i64::from(i32::MAX) + 1),
            json!(i64::MIN),
            json!(u64::MAX),
        ];
        for (start, step) in edges.iter().flat_map(|start| edges.iter().map(move |step| (start, step))) {
            for (compare, end) in edges.iter().flat_map(|end| [("eq", end), ("neq", end)]) {
                for arguments in arguments(step) {
                    let written = looped(compare, start, arguments, end);
                    let tree = read(&written).unwrap().tree;
                    let (short, plain) = (compile(&tree), compile_plainly(&tree));
                    for max_steps in 1..40 {
                        let (short, plain) = (outcome(&short, max_steps), outcome(&plain, max_steps));
                        assert_eq!(short, plain, "{written} with {max_steps} steps");
                    }
                }
            }
        }
    }

    #[test]
    fn a_loop_that_counts_is_short() {
        let ways =
            ["JumpIfWhole Count CountAgain", "JumpIfWhole AddWhole Again", "JumpIfWhole Count CountAgain"];
        for (arguments, ways) in arguments(&json!(1)).into_iter().zip(ways) {
            let tree = read(&looped("eq", &json!(3), arguments, &json!(0))).unwrap().tree;
            let code = format!("{:?}", compile(&tree).functions[1].code);
            for op in ways.split(' ') {
                assert!(code.contains(&format!("op: {op} ")), "no {op} in {code}");
            }
        }
    }

    #[test]
    fn a_call_of_itself_with_too_few_arguments_is_no_loop() {
        let written =
            json!(["let", [["f", ["fn", ["n"], ["call", ["var", "f"]]]]], ["call", ["var", "f"], 1]]);
        let program = compile(&read(&written).unwrap().tree);
        assert_eq!(outcome(&program, 100), Err("'f' takes 1 argument, got 0".to_owned()));
    }
}
