//! The JSON Schema of a question, for editors, made from the vocabulary's enum.

use schemars::schema_for;
use serde_json::{Map, Value, json};

use super::reference::entries;
use crate::clause::GROUPS;
use crate::vocabulary::Vocabulary;

/// The JSON Schema (draft 2020-12) of a question in a vocabulary, in all three forms that it may be written in.
pub fn schema<A: Vocabulary>() -> Value {
    let entries = entries::<A>();
    let mut plain = Map::new();
    let mut listed = Map::new();
    for entry in &entries {
        let mut argument = match &entry.argument {
            Value::Object(schema) => schema.clone(),
            _ => Map::new(),
        };
        // A reference with a description beside it would hide what is referred to from some editors.
        let argument = if argument.contains_key("$ref") {
            json!({"description": entry.text, "allOf": [entry.argument]})
        } else {
            argument.insert("description".to_owned(), Value::from(entry.text.as_str()));
            Value::Object(argument)
        };
        listed.insert(entry.name.clone(), json!({"type": "array", "minItems": 1, "items": entry.argument}));
        plain.insert(entry.name.clone(), argument);
    }
    // A companion stands beside what takes it, and makes an object of one assertion have two keys.
    let (mut beside, mut one) =
        (Map::new(), vec![json!({"$ref": "#/$defs/expect", "minProperties": 1, "maxProperties": 1})]);
    for (companion, taker) in A::COMPANIONS {
        plain.insert((*companion).to_owned(), json!(true));
        beside.insert((*companion).to_owned(), json!([taker]));
        one.push(json!({"$ref": "#/$defs/expect", "required": [taker, companion], "maxProperties": 2}));
    }
    let mut definitions = match schema_for!(A).get("$defs") {
        Some(Value::Object(definitions)) => definitions.clone(),
        _ => Map::new(),
    };
    // A setting stands at the top of a question and nowhere below.
    let setting = A::SETTING.map(|key| (key, schema_for!(A::Setting)));
    let (mut top, mut nodes) = (plain.clone(), vec![json!({"$ref": "#/$defs/node"})]);
    if let Some((key, schema)) = &setting {
        definitions.insert((*key).to_owned(), schema.as_value().clone());
        top.insert((*key).to_owned(), json!({"$ref": format!("#/$defs/{key}")}));
        let alone = json!({"type": "object", "properties": {*key: {"$ref": format!("#/$defs/{key}")}}, "required": [key], "additionalProperties": false});
        one.push(alone.clone());
        nodes.push(alone);
    }
    let branches = json!({"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/node"}});
    let group = |name: &str, setting: Option<&str>| {
        let mut properties = json!({"target": {"const": A::SUBJECT}, name: branches});
        if let Some(key) = setting {
            properties[key] = json!({"$ref": format!("#/$defs/{key}")});
        }
        json!({"type": "object", "properties": properties, "required": [name], "additionalProperties": false})
    };
    let groups = |setting| json!({"oneOf": GROUPS.map(|name| group(name, setting))});
    definitions.extend([
        ("expect".to_owned(), json!({
            "type": "object", "properties": plain, "dependentRequired": beside, "additionalProperties": false,
        })),
        ("question".to_owned(), json!({
            "type": "object", "properties": top, "dependentRequired": beside, "additionalProperties": false,
        })),
        ("leaf".to_owned(), json!({"type": "object", "properties": listed, "additionalProperties": false, "minProperties": 1})),
        ("group".to_owned(), groups(None)),
        ("top_group".to_owned(), groups(A::SETTING)),
        ("node".to_owned(), json!({"anyOf": [{"$ref": "#/$defs/group"}, {"$ref": "#/$defs/leaf"}]})),
    ]);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("Assertions about a {}", A::SUBJECT),
        "anyOf": [
            {"$ref": "#/$defs/question"},
            {"type": "array", "items": {"anyOf": one}},
            {"$ref": "#/$defs/top_group"},
            {"type": "array", "items": {"anyOf": nodes}},
        ],
        "$defs": definitions,
    })
}
