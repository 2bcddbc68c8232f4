//! Arguments of a call that come in pieces, each with the path at which it belongs: `{jsonPath: "$.to[0]", stringValue: "an"}`.

use serde_json::{Map, json};

use super::{take_member, take_member_text};
use crate::value::Value;

/// How deep a path may go; what lies deeper is kept under its path.
const DEEPEST: usize = 64;

/// One step of a path.
#[derive(Debug, PartialEq)]
enum Key<'p> {
    Name(&'p str),
    Index(usize),
}

/// Puts a piece into the arguments. A text that is there already goes on.
pub(super) fn fill(args: &mut Value, mut piece: Value) {
    let Some(path) = take_member_text(&mut piece, "jsonPath", "json_path") else { return };
    let Some(value) = value(&mut piece) else { return };
    if !args.is_object() {
        *args = json!({});
    }
    let place = match keys(&path).and_then(|keys| place(args, &keys)) {
        Some(place) => place,
        None => match args.as_object_mut() {
            Some(args) => args.entry(path).or_insert(Value::Null),
            None => return,
        },
    };
    match (place, value) {
        (Value::String(before), Value::String(more)) => before.push_str(&more),
        (place, value) => *place = value,
    }
}

fn value(piece: &mut Value) -> Option<Value> {
    let is_null = piece.get("nullValue").or_else(|| piece.get("null_value")).is_some();
    [("stringValue", "string_value"), ("numberValue", "number_value"), ("boolValue", "bool_value")]
        .iter()
        .find_map(|(name, pythons)| take_member(piece, name, pythons))
        .or(is_null.then_some(Value::Null))
}

/// `$.to[0]['name']` as its keys; `None` where it is something else.
fn keys(path: &str) -> Option<Vec<Key<'_>>> {
    let mut rest = path.strip_prefix('$')?;
    let mut keys = Vec::new();
    while !rest.is_empty() {
        let key;
        if let Some(name) = rest.strip_prefix('.') {
            let end = name.find(['.', '[']).unwrap_or(name.len());
            (key, rest) = (Key::Name(&name[..end]), &name[end..]);
        } else {
            let inner = rest.strip_prefix('[')?;
            if let Some(quote) = inner.chars().next().filter(|first| matches!(first, '\'' | '"')) {
                let end = inner[1..].find(quote)? + 1;
                key = Key::Name(&inner[1..end]);
                rest = inner[end + 1..].strip_prefix(']')?;
            } else {
                let end = inner.find(']')?;
                key = Key::Index(inner[..end].parse().ok()?);
                rest = &inner[end + 1..];
            }
        }
        if key == Key::Name("") || keys.len() == DEEPEST {
            return None;
        }
        keys.push(key);
    }
    (!keys.is_empty()).then_some(keys)
}

/// The place that the keys lead to, which is made where there is none. A list grows by one at a time.
fn place<'v>(args: &'v mut Value, keys: &[Key<'_>]) -> Option<&'v mut Value> {
    keys.iter().try_fold(args, |value, key| match key {
        Key::Name(name) => {
            if value.is_null() {
                *value = Value::Object(Map::new());
            }
            Some(value.as_object_mut()?.entry(*name).or_insert(Value::Null))
        }
        Key::Index(index) => {
            if value.is_null() {
                *value = Value::Array(Vec::new());
            }
            let items = value.as_array_mut()?;
            if *index == items.len() {
                items.push(Value::Null);
            }
            items.get_mut(*index)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(pieces: Vec<Value>) -> Value {
        let mut args = Value::Null;
        for piece in pieces {
            fill(&mut args, piece);
        }
        args
    }

    #[test]
    fn pieces_are_put_where_their_paths_lead() {
        let args = filled(vec![
            json!({ "jsonPath": "$.to[0].name", "stringValue": "An" }),
            json!({ "jsonPath": "$.to[0].name", "stringValue": "na" }),
            json!({ "jsonPath": "$['a b'][\"c.d\"]", "numberValue": 2 }),
            json!({ "jsonPath": "$.to[1]", "nullValue": null }),
        ]);
        assert_eq!(args, json!({ "to": [{ "name": "Anna" }, null], "a b": { "c.d": 2 } }));
    }

    #[test]
    fn a_path_that_leads_nowhere_is_kept_as_it_is() {
        for path in
            ["to", "$", "$[9]", "$.", "$.a[99999999999999999999]", "$['a", "$[\u{e9}", "$.a..b", "$[''']"]
        {
            let args = filled(vec![json!({ "jsonPath": path, "boolValue": true })]);
            assert_eq!(args, json!({ path: true }), "{path}");
        }
        let deep = format!("${}", ".a".repeat(1000));
        assert_eq!(filled(vec![json!({ "jsonPath": deep, "boolValue": true })]), json!({ deep: true }));
    }
}
