//! Suites: tests of one agent, `*.tests.json`.

mod schema;

use std::sync::Arc;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;

pub use schema::schema;

use super::case::{Case, Plan, Run, Settings};
use super::health::{Finding, Health, Mode};
use super::turns::Expectation;
use super::types::{Conversation, Turn, Work};
use crate::clause;
use crate::document::{Content, Document, Member, Mistake, Node};
use crate::question;
use crate::response::ResponseAssertion;
use crate::value::{Value, visible};
use crate::verdict::Error;
use crate::vocabulary::Vocabulary as _;

/// The suite that a test belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suite {
    /// Its key.
    pub key: String,
    /// What people call it.
    pub name: Option<String>,
    /// How much its tests matter, in words of whoever wrote it.
    pub priority: Option<String>,
}

/// Test suites for one agent.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WrittenFile {
    /// Name of the agent in `probative.toml`.
    #[serde(rename = "agent")]
    _agent: Option<String>,
    /// Ignored.
    #[serde(default, rename = "version")]
    #[schemars(with = "Value")]
    _version: IgnoredAny,
    /// Description of the file; ignored.
    #[serde(default, rename = "description")]
    #[schemars(with = "Value")]
    _description: IgnoredAny,
    /// Ignored.
    #[serde(default, rename = "metadata")]
    #[schemars(with = "Value")]
    _metadata: IgnoredAny,
    /// Suites by key.
    #[serde(rename = "test_suites")]
    #[schemars(schema_with = "schema::suites")]
    _test_suites: IndexMap<String, IgnoredAny>,
}

/// A group of tests.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WrittenSuite {
    /// Name of the suite, shown in reports.
    #[serde(rename = "name")]
    _name: Option<String>,
    /// Priority of the suite, shown in reports.
    #[serde(default, rename = "priority")]
    _priority: Option<Value>,
    /// Description of the suite; ignored.
    #[serde(default, rename = "description")]
    #[schemars(with = "Value")]
    _description: IgnoredAny,
    /// Tests of the suite.
    #[serde(rename = "tests")]
    #[schemars(schema_with = "schema::tests")]
    _tests: Vec<IgnoredAny>,
}

/// A test: one call of the agent, or several steps.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WrittenTest {
    /// Identifier of the test; unique within a run.
    #[serde(rename = "id")]
    #[schemars(with = "String", length(min = 1))]
    _id: IgnoredAny,
    /// Short description, shown in reports.
    #[serde(rename = "name")]
    _name: Option<String>,
    /// Longer description; ignored.
    #[serde(default, rename = "description")]
    #[schemars(with = "Value")]
    _description: IgnoredAny,
    /// Input passed to the agent as JSON.
    #[serde(default)]
    input: Value,
    /// Assertions about the response.
    #[serde(default, rename = "expect")]
    #[schemars(schema_with = "schema::asked")]
    _expect: IgnoredAny,
    /// Steps, in order: one call of the agent each.
    #[serde(default, rename = "multi_step")]
    #[schemars(schema_with = "schema::steps")]
    _multi_step: IgnoredAny,
    /// Condition for skipping the test: `true`, or a name given with `--condition`.
    skip_if: Option<SkipIf>,
}

/// A step of a test: one call of the agent.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WrittenStep {
    /// Name of the step.
    #[serde(default, deserialize_with = "crate::argument::present")]
    step: Option<Value>,
    /// Input passed to the agent as JSON.
    #[serde(default)]
    input: Value,
    /// Name under which the response is stored for later steps.
    store: Option<String>,
    /// Assertions about the response.
    #[serde(default, rename = "expect")]
    #[schemars(schema_with = "schema::asked")]
    _expect: IgnoredAny,
}

/// Condition for skipping a test.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum SkipIf {
    /// Skip always or never.
    Always(bool),
    /// Skip if this condition is given with `--condition`.
    Condition(String),
}

/// Reads the tests of a document. What is wrong with one of them is its own matter; what is wrong around them is told in
/// `errors`.
pub(super) fn read(
    document: &Document,
    root: &Node,
    settings: &Settings,
    errors: &mut Vec<Error>,
) -> Vec<Case> {
    let told = |mistake: Mistake, span| document.error(mistake.within(span).in_vocabulary(&[]));
    // A mistake around the tests is reported; the tests themselves are still read.
    if let Err(mistake) = WrittenFile::deserialize(&without_notes(root)) {
        errors.push(told(mistake, &root.span));
    }
    let text = |node: &Node, key: &str| node.get(key).and_then(Node::as_str).map(str::to_owned);
    let agent: Option<Arc<str>> = text(root, "agent").map(Arc::from);
    let mut cases = Vec::new();
    for Member { key, value, .. } in root.get("test_suites").map(Node::members).unwrap_or_default() {
        if let Err(mistake) = WrittenSuite::deserialize(&without_notes(value)) {
            errors.push(told(mistake.under(&visible(key)).under("test_suites"), &value.span));
        }
        let priority = value.get("priority").map(Node::to_value).and_then(|priority| match priority {
            Value::String(text) => Some(text),
            Value::Null => None,
            other => Some(other.to_string()),
        });
        let suite = Arc::new(Suite { key: key.clone(), name: text(value, "name"), priority });
        let Some(Content::List(tests)) = value.get("tests").map(|tests| &tests.content) else { continue };
        for test in tests {
            let reader = Reader { document, agent: &agent, suite: &suite, settings };
            match reader.case(test) {
                Ok(case) => cases.push(case),
                Err(error) => errors.push(error),
            }
        }
    }
    cases
}

/// The same without the keys that are anybody's own.
fn without_notes(node: &Node) -> Node {
    let Content::Map(members) = &node.content else { return node.clone() };
    let kept = members.iter().filter(|member| !member.key.starts_with("x-")).cloned().collect();
    Node { span: node.span.clone(), content: Content::Map(kept) }
}

struct Reader<'a> {
    document: &'a Document,
    agent: &'a Option<Arc<str>>,
    suite: &'a Arc<Suite>,
    settings: &'a Settings,
}

impl Reader<'_> {
    fn case(&self, test: &Node) -> Result<Case, Error> {
        let kind = ResponseAssertion::TYPE.to_owned();
        let mut case = Case::named(self.document, test, kind)?;
        case.suite = Some(Arc::clone(self.suite));
        case.title = test.get("name").and_then(Node::as_str).map(str::to_owned);
        case.plan = self.plan(test);
        case.written = test.clone();
        Ok(case)
    }

    fn plan(&self, test: &Node) -> Plan {
        let written = match WrittenTest::deserialize(&without_notes(test)) {
            Ok(written) => written,
            Err(mistake) => return Plan::Malformed(vec![self.error(mistake, test)]),
        };
        let skipped = match written.skip_if {
            Some(SkipIf::Always(true)) => Some("skip_if is true".to_owned()),
            Some(SkipIf::Condition(name)) if self.settings.conditions.contains(&name) => {
                Some(format!("skip_if: {}", visible(&name)))
            }
            _ => None,
        };
        let turns = match (test.get("expect"), test.get("multi_step")) {
            (Some(_), Some(steps)) => Err(vec![
                self.document
                    .malformed("a test takes 'expect' or 'multi_step', not both", steps.span.clone()),
            ]),
            (expect, None) => {
                let turn = Turn { step: None, input: written.input };
                self.expectation(expect, None, "expect").map(|expectation| vec![(turn, expectation)])
            }
            (None, Some(steps)) => self.steps(steps),
        };
        match (turns, skipped) {
            (Err(errors), _) => Plan::Malformed(errors),
            (Ok(_), Some(reason)) => Plan::Skipped(reason),
            (Ok(turns), None) => {
                let (turns, expectations): (Vec<_>, Vec<_>) = turns.into_iter().unzip();
                let asks_nothing = expectations.iter().all(|expectation| expectation.clauses.is_empty());
                let mode = self.settings.health;
                let is_looked_at = asks_nothing && mode != Mode::Ignore;
                let finding = is_looked_at.then(|| Finding::nothing(self.document, test, "expect"));
                let health = Health { mode, findings: finding.into_iter().collect() };
                let agent = self.agent.as_deref().map(str::to_owned);
                let work = Work::Conversation(Box::new(Conversation { agent, turns }));
                Plan::Run(Box::new(Run::of_turns(work, health, expectations)))
            }
        }
    }

    fn steps(&self, steps: &Node) -> Result<Vec<(Turn, Expectation)>, Vec<Error>> {
        let Content::List(items) = &steps.content else {
            let message = format!("'multi_step' must be a list of steps, not {}", steps.kind_name());
            return Err(vec![self.document.malformed(message, steps.span.clone())]);
        };
        if items.is_empty() {
            return Err(vec![self.document.malformed("'multi_step' must not be empty", steps.span.clone())]);
        }
        let (mut turns, mut errors) = (Vec::new(), Vec::new());
        for (index, item) in items.iter().enumerate() {
            let path = format!("multi_step[{index}]");
            let step = match WrittenStep::deserialize(&without_notes(item)) {
                Ok(step) => step,
                Err(mistake) => {
                    errors.push(self.error(mistake.under(&path), item));
                    continue;
                }
            };
            let label = match step.step {
                Some(Value::String(text)) => text,
                Some(other) => other.to_string(),
                None => (index + 1).to_string(),
            };
            if turns.iter().any(|(turn, _): &(Turn, Expectation)| turn.step.as_ref() == Some(&label)) {
                let message = format!("{path}: duplicate step '{}'", visible(&label));
                errors.push(self.document.malformed(message, item.span.clone()));
            }
            let turn = Turn { step: Some(label), input: step.input };
            match self.expectation(item.get("expect"), step.store, &format!("{path}.expect")) {
                Ok(expectation) => turns.push((turn, expectation)),
                Err(mut wrong) => errors.append(&mut wrong),
            }
        }
        if errors.is_empty() { Ok(turns) } else { Err(errors) }
    }

    fn expectation(
        &self,
        expect: Option<&Node>,
        store: Option<String>,
        path: &str,
    ) -> Result<Expectation, Vec<Error>> {
        let Some(expect) = expect else { return Ok(Expectation { store, clauses: Vec::new() }) };
        let mut clauses =
            question::clauses::<ResponseAssertion>(self.document, expect).map_err(|error| vec![error])?;
        let errors: Vec<Error> = clause::errors(&clauses).into_iter().cloned().collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        for clause in &mut clauses {
            let joint = if clause.path.starts_with('[') { "" } else { "." };
            clause.path = format!("{path}{joint}{}", clause.path);
        }
        Ok(Expectation { store, clauses })
    }

    fn error(&self, mistake: Mistake, node: &Node) -> Error {
        self.document.error(mistake.within(&node.span).in_vocabulary(&[]))
    }
}
