//! A whole run for a person: what it was given, what it did, what came of it.

use std::fmt::Write as _;

use super::format::{format, four_decimals};
use super::json::Json;
use super::run::Run;
use crate::exhibit::Extent;
use crate::value::excerpt::cut;

/// The run as text: its input, its steps, its output and its totals. What was not recorded is said to be unknown.
///
/// ```text
///   run       run-17
///   input     "Refund order 4711"
///
/// Actual trajectory (1 step):
///     1. [tool]  refund({"order":4711}) → "RF-1"
///
///   output    'Refunded as RF-1.'
///   totals    1234 tokens, $0.0041, 12.5 seconds, 2 llm calls
/// ```
pub fn show(run: &Run<'_>, extent: Extent) -> String {
    let trajectory = run.trajectory();
    let mut text = String::new();
    let row = |label: &str, value: &str, text: &mut String| {
        let _ = writeln!(text, "  {label:<8}  {value}");
    };
    if let Some(id) = &trajectory.run_id {
        row("run", &cut(id), &mut text);
    }
    if let Some(source) = &trajectory.source {
        row("source", &cut(source), &mut text);
    }
    if let Some(input) = trajectory.input.as_ref().filter(|input| !input.is_null()) {
        row("input", &Json::excerpt(input), &mut text);
    }
    if !text.is_empty() {
        text.push('\n');
    }
    for line in format(trajectory, &[], extent) {
        let _ = writeln!(text, "{line}");
    }
    text.push('\n');
    let output = match &trajectory.final_output {
        Some(output) => format!("'{}'", cut(output)),
        None if trajectory.unknown.final_output => "unknown".to_owned(),
        None => "none".to_owned(),
    };
    row("output", &output, &mut text);
    if let Some(error) = &trajectory.error {
        row("error", &cut(&error.to_string()), &mut text);
    } else if trajectory.unknown.error {
        row("error", "unknown", &mut text);
    }
    row("totals", &totals(run), &mut text);
    text
}

fn totals(run: &Run<'_>) -> String {
    [
        run.tokens().map_or("tokens unknown".to_owned(), |tokens| format!("{tokens} tokens")),
        run.cost().map_or("cost unknown".to_owned(), |cost| format!("${}", four_decimals(cost))),
        run.duration().map_or("duration unknown".to_owned(), |seconds| format!("{seconds} seconds")),
        run.llm_call_count().map_or("llm calls unknown".to_owned(), |calls| {
            format!("{calls} llm call{}", if calls == 1 { "" } else { "s" })
        }),
    ]
    .join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::{RunError, RunUnknown, Step, Trajectory};
    use super::*;

    fn shown(trajectory: Trajectory<'_>) -> String {
        show(&Run::new(trajectory), Extent::Whole)
    }

    #[test]
    fn all_that_is_recorded_is_shown() {
        let text = shown(Trajectory {
            run_id: Some("run-17".into()),
            source: Some("otlp".into()),
            input: Some(json!("Refund order 4711").into()),
            steps: vec![Step::tool_call("refund", json!({"order": 4711})).returning(json!("RF-1"))],
            final_output: Some("Refunded.".into()),
            error: Some(RunError::new("TimeoutError", "slow")),
            total_tokens: Some(1234),
            total_cost: Some(0.0041),
            duration_seconds: Some(12.5),
            llm_calls: Some(1),
            ..Trajectory::default()
        });
        let expected = r#"  run       run-17
  source    otlp
  input     "Refund order 4711"

Actual trajectory (1 step):
    1. [tool]  refund({"order":4711}) → "RF-1"

  output    'Refunded.'
  error     TimeoutError: slow
  totals    1234 tokens, $0.0041, 12.5 seconds, 1 llm call
"#;
        assert_eq!(text, expected);
    }

    #[test]
    fn what_is_not_there_is_told_from_what_is_not_known() {
        let nothing = "Actual trajectory: (empty)\n\n  output    none\n  totals    tokens unknown, cost unknown, duration unknown, 0 llm calls\n";
        assert_eq!(shown(Trajectory::default()), nothing);
        assert_eq!(shown(Trajectory { input: Some(Value::Null.into()), ..Trajectory::default() }), nothing);
        let unknown =
            RunUnknown { llm_calls: true, final_output: true, error: true, ..RunUnknown::default() };
        assert_eq!(
            shown(Trajectory { unknown, ..Trajectory::default() }),
            "Actual trajectory: (empty)\n\n  output    unknown\n  error     unknown\n  totals    tokens unknown, cost unknown, duration unknown, llm calls unknown\n"
        );
    }
}
