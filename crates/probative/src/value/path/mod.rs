//! Paths into a JSON document: RFC 9535 JSONPath, and the shorthand that leaves out the `$.`.

mod barren;
mod filter;
mod gap;
mod parse;
mod query;
mod regexp;
mod trail;
mod walk;
mod work;

use std::fmt;

use self::query::Segment;
pub use gap::{Gap, Hit};
pub use trail::{Step, Trail};

/// A path, compiled once.
///
/// A path that starts with `$` is RFC 9535 JSONPath. Any other is shorthand for `$.` + path, in which a name may hold
/// any characters but `.`, `[` and `]`: `pagination.total`, `results[*].created-at`, `[0].id`, `odd['a.b']`.
#[derive(Debug, Clone)]
pub struct Path {
    written: String,
    segments: Vec<Segment>,
    /// False if evaluating it takes a few visits of each node at most, on any document.
    is_counted: bool,
}

/// An error in a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathError {
    /// The message, as a lower-case fragment.
    pub message: String,
    /// The offset in bytes from the start of the path as written.
    pub at: usize,
}

impl Path {
    /// Longer paths may ask for many things at once, so their work is always counted.
    const SHORT: usize = 200;

    /// Compiles a path.
    pub fn parse(written: &str) -> Result<Path, PathError> {
        let segments = parse::path(written)?;
        let is_counted = written.len() > Path::SHORT || !query::is_linear(&segments);
        Ok(Path { written: written.to_owned(), segments, is_counted })
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
