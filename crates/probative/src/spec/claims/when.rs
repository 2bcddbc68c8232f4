//! The condition of a claim, and the moments at which it holds.

use std::ops::ControlFlow;

use serde::Deserialize as _;

use super::super::assert::{Asking, Leaf, Leaves, Subject};
use super::super::types::{Form, Target, Type};
use super::carry::Carried;
use super::names::Offer;
use crate::clause::{self, Clause, GROUPS, Grammar as _, Tree};
use crate::document::{Document, Member, Mistake, Node, nearest};
use crate::value::excerpt::cut;
use crate::value::path::Hit;
use crate::value::{Captor, Path, Pattern, Trail, Value, excerpt, visible};
use crate::verdict::{Error, ErrorKind, Verdict};

pub(super) const KEYS: [&str; 6] = ["target", "path", "regex", "must", "can", "cannot"];

/// How many different values a condition may carry.
const MOST_VALUES: usize = 1000;

/// On how much text a regex is tried that may step back: some seconds of work at worst.
const MOST_TRIED: usize = 64 << 10;

/// A condition, compiled.
#[derive(Debug)]
pub(super) struct When {
    target: &'static Target,
    path: Option<Path>,
    regex: Option<Captor>,
    group: Vec<Clause<Leaf>>,
}

/// One moment at which a condition holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Moment {
    pub(super) carried: Carried,
    /// What holds, in words.
    pub(super) said: String,
    /// Where.
    pub(super) place: String,
}

impl When {
    pub(super) fn compile(
        document: &Document,
        kind: &'static Type,
        when: &Node,
        path: &str,
    ) -> Result<When, Vec<Error>> {
        let one = |message: String, span| vec![document.malformed(format!("{path}: {message}"), span)];
        if when.members().is_empty() {
            let message = "'when' must be an object with 'path', 'regex' or a group".to_owned();
            return Err(one(message, when.span.clone()));
        }
        let told = |mistake: Mistake, member: &Member| {
            let mistake = mistake.within(&member.value.span).under(&member.key).under(path);
            vec![document.error(mistake.in_vocabulary(&[]))]
        };
        let grammar = Leaves { document, kind };
        let mut target = kind.targets.first();
        let (mut selected, mut regex, mut groups) = (None, None, Vec::new());
        for member in when.members() {
            let Member { key, key_span, value } = member;
            match key.as_str() {
                "target" => {
                    target = grammar.target(value).map_err(|message| one(message, value.span.clone()))?;
                }
                "path" => {
                    selected = Some(Path::deserialize(value).map_err(|mistake| told(mistake, member))?);
                }
                "regex" => {
                    let pattern = Pattern::deserialize(value).map_err(|mistake| told(mistake, member))?;
                    let captor = Captor::parse(pattern.as_str());
                    regex = Some(captor.map_err(|error| one(error.to_string(), value.span.clone()))?);
                }
                key if GROUPS.contains(&key) => groups.push(member),
                _ => {
                    let hint = nearest(key, KEYS.into_iter()).map_or_else(
                        || format!("expected one of: {}", KEYS.join(", ")),
                        |known| format!("did you mean '{known}'?"),
                    );
                    return Err(one(format!("unknown key '{}'; {hint}", visible(key)), key_span.clone()));
                }
            }
        }
        // Every type whose cases have claims has targets.
        let Some(target) = target else { return Err(one("no target".to_owned(), when.span.clone())) };
        if selected.is_none() && regex.is_none() && groups.is_empty() {
            let message = "'when' needs 'path', 'regex' or a group".to_owned();
            return Err(one(message, when.span.clone()));
        }
        if selected.is_some() && target.form == Form::Text {
            let message = format!("'path' needs a JSON target, but {} is text; use 'regex'", target.name);
            return Err(one(message, when.span.clone()));
        }
        let mut group = Vec::new();
        if !groups.is_empty() {
            let only = |member: &&Member| member.key == "target" || GROUPS.contains(&member.key.as_str());
            let members = when.members().iter().filter(only).cloned().collect();
            let node = Node { span: when.span.clone(), content: crate::document::Content::Map(members) };
            Tree { document, grammar }.node(&node, path, &Some(target), &mut group);
            let errors: Vec<Error> = clause::errors(&group).into_iter().cloned().collect();
            if !errors.is_empty() {
                return Err(errors);
            }
        }
        Ok(When { target, path: selected, regex, group })
    }

    /// What it carries.
    pub(super) fn offers(&self) -> Offer<'_> {
        Offer { value: self.path.is_some(), regex: self.regex.as_ref() }
    }

    /// The name of what it is about.
    pub(super) fn target(&self) -> &'static str {
        self.target.name
    }

    /// The moments at which it holds, each with different values.
    pub(super) fn moments(&self, asking: &Asking<'_, '_>) -> Result<Vec<Moment>, Error> {
        for clause in &self.group {
            if let Verdict::Fail(_) = clause.judge(asking)? {
                return Ok(Vec::new());
            }
        }
        if self.path.is_none() && self.regex.is_none() {
            let said = format!("{} meets the claim's condition", with_definite_article(self.target.name));
            let carried = Carried { value: None, caught: Vec::new() };
            return Ok(vec![Moment { carried, said, place: self.target.name.to_owned() }]);
        }
        let subject = match asking.subject(self.target)? {
            Subject::Value(subject) => subject,
            Subject::NotJson(start) => {
                let message = format!("{} isn't JSON: {start}", self.target.name);
                return Err(Error::new(ErrorKind::NotEvaluable(message)));
            }
        };
        self.path.iter().try_for_each(|path| path.check_cost(&*subject))?;
        let mut found = Vec::new();
        let mut looked_at = 0;
        let mut look = |value: &Value, place: String| {
            looked_at += value.as_str().map_or(0, str::len);
            let gave_up = match &self.regex {
                _ if asking.is_stopped() => Some("interrupted".to_owned()),
                Some(regex) if looked_at > MOST_TRIED && !regex.is_linear() => Some(format!(
                    "{}: pattern '{}' gave up: with look-around, backreferences or $, it searches at most {MOST_TRIED} \
                     bytes in total; set 'path' to narrow the search",
                    self.target.name,
                    regex.as_str()
                )),
                _ => None,
            };
            if let Some(message) = gave_up {
                return ControlFlow::Break(Error::new(ErrorKind::Exhausted(message)));
            }
            match self.at(value, &place) {
                Ok(moments) => {
                    for moment in moments {
                        if !found.iter().any(|known: &Moment| known.carried == moment.carried) {
                            found.push(moment);
                        }
                    }
                    if found.len() > MOST_VALUES {
                        let message = format!("'when' captures more than {MOST_VALUES} distinct values");
                        return ControlFlow::Break(Error::new(ErrorKind::Exhausted(message)));
                    }
                    ControlFlow::Continue(())
                }
                Err(error) => ControlFlow::Break(error),
            }
        };
        let looked = match &self.path {
            Some(path) => path.walk(&*subject, |hit, trail| match hit {
                Hit::Value(value) => look(value, trail.to_string()),
                Hit::Missing(_) => ControlFlow::Continue(()),
            }),
            None => texts(&subject, &Trail::root(), &mut look),
        };
        match looked {
            ControlFlow::Continue(()) => Ok(found),
            ControlFlow::Break(error) => Err(error),
        }
    }

    /// The moments at one value.
    fn at(&self, value: &Value, place: &str) -> Result<Vec<Moment>, Error> {
        let target = self.target.name;
        let place = if place == "$" { target.to_owned() } else { place.to_owned() };
        let carried_value = self.path.is_some().then(|| value.clone());
        let Some(regex) = &self.regex else {
            let said = format!("{} {} ({place})", says(target), excerpt(value));
            return Ok(vec![Moment {
                carried: Carried { value: carried_value, caught: Vec::new() },
                said,
                place,
            }]);
        };
        let Some(text) = value.as_str() else { return Ok(Vec::new()) };
        let caught = regex.catch(text, MOST_VALUES + 1).map_err(|gave_up| {
            let message = format!("{place}: pattern '{}' {gave_up}", regex.as_str());
            Error::new(ErrorKind::Exhausted(message))
        })?;
        let moment = |caught: crate::value::Caught<'_>| {
            let caught: Vec<Option<String>> =
                caught.into_iter().map(|part| part.map(str::to_owned)).collect();
            let whole = caught.first().and_then(Option::as_deref).map(cut).unwrap_or_default();
            let said = format!("{} '{whole}' ({place})", says(target));
            Moment { carried: Carried { value: carried_value.clone(), caught }, said, place: place.clone() }
        };
        Ok(caught.into_iter().map(moment).collect())
    }
}

/// `the response says`, `stdout says`, `the trajectory contains`.
fn says(target: &str) -> String {
    let verb = if ["trajectory", "report"].contains(&target) { "contains" } else { "says" };
    format!("{} {verb}", with_definite_article(target))
}

/// The target as the subject of a sentence: streams have no article.
fn with_definite_article(target: &str) -> String {
    if ["stdout", "stderr"].contains(&target) { target.to_owned() } else { format!("the {target}") }
}

/// Looks at every text in a value.
fn texts<B>(
    value: &Value,
    trail: &Trail<'_>,
    look: &mut impl FnMut(&Value, String) -> ControlFlow<B>,
) -> ControlFlow<B> {
    match value {
        Value::String(_) => look(value, trail.to_string()),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                texts(item, &trail.index(index), look)?;
            }
            ControlFlow::Continue(())
        }
        Value::Object(members) => {
            for (name, member) in members {
                texts(member, &trail.name(name), look)?;
            }
            ControlFlow::Continue(())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => ControlFlow::Continue(()),
    }
}
