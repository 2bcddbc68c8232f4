//! A vocabulary against its vectors and the examples in its own documentation.
#![allow(clippy::disallowed_methods, reason = "vectors are files")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use probative::document::Document;
use probative::json::JsonDocument;
use probative::question::reference::entries;
use probative::question::{Fault, Judgement};
use probative::value::{Moment, Value};
use probative::verdict::{Error, ErrorKind, Part, Pointed};
use probative::vocabulary::{Exercise, names};
use probative::{Category, Context, Question, Vocabulary};
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
    /// What the failure says was asked for, and was found.
    expected: Option<String>,
    actual: Option<String>,
    place: Option<String>,
    /// The other places that are told.
    elsewhere: Option<Vec<String>>,
    steps: Option<Vec<usize>>,
    /// The items that are pointed at, by place, in that order.
    items: Option<Vec<String>>,
    /// The note at each step or item, in the order in which they are pointed at.
    notes: Option<Vec<String>>,
    now: Option<String>,
    #[serde(default)]
    stored: BTreeMap<String, Value>,
    /// The files that the question names.
    #[serde(default)]
    files: BTreeMap<String, Value>,
    faults: Option<usize>,
    /// Whether the first row, which passes, had anything to say no to.
    exercised: Option<bool>,
    /// Why it had not.
    why: Option<String>,
}

/// What the judge answers.
#[derive(Debug, Default)]
struct Answer {
    category: Option<Category>,
    /// Of the first fault.
    message: String,
    expected: String,
    actual: String,
    place: Option<String>,
    elsewhere: Vec<String>,
    /// The steps that the first fault points at, in the order of the run.
    steps: Vec<usize>,
    items: Vec<String>,
    notes: Vec<String>,
    faults: usize,
    /// Of the first row, where everything passed.
    exercise: Option<Exercise>,
}

impl Answer {
    fn error(category: Category, message: String) -> Answer {
        Answer { category: Some(category), message, faults: 1, ..Answer::default() }
    }

    fn of(judgement: &Judgement) -> Answer {
        let mut answer = Answer {
            category: judgement.category(),
            faults: judgement.faults().count(),
            ..Answer::default()
        };
        match judgement.faults().next() {
            None => {}
            Some((_, Fault::Failed(failure))) => {
                answer.message.clone_from(&failure.message);
                answer.expected.clone_from(&failure.expected);
                answer.actual.clone_from(&failure.actual);
                answer.place.clone_from(&failure.place);
                answer.elsewhere.clone_from(&failure.evidence.elsewhere);
                let pointed = &failure.evidence.pointed;
                let step = |pointed: &Pointed| match pointed.part {
                    Part::Step(index) => Some(index),
                    Part::Included(_) | Part::Excluded(_) => None,
                };
                answer.steps = pointed.iter().filter_map(step).collect();
                answer.items = pointed.iter().map(|pointed| pointed.part.to_string()).collect();
                answer.notes = pointed.iter().map(|pointed| pointed.note.clone()).collect();
                answer.steps.sort_unstable();
                answer.steps.dedup();
            }
            Some((_, Fault::Error(error))) => answer.message = error.to_string(),
            Some((_, Fault::NotJudged { .. })) => panic!("a vector has nothing to wait for"),
        }
        answer
    }

    fn verdict(&self) -> &'static str {
        match self.category {
            None => "pass",
            Some(Category::Assertion) => "fail",
            Some(Category::Schema | Category::Runtime) => "error",
        }
    }

    fn is_as_told(&self, vector: &Vector) -> bool {
        let category = self.category.map(|category| format!("{category:?}").to_lowercase());
        self.verdict() == vector.verdict
            && vector.category.as_ref().is_none_or(|expected| category.as_ref() == Some(expected))
            && vector.message.as_ref().is_none_or(|expected| *expected == self.message)
            && vector.message_has.iter().all(|token| self.message.contains(token))
            && vector.expected.as_ref().is_none_or(|expected| *expected == self.expected)
            && vector.actual.as_ref().is_none_or(|expected| *expected == self.actual)
            && vector.elsewhere.as_ref().is_none_or(|expected| *expected == self.elsewhere)
            && vector.place.as_ref().is_none_or(|expected| self.place.as_ref() == Some(expected))
            && vector.steps.as_ref().is_none_or(|expected| *expected == self.steps)
            && vector.items.as_ref().is_none_or(|expected| *expected == self.items)
            && vector.notes.as_ref().is_none_or(|expected| *expected == self.notes)
            && vector.faults.is_none_or(|expected| expected == self.faults)
            && vector.exercised.is_none_or(|expected| {
                let exercise = self.exercise.as_ref();
                exercise.is_some_and(|exercise| exercise.is_yes() == expected && exercise.why() == vector.why)
            })
    }
}

fn ask<A: Vocabulary>(
    question: &str,
    subject: &str,
    context: &Context<'_>,
    files: &BTreeMap<String, Value>,
) -> Answer {
    let mut question = match Question::<A>::compile(Document::new("question.json", question)) {
        Err(error) => return Answer::error(error.category(), error.to_string()),
        Ok(question) => question,
    };
    question.supply(&mut |name| match files.get(name) {
        Some(file) => Ok(file.to_string().into_bytes()),
        None => Err(Error::in_file(ErrorKind::Unobtainable("No such file".to_owned()), name)),
    });
    match A::read(subject.as_bytes(), question.setting()) {
        Err(malformed) => Answer::error(Category::Schema, malformed.message),
        Ok(read) => {
            let judgement = question.judge(&read.subject, context);
            let asked = judgement.passed() && !question.asserts_nothing();
            let exercise = asked.then(|| question.exercise(&read.subject, context, 0));
            Answer { exercise, ..Answer::of(&judgement) }
        }
    }
}

fn vectors(directory: &str) -> BTreeMap<String, Vectors> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(directory);
    let files = std::fs::read_dir(&directory).unwrap().map(|file| file.unwrap().path());
    let read = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let vectors = serde_json::from_slice(&std::fs::read(&path).unwrap());
        (name, vectors.unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    };
    files.map(read).collect()
}

/// Every vector of a directory, of which there are at least so many, is answered as it says.
pub(crate) fn are_answered_as_they_say<A: Vocabulary>(directory: &str, at_least: usize) {
    let (mut wrong, mut asked) = (Vec::new(), 0);
    for (file, vectors) in vectors(directory) {
        for vector in &vectors.cases {
            let now = vector.now.as_deref().map(|now| Moment::parse(now).unwrap());
            let stored =
                vector.stored.iter().map(|(name, value)| (name.clone(), JsonDocument::from(value))).collect();
            let context = Context { now, stored: Some(&stored), world: None };
            let (question, subject) = (vector.question.to_string(), vector.subject.to_string());
            let answer = ask::<A>(&question, &subject, &context, &vector.files);
            if !answer.is_as_told(vector) {
                let Vector { title, question, subject, verdict, category, message, message_has, .. } = vector;
                wrong.push(format!(
                    "{file}: {title}\n  question {question}\n  subject  {subject}\n  expected {verdict} {category:?} \
                     {message:?} {message_has:?} {:?} steps {:?} faults {:?}\n  answered {} {answer:?}",
                    vector.place,
                    vector.steps,
                    vector.faults,
                    answer.verdict()
                ));
            }
            asked += 1;
        }
    }
    assert!(wrong.is_empty(), "{} of {asked} vectors:\n{}", wrong.len(), wrong.join("\n"));
    assert!(asked >= at_least, "only {asked} vectors were found");
}

/// Every assertion has a file of vectors that ask it, some of every kind.
pub(crate) fn cover_every_assertion<A: Vocabulary>(directory: &str) {
    let vectors = vectors(directory);
    for name in names::<A>() {
        let file =
            vectors.get(*name).unwrap_or_else(|| panic!("{name} has no vectors/{directory}/{name}.json"));
        assert_eq!(file.assertion, *name);
        for kind in ["pass", "fail", "odd"] {
            assert!(file.cases.iter().any(|case| case.kind == kind), "{name} has no vector of kind {kind}");
        }
        let asks = |case: &Vector| case.question.to_string().contains(&format!("\"{name}\""));
        assert!(file.cases.iter().any(asks), "the vectors of {name} ask something else");
        let exercises = |case: &Vector| asks(case) && case.exercised == Some(true);
        let exercise = &vectors["_exercise"].cases;
        assert!(exercise.iter().any(exercises), "no vector exercises {name}");
    }
}

/// Every example in the documentation, of which there are at least so many, is true.
pub(crate) fn examples_are_true<A: Vocabulary>(without_examples: &[&str], at_least: usize) {
    let context = Context { now: Moment::parse("2026-01-15"), ..Context::default() };
    let (mut wrong, mut judged) = (Vec::new(), 0);
    for entry in entries::<A>() {
        let name = entry.name.as_str();
        assert!(!entry.examples().is_empty() || without_examples.contains(&name), "{name} has no examples");
        for example in entry.examples() {
            let answer = ask::<A>(&example.question, &example.subject, &context, &BTreeMap::new());
            let message = answer.category.map(|_| answer.message.clone());
            if message != example.message || answer.verdict() == "error" {
                let (question, subject) = (example.question, example.subject);
                wrong.push(format!(
                    "{name}: {question} about {subject}: {message:?}, not {:?}",
                    example.message
                ));
            }
            judged += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(judged >= at_least, "only {judged} examples were found");
}

/// The names of the enum, the reference and the schema are the same.
pub(crate) fn names_schema_and_reference_agree<A: Vocabulary>() {
    let listed: Vec<String> = entries::<A>().into_iter().map(|entry| entry.name).collect();
    assert_eq!(listed, names::<A>());
    let schema = probative::question::schema::<A>();
    for name in listed {
        for form in ["expect", "leaf"] {
            assert!(
                schema["$defs"][form]["properties"][&name].is_object(),
                "{name} is not in the schema of {form}"
            );
        }
    }
}
