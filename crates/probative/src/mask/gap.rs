//! What may stand between two characters of a secret that is split: space, line ends, the marks before lines, colours; and
//! where a text is cut.

use super::writing::each_at;

/// How many marks one gap may have: enough for `│ + //! `, but few, so that a long row of them is not searched over and over.
const MOST_MARKS: usize = 8;
/// How many spaces in a row a form may have between two characters of a secret.
const MOST_PLUSES: usize = 2;

/// Space, and characters that take none.
pub(super) fn is_space(character: char) -> bool {
    character.is_whitespace()
        || matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

/// A character that begins a line of a quotation, a comparison or a comment, alone or repeated.
fn is_mark(character: char) -> bool {
    matches!(character, '|' | '│' | '>' | '+' | '-' | '#' | '*' | '@' | '/' | ';' | '%' | '!')
}

/// Calls with every place at which the next character of a secret may stand, of which one character has been seen before
/// `at`: that place itself, and those behind space and marks. A `+` needs no space before it: forms write it for a space.
pub(super) fn each_end(text: &str, at: usize, mut take: impl FnMut(usize)) {
    take(at);
    let (mut at, mut marks, mut behind_space, mut behind_line) = (at, 0, false, false);
    loop {
        if let Some((length, is_line)) = space_at(text, at) {
            at += length;
            behind_space = true;
            behind_line |= is_line;
            if space_at(text, at).is_none() {
                take(at);
            }
            continue;
        }
        let is_form = marks < MOST_PLUSES && text.as_bytes().get(at) == Some(&b'+');
        if !(behind_space || is_form) || marks == MOST_MARKS {
            return;
        }
        let Some(length) = mark_at(text, at, behind_line) else { return };
        at += length;
        marks += 1;
        behind_line = false;
        take(at);
    }
}

/// How long the space at a place is, if there is any, and whether it ends a line. A colour takes no space.
fn space_at(text: &str, at: usize) -> Option<(usize, bool)> {
    let first = *text.as_bytes().get(at)?;
    if first.is_ascii_alphanumeric() {
        return None;
    }
    let mut found = None;
    each_at(text, at, |(character, length)| {
        if is_space(character) {
            found = Some((length, matches!(character, '\n' | '\r')));
        } else if character == '\u{1b}' {
            found = found.or(colour(&text[at + length..]).map(|more| (length + more, false)));
        }
    });
    found
}

/// How long the rest of a colour is: `[31m`.
fn colour(text: &str) -> Option<usize> {
    const LONGEST: usize = 20;
    let inner = text.strip_prefix('[')?;
    let end = inner.bytes().take(LONGEST).position(|byte| !byte.is_ascii_digit() && byte != b';')?;
    inner.as_bytes().get(end).filter(|byte| matches!(byte, b'm' | b'K')).map(|_| end + 2)
}

/// How long the mark at a place is: one, or behind a line end the number of the line and one.
fn mark_at(text: &str, at: usize, behind_line: bool) -> Option<usize> {
    /// No number of a line, with the space behind it, is longer.
    const LONGEST: usize = 15;
    let rest = &text[at..];
    let number =
        if behind_line { rest.bytes().take_while(u8::is_ascii_digit).take(LONGEST).count() } else { 0 };
    let spaces = if behind_line {
        rest[number..].bytes().take_while(|byte| *byte == b' ').take(LONGEST).count()
    } else {
        0
    };
    let mark = rest[number + spaces..].chars().next().filter(|mark| is_mark(*mark))?;
    Some(number + spaces + mark.len_utf8())
}

/// Whether what is written so far may be followed by the rest of something: nothing, a line end, a quote, dots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Before {
    is_cut: bool,
    dots: u8,
    is_escaped: bool,
}

impl Before {
    /// At the beginning of a text.
    pub(super) fn beginning() -> Before {
        Before { is_cut: true, dots: 0, is_escaped: false }
    }

    pub(super) fn is_cut(self) -> bool {
        self.is_cut
    }

    /// The same with one more character.
    pub(super) fn and(self, next: char) -> Before {
        let dots = if next == '.' { self.dots.saturating_add(1) } else { 0 };
        let ends_line = self.is_escaped && matches!(next, 'n' | 'r' | 't');
        let is_cut = match next {
            '\n' | '\r' | '\'' | '"' | '`' | '…' | '|' | '│' => true,
            '.' => dots >= 3,
            mark if is_mark(mark) => self.is_cut,
            space if is_space(space) => self.is_cut,
            _ => ends_line,
        };
        Before { is_cut, dots, is_escaped: next == '\\' }
    }
}

/// Whether a text is cut at a place, be it within an escape, or a line or a quote ends there.
pub(super) fn is_cut_at(text: &str, at: usize) -> bool {
    /// No escape is longer.
    const LONGEST: usize = 9;
    let rest = text[at..].trim_start_matches([' ', '\t']);
    let pluses = rest.bytes().take(MOST_PLUSES).take_while(|byte| *byte == b'+').count();
    let rest = &rest[pluses..];
    let is_escape = rest.starts_with(['\\', '%', '&']);
    let inside = |next: char| next.is_ascii_alphanumeric() || matches!(next, '\\' | '%' | '&' | '#' | '{');
    is_end(rest)
        || is_escape
            && rest
                .char_indices()
                .take(LONGEST)
                .take_while(|(_, next)| inside(*next))
                .any(|(at, next)| is_end(&rest[at + next.len_utf8()..]))
}

/// Whether nothing comes, or what ends a line, a quote, or what is shown of a text.
fn is_end(rest: &str) -> bool {
    const ENDS: [&str; 15] = [
        "\n", "\r", "'", "\"", "`", "…", "...", "|", "│", "\\n", "\\r", "\\\"", "&quot;", "\u{1b}", "\\u001b",
    ];
    let rest = rest.trim_start_matches([' ', '\t']);
    rest.is_empty() || ENDS.iter().any(|end| rest.starts_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(text: &str) -> Vec<usize> {
        let mut ends = Vec::new();
        each_end(text, 0, |end| ends.push(end));
        ends
    }

    #[test]
    fn a_gap_is_space_and_the_marks_of_lines() {
        assert_eq!(ends("b"), [0]);
        assert_eq!(ends("-b"), [0]);
        assert_eq!(ends("+b"), [0, 1]);
        assert_eq!(ends("\n// b"), [0, 1, 2, 3, 4]);
        assert_eq!(ends(" \n b"), [0, 3]);
        assert_eq!(ends("\n  | b"), [0, 3, 4, 5]);
        assert_eq!(ends("\n 12 | b"), [0, 2, 6, 7]);
        assert_eq!(ends("\\n%20&#10;b"), [0, 10]);
        assert_eq!(ends("\u{1b}[1;31mb"), [0, 7]);
        assert_eq!(ends(r"\u001b[0mb"), [0, 9]);
        assert_eq!(ends(""), [0]);
    }

    /// If what comes behind every character were looked at to its end, this would take hours.
    #[test]
    fn many_digits_are_passed_over_once() {
        let mask = crate::mask::Mask::of(["1a2b3c4d5e"]);
        let long = "1".repeat(1_000_000);
        assert_eq!(mask.hide(&long), long.as_str());
    }

    #[test]
    fn a_text_is_cut_at_its_ends_and_at_dots_quotes_and_lines() {
        for cut in ["", "...", "…", "\nx", "'", "  \n", r"\n", "\\...", r"\u00...", "%C3%...", "&qu…"] {
            assert!(is_cut_at(cut, 0), "{cut}");
        }
        assert!(!is_cut_at(" x", 0) && !is_cut_at("..", 0));
        let before = |text: &str| text.chars().fold(Before::beginning(), Before::and).is_cut();
        for cut in ["", "a...", "…", "a\n", "a '", "a\n  │ ", "a\n+ ", r"a\n"] {
            assert!(before(cut), "{cut}");
        }
        assert!(!before("a") && !before("a ") && !before("a -") && !before(".."));
    }
}
