//! What tools were called with.

use std::fmt;

use super::argument::{ExactCall, ExpectedArgs, PartialCall};
use super::json::Decoded;
use super::matcher::{Members, Shown, compare_members, differing, shown};
use super::model::ToolCall;
use super::run::{PlacedCall, Run};
use super::telling::{never_called, quoted, step};
use super::unknown::{Needed, unrecorded};
use crate::json::{Kind, View};
use crate::value::mismatch::{Mismatches, part_of};
use crate::value::{Value, excerpt};
use crate::verdict::{Error, Failure, Verdict};

/// How many calls are looked through for the one that comes nearest.
const CALLS_LOOKED_THROUGH: usize = 1000;

/// Some call of the tool had exactly these arguments: the same keys, with equal values.
pub fn tool_called_with(run: &Run<'_>, call: &ExactCall) -> Result<Verdict, Error> {
    some_call(run, &call.name, &Wanted::All(&call.args), "exactly")
}

/// Some one call of the tool had all these arguments, and any others.
pub fn tool_called_with_partial(run: &Run<'_>, call: &PartialCall) -> Result<Verdict, Error> {
    some_call(run, &call.name, &Wanted::Some(&call.args), "at least")
}

fn some_call(run: &Run<'_>, name: &str, wanted: &Wanted<'_>, how: &str) -> Result<Verdict, Error> {
    let calls = run.calls_of(name);
    for call in calls.iter().filter(|call| !call.call.unknown.args) {
        if wanted.fits(call.call)? {
            return Ok(Verdict::Pass);
        }
    }
    if let Some(call) = calls.iter().find(|call| call.call.unknown.args) {
        return Err(unrecorded(run, call, Needed::Arguments));
    }
    let expected = format!("{} called with {how} {}", quoted(name), wanted.shown());
    let Some((nearest, differences)) = nearest(calls.iter(), wanted)? else {
        return Ok(never_called(run, name).expected(expected).into());
    };
    let failure = Verdict::fail(format!("{} was never called with {}", quoted(name), wanted.shown()));
    let nearest_of =
        if calls.len() == 1 { String::new() } else { format!("closest of {} calls, ", calls.len()) };
    Ok(differing_at(failure.expected(expected), nearest, &nearest_of, &differences).into())
}

/// Points at the call whose arguments come nearest, with what differs in them.
pub(super) fn differing_at(
    failure: Failure,
    call: PlacedCall<'_, '_>,
    before: &str,
    differences: &Mismatches,
) -> Failure {
    failure
        .actual(format!("{}, which {differences}", excerpt(&*call.call.arguments())))
        .at(step(call.step))
        .pointing_at(call.step, format!("{before}{differences}"))
}

/// The call with the fewest differences, the first of those that are equally near.
pub(super) fn nearest<'r, 't: 'r>(
    calls: impl Iterator<Item = PlacedCall<'r, 't>>,
    wanted: &Wanted<'_>,
) -> Result<Option<(PlacedCall<'r, 't>, Mismatches)>, Error> {
    let mut best: Option<(PlacedCall<'r, 't>, Mismatches)> = None;
    for call in calls.take(CALLS_LOOKED_THROUGH) {
        let differences = wanted.differences(&call.call.arguments())?;
        if best.as_ref().is_none_or(|(_, fewest)| differences.len() < fewest.len()) {
            best = Some((call, differences));
        }
    }
    Ok(best)
}

/// What the arguments of a call must be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted<'w> {
    /// Whatever they are.
    Anything,
    /// These and no others.
    All(&'w Members),
    /// These, and any others.
    Some(&'w Members),
}

impl<'w> Wanted<'w> {
    pub(super) fn of(args: Option<&'w ExpectedArgs>) -> Wanted<'w> {
        match args {
            None => Wanted::Anything,
            Some(ExpectedArgs::All(members)) => Wanted::All(members),
            Some(ExpectedArgs::Some(members)) => Wanted::Some(members),
        }
    }

    /// Returns true if the arguments of a call are the wanted ones.
    pub(super) fn fits(&self, call: &ToolCall<'_>) -> Result<bool, Error> {
        let (wanted, others) = match self {
            Wanted::Anything => return Ok(true),
            Wanted::All(wanted) => (wanted, false),
            Wanted::Some(wanted) => (wanted, true),
        };
        let Some(args) = &call.args else { return Ok(wanted.is_empty()) };
        match args.decoded() {
            Decoded::Document(document) => fits(wanted, others, document.root()),
            Decoded::Value(value) => fits(wanted, others, value),
        }
    }

    /// The arguments that are missing, different or unexpected.
    pub(super) fn differences(&self, args: &Value) -> Result<Mismatches, Error> {
        let mut differences = Mismatches::default();
        let Value::Object(found) = args else {
            differences.add(|| "has arguments that aren't an object".to_owned());
            return Ok(differences);
        };
        let (wanted, others) = match self {
            Wanted::Anything => return Ok(differences),
            Wanted::All(wanted) => (wanted, false),
            Wanted::Some(wanted) => (wanted, true),
        };
        compare_members(wanted, found, "", &mut differences)?;
        for key in found.keys().filter(|key| !others && !wanted.contains_key(*key)) {
            differences.add_unexpected(&part_of("", key));
        }
        Ok(differences)
    }

    /// What is wanted, for a message.
    pub(super) fn shown(&self) -> String {
        match self {
            Wanted::Anything => "any arguments".to_owned(),
            Wanted::All(wanted) | Wanted::Some(wanted) => shown(&Shown(wanted)),
        }
    }
}

/// Returns true if an object has all wanted members and, unless it may have `others`, no more.
fn fits<'v>(wanted: &Members, others: bool, object: impl View<'v>) -> Result<bool, Error> {
    if object.kind() != Kind::Object || !others && object.len() != wanted.len() {
        return Ok(false);
    }
    Ok(differing(wanted, object).next().transpose()?.is_none())
}

/// As it is written, whole.
impl fmt::Display for Wanted<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wanted::Anything => formatter.write_str("any arguments"),
            Wanted::All(wanted) => write!(formatter, "{}", Shown(wanted)),
            Wanted::Some(wanted) => write!(formatter, "{{\"$partial\":{}}}", Shown(wanted)),
        }
    }
}
