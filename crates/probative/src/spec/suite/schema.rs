//! The JSON Schema of suites, read off the types that they are read with.

use schemars::{JsonSchema as _, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::{WrittenFile, WrittenStep, WrittenSuite, WrittenTest};
use crate::question;
use crate::response::ResponseAssertion;
use crate::schema::{of_parsed, reference, titled, within};

/// What the definition of questions is called.
const QUESTION: &str = "question";

/// The JSON Schema of a `*.tests.json`.
///
/// Wider than the reader: several tests, and several steps of one, may have the same name.
pub fn schema() -> Value {
    let mut generator = of_parsed();
    let mut file = annotated(WrittenFile::json_schema(&mut generator));
    file["properties"]["$schema"] = json!({"type": "string"});
    let mut definitions: Map<String, Value> = generator.take_definitions(true);
    let asked = within(QUESTION, question::schema::<ResponseAssertion>());
    definitions.insert(QUESTION.to_owned(), asked);
    titled("Test suites for an agent", file, definitions)
}

/// Any key that starts with `x-` may stand beside what an object takes.
fn annotated(schema: Schema) -> Value {
    let mut schema = schema.to_value();
    schema["patternProperties"] = json!({"^x-": true});
    schema
}

/// Suites by key.
pub(super) fn suites(generator: &mut SchemaGenerator) -> Schema {
    let suite = annotated(WrittenSuite::json_schema(generator));
    schemars::json_schema!({"type": "object", "additionalProperties": suite})
}

/// The tests of a suite.
pub(super) fn tests(generator: &mut SchemaGenerator) -> Schema {
    let mut test = annotated(WrittenTest::json_schema(generator));
    test["not"] = json!({"required": ["expect", "multi_step"]});
    schemars::json_schema!({"type": "array", "items": test})
}

/// The steps of a test.
pub(super) fn steps(generator: &mut SchemaGenerator) -> Schema {
    let step = annotated(WrittenStep::json_schema(generator));
    schemars::json_schema!({"type": "array", "minItems": 1, "items": step})
}

/// What is asked of an answer.
pub(super) fn asked(_: &mut SchemaGenerator) -> Schema {
    schemars::json_schema!({"allOf": [reference(QUESTION)]})
}
