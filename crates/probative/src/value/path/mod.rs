//! Paths into a JSON document: RFC 9535 JSONPath, and the shorthand that leaves out the `$.`.

mod barren;
mod cost;
mod parse;
mod trail;
mod walk;

use std::fmt;

use serde_json_path::JsonPath;

use self::cost::Shape;
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
    /// What must be asked of the whole document, because a filter in it looks back at the root.
    from_root: Option<Box<FromRoot>>,
    segments: Vec<Segment>,
    /// What its cost is estimated from, unless it is low on any document.
    shape: Option<Box<Shape>>,
}

#[derive(Debug, Clone)]
struct FromRoot {
    /// The way up to the first such filter: what is missing there can be named.
    way: Vec<Segment>,
    /// That way, and on to the last such filter.
    query: Query,
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
    /// Several of these, each of which must exist.
    Several(Vec<Segment>),
    Query(Box<Query>),
}

/// A segment, or several, that the JSONPath engine answers.
#[derive(Debug, Clone)]
struct Query {
    engine: JsonPath,
    written: Box<str>,
    chooses: Chooses,
}

/// Filters and slices choose among what is there: choosing nothing is an empty array, not something missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chooses {
    ByFilter,
    BySlice,
    Descendants,
}

impl Path {
    /// Compiles a path.
    pub fn parse(written: &str) -> Result<Path, PathError> {
        let path = parse::path(written)?;
        let shape = Shape::of(written).map(Box::new);
        Ok(Path { shape, ..path })
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
