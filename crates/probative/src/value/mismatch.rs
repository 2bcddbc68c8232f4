//! The parts in which a value differs from an expected one, as fragments for a message.

use std::fmt;

use serde_json::{Map, Value};

use super::excerpt::{SHOWN_CHARACTERS, compact, cut, first_difference};
use super::{equal, member};

/// How many fragments a message shows.
const SHOWN: usize = 4;

/// How deep values are compared part by part; deeper ones are shown whole.
const DEEPEST: usize = 16;

/// The parts in which a value differs: the first few as fragments, and how many there are.
///
/// ```text
/// differs in 'id': expected "RF-1", got "RF-2043"; lacks 'limit'; has unexpected 'page'
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Mismatches {
    shown: Vec<String>,
    count: usize,
}

impl Mismatches {
    /// Compares two values part by part.
    ///
    /// Short values that differ as a whole have no parts: a message that shows both needs nothing more.
    pub(crate) fn between(expected: &Value, found: &Value) -> Mismatches {
        let mut mismatches = Mismatches::default();
        match (expected, found) {
            (Value::Object(_), Value::Object(_)) | (Value::Array(_), Value::Array(_)) => {
                mismatches.compare(expected, found, "", 0);
            }
            (Value::String(expected), Value::String(found)) if is_long(expected, found) => {
                mismatches.add(|| format!("differs {}", first_difference(found, expected)));
            }
            _ => {}
        }
        mismatches
    }

    /// Adds a fragment.
    pub(crate) fn add(&mut self, fragment: impl FnOnce() -> String) {
        self.count += 1;
        if self.shown.len() < SHOWN {
            self.shown.push(fragment());
        }
    }

    /// Adds that a part is missing.
    pub(crate) fn add_missing(&mut self, path: &str) {
        self.add(|| format!("lacks '{path}'"));
    }

    /// Adds that a part isn't expected.
    pub(crate) fn add_unexpected(&mut self, path: &str) {
        self.add(|| format!("has unexpected '{path}'"));
    }

    /// Adds that a part has another value, where `expected` may be a value or what stands for one.
    pub(crate) fn add_value(&mut self, path: &str, expected: impl fmt::Display, found: &Value) {
        self.add(|| {
            let expected = expected.to_string();
            format!("differs in '{path}': expected {}, got {}", cut(&expected), cut(&compact(found)))
        });
    }

    /// Compares the parts of two values at a path, and adds those that differ.
    pub(crate) fn compare(&mut self, expected: &Value, found: &Value, path: &str, depth: usize) {
        match (expected, found) {
            (Value::Object(expected), Value::Object(found)) if depth < DEEPEST => {
                self.compare_objects(expected, found, path, depth);
            }
            (Value::Array(expected), Value::Array(found))
                if depth < DEEPEST && expected.len() == found.len() =>
            {
                for (at, (expected, found)) in expected.iter().zip(found).enumerate() {
                    self.compare(expected, found, &format!("{path}[{at}]"), depth + 1);
                }
            }
            _ if equal(expected, found) => {}
            (Value::String(expected), Value::String(found)) if is_long(expected, found) => {
                self.add(|| format!("differs in '{path}' {}", first_difference(found, expected)));
            }
            (Value::Array(expected), Value::Array(found)) if path.is_empty() => {
                self.add(|| {
                    let items = if found.len() == 1 { "item" } else { "items" };
                    format!("has {} {items} instead of {}", found.len(), expected.len())
                });
            }
            _ => self.add_value(path, compact(expected), found),
        }
    }

    fn compare_objects(
        &mut self,
        expected: &Map<String, Value>,
        found: &Map<String, Value>,
        path: &str,
        depth: usize,
    ) {
        for (key, expected) in expected {
            let inner = part_of(path, key);
            match member(found, key) {
                None => self.add_missing(&inner),
                Some(found) => self.compare(expected, found, &inner, depth + 1),
            }
        }
        for key in found.keys().filter(|key| !expected.contains_key(*key)) {
            self.add_unexpected(&part_of(path, key));
        }
    }

    /// How many parts differ.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Whether none does.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// The fragments, separated by semicolons.
impl fmt::Display for Mismatches {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.shown.join("; "))?;
        match self.count - self.shown.len() {
            0 => Ok(()),
            more => write!(formatter, "; … {more} more"),
        }
    }
}

/// The path of a member: `order.id`.
pub(crate) fn part_of(path: &str, key: &str) -> String {
    let dot = if path.is_empty() { "" } else { "." };
    format!("{path}{dot}{}", cut(key))
}

/// Whether two strings would be cut before the first character that differs.
pub(crate) fn is_long(one: &str, other: &str) -> bool {
    let reaches = |text: &str| text.chars().nth(SHOWN_CHARACTERS - 2).is_some();
    reaches(one) && reaches(other)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn between(expected: &Value, found: &Value) -> String {
        Mismatches::between(expected, found).to_string()
    }

    #[test]
    fn objects_are_compared_key_by_key() {
        let expected = json!({"id": "RF-1", "limit": 5, "order": {"n": 1, "tags": ["a", "b"]}});
        let found = json!({"order": {"tags": ["a", "c"], "n": 1.0}, "id": "RF-2043", "page": 1});
        assert_eq!(
            between(&expected, &found),
            r#"differs in 'id': expected "RF-1", got "RF-2043"; lacks 'limit'; differs in 'order.tags[1]': expected "b", got "c"; has unexpected 'page'"#
        );
    }

    #[test]
    fn many_parts_are_counted() {
        let expected: Value = (0..7).map(|n| (format!("k{n}"), json!(n))).collect::<Map<_, _>>().into();
        let shown = between(&expected, &json!({}));
        assert_eq!(shown, "lacks 'k0'; lacks 'k1'; lacks 'k2'; lacks 'k3'; … 3 more");
    }

    #[test]
    fn long_strings_are_shown_where_they_differ() {
        let (one, other) = (format!("{}x", "a".repeat(120)), format!("{}y", "a".repeat(120)));
        assert_eq!(between(&json!(one), &json!(other)), "differs at character 121: expected 'x', got 'y'");
        assert_eq!(
            between(&json!({"q": one}), &json!({"q": other})),
            "differs in 'q' at character 121: expected 'x', got 'y'"
        );
    }

    #[test]
    fn short_values_have_no_parts() {
        assert!(Mismatches::between(&json!(1), &json!("x")).is_empty());
        assert!(Mismatches::between(&json!("a"), &json!("b")).is_empty());
        assert_eq!(between(&json!([1]), &json!([1, 2])), "has 2 items instead of 1");
    }

    #[test]
    fn deep_values_end() {
        let deep = |leaf: i32| (0..100).fold(json!(leaf), |inner, _| json!({"a": inner}));
        assert!(between(&deep(1), &deep(2)).contains("expected {\"a\":"));
    }
}
