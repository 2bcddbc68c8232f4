//! What the assertions take: the shapes of their arguments, checked as they are read.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use cupel::{ContextBudget, ContextKind, SelectionReport};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use serde_json::json;

use super::diff::How;
use super::reason::Reason;
use crate::argument::{Brief, Count, Integer, JustNumber, Short, brief, one_key, schema_as_written};
use crate::spec::lang::Expression;
use crate::value::Value;
use crate::value::excerpt::cut;

/// A kind of item. `Any`, cupel's placeholder for all kinds, isn't allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kind(pub ContextKind);

one_key! {
    /// A kind, alone or as `{kind}`.
    OfKind { /** Kind of the items. */ kind: Kind } as LongOfKind, Text, "a kind, or {kind}";
    /// A count, alone or as `{n}`.
    HowMany { /** The count. */ n: Count } as LongHowMany, Number, "a non-negative integer or {n}";
    /// A reason, alone or as `{reason}`.
    ForReason { /** Reason for the exclusion. */ reason: Reason } as LongForReason, Text, "a reason, or {reason}";
    /// A predicate, alone or as `{predicate}`.
    Matching { /** Predicate, evaluated for each item. */ predicate: Expression } as LongMatching, List,
        "an expression (a list), or {predicate}";
}

/// A kind and a number of items.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KindCount {
    /// Kind of the items.
    pub kind: Kind,
    /// Number of items.
    pub n: Count,
}

/// A predicate and a reason.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatchingWithReason {
    /// Predicate, evaluated for each item.
    pub predicate: Expression,
    /// Reason for the exclusion.
    pub reason: Reason,
}

/// A predicate, and the token counts of an item that didn't fit the budget.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = by_either_name)]
pub struct BudgetDetails {
    /// Predicate, evaluated for each item.
    pub predicate: Expression,
    /// Tokens of the item; the key can be shortened to `item_tokens`.
    #[serde(alias = "item_tokens")]
    pub expected_item_tokens: Integer,
    /// Tokens that were left; the key can be shortened to `available_tokens`.
    #[serde(alias = "available_tokens")]
    pub expected_available_tokens: Integer,
}

/// The schema of what may be written by either name.
fn by_either_name(schema: &mut Schema) {
    for (long, short) in
        [("expected_item_tokens", "item_tokens"), ("expected_available_tokens", "available_tokens")]
    {
        let written = schema.pointer(&format!("/properties/{long}")).cloned().unwrap_or_default();
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            properties.insert(short.to_owned(), written);
        }
        if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|name| name != long);
        }
        let one_of_them = json!({"oneOf": [{"required": [long]}, {"required": [short]}]});
        match schema.get_mut("allOf").and_then(Value::as_array_mut) {
            Some(all) => all.push(one_of_them),
            None => {
                schema.insert("allOf".to_owned(), json!([one_of_them]));
            }
        }
    }
}

/// A share of a budget.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Utilization {
    /// Share of the budget, where 1 is all of it.
    pub threshold: Threshold,
    /// The budget.
    pub budget: Budget,
}

/// A share of a budget, where 1 is all of it.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(from = "JustNumber")]
pub struct Threshold(pub f64);

/// A token budget: `max_tokens` as a number, or an object with the keys of cupel's budgets.
#[derive(Debug, Clone, PartialEq)]
pub struct Budget(pub ContextBudget);

/// Kinds in order, without duplicates.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<Kind>")]
pub struct KindOrder(pub Vec<ContextKind>);

/// An earlier report, and the changes allowed since then.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Changes {
    /// File of the earlier report, relative to the question file.
    #[serde(deserialize_with = "named")]
    #[schemars(length(min = 1))]
    pub against: String,
    /// Allowed changes. None by default.
    #[serde(default)]
    pub allow: Vec<Allowance>,
    /// The earlier report, once it has been read.
    #[serde(skip)]
    pub(super) earlier: Option<Arc<SelectionReport>>,
}

/// Allowed changes: `entered`, `left` or `moved`, or an object with any of `change`, `kind` and `predicate`.
#[derive(Debug, Clone)]
pub struct Allowance {
    /// How the item changed. Any change by default.
    pub change: Option<How>,
    /// Kind of the item. Any kind by default.
    pub kind: Option<Kind>,
    /// Expression that the item satisfies. Any item by default.
    pub predicate: Option<Expression>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
pub(crate) struct LongAllowance {
    change: Option<How>,
    kind: Option<Kind>,
    predicate: Option<Expression>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LongBudget {
    #[schemars(extend("minimum" = 1, "maximum" = i64::MAX))]
    max_tokens: Count,
    target_tokens: Option<Count>,
    output_reserve: Option<Count>,
    reserved_slots: Option<BTreeMap<String, Count>>,
    #[schemars(extend("minimum" = 0, "maximum" = 100))]
    estimation_safety_margin_percent: Option<JustNumber>,
}

impl Brief for Allowance {
    const WHAT: &'static str = "entered, left, moved, or {change, kind, predicate}";
    type Short = How;
    type Long = LongAllowance;
    fn from_short(change: How) -> Result<Self, String> {
        Ok(Allowance { change: Some(change), kind: None, predicate: None })
    }
    fn from_long(LongAllowance { change, kind, predicate }: LongAllowance) -> Result<Self, String> {
        if change.is_none() && kind.is_none() && predicate.is_none() {
            return Err("expected 'change', 'kind' or 'predicate'".to_owned());
        }
        Ok(Allowance { change, kind, predicate })
    }
}

impl Brief for Budget {
    const WHAT: &'static str = "a number of tokens, or an object with 'max_tokens'";
    const SHORT: Short = Short::Number;
    type Short = Count;
    type Long = LongBudget;
    fn from_short(max_tokens: Count) -> Result<Self, String> {
        Budget::from_long(LongBudget { max_tokens, ..LongBudget::default() })
    }
    fn from_long(long: LongBudget) -> Result<Self, String> {
        let whole = |Count(count): Count| i64::try_from(count).map_err(|_| format!("{count} is too large"));
        let max = whole(long.max_tokens)?;
        if max == 0 {
            return Err("max_tokens must be at least 1".to_owned());
        }
        let slots = long.reserved_slots.unwrap_or_default().into_iter().map(|(kind, count)| {
            let kind = ContextKind::new(kind).map_err(|error| error.to_string())?;
            Ok((kind, whole(count)?))
        });
        let margin = long.estimation_safety_margin_percent;
        let margin = margin.and_then(|margin| margin.0.as_f64()).unwrap_or_default();
        let target = long.target_tokens.map_or(Ok(max), whole)?;
        let reserve = long.output_reserve.map(whole).transpose()?.unwrap_or_default();
        let slots = slots.collect::<Result<_, String>>()?;
        ContextBudget::new(max, target, reserve, slots, margin).map(Budget).map_err(|error| error.to_string())
    }
}

brief!(Allowance, Budget);

schema_as_written! {
    Threshold => JustNumber, {};
    KindOrder => Vec<Kind>, {"uniqueItems": true};
}

impl From<JustNumber> for Threshold {
    fn from(number: JustNumber) -> Self {
        Threshold(number.0.as_f64().unwrap_or(f64::NAN))
    }
}

/// The name of a file.
fn named<'de, D: Deserializer<'de>>(reader: D) -> Result<String, D::Error> {
    match String::deserialize(reader)? {
        name if name.is_empty() => Err(D::Error::custom("expected a file name, found ''")),
        name => Ok(name),
    }
}

/// The kind, unless it is the one that stands for all.
pub(super) fn specific(kind: &ContextKind) -> Result<&ContextKind, String> {
    if kind.as_str().eq_ignore_ascii_case("Any") {
        return Err("'Any' isn't the kind of any item; name a specific kind".to_owned());
    }
    Ok(kind)
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let kind = ContextKind::new(String::deserialize(reader)?);
        let kind = kind.map_err(|_| D::Error::custom("a kind can't be blank"))?;
        specific(&kind).map_err(D::Error::custom)?;
        Ok(Kind(kind))
    }
}

impl JsonSchema for Kind {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Kind".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": r"\S", "not": {"pattern": "^[Aa][Nn][Yy]$"}})
    }
}

impl TryFrom<Vec<Kind>> for KindOrder {
    type Error = String;
    fn try_from(kinds: Vec<Kind>) -> Result<Self, String> {
        let kinds: Vec<ContextKind> = kinds.into_iter().map(|kind| kind.0).collect();
        all_different(&kinds)?;
        Ok(KindOrder(kinds))
    }
}

/// What stands twice can have no place in an order.
pub(super) fn all_different(kinds: &[ContextKind]) -> Result<(), String> {
    let is_repeated = |(position, kind): &(usize, &ContextKind)| kinds[..*position].contains(kind);
    match kinds.iter().enumerate().find(is_repeated) {
        Some((_, kind)) => Err(format!("'{}' is listed twice", cut(kind.as_str()))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(written: Value) -> Result<ContextBudget, String> {
        Budget::deserialize(written).map(|budget| budget.0).map_err(|error| error.to_string())
    }

    #[test]
    fn a_budget_is_cupels() {
        let plain = ContextBudget::new(100, 100, 0, [].into(), 0.0).unwrap();
        assert_eq!(budget(json!(100)).unwrap(), plain);
        assert_eq!(budget(json!({"max_tokens": 100.0})).unwrap(), plain);
        let written = json!({"max_tokens": 100, "target_tokens": 80, "output_reserve": 10,
            "reserved_slots": {"Message": 2}, "estimation_safety_margin_percent": 5});
        let slots = [(ContextKind::message(), 2)].into();
        assert_eq!(budget(written).unwrap(), ContextBudget::new(100, 80, 10, slots, 5.0).unwrap());
        for wrong in [
            json!(0),
            json!(-1),
            json!("100"),
            json!({}),
            json!({"max_tokens": 0}),
            json!({"max_tokens": u64::MAX}),
            json!({"max_tokens": 100, "target_tokens": 101}),
            json!({"max_tokens": 100, "reserved_slots": {" ": 1}}),
            json!({"max_tokens": 100, "estimation_safety_margin_percent": 101}),
        ] {
            assert!(budget(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_shape_of_a_kind_stands_where_it_is_used() {
        let schema = SchemaGenerator::default().subschema_for::<Kind>();
        assert_eq!(schema.get("type"), Some(&json!("string")));
    }

    #[test]
    fn either_name_is_in_the_schema_and_one_of_them_is_required() {
        let schema = BudgetDetails::json_schema(&mut SchemaGenerator::default());
        for (long, short) in
            [("expected_item_tokens", "item_tokens"), ("expected_available_tokens", "available_tokens")]
        {
            let properties = &schema.get("properties").unwrap();
            assert_eq!(properties[short], properties[long]);
            let one_of_them = json!({"oneOf": [{"required": [long]}, {"required": [short]}]});
            assert!(schema.get("allOf").and_then(Value::as_array).unwrap().contains(&one_of_them));
        }
        assert_eq!(schema.get("required"), Some(&json!(["predicate"])));
    }

    #[test]
    fn a_whole_number_may_be_written_as_a_double() {
        let integer = |written: Value| Integer::deserialize(written).map(|integer| integer.0);
        assert_eq!(integer(json!(-30.0)).unwrap(), -30);
        assert_eq!(integer(json!(i64::MIN)).unwrap(), i64::MIN);
        for wrong in [json!(1.5), json!(u64::MAX), json!(1e300), json!("1"), json!(null)] {
            assert!(integer(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
