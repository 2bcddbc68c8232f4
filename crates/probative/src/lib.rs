//! The judge: a **subject** is judged by a **vocabulary**, which gives a **verdict**, which a **report** tells.
//!
//! A [`question`] is read and compiled once: its words belong to a [`vocabulary`], its paths and patterns are those of
//! [`value`]. Judging a subject then only looks, and answers with a [`verdict`] per assertion: a pass, a failure that
//! says what was expected, what was found and where, or an error. A [`report`] renders the results for people or
//! machines.
//!
//! Everything here is pure: no files, no clock, no environment, no threads, no printing. The same inputs give the same
//! bytes.
#![forbid(unsafe_code)]

pub mod argument;
pub mod baseline;
pub mod clause;
#[cfg(feature = "cupel")]
pub mod context;
pub mod difference;
pub mod document;
pub mod exhibit;
pub mod json;
pub mod mask;
pub mod question;
pub mod report;
pub mod response;
pub mod schema;
pub mod spec;
pub mod trajectory;
pub mod trials;
pub mod value;
pub mod verdict;
pub mod vocabularies;
pub mod vocabulary;
pub mod written;

#[cfg(feature = "cupel")]
pub use context::ContextAssertion;
pub use question::Question;
pub use response::ResponseAssertion;
pub use trajectory::{AgentRunResult, Trajectory, TrajectoryAssertion};
pub use verdict::{Category, Error, Failure, Verdict};
pub use vocabularies::About;
pub use vocabulary::{Context, Vocabulary};

/// The Rust in the documentation is compiled with the doc tests.
#[cfg(all(doctest, feature = "cupel"))]
#[doc = include_str!("../../../docs/reference/selections.md")]
struct Selections;

/// The README's Rust is compiled and run with the doc tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
