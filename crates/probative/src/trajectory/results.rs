//! What calls of tools came to.

use std::fmt;

use super::argument::{ToolAndCall, ToolReturned};
use super::json::held_in;
use super::matcher::{Matcher, shown};
use super::model::ToolCall;
use super::run::{PlacedCall, Run};
use super::telling::{never_called, numbered, pointing_at_all, quoted, step, times};
use super::unknown::{Needed, unrecorded};
use crate::exhibit::Extent;
use crate::value::Value;
use crate::value::excerpt::cut;
use crate::verdict::{Error, Failure, Part, Pointed, Verdict};

/// Some call of the tool, or the nth, has such a result.
///
/// Without a value, any result but null will do; with one, a recorded null is a result, and none recorded is not.
pub fn tool_result(run: &Run<'_>, returned: &ToolReturned) -> Result<Verdict, Error> {
    let ToolReturned { name, nth, value, .. } = returned;
    let what = Wanted(value.as_ref());
    let (to_do, did) = match returned.succeeded {
        None => ("return", "returned"),
        Some(true) => ("succeed and return", "succeeded and returned"),
        Some(false) => ("fail and return", "failed and returned"),
    };
    let asked = Asked { run, name, nth: *nth, to_do, did, needed: Needed::Result, what: &what };
    asked.some(|call| has_result(call.call, returned), |call| Outcome::of(call.call, returned))
}

/// What a call came to instead of what was asked for.
struct Outcome {
    /// In full, as far as a message shows it.
    found: String,
    /// The same at the step itself, which shows the result already.
    note: String,
    /// How far it is from what was asked for: the number of parts that differ.
    distance: usize,
}

impl Outcome {
    /// An outcome without parts to compare.
    fn whole(found: impl Into<String>) -> Outcome {
        let found = found.into();
        Outcome { note: found.clone(), found, distance: usize::MAX }
    }

    /// What a call returned, or that it didn't end as asked.
    fn of(call: &ToolCall<'_>, returned: &ToolReturned) -> Outcome {
        let Some(result) = &call.result else {
            return match &call.error {
                None => Outcome::whole("no result"),
                Some(error) => {
                    Outcome { note: "failed".to_owned(), ..Outcome::whole(cut(&format!("failed: {error}"))) }
                }
            };
        };
        if has_ended(call, returned) == Some(false) {
            return match call.error {
                None => Outcome::whole(format!(
                    "returned {}, without an error",
                    result.shown_as_result(Extent::Whole)
                )),
                Some(_) => {
                    Outcome::whole(format!("failed, and returned {}", result.shown_as_result(Extent::Whole)))
                }
            };
        }
        let found = format!("returned {}", result.shown_as_result(Extent::Whole));
        let value = result.value();
        let held = held_in(&value);
        let mismatches = returned.value.as_ref().and_then(|matcher| {
            // A pattern that gives up was an error before.
            let of = |value: &Value| matcher.mismatches(value).ok().filter(|parts| !parts.is_empty());
            held.as_ref().and_then(of).or_else(|| of(&value))
        });
        match mismatches {
            None => Outcome::whole(found),
            Some(parts) => Outcome {
                found: format!("{found}, which {parts}"),
                note: parts.to_string(),
                distance: parts.len(),
            },
        }
    }
}

/// Whether a call has such a result; `None` where that is not recorded.
pub(super) fn has_result(call: &ToolCall<'_>, returned: &ToolReturned) -> Result<Option<bool>, Error> {
    let ended = has_ended(call, returned);
    if ended == Some(false) {
        return Ok(Some(false));
    }
    let has = match (&call.result, &returned.value) {
        (None, _) => (!call.unknown.result).then_some(false),
        (Some(result), None) => Some(!result.is_null()),
        (Some(result), Some(matcher)) => {
            let value = result.value();
            Some(
                matcher.matches(&*value)?
                    || held_in(&value).is_some_and(|held| matcher.matches(&held) == Ok(true)),
            )
        }
    };
    Ok(if has == Some(true) { ended } else { has })
}

/// Whether a call ended as it must; `None` where that is not recorded.
fn has_ended(call: &ToolCall<'_>, returned: &ToolReturned) -> Option<bool> {
    match (returned.succeeded, call.failed()) {
        (None, _) => Some(true),
        (Some(succeeded), failed) => failed.map(|failed| failed != succeeded),
    }
}

/// Some call of the tool, or the nth, ended in an error.
pub fn tool_errored(run: &Run<'_>, which: &ToolAndCall) -> Result<Verdict, Error> {
    let asked = Asked {
        run,
        name: &which.name,
        nth: which.nth,
        to_do: "fail",
        did: "failed",
        needed: Needed::Outcome,
        what: &"",
    };
    asked.some(|call| Ok(call.call.failed()), |_| Outcome::whole("no error"))
}

/// Some call of the tool, or the nth, ended without an error.
pub fn tool_succeeded(run: &Run<'_>, which: &ToolAndCall) -> Result<Verdict, Error> {
    let asked = Asked {
        run,
        name: &which.name,
        nth: which.nth,
        to_do: "succeed",
        did: "succeeded",
        needed: Needed::Outcome,
        what: &"",
    };
    asked.some(
        |call| Ok(call.call.failed().map(|failed| !failed)),
        |call| match &call.call.error {
            None => Outcome::whole("no error"),
            Some(error) => Outcome::whole(cut(&error.to_string())),
        },
    )
}

/// The calls of a tool, or the nth alone, that came to something, for an assertion that must not hold.
pub(super) fn witnesses(
    run: &Run<'_>,
    name: &str,
    nth: Option<u64>,
    is_so: impl Fn(PlacedCall<'_, '_>) -> bool,
) -> Vec<Pointed> {
    let calls = run.calls_of(name).iter().zip(0_u64..);
    let meant = calls.filter(|(call, number)| nth.is_none_or(|nth| nth == *number) && is_so(*call));
    meant.map(|(call, _)| Pointed { part: Part::Step(call.step), note: "this call".to_owned() }).collect()
}

/// A result that is wanted, as part of a sentence.
struct Wanted<'w>(Option<&'w Matcher>);

impl fmt::Display for Wanted<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => formatter.write_str(" a result"),
            Some(matcher) => write!(formatter, " {}", shown(matcher)),
        }
    }
}

/// What is asked of the calls of a tool.
struct Asked<'a, 't> {
    run: &'a Run<'t>,
    name: &'a str,
    /// Which call, counted from 0; without it, any.
    nth: Option<u64>,
    /// What it should do: `return`.
    to_do: &'static str,
    /// The same, done: `returned`.
    did: &'static str,
    /// What must be recorded of them.
    needed: Needed,
    /// What goes with it: ` 5`. Written only for a failure.
    what: &'a dyn fmt::Display,
}

impl<'a, 't> Asked<'a, 't> {
    /// Passes if the call, or some call, is so; otherwise each is shown with what it came to instead.
    fn some(
        &self,
        is_so: impl Fn(PlacedCall<'a, 't>) -> Result<Option<bool>, Error>,
        came_to: impl Fn(PlacedCall<'a, 't>) -> Outcome,
    ) -> Result<Verdict, Error> {
        let calls = self.run.calls_of(self.name);
        let looked_at = match self.nth {
            None => calls,
            Some(nth) => match usize::try_from(nth).ok().and_then(|nth| calls.only(nth)) {
                Some(call) => call,
                None => return Ok(self.too_few(calls.len()).into()),
            },
        };
        let mut unknown = None;
        for call in looked_at.iter() {
            match is_so(call)? {
                Some(true) => return Ok(Verdict::Pass),
                Some(false) => {}
                None => unknown = unknown.or(Some(call)),
            }
        }
        if let Some(call) = unknown {
            let has_result = call.call.result.is_some();
            let needed =
                if has_result && call.call.failed().is_none() { Needed::Outcome } else { self.needed };
            return Err(unrecorded(self.run, call, needed));
        }
        if looked_at.is_empty() {
            return Ok(never_called(self.run, self.name).expected(self.expected()).into());
        }
        let name = quoted(self.name);
        let message = match (self.nth, looked_at.len()) {
            (Some(nth), _) => format!("{} to {name} did not {}{}", numbered(nth), self.to_do, self.what),
            (None, 1) => format!("{name} did not {}{}", self.to_do, self.what),
            (None, many) => format!("none of the {many} calls to {name} {}{}", self.did, self.what),
        };
        let outcomes: Vec<Outcome> = looked_at.iter().map(&came_to).collect();
        let failure = Verdict::fail(message).expected(self.expected());
        let failure = pointing_at_all(failure, looked_at.iter(), |number| outcomes[number].note.clone());
        // The first of those that come nearest.
        let nearest = looked_at.iter().zip(&outcomes).min_by_key(|(_, outcome)| outcome.distance);
        Ok(match nearest {
            None => failure,
            Some((call, outcome)) => failure.actual(&*outcome.found).at(step(call.step)),
        }
        .into())
    }

    fn expected(&self) -> String {
        match self.nth {
            None => format!("a call to {} to {}{}", quoted(self.name), self.to_do, self.what),
            Some(nth) => {
                format!("{} to {} to {}{}", numbered(nth), quoted(self.name), self.to_do, self.what)
            }
        }
    }

    fn too_few(&self, count: usize) -> Failure {
        if count == 0 {
            return never_called(self.run, self.name).expected(self.expected());
        }
        let nth = self.nth.unwrap_or_default();
        let failure = Verdict::fail(format!(
            "{} was called only {}; there is no {}",
            quoted(self.name),
            times(count as u128),
            numbered(nth)
        ));
        let calls = self.run.calls_of(self.name);
        let failure = failure.expected(self.expected()).actual(format!("called {}", times(count as u128)));
        pointing_at_all(failure, calls.iter(), |number| numbered(number as u64))
    }
}
