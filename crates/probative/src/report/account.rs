//! A full account of a result as plain text, for the reports of other formats.

use super::human::is_told_before;
use super::{CaseResult, Human, Outcome, Renderer as _, Rerun, Status, Style, Summary};
use crate::question::Fault;
use crate::value::visible;
use crate::verdict::{Failure, Place};

/// Tells results in the words of the report for people, without colour, and nowhere less than that.
///
/// Every line is of visible characters only.
pub(super) struct Account {
    human: Human,
    rerun: Option<Rerun>,
}

impl Account {
    pub(super) fn new(style: Style) -> Account {
        let rerun = style.rerun.clone();
        Account { human: Human::new(Style { colour: false, ..style }), rerun }
    }

    /// The lines about one result, without a line end behind the last. Of a result with nothing to tell there are none.
    pub(super) fn of(&self, result: &CaseResult<'_>) -> String {
        let mut bytes = Vec::new();
        self.human.result(result, &mut bytes);
        let mut told = String::from_utf8_lossy(&bytes).trim_end().to_owned();
        tell_malformed(result, &mut told);
        for finding in result.health.iter().filter(|_| !result.refused) {
            add_line(&visible(&finding.to_string()), &mut told);
        }
        if told.is_empty() && !matches!(result.status(), Status::Pass | Status::Skip) {
            told.push_str(&message(result));
        }
        told
    }

    /// The command that comes by the result again, for one that did not pass.
    pub(super) fn rerun(&self, result: &CaseResult<'_>) -> Option<String> {
        let did_not_pass = matches!(result.status(), Status::Fail | Status::Error);
        self.rerun.as_ref().filter(|_| did_not_pass)?.command(result)
    }

    /// What the report for people says at its end, without a line end behind the last line.
    pub(super) fn of_all(&self, summary: &Summary) -> String {
        self.human.frame(summary).tail.trim_end().to_owned()
    }
}

/// The id of a case with its title: `REFUND-2: names a period`.
pub(super) fn label(result: &CaseResult<'_>) -> String {
    result.title.map_or_else(|| result.id.clone(), |title| format!("{}: {title}", result.id))
}

/// What went wrong, or why it was not run, on one line.
pub(super) fn message(result: &CaseResult<'_>) -> String {
    visible(&gist(result).unwrap_or_default()).into_owned()
}

/// What went wrong, or why it was not run. Of a question, what its assertions say rather than how many did not hold.
pub(super) fn gist(result: &CaseResult<'_>) -> Option<String> {
    match &result.outcome {
        Outcome::Judged(judgement) if !judgement.passed() => Some(result.among_trials(judgement.messages())),
        _ => result.plain_message(),
    }
}

/// The first assertion that does not hold.
pub(super) fn first_failure<'r>(result: &'r CaseResult<'_>) -> Option<&'r Failure> {
    let Outcome::Judged(judgement) = &result.outcome else { return None };
    judgement.faults().find_map(|(_, fault)| match fault {
        Fault::Failed(failure) => Some(&**failure),
        Fault::Error(_) | Fault::NotJudged { .. } => None,
    })
}

/// The line of the result's file that is to be looked at: where the first thing that went wrong is written, if it is
/// written in that file.
pub(super) fn line_of(result: &CaseResult<'_>) -> Option<usize> {
    let place: Option<&Place> = match &result.outcome {
        Outcome::Judged(judgement) => judgement.faults().next().and_then(|(row, fault)| match fault {
            Fault::Error(error) if error.place.is_some() => error.place.as_deref(),
            _ => Some(&result.asked.rows()[row].place),
        }),
        Outcome::Errors(errors) => errors.iter().find_map(|error| error.place.as_deref()),
        Outcome::Skipped(_) => None,
    };
    place.filter(|place| *place.file == *result.file).and_then(|place| place.line).or(result.line)
}

/// What is wrong in the question, which people are told once, before any result.
fn tell_malformed(result: &CaseResult<'_>, told: &mut String) {
    let Outcome::Judged(judgement) = &result.outcome else { return };
    for (row, fault) in judgement.faults() {
        let row = &result.asked.rows()[row];
        if let Fault::Error(error) = fault
            && is_told_before(row, fault)
        {
            if told.is_empty() {
                told.push_str(&message(result));
            }
            add_line(&format!("  {}  {}", visible(&row.headline), visible(&row.place.to_string())), told);
            add_line(&format!("    error: {}", visible(&error.to_string())), told);
        }
    }
}

fn add_line(line: &str, told: &mut String) {
    told.push_str(if told.is_empty() { "" } else { "\n" });
    told.push_str(line);
}

/// As many lines as there is room for, and how many more there are.
///
/// A long line is cut where that shows at least twice as much.
pub(super) fn within(text: &str, room: usize) -> String {
    if text.len() <= room {
        return text.to_owned();
    }
    let start = &text[..text.floor_char_boundary(room)];
    let (shown, dots) = match start.rfind('\n') {
        Some(end) if end >= room / 2 => (&start[..end], ""),
        _ => (start, "…"),
    };
    let more = match text[shown.len()..].lines().skip(1).count() {
        0 => String::new(),
        1 => "\n… and 1 more line".to_owned(),
        more => format!("\n… and {more} more lines"),
    };
    format!("{shown}{dots}{more}")
}

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn a_long_text_is_cut_between_lines_and_a_long_line_within() {
        assert_eq!(within("a\nb", 3), "a\nb");
        assert_eq!(within("aa\nbb\ncc\ndd", 6), "aa\nbb\n… and 2 more lines");
        assert_eq!(within("aaa\nbbb", 5), "aaa\n… and 1 more line");
        assert_eq!(within("a\nbbbbbb", 6), "a\nbbbb…");
        assert_eq!(within("a\nbbbbbb\nc", 6), "a\nbbbb…\n… and 1 more line");
        assert_eq!(within("ääää", 3), "ä…");
        assert_eq!(within("", 0), "");
    }
}
