//! The paths that an assertion selects by.

use super::{ArrayContains, Bounds, DatesBetween, FieldIs, ResponseAssertion};
use crate::value::Path;

impl ResponseAssertion {
    /// The paths of this assertion, without those of assertions inside it.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        use ResponseAssertion as Said;
        let (mut listed, mut equal, mut shaped) = (None, None, None);
        let one = match self {
            Said::HasFields(paths) => {
                listed = Some(paths.iter());
                None
            }
            Said::FieldEquals(fields) => {
                equal = Some(fields.keys());
                None
            }
            Said::ResultsSchema(fields) => {
                shaped = Some(fields.keys());
                None
            }
            Said::HasField(FieldIs { name: path, .. })
            | Said::FieldContains { path, .. }
            | Said::AllMatch { path, .. }
            | Said::AllMatchOneOf { path, .. }
            | Said::AllMatchPattern { path, .. }
            | Said::NoneMatchPattern { path, .. }
            | Said::AllDatesBetween(DatesBetween { path, .. })
            | Said::DatesWithinDays { path, .. }
            | Said::AllDatesInYear { path, .. }
            | Said::AllInRange(Bounds { path, .. })
            | Said::RangeCheck(Bounds { path, .. })
            | Said::SortedDesc { path }
            | Said::SortedAsc { path }
            | Said::ArrayContains(ArrayContains { path, .. })
            | Said::NoOverlap { path, .. } => Some(path),
            Said::Status(_)
            | Said::ErrorCode(_)
            | Said::Contains(_)
            | Said::MessageContains(_)
            | Said::SummaryContains(_)
            | Said::ResultsMin(_)
            | Said::ResultsMax(_)
            | Said::ResultsCount(_)
            | Said::AllHaveTags(_)
            | Said::NoneHaveTags(_)
            | Said::EachHasAnyTag(_)
            | Said::OneOf(_)
            | Said::IfResults(_)
            | Said::IfHasHistory(_)
            | Said::IfSensitiveResults(_) => None,
        };
        // Chained, not boxed: judging a response that passes allocates nothing.
        let lists = listed.into_iter().flatten().chain(equal.into_iter().flatten());
        lists.chain(shaped.into_iter().flatten()).chain(one)
    }
}
