//! Predicates that are written down: expressions, asked of an item's JSON.

use cupel::{ContextItem, ExcludedItem, IncludedItem};
use serde::Serialize;

use crate::spec::lang::{Budget, Expression};
use crate::value::Value;
use crate::verdict::Error;
use crate::vocabulary::Context;

/// A predicate that can be asked of a thing.
pub(super) trait Asked<T> {
    /// Whether it holds of the thing.
    fn asked_of(&self, thing: &T, context: &Context<'_>) -> Result<bool, Error>;
}

impl Asked<IncludedItem> for Expression {
    fn asked_of(&self, included: &IncludedItem, context: &Context<'_>) -> Result<bool, Error> {
        asked_with_score(self, included, context)
    }
}

impl Asked<ExcludedItem> for Expression {
    fn asked_of(&self, excluded: &ExcludedItem, context: &Context<'_>) -> Result<bool, Error> {
        asked_with_score(self, excluded, context)
    }
}

/// Asks it of an item with its score and reason.
fn asked_with_score(
    predicate: &Expression,
    entry: &impl Serialize,
    context: &Context<'_>,
) -> Result<bool, Error> {
    let mut json = written(entry);
    if let Some(item) = json.get_mut("item") {
        in_order(item);
    }
    predicate.holds(&json, &Budget::default(), context.world())
}

impl Asked<ContextItem> for Expression {
    fn asked_of(&self, item: &ContextItem, context: &Context<'_>) -> Result<bool, Error> {
        let mut json = written(item);
        in_order(&mut json);
        self.holds(&json, &Budget::default(), context.world())
    }
}

/// As cupel writes it.
fn written(thing: &impl Serialize) -> Value {
    // Texts, numbers and maps with texts as keys can always be written.
    serde_json::to_value(thing).unwrap_or_default()
}

/// Puts the metadata of an item, which cupel keeps in no order, into one.
fn in_order(item: &mut Value) {
    if let Some(metadata) = item.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.sort_keys();
    }
}
