//! How two texts differ, line by line.

use similar::{ChangeTag, TextDiff};

use crate::mask::Mask;
use crate::value::{Value, visible};

/// Two texts that should be equal and are not, kept to be compared if anybody wants to see how they differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    expected: String,
    found: String,
    /// Whether something that is the same in both stands before it.
    left_out: bool,
}

/// One line of a comparison. Nothing in it is obeyed by a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DifferenceLine {
    /// Where it stands.
    pub side: Side,
    /// The line.
    pub text: String,
}

/// Which of the two texts a line stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// In both.
    Both,
    /// Only in what was expected.
    Expected,
    /// Only in what was found.
    Found,
    /// In neither: so many lines are left out.
    Gap,
}

/// What fits on a line needs no comparison beside it.
const ONE_LINE: usize = 60;
/// How much of each text is compared.
const COMPARED_BYTES: usize = 32 << 10;
/// How many lines around a change are shown.
const AROUND: usize = 3;
/// How many lines are shown.
const SHOWN_LINES: usize = 60;
/// How many characters of a line are shown, and how many of them before the first that differs.
const SHOWN_CHARACTERS: usize = 160;
const BEFORE: usize = 40;

impl Difference {
    /// Between values: texts as they are, all else as JSON over several lines. `None` where both are short.
    pub fn of(expected: &Value, found: &Value) -> Option<Difference> {
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            json => serde_json::to_string_pretty(json).unwrap_or_default(),
        };
        Difference::of_texts(&text(expected), &text(found))
    }

    /// Between texts. `None` where both are short, so that a message has shown them whole.
    pub fn of_texts(expected: &str, found: &str) -> Option<Difference> {
        let is_short = |text: &str| text.chars().nth(ONE_LINE).is_none() && text.lines().nth(1).is_none();
        let start = start_of_difference(expected, found);
        let kept = |text: &str| text[start..text.floor_char_boundary(start + COMPARED_BYTES)].to_owned();
        if is_short(expected) && is_short(found) {
            return None;
        }
        let (expected, found) = (kept(expected), kept(found));
        (expected != found).then_some(Difference { expected, found, left_out: start > 0 })
    }

    /// The same without secrets. Where nothing but a secret differs, no line does then.
    pub(crate) fn hidden(mut self, mask: &Mask) -> Difference {
        mask.hide_in(&mut self.expected);
        mask.hide_in(&mut self.found);
        self
    }

    /// The lines that differ and those around them, in order.
    pub fn lines(&self) -> Vec<DifferenceLine> {
        if self.expected.lines().nth(1).is_none() && self.found.lines().nth(1).is_none() {
            return self.in_one_line();
        }
        let tells_ends = self.expected.ends_with('\n') != self.found.ends_with('\n');
        let diff = TextDiff::from_lines(&self.expected, &self.found);
        let mut lines = Vec::new();
        let mut next = 0;
        for group in diff.grouped_ops(AROUND) {
            let start = group.first().map_or(next, |op| op.old_range().start);
            lines.extend(gap(start - next));
            for op in &group {
                for change in diff.iter_changes(op) {
                    lines.push(line(change.tag(), change.value(), tells_ends));
                }
                next = op.old_range().end;
            }
        }
        lines.extend(gap(self.expected.lines().count().saturating_sub(next)));
        let more = lines.len().saturating_sub(SHOWN_LINES);
        lines.truncate(SHOWN_LINES);
        lines.extend(gap(more));
        lines
    }

    /// The same in one text, as JSON reports have it: `-expected`, `+found`, ` both`.
    pub fn unified(&self) -> String {
        let told = self.lines().into_iter().map(|line| format!("{}{}", line.side.mark(), line.text));
        told.collect::<Vec<_>>().join("\n")
    }

    /// Both lines, from shortly before the first character that differs.
    fn in_one_line(&self) -> Vec<DifferenceLine> {
        let same =
            self.expected.chars().zip(self.found.chars()).take_while(|(one, other)| one == other).count();
        let start = same.saturating_sub(BEFORE);
        let window = |text: &str| {
            let before = if start > 0 || self.left_out { "…" } else { "" };
            let mut rest = text.trim_end_matches('\n').chars().skip(start);
            let shown: String = rest.by_ref().take(SHOWN_CHARACTERS).collect();
            let after = if rest.next().is_some() { "…" } else { "" };
            let end = if text.ends_with('\n') { "\\n" } else { "" };
            format!("{before}{}{after}{end}", visible(&shown))
        };
        vec![
            DifferenceLine { side: Side::Expected, text: window(&self.expected) },
            DifferenceLine { side: Side::Found, text: window(&self.found) },
        ]
    }
}

impl Side {
    /// The mark at the beginning of a line.
    pub fn mark(self) -> char {
        match self {
            Side::Both => ' ',
            Side::Expected => '-',
            Side::Found => '+',
            Side::Gap => '@',
        }
    }
}

/// Where to begin in both texts, so that what differs is among what is compared: at the beginning, where it is near.
fn start_of_difference(one: &str, other: &str) -> usize {
    let same = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    if same < COMPARED_BYTES / 2 {
        return 0;
    }
    let shortly_before = one.floor_char_boundary(same - SHOWN_CHARACTERS);
    // Whole lines, where there are some.
    let line = one[..shortly_before].rfind('\n').map(|at| at + 1);
    line.filter(|line| same - line < COMPARED_BYTES / 2).unwrap_or(shortly_before)
}

fn gap(count: usize) -> Option<DifferenceLine> {
    let plural = if count == 1 { "" } else { "s" };
    let text = format!(" … ({count} more line{plural})");
    (count > 0).then_some(DifferenceLine { side: Side::Gap, text })
}

/// A line with its side; where the two texts end differently, a line without an end says so.
fn line(tag: ChangeTag, text: &str, tells_ends: bool) -> DifferenceLine {
    let side = match tag {
        ChangeTag::Equal => Side::Both,
        ChangeTag::Delete => Side::Expected,
        ChangeTag::Insert => Side::Found,
    };
    let (line, end) = match text.strip_suffix('\n') {
        Some(line) => (line, ""),
        None if tells_ends => (text, "  (no newline at the end)"),
        None => (text, ""),
    };
    let mut characters = line.chars();
    let shown: String = characters.by_ref().take(SHOWN_CHARACTERS).collect();
    let more = if characters.next().is_some() { "…" } else { "" };
    DifferenceLine { side, text: format!("{}{more}{end}", visible(&shown)) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_short_needs_no_comparison() {
        assert_eq!(Difference::of_texts("a", "b"), None);
        assert_eq!(Difference::of(&json!(1), &json!("x")), None);
        assert_eq!(Difference::of_texts("a\nb", "a\nb"), None);
    }

    #[test]
    fn lines_that_differ_stand_among_those_around_them() {
        let expected: String = (0..12).flat_map(|n| [n.to_string(), "\n".to_owned()]).collect();
        let found = expected.replace("6\n", "six\nand\n");
        let told = Difference::of_texts(&expected, &found).unwrap().unified();
        assert_eq!(told, "@ … (3 more lines)\n 3\n 4\n 5\n-6\n+six\n+and\n 7\n 8\n 9\n@ … (2 more lines)");
    }

    #[test]
    fn json_is_compared_member_by_member() {
        let told =
            Difference::of(&json!({"a": 1, "b": [1, 2]}), &json!({"a": 1, "b": [1, 3]})).unwrap().unified();
        assert_eq!(told, "@ … (1 more line)\n   \"a\": 1,\n   \"b\": [\n     1,\n-    2\n+    3\n   ]\n }");
    }

    #[test]
    fn a_long_line_is_shown_from_where_it_differs() {
        let (one, other) = (format!("{}x", "a".repeat(100)), format!("{}y", "a".repeat(100)));
        let told = Difference::of_texts(&one, &other).unwrap().unified();
        assert_eq!(told, format!("-…{0}x\n+…{0}y", "a".repeat(40)));
    }

    #[test]
    fn a_missing_line_end_is_told_and_nothing_is_obeyed() {
        let told = Difference::of_texts("a\nb\n", "a\nb").unwrap().unified();
        assert_eq!(told, " a\n-b\n+b  (no newline at the end)");
        let told = Difference::of_texts("a\nb\u{1b}[0m\r\n", "a\nb\n").unwrap().unified();
        assert_eq!(told, " a\n-b\\u001b[0m\\r\n+b");
    }

    #[test]
    fn what_differs_far_behind_the_beginning_is_found() {
        let same = "ä".repeat(100_000);
        let told = Difference::of_texts(&format!("{same}x"), &format!("{same}y")).unwrap().unified();
        assert_eq!(told, format!("-…{0}x\n+…{0}y", "ä".repeat(40)));
        let lines = "one\ntwo\n".repeat(10_000);
        let told = Difference::of_texts(&format!("{lines}x\n"), &format!("{lines}y\n")).unwrap().unified();
        assert!(told.ends_with("\n one\n two\n-x\n+y"), "{told}");
    }

    #[test]
    fn much_is_cut() {
        let expected: String = (0..20_000).flat_map(|n| [n.to_string(), "\n".to_owned()]).collect();
        let lines = Difference::of_texts(&expected, "nothing\nof it\n").unwrap().lines();
        assert_eq!(lines.len(), SHOWN_LINES + 1);
    }
}
