use std::sync::LazyLock;

use proptest::prelude::*;

use super::super::{parse, translate};
use super::{Engine, Pattern, Unanswered, unmatched};

fn always(pattern: &str) -> bool {
    Pattern::parse(pattern).unwrap().matches_every_text()
}

#[test]
fn patterns_that_nothing_matches_are_known() {
    let never = |pattern: &str| Pattern::parse(pattern).unwrap().matches_no_text();
    for pattern in ["(?!)", "a(?!)b", "(?:(?!)|b(?!|x))", "(?=(?!))", "(?:x(?!))+", r"[^\s\S]", r"a[^\d\D]"] {
        assert!(never(pattern), "{pattern}");
    }
    for pattern in ["", "a", "(?!a)", "(?!)|b", "(?:x(?!))*", "(?=)", r"[\s\S]", "(?:(?!)|b)"] {
        assert!(!never(pattern), "{pattern}");
    }
}

#[test]
fn a_pattern_is_judged_by_what_it_means() {
    for pattern in [
        "",
        ".*",
        "^",
        "$",
        "a*",
        "a|",
        "(?s)^.*$",
        r"^$|[\s\S]",
        r"\b|\B",
        r"^\s*",
        "x?",
        "(?:)",
        "(a|b)*",
        r"\Z",
        "(?i)a*",
        r"^(?:.|\n)*$",
        r"\A",
        "(?m)^.*$",
        "(?m)^$|.",
        r"^[\s\S]*\Z",
        r"^(?:\w|\W)*$",
        r"(?i)^(?:[^k]|K)*$",
        "(?=a*)",
        "(?>a*)",
        r"a{0,3}+",
        r"^(?:[\x00-\ud7ff]|[\ue000-\U0010ffff])*$",
        r"\w|\W|$",
        r"^(?:[ab]*a[ab]{30}|(?:.|\n)*)\Z",
        r"\w|^\W*\Z",
        r"^$|^[^a]|^a\Z|^a[^b]|^ab",
        r"^(?:\b|\B|a)",
        "(a{0,1000}){0,10}",
    ] {
        assert!(always(pattern), "{pattern}");
    }
    for pattern in [
        "^.*$",
        r"[\s\S]",
        "^$",
        ".",
        "a",
        "a+",
        r"\b",
        r"\S|^$",
        r"^(?:\w|\s)*$",
        r"^[^\n]*$",
        r"^(?:[^a]|aa)*$",
        "(?m)^.$|^$",
        r"\w|^\S*\Z|\B\Z",
        r"^(?:[\x00-\ud7ff]|[\ue001-\U0010ffff])*$",
        "(?i)^(?:[^k]|Q)*$",
        "^a*$",
        r"$a|\n|^.",
        "^.{0,9}$",
    ] {
        assert!(!always(pattern), "{pattern}");
    }
}

#[test]
fn of_a_backtracking_pattern_only_what_is_certain_is_seen() {
    for pattern in [
        r"(?<=a)|$",
        r"(?=a*)b?",
        "(?=(?:a|))(?:b|)",
        "(?>a*)b*",
        "a*+b*",
        r"(a)\1|^",
        r"(?:(?!a)b)*$",
        r"^(?:.|\n|(?<!a))*$",
        r"$\n?",
        "(?=a?)$",
        "a?+b|$",
        r"(?:(?=a?)c)?\Z",
        r"(?:(a)\1)?",
        "(?i)(?<=a)|^(?:[^k]|K)*$",
        r"(?:x(?<=x)|[\s\S])*$",
    ] {
        assert!(always(pattern), "{pattern}");
    }
    for pattern in [
        "(?!a)",
        "(?<!a)b?c",
        r"(a*)b\1",
        "(?>a*)a|^$",
        "^$a|^$",
        "a*+a|^$",
        "(?=a)b*",
        "^(?!.*b)",
        r"^(?=.*)a*$",
        "(a)?(?(1)b|c)|^$",
        r"(?=a?)b(?<=b)|^$",
        "(?!a*)$|^$",
        "(?=a)$|^$",
        "(?:(?!a)b)+$|^$",
        r"(?s)^(?>a?).+\Z|^$",
        r"(?s)^a?+.+\Z|^$",
    ] {
        assert!(!always(pattern), "{pattern}");
    }
    // True of every text, but not seen to be.
    for pattern in [r"(?!a)|a", r"(?=a)a|(?!a)", r"(a)?(?(1)|)", r"(a*)\1"] {
        assert!(!always(pattern), "{pattern}");
    }
}

#[test]
fn beyond_the_limits_nothing_is_known() {
    let source = |pattern: &str| translate::translate(&parse::parse(pattern).unwrap()).unwrap().source;
    let letters: String = ('一'..).take(100).collect();
    for pattern in [
        r"^(?:.|\n){0,9000}",
        r"(?:^.{9000}$)|^",
        r"(?s)^(?:.*a.{14}|.*[^a].{14}|.{0,14})\Z",
        &format!("{letters}|^"),
        &format!("{}|$", "a".repeat(super::SOURCE_BYTES)),
    ] {
        assert_eq!(unmatched(&source(pattern)), Err(Unanswered), "{pattern}");
    }
}

const PLAIN: [&str; 26] = [
    "a", "b", "é", r"\n", ".", "[ab]", "[^a]", "[^b]", r"\s", r"\S", r"\w", r"\W", r"[\s\S]", "ab", "(?s:.)",
    "(?:)", "(?:^)", "(?:$)", r"\A", r"\Z", r"\b", r"\B", "(?m:^)", "(?m:$)", "^", "$",
];
const TIMES: [&str; 5] = ["*", "+", "?", "{2}", "{0,2}"];

const INTRICATE: [&str; 14] = [
    "a", "b", ".", r"\n", r"[\s\S]", "(?s:.*)", "(?:)", "^", "$", "(?=a)", "(?!a)", "(?<=a)", "(?<!b)",
    "(?=b*)",
];
const INTRICATE_TIMES: [&str; 5] = ["*", "+", "?", "*+", "?+"];

/// Small patterns over what the texts below are made of, in groups that open with one of `groups`.
fn patterns(
    atoms: &'static [&str],
    groups: &'static [&str],
    times: &'static [&str],
) -> impl Strategy<Value = String> {
    let atom = prop::sample::select(atoms).prop_map(str::to_owned);
    atom.prop_recursive(4, 16, 3, move |inner| {
        let parts = prop::collection::vec(inner.clone(), 2..4);
        let open = prop::sample::select(groups);
        prop_oneof![
            (open.clone(), parts.clone()).prop_map(|(open, parts)| format!("{open}{})", parts.join("|"))),
            parts.prop_map(|parts| parts.concat()),
            (open, inner, prop::sample::select(times))
                .prop_map(|(open, part, times)| format!("{open}{part}){times}")),
        ]
    })
}

/// A text of up to four characters in which the pattern is not found.
fn unmatched_short_text(pattern: &Pattern) -> Option<String> {
    static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| {
        let longer = |texts: &Vec<String>| {
            Some(texts.iter().flat_map(|text| "ab\né-".chars().map(move |c| format!("{text}{c}"))).collect())
        };
        std::iter::successors(Some(vec![String::new()]), longer).take(5).flatten().collect()
    });
    TEXTS.iter().find(|text| pattern.is_match(text) == Ok(false)).cloned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn the_linear_engine_agrees(written in patterns(&PLAIN, &["(?:"], &TIMES)) {
        let pattern = Pattern::parse(&written).unwrap();
        let always = pattern.matches_every_text();
        if let Engine::Linear(regex) = &pattern.engine {
            let text = unmatched(regex.as_str()).unwrap();
            prop_assert_eq!(always, text.is_none());
            if let Some(text) = text {
                prop_assert_eq!(pattern.is_match(&text), Ok(false), "{} on {:?}", written, text);
            }
        }
        if always {
            prop_assert_eq!(unmatched_short_text(&pattern), None, "{}", written);
        }
    }

    #[test]
    fn the_backtracking_engine_knows_no_better(
        written in patterns(&INTRICATE, &["(?:", "(?>", "(?=", "(?!"], &INTRICATE_TIMES)
    ) {
        if let Some(pattern) = Pattern::parse(&written).ok().filter(Pattern::matches_every_text) {
            prop_assert_eq!(unmatched_short_text(&pattern), None, "{}", written);
        }
    }
}
