//! The JSON Schema of a question, for editors, made from the vocabulary's enum.

use schemars::schema_for;
use serde_json::{Map, Value, json};

use super::reference::{Entry, entries};
use crate::clause::{GROUPS, LABEL, LABEL_ABOUT};
use crate::schema::{reference, titled};
use crate::vocabulary::Vocabulary;

/// The JSON Schema (draft 2020-12) of a question in a vocabulary, in all three forms that it may be written in.
///
/// Wider than the reader: paths, patterns and dates are texts, and bounds need not be in order.
pub fn schema<A: Vocabulary>() -> Value {
    let mut definitions = definitions::<A>();
    let (mut one, mut nodes) = (one_assertion::<A>(), vec![reference("node")]);
    // A setting stands at the top of a question and nowhere below.
    let mut top = object::<A>();
    top["properties"]["$schema"] = json!({"type": "string"});
    if let Some(key) = A::SETTING {
        definitions.insert(key.to_owned(), schema_for!(A::Setting).to_value());
        top["properties"][key] = reference(key);
        let alone = json!({"type": "object", "properties": {key: reference(key)}, "required": [key], "additionalProperties": false});
        one.push(alone.clone());
        nodes.push(alone);
    }
    let mut assertion = object::<A>();
    assertion["properties"][LABEL] = label_schema();
    definitions.extend([
        ("question".to_owned(), top),
        ("assertion".to_owned(), assertion),
        ("leaf".to_owned(), named_leaf(leaf::<A>())),
        ("group".to_owned(), groups::<A>(false)),
        ("top_group".to_owned(), groups::<A>(true)),
        ("node".to_owned(), json!({"anyOf": [reference("group"), reference("leaf")]})),
    ]);
    let forms = json!({"anyOf": [
        reference("question"),
        {"type": "array", "items": {"anyOf": one}},
        reference("top_group"),
        {"type": "array", "items": {"anyOf": nodes}},
    ]});
    titled(&format!("Assertions about a {}", A::SUBJECT), forms, definitions)
}

/// The name beside a group or an assertion.
pub(crate) fn label_schema() -> Value {
    json!({"description": LABEL_ABOUT, "type": "string", "minLength": 1})
}

/// A leaf of such operators, with a name beside them or not.
pub(crate) fn named_leaf(mut operators: Map<String, Value>) -> Value {
    operators.insert(LABEL.to_owned(), label_schema());
    json!({
        "type": "object", "properties": operators, "additionalProperties": false, "minProperties": 1,
        "if": {"required": [LABEL]}, "then": {"minProperties": 2},
    })
}

/// The words of a vocabulary as a leaf of a tree takes them: each with a list of arguments.
pub(crate) fn leaf<A: Vocabulary>() -> Map<String, Value> {
    let listed = |entry: Entry| {
        let values = json!({"type": "array", "minItems": 1, "items": argument(&entry)});
        (entry.name, values)
    };
    entries::<A>().into_iter().map(listed).collect()
}

/// What the arguments of a vocabulary refer to: their types, and the object of all assertions.
pub(crate) fn definitions<A: Vocabulary>() -> Map<String, Value> {
    let mut definitions = match schema_for!(A).get("$defs") {
        Some(Value::Object(definitions)) => definitions.clone(),
        _ => Map::new(),
    };
    definitions.insert("expect".to_owned(), object::<A>());
    definitions
}

/// An object of assertions: name → argument. A companion stands beside what takes it.
fn object<A: Vocabulary>() -> Value {
    let mut properties: Map<String, Value> =
        entries::<A>().iter().map(|entry| (entry.name.clone(), argument(entry))).collect();
    let mut beside = Map::new();
    for (companion, taker) in A::COMPANIONS {
        properties.insert((*companion).to_owned(), json!(true));
        beside.insert((*companion).to_owned(), json!([taker]));
    }
    json!({
        "type": "object", "properties": properties, "dependentRequired": beside, "additionalProperties": false,
    })
}

/// An object of one assertion, which has more keys where a companion or a name stands beside it.
fn one_assertion<A: Vocabulary>() -> Vec<Value> {
    let of = |keys: &[&str], count: usize| json!({"$ref": "#/$defs/assertion", "required": keys, "minProperties": count, "maxProperties": count});
    let mut alone = of(&[], 1);
    alone["not"] = json!({"required": [LABEL]});
    let mut one = vec![alone, of(&[LABEL], 2)];
    for (companion, taker) in A::COMPANIONS {
        one.extend([of(&[taker, companion], 2), of(&[taker, companion, LABEL], 3)]);
    }
    one
}

/// A group of any kind, with what may stand beside it.
fn groups<A: Vocabulary>(is_top: bool) -> Value {
    let branches = json!({"type": "array", "minItems": 1, "items": reference("node")});
    let group = |name: &str| {
        let mut properties = json!({"target": {"const": A::SUBJECT}, LABEL: label_schema(), name: branches});
        if let Some(key) = A::SETTING.filter(|_| is_top) {
            properties[key] = reference(key);
        }
        if is_top {
            properties["$schema"] = json!({"type": "string"});
        }
        json!({"type": "object", "properties": properties, "required": [name], "additionalProperties": false})
    };
    json!({"oneOf": GROUPS.map(group)})
}

/// What an assertion takes, with its documentation.
fn argument(entry: &Entry) -> Value {
    match &entry.argument {
        // A reference with a description beside it would hide what is referred to from some editors.
        Value::Object(schema) if !schema.contains_key("$ref") => {
            let mut schema = schema.clone();
            schema.insert("description".to_owned(), entry.text.as_str().into());
            Value::Object(schema)
        }
        other => json!({"description": entry.text, "allOf": [other]}),
    }
}
