//! Expected calls held against the actual ones.

use indexmap::IndexMap;

use super::argument::{ExpectedCall, ExpectedCalls, MatchMode};
use super::arguments::{Wanted, differing_at, nearest};
use super::pairing;
use super::run::{PlacedCall, Run};
use super::telling::{called_instead, never_called, pointing_at_all, quoted, step};
use super::unknown::{Needed, unrecorded};
use crate::verdict::{Error, Failure, Verdict};

/// The actual calls are the expected ones, as the mode says.
///
/// Where order does not matter, as many calls are paired as can be, so the order of the expected list changes nothing.
pub fn calls_match(run: &Run<'_>, expected: &ExpectedCalls) -> Result<Verdict, Error> {
    let ExpectedCalls { mode, calls } = expected;
    let asks = |call: &PlacedCall<'_, '_>| {
        calls.iter().any(|wanted| wanted.args.is_some() && wanted.name == call.call.name)
    };
    if let Some(call) = run.calls().find(|call| call.call.unknown.args && asks(call)) {
        return Err(unrecorded(run, call, Needed::Arguments));
    }
    match mode {
        MatchMode::Exact => exact(run, calls),
        MatchMode::InOrder => in_order(run, calls),
        MatchMode::AnyOrder => paired(run, calls, Allowed { missing: false, more: false }),
        MatchMode::Subset => paired(run, calls, Allowed { missing: true, more: false }),
        MatchMode::Superset => paired(run, calls, Allowed { missing: false, more: true }),
    }
}

impl ExpectedCall {
    fn wanted(&self) -> Wanted<'_> {
        Wanted::of(self.args.as_ref())
    }

    fn fits(&self, call: PlacedCall<'_, '_>) -> Result<bool, Error> {
        Ok(call.call.name == self.name && self.wanted().fits(call.call)?)
    }

    /// As it is written, whole; what is written alike asks alike.
    fn whole(&self) -> String {
        format!("{:?}{}", self.name, self.wanted())
    }

    /// That it wasn't called as expected: `'search' was not called with {"q":"tea"} after step 2`.
    fn not_called(&self, how: &str) -> String {
        match self.wanted() {
            Wanted::Anything => format!("{} was not called{how}", quoted(&self.name)),
            wanted => format!("{} was not called with {}{how}", quoted(&self.name), wanted.shown()),
        }
    }

    fn shown(&self) -> String {
        match self.wanted() {
            Wanted::Anything => quoted(&self.name),
            wanted => format!("{} with {}", quoted(&self.name), wanted.shown()),
        }
    }
}

fn exact(run: &Run<'_>, expected: &[ExpectedCall]) -> Result<Verdict, Error> {
    for (position, wanted) in expected.iter().enumerate() {
        let whole = || format!("call {} of {} to be {}", position + 1, expected.len(), wanted.shown());
        let Some(call) = run.call(position) else {
            let failure =
                Verdict::fail(format!("call {} is missing, expected {}", position + 1, wanted.shown()));
            let failure = failure.expected(whole()).actual(called_instead(run));
            return Ok(match position.checked_sub(1).and_then(|last| run.call(last)) {
                None => failure.into(),
                Some(last) => failure.at(step(last.step)).pointing_at(last.step, "the last call").into(),
            });
        };
        if wanted.fits(call)? {
            continue;
        }
        return if call.call.name == wanted.name {
            let message = format!("call {} ({}) has the wrong arguments", position + 1, quoted(&wanted.name));
            let failure = Verdict::fail(message).expected(whole());
            Ok(differing(failure, wanted, std::iter::once(call), ("", ""))?.into())
        } else {
            let found = quoted(&call.call.name);
            let message = format!("call {} is {found}, expected {}", position + 1, wanted.shown());
            let failure = Verdict::fail(message).expected(whole()).actual(found);
            Ok(failure
                .at(step(call.step))
                .pointing_at(call.step, format!("expected {}", wanted.shown()))
                .into())
        };
    }
    if run.call_count() == expected.len() {
        return Ok(Verdict::Pass);
    }
    let more = run.call_count() - expected.len();
    let failure = Verdict::fail(format!("{more} more {} than expected", plural(more, "call")))
        .expected(format!("{} {}", expected.len(), plural(expected.len(), "call")))
        .actual(format!("{} {}", run.call_count(), plural(run.call_count(), "call")));
    let surplus = run.calls().skip(expected.len());
    Ok(pointing_at_all(failure, surplus, |_| "not expected".to_owned()).into())
}

fn in_order(run: &Run<'_>, expected: &[ExpectedCall]) -> Result<Verdict, Error> {
    // The earliest call that fits leaves the most room for those that follow.
    let mut matched: Vec<PlacedCall<'_, '_>> = Vec::new();
    for wanted in expected {
        let from = matched.last().map_or(0, |call| call.position + 1);
        let mut fitting = None;
        for call in run.calls_of(&wanted.name).from_position(from).iter() {
            if wanted.fits(call)? {
                fitting = Some(call);
                break;
            }
        }
        let Some(call) = fitting else {
            return missing_in_order(run, expected, &matched).map(Verdict::from);
        };
        matched.push(call);
    }
    Ok(Verdict::Pass)
}

/// What a run lacks in which only some of the expected calls were found in order.
fn missing_in_order(
    run: &Run<'_>,
    expected: &[ExpectedCall],
    matched: &[PlacedCall<'_, '_>],
) -> Result<Failure, Error> {
    let (number, wanted) = (matched.len() + 1, &expected[matched.len()]);
    let after = matched.last().map_or(String::new(), |last| format!(" after {}", step(last.step)));
    let failure = Verdict::fail(wanted.not_called(&after)).expected(format!(
        "{} (expected call {number} of {})",
        wanted.shown(),
        expected.len()
    ));
    let calls = run.calls_of(&wanted.name);
    if calls.is_empty() {
        return Ok(never_called(run, &wanted.name).expected(failure.expected));
    }
    let failure = differing(failure, wanted, calls.iter(), ("called only before that", "too early"))?;
    let place = failure.place.clone();
    let note = |number: usize| format!("expected call {}", number + 1);
    let failure = pointing_at_all(failure, matched.iter().copied(), note);
    Ok(Failure { place, ..failure })
}

/// What may be left over when calls are paired.
#[derive(Clone, Copy)]
struct Allowed {
    /// Expected calls that were not made.
    missing: bool,
    /// Calls that were not expected.
    more: bool,
}

fn paired(run: &Run<'_>, expected: &[ExpectedCall], allowed: Allowed) -> Result<Verdict, Error> {
    let partner = pairing::largest(&Candidates::of(run, expected)?.edges(), run.call_count());
    let mut is_made = vec![allowed.missing; expected.len()];
    partner.iter().flatten().for_each(|number| is_made[*number] = true);
    let missing = expected.iter().zip(is_made).filter(|(_, is_made)| !is_made);
    let missing: Vec<&ExpectedCall> = missing.map(|(call, _)| call).collect();
    let unexpected = || run.calls().filter(|call| partner[call.position].is_none());
    let more = if allowed.more { 0 } else { unexpected().count() };
    let mut failures = Vec::new();
    if !missing.is_empty() {
        failures.push(not_made(run, expected.len(), &missing, &partner)?);
    }
    if more > 0 {
        let message = match unexpected().next() {
            Some(call) if more == 1 => {
                format!("the call to {} at {} was not expected", quoted(&call.call.name), step(call.step))
            }
            _ => format!("{more} calls were not expected"),
        };
        let failure = Verdict::fail(message)
            .expected(match expected.len() {
                0 => "no calls".to_owned(),
                count => format!("no more than the {count} expected {}", plural(count, "call")),
            })
            .actual(called_instead(run));
        failures.push(pointing_at_all(failure, unexpected(), |_| "not expected".to_owned()));
    }
    Ok(Failure::all_of(failures))
}

/// What is wrong where expected calls were not made: their names, and the call that comes nearest to the first.
fn not_made(
    run: &Run<'_>,
    expected: usize,
    missing: &[&ExpectedCall],
    partner: &[Option<usize>],
) -> Result<Failure, Error> {
    let first = missing[0];
    let names = missing.iter().take(CALLS_NAMED).map(|call| call.shown());
    let more = missing.len().saturating_sub(CALLS_NAMED);
    let more = (more > 0).then(|| format!("… {more} more"));
    let names = names.chain(more).collect::<Vec<_>>().join(", ");
    let several = format!("{} of {expected} expected calls were not made: {names}", missing.len());
    let calls = run.calls_of(&first.name);
    if calls.is_empty() {
        let failure = never_called(run, &first.name).expected(format!("a call to {names}"));
        return Ok(if missing.len() == 1 { failure } else { Failure { message: several, ..failure } });
    }
    // A call that is paired already is no candidate, unless there is no other.
    let unpaired = |call: &PlacedCall<'_, '_>| partner[call.position].is_none();
    let any = calls.iter().any(|call| unpaired(&call));
    let candidates = || calls.iter().filter(|call| !any || unpaired(call));
    let fits = candidates().next().map(|call| first.fits(call)).transpose()? == Some(true);
    let message = match missing.len() {
        1 if fits => first.not_called(" often enough"),
        1 => first.not_called(""),
        _ => several,
    };
    let failure = Verdict::fail(message).expected(format!("a call to {names}"));
    let taken = ("called, but not often enough", "matched by another expected call");
    differing(failure, first, candidates(), taken)
}

/// How many missing calls a message names.
const CALLS_NAMED: usize = 3;

/// The actual calls that expected ones may be paired with.
struct Candidates {
    /// Their positions, for each different thing that is expected.
    positions: Vec<Vec<usize>>,
    /// Which of them each expected call has.
    which: Vec<usize>,
}

impl Candidates {
    /// Of any number of candidates, as many as there are expected calls are enough: the others cannot take them all.
    fn of(run: &Run<'_>, expected: &[ExpectedCall]) -> Result<Candidates, Error> {
        let mut different: IndexMap<String, Vec<usize>> = IndexMap::new();
        let mut which = Vec::with_capacity(expected.len());
        for wanted in expected {
            let key = wanted.whole();
            if let Some(known) = different.get_index_of(&key) {
                which.push(known);
                continue;
            }
            let mut positions = Vec::new();
            for call in run.calls_of(&wanted.name).iter() {
                if positions.len() == expected.len() {
                    break;
                }
                if wanted.fits(call)? {
                    positions.push(call.position);
                }
            }
            which.push(different.insert_full(key, positions).0);
        }
        Ok(Candidates { positions: different.into_values().collect(), which })
    }

    fn edges(&self) -> Vec<&[usize]> {
        self.which.iter().map(|which| self.positions[*which].as_slice()).collect()
    }
}

/// Points at the call that comes nearest to what was expected, with what differs in it; if nothing does, with what
/// `otherwise` says is found, and why it does not count.
fn differing<'r, 't: 'r>(
    failure: Failure,
    wanted: &ExpectedCall,
    calls: impl Iterator<Item = PlacedCall<'r, 't>>,
    otherwise: (&str, &str),
) -> Result<Failure, Error> {
    Ok(match nearest(calls, &wanted.wanted())? {
        None => failure.actual(format!("no call to {}", quoted(&wanted.name))),
        Some((call, differences)) if differences.is_empty() => {
            failure.actual(otherwise.0).at(step(call.step)).pointing_at(call.step, otherwise.1)
        }
        Some((call, differences)) => differing_at(failure, call, "", &differences),
    })
}

fn plural(count: usize, noun: &str) -> String {
    if count == 1 { noun.to_owned() } else { format!("{noun}s") }
}
