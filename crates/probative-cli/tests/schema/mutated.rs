//! Documents with one part changed, as slips of the pen change them.

use serde_json::{Value, json};

/// What stands in the place of a part, or that nothing does.
fn strangers() -> [Option<Value>; 10] {
    [
        None,
        Some(json!(null)),
        Some(json!(true)),
        Some(json!(0)),
        Some(json!(1.5)),
        Some(json!(3.0)),
        Some(json!("x")),
        Some(json!([])),
        Some(json!(["x"])),
        Some(json!({})),
    ]
}

/// All the documents that differ from this one in one part, each made when it is asked for.
pub(crate) struct Mutations<'v> {
    value: &'v Value,
    pointers: Vec<String>,
    strangers: [Option<Value>; 10],
}

impl Mutations<'_> {
    pub(crate) fn of(value: &Value) -> Mutations<'_> {
        let mut pointers = Vec::new();
        collect(value, "", &mut pointers);
        Mutations { value, pointers, strangers: strangers() }
    }

    pub(crate) fn len(&self) -> usize {
        self.pointers.len() * self.strangers.len()
    }

    pub(crate) fn get(&self, number: usize) -> Value {
        let pointer = &self.pointers[number / self.strangers.len()];
        let mut mutated = self.value.clone();
        if let Some(stranger) = &self.strangers[number % self.strangers.len()] {
            *mutated.pointer_mut(pointer).unwrap() = stranger.clone();
            return mutated;
        }
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match mutated.pointer_mut(parent).unwrap() {
            Value::Object(members) => drop(members.remove(&key.replace("~1", "/").replace("~0", "~"))),
            Value::Array(items) => drop(items.remove(key.parse().unwrap())),
            _ => {}
        }
        mutated
    }
}

/// The places of all parts of a value but the whole.
fn collect(value: &Value, here: &str, all: &mut Vec<String>) {
    let mut inner = |key: &str, value: &Value| {
        let pointer = format!("{here}/{}", key.replace('~', "~0").replace('/', "~1"));
        collect(value, &pointer, all);
        all.push(pointer);
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(key, value)| inner(key, value)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| inner(&index.to_string(), item));
        }
        _ => {}
    }
}
