//! The steps that show why something holds that must not.

use super::TrajectoryAssertion;
use super::argument::{CallCount, MatchMode, Repetition, ToolAndCall, TwoTools};
use super::arguments::Wanted;
use super::results::has_result;
use super::run::{PlacedCall, Run};
use super::telling::{called_instead, listed, quoted, step, times};
use crate::argument::Yes;
use crate::exhibit::Extent;
use crate::value::excerpt::{around, cut};
use crate::verdict::{Part, Pointed};
use crate::vocabulary::Sighting;

/// How many further calls a sighting names by their steps.
const STEPS_NAMED: usize = 5;

/// How many tools a sighting names.
const TOOLS_NAMED: usize = 10;

/// The calls of some tools, in the order of the run.
pub(super) fn calls(run: &Run<'_>, names: &[String]) -> Vec<Pointed> {
    let theirs = run.calls().filter(|call| names.iter().any(|name| *name == call.call.name));
    let pointed = theirs.map(|call| Pointed {
        part: Part::Step(call.step),
        note: format!("{} called", quoted(&call.call.name)),
    });
    pointed.collect()
}

/// The calls of a tool with such arguments.
pub(super) fn calls_with(run: &Run<'_>, name: &str, wanted: &Wanted<'_>) -> Vec<Pointed> {
    let fitting = run.calls_of(name).iter().filter(|call| wanted.fits(call.call) == Ok(true));
    let note = format!("called with {}", wanted.shown());
    fitting.map(|call| Pointed { part: Part::Step(call.step), note: note.clone() }).collect()
}

/// What is seen in a run of which an assertion holds that must not; `None` where nothing but the assertion itself says it.
pub(super) fn sighting(assertion: &TrajectoryAssertion, run: &Run<'_>) -> Option<Sighting> {
    use TrajectoryAssertion as Did;
    match assertion {
        Did::ToolWasCalled(tool) => called(run.calls_of(&tool.name).iter(), &tool.name, ""),
        Did::ToolCalledWith(call) => called_with(run, &call.name, &Wanted::All(&call.args), "exactly "),
        Did::ToolCalledWithPartial(call) => called_with(run, &call.name, &Wanted::Some(&call.args), ""),
        // Any number of calls is at least 0.
        Did::ToolCallCount(CallCount { min: 0, max: None, .. }) => None,
        Did::ToolCallCount(count) => Some(counted(run, count)),
        Did::ToolCalledBefore(TwoTools { first, second }) => {
            let (a, b) = (run.calls_of(first).first()?, run.calls_of(second).first()?);
            Some(in_sequence(a, b, "before"))
        }
        Did::ToolCalledImmediatelyBefore(TwoTools { first, second }) => {
            let pairs =
                run.calls_of(first).iter().filter_map(|a| Some((a, run.call_right_after(a.position)?)));
            let mut pairs = pairs.filter(|(_, b)| b.call.name == *second);
            pairs.next().map(|(a, b)| in_sequence(a, b, "immediately before"))
        }
        Did::CallOrderContains(names) | Did::CallOrderEquals(names) => {
            let order = listed(names.iter().map(String::as_str));
            let found = listed(run.call_order());
            Some(
                Sighting::of_state(format!("{order} were called in this order"))
                    .expected(format!("{order} not called in this order"))
                    .found(found),
            )
        }
        Did::ToolResult(returned) => {
            let call = nth(run, &returned.name, returned.nth, |call| {
                has_result(call.call, returned).is_ok_and(|has| has == Some(true))
            })?;
            let result = call.call.result.as_ref();
            let result = result.map_or("nothing".to_owned(), |result| result.shown_as_result(Extent::Whole));
            Some(
                Sighting::of_action(format!("{} at {} returned {result}", shown(call), step(call.step)))
                    .expected(format!("{} not to return this result", quoted(&returned.name)))
                    .found(result)
                    .at(step(call.step)),
            )
        }
        Did::ToolErrored(ToolAndCall { name, nth: number }) => {
            let call = nth(run, name, *number, |call| call.call.error.is_some())?;
            let error = call.call.error.as_ref().map(ToString::to_string).unwrap_or_default();
            let seen = format!("{} at {} failed: {}", shown(call), step(call.step), cut(&error));
            Some(ended(&seen, name, "to fail", call).found(cut(&error)))
        }
        Did::ToolSucceeded(ToolAndCall { name, nth: number }) => {
            let call = nth(run, name, *number, |call| call.call.failed() == Some(false))?;
            let seen = format!("{} at {} succeeded", shown(call), step(call.step));
            Some(ended(&seen, name, "to succeed", call).found("no error"))
        }
        Did::ToolNotCalled(tool) => Some(
            Sighting::of_state(format!("{} was never called", quoted(&tool.name)))
                .but("must be")
                .expected(format!("{} called at least once", quoted(&tool.name)))
                .found(called_instead(run)),
        ),
        Did::ToolsOnly(allowed) => Some(only_these(run, allowed)),
        Did::NoRepeatedCalls(repetition) => Some(unrepeated(run, *repetition)),
        Did::CallsMatch(expected) => {
            let mode = match expected.mode {
                MatchMode::Exact => "exact",
                MatchMode::InOrder => "in_order",
                MatchMode::AnyOrder => "any_order",
                MatchMode::Subset => "subset",
                MatchMode::Superset => "superset",
            };
            let matched = match expected.calls.len() {
                1 => "the expected one".to_owned(),
                count => format!("the {count} expected ones"),
            };
            let found = match run.call_count() {
                0 => "no tool was called".to_owned(),
                _ => listed(run.call_order()),
            };
            let sighting = Sighting::of_action(format!("the calls match {matched} (mode {mode})"))
                .expected("other calls")
                .found(found);
            Some(at_first(sighting, run.call(0)))
        }
        _ => ending(assertion, run).or_else(|| spent(assertion, run)),
    }
}

/// How often a tool was called that must not be called so often.
fn counted(run: &Run<'_>, count: &CallCount) -> Sighting {
    let calls = run.calls_of(&count.name);
    let name = quoted(&count.name);
    let called = match calls.len() {
        0 => "never called".to_owned(),
        number => format!("called {}", times(number as u128)),
    };
    let wanted = match (count.min, count.max) {
        (0, Some(0)) => "called at least once".to_owned(),
        (0, Some(max)) => format!("called more than {}", times(max)),
        (1, None) => "never called".to_owned(),
        (min, None) => format!("called fewer than {min} times"),
        (min, Some(max)) if min == max => format!("not called exactly {}", times(min)),
        (min, Some(max)) => format!("called fewer than {min} or more than {max} times"),
    };
    let sighting = Sighting::of_state(format!("{name} was {called}")).expected(format!("{name} {wanted}"));
    let sighting = match wanted.strip_prefix("not ").or(wanted.strip_prefix("never ")) {
        Some(_) => sighting,
        None => sighting.but(format!("must be {wanted}")),
    };
    at_first(sighting.found(called), calls.first())
}

/// That no tool but the allowed ones was called.
fn only_these(run: &Run<'_>, allowed: &[String]) -> Sighting {
    let expected = match allowed.len() {
        0 => "a tool called".to_owned(),
        _ => format!("a tool other than {} called", in_words(allowed.iter().map(String::as_str))),
    };
    let called: Vec<&str> = run.tools().map(|(tool, _)| tool).collect();
    let (seen, but) = match called.as_slice() {
        [] => ("no tool was called".to_owned(), "one must be"),
        [only] => (format!("only {} was called", quoted(only)), "another tool must be"),
        several => {
            (format!("only {} were called", in_words(several.iter().copied())), "another tool must be")
        }
    };
    let but = if !called.is_empty() || allowed.is_empty() {
        but.to_owned()
    } else {
        format!("one other than {} must be", in_words(allowed.iter().map(String::as_str)))
    };
    let sighting = Sighting::of_state(seen).but(but).expected(expected).found(called_instead(run));
    at_first(sighting, run.call(0))
}

/// That no tool was called again and again.
fn unrepeated(run: &Run<'_>, Repetition { max, same_args }: Repetition) -> Sighting {
    let equal = if same_args { " with the same arguments" } else { "" };
    let seen = match max {
        0 => "no tool was called".to_owned(),
        1 => format!("no tool was called twice{equal}"),
        max => format!("no tool was called more than {}{equal}", times(max)),
    };
    Sighting::of_state(seen)
        .but("one must be")
        .expected(format!("a tool called more than {}{equal}", times(max)))
        .found(called_instead(run))
}

/// What a run took where it must take more.
fn spent(assertion: &TrajectoryAssertion, run: &Run<'_>) -> Option<Sighting> {
    use TrajectoryAssertion as Did;
    let (verb, must, took, limit, unit, place) = match assertion {
        Did::CostUnder(limit) => ("cost", "cost", run.cost()?.to_string(), limit, "", "total_cost"),
        Did::TokensUnder(limit) => {
            ("used", "use", run.tokens()?.to_string(), limit, " tokens", "total_tokens")
        }
        Did::DurationUnder(limit) => {
            ("took", "take", run.duration()?.to_string(), limit, " seconds", "duration_seconds")
        }
        Did::LlmCallsUnder(limit) => {
            ("made", "make", run.llm_call_count()?.to_string(), limit, " model calls", "llm_calls")
        }
        _ => return None,
    };
    let least = format!("at least {}{unit}", limit.0);
    Some(
        Sighting::of_state(format!("the run {verb} {took}{unit}"))
            .but(format!("must {must} {least}"))
            .expected(least)
            .found(format!("{took}{unit}"))
            .at(place),
    )
}

fn at_first(sighting: Sighting, first: Option<PlacedCall<'_, '_>>) -> Sighting {
    match first {
        Some(first) => sighting.at(step(first.step)),
        None => sighting,
    }
}

/// Names in a sentence: `'search', 'ask' and 'refund'`.
fn in_words<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let more = names.len().saturating_sub(TOOLS_NAMED);
    let mut names: Vec<String> = names.take(TOOLS_NAMED).map(quoted).collect();
    if more > 0 {
        names.push(format!("{more} more"));
    }
    match names.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// What is seen of the final output or of the run's error where an assertion holds that must not.
fn ending(assertion: &TrajectoryAssertion, run: &Run<'_>) -> Option<Sighting> {
    use TrajectoryAssertion as Did;
    match assertion {
        Did::OutputContains(text) => {
            let output = run.trajectory().known_output().ok()??;
            let around = around(output, output.find(text.as_str())?);
            Some(
                Sighting::of_action(format!("the final output contains '{}'", cut(text)))
                    .expected(format!("text without '{}'", cut(text)))
                    .found(around)
                    .at("final_output"),
            )
        }
        Did::OutputNotContains(text) => {
            let output = run.trajectory().known_output().ok()??;
            Some(
                Sighting::of_action(format!("the final output doesn't contain '{}'", cut(text)))
                    .but("must")
                    .expected(format!("text containing '{}'", cut(text)))
                    .found(format!("'{}'", cut(output)))
                    .at("final_output"),
            )
        }
        Did::OutputMatches(pattern) => {
            let output = run.trajectory().known_output().ok()??;
            Some(
                Sighting::of_action(format!("the final output matches '{}'", cut(pattern.as_str())))
                    .expected(format!("text that does not match '{}'", cut(pattern.as_str())))
                    .found(format!("'{}'", cut(output)))
                    .at("final_output"),
            )
        }
        Did::OutputEquals(text) => Some(
            Sighting::of_state(format!("the final output is '{}'", cut(text)))
                .expected("different text")
                .found(format!("'{}'", cut(text)))
                .at("final_output"),
        ),
        Did::Succeeded(Yes) => {
            Some(Sighting::of_action("the run succeeded").expected("an error").found("no error").at("error"))
        }
        Did::Failed(Yes) | Did::ErrorIs(_) => {
            let error = run.trajectory().known_error().ok()??.to_string();
            let expected = match assertion {
                Did::ErrorIs(name) => format!("no error of type {}", quoted(name)),
                _ => "no error".to_owned(),
            };
            Some(
                Sighting::of_action(format!("the run failed: {}", cut(&error)))
                    .expected(expected)
                    .found(cut(&error))
                    .at("error"),
            )
        }
        _ => None,
    }
}

/// `search({"q":"tea"})`.
fn shown(call: PlacedCall<'_, '_>) -> String {
    let args = match &call.call.args {
        None if call.call.unknown.args => "?".to_owned(),
        None => "{}".to_owned(),
        Some(args) => args.excerpt(),
    };
    format!("{}({args})", cut(&call.call.name))
}

/// Calls of a tool that must not be called, or not with such arguments.
fn called<'r, 't: 'r>(
    calls: impl Iterator<Item = PlacedCall<'r, 't>>,
    name: &str,
    with: &str,
) -> Option<Sighting> {
    let calls: Vec<PlacedCall<'r, 't>> = calls.collect();
    let (first, others) = calls.split_first()?;
    let more = match others.len() {
        0 => String::new(),
        1 => format!(" and again at {}", step(others[0].step)),
        count => {
            let steps = others.iter().take(STEPS_NAMED).map(|call| (call.step + 1).to_string());
            let mut steps = steps.collect::<Vec<_>>().join(", ");
            if count > STEPS_NAMED {
                steps.push_str(", …");
            }
            format!(" and {count} more times (steps {steps})")
        }
    };
    let call = shown(*first);
    let sighting = Sighting::of_state(format!("{call} was called at {}{more}", step(first.step)));
    let not = if with.is_empty() { "never called".to_owned() } else { format!("never called with {with}") };
    Some(sighting.expected(format!("{} {not}", quoted(name))).found(call).at(step(first.step)))
}

fn called_with(run: &Run<'_>, name: &str, wanted: &Wanted<'_>, how: &str) -> Option<Sighting> {
    let fitting = run.calls_of(name).iter().filter(|call| wanted.fits(call.call) == Ok(true));
    called(fitting, name, &format!("{how}{}", wanted.shown()))
}

fn in_sequence(a: PlacedCall<'_, '_>, b: PlacedCall<'_, '_>, how: &str) -> Sighting {
    let (first, second) = (quoted(&a.call.name), quoted(&b.call.name));
    Sighting::of_state(format!("{first} ({}) was called {how} {second} ({})", step(a.step), step(b.step)))
        .expected(format!("{first} not called {how} {second}"))
        .found(format!("{first} at {}, {second} at {}", step(a.step), step(b.step)))
        .at(step(a.step))
}

fn ended(seen: &str, name: &str, how: &str, call: PlacedCall<'_, '_>) -> Sighting {
    Sighting::of_action(seen).expected(format!("{} not {how}", quoted(name))).at(step(call.step))
}

/// The first call of a tool, or the nth alone, that came to something.
fn nth<'r, 't>(
    run: &'r Run<'t>,
    name: &str,
    number: Option<u64>,
    is_so: impl Fn(PlacedCall<'_, '_>) -> bool,
) -> Option<PlacedCall<'r, 't>> {
    let calls = run.calls_of(name).iter().zip(0_u64..);
    let mut meant = calls.filter(|(_, at)| number.is_none_or(|number| number == *at)).map(|(call, _)| call);
    meant.find(|call| is_so(*call))
}
