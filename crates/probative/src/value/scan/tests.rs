//! The scanner against the library that reads trees: the same texts are accepted, and the same is read from them.

mod generated;
mod numbers;
mod strings;

use serde_json::{Map, Value};

use super::*;
use crate::value::Tree;

/// What the scanner is measured by: the value, and whether any object in it has a key twice.
fn reference(text: &str) -> Option<(Value, bool)> {
    // The scanner is never given a byte order mark.
    let tree = Tree::read(text.as_bytes()).ok().filter(|_| !text.starts_with('\u{feff}'))?;
    Some((tree.value, !tree.repeated_keys.is_empty()))
}

fn skipped(text: &str) -> Result<(&str, bool), Stop> {
    let mut scanner = Scanner::new(text);
    let written = scanner.skip()?;
    scanner.end()?;
    Ok((written, scanner.repeated_keys()))
}

/// Reads the whole value by asking for everything, and skipping what lies at `skip_depth`.
fn walk(scanner: &mut Scanner<'_>, skip_depth: usize) -> Result<Value, Stop> {
    if skip_depth == 0 {
        let written = scanner.skip()?;
        return Ok(reference(written).expect("what was skipped is a value").0);
    }
    Ok(match scanner.peek()? {
        Kind::Null => scanner.null().map(|()| Value::Null)?,
        Kind::Bool => scanner.bool()?.into(),
        Kind::Number => Value::Number(scanner.number()?),
        Kind::String => scanner.string()?.into(),
        Kind::Array => {
            let mut array = Vec::new();
            scanner.open_array()?;
            while scanner.next_item()? {
                array.push(walk(scanner, skip_depth - 1)?);
            }
            array.into()
        }
        Kind::Object => {
            let mut object = Map::new();
            scanner.open_object()?;
            let mut next = 0;
            while let Some(key) = next_key(scanner, skip_depth.is_multiple_of(2), &mut next)? {
                let value = walk(scanner, skip_depth - 1)?;
                object.insert(key, value);
            }
            object.into()
        }
    })
}

const KNOWN: [&str; 4] = ["b", "a", "key of 18 bytes é", "seven b"];

/// The next key, asked for in either way.
fn next_key(scanner: &mut Scanner<'_>, of_known: bool, next: &mut usize) -> Result<Option<String>, Stop> {
    if !of_known {
        return Ok(scanner.next_key()?.map(Into::into));
    }
    Ok(scanner.next_of(&KNOWN, *next)?.map(|key| match key {
        Key::Known(slot) => {
            *next = slot + 1;
            KNOWN[slot].to_owned()
        }
        Key::Other(key) => {
            assert!(!KNOWN.contains(&&*key), "{key} is known");
            key.into_owned()
        }
    }))
}

fn walked(text: &str, skip_depth: usize) -> Result<Value, Stop> {
    let mut scanner = Scanner::new(text);
    let value = walk(&mut scanner, skip_depth)?;
    scanner.end()?;
    Ok(value)
}

/// Every way to read a text gives what the reference gives.
#[track_caller]
fn agrees(text: &str) {
    let expected = reference(text);
    match (&expected, skipped(text)) {
        (Some((_, repeated)), Ok((written, twice))) => {
            assert_eq!(written, text.trim_matches([' ', '\n', '\t', '\r']));
            assert_eq!(twice, *repeated, "repeated keys in {text:?}");
        }
        (None, Err(stop)) => assert!(stop.at <= text.len(), "{stop:?} in {text:?}"),
        (_, skipped) => panic!("expected {expected:?}, skipped {skipped:?} of {text:?}"),
    }
    for skip_depth in [1, 2, 3, usize::MAX - 1, usize::MAX] {
        match (&expected, walked(text, skip_depth)) {
            // As text, so that 0 and -0.0 differ.
            (Some((value, _)), Ok(walked)) => {
                assert_eq!(walked.to_string(), value.to_string(), "of {text:?}");
            }
            (None, Err(stop)) => assert!(stop.at <= text.len(), "{stop:?} in {text:?}"),
            (_, walked) => panic!("expected {expected:?}, walked {walked:?} of {text:?}"),
        }
    }
}

/// At the end of the text, before other text (so that whole words can be loaded), and within containers.
#[track_caller]
fn agrees_anywhere(text: &str) {
    agrees(text);
    agrees(&format!(" \n\t\r{text} \n\t\r"));
    agrees(&format!("[{text}]"));
    agrees(&format!("[{text}, {text} , null, \"some more text after it\"]"));
    agrees(&format!("{{\"a\":{text},\"b\" : [ {text},{text}\n]}}"));
    for count in 0..20 {
        agrees(&format!("[{}{text}{}]", " ".repeat(count), " ".repeat(20 - count)));
    }
}

const TEXTS: &[&str] = &[
    "",
    " ",
    "null",
    "true",
    "false",
    "nul",
    "nulll",
    "tru",
    "truee",
    "fals",
    "True",
    "n",
    "t",
    "f",
    "[]",
    "{}",
    "[ ]",
    "{ }",
    "[",
    "]",
    "{",
    "}",
    "[}",
    "{]",
    "[1}",
    "{\"a\":1]",
    "[,]",
    "[1,]",
    "[1,,2]",
    "[,1]",
    "[1 2]",
    "[1, 2",
    "{,}",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{\"a\":1,,\"b\":2}",
    "{,\"a\":1}",
    "{\"a\" 1}",
    "{\"a\":1 \"b\":2}",
    "{a:1}",
    "{1:1}",
    "{'a':1}",
    "{\"\":1}",
    "{\"\":1,\"\":2}",
    "{\"a\":1}{",
    "[]]",
    "[] []",
    "1 2",
    "null,",
    ",",
    ":",
    "\u{feff}1",
    "\u{a0}1",
    "\u{b}1",
    "[1]//",
    "/**/1",
    "[[]",
    "[[],[{}],{\"a\":[{}]}]",
    "[[[1,2],[]],{\"a\":{\"b\":{}},\"c\":[]}]",
    "{\"a\":1 , \"b\" : 2 }",
    "{\"a\":  1,  \"b\":  [1,  2]  }",
    "{\"a\": \t1, \t\"b\": \r[1, \n2] \n}",
    "{null:1}",
    "{\"a\":1:2}",
    "[1:2]",
    "[\"a\":1]",
    "{\"a\",1}",
    "{\"a\":1,2}",
    "{\"a\":1,[]}",
    "[{]}",
    "{\"a\":{\"b\":1}",
    "\u{0}",
    "1\u{0}",
    "[true false]",
    "[truefalse]",
    "[nullnull]",
    "[1true]",
    "[\"a\"\"b\"]",
];

#[test]
fn structure() {
    for text in TEXTS {
        agrees_anywhere(text);
    }
}

#[test]
fn nesting_goes_127_deep() {
    for depth in [1, 2, 63, 64, 65, 126, 127, 128, 129, 1000] {
        agrees(&format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
        agrees(&format!("{}1{}", "[".repeat(depth), "]".repeat(depth)));
        agrees(&format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth)));
        agrees(&format!("{}{{}}{}", "[1, ".repeat(depth), ", 2]".repeat(depth)));
        agrees(&format!("{}1{}", "[{\"a\":".repeat(depth), "}]".repeat(depth)));
        agrees(&format!("{}1{}", "[{\"a\":".repeat(depth), "]}".repeat(depth)));
        agrees(&"[".repeat(depth));
    }
}

#[test]
fn repeated_keys_are_found_however_they_are_written() {
    for (text, repeated) in [
        (r#"{"a": 1, "b": 2}"#, false),
        (r#"{"a": 1, "a": 2}"#, true),
        (r#"{"a": 1, "b": [{"c": 1, "d": {}, "c": 2}]}"#, true),
        (r#"{"a": {"a": {"a": 1}}, "b": {"a": 1}}"#, false),
        (r#"{"a": {"b": 1}, "b": 1}"#, false),
        (r#"{"a": {"b": 1}, "a": 1}"#, true),
        (r#"[{"a": 1}, {"a": 1}]"#, false),
        (r#"{"": 1, "": 2}"#, true),
        (r#"{"a": 1, "\u0061": 2}"#, true),
        (r#"{"\u0061": 1, "\u0062": 2, "b": 3}"#, true),
        (r#"{"\u0061": 1, "b": 2, "\\u0061": 3}"#, false),
        (r#"{"é": 1, "\u00e9": 2}"#, true),
        (r#"{"\/": 1, "/": 2}"#, true),
        (r#"{"\ud83d\ude00": 1, "😀": 2}"#, true),
        (r#"{"abcdefgh1": 1, "abcdefgh2": 2}"#, false),
        (r#"{"abcdefgh1": 1, "abcdefgh1": 2}"#, true),
        ("{\"a\": 1, \"a\\u0000\": 2}", false),
    ] {
        agrees(text);
        assert_eq!(skipped(text).unwrap().1, repeated, "{text}");
    }
}

#[test]
fn repeated_keys_are_found_among_many() {
    for count in [2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 66, 200] {
        let member = |key: usize| format!("\"key {key}\": {{\"k\": {key}, \"l\": [{{\"k\": 0}}]}}");
        let members: Vec<_> = (0..count).map(member).collect();
        agrees(&format!("{{{}}}", members.join(", ")));
        for again in [0, count / 2, count - 1] {
            agrees(&format!("{{{}, {}}}", members.join(", "), member(again)));
            let escaped = member(again).replace("key", "\\u006bey");
            agrees(&format!("{{{}, {escaped}}}", members.join(", ")));
            agrees(&format!("[{{{escaped}, {}}}]", members.join(", ")));
        }
    }
}

#[test]
fn a_hostile_object_takes_no_hostile_time() {
    let shared = "x".repeat(64);
    let keys =
        |count: usize| (0..count).map(|key| format!("\"{shared}{key}\":0")).collect::<Vec<_>>().join(",");
    let (written, repeated) = (format!("{{{}}}", keys(300_000)), false);
    assert_eq!(skipped(&written), Ok((written.as_str(), repeated)));
    let small = format!("[{}0]", "{\"a\":0,\"\\u0062\":0},".repeat(100_000));
    assert!(!skipped(&small).unwrap().1);
}

#[test]
fn what_is_read_before_a_stop_is_not_taken_for_the_next_value() {
    let mut scanner = Scanner::new("{\"a\": {\"b\": x");
    assert_eq!(scanner.skip(), Err(Stop { at: 12 }));
    assert_eq!(scanner.at(), 0);
    assert!(scanner.skip().is_err() && !scanner.repeated_keys());
}

#[test]
fn the_position_is_that_of_the_value() {
    let mut scanner = Scanner::new("  [ 1 ,  \"a\" ] ");
    assert_eq!((scanner.peek(), scanner.at()), (Ok(Kind::Array), 2));
    scanner.open_array().unwrap();
    assert!(scanner.next_item().unwrap());
    assert_eq!((scanner.peek(), scanner.at()), (Ok(Kind::Number), 4));
    assert_eq!(scanner.string(), Err(Stop { at: 4 }));
    assert_eq!(scanner.skip(), Ok("1"));
    assert!(scanner.next_item().unwrap());
    assert_eq!((scanner.peek(), scanner.at()), (Ok(Kind::String), 9));
    assert_eq!(scanner.string().unwrap(), "a");
    assert!(!scanner.next_item().unwrap());
    assert_eq!(scanner.end(), Ok(()));
}

#[test]
fn a_value_must_be_read_between_two_keys() {
    let mut scanner = Scanner::new("{\"a\": 1, \"b\": 2}");
    scanner.open_object().unwrap();
    scanner.next_key().unwrap();
    assert_eq!(scanner.next_key(), Err(Stop { at: 6 }));
}

#[test]
fn known_keys_are_told_from_others_however_they_are_written() {
    let known = |key: &str| format!("{{{key}1,{key}2 , {key}3}}{}", " ".repeat(24));
    for name in KNOWN {
        let escaped = name.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect::<Vec<_>>().concat();
        for after in ["\":", "\": ", "\" :", "\":\n", "x\": ", "\\\": ", "\\\"\": "] {
            agrees(&known(&format!("\"{name}{after}")));
            agrees(&known(&format!("\"{escaped}{after}")));
            agrees(&known(&format!(
                "\"{}{after}",
                name.split_at(name.floor_char_boundary(name.len() - 1)).0
            )));
        }
        agrees(&format!("{{\"{name}\"1}}{}", " ".repeat(24)));
        agrees(&format!("{{\"{name}\":1 \"{name}\":1}}{}", " ".repeat(24)));
        agrees(&format!("{{,\"{name}\":1,}}{}", " ".repeat(24)));
        agrees(&format!("{{, \"{name}\": 1}}{}", " ".repeat(24)));
        agrees(&format!("{{\"x\": 1, \"{name}\": 1}}{}", " ".repeat(24)));
    }
}

#[test]
fn strings_without_escapes_are_borrowed() {
    for (text, borrowed) in [("\"plain é\"", true), ("\"esc\\u0061ped\"", false)] {
        let string = Scanner::new(text).string().unwrap();
        assert_eq!(matches!(string, Cow::Borrowed(_)), borrowed);
    }
}
