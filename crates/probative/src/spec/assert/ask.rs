//! Asking the assertions of a case of what was observed.

use std::borrow::Cow;

use super::super::found;
use super::super::lang::{Budget, World, type_of};
use super::super::operator::Operator;
use super::super::subjects::Subjects;
use super::super::types::{Form, Target};
use super::{Asked, Core, Leaf, Observed, Subject};
use crate::clause::{Asker, Asks, Clause, Judgement};
use crate::value::excerpt::{around, cut};
use crate::value::{Pattern, Value, excerpt};
use crate::verdict::{Error, ErrorKind, Failure, Origin, Pointed, Verdict};
use crate::vocabulary::{Constant, Context, Exercise, Sighting};

/// Asks every row of what was observed. Failures and errors name the case and the path in it; `first` rows come before these.
pub(in crate::spec) fn judge(
    id: &str,
    clauses: &[Clause<Leaf>],
    asking: &Asking<'_, '_>,
    first: usize,
    judgement: &mut Judgement,
) {
    for (row, clause) in clauses.iter().enumerate() {
        let answer = match clause.judge(asking) {
            Ok(Verdict::Pass) => {
                for exercise in clause.exercises(asking) {
                    judgement.take_idle(first + row, exercise);
                }
                Ok(Verdict::Pass)
            }
            Ok(Verdict::Fail(failure)) => Ok(failure.from_case(origin(id, clause)).into()),
            Err(error) => Err(error.from_case(origin(id, clause)).within(&clause.place)),
        };
        judgement.take(first + row, answer);
    }
}

fn origin(id: &str, clause: &Clause<Leaf>) -> Origin {
    Origin {
        case: id.to_owned(),
        path: heading(clause),
        target: target(clause).to_owned(),
        operator: clause.name.clone(),
    }
}

/// The path of a row as messages give it: that of the leaf, or of the group.
fn heading(clause: &Clause<Leaf>) -> String {
    match &clause.asks {
        Ok(Asks::One(leaf)) => leaf.at.clone(),
        _ => clause.path.strip_suffix(&format!(".{}", clause.name)).unwrap_or(&clause.path).to_owned(),
    }
}

/// The target that all leaves of a row have, or that there are several.
pub(in crate::spec) fn target(clause: &Clause<Leaf>) -> &'static str {
    match &clause.asks {
        Ok(Asks::One(leaf)) => leaf.target.name,
        Ok(Asks::All(inner) | Asks::Any(inner) | Asks::None(inner)) => {
            let mut targets: Vec<&str> = inner.iter().map(target).collect();
            targets.dedup();
            if let [one] = targets.as_slice() { one } else { "several" }
        }
        Err(_) => "none",
    }
}

/// In how many lines a regex that must not match is looked for, to say where it does.
const SEARCHED_LINES: usize = 1000;

/// Asks leaves of what came of one case.
pub(in crate::spec) struct Asking<'a, 'o> {
    pub(in crate::spec) subjects: &'a Subjects<'o>,
    pub(in crate::spec) budget: &'a Budget,
    pub(in crate::spec) context: Context<'a>,
}

/// What the operators that are no `evaluate` may cost: they are bounded by what they are asked of.
const UNBOUNDED: Budget =
    Budget { max_steps: u64::MAX, max_nodes: u64::MAX, max_literal_bytes: u64::MAX, timeout_ms: 0 };

impl Asker<Leaf> for Asking<'_, '_> {
    fn ask(&self, leaf: &Leaf) -> Result<Verdict, Error> {
        let answer = match &leaf.asks {
            Asked::Core(core) => {
                let fails = |subject: &Value, budget: &Budget| {
                    let world = self.observed().world();
                    let displayed = self.displayed(subject);
                    let found = core.found(leaf.target, &displayed, budget, world);
                    let difference = match core.operator {
                        Operator::Evaluate => found::difference(&core.value, &displayed, budget, world),
                        _ => None,
                    };
                    core.fails(leaf.target, self.observed().shown(&found)).differing(difference).into()
                };
                let answer =
                    self.answer(leaf.target, core, fails, |start| core.fails(leaf.target, start).into());
                answer.map(|failed| failed.unwrap_or(Verdict::Pass))
            }
            Asked::Word(saying) => saying.judge(self.subjects, &self.context),
        };
        answer.map_err(|error| error.within(&leaf.place))
    }

    fn holds(&self, leaf: &Leaf) -> Result<bool, Error> {
        let answer = match &leaf.asks {
            Asked::Core(core) => {
                self.answer(leaf.target, core, |_, _| (), |_| ()).map(|failed| failed.is_none())
            }
            Asked::Word(saying) => saying.judge(self.subjects, &self.context).map(|verdict| verdict.passed()),
        };
        answer.map_err(|error| error.within(&leaf.place))
    }

    fn denies(&self, leaf: &Leaf) -> Result<(), Error> {
        match &leaf.asks {
            Asked::Core(_) => Ok(()),
            Asked::Word(saying) => saying.denies(self.subjects).map_err(|error| error.within(&leaf.place)),
        }
    }

    fn witnesses(&self, leaf: &Leaf) -> Vec<Pointed> {
        match &leaf.asks {
            Asked::Core(_) => Vec::new(),
            Asked::Word(saying) => saying.witnesses(self.subjects),
        }
    }

    fn exercise(&self, leaf: &Leaf, wanted: bool) -> Exercise {
        match &leaf.asks {
            Asked::Core(core) if wanted != found::is_negation(&core.value) => Exercise::Yes,
            Asked::Core(core) => self.exercise_of_expression(leaf.target, core),
            Asked::Word(saying) => saying.exercise(self.subjects, &self.context),
        }
    }

    fn constant(&self, leaf: &Leaf) -> Option<Constant> {
        match &leaf.asks {
            Asked::Core(core) => core.expression.constant(),
            Asked::Word(saying) => saying.constant(),
        }
    }

    fn sighting(&self, leaf: &Leaf) -> Option<Sighting> {
        match &leaf.asks {
            Asked::Core(core) => self.core_sighting(leaf.target, core),
            Asked::Word(saying) => saying.sighting(self.subjects),
        }
    }
}

impl<'o> Asking<'_, 'o> {
    fn observed(&self) -> &'o dyn Observed {
        self.subjects.observed()
    }

    /// What is seen where an operator holds although it must not.
    fn core_sighting(&self, target: &'static Target, core: &Core) -> Option<Sighting> {
        let Ok(Subject::Value(subject)) = self.subject(target) else { return None };
        let (name, value) = (target.name, excerpt(&core.value));
        let subject = self.displayed(&subject);
        Some(match core.operator {
            Operator::Contain | Operator::Regex => {
                let (verb, not) = match core.operator {
                    Operator::Contain => ("contains", format!("{name} not to contain {value}")),
                    _ => ("matches", format!("{name} not to match {value}")),
                };
                match Self::line_of(&subject, core) {
                    Some((number, line)) => {
                        Sighting::of_action(format!("{name} {verb} {value} on line {number}: {line}"))
                            .found(line)
                            .at(format_args!("{name} line {number}"))
                    }
                    None => Sighting::of_action(format!("{name} {verb} {value}")).found(excerpt(&*subject)),
                }
                .expected(not)
            }
            Operator::JsonType => {
                let kind = cut(core.value.as_str().unwrap_or_default()).into_owned();
                Sighting::of_state(format!("{name} is a JSON {kind}"))
                    .expected(format!("{name} not to be a JSON {kind}"))
                    .found(excerpt(&*subject))
            }
            Operator::Exists => Sighting::of_action(format!("the path in {name} exists"))
                .expected(format!("the path in {name} not to exist"))
                .found(excerpt(&*subject)),
            Operator::Evaluate => {
                let expression = cut(&core.expression.readable()).into_owned();
                let world = self.observed().world();
                let seen = found::seen(&core.value, &subject, self.budget, world);
                let found = self.observed().shown(&seen.unwrap_or_else(|| excerpt(&*subject)));
                let sighting = Sighting::of_action(format!("{name} satisfies {expression}"))
                    .expected(format!("{name} not to satisfy {expression}"))
                    .found(found);
                match found::line_of(&core.value, &subject) {
                    Some(number) => sighting.at(format_args!("{name} line {number}")),
                    None => sighting,
                }
            }
        })
    }

    /// The line of a text in which something is found, by its number, and what stands there.
    fn line_of(subject: &Value, core: &Core) -> Option<(usize, String)> {
        let (text, wanted) = (subject.as_str()?, core.value.as_str()?);
        let (line, at) = match core.operator {
            Operator::Contain => {
                let at = text.find(wanted)?;
                let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
                (text[..start].matches('\n').count(), at - start)
            }
            Operator::Regex => {
                let pattern = Pattern::parse(wanted).ok()?;
                (text.lines().take(SEARCHED_LINES).position(|line| pattern.is_match(line) == Ok(true))?, 0)
            }
            Operator::JsonType | Operator::Exists | Operator::Evaluate => return None,
        };
        Some((line + 1, around(text.lines().nth(line)?, at)))
    }

    /// Whether nobody waits for the answer any more.
    pub(in crate::spec) fn is_stopped(&self) -> bool {
        self.observed().world().is_stopped()
    }

    pub(in crate::spec) fn subject(&self, target: &'static Target) -> Result<Subject<'_>, Error> {
        match target.form {
            Form::Words(about) => self.subjects.json(about).map(|json| Subject::Value(Cow::Borrowed(json))),
            Form::Text | Form::Json | Form::Path => self.observed().subject(target),
        }
    }

    /// Nothing, if the leaf holds; else what one of the two makes of the subject, or of the start of what is not JSON.
    fn answer<F>(
        &self,
        target: &'static Target,
        core: &Core,
        fails: impl Fn(&Value, &Budget) -> F,
        is_not_json: impl Fn(String) -> F,
    ) -> Result<Option<F>, Error> {
        let subject = match (self.subject(target)?, core.operator) {
            (Subject::Value(subject), _) => subject,
            (Subject::NotJson(start), Operator::JsonType) => return Ok(Some(is_not_json(start))),
            (Subject::NotJson(start), _) => {
                let message = format!("{} isn't JSON: {start}", target.name);
                return Err(Error::new(ErrorKind::NotEvaluable(message)));
            }
        };
        let budget = if core.operator == Operator::Evaluate { self.budget } else { &UNBOUNDED };
        let holds = core.expression.holds(&subject, budget, self.observed().world())?;
        if core.operator.is_open(holds)
            && let Some(cut) = self.observed().cut(target)
        {
            let message = format!("{} {cut}; the rest could change the verdict", target.name);
            return Err(Error::new(ErrorKind::NotEvaluable(message)));
        }
        Ok((!holds).then(|| fails(&subject, budget)))
    }

    /// Checks that an expression that must not hold, or a negation that must, is not vacuous: at least one field it reads exists
    /// in the subject.
    fn exercise_of_expression(&self, target: &'static Target, core: &Core) -> Exercise {
        let (Operator::Evaluate, Ok(Subject::Value(subject))) = (core.operator, self.subject(target)) else {
            return Exercise::Yes;
        };
        match found::missing_field(&core.value, &subject, self.budget, self.observed().world()) {
            Some(missing) => Exercise::No(format!("the subject has no value at {missing}")),
            None => Exercise::Yes,
        }
    }

    /// A subject as messages show it.
    fn displayed<'s>(&self, subject: &'s Value) -> Cow<'s, Value> {
        match subject.as_str() {
            Some(text) => Cow::Owned(self.observed().shown(text).into()),
            None => Cow::Borrowed(subject),
        }
    }
}

impl Core {
    fn fails(&self, target: &Target, found: String) -> Failure {
        let target = target.name;
        let value = excerpt(&self.value);
        let expected = match self.operator {
            Operator::Contain => format!("{target} to contain {value}"),
            Operator::Regex => format!("{target} to match {value}"),
            Operator::JsonType => {
                format!("{target} to be a JSON {}", cut(self.value.as_str().unwrap_or_default()))
            }
            Operator::Exists => format!("the path in {target} to exist"),
            Operator::Evaluate => format!("{target} to satisfy {}", cut(&self.expression.readable())),
        };
        Verdict::fail(format!("expected {expected}, found {found}")).expected(expected).actual(found)
    }

    /// What was found instead, in a few words.
    fn found(&self, target: &Target, subject: &Value, budget: &Budget, world: &dyn World) -> String {
        if self.operator == Operator::Evaluate
            && let Some(parts) = found::parts(&self.value, subject, budget, world)
        {
            return parts;
        }
        let Some(text) = subject.as_str() else { return excerpt(subject) };
        if text.is_empty() {
            return "an empty string".to_owned();
        }
        match (self.operator, target.form) {
            (Operator::JsonType, Form::Text) => match serde_json::from_str::<Value>(text) {
                Ok(other) => format!("a JSON {}: {}", type_of(&other), excerpt(&other)),
                Err(_) => format!("text that isn't JSON: {}", excerpt(subject)),
            },
            (Operator::Contain, _) => {
                let nearest = self.value.as_str().and_then(|wanted| found::nearest_to(text, wanted));
                nearest.map_or_else(|| excerpt(subject), |nearest| format!("{}; {nearest}", excerpt(subject)))
            }
            _ => excerpt(subject),
        }
    }
}
