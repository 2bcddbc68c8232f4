//! Text as people see it beside a failure: a few lines of it, quoted.

use super::ExhibitLine;
use crate::value::visible;

/// How many lines of a text are shown.
const SHOWN_LINES: usize = 12;

/// How many characters of a line are shown.
const LONGEST_LINE: usize = 200;

/// The first lines of a text under its name.
pub fn beginning(name: &str, text: &str) -> Vec<ExhibitLine> {
    let count = text.lines().count();
    let head = match count {
        0 => format!("{name} is empty"),
        count if count > SHOWN_LINES => format!("{name} (first {SHOWN_LINES} of {count} lines):"),
        _ => format!("{name}:"),
    };
    under(head, text.lines().take(SHOWN_LINES))
}

/// The last lines of a text under its name.
pub fn ending(name: &str, text: &str) -> Vec<ExhibitLine> {
    let count = text.lines().count();
    let left_out = count.saturating_sub(SHOWN_LINES);
    let head = match (count, left_out) {
        (0, _) => format!("{name} is empty"),
        (_, 0) => format!("{name}:"),
        _ => format!("{name} (last {SHOWN_LINES} of {count} lines):"),
    };
    under(head, text.lines().skip(left_out))
}

fn under<'t>(head: String, lines: impl Iterator<Item = &'t str>) -> Vec<ExhibitLine> {
    std::iter::once(ExhibitLine::plain(head)).chain(lines.map(quoted)).collect()
}

/// A line of a text, as far as it fits.
fn quoted(line: &str) -> ExhibitLine {
    ExhibitLine::plain(match line.char_indices().nth(LONGEST_LINE) {
        None => format!("  │ {}", visible(line)),
        Some((end, _)) => format!("  │ {}…", visible(&line[..end])),
    })
}
