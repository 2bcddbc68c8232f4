//! A selection as people read it: what was taken, in its place; what was left out, and why; how much of the room it took.

use std::fmt::Write as _;

use cupel::{ContextItem, ExcludedItem, ExclusionReason, IncludedItem, SelectionReport};

use super::aggregate::excluded_items_are_sorted_by_score_descending;
use super::budget::included_tokens;
use super::reason::Reason;
use super::telling::{beginning, shown};
use crate::exhibit::{Exhibit, ExhibitLine, Extent, List, Marked, Marks, Panel, Showing};
use crate::value::excerpt::cut;
use crate::value::visible;
use crate::verdict::{Part, Pointed};

impl Exhibit for SelectionReport {
    fn lines(&self, marks: &Marks) -> Vec<ExhibitLine> {
        let mut lines = lines(self, &marks.parts, Extent::Brief);
        for Marked { place, note, .. } in marks.places_in("report") {
            // A list as a whole is marked at its title.
            let title = match place.as_str() {
                "included" => "Included",
                "excluded" => "Excluded",
                _ => continue,
            };
            let line = lines.iter_mut().find(|line| line.text.starts_with(title));
            if let Some(line) = line.filter(|_| marks.parts.is_empty()) {
                let before = line.note.take().map(|before| format!("{before}; ")).unwrap_or_default();
                line.note = Some(format!("{before}{}", visible(note)));
            }
        }
        lines
    }

    fn panels(&self) -> Vec<Panel> {
        vec![Panel::selection("report", self)]
    }
}

/// The report as text: how much was taken, what was taken, in its place, and what was left out, with the reason.
///
/// ```text
///   included    [██████████░░░░░░░░░░░░░░░░░░░░] 5 of 14 tokens, 35.7% (1 of 2 items)
///   budget      [███████████████░░░░░░░░░░░░░░░] 5 of 10 tokens, 50.0%
///
/// Included (1 item):
///     [0]  Message   0.5000  5 tokens  Scored          'hi'
/// Excluded (1 item):
///     [0]  Document  0.1000  9 tokens  BudgetExceeded  'a page'  (needs 9 tokens, 5 left)
/// ```
pub fn show(report: &SelectionReport, showing: &Showing) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "  {}", considered(report));
    if let Some(tokens) = showing.budget {
        let _ = writeln!(text, "  {}", budget(report, tokens));
    }
    text.push('\n');
    for line in lines(report, &[], showing.extent) {
        let _ = writeln!(text, "{line}");
    }
    for shortfall in &report.count_requirement_shortfalls {
        let (kind, required, found) =
            (cut(&shortfall.kind), shortfall.required_count, shortfall.satisfied_count);
        let _ = writeln!(text, "  shortfall   {found} of {required} required items of kind {kind}");
    }
    text
}

/// Both lists, each under its title, the columns in line.
fn lines(report: &SelectionReport, pointed: &[Pointed], extent: Extent) -> Vec<ExhibitLine> {
    let included = |part| match part {
        Part::Included(index) => Some(index),
        Part::Excluded(_) | Part::Step(_) => None,
    };
    let excluded = |part| match part {
        Part::Excluded(index) => Some(index),
        Part::Included(_) | Part::Step(_) => None,
    };
    let taken = List::new(report.included.len(), pointed, included, extent);
    let left = List::new(report.excluded.len(), pointed, excluded, extent);
    let cells = |row: Row<'_>| row.cells();
    let taken_cells = taken.shown().into_iter().map(|index| cells(Row::from(&report.included[index])));
    let left_cells = left.shown().into_iter().map(|index| cells(Row::from(&report.excluded[index])));
    let widths = taken_cells.chain(left_cells).fold([0; 4], |widths: [usize; 4], cells| {
        std::array::from_fn(|column| widths[column].max(cells[column].chars().count()))
    });
    let digits = report.included.len().max(report.excluded.len()).saturating_sub(1).to_string().len();
    let line = |index: usize, row: Row<'_>| {
        let [kind, score, tokens, reason] = row.cells();
        let [kinds, scores, token_counts, reasons] = widths;
        let number = format!("[{index}]");
        format!(
            "    {number:>width$}  {kind:<kinds$}  {score:>scores$}  {tokens:>token_counts$}  {reason:<reasons$}  {}",
            row.rest(extent),
            width = digits + 2
        )
    };
    let title = |name: &str, count: usize, order: &str| {
        ExhibitLine::plain(match count {
            0 => format!("{name}: (none)"),
            1 => format!("{name} (1 item):"),
            count => format!("{name} ({count} items, {order}):"),
        })
    };
    let mut lines = vec![title("Included", report.included.len(), "in placement order")];
    lines.extend(taken.lines("item", |index| line(index, Row::from(&report.included[index]))));
    let is_sorted = excluded_items_are_sorted_by_score_descending(report).passed();
    let order = if is_sorted { "by score" } else { "not sorted by score" };
    lines.push(title("Excluded", report.excluded.len(), order));
    lines.extend(left.lines("item", |index| line(index, Row::from(&report.excluded[index]))));
    lines
}

/// One item of either list.
struct Row<'r> {
    item: &'r ContextItem,
    score: f64,
    reason: String,
    /// What the reason carries.
    details: Option<String>,
}

impl<'r> From<&'r IncludedItem> for Row<'r> {
    fn from(included: &'r IncludedItem) -> Self {
        let reason = format!("{:?}", included.reason);
        Row { item: &included.item, score: included.score, reason, details: None }
    }
}

impl<'r> From<&'r ExcludedItem> for Row<'r> {
    fn from(excluded: &'r ExcludedItem) -> Self {
        let reason = Reason::from(&excluded.reason).to_string();
        Row { item: &excluded.item, score: excluded.score, reason, details: details(&excluded.reason) }
    }
}

impl Row<'_> {
    /// Kind, score, tokens and reason.
    fn cells(&self) -> [String; 4] {
        let tokens = match self.item.tokens() {
            1 => "1 token".to_owned(),
            tokens => format!("{tokens} tokens"),
        };
        [shown(self.item.kind()).into_owned(), score(self.score), tokens, self.reason.clone()]
    }

    /// What stands behind the columns.
    fn rest(&self, extent: Extent) -> String {
        let details = self.details.as_ref().map(|details| format!("  ({details})"));
        let content = match extent {
            Extent::Full => format!("'{}'", visible(self.item.content())),
            Extent::Whole | Extent::Brief => beginning(self.item),
        };
        format!("{content}{}", details.unwrap_or_default())
    }
}

/// A score of a few digits; `show` is for looking, messages give every digit.
fn score(score: f64) -> String {
    if score.is_finite() && (score == 0.0 || (1e-4..1e7).contains(&score.abs())) {
        format!("{score:.4}")
    } else {
        format!("{score:e}")
    }
}

/// What a reason carries, where it tells more than the item itself.
fn details(reason: &ExclusionReason) -> Option<String> {
    Some(match reason {
        ExclusionReason::BudgetExceeded { item_tokens, available_tokens } => {
            format!("needs {item_tokens} tokens, {available_tokens} left")
        }
        ExclusionReason::ScoredTooLow { score, threshold } => format!("{score} is below {threshold}"),
        ExclusionReason::QuotaCapExceeded { kind, cap, actual } => {
            format!("{}: {actual}, at most {cap}", cut(kind))
        }
        ExclusionReason::QuotaRequireDisplaced { displaced_by_kind } => {
            format!("by {}", cut(displaced_by_kind))
        }
        ExclusionReason::PinnedOverride { displaced_by } => format!("by '{}'", cut(displaced_by)),
        ExclusionReason::Filtered { filter_name } => format!("by {}", cut(filter_name)),
        ExclusionReason::CountCapExceeded { kind, cap, .. } => format!("{}, at most {cap}", cut(kind)),
        ExclusionReason::CountRequireCandidatesExhausted { kind } => cut(kind).into_owned(),
        _ => return None,
    })
}

/// What was taken of what there was to choose from. Items with a negative count were nothing to choose from.
fn considered(report: &SelectionReport) -> String {
    let left = report.excluded.iter().map(|excluded| i128::from(excluded.item.tokens().max(0)));
    let taken = included_tokens(report);
    format!(
        "{} ({} of {} items)",
        bar("included", taken, taken + left.sum::<i128>()),
        report.included.len(),
        report.included.len() + report.excluded.len()
    )
}

/// What was taken of what there was room for.
fn budget(report: &SelectionReport, budget: u64) -> String {
    let (taken, budget) = (included_tokens(report), i128::from(budget));
    format!("{}{}", bar("budget", taken, budget), if taken > budget { ", over budget" } else { "" })
}

/// `budget      [██████░░░░] 60 of 100 tokens, 60.0%`
fn bar(label: &str, tokens: i128, of: i128) -> String {
    const WIDTH: usize = 30;
    let full = if of > 0 { tokens.clamp(0, of) * WIDTH as i128 / of } else { 0 };
    let full = usize::try_from(full).unwrap_or_default();
    #[expect(clippy::cast_precision_loss, reason = "a share in per cent")]
    let share = if of > 0 { format!(", {:.1}%", 100.0 * tokens as f64 / of as f64) } else { String::new() };
    format!("{label:<10}  [{}{}] {tokens} of {of} tokens{share}", "█".repeat(full), "░".repeat(WIDTH - full))
}
