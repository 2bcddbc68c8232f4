//! `agent.response`, `agent.trajectory`, `context.selection` and `agent.run`: runs an agent, or takes what was recorded of
//! one.

use std::borrow::Cow;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::Duration;

use probative::About;
use probative::exhibit::{Exhibit, ExhibitLine, Marks, Panel, beginning};
use probative::spec::lang::World;
use probative::spec::types::{Agent, AgentCase, CliRun, Directory, Source, Target, Type, WrittenPath};
use probative::spec::{Answer, Artifact, Named, Observed, Origin, Reading, Subject};
use probative::value::excerpt::cut;
use probative::value::{Value, visible};
use probative::verdict::{Crash, Error, ErrorKind};

use super::cli_run::{self, Finished};
use super::exhibits;
use super::http::Request;
use super::world::Here;
use super::{Hands, Job, Seen, text_file};
use crate::config::Configured;
use crate::documents;
use crate::feed::LARGEST_SUBJECT;
use crate::inside::{self, Refusal};
use crate::search::Search;
use crate::subjects::{self, reason};
use crate::suite::SpecFile;
use crate::trace;

/// What came of an agent.
pub(super) struct Came<'a> {
    pub(super) answer: Answer,
    output: Output<'a>,
    pub(super) warnings: Vec<String>,
}

/// What an agent put out.
enum Output<'a> {
    /// A process did.
    Process(Box<Finished<'a>>),
    /// A server did: the body of its answer.
    Server(Body, Here<'a>),
    /// Nothing was run.
    Nothing(Here<'a>),
}

/// What a server answered.
struct Body {
    text: Value,
    /// How much of it is there, if not all.
    cut: Option<String>,
}

pub(super) fn work<'a>(
    hands: &'a Hands<'a>,
    case: &'a AgentCase,
    job: Job<'a>,
    recording: Option<&str>,
) -> Result<Box<dyn Seen + 'a>, Error> {
    let only = match Type::named(&job.case.kind).map_or(&[][..], |kind| kind.targets) {
        [target] => target.form.words(),
        _ => None,
    };
    let here = || Here::at(&*job.file.directory, hands.stop);
    let outcome = match case.source() {
        Source::Written => Came::of(Answer::of_values(case.written()), Output::Nothing(here())),
        Source::Recorded(file) => {
            let name = recording.unwrap_or(file.as_str());
            let bytes = recorded(name, job.file).map_err(|error| error.within(&job.place(&["file"])))?;
            let (mut answer, named) = Answer::of_output(&bytes, name, only, Origin::File);
            let beside = Path::new(name).parent().unwrap_or(Path::new(""));
            for Named { about, file } in named {
                match part(&beside.join(&file).display().to_string(), job.file) {
                    Ok(bytes) => answer.take(about, &file, bytes, Origin::File, &Reading::default()),
                    Err(error) => answer.miss(about, error),
                }
            }
            Came::of(answer, Output::Nothing(here()))
        }
        Source::Run(agent) => Invocation { hands, case, job, configured: None }.run(agent, only)?,
    };
    Ok(Box::new(outcome))
}

/// Runs the agent of a case, whose output must be one thing.
pub(super) fn ask<'a>(
    hands: &'a Hands<'a>,
    case: &'a AgentCase,
    job: Job<'a>,
    only: About,
) -> Result<Came<'a>, Error> {
    match case.source() {
        Source::Run(agent) => Invocation { hands, case, job, configured: None }.run(agent, Some(only)),
        Source::Recorded(_) | Source::Written => {
            Err(Error::new(ErrorKind::Unobtainable("no agent was run".to_owned())))
        }
    }
}

/// An agent to be run.
struct Invocation<'a> {
    hands: &'a Hands<'a>,
    case: &'a AgentCase,
    job: Job<'a>,
    /// What the configuration says about it.
    configured: Option<&'a Configured>,
}

impl<'a> Invocation<'a> {
    fn run(mut self, agent: Agent<'a>, only: Option<About>) -> Result<Came<'a>, Error> {
        match agent {
            Agent::Named(name) => {
                let at = self.job.place(&["harness", "agent"]);
                let config = self.job.file.config.as_ref().as_ref().map_err(Error::clone)?;
                let configured = config.agent(name).map_err(|error| error.within(&at))?;
                self.configured = Some(configured);
                self.run(configured.agent(), only)
            }
            Agent::Command(entrypoint) => {
                let started = self.hands.artifacts.start();
                let finished = cli_run::perform(self.hands, Cow::Owned(self.command(entrypoint)), self.job)?;
                if !self.case.harness.headers.is_empty() {
                    let message =
                        "harness.headers applies only to servers, but this agent is a command".to_owned();
                    let error = Error::new(ErrorKind::MalformedQuestion(message));
                    return Err(error.within(&self.job.place(&["harness", "headers"])));
                }
                let output = finished.stdout().as_bytes();
                let (mut answer, named) = match finished.is_cut() {
                    Some(cut) => (Answer::cut(&format!("stdout {cut}")), Vec::new()),
                    None if output.trim_ascii().is_empty() => {
                        (Answer::missing(finished.silence()), Vec::new())
                    }
                    None => Answer::of_output(output, "stdout", only, Origin::Run),
                };
                let expected = self.case.exit_code.unwrap_or_default();
                if finished.exit_code().is_some_and(|code| i64::from(code) != expected)
                    && answer.is_plain_text()
                {
                    // What a crashed agent printed before its answer is a log, not the answer.
                    answer = Answer::missing(finished.no_answer());
                }
                for Named { about, file } in named {
                    let is_new = |found: &Metadata| self.hands.artifacts.is_new(found, started);
                    match left_behind(&file, &finished, self.job.file, is_new) {
                        Ok(bytes) => answer.take(about, &file, bytes, Origin::Run, &Reading::default()),
                        Err(error) => answer.miss(about, error),
                    }
                }
                Ok(Came::of(answer, Output::Process(Box::new(finished))))
            }
            Agent::Server(url) => self.ask(url, only),
        }
    }

    /// The command, with what the configuration says where the case says nothing.
    fn command(&self, entrypoint: &str) -> CliRun {
        let mut run = self.case.command(entrypoint);
        if let Some(configured) = self.configured {
            let (harness, written) = (&mut run.harness, &self.case.harness);
            for (name, value) in &configured.env {
                harness.env.entry(name.clone()).or_insert_with(|| value.clone());
            }
            harness.timeout_ms = written.timeout_ms.or(configured.timeout_ms).unwrap_or(harness.timeout_ms);
            harness.cwd = written.cwd.or(configured.cwd).unwrap_or(Directory::Root);
        }
        run
    }

    fn ask(&self, url: &str, only: Option<About>) -> Result<Came<'a>, Error> {
        let limit = self.command("").harness.timeout_ms;
        let mut headers = self.case.harness.headers.clone();
        for (name, value) in self.configured.into_iter().flat_map(|configured| &configured.headers) {
            headers.entry(name.clone()).or_insert_with(|| value.clone());
        }
        let mut headers: Vec<(String, String)> =
            headers.into_iter().map(|(name, value)| (name, value.0)).collect();
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
            headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
        }
        let request = Request {
            method: "POST".to_owned(),
            url: url.to_owned(),
            headers,
            body: Some(self.case.input.to_string().into_bytes()),
            timeout: Duration::from_millis(limit),
            follow_redirects: true,
        };
        let told = |reason: String| {
            let error = Error::new(ErrorKind::Unobtainable(format!("POST {}: {reason}", visible(url))));
            error.within(&self.job.place(&["harness", "url"]))
        };
        let stopped = || self.hands.stop.is_tripped();
        let answer = self.hands.client().fetch(&request, &stopped).map_err(told)?;
        let mut warnings = Vec::new();
        let cut_after = answer.dropped.then(|| format!("was cut off after {} bytes", answer.body.len()));
        let body = super::text(answer.body, "the body", &mut warnings);
        if !(200..300).contains(&answer.status) {
            let first = body.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            return Err(told(format!("status {}: {}", answer.status, cut(first))));
        }
        let (mut sorted, named) = match &cut_after {
            Some(cut) => (Answer::cut(&format!("the response body {cut}")), Vec::new()),
            None => Answer::of_output(body.as_bytes(), "the response body", only, Origin::Run),
        };
        for Named { about, file } in &named {
            let message =
                format!("the response names a file, '{}', but a server can't provide files", cut(file));
            sorted.miss(*about, Error::new(ErrorKind::Unobtainable(message)));
        }
        let here = Here::at(&*self.job.file.directory, self.hands.stop);
        let mut came = Came::of(sorted, Output::Server(Body { text: body.into(), cut: cut_after }, here));
        came.warnings.append(&mut warnings);
        Ok(came)
    }
}

/// What the specification says of a file outside the project root.
const ESCAPES: &str = "file escapes contract root";

/// What was recorded in a file beside the document.
fn recorded(name: &str, file: &SpecFile) -> Result<Vec<u8>, Error> {
    part(name, file).map_err(usage)
}

/// Reads a file that a recorded envelope names.
fn part(name: &str, file: &SpecFile) -> Result<Vec<u8>, Error> {
    let bytes = text_file::read_inside(name, file.place(), ESCAPES, LARGEST_SUBJECT)?;
    trace::plain(bytes, name)
}

/// Makes an error about a recording that a case names the mistake of whoever named it.
fn usage(error: Error) -> Error {
    match error.kind {
        ErrorKind::Unobtainable(reason) => Error { kind: ErrorKind::Usage(reason), ..error },
        _ => error,
    }
}

/// Checks that the recordings of a case can be opened.
pub(crate) fn check_recordings(path: &WrittenPath, file: &SpecFile) -> Result<(), Error> {
    for name in recordings(path, file)? {
        text_file::open_inside(&name, file.place(), ESCAPES).map_err(usage)?;
    }
    Ok(())
}

/// Lists the files that a recorded envelope names.
pub(crate) fn files_named_by(name: &str, file: &SpecFile) -> Vec<PathBuf> {
    let bytes = recorded(name, file).unwrap_or_default();
    // Most recordings name none, and are not worth reading twice.
    if memchr::memmem::find(&bytes, b"_file\"").is_none() {
        return Vec::new();
    }
    let beside = file.directory.join(name).parent().map(Path::to_owned).unwrap_or_default();
    let (_, named) = Answer::of_output(&bytes, name, None, Origin::File);
    named.into_iter().map(|Named { file, .. }| beside.join(file)).collect()
}

/// Reads an artifact that an agent names: a file in its directory or in the contract root that it wrote in this case.
fn left_behind(
    name: &str,
    finished: &Finished<'_>,
    file: &SpecFile,
    is_new: impl FnOnce(&Metadata) -> bool,
) -> Result<Vec<u8>, Error> {
    let told = |why: String| {
        Error::new(ErrorKind::Unobtainable(format!("cannot read the agent's file '{}': {why}", cut(name))))
    };
    let path = finished.cwd().join(name);
    let tmp = std::fs::canonicalize(finished.tmp()).map_err(|error| told(reason(&error)))?;
    let opened = match inside::open(&path, &tmp) {
        Err(Refusal::Outside) => inside::open(&path, &file.root),
        opened => opened,
    };
    let opened = opened.map_err(|refusal| match refusal {
        Refusal::Outside => told("it is outside the agent's directory and the project root".to_owned()),
        Refusal::Unreadable(error) => told(reason(&error)),
    })?;
    let found = opened.metadata().map_err(|error| told(reason(&error)))?;
    if !is_new(&found) {
        return Err(told("this run did not write it".to_owned()));
    }
    documents::read_opened(opened, &cut(name), LARGEST_SUBJECT).map_err(|error| told(error.kind.to_string()))
}

/// The files that a recorded subject stands in, in the order of their names: one, or those that a pattern finds.
pub(crate) fn recordings(file: &WrittenPath, spec: &SpecFile) -> Result<Vec<String>, Error> {
    let written = file.as_str();
    if !written.contains(['*', '?', '[']) {
        return Ok(vec![written.to_owned()]);
    }
    let pattern = format!("{}/{written}", glob::Pattern::escape(&spec.directory.display().to_string()));
    let search = Search::matching(&pattern).map_err(|error| {
        Error::new(ErrorKind::MalformedQuestion(format!("file isn't a valid pattern: {}", error.msg)))
    })?;
    let name = |subject: subjects::Subject| {
        let path = PathBuf::from(&subject.name);
        path.strip_prefix(&spec.directory).map_or(subject.name, |path| path.display().to_string())
    };
    let names: Vec<String> = search.run().into_iter().map(name).collect();
    if names.is_empty() {
        let message = format!("no file matches {}", visible(written));
        return Err(Error::new(ErrorKind::Usage(message)));
    }
    Ok(names)
}

impl<'a> Came<'a> {
    fn of(answer: Answer, output: Output<'a>) -> Came<'a> {
        let mut warnings = answer.warnings.clone();
        if let Output::Process(finished) = &output {
            warnings.extend(finished.warnings());
        }
        Came { answer, output, warnings }
    }
}

impl Came<'_> {
    /// What it said beside its output.
    pub(super) fn beside(&self) -> Vec<ExhibitLine> {
        match &self.output {
            Output::Process(finished) => finished.beside(),
            Output::Server(..) | Output::Nothing(_) => Vec::new(),
        }
    }
}

impl Observed for Came<'_> {
    fn subject(&self, target: &'static Target) -> Result<Subject<'_>, Error> {
        match &self.output {
            Output::Process(finished) => finished.subject(target),
            Output::Server(body, _) if target.name == "stdout" => {
                Ok(Subject::Value(Cow::Borrowed(&body.text)))
            }
            Output::Server(..) => {
                let message = format!("there is no {}: a server has none", target.name);
                Err(Error::new(ErrorKind::NotEvaluable(message)))
            }
            Output::Nothing(_) => {
                let message = format!("there is no {}: no agent was run", target.name);
                Err(Error::new(ErrorKind::NotEvaluable(message)))
            }
        }
    }

    fn artifact(&self, about: About) -> Result<&Artifact, Error> {
        self.answer.artifact(about)
    }

    fn cost(&self) -> Option<f64> {
        self.answer.cost()
    }

    fn exit_code(&self) -> Option<i32> {
        match &self.output {
            Output::Process(finished) => finished.exit_code(),
            Output::Server(..) | Output::Nothing(_) => None,
        }
    }

    fn last_words(&self) -> Option<String> {
        match &self.output {
            Output::Process(finished) => finished.last_words(),
            Output::Server(..) | Output::Nothing(_) => None,
        }
    }

    fn crash(&self) -> Option<Crash> {
        match &self.output {
            Output::Process(finished) => finished.crash(),
            Output::Server(..) | Output::Nothing(_) => None,
        }
    }

    fn cut(&self, target: &'static Target) -> Option<String> {
        match &self.output {
            Output::Process(finished) => finished.cut(target),
            Output::Server(body, _) => body.cut.clone(),
            Output::Nothing(_) => None,
        }
    }

    fn shown(&self, text: &str) -> String {
        match &self.output {
            Output::Process(finished) => finished.shown(text),
            Output::Server(..) | Output::Nothing(_) => text.to_owned(),
        }
    }

    fn world(&self) -> &dyn World {
        match &self.output {
            Output::Process(finished) => finished.world(),
            Output::Server(_, here) | Output::Nothing(here) => here,
        }
    }
}

impl Seen for Came<'_> {
    fn exhibit(&self) -> Option<&dyn Exhibit> {
        Some(self)
    }

    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }
}

impl Exhibit for Came<'_> {
    fn lines(&self, marks: &Marks) -> Vec<ExhibitLine> {
        let mut lines = exhibits::lines(&self.answer, marks);
        match &self.output {
            Output::Process(finished) => {
                if lines.is_empty() {
                    lines = beginning("stdout", &finished.shown(finished.stdout()));
                }
                lines.extend(finished.beside());
            }
            Output::Server(body, _) if lines.is_empty() => {
                lines = beginning("the response body", body.text.as_str().unwrap_or_default());
            }
            Output::Server(..) | Output::Nothing(_) => {}
        }
        lines
    }

    fn panels(&self) -> Vec<Panel> {
        let mut panels = exhibits::panels(&self.answer);
        match &self.output {
            Output::Process(finished) => panels.extend(finished.panels()),
            Output::Server(body, _) if panels.is_empty() => {
                panels.push(exhibits::written("the response body", body.text.as_str().unwrap_or_default()));
            }
            Output::Server(..) | Output::Nothing(_) => {}
        }
        panels
    }
}
