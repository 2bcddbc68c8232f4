//! The items that come closest to a predicate that none satisfies.

use cupel::ContextItem;
use serde::Serialize;
use serde_json::Value;

use super::predicate::{item_json, json_holds};
use super::telling::beginning;
use crate::spec::lang::readable::{comparison, conjuncts, readable};
use crate::spec::lang::{Budget, Expression};
use crate::value::excerpt::{compact, cut};
use crate::verdict::Part;
use crate::vocabulary::Context;

/// How many items a failure shows.
const SHOWN: usize = 3;

/// How many items are compared.
const COMPARED: usize = 1000;

/// How many characters of a string are compared.
const COMPARED_CHARACTERS: usize = 5000;

/// How many characters of a predicate a failure shows.
const PREDICATE_CHARACTERS: usize = 300;

/// An item that comes close to a predicate.
pub(super) struct Candidate {
    pub(super) part: Part,
    /// The item, and how it differs: `included[2] (item.content is "The shop opens at seven.")`.
    pub(super) shown: String,
    /// How many conditions of the predicate it satisfies.
    satisfied: usize,
    /// How similar it is in the first condition that it doesn't satisfy, from 0 to 1.
    similarity: f64,
}

/// A predicate as a failure shows it.
pub(super) fn shown(predicate: &Expression) -> String {
    let readable = predicate.readable();
    match readable.char_indices().nth(PREDICATE_CHARACTERS) {
        None => crate::value::visible(&readable).into_owned(),
        Some((end, _)) => format!("{}...", crate::value::visible(&readable[..end])),
    }
}

/// Returns the items that come closest, the best first.
///
/// Items are ranked by the number of conditions they satisfy, then by similarity, then by position. Where there are more
/// than a few, those that have nothing in common with the predicate are left out.
pub(super) fn closest<'i, T: Serialize + 'i>(
    predicate: &Expression,
    items: impl ExactSizeIterator<Item = (Part, &'i T, &'i ContextItem)>,
    context: &Context<'_>,
) -> Vec<Candidate> {
    let few = items.len() <= SHOWN;
    let Some(written) = predicate.written() else { return Vec::new() };
    let conditions: Vec<Condition> = conjuncts(&written).into_iter().filter_map(Condition::compile).collect();
    let candidates = items
        .take(COMPARED)
        .filter_map(|(part, subject, item)| candidate(&conditions, part, &item_json(subject), item, context));
    let mut candidates: Vec<Candidate> =
        candidates.filter(|candidate| few || candidate.satisfied > 0 || candidate.similarity > 0.0).collect();
    // The sort is stable: equally close items keep their order.
    candidates.sort_by(|one, other| {
        let by_count = other.satisfied.cmp(&one.satisfied);
        by_count.then_with(|| other.similarity.total_cmp(&one.similarity))
    });
    candidates.truncate(SHOWN);
    candidates
}

/// One of the conditions that must all hold.
struct Condition {
    written: Value,
    whole: Expression,
    compared: Option<Compared>,
}

/// What a condition compares with a literal.
struct Compared {
    name: String,
    value: Expression,
    literal: Value,
    whole: bool,
}

impl Condition {
    /// Compiles a condition. One that depends on its surroundings can't be judged alone.
    fn compile(written: &Value) -> Option<Condition> {
        let compared = comparison(written).and_then(|compared| {
            Some(Compared {
                name: readable(&compared.value),
                value: Expression::compile(&compared.value).ok()?,
                literal: compared.literal,
                whole: compared.whole,
            })
        });
        Some(Condition { whole: Expression::compile(written).ok()?, written: written.clone(), compared })
    }
}

fn candidate(
    conditions: &[Condition],
    part: Part,
    json: &Value,
    item: &ContextItem,
    context: &Context<'_>,
) -> Option<Candidate> {
    let holds = |condition: &&Condition| json_holds(&condition.whole, json, context).unwrap_or(false);
    let satisfied = conditions.iter().filter(holds).count();
    let failing = conditions.iter().find(|condition| !holds(condition))?;
    let (why, similarity, names_content) = match &failing.compared {
        // The failure shows the whole predicate already.
        None if conditions.len() == 1 => return None,
        None => (format!("doesn't satisfy {}", cut(&readable(&failing.written))), 0.0, false),
        Some(Compared { name, value, literal, whole }) => {
            let found = value.evaluate(json, &Budget::default(), context.world()).ok()?;
            let why = format!("{name} is {}", cut(&compact(&found)));
            (why, similarity(&found, literal, *whole), name.ends_with("content"))
        }
    };
    let item = if names_content { String::new() } else { format!(" {}", beginning(item)) };
    Some(Candidate { part, shown: format!("{part}{item} ({why})"), satisfied, similarity })
}

/// How similar a value is to a literal, from 0 to 1.
fn similarity(found: &Value, literal: &Value, whole: bool) -> f64 {
    match (found, literal) {
        (Value::String(found), Value::String(literal)) => {
            let start =
                |text: &str| text.chars().take(COMPARED_CHARACTERS).collect::<String>().to_lowercase();
            let (found, literal) = (start(found), start(literal));
            let by_words = common_words(&found, &literal);
            if whole && found.len().max(literal.len()) <= 100 {
                by_words.max(strsim::jaro_winkler(&found, &literal))
            } else {
                by_words
            }
        }
        (Value::Number(found), Value::Number(literal)) => match (found.as_f64(), literal.as_f64()) {
            (Some(found), Some(literal)) => 1.0 / (1.0 + (found - literal).abs()),
            _ => 0.0,
        },
        _ => 0.0,
    }
}

/// The share of a literal's words that occur in a text.
#[expect(clippy::cast_precision_loss, reason = "words are few")]
fn common_words(text: &str, literal: &str) -> f64 {
    let words =
        || literal.split(|character: char| !character.is_alphanumeric()).filter(|word| word.len() > 1);
    match words().count() {
        0 => 0.0,
        count => words().filter(|word| text.contains(word)).count() as f64 / count as f64,
    }
}
