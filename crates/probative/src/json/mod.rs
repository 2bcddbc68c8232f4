//! A JSON document decoded once: flat entries that borrow from its text.
//!
//! [`JsonDocument::read`] checks all of the text and notes where every value is. Strings are unescaped and numbers parsed when
//! somebody looks at them. A [`JsonNode`] is one value of a document; [`View`] is what it has in common with
//! [`serde_json::Value`], so that equality, order, paths and excerpts have one implementation for both.

mod de;
mod node;
mod number;
mod read;
mod string;
#[cfg(test)]
mod tests;
mod view;

pub use node::{Items, JsonNode, Members};
pub use read::JsonDocument;
pub use view::{Kind, Shape, View};
