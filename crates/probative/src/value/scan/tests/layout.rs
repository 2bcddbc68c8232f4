//! Objects that are written like others: whatever a layout has seen, they hold what reading them key by key finds.

use proptest::prelude::*;

use super::super::layout::{Held, Layout};
use super::super::memo::Memo;
use super::super::names::{Key, Names};
use super::super::skip::Passed;
use super::super::{Scanner, Stop};
use super::generated::{json, number, string};

const KEYS: [&str; 5] = ["kind", "a", "b", "longer_than_a_word", "e"];
const KIND: usize = 0;
static NAMES: Names<5> = Names::new(KEYS);

/// What follows an object in a record, long enough that the last of its text is compared too.
const AFTER: &str = "                                ";

/// Where the values of an object stand, by their keys; `null` where one is null, wherever.
type Found = [Option<String>; KEYS.len()];

#[derive(Default)]
struct Learned {
    layout: Layout,
    memos: [Memo; KEYS.len()],
}

/// Reads an object key by key: its values, where they stand, and whether all keys are known and none is there twice.
fn by_keys(scanner: &mut Scanner<'_>) -> Result<([(usize, usize); KEYS.len()], bool), Stop> {
    let (mut places, mut plain) = ([(0, 0); KEYS.len()], true);
    scanner.open_object()?;
    while let Some(key) = scanner.next_of(&NAMES, 0)? {
        let Passed { start, .. } = scanner.pass()?;
        match key {
            Key::Known(slot) => {
                plain &= places[slot].1 == 0;
                places[slot] = (start, scanner.at());
            }
            Key::Other(_) => plain = false,
        }
    }
    Ok((places, plain))
}

fn written(text: &str, places: [(usize, usize); KEYS.len()]) -> Found {
    places.map(|(start, end)| (end != 0).then(|| text[start..end].to_owned()))
}

impl Learned {
    /// Reads an object as one of a sequence, and answers whether it was written like one before it.
    #[track_caller]
    fn agrees(&mut self, object: &str) -> bool {
        let text = format!("{object}{AFTER}");
        let mut found = Found::default();
        let mut scanner = Scanner::new(&text);
        let followed = self.layout.follow(&mut scanner, &mut self.memos, |held| match held {
            Held::Nulls(nulls) => {
                for (slot, value) in found.iter_mut().enumerate().filter(|(slot, _)| nulls & 1 << slot != 0) {
                    assert!(value.replace("null".to_owned()).is_none(), "{slot} twice in {text}");
                }
            }
            Held::Plain { slot, start, end, whole } => {
                let value = text[start..end].to_owned();
                assert!(value != "null" && !(value.starts_with('"') && value.contains('\\')), "{text}");
                let has_digits_only = value.bytes().all(|byte| byte.is_ascii_digit());
                assert!(
                    if value.len() < 8 { whole == has_digits_only } else { !whole || has_digits_only },
                    "{text}"
                );
                assert!(found[slot].replace(value).is_none(), "{slot} twice in {text}");
            }
            Held::Value(slot, passed, end) => {
                let value = text[passed.start..end].to_owned();
                assert_eq!(passed.escaped, value.starts_with('"') && value.contains('\\'), "{text}");
                assert!(found[slot].replace(value).is_none(), "{slot} twice in {text}");
            }
        });
        let end = scanner.at();
        let mut again = Scanner::new(&text);
        match by_keys(&mut again) {
            Ok((places, plain)) => {
                if followed {
                    assert!(plain, "{text}");
                    assert_eq!(scanner.repeated_keys(), again.repeated_keys(), "{text}");
                    assert_eq!((found, end), (written(&text, places), again.at()), "{text}");
                } else if plain {
                    self.layout.missed(&text, 0..again.at(), &places, KIND);
                }
            }
            Err(stop) => assert!(!followed, "{stop:?} in {text}"),
        }
        if !followed {
            assert_eq!(end, 0, "nothing is read where nothing is followed");
        }
        followed
    }
}

/// A layout that has learned from objects.
fn learned(objects: &[&str]) -> Learned {
    let mut learned = Learned::default();
    for object in objects {
        learned.layout.learn_next();
        assert!(!learned.agrees(object), "{object}");
    }
    learned
}

const CALL: &str = r#"{"kind": "call", "a": 1, "b": null, "longer_than_a_word": null, "e": {"x": [1, 2]}}"#;
const STATE: &str = r#"{"kind": "state", "a": 1, "b": "x", "longer_than_a_word": null, "e": null}"#;

#[test]
fn objects_that_differ_in_their_values_are_written_alike() {
    let mut learned = learned(&[CALL, STATE]);
    for alike in [
        CALL,
        STATE,
        r#"{"kind": "call", "a": "a text", "b": null, "longer_than_a_word": null, "e": 7}"#,
        r#"{"kind": "call", "a": "\"", "b": null, "longer_than_a_word": null, "e": null}"#,
        r#"{"kind": "state", "a": -1.5e3, "b": null, "longer_than_a_word": null, "e": null}"#,
    ] {
        assert!(learned.agrees(alike), "{alike}");
    }
}

#[test]
fn other_keys_blanks_kinds_and_what_is_no_longer_null_are_not_alike() {
    for other in [
        r#"{"kind": "call", "a": 1, "b": null, "longer_than_a_word": null}"#,
        r#"{"kind": "call", "a": 1, "b": null, "longer_than_a_word": 5, "e": 7}"#,
        r#"{"kind":"call","a":1,"b":null,"longer_than_a_word":null,"e":7}"#,
        r#"{"kind": "other", "a": 1, "b": null, "longer_than_a_word": null, "e": 7}"#,
        r#"{"kind": "call", "a": 1, "b": null, "longer_than_a_word": null, "e": 7, "a": 2}"#,
        r#"{"kind": "call", "a": 1, "b": null, "longer_than_a_word": nulls, "e": 7}"#,
        r#"{"kind": "call", "a": 1, "b": null, "longer_than_a_word": null, "e": 7"#,
        r#"{"kind": "call", "a": 01, "b": null, "longer_than_a_word": null, "e": 7}"#,
    ] {
        assert!(!learned(&[CALL]).agrees(other), "{other}");
    }
}

#[test]
fn what_is_longer_is_looked_for_first() {
    // The text before a value of `b` also stands before a null.
    let (value, null) = (r#"{"a": 1, "b": 2}"#, r#"{"a": 1, "b": null, "e": 3}"#);
    for objects in [[value, null], [null, value]] {
        let mut learned = learned(&objects);
        assert!(learned.agrees(value) && learned.agrees(null) && learned.agrees(r#"{"a": 0, "b": null}"#));
    }
}

#[test]
fn nothing_is_learned_from_an_object_with_a_key_twice_or_an_unknown_one() {
    for odd in [r#"{"a": 1, "a": 2}"#, r#"{"a": 1, "z": 2}"#] {
        let mut learned = learned(&[odd]);
        assert!(!learned.agrees(odd));
    }
}

#[test]
fn more_than_is_worth_keeping_is_forgotten() {
    let mut learned = Learned::default();
    for count in 0..200 {
        learned.layout.learn_next();
        learned.agrees(&format!("{{{}\"a\":1}}", " ".repeat(count % 90)));
    }
    let text = format!("{{{}\"a\":1}}", " ".repeat(4000));
    learned.layout.learn_next();
    assert!(!learned.agrees(&text) && !learned.agrees(&text));
}

#[test]
fn an_object_within_as_many_others_as_there_may_be_is_left_to_others() {
    let mut learned = learned(&[r#"{"a": 1}"#]);
    for (depth, followed) in [(126, true), (127, false)] {
        let text = format!("{}{}{}", "[".repeat(depth), r#"{"a": 1}"#, "]".repeat(depth));
        let text = format!("{text}{AFTER}");
        let mut scanner = Scanner::new(&text);
        for _ in 0..depth {
            scanner.open_array().unwrap();
            assert!(scanner.next_item().unwrap());
        }
        assert_eq!(learned.layout.follow(&mut scanner, &mut learned.memos, |_| {}), followed, "{depth}");
    }
}

/// Objects as programs write them: few orders of keys, few ways to put blanks, and values of any kind.
fn object() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        3 => Just("null".to_owned()),
        2 => number(),
        2 => string(),
        1 => json().prop_map(|json| json.trim().to_owned()),
    ];
    let kind =
        prop_oneof![8 => prop::sample::select(vec![r#""call""#, r#""state""#, "null", r#""\u0063""#, "{}"])];
    let blanks = prop::sample::select(vec![("", ""), (" ", " "), (" ", "")]);
    let keys = prop_oneof![
        6 => prop::sample::subsequence(KEYS[1..].to_vec(), 0..KEYS.len()),
        1 => prop::collection::vec(prop::sample::select(vec!["a", "b", "z", "kind"]), 0..4),
    ];
    (kind, blanks, keys, prop::collection::vec(value, KEYS.len())).prop_map(
        |(kind, (comma, colon), keys, values)| {
            let members = keys.iter().zip(values).map(|(key, value)| format!("\"{key}\":{colon}{value}"));
            let members: Vec<String> =
                [format!("\"kind\":{colon}{kind}")].into_iter().chain(members).collect();
            format!("{{{}}}", members.join(&format!(",{comma}")))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn what_is_followed_is_what_is_read(objects in prop::collection::vec(object(), 1..12), cut in any::<prop::sample::Index>(), put in "[\\x00-~]{0,2}") {
        let mut learned = Learned::default();
        for object in objects.iter().chain(&objects) {
            learned.layout.learn_next();
            learned.agrees(object);
        }
        // One of them, changed in one place.
        let mut object = objects[cut.index(objects.len())].clone();
        let at = object.floor_char_boundary(cut.index(object.len() + 1));
        let end = object.ceil_char_boundary((at + 1).min(object.len()));
        object.replace_range(at..end, &put);
        learned.agrees(&object);
    }
}

/// Otherwise the test above would hold of a layout that follows nothing.
#[test]
fn an_object_is_written_like_itself() {
    for object in [CALL, STATE, "{}", r#"{"a":"b"}"#, "{ \"b\" : [ ] , \"kind\" : null }"] {
        assert!(learned(&[object]).agrees(object), "{object}");
    }
}
