//! Questions asked of subjects, in each vocabulary.

use std::collections::BTreeMap;

use probative::document::Document;
use probative::exhibit::{Extent, Showing};
use probative::json::JsonDocument;
use probative::question::{Fault, Judgement};
use probative::value::{Moment, Value};
use probative::vocabulary::{Exercise, Read};
use probative::{
    About, Context, ContextAssertion, Question, ResponseAssertion, TrajectoryAssertion, Vocabulary,
};

use crate::input::{parts, text};
use crate::visible::{assert_visible, assert_visible_lines};

/// A question about a response, and the response.
pub fn responses(bytes: &[u8]) {
    judged::<ResponseAssertion>(bytes);
}

/// A question about a run, and the run in the native format.
pub fn runs(bytes: &[u8]) {
    judged::<TrajectoryAssertion>(bytes);
}

/// A question about a selection, and cupel's report of it.
pub fn selections(bytes: &[u8]) {
    judged::<ContextAssertion>(bytes);
}

/// A question and a subject.
///
/// Judging ends and says the same twice; an error never passes; what is shown beside a failure is shown and not obeyed.
fn judged<A: Vocabulary>(bytes: &[u8]) {
    let [question, json] = parts(bytes);
    let question = text(question);
    // A subject may be read whatever becomes of the question.
    About::of_subject(json);
    let read = A::read(json, &A::whole());
    if let Ok(Read { subject, .. }) = &read {
        shown::<A>(subject);
    }
    let Ok(mut question) = Question::<A>::compile(Document::new("-", question.as_ref())) else { return };
    question.supply(&mut |_| Ok(json.to_vec()));
    let stored = BTreeMap::from([(
        "first".to_owned(),
        JsonDocument::read(json).unwrap_or_else(|_| JsonDocument::from(&Value::Null)),
    )]);
    let now = Moment::from_unix_seconds(1_790_000_000);
    let context = Context { now, stored: Some(&stored), world: None };
    let Ok(Read { subject, .. }) = A::read(json, question.setting()) else { return };
    let judgement = question.judge(&subject, &context);
    assert_eq!(told(&judgement), told(&question.judge(&subject, &context)));
    assert_eq!(judgement.passed(), judgement.faults().next().is_none());
    for row in 0..question.clauses().len() {
        if let Exercise::No(why) = question.exercise(&subject, &context, row) {
            assert!(!why.is_empty());
        }
    }
    if let Some(exhibit) = A::exhibit(&subject) {
        let marks = judgement.marks(|row| &question.clauses()[row].name);
        assert_visible_lines(&exhibit.lines(&marks));
        exhibit.panels();
    }
}

fn shown<A: Vocabulary>(subject: &A::Subject<'_>) {
    for extent in [Extent::Whole, Extent::Brief] {
        assert_visible(&A::show(subject, &Showing { extent, budget: Some(100) }));
    }
    A::losses(subject);
    A::mentions(subject);
}

/// All that a judgement says.
fn told(judgement: &Judgement) -> Vec<String> {
    let told = judgement.faults().map(|(row, fault)| match fault {
        Fault::Failed(failure) => format!("{row} {failure:?}"),
        Fault::Error(error) => format!("{row} {error:?}"),
        Fault::NotJudged { because_of } => format!("{row} not judged because of {because_of}"),
    });
    told.collect()
}
