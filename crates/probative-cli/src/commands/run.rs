//! `probative run [PATH…]`

use std::io::{self, Write as _};
use std::mem::ManuallyDrop;
use std::process::ExitCode;

use probative::spec::Settings;
use probative::spec::types::TYPES;
use probative::value::visible;
use probative_run::clock;
use probative_run::subjects::reason;
use probative_run::{Environment, Event, Journal, Running, Selection, Sources, Suite, Suites};

use super::baseline::{Baselines, Endings};
use super::reports::Places;
use super::{Refusal, again, baseline, reports};
use crate::args::{ChoiceArguments, RunArguments, SpecArguments};
use crate::interrupt::Interrupt;
use crate::progress::Progress;

/// Reads all cases, runs those that are chosen, tells the reports, and answers with the exit code.
pub(crate) fn run(arguments: &RunArguments) -> Result<ExitCode, Refusal> {
    baseline::check(&arguments.baseline)?;
    let environment = Environment::of_this_process().map_err(Refusal)?;
    let settings = Settings { health: environment.health, conditions: arguments.suites.condition.clone() };
    // Ten thousand cases are a million pieces of memory, and the process ends with them.
    let suite = ManuallyDrop::new(Suite::load(
        &sources(&arguments.cases.from),
        &settings,
        arguments.cases.told.threads(),
    ));
    let selection = selection(&arguments.cases.chosen)
        .of_suite(arguments.suites.suite.clone(), arguments.suites.priority.clone());
    selection.check(&suite).map_err(Refusal)?;
    let suites =
        Suites { agent: arguments.suites.agent.clone(), responses: arguments.suites.responses.clone() };
    if arguments.list {
        let list = probative_run::list(&suite, &selection);
        if list.is_empty() {
            return Err(none_selected(&suite));
        }
        super::print(&list)?;
        if probative_run::is_faulty(&suite, &selection) {
            return Err(Refusal("something is written wrongly; `probative lint` tells what".to_owned()));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let interrupt = Interrupt::listen_for_processes()?;
    let progress = Progress::through_cases();
    let mut inputs = suite.inputs();
    inputs.extend(baseline::input(&arguments.baseline));
    let mut places = Places::beside(&inputs);
    let mut sinks =
        reports::open(&arguments.cases.told.report, "case", &again::run(arguments), &mut places, &progress)?;
    let baselines = Baselines::open(&arguments.baseline, &mut places)?;
    let journal = arguments.journal.as_deref().map(|path| {
        places.take("journal", Some(path), "--journal FILE")?;
        let refused =
            |error| Refusal(format!("cannot write the journal {}: {}", path.display(), reason(&error)));
        Journal::open(path).map_err(refused)
    });
    let journal = journal.transpose()?;
    let endings = Endings::default();
    let watch = |event: Event<'_>| progress.take(event);
    let running = Running {
        retries: arguments.retries,
        trials: arguments.trial.trials,
        max_cost: arguments.trial.max_cost,
        suites: &suites,
        fail_fast: arguments.fail_fast,
        keep_temp: arguments.keep_temp,
        timings: !arguments.cases.told.no_timings,
        now: arguments.cases.now.or_else(clock::now),
        journal: journal.as_ref(),
        progress: progress.is_seen().then_some(&watch),
        warn: &warn,
        ended: &|entry| endings.take(entry),
        ..Running::plainly(&selection, &environment, arguments.cases.told.threads(), &interrupt.processes)
    };
    let mut summary = probative_run::run(&suite, &running, &mut sinks);
    summary.strict = arguments.trial.strict;
    interrupt.finishing();
    progress.end();
    if summary.total == 0 && !summary.interrupted {
        crate::terminal::complain(&none_selected(&suite));
    }
    let endings = endings.all();
    baselines.compare(&endings, &mut summary, &suite, &selection);
    let kept = journal.map_or(Ok(()), Journal::finish);
    let ended = reports::finish(sinks, &summary);
    baselines.save(endings, &summary, &suite, &selection)?;
    kept.map_err(|error| Refusal(format!("cannot write the journal: {}", reason(&error))))?;
    ended
}

/// What to say where cases were found, and none of them is selected.
pub(super) fn none_selected(suite: &Suite) -> Refusal {
    let kinds = TYPES.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
    let count = probative_run::count(suite);
    Refusal(format!(
        "none of {count} cases is selected; --list lists those that are, and the types are {kinds}"
    ))
}

/// Tells what is the matter with assertions.
pub(super) fn warn(warning: &str) {
    let _ = writeln!(io::stderr(), "WARN: {}", visible(warning));
}

pub(super) fn sources(arguments: &SpecArguments) -> Sources {
    let SpecArguments { paths, recursive, formats } = arguments;
    Sources { paths: paths.clone(), recursive: *recursive, formats: formats.clone() }
}

pub(super) fn selection(arguments: &ChoiceArguments) -> Selection {
    let ChoiceArguments { case, filter, kind, shard } = arguments;
    Selection::new(filter.clone(), kind.clone(), *shard).of_ids(case)
}
