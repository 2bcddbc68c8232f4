//! What is seen in a response of which an assertion holds that must not.

use super::ResponseAssertion as Said;
use super::argument::FieldIs;
use crate::value::excerpt::{around, cut};
use crate::value::{Value, excerpt, field};
use crate::vocabulary::Sighting;

/// What is seen; `None` where nothing but the assertion itself says it.
pub(super) fn of(assertion: &Said, response: &Value) -> Option<Sighting> {
    match assertion {
        Said::Status(_) => Some(is("status", field(response, "status")?)),
        Said::ErrorCode(_) => Some(is("error_code", field(response, "error_code")?)),
        Said::Contains(text) => {
            let written = response.to_string();
            let found = match written.find(text.as_str()) {
                Some(at) => around(&written, at),
                None => excerpt(response),
            };
            Some(
                Sighting::of_action(format!("the response contains '{}'", cut(text)))
                    .expected(format!("a response without '{}'", cut(text)))
                    .found(found),
            )
        }
        Said::MessageContains(text) => contains("message", text, field(response, "message")?),
        Said::SummaryContains(text) => contains("summary", text, field(response, "summary")?),
        Said::FieldContains { path, text } => {
            Some(contains_text(path.as_str(), text).expected(format!("text without '{}'", cut(text))))
        }
        Said::HasField(FieldIs { name, value: None }) => Some(
            Sighting::of_action(format!("{} exists", cut(name.as_str())))
                .expected("no such field")
                .found("the field")
                .at(name.as_str()),
        ),
        Said::HasField(FieldIs { name, value: Some(value) }) => Some(is(name.as_str(), value)),
        Said::FieldEquals(fields) => match fields.iter().next() {
            Some((path, value)) if fields.len() == 1 => Some(is(path.as_str(), value)),
            _ => None,
        },
        _ => None,
    }
}

fn is(place: &str, value: &Value) -> Sighting {
    Sighting::of_state(format!("{} is {}", cut(place), excerpt(value)))
        .expected(format!("not {}", excerpt(value)))
        .found(excerpt(value))
        .at(place)
}

fn contains(place: &str, text: &str, found: &Value) -> Option<Sighting> {
    let found = found.as_str()?;
    let shown = around(found, found.find(text)?);
    Some(contains_text(place, text).expected(format!("text without '{}'", cut(text))).found(shown))
}

fn contains_text(place: &str, text: &str) -> Sighting {
    Sighting::of_action(format!("{} contains '{}'", cut(place), cut(text))).at(place)
}
