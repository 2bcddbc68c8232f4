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

/// A kind of item: any text but `Any`, which stands for all of them in cupel and can be asked for nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kind(pub ContextKind);

one_key! {
    /// A kind alone, or `{kind}`.
    OfKind { /** The kind. */ kind: Kind } as LongOfKind, Text, "a kind, or {kind}";
    /// A number alone, or `{n}`.
    HowMany { /** How many. */ n: Count } as LongHowMany, Number, "a whole number, 0 or more, or {n}";
    /// A reason alone, or `{reason}`.
    ForReason { /** The reason. */ reason: Reason } as LongForReason, Text, "a reason, or {reason}";
    /// A predicate alone, or `{predicate}`.
    Matching { /** An expression, asked of each item. */ predicate: Expression } as LongMatching, List,
        "an expression, which is a list, or {predicate}";
}

/// A kind, and how many items of it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KindCount {
    /// The kind.
    pub kind: Kind,
    /// How many.
    pub n: Count,
}

/// A predicate over items, and a reason.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatchingWithReason {
    /// An expression, asked of each item.
    pub predicate: Expression,
    /// The reason.
    pub reason: Reason,
}

/// A predicate over items, and the numbers of one that did not fit.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = by_either_name)]
pub struct BudgetDetails {
    /// An expression, asked of each item.
    pub predicate: Expression,
    /// What the item takes; `item_tokens` may be written for it.
    #[serde(alias = "item_tokens")]
    pub expected_item_tokens: Integer,
    /// What was left when it came; `available_tokens` may be written for it.
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
    /// The share: 1 is all of it.
    pub threshold: Threshold,
    /// The budget.
    pub budget: Budget,
}

/// A share, as a number.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(from = "JustNumber")]
pub struct Threshold(pub f64);

/// A budget: how many tokens there are, alone or as `{max_tokens}`, with the rest of what cupel's budgets have.
#[derive(Debug, Clone, PartialEq)]
pub struct Budget(pub ContextBudget);

/// Kinds in an order, none twice.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<Kind>")]
pub struct KindOrder(pub Vec<ContextKind>);

/// An earlier report, and what may differ from it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Changes {
    /// The file of the earlier report, from where the question stands.
    #[serde(deserialize_with = "named")]
    #[schemars(length(min = 1))]
    pub against: String,
    /// The changes that are allowed; without it, none.
    #[serde(default)]
    pub allow: Vec<Allowance>,
    /// The earlier report, once it has been read.
    #[serde(skip)]
    pub(super) earlier: Option<Arc<SelectionReport>>,
}

/// Changes that are allowed: a word for how, or `{change, kind, predicate}` with what must all be so of them.
#[derive(Debug, Clone)]
pub struct Allowance {
    /// How the item changed; without it, in any way.
    pub change: Option<How>,
    /// The item's kind; without it, any.
    pub kind: Option<Kind>,
    /// An expression that holds of the item; without it, any item.
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
            return Err("it says nothing; give change, kind or predicate".to_owned());
        }
        Ok(Allowance { change, kind, predicate })
    }
}

impl Brief for Budget {
    const WHAT: &'static str = "how many tokens there are, or {max_tokens}";
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
            return Err("a budget needs max_tokens of 1 at least".to_owned());
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
        name if name.is_empty() => Err(D::Error::custom("expected the name of a file, found ''")),
        name => Ok(name),
    }
}

/// The kind, unless it is the one that stands for all.
pub(super) fn specific(kind: &ContextKind) -> Result<&ContextKind, String> {
    if kind.as_str().eq_ignore_ascii_case("Any") {
        return Err("'Any' is no kind of item; name a specific one".to_owned());
    }
    Ok(kind)
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let kind = ContextKind::new(String::deserialize(reader)?);
        let kind = kind.map_err(|_| D::Error::custom("a kind must not be blank"))?;
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
        Some((_, kind)) => Err(format!("'{}' is named twice", cut(kind.as_str()))),
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
