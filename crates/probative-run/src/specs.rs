//! Specs in a project's own `cargo test`.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use probative::report::{Format as Report, Style, Summary, Verbosity};
use probative::spec::{Format, Missing, Plan, Settings};

use crate::environment::Environment;
use crate::process::Stop;
use crate::run::{Running, run};
use crate::secrets::Secrets;
use crate::selection::Selection;
use crate::sink::Sink;
use crate::suite::{Sources, Suite};

/// Runs the `*.spec.md` documents of a directory, and panics with the report unless every case passes.
///
/// Nothing found is no success. A relative path is from the package's root, where `cargo test` runs its tests.
///
/// ```no_run
/// #[test]
/// fn specs() {
///     probative_run::run_dir("specs");
/// }
/// ```
#[track_caller]
pub fn run_dir(directory: impl AsRef<Path>) -> Summary {
    let ran = Specs::at(directory).run();
    assert!(ran.summary.exit_code() == 0, "{ran}");
    ran.summary
}

/// Documents with cases, to be run from Rust.
#[derive(Debug, Clone)]
pub struct Specs {
    sources: Sources,
    jobs: usize,
}

/// What came of running specs.
#[derive(Debug)]
pub struct Ran {
    /// How many cases ended how.
    pub summary: Summary,
    /// The report for people.
    pub report: String,
}

/// One case, for a test harness that takes tests as values.
///
/// With the crate `libtest-mimic` and `harness = false`, every case is a test of its own:
///
/// ```ignore
/// fn main() {
///     let cases = probative_run::Specs::at("specs").cases().into_iter();
///     let tests = cases.map(|case| {
///         let skipped = case.skipped().is_some();
///         Trial::test(case.name().to_owned(), move || case.run().map_err(Failed::from)).with_ignored_flag(skipped)
///     });
///     libtest_mimic::run(&Arguments::from_args(), tests.collect()).exit();
/// }
/// ```
#[derive(Debug, Clone)]
pub struct SpecCase {
    suite: Arc<Suite>,
    environment: Arc<Result<Environment, String>>,
    /// Its position among the items of the suite.
    at: usize,
    name: String,
}

impl Specs {
    /// The documents of a directory, or one document.
    pub fn at(path: impl AsRef<Path>) -> Specs {
        let paths: Vec<PathBuf> = vec![path.as_ref().to_owned()];
        let sources = Sources { paths, recursive: false, formats: vec![Format::Markdown, Format::Suite] };
        Specs { sources, jobs: std::thread::available_parallelism().map_or(1, usize::from) }
    }

    /// Those below the directory, too.
    pub fn recursive(mut self) -> Specs {
        self.sources.recursive = true;
        self
    }

    /// Documents in these formats instead of Markdown.
    pub fn formats(mut self, formats: &[Format]) -> Specs {
        self.sources.formats = formats.to_vec();
        self
    }

    /// Runs every case.
    pub fn run(&self) -> Ran {
        let (suite, environment) = self.load();
        let environment = match environment {
            Ok(environment) => environment,
            Err(report) => {
                return Ran { summary: Summary { askers_mistakes: 1, ..Summary::default() }, report };
            }
        };
        told(&suite, &environment, &Selection::default(), self.jobs)
    }

    /// Every case as a test of its own. What is wrong with a document is a test that fails.
    pub fn cases(&self) -> Vec<SpecCase> {
        let (suite, environment) = self.load();
        let (suite, environment) = (Arc::new(suite), Arc::new(environment));
        let mut names: Vec<String> = suite.items().map(|item| item.id().to_owned()).collect();
        if names.is_empty() {
            // A test that fails, for nothing was found to be run.
            names.push("no cases found".to_owned());
        }
        let case = |(at, name)| SpecCase {
            suite: Arc::clone(&suite),
            environment: Arc::clone(&environment),
            at,
            name,
        };
        names.into_iter().enumerate().map(case).collect()
    }

    fn load(&self) -> (Suite, Result<Environment, String>) {
        let environment = Environment::of_this_process();
        let health = environment.as_ref().map(|environment| environment.health).unwrap_or_default();
        (Suite::load(&self.sources, &Settings { health, ..Settings::default() }, self.jobs), environment)
    }
}

impl SpecCase {
    /// The case's id, or the name of a document that is written wrongly.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Why it is not run, if it needs what this runner does not have and says that it is then skipped.
    pub fn skipped(&self) -> Option<&Missing> {
        match &self.suite.items().nth(self.at)?.case()?.plan {
            Plan::Missing(missing) if missing.skips => Some(missing),
            _ => None,
        }
    }

    /// Runs it. The error is the report for people. A case that is skipped is no error.
    pub fn run(&self) -> Result<(), String> {
        let environment = self.environment.as_ref().as_ref().map_err(String::clone)?;
        let only = Selection::only(self.at);
        let ran = told(&self.suite, environment, &only, 1);
        let is_skipped = ran.summary.total == 1 && ran.summary.skipped == 1;
        if is_skipped || ran.summary.exit_code() == 0 { Ok(()) } else { Err(ran.report) }
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "specs did not pass\n\n{}", self.report)
    }
}

/// Runs what is selected, and keeps the report for people.
fn told(suite: &Suite, environment: &Environment, selection: &Selection, jobs: usize) -> Ran {
    let report = Kept::default();
    let renderer = Report::Human.renderer(Style {
        colour: false,
        noun: "case",
        rerun: None,
        verbosity: Verbosity::Normal,
    });
    let mut secrets = Secrets::here();
    secrets.learn(suite);
    let mut sinks = [Sink::stream(renderer, &Arc::new(secrets.mask()), report.clone())];
    let summary = match Stop::new() {
        Ok(stop) => run(suite, &Running::plainly(selection, environment, jobs, &stop), &mut sinks),
        Err(_) => Summary::default(),
    };
    for sink in sinks {
        // What is kept in memory can be written.
        let _ = sink.finish(&summary);
    }
    let report = report.0.lock().unwrap_or_else(PoisonError::into_inner);
    Ran { summary, report: String::from_utf8_lossy(&report).into_owned() }
}

/// A report that is kept in memory.
#[derive(Debug, Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
