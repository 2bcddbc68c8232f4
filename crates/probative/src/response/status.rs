//! What the response says of itself.

use crate::json::{JsonNode, View};
use crate::value::{Value, equal, excerpt};
use crate::verdict::Verdict;

/// `response.status` equals the given value.
pub fn status(response: JsonNode<'_>, expected: &Value) -> Verdict {
    own_field_equals(response, "status", expected)
}

/// `response.error_code` equals the given value.
pub fn error_code(response: JsonNode<'_>, expected: &Value) -> Verdict {
    own_field_equals(response, "error_code", expected)
}

fn own_field_equals(response: JsonNode<'_>, field: &str, expected: &Value) -> Verdict {
    let found = match response.get(field) {
        Some(found) if equal(found, expected) => return Verdict::Pass,
        Some(found) => excerpt(found),
        None => return super::fields::no_such_field(response, field).into(),
    };
    Verdict::fail(format!("Expected {field} {}, got {found}", excerpt(expected)))
        .expected(excerpt(expected))
        .actual(found)
        .at(field)
        .into()
}
