//! Questions asked of subjects, in each vocabulary.

use std::collections::BTreeMap;

use probative::document::Document;
use probative::exhibit::{Extent, Showing};
use probative::question::{Fault, Judgement};
use probative::value::{Moment, Value};
use probative::vocabulary::{Abridged, Exercise, Read};
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
/// Judging ends and says the same twice; an error never passes; what is left out of an abridged subject changes no answer;
/// what is shown beside a failure is shown and not obeyed.
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
    let stored = BTreeMap::from([("first".to_owned(), serde_json::from_slice(json).unwrap_or(Value::Null))]);
    let now = Moment::from_unix_seconds(1_790_000_000);
    let context = Context { now, stored: Some(&stored), world: None };
    let abridged = abridged(&question, &context, json);
    let Ok(Read { subject, warnings, .. }) = A::read(json, question.setting()) else {
        assert!(abridged.is_empty(), "what cannot be read is read abridged");
        return;
    };
    let judgement = question.judge(&subject, &context);
    for ended in abridged {
        assert!(warnings.is_empty(), "an abridged subject tells nothing");
        assert_eq!(
            ended,
            ending(&question, &context, &subject),
            "an abridged subject ends as the whole one does"
        );
    }
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

/// Whether a subject passes, and which rows it then exercises.
fn ending<A: Vocabulary>(
    question: &Question<A>,
    context: &Context<'_>,
    subject: &A::Subject<'_>,
) -> Option<Vec<Exercise>> {
    let exercise = |row| question.exercise(subject, context, row);
    question.judge(subject, context).passed().then(|| (0..question.clauses().len()).map(exercise).collect())
}

/// How a subject ends that is read only as far as a question needs it: at once, and piece by piece.
fn abridged<A: Vocabulary>(
    question: &Question<A>,
    context: &Context<'_>,
    json: &[u8],
) -> Vec<Option<Vec<Exercise>>> {
    let Some(abridged) = question.abridged() else { return Vec::new() };
    let at_once = abridged.read(json).map(|subject| ending(question, context, &subject));
    let in_pieces = [1, 7, 64]
        .map(|length| in_pieces(&*abridged, json, length).map(|subject| ending(question, context, &subject)));
    in_pieces.into_iter().chain([at_once]).flatten().collect()
}

/// A subject that comes so many bytes at a time.
fn in_pieces<A: Vocabulary>(
    abridged: &dyn Abridged<A>,
    json: &[u8],
    length: usize,
) -> Option<A::Subject<'static>> {
    let (mut pieces, mut from, mut to) = (abridged.pieces(), 0, 0);
    while to < json.len() {
        to = json.len().min(to + length);
        from += pieces.advance(&json[from..to], false)?;
    }
    pieces.advance(&json[from..], true)?;
    pieces.subject()
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
