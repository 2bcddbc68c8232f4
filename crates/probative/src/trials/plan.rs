//! How often a case is run, and how many of its trials must pass, as people write it.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error};
use serde::{Serialize, Serializer};

use crate::argument::Count;
use crate::document::nearest;
use crate::value::{Number, Value, excerpt};

/// More trials than these are a slip of the pen.
pub const MOST_TRIALS: u64 = 10_000;

/// How many trials of a case must pass.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum PassRule {
    /// All of them: `all`.
    #[default]
    All,
    /// At least one: `any`.
    Any,
    /// More than half: `majority`.
    Majority,
    /// At least this share of them, above 0 and at most 1: `0.9`.
    Share(f64),
}

/// Number of trials, and how many of them must pass: `{n: 10, pass: majority}`.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The number of trials, from 1 to 10,000.
    #[serde(default, deserialize_with = "trial_count")]
    #[schemars(with = "u64", range(min = 1, max = MOST_TRIALS))]
    pub n: Option<u64>,
    /// The trials that must pass.
    #[serde(default)]
    pub pass: PassRule,
}

impl PassRule {
    const NAMES: [(&'static str, PassRule); 3] =
        [("all", PassRule::All), ("any", PassRule::Any), ("majority", PassRule::Majority)];

    /// How many of so many trials must pass: at least one, so that no trials at all pass nothing.
    ///
    /// A share is taken as the decimal number that is written: 0.07 of 100 are 7, although the nearest double is a little
    /// more.
    ///
    /// ```
    /// use probative::trials::PassRule;
    ///
    /// assert_eq!(PassRule::Majority.needed(10), 6);
    /// assert_eq!([10, 11, 100].map(|n| PassRule::Share(0.07).needed(n)), [1, 1, 7]);
    /// ```
    pub fn needed(self, planned: usize) -> usize {
        let needed = match self {
            PassRule::All => planned,
            PassRule::Any => 1,
            PassRule::Majority => planned / 2 + 1,
            PassRule::Share(share) => share_of(share, planned),
        };
        needed.max(1)
    }
}

/// The least whole number that is no less than this share of a number, the share read as it is printed.
fn share_of(share: f64, of: usize) -> usize {
    let written = share.to_string();
    let Some(digits) = written.strip_prefix("0.") else {
        // Only 1 is left of what a share may be.
        return of;
    };
    // A share with so many digits is so small that one trial is more than that, and with fewer all is exact.
    let places = u32::try_from(digits.len()).ok().filter(|places| *places <= 30);
    let (Ok(numerator), Some(places)) = (digits.parse::<u128>(), places) else { return 1 };
    let needed = numerator.saturating_mul(of as u128).div_ceil(10_u128.pow(places));
    usize::try_from(needed).unwrap_or(of)
}

/// As it is written.
impl fmt::Display for PassRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, PassRule::NAMES.iter().find(|(_, rule)| rule == self)) {
            (PassRule::Share(share), _) => write!(formatter, "{share}"),
            (_, named) => formatter.write_str(named.map_or("", |(name, _)| name)),
        }
    }
}

impl Serialize for PassRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            PassRule::Share(share) => serializer.serialize_f64(*share),
            named => serializer.collect_str(named),
        }
    }
}

impl<'de> Deserialize<'de> for PassRule {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(reader)?;
        let share = value.as_f64().filter(|share| *share > 0.0 && *share <= 1.0);
        let name = value.as_str().unwrap_or_default();
        let named = || PassRule::NAMES.iter().find(|(known, _)| *known == name).map(|(_, rule)| *rule);
        share.map(PassRule::Share).or_else(named).ok_or_else(|| {
            let meant = nearest(name, PassRule::NAMES.iter().map(|(known, _)| *known));
            let meant = meant.map(|meant| format!("; did you mean '{meant}'?")).unwrap_or_default();
            D::Error::custom(format_args!(
                "expected all, any, majority, or a share above 0 and at most 1, found {}{meant}",
                excerpt(&value)
            ))
        })
    }
}

impl JsonSchema for PassRule {
    fn schema_name() -> Cow<'static, str> {
        "PassRule".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names = PassRule::NAMES.map(|(name, _)| name);
        json_schema!({
            "description": "The trials that must pass: all, any, a majority, or at least a share of them.",
            "anyOf": [{"enum": names}, {"type": "number", "exclusiveMinimum": 0, "maximum": 1}],
        })
    }
}

fn trial_count<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<u64>, D::Error> {
    let value = Value::deserialize(reader)?;
    let count = value.as_number().and_then(|number: &Number| Count::of(number)).map(|count| count.0);
    match count.filter(|count| (1..=MOST_TRIALS).contains(count)) {
        Some(count) => Ok(Some(count)),
        None => Err(D::Error::custom(format_args!(
            "expected an integer from 1 to {MOST_TRIALS}, found {}",
            excerpt(&value)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn read(text: &str) -> Result<Plan, String> {
        let document = Document::new("c.yaml", text);
        let node = document.read().unwrap();
        Plan::deserialize(&node).map_err(|mistake| document.error(mistake).to_string())
    }

    #[test]
    fn a_plan_is_read_as_it_is_written() {
        assert_eq!(read("{}").unwrap(), Plan { n: None, pass: PassRule::All });
        assert_eq!(read("{n: 10.0, pass: any}").unwrap(), Plan { n: Some(10), pass: PassRule::Any });
        for written in ["all", "any", "majority", "0.9", "1", "0.05"] {
            assert_eq!(read(&format!("pass: {written}")).unwrap().pass.to_string(), written);
        }
    }

    #[test]
    fn what_is_no_plan_is_refused_at_its_place() {
        let n = "expected an integer from 1 to 10000, found";
        for wrong in ["0", "-1", "1.5", "10001", "'3'", "null"] {
            assert_eq!(read(&format!("n: {wrong}")).unwrap_err(), format!("c.yaml:1:4: n: {n} {wrong}"));
        }
        let pass = "pass: expected all, any, majority, or a share above 0 and at most 1, found";
        for wrong in ["0", "-0.5", "1.01", "'0.5'", "null", "[]", "true"] {
            assert_eq!(read(&format!("pass: {wrong}")).unwrap_err(), format!("c.yaml:1:7: {pass} {wrong}"));
        }
        let near = read("pass: majorty").unwrap_err();
        assert_eq!(near, format!("c.yaml:1:7: {pass} 'majorty'; did you mean 'majority'?"));
        assert_eq!(read("pas: all").unwrap_err(), "c.yaml:1:1: unknown key 'pas'; did you mean 'pass'?");
    }

    #[test]
    fn a_share_is_the_decimal_that_is_written() {
        let needed = |share, of| PassRule::Share(share).needed(of);
        assert_eq!((needed(0.9, 10), needed(0.91, 10), needed(0.7, 10)), (9, 10, 7));
        assert_eq!((needed(0.29, 100), needed(0.07, 100), needed(0.57, 100)), (29, 7, 57));
        assert_eq!((needed(1.0, 10), needed(0.5, 3), needed(1.0 / 3.0, 3)), (10, 2, 1));
        assert_eq!((needed(1e-300, 10_000), needed(f64::MIN_POSITIVE, 1), needed(0.0001, 10_000)), (1, 1, 1));
        for percent in 1..=100_u32 {
            let share = format!("{}", f64::from(percent) / 100.0).parse().unwrap();
            assert_eq!(needed(share, 100), percent as usize, "{share}");
            assert_eq!(needed(share, 10_000), percent as usize * 100, "{share}");
        }
    }

    #[test]
    fn no_trials_pass_nothing() {
        for rule in [PassRule::All, PassRule::Any, PassRule::Majority, PassRule::Share(0.5)] {
            assert_eq!(rule.needed(0), 1);
        }
    }
}
