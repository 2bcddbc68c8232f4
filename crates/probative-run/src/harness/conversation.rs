//! A test of a suite: asks an agent turn by turn, or takes what was recorded of one.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use probative::About;
use probative::exhibit::{Exhibit, ExhibitLine, Marks, Panel};
use probative::spec::lang::World;
use probative::spec::types::{AgentCase, Conversation, Target, Turn};
use probative::spec::{Answer, Artifact, Observed, Subject};
use probative::value::Value;
use probative::value::visible;
use probative::verdict::{Cause, Error, ErrorKind};

use super::agent::{self, Came};
use super::world::Here;
use super::{Hands, Job, Seen, exhibits, text_file};
use crate::feed::LARGEST_SUBJECT;

/// What an agent answered, turn by turn.
struct Answered<'a> {
    turns: Vec<(Option<&'a str>, Answer)>,
    /// What it said on standard error, and how it ended.
    beside: Vec<ExhibitLine>,
    warnings: Vec<String>,
    here: Here<'a>,
}

pub(super) fn work<'a>(
    hands: &'a Hands<'a>,
    conversation: &'a Conversation,
    job: Job<'a>,
) -> Result<Box<dyn Seen + 'a>, Error> {
    let here = Here::at(&*job.file.directory, hands.stop);
    let mut answered = Answered { turns: Vec::new(), beside: Vec::new(), warnings: Vec::new(), here };
    for turn in &conversation.turns {
        let step = turn.step.as_deref();
        let told = |error: Error| match step {
            Some(step) => error.headed(&format!("step {step}: ")),
            None => error,
        };
        if let Some(directory) = hands.suites.responses.as_deref() {
            answered.turns.push((step, recorded(directory, job, step).map_err(told)?));
        } else {
            let agent = hands.suites.agent.as_deref().or(conversation.agent.as_deref());
            answered.ask(hands, agent, turn, job).map_err(told)?;
        }
    }
    Ok(Box::new(answered))
}

/// What was recorded for one turn: `ID.json`, `ID.STEP.json`, or a text.
fn recorded(directory: &Path, job: Job<'_>, step: Option<&str>) -> Result<Answer, Error> {
    let path = recording(directory, &job.case.id, step)?;
    let shown = path.display().to_string();
    let bytes = text_file::contents(&path, &shown, LARGEST_SUBJECT)?;
    Ok(Answer::recorded(About::Response, &shown, bytes))
}

/// The file with the response that was recorded for one turn.
pub(crate) fn recording(directory: &Path, id: &str, step: Option<&str>) -> Result<PathBuf, Error> {
    let unobtainable = |message: String| Error::new(ErrorKind::Unobtainable(message));
    let file = step.map_or_else(|| id.to_owned(), |step| format!("{id}.{step}"));
    if file.contains(['/', '\\', '\0']) {
        return Err(unobtainable(format!(
            "'{}' can't be the file name of a recorded response; rename the test",
            visible(&file)
        )));
    }
    let names = ["json", "txt"].map(|ending| format!("{file}.{ending}"));
    let Some(name) = names.iter().find(|name| directory.join(name).exists()) else {
        let message = format!("no recorded response: {} has no {}", directory.display(), names.join(" or "));
        return Err(unobtainable(message));
    };
    Ok(directory.join(name))
}

impl<'a> Answered<'a> {
    fn ask(
        &mut self,
        hands: &Hands<'_>,
        agent: Option<&str>,
        turn: &'a Turn,
        job: Job<'_>,
    ) -> Result<(), Error> {
        let Some(agent) = agent else {
            let message = "no agent: add an 'agent' key to the suite, or use --agent NAME".to_owned();
            return Err(Error::new(ErrorKind::Unobtainable(message)));
        };
        let asked = AgentCase::asking(agent, turn.input.clone());
        let came = agent::ask(hands, &asked, job, About::Response)?;
        if let Some(code) = came.exit_code().filter(|code| *code != 0) {
            let said = came.last_words().map(|words| format!("; {words}")).unwrap_or_default();
            let message = format!("the agent exited with code {code}{said}");
            let error = Error::new(ErrorKind::Unobtainable(message));
            return Err(match came.crash() {
                Some(crash) => error.because_of(Cause::Crash(crash)),
                None => error,
            });
        }
        self.beside.extend(came.beside());
        let Came { answer, warnings, .. } = came;
        self.warnings.extend(warnings);
        self.turns.push((turn.step.as_deref(), answer));
        Ok(())
    }
}

impl Observed for Answered<'_> {
    fn subject(&self, _: &'static Target) -> Result<Subject<'_>, Error> {
        Ok(Subject::Value(Cow::Owned(Value::Null)))
    }

    fn turn(&self, turn: usize) -> Result<&Artifact, Error> {
        let answer = self.turns.get(turn).map(|(_, answer)| answer);
        let nobody = || Error::new(ErrorKind::Unobtainable("no agent was run".to_owned()));
        answer.ok_or_else(nobody)?.artifact(About::Response)
    }

    fn cost(&self) -> Option<f64> {
        let costs = self.turns.iter().filter_map(|(_, answer)| answer.cost());
        costs.fold(None, |sum, cost| Some(sum.unwrap_or_default() + cost))
    }

    fn world(&self) -> &dyn World {
        &self.here
    }
}

impl Seen for Answered<'_> {
    fn exhibit(&self) -> Option<&dyn Exhibit> {
        Some(self)
    }

    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }
}

impl Exhibit for Answered<'_> {
    fn lines(&self, marks: &Marks) -> Vec<ExhibitLine> {
        let turns = self.turns.iter().flat_map(|(step, answer)| {
            let head = step.map(|step| ExhibitLine::plain(format!("step {step}")));
            head.into_iter().chain(exhibits::lines(answer, marks))
        });
        turns.chain(self.beside.iter().cloned()).collect()
    }

    fn panels(&self) -> Vec<Panel> {
        let turns = self.turns.iter().flat_map(|(step, answer)| {
            let panels = exhibits::panels(answer).into_iter();
            panels
                .map(move |panel| step.map_or(panel.clone(), |step| panel.headed(&format!("step {step}: "))))
        });
        turns.collect()
    }
}
