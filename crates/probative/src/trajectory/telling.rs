//! What the failures of all checks about steps have in common.

use super::run::{PlacedCall, Run};
use crate::document::nearest;
use crate::value::excerpt::cut;
use crate::verdict::{Failure, Verdict};

/// How many steps one failure points at.
pub(super) const STEPS_POINTED_AT: usize = 20;

/// How many tools a message lists.
const TOOLS_LISTED: usize = 10;

/// A name in a message.
pub(super) fn quoted(name: &str) -> String {
    format!("'{}'", cut(name))
}

/// `step 4`, as the formatted run counts.
pub(super) fn step(index: usize) -> String {
    format!("step {}", index + 1)
}

/// `once`, `2 times`.
pub(super) fn times(count: impl Into<u128>) -> String {
    match count.into() {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}

/// Names in the order given: `[search, refund]`.
pub(super) fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let mut names = names.into_iter();
    let mut shown: Vec<String> =
        names.by_ref().take(TOOLS_LISTED).map(|name| cut(name).into_owned()).collect();
    match names.count() {
        0 => {}
        more => shown.push(format!("… {more} more")),
    }
    format!("[{}]", shown.join(", "))
}

/// The tools that were called and how often, for a message about one that was not.
pub(super) fn called_instead(run: &Run<'_>) -> String {
    if run.call_count() == 0 {
        return "no tool was called".to_owned();
    }
    let shown = run.tools().take(TOOLS_LISTED).map(|(tool, count)| match count {
        1 => cut(tool).into_owned(),
        count => format!("{} ×{count}", cut(tool)),
    });
    let mut shown: Vec<String> = shown.collect();
    if run.tools().len() > TOOLS_LISTED {
        shown.push(format!("… {} more tools", run.tools().len() - TOOLS_LISTED));
    }
    format!("called: {}", shown.join(", "))
}

/// A failure because a tool was never called. A called tool whose name is one edit away is suggested and pointed at.
pub(super) fn never_called(run: &Run<'_>, tool: &str) -> Failure {
    let close = similar(run, tool);
    let message = match close {
        None => format!("{} was never called", quoted(tool)),
        Some(close) => {
            format!("{} was never called; did you mean {}, which was?", quoted(tool), quoted(close))
        }
    };
    let failure = Verdict::fail(message).actual(called_instead(run));
    match close.and_then(|close| run.calls_of(close).first()) {
        None => failure,
        Some(call) => failure
            .at(step(call.step))
            .pointing_at(call.step, format!("{}, not {}", quoted(&call.call.name), quoted(tool))),
    }
}

/// The called tool whose name is one edit away, or close in another way.
fn similar<'r>(run: &'r Run<'_>, tool: &str) -> Option<&'r str> {
    /// Shorter names are one edit away from too many others.
    const SHORTEST: usize = 3;
    if tool.len() < SHORTEST {
        return None;
    }
    let called = || run.tools().map(|(called, _)| called);
    let about_as_long = |called: &&str| (SHORTEST..=tool.len() + 4).contains(&called.len());
    let one_edit_away = |called: &&str| strsim::osa_distance(tool, called) == 1;
    called().filter(about_as_long).find(one_edit_away).or_else(|| nearest(tool, called().take(TOOLS_LISTED)))
}

/// Points at calls, the first [`STEPS_POINTED_AT`] of them, with a note for each that depends on its number.
pub(super) fn pointing_at_all<'r, 't: 'r>(
    mut failure: Failure,
    calls: impl IntoIterator<Item = PlacedCall<'r, 't>>,
    note: impl Fn(usize) -> String,
) -> Failure {
    for (number, call) in calls.into_iter().take(STEPS_POINTED_AT).enumerate() {
        if number == 0 {
            failure = failure.at(step(call.step));
        }
        failure = failure.pointing_at(call.step, note(number));
    }
    failure
}
