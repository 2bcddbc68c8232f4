//! The contract root: the directory that a project starts at.

use std::path::Path;

use crate::config;

/// What marks the contract root.
const MARKS: [&str; 2] = [config::NAME, ".git"];

/// The contract root of what stands in a directory: the nearest above with a mark, else the directory itself.
pub(crate) fn of(directory: &Path) -> &Path {
    directory.ancestors().find(|above| is_marked(above)).unwrap_or(directory)
}

/// Whether a directory has a mark. The root of a place is the nearest directory above it that has one.
pub(crate) fn is_marked(directory: &Path) -> bool {
    MARKS.iter().any(|mark| directory.join(mark).exists())
}
