//! Claims: what an agent says in one place must be so in another.

mod carry;
mod names;
mod schema;
mod when;

use std::ops::Range;

use self::carry::Template;
pub(super) use self::schema::schema;
use self::when::{Moment, When};
use super::assert::{Asking, Leaf, Leaves};
use super::types::Type;
use crate::clause::{self, Clause, GROUPS, Judgement, Tree, has_group};
use crate::document::{Content, Document, Member, Node, nearest};
use crate::question::Fault;
use crate::value::visible;
use crate::verdict::{Error, ErrorKind, Evidence, Explanation, Failure, Origin, Place, Verdict};
use crate::vocabulary::Exercise;

const KEYS: [&str; 3] = ["name", "when", "then"];

/// How many values a claim is shown to be wrong for.
const VALUES_TOLD: usize = 5;

/// How many of them people read of.
const VALUES_LISTED: usize = 20;

/// One claim, compiled.
#[derive(Debug)]
pub(super) struct Claim {
    /// What people call it, or its path.
    pub(super) name: String,
    /// The name that the author gave it.
    pub(super) label: Option<String>,
    /// Where it stands in the case: `claims[0]`.
    pub(super) path: String,
    /// Where it stands in the document.
    pub(super) place: Place,
    kind: &'static Type,
    /// What the rest of it is asked of.
    pub(super) target: String,
    when: When,
    then: Template,
    /// What follows, compiled, where nothing is carried into it.
    plain: Option<Vec<Clause<Leaf>>>,
}

/// What came of asking a claim.
pub(super) struct Answer {
    pub(super) verdict: Result<Verdict, Error>,
    /// Whether the condition ever held, and what follows from it had anything to say no to.
    pub(super) exercise: Exercise,
}

/// Compiles what stands under `claims`, or says all that is wrong with it.
pub(super) fn compile(
    document: &Document,
    kind: &'static Type,
    claims: &Node,
) -> Result<Vec<Claim>, Vec<Error>> {
    let Content::List(items) = &claims.content else {
        let message =
            format!("'claims' must be a list of objects with 'when' and 'then', not {}", claims.kind_name());
        return Err(vec![document.malformed(message, claims.span.clone())]);
    };
    let (mut compiled, mut errors) = (Vec::new(), Vec::new());
    for (index, item) in items.iter().enumerate() {
        match Claim::compile(document, kind, item, format!("claims[{index}]")) {
            Ok(claim) => compiled.push(claim),
            Err(mut wrong) => errors.append(&mut wrong),
        }
    }
    if errors.is_empty() { Ok(compiled) } else { Err(errors) }
}

impl Claim {
    fn compile(
        document: &Document,
        kind: &'static Type,
        item: &Node,
        path: String,
    ) -> Result<Claim, Vec<Error>> {
        let one = |message: String, span| vec![document.malformed(format!("{path}: {message}"), span)];
        if let Some(unknown) = item.members().iter().find(|member| !KEYS.contains(&member.key.as_str())) {
            let Member { key, key_span, .. } = unknown;
            let hint = nearest(key, KEYS.into_iter()).map_or_else(
                || "expected one of: name, when, then".to_owned(),
                |known| format!("did you mean '{known}'?"),
            );
            return Err(one(format!("unknown key '{}'; {hint}", visible(key)), key_span.clone()));
        }
        let start = item.span.start..item.span.start;
        let (Some(when), Some(then)) = (item.get("when"), item.get("then")) else {
            return Err(one("a claim needs 'when' and 'then'".to_owned(), start));
        };
        let label = match item.get("name").map(|name| (name, name.as_str())) {
            None => None,
            Some((_, Some(name))) => Some(visible(name).into_owned()),
            Some((name, None)) => {
                let message = format!("'name' must be a string, not {}", name.kind_name());
                return Err(one(message, name.span.clone()));
            }
        };
        let name = label.clone().unwrap_or_else(|| path.clone());
        let when = When::compile(document, kind, when, &format!("{path}.when"))?;
        if !has_group(then) {
            let meant =
                |member: &Member| Some((member.key_span.clone(), nearest(&member.key, GROUPS.into_iter())?));
            let (span, hint) = match then.members().iter().find_map(|member| Some((member, meant(member)?))) {
                Some((member, (span, group))) => {
                    (span, format!("; found '{}', did you mean '{group}'?", visible(&member.key)))
                }
                None => (then.span.clone(), String::new()),
            };
            return Err(one(
                format!("'then' must be a group (must, can or cannot) with a target{hint}"),
                span,
            ));
        }
        let mut template =
            Template::of(then, when.offers()).map_err(|unknown| one(unknown.message, unknown.span))?;
        if !template.is_plain()
            && let Some(span) = computed_pattern(then)
        {
            let message = "with captured values in 'then', regex_match needs a literal pattern".to_owned();
            return Err(one(message, span));
        }
        let errors = |node: &Node| -> Vec<Error> {
            let clauses = follows(document, kind, node, &path);
            clause::errors(&clauses).into_iter().cloned().collect()
        };
        template.learn(|node| errors(node).len()).map_err(|span| {
            one("captured values can't be used here; only a literal is allowed".to_owned(), span)
        })?;
        let wrong = errors(&template.tried());
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let plain = template.is_plain().then(|| follows(document, kind, then, &path));
        let place = document.place(Some(start));
        let only = kind.only_target().map_or("several", |target| target.name);
        let target = then.get("target").and_then(Node::as_str).unwrap_or(only).to_owned();
        Ok(Claim { name, label, path, place, kind, target, when, then: template, plain })
    }

    /// Asks it. `id` is that of the case, with which failures begin.
    pub(super) fn judge(&self, id: &str, document: &Document, asking: &Asking<'_, '_>) -> Answer {
        let moments = match self.when.moments(asking) {
            Ok(moments) => moments,
            Err(error) => {
                let error = error.from_case(self.origin(id, "when")).within(&self.place);
                return Answer { verdict: Err(error), exercise: Exercise::Yes };
            }
        };
        let mut failures = Vec::new();
        let mut exercises = Vec::new();
        for moment in &moments {
            match self.at(moment, document, asking) {
                Ok(Followed::Exercise(exercise)) => exercises.push(exercise),
                Ok(Followed::Failed(failure)) => failures.push(*failure),
                Err(error) => {
                    let error = error.from_case(self.origin(id, "then")).within(&self.place);
                    return Answer { verdict: Err(error), exercise: Exercise::Yes };
                }
            }
        }
        if let Some(failure) = told(failures, moments.len()) {
            let failure = failure.from_case(self.origin(id, "then"));
            return Answer { verdict: Ok(failure.into()), exercise: Exercise::Yes };
        }
        let never = || Exercise::No("'when' never matched".to_owned());
        Answer { verdict: Ok(Verdict::Pass), exercise: Exercise::any(exercises).unwrap_or_else(never) }
    }

    /// Whether what must follow at one moment does.
    fn at(&self, moment: &Moment, document: &Document, asking: &Asking<'_, '_>) -> Result<Followed, Error> {
        if asking.is_stopped() {
            return Err(Error::new(ErrorKind::Exhausted("interrupted".to_owned())));
        }
        if let Some(clauses) = &self.plain {
            return follow(clauses, moment, asking);
        }
        let cannot_be_asked = |why: &str| {
            let message = format!("{}, but 'then' can't be checked with it: {why}", moment.said);
            Error::new(ErrorKind::Unobtainable(message))
        };
        if let Some(group) = self.then.misses(&moment.carried) {
            return Err(cannot_be_asked(&format!("${group} captured nothing")));
        }
        if let Some(key) = moment.carried.instruction() {
            return Err(cannot_be_asked(&format!("its key '{}' would be read as a matcher", visible(key))));
        }
        let clauses = follows(document, self.kind, &self.then.filled(&moment.carried), &self.path);
        // What was written is right; it is what was carried that does not fit.
        if let Some(error) = clause::errors(&clauses).first() {
            return Err(cannot_be_asked(&error.kind.to_string()));
        }
        follow(&clauses, moment, asking)
    }

    fn origin(&self, id: &str, operator: &str) -> Origin {
        let target = if operator == "when" { self.when.target() } else { &self.target };
        Origin {
            case: id.to_owned(),
            path: self.path.clone(),
            target: target.to_owned(),
            operator: operator.to_owned(),
        }
    }
}

/// What came of what must follow at one moment.
enum Followed {
    /// It does, and this is whether it had anything to say no to.
    Exercise(Exercise),
    /// It does not.
    Failed(Box<Failure>),
}

/// Whether what must follow at one moment does.
fn follow(clauses: &[Clause<Leaf>], moment: &Moment, asking: &Asking<'_, '_>) -> Result<Followed, Error> {
    let judgement = Judgement::of(clauses, asking);
    let mut failures = Vec::new();
    for (_, fault) in judgement.faults() {
        match fault {
            Fault::Error(error) => return Err((**error).clone()),
            // The row that it is because of is among these.
            Fault::NotJudged { .. } => {}
            Fault::Failed(failure) => failures.push((**failure).clone()),
        }
    }
    Ok(match Failure::all_of(failures) {
        Verdict::Pass => {
            let exercise = Exercise::any(clauses.iter().map(|clause| clause.exercise(asking)));
            Followed::Exercise(exercise.unwrap_or(Exercise::Yes))
        }
        Verdict::Fail(failure) => {
            let message = format!("{}, but {}", moment.said, failure.message);
            let explanation = failure.explanation.as_ref().map(|explanation| {
                // What explains a group has a "but" of its own.
                let summary = format!("{}; {}", moment.said, explanation.summary);
                Box::new(Explanation { headline: None, summary, details: explanation.details.clone() })
            });
            Followed::Failed(Box::new(Failure { message, explanation, ..*failure }))
        }
    })
}

/// Several failures as one.
fn told(mut failures: Vec<Failure>, moments: usize) -> Option<Failure> {
    let count = failures.len();
    if count < 2 {
        return failures.pop();
    }
    let messages = failures.iter().take(VALUES_TOLD).enumerate();
    let mut message: Vec<String> =
        messages.map(|(at, failure)| format!("({}) {}", at + 1, failure.message)).collect();
    if count > VALUES_TOLD {
        message.push(format!("and {} more", count - VALUES_TOLD));
    }
    let mut details: Vec<String> = failures.iter().take(VALUES_LISTED).map(Failure::in_one_line).collect();
    if count > VALUES_LISTED {
        details.push(format!("… and {} more", count - VALUES_LISTED));
    }
    let pointed =
        failures.iter_mut().flat_map(|failure| std::mem::take(&mut failure.evidence.pointed)).collect();
    let summary = format!("the claim fails for {count} of {moments} values");
    let failure = Verdict::fail(message.join("; "))
        .expected("'then' to hold for every value")
        .actual(format!("it fails for {count} of {moments}"))
        .explained(Explanation { headline: None, summary, details });
    Some(Failure { evidence: Evidence { pointed, ..Evidence::default() }, ..failure })
}

/// The place of a pattern in an expression that is computed, so that what is carried could become a pattern.
fn computed_pattern(node: &Node) -> Option<Range<usize>> {
    let items = match &node.content {
        Content::Scalar(_) | Content::Deep(_) => return None,
        Content::Map(members) => return members.iter().find_map(|member| computed_pattern(&member.value)),
        Content::List(items) => items,
    };
    if let [symbol, .., pattern] = items.as_slice()
        && symbol.as_str() == Some("regex_match")
        && pattern.as_str().is_none()
    {
        return Some(pattern.span.clone());
    }
    items.iter().find_map(computed_pattern)
}

/// The rows of what must follow.
fn follows(document: &Document, kind: &'static Type, then: &Node, path: &str) -> Vec<Clause<Leaf>> {
    let tree = Tree { document, grammar: Leaves { document, kind } };
    let mut clauses = Vec::new();
    tree.node(then, &format!("{path}.then"), &kind.only_target(), &mut clauses);
    clauses
}
