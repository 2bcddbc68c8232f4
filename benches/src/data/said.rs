//! Responses of a search agent, and a question that they all pass.

use std::io::{self, Write};

use crate::Numbers;

/// Writes responses of a search agent, one a line, about 1 KB each, all of which pass [`QUESTION`].
pub fn write_responses(out: &mut impl Write, count: usize) -> io::Result<()> {
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
    let mut numbers = Numbers::seeded(0x5EED);
    for id in 0..count {
        write!(out, r#"{{"id":"run-{id:06}","status":"success","results":["#)?;
        let mut relevance = 999 - numbers.below(50);
        for result in 0..4 {
            if result > 0 {
                out.write_all(b",")?;
            }
            let (month, day) = (1 + numbers.below(12), 1 + numbers.below(28));
            let (first, second) = (numbers.one_of(&WORDS), numbers.one_of(&WORDS));
            relevance -= numbers.below(100);
            write!(
                out,
                r#"{{"file":"journal/2026/{month:02}/{first}-{second}.md","relevance":0.{relevance:03},"#
            )?;
            write!(
                out,
                r#""metadata":{{"type":"note","tags":["work","security","{first}"],"created":"2026-{month:02}-{day:02}T10:00:00Z"}},"#
            )?;
            write!(out, r#""snippet":"the {second} notes mention \"{first}\" twice"}}"#)?;
        }
        let took = numbers.below(5000);
        writeln!(
            out,
            r#"],"pagination":{{"total":4,"offset":0,"limit":10}},"summary":"Found 4 notes","performance":{{"search_duration_ms":{took}}}}}"#
        )?;
    }
    Ok(())
}

/// Eight assertions that every generated response passes.
pub const QUESTION: &str = r#"{
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
