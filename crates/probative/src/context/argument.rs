//! What the assertions take: the shapes of their arguments, checked as they are read.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use cupel::{ContextBudget, ContextKind, SelectionReport};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, Error};

use super::diff::How;
use super::reason::Reason;
use crate::argument::{Brief, Count, JustNumber, Short, brief, schema_as_written};
use crate::spec::lang::Expression;

/// A kind of item: any text but `Any`, which stands for all of them in cupel and can be asked for nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kind(pub ContextKind);

/// What is written alone, or as an object with one key.
macro_rules! one_key {
    ($($(#[$doc:meta])* $name:ident { $(#[$of_key:meta])* $key:ident: $value:ty }, $long:ident, $short:ident, $what:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name {
            $(#[$of_key])*
            pub $key: $value,
        }

        #[derive(Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $long {
            $key: $value,
        }

        impl Brief for $name {
            const WHAT: &'static str = $what;
            const SHORT: Short = Short::$short;
            type Short = $value;
            type Long = $long;
            fn from_short($key: $value) -> Self {
                $name { $key }
            }
            fn from_long($long { $key }: $long) -> Result<Self, String> {
                Ok($name { $key })
            }
        }

        brief!($name);
    )*};
}

one_key! {
    /// A kind alone, or `{kind}`.
    OfKind { /** The kind. */ kind: Kind }, LongOfKind, Text, "a kind, or {kind}";
    /// A number alone, or `{n}`.
    Number { /** How many. */ n: Count }, LongNumber, Number, "a whole number, 0 or more, or {n}";
    /// A reason alone, or `{reason}`.
    ForReason { /** The reason. */ reason: Reason }, LongForReason, Text, "a reason, or {reason}";
    /// A predicate alone, or `{predicate}`.
    Matching { /** An expression, asked of each item. */ predicate: Expression }, LongMatching, List,
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
pub struct BudgetDetails {
    /// An expression, asked of each item.
    pub predicate: Expression,
    /// What the item takes.
    #[serde(alias = "item_tokens")]
    pub expected_item_tokens: i64,
    /// What was left when it came.
    #[serde(alias = "available_tokens")]
    pub expected_available_tokens: i64,
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
    pub against: String,
    /// The changes that are allowed; without it, none.
    #[serde(default)]
    pub allow: Vec<Allowance>,
    /// The earlier report, once it has been read.
    #[serde(skip)]
    pub earlier: Option<Arc<SelectionReport>>,
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
pub(crate) struct LongAllowance {
    change: Option<How>,
    kind: Option<Kind>,
    predicate: Option<Expression>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LongBudget {
    max_tokens: Count,
    target_tokens: Option<Count>,
    output_reserve: Option<Count>,
    reserved_slots: Option<BTreeMap<String, Count>>,
    estimation_safety_margin_percent: Option<JustNumber>,
}

impl Brief for Allowance {
    const WHAT: &'static str = "entered, left, moved, or {change, kind, predicate}";
    type Short = How;
    type Long = LongAllowance;
    fn from_short(change: How) -> Self {
        Allowance { change: Some(change), kind: None, predicate: None }
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
    type Short = TokensAlone;
    type Long = LongBudget;
    fn from_short(tokens: TokensAlone) -> Self {
        tokens.0
    }
    fn from_long(long: LongBudget) -> Result<Self, String> {
        let whole = |count: Option<Count>, otherwise: i64| match count {
            None => Ok(otherwise),
            Some(Count(count)) => i64::try_from(count).map_err(|_| format!("{count} is too large")),
        };
        let max = whole(Some(long.max_tokens), 0)?;
        if max == 0 {
            return Err("a budget needs max_tokens of 1 at least".to_owned());
        }
        let slots = long.reserved_slots.unwrap_or_default().into_iter().map(|(kind, count)| {
            let kind = ContextKind::new(kind).map_err(|error| error.to_string())?;
            Ok((kind, whole(Some(count), 0)?))
        });
        let margin = long.estimation_safety_margin_percent;
        let margin = margin.and_then(|margin| margin.0.as_f64()).unwrap_or_default();
        let (target, reserve) = (whole(long.target_tokens, max)?, whole(long.output_reserve, 0)?);
        let slots = slots.collect::<Result<_, String>>()?;
        ContextBudget::new(max, target, reserve, slots, margin).map(Budget).map_err(|error| error.to_string())
    }
}

/// A budget of so many tokens and nothing else.
pub(crate) struct TokensAlone(Budget);

impl<'de> Deserialize<'de> for TokensAlone {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let long = LongBudget {
            max_tokens: Count::deserialize(reader)?,
            target_tokens: None,
            output_reserve: None,
            reserved_slots: None,
            estimation_safety_margin_percent: None,
        };
        Budget::from_long(long).map(TokensAlone).map_err(D::Error::custom)
    }
}

brief!(Allowance, Budget);

schema_as_written! {
    TokensAlone => Count, {"minimum": 1};
    Threshold => JustNumber, {};
    KindOrder => Vec<Kind>, {"uniqueItems": true};
}

impl From<JustNumber> for Threshold {
    fn from(number: JustNumber) -> Self {
        Threshold(number.0.as_f64().unwrap_or(f64::NAN))
    }
}

/// The kind, unless it is the one that stands for all.
pub(super) fn specific(kind: &ContextKind) -> Result<&ContextKind, &'static str> {
    if kind.as_str().eq_ignore_ascii_case("Any") {
        return Err("'Any' is no kind of item; name a specific one");
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
        for (position, kind) in kinds.iter().enumerate() {
            if kinds[..position].contains(kind) {
                return Err(format!("'{}' is named twice", crate::value::visible(kind.0.as_str())));
            }
        }
        Ok(KindOrder(kinds.into_iter().map(|kind| kind.0).collect()))
    }
}
