//! Doing what cases ask to be done, one file per type of case.

mod agent;
mod api_http;
mod artifacts;
#[cfg(unix)]
mod cli_run;
mod conversation;
mod exhibits;
pub mod http;
mod text_file;
mod world;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use probative::exhibit::Exhibit;
use probative::spec::{Case, Observed, Run, Work};
use probative::verdict::{Error, Place};

pub(crate) use agent::{check_recordings, files_named_by, recordings};
use artifacts::Artifacts;
pub(crate) use conversation::recording;
use text_file::Texts;
pub(crate) use text_file::read_inside;

use crate::environment::Environment;
use crate::harness::http::Client;
use crate::process::{Orphans, Stop};
use crate::run::Running;
use crate::scratch::Scratch;
use crate::suite::{SpecFile, Suite};

/// What is needed to do the work of any case.
pub(crate) struct Hands<'a> {
    pub(crate) environment: &'a Environment,
    pub(crate) scratch: Scratch,
    pub(crate) stop: &'a Stop,
    pub(crate) orphans: Option<&'a Orphans>,
    pub(crate) suites: &'a Suites,
    texts: Option<Texts>,
    artifacts: Artifacts,
    shim: OnceLock<Result<PathBuf, String>>,
    client: OnceLock<Client>,
}

/// Whom the tests of suites are about.
#[derive(Debug, Clone, Default)]
pub struct Suites {
    /// The agent to ask instead of the one that a suite names.
    pub agent: Option<String>,
    /// The directory with recorded responses; then nobody is asked.
    pub responses: Option<PathBuf>,
}

/// A case whose work is to be done.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) file: &'a SpecFile,
    pub(crate) case: &'a Case,
}

impl Job<'_> {
    /// Returns the place of the value under some keys of the case, or of the nearest one that is written.
    pub(crate) fn place(&self, keys: &[&str]) -> Place {
        match &self.file.spec {
            Ok(spec) => self.case.place_of(&spec.document, keys),
            Err(_) => self.case.place.clone(),
        }
    }
}

/// What came of a case's work.
pub(crate) trait Seen: Observed + Send {
    /// What a report shows beside failures.
    fn exhibit(&self) -> Option<&dyn Exhibit> {
        None
    }

    /// What the reader of a report should know.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

impl<'a> Hands<'a> {
    /// For the cases of a suite.
    pub(crate) fn new(running: &Running<'a>, suite: &Suite) -> Hands<'a> {
        // Who tries again hopes to find something else.
        let finds_all_as_it_was = running.retries == 0 && suite.only_reads();
        Hands {
            environment: running.environment,
            scratch: Scratch::new(running.keep_temp),
            stop: running.stop,
            orphans: running.orphans,
            suites: running.suites,
            texts: finds_all_as_it_was.then(Texts::default),
            artifacts: Artifacts::new(),
            shim: OnceLock::new(),
            client: OnceLock::new(),
        }
    }

    /// Does the work of a case. `recording` is which of several recordings it is about.
    pub(crate) fn work<'j>(
        &'j self,
        job: Job<'j>,
        run: &'j Run,
        recording: Option<&str>,
    ) -> Result<Box<dyn Seen + 'j>, Error> {
        match &run.work {
            Work::TextFile(file) => text_file::work(self, file, job),
            Work::CliRun(run) => cli_run::work(self, run, job),
            Work::ApiHttp(http) => api_http::work(self, http, job),
            Work::Agent(case) => agent::work(self, case, job, recording),
            Work::Conversation(conversation) => conversation::work(self, conversation, job),
        }
    }

    /// Who asks servers, made when the first is asked.
    fn client(&self) -> &Client {
        self.client.get_or_init(|| Client::new(self.environment.certificates.clone()))
    }

    /// Where the shim lies through which Python is run, written when it is first needed.
    fn shim(&self, text: &str) -> io::Result<&Path> {
        let shim = self.shim.get_or_init(|| {
            let path = self.scratch.directory().map_err(|error| error.to_string())?.join("shim.py");
            std::fs::write(&path, text).map(|()| path).map_err(|error| error.to_string())
        });
        shim.as_deref().map_err(|error| io::Error::other(error.clone()))
    }
}

/// The text that some bytes are; what is not UTF-8 is replaced, which is worth a warning.
fn text(bytes: Vec<u8>, name: &str, warnings: &mut Vec<String>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        warnings.push(format!("{name} isn't valid UTF-8; invalid bytes are shown as \u{fffd}"));
        String::from_utf8_lossy(error.as_bytes()).into_owned()
    })
}
