//! What hostile input is tried on: every kind of subject, every format of traces, every notation of documents.

use std::path::{Path, PathBuf};

use probative::trajectory::readers::TraceFormat;

/// A question of each vocabulary, and a subject that passes it.
pub(crate) const VOCABULARIES: [(&str, &str); 3] = [
    ("status: success\n", r#"{"status": "success"}"#),
    ("tool_was_called: a\n", r#"{"steps": [{"step_type": "tool_call", "tool_name": "a"}]}"#),
    (
        "include_item_with_kind: Message\n",
        r#"{"events": [], "included": [{"item": {"content": "a", "tokens": 1, "kind": "Message"}, "score": 1.0, "reason": {"reason": "Scored"}}], "excluded": [], "total_candidates": 1, "total_tokens_considered": 1}"#,
    ),
];

/// What a subject is inside of which a value stands, for each vocabulary.
pub(crate) fn around(value: &str) -> [String; 3] {
    [
        format!(r#"{{"status": "success", "x": {value}}}"#),
        format!(
            r#"{{"steps": [{{"step_type": "tool_call", "tool_name": "a", "tool_args": {{"x": {value}}}}}]}}"#
        ),
        VOCABULARIES[2].1.replacen('{', &format!("{{\"x\": {value}, "), 1),
    ]
}

/// The traces of a format that are held for tests: every one that is a single file of text.
pub(crate) fn traces(format: TraceFormat) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/traces").join(format.name());
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.is_file() && !file.to_str().unwrap().ends_with(".expected.json"));
    files.sort();
    files
}

/// The formats that other programs write.
pub(crate) fn formats() -> impl Iterator<Item = TraceFormat> {
    TraceFormat::ALL.iter().copied().filter(|format| *format != TraceFormat::Native)
}

#[test]
fn every_format_has_a_trace_to_be_tried_on() {
    for format in formats() {
        assert!(!traces(format).is_empty(), "{format}");
    }
}
