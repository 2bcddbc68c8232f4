//! A case: what it asks to be done, and what is asked of what comes of it.

use std::sync::Arc;

use super::assert::{self, Asking, Leaf, Observed};
use super::claims::Claim;
use super::conformance::Expected;
use super::health::{Finding, Health, Mode};
use super::prose::{Input, Passage, Prose};
use super::reader::{Reader, capabilities, common};
use super::subjects::Subjects;
use super::suite::Suite;
use super::turns::{self, Expectation};
use super::types::{TYPES, Work};
use crate::clause::{Clause, Judgement};
use crate::document::{Content, Document, Node, nearest};
use crate::report::Row;
use crate::response::ResponseAssertion;
use crate::trajectory::Lost;
use crate::trials;
use crate::value::{Moment, Value, visible};
use crate::verdict::{Cause, Error, ErrorKind, Origin, Place, Verdict};
use crate::vocabulary::Vocabulary as _;
use crate::vocabulary::{Context, FileReader};

/// What holds for all cases that do not say otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// What is done about assertions that say less than they seem to.
    pub health: Mode,
    /// The conditions that are so, for tests that are left out then.
    pub conditions: Vec<String>,
}

/// One promise, as it is written.
#[derive(Debug)]
pub struct Case {
    /// What identifies it among all cases of a run.
    pub id: String,
    /// What it is about, in words.
    pub title: Option<String>,
    /// Its type as it is written, known or not.
    pub kind: String,
    /// The suite that it belongs to, if any.
    pub suite: Option<Arc<Suite>>,
    /// Where it begins.
    pub place: Place,
    /// Where its id stands.
    pub id_place: Place,
    /// How it is expected to end, for those who test a runner.
    pub expected: Option<Expected>,
    /// What is to be done.
    pub plan: Plan,
    /// Where the prose before it is, in a Markdown document.
    pub(super) passage: Option<Passage>,
    pub(super) written: Node,
}

/// What is to be done about a case.
#[derive(Debug)]
pub enum Plan {
    /// Do its work, and judge what comes of it.
    Run(Box<Run>),
    /// Nothing: it needs what this runner does not have.
    Missing(Missing),
    /// Nothing: whoever wrote it says so.
    Skipped(String),
    /// Nothing: its type, written here, is unknown.
    UnknownType(Place),
    /// Nothing: it is written wrongly.
    Malformed(Vec<Error>),
}

/// What a case needs that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// What is missing.
    pub capabilities: Vec<String>,
    /// Where each of them is written.
    pub places: Vec<Place>,
    /// Whether the case is skipped for it; else it fails.
    pub skips: bool,
}

impl Missing {
    /// The capabilities that are almost called like one of this runner: nobody has them.
    pub(super) fn misspelt(&self) -> impl Iterator<Item = Error> {
        self.capabilities.iter().zip(&self.places).filter_map(|(missing, place)| {
            let known = nearest(missing, capabilities())?;
            let message = format!("unknown capability '{}'; did you mean '{known}'?", visible(missing));
            Some(Error::at(ErrorKind::MalformedQuestion(message), place.clone()))
        })
    }

    /// The capabilities that only other runners may have, with where they are written.
    pub fn foreign(&self) -> impl Iterator<Item = (&str, &Place)> {
        let foreign = |(missing, _): &(&String, &Place)| nearest(missing, capabilities()).is_none();
        let missing = self.capabilities.iter().zip(&self.places).filter(foreign);
        missing.map(|(missing, place)| (missing.as_str(), place))
    }
}

/// A case that can be run.
#[derive(Debug)]
pub struct Run {
    /// What is to be done.
    pub work: Work,
    /// What is the matter with its assertions.
    pub health: Health,
    /// How often it is run, and how many times it must pass, if it says.
    pub trials: Option<trials::Plan>,
    pub(super) exit_code: Option<ExitCode>,
    pub(super) clauses: Vec<Clause<Leaf>>,
    pub(super) claims: Vec<Claim>,
    /// What is asked of each answer, in a test of a suite.
    pub(super) turns: Vec<Expectation>,
}

/// The exit code that a command must end with.
#[derive(Debug)]
pub(super) struct ExitCode {
    pub(super) expected: i64,
    pub(super) place: Place,
}

impl Case {
    /// Reads a case. Fails only where nobody could say which case it is.
    pub(super) fn read(document: &Document, node: Node, settings: &Settings) -> Result<Case, Error> {
        let text = |key: &str| node.get(key).and_then(Node::as_str).map(str::to_owned);
        let (title, kind) = (text("title"), text("type").unwrap_or_default());
        let case = Case::named(document, &node, kind)?;
        let mut reader = Reader::new(document, &node);
        let expected = reader.optional("expect");
        let plan = reader.plan(settings);
        let mut written = node;
        if !matches!(&plan, Plan::Run(run) if run.work.has_hooks()) {
            // Its assertions are most of it, and nobody asks for them again.
            written.keep(|key| ["harness", "trials"].contains(&key) || !common().contains(&key));
        }
        Ok(Case { title, expected, plan, written, ..case })
    }

    /// A case of which nothing is known yet but its name.
    pub(super) fn named(document: &Document, node: &Node, kind: String) -> Result<Case, Error> {
        if !matches!(node.content, Content::Map(_)) {
            let message =
                format!("expected a case (an object with 'id' and 'type'), found {}", node.kind_name());
            return Err(document.malformed(message, node.span.clone()));
        }
        let beginning = node.span.start..node.span.start;
        let (id, id_place) = match node.get("id").map(|id| (id, id.as_str())) {
            Some((node, Some(id))) if !id.trim().is_empty() => {
                (id.to_owned(), document.place(Some(node.span.clone())))
            }
            Some((id, Some(_))) => return Err(document.malformed("'id' must not be empty", id.span.clone())),
            Some((id, None)) => return Err(document.malformed("'id' must be a string", id.span.clone())),
            None => return Err(document.malformed("'id' is missing", beginning)),
        };
        let place = document.place(Some(beginning));
        let nothing = Node { span: 0..0, content: Content::List(Vec::new()) };
        Ok(Case {
            id,
            title: None,
            kind,
            suite: None,
            plan: Plan::UnknownType(place.clone()),
            place,
            id_place,
            expected: None,
            passage: None,
            written: nothing,
        })
    }

    /// Returns what the document says about the case: the prose before it, or its `description` in a suite.
    pub fn prose(&self, document: &Document) -> Option<Prose> {
        match &self.passage {
            Some(passage) => Prose::read(&document.text, passage),
            None => Prose::plain(self.written.get("description")?.as_str()?),
        }
    }

    /// Returns what the agent or the command is given, turn by turn.
    pub fn inputs(&self) -> Vec<Input<'_>> {
        match &self.plan {
            Plan::Run(run) => run.work.inputs(),
            Plan::Missing(_) | Plan::Skipped(_) | Plan::UnknownType(_) | Plan::Malformed(_) => Vec::new(),
        }
    }

    /// What to say of a type that nobody knows.
    pub fn unknown_type(&self) -> String {
        let known = nearest(&self.kind, TYPES.iter().map(|known| known.name));
        let hint = known.map(|known| format!("; did you mean '{known}'?")).unwrap_or_default();
        format!("unknown spec-test type: {}{hint}", self.kind)
    }

    /// Where something stands that is written under some keys, or as near as it is written.
    pub fn place_of(&self, document: &Document, keys: &[&str]) -> Place {
        let mut node = &self.written;
        for key in keys {
            match node.get(key) {
                Some(inner) => node = inner,
                None => break,
            }
        }
        if std::ptr::eq(node, &raw const self.written) {
            self.place.clone()
        } else {
            document.place(Some(node.span.clone()))
        }
    }

    /// Takes the files that its assertions name, before it is run.
    pub fn supply(&mut self, file: &mut FileReader<'_>) {
        if let Plan::Run(run) = &mut self.plan {
            run.supply(file);
        }
    }

    /// The case as it is written, as a value.
    pub fn written(&self) -> Value {
        self.written.to_value()
    }
}

/// What a judgement needs beside the case and what came of it.
#[derive(Debug, Clone, Copy)]
pub struct Circumstances<'t> {
    /// The case's id, with which failures begin.
    pub id: &'t str,
    /// The document that the case stands in.
    pub document: &'t Document,
    /// What time it is.
    pub now: Option<Moment>,
}

/// What was found of a case.
#[derive(Debug)]
pub struct Found {
    /// What its assertions say.
    pub judgement: Judgement,
    /// What the run cost, where it records that.
    pub cost: Option<f64>,
    /// The tools that the run mentions.
    pub mentions: Vec<String>,
    /// What the reader of a report should know about what was judged.
    pub warnings: Vec<String>,
    /// What the source of the run could not say.
    pub losses: Vec<Lost>,
}

impl Run {
    pub(super) fn new(work: Work, health: Health) -> Run {
        Run {
            work,
            health,
            trials: None,
            exit_code: None,
            clauses: Vec::new(),
            claims: Vec::new(),
            turns: Vec::new(),
        }
    }

    pub(super) fn of_turns(work: Work, health: Health, turns: Vec<Expectation>) -> Run {
        Run { turns, ..Run::new(work, health) }
    }

    /// The rows that it asks, as reports name them.
    pub fn rows(&self) -> Vec<Row> {
        /// What is malformed keeps a case from being run; a file that an assertion lacks is reported with the case.
        fn asserted<L>(clause: &Clause<L>, target: &str) -> Row {
            Row { target: Some(target.to_owned()), malformed: false, ..Row::of_clause(clause) }
        }
        let row = |name: &str, path: &str, place: &Place, target: &str| Row {
            name: name.to_owned(),
            label: None,
            headline: name.to_owned(),
            path: path.to_owned(),
            target: Some(target.to_owned()),
            place: place.clone(),
            malformed: false,
        };
        let exit_code =
            self.exit_code.iter().map(|exit| row("exit_code", "exit_code", &exit.place, "exit_code"));
        let clauses = self.clauses.iter().map(|clause| asserted(clause, assert::target(clause)));
        let claims = self.claims.iter().map(|claim| Row {
            label: claim.label.clone(),
            ..row(&claim.name, &claim.path, &claim.place, &claim.target)
        });
        let turns = self.turns.iter().flat_map(|turn| &turn.clauses);
        let turns = turns.map(|clause| asserted(clause, ResponseAssertion::SUBJECT));
        exit_code.chain(clauses).chain(claims).chain(turns).collect()
    }

    /// How many tokens there are for a selection, where an assertion says so.
    pub fn budget(&self) -> Option<u64> {
        self.clauses.iter().flat_map(Clause::leaves).find_map(Leaf::budget)
    }

    /// Returns true if it asserts nothing: a written exit code is an assertion, its default is not.
    pub fn asserts_nothing(&self) -> bool {
        let asks = !self.clauses.is_empty() || !self.claims.is_empty();
        let expects = self.turns.iter().any(|turn| !turn.clauses.is_empty());
        !asks && !expects && self.work.stated_exit_code().is_none()
    }

    /// Whether its assertions say less than they seem to, and that fails it before anything is done.
    pub fn is_refused(&self) -> bool {
        self.health.mode == Mode::Error && !self.health.findings.is_empty()
    }

    /// What is judged of such a case, as its one row.
    pub fn refusal(&self) -> Judgement {
        let told = |finding: &Finding| format!("{}@{}", finding.code.name(), finding.path);
        let findings = &self.health.findings;
        let list = findings.iter().map(told).collect::<Vec<_>>().join("; ");
        let message = format!("assertion health check failed ({} issue(s)): {list}", findings.len());
        let details = findings.iter().map(|finding| finding.message.as_str()).collect::<Vec<_>>().join("; ");
        let failure = Verdict::fail(message).expected("assertions without health findings").actual(details);
        let mut judgement = Judgement::default();
        judgement.take(0, Ok(failure.into()));
        judgement
    }

    /// Takes the files that its assertions name. An assertion whose file cannot be had is an error in its place.
    fn supply(&mut self, file: &mut FileReader<'_>) {
        for clause in &mut self.clauses {
            clause.each_leaf(&mut |leaf, place| {
                leaf.supply(file).map_err(|error| error.told_at(place.clone()))?;
                Ok(())
            });
        }
    }

    /// Judges what came of its work.
    pub fn judge(&self, circumstances: &Circumstances<'_>, observed: &dyn Observed) -> Found {
        let Circumstances { id, document, now } = *circumstances;
        let mut judgement = Judgement::default();
        let mut crash = None;
        if let (Some(exit), Some(actual)) = (&self.exit_code, observed.exit_code())
            && exit.expected != i64::from(actual)
        {
            let last_words = observed.last_words().map(|words| format!("; {words}")).unwrap_or_default();
            let failure =
                Verdict::fail(format!("exit_code expected={} actual={actual}{last_words}", exit.expected))
                    .expected(exit.expected.to_string())
                    .actual(actual.to_string());
            let origin = Origin {
                case: id.to_owned(),
                path: "exit_code".to_owned(),
                target: "exit_code".to_owned(),
                operator: "equal".to_owned(),
            };
            crash = observed.crash().map(|crash| {
                let error = Error::new(ErrorKind::Unobtainable(failure.message.clone()));
                error.from_case(origin.clone()).within(&exit.place).because_of(Cause::Crash(crash))
            });
            judgement.take(0, Ok(failure.from_case(origin).into()));
        }
        let first = usize::from(self.exit_code.is_some());
        let subjects = Subjects::of(observed, self.work.scope());
        let has_words = matches!(self.work, Work::Agent(_));
        let context = Context { now, stored: None, world: Some(observed.world()) };
        let asking = Asking { subjects: &subjects, budget: self.work.budget(), context };
        assert::judge(id, &self.clauses, &asking, first, &mut judgement);
        let first = first + self.clauses.len();
        for (row, claim) in self.claims.iter().enumerate() {
            let answer = claim.judge(id, document, &asking);
            judgement.take_idle(first + row, answer.exercise);
            judgement.take(first + row, answer.verdict);
        }
        turns::judge(&self.turns, circumstances, observed, &mut judgement);
        if let Some(error) = crash {
            judgement.blame(0, error);
        }
        judgement.share_errors();
        let mentions = if has_words { subjects.mentions() } else { Vec::new() };
        let cost = observed.cost();
        Found { judgement, cost, mentions, warnings: subjects.warnings(), losses: subjects.losses() }
    }
}
