//! What the failures of all checks about steps have in common.

use super::model::{Event, Step};
use super::run::{PlacedCall, Run, Scope};
use crate::document::nearest;
use crate::value::excerpt::cut;
use crate::verdict::{Failure, Verdict};

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

/// A call by its number, which questions count from 0: `call 1 (nth: 0)`.
pub(super) fn numbered(nth: u64) -> String {
    format!("call {} (nth: {nth})", u128::from(nth) + 1)
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

/// A failure because a tool was never called. A step by another agent that called it, or else a called tool whose name is
/// one edit away, is suggested and pointed at.
pub(super) fn never_called(run: &Run<'_>, tool: &str) -> Failure {
    let name = quoted(tool);
    let failure = Verdict::fail(format!("{name} was never called")).actual(called_instead(run));
    if let Some(index) = called_out_of_scope(run, tool) {
        let message = match run.scope() {
            Scope::Agent(agent) => {
                format!("{name} was never called by agent {}, only by another agent", quoted(agent))
            }
            Scope::Itself | Scope::All => {
                format!("{name} was never called by the agent itself, only by a sub-agent")
            }
        };
        let failure = Failure { message, ..failure };
        return failure.at(step(index)).pointing_at(index, "out of scope; set `scope: all` to include it");
    }
    match similar(run, tool).and_then(|close| run.calls_of(close).first()) {
        None => failure,
        Some(call) => {
            let close = quoted(&call.call.name);
            let message = format!("{name} was never called; did you mean {close}?");
            let failure = Failure { message, ..failure };
            failure.at(step(call.step)).pointing_at(call.step, format!("{close}, not {name}"))
        }
    }
}

/// The first step that calls a tool but is not looked at.
fn called_out_of_scope(run: &Run<'_>, tool: &str) -> Option<usize> {
    let calls_it = |step: &Step<'_>| matches!(&step.event, Event::ToolCall(call) if call.name == tool);
    run.trajectory().steps.iter().position(|step| calls_it(step) && !run.scope().includes(step))
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

/// Points at calls, with a note for each that depends on its number.
pub(super) fn pointing_at_all<'r, 't: 'r>(
    mut failure: Failure,
    calls: impl IntoIterator<Item = PlacedCall<'r, 't>>,
    note: impl Fn(usize) -> String,
) -> Failure {
    for (number, call) in calls.into_iter().enumerate() {
        if number == 0 {
            failure = failure.at(step(call.step));
        }
        failure = failure.pointing_at(call.step, note(number));
    }
    failure
}
