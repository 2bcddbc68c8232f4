//! What is seen in a response of which an assertion holds that must not.

use std::ops::ControlFlow;

use super::ResponseAssertion as Said;
use super::argument::FieldIs;
use super::selection::listed;
use crate::json::{JsonNode, View};
use crate::value::excerpt::{around, cut};
use crate::value::path::Hit;
use crate::value::{Path, excerpt};
use crate::vocabulary::Sighting;

/// How many of the values at a path are shown.
const VALUES_SHOWN: usize = 3;

/// What is seen; `None` where nothing but the assertion itself says it.
pub(super) fn of(assertion: &Said, response: JsonNode<'_>) -> Option<Sighting> {
    match assertion {
        Said::Status(_) => Some(is("status", response.get("status")?)),
        Said::ErrorCode(_) => Some(is("error_code", response.get("error_code")?)),
        Said::Contains(text) => {
            let written = response.to_string();
            let found = match written.find(text.as_str()) {
                Some(at) => around(&written, at),
                None => excerpt(response),
            };
            Some(
                Sighting::of_action(format!("the response contains '{}'", cut(text)))
                    .expected(format!("a response without '{}'", cut(text)))
                    .found(found),
            )
        }
        Said::MessageContains(text) => contains("message", text, response.get("message")?),
        Said::SummaryContains(text) => contains("summary", text, response.get("summary")?),
        Said::FieldContains { path, text } => {
            Some(contains_text(path.as_str(), text).expected(format!("text without '{}'", cut(text))))
        }
        Said::HasField(FieldIs { name, value: None }) => Some(exist(std::slice::from_ref(name), response)),
        Said::HasFields(paths) => Some(exist(paths, response)),
        Said::ResultsMin(least) if least.0 > 0 => results(response, &format!("fewer than {}", least.0)),
        Said::ResultsMax(most) => results(response, &format!("more than {}", most.0)),
        Said::ResultsCount(exactly) => results(response, &format!("fewer or more than {}", exactly.0)),
        Said::AllMatch { path, value } => Some(every(path, response, "is", &excerpt(value), "be")),
        Said::AllMatchOneOf { path, values } => {
            let values = format!("one of {}", listed(values));
            Some(every(path, response, "is", &values, "be"))
        }
        Said::AllMatchPattern { path, regex } => {
            Some(every(path, response, "matches", &format!("'{}'", cut(regex.as_str())), "match"))
        }
        Said::NoneMatchPattern { path, regex } => {
            let (path_shown, pattern) = (cut(path.as_str()), cut(regex.as_str()));
            let sighting = Sighting::of_action(format!("no {path_shown} matches '{pattern}'"))
                .but("one must")
                .expected(format!("a {path_shown} that matches '{pattern}'"));
            Some(with_values(sighting, &Selected::by(path, response)))
        }
        Said::HasField(FieldIs { name, value: Some(value) }) => Some(is(name.as_str(), value)),
        Said::FieldEquals(fields) => match fields.iter().next() {
            Some((path, value)) if fields.len() == 1 => Some(is(path.as_str(), value)),
            Some(_) => {
                Some(Sighting::of_all(fields.iter().map(|(path, value)| is(path.as_str(), value)).collect()))
            }
            None => None,
        },
        _ => None,
    }
}

/// The first values that a path selects, and how many there are.
struct Selected {
    /// Where each is, and what it is.
    first: Vec<(String, String)>,
    count: usize,
}

impl Selected {
    fn by(path: &Path, response: JsonNode<'_>) -> Selected {
        let mut selected = Selected { first: Vec::new(), count: 0 };
        let walked: ControlFlow<()> = path.walk(response, |hit, trail| {
            if let Hit::Value(value) = hit {
                selected.count += 1;
                if selected.first.len() < VALUES_SHOWN {
                    selected.first.push((trail.to_string(), excerpt(value)));
                }
            }
            ControlFlow::Continue(())
        });
        debug_assert!(walked.is_continue(), "nothing breaks off");
        selected
    }

    /// `results[0].id is 7; results[1].id is 8; … 3 more`.
    fn shown(&self) -> String {
        let mut shown: Vec<String> =
            self.first.iter().map(|(place, value)| format!("{} is {value}", cut(place))).collect();
        match self.count - self.first.len() {
            0 => {}
            more => shown.push(format!("… {more} more")),
        }
        shown.join("; ")
    }
}

/// That fields exist.
fn exist(paths: &[Path], response: JsonNode<'_>) -> Sighting {
    let names: Vec<String> = paths.iter().map(|path| format!("'{}'", cut(path.as_str()))).collect();
    let (seen, expected) = match names.split_last() {
        None => ("no field is missing".to_owned(), "a missing field".to_owned()),
        Some((only, [])) => (format!("{only} exists"), format!("no field {only}")),
        Some((last, others)) => {
            let all = format!("{} and {last}", others.join(", "));
            (format!("{all} exist"), format!("not all of {all}"))
        }
    };
    let selected: Vec<Selected> = paths.iter().map(|path| Selected::by(path, response)).collect();
    let first = selected.iter().flat_map(|selected| &selected.first).map(|(place, _)| place).next();
    let shown: Vec<String> =
        selected.iter().filter(|selected| selected.count > 0).map(Selected::shown).collect();
    let found = if shown.is_empty() {
        "no values at this path, so nothing is missing".to_owned()
    } else {
        shown.join("; ")
    };
    let sighting = Sighting::of_action(seen).expected(expected).found(found);
    match first {
        Some(first) => sighting.at(first),
        None => sighting,
    }
}

/// How many results there are, and how many there must be instead.
fn results(response: JsonNode<'_>, wanted: &str) -> Option<Sighting> {
    let count = response.get("results")?.as_array()?.count();
    let items = format!("{count} {}", if count == 1 { "item" } else { "items" });
    Some(
        Sighting::of_action(format!("results has {items}"))
            .but(format!("must have {wanted}"))
            .expected(format!("results with {wanted}"))
            .found(items)
            .at("results"),
    )
}

/// That every value at a path is so.
fn every(path: &Path, response: JsonNode<'_>, verb: &str, what: &str, infinitive: &str) -> Sighting {
    let selected = Selected::by(path, response);
    let path = cut(path.as_str());
    let sighting = match selected.first.as_slice() {
        [(only, _)] if *only == path => Sighting::of_action(format!("{path} {verb} {what}"))
            .expected(format!("{path} not to {infinitive} {what}")),
        _ => Sighting::of_action(format!("every {path} {verb} {what}"))
            .but(format!("at least one must not {infinitive}"))
            .expected(format!("at least one {path} not to {infinitive} {what}")),
    };
    with_values(sighting, &selected)
}

fn with_values(sighting: Sighting, selected: &Selected) -> Sighting {
    match selected.first.first() {
        Some((place, _)) => sighting.found(selected.shown()).at(place),
        None => sighting.found("no values"),
    }
}

fn is<'v>(place: &str, value: impl View<'v>) -> Sighting {
    Sighting::of_state(format!("{} is {}", cut(place), excerpt(value)))
        .expected(format!("not {}", excerpt(value)))
        .found(excerpt(value))
        .at(place)
}

fn contains(place: &str, text: &str, found: JsonNode<'_>) -> Option<Sighting> {
    let found = found.as_str()?;
    let shown = around(&found, found.find(text)?);
    Some(contains_text(place, text).expected(format!("text without '{}'", cut(text))).found(shown))
}

fn contains_text(place: &str, text: &str) -> Sighting {
    Sighting::of_action(format!("{} contains '{}'", cut(place), cut(text))).at(place)
}
