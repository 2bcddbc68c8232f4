//! The report for people: what did not pass, in full; what passed, in one line.

mod comparison;
mod trials;

use std::fmt::{Display, Write as _};
use std::time::Duration;

use anstyle::{AnsiColor, Style as Paint};

use super::diagnostic;
use super::{
    CaseResult, Frame, LeftOut, Outcome, Renderer, Row, Status, Style, Summary, Telling, Unexercised,
    Verbosity,
};
use crate::difference::{Difference, DifferenceLine, Side};
use crate::question::{Fault, Judgement};
use crate::value::excerpt::cut;
use crate::value::visible;
use crate::verdict::{Error, Failure};

/// How many rows are named that could not be judged for the same reason.
const SAME_NAMED: usize = 8;

/// How many results are told in full.
const TOLD_IN_FULL: usize = 20;

/// Renders for people.
pub struct Human {
    style: Style,
}

const GOOD: Paint = AnsiColor::Green.on_default().bold();
const BAD: Paint = AnsiColor::Red.on_default().bold();
const WARN: Paint = AnsiColor::Yellow.on_default().bold();
const NAME: Paint = Paint::new().bold();
const DIM: Paint = Paint::new().dimmed();

impl Human {
    /// A renderer that looks as `style` says.
    pub fn new(style: Style) -> Human {
        Human { style }
    }

    fn paint(&self, paint: Paint, text: impl Display) -> String {
        if self.style.colour { format!("{paint}{text}{paint:#}") } else { text.to_string() }
    }

    fn judged(&self, result: &CaseResult<'_>, judgement: &Judgement, told: &mut String) {
        let rows = result.asked.rows();
        let faults: Vec<_> =
            judgement.faults().filter(|(row, fault)| !is_told_before(&rows[*row], fault)).collect();
        if faults.is_empty() {
            if trials::is_told(result) {
                let _ = writeln!(told, "{}", self.title(result));
                self.trials(result, told);
            }
            return;
        }
        let _ = writeln!(told, "{}", self.title(result));
        self.trials(result, told);
        let _ = writeln!(told, "  {}\n", judgement.line(rows.len()));
        let mut reasons = Reasons::default();
        for (row, fault) in faults {
            if let Fault::Error(error) = fault
                && !reasons.is_first(error, &rows[row].name)
            {
                continue;
            }
            match fault {
                Fault::Failed(failure) => {
                    // A case of a spec says in one sentence what was expected and what was found.
                    let is_told = |text: &str| result.source.is_some() && failure.message.contains(text);
                    self.failure(&rows[row], failure, is_told, told);
                }
                Fault::Error(error) => {
                    self.error(result, &rows[row], error, told);
                    let not_judged = judgement.not_judged(row);
                    if not_judged > 0 {
                        let _ = writeln!(told, "    {} not judged", assertions(not_judged));
                    }
                }
                // The row with the error counts these.
                Fault::NotJudged { .. } => continue,
            }
            told.push('\n');
        }
        self.same(&reasons, told);
        self.idle(rows, judgement, told);
        let lines = result.exhibit.map(|exhibit| exhibit.lines(&judgement.marks(|row| &rows[row].name)));
        if let Some(lines) = lines.filter(|lines| !lines.is_empty()) {
            for line in lines {
                let note = line.note.map(|note| format!("  {}", self.paint(BAD, format_args!("← {note}"))));
                let _ = writeln!(told, "  {}{}", line.text, note.unwrap_or_default());
            }
            told.push('\n');
        }
        self.again(result, told);
    }

    /// The rows that could not be judged for a reason that is told already, in a line.
    fn same(&self, reasons: &Reasons<'_>, told: &mut String) {
        for (reason, names) in reasons.0.iter().filter(|(_, names)| !names.is_empty()) {
            let shown: Vec<_> = names.iter().take(SAME_NAMED).map(|name| visible(name)).collect();
            let more = match names.len() - shown.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let head = format!("{} more could not be judged:", assertions(names.len()));
            let _ =
                writeln!(told, "  {} {}: {}{more}\n", self.paint(BAD, head), cut(reason), shown.join(", "));
        }
    }

    /// The command that comes by this result again, and by no other.
    fn again(&self, result: &CaseResult<'_>, told: &mut String) {
        if let Some(command) = self.style.rerun.as_ref().and_then(|rerun| rerun.command(result)) {
            let _ = writeln!(told, "  {} {}\n", self.paint(DIM, "again:"), visible(&command));
        }
    }

    /// The rows that passed for lack of anything to say no to, in a line each.
    fn idle(&self, rows: &[Row], judgement: &Judgement, told: &mut String) {
        let before = told.len();
        for (row, exercise) in judgement.idle() {
            let (name, why) = (visible(&rows[row].name).into_owned(), exercise.why().unwrap_or_default());
            let word = self.paint(WARN, "unexercised");
            let _ = writeln!(told, "  {word}  {}  {}", self.paint(NAME, name), visible(&why));
        }
        if told.len() > before {
            told.push('\n');
        }
    }

    /// The assertions that nothing exercised, as far as there is room.
    fn unexercised(&self, unexercised: &[Unexercised], told: &mut String) {
        let count = unexercised.len();
        let was = if count == 1 { "was" } else { "were" };
        let _ = writeln!(told, "{} {was} never exercised:", assertions(count));
        for Unexercised { case, name, place, why, .. } in unexercised.iter().take(TOLD_IN_FULL) {
            let case = case.as_ref().map(|case| format!("{} ", visible(case))).unwrap_or_default();
            let (place, name) = (self.paint(DIM, visible(place)), self.paint(NAME, visible(name)));
            let _ = writeln!(told, "  {place} {case}{name}: {}", visible(why));
        }
        if count > TOLD_IN_FULL {
            let _ = writeln!(told, "  … and {} more", count - TOLD_IN_FULL);
        }
        told.push('\n');
    }

    /// A line for a result of which nothing else is told: its title, and its time or the reason why it was skipped.
    fn listed(&self, result: &CaseResult<'_>, told: &mut String) {
        let note = match &result.outcome {
            Outcome::Judged(judgement) if judgement.passed() && !trials::is_told(result) => {
                result.duration.map(short)
            }
            Outcome::Skipped(reason) => Some(visible(reason).into_owned()),
            _ => return,
        };
        let note = note.map(|note| format!("  {}", self.paint(DIM, note))).unwrap_or_default();
        let _ = writeln!(told, "{}{note}", self.title(result));
    }

    /// The verdict, the case, and where it is written.
    fn title(&self, result: &CaseResult<'_>) -> String {
        let mut title = format!("{} {}", self.verdict(result.status()), visible(&result.id));
        if let Some(words) = result.title {
            let _ = write!(title, "  {}", visible(words));
        }
        if let Some(suite) = result.suite {
            let name = suite.name.as_ref().unwrap_or(&suite.key);
            let priority =
                suite.priority.as_ref().map(|priority| format!(", {priority}")).unwrap_or_default();
            let _ = write!(title, "  {}", self.paint(DIM, visible(&format!("[{name}{priority}]"))));
        }
        if result.source.is_some() && result.id != result.file {
            let line = result.line.map(|line| format!(":{line}")).unwrap_or_default();
            let place = format!("{}{line}", visible(result.file));
            let _ = write!(title, "  {}", self.paint(DIM, place));
        }
        title
    }

    /// Why a case could not be judged: with the line that is wrong, where it stands in the case's own document.
    fn errors(&self, result: &CaseResult<'_>, errors: &[Error], told: &mut String) {
        let _ = writeln!(told, "{}", self.title(result));
        self.trials(result, told);
        for error in errors {
            let place = error.place.as_deref();
            match result.source {
                Some(document) if error.is_in(document) => {
                    told.push_str(&diagnostic::render(document, error, self.style.colour));
                }
                _ => {
                    // What concerns the file as a whole need not name it again.
                    let whole = place.is_some_and(|place| place.line.is_some());
                    let message = if whole { error.to_string() } else { error.kind.to_string() };
                    let _ = writeln!(told, "  {}", visible(&message));
                }
            }
        }
        told.push('\n');
        self.again(result, told);
    }

    fn heading(&self, row: &Row, told: &mut String) {
        let place = self.paint(DIM, visible(&row.place.to_string()));
        let _ = writeln!(told, "  {}  {place}", self.paint(NAME, visible(&row.name)));
    }

    /// Why there is no verdict: with the line that it is about, where that stands in the case's own document.
    fn error(&self, result: &CaseResult<'_>, row: &Row, error: &Error, told: &mut String) {
        if let Some(document) = result.source.filter(|document| error.is_in(document)) {
            told.push_str(&diagnostic::render(document, error, self.style.colour));
            return;
        }
        self.heading(row, told);
        let _ = writeln!(told, "    {}: {}", self.paint(BAD, "error"), visible(&error.to_string()));
    }

    fn failure(&self, row: &Row, failure: &Failure, is_told: impl Fn(&str) -> bool, told: &mut String) {
        self.heading(row, told);
        let (head, message) = split_head(&failure.message);
        if let Some(head) = head {
            let _ = writeln!(told, "    {}", self.paint(DIM, visible(head)));
        }
        let _ = writeln!(told, "    {}", visible(message));
        let place = failure.place.as_deref().unwrap_or_default();
        for (label, text) in
            [("expected", failure.expected.as_str()), ("found", &failure.actual), ("at", place)]
        {
            if !text.is_empty() && !is_told(text) {
                let _ =
                    writeln!(told, "    {} {}", self.paint(DIM, format_args!("{label:<9}")), visible(text));
            }
        }
        if let Some(difference) = &failure.evidence.difference {
            self.difference(difference, told);
        }
    }

    /// How what was found differs from what was expected, line by line.
    fn difference(&self, difference: &Difference, told: &mut String) {
        let (expected, found) = (self.paint(GOOD, "- expected"), self.paint(BAD, "+ found"));
        let _ =
            writeln!(told, "    {} {expected}  {found}", self.paint(DIM, format_args!("{:<9}", "differ")));
        for DifferenceLine { side, text } in difference.lines() {
            let line = format!("{} {text}", if side == Side::Gap { ' ' } else { side.mark() });
            let line = match side {
                Side::Both => line,
                Side::Gap => self.paint(DIM, line),
                Side::Expected => self.paint(GOOD, line),
                Side::Found => self.paint(BAD, line),
            };
            let _ = writeln!(told, "      │ {line}");
        }
    }

    fn verdict(&self, status: Status) -> String {
        match status {
            Status::Pass => self.paint(GOOD, "PASS"),
            Status::Fail => self.paint(BAD, "FAIL"),
            Status::Error => self.paint(BAD, "ERROR"),
            Status::Skip => self.paint(WARN, "SKIP"),
        }
    }
}

/// A message without its head.
pub(super) fn without_head(message: &str) -> &str {
    split_head(message).1
}

/// The head of a message, which says where in a case it arose, and the rest.
fn split_head(message: &str) -> (Option<&str>, &str) {
    let end = || {
        let operator = message.strip_prefix("[case_id=").and(message.find(" op="))?;
        message[operator..].find("] ").map(|end| operator + end)
    };
    end().map_or((None, message), |end| (Some(&message[..=end]), &message[end + 2..]))
}

/// Why rows could not be judged, each reason with the names of the rows behind the first.
#[derive(Default)]
struct Reasons<'r>(Vec<(String, Vec<&'r str>)>);

impl<'r> Reasons<'r> {
    /// Whether a row is the first that could not be judged for this reason. Others are remembered by their names.
    fn is_first(&mut self, error: &Error, name: &'r str) -> bool {
        let reason = without_head(&error.kind.to_string()).to_owned();
        let known = self.0.iter_mut().find(|(known, _)| *known == reason);
        let is_first = known.is_none();
        if let Some((_, names)) = known {
            names.push(name);
        } else {
            self.0.push((reason, Vec::new()));
        }
        is_first
    }
}

/// What is wrong with the question is told once, before any result.
pub(super) fn is_told_before(row: &Row, fault: &Fault) -> bool {
    row.malformed && matches!(fault, Fault::Error(_))
}

impl Renderer for Human {
    fn telling(&self, result: &CaseResult<'_>) -> Telling {
        let is_told = match &result.outcome {
            Outcome::Judged(judgement) => {
                judgement.faults().any(|(row, fault)| !is_told_before(&result.asked.rows()[row], fault))
            }
            Outcome::Errors(_) => true,
            Outcome::Skipped(_) => false,
        };
        match is_told {
            true => Telling::Full,
            false if self.style.verbosity == Verbosity::Quiet => Telling::Silent,
            false if self.style.verbosity == Verbosity::Verbose => Telling::Note,
            false if !result.warnings.is_empty() || trials::is_told(result) => Telling::Note,
            false => Telling::Silent,
        }
    }

    fn result(&self, result: &CaseResult<'_>, out: &mut Vec<u8>) {
        let mut told = String::new();
        for warning in &result.warnings {
            let _ = writeln!(
                told,
                "{}: {}: {}",
                self.paint(WARN, "warning"),
                visible(&result.id),
                visible(warning)
            );
        }
        match &result.outcome {
            Outcome::Judged(judgement) => self.judged(result, judgement, &mut told),
            Outcome::Errors(errors) => self.errors(result, errors, &mut told),
            Outcome::Skipped(_) => {}
        }
        if self.style.verbosity == Verbosity::Verbose {
            self.listed(result, &mut told);
        }
        out.extend_from_slice(told.as_bytes());
    }

    fn remainder(&self, left_out: &LeftOut) -> String {
        let more = match (left_out.results, left_out.notes) {
            (0, 0) => return String::new(),
            (results, 0) => format!("{results} more"),
            (0, notes) => format!("{notes} more with warnings"),
            (results, notes) => format!("{results} more that did not pass, {notes} more with warnings"),
        };
        format!("… and {more}; --report jsonl=FILE tells them all\n\n")
    }

    fn frame(&self, summary: &Summary) -> Frame {
        let mut tail = String::new();
        let is_quiet = self.style.verbosity == Verbosity::Quiet;
        if is_quiet && summary.exit_code() == 0 {
            return Frame::default();
        }
        if !summary.unexercised.is_empty() && (summary.strict || !is_quiet) {
            self.unexercised(&summary.unexercised, &mut tail);
        }
        if let Some(comparison) = &summary.comparison {
            self.comparison(comparison, &mut tail);
        }
        let counts = [
            (summary.passed, GOOD, "passed"),
            (summary.failed, BAD, "failed"),
            (summary.errors, BAD, if summary.errors == 1 { "error" } else { "errors" }),
            (summary.skipped, WARN, "skipped"),
            (summary.flaky, WARN, "flaky"),
        ];
        let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
        let mut counts: Vec<String> =
            counts.map(|(count, paint, word)| self.paint(paint, format_args!("{count} {word}"))).collect();
        if !summary.unexercised.is_empty() {
            let unexercised = format!("{} unexercised", assertions(summary.unexercised.len()));
            counts.push(self.paint(if summary.strict { BAD } else { WARN }, unexercised));
        }
        if summary.judged_nothing() {
            counts.push(self.paint(BAD, "nothing was judged"));
        }
        let counts = counts.join(", ");
        let plural = if summary.total == 1 { "" } else { "s" };
        let duration =
            summary.duration.map(|duration| self.paint(DIM, format_args!(" in {}", short(duration))));
        let interrupted =
            if summary.interrupted { self.paint(WARN, "interrupted after ") } else { String::new() };
        let duration = duration.unwrap_or_default();
        let _ =
            writeln!(tail, "{interrupted}{} {}{plural}: {counts}{duration}", summary.total, self.style.noun);
        Frame { head: String::new(), tail }
    }

    fn tells_at_most(&self) -> usize {
        if self.style.verbosity == Verbosity::Verbose { usize::MAX } else { TOLD_IN_FULL }
    }
}

/// `1 assertion`, `3 assertions`.
fn assertions(count: usize) -> String {
    format!("{count} assertion{}", if count == 1 { "" } else { "s" })
}

/// A duration as a person says it: `12 ms`, `3.4 s`.
pub(super) fn short(duration: Duration) -> String {
    match duration.as_millis() {
        0 => "under 1 ms".to_owned(),
        milliseconds @ 1..1000 => format!("{milliseconds} ms"),
        _ => format!("{:.1} s", duration.as_secs_f64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_taken_off_whole() {
        // A path such as `assert[0].must[0]` has brackets of its own: the head ends behind the operator.
        let head = "[case_id=A assert_path=assert[0].must[0] target=stdout op=contain]";
        assert_eq!(split_head(&format!("{head} no 'tea'")), (Some(head), "no 'tea'"));
        let head = "[case_id=A assert_path=claims[0] target=t op=then]";
        assert_eq!(split_head(&format!("{head} says [x] y")), (Some(head), "says [x] y"));
        assert_eq!(split_head("[case_id=A] [x] y"), (None, "[case_id=A] [x] y"));
        assert_eq!(split_head("ended with 1"), (None, "ended with 1"));
    }
}
