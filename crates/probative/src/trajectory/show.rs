//! A whole run for a person: what it was given, what it did, what came of it.

use std::fmt::Write as _;

use super::format::{format, four_decimals};
use super::run::Run;
use crate::exhibit::Extent;

/// The run as text: its input, its steps, its output and its totals. What was not recorded is shown as such.
///
/// ```text
///   run       run-17
///   input     "Refund order 4711"
///
/// Actual trajectory (1 step):
///     1. [tool]  refund({"order":4711}) → "RF-1"
///
///   output    'Refunded as RF-1.'
///   totals    1234 tokens, $0.0041, 12.5 seconds, 2 model calls
/// ```
pub fn show(run: &Run<'_>, extent: Extent) -> String {
    let trajectory = run.trajectory();
    let mut text = String::new();
    let row = |label: &str, value: &str, text: &mut String| {
        let _ = writeln!(text, "  {label:<8}  {value}");
    };
    if let Some(id) = &trajectory.run_id {
        row("run", &extent.text(id), &mut text);
    }
    if let Some(source) = &trajectory.source {
        row("source", &extent.text(source), &mut text);
    }
    if let Some(input) = trajectory.input.as_ref().filter(|input| !input.is_null()) {
        row("input", &input.shown(extent), &mut text);
    }
    if !text.is_empty() {
        text.push('\n');
    }
    for line in format(trajectory, &[], extent) {
        let _ = writeln!(text, "{line}");
    }
    text.push('\n');
    let output = match &trajectory.final_output {
        Some(output) => format!("'{}'", extent.text(output)),
        None if trajectory.unknown.final_output => "not recorded".to_owned(),
        None => "(none)".to_owned(),
    };
    row("output", &output, &mut text);
    if let Some(error) = &trajectory.error {
        row("error", &extent.text(&error.to_string()), &mut text);
    } else if trajectory.unknown.error {
        row("error", "not recorded", &mut text);
    }
    row("totals", &totals(run), &mut text);
    text
}

/// `1234 tokens, $0.0041; duration and model calls not recorded`
fn totals(run: &Run<'_>) -> String {
    let totals = [
        ("tokens", run.tokens().map(|tokens| format!("{tokens} tokens"))),
        ("cost", run.cost().map(|cost| format!("${}", four_decimals(cost)))),
        ("duration", run.duration().map(|seconds| format!("{seconds} seconds"))),
        (
            "model calls",
            run.llm_call_count()
                .map(|calls| format!("{calls} model call{}", if calls == 1 { "" } else { "s" })),
        ),
    ];
    let recorded = totals.iter().filter_map(|(_, total)| total.as_deref()).collect::<Vec<_>>().join(", ");
    let missing: Vec<&str> =
        totals.iter().filter(|(_, total)| total.is_none()).map(|(name, _)| *name).collect();
    let missing = match missing.split_last() {
        None => return recorded,
        Some((only, [])) => format!("{only} not recorded"),
        Some((last, others)) => format!("{} and {last} not recorded", others.join(", ")),
    };
    if recorded.is_empty() { missing } else { format!("{recorded}; {missing}") }
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
  totals    1234 tokens, $0.0041, 12.5 seconds, 1 model call
"#;
        assert_eq!(text, expected);
    }

    #[test]
    fn what_is_not_there_is_told_from_what_is_not_known() {
        let nothing = "Actual trajectory: (empty)\n\n  output    (none)\n  totals    0 model calls; tokens, cost and duration not recorded\n";
        assert_eq!(shown(Trajectory::default()), nothing);
        assert_eq!(shown(Trajectory { input: Some(Value::Null.into()), ..Trajectory::default() }), nothing);
        let unknown =
            RunUnknown { llm_calls: true, final_output: true, error: true, ..RunUnknown::default() };
        assert_eq!(
            shown(Trajectory { unknown, ..Trajectory::default() }),
            "Actual trajectory: (empty)\n\n  output    not recorded\n  error     not recorded\n  totals    tokens, cost, duration and model calls not recorded\n"
        );
    }
}
