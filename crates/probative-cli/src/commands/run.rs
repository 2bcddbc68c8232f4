//! `probative run [PATH…]`

use std::io::Write as _;
use std::mem::ManuallyDrop;
use std::process::ExitCode;

use probative::spec::types::TYPES;
use probative::value::visible;
use probative_run::{Selection, Sources, Suite};

use super::session::Session;
use super::{Refusal, baseline, hints, watch};
use crate::args::{ChoiceArguments, RunArguments, SpecArguments};
use crate::interrupt::Interrupt;

/// Reads all cases, runs those that are chosen, tells the reports, and answers with the exit code.
pub(crate) fn run(arguments: &RunArguments) -> Result<ExitCode, Refusal> {
    baseline::check(&arguments.baseline)?;
    let session = Session::of(arguments)?;
    if arguments.again.watch {
        return watch::run(&session, arguments);
    }
    // Ten thousand cases are a million pieces of memory, and the process ends with them.
    let suite = ManuallyDrop::new(session.load());
    let mut selection = session.selection(&suite)?;
    if arguments.again.failed {
        selection = session.only_failed(selection, &suite)?;
    }
    let code = if arguments.list {
        list(&suite, &selection)?
    } else {
        session.run(&suite, &selection, &Interrupt::listen_for_processes()?)?
    };
    hints::about(&sources(&arguments.cases.from));
    Ok(code)
}

/// Lists the cases that are selected.
fn list(suite: &Suite, selection: &Selection) -> Result<ExitCode, Refusal> {
    let list = probative_run::list(suite, selection);
    for ignored in suite.ignored() {
        let _ = writeln!(crate::terminal::stderr(), "warning: {}", visible(&ignored));
    }
    if list.is_empty() {
        return Err(none_selected(suite));
    }
    let code = super::tell(&list, 0);
    if probative_run::is_faulty(suite, selection) {
        return Err(Refusal("some files or cases are invalid; run `probative lint` for details".to_owned()));
    }
    Ok(code)
}

/// What to say where cases were found, and none of them is selected.
pub(super) fn none_selected(suite: &Suite) -> Refusal {
    let kinds = TYPES.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
    let count = probative_run::count(suite);
    Refusal(format!(
        "no case matches the selection (cases in total: {count}); `probative run --list` lists all cases; case types: {kinds}"
    ))
}

/// Tells what is the matter with assertions.
pub(super) fn warn(warning: &str) {
    let _ = writeln!(crate::terminal::stderr(), "WARN: {}", visible(warning));
}

pub(super) fn sources(arguments: &SpecArguments) -> Sources {
    let SpecArguments { paths, recursive, formats } = arguments;
    Sources { paths: paths.clone(), recursive: *recursive, formats: formats.clone() }
}

pub(super) fn selection(arguments: &ChoiceArguments) -> Selection {
    let ChoiceArguments { case, filter, kind, shard } = arguments;
    Selection::new(filter.clone(), kind.clone(), *shard).of_ids(case)
}
