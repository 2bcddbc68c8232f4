//! Numbers within bounds.

use super::argument::Bounds;
use super::selection::{Answer, each, not_a};
use crate::json::JsonNode;
use crate::value::{Number, Trail, compare_numbers, excerpt};
use crate::verdict::Verdict;

/// Every number at the path lies within the bounds, both included.
pub fn all_in_range(response: JsonNode<'_>, bounds: &Bounds) -> Verdict {
    each(response, &bounds.path, |found, trail| {
        in_range(found, bounds.min.as_ref(), bounds.max.as_ref(), trail)
    })
}

/// The number at the path lies within the bounds, both included.
pub fn range_check(response: JsonNode<'_>, bounds: &Bounds) -> Verdict {
    all_in_range(response, bounds)
}

/// Whether a value is a number within bounds, of which either may be open.
pub(super) fn in_range(
    found: JsonNode<'_>,
    min: Option<&Number>,
    max: Option<&Number>,
    trail: &Trail<'_>,
) -> Answer {
    let Some(number) = found.as_number() else { return Err(not_a("number", found, trail).into()) };
    let below = min.is_some_and(|min| compare_numbers(&number, min).is_lt());
    let above = max.is_some_and(|max| compare_numbers(&number, max).is_gt());
    if !below && !above {
        return Ok(());
    }
    let (message, expected) = match (min, max) {
        (Some(min), Some(max)) => {
            // A dash between negative numbers is hard to read.
            let dash =
                if [min, max].iter().any(|bound| bound.to_string().starts_with('-')) { " to " } else { "-" };
            (format!("Value {number} is outside range {min}{dash}{max}"), format!("from {min} to {max}"))
        }
        (Some(min), None) => {
            (format!("Value {number} is below the minimum {min}"), format!("at least {min}"))
        }
        (None, max) => {
            let max = max.map(Number::to_string).unwrap_or_default();
            (format!("Value {number} is above the maximum {max}"), format!("at most {max}"))
        }
    };
    Err(Verdict::fail(message).expected(expected).actual(excerpt(found)).at(trail).into())
}
