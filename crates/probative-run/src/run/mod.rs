//! Cases run on all cores and told in order.

mod attempt;
mod course;
mod gathering;
mod journal;
mod tally;
mod telling;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, RwLock};

use probative::baseline::Entry;
use probative::report::{Status, Summary, Unexercised};
use probative::spec::Plan;
use probative::value::{Moment, visible};

pub use journal::Journal;

use self::attempt::{Done, Judged, Runner, Unit};
use self::course::Course;
use self::gathering::Gathering;
use self::tally::Tally;
use crate::clock;
use crate::environment::Environment;
use crate::harness::{Hands, Suites};
use crate::ordered::in_order;
use crate::process::{Orphans, Stop, TaskWatch, at_once};
use crate::selection::Selection;
use crate::sink::Sink;
use crate::subjects::reason;
use crate::suite::{Item, Suite};

/// How the cases of a suite are run.
pub struct Running<'a> {
    /// Which of them.
    pub selection: &'a Selection,
    /// What the environment says about it.
    pub environment: &'a Environment,
    /// How many at a time; fewer where the system allows too few files, processes or too little memory.
    pub jobs: usize,
    /// How often a case is tried again that does not pass.
    pub retries: u32,
    /// How often cases that run an agent are run, instead of what they say.
    pub trials: Option<u64>,
    /// What agents may cost together before no more of them are started.
    pub max_cost: Option<f64>,
    /// Whether nothing is told behind the first case that does not pass.
    pub fail_fast: bool,
    /// Whether the directories that cases ran in are kept.
    pub keep_temp: bool,
    /// Whether results tell how long they took.
    pub timings: bool,
    /// Tripped from outside to break off: what runs is ended, and told as such.
    pub stop: &'a Stop,
    /// Who ends what cases leave behind outside of their process groups.
    pub orphans: Option<&'a Orphans>,
    /// Whom the tests of suites are about.
    pub suites: &'a Suites,
    /// What time it is, for what is asked about dates.
    pub now: Option<Moment>,
    /// Where every result is kept as its case ends.
    pub journal: Option<&'a Journal>,
    /// Who is told what happens, as it happens.
    pub progress: Option<&'a (dyn Fn(Event<'_>) + Sync)>,
    /// Called, in order, with what is the matter with assertions: `ASSERT_HEALTH AH001 at …`.
    pub warn: &'a (dyn Fn(&str) + Sync),
    /// Called, in order, with how each case ended. What was broken off has not.
    pub ended: &'a (dyn Fn(Entry) + Sync),
}

impl<'a> Running<'a> {
    /// Runs every selected case once, and tells nothing but the reports.
    pub fn plainly(
        selection: &'a Selection,
        environment: &'a Environment,
        jobs: usize,
        stop: &'a Stop,
    ) -> Running<'a> {
        static NOBODY: Suites = Suites { agent: None, responses: None };
        Running {
            selection,
            environment,
            jobs,
            retries: 0,
            trials: None,
            max_cost: None,
            fail_fast: false,
            keep_temp: false,
            timings: false,
            stop,
            orphans: None,
            suites: &NOBODY,
            now: clock::now(),
            journal: None,
            progress: None,
            warn: &|_| {},
            ended: &|_| {},
        }
    }
}

/// What happens while cases run, for one who watches. It comes from many threads.
#[derive(Debug, Clone, Copy)]
pub enum Event<'e> {
    /// So many results will be told.
    Planned(usize),
    /// A case was started, by its id; one that has trials, for each of them.
    Started(&'e str),
    /// It ended.
    Ended(&'e str),
    /// All of a case has ended, whether its turn to be told has come or not.
    Finished {
        /// True if it is known not to have passed. Of a case with trials, that is known when it is told.
        failed: bool,
    },
    /// A result was told; these are the counts so far.
    Told(&'e Summary),
}

impl Running<'_> {
    fn tell(&self, event: Event<'_>) {
        if let Some(progress) = self.progress {
            progress(event);
        }
    }
}

/// Runs the cases of a suite and tells every report, in the order of the cases.
///
/// The reports are not finished yet: whoever gave them finishes them with the summary.
pub fn run(suite: &Suite, running: &Running<'_>, sinks: &mut [Sink]) -> Summary {
    drive(suite, running, Judged::ByItself, sinks)
}

/// The same for those who test a runner: the reports tell whether each case ended as it expects of `runtime`. The last of
/// them tells how the cases ended.
pub fn conform(suite: &Suite, running: &Running<'_>, runtime: &str, sinks: &mut [Sink]) -> Summary {
    drive(suite, running, Judged::ByExpectation(runtime), sinks)
}

fn drive(suite: &Suite, running: &Running<'_>, judged: Judged<'_>, sinks: &mut [Sink]) -> Summary {
    match running.orphans {
        None => drive_here(suite, running, judged, sinks),
        Some(orphans) => orphans.watch_over(|| drive_here(suite, running, judged, sinks)),
    }
}

fn drive_here(suite: &Suite, running: &Running<'_>, judged: Judged<'_>, sinks: &mut [Sink]) -> Summary {
    let once = Arc::new(Course::once());
    let mut units = running.selection.of(suite).flat_map(|item| {
        let course = Course::of(item, running).map_or_else(|| Arc::clone(&once), Arc::new);
        (0..course.planned).map(move |trial| Unit { item, course: Arc::clone(&course), trial })
    });
    let runner = Runner {
        running,
        judged,
        hands: Hands::new(running, suite),
        reports: sinks.iter().map(Sink::shared).collect(),
        halted: AtomicBool::new(false),
        spent: Mutex::new(0.0),
        tasks: TaskWatch::start_if_tight(),
        alone: RwLock::new(()),
    };
    if running.progress.is_some() {
        running.tell(Event::Planned(running.selection.of(suite).count()));
    }
    let mut summary = Summary::default();
    let mut tally = Tally::default();
    let mut gathering: Option<Gathering<'_>> = None;
    let ends = || runner.is_halted() || running.stop.is_tripped();
    let (jobs, scarce) = at_once(running.jobs, runner.tasks.as_ref().map(|watch| watch.limit));
    if jobs < running.jobs {
        let wanted = running.jobs;
        let cases = if jobs == 1 { "case" } else { "cases" };
        (running.warn)(&format!("running {jobs} {cases} at once instead of {wanted}: {scarce}"));
    }
    // No thread is started for which there is nothing to do.
    let first: Vec<_> = units.by_ref().take(jobs).collect();
    let jobs = first.len().max(1);
    let mut units = first.into_iter().chain(units);
    in_order(
        jobs,
        usize::MAX / jobs,
        || if ends() { None } else { units.next() },
        |unit| runner.unit(unit),
        |done: Done<'_>| {
            let told = match done {
                Done::Told(told) => told,
                Done::Tried(Unit { item, course, trial }, tried) => {
                    let mut so_far = gathering.take().unwrap_or_else(|| Gathering::of(item, course));
                    so_far.take(*tried, running.timings);
                    if !so_far.is_complete(trial) {
                        gathering = Some(so_far);
                        return;
                    }
                    Box::new(runner.conclude(so_far))
                }
            };
            if runner.is_halted() {
                return;
            }
            tally.take(told.idle, told.mentions);
            summary.add(&told.summary);
            for warning in &told.warnings {
                (running.warn)(warning);
            }
            let is_cut_short = |entry: &Entry| running.stop.is_tripped() && entry.status == Status::Error;
            if let Some(entry) = told.entry.filter(|entry| !is_cut_short(entry)) {
                (running.ended)(entry);
            }
            for (sink, fragments) in sinks.iter_mut().zip(told.fragments) {
                sink.tell(&fragments);
            }
            let fails = running.fail_fast && told.summary.failed + told.summary.errors > 0;
            let is_unheard = !sinks.is_empty() && sinks.iter().all(Sink::has_no_reader);
            if (fails && !running.stop.is_tripped()) || is_unheard {
                runner.halt();
            }
            running.tell(Event::Told(&summary));
        },
    );
    if let Some(orphans) = running.orphans {
        orphans.end_all();
    }
    if let Some(gathering) = gathering.filter(|_| !runner.is_halted()) {
        // Broken off among the trials of a case: what came of those that ended is told.
        let told = runner.conclude(gathering);
        summary.add(&told.summary);
        tally.take(told.idle, told.mentions);
        for (sink, fragments) in sinks.iter_mut().zip(told.fragments) {
            sink.tell(&fragments);
        }
    }
    if let Judged::ByItself = runner.judged {
        // A case that is judged by how it ends may assert whatever it likes.
        summary.unexercised = tally.unexercised();
    }
    let warnings = suite.warnings().filter(|(file, _)| running.selection.takes_document(&file.name));
    summary.unexercised.extend(warnings.map(|(_, warning)| Unexercised::no_case(warning)));
    summary.duration = running.timings.then(|| suite.began.elapsed());
    summary.interrupted = running.stop.is_tripped() && !runner.is_halted();
    if let Some((path, error)) = runner.hands.scratch.clear() {
        (running.warn)(&format!("cannot remove {}: {}", path.display(), reason(&error)));
    }
    summary
}

/// How many cases there are, whatever is selected.
pub fn count(suite: &Suite) -> usize {
    suite.items().filter(|item| item.case().is_some()).count()
}

/// Whether something that is selected could not be run because it is written wrongly, or cannot be read.
pub fn is_faulty(suite: &Suite, selection: &Selection) -> bool {
    selection.of(suite).any(|item| match item {
        Item::File(..) | Item::Repeated(..) => true,
        Item::Case(_, case) => matches!(case.plan, Plan::Malformed(_)),
    })
}

/// The cases that are selected, one a line: id, type, place, and for tests their suite and its priority. What is wrong with a file stands in its place.
pub fn list(suite: &Suite, selection: &Selection) -> String {
    let mut list = String::new();
    for item in selection.of(suite) {
        let (kind, place) = match item.case() {
            Some(case) => {
                (case.kind.as_str(), format!("{}:{}", item.file().name, case.place.line.unwrap_or(1)))
            }
            None => ("error", item.file().name.clone()),
        };
        list.push_str(&[item.id(), kind, &place].map(visible).join("\t"));
        if let Some(suite) = item.case().and_then(|case| case.suite.as_deref()) {
            let priority = suite.priority.as_deref().unwrap_or_default();
            list.push_str(&["", &suite.key, priority].map(visible).join("\t"));
        }
        list.push('\n');
    }
    list
}
