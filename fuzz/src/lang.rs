//! Expressions of spec-lang, and subjects that they are evaluated on.

use probative::spec::lang::{Budget, Expression, Nowhere};
use probative::value::Tree;

use crate::input::parts;

/// An expression, and its subject, both as JSON.
///
/// It is compiled or refused, ends within its budget, gives the same answer twice, and prints as it was written.
pub fn lang(bytes: &[u8]) {
    let [written, subject] = parts(bytes);
    let (Ok(written), Ok(subject)) = (Tree::read(written), Tree::read(subject)) else { return };
    let Ok(expression) = Expression::compile(&written.value) else { return };
    assert_eq!(expression.to_string(), written.value.to_string());
    let budget = Budget::STANDARD;
    let answer = || expression.evaluate(&subject.value, &budget, &Nowhere).map_err(|error| error.to_string());
    let first = answer();
    assert_eq!(first, answer());
    let holds = expression.holds(&subject.value, &budget, &Nowhere).map_err(|error| error.to_string());
    assert_eq!(holds.is_ok(), first.is_ok());
    if let (Ok(holds), Ok(value)) = (holds, first) {
        let is_false = value.is_null()
            || value == false
            || value.as_f64() == Some(0.0)
            || value.as_str().is_some_and(str::is_empty)
            || value.as_array().is_some_and(Vec::is_empty)
            || value.as_object().is_some_and(serde_json::Map::is_empty);
        assert_eq!(holds, !is_false, "{value}");
    }
}
