//! The JSON Schema of claims.

use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::super::assert::{Trees, Values, has_group};
use super::super::types::Type;
use super::{KEYS, when};
use crate::value::{Path, Pattern};

/// What stands under `claims` in the cases of a type, and the trees that it refers to.
///
/// Wider than the reader: what is carried into `then` is known when the case is run, so its values may be anything.
pub(in crate::spec) fn schema(
    kind: &'static Type,
    definitions: &mut Map<String, Value>,
    generator: &mut SchemaGenerator,
) -> Value {
    let then = Trees { kind, values: Values::Carried };
    then.define(definitions);
    then.define_leaves(definitions, generator);
    let properties: Map<String, Value> = KEYS
        .into_iter()
        .map(|key| {
            let schema = match key {
                "when" => condition(kind, generator),
                "then" => json!({
                    "description": "Group that must hold whenever the condition does. Strings in it can use $value, $0, $1 … and ${name}.",
                    "anyOf": has_group(),
                    "allOf": [then.root()],
                }),
                _ => json!({"description": "Name of the claim, shown as the headline when it fails.", "type": "string"}),
            };
            (key.to_owned(), schema)
        })
        .collect();
    json!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": properties,
            "required": ["when", "then"],
            "additionalProperties": false,
        },
    })
}

/// What stands under `when`: at least one of a path, a regex and a group.
fn condition(kind: &'static Type, generator: &mut SchemaGenerator) -> Value {
    let trees = Trees { kind, values: Values::Whole };
    let targets: Vec<&str> = kind.targets.iter().map(|target| target.name).collect();
    let properties: Map<String, Value> = when::KEYS
        .into_iter()
        .map(|key| {
            let schema = match key {
                "target" => json!({"enum": targets}),
                "path" => generator.subschema_for::<Path>().to_value(),
                "regex" => generator.subschema_for::<Pattern>().to_value(),
                _ => json!({"type": "array", "minItems": 1}),
            };
            (key.to_owned(), schema)
        })
        .collect();
    let says_something = [vec![json!({"required": ["path"]}), json!({"required": ["regex"]})], has_group()];
    json!({
        "description": "Condition of the claim. What it selects or captures can be used in 'then'.",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
        "anyOf": says_something.concat(),
        "allOf": kind.targets.first().map(|first| trees.beside(first)).unwrap_or_default(),
    })
}
