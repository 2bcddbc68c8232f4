//! Markdown for a comment on a pull request: the verdict, a table of what did not pass, and each told in full below.

use std::fmt::Write as _;

use super::account::{Account, label, line_of, message, within};
use super::human::short;
use super::{CaseResult, EvidenceRoom, Frame, LeftOut, Renderer, Status, Style, Summary, Telling};
use crate::value::visible;

/// How many rows of a kind the table has: what did not pass, what is flaky.
const ROWS: usize = 25;

/// How many bytes of Markdown a name in the table has.
const NAME: usize = 150;

/// How many bytes of Markdown a message in the table has.
const MESSAGE: usize = 300;

/// How many bytes all tellings have.
const TELLINGS: usize = 18_000;

/// How many bytes of one telling are shown.
const TELLING: usize = 5_000;

/// What a row has beside its texts: tags, marks, and the end of the last escape.
const AROUND_A_ROW: usize = 100;

/// What the whole may have. GitHub refuses a comment with more than 65,536 characters.
const WHOLE: usize = 60_000;

const _: () = {
    let row = 2 * NAME + MESSAGE + AROUND_A_ROW;
    let heading_and_counts = 1_000;
    assert!(heading_and_counts + 2 * ROWS * row + TELLINGS + TELLING <= WHOLE, "a report may grow too long");
};

/// Tells what did not pass, and counts what did.
///
/// No text becomes Markdown, a mention or a link: it stands in code, where all punctuation is escaped, or in a fence that
/// is longer than any inside.
pub struct Markdown {
    account: Account,
    noun: &'static str,
}

impl Markdown {
    /// A renderer that tells of failures as `style` says.
    pub fn new(style: Style) -> Markdown {
        Markdown { noun: style.noun, account: Account::new(style) }
    }
}

impl Renderer for Markdown {
    fn telling(&self, result: &CaseResult<'_>) -> Telling {
        match result.status() {
            Status::Fail | Status::Error => Telling::Full,
            _ if result.flaky => Telling::Note,
            Status::Pass | Status::Skip => Telling::Silent,
        }
    }

    fn result(&self, result: &CaseResult<'_>, out: &mut Vec<u8>) {
        let what = match result.status() {
            Status::Fail | Status::Error => message(result),
            Status::Pass | Status::Skip => result.warnings.join("; "),
        };
        let line = line_of(result).map(|line| format!(":{line}")).unwrap_or_default();
        let place = format!("{}{line}", result.file);
        let (case, place) = (code(&label(result), NAME), code(&place, NAME));
        let what = code(&what, MESSAGE);
        let row = format!("| {} | {case} | {what} | {place} |\n", mark(result));
        out.extend_from_slice(row.as_bytes());
    }

    fn evidence(&self, result: &CaseResult<'_>, out: &mut Vec<u8>) {
        if self.telling(result) == Telling::Full {
            let title = format!("{} {}", mark(result), code(&label(result), NAME));
            let telling = within(&self.account.of(result), TELLING);
            out.extend_from_slice(details(&title, &telling).as_bytes());
        }
    }

    fn evidence_room(&self) -> EvidenceRoom {
        EvidenceRoom { passed: 0, others: TELLINGS }
    }

    fn evidence_stands_apart(&self) -> bool {
        true
    }

    fn remainder(&self, left_out: &LeftOut) -> String {
        let LeftOut { results, notes, evidence } = *left_out;
        let mut told = String::new();
        let mut tell = |count: usize, what: &str| {
            if count > 0 {
                let _ = writeln!(told, "\n… and {count} more {what}");
            }
        };
        tell(results, "did not pass");
        tell(notes, "are flaky");
        tell(evidence, "are listed only in the table");
        told
    }

    fn frame(&self, summary: &Summary) -> Frame {
        let mut head = format!("## {}\n\n{}\n", self.verdict(summary), counts(summary));
        if summary.failed + summary.errors + summary.flaky > 0 {
            let _ = write!(head, "\n|  | {} | message | place |\n| --- | --- | --- | --- |\n", self.noun);
        }
        let mut tail = String::new();
        let is_compared = summary.comparison.as_ref().is_some_and(|comparison| !comparison.is_empty());
        if is_compared || !summary.unexercised.is_empty() {
            let title = if is_compared { "changes since the baseline" } else { "never exercised" };
            tail = details(title, &within(&self.account.of_all(summary), TELLING));
        }
        Frame { head, tail }
    }

    fn streams(&self) -> bool {
        false
    }

    fn tells_at_most(&self) -> usize {
        ROWS
    }
}

impl Markdown {
    /// The verdict on the run: `❌ probative: 2 of 12 cases did not pass`.
    fn verdict(&self, summary: &Summary) -> String {
        let Summary { total, failed, errors, .. } = summary;
        let plural = if *total == 1 { "" } else { "s" };
        let noun = format!("{}{plural}", self.noun);
        let mark = if summary.exit_code() == 0 { "✅" } else { "❌" };
        match (summary.interrupted, failed + errors) {
            (true, _) => format!("{mark} probative: interrupted after {total} {noun}"),
            _ if summary.judged_nothing() => format!("{mark} probative: nothing was judged"),
            (_, 0) if summary.exit_code() != 0 && !summary.unexercised.is_empty() => {
                let (count, plural) = match summary.unexercised.len() {
                    1 => (1, " was"),
                    count => (count, "s were"),
                };
                format!("{mark} probative: {count} assertion{plural} never exercised")
            }
            (_, 0) if summary.passed == *total => format!("{mark} probative: {total} {noun} passed"),
            (_, 0) => format!("{mark} probative: {} of {total} {noun} passed", summary.passed),
            (_, bad) if summary.exit_code() == 0 => {
                format!("{mark} probative: no regressions; {bad} of {total} {noun} did not pass")
            }
            (_, bad) => format!("{mark} probative: {bad} of {total} {noun} did not pass"),
        }
    }
}

/// `9 passed, 2 failed, 1 error`.
fn counts(summary: &Summary) -> String {
    let errors = if summary.errors == 1 { "error" } else { "errors" };
    let counts = [
        (summary.passed, "passed"),
        (summary.failed, "failed"),
        (summary.errors, errors),
        (summary.skipped, "skipped"),
        (summary.flaky, "flaky"),
        (summary.unexercised.len(), "never exercised"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
    let counts = counts.collect::<Vec<_>>().join(", ");
    let time = summary.duration.map(|duration| format!(" in {}", short(duration)));
    format!("{counts}{}", time.unwrap_or_default())
}

fn mark(result: &CaseResult<'_>) -> &'static str {
    match result.status() {
        Status::Pass => "⚠️ flaky",
        Status::Fail => "❌ fail",
        Status::Error => "💥 error",
        Status::Skip => "skip",
    }
}

/// A part that is folded away. The title is Markdown, the text is not.
fn details(title: &str, text: &str) -> String {
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("\n<details><summary>{title}</summary>\n\n{fence}text\n{text}\n{fence}\n\n</details>\n")
}

/// Text as code, with hardly more bytes than there is room for.
///
/// In code GitHub sees no mentions and no numbers of issues. The tag, unlike backticks, lets `|` be escaped for good.
fn code(text: &str, room: usize) -> String {
    let mut told = String::from("<code>");
    for character in visible(text).chars() {
        if told.len() > room {
            told.push('…');
            break;
        }
        match character {
            mark if MARKS.contains(mark) || (mark == '.' && told.ends_with(['w', 'W'])) => {
                let _ = write!(told, "&#{};", u32::from(mark));
            }
            plain => told.push(plain),
        }
    }
    told + "</code>"
}

/// What may mean something beside itself, in Markdown or in HTML. The dot does in `www.`, which would become a link.
const MARKS: &str = r"\`*_~<>&|@#[]:$!";

#[cfg(test)]
mod tests {
    use super::{code, details};

    #[test]
    fn no_text_in_code_is_markdown_or_markup() {
        assert_eq!(
            code("a|b</code>\n@all #1", 300),
            "<code>a&#124;b&#60;/code&#62;&#92;n&#64;all &#35;1</code>"
        );
        assert_eq!(code("https://x.y", 300), "<code>https&#58;//x.y</code>");
        assert_eq!(code("www.x.y", 300), "<code>www&#46;x.y</code>");
        assert!(code(&"|".repeat(1000), 100).len() < 130);
    }

    #[test]
    fn a_fence_is_longer_than_any_inside() {
        assert!(details("t", "a ```` b").contains("\n`````text\na ```` b\n`````\n"));
        assert!(details("t", "a").contains("\n```text\na\n```\n"));
    }
}
