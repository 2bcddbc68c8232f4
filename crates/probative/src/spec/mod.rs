//! PROMISED: what documents say that a program will do, written so that it can be checked.
//!
//! A [`Spec`] is a document with cases in it. Each [`Case`] is read whole and compiled before anything is done: what it
//! asks to be done ([`Work`]), and what is asked of what comes of it. Whoever does the work answers as [`Observed`], and
//! the case judges that.

mod answer;
mod assert;
mod case;
mod claims;
mod conformance;
mod found;
mod health;
pub mod lang;
mod markdown;
mod operator;
mod prose;
mod reader;
mod saying;
mod schema;
mod source;
mod subjects;
mod suite;
mod traced;
mod turns;
pub mod types;
pub mod variables;

pub use answer::{Answer, Artifact, Named, Origin, Reading, is_envelope, json_below};
pub use assert::{Observed, Subject};
pub use case::{Case, Circumstances, Found, Missing, Plan, Run, Settings};
pub use conformance::{Ending, Expectation, Expected, Outcome};
pub use health::{Code, Example, Finding, Health, Mode};
pub use operator::Operator;
pub use prose::{Block, Input, Prose, Span, Style};
pub use reader::{capabilities, common};
pub use schema::schema;
pub use source::{Format, Spec, written};
pub use suite::{Suite, schema as suite_schema};
pub use types::Work;
