//! `text.file`: what stands in a file.

use serde::Deserialize;

use super::{Form, RelativePath, Target, Work, Written};
use crate::spec::lang::Budget;

pub(super) static TARGETS: &[Target] = &[Target { name: "text", form: Form::Text }];

/// A case about a file's text.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct TextFile {
    /// The file, from where the spec stands; without one, the spec itself.
    pub path: Option<RelativePath>,
    /// How it is run.
    #[serde(default)]
    pub harness: TextHarness,
}

/// What `harness` takes in a case about a file.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct TextHarness {
    /// What each `evaluate` may cost.
    pub spec_lang: Budget,
}

impl Written for TextFile {
    type Harness = TextHarness;
}

impl From<TextFile> for Work {
    fn from(file: TextFile) -> Self {
        Work::TextFile(file)
    }
}
