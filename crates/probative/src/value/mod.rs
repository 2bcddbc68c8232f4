//! What every vocabulary shares about JSON: reading, equality, order, paths, patterns, dates, excerpts.

pub mod date;
pub mod equality;
pub mod excerpt;
mod member;
pub(crate) mod mismatch;
pub mod path;
pub mod pattern;
pub mod tree;
mod written;

pub use date::{DateBound, Moment};
pub use equality::{canonical, compare_numbers, equal, order};
pub use excerpt::{excerpt, type_name, visible, with_article};
pub use member::{field, member};
pub use path::{Path, Trail};
pub use pattern::{Captor, Caught, Pattern, Unportable};
pub use serde_json::{Number, Value};
pub use tree::{Cause, Malformed, Tree};
