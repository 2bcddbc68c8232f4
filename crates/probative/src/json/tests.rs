use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::value::equality::tests::any_value;
use crate::value::{Tree, equal};

fn read(text: &str) -> JsonDocument<'_> {
    JsonDocument::read(text.as_bytes()).unwrap()
}

fn refused(text: &str) -> String {
    JsonDocument::read(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn values_are_what_is_written() {
    let text =
        r#" {"a": [1, -2.5e1, "x\n\u00e9\ud83d\ude00", true, false, null, {}, []], "b\/": {"c": "d"}} "#;
    let document = read(text);
    assert_eq!(Value::from(document.root()), serde_json::from_str::<Value>(text).unwrap());
    let root = document.root();
    assert_eq!(root.get("b/").unwrap().get("c").unwrap().as_str().unwrap(), "d");
    assert_eq!(root.get("a").unwrap().item(1).unwrap().written(), "-2.5e1");
    assert_eq!(root.get("a").unwrap().item(2).unwrap().written(), r#""x\n\u00e9\ud83d\ude00""#);
    assert_eq!((root.len(), root.get("a").unwrap().len()), (2, 8));
    assert!(root.get("a").unwrap().item(6).unwrap().is_empty() && !root.is_empty());
    assert!(root.get("c").is_none() && root.get("a").unwrap().get("a").is_none());
}

#[test]
fn scalars_and_empty_documents_are_documents() {
    for text in ["1", "\"\"", "null", " [] ", "{}", "-0", "0.0", "18446744073709551615"] {
        assert_eq!(Value::from(read(text).root()), Tree::read(text.as_bytes()).unwrap().value, "{text}");
    }
}

#[test]
fn text_that_is_not_json_is_refused_with_a_place() {
    assert_eq!(refused(""), "not JSON: the input is empty (line 1, column 0)");
    assert_eq!(refused("{\n  \"a\": nope}"), "not JSON: expected true, false or null (line 2, column 9)");
    assert_eq!(refused("{\"a\": 1e400}"), "not JSON: number out of range (line 1, column 11)");
    for text in
        ["[1] 2", "[1,]", "{\"a\" 1}", "{\"a\":1,}", "01", "-", "1.", "1e", "tru", "\"\\x\"", "\"\t\"", "]"]
    {
        assert!(refused(text).starts_with("not JSON: "), "{text}");
    }
    for text in [r#""\ud800""#, r#""\ud800\u0041""#, r#""\udc00""#, r#""\u12""#] {
        assert!(refused(text).starts_with("not JSON: "), "{text}");
    }
    assert!(JsonDocument::read(b"\"\xff\"").is_err());
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(JsonDocument::read(nested(127).as_bytes()).is_ok());
    assert!(refused(&nested(128)).contains("nested more than 127 levels deep"));
    assert!(refused(&"[".repeat(100_000)).contains("nested more than 127 levels deep"));
}

#[test]
fn the_last_of_a_repeated_key_counts() {
    let document = read(r#"{"a": 1, "b": [{"c": 1, "\u0063": 2}], "a": 3}"#);
    assert_eq!(Value::from(document.root()), json!({"a": 3, "b": [{"c": 2}]}));
    assert_eq!(document.repeated_keys(), ["b[0].c", "a"]);
    for count in [3, 4, 20, 40] {
        let text = format!("{{{}\"\\u0061\": 7}}", "\"a\": 1, \"\\u0061\": 2, ".repeat(count));
        assert_eq!(Value::from(read(&text).root()), json!({"a": 7}));
    }
    assert_eq!(document.warnings()[1], "'a' appears twice; the last value is used");
}

#[test]
fn repeated_keys_are_found_among_many_and_around_nested_objects() {
    for (count, nested) in [(3, 40), (40, 3), (16, 16), (17, 17), (15, 100)] {
        let keys = |count: usize| (0..count).map(|at| format!("\"k{at}\":0")).collect::<Vec<_>>().join(",");
        let unique = format!("{{\"n\":{{{}}},{}}}", keys(nested), keys(count));
        assert!(read(&unique).repeated_keys().is_empty());
        let repeated = format!("{{{},\"n\":{{{}}},\"k1\":1}}", keys(count), keys(nested));
        assert_eq!(read(&repeated).repeated_keys(), ["k1"], "{count} {nested}");
    }
}

#[test]
fn keys_with_the_same_hash_are_different_keys() {
    // The hash knows the first and last eight bytes only.
    let keys = ["abcdefgh-1-abcdefgh", "abcdefgh-2-abcdefgh"];
    assert_eq!(string::hash(keys[0]), string::hash(keys[1]));
    let text = format!("{{\"{}\": 1, \"{}\": 2}}", keys[0], keys[1]);
    let document = read(&text);
    assert!(document.repeated_keys().is_empty());
    assert_eq!(keys.map(|key| document.root().get(key).unwrap().written()), ["1", "2"]);
}

#[test]
fn the_beginning_of_a_document_ends_where_it_stops_being_json() {
    let beginning = |text: &str| JsonDocument::read_beginning(text.as_bytes()).root().to_string();
    assert_eq!(beginning(r#"{"a": [1, {"b": 2, "c"#), r#"{"a":[1,{"b":2}]}"#);
    assert_eq!(beginning(r#"{"a": [1, 2], "b": nope, "c": 3}"#), r#"{"a":[1,2]}"#);
    assert_eq!(beginning(r#"{"a": 1} and more"#), r#"{"a":1}"#);
    assert_eq!(beginning("[[[], {"), "[[[],{}]]");
    assert_eq!(beginning(""), "null");
    assert_eq!(beginning("INFO"), "null");
    assert_eq!(JsonDocument::read_beginning(b"\"\xff").root().to_string(), "null");
    for cut in 0..60 {
        let text = &r#"{"a": [1, -2.5e1, "x\n"], "b\/": {"c": "d"}, "e": [true, null]}"#[..cut];
        let document = JsonDocument::read_beginning(text.as_bytes());
        assert!(serde_json::from_str::<Value>(&document.root().to_string()).is_ok(), "{text}");
    }
}

#[test]
fn a_byte_order_mark_is_ignored() {
    assert_eq!(Value::from(JsonDocument::read(b"\xef\xbb\xbf{}").unwrap().root()), json!({}));
}

#[test]
fn a_value_of_any_depth_becomes_a_document() {
    let deep = (0..1000).fold(json!(1), |inner, _| json!([inner]));
    assert_eq!(JsonDocument::from(&deep).root().written(), deep.to_string());
    assert_eq!(JsonDocument::from("a\"b").root().as_str().unwrap(), "a\"b");
}

/// JSON, with characters added, dropped or repeated.
fn mutated_json() -> impl Strategy<Value = String> {
    let edits =
        prop::collection::vec((any::<prop::sample::Index>(), "[\\[\\]{}:,\"\\\\0-9eE+.tfnu \\-]{0,2}"), 0..4);
    (any_value(), edits).prop_map(|(value, edits)| {
        let mut text = value.to_string();
        for (at, put) in edits {
            let at = text.floor_char_boundary(at.index(text.len() + 1));
            let end = (at + 1).min(text.len());
            let end = text.ceil_char_boundary(end);
            text.replace_range(at..end, &put);
        }
        text
    })
}

proptest! {
    #[test]
    fn a_document_is_what_serde_json_reads(text in mutated_json()) {
        match (JsonDocument::read(text.as_bytes()), Tree::read(text.as_bytes())) {
            (Ok(document), Ok(tree)) => {
                prop_assert_eq!(document.repeated_keys(), &tree.repeated_keys);
                prop_assert_eq!(document.root().to_value(), tree.value);
            }
            (Err(document), Err(tree)) => prop_assert_eq!(document, tree),
            (document, tree) => prop_assert!(false, "{text}: {document:?} {tree:?}"),
        }
    }

    #[test]
    fn a_value_and_its_document_are_equal(value in any_value(), other in any_value()) {
        let document = JsonDocument::from(&value);
        prop_assert!(equal(document.root(), &value) && equal(&value, document.root()));
        prop_assert_eq!(equal(document.root(), &other), equal(&value, &other));
        prop_assert_eq!(document.root().to_value(), value);
    }
}
