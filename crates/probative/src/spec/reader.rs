//! Reading a case whole: its keys, its harness, every assertion, before anything is done.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::assert::{self, Leaf};
use super::case::{ExitCode, Missing, Plan, Run, Settings};
use super::claims::{self, Claim};
use super::conformance::Expected;
use super::health::{Examined, Health, Mode};
use super::types::{Source, TYPES, Type, Work};
use crate::clause::{self, Clause};
use crate::document::{Content, Document, Member, Mistake, Node, fields, nearest};
use crate::trials;
use crate::value::{Value, visible};
use crate::verdict::{Error, Place};

/// What every case says. Each part is read on its own, where its place is known; this gives the keys and their schema.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "nothing is read as a whole")]
pub(super) struct Common {
    /// Identifier of the case; unique within a run.
    #[schemars(length(min = 1))]
    id: String,
    /// Type of the case: `cli.run`, `agent.run`, …
    r#type: String,
    /// Short description, shown in reports.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    title: String,
    /// Reason for the case; documentation only.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    purpose: String,
    /// Assertions: a list, all of which must hold, or one group.
    #[serde(default)]
    #[schemars(with = "Value")]
    assert: IgnoredAny,
    /// Handling of assertion health findings: ignore, warn or error.
    #[serde(default)]
    assert_health: WrittenHealth,
    /// Expected outcome, for conformance cases that test a runner.
    #[serde(default)]
    expect: Expected,
    /// Capabilities that the runner must have.
    #[serde(default)]
    requires: Requires,
    /// Number of runs, and how many of them must pass.
    #[serde(default)]
    trials: trials::Plan,
    /// Settings for running the case: entrypoint, environment, limits.
    #[serde(default)]
    #[schemars(with = "Value")]
    harness: IgnoredAny,
}

/// Handling of assertion health findings.
// Read by hand, so that a wrong mode is reported as other runners report it.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct WrittenHealth {
    /// Ignore findings, warn about them, or treat them as errors.
    mode: Mode,
}

/// The keys of every case.
pub fn common() -> &'static [&'static str] {
    fields::<Common>()
}

/// What this runner can do beside the types that it knows.
const ABILITIES: [&str; 2] = ["evaluate.spec_lang.v1", "assert_health"];

/// Capabilities that a case requires.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Requires {
    /// Required case types and other capabilities.
    capabilities: Vec<String>,
    /// Outcome of the case if a capability is missing.
    when_missing: WhenMissing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum WhenMissing {
    Skip,
    #[default]
    Fail,
}

/// Reads the parts of a case, and keeps what is wrong with them.
pub(super) struct Reader<'a> {
    document: &'a Document,
    node: &'a Node,
    errors: Vec<Error>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(document: &'a Document, node: &'a Node) -> Reader<'a> {
        Reader { document, node, errors: Vec::new() }
    }

    /// What is to be done about the case.
    pub(super) fn plan(mut self, settings: &Settings) -> Plan {
        let requires: Requires = self.optional("requires").unwrap_or_default();
        let written = self.node.get("requires").and_then(|requires| requires.get("capabilities"));
        let nodes = match written.map(|written| &written.content) {
            Some(Content::List(nodes)) => nodes.as_slice(),
            _ => &[],
        };
        let missing = requires.capabilities.into_iter().zip(nodes);
        let (missing, places): (Vec<String>, Vec<Place>) = missing
            .filter(|(asked, _)| !capabilities().any(|known| known == asked))
            .map(|(asked, node)| (asked, self.document.place(Some(node.span.clone()))))
            .unzip();
        for key in ["title", "purpose"] {
            self.optional::<String>(key);
        }
        let written = self.node.get("type").map(|kind| (kind, kind.as_str()));
        let (kind, kind_place) = match written {
            Some((kind, Some(name))) => (Type::named(name), self.document.place(Some(kind.span.clone()))),
            Some((kind, None)) => return self.refuse("'type' must be a string", kind.span.clone()),
            None => {
                let start = self.node.span.start;
                return self.refuse("'type' is missing", start..start);
            }
        };
        if !missing.is_empty() && self.errors.is_empty() {
            // What it says may be said in words that only a runner with these capabilities knows.
            let skips = requires.when_missing == WhenMissing::Skip;
            return Plan::Missing(Missing { capabilities: missing, places, skips });
        }
        self.keys(kind);
        let mode = self.health_mode().unwrap_or(settings.health);
        let Some(kind) = kind else {
            return if self.errors.is_empty() { Plan::UnknownType(kind_place) } else { self.malformed() };
        };
        let trials = self.optional::<trials::Plan>("trials");
        let work = self.work(kind);
        let is_written = matches!(&work, Some(Work::Agent(agent)) if agent.source() == Source::Written);
        if let Some(trials) = self.node.get("trials").filter(|_| is_written) {
            let message =
                "trials: needs an agent to run, or a recording per trial, but this case contains its subject";
            self.errors.push(self.document.malformed(message, trials.span.clone()));
        }
        let clauses = self.clauses(kind);
        let claims = self.claims(kind);
        self.errors.extend(clause::errors(&clauses).into_iter().cloned());
        match work {
            Some(work) if self.errors.is_empty() => {
                let exit_code = self.exit_code(&work);
                let health = self.health(mode, &work);
                Plan::Run(Box::new(Run { trials, exit_code, clauses, claims, ..Run::new(work, health) }))
            }
            _ => self.malformed(),
        }
    }

    fn malformed(mut self) -> Plan {
        self.errors.sort_by_key(Error::offset);
        Plan::Malformed(self.errors)
    }

    fn refuse(mut self, message: &str, span: Range<usize>) -> Plan {
        self.errors.push(self.document.malformed(message, span));
        self.malformed()
    }

    /// Checks that every key is known: of a case, of this type of case, and of its harness.
    fn keys(&mut self, kind: Option<&Type>) {
        let (keys, harness_keys) =
            kind.map_or((&[][..], &[][..]), |kind| ((kind.keys)(), (kind.harness_keys)()));
        let known = |key: &str| common().contains(&key) || keys.contains(&key) || key.starts_with("x-");
        let unknown: Vec<&Member> = self.node.members().iter().filter(|member| !known(&member.key)).collect();
        let (misplaced, unknown): (Vec<&Member>, Vec<&Member>) =
            unknown.into_iter().partition(|member| harness_keys.contains(&member.key.as_str()));
        if let Some(first) = misplaced.first() {
            let message = format!("move harness-only keys under 'harness:': {}", listed(&misplaced));
            self.errors.push(self.document.malformed(message, first.key_span.clone()));
        }
        let own = keys.iter().filter(|key| !common().contains(key));
        // Of a type that nobody knows nobody knows the keys.
        for member in unknown.into_iter().filter(|_| kind.is_some()) {
            let hint = hint(&member.key, common().iter().chain(own.clone()).copied());
            let message = format!("unknown key '{}'; {hint}", visible(&member.key));
            self.errors.push(self.document.malformed(message, member.key_span.clone()));
        }
        let harness = self.node.get("harness").filter(|_| kind.is_some());
        let unsupported: Vec<&Member> = harness.map_or(&[][..], Node::members).iter().collect();
        let unsupported: Vec<&Member> =
            unsupported.into_iter().filter(|member| !harness_keys.contains(&member.key.as_str())).collect();
        if let Some(first) = unsupported.first() {
            let hints =
                unsupported.iter().filter_map(|member| nearest(&member.key, harness_keys.iter().copied()));
            let hints: Vec<String> = hints.map(|key| format!("'{key}'")).collect();
            let hint = match hints.as_slice() {
                [] => format!("expected one of: {}", harness_keys.join(", ")),
                hints => format!("did you mean {}?", hints.join(", ")),
            };
            let message = format!("unsupported harness key(s): {}; {hint}", listed(&unsupported));
            self.errors.push(self.document.malformed(message, first.key_span.clone()));
        }
    }

    /// What the case says beyond what every case says.
    fn work(&mut self, kind: &Type) -> Option<Work> {
        let (keys, harness_keys) = ((kind.keys)(), (kind.harness_keys)());
        let own = |member: &&Member| keys.contains(&member.key.as_str());
        let members = self.node.members().iter().filter(own).map(|member| match member.key.as_str() {
            "harness" => {
                let known = |inner: &&Member| harness_keys.contains(&inner.key.as_str());
                match &member.value.content {
                    Content::Map(inner) => {
                        let known = inner.iter().filter(known).cloned().collect();
                        let value = Node { span: member.value.span.clone(), content: Content::Map(known) };
                        Member { value, ..member.clone() }
                    }
                    _ => member.clone(),
                }
            }
            _ => member.clone(),
        });
        let mut own = Node { span: self.node.span.clone(), content: Content::Map(members.collect()) };
        for keys in kind.verbatim {
            as_written(&mut own, keys, &self.document.text);
        }
        (kind.read)(kind, &own).map_err(|mistake| self.keep(mistake)).ok()
    }

    fn clauses(&mut self, kind: &'static Type) -> Vec<Clause<Leaf>> {
        match self.node.get("assert") {
            None => Vec::new(),
            Some(assert) => assert::compile(self.document, kind, assert),
        }
    }

    /// What the case says must be so if the agent says so.
    fn claims(&mut self, kind: &'static Type) -> Vec<Claim> {
        let written = self.node.get("claims").filter(|_| (kind.keys)().contains(&"claims"));
        let compiled = written.map_or(Ok(Vec::new()), |claims| claims::compile(self.document, kind, claims));
        compiled.unwrap_or_else(|mut errors| {
            self.errors.append(&mut errors);
            Vec::new()
        })
    }

    fn exit_code(&self, work: &Work) -> Option<ExitCode> {
        if !work.has_exit_code() {
            return None;
        }
        let expected = work.stated_exit_code().unwrap_or_default();
        let written = self.node.members().iter().find(|member| member.key == "exit_code");
        let start = self.node.span.start;
        let span = written.map_or(start..start, |member| member.key_span.clone());
        Some(ExitCode { expected, place: self.document.place(Some(span)) })
    }

    /// What the case itself says about its assertions' health.
    fn health_mode(&mut self) -> Option<Mode> {
        let written = self.node.get("assert_health")?;
        for member in written.members().iter().filter(|member| member.key != "mode") {
            let message = format!("unknown key '{}' in assert_health; expected 'mode'", visible(&member.key));
            self.errors.push(self.document.malformed(message, member.key_span.clone()));
        }
        let Content::Map(_) = written.content else {
            let message =
                format!("'assert_health' must be an object with 'mode', not {}", written.kind_name());
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

    fn health(&self, mode: Mode, work: &Work) -> Health {
        if mode == Mode::Ignore {
            return Health::default();
        }
        let own_part = match work {
            Work::TextFile(file) => file.path.is_none().then(|| self.node.span.clone()),
            Work::CliRun(_) | Work::ApiHttp(_) | Work::Agent(_) | Work::Conversation(_) => None,
        };
        let has_claims = self
            .node
            .get("claims")
            .is_some_and(|claims| !matches!(&claims.content, Content::List(items) if items.is_empty()));
        let examined = Examined {
            document: self.document,
            case: self.node,
            assert: self.node.get("assert"),
            asks_otherwise: work.stated_exit_code().is_some() || has_claims,
            own_part,
        };
        Health { mode, findings: examined.findings() }
    }

    /// The value of a key, where it is written and right.
    pub(super) fn optional<T: DeserializeOwned>(&mut self, key: &str) -> Option<T> {
        let member = self.node.members().iter().find(|member| member.key == key)?;
        let read = T::deserialize(&member.value);
        read.map_err(|mistake| self.keep(mistake.within(&member.value.span).under(key))).ok()
    }

    fn keep(&mut self, mistake: Mistake) {
        self.errors.push(self.document.error(mistake.in_vocabulary(&[])));
    }
}

/// Makes texts of the numbers and booleans under some keys, as they stand in the document.
fn as_written(node: &mut Node, keys: &[&str], text: &str) {
    let (inner, rest): (Vec<&mut Node>, &[&str]) = match (&mut node.content, keys) {
        (Content::Scalar(scalar @ (Value::Number(_) | Value::Bool(_))), []) => {
            if let Some(written) = text.get(node.span.clone()) {
                *scalar = written.into();
            }
            return;
        }
        (Content::Scalar(_) | Content::Deep(_), _) => return,
        (Content::Map(members), [key, rest @ ..]) => {
            let found = members.iter_mut().filter(|member| member.key == *key);
            (found.map(|member| &mut member.value).collect(), rest)
        }
        (Content::Map(members), []) => (members.iter_mut().map(|member| &mut member.value).collect(), keys),
        (Content::List(items), _) => (items.iter_mut().collect(), keys),
    };
    for inner in inner {
        as_written(inner, rest, text);
    }
}

fn listed(members: &[&Member]) -> String {
    members.iter().map(|member| visible(&member.key).into_owned()).collect::<Vec<_>>().join(", ")
}

fn hint<'k>(key: &str, known: impl Iterator<Item = &'k str> + Clone) -> String {
    match nearest(key, known.clone()) {
        Some(nearest) => format!("did you mean '{nearest}'?"),
        None => format!("expected one of: {}", known.collect::<Vec<_>>().join(", ")),
    }
}

/// Every capability of this runner: the types that it knows, and what it can do beside.
pub fn capabilities() -> impl Iterator<Item = &'static str> {
    TYPES.iter().map(|kind| kind.name).chain(ABILITIES)
}
