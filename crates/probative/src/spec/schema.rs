//! The JSON Schema of a case, read off the types and tables that cases are read with.

use schemars::{JsonSchema as _, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::assert::{Trees, Values};
use super::claims;
use super::reader::{Common, capabilities};
use super::types::{TYPES, Type};
use crate::schema::{of_parsed, properties, reference, titled, within};
use crate::trajectory::readers::native;

/// The JSON Schema of what stands in a fence of a spec document, or in a `*.spec.yaml`: one case, or a list of them.
///
/// Wider than the reader: paths, patterns, dates and commands are texts; a case about an agent may have several subjects or
/// none; and a case that requires what this runner cannot do may say anything. An unknown type is refused, as it fails
/// when it is run.
pub fn schema() -> Value {
    let mut generator = of_parsed();
    let mut definitions = Map::new();
    for kind in TYPES {
        let case = of_type(kind, &mut definitions, &mut generator);
        definitions.insert(kind.name.to_owned(), case);
    }
    definitions.insert("case".to_owned(), any_type(&mut generator));
    let run = within("run", native::schema());
    definitions.insert("run".to_owned(), run);
    definitions.extend(generator.take_definitions(true));
    let list = json!({"type": "array", "minItems": 1, "items": reference("case")});
    titled("Cases of a spec file", json!({"anyOf": [reference("case"), list]}), definitions)
}

/// A case, whose type decides what else it says.
fn any_type(generator: &mut SchemaGenerator) -> Value {
    let of_type = |kind: &Type| {
        let is_of_type = json!({"properties": {"type": {"const": kind.name}}, "required": ["type"]});
        json!({"if": is_of_type, "then": reference(kind.name)})
    };
    let names: Vec<&str> = TYPES.iter().map(|kind| kind.name).collect();
    let common = properties(Common::json_schema(generator));
    let required = |key: &str| common.get(key).cloned().unwrap_or_default();
    let known: Vec<&str> = capabilities().collect();
    // What only another runner can do it may ask for in words that only that one knows.
    let asks_for_more = json!({
        "properties": {"requires": {
            "properties": {"capabilities": {"contains": {"not": {"enum": known}}}},
            "required": ["capabilities"],
        }},
        "required": ["requires"],
    });
    json!({
        "type": "object",
        "properties": {"id": required("id"), "type": required("type"), "requires": required("requires")},
        "required": ["id", "type"],
        "if": asks_for_more,
        "else": {
            "properties": {"type": {"enum": names}},
            "allOf": TYPES.iter().map(of_type).collect::<Vec<_>>(),
        },
    })
}

/// A case of one type.
fn of_type(
    kind: &'static Type,
    definitions: &mut Map<String, Value>,
    generator: &mut SchemaGenerator,
) -> Value {
    let trees = Trees { kind, values: Values::Whole };
    trees.define(definitions);
    trees.define_leaves(definitions, generator);
    let own = (kind.schema)(generator);
    let mut required = vec![json!("id"), json!("type")];
    required.extend(own.get("required").and_then(Value::as_array).into_iter().flatten().cloned());
    let mut keys = properties(Common::json_schema(generator));
    keys.extend(properties(own).into_iter().filter(|(key, _)| kind.takes(key)));
    let list = json!({"type": "array", "items": trees.root()});
    put(&mut keys, "assert", json!({"anyOf": [list, trees.root()]}));
    if keys.contains_key("claims") {
        let claims = claims::schema(kind, definitions, generator);
        put(&mut keys, "claims", claims);
    }
    put(&mut keys, "trajectory", json!({"anyOf": [reference("run"), {"type": "null"}]}));
    put(&mut keys, "type", json!({"const": kind.name}));
    keys.insert("$schema".to_owned(), json!({"type": "string"}));
    json!({
        "description": kind.about(),
        "type": "object",
        "properties": keys,
        "patternProperties": {"^x-": true},
        "additionalProperties": false,
        "required": required,
    })
}

/// Says more of a key that there is, beside its description.
fn put(keys: &mut Map<String, Value>, key: &str, schema: Value) {
    let Some(known) = keys.get_mut(key) else { return };
    let description = known.get("description").cloned();
    *known = schema;
    if let Some(description) = description {
        known["description"] = description;
    }
}
