//! `probative schema WHAT`

mod flags;

use std::process::ExitCode;

use probative::value::Value;
use probative::{ContextAssertion, ResponseAssertion, TrajectoryAssertion, schema};

use super::print;
use crate::args::{SchemaArguments, SchemaName};

/// Prints the JSON Schema of what can be written.
pub(crate) fn run(arguments: &SchemaArguments) -> ExitCode {
    print(&format!("{:#}\n", of(arguments.what)))
}

fn of(what: SchemaName) -> Value {
    match what {
        SchemaName::Expect => schema::question::<ResponseAssertion>(),
        SchemaName::Trajectory => schema::question::<TrajectoryAssertion>(),
        SchemaName::Report => schema::question::<ContextAssertion>(),
        SchemaName::Spec => schema::spec(),
        SchemaName::Suite => schema::suite(),
        SchemaName::Run => schema::run(),
        SchemaName::Results => schema::results(),
        SchemaName::Config => probative_run::config_schema(flags::keys()),
    }
}
