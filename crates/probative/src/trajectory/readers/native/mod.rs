//! The native format: the model itself, as one JSON object with `snake_case` keys.

mod fields;
mod keys;
mod reader;
mod schema;
mod tools;

use keys::{OTHER_NAMES, OTHER_NEEDED_NAMES};
use reader::{Misfit, Reader};

use crate::document::nearest;
use crate::json::{JsonDocument, View};
use crate::trajectory::model::Trajectory;
use crate::value::tree::TOO_HEAVY;
use crate::value::{Cause, Malformed, Tree, Value};

pub use schema::schema;

use super::{Claim, Notes, Recorded, RunId};
use crate::vocabulary::Read;

/// Reads a run. Only `steps` is required; keys that are not of the format are passed over, and warned of where they
/// look like a slip. So are tools in `tools` that have no name.
///
/// What is not JSON, and what does not fit the model (an unknown `step_type`, a tool call without a name), is malformed; so is
/// what has more than 4 GiB.
pub fn read(bytes: &[u8]) -> Result<Read<Trajectory<'_>>, Malformed> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let document = JsonDocument::read(bytes)?;
    // What was read is UTF-8.
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let mut reader = Reader::of(text);
    let subject = reader.run(document.root()).map_err(|misfit| match misfit {
        Misfit::TooLarge => too_large(bytes),
        Misfit::Model { at, message } => at_offset(text, at, message, Cause::Model),
    })?;
    let mut warnings = reader.warnings();
    if document.repeated_keys().is_empty() {
        return Ok(Read { subject, warnings });
    }
    warnings.extend(document.warnings());
    // What stays as text has no key twice.
    Ok(Read { subject: subject.into_owned(), warnings })
}

/// Returns the key that was likely meant by one that is not of the format: a misspelling, or what other formats call it.
fn likely(key: &str, names: &[&'static str]) -> Option<&'static str> {
    let other = other_name(key, &OTHER_NAMES, names);
    let prefixed = || names.iter().find(|name| name.strip_prefix("tool_") == Some(key)).copied();
    other.or_else(prefixed).or_else(|| nearest(key, names.iter().copied()))
}

/// Returns true if a key was likely meant to be one that its object lacks.
fn is_instead_of(key: &str, needed: &'static str) -> bool {
    other_name(key, &OTHER_NEEDED_NAMES, &[needed]).or_else(|| likely(key, &[needed])).is_some()
}

/// Returns the name that a key of other formats has in this one, if it is among the names.
fn other_name(key: &str, others: &[(&[&str], &str)], names: &[&'static str]) -> Option<&'static str> {
    let known = |meant: &str| names.iter().find(|name| **name == meant).copied();
    others.iter().find_map(|(keys, meant)| known(meant).filter(|_| keys.contains(&key)))
}

/// How likely a record is a run in the native format.
pub(super) fn claim(record: &Value) -> Claim {
    let steps = record.get("steps").and_then(Value::as_array);
    let is_step = |step: &Value| step.get("step_type").is_some();
    let is_run = steps.is_some_and(|steps| {
        if steps.is_empty() { record.get("schema_version").is_none() } else { steps.iter().any(is_step) }
    });
    Claim::run(is_run)
}

/// Returns true for an object with `steps`, or a key that looks like it.
pub(super) fn has_steps(record: &Value) -> bool {
    record.as_object().is_some_and(|members| members.keys().any(|key| is_like_steps(key)))
}

/// Returns true for `steps`, and what has one slip in it.
fn is_like_steps(key: &str) -> bool {
    key.len() <= 2 * "steps".len() && strsim::damerau_levenshtein(key, "steps") <= 1
}

/// Reads records that are a run each.
pub(super) struct Whole;

impl super::Reader for Whole {
    fn record(&mut self, record: Value, id: RunId, done: &mut Vec<Recorded>) -> Result<(), String> {
        let written = record.to_string();
        let Read { subject, .. } = read(written.as_bytes()).map_err(|malformed| malformed.message)?;
        done.push(Recorded {
            id,
            trajectory: subject.into_owned(),
            notes: Notes::default(),
            totals: super::TotalsSource::Recorded,
        });
        Ok(())
    }

    fn finish(self: Box<Self>, _: &mut Vec<Recorded>) {}
}

/// Returns true if a text looks like a run in the native format: its `steps` are empty, or the first has a `step_type`.
///
/// Of malformed JSON, the part before the mistake counts.
pub fn is_native(bytes: &[u8]) -> bool {
    let document = JsonDocument::read_beginning(bytes);
    let Some(steps) = document.root().get("steps").filter(|steps| steps.is_array()) else { return false };
    steps.item(0).is_none_or(|first| first.get("step_type").is_some())
}

/// Describes a run in which a value has more parts than can be held.
fn too_large(bytes: &[u8]) -> Malformed {
    Tree::read(bytes).err().unwrap_or_else(|| Malformed {
        message: TOO_HEAVY.to_owned(),
        line: 1,
        column: 1,
        cause: Cause::Limit,
    })
}

fn at_offset(text: &str, at: usize, message: String, cause: Cause) -> Malformed {
    let before = &text[..text.floor_char_boundary(at)];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    let line = before.matches('\n').count() + 1;
    Malformed { message, line, column: before.len() - line_start + 1, cause }
}
