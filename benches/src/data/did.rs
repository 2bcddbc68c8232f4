//! Runs of a support agent, and the nineteen checks that they all pass.

use std::io::{self, Write};

use crate::Numbers;

const WORDS: [&str; 10] = [
    "incident",
    "review",
    "security",
    "audit",
    "deploy",
    "backup",
    "meeting",
    "budget",
    "roadmap",
    "migration",
];
const TOOLS: [&str; 6] = ["search", "read_file", "write_file", "send_email", "refund", "lookup_order"];

/// Writes runs, one a line: a third of their steps calls of models, nearly all others calls of tools, about 380 bytes each.
pub fn write_runs(out: &mut impl Write, runs: usize, steps: usize) -> io::Result<()> {
    let mut numbers = Numbers::seeded(0xD1D);
    for run in 0..runs {
        write!(out, r#"{{"run_id": "run-{run}", "input": "handle the ticket", "steps": ["#)?;
        for index in 0..steps {
            if index > 0 {
                out.write_all(b", ")?;
            }
            write_step(out, &mut numbers, index)?;
        }
        writeln!(
            out,
            r#"], "final_output": "Done: refund RF-1234 was sent to the customer.", "total_tokens": {}, "total_cost": {}.25, "duration_seconds": 12.5, "llm_calls": {}, "error": null}}"#,
            steps * 300,
            steps / 100,
            steps.div_ceil(3),
        )?;
    }
    Ok(())
}

fn write_step(out: &mut impl Write, numbers: &mut Numbers, index: usize) -> io::Result<()> {
    write!(out, r#"{{"step_index": {index}, "timestamp": {}.25, "#, 1_760_000_000 + index)?;
    match index {
        _ if index.is_multiple_of(3) => {
            let (prompt, completion, cost) =
                (200 + numbers.below(900), numbers.below(300), numbers.below(10_000));
            write!(
                out,
                r#""step_type": "llm_call", "model": "gpt-4o", "prompt_tokens": {prompt}, "completion_tokens": {completion}, "cost": 0.00{cost:04}}}"#
            )
        }
        _ if index % 30 == 29 => write!(
            out,
            r#""step_type": "state_change", "key": "stage", "old_value": "triage", "new_value": {{"name": "act", "at": {index}}}}}"#
        ),
        _ => {
            // Every run begins with what the question asks for, so that every check has something to find.
            let tool = match index {
                1 => "search",
                2 => "refund",
                4 => "send_email",
                _ => numbers.one_of(&TOOLS),
            };
            let limit = if index == 1 { 7 } else { numbers.below(50) };
            let [a, b, c] = match index {
                1 => ["incident", "review", "audit"],
                _ => [(); 3].map(|()| *numbers.one_of(&WORDS)),
            };
            write!(
                out,
                r#""step_type": "tool_call", "tool_name": "{tool}", "tool_args": {{"query": "{a} {b} {c}", "limit": {limit}, "filters": {{"tags": ["work", "security"], "after": "2026-01-01"}}}}, "tool_result": {{"status": "ok", "items": ["#
            )?;
            for item in 0..3 {
                let (before, id, title) =
                    (if item == 0 { "" } else { ", " }, numbers.below(1_000_000), numbers.one_of(&WORDS));
                write!(out, r#"{before}{{"id": {id}, "title": "{title}"}}"#)?;
            }
            write!(out, r#"], "text": ""#)?;
            for word in 0..12 {
                write!(out, "{}{}", if word == 0 { "" } else { " " }, numbers.one_of(&WORDS))?;
            }
            write!(out, r#""}}, "tool_error": null}}"#)
        }
    }
}

/// All nineteen checks; those that must not hold stand in a `cannot`.
pub const QUESTION: &str = r#"must:
  - tool_was_called: [refund]
  - tool_not_called: [delete_user]
  - tool_call_count: [{name: delete_user, count: 0}]
  - tool_called_with: [{name: search, args: {query: incident review audit, limit: 7, filters: {tags: [work, security], after: "2026-01-01"}}}]
  - tool_called_with_partial: [{name: search, args: {limit: 7}}]
  - tool_called_before: [{first: search, second: refund}]
  - tool_called_immediately_before: [{first: search, second: refund}]
  - call_order_contains: [[search, refund, send_email]]
  - output_equals: ["Done: refund RF-1234 was sent to the customer."]
  - output_contains: [RF-]
  - output_not_contains: [sorry]
  - output_matches: ['RF-\d+']
  - cost_under: [1000000]
  - tokens_under: [1000000000]
  - duration_under: [60]
  - llm_calls_under: [1000000]
  - succeeded: [true]
  - cannot: [{failed: [true]}]
  - cannot: [{error_is: [TimeoutError]}]
"#;
