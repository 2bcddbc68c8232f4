//! `JUnit` XML, as the schema of Jenkins (`junit-10.xsd`) has it: what most CI systems read.

use std::fmt::Write as _;
use std::time::Duration;

use super::account::{Account, message};
use super::{CaseResult, Frame, Renderer, Status, Style, Summary};
use crate::value::excerpt::distinct;
use crate::value::visible;
use crate::verdict::Category;

/// One document with one suite, in which every result is a test case.
///
/// The schema has no place for a file and a line on a test case: the file is the class name, and what did not pass says
/// where it stands. What passed only when tried again passed, and says so as its output.
pub struct Junit {
    account: Account,
}

impl Junit {
    /// A renderer that tells of failures as `style` says.
    pub fn new(style: Style) -> Junit {
        Junit { account: Account::new(style) }
    }
}

impl Renderer for Junit {
    fn result(&self, result: &CaseResult<'_>, out: &mut Vec<u8>) {
        let mut told = String::from("    <testcase");
        attribute("name", &name(result), &mut told);
        attribute("classname", &distinct(result.file), &mut told);
        if let Some(duration) = result.duration {
            attribute("time", &format!("{:.6}", duration.as_secs_f64()), &mut told);
        }
        let account = self.account.of(result);
        match result.status() {
            Status::Pass if account.is_empty() => told.push_str("/>\n"),
            Status::Pass => element("system-out", None, &account, &mut told),
            Status::Skip => element("skipped", Some((&message(result), "skipped")), "", &mut told),
            Status::Fail => element("failure", Some((&message(result), kind(result))), &account, &mut told),
            Status::Error => element("error", Some((&message(result), kind(result))), &account, &mut told),
        }
        out.extend_from_slice(told.as_bytes());
    }

    fn frame(&self, summary: &Summary) -> Frame {
        let Summary { total, failed, errors, skipped, .. } = summary;
        let mut counts = format!(" tests=\"{total}\" failures=\"{failed}\" errors=\"{errors}\"");
        if let Some(duration) = summary.duration {
            attribute("time", &suite_time(duration), &mut counts);
        }
        let head = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"probative\"{counts}>\n  \
             <testsuite name=\"probative\"{counts} skipped=\"{skipped}\">\n"
        );
        let mut tail = String::from("    <system-out>");
        escape(&self.account.of_all(summary), "\n", &mut tail);
        tail.push_str("</system-out>\n  </testsuite>\n</testsuites>\n");
        Frame { head, tail }
    }

    fn streams(&self) -> bool {
        false
    }
}

/// The id of a case and its title: `REFUND-2: names a period`. No two cases have one name, whatever their ids and titles:
/// the first `: ` ends the id.
fn name(result: &CaseResult<'_>) -> String {
    let id = distinct(&result.id).replace(": ", "\\u003a ");
    result.title.map_or_else(|| id.clone(), |title| format!("{id}: {}", distinct(title)))
}

/// Closes the tag of a test case, with one element inside.
fn element(name: &str, about: Option<(&str, &str)>, text: &str, told: &mut String) {
    let _ = write!(told, ">\n      <{name}");
    if let Some((message, kind)) = about {
        attribute("message", message, told);
        attribute("type", kind, told);
    }
    told.push('>');
    escape(text, "\n", told);
    let _ = writeln!(told, "</{name}>\n    </testcase>");
}

/// The word for what kind of thing went wrong.
fn kind(result: &CaseResult<'_>) -> &'static str {
    match result.category() {
        Some(Category::Schema) => "schema",
        Some(Category::Runtime) => "runtime",
        Some(Category::Assertion) | None => "assertion",
    }
}

/// Seconds with the three decimals that the schema allows a suite.
fn suite_time(duration: Duration) -> String {
    format!("{:.3}", duration.as_secs_f64())
}

fn attribute(name: &str, value: &str, told: &mut String) {
    let _ = write!(told, " {name}=\"");
    escape(value, "&#10;", told);
    told.push('"');
}

/// Appends text in which nothing is markup and every character is one that XML 1.0 has.
///
/// What XML cannot hold is shown as the report for people shows it. A line end in an attribute would be read as a space,
/// so that it is written in another way there.
fn escape(text: &str, line_end: &str, told: &mut String) {
    for (at, line) in text.split('\n').enumerate() {
        told.push_str(if at == 0 { "" } else { line_end });
        for character in visible(line).chars() {
            match character {
                '&' => told.push_str("&amp;"),
                '<' => told.push_str("&lt;"),
                '>' => told.push_str("&gt;"),
                '"' => told.push_str("&quot;"),
                plain => told.push(plain),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::escape;

    fn escaped(text: &str, line_end: &str) -> String {
        let mut told = String::new();
        escape(text, line_end, &mut told);
        told
    }

    #[test]
    fn nothing_is_markup_and_nothing_is_what_xml_cannot_hold() {
        assert_eq!(escaped("]]><b a=\"1\">&amp;", "\n"), "]]&gt;&lt;b a=&quot;1&quot;&gt;&amp;amp;");
        assert_eq!(
            escaped("\u{1b}[31m\0\u{fffe}\u{ffff}\u{85}\r\t", "\n"),
            r"\u001b[31m\u0000\ufffe\uffff\u0085\r\t"
        );
        assert_eq!(escaped("a\nb", "&#10;"), "a&#10;b");
        assert_eq!(escaped("a\nb", "\n"), "a\nb");
        assert_eq!(escaped("päß \u{1f600}", "\n"), "päß \u{1f600}");
    }
}
