//! A case: read whole, and compiled before anything is done.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::assert::{self, Leaf, Observed};
use super::conformance::Expected;
use super::health::{Examined, Finding, Health, Mode};
use super::source::Written;
use super::types::{TYPES, Type, Work};
use crate::clause::{self, Clause, Judgement};
use crate::document::{Content, Document, Member, Mistake, Node, nearest};
use crate::report::Row;
use crate::value::{Value, visible};
use crate::verdict::{Error, Place, Verdict};

/// The keys of every case.
const COMMON: [&str; 9] =
    ["id", "type", "title", "purpose", "assert", "assert_health", "expect", "requires", "harness"];

/// What this runner can do beside the types that it knows.
const ABILITIES: [&str; 2] = ["evaluate.spec_lang.v1", "assert_health"];

/// What holds for all cases that do not say otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// What is done about assertions that say less than they seem to.
    pub health: Mode,
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
    /// Where it begins.
    pub place: Place,
    /// Where its id stands.
    pub id_place: Place,
    /// How it is expected to end, for those who test a runner.
    pub expected: Option<Expected>,
    /// What is to be done.
    pub plan: Plan,
    written: Node,
}

/// What is to be done about a case.
#[derive(Debug)]
pub enum Plan {
    /// Do its work, and judge what comes of it.
    Run(Box<Run>),
    /// Nothing: it needs what this runner does not have.
    Missing(Missing),
    /// Nothing: nobody knows its type.
    UnknownType,
    /// Nothing: it is written wrongly.
    Malformed(Vec<Error>),
}

/// What a case needs that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// What is missing.
    pub capabilities: Vec<String>,
    /// Whether the case is skipped for it; else it fails.
    pub skips: bool,
}

/// A case that can be run.
#[derive(Debug)]
pub struct Run {
    /// What is to be done.
    pub work: Work,
    /// What is the matter with its assertions.
    pub health: Health,
    exit_code: Option<ExitCode>,
    clauses: Vec<Clause<Leaf>>,
}

/// The exit code that a command must end with.
#[derive(Debug)]
struct ExitCode {
    expected: i32,
    place: Place,
}

/// What a case says it needs.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Requires {
    capabilities: Vec<String>,
    when_missing: WhenMissing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WhenMissing {
    Skip,
    #[default]
    Fail,
}

impl Case {
    /// Reads a case. Fails only where nobody could say which case it is.
    pub(super) fn read(document: &Document, written: Written, settings: &Settings) -> Result<Case, Error> {
        let Written { node, block } = written;
        if !matches!(node.content, Content::Map(_)) {
            let message = format!("a case is an object with 'id' and 'type', not {}", node.kind_name());
            return Err(document.malformed(message, node.span));
        }
        let beginning = node.span.start..node.span.start;
        let (id, id_place) = match node.get("id").map(|id| (id, id.as_str())) {
            Some((node, Some(id))) if !id.trim().is_empty() => {
                (id.to_owned(), document.place(Some(node.span.clone())))
            }
            Some((id, _)) => return Err(document.malformed("'id' must be a text", id.span.clone())),
            None => return Err(document.malformed("'id' is missing", beginning)),
        };
        let text = |key: &str| node.get(key).and_then(Node::as_str).map(str::to_owned);
        let (title, kind) = (text("title"), text("type").unwrap_or_default());
        let place = document.place(Some(beginning));
        let mut reader = Reader { document, node: &node, errors: Vec::new() };
        let expected = reader.optional("expect");
        let plan = reader.plan(settings, block);
        Ok(Case { id, title, kind, place, id_place, expected, plan, written: node })
    }

    /// What to say of a type that nobody knows.
    pub fn unknown_type(&self) -> String {
        let known = nearest(&self.kind, TYPES.iter().map(|known| known.name));
        let hint = known.map(|known| format!("; did you mean '{known}'?")).unwrap_or_default();
        format!("unknown spec-test type: {}{hint}", self.kind)
    }

    /// The case as it is written, as a value.
    pub fn written(&self) -> Value {
        self.written.to_value()
    }
}

impl Run {
    /// The rows that it asks, as reports name them.
    pub fn rows(&self) -> Vec<Row> {
        let row = |name: &str, path: &str, place: &Place| Row {
            name: name.to_owned(),
            path: path.to_owned(),
            place: place.clone(),
            malformed: false,
        };
        let exit_code = self.exit_code.iter().map(|exit| row("exit_code", "exit_code", &exit.place));
        exit_code
            .chain(self.clauses.iter().map(|clause| row(&clause.name, &clause.path, &clause.place)))
            .collect()
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
        let failure =
            Verdict::fail(message).expected("assertions that say what they seem to").actual(details);
        let mut judgement = Judgement::default();
        judgement.take(0, Ok(failure.into()));
        judgement
    }

    /// Judges what came of its work. `id` is that of the case, with which failures begin.
    pub fn judge(&self, id: &str, observed: &dyn Observed) -> Judgement {
        let mut judgement = Judgement::default();
        if let (Some(exit), Some(actual)) = (&self.exit_code, observed.exit_code())
            && exit.expected != actual
        {
            let last_words = observed.last_words().map(|words| format!("; {words}")).unwrap_or_default();
            let failure =
                Verdict::fail(format!("exit_code expected={} actual={actual}{last_words}", exit.expected))
                    .expected(exit.expected.to_string())
                    .actual(actual.to_string());
            let head = assert::head(id, "exit_code", "exit_code", "equal");
            judgement.take(0, Ok(assert::headed(failure, &head)));
        }
        let first = usize::from(self.exit_code.is_some());
        assert::judge(id, &self.clauses, self.work.budget(), observed, first, &mut judgement);
        judgement
    }
}

/// Reads the parts of a case, and keeps what is wrong with them.
struct Reader<'a> {
    document: &'a Document,
    node: &'a Node,
    errors: Vec<Error>,
}

impl Reader<'_> {
    fn plan(mut self, settings: &Settings, block: std::ops::Range<usize>) -> Plan {
        let requires: Requires = self.optional("requires").unwrap_or_default();
        let missing =
            requires.capabilities.into_iter().filter(|asked| !capabilities().any(|known| known == asked));
        let missing: Vec<String> = missing.collect();
        if !missing.is_empty() {
            // What it says may be said in words that only a runner with these capabilities knows.
            let skips = requires.when_missing == WhenMissing::Skip;
            return Plan::Missing(Missing { capabilities: missing, skips });
        }
        for key in ["title", "purpose"] {
            self.optional::<String>(key);
        }
        let written = self.node.get("type").map(|kind| (kind, kind.as_str()));
        let kind = match written {
            Some((_, Some(name))) => Type::named(name),
            Some((kind, None)) => return self.refuse("'type' must be a text", kind.span.clone()),
            None => {
                let start = self.node.span.start;
                return self.refuse("'type' is missing", start..start);
            }
        };
        self.keys(kind);
        let mode = self.health_mode().unwrap_or(settings.health);
        let Some(kind) = kind else {
            return if self.errors.is_empty() { Plan::UnknownType } else { self.malformed() };
        };
        let work = self.work(kind);
        let clauses = self.clauses(kind);
        self.errors.extend(clause::errors(&clauses).into_iter().cloned());
        match work {
            Some(work) if self.errors.is_empty() => {
                let exit_code = self.exit_code(&work);
                let health = self.health(mode, &work, block);
                Plan::Run(Box::new(Run { work, health, exit_code, clauses }))
            }
            _ => self.malformed(),
        }
    }

    fn malformed(mut self) -> Plan {
        self.errors.sort_by_key(Error::offset);
        Plan::Malformed(self.errors)
    }

    fn refuse(mut self, message: &str, span: std::ops::Range<usize>) -> Plan {
        self.errors.push(self.document.malformed(message, span));
        self.malformed()
    }

    /// Checks that every key is known: of a case, of this type of case, and of its harness.
    fn keys(&mut self, kind: Option<&Type>) {
        let (keys, harness_keys) =
            kind.map_or((&[][..], &[][..]), |kind| ((kind.keys)(), (kind.harness_keys)()));
        let known = |key: &str| COMMON.contains(&key) || keys.contains(&key) || key.starts_with("x-");
        let unknown: Vec<&Member> = self.node.members().iter().filter(|member| !known(&member.key)).collect();
        let (misplaced, unknown): (Vec<&Member>, Vec<&Member>) =
            unknown.into_iter().partition(|member| harness_keys.contains(&member.key.as_str()));
        if let Some(first) = misplaced.first() {
            let message = format!("move harness-only keys under 'harness:': {}", listed(&misplaced));
            self.errors.push(self.document.malformed(message, first.key_span.clone()));
        }
        let own = keys.iter().filter(|key| !COMMON.contains(key));
        // Of a type that nobody knows nobody knows the keys.
        for member in unknown.into_iter().filter(|_| kind.is_some()) {
            let hint = hint(&member.key, COMMON.iter().chain(own.clone()).copied());
            let message = format!("unknown key '{}'; {hint}", visible(&member.key));
            self.errors.push(self.document.malformed(message, member.key_span.clone()));
        }
        let harness = self.node.get("harness").filter(|_| kind.is_some());
        let unsupported: Vec<&Member> = harness.map_or(&[][..], Node::members).iter().collect();
        let unsupported: Vec<&Member> =
            unsupported.into_iter().filter(|member| !harness_keys.contains(&member.key.as_str())).collect();
        if let Some(first) = unsupported.first() {
            let hint = hint(&first.key, harness_keys.iter().copied());
            let message = format!("unsupported harness key(s): {}; {hint}", listed(&unsupported));
            self.errors.push(self.document.malformed(message, first.key_span.clone()));
        }
    }

    /// What the case says beyond what every case says.
    fn work(&mut self, kind: &Type) -> Option<Work> {
        let own = |member: &&Member| (kind.keys)().contains(&member.key.as_str());
        let members = self.node.members().iter().filter(own).map(|member| match member.key.as_str() {
            "harness" => {
                let known = |inner: &&Member| (kind.harness_keys)().contains(&inner.key.as_str());
                match &member.value.content {
                    Content::Map(inner) => {
                        let known = inner.iter().filter(known).cloned().collect();
                        let value = Node { span: member.value.span.clone(), content: Content::Map(known) };
                        Member { value, ..member.clone() }
                    }
                    Content::Scalar(_) | Content::List(_) => member.clone(),
                }
            }
            _ => member.clone(),
        });
        let own = Node { span: self.node.span.clone(), content: Content::Map(members.collect()) };
        (kind.read)(&own).map_err(|mistake| self.keep(mistake)).ok()
    }

    fn clauses(&mut self, kind: &'static Type) -> Vec<Clause<Leaf>> {
        match self.node.get("assert") {
            None => Vec::new(),
            Some(assert) => assert::compile(self.document, kind, assert),
        }
    }

    fn exit_code(&self, work: &Work) -> Option<ExitCode> {
        let Work::CliRun(run) = work else { return None };
        let written = self.node.members().iter().find(|member| member.key == "exit_code");
        let start = self.node.span.start;
        let span = written.map_or(start..start, |member| member.key_span.clone());
        Some(ExitCode { expected: run.exit_code.unwrap_or_default(), place: self.document.place(Some(span)) })
    }

    /// What the case itself says about its assertions' health.
    fn health_mode(&mut self) -> Option<Mode> {
        let written = self.node.get("assert_health")?;
        for member in written.members().iter().filter(|member| member.key != "mode") {
            let message = format!("unknown key '{}' in assert_health; it takes mode", visible(&member.key));
            self.errors.push(self.document.malformed(message, member.key_span.clone()));
        }
        let Content::Map(_) = written.content else {
            let message = format!("assert_health is an object with 'mode', not {}", written.kind_name());
            self.errors.push(self.document.malformed(message, written.span.clone()));
            return None;
        };
        let mode = written.get("mode")?;
        let known = mode.as_str().and_then(Mode::named);
        if known.is_none() {
            let names = Mode::ALL.map(Mode::name).join(", ");
            let message = format!("assert_health.mode must be one of: {names}");
            self.errors.push(self.document.malformed(message, mode.span.clone()));
        }
        known
    }

    fn health(&self, mode: Mode, work: &Work, block: std::ops::Range<usize>) -> Health {
        if mode == Mode::Ignore {
            return Health::default();
        }
        let (states_exit_code, own_fence) = match work {
            Work::CliRun(run) => (run.exit_code.is_some(), None),
            Work::TextFile(file) => (false, file.path.is_none().then_some(block)),
            Work::ApiHttp(_) => (false, None),
        };
        let examined = Examined {
            document: self.document,
            case: self.node,
            assert: self.node.get("assert"),
            states_exit_code,
            own_fence,
        };
        Health { mode, findings: examined.findings() }
    }

    /// The value of a key, where it is written and right.
    fn optional<T: DeserializeOwned>(&mut self, key: &str) -> Option<T> {
        let member = self.node.members().iter().find(|member| member.key == key)?;
        let read = T::deserialize(&member.value);
        read.map_err(|mistake| self.keep(mistake.within(&member.value.span).under(key))).ok()
    }

    fn keep(&mut self, mistake: Mistake) {
        self.errors.push(self.document.error(mistake.in_vocabulary(&[])));
    }
}

fn listed(members: &[&Member]) -> String {
    members.iter().map(|member| visible(&member.key).into_owned()).collect::<Vec<_>>().join(", ")
}

fn hint<'k>(key: &str, known: impl Iterator<Item = &'k str> + Clone) -> String {
    match nearest(key, known.clone()) {
        Some(nearest) => format!("did you mean '{nearest}'?"),
        None => format!("there are {}", known.collect::<Vec<_>>().join(", ")),
    }
}

/// Every capability of this runner: the types that it knows, and what it can do beside.
pub fn capabilities() -> impl Iterator<Item = &'static str> {
    TYPES.iter().map(|kind| kind.name).chain(ABILITIES)
}
