use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use proptest::prelude::*;

use super::{Mask, Name};
use crate::difference::Difference;
use crate::exhibit::{ExhibitLine, beginning, ending, outline};
use crate::value::excerpt;
use crate::value::excerpt::{around, first_difference};

const KEY: &str = "sk-9fQ2x/Lm7+Tz4_Wv\"8Rb<&ä";

/// Whether a piece of a text of six characters stands in another.
fn leaks(secret: &str, text: &str) -> Option<String> {
    let characters: Vec<char> = secret.chars().collect();
    let pieces = characters.windows(6).map(|piece| piece.iter().collect::<String>());
    pieces.into_iter().find(|piece| text.contains(piece.as_str()))
}

#[track_caller]
fn hides(text: &str) {
    let hidden = Mask::of([KEY]).hide(text).into_owned();
    assert_eq!(hidden.len(), text.len());
    assert!(leaks(KEY, &hidden).is_none(), "{hidden:?}");
    assert!(hidden.matches('*').count() >= 6, "{hidden:?}");
}

#[test]
fn a_secret_is_hidden_however_it_is_written() {
    let percent = KEY.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat();
    let decimal =
        KEY.chars().map(|character| format!("&#{};", u32::from(character))).collect::<Vec<_>>().concat();
    let unicode =
        KEY.chars().map(|character| format!("\\u{:04x}", u32::from(character))).collect::<Vec<_>>().concat();
    let json = serde_json::to_string(KEY).unwrap();
    let twice = serde_json::to_string(&json).unwrap();
    let markup = KEY.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    for written in [KEY.to_owned(), percent, decimal, unicode, json, twice, markup] {
        let hidden = Mask::of([KEY]).hide(&written).into_owned();
        assert!(hidden.trim_matches(['"', '\\', '*']).is_empty(), "{written}: {hidden}");
        hides(&format!("before {written} behind"));
    }
}

#[test]
fn a_secret_is_hidden_over_lines_wrapped_at_any_column() {
    for prefix in ["", "  ", "  │ ", "+ ", "- ", "> ", " 12 | ", "      │ + ", "\u{1b}[31m"] {
        for width in 1..20 {
            let characters: Vec<char> = KEY.chars().collect();
            let lines: Vec<String> = characters.chunks(width).map(|line| line.iter().collect()).collect();
            let text = format!("a\n{prefix}{}\n{prefix}b", lines.join(&format!("\n{prefix}")));
            let hidden = Mask::of([KEY]).hide(&text).into_owned();
            let letters: String = hidden.chars().filter(char::is_ascii_alphanumeric).collect();
            let expected = text.replace(
                &lines.join(&format!("\n{prefix}")),
                &vec![""; lines.len()].join(&format!("\n{prefix}")),
            );
            let expected: String = expected.chars().filter(char::is_ascii_alphanumeric).collect();
            assert_eq!(letters, expected, "{hidden}");
        }
    }
    hides(&KEY.chars().flat_map(|character| [character, ' ']).collect::<String>());
    hides(&KEY.replace("Lm7", "Lm\\n7").replace("Tz", "T\\r\\n\\tz"));
    hides(&KEY.replace("Lm7", "Lm | 7"));
}

/// A form writes `+` for a space and may encode any character; a page may leave out the `;` of a reference.
#[test]
fn a_secret_is_hidden_in_forms_and_in_references_without_semicolon() {
    let mask = Mask::of(["correct horse battery/staple&<\"x"]);
    for written in [
        "correct+horse+battery%2Fstaple%26%3C%22x",
        "correct+horse+battery%2fstaple%26%3c%22x",
        "correct+horse%20battery/staple&%3C\"x",
        "%63orrect+h%6Frse++battery%2Fstaple%26<%22%78",
        "&#99orrect &#x68orse &#98attery/&#115tapl&#0000101&amp&lt&quotx",
        "correct&nbsphorse&#32battery&#x2Fstaple&AMP&LT&QUOTx",
    ] {
        let hidden = mask.hide(written).into_owned();
        assert_eq!(hidden.len(), written.len());
        let shown = hidden.replace("%20", "").replace("&nbsp", "").replace("&#32", "");
        assert!(!shown.contains(|shown: char| shown.is_ascii_alphanumeric()), "{written}: {hidden}");
        for at in 0..written.len() {
            let (start, end) = (format!("say {}…", &written[..at]), format!("…{} said", &written[at..]));
            assert!(leaks("correcthorsebatterystaple", &mask.hide(&start)).is_none(), "{start}");
            let is_inside_escape = written[at.saturating_sub(9)..at].contains(['%', '&']);
            assert!(
                is_inside_escape || leaks("correcthorsebatterystaple", &mask.hide(&end)).is_none(),
                "{end}"
            );
        }
    }
    for shown in ["correct+horse", "&#99or", "a+b"] {
        assert_eq!(mask.hide(&format!("({shown})")), format!("({shown})"));
    }
}

/// A secret in a comment goes on behind the mark that begins each of its lines, also where only one line is shown.
#[test]
fn a_secret_is_hidden_over_lines_of_a_comment() {
    let secret = "Zx8Kq1Vn5Bt3Mw7Lr9Pd2Gh4";
    let mask = Mask::of([secret]);
    let marks = ["//", "///", "//!", ";", ";;", "%", "%%", "#", "##", "*", "--", ">", ">>", "|", "!"];
    for mark in marks {
        for before in ["", "  ", "\t", "  │ ", "+ ", " 12 | ", "      │ + "] {
            let prefix = format!("\n{before}{mark} ");
            let text = format!("a{prefix}Zx8Kq1Vn{prefix}5Bt3Mw7L{prefix}r9Pd2Gh4{prefix}b");
            let stars = format!("a{prefix}********{prefix}********{prefix}********{prefix}b");
            assert_eq!(mask.hide(&text), stars);
            let (cut, hidden) =
                (format!("…{prefix}Mw7Lr9Pd2Gh4 is it"), format!("…{prefix}************ is it"));
            assert_eq!(mask.hide(&cut), hidden);
            let (cut, hidden) =
                (format!("{prefix}Kq1Vn5Bt{prefix}3Mw7…"), format!("{prefix}********{prefix}****…"));
            assert_eq!(mask.hide(&cut), hidden);
            let escaped = serde_json::to_string(&text).unwrap();
            assert_eq!(mask.hide(&escaped), serde_json::to_string(&stars).unwrap());
        }
    }
}

#[test]
fn a_secret_is_hidden_in_base64_wherever_it_stands_in_what_was_encoded() {
    for before in ["", "u", "us", "use", "user:"] {
        for behind in ["", "x", "xy", "\n"] {
            let bytes = format!("{before}{KEY}{behind}");
            for engine in [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE, &URL_SAFE_NO_PAD] {
                let encoded = engine.encode(&bytes);
                let inner = &encoded[(before.len() * 8).div_ceil(6)..(before.len() + KEY.len()) * 8 / 6];
                let hidden = Mask::of([KEY]).hide(&encoded).into_owned();
                assert!(leaks(inner, &hidden).is_none(), "{encoded}: {hidden}");
                let (start, end) = encoded.split_at(20);
                let wrapped = Mask::of([KEY]).hide(&format!("{start}\n  {end}")).into_owned();
                assert!(leaks(inner, &wrapped).is_none(), "{encoded}: {wrapped}");
            }
        }
    }
}

#[test]
fn a_part_is_hidden_where_a_text_is_cut() {
    let long = "Zx8Kq1Vn5Bt3Mw7Lr9Pd2Gh4";
    let mask = Mask::of([long]);
    for (text, hidden) in [
        ("the key is 'Zx8Kq1Vn5B...'", "the key is '**********...'"),
        ("the key is Zx8Kq1Vn5B…", "the key is **********…"),
        ("'...Lr9Pd2Gh4 is it'", "'...********* is it'"),
        ("found 'n5Bt3Mw7L', expected", "found '*********', expected"),
        ("ends in Zx8Kq1Vn", "ends in ********"),
        ("9Pd2Gh4 begins", "******* begins"),
        ("a\n  │ Mw7Lr9Pd2Gh4\nb", "a\n  │ ************\nb"),
        ("stderr ends with: x | Zx8Kq1V | y", "stderr ends with: x | ******* | y"),
        // Few characters tell nothing.
        ("Zx8Kq...", "Zx8Kq..."),
        ("'Zx8'", "'Zx8'"),
        // In the midst of a line nothing is cut.
        ("a Zx8Kq1Vn b", "a Zx8Kq1Vn b"),
    ] {
        assert_eq!(mask.hide(text), hidden);
    }
}

#[test]
fn every_long_line_of_a_value_is_a_secret() {
    let pem = "-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\nBKcw\n-----END KEY-----\n";
    let mask = Mask::of([pem]);
    assert_eq!(mask.hide("x hkiG9w0BAQEFAASC y BKcw"), "x **************** y BKcw");
    assert_eq!(mask.hide("-----BEGIN KEY----- x"), "-----BEGIN KEY----- x");
    let one_line = pem.replace('\n', "\\n");
    let hidden = mask.hide(&one_line).into_owned();
    assert!(!hidden.contains("BKcw") && hidden.starts_with('*'), "{hidden}");
}

#[test]
fn short_values_and_common_words_are_left() {
    let mask = Mask::of(["abc", "", "true", " none ", "a b"]);
    assert!(mask.is_empty());
    assert_eq!(mask.hide("abc true none a b"), "abc true none a b");
    assert_eq!(Mask::of(["abcd"]).hide("xabcdx"), "x****x");
}

#[test]
fn secrets_in_each_other_and_with_stars_are_hidden() {
    let mask = Mask::of(["abcdefgh", "fghijklm"]);
    assert_eq!(mask.hide("abcdefghijklm"), "*************");
    let mask = Mask::of(["pq**", "wxyz"]);
    let hidden = mask.hide("pqwxyz").into_owned();
    assert_eq!(mask.hide(&hidden), hidden);
}

#[test]
fn a_text_that_is_made_to_be_slow_ends() {
    let secret = "a-".repeat(20) + "b";
    let mask = Mask::of([secret.as_str()]);
    for piece in ["a-", "a - ", "a\n-", "\\", " ", "%", "&", "a\n - \n - \n"] {
        let text = piece.repeat(200);
        assert_eq!(mask.hide(&text).len(), text.len());
    }
    let long = "+".repeat(20_000);
    assert_eq!(Mask::of(["++++++++b"]).hide(&long).len(), long.len());
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof!["[!-~]{4,40}", "[a-c \\n]{4,12}", any::<String>()]
}

#[test]
fn the_password_in_a_url_is_a_secret_of_its_own() {
    let mask =
        Mask::of(["postgres://bob:hunter22@db/prod", "https://ghp_abcdef@host", "redis://:p%40ss%2Fword@r"]);
    for (text, hidden) in [
        ("password hunter22 refused", "password ******** refused"),
        ("token=ghp_abcdef", "token=**********"),
        ("p%40ss%2Fword, p@ss/word", "*************, *********"),
        ("bob at db/prod", "bob at db/prod"),
    ] {
        assert_eq!(mask.hide(text), hidden);
    }
    let unharmed = Mask::of(["https://docs.example/a?mail=bob@host", "http://localhost:8080"]);
    assert_eq!(unharmed.hide("docs, bob, 8080, localhost"), "docs, bob, 8080, localhost");
}

#[test]
fn a_name_knows_whether_its_value_was_hidden() {
    let names = ["A_KEY", "B_KEY", "C_KEY"].map(|name| Arc::new(Name::new(name)));
    let mask =
        Mask::of_named([(&names[0], "first-value"), (&names[1], "first-value"), (&names[2], "other-value")]);
    let noted = || names.each_ref().map(|name| name.was_hidden());
    mask.hide("nothing");
    mask.hide_silently("other-value");
    mask.hide("***********");
    assert_eq!(noted(), [false, false, false]);
    mask.clone().hide_json("{\"a\": \"first-value\"}");
    assert_eq!(noted(), [true, true, false]);
    assert_eq!(mask, Mask::of(["first-value", "other-value"]));
}

proptest! {
    #[test]
    fn what_messages_and_exhibits_cut_off_tells_no_part(before in 0_usize..130, behind in 0_usize..130, at in 0_usize..180, lines in 0_usize..14, width in 5_usize..80) {
        let mask = Mask::of([KEY]);
        let text = format!("{}{KEY}{}", "x".repeat(before), "y".repeat(behind));
        let other: String = text.chars().take(at).collect();
        let wrapped: Vec<String> = KEY.chars().collect::<Vec<_>>().chunks(width).map(|part| part.iter().collect()).collect();
        let wrapped = format!("{}{}\n{}", "z\n".repeat(lines), wrapped.join("\n"), "z\n".repeat(lines));
        let json = serde_json::json!({"a": [text]});
        let lines = |lines: Vec<ExhibitLine>| lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        for told in [
            excerpt(&serde_json::json!(text)),
            excerpt(&json),
            excerpt(&serde_json::json!(json.to_string())),
            around(&text, at.min(text.len())),
            first_difference(&text, &other),
            lines(beginning("stdout", &wrapped)),
            lines(ending("stdout", &wrapped)),
            lines(beginning("stdout", &text)),
            lines(outline(&json, std::iter::empty())),
        ] {
            let hidden = mask.hide(&told);
            prop_assert!(leaks(KEY, &hidden).is_none(), "{}", hidden);
        }
        if let Some(difference) = Difference::of_texts(&text, &wrapped) {
            let told = difference.hidden(&mask).unified();
            prop_assert!(leaks(KEY, &told).is_none(), "{}", told);
        }
    }

    #[test]
    fn what_is_hidden_is_gone_and_nothing_else(secret in value(), before in any::<String>(), behind in any::<String>(), wrap in 1_usize..30) {
        let mask = Mask::of([secret.as_str()]);
        let wrapped: Vec<String> = secret.chars().collect::<Vec<_>>().chunks(wrap).map(|part| part.iter().collect()).collect();
        for written in [secret.clone(), wrapped.join("\n  "), STANDARD.encode(&secret), serde_json::to_string(&secret).unwrap()] {
            let text = format!("{before}{written}{behind}");
            let hidden = mask.hide(&text).into_owned();
            prop_assert_eq!(hidden.len(), text.len());
            prop_assert_eq!(&mask.hide(&hidden), &hidden);
            if !mask.is_empty() && !secret.contains('*') && !secret.contains(char::REPLACEMENT_CHARACTER) {
                prop_assert!(!hidden.contains(&secret), "{:?} in {:?}", secret, hidden);
            }
            // What is not a star is as it was.
            prop_assert!(hidden.bytes().zip(text.bytes()).all(|(new, old)| new == old || new == b'*'));
        }
    }

    #[test]
    fn a_text_without_a_secret_is_as_it_was(text in "[a-m \\n\"'.]{0,200}") {
        let mask = Mask::of(["zyxwvutsrq", "98765432"]);
        prop_assert_eq!(mask.hide(&text), text.as_str());
        prop_assert!(matches!(mask.hide(&text), std::borrow::Cow::Borrowed(_)));
    }

    #[test]
    fn json_is_hidden_as_json(text in any::<String>(), secret in "[!-~]{6,20}") {
        let value = serde_json::json!({"a": [format!("{text}{secret}{text}"), 12.5, {secret.as_str(): null}]});
        let hidden = Mask::of([secret.as_str()]).hide_json(&value.to_string()).into_owned();
        let read: serde_json::Value = serde_json::from_str(&hidden).unwrap();
        if !secret.contains('*') && Mask::can_hide(&secret) {
            prop_assert!(!read["a"][0].as_str().unwrap().contains(&secret));
        }
    }
}
