//! Responses of a search agent, and a question that they all pass.

use std::io::{self, Write};

use super::Health;
use crate::numbers::Numbers;

const WORDS: [&str; 12] = [
    "incident",
    "review",
    "security",
    "audit",
    "deploy",
    "résumé",
    "backup",
    "meeting",
    "budget",
    "roadmap",
    "on-call",
    "migration",
];

/// The assertion of [`QUESTION`] that a response fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Status,
    ResultsMax,
    HasFields,
    FieldEquals,
    AllMatchPattern,
    AllHaveTags,
    AllInRange,
    SortedDesc,
}

const FAULTS: [Fault; 8] = [
    Fault::Status,
    Fault::ResultsMax,
    Fault::HasFields,
    Fault::FieldEquals,
    Fault::AllMatchPattern,
    Fault::AllHaveTags,
    Fault::AllInRange,
    Fault::SortedDesc,
];

/// Writes responses, one a line, about 1 KB each. Sound ones all pass [`QUESTION`]; of faulty ones every fifth fails one of its
/// eight assertions, each in turn.
pub(crate) fn write_responses(out: &mut impl Write, count: usize, health: Health) -> io::Result<()> {
    let mut numbers = Numbers::seeded(0x5EED);
    for id in 0..count {
        let faulty = health == Health::Faulty && id % 5 == 4;
        let fault = faulty.then(|| FAULTS[id / 5 % FAULTS.len()]);
        let status = if fault == Some(Fault::Status) { "error" } else { "success" };
        write!(out, r#"{{"id":"run-{id:06}","status":"{status}","results":["#)?;
        let mut relevance = 999 - numbers.below(50);
        let results = if fault == Some(Fault::ResultsMax) { 6 } else { 4 };
        for result in 0..results {
            relevance -= numbers.below(100);
            let told = match fault {
                // What is wrong stands last, so that all must be looked at.
                Some(Fault::AllInRange) if result == 0 => "1.001".to_owned(),
                Some(Fault::SortedDesc) if result == 3 => "0.9999".to_owned(),
                _ => format!("0.{relevance:03}"),
            };
            write_result(out, &mut numbers, result, &told, fault.filter(|_| result == 3))?;
        }
        let (took, offset) = (numbers.below(5000), u8::from(fault == Some(Fault::FieldEquals)));
        let summary = if fault == Some(Fault::HasFields) { "" } else { r#""summary":"Found 4 notes","# };
        writeln!(
            out,
            r#"],"pagination":{{"total":4,"offset":{offset},"limit":10}},{summary}"performance":{{"search_duration_ms":{took}}}}}"#
        )?;
    }
    Ok(())
}

/// Writes one response with so many results, all of which pass [`question_of_many`].
pub(crate) fn write_response_of_many(out: &mut impl Write, results: usize) -> io::Result<()> {
    let mut numbers = Numbers::seeded(0x5EED);
    write!(out, r#"{{"id":"run","status":"success","results":["#)?;
    for result in 0..results {
        write_result(out, &mut numbers, result, &format!("0.{:07}", 9_999_999 - result), None)?;
    }
    writeln!(out, r#"],"pagination":{{"total":4,"offset":0,"limit":10}},"summary":"Found notes"}}"#)
}

fn write_result(
    out: &mut impl Write,
    numbers: &mut Numbers,
    result: usize,
    relevance: &str,
    fault: Option<Fault>,
) -> io::Result<()> {
    if result > 0 {
        out.write_all(b",")?;
    }
    let (month, day) = (1 + numbers.below(12), 1 + numbers.below(28));
    let (first, second) = (numbers.one_of(&WORDS), numbers.one_of(&WORDS));
    let folder = if fault == Some(Fault::AllMatchPattern) { "notes" } else { "journal" };
    // The first word may be the tag itself.
    let (tag, third) =
        if fault == Some(Fault::AllHaveTags) { ("safety", &"audit") } else { ("security", first) };
    write!(out, r#"{{"file":"{folder}/2026/{month:02}/{first}-{second}.md","relevance":{relevance},"#)?;
    write!(
        out,
        r#""metadata":{{"type":"note","tags":["work","{tag}","{third}"],"created":"2026-{month:02}-{day:02}T10:00:00Z"}},"#
    )?;
    write!(out, r#""snippet":"the {second} notes mention \"{first}\" twice"}}"#)
}

/// Eight assertions that every sound response passes.
pub(crate) const QUESTION: &str = r#"{
  "status": "success",
  "results_max": 5,
  "has_fields": ["results", "pagination.total", "summary"],
  "field_equals": {"pagination.offset": 0},
  "all_match_pattern": {"path": "results[*].file", "regex": "^journal/"},
  "all_have_tags": ["work", "security"],
  "all_in_range": {"path": "results[*].relevance", "min": 0.0, "max": 1.0},
  "sorted_desc": {"path": "results[*].relevance"}
}
"#;

/// The same of a response with more results.
pub(crate) fn question_of_many() -> String {
    QUESTION.replace(r#""results_max": 5"#, r#""results_max": 10000000"#)
}
