//! The steps that show why something holds that must not.

use super::arguments::Wanted;
use super::run::Run;
use super::telling::quoted;
use crate::verdict::{Part, Pointed};

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
