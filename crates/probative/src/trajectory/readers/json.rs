//! Looking into the JSON of records, and taking things out of it.

use std::borrow::Cow;

use serde_json::map::Map;

use crate::argument::Count;
use crate::trajectory::json::Json;
use crate::value::excerpt::cut;
use crate::value::{Moment, Value};

/// A member of an object that is not null.
pub(super) fn get<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    value.get(key).filter(|member| !member.is_null())
}

/// A member by its path, none of which is null.
pub(super) fn at<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, key| get(value, key))
}

/// A text among the members.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    get(value, key)?.as_str()
}

/// An id among the members. One that isn't a string is known by how it is written.
pub(super) fn id<'v>(value: &'v Value, key: &str) -> Option<Cow<'v, str>> {
    match get(value, key)? {
        Value::String(id) => Some(Cow::Borrowed(id)),
        other => Some(Cow::Owned(other.to_string())),
    }
}

/// A list among the members; where there is none, an empty one.
pub(super) fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    get(value, key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A whole number among the members, 0 or more; a text of digits is one, too.
pub(super) fn count(value: &Value, key: &str) -> Option<u64> {
    match get(value, key)? {
        Value::Number(number) => Count::of(number).map(|count| count.0),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// A number among the members, 0 or more.
pub(super) fn amount(value: &Value, key: &str) -> Option<f64> {
    get(value, key)?.as_f64().filter(|amount| *amount >= 0.0 && amount.is_finite())
}

/// The sum of what is known; `None` where nothing is.
pub(super) fn sum(parts: impl IntoIterator<Item = Option<u64>>) -> Option<u64> {
    parts.into_iter().flatten().reduce(u64::saturating_add)
}

/// The sum of counts among the members: of those that are always recorded, and of others where they are. It is unknown if
/// one of the former is missing, and if any is of another type.
pub(super) fn sum_counts(value: &Value, always: &[&str], others: &[&str]) -> Option<u64> {
    let others = others.iter().filter(|key| get(value, key).is_some());
    always.iter().chain(others).try_fold(0_u64, |sum, key| Some(sum.saturating_add(count(value, key)?)))
}

/// Takes a member out of an object; null is none.
pub(super) fn take(value: &mut Value, key: &str) -> Option<Value> {
    value.get_mut(key).map(Value::take).filter(|member| !member.is_null())
}

/// Takes a text out of an object.
pub(super) fn take_text(value: &mut Value, key: &str) -> Option<String> {
    match take(value, key)? {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// Takes a list out of an object; where there is none, an empty one.
pub(super) fn take_list(value: &mut Value, key: &str) -> Vec<Value> {
    match take(value, key) {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    }
}

/// Content as it is kept: a list of parts that are all texts is their text.
pub(super) fn content(written: Value) -> Value {
    let text = if written.is_array() { joined(&written) } else { None };
    text.map_or(written, Value::String)
}

/// The text of content that is text alone: a text, or a list of parts that are all texts and at least one.
pub(super) fn joined(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        // A list of texts alone is a list, and no content in parts.
        Value::Array(parts) if parts.iter().any(Value::is_object) => {
            // Without a type it is a text only if it is nothing else.
            let is_more = |part: &Value| {
                let known =
                    |part: &Map<String, Value>| part.values().filter(|value| !value.is_null()).count();
                get(part, "type").is_none() && part.as_object().is_some_and(|part| known(part) > 1)
            };
            parts.iter().map(|part| text_part(part).filter(|_| !is_more(part))).collect()
        }
        _ => None,
    }
}

/// The texts in content, whatever stands between them; `None` where there are none.
pub(super) fn texts(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            parts.iter().filter_map(text_part).reduce(|all, next| all + next).map(Cow::into_owned)
        }
        _ => None,
    }
}

/// The text of a part that is one: `{type: text, text: …}`, under any of the names that it has.
fn text_part(part: &Value) -> Option<Cow<'_, str>> {
    match part {
        Value::String(text) => Some(text.into()),
        Value::Object(_) => match text(part, "type") {
            Some("text" | "input_text" | "output_text" | "summary_text") | None => {
                Some(text(part, "text")?.into())
            }
            Some(_) => None,
        },
        _ => None,
    }
}

/// Returns true for a value that holds nothing: null, false, or an empty string, list or object.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(true) | Value::Number(_) => false,
    }
}

/// Returns true if a value may be, or may contain at any depth, a tool call or the result of one in any of the common
/// shapes.
///
/// Readers ask this about parts of a record that they don't know, to tell an extra member from a call that they would miss.
pub(super) fn holds_step(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(holds_step),
        Value::Object(members) => is_step(value) || members.values().any(holds_step),
        _ => false,
    }
}

/// Keys under which programs put calls or results.
const STEP_KEYS: [&str; 15] = [
    "tool",
    "tool_calls",
    "toolCalls",
    "tools_called",
    "toolsCalled",
    "tool_uses",
    "tool_invocations",
    "toolInvocations",
    "intermediate_steps",
    "function_call",
    "functionCall",
    "functionResponse",
    "function_response",
    "toolUse",
    "toolResult",
];

/// Returns true for an object of the shape of a call (a tool's name beside its arguments), with the type of a call or result, or
/// with a list of calls under a key that some program uses for them.
fn is_step(object: &Value) -> bool {
    const NAMES: [&str; 6] = ["name", "function", "tool_name", "toolName", "function_name", "recipient_name"];
    const ARGUMENTS: [&str; 8] = [
        "arguments",
        "args",
        "input",
        "rawInput",
        "tool_input",
        "toolInput",
        "tool_args",
        "input_parameters",
    ];
    const TYPES: [&str; 6] = ["tool_use", "_call", "tool-call", "tool_result", "tool-result", "_call_output"];
    let has = |key: &&str| get(object, key).is_some_and(|member| !is_empty(member));
    let is_named = NAMES.iter().any(|key| text(object, key).is_some_and(|name| !name.is_empty()));
    let is_given = ARGUMENTS.iter().any(|key| object.get(key).is_some());
    (is_named && is_given)
        || STEP_KEYS.iter().any(has)
        || text(object, "type").is_some_and(|kind| TYPES.iter().any(|ending| kind.ends_with(ending)))
}

/// Returns the key under which an object [holds a step](holds_step); `None` if it is one itself, or none is known.
pub(super) fn step_key(value: &Value) -> Option<&str> {
    let members = value.as_object()?;
    let is_for_steps = |key: &str, member: &Value| STEP_KEYS.contains(&key) && !is_empty(member);
    let holds = |(key, member): &(&String, &Value)| is_for_steps(key, member) || holds_step(member);
    members.iter().find(holds).map(|(key, _)| key.as_str())
}

/// The JSON type of a value, with its article.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// What is wrong with a member that says what an object is, which no reader knows: `no 'role'`, `unknown 'role' "observer"`.
pub(super) fn unknown_kind(value: &Value, key: &str) -> String {
    match value.get(key) {
        _ if !value.is_object() => format!("{} instead of an object", kind_of(value)),
        None | Some(Value::Null) => format!("no '{key}'"),
        Some(Value::String(kind)) => format!("unknown '{key}' \"{}\"", cut(kind)),
        Some(other) => format!("'{key}' is {}, not a string", kind_of(other)),
    }
}

/// When something happened, where that is epoch seconds or a text in RFC 3339.
pub(super) fn timestamp(value: Option<&Value>) -> Option<Json<'static>> {
    let is_one = match value? {
        Value::Number(_) => true,
        Value::String(text) => text.contains(':') && Moment::parse(text).is_some(),
        _ => false,
    };
    is_one.then(|| Json::from(value.cloned().unwrap_or_default()))
}

/// The same from a number of seconds.
pub(super) fn seconds(seconds: f64) -> Option<Json<'static>> {
    serde_json::Number::from_f64(seconds).map(|number| Json::from(Value::Number(number)))
}

/// The JSON object that a text holds.
pub(super) fn object_in(text: &str) -> Option<Map<String, Value>> {
    match crate::value::Tree::read(text.as_bytes()).ok()?.value {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

/// The name of what was thrown, where a text begins with it: `ValueError`, `ValueError: no such order`, `ValueError('no')`.
pub(super) fn thrown_name(told: &str) -> Option<&str> {
    let told = told.trim();
    let end = told.find(|letter: char| !letter.is_ascii_alphanumeric() && !matches!(letter, '_' | '.'));
    let (name, rest) = told.split_at(end.unwrap_or(told.len()));
    let is_called = rest.starts_with('(') && rest.ends_with(')');
    let name = name.rsplit('.').next()?;
    let is_thrown = ["Error", "Exception"].iter().any(|ending| name.ends_with(ending));
    let begins = name.starts_with(|letter: char| letter.is_ascii_uppercase());
    (begins && (is_called || is_thrown && (rest.is_empty() || rest.starts_with(": ")))).then_some(name)
}

/// The names of tools in a list of their definitions: `name`, or `function.name`; texts are names.
pub(super) fn tool_names(tools: &[Value]) -> Vec<Cow<'static, str>> {
    let name = |tool: &Value| match tool {
        Value::String(name) => Some(name.clone()),
        tool => text(tool, "name").or_else(|| at(tool, &["function", "name"])?.as_str()).map(str::to_owned),
    };
    tools.iter().filter_map(name).map(Cow::Owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_step_is_found_in_whatever_shape_and_place() {
        let calls = [
            json!({ "name": "refund", "arguments": "{}" }),
            json!({ "id": "c1", "function": { "name": "refund", "arguments": "{}" } }),
            json!({ "function": "refund", "arguments": {} }),
            json!([{ "x": { "toolName": "refund", "input": null } }]),
            json!({ "functionCall": { "name": "refund" } }),
            json!({ "type": "mcp_tool_use", "name": "refund" }),
            json!({ "type": "web_search_tool_result", "content": [] }),
        ];
        for call in calls {
            assert!(holds_step(&call), "{call}");
        }
        let others = [
            json!({ "name": "refund", "description": "pays back", "parameters": {} }),
            json!({ "type": "text", "text": "refund" }),
            json!({ "tool_calls": [], "function_call": null, "name": "" }),
            json!("{\"name\": \"refund\", \"arguments\": {}}"),
            json!(null),
        ];
        for other in others {
            assert!(!holds_step(&other), "{other}");
        }
    }

    #[test]
    fn what_was_thrown_is_named_where_a_text_begins_with_it() {
        let told = [
            "ValueError",
            "ValueError: no",
            "a.b.ValueError: no",
            "LimitExceeded('no (more)')",
            " ValueError()\n",
        ];
        let names: Vec<_> = told.into_iter().filter_map(thrown_name).collect();
        assert_eq!(names, ["ValueError", "ValueError", "ValueError", "LimitExceeded", "ValueError"]);
        for other in
            ["", ".", "Error code: 429", "It broke (again)", "not found", "Note: no", "fooError: no", "é"]
        {
            assert_eq!(thrown_name(other), None, "{other}");
        }
    }
}
