//! Expressions of spec-lang, and subjects that they are evaluated on.

#[path = "../../crates/probative/tests/naive/mod.rs"]
mod naive;

use naive::{Naive, Outcome};
use probative::Category;
use probative::spec::lang::{Budget, Expression, Nowhere};
use probative::value::{Tree, Value};

use crate::input::parts;

/// So many steps the plain evaluator takes, which goes down the host's stack.
const MOST_STEPS: u64 = 200;

/// An expression, and its subject, both as JSON.
///
/// It is compiled or refused, ends within its budget, prints as it was written, and the machine answers as the plain
/// evaluator does.
pub fn lang(bytes: &[u8]) {
    let [written, subject] = parts(bytes);
    let (Ok(written), Ok(subject)) = (Tree::read(written), Tree::read(subject)) else { return };
    let (written, subject) = (written.value, subject.value);
    let Ok(expression) = Expression::compile(&written) else { return };
    assert_eq!(expression.to_string(), written.to_string());
    let first = answer(&expression, &subject, Budget::STANDARD.max_steps);
    assert_eq!(
        first,
        answer(&expression, &subject, Budget::STANDARD.max_steps),
        "an answer is the same twice"
    );
    let holds = expression.holds(&subject, &Budget::STANDARD, &Nowhere);
    assert_eq!(holds.is_ok(), matches!(first, Outcome::Value(_)));
    let (plain, steps) = Naive::evaluate(&written, &subject, MOST_STEPS);
    assert_eq!(answer(&expression, &subject, steps), plain, "{written} with {steps} steps");
}

fn answer(expression: &Expression, subject: &Value, max_steps: u64) -> Outcome {
    match expression.evaluate(subject, &Budget { max_steps, ..Budget::STANDARD }, &Nowhere) {
        Ok(value) => Outcome::Value(value),
        Err(error) if error.to_string() == "spec_lang budget exceeded: steps" => Outcome::TooManySteps,
        Err(error) if error.category() == Category::Schema => Outcome::Schema,
        Err(_) => Outcome::Runtime,
    }
}
