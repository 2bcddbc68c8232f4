//! Paths into a JSON document: RFC 9535 JSONPath, and the shorthand that leaves out the `$.`.

mod parse;
mod trail;
mod walk;

use std::fmt;

use serde_json_path::JsonPath;

pub use trail::{Step, Trail};
pub use walk::{Gap, Hit};

/// A path, compiled once.
///
/// A path that starts with `$` is RFC 9535 JSONPath. Any other is shorthand for `$.` + path, in which a name may hold
/// any characters but `.`, `[` and `]`: `pagination.total`, `results[*].created-at`, `[0].id`, `odd['a.b']`.
///
/// Names, indexes and wildcards are walked here, so that what is missing can be named; filters, slices, unions and
/// descendants are left to a complete JSONPath engine.
#[derive(Debug, Clone)]
pub struct Path {
    written: String,
    segments: Vec<Segment>,
}

/// Why a text is not a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathError {
    /// What is wrong, as a lower-case fragment.
    pub message: String,
    /// Where, in bytes from the start of the path as written.
    pub at: usize,
}

#[derive(Debug, Clone)]
enum Segment {
    Name(Box<str>),
    /// From the end where negative.
    Index(i64),
    Wildcard,
    Query(Box<Query>),
}

/// One segment, or a whole path, that the JSONPath engine answers.
#[derive(Debug, Clone)]
struct Query {
    engine: JsonPath,
    written: Box<str>,
    /// Filters and slices choose among what is there: choosing nothing is an empty array, not something missing.
    may_choose_nothing: bool,
}

impl Path {
    /// Compiles a path.
    pub fn parse(written: &str) -> Result<Path, PathError> {
        Ok(Path { written: written.to_owned(), segments: parse::segments(written)? })
    }

    /// The path as it was written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// The last name in the path, if it has one: `file` in `results[*].file`, `tags` in `tags[*]`.
    pub fn last_name(&self) -> Option<&str> {
        self.segments.iter().rev().find_map(|segment| match segment {
            Segment::Name(name) => Some(&**name),
            _ => None,
        })
    }
}

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.written)
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for PathError {}

/// Paths are equal that are written equally.
impl PartialEq for Path {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl Eq for Path {}

impl std::hash::Hash for Path {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.written.hash(state);
    }
}
