//! What is wrong with a case about an agent as a whole, where each part is right.

use super::super::{Target, Type, Written};
use super::{Agent, AgentCase, AgentHarness, Source};
use crate::document::{Content, Mistake, Node, fields};
use crate::value::{Malformed, visible};
use crate::vocabularies::{About, Speaker};
use crate::vocabulary::Vocabulary;

impl Written for AgentCase {
    type Harness = AgentHarness;

    const VERBATIM: &'static [&'static [&'static str]] =
        &[&["harness", "argv"], &["harness", "env"], &["harness", "headers"]];

    fn check(&self, kind: &Type, case: &Node) -> Result<(), Mistake> {
        let Type { name, targets, .. } = *kind;
        let foreign = About::ALL
            .iter()
            .map(|about| about.subject())
            .find(|key| case.get(key).is_some() && !kind.takes(key));
        if let Some(foreign) = foreign {
            let member = case.members().iter().find(|member| member.key == foreign);
            let own = targets.first().map_or("", |target| target.name);
            let message =
                format!("unknown key '{foreign}'; {name} takes only '{own}'; use type agent.run for both");
            return Err(Mistake::at(
                message,
                member.map_or(case.span.clone(), |found| found.key_span.clone()),
            ));
        }
        self.one_source(case, targets)?;
        self.readable(case)?;
        self.all_used(kind, case)?;
        let harness = |key: &str| {
            let written = case.get("harness").and_then(|harness| harness.get(key));
            written.map_or(case.span.start..case.span.start, |node| node.span.clone())
        };
        match self.source() {
            Source::Recorded(file) if !file.is_relative() => {
                let at = case.get("file").unwrap_or(case).span.clone();
                Err(Mistake::at(format!("{name} file must be relative"), at))
            }
            Source::Run(Agent::Server(url)) if !is_http(url) => {
                let message =
                    format!("harness.url must begin with http:// or https://, not '{}'", visible(url));
                Err(Mistake::at(message, harness("url")))
            }
            Source::Run(Agent::Command(entrypoint)) => self.command(entrypoint).check(kind, case),
            Source::Run(_) => self.command("agent").check(kind, case),
            Source::Recorded(_) | Source::Written => Ok(()),
        }
    }
}

impl AgentCase {
    /// That there is one source of the subject, and only one.
    fn one_source(&self, case: &Node, targets: &[Target]) -> Result<(), Mistake> {
        let AgentHarness { agent, entrypoint, url, .. } = &self.harness;
        let inline = self.written().next().map(|(about, _)| about.subject());
        let given = [
            self.file.is_some().then_some("file"),
            inline,
            agent.is_some().then_some("harness.agent"),
            entrypoint.is_some().then_some("harness.entrypoint"),
            url.is_some().then_some("harness.url"),
        ];
        let given: Vec<&str> = given.into_iter().flatten().collect();
        let start = case.span.start..case.span.start;
        match given.as_slice() {
            [_] => Ok(()),
            [] => {
                let own = targets.iter().filter(|target| target.form.words().is_some());
                let own: Vec<String> = own.map(|target| format!("'{}'", target.name)).collect();
                let message = format!(
                    "the case has no subject: set 'file', {}, or an agent to run \
                     (harness.entrypoint, harness.url or harness.agent)",
                    own.join(", ")
                );
                Err(Mistake::at(message, start))
            }
            several => {
                let message = format!("the case has several subjects; keep one of: {}", several.join(", "));
                Err(Mistake::at(message, start))
            }
        }
    }
}

impl AgentCase {
    /// That what stands in the case is what its key says.
    fn readable(&self, case: &Node) -> Result<(), Mistake> {
        for (about, value) in self.written() {
            let Err(malformed) = about.speak(Readable(value.to_string().as_bytes())) else { continue };
            let written = case.get(about.subject()).unwrap_or(case);
            let path = malformed.message.split(": ").next().unwrap_or_default();
            let at = nearest_to(written, path).span.clone();
            return Err(Mistake::at(format!("{}: {}", about.subject(), malformed.message), at));
        }
        Ok(())
    }

    /// That nothing is written that has no effect.
    fn all_used(&self, kind: &Type, case: &Node) -> Result<(), Mistake> {
        let key = |node: &Node, key: &str| {
            let member = node.members().iter().find(|member| member.key == key);
            member.map_or(node.span.clone(), |member| member.key_span.clone())
        };
        let harness = case.get("harness").unwrap_or(case);
        if case.get("scope").is_some() && !kind.takes("scope") {
            let message = format!("unknown key 'scope'; {} has no steps", kind.name);
            return Err(Mistake::at(message, key(case, "scope")));
        }
        let written = |names: &[&'static str]| names.iter().copied().find(|name| harness.get(name).is_some());
        match self.source() {
            Source::Recorded(_) | Source::Written if self.exit_code.is_some() => Err(Mistake::at(
                "exit_code: needs an agent to run, but this case judges a recording",
                key(case, "exit_code"),
            )),
            Source::Recorded(_) | Source::Written => {
                let idle = fields::<AgentHarness>().iter().copied().filter(|name| *name != "spec_lang");
                match written(&idle.collect::<Vec<_>>()) {
                    Some(name) => Err(Mistake::at(
                        format!("harness.{name}: needs an agent to run, but this case judges a recording"),
                        key(harness, name),
                    )),
                    None => Ok(()),
                }
            }
            Source::Run(Agent::Command(_)) => match written(&["headers"]) {
                Some(name) => Err(Mistake::at(
                    format!("harness.{name} applies only to harness.url"),
                    key(harness, name),
                )),
                None => Ok(()),
            },
            Source::Run(Agent::Server(_)) => {
                if self.exit_code.is_some() {
                    return Err(Mistake::at("exit_code: a server has no exit code", key(case, "exit_code")));
                }
                match written(FOR_COMMANDS) {
                    Some(name) => Err(Mistake::at(
                        format!("harness.{name} applies only to harness.entrypoint"),
                        key(harness, name),
                    )),
                    None => Ok(()),
                }
            }
            Source::Run(Agent::Named(_)) => Ok(()),
        }
    }
}

/// The part of a node at a path such as `steps[1].step_type`, or as near to it as the path leads.
fn nearest_to<'n>(node: &'n Node, path: &str) -> &'n Node {
    let mut found = node;
    for step in path.split(['.', '[']) {
        let inner = match &found.content {
            Content::List(items) => {
                step.strip_suffix(']').and_then(|index| items.get(index.parse::<usize>().ok()?))
            }
            _ => found.get(step),
        };
        let Some(inner) = inner else { break };
        found = inner;
    }
    found
}

/// What makes sense only where a command is run.
const FOR_COMMANDS: &[&str] = &[
    "argv",
    "env",
    "cwd",
    "setup_files",
    "block_imports",
    "stub_modules",
    "hook_before",
    "hook_after",
    "hook_kwargs",
];

/// Whether some JSON is a subject.
struct Readable<'a>(&'a [u8]);

impl Speaker for Readable<'_> {
    type Answer = Result<(), Malformed>;

    fn speak<A: Vocabulary>(self) -> Self::Answer {
        A::read(self.0, &A::whole()).map(|_| ())
    }
}

fn is_http(url: &str) -> bool {
    let rest = ["http://", "https://"].iter().find_map(|scheme| {
        url.get(..scheme.len())
            .filter(|start| start.eq_ignore_ascii_case(scheme))
            .map(|_| &url[scheme.len()..])
    });
    rest.is_some_and(|rest| {
        !rest.is_empty() && !rest.contains(|part: char| part.is_whitespace() || part.is_control())
    })
}
