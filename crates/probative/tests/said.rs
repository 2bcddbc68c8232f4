//! The `expect` vocabulary against its vectors and the examples in its own documentation.
#![allow(clippy::disallowed_methods, reason = "vectors are files")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use probative::document::Document;
use probative::question::reference::{Entry, entries};
use probative::question::{Fault, Judgement};
use probative::value::{Moment, Tree, Value};
use probative::vocabulary::names;
use probative::{Category, Context, Question, ResponseAssertion};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vectors {
    assertion: String,
    cases: Vec<Vector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    title: String,
    kind: String,
    question: Value,
    subject: Value,
    verdict: String,
    category: Option<String>,
    message: Option<String>,
    #[serde(default)]
    message_has: Vec<String>,
    place: Option<String>,
    now: Option<String>,
    #[serde(default)]
    stored: BTreeMap<String, Value>,
    faults: Option<usize>,
}

fn vectors() -> BTreeMap<String, Vectors> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/said");
    let files = std::fs::read_dir(&directory).unwrap().map(|file| file.unwrap().path());
    let read = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let vectors = serde_json::from_slice(&std::fs::read(&path).unwrap());
        (name, vectors.unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    };
    files.map(read).collect()
}

/// What the judge answers to a question, as a vector says it.
fn ask(vector: &Vector) -> (String, Option<Category>, String, Option<String>, usize) {
    let document = Document::new("question.json", vector.question.to_string());
    let now = vector.now.as_deref().map(|now| Moment::parse(now).unwrap());
    let judgement = match Question::<ResponseAssertion>::compile(document) {
        Err(error) => return ("error".to_owned(), Some(error.category()), error.to_string(), None, 1),
        Ok(question) => question.judge(&vector.subject, &Context { now, stored: Some(&vector.stored) }),
    };
    let first = judgement.faults().next().map(|(_, fault)| match fault {
        Fault::Failed(failure) => (failure.message.clone(), failure.place.clone()),
        Fault::Error(error) => (error.to_string(), None),
    });
    let (message, place) = first.unwrap_or_default();
    (verdict(&judgement), judgement.category(), message, place, judgement.faults().count())
}

fn verdict(judgement: &Judgement) -> String {
    match judgement.category() {
        None => "pass",
        Some(Category::Assertion) => "fail",
        Some(Category::Schema | Category::Runtime) => "error",
    }
    .to_owned()
}

#[test]
fn every_vector_is_answered_as_it_says() {
    let mut wrong = Vec::new();
    let mut asked = 0;
    for (file, vectors) in vectors() {
        for vector in &vectors.cases {
            let (verdict, category, message, place, faults) = ask(vector);
            let category = category.map(|category| format!("{category:?}").to_lowercase());
            let as_told = verdict == vector.verdict
                && vector.category.as_ref().is_none_or(|expected| category.as_ref() == Some(expected))
                && vector.message.as_ref().is_none_or(|expected| *expected == message)
                && vector.message_has.iter().all(|token| message.contains(token))
                && vector.place.as_ref().is_none_or(|expected| place.as_ref() == Some(expected))
                && vector.faults.is_none_or(|expected| expected == faults);
            if !as_told {
                let Vector { title, question, subject, .. } = vector;
                wrong.push(format!(
                    "{file}: {title}\n  question {question}\n  subject  {subject}\n  expected {} {:?} {:?} {:?} {:?} {:?}\n  answered {verdict} {category:?} {message:?} {place:?} faults {faults}",
                    vector.verdict, vector.category, vector.message, vector.message_has, vector.place, vector.faults
                ));
            }
            asked += 1;
        }
    }
    assert!(wrong.is_empty(), "{} of {asked} vectors:\n{}", wrong.len(), wrong.join("\n"));
    assert!(asked > 500, "only {asked} vectors were found");
}

#[test]
fn every_assertion_has_vectors_of_every_kind() {
    let vectors = vectors();
    for name in names::<ResponseAssertion>() {
        let file = vectors.get(*name).unwrap_or_else(|| panic!("{name} has no vectors/said/{name}.json"));
        assert_eq!(file.assertion, *name);
        for kind in ["pass", "fail", "odd"] {
            assert!(file.cases.iter().any(|case| case.kind == kind), "{name} has no vector of kind {kind}");
        }
        let asks = |case: &Vector| case.question.to_string().contains(&format!("\"{name}\""));
        assert!(file.cases.iter().any(asks), "the vectors of {name} ask something else");
    }
}

#[test]
fn every_example_in_the_documentation_is_true() {
    let now = Moment::parse("2026-01-15");
    let mut judged = 0;
    for entry in entries::<ResponseAssertion>() {
        let Entry { name, .. } = &entry;
        // Only a test of several steps can show what no_overlap does.
        assert!(!entry.examples().is_empty() || name == "no_overlap", "{name} has no examples");
        for example in entry.examples() {
            let question =
                Question::<ResponseAssertion>::compile(Document::new("example.json", &*example.question));
            let question = question.unwrap_or_else(|error| panic!("{name}: {error}"));
            let subject = Tree::read(example.subject.as_bytes()).unwrap().value;
            let judgement = question.judge(&subject, &Context { now, stored: None });
            let message = judgement.faults().next().map(|(_, fault)| match fault {
                Fault::Failed(failure) => failure.message.clone(),
                Fault::Error(error) => panic!("{name}: {error}"),
            });
            assert_eq!(message, example.message, "{name}: {} about {}", example.question, example.subject);
            judged += 1;
        }
    }
    assert!(judged > 70, "only {judged} examples were found");
}

#[test]
fn the_names_the_schema_and_the_reference_agree() {
    let listed: Vec<String> = entries::<ResponseAssertion>().into_iter().map(|entry| entry.name).collect();
    assert_eq!(listed, names::<ResponseAssertion>());
    let schema = probative::question::schema::<ResponseAssertion>();
    for name in listed {
        assert!(schema["$defs"]["expect"]["properties"][&name].is_object(), "{name} is not in the schema");
        assert!(
            schema["$defs"]["leaf"]["properties"][&name].is_object(),
            "{name} is not in the schema of leaves"
        );
    }
}
