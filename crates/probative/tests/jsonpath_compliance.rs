//! Paths against test suites for RFC 9535: one of our own, and the official one if `JSONPATH_CTS` gives the path to its `cts.json`.
//!
//! The official suite is <https://github.com/jsonpath-standard/jsonpath-compliance-test-suite>.

#![allow(clippy::disallowed_methods, reason = "suites are files, and a variable says where one is")]
#![allow(clippy::disallowed_macros, reason = "whoever runs the official suite looks for what it did")]

use std::fs;
use std::ops::ControlFlow;

use probative::json::{JsonDocument, View};
use probative::value::path::{Hit, Step, Trail};
use probative::value::{Path, Value, equal};
use serde::Deserialize;

const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/paths/jsonpath.json");

#[derive(Deserialize)]
struct Suite {
    tests: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    selector: String,
    #[serde(default)]
    document: Value,
    #[serde(default)]
    invalid_selector: bool,
    result: Option<Vec<Value>>,
    result_paths: Option<Vec<String>>,
    /// Instead of one result, several of which each is right.
    results: Option<Vec<Vec<Value>>>,
    results_paths: Option<Vec<Vec<String>>>,
}

#[test]
fn our_own_suite_passes() {
    assert!(run(OWN) > 200);
}

#[test]
fn the_official_suite_passes() {
    match std::env::var("JSONPATH_CTS") {
        Ok(path) => assert!(run(&path) > 0),
        Err(_) => eprintln!("skipped: JSONPATH_CTS doesn't give the path to cts.json"),
    }
}

/// Runs the cases of a suite; how many there are.
fn run(path: &str) -> usize {
    let text = fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let suite: Suite = serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mistakes: Vec<String> = suite
        .tests
        .iter()
        .filter_map(|case| Some(format!("{}: {}: {}", case.name, case.selector, case.mistake()?)))
        .collect();
    let count = suite.tests.len();
    assert!(mistakes.is_empty(), "{} of {count} fail:\n{}", mistakes.len(), mistakes.join("\n"));
    println!("{count} cases of {path} pass");
    count
}

impl Case {
    fn mistake(&self) -> Option<String> {
        let path = match Path::parse(&self.selector) {
            Ok(_) if self.invalid_selector => return Some("should be refused".to_owned()),
            Ok(path) => path,
            Err(_) if self.invalid_selector => return None,
            Err(error) => return Some(format!("refused at {}: {error}", error.at)),
        };
        let (values, places) = selected(&path, &self.document);
        let document = JsonDocument::from(&self.document);
        if selected(&path, document.root()) != (values.clone(), places.clone()) {
            return Some("a value and its document differ".to_owned());
        }
        let results = self.results.clone().or_else(|| Some(vec![self.result.clone()?]))?;
        let all_places = self.results_paths.clone().or_else(|| Some(vec![self.result_paths.clone()?]));
        let is_right = |(at, result): (usize, &Vec<Value>)| {
            let same_values =
                result.len() == values.len() && result.iter().zip(&values).all(|(a, b)| equal(a, b));
            same_values && all_places.as_ref().is_none_or(|all| all[at] == places)
        };
        let is_passed = results.iter().enumerate().any(is_right);
        (!is_passed).then(|| format!("selects {values:?} at {places:?}"))
    }
}

/// Returns the values that a path selects, and their normalized paths.
fn selected<'v, V: View<'v>>(path: &Path, root: V) -> (Vec<Value>, Vec<String>) {
    let (mut values, mut places) = (Vec::new(), Vec::new());
    let _ = path.walk(root, |hit, trail| {
        if let Hit::Value(value) = hit {
            values.push(value.to_value());
            places.push(normalized(trail));
        }
        ControlFlow::<()>::Continue(())
    });
    (values, places)
}

/// A trail as RFC 9535 (2.7) writes it.
fn normalized(trail: &Trail<'_>) -> String {
    let step = |step: &Step<'_>| match step {
        Step::Index(index) => format!("[{index}]"),
        Step::Name(name) => format!("['{}']", name.chars().map(escaped).collect::<String>()),
    };
    std::iter::once("$".to_owned()).chain(trail.steps().iter().map(step)).collect()
}

fn escaped(character: char) -> String {
    match character {
        '\'' | '\\' => format!("\\{character}"),
        '\u{8}' => "\\b".to_owned(),
        '\u{c}' => "\\f".to_owned(),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        control if control < ' ' => format!("\\u{:04x}", u32::from(control)),
        plain => plain.to_string(),
    }
}
