//! Expressions in a notation that reads like a sentence, for messages.

use serde_json::Value;

use super::Expression;

impl Expression {
    /// Returns the expression as people write conditions: `item.kind == "Document" and item.content contains "tea"`.
    ///
    /// Forms that have no such notation, such as functions, are shown as compact JSON.
    ///
    /// ```
    /// use probative::spec::lang::Expression;
    /// use serde_json::json;
    ///
    /// let about_tea = json!(["contains", ["get", ["get", ["subject"], "item"], "content"], "tea"]);
    /// assert_eq!(Expression::compile(&about_tea).unwrap().readable(), r#"item.content contains "tea""#);
    /// ```
    pub fn readable(&self) -> String {
        self.written().map_or_else(|| self.to_string(), |written| readable(&written))
    }

    /// Returns the expression as JSON; `None` if it's nested too deeply.
    pub(crate) fn written(&self) -> Option<Value> {
        serde_json::from_str(&self.to_string()).ok()
    }
}

/// Renders a written expression.
pub(crate) fn readable(written: &Value) -> String {
    match form(written) {
        None => written.to_string(),
        Some(("and", parts)) => joined(parts, " and "),
        Some(("or", parts)) => joined(parts, " or "),
        Some(("not", [part])) => format!("not ({})", readable(part)),
        Some((name, arguments)) => simple(name, arguments)
            .or_else(|| condition(name, arguments))
            .unwrap_or_else(|| written.to_string()),
    }
}

/// The parts that must all be true.
#[cfg(feature = "cupel")]
pub(crate) fn conjuncts(written: &Value) -> Vec<&Value> {
    match form(written) {
        Some(("and", parts)) => parts.iter().flat_map(conjuncts).collect(),
        _ => vec![written],
    }
}

/// A condition on one value: the value, and the literal that it is compared with.
#[cfg(feature = "cupel")]
pub(crate) struct Comparison {
    /// The expression that gives the value.
    pub(crate) value: Value,
    /// The literal.
    pub(crate) literal: Value,
    /// True if all of the value is compared, false if the literal may be a part of it.
    pub(crate) whole: bool,
}

/// Returns what a condition compares with a literal, if that is all it does.
#[cfg(feature = "cupel")]
pub(crate) fn comparison(written: &Value) -> Option<Comparison> {
    let (name, arguments) = form(written)?;
    let (value, literal) = match (name, arguments) {
        ("contains" | "starts_with" | "ends_with", [literal]) => (serde_json::json!(["subject"]), literal),
        ("contains" | "starts_with" | "ends_with" | "eq" | "regex_match", [value, literal]) => {
            (value.clone(), literal)
        }
        // A value that must be true itself.
        ("get", _) => {
            return Some(Comparison { value: written.clone(), literal: Value::Bool(true), whole: true });
        }
        _ => return None,
    };
    let (value, literal) =
        if is_literal(literal) { (value, literal.clone()) } else { (literal.clone(), value) };
    (is_literal(&literal) && !is_literal(&value)).then_some(Comparison {
        value,
        literal,
        whole: name == "eq",
    })
}

#[cfg(feature = "cupel")]
fn is_literal(written: &Value) -> bool {
    !written.is_array()
}

fn form(written: &Value) -> Option<(&str, &[Value])> {
    let (name, arguments) = written.as_array()?.split_first()?;
    Some((name.as_str()?, arguments))
}

fn joined(parts: &[Value], word: &str) -> String {
    let part = |part: &Value| match form(part) {
        Some(("and" | "or", inner)) if inner.len() > 1 && parts.len() > 1 => format!("({})", readable(part)),
        _ => readable(part),
    };
    parts.iter().map(part).collect::<Vec<_>>().join(word)
}

/// A value: a path, a call, or a sum.
fn simple(name: &str, arguments: &[Value]) -> Option<String> {
    Some(match (name, arguments) {
        ("subject", []) => "subject".to_owned(),
        ("var", [Value::String(variable)]) => variable.clone(),
        ("get", [from, Value::String(key)]) if is_plain(key) => match form(from) {
            Some(("subject", [])) => key.clone(),
            _ => format!("{}.{key}", readable(from)),
        },
        ("get", [from, key]) => format!("{}[{}]", readable(from), readable(key)),
        ("add", [one, other]) => format!("{} + {}", readable(one), readable(other)),
        ("sub", [one, other]) => format!("{} - {}", readable(one), readable(other)),
        ("len" | "trim" | "lower" | "upper" | "json_parse" | "path_exists", [of]) => {
            format!("{name}({})", readable(of))
        }
        _ => return None,
    })
}

/// A condition on one value, or on two. Where a form leaves the value out, it is the subject.
fn condition(name: &str, arguments: &[Value]) -> Option<String> {
    let words = match name {
        "contains" => "contains",
        "starts_with" => "starts with",
        "ends_with" => "ends with",
        "eq" => "==",
        "neq" => "!=",
        "in" => "in",
        "json_type" => "has type",
        "has_key" => "has key",
        "regex_match" => "matches",
        _ => return None,
    };
    match arguments {
        [argument] => Some(format!("subject {words} {}", readable(argument))),
        [value, argument] => Some(format!("{} {words} {}", readable(value), readable(argument))),
        _ => None,
    }
}

fn is_plain(key: &str) -> bool {
    !key.is_empty()
        && key.chars().all(|character| character.is_alphanumeric() || matches!(character, '_' | '-'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(written: &Value) -> String {
        Expression::compile(written).unwrap().readable()
    }

    #[test]
    fn conditions_read_like_sentences() {
        let content = json!(["get", ["get", ["subject"], "item"], "content"]);
        assert_eq!(shown(&json!(["contains", content, "tea"])), r#"item.content contains "tea""#);
        assert_eq!(shown(&json!(["contains", "tea"])), r#"subject contains "tea""#);
        assert_eq!(shown(&json!(["regex_match", content, "^a"])), r#"item.content matches "^a""#);
        assert_eq!(shown(&json!(["eq", ["len", content], 3])), "len(item.content) == 3");
        assert_eq!(
            shown(&json!(["neq", ["get", ["subject"], "odd key"], null])),
            r#"subject["odd key"] != null"#
        );
        assert_eq!(shown(&json!(["in", "a", ["get", ["get", ["subject"], "tags"], 0]])), r#""a" in tags[0]"#);
    }

    #[test]
    fn groups_keep_their_parentheses() {
        let (a, b) = (json!(["eq", ["subject"], 1]), json!(["has_key", "x"]));
        assert_eq!(
            shown(&json!(["and", a, ["or", a, b], ["not", b]])),
            r#"subject == 1 and (subject == 1 or subject has key "x") and not (subject has key "x")"#
        );
    }

    #[test]
    fn forms_without_a_notation_are_json() {
        let form = json!(["let", [["n", 1]], ["eq", ["var", "n"], ["subject"]]]);
        assert_eq!(shown(&form), form.to_string());
    }

    #[cfg(feature = "cupel")]
    #[test]
    fn a_comparison_has_a_value_and_a_literal() {
        let compared = comparison(&json!(["eq", "x", ["subject"]])).unwrap();
        assert_eq!(
            (compared.value, compared.literal, compared.whole),
            (json!(["subject"]), json!("x"), true)
        );
        let pinned = json!(["get", ["subject"], "pinned"]);
        assert_eq!(comparison(&pinned).unwrap().value, pinned);
        assert!(comparison(&json!(["eq", 1, 2])).is_none());
        assert!(comparison(&json!(["not", ["subject"]])).is_none());
    }
}
