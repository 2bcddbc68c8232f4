//! The JSON Schema of the report for machines, read off the types that are written.

use serde_json::{Value, json};

use super::{JsonResult, Summary};
use crate::schema::{of_written, titled};

/// The JSON Schema of `--report json`; its definition `result` describes a line of `--report jsonl`.
///
/// Later versions may add keys, so unknown keys are allowed.
pub fn schema() -> Value {
    let mut generator = of_written();
    let report = json!({
        "type": "object",
        "properties": {
            "version": {"const": 1},
            "summary": generator.subschema_for::<Summary>(),
            "results": {"type": "array", "items": generator.subschema_for::<JsonResult<'_>>()},
        },
        "required": ["version", "summary", "results"],
    });
    titled("The results of a run", report, generator.take_definitions(true))
}
