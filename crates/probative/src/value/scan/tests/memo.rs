//! Values that look like others: whatever a memo has seen, they are accepted as the library does.

use proptest::prelude::*;

use super::super::memo::Memo;
use super::super::{Kind, Scanner};
use super::generated::{ODD, changed, json, number, string};
use super::reference;

/// What follows a value in a record, long enough that the last pieces of it are compared too.
const AFTER: &str = "                                ";

/// Passes a value as one of a sequence, and answers whether it looked like one before it.
#[track_caller]
fn agrees_after_others(memo: &mut Memo, text: &str) -> bool {
    let padded = format!("{text}{AFTER}");
    let start = padded.len() - padded.trim_start_matches([' ', '\n', '\t', '\r']).len();
    let known = memo.after(&padded, start, 127);
    let mut scanner = Scanner::new(&padded);
    let passed = scanner.pass_like(memo).map(|passed| padded.get(passed.start..scanner.at()).unwrap());
    let passed = passed.and_then(|written| scanner.end().map(|()| written));
    match (reference(text), passed) {
        (Some((_, repeated)), Ok(written)) => {
            assert_eq!(written, text.trim_matches([' ', '\n', '\t', '\r']));
            assert_eq!(scanner.repeated_keys(), repeated, "repeated keys in {text:?} with {memo:#?}");
        }
        (None, Err(stop)) => assert!(stop.at <= padded.len(), "{stop:?} in {text:?}"),
        (expected, passed) => panic!("expected {expected:?}, passed {passed:?} of {text:?} with {memo:#?}"),
    }
    known.is_some()
}

/// A memo that has learned from one value.
fn memo_of(text: &str) -> Memo {
    let mut memo = Memo::default();
    Scanner::new(text).pass_like(&mut memo).unwrap();
    memo
}

const RESULT: &str = r#"{"status": "ok", "items": [{"id": 4, "title": "a"}, {"id": 5, "title": "b"}, {"id": 6, "title": "c"}], "more": null, "text": "x"}"#;

#[test]
fn values_that_differ_in_strings_numbers_and_words_look_the_same() {
    for other in [
        r#"{"status": "", "items": [{"id": -1.5e3, "title": "longer than sixteen bytes"}, {"id": 5, "title": "b"}], "more": true, "text": "x"}"#,
        r#"{"status": "\"\\\u00e9", "items": [{"id": 4, "title": "é"}, {"id": 5, "title": "b"}], "more": false, "text": "}"}"#,
        r#"{"status": "ok", "items": [{"id": 4, "title": "a"}, {"id": 5, "title": "b"}, {"id": -0, "title": "c"}, {"id": 7, "title": "d"}], "more": null, "text": "x"}"#,
    ] {
        assert!(agrees_after_others(&mut memo_of(RESULT), other), "{other}");
    }
    let many = RESULT.replace("[{", &format!("[{}{{", "{\"id\": 6, \"title\": \"c\"}, ".repeat(1000)));
    assert!(agrees_after_others(&mut memo_of(RESULT), &many));
    for (learned, other) in [
        ("[1, 2, 3]", "[1, 2, 3, 4, 5]"),
        ("[1, 2, 3]", "[1, 2]"),
        (r#"["a", "b", "c"]"#, r#"["a", "b", "c", "d"]"#),
        ("[[1, 2, 3], [1, 2, 3], [1, 2, 3]]", "[[1, 2], [3, 4, 5, 6], [6, 7, 8, 9], [0, 0]]"),
        ("[[], [], 1]", "[[], [], 2]"),
        ("{}", "{}"),
        ("[ ]", "[ ]"),
        (
            "{\"a key with more than 24 bytes before its value\": 1}",
            "{\"a key with more than 24 bytes before its value\": 2}",
        ),
    ] {
        assert!(agrees_after_others(&mut memo_of(learned), other), "{other} after {learned}");
    }
}

#[test]
fn values_that_differ_in_anything_else_do_not() {
    for other in [
        RESULT.replace("title", "titlf"),
        RESULT.replace("title", "id"),
        RESULT.replace("more", "text"),
        RESULT.replace("4,", "4;"),
        RESULT.replace("4,", "04,"),
        RESULT.replace("4,", "1e999,"),
        RESULT.replace("4,", "-,"),
        RESULT.replace("4,", "\"4\","),
        RESULT.replace("4,", "[4],"),
        RESULT.replace("null", "nul"),
        RESULT.replace("null", "nulll"),
        RESULT.replace("ok", "o\nk"),
        RESULT.replace("ok", "o\\k"),
        RESULT.replace("ok", "o\\ud800k"),
        RESULT.replace("\"ok\"", "ok"),
        RESULT.replace("}]", "]]"),
        RESULT.replace("}, {", ", "),
        RESULT.replace("}, {", "} {"),
        RESULT.replace("}]", "},]"),
        RESULT.replace(": ", ":"),
        RESULT.replace("\"b\"}", "\"b\", \"id\": 6}"),
    ] {
        assert_ne!(other, RESULT);
        assert!(!agrees_after_others(&mut memo_of(RESULT), &other), "{other}");
    }
    for (end, _) in RESULT.char_indices() {
        assert!(!agrees_after_others(&mut memo_of(RESULT), &RESULT[..end]));
        let text = &RESULT[..end];
        assert!(Scanner::new(text).pass_like(&mut memo_of(RESULT)).is_err(), "{text}");
    }
}

#[test]
fn what_may_follow_an_item_depends_on_its_keys() {
    let mut memo = memo_of(r#"[{"b": "1"}, {"a": "1"}, {"a": "1"}, {"a": "1", "b": "1"}]"#);
    assert!(agrees_after_others(&mut memo, r#"[{"b": "1"}, {"a": "1", "b": "1"}]"#));
    assert!(!agrees_after_others(&mut memo, r#"[{"b": "1", "b": "1"}]"#));
    assert!(!agrees_after_others(&mut memo, r#"[{"b": "1"}, {"b": "1", "b": "1"}]"#));
    assert!(!agrees_after_others(&mut memo, r#"[{"b": "1"}, {"a": "1", "a": "1"}]"#));
    let mut memo = memo_of(r#"[{"c": "1"}, {"a": "1"}, {"b": "1", "a": "1"}]"#);
    assert!(!agrees_after_others(&mut memo, r#"[{"c": "1"}, {"a": "1", "a": "1"}]"#));
    let mut memo = memo_of(r#"{"a": [1, 2, 3], "b": [1, 2, 3], "c": 1}"#);
    assert!(agrees_after_others(&mut memo, r#"{"a": [1, 2, 3, 4], "b": [1, 2], "c": 1}"#));
    assert!(!agrees_after_others(&mut memo, r#"{"a": [1, 2], "b": [1, 2], "b": [1, 2], "c": 1}"#));
    assert!(!agrees_after_others(&mut memo, r#"{"a": [1, 2], "c": 1, "c": 1}"#));
}

#[test]
fn a_value_with_a_key_twice_is_not_learned_from() {
    let mut memo = Memo::default();
    for _ in 0..10 {
        assert!(!agrees_after_others(&mut memo, r#"{"a": 1, "a": 2}"#));
        assert!(!agrees_after_others(&mut memo, r#"{"a": 1, "\u0061": 2}"#));
    }
}

#[test]
fn a_known_value_may_still_be_too_deep() {
    let value = format!("{}1{}{AFTER}", "[".repeat(64), "]".repeat(64));
    let mut memo = memo_of(&value);
    for (around, fits) in [(0, true), (62, true), (63, true), (64, false), (100, false)] {
        let text = format!("{}{value}", "[".repeat(around));
        let mut scanner = Scanner::new(&text);
        for _ in 0..around {
            assert_eq!(scanner.peek(), Ok(Kind::Array));
            scanner.open_array().unwrap();
        }
        assert_eq!(scanner.pass_like(&mut memo).is_ok(), fits, "{around} around it");
    }
}

#[test]
fn values_that_are_all_different_are_soon_no_longer_compared() {
    let mut memo = Memo::default();
    for number in 0..10_000 {
        assert!(!agrees_after_others(&mut memo, &format!("{{\"key {number}\": [1, 2]}}")));
    }
    assert!(!agrees_after_others(&mut memo, &format!("[{}1]", "1, \"a\", {}, ".repeat(500))));
    let learned = (0..10_000).position(|_| agrees_after_others(&mut memo, RESULT));
    assert!(learned.is_some_and(|after| after < 2000), "{learned:?}");
}

/// A text with each of its numbers, and each string that is no key, replaced by the next of others.
fn with_other_scalars(text: &str, scalars: &[String]) -> String {
    let (mut written, mut rest, mut scalars) = (String::new(), text, scalars.iter().cycle());
    while let Some(first) = rest.chars().next() {
        let is_scalar = matches!(first, '"' | '-' | '0'..='9' | 'n' | 't' | 'f');
        let value = if is_scalar { Scanner::new(rest).skip().ok() } else { None };
        let value = value.unwrap_or(&rest[..first.len_utf8()]);
        rest = &rest[value.len()..];
        let is_key = rest.trim_start().starts_with(':');
        let kind = |text: &str| text.starts_with('"');
        let other = scalars.next().filter(|other| is_scalar && !is_key && kind(other) == kind(value));
        written.push_str(other.map_or(value, String::as_str));
    }
    written
}

/// Values of so few kinds that their parts meet in all ways.
fn small() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![Just("1".to_owned()), Just("\"x\"".to_owned()), Just("null".to_owned())];
    leaf.prop_recursive(4, 24, 5, |inner| {
        let member = ("[a-c]", inner.clone()).prop_map(|(key, value)| format!("\"{key}\": {value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..6).prop_map(|items| format!("[{}]", items.join(", "))),
            prop::collection::vec(member, 0..4).prop_map(|members| format!("{{{}}}", members.join(", "))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn sequences_of_similar_values_are_accepted_as_the_library_does(
        bases in prop::collection::vec(json(), 1..4),
        turns in prop::collection::vec(
            (
                any::<prop::sample::Index>(),
                prop::collection::vec(prop_oneof![number(), string()], 1..6),
                prop::option::weighted(0.5, (any::<prop::sample::Index>(), any::<u8>(), prop::sample::select(ODD))),
            ),
            1..20,
        ),
    ) {
        let mut memo = Memo::default();
        for (base, scalars, change) in turns {
            let text = with_other_scalars(base.get::<String>(&bases), &scalars);
            let text = change.map_or(text.clone(), |(place, how, odd)| changed(&text, place, how, odd));
            agrees_after_others(&mut memo, &text);
            // So that every value that may be learned from is.
            memo.learn_next();
        }
    }

    #[test]
    fn small_values_are_accepted_as_the_library_does(texts in prop::collection::vec(small(), 1..24)) {
        let mut memo = Memo::default();
        for text in texts {
            agrees_after_others(&mut memo, &text);
            memo.learn_next();
        }
    }

    #[test]
    fn what_was_learned_looks_like_itself(text in json(), scalars in prop::collection::vec(prop_oneof![number(), string()], 1..6)) {
        let (value, repeated) = reference(&text).unwrap();
        let mut memo = memo_of(&text);
        let known = agrees_after_others(&mut memo, &text);
        prop_assert!(known || repeated || !(value.is_object() || value.is_array()) || text.len() > 300);
        agrees_after_others(&mut memo, &with_other_scalars(&text, &scalars));
    }
}
