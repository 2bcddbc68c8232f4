//! The scanner against the library that reads trees: the same texts are accepted, and the same is read from them.

mod memo;

use proptest::prelude::*;
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
static KNOWN_KEYS: Names<4> = Names::new(KNOWN);

/// The next key, asked for in either way.
fn next_key(scanner: &mut Scanner<'_>, of_known: bool, next: &mut usize) -> Result<Option<String>, Stop> {
    if !of_known {
        return Ok(scanner.next_key()?.map(Into::into));
    }
    Ok(scanner.next_of(&KNOWN_KEYS, *next)?.map(|key| match key {
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

const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "00",
    "01",
    "-01",
    "-",
    "--1",
    "+1",
    "1",
    "-1",
    "1.",
    "1.x",
    ".5",
    "-.5",
    "1e",
    "1e+",
    "1E-",
    "1e5",
    "1E+2",
    "1e-2",
    "1e05",
    "1e400",
    "-1e400",
    "1e-400",
    "-1e-400",
    "0e400",
    "0.0e99999999999",
    "1e99999999999",
    "1e-99999999999",
    "1.5e3",
    "1.e3",
    "1.5.5",
    "1e5.5",
    "1e5e5",
    "0x10",
    "1_000",
    "1a",
    "Infinity",
    "NaN",
    "-Infinity",
    "7",
    "42",
    "123",
    "1234567",
    "12345678",
    "123456789",
    "1234567890123456",
    "12345678901234567",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "-9223372036854775809",
    "9007199254740993",
    "9007199254740993.0",
    "0.1",
    "0.008796",
    "1760000000.25",
    "1760000000.0",
    "-0.0",
    "0.0",
    "123456789012345678901234567890",
    "1.7976931348623157e308",
    "1.7976931348623158e308",
    "1.7976931348623159e308",
    "1.797693134862315808e308",
    "2e308",
    "1e308",
    "1e309",
    "4.9e-324",
    "2.4e-324",
    "2.5e-324",
    "2.2250738585072011e-308",
    "0.000000000000000000000000000000000001",
    "12345.678e-10",
    "999999999999999.9",
    "9999999999999999.9",
    "0.30000000000000004",
    "123456789.12345678",
    "1234567.12345678901",
    "1.0000000000000002",
    "1e22",
    "1e23",
    "8.5e-23",
    "00000000",
    "0123456789",
    "1234567a",
    "12345678a",
    "1.2345678a",
    "1.23456789e",
    "12345678.",
    "12345678.e1",
    "1/2",
    "1:",
    "1\u{e9}",
    "١",
];

#[test]
fn numbers() {
    for number in NUMBERS {
        agrees_anywhere(number);
    }
    for (first, digits) in
        [("1", 307), ("1", 308), ("1", 309), ("2", 308), ("9", 399), ("-9", 399), ("0.", 400), ("1.", 199)]
    {
        for rest in ["0", "9"] {
            let long = format!("{first}{}", rest.repeat(digits));
            for suffix in ["", ".0", ".5e3", "e-200", "e99", "e100", "E+108", "e109"] {
                agrees_anywhere(&format!("{long}{suffix}"));
            }
        }
    }
}

const STRINGS: &[&str] = &[
    "",
    "a",
    "abcdefg",
    "abcdefgh",
    "abcdefghi",
    "\\n",
    "\\b\\f\\n\\r\\t\\\"\\\\\\/",
    "\\a",
    "\\",
    "\\u",
    "\\u00e9",
    "\\u00E9",
    "\\u00g9",
    "\\u00",
    "\\u+0e9",
    "\\u0000",
    "\0",
    "\u{1}",
    "\u{1f}",
    "\u{7f}",
    "\n",
    "\t",
    "é",
    "\u{2028}",
    "😀",
    "\\ud83d\\ude00",
    "\\uD83D\\uDE00",
    "\\ud800",
    "\\ud800x",
    "\\ud800\\n",
    "\\ud800\\u0041",
    "\\udc00",
    "\\ud800\\ud800",
    "\\ud800\\ud800\\udc00",
    "\\udbff\\udfff",
    "\\ud7ff",
    "\\ue000",
    "\\uffff",
    "\\ud83d\\",
    "\\ud83d\\u",
    "\\ud83d\\ude0",
    "\"",
    "a\"b",
    "\\\"",
    "\\\\\"",
    "seven b\\n",
    "eight by\\n",
    "eight by\u{1}",
    "tail \u{80}\u{7ff}\u{800}",
    "!#[]^~ \u{10ffff}",
    "\\u0022",
    "\\u005c",
    "日本語のテキスト",
    "ÿÿÿÿÿÿÿÿ\\u00ff\u{2}",
];

#[test]
fn strings() {
    for inside in STRINGS {
        agrees_anywhere(&format!("\"{inside}\""));
        agrees_anywhere(&format!("{{\"{inside}\": 1}}"));
        for count in 0..36 {
            agrees(&format!("\"{}{inside}{}\"", "x".repeat(count), "y".repeat(40 - count)));
        }
        agrees(&format!("\"{inside}"));
        agrees(&format!("{{\"{inside}"));
    }
    for byte in 0..=0x2ff {
        let character = char::from_u32(byte).unwrap();
        agrees_anywhere(&format!("\"{character}\""));
        agrees_anywhere(&format!("\"\\{character}\""));
        agrees(&format!("[1{character}]"));
        agrees(&format!("{character}1"));
        agrees(&format!("[1,{character}2]"));
        agrees(&format!("{{\"a\":{character}2}}"));
        agrees(&format!("{{\"a\"{character}:2}}"));
        agrees(&format!("{{{character}\"a\":2}}"));
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

fn space() -> impl Strategy<Value = &'static str> + Clone {
    prop_oneof![4 => Just(""), 4 => Just(" "), 1 => Just("  "), 1 => Just(" \n"), 1 => Just("\n  "), 1 => Just("\t\r\n")]
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<u64>().prop_map(|number| number.to_string()),
        (-1000..1000_i32).prop_map(|number| number.to_string()),
        any::<f64>()
            .prop_filter("finite", |number| number.is_finite())
            .prop_map(|number| format!("{number:e}")),
        any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(|number| number.to_string()),
        (0..2_000_000_000_000_u64, 0..12_usize, any::<bool>()).prop_map(|(digits, places, negative)| {
            let digits = format!("{digits:0>width$}", width = places + 2);
            let (whole, fraction) = digits.split_at(digits.len() - places - 1);
            format!("{}{}.{fraction}", if negative { "-" } else { "" }, whole.parse::<u64>().unwrap_or(0))
        }),
        "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,24})?([eE][+-]?[0-9]{1,2})?",
    ]
}

/// Some of them are beyond the doubles.
fn large_number() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,24})?[eE][+-]?[0-9]{1,3}",
        "1\\.797693134862315[0-9]{1,5}[eE]308",
        "[1-9][0-9]{180,312}",
        "1797693134862315[78][0-9]{292}",
    ]
}

fn string() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop_oneof![
            6 => "[ -!#-\\[\\]-~]{0,20}",
            2 => "[\u{7f}-\u{2fff}\u{10000}-\u{10100}]{1,4}",
            2 => "\\\\[\"\\\\/bfnrt]",
            1 => "\\\\u[0-9a-cA-C][0-9a-fA-F]{3}",
            1 => "\\\\u[dD][89abAB][0-9a-f]{2}\\\\u[dD][c-fC-F][0-9a-f]{2}",
        ],
        0..4,
    )
    .prop_map(|parts| format!("\"{}\"", parts.concat()))
}

fn json() -> impl Strategy<Value = String> {
    let leaf =
        prop_oneof![Just("null".into()), Just("true".into()), Just("false".into()), number(), string()];
    leaf.prop_recursive(5, 60, 8, |inner| {
        let spaced =
            (space(), inner, space()).prop_map(|(before, value, after)| format!("{before}{value}{after}"));
        let key = prop_oneof![3 => "\"[a-d]\"", 1 => "\"(abcdefgh|\\\\u006[1-4])[a-c]?\"", 1 => string()];
        let member = (space(), key, space(), spaced.clone())
            .prop_map(|(before, key, after, value)| format!("{before}{key}{after}:{value}"));
        prop_oneof![
            (prop::collection::vec(spaced, 1..8)).prop_map(|items| format!("[{}]", items.join(","))),
            (prop::collection::vec(member, 1..8)).prop_map(|members| format!("{{{}}}", members.join(","))),
            space().prop_map(|space| format!("[{space}]")),
            space().prop_map(|space| format!("{{{space}}}")),
        ]
    })
}

/// Characters that matter to JSON, and some that do not.
const ODD: &[char] = &[
    '"', '\\', ',', ':', '[', ']', '{', '}', ' ', '\n', '0', '1', '9', '-', '+', '.', 'e', 'E', 'u', 't',
    'n', 'd', '\0', '\u{1f}', '\u{7f}', 'é', '/', 'x',
];

/// One change to a text: where, what kind, and with which character.
fn changed(text: &str, place: prop::sample::Index, how: u8, odd: char) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    if characters.is_empty() {
        return odd.into();
    }
    let place = place.index(characters.len());
    match how % 5 {
        0 => characters[place] = odd,
        1 => characters.insert(place, odd),
        2 => drop(characters.remove(place)),
        3 => characters.truncate(place),
        _ => {
            characters[place] =
                char::from_u32(characters[place] as u32 ^ (1 << (how / 5 % 7))).unwrap_or(odd);
        }
    }
    characters.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn valid_texts_are_read_as_the_library_does(text in json()) {
        prop_assert!(reference(&text).is_some(), "not valid: {text}");
        agrees(&text);
    }

    #[test]
    fn changed_texts_are_accepted_as_the_library_does(
        text in json(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), prop::sample::select(ODD)), 1..4),
    ) {
        let mut text = text;
        for (place, how, odd) in changes {
            text = changed(&text, place, how, odd);
            agrees(&text);
        }
    }

    #[test]
    fn numbers_are_read_as_the_library_does(text in prop_oneof![number(), large_number()]) {
        agrees(&text);
        agrees(&format!("[{text}, \"some more text\"]"));
    }

    #[test]
    fn any_text_is_no_danger(text in "\\PC{0,40}") {
        agrees(&text);
    }
}
