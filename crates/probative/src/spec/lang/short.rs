//! Shorter ways for what loops do: they count, compare with a number, and call themselves.

use super::code::{Callee, Op, Operand, Program};

/// Replaces operations that have a shorter way, one by one: none moves, and each costs the steps that it did.
pub(super) fn shorten(program: &mut Program) {
    let whole = |at: u32| {
        let literal = program.literals.get((at as usize).checked_sub(1)?)?;
        i32::try_from(literal.as_i64()?).ok()
    };
    for (number, function) in (0..).zip(&mut program.functions) {
        for instruction in &mut function.code {
            let short = match instruction.op {
                Op::Add { a: Operand::Slot(a), b: Operand::Fixed(b), to } => {
                    whole(b).map(|b| Op::AddWhole { a, b, to })
                }
                Op::Sub { a: Operand::Slot(a), b: Operand::Fixed(b), to } => {
                    whole(b).map(|b| Op::SubWhole { a, b, to })
                }
                Op::JumpIfEqual { a: Operand::Slot(a), b: Operand::Fixed(b), when, operation, skip } => {
                    whole(b).map(|b| Op::JumpIfWhole { a, b, when, operation, skip })
                }
                Op::TailCall { callee: Callee::Sibling(callee), count }
                    if callee == number && count == function.parameters =>
                {
                    Some(Op::Again { function: number })
                }
                _ => None,
            };
            instruction.op = short.unwrap_or(instruction.op);
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

    /// `loop(n, sum)`, which goes on until `n` compares with the end as said.
    fn looped(compare: &str, start: &Value, step: &Value, end: &Value) -> Value {
        let next =
            json!(["call", ["var", "loop"], ["sub", ["var", "n"], step], ["add", ["var", "sum"], step]]);
        let body = json!(["if", [compare, ["var", "n"], end], ["var", "sum"], next]);
        json!(["let", [["loop", ["fn", ["n", "sum"], body]]], ["call", ["var", "loop"], start, start]])
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
                let written = looped(compare, start, step, end);
                let tree = read(&written).unwrap().tree;
                let (short, plain) = (compile(&tree), compile_plainly(&tree));
                for max_steps in 1..40 {
                    let (short, plain) = (outcome(&short, max_steps), outcome(&plain, max_steps));
                    assert_eq!(short, plain, "{written} with {max_steps} steps");
                }
            }
        }
    }

    #[test]
    fn a_loop_that_counts_is_short() {
        let tree = read(&looped("eq", &json!(3), &json!(1), &json!(0))).unwrap().tree;
        let code = format!("{:?}", compile(&tree).functions[1].code);
        for op in ["JumpIfWhole", "SubWhole", "AddWhole", "Again"] {
            assert!(code.contains(op), "no {op} in {code}");
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
