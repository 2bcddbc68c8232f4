//! Why items were not selected, by name.

use std::fmt;

use cupel::ExclusionReason;
use schemars::JsonSchema;
use serde::Deserialize;

/// Why an item was not selected: a variant of cupel's [`ExclusionReason`], without what it carries.
///
/// Wherever one is asked for, cupel's own will do:
///
/// ```
/// use cupel::ExclusionReason;
/// use probative::context::Reason;
///
/// let reason = ExclusionReason::BudgetExceeded { item_tokens: 9, available_tokens: 1 };
/// assert_eq!(Reason::from(reason), Reason::BudgetExceeded);
/// assert_eq!(Reason::BudgetExceeded.to_string(), "BudgetExceeded");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Reason {
    /// It did not fit into what was left of the budget.
    BudgetExceeded,
    /// Its score was below the threshold.
    ScoredTooLow,
    /// It repeated another item.
    Deduplicated,
    /// Its kind had reached its share.
    QuotaCapExceeded,
    /// Another kind needed the room.
    QuotaRequireDisplaced,
    /// Its token count was negative.
    NegativeTokens,
    /// A pinned item took its room.
    PinnedOverride,
    /// A filter took it out.
    Filtered,
    /// Its kind had reached its count.
    CountCapExceeded,
    /// There were too few candidates of its kind.
    CountRequireCandidatesExhausted,
    /// A reason that is newer than what is known here.
    #[serde(rename = "_Unknown")]
    Unknown,
}

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
