//! A report as cupel writes it in JSON.

use cupel::SelectionReport;
use serde::Deserialize;

use super::reason::Reason;
use crate::document::{Content, Document, Member, Node};
use crate::value::excerpt::cut;
use crate::value::{Cause, Malformed, Tree, Value, type_name, with_article};
use crate::vocabulary::Read;

/// How many warnings of one kind are given about a report.
const TOLD: usize = 8;

/// A report longer than this is not read a second time to find the line of what is wrong with it.
const LONGEST_LOOKED_INTO: usize = 4 << 20;

/// Reads a report.
///
/// JSON cannot write a score that is no number, and cupel then writes null: it is read as not a number, with a warning. So
/// is a reason that cupel does not know, which it reads as `_Unknown`.
pub(super) fn read(json: &[u8]) -> Result<Read<SelectionReport>, Malformed> {
    let mut tree = Tree::read(json)?;
    let mut warnings = tree.warnings();
    not_by_position(&tree.value)?;
    let no_numbers = take_null_scores(&mut tree.value);
    let mut report = SelectionReport::deserialize(&tree.value)
        .map_err(|error| looked_into(json).unwrap_or_else(|| malformed(&error.to_string(), 1)))?;
    for (list, index) in &no_numbers {
        match list {
            List::Included => report.included[*index].score = f64::NAN,
            List::Excluded => report.excluded[*index].score = f64::NAN,
        }
    }
    let nulls = no_numbers.iter().take(TOLD).map(|(list, index)| {
        format!("'{}[{index}].score' is null, which is read as not a number", list.key())
    });
    warnings.extend(nulls);
    warnings.extend(unknown_reasons(&report, &tree.value));
    warnings.extend(wrong_total(&report));
    Ok(Read { subject: report, warnings })
}

#[derive(Clone, Copy)]
enum List {
    Included,
    Excluded,
}

impl List {
    fn key(self) -> &'static str {
        match self {
            List::Included => "included",
            List::Excluded => "excluded",
        }
    }
}

/// Puts a number where a score is null, and tells where.
fn take_null_scores(report: &mut Value) -> Vec<(List, usize)> {
    let mut found = Vec::new();
    for list in [List::Included, List::Excluded] {
        let Some(Value::Array(items)) = report.get_mut(list.key()) else { continue };
        for (index, item) in items.iter_mut().enumerate() {
            if let Some(score @ Value::Null) = item.get_mut("score") {
                *score = Value::from(0);
                found.push((list, index));
            }
        }
    }
    found
}

/// A reason that cupel does not know is not lost without a word.
fn unknown_reasons(report: &SelectionReport, written: &Value) -> Vec<String> {
    let unknown = report.excluded.iter().enumerate();
    let unknown = unknown.filter(|(_, excluded)| Reason::from(&excluded.reason) == Reason::Unknown);
    let told = unknown.take(TOLD).map(|(index, _)| {
        let name = written["excluded"][index]["reason"]["reason"].as_str().unwrap_or_default();
        format!("'excluded[{index}].reason': '{}' is not known and read as _Unknown", cut(name))
    });
    told.collect()
}

fn wrong_total(report: &SelectionReport) -> Option<String> {
    let included = report.included.iter().map(|included| &included.item);
    let items = included.chain(report.excluded.iter().map(|excluded| &excluded.item));
    let sum: i128 = items.map(|item| i128::from(item.tokens())).sum();
    let recorded = report.total_tokens_considered;
    (sum != i128::from(recorded))
        .then(|| format!("'total_tokens_considered' is {recorded}, but the items have {sum} tokens"))
}

/// Reading a structure, serde takes a list for its fields in order; nobody who writes a report means that.
fn not_by_position(report: &Value) -> Result<(), Malformed> {
    let is_object = |value: &Value, place: &dyn Fn() -> String| match value {
        Value::Object(_) => Ok(()),
        other => {
            let found = with_article(type_name(other));
            Err(malformed(&format!("{} is {found}, not an object", place()), 1))
        }
    };
    is_object(report, &|| "it".to_owned())?;
    for list in ["events", "included", "excluded"] {
        for (index, entry) in report[list].as_array().into_iter().flatten().enumerate() {
            is_object(entry, &|| format!("{list}[{index}]"))?;
            if let Some(item) = entry.get("item") {
                is_object(item, &|| format!("{list}[{index}].item"))?;
            }
        }
    }
    Ok(())
}

fn malformed(message: &str, line: usize) -> Malformed {
    let message = format!("not a selection report: {message}");
    Malformed { message, line, column: 1, cause: Cause::Model }
}

/// What keeps JSON from being a report, and the line that it stands in.
///
/// The tree has no places. What is wrong is looked for again in the text itself, which is done only where it was found to
/// be wrong, and only in a text of a size that a person might read.
fn looked_into(json: &[u8]) -> Option<Malformed> {
    let text = std::str::from_utf8(json).ok().filter(|text| text.len() <= LONGEST_LOOKED_INTO)?;
    let document = Document::new("report.json", text);
    let mut root = document.read().ok()?;
    as_cupel_takes_it(&mut root);
    let mistake = SelectionReport::deserialize(&root).err()?;
    let (line, _) = document.position(mistake.span?.start);
    Some(malformed(&mistake.message, line))
}

/// To a document null is a value like others; to cupel it is one that is not there, or a score that is no number.
fn as_cupel_takes_it(node: &mut Node) {
    match &mut node.content {
        Content::Scalar(_) => {}
        Content::List(items) => items.iter_mut().for_each(as_cupel_takes_it),
        Content::Map(members) => {
            let is_null = |member: &Member| matches!(member.value.content, Content::Scalar(Value::Null));
            for score in members.iter_mut().filter(|member| member.key == "score" && is_null(member)) {
                score.value.content = Content::Scalar(Value::from(0));
            }
            members.retain(|member| !is_null(member));
            for member in members {
                as_cupel_takes_it(&mut member.value);
            }
        }
    }
}
