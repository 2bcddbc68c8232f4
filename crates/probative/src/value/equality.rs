//! Equality and order of JSON values, by value and without rounding.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::Write as _;

use serde_json::Number;

use crate::json::{Shape, View};

/// Objects with more members are compared in the order of their keys, so that no lookup costs as much as the whole object.
const FEW_MEMBERS: usize = 16;

/// Whether two values are the same: `5` is `5.0`, `true` is not `1`, objects ignore key order.
///
/// Integers of up to 64 bits are compared exactly: `9007199254740993` is not `9007199254740992.0`.
pub fn equal<'a, 'b>(a: impl View<'a>, b: impl View<'b>) -> bool {
    match (a.shape(), b.shape()) {
        (Shape::Number(a), Shape::Number(b)) => compare_numbers(&a, &b).is_eq(),
        (Shape::Array, Shape::Array) => {
            let mut others = b.items();
            a.items().all(|a| others.next().is_some_and(|b| equal(a, b))) && others.next().is_none()
        }
        (Shape::Object, Shape::Object) => equal_objects(a, b),
        (a, b) => a == b,
    }
}

fn equal_objects<'a, 'b>(a: impl View<'a>, b: impl View<'b>) -> bool {
    let count = a.len();
    if count != b.len() {
        return false;
    }
    if count <= FEW_MEMBERS {
        return a.members().all(|(key, a)| b.get(&key).is_some_and(|b| equal(a, b)));
    }
    let pairs = sorted_members(a).into_iter().zip(sorted_members(b));
    pairs.into_iter().all(|((a_key, a), (b_key, b))| a_key == b_key && equal(a, b))
}

/// The members of an object in the order of their keys.
fn sorted_members<'v, V: View<'v>>(object: V) -> Vec<(Cow<'v, str>, V)> {
    let mut members: Vec<(Cow<'v, str>, V)> = object.members().collect();
    members.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    members
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
pub fn order<'a, 'b>(a: impl View<'a>, b: impl View<'b>) -> Ordering {
    match (a.shape(), b.shape()) {
        (Shape::Boolean(a), Shape::Boolean(b)) => a.cmp(&b),
        (Shape::Number(a), Shape::Number(b)) => compare_numbers(&a, &b),
        (Shape::String(a), Shape::String(b)) => a.cmp(&b),
        (Shape::Array, Shape::Array) => order_all(a.items(), b.items()),
        (Shape::Object, Shape::Object) => order_objects(a, b),
        _ => a.kind().cmp(&b.kind()),
    }
}

/// A text that equal values, and no others, have in common: keys in order, numbers by value.
///
/// It takes a fraction of the memory of a value, and is compared as bytes.
pub fn canonical<'v>(value: impl View<'v>) -> String {
    fn write<'v>(value: impl View<'v>, text: &mut String) {
        match value.shape() {
            Shape::Number(number) => text.push_str(&canonical_number(&number)),
            Shape::Array => {
                text.push('[');
                for item in value.items() {
                    write(item, text);
                    text.push(',');
                }
                text.push(']');
            }
            Shape::Object => {
                text.push('{');
                for (key, value) in sorted_members(value) {
                    // Writing to a String cannot fail.
                    let _ = write!(text, "{key:?}:");
                    write(value, text);
                    text.push(',');
                }
                text.push('}');
            }
            Shape::String(string) => {
                let _ = write!(text, "{string:?}");
            }
            Shape::Boolean(boolean) => text.push_str(if boolean { "true" } else { "false" }),
            Shape::Null => text.push_str("null"),
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

fn order_all<'a, 'b, A: View<'a>, B: View<'b>>(
    a: impl Iterator<Item = A>,
    mut b: impl Iterator<Item = B>,
) -> Ordering {
    for a in a {
        match b.next().map_or(Ordering::Greater, |b| order(a, b)) {
            Ordering::Equal => {}
            unequal => return unequal,
        }
    }
    if b.next().is_some() { Ordering::Less } else { Ordering::Equal }
}

fn order_objects<'a, 'b>(a: impl View<'a>, b: impl View<'b>) -> Ordering {
    let (a, b) = (sorted_members(a), sorted_members(b));
    let keys = a.iter().map(|(key, _)| key).cmp(b.iter().map(|(key, _)| key));
    keys.then_with(|| order_all(a.iter().map(|(_, value)| *value), b.iter().map(|(_, value)| *value)))
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
    use serde_json::{Value, json};

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
            sorted.sort_by(|a, b| order(*a, *b));
            prop_assert!(order(sorted[0], sorted[2]).is_le());
        }
    }
}
