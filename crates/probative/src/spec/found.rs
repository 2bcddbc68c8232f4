//! What was found instead of what was expected, for one who wants to know why.

use super::lang::{Budget, Expression, World};
use crate::difference::Difference;
use crate::document::nearest;
use crate::value::excerpt::{around, cut};
use crate::value::{Value, excerpt};

/// How many lines of a text are compared with what was expected in one of them.
const COMPARED_LINES: usize = 2000;

/// Where a text of several lines comes nearest to what it was expected to contain.
///
/// That is where the longest beginning of it stands, if that is half of it; else the line that is most like it.
pub(super) fn nearest_to(text: &str, wanted: &str) -> Option<String> {
    text.lines().nth(1)?;
    let beginning = longest_beginning(text, wanted);
    let at = if beginning * 2 >= wanted.len() && beginning > 0 {
        text.find(&wanted[..beginning])?
    } else {
        let line = nearest(wanted.trim(), text.lines().take(COMPARED_LINES).map(str::trim))?;
        line.as_ptr() as usize - text.as_ptr() as usize
    };
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let number = text[..start].matches('\n').count() + 1;
    let line = text[start..].lines().next()?;
    Some(format!("closest match on line {number}: {}", around(line, at - start)))
}

/// How many bytes of the beginning of one text another contains. What contains a beginning contains every shorter one.
fn longest_beginning(text: &str, wanted: &str) -> usize {
    let ends: Vec<usize> = wanted.char_indices().map(|(at, character)| at + character.len_utf8()).collect();
    let count = ends.partition_point(|end| text.contains(&wanted[..*end]));
    count.checked_sub(1).map_or(0, |last| ends[last])
}

/// What the parts of an expression are that does not hold: `["get",["subject"],"limit"] is 150`.
///
/// Of an `and` only the part that does not hold is looked at. Nothing is said of forms that bind names, nor of parts that
/// are written as what they are.
pub(super) fn parts(
    expression: &Value,
    subject: &Value,
    budget: &Budget,
    world: &dyn World,
) -> Option<String> {
    let form = expression.as_array()?;
    let (symbol, arguments) = form.split_first()?;
    let compiled = |part: &Value| Expression::compile(part).ok();
    match symbol.as_str()? {
        "let" | "fn" | "call" | "if" | "var" | "subject" => None,
        "and" => {
            let is_false = |part: &&Value| {
                compiled(part).is_some_and(|part| part.holds(subject, budget, world) == Ok(false))
            };
            let part = arguments.iter().find(is_false)?;
            Some(parts(part, subject, budget, world).unwrap_or_else(|| format!("{} is false", written(part))))
        }
        _ => {
            let told =
                arguments.iter().filter(|part| part.is_array() && !is_subject(part)).filter_map(|part| {
                    let value = compiled(part)?.evaluate(subject, budget, world).ok()?;
                    Some(format!("{} is {}", written(part), excerpt(&value)))
                });
            let told: Vec<String> = told.collect();
            (!told.is_empty()).then(|| told.join(", "))
        }
    }
}

/// How the two sides of an `eq` differ that does not hold, of which one is written as what it is; of an `and`, that of the
/// part that does not hold.
pub(super) fn difference(
    expression: &Value,
    subject: &Value,
    budget: &Budget,
    world: &dyn World,
) -> Option<Difference> {
    let (symbol, arguments) = expression.as_array()?.split_first()?;
    let compiled = |part: &Value| Expression::compile(part).ok();
    match (symbol.as_str()?, arguments) {
        ("and", parts) => {
            let is_false = |part: &&Value| {
                compiled(part).is_some_and(|part| part.holds(subject, budget, world) == Ok(false))
            };
            difference(parts.iter().find(is_false)?, subject, budget, world)
        }
        ("eq", [one, other]) => {
            let (expected, found) = if one.is_array() { (other, one) } else { (one, other) };
            let value = |part: &Value| compiled(part)?.evaluate(subject, budget, world).ok();
            Difference::of(&value(expected)?, &value(found)?)
        }
        _ => None,
    }
}

/// Returns true for a form that holds if something else does not.
pub(super) fn is_negation(expression: &Value) -> bool {
    matches!(expression.get(0).and_then(Value::as_str), Some("not" | "neq"))
}

/// Names what an expression gets from the subject, if that is all it looks at and none of it is there:
/// `["get",["subject"],"stauts"]`.
pub(super) fn missing_field(
    expression: &Value,
    subject: &Value,
    budget: &Budget,
    world: &dyn World,
) -> Option<String> {
    let is_there = |base: &Value, key: &Value| {
        let base = Expression::compile(base).ok()?.evaluate(subject, budget, world).ok()?;
        match key {
            Value::String(name) => base.get(name).map(drop),
            _ => base.get(usize::try_from(key.as_u64()?).ok()?).map(drop),
        }
    };
    let mut first = None;
    let mut open = vec![expression];
    while let Some(part) = open.pop() {
        match part.as_array().map(Vec::as_slice) {
            Some([symbol, base, key]) if symbol == "get" && reads_from_subject(base) && !key.is_array() => {
                if is_there(base, key).is_some() {
                    return None;
                }
                first = Some(part);
            }
            Some([symbol, implied @ ..]) if takes_subject(symbol, implied) => return None,
            Some(inner) => open.extend(inner),
            None => {}
        }
    }
    first.map(written)
}

/// Returns true if a form is the subject, JSON in it, or got from it by written keys.
fn reads_from_subject(part: &Value) -> bool {
    let mut part = part;
    loop {
        match part.as_array().map(Vec::as_slice) {
            Some([symbol, base, key]) if symbol == "get" && !key.is_array() => part = base,
            Some([symbol, base]) if symbol == "json_parse" => part = base,
            _ => return is_subject(part),
        }
    }
}

/// Returns true if a form takes the subject whole: it is the subject, or leaves it out.
fn takes_subject(symbol: &Value, arguments: &[Value]) -> bool {
    const MAY_LEAVE_OUT: [&str; 5] = ["contains", "starts_with", "ends_with", "json_type", "has_key"];
    match (symbol.as_str(), arguments) {
        (Some("subject"), []) => true,
        (Some(symbol), [_]) => MAY_LEAVE_OUT.contains(&symbol),
        _ => false,
    }
}

fn is_subject(part: &Value) -> bool {
    part.as_array().is_some_and(|form| form.len() == 1 && form[0] == "subject")
}

fn written(part: &Value) -> String {
    cut(&part.to_string()).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::spec::lang::Nowhere;

    #[test]
    fn the_nearest_is_where_the_longest_beginning_stands() {
        let text = "one\n{\"item\": \"mug\", \"limit\": 150}\nthree";
        let told = nearest_to(text, "\"limit\": 100").unwrap();
        assert_eq!(told, "closest match on line 2: '{\"item\": \"mug\", \"limit\": 150}'");
        assert_eq!(
            nearest_to("a b\nsecond lines\nc", "a second line").unwrap(),
            "closest match on line 2: 'second lines'"
        );
        assert_eq!(nearest_to("one line", "one lime"), None);
        assert_eq!(nearest_to("a\nb", "entirely different"), None);
        assert_eq!(nearest_to("é\nünt\n", "ünd").unwrap(), "closest match on line 2: 'ünt'");
    }

    #[test]
    fn the_parts_of_an_expression_say_what_they_are() {
        let told = |expression: Value| {
            parts(&expression, &json!({"limit": 150, "on": false}), &Budget::default(), &Nowhere)
        };
        let limit = json!(["get", ["subject"], "limit"]);
        assert_eq!(told(json!(["eq", limit, 100])).unwrap(), "[\"get\",[\"subject\"],\"limit\"] is 150");
        assert_eq!(
            told(json!(["and", true, ["eq", limit, 150], ["not", limit]])).unwrap(),
            "[\"get\",[\"subject\"],\"limit\"] is 150"
        );
        assert_eq!(
            told(json!(["and", ["get", ["subject"], "on"]])).unwrap(),
            "[\"get\",[\"subject\"],\"on\"] is false"
        );
        assert_eq!(told(json!(["let", [["x", 1]], false])), None);
        assert_eq!(told(json!(["eq", ["subject"], 1])), None);
    }

    #[test]
    fn missing_fields_of_an_expression_are_named() {
        let told = |expression: Value| {
            let subject = json!({"limit": null, "tags": ["a"]});
            missing_field(&expression, &subject, &Budget::default(), &Nowhere)
        };
        let get = |key: Value| json!(["get", ["subject"], key]);
        assert_eq!(told(json!(["eq", get(json!("limt")), 1])).unwrap(), "[\"get\",[\"subject\"],\"limt\"]");
        assert_eq!(
            told(json!(["eq", ["get", get(json!("tags")), 1], "b"])).unwrap(),
            "[\"get\",[\"get\",[\"subject\"],\"tags\"],1]"
        );
        // A null is there, and so is one of two.
        assert_eq!(told(json!(["eq", get(json!("limit")), 1])), None);
        assert_eq!(told(json!(["or", ["eq", get(json!("limt")), 1], ["eq", get(json!("limit")), 1]])), None);
        // It looks at more than what it gets.
        assert_eq!(told(json!(["or", ["has_key", "limt"], get(json!("limt"))])), None);
        assert_eq!(told(json!(["or", ["eq", ["subject"], 1], get(json!("limt"))])), None);
        assert_eq!(told(json!(["has_key", "limt"])), None);
    }
}
