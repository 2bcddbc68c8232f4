use proptest::prelude::*;
use proptest::sample::select;

use super::super::linear::Linear;
use super::super::parse::parse;
use super::super::translate::translate;
use super::Sequence;

fn sequence(written: &str) -> Option<Sequence> {
    Sequence::of(written, &parse(written).ok()?)
}

fn engine(written: &str) -> Linear {
    let translation = translate(&parse(written).unwrap()).unwrap();
    assert!(!translation.backtracks, "{written}");
    Linear::new(&translation.source).unwrap()
}

#[test]
fn plain_sequences_need_no_engine() {
    for (pattern, text, found) in [
        ("a", "bab", true),
        ("^a", "ba", false),
        ("(?m)^## A 1$", "x\n## A 1\ny", true),
        ("(?m)^## A 1$", "x\n## A 12", false),
        (r"t [A-Z]{2}-\d{4} says", "t AB-12 t AB-1234 says", true),
        (r"aab", "aaab", true),
        (r"aa[b]", "aaab", true),
        (r"\bt X[?]", "at X? t X!", false),
        (r"a$", "a\n", true),
        (r"a$", "a\n\n", false),
        (r"a\Z", "a\n", false),
        (r"(?:a)(b.)c?", "ab\nabx", true),
        (r"^$", "", true),
        (r"[^\W\d_]+@x\.y", "1@x.y a@x.y", true),
    ] {
        assert_eq!(sequence(pattern).and_then(|sequence| sequence.is_match(text)), Some(found), "{pattern}");
    }
}

#[test]
fn all_else_is_left_to_an_engine() {
    for pattern in [
        "",
        "a|b",
        "(?i)a",
        "(?i:a)",
        "é",
        "a$b",
        "(ab)+",
        "a++",
        "(?=a)b",
        r"(a)\1",
        "(?>a)b",
        "a{65}",
        r"\w{33}\d{32}",
    ] {
        assert!(sequence(pattern).is_none(), "{pattern}");
    }
    assert!(sequence(&"a".repeat(300)).is_none());
    // What single characters are is known of ASCII only.
    assert_eq!(sequence("[ab]").unwrap().is_match("é"), None);
    assert_eq!(sequence(r"\ba").unwrap().is_match("éa"), None);
    assert_eq!(sequence("a").unwrap().is_match("é"), Some(false));
    assert_eq!(sequence("^a$").unwrap().is_match("é"), Some(false));
    let steep = sequence("a*a*a*a*a*b").unwrap();
    assert_eq!(steep.is_match(&"a".repeat(10_000)), None);
    assert_eq!(sequence(r"\d+x").unwrap().is_match(&"1".repeat(10_000)), None);
}

#[test]
fn engines_for_sequences_fit() {
    for pattern in [r"[\W\d_\x00]{64}", r"[^\d\s]{1,64}", r"\w{64}", r"(?:[\s\W]{32})[^\W\d]{32}"] {
        assert!(sequence(pattern).is_some(), "{pattern}");
        engine(pattern);
    }
}

const ATOMS: &[&str] = &[
    "a", "b", "ab", "-", "_", " ", "1", r"\n", r"\.", ".", "(?s:.)", "[ab]", "[^a]", "[a-z1]", r"\d", r"\D",
    r"\s", r"\S", r"\w", r"\W", r"[^\w\s]", r"[\d_-]", "[é-ü]", "[^é]", "[b-é]", r"\x1c", r"\x7f", "(a)",
    "(?:b1)", "(?P<n>a)",
];
const TIMES: &[&str] = &["", "", "", "", "*", "+", "?", "*?", "{2}", "{1,3}", "{2,}", "{0}"];
const ANCHORS: &[&str] = &["", "", "", "^", "(?m:^)", r"\A", r"\b", r"\B", "(?m:$)", r"\Z"];

fn pattern() -> impl Strategy<Value = String> {
    let piece = (select(ANCHORS), select(ATOMS), select(TIMES));
    let pieces = prop::collection::vec(piece, 1..6);
    (pieces, select(&["", "", "$", r"\b", r"\Z", "(?m:$)"][..])).prop_map(|(pieces, last)| {
        let mut pattern = String::new();
        for (anchor, atom, times) in pieces {
            pattern.extend([anchor, atom, times]);
        }
        pattern + last
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn whatever_is_answered_is_what_the_engine_answers(
        pattern in pattern(),
        texts in prop::collection::vec("[ab1_. \n\x1c\x7fé-]{0,12}", 1..8),
    ) {
        let Some(sequence) = sequence(&pattern) else { return Ok(()) };
        let engine = engine(&pattern);
        for text in &texts {
            if let Some(answer) = sequence.is_match(text) {
                prop_assert_eq!(Ok(answer), engine.is_match(text), "{} in {:?}", pattern, text);
            }
        }
    }
}
