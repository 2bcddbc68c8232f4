//! Generated texts, and what becomes of them when they are changed.

use proptest::prelude::*;

use super::{agrees, reference};

fn space() -> impl Strategy<Value = &'static str> + Clone {
    prop_oneof![4 => Just(""), 4 => Just(" "), 1 => Just("  "), 1 => Just(" \n"), 1 => Just("\n  "), 1 => Just("\t\r\n")]
}

pub(super) fn number() -> impl Strategy<Value = String> {
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

pub(super) fn string() -> impl Strategy<Value = String> {
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

pub(super) fn json() -> impl Strategy<Value = String> {
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
pub(super) const ODD: &[char] = &[
    '"', '\\', ',', ':', '[', ']', '{', '}', ' ', '\n', '0', '1', '9', '-', '+', '.', 'e', 'E', 'u', 't',
    'n', 'd', '\0', '\u{1f}', '\u{7f}', 'é', '/', 'x',
];

/// One change to a text: where, what kind, and with which character.
pub(super) fn changed(text: &str, place: prop::sample::Index, how: u8, odd: char) -> String {
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
