//! The report for people: what did not pass in full, what passed in one line.

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
use crate::value::visible;
use crate::verdict::{Crash, Error, Failure};

/// How many rows are named that were not judged for one reason.
const NAMED: usize = 12;

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

    fn judged(&self, result: &CaseResult<'_>, judgement: &Judgement, out: &mut String) {
        let rows = result.asked.rows();
        let faults: Vec<_> =
            judgement.faults().filter(|(row, fault)| !is_told_before(&rows[*row], fault)).collect();
        if faults.is_empty() {
            if trials::is_told(result) {
                let _ = writeln!(out, "{}", self.title(result));
                self.trials(result, out);
            }
            return;
        }
        let _ = writeln!(out, "{}", self.title(result));
        self.trials(result, out);
        let trial = result.trials.as_ref().and_then(trials::shown);
        let prefix = trial.map(|trial| format!("{trial}: ")).unwrap_or_default();
        let _ = writeln!(out, "  {prefix}{}\n", judgement.line(rows.len()));
        let causes = Causes::of(judgement, &faults);
        for (row, fault) in faults {
            match fault {
                Fault::Failed(failure) => {
                    // A case of a spec says in one sentence what was expected and what was found; details say both.
                    let is_told = |text: &str| {
                        result.source.is_some() && says(failure.summary(), text)
                            || !failure.details().is_empty()
                    };
                    self.failure(rows, row, failure, is_told, out);
                }
                Fault::Error(error) => match causes.starting_at(row) {
                    None => continue,
                    Some(waiting) => self.error(result, row, error, waiting, out),
                },
                // The row with the error lists these.
                Fault::NotJudged { .. } => continue,
            }
            out.push('\n');
        }
        self.idle(rows, judgement, out);
        // The output of an agent that crashed or printed nothing is in its error.
        let exhibit = result.exhibit.filter(|_| !errors_show_output(judgement));
        let lines = exhibit.map(|exhibit| exhibit.lines(&judgement.marks(|row| &rows[row].headline)));
        if let Some(lines) = lines.filter(|lines| !lines.is_empty()) {
            for line in lines {
                let note = line.note.map(|note| format!("  {}", self.paint(BAD, format_args!("← {note}"))));
                let _ = writeln!(out, "  {}{}", line.text, note.unwrap_or_default());
            }
            out.push('\n');
        }
        self.rerun(result, out);
    }

    /// The command that reruns this result alone.
    fn rerun(&self, result: &CaseResult<'_>, out: &mut String) {
        if let Some(command) = self.style.rerun.as_ref().and_then(|rerun| rerun.command(result)) {
            let _ = writeln!(out, "  {} {}\n", self.paint(DIM, "rerun:"), visible(&command));
        }
    }

    /// The rows that passed but were never exercised, one per line.
    fn idle(&self, rows: &[Row], judgement: &Judgement, out: &mut String) {
        let before = out.len();
        for (row, exercise) in judgement.idle() {
            let (name, why) = (visible(&rows[row].headline).into_owned(), exercise.why().unwrap_or_default());
            let label = self.paint(WARN, "never exercised");
            let _ = writeln!(out, "  {label}  {}  {}", self.paint(NAME, name), visible(&why));
        }
        if out.len() > before {
            out.push('\n');
        }
    }

    /// The assertions that were never exercised, as far as there is room.
    fn unexercised(&self, unexercised: &[Unexercised], out: &mut String) {
        let (fences, rows): (Vec<_>, Vec<_>) = unexercised.iter().partition(|row| row.is_near_case);
        if !fences.is_empty() {
            let _ = writeln!(out, "{}:", ignored(fences.len()));
            self.places(&fences, out);
        }
        if !rows.is_empty() {
            let was = if rows.len() == 1 { "was" } else { "were" };
            let _ = writeln!(out, "{} {was} never exercised:", assertions(rows.len()));
            self.places(&rows, out);
        }
    }

    /// One line per assertion or fence: its place, its name and the reason.
    fn places(&self, unexercised: &[&Unexercised], out: &mut String) {
        let count = unexercised.len();
        let shown = &unexercised[..count.min(TOLD_IN_FULL)];
        let length = |place: &str| visible(place).chars().count();
        let width = shown.iter().map(|row| length(&row.place)).max().unwrap_or_default();
        for Unexercised { case, name, headline, place, why, is_near_case, .. } in shown.iter().copied() {
            let pad = width - length(place);
            let case = case.as_ref().map(|case| format!("{} ", visible(case))).unwrap_or_default();
            let name = self.paint(NAME, visible(headline.as_ref().unwrap_or(name)));
            let place = self.paint(DIM, visible(place));
            let name = if *is_near_case { String::new() } else { format!("{name}: ") };
            let _ = writeln!(out, "  {place}{:pad$} {case}{name}{}", "", visible(why));
        }
        if count > TOLD_IN_FULL {
            let _ = writeln!(out, "  … and {} more", count - TOLD_IN_FULL);
        }
        out.push('\n');
    }

    /// A line for a result with nothing else to report: its title, and its time or the reason why it was skipped.
    fn listed(&self, result: &CaseResult<'_>, out: &mut String) {
        let note = match &result.outcome {
            Outcome::Judged(judgement) if judgement.passed() && !trials::is_told(result) => {
                result.duration.map(short)
            }
            Outcome::Skipped(reason) => Some(visible(reason).into_owned()),
            _ => return,
        };
        let note = note.map(|note| format!("  {}", self.paint(DIM, note))).unwrap_or_default();
        let _ = writeln!(out, "{}{note}", self.title(result));
    }

    /// The verdict, the case, and its place.
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

    /// Why a case could not be judged, with the source line where that is in the case's own document.
    fn errors(&self, result: &CaseResult<'_>, errors: &[Error], out: &mut String) {
        let _ = writeln!(out, "{}", self.title(result));
        self.trials(result, out);
        if let Some(trial) = result.trials.as_ref().and_then(trials::shown) {
            let _ = writeln!(out, "  {}", self.paint(NAME, trial));
        }
        for error in errors {
            if let Some(crash) = error.crash() {
                self.crash(crash, out);
            } else if !self.diagnostic(result, error, out) {
                // An error about the whole file need not name it again.
                let has_line = error.place.as_deref().is_some_and(|place| place.line.is_some());
                let message = if has_line { error.to_string() } else { error.kind.to_string() };
                let _ = writeln!(out, "  {}", block(2, &message));
            }
        }
        let rows = result.asked.rows();
        if !rows.is_empty() && !errors.iter().any(Error::is_askers_mistake) {
            let count = self.paint(BAD, format_args!("{} not judged:", assertions(rows.len())));
            let _ = writeln!(out, "  {count} {}", names(rows.iter().map(|row| row.headline.as_str())));
        }
        out.push('\n');
        self.rerun(result, out);
    }

    /// The name of an assertion, its target where the case has several, and its place.
    fn heading(&self, rows: &[Row], row: usize, headline: &str, out: &mut String) {
        let Row { name, label, target, place, .. } = &rows[row];
        // What the author called it does not say what is asserted.
        let asserted = match label {
            Some(label) if label != name => format!("  {}", self.paint(DIM, visible(name))),
            _ => String::new(),
        };
        let place = self.paint(DIM, visible(&place.to_string()));
        let target = target.as_deref().filter(|_| has_several_targets(rows)).filter(|target| target != name);
        let target = target.map(|target| match target {
            SEVERAL_TARGETS => " (several targets)".to_owned(),
            target => format!(" ({})", visible(target)),
        });
        let headline = self.paint(NAME, visible(headline));
        let _ = writeln!(out, "  {headline}{asserted}{}  {place}", target.unwrap_or_default());
    }

    /// Why rows have no verdict: for one row with its place, for several with their names on one line.
    fn error(&self, result: &CaseResult<'_>, row: usize, error: &Error, waiting: &[usize], out: &mut String) {
        let rows = result.asked.rows();
        if let Some(crash) = error.crash() {
            self.crash(crash, out);
        } else if let Some(ending) = error.silent() {
            let _ = writeln!(out, "  {}: {}", self.paint(BAD, "error"), ending.silence());
            stderr(ending, out);
        } else if waiting.len() > 1 {
            let _ = writeln!(out, "  {}: {}", self.paint(BAD, "error"), block(2, &error.kind.to_string()));
        } else {
            // The place of the row is in its heading.
            let is_elsewhere = error.place.as_deref().is_some_and(|place| *place != rows[row].place);
            if (is_elsewhere || error.is_askers_mistake()) && self.diagnostic(result, error, out) {
                return;
            }
            self.heading(rows, row, &rows[row].headline, out);
            let message = if is_elsewhere { error.to_string() } else { error.kind.to_string() };
            let _ = writeln!(out, "    {}: {}", self.paint(BAD, "error"), block(4, &message));
            return;
        }
        let count = self.paint(BAD, format_args!("{} not judged:", assertions(waiting.len())));
        let _ = writeln!(out, "  {count} {}", names(waiting.iter().map(|row| rows[*row].headline.as_str())));
    }

    /// How the agent crashed: the end of its standard error, then the exit code and the command.
    fn crash(&self, crash: &Crash, out: &mut String) {
        let end = match &crash.signal {
            Some(signal) => visible(signal).into_owned(),
            None => format!("exit code {}", crash.exit_code),
        };
        let _ = writeln!(out, "  {}: the agent crashed", self.paint(BAD, "error"));
        stderr(crash, out);
        if crash.stderr.is_empty() {
            let _ = writeln!(out, "    stderr is empty");
        }
        let _ = writeln!(out, "    {end} from `{}`", visible(&crash.command));
    }

    /// Shows an error with its source line, if that is in the case's own document. Answers whether it is.
    fn diagnostic(&self, result: &CaseResult<'_>, error: &Error, out: &mut String) -> bool {
        let Some(document) = result.source.filter(|document| error.is_in(document)) else { return false };
        for line in diagnostic::render(document, error, self.style.colour).lines() {
            let _ = writeln!(out, "  {line}");
        }
        true
    }

    fn failure(
        &self,
        rows: &[Row],
        row: usize,
        failure: &Failure,
        is_told: impl Fn(&str) -> bool,
        out: &mut String,
    ) {
        self.heading(rows, row, rows[row].headline_of(failure), out);
        let _ = writeln!(out, "    {}", block(4, failure.summary()));
        for detail in failure.details() {
            let _ = writeln!(out, "    - {}", block(6, detail));
        }
        let place = failure.place.as_deref().unwrap_or_default();
        for (label, text) in
            [("expected", failure.expected.as_str()), ("found", &failure.actual), ("at", place)]
        {
            if !text.is_empty() && !is_told(text) {
                let label = self.paint(DIM, format_args!("{label:<9}"));
                let _ = writeln!(out, "    {label} {}", block(12, text));
            }
        }
        if let Some(difference) = &failure.evidence.difference {
            self.difference(difference, out);
        }
    }

    /// How what was found differs from what was expected, line by line.
    fn difference(&self, difference: &Difference, told: &mut String) {
        let (expected, found) = (self.paint(GOOD, "- expected"), self.paint(BAD, "+ found"));
        let _ = writeln!(told, "    {} {expected}  {found}", self.paint(DIM, format_args!("{:<9}", "diff")));
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

/// The target of a row whose leaves have different ones.
const SEVERAL_TARGETS: &str = "several";

/// Returns true if the target of a row isn't obvious: the case asserts about several.
fn has_several_targets(rows: &[Row]) -> bool {
    let mut targets =
        rows.iter().filter_map(|row| row.target.as_deref().filter(|target| *target != row.name));
    targets.next().is_some_and(|first| first == SEVERAL_TARGETS || targets.any(|other| other != first))
}

/// The end of standard error.
fn stderr(ending: &Crash, out: &mut String) {
    for line in &ending.stderr {
        let _ = writeln!(out, "    │ {}", visible(line));
    }
}

/// Text of several lines, the later ones marked: no line of it can be mistaken for one of the report, or obeyed by what
/// reads a log.
fn block(indent: usize, text: &str) -> String {
    let lines: Vec<_> = text.lines().map(visible).collect();
    lines.join(&format!("\n{:indent$}  │ ", ""))
}

/// Returns true if a message has a text in it, not only as a part of a word or a number.
fn says(message: &str, text: &str) -> bool {
    let is_word = |character: Option<char>| character.is_some_and(|it| it.is_alphanumeric() || it == '_');
    let (begins, ends) = (is_word(text.chars().next()), is_word(text.chars().next_back()));
    message.match_indices(text).any(|(at, _)| {
        let before = is_word(message[..at].chars().next_back());
        let after = is_word(message[at + text.len()..].chars().next());
        (!begins || !before) && (!ends || !after)
    })
}

/// `2 code blocks ignored`.
fn ignored(fences: usize) -> String {
    format!("{fences} code block{} ignored", if fences == 1 { "" } else { "s" })
}

/// Names in order, each once: `status, contains ×3, tool_called_before and 2 more`.
fn names<'n>(all: impl Iterator<Item = &'n str>) -> String {
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for name in all {
        match counted.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => counted.push((name, 1)),
        }
    }
    let more: usize = counted.iter().skip(NAMED).map(|(_, count)| count).sum();
    let named = counted.iter().take(NAMED).map(|(name, count)| match count {
        1 => visible(name).into_owned(),
        count => format!("{} ×{count}", visible(name)),
    });
    let named = named.collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{named} and {more} more") } else { named }
}

/// Returns true if a crash, or that the agent printed nothing, is the reason for every fault.
fn errors_show_output(judgement: &Judgement) -> bool {
    judgement.faults().all(|(_, fault)| match fault {
        Fault::Error(error) => {
            error.silent().is_some() || error.crash().is_some_and(|crash| !crash.stderr.is_empty())
        }
        Fault::NotJudged { .. } => true,
        Fault::Failed(_) => false,
    })
}

/// Rows without a verdict, by cause, each cause at its first row.
struct Causes(Vec<Cause>);

struct Cause {
    /// The row that reports it.
    row: usize,
    message: String,
    /// The rows that were not judged.
    waiting: Vec<usize>,
}

impl Causes {
    fn of(judgement: &Judgement, faults: &[(usize, &Fault)]) -> Causes {
        let mut causes: Vec<Cause> = Vec::new();
        for (row, fault) in faults {
            let Fault::Error(error) = fault else { continue };
            // A crash is the reason why others weren't judged, and none of them.
            let own = error.crash().is_none().then_some(*row);
            let waiting = own.into_iter().chain(judgement.not_judged(*row));
            let message = error.kind.to_string();
            match causes.iter_mut().find(|known| known.message == message) {
                Some(known) => known.waiting.extend(waiting),
                None => causes.push(Cause { row: *row, message, waiting: waiting.collect() }),
            }
        }
        Causes(causes)
    }

    /// The rows that were not judged for a cause, if this row reports it.
    fn starting_at(&self, row: usize) -> Option<&[usize]> {
        self.0.iter().find(|cause| cause.row == row).map(|cause| cause.waiting.as_slice())
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
            (results, 0) => format!("{results} more that did not pass"),
            (0, notes) => format!("{notes} more with warnings"),
            (results, notes) => format!("{results} more that did not pass and {notes} more with warnings"),
        };
        format!("… and {more}; use --verbose to see all\n\n")
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
            let fences = summary.unexercised.iter().filter(|row| row.is_near_case).count();
            let rows = summary.unexercised.len() - fences;
            let paint = if summary.strict { BAD } else { WARN };
            let mut found = Vec::new();
            if fences > 0 {
                found.push(ignored(fences));
            }
            if rows > 0 {
                found.push(format!("{} never exercised", assertions(rows)));
            }
            if let Some(last) = found.last_mut().filter(|_| summary.strict) {
                last.push_str(" (fails the run: --strict)");
            }
            counts.extend(found.iter().map(|found| self.paint(paint, found)));
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
    fn a_part_of_a_word_says_nothing() {
        let message = "Expected 12 results in results[*].tags, got 'a'";
        assert!(["12", "results[*].tags", "'a'", "a"].iter().all(|text| says(message, text)));
        assert!(["1", "tag", "result"].iter().all(|text| !says(message, text)));
    }

    #[test]
    fn names_are_counted() {
        assert_eq!(names(["status", "contains", "status"].into_iter()), "status ×2, contains");
        let many: Vec<String> = (0..15).map(|n| n.to_string()).collect();
        let told = names(many.iter().map(String::as_str).chain(["14"]));
        assert_eq!(told, "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 4 more");
    }

    #[test]
    fn later_lines_of_a_text_are_marked() {
        assert_eq!(block(4, "a\n::error::b\r\nc"), "a\n      │ ::error::b\n      │ c");
        assert_eq!(block(4, ""), "");
    }
}
