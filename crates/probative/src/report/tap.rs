//! TAP version 14, for harnesses that read it: a line for every result, with a YAML block where there is more to tell.

use std::fmt::Write as _;

use super::account::{Account, first_failure, gist, line_of, message};
use super::{CaseResult, Frame, Outcome, Renderer, Status, Style, Summary};
use crate::value::excerpt::distinct;
use crate::value::visible;

/// One test point a result, as the results come. The plan stands at the end.
pub struct Tap {
    account: Account,
}

impl Tap {
    /// A renderer that tells of failures as `style` says.
    pub fn new(style: Style) -> Tap {
        Tap { account: Account::new(style) }
    }
}

impl Renderer for Tap {
    fn opening(&self) -> &'static str {
        "TAP version 14\n"
    }

    fn result(&self, result: &CaseResult<'_>, out: &mut Vec<u8>) {
        let mut told = point(result);
        let account = self.account.of(result);
        if !account.is_empty() {
            told.push_str("  ---\n");
            self.diagnose(result, &account, &mut told);
            told.push_str("  ...\n");
        }
        out.extend_from_slice(told.as_bytes());
    }

    fn frame(&self, summary: &Summary) -> Frame {
        let mut tail = String::new();
        for line in self.account.of_all(summary).lines() {
            let _ = writeln!(tail, "# {line}");
        }
        // What was not run is no part of a plan, and a plan for nothing would be a success.
        let _ = match summary {
            Summary { interrupted: true, .. } => writeln!(tail, "Bail out! interrupted"),
            _ if summary.judged_nothing() => writeln!(tail, "Bail out! nothing was judged"),
            Summary { total, .. } => writeln!(tail, "1..{total}"),
        };
        Frame { head: String::new(), tail }
    }
}

impl Tap {
    /// The YAML of one result, indented by two.
    fn diagnose(&self, result: &CaseResult<'_>, account: &str, told: &mut String) {
        let status = result.status();
        if let Some(message) = gist(result) {
            field("message", &message, told);
        }
        let severity = match status {
            Status::Pass | Status::Skip => "comment",
            Status::Fail => "fail",
            Status::Error => "error",
        };
        let _ = writeln!(told, "  severity: {severity}");
        field("file", result.file, told);
        if let Some(line) = line_of(result) {
            let _ = writeln!(told, "  line: {line}");
        }
        if let Some(failure) = first_failure(result) {
            let both = [("expected", &failure.expected), ("found", &failure.actual)];
            both.into_iter()
                .filter(|(_, text)| !text.is_empty())
                .for_each(|(key, text)| field(key, text, told));
        }
        if let Some(command) = self.account.rerun(result) {
            field("rerun", &command, told);
        }
        // Told how far it is indented, a parser takes a first line that begins with spaces for what it is. Empty lines
        // are indented, too: not every parser knows that they belong to the block.
        told.push_str("  evidence: |2-\n");
        for line in account.split('\n') {
            let _ = writeln!(told, "    {line}");
        }
    }
}

/// `not ok - ID - title`, `ok - ID # SKIP why`.
fn point(result: &CaseResult<'_>) -> String {
    let ok = if matches!(result.status(), Status::Pass | Status::Skip) { "ok" } else { "not ok" };
    let mut line = format!("{ok} - ");
    let is_skipped = matches!(result.outcome, Outcome::Skipped(_));
    describe(&result.id, is_skipped, &mut line);
    if let Some(title) = result.title {
        line.push_str(" - ");
        describe(title, is_skipped, &mut line);
    }
    if is_skipped {
        line.push_str(" # SKIP ");
        describe(&message(result), is_skipped, &mut line);
    }
    line.push('\n');
    line
}

/// Appends text in which no `#` begins a directive.
///
/// Readers of version 13 do not know that `\#` is none: before a directive's word it is shown in yet another way, lest a
/// title hide that its case failed, and so is every one of a case that was skipped, lest it hide that.
fn describe(text: &str, is_skipped: bool, line: &mut String) {
    let text = distinct(text);
    for (at, character) in text.char_indices() {
        match character {
            '#' if is_skipped || begins_directive(&text[at + 1..]) => line.push_str(r"\\u0023"),
            '#' | '\\' => line.extend(['\\', character]),
            plain => line.push(plain),
        }
    }
}

fn begins_directive(text: &str) -> bool {
    let word = text.trim_start().get(..4).unwrap_or_default();
    word.eq_ignore_ascii_case("skip") || word.eq_ignore_ascii_case("todo")
}

/// Appends a key with a text in double quotes, which a parser reads back character for character.
fn field(key: &str, text: &str, told: &mut String) {
    let _ = write!(told, "  {key}: \"");
    for character in text.chars() {
        match character {
            '"' | '\\' => told.extend(['\\', character]),
            '\n' => told.push_str("\\n"),
            '\r' => told.push_str("\\r"),
            '\t' => told.push_str("\\t"),
            hidden if visible(hidden.encode_utf8(&mut [0; 4])) != *hidden.encode_utf8(&mut [0; 4]) => {
                let _ = write!(told, "\\U{:08x}", u32::from(hidden));
            }
            plain => told.push(plain),
        }
    }
    told.push_str("\"\n");
}

#[cfg(test)]
mod tests {
    use super::{describe, field};

    #[test]
    fn no_description_begins_a_directive() {
        let mut line = String::new();
        describe("#1 # SKIP \\#todo\nnot ok \\", false, &mut line);
        assert_eq!(line, r"\#1 \\u0023 SKIP \\\\u0023todo\\nnot ok \\");
    }

    #[test]
    fn no_title_stands_before_the_directive_of_a_case_that_was_skipped() {
        let mut line = String::new();
        describe("#1", true, &mut line);
        assert_eq!(line, r"\\u00231");
    }

    #[test]
    fn a_field_is_one_line_whatever_it_holds() {
        let mut told = String::new();
        field("found", "a\n\"b\"\\ \u{1b}\u{2028}\u{e0001}é", &mut told);
        assert_eq!(told, "  found: \"a\\n\\\"b\\\"\\\\ \\U0000001b\\U00002028\\U000e0001é\"\n");
    }
}
