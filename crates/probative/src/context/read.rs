//! A report as cupel writes it in JSON.

use std::fmt::Write as _;

use cupel::SelectionReport;
use serde::Deserialize;

use super::reason::Reason;
use crate::document::{Content, Document, Member, Node};
use crate::json::{self, View};
use crate::value::excerpt::cut;
use crate::value::{Cause, Malformed, Value, visible};
use crate::vocabulary::Read;

/// A report longer than this is not read a second time to find the line of what is wrong with it.
const LONGEST_LOOKED_INTO: usize = 4 << 20;

/// Reads a report.
///
/// JSON cannot write a score that isn't a number, and cupel then writes null: it is read as not a number. A reason that cupel
/// does not know is read as `_Unknown`. Both are warned of, and so is a total that is not the sum.
pub(super) fn read(json: &[u8]) -> Result<Read<SelectionReport>, Malformed> {
    let document = json::JsonDocument::read(json)?;
    let root = document.root();
    let mut warnings = document.warnings();
    let wrong = |message: &str| looked_into(json).unwrap_or_else(|| malformed(message, 1, 1));
    if let Some(message) = mistaken(root) {
        return Err(wrong(&message));
    }
    let report = SelectionReport::deserialize(root).map_err(|error| wrong(&error.to_string()))?;
    warn_of(null_scores(root), &mut warnings);
    warn_of(unknown_reasons(&report, root), &mut warnings);
    warnings.extend(wrong_total(&report));
    Ok(Read { subject: report, warnings })
}

/// Takes the first few of many warnings, and says how many more there are.
fn warn_of(all: impl Iterator<Item = String>, warnings: &mut Vec<String>) {
    /// How many of one kind are told.
    const TOLD: usize = 8;
    let mut all = all;
    warnings.extend(all.by_ref().take(TOLD));
    let more = all.count();
    if more > 0 {
        warnings.push(format!("… and {more} more like this"));
    }
}

/// The scores that are null, as warnings.
fn null_scores(report: json::JsonNode<'_>) -> impl Iterator<Item = String> {
    ["included", "excluded"].into_iter().flat_map(move |list| {
        let items = report.get(list).into_iter().flat_map(View::items).enumerate();
        let is_null = |item: json::JsonNode<'_>| item.get("score").is_some_and(json::JsonNode::is_null);
        items
            .filter(move |(_, item)| is_null(*item))
            .map(move |(index, _)| format!("'{list}[{index}].score' is null; read as NaN"))
    })
}

/// A reason that cupel does not know is not lost without a word.
fn unknown_reasons(report: &SelectionReport, written: json::JsonNode<'_>) -> impl Iterator<Item = String> {
    let written = written.get("excluded").into_iter().flat_map(View::items);
    let excluded = report.excluded.iter().zip(written).enumerate();
    let unknown = excluded.filter(|(_, (excluded, _))| Reason::from(&excluded.reason) == Reason::Unknown);
    unknown.map(|(index, (_, written))| {
        let name =
            written.get("reason").and_then(|reason| reason.get("reason")?.as_str()).unwrap_or_default();
        format!("'excluded[{index}].reason': unknown reason '{}'; read as _Unknown", cut(&name))
    })
}

fn wrong_total(report: &SelectionReport) -> Option<String> {
    let included = report.included.iter().map(|included| &included.item);
    let items = included.chain(report.excluded.iter().map(|excluded| &excluded.item));
    let sum: i128 = items.map(|item| i128::from(item.tokens())).sum();
    let recorded = report.total_tokens_considered;
    (sum != i128::from(recorded))
        .then(|| format!("'total_tokens_considered' is {recorded}, but the items add up to {sum} tokens"))
}

/// Describes a mistake that deserializing would accept: a list of fields in place of an object, or a duration that is null,
/// as only a score may be.
fn mistaken(report: json::JsonNode<'_>) -> Option<String> {
    if !report.is_object() {
        return Some("it isn't an object".to_owned());
    }
    for list in ["events", "included", "excluded", "count_requirement_shortfalls"] {
        for (index, entry) in report.get(list).into_iter().flat_map(View::items).enumerate() {
            if !entry.is_object() {
                return Some(format!("{list}[{index}] isn't an object"));
            }
            let is_wrong = |part: &&str| entry.get(part).is_some_and(|part| !part.is_object());
            if let Some(part) = ["item", "reason"].iter().find(|part| is_wrong(part)) {
                return Some(format!("{list}[{index}].{part} isn't an object"));
            }
            if entry.get("duration_ms").is_some_and(json::JsonNode::is_null) {
                return Some(format!("{list}[{index}].duration_ms is null"));
            }
        }
    }
    None
}

fn malformed(message: &str, line: usize, column: usize) -> Malformed {
    let message = format!("not a selection report: {message}");
    Malformed { message, line, column, cause: Cause::Model }
}

/// What keeps JSON from being a report, and where it stands.
///
/// The tree has no places. What is wrong is looked for again in the text itself, which is done only where it was found to
/// be wrong, and only in a text of a size that a person might read.
fn looked_into(json: &[u8]) -> Option<Malformed> {
    let text = std::str::from_utf8(json).ok().filter(|text| text.len() <= LONGEST_LOOKED_INTO)?;
    let document = Document::new("report.json", text);
    let mut root = document.read().ok()?;
    as_cupel_takes_it(&mut root);
    let mistake = SelectionReport::deserialize(&root).err()?;
    let start = mistake.span?.start;
    let (keys, place) = trail(&root, start);
    // The keys that lead there are told once, with the positions between them.
    let message = mistake.message.strip_prefix(&format!("{keys}: ")).unwrap_or(&mistake.message);
    let message = if place.is_empty() { message.to_owned() } else { format!("{place}: {message}") };
    let (line, _) = document.position(start);
    let before = &document.text[..start];
    Some(malformed(&message, line, start - before.rfind('\n').map_or(0, |end| end + 1) + 1))
}

/// What leads to the innermost part at an offset: `included.item`, and with positions `included[3].item`.
fn trail(root: &Node, offset: usize) -> (String, String) {
    let (mut keys, mut place, mut node) = (String::new(), String::new(), root);
    loop {
        let here = |node: &Node| node.span.contains(&offset);
        let next = match &node.content {
            Content::Scalar(_) | Content::Deep(_) => None,
            Content::List(items) => {
                items.iter().enumerate().find(|(_, item)| here(item)).map(|(index, item)| {
                    let _ = write!(place, "[{index}]");
                    item
                })
            }
            Content::Map(members) => members.iter().find(|member| here(&member.value)).map(|member| {
                for trail in [&mut keys, &mut place] {
                    let dot = if trail.is_empty() { "" } else { "." };
                    let _ = write!(trail, "{dot}{}", visible(&member.key));
                }
                &member.value
            }),
        };
        match next {
            Some(next) => node = next,
            None => return (keys, place),
        }
    }
}

/// To a document null is a value like others. To cupel it is a score that isn't a number, or an optional key that is not
/// there.
fn as_cupel_takes_it(node: &mut Node) {
    const OPTIONAL: [&str; 9] = [
        "message",
        "kind",
        "source",
        "priority",
        "tags",
        "metadata",
        "timestamp",
        "future_relevance_hint",
        "original_tokens",
    ];
    match &mut node.content {
        Content::Scalar(_) | Content::Deep(_) => {}
        Content::List(items) => items.iter_mut().for_each(as_cupel_takes_it),
        Content::Map(members) => {
            let is_null = |member: &Member| matches!(member.value.content, Content::Scalar(Value::Null));
            for score in members.iter_mut().filter(|member| member.key == "score" && is_null(member)) {
                score.value.content = Content::Scalar(Value::from(0));
            }
            members.retain(|member| !(is_null(member) && OPTIONAL.contains(&member.key.as_str())));
            for member in members {
                as_cupel_takes_it(&mut member.value);
            }
        }
    }
}
