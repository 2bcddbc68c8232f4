//! What is known of a store by the changes of it that were told. Spans within each other tell the same change, each when it ends.

use std::collections::BTreeMap;

use super::super::json::text;
use crate::value::Value;

/// Longer paths are not followed.
const DEEPEST: usize = 64;

/// What is known of a value.
#[derive(Debug)]
pub(super) enum Known {
    /// All.
    Whole(Value),
    /// These members, and nothing of others.
    Members(BTreeMap<String, Known>),
    /// That there is none.
    Gone,
}

impl Default for Known {
    fn default() -> Known {
        Known::Members(BTreeMap::new())
    }
}

impl Known {
    /// Takes a change, and answers whether it is one: what it says may be so already.
    pub(super) fn changes(&mut self, change: &Value) -> bool {
        let path = text(change, "path").unwrap_or_default();
        let (op, value) = (text(change, "op"), change.get("value"));
        let is_path = path.starts_with('/') && path.split('/').nth(DEEPEST).is_none();
        let (Some(op @ ("add" | "replace" | "remove")), true) = (op, is_path) else {
            // What is moved or copied is not followed.
            *self = Known::default();
            return true;
        };
        let new = if op == "remove" { None } else { Some(value.unwrap_or(&Value::Null)) };
        self.set(path.split('/').skip(1), new, op == "add")
    }

    /// Whether what a change says is known to be so. `within` is where in the path what is known begins.
    pub(super) fn has(&self, change: &Value, within: &str) -> bool {
        let path = text(change, "path").unwrap_or_default();
        let Some(path) = path.strip_prefix(within).and_then(|path| path.strip_prefix('/')) else {
            return false;
        };
        let mut known = self;
        let mut keys = path.split('/');
        while let Known::Members(members) = known {
            let Some(member) = keys.next().and_then(|key| members.get(&named(key))) else { return false };
            known = member;
        }
        let Known::Whole(value) = known else { return false };
        keys.try_fold(value, |value, key| match value {
            Value::Object(members) => members.get(&named(key)),
            Value::Array(items) => items.get(key.parse::<usize>().ok()?),
            _ => None,
        })
        .is_some_and(|known| change.get("value") == Some(known))
    }

    fn set<'p>(
        &mut self,
        mut path: impl Iterator<Item = &'p str>,
        new: Option<&Value>,
        is_added: bool,
    ) -> bool {
        let Some(mut key) = path.next() else { return true };
        let mut place = self;
        let mut rest = path.peekable();
        // First through what is known in part.
        while let Known::Members(_) = place {
            let Known::Members(members) = place else { break };
            let name = named(key);
            let Some(next) = rest.next() else {
                // In a list, others would move.
                if key.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
                    members.clear();
                    return true;
                }
                let is_so = match (members.get(&name), new) {
                    (Some(Known::Whole(known)), Some(new)) => known == new,
                    (Some(Known::Gone), None) => true,
                    _ => false,
                };
                if !is_so {
                    members.insert(name, new.map_or(Known::Gone, |new| Known::Whole(new.clone())));
                }
                return !is_so;
            };
            place = members.entry(name).or_default();
            key = next;
        }
        if let Known::Gone = place {
            *place = Known::default();
            return true;
        }
        let changed = match place {
            Known::Whole(value) => set_in(value, key, rest, new, is_added),
            Known::Members(_) | Known::Gone => None,
        };
        // What does not fit what is known makes it unknown.
        if changed.is_none() {
            *place = Known::default();
        }
        changed != Some(false)
    }
}

/// The name of a member in a path.
fn named(key: &str) -> String {
    key.replace("~1", "/").replace("~0", "~")
}

/// Sets a part of a value that is known whole. Answers whether it was another before; `None` where it cannot be.
fn set_in<'p>(
    mut value: &mut Value,
    mut key: &'p str,
    rest: impl Iterator<Item = &'p str>,
    new: Option<&Value>,
    is_added: bool,
) -> Option<bool> {
    for next in rest {
        value = match value {
            Value::Object(members) => members.get_mut(&named(key))?,
            Value::Array(items) => items.get_mut(key.parse::<usize>().ok()?)?,
            _ => return None,
        };
        key = next;
    }
    match (value, new) {
        (Value::Object(members), Some(new)) => {
            let name = named(key);
            let is_so = members.get(&name) == Some(new);
            if !is_so {
                members.insert(name, new.clone());
            }
            Some(!is_so)
        }
        (Value::Object(members), None) => Some(members.remove(&named(key)).is_some()),
        (Value::Array(items), Some(new)) => {
            let index = key.parse::<usize>().ok()?;
            if index == items.len() {
                items.push(new.clone());
                return Some(true);
            }
            let known = items.get_mut(index)?;
            let is_so = known == new;
            if !is_so {
                // What is added before others would move them.
                *known = Some(new.clone()).filter(|_| !is_added)?;
            }
            Some(!is_so)
        }
        (Value::Array(items), None) => {
            let is_last = items.len().checked_sub(1) == key.parse().ok();
            (is_last && items.pop().is_some()).then_some(true)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_change_is_one_unless_what_it_says_is_known() {
        let mut known = Known::default();
        let mut is_change = |op: &str, path: &str, value: Value| {
            known.changes(&json!({ "op": op, "path": path, "value": value }))
        };
        let told = [
            ("add", "/a", json!({"b": 1}), true),
            ("add", "/a", json!({"b": 1}), false),
            ("replace", "/a/b", json!(2), true),
            ("add", "/a", json!({"b": 1}), true),
            ("add", "/a/l", json!(["x"]), true),
            ("add", "/a/l/1", json!("y"), true),
            ("add", "/a/l/1", json!("y"), false),
            ("remove", "/a/l/1", json!(null), true),
            ("add", "/a/l/1", json!("y"), true),
            ("add", "/a/l/0", json!("z"), true),
            ("add", "/a", json!({"b": 1}), true),
            ("remove", "/a", json!(null), true),
            ("remove", "/a", json!(null), false),
            ("add", "/a/b", json!(1), true),
            ("add", "/m~1n", json!(1), true),
            ("add", "/m~1n", json!(1), false),
            // Nothing is known of what else is there.
            ("add", "/p/q", json!(1), true),
            ("add", "/p", json!({"q": 1}), true),
            // Of a list that is not known, others may have moved.
            ("add", "/l/0", json!(1), true),
            ("add", "/l/0", json!(1), true),
            ("move", "/p", json!(null), true),
            ("add", "/m~1n", json!(1), true),
        ];
        for (op, path, value, expected) in told {
            assert_eq!(is_change(op, path, value), expected, "{op} {path}");
        }
        assert!(is_change("add", &"/a".repeat(100_000), json!(1)));
        assert!(is_change("remove", &format!("/a/{}", usize::MAX), json!(null)));
    }
}
