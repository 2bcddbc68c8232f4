//! What makes a call of a tool one that an answer depends on.

use std::cmp::Ordering;

use crate::trajectory::Wanted;
use crate::trajectory::argument::ToolReturned;
use crate::trajectory::model::ToolCall;
use crate::trajectory::results::has_result;
use crate::verdict::Error;

/// Calls on which an answer depends, beside the first of each tool.
#[derive(Debug)]
pub(super) enum Interest<'q> {
    /// The first so many: of one tool, or of all.
    First { tool: Option<usize>, count: u64 },
    /// The first of a tool that is so, and the first of which that is not known.
    Some { tool: usize, is_so: IsSo<'q> },
    /// The earliest of the first tool, then the earliest of the next after that, and so on.
    InOrder(Vec<usize>),
    /// The first call of one tool right after one of another; until there is such, every call of that other.
    Adjacent { first: usize, second: usize },
}

/// What a call may be.
#[derive(Debug, Clone, Copy)]
pub(super) enum IsSo<'q> {
    Called(Wanted<'q>),
    Returned(&'q ToolReturned),
    /// With an error, or without.
    Failed(bool),
}

/// What a call is to an interest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Worth {
    Nothing,
    /// It is kept.
    Kept,
    /// The same, and no later one is.
    Last,
}

impl Interest<'_> {
    /// Whether calls of a tool can be of interest.
    pub(super) fn is_in(&self, tool: usize) -> bool {
        match self {
            Interest::First { tool: of, .. } => of.is_none_or(|of| of == tool),
            Interest::Some { tool: of, .. } => *of == tool,
            Interest::InOrder(tools) => tools.contains(&tool),
            Interest::Adjacent { first, second } => tool == *first || tool == *second,
        }
    }

    /// What a call is worth; `before` is the tool of the call before it. How far the interest has come is counted in `progress`.
    #[inline]
    pub(super) fn worth(
        &self,
        call: &ToolCall<'_>,
        tool: usize,
        before: Option<usize>,
        progress: &mut u64,
    ) -> Worth {
        match self {
            Interest::First { count, .. } => {
                *progress += 1;
                match (*progress).cmp(count) {
                    Ordering::Less => Worth::Kept,
                    Ordering::Equal => Worth::Last,
                    Ordering::Greater => Worth::Nothing,
                }
            }
            Interest::Some { is_so, .. } => match is_so.asked(call) {
                Ok(Some(false)) => Worth::Nothing,
                Ok(None) if *progress > 0 => Worth::Nothing,
                Ok(None) => {
                    *progress = 1;
                    Worth::Kept
                }
                Ok(Some(true)) | Err(_) => Worth::Last,
            },
            Interest::InOrder(tools) => {
                let next = usize::try_from(*progress).unwrap_or(usize::MAX);
                if tools.get(next) != Some(&tool) {
                    return Worth::Nothing;
                }
                *progress += 1;
                if next + 1 == tools.len() { Worth::Last } else { Worth::Kept }
            }
            Interest::Adjacent { first, second } if tool == *second && before == Some(*first) => Worth::Last,
            Interest::Adjacent { first, .. } if tool == *first => Worth::Kept,
            Interest::Adjacent { .. } => Worth::Nothing,
        }
    }
}

impl IsSo<'_> {
    /// Whether a call is so, asked as the assertion asks it; `None` where that is not recorded.
    fn asked(self, call: &ToolCall<'_>) -> Result<Option<bool>, Error> {
        match self {
            IsSo::Called(_) if call.unknown.args => Ok(None),
            IsSo::Called(wanted) => {
                let fits = wanted.fits(call)?;
                // Where no call fits, all that differs in each is looked at, and a pattern may give up on that.
                let gives_up =
                    !fits && wanted.has_patterns() && wanted.differences(&call.arguments()).is_err();
                Ok((!gives_up).then_some(fits))
            }
            IsSo::Returned(returned) => has_result(call, returned),
            IsSo::Failed(wanted) => Ok(call.failed().map(|failed| failed == wanted)),
        }
    }
}
