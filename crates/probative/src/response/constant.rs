//! Arguments that leave an assertion no choice.

use super::argument::{ArrayContains, Wanted};
use super::{FieldShape, ResponseAssertion};
use crate::question::Expect;
use crate::vocabulary::Constant;

/// The answer that an assertion gives whatever the response holds.
pub(super) fn of(assertion: &ResponseAssertion) -> Option<Constant> {
    use ResponseAssertion as Said;
    match assertion {
        Said::Contains(text)
        | Said::MessageContains(text)
        | Said::SummaryContains(text)
        | Said::FieldContains { text, .. } => Constant::of_text(text),
        Said::ResultsMin(least) => (least.0 == 0).then(|| Constant::always("every count is at least 0")),
        Said::HasFields(paths) => Constant::if_empty(paths.is_empty()),
        Said::FieldEquals(fields) => Constant::if_empty(fields.is_empty()),
        Said::ResultsSchema(fields) => Constant::if_empty(fields.values().all(FieldShape::is_anything)),
        Said::AllHaveTags(tags) | Said::NoneHaveTags(tags) => Constant::if_empty(tags.is_empty()),
        Said::AllMatchPattern { regex, .. } => Constant::of_pattern(regex),
        Said::ArrayContains(ArrayContains { wanted: Wanted::Values(values), .. }) => {
            Constant::if_empty(values.is_empty())
        }
        Said::ArrayContains(ArrayContains { wanted: Wanted::Pattern(pattern), .. }) => {
            Constant::of_pattern(pattern)
        }
        Said::OneOf(branches) => Constant::any(branches.0.iter().map(Expect::constant)),
        Said::IfResults(then) | Said::IfHasHistory(then) | Said::IfSensitiveResults(then) => {
            then.constant().filter(|constant| constant.holds)
        }
        Said::Status(_)
        | Said::ErrorCode(_)
        | Said::ResultsMax(_)
        | Said::ResultsCount(_)
        | Said::HasField(_)
        | Said::AllMatch { .. }
        | Said::AllMatchOneOf { .. }
        | Said::NoneMatchPattern { .. }
        | Said::EachHasAnyTag(_)
        | Said::AllDatesBetween(_)
        | Said::DatesWithinDays { .. }
        | Said::AllDatesInYear { .. }
        | Said::AllInRange(_)
        | Said::RangeCheck(_)
        | Said::SortedDesc { .. }
        | Said::SortedAsc { .. }
        | Said::NoOverlap { .. } => None,
    }
}
