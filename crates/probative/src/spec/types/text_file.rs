//! `text.file`: what stands in a file.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Form, Target, Type, Work, Written, WrittenPath};
use crate::document::{Mistake, Node};
use crate::spec::lang::Budget;

pub(super) static TARGETS: &[Target] = &[Target { name: "text", form: Form::Text }];

/// Checks the text of a file.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct TextFile {
    /// File to read, relative to the spec file; by default, the spec file itself.
    pub path: Option<WrittenPath>,
    /// Settings for running the case.
    #[serde(default)]
    pub harness: TextHarness,
}

/// Keys of `harness` in a `text.file` case.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct TextHarness {
    /// Limits for each `evaluate` expression: `max_steps`, `max_nodes`, `max_literal_bytes`, `timeout_ms`.
    pub spec_lang: Budget,
}

impl Written for TextFile {
    type Harness = TextHarness;

    fn check(&self, _: &Type, case: &Node) -> Result<(), Mistake> {
        if self.path.as_ref().is_none_or(WrittenPath::is_relative) {
            return Ok(());
        }
        let at = case.get("path").unwrap_or(case).span.clone();
        Err(Mistake::at("text.file path must be relative", at))
    }
}

impl From<TextFile> for Work {
    fn from(file: TextFile) -> Self {
        Work::TextFile(file)
    }
}
