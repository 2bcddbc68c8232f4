//! Why items were not selected, by name.

use std::fmt;

use cupel::ExclusionReason;
use schemars::JsonSchema;
use serde::Deserialize;

/// Reason for an exclusion: a variant of cupel's `ExclusionReason`, without its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Reason {
    /// Didn't fit the remaining budget.
    BudgetExceeded,
    /// Scored below the threshold.
    ScoredTooLow,
    /// Duplicated another item.
    Deduplicated,
    /// Its kind had used up its share.
    QuotaCapExceeded,
    /// Displaced by another kind's required share.
    QuotaRequireDisplaced,
    /// Had a negative token count.
    NegativeTokens,
    /// Displaced by a pinned item.
    PinnedOverride,
    /// Removed by a filter.
    Filtered,
    /// Its kind had reached its maximum count.
    CountCapExceeded,
    /// Too few candidates of its kind.
    CountRequireCandidatesExhausted,
    /// A reason that this version doesn't know.
    #[serde(rename = "_Unknown")]
    Unknown,
}

/// Converts from cupel's own type.
///
/// ```
/// use cupel::ExclusionReason;
/// use probative::context::Reason;
///
/// let reason = ExclusionReason::BudgetExceeded { item_tokens: 9, available_tokens: 1 };
/// assert_eq!(Reason::from(&reason), Reason::BudgetExceeded);
/// assert_eq!(Reason::BudgetExceeded.to_string(), "BudgetExceeded");
/// ```
impl From<&ExclusionReason> for Reason {
    fn from(reason: &ExclusionReason) -> Self {
        match reason {
            ExclusionReason::BudgetExceeded { .. } => Reason::BudgetExceeded,
            ExclusionReason::ScoredTooLow { .. } => Reason::ScoredTooLow,
            ExclusionReason::Deduplicated { .. } => Reason::Deduplicated,
            ExclusionReason::QuotaCapExceeded { .. } => Reason::QuotaCapExceeded,
            ExclusionReason::QuotaRequireDisplaced { .. } => Reason::QuotaRequireDisplaced,
            ExclusionReason::NegativeTokens { .. } => Reason::NegativeTokens,
            ExclusionReason::PinnedOverride { .. } => Reason::PinnedOverride,
            ExclusionReason::Filtered { .. } => Reason::Filtered,
            ExclusionReason::CountCapExceeded { .. } => Reason::CountCapExceeded,
            ExclusionReason::CountRequireCandidatesExhausted { .. } => {
                Reason::CountRequireCandidatesExhausted
            }
            _ => Reason::Unknown,
        }
    }
}

impl From<ExclusionReason> for Reason {
    fn from(reason: ExclusionReason) -> Self {
        Reason::from(&reason)
    }
}

/// The variant's name, as cupel has it.
impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Unknown => formatter.write_str("_Unknown"),
            known => write!(formatter, "{known:?}"),
        }
    }
}
