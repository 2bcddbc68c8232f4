//! Every vector through the binary: in a file, among others in JSON Lines, and on standard input, with the answer that the
//! public API gives.

mod place;

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use place::Place;
use serde_json::Value;

/// A subject that each vocabulary reads, to have the vector's among others.
const OTHERS: [(&str, &str); 3] = [
    ("said", r#"{"status": "success"}"#),
    ("did", r#"{"steps": []}"#),
    (
        "saw",
        r#"{"events": [], "included": [], "excluded": [], "total_candidates": 0, "total_tokens_considered": 0}"#,
    ),
];

#[test]
fn responses_are_answered_alike_wherever_they_come_from() {
    are_answered_alike(0, 840);
}

#[test]
fn runs_are_answered_alike_wherever_they_come_from() {
    are_answered_alike(1, 1100);
}

#[test]
fn reports_are_answered_alike_wherever_they_come_from() {
    are_answered_alike(2, 840);
}

fn are_answered_alike(vocabulary: usize, at_least: usize) {
    let (directory, other) = OTHERS[vocabulary];
    let vectors = vectors(directory);
    assert!(vectors.len() >= at_least, "only {} vectors were found", vectors.len());
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let place = Place::with(&[]);
                while let Some(vector) = vectors.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(difference) = difference(&place, vector, other) {
                        wrong.lock().unwrap().push(difference);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {} vectors:\n{}", wrong.len(), vectors.len(), wrong.join("\n"));
}

/// The vectors of a directory with a question that can be asked, and with nothing beside the subject.
fn vectors(directory: &str) -> Vec<Value> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(directory);
    let mut vectors = Vec::new();
    for file in std::fs::read_dir(directory).unwrap() {
        let read: Value = serde_json::from_slice(&std::fs::read(file.unwrap().path()).unwrap()).unwrap();
        vectors.extend(read["cases"].as_array().unwrap().iter().cloned());
    }
    vectors.retain(|vector| {
        vector["category"] != "schema" && vector.get("stored").is_none() && vector.get("files").is_none()
    });
    vectors
}

/// Describes the differences between the answers to a vector, if there are any.
fn difference(place: &Place, vector: &Value, other: &str) -> Option<String> {
    let subject = vector["subject"].to_string();
    place.write("q.json", vector["question"].to_string().as_bytes());
    place.write("s.json", subject.as_bytes());
    place.write("m.jsonl", format!("{other}\n{subject}\n{other}\n").as_bytes());
    let now = vector["now"].as_str().unwrap_or("2026-01-15T12:00:00Z");
    let arguments =
        ["check", "q.json", "s.json", "m.jsonl", "-", "--report", "jsonl", "--no-timings", "--now", now];
    let ended = place.run_with_input(&arguments, subject.as_bytes());
    let results = ended.json_lines();
    let answer = |id: &str| {
        let result = results.iter().find(|result| result["id"] == id)?;
        let said = result["assertions"].as_array().into_iter().flatten();
        let said = said.map(|said| (said["status"].clone(), said["message"].clone())).collect::<Vec<_>>();
        Some((result["status"].clone(), result["category"].clone(), said))
    };
    let in_file = answer("s.json");
    let is_told = in_file.as_ref().is_some_and(|(status, ..)| *status == vector["verdict"]);
    let is_alike = ["m.jsonl:2", "-"].into_iter().all(|id| answer(id) == in_file);
    (!is_told || !is_alike).then(|| {
        format!(
            "{}\n  question {}\n  subject  {subject}\n  expected {}\n  s.json    {in_file:?}\n  m.jsonl:2 {:?}\n  -         {:?}\n  {}",
            vector["title"],
            vector["question"],
            vector["verdict"],
            answer("m.jsonl:2"),
            answer("-"),
            ended.stderr
        )
    })
}
