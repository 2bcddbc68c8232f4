//! Assertions that hold other assertions.

use super::argument::IfCalled;
use super::run::Run;
use crate::verdict::{Error, Verdict};
use crate::vocabulary::Context;

/// Where the tool was called, the assertions hold. Where it was not, there is nothing to ask.
pub fn if_called(run: &Run<'_>, condition: &IfCalled, context: &Context<'_>) -> Result<Verdict, Error> {
    if run.calls_of(&condition.tool).is_empty() {
        return Ok(Verdict::Pass);
    }
    condition.then.judge(run, context)
}
