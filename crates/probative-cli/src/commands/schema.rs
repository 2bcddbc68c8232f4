//! `probative schema WHAT`

use std::process::ExitCode;

use probative::question::schema;
use probative::value::Value;
use probative::vocabularies::Speaker;
use probative::{About, Vocabulary};

use super::{Refusal, print};
use crate::args::SchemaArguments;

/// Prints the JSON Schema of what can be written.
pub(crate) fn run(arguments: &SchemaArguments) -> Result<ExitCode, Refusal> {
    let schema = About::from(arguments.what).speak(Schema);
    print(&format!("{schema:#}\n"))
}

struct Schema;

impl Speaker for Schema {
    type Answer = Value;
    fn speak<A: Vocabulary>(self) -> Value {
        schema::<A>()
    }
}
