//! Strings, well and badly written.

use super::*;

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
