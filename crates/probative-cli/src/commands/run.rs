//! `probative run [PATH…]`

use std::io::{self, Write as _};
use std::process::ExitCode;

use probative::report::Summary;
use probative::spec::Settings;
use probative::value::visible;
use probative_run::{Environment, Running, Selection, Sources, Suite};

use super::{Refusal, reports};
use crate::args::{ChoiceArguments, RunArguments, SpecArguments};
use crate::interrupt::Interrupt;
use crate::terminal::Progress;

/// Reads all cases, runs those that are chosen, tells the reports, and answers with the exit code.
pub(crate) fn run(arguments: &RunArguments) -> Result<ExitCode, Refusal> {
    let environment = Environment::of_this_process().map_err(Refusal)?;
    let settings = Settings { health: environment.health };
    let suite = Suite::load(&sources(&arguments.from), &settings, arguments.told.threads());
    let selection = selection(&arguments.chosen);
    if arguments.list {
        return super::print(&probative_run::list(&suite, &selection));
    }
    let interrupt = Interrupt::listen_for_processes()?;
    let progress = Progress::through(None);
    let mut sinks = reports::open(&arguments.told.report, "case", &suite.files(), &progress)?;
    let running = Running {
        selection: &selection,
        environment: &environment,
        jobs: arguments.told.threads(),
        retries: arguments.retries,
        fail_fast: arguments.fail_fast,
        timings: !arguments.told.no_timings,
        keep_temp: arguments.keep_temp,
        stop: &interrupt.processes,
        progress: &|summary: &Summary| progress.tell(summary, 0),
        warn: &|warning: &str| {
            let _ = writeln!(io::stderr(), "WARN: {}", visible(warning));
        },
    };
    let summary = probative_run::run(&suite, &running, &mut sinks);
    interrupt.finishing();
    progress.end();
    reports::finish(sinks, &summary)
}

pub(super) fn sources(arguments: &SpecArguments) -> Sources {
    let SpecArguments { paths, recursive, formats } = arguments;
    Sources { paths: paths.clone(), recursive: *recursive, formats: formats.clone() }
}

pub(super) fn selection(arguments: &ChoiceArguments) -> Selection {
    let ChoiceArguments { filter, kind, shard } = arguments;
    Selection { filter: filter.clone(), kind: kind.clone(), shard: *shard }
}
