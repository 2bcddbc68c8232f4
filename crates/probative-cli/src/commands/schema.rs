//! `probative schema WHAT`

use std::process::ExitCode;

use probative::ResponseAssertion;
use probative::question::schema;

use super::{Refusal, print};
use crate::args::{SchemaArguments, SchemaName};

/// Prints the JSON Schema of what can be written.
pub(crate) fn run(arguments: &SchemaArguments) -> Result<ExitCode, Refusal> {
    let schema = match arguments.what {
        SchemaName::Expect => schema::<ResponseAssertion>(),
    };
    print(&format!("{schema:#}\n"))
}
