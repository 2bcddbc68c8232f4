//! What was found instead of what was expected, for one who wants to know why.

use super::lang::readable::readable;
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

/// What the parts of an expression are that does not hold: `limit is 150`.
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

/// What is found where an expression holds: of `contains`, what is around it.
pub(super) fn seen(
    expression: &Value,
    subject: &Value,
    budget: &Budget,
    world: &dyn World,
) -> Option<String> {
    let (symbol, arguments) = expression.as_array()?.split_first()?;
    let holds = |part: &&Value| {
        Expression::compile(part).is_ok_and(|part| part.holds(subject, budget, world) == Ok(true))
    };
    match (symbol.as_str()?, arguments) {
        ("and", all) => {
            let told: Vec<String> =
                all.iter().filter_map(|part| seen(part, subject, budget, world)).collect();
            (!told.is_empty()).then(|| told.join(", "))
        }
        ("or", any) => seen(any.iter().find(holds)?, subject, budget, world),
        ("contains", [Value::String(wanted)]) => {
            let text = subject.as_str()?;
            Some(around(text, text.find(wanted.as_str())?))
        }
        ("contains", [of, Value::String(wanted)]) => {
            let value = Expression::compile(of).ok()?.evaluate(subject, budget, world).ok()?;
            let Some((text, at)) = value.as_str().and_then(|text| Some((text, text.find(wanted.as_str())?)))
            else {
                return parts(expression, subject, budget, world);
            };
            let around = around(text, at);
            Some(if is_subject(of) { around } else { format!("{} is {around}", written(of)) })
        }
        _ => parts(expression, subject, budget, world),
    }
}

/// The number of the line in which `contains` finds a string in a subject of several lines.
pub(super) fn line_of(expression: &Value, subject: &Value) -> Option<usize> {
    let wanted = match expression.as_array()?.as_slice() {
        [symbol, wanted] if symbol == "contains" => wanted,
        [symbol, of, wanted] if symbol == "contains" && is_subject(of) => wanted,
        _ => return None,
    };
    let text = subject.as_str()?;
    let at = text.find(wanted.as_str()?)?;
    text.lines().nth(1).map(|_| text[..at].matches('\n').count() + 1)
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
/// `stauts`.
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
    cut(&readable(part)).into_owned()
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
        assert_eq!(told(json!(["eq", limit, 100])).unwrap(), "limit is 150");
        assert_eq!(told(json!(["and", true, ["eq", limit, 150], ["not", limit]])).unwrap(), "limit is 150");
        assert_eq!(told(json!(["and", ["get", ["subject"], "on"]])).unwrap(), "on is false");
        assert_eq!(told(json!(["let", [["x", 1]], false])), None);
        assert_eq!(told(json!(["eq", ["subject"], 1])), None);
    }

    #[test]
    fn what_is_found_where_an_expression_holds() {
        let subject = json!({"content": "green tea", "n": 3});
        let told = |expression: Value| seen(&expression, &subject, &Budget::default(), &Nowhere);
        let get = |key: &str| json!(["get", ["subject"], key]);
        let about_tea = json!(["contains", get("content"), "tea"]);
        assert_eq!(told(about_tea.clone()).unwrap(), "content is 'green tea'");
        assert_eq!(
            told(json!(["and", about_tea, ["eq", get("n"), 3]])).unwrap(),
            "content is 'green tea', n is 3"
        );
        assert_eq!(told(json!(["or", ["eq", get("n"), 4], ["eq", get("n"), 3]])).unwrap(), "n is 3");
        let text = json!(format!("{}\nthe password is x", "-".repeat(200)));
        let has_password = json!(["contains", "password"]);
        let around = seen(&has_password, &text, &Budget::default(), &Nowhere).unwrap();
        assert!(around.ends_with("the password is x'"), "{around}");
        assert_eq!(line_of(&has_password, &text), Some(2));
        assert_eq!(line_of(&has_password, &json!("password")), None);
    }

    #[test]
    fn missing_fields_of_an_expression_are_named() {
        let told = |expression: Value| {
            let subject = json!({"limit": null, "tags": ["a"]});
            missing_field(&expression, &subject, &Budget::default(), &Nowhere)
        };
        let get = |key: Value| json!(["get", ["subject"], key]);
        assert_eq!(told(json!(["eq", get(json!("limt")), 1])).unwrap(), "limt");
        assert_eq!(told(json!(["eq", ["get", get(json!("tags")), 1], "b"])).unwrap(), "tags[1]");
        // A null is there, and so is one of two.
        assert_eq!(told(json!(["eq", get(json!("limit")), 1])), None);
        assert_eq!(told(json!(["or", ["eq", get(json!("limt")), 1], ["eq", get(json!("limit")), 1]])), None);
        // It looks at more than what it gets.
        assert_eq!(told(json!(["or", ["has_key", "limt"], get(json!("limt"))])), None);
        assert_eq!(told(json!(["or", ["eq", ["subject"], 1], get(json!("limt"))])), None);
        assert_eq!(told(json!(["has_key", "limt"])), None);
    }
}
