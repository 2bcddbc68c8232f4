//! No edit of one field of a response or a selection report turns a question that fails into one that passes, unless the question is
//! about that field.
//!
//! Deletes, renames, retypes and repeats every member of each subject that fails its question in `vectors/said`; for
//! `vectors/saw`, tries one such edit in eleven.
#![allow(clippy::disallowed_methods, reason = "vectors are files")]

mod mutations;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use mutations::{Edit, Member, Step, members};
use probative::document::Document;
use probative::json::JsonDocument;
use probative::value::Moment;
use probative::{Context, Question, Vocabulary};
use serde_json::Value;

/// Questions about every field: text anywhere, any descendant, and what a guard or tags stand for.
const ABOUT_ALL: [&str; 4] = ["contains", "$..", "if_has_history", "none_have_tags"];

/// Returns whether a question passes for a subject; `None` if the subject is malformed.
fn passes<A: Vocabulary>(question: &Question<A>, subject: &str, context: &Context<'_>) -> Option<bool> {
    let read = A::read(subject.as_bytes(), question.setting()).ok()?;
    Some(question.judge(&read.subject, context).passed())
}

/// Returns true if a question names one of the last members on the way to one: by a path, or by the assertion's own name.
fn mentions(question: &str, member: &Member, last: usize) -> bool {
    let names = |step: &Step| matches!(step, Step::Key(key) if question.contains(&**key));
    member.0.iter().rev().take(last).any(names)
}

/// Returns the kinds of edits that make a failing question pass, each with an example, and how many were tried.
fn escapes<A: Vocabulary>(
    directory: &str,
    tried_in: usize,
    last: usize,
) -> (BTreeMap<String, String>, usize) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(directory);
    let mut paths: Vec<_> = fs::read_dir(directory).unwrap().map(|file| file.unwrap().path()).collect();
    paths.sort();
    let (mut found, mut edits, mut tried) = (BTreeMap::new(), 0_usize, 0);
    for path in paths {
        let file: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        for case in file["cases"].as_array().unwrap() {
            let written = case["question"].to_string();
            let Ok(question) = Question::<A>::compile(Document::new("question.json", written.clone())) else {
                continue;
            };
            let stored: BTreeMap<String, Value> =
                serde_json::from_value(case["stored"].clone()).unwrap_or_default();
            let now = case["now"].as_str().and_then(Moment::parse);
            let stored =
                stored.iter().map(|(name, value)| (name.clone(), JsonDocument::from(value))).collect();
            let context = Context { now, stored: Some(&stored), world: None };
            let subject = &case["subject"];
            let is_failing = passes(&question, &subject.to_string(), &context) == Some(false);
            if !is_failing || ABOUT_ALL.iter().any(|name| written.contains(name)) {
                continue;
            }
            for member in members(subject).into_iter().filter(|member| !mentions(&written, member, last)) {
                for edit in Edit::all(member.value(subject)) {
                    edits += 1;
                    if !edits.is_multiple_of(tried_in) {
                        continue;
                    }
                    tried += 1;
                    if passes(&question, &edit.apply(subject, &member), &context) == Some(true) {
                        let kind = format!("{} {edit:?} {}", file["assertion"], member.shape());
                        found.entry(kind).or_insert_with(|| format!("{}: {written}", case["title"]));
                    }
                }
            }
        }
    }
    (found, tried)
}

/// Tries one edit in `tried_in`.
fn assert_none<A: Vocabulary>(directory: &str, tried_in: usize, last: usize) {
    let (found, tried) = escapes::<A>(directory, tried_in, last);
    let listed: Vec<String> =
        found.iter().map(|(kind, example)| format!("{kind}\n    e.g. {example}")).collect();
    assert!(listed.is_empty(), "{} kinds of {tried} edits:\n{}", listed.len(), listed.join("\n"));
    assert!(tried > 1000, "only {tried} edits");
}

#[test]
fn no_edit_of_another_field_makes_a_response_pass() {
    assert_none::<probative::ResponseAssertion>("said", 1, usize::MAX);
}

#[cfg(feature = "cupel")]
#[test]
fn no_edit_of_another_field_makes_a_selection_pass() {
    assert_none::<probative::ContextAssertion>("saw", 11, 1);
}
