//! Runs of a support agent, and the nineteen checks that they all pass.

use std::io::{self, Write};

use super::Health;
use crate::numbers::Numbers;

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

/// How much the steps of a run hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Small arguments and results, as a support agent has them. Every key of the format is written, null where it is of
    /// another kind of step, as the peer itself writes steps; about 320 bytes each.
    Small,
    /// Nested arguments and results with texts, and only the keys of the step's kind; about 380 bytes each.
    Nested,
}

/// What is wrong with a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// It refunds before it searches.
    Order,
    /// It calls a tool that it must not call.
    Forbidden,
    /// It says something else.
    Output,
    /// It ends with an error.
    Error,
    /// It takes too long.
    Duration,
}

const FAULTS: [Fault; 5] = [Fault::Order, Fault::Forbidden, Fault::Output, Fault::Error, Fault::Duration];

/// Writes runs of at least six steps, one a line: a third of their steps calls of models, nearly all others calls of tools. Sound
/// ones all pass [`QUESTION`]; of faulty ones every fifth does not.
pub(crate) fn write_runs(
    out: &mut impl Write,
    runs: usize,
    steps: usize,
    shape: Shape,
    health: Health,
) -> io::Result<()> {
    let mut numbers = Numbers::seeded(0xD1D);
    for run in 0..runs {
        let faulty = health == Health::Faulty && run % 5 == 4;
        let fault = faulty.then(|| FAULTS[run / 5 % FAULTS.len()]);
        write!(out, r#"{{"run_id": "run-{run}", "input": "handle the ticket", "steps": ["#)?;
        for index in 0..steps {
            if index > 0 {
                out.write_all(b", ")?;
            }
            write_step(out, &mut numbers, index, shape, fault)?;
        }
        let output = if fault == Some(Fault::Output) {
            "Nothing was sent."
        } else {
            "Done: refund RF-1234 was sent to the customer."
        };
        let error = if fault == Some(Fault::Error) {
            r#"{"type": "ValueError", "message": "no such order"}"#
        } else {
            "null"
        };
        let seconds = if fault == Some(Fault::Duration) { 61 } else { 12 };
        writeln!(
            out,
            r#"], "final_output": "{output}", "total_tokens": {}, "total_cost": {}.25, "duration_seconds": {seconds}.5, "llm_calls": {}, "error": {error}}}"#,
            steps * 300,
            steps / 100,
            steps.div_ceil(3),
        )?;
    }
    Ok(())
}

fn write_step(
    out: &mut impl Write,
    numbers: &mut Numbers,
    index: usize,
    shape: Shape,
    fault: Option<Fault>,
) -> io::Result<()> {
    let kind = match index {
        _ if index.is_multiple_of(3) => "llm_call",
        _ if index % 30 == 29 => "state_change",
        _ => "tool_call",
    };
    write!(
        out,
        r#"{{"step_index": {index}, "step_type": "{kind}", "timestamp": {}.25"#,
        1_760_000_000 + index
    )?;
    let no_tool = r#", "tool_name": null, "tool_args": null, "tool_result": null, "tool_error": null"#;
    let no_model = r#", "model": null, "prompt_tokens": null, "completion_tokens": null, "cost": null"#;
    let no_state = r#", "key": null, "old_value": null, "new_value": null"#;
    let filler = |text: &'static str| if shape == Shape::Small { text } else { "" };
    match kind {
        "llm_call" => {
            let (prompt, completion, cost) =
                (200 + numbers.below(900), numbers.below(300), numbers.below(10_000));
            write!(
                out,
                r#"{}, "model": "gpt-4o", "prompt_tokens": {prompt}, "completion_tokens": {completion}, "cost": 0.00{cost:04}{}"#,
                filler(no_tool),
                filler(no_state)
            )?;
        }
        "state_change" => write!(
            out,
            r#"{}{}, "key": "stage", "old_value": "triage", "new_value": {{"name": "act", "at": {index}}}"#,
            filler(no_tool),
            filler(no_model)
        )?,
        _ => {
            write_call(out, numbers, index, shape, fault)?;
            write!(out, r#", "tool_error": null{}{}"#, filler(no_model), filler(no_state))?;
        }
    }
    out.write_all(b"}")
}

fn write_call(
    out: &mut impl Write,
    numbers: &mut Numbers,
    index: usize,
    shape: Shape,
    fault: Option<Fault>,
) -> io::Result<()> {
    // Every run begins with what the question asks for, so that every check has something to find.
    let tool = match index {
        1 if fault == Some(Fault::Order) => "refund",
        2 if fault == Some(Fault::Order) => "search",
        1 => "search",
        2 => "refund",
        5 if fault == Some(Fault::Forbidden) => "delete_user",
        4 => "send_email",
        _ => numbers.one_of(&TOOLS),
    };
    write!(out, r#", "tool_name": "{tool}", "tool_args": "#)?;
    let [a, b, c] = [(); 3].map(|()| *numbers.one_of(&WORDS));
    let limit = numbers.below(50);
    match shape {
        _ if index == 1 => write!(
            out,
            r#"{{"query": "incident review audit", "limit": 7, "filters": {{"tags": ["work", "security"], "after": "2026-01-01"}}}}"#
        )?,
        Shape::Small => write!(out, r#"{{"order": {}, "limit": {limit}}}"#, numbers.below(10_000))?,
        Shape::Nested => write!(
            out,
            r#"{{"query": "{a} {b} {c}", "limit": {limit}, "filters": {{"tags": ["work", "security"], "after": "2026-01-01"}}}}"#
        )?,
    }
    if shape == Shape::Small {
        return write!(out, r#", "tool_result": {{"item": "{a}", "price": {}.5}}"#, numbers.below(100));
    }
    write!(out, r#", "tool_result": {{"status": "ok", "items": ["#)?;
    for item in 0..3 {
        let (before, id, title) =
            (if item == 0 { "" } else { ", " }, numbers.below(1_000_000), numbers.one_of(&WORDS));
        write!(out, r#"{before}{{"id": {id}, "title": "{title}"}}"#)?;
    }
    write!(out, r#"], "text": ""#)?;
    for word in 0..12 {
        write!(out, "{}{}", if word == 0 { "" } else { " " }, numbers.one_of(&WORDS))?;
    }
    write!(out, r#""}}"#)
}

/// All nineteen checks; those that must not hold stand in a `cannot`.
pub(crate) const QUESTION: &str = r#"must:
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
