//! What `probative run` was asked for, and one run of it: read, chosen, run, told, remembered.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use probative::spec::Settings;
use probative_run::process::{Orphans, Stop};
use probative_run::subjects::reason;
use probative_run::{
    Environment, Event, Journal, Memory, Running, Selection, Suite, Suites, alike_when_hidden, clock,
};

use super::baseline::{Baselines, Endings};
use super::reports::Places;
use super::run::{none_selected, selection, sources, warn};
use super::{Refusal, again, baseline, reports};
use crate::args::RunArguments;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::secrets;
use crate::terminal::complain;

/// What was asked for, and what it is asked in.
pub(super) struct Session<'a> {
    arguments: &'a RunArguments,
    environment: Environment,
    suites: Suites,
    memory: Memory,
    orphans: Option<Orphans>,
}

impl<'a> Session<'a> {
    pub(super) fn of(arguments: &'a RunArguments) -> Result<Session<'a>, Refusal> {
        let environment = Environment::of_this_process().map_err(Refusal)?;
        let suites =
            Suites { agent: arguments.suites.agent.clone(), responses: arguments.suites.responses.clone() };
        Ok(Session { arguments, environment, suites, memory: Memory::here(), orphans: Orphans::adopt() })
    }

    /// Finds and reads all cases.
    pub(super) fn load(&self) -> Suite {
        let RunArguments { cases, suites, .. } = self.arguments;
        let settings = Settings { health: self.environment.health, conditions: suites.condition.clone() };
        let suite = Suite::load(&sources(&cases.from), &settings, cases.told.threads());
        secrets::learn(&suite);
        suite
    }

    /// The cases that the arguments choose, whatever failed.
    pub(super) fn selection(&self, suite: &Suite) -> Result<Selection, Refusal> {
        let RunArguments { cases, suites, .. } = self.arguments;
        let chosen = selection(&cases.chosen).of_suite(suites.suite.clone(), suites.priority.clone());
        chosen.check(suite).map_err(Refusal)?;
        Ok(chosen)
    }

    /// Of these, what did not pass last time.
    pub(super) fn only_failed(&self, selection: Selection, suite: &Suite) -> Result<Selection, Refusal> {
        let failed = self.memory.recall(&secrets::mask()).map_err(Refusal)?.without_gone(suite);
        if failed.is_empty() {
            return Err(Refusal("no case failed last time".to_owned()));
        }
        let count = failed.count();
        let selection = selection.that_failed(failed);
        if probative_run::list(suite, &selection).is_empty() {
            let failed = if count == 1 {
                "the case that failed last time is not selected".to_owned()
            } else {
                format!("none of the {count} cases that failed last time is selected")
            };
            return Err(Refusal(failed));
        }
        Ok(selection)
    }

    /// Runs the cases that are selected, tells every report, remembers what did not pass, and answers with the exit code.
    pub(super) fn run(
        &self,
        suite: &Suite,
        selection: &Selection,
        interrupt: &Interrupt,
    ) -> Result<ExitCode, Refusal> {
        let arguments = self.arguments;
        let progress = Progress::through_cases();
        let mut inputs = suite.inputs();
        inputs.extend(baseline::input(&arguments.baseline));
        inputs.extend(self.recorded_responses());
        let mut places = Places::beside(&inputs);
        let mut sinks =
            reports::open(&arguments.cases.told, "case", &again::run(arguments), &mut places, &progress)?;
        let baselines = Baselines::open(&arguments.baseline, &mut places)?;
        for (id, count) in alike_when_hidden(suite, selection, &secrets::mask()) {
            warn(&format!(
                "{count} cases have the id '{id}' once secrets are hidden, so --baseline and --failed cannot tell them \
                 apart and may miss a regression; give them ids that differ without the secret"
            ));
        }
        let journal = self.journal(&mut places)?;
        let endings = Endings::default();
        let watch = |event: Event<'_>| progress.take(event);
        let stop = interrupt.begin()?;
        let running = Running {
            journal: journal.as_ref(),
            progress: progress.is_seen().then_some(&watch),
            ended: &|entry| endings.take(entry),
            ..self.running(selection, &stop)
        };
        progress.begin();
        let mut summary = probative_run::run(suite, &running, &mut sinks);
        summary.strict = arguments.trial.strict;
        interrupt.finishing();
        progress.end();
        if summary.total == 0 && !summary.interrupted {
            complain(&none_selected(suite));
        }
        let endings = endings.all();
        baselines.compare(&endings, &mut summary, suite, selection);
        let kept = journal.map_or(Ok(()), Journal::finish);
        let mut written = reports::finish(sinks, "case", &summary);
        self.memory.remember(suite, selection, &endings, &secrets::mask());
        written.take(baselines.save(endings, &summary, suite, selection));
        written.take(kept.map_err(|error| self.no_journal(&error)));
        secrets::note();
        Ok(written.exit_code(&summary))
    }

    /// The files of `--responses`, by which suites may be judged.
    fn recorded_responses(&self) -> impl Iterator<Item = PathBuf> {
        let entries = self.suites.responses.as_deref().map(std::fs::read_dir);
        entries.into_iter().flatten().flatten().flatten().map(|entry| entry.path())
    }

    /// How cases are run.
    fn running<'r>(&'r self, selection: &'r Selection, stop: &'r Stop) -> Running<'r> {
        let RunArguments { retries, trial, fail_fast, keep_temp, cases, .. } = self.arguments;
        Running {
            retries: *retries,
            trials: trial.trials,
            max_cost: trial.max_cost,
            suites: &self.suites,
            orphans: self.orphans.as_ref(),
            fail_fast: *fail_fast,
            keep_temp: *keep_temp,
            timings: !cases.told.no_timings,
            now: cases.now.or_else(clock::now),
            warn: &warn,
            ..Running::plainly(selection, &self.environment, cases.told.threads(), stop)
        }
    }

    fn journal(&self, places: &mut Places<'_>) -> Result<Option<Journal>, Refusal> {
        let Some(path) = self.arguments.journal.as_deref() else { return Ok(None) };
        places.take("journal", Some(path), "--journal FILE")?;
        Journal::open(path, &secrets::mask()).map(Some).map_err(|error| self.no_journal(&error))
    }

    fn no_journal(&self, error: &io::Error) -> Refusal {
        let path = self.arguments.journal.as_deref().unwrap_or(Path::new("")).display();
        Refusal(format!("cannot write the journal {path}: {}", reason(error)))
    }
}
