//! Predicates that are written down: expressions, asked of an item's JSON.

use cupel::{ContextItem, ExcludedItem, IncludedItem, SelectionReport};
use serde::Serialize;

use super::telling::position_of;
use crate::spec::lang::{Budget, Expression};
use crate::value::Value;
use crate::verdict::{Error, Part};
use crate::vocabulary::Context;

/// Whether a predicate holds of one of the selected items. An error tells which item it was asked of.
pub(super) fn of_included(
    predicate: &Expression,
    report: &SelectionReport,
    included: &IncludedItem,
    context: &Context<'_>,
) -> Result<bool, Error> {
    let place = || Part::Included(position_of(included, &report.included));
    holds(predicate, included, context).map_err(|error| error.about(place()))
}

/// The same of one of those that were left out.
pub(super) fn of_excluded(
    predicate: &Expression,
    report: &SelectionReport,
    item: &ContextItem,
    context: &Context<'_>,
) -> Result<bool, Error> {
    let is_it = |excluded: &ExcludedItem| std::ptr::eq(&raw const excluded.item, item);
    let place = || Part::Excluded(report.excluded.iter().position(is_it).unwrap_or_default());
    holds(predicate, item, context).map_err(|error| error.about(place()))
}

/// Whether a predicate holds of an item, or of one with its score and reason, as cupel writes it.
pub(super) fn holds(
    predicate: &Expression,
    item: &impl Serialize,
    context: &Context<'_>,
) -> Result<bool, Error> {
    json_holds(predicate, &item_json(item), context)
}

/// Whether a predicate holds of an item's JSON.
pub(super) fn json_holds(predicate: &Expression, json: &Value, context: &Context<'_>) -> Result<bool, Error> {
    predicate.holds(json, &Budget::default(), context.world())
}

/// An item, or one with its score and reason, as cupel writes it.
pub(super) fn item_json(item: &impl Serialize) -> Value {
    // Texts, numbers and maps with texts as keys can always be written.
    let mut json = serde_json::to_value(item).unwrap_or_default();
    // Cupel keeps metadata in no order.
    for place in ["/metadata", "/item/metadata"] {
        if let Some(metadata) = json.pointer_mut(place).and_then(Value::as_object_mut) {
            metadata.sort_keys();
        }
    }
    json
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use cupel::ContextItemBuilder;
    use serde_json::json;

    use super::*;
    use crate::spec::lang::World;

    /// A clock that goes forward a second whenever somebody looks.
    #[derive(Debug, Default)]
    struct Hasty(AtomicU64);

    impl World for Hasty {
        fn elapsed(&self) -> Option<Duration> {
            Some(Duration::from_secs(self.0.fetch_add(1, Ordering::Relaxed)))
        }
    }

    #[test]
    fn a_predicate_has_no_more_time_than_its_budget() {
        let item = ContextItemBuilder::new("a", 1).build().unwrap();
        let endless =
            Expression::compile(&json!(["regex_match", ["get", ["subject"], "content"], "a"])).unwrap();
        assert!(holds(&endless, &item, &Context::default()).unwrap());
        let context = Context { world: Some(&Hasty::default()), ..Context::default() };
        let error = holds(&endless, &item, &context).unwrap_err();
        assert_eq!(error.to_string(), "spec_lang budget exceeded: timeout");
    }

    #[test]
    fn metadata_is_in_order() {
        let keys = ["e", "a", "d", "b", "c", "g", "f"];
        let metadata = keys.iter().map(|key| ((*key).to_owned(), String::new())).collect();
        let item = ContextItemBuilder::new("x", 1).metadata(metadata).build().unwrap();
        let written = r#"{"a":"","b":"","c":"","d":"","e":"","f":"","g":""}"#;
        let predicate = Expression::compile(&json!(["contains", written])).unwrap();
        assert!(holds(&predicate, &item, &Context::default()).unwrap());
    }
}
