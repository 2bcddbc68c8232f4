//! Session files as Claude Code writes them.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::numbers::Numbers;

const TOOLS: [&str; 5] = ["Read", "Grep", "Bash", "Edit", "WebFetch"];
const WORDS: [&str; 12] = [
    "order",
    "refund",
    "let total = price * count;",
    "café",
    "the",
    "\"quoted\"",
    "of",
    "4711",
    "\\path\\to",
    "customer",
    "tea",
    "shipped",
];

/// Writes about so many bytes of one session: a prompt, then answers that each call a tool, and what came of it.
pub(crate) fn write_session(out: &mut impl Write, bytes: usize) -> io::Result<()> {
    let mut numbers = Numbers::seeded(7);
    let mut written = 0;
    let record = |out: &mut dyn Write, number: usize, record: Value| -> io::Result<usize> {
        let mut line = json!({
            "parentUuid": format!("00000000-0000-4000-8000-{:012}", number),
            "isSidechain": false, "userType": "external", "cwd": "/home/ann/shop", "version": "2.0.14",
            "sessionId": "5b0c1f0e-0001-4a00-9000-000000000001", "gitBranch": "main",
            "uuid": format!("00000000-0000-4000-8000-{:012}", number + 1),
            "timestamp": format!("2025-12-24T{:02}:{:02}:{:02}.000Z", number / 3600 % 24, number / 60 % 60, number % 60),
        });
        if let (Value::Object(line), Value::Object(record)) = (&mut line, record) {
            line.extend(record);
        }
        let line = format!("{line}\n");
        out.write_all(line.as_bytes())?;
        Ok(line.len())
    };
    let prompt = json!({ "type": "user", "message": { "role": "user", "content": "Tidy the shop." } });
    written += record(out, 0, prompt)?;
    let mut number = 1;
    while written < bytes {
        let (tool, id) = (*numbers.one_of(&TOOLS), format!("toolu_{number}"));
        let usage = json!({ "input_tokens": 4, "cache_creation_input_tokens": numbers.below(900),
            "cache_read_input_tokens": numbers.below(90_000), "output_tokens": 3, "service_tier": "standard" });
        let message = |block: Value| {
            json!({ "type": "assistant", "requestId": format!("req_{number}"), "message": {
                "model": "claude-sonnet-4-6", "id": format!("msg_{number}"), "type": "message", "role": "assistant",
                "content": [block], "stop_reason": null, "stop_sequence": null, "usage": usage.clone() } })
        };
        let said = text(&mut numbers, 30);
        written += record(out, number, message(json!({ "type": "text", "text": said })))?;
        let input = json!({ "path": format!("src/{}.rs", numbers.below(500)), "pattern": text(&mut numbers, 4),
            "options": { "limit": numbers.below(100), "recursive": true } });
        let call = json!({ "type": "tool_use", "id": id, "name": tool, "input": input });
        written += record(out, number + 1, message(call))?;
        let length = 20 + numbers.below(600);
        let result = text(&mut numbers, length);
        let returned = json!({ "type": "user", "message": { "role": "user", "content": [
                { "tool_use_id": id, "type": "tool_result", "content": result, "is_error": false } ] },
            "toolUseResult": { "mode": "content", "stdout": result, "numLines": numbers.below(400) } });
        written += record(out, number + 2, returned)?;
        number += 3;
    }
    let last = json!({ "type": "assistant", "message": { "model": "claude-sonnet-4-6", "id": "msg_last", "type": "message",
        "role": "assistant", "content": [{ "type": "text", "text": "The shop is tidy." }], "usage": { "input_tokens": 4,
        "output_tokens": 1 } } });
    record(out, number, last).map(|_| ())
}

fn text(numbers: &mut Numbers, words: u64) -> String {
    let words: Vec<&str> = (0..words).map(|_| *numbers.one_of(&WORDS)).collect();
    words.join(" ")
}
