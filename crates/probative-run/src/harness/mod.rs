//! Doing what cases ask to be done, one file per type of case.

mod text_file;
mod world;

use probative::exhibit::Exhibit;
use probative::spec::{Case, Observed, Run, Work};
use probative::verdict::Error;

use crate::environment::Environment;
use crate::suite::SpecFile;

/// What is needed to do the work of any case.
pub(crate) struct Hands<'a> {
    pub(crate) environment: &'a Environment,
}

/// A case whose work is to be done.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) file: &'a SpecFile,
    pub(crate) case: &'a Case,
}

/// What came of a case's work.
pub(crate) trait Seen: Observed {
    /// What a report shows beside failures.
    fn exhibit(&self) -> Option<&dyn Exhibit> {
        None
    }

    /// What the reader of a report should know.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

impl Hands<'_> {
    /// Does the work of a case.
    pub(crate) fn work<'a>(&'a self, job: Job<'a>, run: &'a Run) -> Result<Box<dyn Seen + 'a>, Error> {
        match &run.work {
            Work::TextFile(file) => text_file::work(file, job),
            Work::CliRun(_) | Work::ApiHttp(_) => unimplemented!(),
        }
    }
}
