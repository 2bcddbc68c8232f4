//! Assertion health: assertions that say less than they seem to.

mod examine;
mod example;

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;

pub(super) use examine::Examined;
pub use example::Example;

use crate::document::{Document, Node};
use crate::verdict::Place;

/// Action on findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Ignore them.
    #[default]
    Ignore,
    /// Print a warning.
    Warn,
    /// Fail the case.
    Error,
}

impl Mode {
    /// All modes.
    pub const ALL: [Mode; 3] = [Mode::Ignore, Mode::Warn, Mode::Error];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Ignore => "ignore",
            Mode::Warn => "warn",
            Mode::Error => "error",
        }
    }

    /// The mode of a word.
    pub fn named(word: &str) -> Option<Mode> {
        Mode::ALL.into_iter().find(|mode| mode.name() == word)
    }
}

/// What was found, and what is done about it.
#[derive(Debug, Clone, Default)]
pub struct Health {
    /// What is done about it.
    pub mode: Mode,
    /// What was found, in the order written. Nothing is looked for where findings are ignored.
    pub findings: Vec<Finding>,
}

/// An assertion that says less than it seems to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What is the matter.
    pub code: Code,
    /// Where in the case: `assert[0].must[0]`.
    pub path: String,
    /// What is the matter here, in words.
    pub message: String,
    /// Where in the file.
    pub place: Place,
}

impl Finding {
    /// That a case asserts nothing, which is found where its assertions should stand.
    pub(super) fn nothing(document: &Document, node: &Node, path: &str) -> Finding {
        Finding {
            code: Code::Nothing,
            path: path.to_owned(),
            message: "the case asserts nothing".to_owned(),
            place: document.place(Some(node.span.clone())),
        }
    }
}

/// `AH001 at assert[0].must[0]: …`
impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} at {}: {}", self.code.name(), self.path, self.message)
    }
}

/// What can be the matter with an assertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// `contain` of the empty text.
    EmptyContain,
    /// A regex that every text matches.
    AlwaysTrue,
    /// The same value twice in one operator.
    DuplicateValue,
    /// The same branch twice in one group.
    RedundantBranch,
    /// A regex that not every engine reads the same way.
    Unportable,
    /// The same leaf under must and cannot.
    Contradiction,
    /// A case that asserts nothing.
    Nothing,
    /// Several values in one leaf under cannot.
    CannotOfSeveral,
    /// A text that is found in the case's own fence only.
    OwnFence,
}

impl Code {
    /// All of them.
    pub const ALL: [Code; 9] = [
        Code::EmptyContain,
        Code::AlwaysTrue,
        Code::DuplicateValue,
        Code::RedundantBranch,
        Code::Unportable,
        Code::Contradiction,
        Code::Nothing,
        Code::CannotOfSeveral,
        Code::OwnFence,
    ];

    /// Its number: `AH001`.
    pub fn name(self) -> &'static str {
        match self {
            Code::EmptyContain => "AH001",
            Code::AlwaysTrue => "AH002",
            Code::DuplicateValue => "AH003",
            Code::RedundantBranch => "AH004",
            Code::Unportable => "AH005",
            Code::Contradiction => "AH006",
            Code::Nothing => "AH007",
            Code::CannotOfSeveral => "AH008",
            Code::OwnFence => "AH009",
        }
    }

    /// What it means and what to do about it.
    pub fn about(self) -> &'static str {
        match self {
            Code::EmptyContain => "`contain: [\"\"]` matches every string. Give the string that must occur.",
            Code::AlwaysTrue => {
                "The regex matches every string, even an empty one, so the assertion can't fail. Match the text you \
                 expect, or require at least one character (`.+`)."
            }
            Code::DuplicateValue => "An operator lists the same value twice. Remove or correct one.",
            Code::RedundantBranch => "A group lists the same branch twice. Remove or correct one.",
            Code::Unportable => {
                "The regex uses a construct that regex engines treat differently: look-behind, a named group, a \
                 backreference, inline flags, a conditional, an atomic group or a possessive quantifier. Other runners may \
                 reject it; use a simpler pattern if they must read the spec."
            }
            Code::Contradiction => {
                "The same assertion appears under must and under cannot, so the case can't pass. Remove or correct one \
                 of them."
            }
            Code::Nothing => {
                "The case asserts nothing beyond the default exit code. Add an assertion, or an explicit exit_code."
            }
            Code::CannotOfSeveral => {
                "Under cannot, an assertion with several values fails only if all of them occur. Give each value its own \
                 assertion."
            }
            Code::OwnFence => {
                "The case searches its own spec file, and the string occurs only in the case itself. Set `path`, or add \
                 the string to the file."
            }
        }
    }
}
