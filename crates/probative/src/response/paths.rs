//! The paths that an assertion selects by.

use super::{ArrayContains, Bounds, DatesBetween, FieldIs, ResponseAssertion};
use crate::value::Path;

impl ResponseAssertion {
    /// The paths of this assertion, without those of assertions inside it.
    pub(super) fn paths(&self) -> Box<dyn Iterator<Item = &Path> + '_> {
        use ResponseAssertion as Said;
        match self {
            Said::HasFields(paths) => Box::new(paths.iter()),
            Said::FieldEquals(fields) => Box::new(fields.keys()),
            Said::ResultsSchema(fields) => Box::new(fields.keys()),
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
            | Said::NoOverlap { path, .. } => Box::new(std::iter::once(path)),
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
            | Said::IfSensitiveResults(_) => Box::new(std::iter::empty()),
        }
    }
}
