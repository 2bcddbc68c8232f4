//! Equality and order of JSON values, by value and without rounding.

use std::cmp::Ordering;
use std::fmt::Write as _;

use serde_json::{Map, Number, Value};

/// Whether two values are the same: `5` is `5.0`, `true` is not `1`, objects ignore key order.
///
/// Integers of up to 64 bits are compared exactly: `9007199254740993` is not `9007199254740992.0`.
pub fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => compare_numbers(a, b).is_eq(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}

/// The order of two numbers by their exact values, whatever mix of integer and float they are.
pub fn compare_numbers(a: &Number, b: &Number) -> Ordering {
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(a), None) => compare_whole_to_float(a, float(b)),
        (None, Some(b)) => compare_whole_to_float(b, float(a)).reverse(),
        // JSON has no NaN, so two floats always compare.
        (None, None) => float(a).partial_cmp(&float(b)).unwrap_or(Ordering::Equal),
    }
}

/// A total order over all values in which equal values, and no others, compare as equal.
///
/// It has no meaning of its own: it lets values be sorted and searched.
pub fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Number(a), Value::Number(b)) => compare_numbers(a, b),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Array(a), Value::Array(b)) => order_all(a.iter(), b.iter()),
        (Value::Object(a), Value::Object(b)) => order_objects(a, b),
        _ => rank(a).cmp(&rank(b)),
    }
}

/// A text that equal values, and no others, have in common: keys in order, numbers by value.
///
/// It takes a fraction of the memory of a value, and is compared as bytes.
pub fn canonical(value: &Value) -> String {
    fn write(value: &Value, text: &mut String) {
        match value {
            Value::Number(number) => text.push_str(&canonical_number(number)),
            Value::Array(items) => {
                text.push('[');
                for item in items {
                    write(item, text);
                    text.push(',');
                }
                text.push(']');
            }
            Value::Object(object) => {
                let mut members: Vec<(&String, &Value)> = object.iter().collect();
                members.sort_unstable_by_key(|(key, _)| *key);
                text.push('{');
                for (key, value) in members {
                    let _ = write!(text, "{key:?}:");
                    write(value, text);
                    text.push(',');
                }
                text.push('}');
            }
            Value::String(string) => {
                let _ = write!(text, "{string:?}");
            }
            Value::Null | Value::Bool(_) => {
                let _ = write!(text, "{value}");
            }
        }
    }
    let mut text = String::new();
    write(value, &mut text);
    text
}

/// Whole numbers as such, whether they were written with a point or not; others as the shortest double.
fn canonical_number(number: &Number) -> String {
    /// All 64-bit integers lie below, and a whole double up to here is exact as an `i128`.
    const WHOLE: f64 = 1e30;
    match (whole(number), float(number)) {
        (Some(whole), _) => whole.to_string(),
        #[expect(clippy::cast_possible_truncation, reason = "whole and far below the largest")]
        (None, float) if float.fract() == 0.0 && float.abs() < WHOLE => (float as i128).to_string(),
        (None, float) => format!("{float:?}"),
    }
}

fn order_all<'v>(a: impl Iterator<Item = &'v Value>, mut b: impl Iterator<Item = &'v Value>) -> Ordering {
    for a in a {
        match b.next().map_or(Ordering::Greater, |b| order(a, b)) {
            Ordering::Equal => {}
            unequal => return unequal,
        }
    }
    if b.next().is_some() { Ordering::Less } else { Ordering::Equal }
}

fn order_objects(a: &Map<String, Value>, b: &Map<String, Value>) -> Ordering {
    let sorted = |object| {
        let mut members: Vec<(&String, &Value)> = Map::iter(object).collect();
        members.sort_unstable_by_key(|(key, _)| *key);
        members
    };
    let (a, b) = (sorted(a), sorted(b));
    let keys = a.iter().map(|(key, _)| key).cmp(b.iter().map(|(key, _)| key));
    keys.then_with(|| order_all(a.iter().map(|(_, value)| *value), b.iter().map(|(_, value)| *value)))
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

fn whole(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

fn float(number: &Number) -> f64 {
    number.as_f64().unwrap_or(f64::NAN)
}

fn compare_whole_to_float(whole: i128, float: f64) -> Ordering {
    /// Above every 64-bit integer, and exact as a double.
    const BEYOND: f64 = 36_893_488_147_419_103_232.0;
    // Most are doubles themselves.
    if let Ok(whole) = i32::try_from(whole) {
        return f64::from(whole).partial_cmp(&float).unwrap_or(Ordering::Equal);
    }
    if float >= BEYOND {
        return Ordering::Less;
    }
    if float <= -BEYOND {
        return Ordering::Greater;
    }
    let floor = float.floor();
    #[expect(clippy::cast_possible_truncation, reason = "an integral double below 2^65 is exact in 128 bits")]
    let by_floor = whole.cmp(&(floor as i128));
    // Equal to the floor of a float that has a fraction is below the float itself.
    if by_floor.is_eq() && floor < float { Ordering::Less } else { by_floor }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_equal_by_value() {
        assert!(equal(&json!(5), &json!(5.0)));
        assert!(equal(&json!(0), &json!(-0.0)));
        assert!(!equal(&json!(true), &json!(1)));
        assert!(!equal(&json!("5"), &json!(5)));
    }

    #[test]
    fn a_canonical_text_tells_values_apart() {
        for (a, b) in [
            (json!(1), json!("1")),
            (json!([1, 2]), json!([12])),
            (json!({"a": {}}), json!({"a": []})),
            (json!(1e300), json!(1.5)),
        ] {
            assert_ne!(canonical(&a), canonical(&b));
        }
        assert_ne!(canonical(&json!(u64::MAX)), canonical(&json!(18_446_744_073_709_551_616.0)));
        assert_eq!(
            canonical(&json!({"b": [1.0, -0.0], "a": "x"})),
            canonical(&json!({"a": "x", "b": [1, 0]}))
        );
    }

    #[test]
    fn large_integers_are_not_rounded() {
        assert!(!equal(&json!(9_007_199_254_740_993_u64), &json!(9_007_199_254_740_992_u64)));
        assert!(!equal(&json!(9_007_199_254_740_993_u64), &json!(9_007_199_254_740_992.0)));
        assert!(!equal(&json!(u64::MAX), &json!(18_446_744_073_709_551_616.0)));
        assert!(compare_whole_to_float(i128::from(i64::MIN), -9_223_372_036_854_775_808.0).is_eq());
    }

    #[test]
    fn a_fraction_lies_between_its_neighbours() {
        assert!(compare_whole_to_float(2, 2.5).is_lt());
        assert!(compare_whole_to_float(3, 2.5).is_gt());
        assert!(compare_whole_to_float(-2, -2.5).is_gt());
        assert!(compare_whole_to_float(1, 1e300).is_lt());
        assert!(compare_whole_to_float(1, -1e300).is_gt());
    }

    #[test]
    fn objects_ignore_key_order_and_arrays_do_not() {
        assert!(equal(&json!({"a": 1, "b": [1, 2]}), &json!({"b": [1.0, 2], "a": 1})));
        assert!(!equal(&json!([1, 2]), &json!([2, 1])));
        assert!(!equal(&json!({"a": null}), &json!({})));
    }

    /// Values small enough to be equal now and then.
    pub(crate) fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-3_i64..4).prop_map(Value::from),
            (-3_i8..4).prop_map(|n| Value::from(f64::from(n) / 2.0)),
            any::<u64>().prop_map(Value::from),
            "[ab]{0,2}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::vec(("[ab]", inner), 0..3)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn order_agrees_with_equality(a in any_value(), b in any_value()) {
            prop_assert_eq!(order(&a, &b).is_eq(), equal(&a, &b));
            prop_assert_eq!(order(&a, &b), order(&b, &a).reverse());
            prop_assert_eq!(canonical(&a) == canonical(&b), equal(&a, &b));
        }

        #[test]
        fn order_is_transitive(a in any_value(), b in any_value(), c in any_value()) {
            let mut sorted = [&a, &b, &c];
            sorted.sort_by(|a, b| order(a, b));
            prop_assert!(order(sorted[0], sorted[2]).is_le());
        }
    }
}
