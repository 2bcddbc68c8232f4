//! JSON Schemas of what people write and programs read, for editors and validators: draft 2020-12.
//!
//! Each is read off the types and tables that the parser reads with, so there is no second list of names, and the doc
//! comments on those are its descriptions. A schema never refuses what the parser accepts. Where it cannot be as strict,
//! it is wider: paths, patterns, dates and names of variables are texts to it.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

pub use crate::question::schema as question;
pub use crate::report::results_schema as results;
pub use crate::spec::{schema as spec, suite_schema as suite};
pub use crate::trajectory::readers::native::schema as run;

/// Which drafts of the language they are written in.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// What makes schemas of the types that parse.
pub fn of_parsed() -> SchemaGenerator {
    SchemaSettings::draft2020_12().into_generator()
}

/// What makes schemas of the types that are written out.
pub(crate) fn of_written() -> SchemaGenerator {
    SchemaSettings::draft2020_12().for_serialize().into_generator()
}

/// A schema that stands alone: what it is called, what it says, and the definitions that this refers to.
pub fn titled(title: &str, body: Value, definitions: Map<String, Value>) -> Value {
    let mut schema =
        Map::from_iter([("$schema".to_owned(), json!(DIALECT)), ("title".to_owned(), json!(title))]);
    if let Value::Object(body) = body {
        schema.extend(body);
    }
    schema.insert("$defs".to_owned(), Value::Object(definitions));
    Value::Object(schema)
}

/// A reference to a definition.
pub(crate) fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/$defs/{name}")})
}

/// A schema that stood alone, as the definition of a name in another one: what it refers to stays within it.
pub(crate) fn within(name: &str, mut schema: Value) -> Value {
    if let Some(members) = schema.as_object_mut() {
        members.shift_remove("$schema");
    }
    rebase(&mut schema, &format!("#/$defs/{name}/$defs/"));
    schema
}

fn rebase(schema: &mut Value, base: &str) {
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                match value {
                    Value::String(target) if key == "$ref" => {
                        *target = target.replacen("#/$defs/", base, 1);
                    }
                    value => rebase(value, base),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rebase(item, base)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The names of an enum whose variants hold nothing, each with its documentation, in order.
///
/// ```
/// use probative::report::Format;
///
/// let formats = probative::schema::variants::<Format>();
/// assert_eq!(formats[0], ("human".to_owned(), "Readable text, for the terminal.".to_owned()));
/// ```
pub fn variants<T: JsonSchema>() -> Vec<(String, String)> {
    let schema = T::json_schema(&mut of_parsed()).to_value();
    let variants = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten();
    let told = |variant: &Value| {
        let text = |key: &str| variant.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        (text("const"), text("description"))
    };
    variants.map(told).collect()
}

/// The keys of an object, each with its documentation, in order.
pub(crate) fn keys(schema: Schema) -> Vec<(String, String)> {
    let text =
        |schema: &Value| schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    properties(schema).iter().map(|(key, schema)| (key.clone(), text(schema))).collect()
}

/// The properties of an object's schema.
pub(crate) fn properties(schema: Schema) -> Map<String, Value> {
    match schema.to_value() {
        Value::Object(mut schema) => match schema.remove("properties") {
            Some(Value::Object(properties)) => properties,
            _ => Map::new(),
        },
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_into_another_schema_refers_to_its_own_definitions() {
        let schema = json!({"$schema": DIALECT, "items": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"$ref": "#/$defs/b"}}});
        let taken = within("inner", schema);
        assert_eq!(
            taken,
            json!({"items": [{"$ref": "#/$defs/inner/$defs/a"}], "$defs": {"a": {"$ref": "#/$defs/inner/$defs/b"}}})
        );
    }
}
