//! Arguments of `check` in the wrong order: a recording where the question belongs, or a question among the subjects.

use std::path::Path;

use probative::About;
use probative::document::Document;
use probative::trajectory::readers::{Layout, native, probe, read_trace};
use probative::value::Tree;
use probative::verdict::{Error, ErrorKind};
use probative_run::subjects::{Source, Subject};

/// No question is longer than this.
const LONGEST_QUESTION: u64 = 1 << 20;

/// The error of a recording that was given as the question.
pub(super) fn recording_as_question(question: &Document, subjects: &[Subject]) -> Option<Error> {
    let what = recording(question.text.as_bytes())?;
    let meant = subjects.iter().find(|subject| subject.source.as_ref().is_ok_and(is_question));
    let step = match meant {
        Some(meant) => format!("did you mean `probative check {} {}`?", meant.name, question.name),
        None => "the question comes first: probative check QUESTION SUBJECT...".to_owned(),
    };
    let kind = ErrorKind::Usage(format!("this is {what}, not a question; {step}"));
    Some(Error::in_file(kind, &*question.name))
}

/// Refuses the subjects that are questions.
pub(super) fn refuse_questions(subjects: &mut [Subject]) {
    for subject in subjects {
        if subject.source.as_ref().is_ok_and(is_question) {
            let kind = ErrorKind::Usage(
                "this is a question, not a recording; a check takes one question, and it comes first"
                    .to_owned(),
            );
            subject.source = Err(Error::in_file(kind, &*subject.name));
        }
    }
}

/// What kind of recording a text is: `an openai-chat trace`. A text with the name of an assertion is none.
fn recording(text: &[u8]) -> Option<String> {
    let tree = Tree::read(text).ok();
    let keys: Vec<&str> = match tree.as_ref().map(|tree| &tree.value) {
        Some(serde_json::Value::Object(members)) => members.keys().map(String::as_str).collect(),
        Some(serde_json::Value::Array(items)) => {
            items.iter().filter_map(|item| item.as_object()).flatten().map(|(key, _)| key.as_str()).collect()
        }
        _ => Vec::new(),
    };
    if keys.iter().any(|key| is_assertion(key)) {
        return None;
    }
    if native::is_native(text) {
        return Some("a run".to_owned());
    }
    let format = match Layout::of(text) {
        Layout::Lines => probe(text.split(|byte| *byte == b'\n')).map(|(format, _)| format).ok(),
        Layout::Document => read_trace(text, None, false, &mut |_| ()).ok(),
    };
    if let Some(format) = format {
        return Some(format!("a trace ({format})"));
    }
    let about = About::of_subject(text);
    let is_envelope = ["response", "trajectory", "report"].iter().any(|part| keys.contains(part));
    match about {
        About::Response if is_envelope => Some("a recording".to_owned()),
        About::Response => None,
        other => Some(format!("a recorded {}", other.subject())),
    }
}

/// Returns true for a YAML file with the name of an assertion at the start of a line.
fn is_question(source: &Source) -> bool {
    let Source::File(path) = source else { return false };
    let is_yaml = path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
    is_yaml && is_short(path) && std::fs::read_to_string(path).is_ok_and(|text| text.lines().any(asserts))
}

fn is_short(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() <= LONGEST_QUESTION)
}

fn asserts(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches("- ");
    line.split_once(':').is_some_and(|(key, _)| is_assertion(key.trim()))
}

fn is_assertion(word: &str) -> bool {
    About::ALL.iter().any(|about| about.knows(word))
}
