//! What the response mentions.

use super::selection::{Answer, text};
use crate::json::{JsonNode, Kind, View};
use crate::value::excerpt::cut;
use crate::value::{Trail, excerpt};
use crate::verdict::Verdict;

/// The response, as text, contains the given text.
///
/// The text is searched for in the compact JSON, and in every key and text value as it reads (so quotes and newlines
/// can be searched for).
pub fn contains(response: JsonNode<'_>, text: &str) -> Verdict {
    if mentions(response, text) || response.to_string().contains(text) {
        return Verdict::Pass;
    }
    Verdict::fail(format!("Response does not contain '{}'", cut(text)))
        .expected(format!("'{}' anywhere in the response", cut(text)))
        .actual(excerpt(response))
        .into()
}

/// `response.message` contains the given text.
pub fn message_contains(response: JsonNode<'_>, text: &str) -> Verdict {
    own_field_contains(response, "message", text)
}

/// `response.summary` contains the given text.
pub fn summary_contains(response: JsonNode<'_>, text: &str) -> Verdict {
    own_field_contains(response, "summary", text)
}

/// Whether any key or text value contains the text.
fn mentions(value: JsonNode<'_>, text: &str) -> bool {
    match value.kind() {
        Kind::String => value.as_str().is_some_and(|string| string.contains(text)),
        Kind::Array => value.items().any(|item| mentions(item, text)),
        Kind::Object => value.members().any(|(key, value)| key.contains(text) || mentions(value, text)),
        Kind::Null | Kind::Boolean | Kind::Number => false,
    }
}

fn own_field_contains(response: JsonNode<'_>, field: &str, text: &str) -> Verdict {
    match response.get(field) {
        None => super::fields::no_such_field(response, field).into(),
        Some(found) => text_contains(found, text, &Trail::root().name(field))
            .map_or_else(Verdict::Fail, |()| Verdict::Pass),
    }
}

/// Whether a value is a text that contains another.
pub(super) fn text_contains(value: JsonNode<'_>, wanted: &str, trail: &Trail<'_>) -> Answer {
    let found = text(value, trail)?;
    if found.contains(wanted) {
        return Ok(());
    }
    let found = excerpt(value);
    let failure =
        Verdict::fail(format!("{trail}: expected a string containing '{}', got {found}", cut(wanted)))
            .expected(format!("a string containing '{}'", cut(wanted)))
            .actual(found)
            .at(trail);
    Err(failure.into())
}
