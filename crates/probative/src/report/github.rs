//! Annotations of GitHub Actions: lines of a log that GitHub shows beside the file.

use std::fmt::Write as _;

use super::account::{Account, label, line_of, within};
use super::{CaseResult, Frame, LeftOut, Renderer, Status, Style, Summary, Telling};
use crate::value::{excerpt, visible};

/// GitHub shows so many errors of a step, and so many warnings.
const SHOWN: usize = 10;

/// How many bytes of a message are told. GitHub cuts longer ones.
const MESSAGE: usize = 4 << 10;

/// One annotation for every case that did not pass, and for every one that is to be looked at all the same.
///
/// Nothing in a text begins another command: a command is one line, and no text has a line end.
pub struct Github {
    account: Account,
    prefix: String,
}

impl Github {
    /// A renderer that tells of failures as `style` says.
    pub fn new(style: Style) -> Github {
        Github::below(style, "")
    }

    /// The same for files that stand below a directory of the repository: `agents`.
    pub fn below(style: Style, directory: &str) -> Github {
        let directory = directory.trim_matches('/');
        let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        Github { account: Account::new(style), prefix }
    }

    /// `::error file=agents/refund.spec.md,line=3,title=REFUND-2::message`
    fn annotation(&self, level: &str, result: &CaseResult<'_>) -> String {
        let mut line = format!("::{level} ");
        if result.file != "-" {
            let prefix = if result.file.starts_with('/') { "" } else { self.prefix.as_str() };
            let file = format!("{prefix}{}", result.file.trim_start_matches("./"));
            let _ = write!(line, "file={},", property(&file));
            if let Some(number) = line_of(result) {
                let _ = write!(line, "line={number},");
            }
        }
        let title = property(&excerpt::cut(&label(result)));
        let message = data(&within(&self.account.of(result), MESSAGE));
        let _ = writeln!(line, "title={title}::{message}");
        line
    }
}

impl Renderer for Github {
    fn telling(&self, result: &CaseResult<'_>) -> Telling {
        match result.status() {
            Status::Fail | Status::Error => Telling::Full,
            _ if is_to_be_looked_at(result) => Telling::Note,
            Status::Pass | Status::Skip => Telling::Silent,
        }
    }

    fn result(&self, result: &CaseResult<'_>, out: &mut Vec<u8>) {
        let level = if self.telling(result) == Telling::Full { "error" } else { "warning" };
        out.extend_from_slice(self.annotation(level, result).as_bytes());
    }

    fn remainder(&self, left_out: &LeftOut) -> String {
        let LeftOut { results, notes, .. } = *left_out;
        let more = match (results, notes) {
            (0, 0) => return String::new(),
            (results, 0) => format!("{results} more did not pass"),
            (0, notes) => format!("{notes} more have warnings"),
            (results, notes) => format!("{results} more did not pass, {notes} more have warnings"),
        };
        format!("::notice title=probative::… and {more}\n")
    }

    fn frame(&self, summary: &Summary) -> Frame {
        // What fails a run without failing a case would be seen nowhere else.
        if summary.unexercised.is_empty() {
            return Frame::default();
        }
        let message = data(&within(&self.account.of_all(summary), MESSAGE));
        Frame { head: String::new(), tail: format!("::notice title=probative::{message}\n") }
    }

    fn tells_at_most(&self) -> usize {
        SHOWN
    }
}

/// Whether a case is told that did not fail.
fn is_to_be_looked_at(result: &CaseResult<'_>) -> bool {
    result.flaky || !result.warnings.is_empty() || !result.health.is_empty()
}

/// Text as the data of a command.
fn data(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| visible(line).replace('%', "%25")).collect();
    lines.join("%0A")
}

/// Text as the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{data, property};

    #[test]
    fn a_text_is_one_line_and_one_property() {
        assert_eq!(data("100%\n::error::x\r\u{85}"), r"100%25%0A::error::x\r\u0085");
        assert_eq!(property("a:b,c=%3A\n"), "a%3Ab%2Cc=%253A%0A");
    }
}
