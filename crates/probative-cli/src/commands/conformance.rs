//! `probative conformance [PATH…] --impl RUNTIME --out FILE`

use std::process::ExitCode;

use probative::report::Conformance;
use probative::spec::Settings;
use probative_run::clock;
use probative_run::process::Orphans;
use probative_run::sink::Sink;
use probative_run::{Environment, Event, Running, Suite};

use super::reports::Places;
use super::run::{none_selected, selection, sources, warn};
use super::{Refusal, again, reports};
use crate::args::ConformanceArguments;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::secrets;

/// Runs the cases, tells where they ended otherwise than they expect, and writes how they ended.
pub(crate) fn run(arguments: &ConformanceArguments) -> Result<ExitCode, Refusal> {
    let environment = Environment::of_this_process().map_err(Refusal)?;
    let settings = Settings { health: environment.health, ..Settings::default() };
    let suite = Suite::load(&sources(&arguments.cases.from), &settings, arguments.cases.told.threads());
    secrets::learn(&suite);
    let selection = selection(&arguments.cases.chosen);
    selection.check(&suite).map_err(Refusal)?;
    let interrupt = Interrupt::listen_for_processes()?;
    let progress = Progress::through_cases();
    let inputs = suite.inputs();
    let mut places = Places::beside(&inputs);
    let mut sinks =
        reports::open(&arguments.cases.told, "case", &again::conformance(arguments), &mut places, &progress)?;
    sinks.push(match &arguments.out {
        None => Sink::stream(Box::new(Conformance), &secrets::mask(), std::io::sink()),
        Some(path) => {
            let file = Some(path.as_path()).filter(|path| path.as_os_str() != "-");
            places.take("report", file, "--out FILE")?;
            reports::sink(Box::new(Conformance), file, &progress)?
        }
    });
    let watch = |event: Event<'_>| progress.take(event);
    let (stop, orphans) = (interrupt.begin()?, Orphans::adopt());
    let running = Running {
        timings: !arguments.cases.told.no_timings,
        now: arguments.cases.now.or_else(clock::now),
        progress: progress.is_seen().then_some(&watch),
        warn: &warn,
        orphans: orphans.as_ref(),
        ..Running::plainly(&selection, &environment, arguments.cases.told.threads(), &stop)
    };
    progress.begin();
    let summary = probative_run::conform(&suite, &running, &arguments.runtime, &mut sinks);
    interrupt.finishing();
    progress.end();
    if summary.total == 0 && !summary.interrupted {
        crate::terminal::complain(&none_selected(&suite));
    }
    Ok(reports::finish(sinks, "case", &summary).exit_code(&summary))
}
