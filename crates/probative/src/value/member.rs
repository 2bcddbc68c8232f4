//! Looking up a member of an object.

use serde_json::{Map, Value};

/// Up to this many members, comparing keys one after the other beats hashing one.
const FEW: usize = 12;

/// The member of an object with that name.
pub fn member<'v>(object: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    if object.len() > FEW {
        return object.get(name);
    }
    object.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
}

/// The member of a value with that name, if it is an object that has one.
pub fn field<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    member(value.as_object()?, name)
}
