//! Which tools were called, how often, and in which order.

use super::argument::{CallCount, Repetition};
use super::run::{PlacedCall, Run};
use super::telling::{called_instead, listed, never_called, pointing_at_all, quoted, step, times};
use super::unknown::{Needed, unrecorded};
use crate::difference::Difference;
use crate::value::canonical;
use crate::verdict::{Error, Failure, Verdict};

/// How many calls of an order are compared in full.
const COMPARED_CALLS: usize = 2000;

/// The tool was called at least once.
pub fn tool_was_called(run: &Run<'_>, name: &str) -> Verdict {
    if run.calls_of(name).is_empty() {
        return never_called(run, name).expected(format!("{} called at least once", quoted(name))).into();
    }
    Verdict::Pass
}

/// The tool was never called.
pub fn tool_not_called(run: &Run<'_>, name: &str) -> Verdict {
    let calls = run.calls_of(name);
    if calls.is_empty() {
        return Verdict::Pass;
    }
    let count = calls.len();
    let failure = Verdict::fail(format!("{} was called {}", quoted(name), times(count as u128)))
        .expected(format!("{} never called", quoted(name)))
        .actual(format!("called {}", times(count as u128)));
    pointing_at_all(failure, calls.iter(), |number| forbidden(number, count)).into()
}

/// The tool was called so often: at least `min` times and at most `max` times.
pub fn tool_call_count(run: &Run<'_>, count: &CallCount) -> Verdict {
    let CallCount { name, min, max } = count;
    let calls = run.calls_of(name);
    let found = calls.len() as u64;
    if (*min..=max.unwrap_or(u64::MAX)).contains(&found) {
        return Verdict::Pass;
    }
    let words = in_words(*min, *max);
    let expected = match max {
        Some(0) => format!("{} never called", quoted(name)),
        _ => format!("{} called {words}", quoted(name)),
    };
    if found == 0 {
        return never_called(run, name).expected(expected).into();
    }
    let failure = Verdict::fail(format!("{} was called {}, expected {words}", quoted(name), times(found)))
        .expected(expected)
        .actual(format!("called {}", times(found)));
    // Surplus calls first: reports show only so many.
    let allowed = max.map_or(calls.len(), |max| usize::try_from(max).unwrap_or(usize::MAX).min(calls.len()));
    let numbers = (allowed..calls.len()).chain(0..allowed);
    let note = |number: usize| {
        let surplus = if number >= allowed { ", surplus" } else { "" };
        format!("call {} of {found}{surplus}", number + 1)
    };
    let notes: Vec<String> = numbers.clone().map(note).collect();
    let shown = numbers.filter_map(|number| calls.nth(number));
    pointing_at_all(failure, shown, |number| notes[number].clone()).into()
}

/// `first` was called before `second`: the first call of each, by position in the run.
///
/// Fails if either was never called. The same name twice fails: a call is not before itself.
pub fn tool_called_before(run: &Run<'_>, first: &str, second: &str) -> Verdict {
    let expected = || format!("{} called before {}", quoted(first), quoted(second));
    match (run.calls_of(first).first(), run.calls_of(second).first()) {
        (None, _) => never_called(run, first).expected(expected()).into(),
        (_, None) => never_called(run, second).expected(expected()).into(),
        (Some(a), Some(b)) if a.step < b.step => Verdict::Pass,
        (Some(a), Some(b)) if a.step == b.step => {
            Verdict::fail(format!("{} can't be called before itself", quoted(first)))
                .expected(expected())
                .actual("both names are the same; give two different tools, or use tool_call_count")
                .at(step(a.step))
                .pointing_at(a.step, "the first call")
                .into()
        }
        (Some(a), Some(b)) => {
            Verdict::fail(format!("{} was not called before {}", quoted(first), quoted(second)))
                .expected(expected())
                .actual("called in the opposite order")
                .at(step(b.step))
                .pointing_at(b.step, "called first")
                .pointing_at(a.step, "called second")
                .into()
        }
    }
}

/// Some call of `second` comes right after a call of `first`, other kinds of steps aside.
///
/// The same name twice asks for two calls of it in a row.
pub fn tool_called_immediately_before(run: &Run<'_>, first: &str, second: &str) -> Verdict {
    let follower = |position: usize| run.call_right_after(position);
    let adjacent = |position| follower(position).is_some_and(|next| next.call.name == second);
    let (firsts, seconds) = (run.calls_of(first), run.calls_of(second));
    if firsts.iter().any(|call| adjacent(call.position)) {
        return Verdict::Pass;
    }
    let expected = format!("{} called immediately before {}", quoted(first), quoted(second));
    let (Some(a), Some(b)) = (firsts.first(), seconds.first()) else {
        let missing = if firsts.is_empty() { first } else { second };
        return never_called(run, missing).expected(expected).into();
    };
    let after = follower(a.position)
        .map_or("the last call".to_owned(), |next| format!("followed by {}", quoted(&next.call.name)));
    let before = match b.position.checked_sub(1).and_then(|before| run.call(before)) {
        None => "the first call".to_owned(),
        Some(before) => format!("preceded by {}", quoted(&before.call.name)),
    };
    let message = format!("{} was never called immediately before {}", quoted(first), quoted(second));
    let failure = Verdict::fail(message)
        .expected(expected)
        .at(step(a.step))
        .actual(format!("{} is {after}", quoted(first)));
    let failure = failure.pointing_at(a.step, after);
    if a.step == b.step { failure } else { failure.pointing_at(b.step, before) }.into()
}

/// The tools were called in this order, with any others between them. Each name takes a call of its own.
pub fn call_order_contains(run: &Run<'_>, names: &[String]) -> Verdict {
    if found_in_order(run, names).count() == names.len() { Verdict::Pass } else { out_of_order(run, names) }
}

/// A call for each name up to the first that has none: the earliest, which leaves the most room for those that follow.
fn found_in_order<'r, 't>(run: &'r Run<'t>, names: &'r [String]) -> impl Iterator<Item = PlacedCall<'r, 't>> {
    let mut next = 0;
    names.iter().map_while(move |name| {
        let call = run.calls_of(name).from_position(next).first()?;
        next = call.position + 1;
        Some(call)
    })
}

/// What a run lacks in which not all names were found in order.
fn out_of_order(run: &Run<'_>, names: &[String]) -> Verdict {
    let matched: Vec<PlacedCall<'_, '_>> = found_in_order(run, names).collect();
    let missing = &names[matched.len()];
    let expected = format!("{} called in this order", listed(names.iter().map(String::as_str)));
    let (Some(last), Some(earlier)) = (matched.last(), run.calls_of(missing).iter().last()) else {
        return never_called(run, missing).expected(expected).into();
    };
    let failure = Verdict::fail(format!(
        "{} was not called after {} ({})",
        quoted(missing),
        quoted(&last.call.name),
        step(last.step)
    ));
    let failure = failure
        .expected(expected)
        .actual(format!("only {} in order", listed(matched.iter().map(|call| &*call.call.name))));
    let total = names.len();
    let note = |number: usize| format!("{} of {total}", number + 1);
    let failure = pointing_at_all(failure, matched.iter().copied(), note);
    let failure = failure.at(step(last.step));
    if matched.iter().any(|call| call.step == earlier.step) {
        return failure.into();
    }
    failure.pointing_at(earlier.step, format!("too early for {}", note(matched.len()))).into()
}

/// Names to be compared, one a line.
fn one_a_line<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.take(COMPARED_CALLS).flat_map(|name| [name, "\n"]).collect()
}

/// Exactly these tools were called, in this order.
pub fn call_order_equals(run: &Run<'_>, names: &[String]) -> Verdict {
    let same = run.call_order().zip(names).take_while(|(called, name)| called == name).count();
    if same == names.len() && same == run.call_count() {
        return Verdict::Pass;
    }
    let (found, wanted) = (run.call(same), names.get(same));
    let message = match (&found, wanted) {
        (Some(found), Some(wanted)) => {
            format!("call {} is {}, expected {}", same + 1, quoted(&found.call.name), quoted(wanted))
        }
        (Some(found), None) if names.is_empty() => {
            format!("call 1 is {}, expected no calls", quoted(&found.call.name))
        }
        (Some(found), None) => {
            format!(
                "call {} is {}, expected no more calls after call {}",
                same + 1,
                quoted(&found.call.name),
                names.len()
            )
        }
        (None, Some(wanted)) => format!("call {} is missing, expected {}", same + 1, quoted(wanted)),
        (None, None) => "the calls differ".to_owned(),
    };
    let failure = Verdict::fail(message)
        .expected(listed(names.iter().map(String::as_str)))
        .actual(listed(run.call_order()))
        .differing(Difference::of_texts(
            &one_a_line(names.iter().map(String::as_str)),
            &one_a_line(run.call_order()),
        ));
    match (found, wanted) {
        (Some(found), Some(wanted)) => {
            failure.at(step(found.step)).pointing_at(found.step, format!("expected {}", quoted(wanted)))
        }
        (Some(found), None) => failure.at(step(found.step)).pointing_at(found.step, "not expected"),
        (None, wanted) => match (same.checked_sub(1).and_then(|last| run.call(last)), wanted) {
            (Some(last), Some(wanted)) => failure
                .at(step(last.step))
                .pointing_at(last.step, format!("the last call; {} should follow", quoted(wanted))),
            _ => failure,
        },
    }
    .into()
}

/// No tool but these was called. They need not be called themselves.
pub fn tools_only(run: &Run<'_>, allowed: &[String]) -> Verdict {
    let is_other = |tool: &&str| !allowed.iter().any(|allowed| allowed == tool);
    let others: Vec<&str> = run.tools().map(|(tool, _)| tool).filter(is_other).collect();
    let message = match others[..] {
        [] => return Verdict::Pass,
        [only] => format!("{} was called, but isn't allowed", quoted(only)),
        _ => format!("{} were called, but aren't allowed", listed(others.iter().copied())),
    };
    let failure = Verdict::fail(message)
        .expected(match allowed.len() {
            0 => "no tool called".to_owned(),
            _ => format!("only {} called", listed(allowed.iter().map(String::as_str))),
        })
        .actual(called_instead(run));
    let calls = run.calls().filter(|call| is_other(&&*call.call.name));
    pointing_at_all(failure, calls, |_| "not allowed".to_owned()).into()
}

/// No tool was called more than `max` times, with the same arguments unless they are to be overlooked.
pub fn no_repeated_calls(run: &Run<'_>, repetition: Repetition) -> Result<Verdict, Error> {
    let Repetition { max, same_args } = repetition;
    for (tool, count) in run.tools() {
        if count as u64 <= max {
            continue;
        }
        let calls = run.calls_of(tool);
        if !same_args {
            let what = format!("{} was called {}", quoted(tool), times(count as u128));
            return Ok(repeated(&what, max, &calls.iter().collect::<Vec<_>>()));
        }
        // Equal arguments stand together once they are sorted; the order among them stays that of the calls.
        let known = calls.iter().filter(|call| !call.call.unknown.args);
        let mut sorted: Vec<_> = known.map(|call| (canonical(&*call.call.arguments()), call)).collect();
        sorted.sort_by(|a, b| a.0.cmp(&b.0));
        let groups = sorted.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() as u64 > max);
        let first = groups.min_by_key(|group| group[0].1.position);
        if let Some(group) = first {
            let what =
                format!("{} was called {} with the same arguments", quoted(tool), times(group.len() as u128));
            return Ok(repeated(&what, max, &group.iter().map(|(_, call)| *call).collect::<Vec<_>>()));
        }
        if let Some(call) = calls.iter().find(|call| call.call.unknown.args) {
            return Err(unrecorded(run, call, Needed::Arguments));
        }
    }
    Ok(Verdict::Pass)
}

fn repeated(what: &str, max: u64, calls: &[PlacedCall<'_, '_>]) -> Verdict {
    let failure: Failure = Verdict::fail(format!("{what}, expected at most {}", times(max)))
        .expected(format!("no call made more than {}", times(max)))
        .actual(times(calls.len() as u128));
    let count = calls.len();
    pointing_at_all(failure, calls.iter().copied(), |number| format!("{} of {count}", number + 1)).into()
}

fn forbidden(number: usize, count: usize) -> String {
    if count == 1 { "forbidden".to_owned() } else { format!("forbidden, call {} of {count}", number + 1) }
}

/// How often, in words: `exactly 2 times`, `at least once`, `1 to 3 times`.
fn in_words(min: u64, max: Option<u64>) -> String {
    match max {
        Some(0) => "never".to_owned(),
        Some(max) if max == min => format!("exactly {}", times(min)),
        Some(max) if min == 0 => format!("at most {}", times(max)),
        Some(max) => format!("{min} to {max} times"),
        None => format!("at least {}", times(min)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Step, Trajectory};
    use super::*;

    #[test]
    fn an_order_is_compared_call_by_call() {
        let steps = ["search", "refund"].map(|name| Step::tool_call(name, json!({}))).to_vec();
        let run = Run::new(Trajectory { steps, ..Trajectory::default() });
        let Verdict::Fail(failure) = call_order_equals(&run, &["search".to_owned(), "ask".to_owned()]) else {
            panic!("the orders differ");
        };
        let difference = failure.evidence.difference.map(|difference| difference.unified());
        assert_eq!(difference.as_deref(), Some(" search\n-ask\n+refund"));
    }
}
