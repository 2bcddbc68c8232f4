//! Values as a person reads them in a message: short, whole characters only, nothing that a terminal obeys.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;

use crate::json::{Shape, View};

/// How many characters of a value a message shows before it is cut with `...`.
pub const SHOWN_CHARACTERS: usize = 100;

/// A value in a message: text in single quotes, anything else as compact JSON, cut after
/// [`SHOWN_CHARACTERS`] characters.
///
/// A value of any size costs no more than what is shown of it.
///
/// ```
/// use probative::value::excerpt;
/// use serde_json::json;
///
/// assert_eq!(excerpt(&json!("incident-log")), "'incident-log'");
/// assert_eq!(excerpt(&json!({"a": [1, 2.0]})), r#"{"a":[1,2.0]}"#);
/// assert_eq!(excerpt(&json!("red\u{1b}[31m\n")), r"'red\u001b[31m\n'");
/// ```
pub fn excerpt<'v>(value: impl View<'v>) -> String {
    match value.shape() {
        Shape::String(text) => format!("'{}'", cut(&text)),
        _ => cut(&compact(value)).into_owned(),
    }
}

/// Text cut after [`SHOWN_CHARACTERS`] characters, with everything that a terminal would obey shown instead.
pub fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        None => visible(text),
        Some((end, _)) => Cow::Owned(format!("{}...", visible(&text[..end]))),
    }
}

/// Where two strings differ first, and what each has there: `at character 5: expected end of string, got ' '`.
pub fn first_difference(found: &str, wanted: &str) -> String {
    let same = found.chars().zip(wanted.chars()).take_while(|(a, b)| a == b).count();
    let there = |text: &str| match text.chars().skip(same).take(20).collect::<String>() {
        rest if rest.is_empty() => "end of string".to_owned(),
        rest => format!("'{}'", cut(&rest)),
    };
    format!("at character {}: expected {}, got {}", same + 1, there(wanted), there(found))
}

/// What stands around a place in a text, for one that is too long to be shown whole: `'...the password is...'`.
pub fn around(text: &str, at: usize) -> String {
    const BEFORE: usize = 30;
    if text.chars().nth(SHOWN_CHARACTERS).is_none() {
        return format!("'{}'", visible(text));
    }
    let start = text.floor_char_boundary(at);
    let before = text[..start].chars().rev().take(BEFORE).map(char::len_utf8).sum::<usize>();
    let dots = if before < start { "..." } else { "" };
    format!("'{dots}{}'", cut(&text[start - before..]))
}

/// Text in which control characters, and characters that reorder or hide others, are shown as JSON
/// escapes.
///
/// Escape sequences of a terminal thus appear as text. Escaping twice changes nothing.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            hidden if is_hidden(hidden) => {
                for unit in hidden.encode_utf16(&mut [0; 2]) {
                    // Writing to a String cannot fail.
                    let _ = write!(shown, "\\u{unit:04x}");
                }
            }
            plain => shown.push(plain),
        }
    }
    Cow::Owned(shown)
}

/// JSON in which the characters that [`visible`] escapes are escaped, too: it means the same, and no terminal, editor or
/// browser that shows it obeys them.
///
/// ```
/// use probative::value::excerpt::visible_json;
///
/// assert_eq!(visible_json("{\"a\": \"\u{9b}31m\u{202e}\"}\n"), "{\"a\": \"\\u009b31m\\u202e\"}\n");
/// ```
pub fn visible_json(json: &str) -> Cow<'_, str> {
    // Line ends and tabs stand between texts; in a text they are escaped already.
    let is_escaped = |character: char| is_hidden(character) && !matches!(character, '\n' | '\r' | '\t');
    if json.bytes().all(|byte| byte < 0x7f) || !json.contains(is_escaped) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::with_capacity(json.len() + 8);
    for character in json.chars() {
        if is_escaped(character) {
            shown.push_str(&visible(character.encode_utf8(&mut [0; 4])));
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// A name that no other name is shown as: [`visible`], and a backslash that could be taken for the beginning of an escape is
/// two of them.
///
/// Programs that read reports keep results apart by their names.
///
/// ```
/// use probative::value::excerpt::distinct;
///
/// assert_eq!(distinct("A\u{200b}"), r"A\u200b");
/// assert_eq!(distinct(r"A\u200b"), r"A\\u200b");
/// ```
pub fn distinct(name: &str) -> Cow<'_, str> {
    if !name.contains('\\') {
        return visible(name);
    }
    let mut shown = String::with_capacity(name.len() + 8);
    let mut rest = name;
    while let Some(at) = rest.find('\\') {
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        shown.push_str(&visible(before));
        let is_begun = |next| is_hidden(next) || matches!(next, '\\' | 'n' | 'r' | 't' | 'u');
        shown.push_str(if after.starts_with(is_begun) { "\\\\" } else { "\\" });
        rest = after;
    }
    shown.push_str(&visible(rest));
    Cow::Owned(shown)
}

/// The name of a value's JSON type.
pub fn type_name<'v>(value: impl View<'v>) -> &'static str {
    value.kind().name()
}

/// `a string`, `an array`, but `null`.
pub fn with_article(type_name: &str) -> String {
    match type_name {
        "null" => "null".to_owned(),
        vowel if vowel.starts_with(['a', 'e', 'i', 'o', 'u']) => format!("an {vowel}"),
        other => format!("a {other}"),
    }
}

/// Controls, bidirectional overrides, zero-width characters, line separators, tags and the byte order mark.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            // No characters at all, and XML and YAML refuse them.
            | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e007f}')
}

/// The compact JSON of a value, written only as far as an excerpt can show, and a little further.
pub fn compact<'v>(value: impl View<'v>) -> String {
    struct Beginning(Vec<u8>);
    impl io::Write for Beginning {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            // A character takes at most four bytes, and one more than is shown must be there to be cut.
            let room = (SHOWN_CHARACTERS + 1) * 4 - self.0.len();
            if room == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            let taken = bytes.len().min(room);
            self.0.extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut beginning = Beginning(Vec::new());
    // The only error is the one that says: enough.
    let _ = serde_json::to_writer(&mut beginning, &value);
    let whole = match std::str::from_utf8(&beginning.0) {
        Ok(text) => text.len(),
        Err(error) => error.valid_up_to(),
    };
    beginning.0.truncate(whole);
    String::from_utf8_lossy(&beginning.0).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(excerpt(&json!("é".repeat(101))), format!("'{}...'", "é".repeat(100)));
        assert_eq!(excerpt(&json!("é".repeat(100))), format!("'{}'", "é".repeat(100)));
    }

    #[test]
    fn a_long_array_is_cut_like_a_text() {
        let shown = excerpt(&json!(vec!["日本"; 1000]));
        assert!(shown.starts_with(r#"["日本","日本","#) && shown.ends_with("..."), "{shown}");
        assert_eq!(shown.chars().count(), SHOWN_CHARACTERS + 3);
    }

    #[test]
    fn what_a_terminal_obeys_is_shown() {
        assert_eq!(visible("a\u{1b}]0;x\u{7}\u{9b}\u{202e}b"), r"a\u001b]0;x\u0007\u009b\u202eb");
        assert_eq!(visible("\u{e0041}"), r"\udb40\udc41");
        assert_eq!(visible("plain · ünïcode → 日本"), "plain · ünïcode → 日本");
    }

    #[test]
    fn a_name_is_shown_as_no_other_is() {
        assert_eq!(distinct("plain \\d \\"), r"plain \d \");
        let names = [
            "a\n",
            r"a\n",
            r"a\\n",
            "a\\\n",
            "a\u{200b}",
            r"a\u200b",
            r"a\\u200b",
            "\\\u{200b}",
            r"a\",
            r"a\\",
        ];
        let shown: std::collections::BTreeSet<_> = names.iter().map(|name| distinct(name)).collect();
        assert_eq!(shown.len(), names.len(), "{shown:?}");
    }

    proptest! {
        #[test]
        fn different_names_are_shown_differently(a in r"[\\nu0-2b\n\u{200b}]{0,6}", b in r"[\\nu0-2b\n\u{200b}]{0,6}") {
            prop_assert_eq!(distinct(&a) == distinct(&b), a == b);
        }

        #[test]
        fn an_excerpt_is_bounded_and_shows_nothing_hidden(text in any::<String>()) {
            let shown = excerpt(&Value::from(text));
            prop_assert!(!shown.contains(is_hidden));
            prop_assert!(shown.chars().count() <= SHOWN_CHARACTERS * 12 + 5);
            prop_assert_eq!(visible(&shown), &*shown);
        }
    }
}
